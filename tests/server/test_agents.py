"""Tools for agents, through the package's own client."""

from __future__ import annotations

import json
import subprocess
import sys
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.server.conftest import TEXTS, page

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def server(tmp_path):
    from tamis.server import ServerSettings
    from tamis.server.agents import create_agent_server
    from tamis.server.workforce import Workforce

    settings = ServerSettings(state=tmp_path, workers=1)
    workforce = Workforce(settings)
    yield create_agent_server(settings, workforce)
    workforce.stop()


async def test_the_tools_do_what_they_say(server):
    from mcp import Client

    async with Client(server) as client:
        tools = (await client.list_tools()).tools
        assert not any("\n" in tool.description for tool in tools)
        names = {tool.name for tool in tools}
        assert names == {"extract_page", "clean_site", "find_records", "compare_pages"}
        extracted = await client.call_tool("extract_page", {"html": page(0)})
        assert TEXTS[0] in extracted.structured_content["markdown"]
        cut = await client.call_tool("extract_page", {"html": page(0), "chunks": 5})
        assert len(cut.structured_content["chunks"]) > 1
        cleaned = await client.call_tool("clean_site", {"pages": [page(number) for number in range(4)], "format": "text"})
        assert [TEXTS[number] in each["text"] for number, each in enumerate(cleaned.structured_content["pages"])] == [True] * 4
        assert "All articles" in cleaned.structured_content["template_text"]
        records = await client.call_tool("find_records", {"html": "<ul><li><b>A</b> <i>1</i><li><b>B</b> <i>2</i></ul>", "like": "li"})
        assert records.structured_content["regions"][0]["records"] == 2
        compared = await client.call_tool("compare_pages", {"html_a": page(0), "html_b": page(1)})
        assert compared.structured_content["similarity"] > 0.9
        refused = await client.call_tool("extract_page", {"url": "http://127.0.0.1:1/"})
        assert refused.is_error
        assert "not on the public internet" in refused.content[0].text
        nothing = await client.call_tool("compare_pages", {"html_a": page(0)})
        assert "give html_b or url_b" in nothing.content[0].text


async def test_rendered_pages_are_offered_where_the_browser_is_allowed(tmp_path, browser):
    from mcp import Client

    from tamis.server import ServerSettings
    from tamis.server.agents import create_agent_server
    from tamis.server.workforce import Workforce

    settings = ServerSettings(state=tmp_path, workers=1, browser=True)
    workforce = Workforce(settings)
    try:
        async with Client(create_agent_server(settings, workforce)) as client:
            assert "extract_rendered_page" in {tool.name for tool in (await client.list_tools()).tools}
            extracted = await client.call_tool("extract_rendered_page", {"html": page(0)})
            assert TEXTS[0] in extracted.structured_content["markdown"]
    finally:
        workforce.stop()


async def test_the_command_speaks_over_standard_input_and_output():
    from mcp import Client, StdioServerParameters

    async with Client(StdioServerParameters(command=sys.executable, args=["-m", "tamis", "mcp"])) as client:
        extracted = await client.call_tool("extract_page", {"html": page(2), "format": "text"})
        assert TEXTS[2] in extracted.structured_content["text"]


def test_options_of_http_need_it():
    done = subprocess.run([sys.executable, "-m", "tamis", "mcp", "--port", "0"], capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stderr) == (2, "tamis: --port is for --http\n")


def test_over_http_the_command_prints_its_address_and_no_log_of_the_library():
    command = [sys.executable, "-m", "tamis", "mcp", "--http", "--port", "0", "-j", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        assert said.startswith("tools for agents: http://127.0.0.1:")
        with pytest.raises(HTTPError):  # no message of the protocol; the service has begun
            urlopen(said.split()[3], timeout=300)
        process.terminate()
        assert process.stderr.read() == ""


def test_a_line_that_is_no_message_is_answered_with_an_error():
    hello = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    surrogate = {"name": "extract_page", "arguments": {"html": "<p>\ud800"}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}).encode(),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode(),
        *(b"no json", b"[]", b"\xff\xfe", json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": surrogate}).encode()),
        json.dumps({"jsonrpc": "2.0", "id": 3, "method": "tools/list"}).encode(),
    ]
    with subprocess.Popen([sys.executable, "-m", "tamis", "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        answers = []
        for line in lines:
            process.stdin.write(line + b"\n")
            process.stdin.flush()
            if b"notifications" not in line:
                answers.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        assert process.wait(300) == 0
    assert [answer["id"] for answer in answers] == [1, None, None, None, None, 3]
    assert {answer["error"]["code"] for answer in answers[1:5]} == {-32700}
