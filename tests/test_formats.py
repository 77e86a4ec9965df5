"""A format is one line in ``RENDERERS``: commands, service, tools and loaders read their choices from there."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = r'''
import asyncio, contextlib, importlib.abc, importlib.machinery, json, runpy, sys
from pathlib import Path

class WithOneMore(importlib.machinery.SourceFileLoader):
    """Loads the documents with one more line in RENDERERS, as a contributor writes it."""

    def get_code(self, name):
        text = Path(self.path).read_text(encoding="utf-8")
        assert text.count("\nRENDERERS = {") == 1
        more = '\nRENDERERS = {"shout": lambda document, _: document.text.upper(), '
        return compile(text.replace("\nRENDERERS = {", more), self.path, "exec")

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path) if name == "tamis.document.document" else None
        if spec is not None:
            spec.loader = WithOneMore(spec.loader.name, spec.loader.path)
        return spec

sys.meta_path.insert(0, Finder())
import tamis
from tamis.cli.lazy import app

PAGE = "<main><h1>Reeds</h1><p>They grow where the water is calm, far from the quay.</main>"
Path("pages").mkdir()
Path("pages/a.html").write_text(PAGE)

def run(*words):
    try:
        app(list(words), standalone_mode=False)
    except SystemExit as end:
        assert not end.code, words

assert "CALM" in tamis.extract(PAGE).render("shout")
assert "CALM" in next(iter(tamis.clean("pages", formats="shout"))).content["shout"]
run("extract", "pages/a.html", "-o", "a.shout")
run("clean", "pages", "-f", "shout", "-o", "out/", "--alone")
run("clean", "pages", "-f", "shout", "-o", "rows.jsonl", "--alone")
assert "CALM" in Path("a.shout").read_text() and "CALM" in next(Path("out").iterdir()).read_text()
assert "CALM" in json.loads(Path("rows.jsonl").read_text())["shout"]
for command in ("extract", "clean", "denoise"):
    run(command, "--help")

with contextlib.suppress(ImportError):  # an extra
    from starlette.testclient import TestClient
    from tamis.server import ServerSettings
    from tamis.server.agents import create_agent_server
    from tamis.server.app import create_app
    from tamis.server.workforce import Workforce
    from mcp import Client

    settings = ServerSettings(state=Path("state"), workers=1)
    with TestClient(create_app(settings), base_url="http://localhost") as service:
        assert "shout" in json.dumps(service.get("/openapi.json").json()["components"]["schemas"]["ExtractRequest"])
        assert service.get("/health").json()["formats"]["shout"] == ".shout"  # where the inspector reads them

    async def tools():
        async with Client(create_agent_server(settings, Workforce(settings))) as client:
            return (await client.list_tools()).tools

    assert sum("shout" in json.dumps(tool.input_schema) for tool in asyncio.run(tools())) == 2

with contextlib.suppress(tamis.TamisError):  # an extra
    from tamis.corpus.adapters.langchain import TamisLoader
    assert "CALM" in TamisLoader("pages", formats="shout").load()[0].page_content
'''


def test_a_new_format_is_found_everywhere(tmp_path):
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("shout") == 3  # the help of each command
