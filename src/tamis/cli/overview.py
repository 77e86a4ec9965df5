"""The commands, their summaries, and the help of the whole command line: plain data, so that it shows at once."""

from __future__ import annotations

SUMMARIES = {
    "One page": {
        "extract": "Print the main text of one page.",
        "records": "Turn the lists of a page (results, products, rows) into a table.",
        "segment": "Print the visual blocks of a page.",
        "render": "Render a page in a headless browser.",
        "denoise": "Print a page without the blocks that similar pages share.",
        "papers": "Show what the five papers' methods find on a page.",
    },
    "Many pages": {
        "clean": "Extract the main text of many pages, in parallel.",
        "crawl": "Crawl a site into a folder.",
        "map": "List the addresses of a site.",
        "corpus": "Turn a crawl into a clean corpus; plan, resume, retry, report.",
        "dedup": "Find near-duplicates among texts.",
        "similarity": "Compare the structure of pages.",
    },
    "A site's template": {"learn": "Learn what the pages of a site repeat.", "template": "Show, compare and edit a learned template."},
    "Inspect and serve": {
        "inspect": "Show in the browser what is kept and dropped, and why.",
        "serve": "Serve the HTTP API and the inspector.",
        "mcp": "Serve tools for agents (Model Context Protocol).",
    },
    "The installation": {"doctor": "Report versions, the compiled walk and the extras."},
}
"""One line for each command, by subject."""
_WITH_SUBCOMMANDS = ("template", "corpus", "dedup")
COMMANDS = {
    name: f"tamis.cli.{name}:{'app' if name in _WITH_SUBCOMMANDS else name}" for commands in SUMMARIES.values() for name in commands
}
"""Places of commands: module and function, or Typer app."""
COMMANDS["mcp"] = "tamis.cli.serve:mcp"
COMMANDS["map"] = "tamis.cli.map:map_site"


def overview() -> str:
    """Return the help of the whole command line."""
    lines = [
        "Usage: tamis COMMAND [OPTIONS] ...",
        "",
        "Extract the main text of web pages; learn site templates, turn lists into",
        "tables, find near-duplicates.",
        "",
    ]
    for heading, commands in SUMMARIES.items():
        lines += [f"{heading}:", *(f"  {name:<12}{summary}" for name, summary in commands.items()), ""]
    lines += [
        "Options: --help, --version; for every command -q (print only results and",
        "errors), -v (print more). 'tamis COMMAND --help' explains a command, with",
        "examples. 'tamis --install-completion' lets Tab complete commands and options.",
        "Exit codes: 0 done, 1 an error, 2 a mistake in the command, 3 nothing was",
        "selected, 4 too many pages failed, 130 interrupted.",
    ]
    return "\n".join(lines) + "\n"
