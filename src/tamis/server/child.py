"""A job in its own process: order on standard input, events on standard output. It ends when its standard input closes."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from tamis.errors import TamisError


def main() -> int:
    """Do the job that one line of standard input describes."""
    order = json.loads(sys.stdin.readline())
    signal.signal(signal.SIGTERM, _interrupt)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        result = crawl(order) if order["kind"] == "crawl" else corpus(order)
    except KeyboardInterrupt:
        return 130
    except TamisError as error:
        send(event="failed", detail=str(error))
        return 1
    send(event="done", result=result)
    return 0


def send(**event: Any) -> None:
    """Send an event to the service."""
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def crawl(order: dict[str, Any]) -> dict[str, Any]:
    """Crawl a site into the folder of the job, or continue the crawl."""
    from tamis.crawl import CrawlSettings
    from tamis.crawl import crawl as crawl_into

    settings = order["settings"]
    for name in ("include", "exclude"):
        settings[name] = tuple(settings.get(name, ()))
    pages = 0

    def on_event(event: dict[str, Any]) -> None:
        nonlocal pages
        if event["event"] == "page":
            pages += 1
            send(event="progress", stage="crawl", done=pages, total=settings.get("pages"))

    return crawl_into(order["url"], order["folder"], CrawlSettings(**settings), on_event=on_event).to_dict() | {"folder": None}


def corpus(order: dict[str, Any]) -> dict[str, Any]:
    """Do a corpus run in the folder of the job, or continue it, and write its report."""
    from tamis.corpus.config import make
    from tamis.corpus.pipeline import run
    from tamis.corpus.report import write_report

    config = make({**order["settings"], "sources": order["sources"], "output": order["folder"]})
    summary = run(config, lambda stage, done, total: send(event="progress", stage=stage, done=done, total=total))
    write_report(Path(order["folder"]))
    return {name: getattr(summary, name) for name in ("documents", "duplicates", "empty")}


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def _end_with_parent() -> None:
    while sys.stdin.readline():
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
