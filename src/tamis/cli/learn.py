"""``tamis learn``: learn the template of a site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Argument, Option

import tamis
from tamis.cli import options, terminal
from tamis.cli.page import readable
from tamis.errors import SourceError, UsageError
from tamis.io.sources import open_sources
from tamis.site.digest import judged_digest
from tamis.site.model import learn_digests
from tamis.site.sites import PAGES, choose_sources, host_of, several_hosts, several_templates, spread_over_layouts

EVERY = 1_000_000  #: In effect all pages.

_RULE = "Always {} what this selector matches. May be repeated."
Keep = Annotated[list[str] | None, Option("--keep", metavar="CSS", help=_RULE.format("keep"))]
Drop = Annotated[list[str] | None, Option("--drop", metavar="CSS", help=_RULE.format("drop"))]


def learn(
    site: Annotated[list[str], Argument(metavar="SITE...")],
    *,
    output: Annotated[Path, Option("--output", "-o", metavar="MODEL")],
    method: Literal["template", "style-tree", "papers"] = "template",
    overwrite: options.Overwrite = False,
    limit: options.Limit = None,
    update: bool = False,
    evidence: bool = True,
    keep: Keep = None,
    drop: Drop = None,
    as_json: options.Json = False,
) -> None:
    """Learn the template of a site: which parts of its pages repeat, and where the content is.

    Some pages of every layout of the site are among those that are used.

    Examples:

    - `tamis learn site/ -o site.model`
    - `tamis learn more/ -o site.model --update`
    - `tamis clean site/ --model site.model -o clean.jsonl`
    - `tamis learn site/ -o site.tree --method style-tree`

    Options:
        site: Pages of one site: folders, files, patterns, lists, addresses.
        output: Folder for the model.
        method: Learn the site's template, its style tree, or what the five papers' methods need (the style tree; of few pages, these).
        update: Add these pages to those that the model was learned from.
        evidence: Keep the evidence in the model, which --update needs.

    How it runs:
        limit: Maximum number of pages that are used; 0: all. [default: 50]
    """
    if update and overwrite:
        raise UsageError("--update adds to the model and --overwrite replaces it: choose one")
    if (output / "model.json").exists() and not update and not overwrite:
        raise UsageError(f"{output} exists already; --update adds these pages to it, --overwrite replaces it and its rules")
    pages = limit or (PAGES if limit is None else EVERY)
    if method != "template" and (update or keep or drop or not evidence):
        raise UsageError(f"--update, --keep, --drop and --no-evidence are options of the template, not of the method {method}")
    old = tamis.SiteModel.load(output) if update else None
    rules = tamis.Rules(tuple(keep or ()), tuple(drop or ()))
    failures: list[str] = []
    sources = choose_sources(open_sources(site), pages)[: None if method == "template" else pages]
    chosen = readable(sources, "learning", failures)
    read: Callable[[tamis.PageTree], Any] = judged_digest if method == "template" else lambda tree: tree
    seen = [(host_of(tree, source.url), read(tree)) for source, tree, _ in chosen]
    if not seen:
        raise SourceError(f"no page could be read, such as: {failures[0]}" if failures else "there is no page to learn from")
    if method != "template":
        by_method: Any = tamis.learn([tree for _, tree in seen], method=method)
        by_method.save(output)
        terminal.say_unreadable(failures)
        terminal.say(f"learned from {terminal.counted(len(seen), 'page')}: {output} ({by_method!r})")
        if as_json:
            terminal.say_summary({"pages": len(seen), "unreadable": len(failures), "output": output})
        return
    digests = spread_over_layouts((page for _, page in seen), pages)
    if old is None:
        model = learn_digests(digests, rules=rules)
    else:
        model = old.with_digests(digests, tamis.Rules((*old.rules.keep, *rules.keep), (*old.rules.drop, *rules.drop)))
    model.save(output, evidence=evidence)
    members = [layout.members for layout in model.layouts]
    sizes = ", ".join(str(len(each)) for each in members[:8])
    layouts = f" ({sizes} pages)" if len(model.layouts) > 1 else ""
    terminal.say(f"learned from {terminal.extent(model)}{layouts}: {output}")
    for place in model.describe()["content"]:
        terminal.say(f"content place: {place}")
    terminal.say_unreadable(failures)
    if several := several_hosts(Counter(host for host, _ in seen)) or several_templates([page for _, page in seen]):
        terminal.say(f"note: the pages are of several sites ({several}), and a template is of one: learn that of each by itself")
    if old is not None and old.sample.pages and not any(old.knows(page) for _, page in seen):
        terminal.say("note: no page has a layout that the model knew: are the pages of the same site?")
    if model.sample.pages < model.settings.least_pages:
        terminal.say("one page shows no template: pages will be cleaned one by one; learn from more pages")
    if as_json:
        terminal.say_summary({"pages": sum(map(len, members)), "layouts": len(members), "unreadable": len(failures), "output": output})
