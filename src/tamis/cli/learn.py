"""``tamis learn``: learn the template of a site."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tamis.cli import options, terminal

if TYPE_CHECKING:
    from tamis.io.pages import Source
    from tamis.site.digest import PageDigest

PAGES = 100
"""Pages to learn from where no ``--limit`` is given."""
EVERY = 1_000_000
"""As good as all."""

Keep = Annotated[list[str] | None, typer.Option("--keep", metavar="CSS", help="Always keep what this selector matches. May be repeated.")]
Drop = Annotated[list[str] | None, typer.Option("--drop", metavar="CSS", help="Always drop what this selector matches. May be repeated.")]


def learn(
    site: Annotated[list[str], typer.Argument(metavar="SITE...", help="Pages of one site: folders, files, patterns, lists, addresses.")],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Folder for the model.")],
    overwrite: options.Overwrite = False,
    limit: options.Limit = None,
    update: Annotated[bool, typer.Option("--update", help="Add these pages to those that the model was learned from.")] = False,
    evidence: Annotated[bool, typer.Option("--evidence/--no-evidence", help="Keep in the model what --update needs.")] = True,
    keep: Keep = None,
    drop: Drop = None,
) -> None:
    """Learn the template of a site: which parts of its pages repeat, and where the content stands.

    Of many pages, 100 are taken, spread over the layouts of the site; --limit takes more or fewer.

    **Examples**

    tamis learn site/ -o site.model

    tamis learn more/ -o site.model --update

    tamis clean site/ --model site.model -o clean.jsonl
    """
    from tamis.errors import UsageError
    from tamis.io.sources import open_sources
    from tamis.site.learned import Rules
    from tamis.site.model import SiteModel, learn_digests
    from tamis.site.sample import choose_sources, spread_over_layouts

    if update and overwrite:
        raise UsageError("--update adds to the model and --overwrite replaces it: choose one")
    if (output / "model.json").exists() and not update and not overwrite:
        raise UsageError(f"{output} exists already; --update adds these pages to it, --overwrite replaces it and its rules")
    pages = limit or (PAGES if limit is None else EVERY)
    old = SiteModel.load(output) if update else None
    rules = Rules(tuple(keep or ()), tuple(drop or ()))
    failures: list[str] = []
    digests = list(_digests(choose_sources(open_sources(site), pages), failures))
    if not digests:
        terminal.complain(f"none of the pages could be read, e.g. {failures[0]}" if failures else "there is no page to learn from")
        raise SystemExit(terminal.ERROR)
    chosen = spread_over_layouts(digests, pages)
    if old is not None:
        rules = Rules((*old.rules.keep, *rules.keep), (*old.rules.drop, *rules.drop))
        chosen = [*old.evidence, *chosen]
    model = learn_digests(chosen, rules=rules) if old is None else learn_digests(chosen, old.settings, rules)
    model.save(output, evidence=evidence)
    layouts = [len(layout.members) for layout in model.layouts]
    counts = f"{terminal.counted(model.template.pages, 'page')} in {terminal.counted(len(layouts), 'layout')}"
    sizes = f" ({', '.join(map(str, layouts[:8]))} pages)" if len(layouts) > 1 else ""
    terminal.say(f"learned from {counts}{sizes}: {output}")
    if model.template.chain:
        terminal.say(f"content place: {model.template.path(model.template.chain[-1][0])}")
    if failures:
        terminal.say(f"{terminal.counted(len(failures), 'page')} could not be read, such as: {failures[0]}")
    if model.template.pages < model.settings.least_pages:
        terminal.say("one page shows no template: pages will be cleaned by themselves; learn from more")


def _digests(sources: list[Source], failures: list[str]) -> Iterator[PageDigest]:
    from tamis.cli.progress import shown
    from tamis.errors import TamisError
    from tamis.page.parsing import parse
    from tamis.site.digest import digest

    for source in shown(sources, "learning"):
        try:
            served = source.read()
        except TamisError as error:
            failures.append(str(error))
            continue
        yield digest(parse(served.html, content_type=served.content_type)).digest
