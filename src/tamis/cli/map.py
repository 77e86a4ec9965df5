"""``tamis map``: the addresses of a site."""

from __future__ import annotations

from typing import Annotated, Literal

from typer import Argument, Option

from tamis.cli import options, terminal
from tamis.crawl import CrawlSettings, site_map
from tamis.io.writing import as_line


def map_site(
    url: Annotated[str, Argument(metavar="URL")],
    *,
    target: options.Target,
    depth: Annotated[int, Option(metavar="N", min=0)] = 0,
    limit: options.Limit = None,
    scope: Literal["path", "host", "domain"] = "host",
    include: options.Patterns = None,
    exclude: options.Patterns = None,
    sitemaps: bool = True,
    robots: Annotated[bool, Option("--robots/--ignore-robots")] = True,
    delay: Annotated[float | None, Option(metavar="SECONDS", min=0)] = None,
    allow_private: options.AllowPrivate = False,
    as_json: options.Json = False,
) -> None:
    """List the addresses of a site, from its sitemaps and feeds and the links of its start page.

    The list is a source for the other commands. Only the start page is fetched, unless --depth is given.

    Examples:

    - `tamis map https://example.org`
    - `tamis map https://example.org --include '/news/*' -o news.txt`
    - `tamis clean news.txt -o news.jsonl`

    Options:
        url: Address of the page to start at.
        depth: Also fetch pages up to N links from the start page, for their links.
        scope: Below the folder of the start page, on its host, or on its host and the hosts below it.
        include: List only paths that match PATTERN, for example '/news/*'. May be repeated.
        exclude: Skip paths that match PATTERN, for example '/tag/*'. May be repeated.
        sitemaps: Read the site's sitemaps.
        robots: Obey robots.txt.
        delay: Time between the starts of two requests. [default: the response time of the host, at least 0.25]
        limit: Maximum number of addresses; 0: all. [default: all]
    """
    settings = CrawlSettings(
        scope=scope,
        include=tuple(include or ()),
        exclude=tuple(exclude or ()),
        sitemaps=sitemaps,
        robots=robots,
        delay=delay,
        allow_private=allow_private,
    )
    found = site_map(url, depth, settings)[: limit or None]
    if as_json:
        terminal.deliver_json([each.to_dict() for each in found], target.output)
    elif target.output is not None and target.output.suffix == ".jsonl":
        terminal.deliver(b"".join(as_line(each.to_dict()) for each in found).decode(), target.output)
    else:
        terminal.deliver("".join(f"{each.url}\n" for each in found), target.output)
    terminal.say(terminal.counted(len(found), "address"))
