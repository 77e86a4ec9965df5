"""The service, in this process and in one of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import contextmanager
from importlib.util import find_spec

import pytest

if find_spec("fastapi") is None:
    collect_ignore_glob = ["test_*.py"]

MENU = "<nav class=menu><a href=/>Home</a> <a href=/all>All articles</a> <a href=/about>About this site</a></nav>"
TEXTS = (
    "Reeds grow where the water is calm, and bend in every wind that comes.",
    "The heron waits for hours in the shallow water before it strikes.",
    "Oysters were landed in great numbers after the long and cold autumn.",
    "A ferry runs to the islands twice a day, in winter only at noon.",
)


def page(number: int) -> str:
    return (
        f"<html><head><title>Article {number}</title></head><body>{MENU}<article><h1>Article {number}</h1>"
        f"<p>{TEXTS[number]} {TEXTS[number].upper()}</p><p class=note>Note {number}: {TEXTS[number][::-1]}</p></article>"
        "<footer id=foot>All rights reserved by the keepers of the reeds</footer></body></html>"
    )


@pytest.fixture(scope="session")
def service(tmp_path_factory):
    """A client of the service within this process."""
    from starlette.testclient import TestClient

    from tamis.server import ServerSettings
    from tamis.server.app import create_app

    settings = ServerSettings(state=tmp_path_factory.mktemp("state"), workers=1, page_seconds=60, max_bytes=1_000_000)
    with TestClient(create_app(settings), base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def birds(service):
    """A site of four pages with a learned template."""
    pages = [{"name": f"{number}.html", "html": page(number)} for number in range(4)]
    service.put("/v1/sites/birds/pages", json={"pages": pages}).raise_for_status()
    service.post("/v1/sites/birds/learn").raise_for_status()
    yield service
    service.delete("/v1/sites/birds")


@contextmanager
def inspecting(folder, *words):
    """The inspector, in a process of its own; its address."""
    command = [sys.executable, "-m", "tamis", "inspect", *words, "--no-open", "--workers", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder)
    yield re.search(r"http://\S+", process.stderr.readline())[0]
    process.terminate()
    process.communicate(timeout=300)


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """The inspector, without a page."""
    with inspecting(tmp_path_factory.mktemp("inspector")) as address:
        yield address
