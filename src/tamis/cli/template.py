"""``tamis template``: show a site model, compare two, edit its rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from tamis.cli import options, terminal
from tamis.cli.learn import Drop, Keep

app = typer.Typer(no_args_is_help=True, rich_markup_mode="markdown", add_completion=False)

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="Folder of a model that tamis learn made.")]


@app.callback()
def template() -> None:
    """Look at what was learned of a site, compare two models, or edit the manual rules of one."""


@app.command()
def show(
    model: Model,
    *,
    places: Annotated[int, typer.Option("--places", min=1, help="Template parts to show, heaviest first.")] = 20,
    as_json: options.Json = False,
) -> None:
    """Show a model: layouts, the content place, the parts of the template, the rules.

    **Example**

    tamis template show site.model
    """
    from tamis.site.description import describe
    from tamis.site.model import SiteModel

    loaded = SiteModel.load(model)
    if as_json:
        terminal.to_stdout(json.dumps(describe(loaded), ensure_ascii=False, indent=1) + "\n")
        return
    from rich.console import Console

    console = Console()
    described = describe(loaded)
    console.print(
        f"[bold]{model}[/bold]: {terminal.counted(described['pages'], 'page')} in "
        f"{terminal.counted(len(described['layouts']), 'layout')} ({', '.join(map(str, described['layouts']))} pages)",
        highlight=False,
    )
    for place in described["content"]:
        console.print(f"content place  [green]{place}[/green]", highlight=False, soft_wrap=True)
    console.print(_part_table(described["template"][:places]))
    left = len(described["template"]) - places
    if left > 0:
        console.print(f"and {left} lighter parts (--places, or --json for all)", highlight=False)
    for name, selectors in described["rules"].items():
        for selector in selectors:
            console.print(f"rule: {name} {selector}", markup=False, highlight=False)


@app.command()
def diff(old: Model, new: Annotated[Path, typer.Argument(metavar="OTHER", help="The model to compare with.")]) -> None:
    """Compare two models of a site: places that came, went or changed their verdict. Exit code 1 where they differ.

    **Example**

    tamis template diff last-month.model this-month.model
    """
    from tamis.site.model import SiteModel
    from tamis.site.template import VERDICTS

    verdicts = []
    for path in (old, new):
        loaded = SiteModel.load(path).template
        verdicts.append({loaded.path(place): VERDICTS[loaded.verdict[place]] for place in range(len(loaded.place))})
    before, after = verdicts
    lines = [f"- {place}  ({before[place]})" for place in before if place not in after]
    lines += [f"+ {place}  ({after[place]})" for place in after if place not in before]
    lines += [f"~ {place}  ({before[place]} -> {after[place]})" for place in before if after.get(place, before[place]) != before[place]]
    rules = [SiteModel.load(path).rules for path in (old, new)]
    for name in ("keep", "drop"):
        first, second = (set(getattr(rule, name)) for rule in rules)
        lines += [f"- rule: {name} {selector}" for selector in sorted(first - second)]
        lines += [f"+ rule: {name} {selector}" for selector in sorted(second - first)]
    terminal.to_stdout("".join(f"{line}\n" for line in lines))
    if lines:
        raise SystemExit(terminal.ERROR)
    terminal.say("the models agree")


@app.command()
def text(
    model: Model, pages: Annotated[list[str], typer.Argument(metavar="PAGE...", help="Pages of the site: files, folders, patterns.")]
) -> None:
    """Print the template's own text once: what tamis clean drops from these pages because the site repeats it.

    **Example**

    tamis template text site.model site/ > template.txt
    """
    from tamis.io.sources import open_sources
    from tamis.site.model import SiteModel

    loaded = SiteModel.load(model)
    lines = loaded.template_text(source.read().html for source in open_sources(pages))
    terminal.to_stdout(f"{lines}\n" if lines else "")


@app.command()
def edit(
    model: Model,
    *,
    keep: Keep = None,
    drop: Drop = None,
    forget: Annotated[list[str] | None, typer.Option("--forget", metavar="CSS", help="Remove this rule. May be repeated.")] = None,
) -> None:
    """Edit the manual rules of a model: CSS selectors that win over what was learned. Where both match, drop wins.

    The rules stand in model.json, where an editor can change them too.

    **Example**

    tamis template edit site.model --keep '#comments' --drop .byline
    """
    from tamis.errors import UsageError
    from tamis.site.learned import Rules
    from tamis.site.model import SiteModel

    loaded = SiteModel.load(model)
    known = {*loaded.rules.keep, *loaded.rules.drop}
    for selector in forget or ():
        if selector not in known:
            raise UsageError(f"the model has no rule {selector!r}; it has {', '.join(sorted(known)) or 'none'}")
    if not (keep or drop or forget):
        raise UsageError("say what to edit: --keep, --drop or --forget")
    rules = Rules(*(_edited(getattr(loaded.rules, name), added, forget) for name, added in (("keep", keep), ("drop", drop))))
    loaded.with_rules(rules).save(model, evidence=bool(loaded.evidence))
    terminal.say(f"{model}: keep {', '.join(rules.keep) or 'nothing'}; drop {', '.join(rules.drop) or 'nothing'}")


def _edited(rules: tuple[str, ...], added: list[str] | None, forgotten: list[str] | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(rule for rule in (*rules, *(added or ())) if rule not in (forgotten or ())))


def _short(path: str, steps: int = 3) -> str:
    """The end of a path: what a person knows a part by."""
    found = path.split(" > ")
    return " > ".join(found if len(found) <= steps else ["...", *found[-steps:]])


def _part_table(parts: list[dict[str, Any]]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table("part of the template", "verdict", "pages", "chars a page", "links", "repeated", box=None, header_style="bold")
    for column in table.columns[2:]:
        column.justify = "right"
    for part in parts:
        shares = (f"{part[name]:.0%}" for name in ("links", "repeated"))
        table.add_row(Text(_short(part["path"])), part["verdict"], str(part["pages"]), f"{part['characters_a_page']:,}", *shares)
    return table
