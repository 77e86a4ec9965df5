"""``tamis template``: show a site model, compare two, edit its rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

import tamis
from tamis.cli import options, terminal
from tamis.cli.lazy import Subcommands
from tamis.cli.learn import Drop, Keep
from tamis.errors import UsageError
from tamis.io.sources import open_sources
from tamis.papers.method import load_site

app = Subcommands()
Model = Annotated[Path, Argument(metavar="MODEL", help="Folder of a model that tamis learn made.")]


@app.callback()
def template() -> None:
    """Show the model of a site, compare two models, or edit the manual rules of one."""


@app.add("show")
def show(model: Model, *, places: Annotated[int, Option(min=1)] = 20, as_json: options.Json = False) -> None:
    """Show a model: layouts, the content place, the parts of the template, the rules.

    Example: `tamis template show site.model`

    Options:
        places: Template parts to show, those with most text first.
    """
    loaded = load_site(model)
    described = loaded.describe()
    if as_json:
        terminal.deliver_json(described)
        return
    if not isinstance(loaded, tamis.SiteModel):
        terminal.to_stdout(terminal.harmless(_of_papers(model, described, places)))
        return
    layouts, parts = described["layouts"], described["template"]
    lines = [f"{model}: {terminal.extent(loaded)} ({', '.join(map(str, layouts))} pages)"]
    lines += [f"content place: {place}" for place in described["content"]]
    headings = ("verdict", "pages", "words a page", "links", "repeated", "part of the template")
    rows = []
    for part in parts[:places]:
        steps = part["path"].split(" > ")
        end = " > ".join(["...", *steps[-3:]] if len(steps) > 3 else steps)  # tells a reader which part it is
        shares = (f"{part[name]:.0%}" for name in ("links", "repeated"))
        rows.append((part["verdict"], part["pages"], f"{part['words_a_page']:,}", *shares, end))
    lines += terminal.columns(headings, rows).splitlines() if loaded.evidence else ["saved without its evidence: its places have no names"]
    if len(parts) > places:
        lines.append(f"and {len(parts) - places} smaller parts (--places, or --json for all)")
    lines += [f"rule: {name} {selector}" for name, selectors in described["rules"].items() for selector in selectors]
    terminal.to_stdout("".join(f"{terminal.harmless(line)}\n" for line in lines))


def _of_papers(model: Path, described: dict[str, Any], places: int) -> str:
    """Return a style tree, or the pages that a small site is known by."""
    head = f"{model}: {terminal.counted(described['pages'], 'page')}"
    if "threshold" not in described:
        return f"{head}, compared with others as same-layer pages\n"
    headings = ("verdict", "pages", "styles", "NodeImp", "CompImp", "place")
    parts = described["template"]
    rows = [
        (part["verdict"], part["pages"], part["styles"], f"{part['NodeImp']:.2f}", f"{part['CompImp']:.2f}", part["path"])
        for part in parts[:places]
    ]
    more = f"and {len(parts) - places} more elements (--places, or --json for all)\n" if len(parts) > places else ""
    return f"{head}, style tree, t = {described['threshold']:.2f}\n{terminal.columns(headings, rows)}{more}"


@app.add("diff")
def diff(old: Model, new: Annotated[Path, Argument(metavar="OTHER")], *, as_json: options.Json = False) -> None:
    """Compare two models of a site: new places, removed places, changed verdicts. Exit code 1 if they differ.

    Example: `tamis template diff last-month.model this-month.model`

    Options:
        new: The model to compare with.
    """
    models = [tamis.SiteModel.load(path) for path in (old, new)]
    if not all(model.evidence for model in models):
        raise UsageError("a model that was saved without its evidence cannot be compared: its places have no names")
    before, after = ({place.path: place.verdict for place in model.places} for model in models)
    found: dict[str, Any] = {
        "removed": {place: before[place] for place in before if place not in after},
        "added": {place: after[place] for place in after if place not in before},
        "changed": {place: [before[place], after[place]] for place in before if after.get(place, before[place]) != before[place]},
    }
    for sign, model, other in (("removed", models[0], models[1]), ("added", models[1], models[0])):
        found[f"{sign} rules"] = [
            f"{name} {selector}"
            for name in ("keep", "drop")
            for selector in getattr(model.rules, name)
            if selector not in getattr(other.rules, name)
        ]
    if as_json:
        terminal.deliver_json(found)
    else:
        lines = [
            f"{sign} {place}  ({verdict})" for sign, kind in (("-", "removed"), ("+", "added")) for place, verdict in found[kind].items()
        ]
        lines += [f"~ {place}  ({' -> '.join(verdicts)})" for place, verdicts in found["changed"].items()]
        lines += [f"{sign} rule: {rule}" for sign, kind in (("-", "removed rules"), ("+", "added rules")) for rule in found[kind]]
        terminal.to_stdout("".join(f"{line}\n" for line in lines))
    if any(found.values()):
        raise SystemExit(terminal.ERROR)
    terminal.say("the models agree")


@app.add("text")
def text(model: Model, pages: Annotated[list[str], Argument(metavar="PAGE...")], *, as_json: options.Json = False) -> None:
    """Print the text of the template once: the text that tamis clean drops from these pages because the site repeats it.

    Example: `tamis template text site.model site/ > template.txt`

    Options:
        pages: Pages of the site: files, folders, patterns.
    """
    lines = tamis.SiteModel.load(model).template_text(source.read().html for source in open_sources(pages))
    if as_json:
        terminal.deliver_json([*filter(None, lines.split("\n"))])
    else:
        terminal.to_stdout(f"{lines}\n" if lines else "")


@app.add("edit")
def edit(
    model: Model,
    *,
    keep: Keep = None,
    drop: Drop = None,
    forget: Annotated[list[str] | None, Option(metavar="CSS")] = None,
    as_json: options.Json = False,
) -> None:
    """Edit the manual rules of a model: CSS selectors that overrule what was learned. If both match, drop wins.

    The rules are in model.json, where you can also edit them by hand.

    Example: `tamis template edit site.model --keep '#comments' --drop .byline`

    Options:
        forget: Remove this rule. May be repeated.
    """
    loaded = tamis.SiteModel.load(model)
    known = {*loaded.rules.keep, *loaded.rules.drop}
    for selector in forget or ():
        if selector not in known:
            raise UsageError(f"the model has no rule {selector!r}; it has {', '.join(sorted(known)) or 'none'}")
    if not (keep or drop or forget):
        raise UsageError("say what to edit: --keep, --drop or --forget")
    edited = ((*loaded.rules.keep, *(keep or ())), (*loaded.rules.drop, *(drop or ())))
    rules = tamis.Rules(*(tuple(rule for rule in dict.fromkeys(each) if rule not in (forget or ())) for each in edited))
    loaded.with_rules(rules).save(model, evidence=bool(loaded.evidence))
    if as_json:
        terminal.say_summary({"keep": rules.keep, "drop": rules.drop})
    terminal.say(f"{model}: keep {', '.join(rules.keep) or 'nothing'}; drop {', '.join(rules.drop) or 'nothing'}")
