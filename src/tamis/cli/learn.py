"""tamis learn: the template of a site, from some of its pages to a model on disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tamis.cli import terminal

if TYPE_CHECKING:
    from tamis.io.pages import Source
    from tamis.site.digest import PageDigest

Keep = Annotated[list[str] | None, typer.Option("--keep", metavar="CSS", help="Always keep what this selector matches. May be repeated.")]
Drop = Annotated[list[str] | None, typer.Option("--drop", metavar="CSS", help="Always drop what this selector matches. May be repeated.")]


def learn(
    site: Annotated[list[str], typer.Argument(metavar="SITE...", help="Pages of one site: folders, files, patterns, lists, addresses.")],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Folder for the model.")],
    pages: Annotated[int, typer.Option("--pages", "-n", min=2, help="Pages to learn from at the most, spread over the layouts.")] = 100,
    update: Annotated[
        bool, typer.Option("--update", help="Learn on: add these pages to those the model at MODEL was learned from.")
    ] = False,
    evidence: Annotated[bool, typer.Option("--evidence/--no-evidence", help="Keep in the model what --update needs.")] = True,
    keep: Keep = None,
    drop: Drop = None,
) -> None:
    """Learn the template of a site: which parts of its pages repeat, and where the content stands.

    **Examples**

    tamis learn site/ -o site.model

    tamis learn more/ -o site.model --update

    tamis clean site/ --model site.model -o clean.jsonl
    """
    from tamis.io.sources import open_sources
    from tamis.site.learned import Rules
    from tamis.site.model import SiteModel, learn_digests
    from tamis.site.sample import choose_sources, spread_over_layouts

    old = SiteModel.load(output) if update else None
    rules = Rules(tuple(keep or ()), tuple(drop or ()))
    failures: list[str] = []
    digests = list(_digests(choose_sources(open_sources(site), pages), failures))
    if not digests:
        terminal.complain(f"none of the pages could be read, e.g. {failures[0]}" if failures else "there is no page to learn from")
        raise typer.Exit(terminal.ERROR)
    chosen = spread_over_layouts(digests, pages)
    if old is not None:
        rules = Rules((*old.rules.keep, *rules.keep), (*old.rules.drop, *rules.drop))
        chosen = [*old.evidence, *chosen]
    model = learn_digests(chosen, rules=rules) if old is None else learn_digests(chosen, old.settings, rules)
    model.save(output, evidence=evidence)
    layouts = [len(layout.members) for layout in model.layouts]
    terminal.say(
        f"learned from {model.template.pages} pages of {len(layouts)} layouts ({', '.join(map(str, layouts[:8]))} pages): {output}"
    )
    if model.template.chain:
        terminal.say(f"content place: {model.template.path(model.template.chain[-1][0])}")
    if failures:
        terminal.say(f"{len(failures)} pages could not be read, e.g. {failures[0]}")
    if model.template.pages < model.settings.least_pages:
        terminal.say("one page is no template: pages will be cleaned by themselves")


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
