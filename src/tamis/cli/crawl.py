"""``tamis crawl``: a site into a folder."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tamis.cli import options, terminal

if TYPE_CHECKING:
    from tamis.crawl import CrawlResult, CrawlSettings

PAGES = 1_000
"""Pages that are saved where no ``--limit`` is given."""
BOUNDS = "What is crawled"
MANNERS = "Manners"
RUNNING = options.RUNNING
_SHOWN = 8


def crawl(
    url: Annotated[str, typer.Argument(metavar="URL", help="Address of the page to start at.")],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder to write to; a crawl that it holds goes on.")],
    limit: options.Limit = None,
    depth: Annotated[int | None, typer.Option(min=0, rich_help_panel=BOUNDS, help="Most links between the start page and a page.")] = None,
    scope: Annotated[
        Literal["path", "host", "domain"],
        typer.Option(rich_help_panel=BOUNDS, help="Stay below the folder of the start page, on its host, or on hosts below it, too."),
    ] = "host",
    include: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", rich_help_panel=BOUNDS, help="Only pages with such a path: '/news/*'. May be repeated."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", rich_help_panel=BOUNDS, help="No pages with such a path: '/tag/*'. May be repeated."),
    ] = None,
    same_layer: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            min=1,
            rich_help_panel=BOUNDS,
            help="Only the page and K of its same-layer pages: alike by their address, and not of the same article.",
        ),
    ] = None,
    sitemaps: Annotated[bool, typer.Option("--sitemaps/--no-sitemaps", rich_help_panel=BOUNDS, help="Read the site's sitemaps.")] = True,
    feeds: Annotated[bool, typer.Option("--feeds", rich_help_panel=BOUNDS, help="Read the feeds that pages declare.")] = False,
    per_pattern: Annotated[
        int, typer.Option(min=1, rich_help_panel=BOUNDS, help="Most addresses that differ only in numbers, or in the query.")
    ] = 2_000,
    robots: Annotated[bool, typer.Option("--robots/--ignore-robots", rich_help_panel=MANNERS, help="Obey robots.txt.")] = True,
    nofollow: Annotated[
        bool, typer.Option("--nofollow/--follow-all", rich_help_panel=MANNERS, help="Leave links that are marked nofollow.")
    ] = True,
    delay: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            min=0,
            rich_help_panel=MANNERS,
            help="Between the starts of two requests. [default: as long as the host takes to answer, at least 0.25]",
        ),
    ] = None,
    connections: Annotated[int, typer.Option(min=1, max=16, rich_help_panel=MANNERS, help="Requests to one host at the same time.")] = 1,
    contact: Annotated[
        str | None,
        typer.Option(metavar="URL", rich_help_panel=MANNERS, help="Where a site's owner learns who is crawling; part of the user agent."),
    ] = None,
    user_agent: Annotated[
        str | None, typer.Option(metavar="TEXT", rich_help_panel=MANNERS, help="Another user agent. [default: tamis/VERSION]")
    ] = None,
    allow_private: options.AllowPrivate = False,
    timeout: options.Timeout = None,
    max_bytes: options.MaxBytes = None,
    retries: Annotated[int, typer.Option(min=0, rich_help_panel=options.FETCHING, help="Further tries after a failure that may pass.")] = 2,
    redirects: Annotated[int, typer.Option(min=0, rich_help_panel=options.FETCHING, help="Most redirects in a row.")] = 10,
    overwrite: options.Overwrite = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", rich_help_panel=RUNNING, help="Also fetch again what failed in earlier runs.")
    ] = False,
    max_error_ratio: options.MaxErrorRatio = 0.5,
) -> None:
    """Crawl a site into a folder: its pages as WARC, an index of them, and what failed.

    robots.txt is obeyed, its Crawl-delay too, and one page is requested at a time. Private and loopback addresses are refused. If
    the crawl is interrupted, repeat the command: it continues, and fetches no saved page again. If no page was saved, it begins anew.

    The folder is a source for the other commands. In it: pages-00000.warc.gz, pages.jsonl (a line for each page), failures.jsonl,
    crawl.sqlite (what is known of the site, for going on).

    Examples:

    - `tamis crawl https://example.org -o example`
    - `tamis crawl https://example.org/docs/ -o docs --scope path --limit 0 --contact https://me.example/bot`
    - `tamis crawl https://example.org -o news --include '/news/*' --depth 3`
    - `tamis crawl https://example.org/news/tides.html -o tides --same-layer 3`
    - `tamis clean example -o texts.jsonl`
    """
    given = locals()
    from tamis.crawl import CrawlSettings
    from tamis.crawl.crawling import need_crawl_extra

    need_crawl_extra()
    given |= {"include": tuple(include or ()), "exclude": tuple(exclude or ())}
    chosen = {field.name: given[field.name] for field in fields(CrawlSettings) if given.get(field.name) is not None}
    settings = CrawlSettings(**chosen, pages=(PAGES if limit is None else limit) or None)
    result = _crawled(url, output, settings, overwrite=overwrite, retry_failed=retry_failed)
    if not terminal.VOICE.quiet:
        _report(result)
    raise SystemExit(_exit_code(result, max_error_ratio))


def _crawled(url: str, output: Path, settings: CrawlSettings, **how: bool) -> CrawlResult:
    """Crawl, and show what happens; say how to continue where that is interrupted."""
    from tamis.cli.progress import bars
    from tamis.crawl import crawl

    here = 0
    total = settings.same_layer + 1 if settings.same_layer else settings.pages

    def show(event: dict[str, Any]) -> None:
        nonlocal here
        if event["event"] == "page":
            here += 1
            update("pages", event["pages"], total, event["url"])
        elif terminal.VOICE.verbose or event["event"] == "robots":
            reason = event.get("reason", f"{event.get('entries', 0):,} entries")
            again = f", again in {event['seconds']:.0f} seconds" if "seconds" in event else ""
            terminal.say(f"{event['event']}: {event['url']}: {reason}{again}")

    try:
        with bars() as update:
            return crawl(url, output, settings, on_event=show, **how)
    except KeyboardInterrupt:
        terminal.complain(f"stopped after {terminal.counted(here, 'page')}; the same command continues ({output})")
        raise SystemExit(terminal.INTERRUPTED) from None


def _report(result: CrawlResult) -> None:
    """A table of what the crawl has come to, on standard error."""
    from tamis.crawl.output import FAILURES

    answers = ", ".join(f"{status}: {count:,}" for status, count in result.status.items())
    waiting = [("waiting", result.waiting, "known and not fetched; the same command with a higher --limit continues")]
    terminal.table(
        [
            ("pages", result.pages, f"{result.bytes:,} bytes in {result.folder}"),
            ("failed", result.failed, f"see {result.folder / FAILURES}" if result.failed else ""),
            *(("", count, reason) for reason, count in list(result.failures.items())[:_SHOWN]),
            ("skipped", sum(result.skipped.values()), ""),
            *(("", count, reason) for reason, count in list(result.skipped.items())[:_SHOWN]),
            ("answers", sum(result.status.values()), answers),
            *(waiting if result.waiting else []),
        ]
    )


def _exit_code(result: CrawlResult, max_error_ratio: float) -> int:
    if not result.pages:
        why = next(iter(result.failures or result.skipped), "nothing was fetched")
        terminal.complain(f"no page was saved: {why}; the same command tries again")
        return terminal.NOTHING
    if terminal.too_many_failed(result.failed, result.pages + result.failed, "page", max_error_ratio):
        return terminal.TOO_MANY_FAILED
    return 0
