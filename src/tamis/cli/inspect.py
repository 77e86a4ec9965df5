"""``tamis inspect``: pages in the inspector, in the browser."""

from __future__ import annotations

import re
import tempfile
import webbrowser
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from tamis.cli import options, serve, terminal
from tamis.corpus.report import write_report
from tamis.errors import SourceError
from tamis.io.sources import open_sources
from tamis.server.sites import StoredSite, write_json

_RUN = "inspected-run"
MOST_PAGES = 2_000


def inspect(
    source: Annotated[str | None, Argument(metavar="[PAGE|SITE|RUN]")] = None,
    *,
    port: serve.Port = None,
    state: Annotated[Path | None, Option(metavar="FOLDER")] = None,
    workers: options.Workers = None,
    allow_private: options.AllowPrivate = False,
    browser: Annotated[bool, Option("--open/--no-open")] = True,
) -> None:
    """Show what is kept and dropped of a page, of a site, or of a corpus run, and why; make rules for a site.

    Without an argument the inspector opens empty: paste HTML, drop a file or a folder, or give an address.

    Examples:

    - `tamis inspect page.html`
    - `tamis inspect saved-site/`
    - `tamis inspect corpus-run/`

    Options:
        source: A page, an address, a folder of pages, a crawl, or a corpus run.
        port: Port to listen on. [default: any free port]
        state: Keep sites and rules here, instead of in a temporary folder.
        browser: Open the browser.
    """
    with ExitStack() as stack:
        root = state or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tamis-inspect-")))
        settings = serve.Listening(port=port, workers=workers, allow_private=allow_private).settings(root, 0)
        place = _prepared(root.absolute(), source) if source is not None else ""

        def ready(address: str) -> None:
            terminal.say(f"inspector: {address}{place} (Ctrl+C stops)")
            if browser:
                webbrowser.open(address + place)

        serve.run(settings, ready)


def _prepared(root: Path, source: str) -> str:
    """Put the pages or the report into the state folder; the end of the address that shows them."""
    if (Path(source) / "run.json").is_file():
        target = root / "runs" / _RUN / "report.html"  # where the service keeps reports
        target.parent.mkdir(parents=True, exist_ok=True)
        write_report(Path(source), target)
        (root / "jobs").mkdir(exist_ok=True)
        write_json(root / "jobs" / f"{_RUN}.json", {"id": _RUN, "order": {"kind": "corpus", "settings": {}}, "state": "done"})
        return f"#report={_RUN}"
    pages = iter(open_sources([source]))
    named = source.partition("//")[2].strip("/") or Path(source).resolve().name
    site = StoredSite(root, re.sub(r"[^a-z0-9._-]+", "-", named.lower()).strip("-._")[:60] or "pages")
    first = None
    failures = []
    for page in islice(pages, MOST_PAGES):
        try:
            id = site.put_source(page)
            first = first or id
        except SourceError as error:
            failures.append(str(error))
    if first is None:
        raise SourceError(failures[0] if failures else f"{source} holds no page")
    terminal.say_unreadable(failures)
    if next(pages, None) is not None:
        terminal.say(f"only the first {MOST_PAGES:,} pages are shown")
    return f"#site={site.name}&page={first}"
