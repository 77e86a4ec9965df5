"""``tamis crawl``: crawl a site into a folder."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from tamis.cli import options, terminal
from tamis.crawl import CrawlResult, CrawlSettings
from tamis.crawl import crawl as crawl_into
from tamis.crawl.crawling import need_crawl_extra
from tamis.io.files import CRAWL_FAILURES, CRAWL_PAGES

PAGES = 1_000  #: Pages that are saved if no ``--limit`` is given.
_SHOWN = 8  #: Reasons that are listed for failed pages, and for skipped ones.


def crawl(
    url: Annotated[str, Argument(metavar="URL")],
    *,
    output: Annotated[Path, Option("--output", "-o", metavar="FOLDER")],
    limit: options.Limit = None,
    depth: Annotated[int | None, Option(min=0)] = None,
    reach: options.Reach,
    same_layer: Annotated[int | None, Option(metavar="K", min=1)] = None,
    feeds: bool = False,
    per_pattern: Annotated[int, Option(min=1)] = 2_000,
    nofollow: Annotated[bool, Option("--nofollow/--follow-all")] = True,
    connections: Annotated[int, Option(min=1, max=16)] = 1,
    contact: Annotated[str | None, Option(metavar="URL")] = None,
    user_agent: Annotated[str | None, Option(metavar="TEXT")] = None,
    timeout: options.Timeout = None,
    max_bytes: options.MaxBytes = None,
    retries: Annotated[int, Option(min=0)] = 2,
    bounds: options.Bounds = None,
    overwrite: options.Overwrite = False,
    retry_failed: bool = False,
    previous: Annotated[Path | None, Option(metavar="FOLDER")] = None,
    max_error_ratio: options.MaxErrorRatio = 0.5,
    as_json: options.Json = False,
) -> None:
    """Crawl a site into a folder: its pages as WARC, an index of them, and a list of failures.

    The crawler obeys robots.txt, including Crawl-delay, and requests one page at a time. It refuses private and loopback addresses. If
    the crawl is interrupted, repeat the command: it continues, and fetches no saved page again. If no page was saved, it starts over.

    The folder is a source for the other commands. It holds pages-00000.warc.gz, pages.jsonl (a line for each page), failures.jsonl and
    crawl.sqlite (the state of the crawl, for continuing).

    Examples:

    - `tamis crawl https://example.org -o example`
    - `tamis crawl https://example.org/docs/ -o docs --scope path --limit 0 --contact https://me.example/bot`
    - `tamis crawl https://example.org -o news --include '/news/*' --depth 3`
    - `tamis crawl https://example.org/news/tides.html -o tides --same-layer 3`
    - `tamis crawl https://example.org -o example-2 --previous example`
    - `tamis clean example -o texts.jsonl`

    Options:
        url: Address of the page to start at.
        output: Folder to write to; a crawl in it is continued.

    What is crawled:
        depth: Maximum number of links between the start page and a page.
        same_layer: Only the page and K of its same-layer pages: pages with similar addresses that are not parts of the same article.
        feeds: Read the feeds that pages declare.
        per_pattern: Maximum number of addresses that differ only in numbers, or in the query.

    Politeness:
        nofollow: Do not follow links that are marked nofollow.
        connections: Simultaneous requests to one host.
        contact: Page about the crawler for owners of sites; part of the user agent.
        user_agent: Another user agent. [default: tamis/VERSION]

    Fetching:
        retries: Retries after a temporary failure.

    How it runs:
        limit: Maximum number of pages that are saved; 0: all. [default: 1000]
        retry_failed: Also fetch again the pages that failed in earlier runs.
        previous: An earlier crawl: servers are asked whether its pages have changed; those that have not are saved from it.
    """
    given = locals()
    need_crawl_extra()
    given |= reach.settings()
    chosen = {field.name: given[field.name] for field in fields(CrawlSettings) if given.get(field.name) is not None}
    chosen |= options.bounds_of(CrawlSettings, bounds, "pages", *given)
    settings = CrawlSettings(**chosen, pages=(PAGES if limit is None else limit) or None)
    result = _crawled(url, output, settings, overwrite=overwrite, retry_failed=retry_failed, previous=previous)
    again = "" if "(--" in result.obstacle else "; the same command tries again"
    nothing = None if result.pages else f"no page was saved: {result.obstacle}{again}"
    tried = result.pages and result.pages + result.failed
    summary = result.to_dict() if as_json else None
    terminal.end(
        _crawl_rows(result), total=tried, failed=result.failed, noun="page", most=max_error_ratio, nothing=nothing, summary=summary
    )


def _crawled(url: str, output: Path, settings: CrawlSettings, **how: Any) -> CrawlResult:
    """Crawl while a progress bar moves; if interrupted, say how to continue."""
    here = 0
    if (output / CRAWL_PAGES).is_file() and not how["overwrite"]:
        with (output / CRAWL_PAGES).open("rb") as lines:
            terminal.say(f"{output}: this crawl is continued; pages that are saved already: {sum(1 for _ in lines):,}")
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
        with terminal.bars() as update:
            return crawl_into(url, output, settings, on_event=show, **how)
    except KeyboardInterrupt:
        terminal.stop(f"stopped after {terminal.counted(here, 'page')}; the same command continues ({output})", terminal.INTERRUPTED)


def _crawl_rows(result: CrawlResult) -> list[tuple[str, int | str, str]]:
    responses = ", ".join(f"{status}: {count:,}" for status, count in result.status.items())
    asked = result.ending == "interrupted"  # an interruption by the user is told by itself
    why = "of a host that asks for a pause: the same command continues later" if asked else "beyond the limits of this crawl"
    waiting = ("not fetched", result.waiting, f"known addresses {why}")
    return [
        ("pages", result.pages, f"{result.bytes:,} bytes in {result.folder}"),
        ("failed", result.failed, f"see {result.folder / CRAWL_FAILURES}" if result.failed else ""),
        *([("dead links", result.missing, f"see {result.folder / CRAWL_FAILURES}")] if result.missing else []),
        *(("", count, reason) for reason, count in list(result.failures.items())[:_SHOWN]),
        ("skipped", sum(result.skipped.values()), ""),
        *(("", count, reason) for reason, count in list(result.skipped.items())[:_SHOWN]),
        ("responses", sum(result.status.values()), responses),
        *([waiting] if result.waiting else []),
    ]
