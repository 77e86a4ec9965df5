"""``tamis map``: the addresses of a site."""

from __future__ import annotations

from typing import Annotated

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
    reach: options.Reach,
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
        limit: Maximum number of addresses; 0: all. [default: all]
    """
    found = site_map(url, depth, CrawlSettings(**reach.settings()))[: limit or None]
    if as_json:
        terminal.deliver_json([each.to_dict() for each in found], target.output)
    elif target.output is not None and target.output.suffix == ".jsonl":
        terminal.deliver(b"".join(as_line(each.to_dict()) for each in found).decode(), target.output)
    else:
        terminal.deliver("".join(f"{each.url}\n" for each in found), target.output)
    terminal.say(terminal.counted(len(found), "address"))
