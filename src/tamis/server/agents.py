"""Tools for agents over the Model Context Protocol: the service's work, with the same limits and the same network guard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared._context_streams import create_context_streams
from mcp.shared.message import SessionMessage
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import Field, ValidationError

import tamis
from tamis.document.document import Format
from tamis.server import ServerSettings, work
from tamis.server.gate import Gate
from tamis.server.problems import Problem, message_of
from tamis.server.requests import AnyPage, ExtractRequest, PageRequest, RecordsRequest, SimilarityRequest
from tamis.server.workforce import Workforce

_MOST_PAGES = 50
Html = Annotated[str | None, Field(description="The page's HTML. Without it the page is fetched from url.")]
Url = Annotated[str | None, Field(description="Address of the page: fetched where html is missing, else the base of its links.")]


def create_agent_server(settings: ServerSettings, workforce: Workforce) -> MCPServer[Any]:
    """Return the server with its tools; work is done by the workforce."""
    limits = settings.limits()
    about = "Main text, records and comparison of web pages."
    server: MCPServer[Any] = MCPServer("tamis", version=tamis.__version__, instructions=about, log_level="WARNING")

    async def do(*order: Any, **how: Any) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = await workforce.do(*order, **how)
            return answer
        except Problem as problem:
            raise ToolError(problem.detail) from problem

    def page(kind: type[AnyPage], missing: str = "give html or url", **values: Any) -> AnyPage:
        if values.get("html") is None and values.get("url") is None:
            raise ToolError(missing)
        try:
            return kind(**values)
        except ValidationError as error:
            raise ToolError("; ".join(message_of(each) for each in error.errors())) from error

    def tool(function: Callable[..., Any]) -> Callable[..., Any]:
        """Offer a function as a tool; its docstring, on one line, is the description."""
        offered: Callable[..., Any] = server.tool(description=" ".join((function.__doc__ or "").split()))(function)
        return offered

    @tool
    async def extract_page(
        html: Html = None,
        url: Url = None,
        format: Format = "markdown",
        reasons: bool = False,
        comments: bool = False,
        chunks: Annotated[
            int, Field(ge=0, le=100_000, description="Also give the text in chunks of at most this many words; 0: none.")
        ] = 0,
    ) -> dict[str, Any]:
        """Main text of a web page without menus, ads and footers, with its metadata; on demand every line with the reason, the text in
        chunks for retrieval, and visitors' comments and the posts of a thread with author and date."""
        request = page(ExtractRequest, html=html, url=url, formats=[format], blocks=reasons, comments=comments, chunks=chunks)
        return await do(work.extract, request, None, limits)

    if settings.browser:

        @tool
        async def extract_rendered_page(html: Html = None, url: Url = None, format: Format = "markdown") -> dict[str, Any]:
            """Main text of a web page that scripts build: the page is rendered in a browser first. Slower than extract_page."""
            request = page(ExtractRequest, html=html, url=url, formats=[format], browser=True)
            return await do(work.extract, request, None, limits, browser=True)

    @tool
    async def clean_site(
        urls: Annotated[list[str], Field(description="Pages of one site to fetch.", max_length=_MOST_PAGES)] = [],  # noqa: B006  # never changed
        pages: Annotated[list[str], Field(description="HTML of pages of one site.", max_length=_MOST_PAGES)] = [],  # noqa: B006
        format: Format = "markdown",
    ) -> dict[str, Any]:
        """Learn the template that pages of one site share, and give the main text of each page without it. Best with 5 pages or more."""
        if not urls and not pages:
            raise ToolError("give urls or pages")
        requests = [*(page(PageRequest, url=url) for url in urls), *(page(PageRequest, html=html) for html in pages)]
        return await do(work.clean_together, requests, format, limits, seconds=settings.site_seconds)

    @tool
    async def find_records(
        html: Html = None,
        url: Url = None,
        like: Annotated[str | None, Field(description="A sample record: a CSS selector, an XPath, or HTML.")] = None,
    ) -> dict[str, Any]:
        """Return lists of a page (products, results, posts) as tables with columns and rows, the main list first."""
        return await do(work.records, page(RecordsRequest, html=html, url=url, like=like), limits)

    @tool
    async def compare_pages(
        html_a: Html = None, url_a: Url = None, html_b: Html = None, url_b: Url = None, method: Literal["free", "ordered"] = "free"
    ) -> dict[str, Any]:
        """Return how similar the structure of two pages is, from 0 to 1."""
        a, b = (
            page(PageRequest, f"give html_{name} or url_{name}", html=html, url=url)
            for name, html, url in (("a", html_a, url_a), ("b", html_b, url_b))
        )
        return await do(work.compare, SimilarityRequest(a=a, b=b, method=method), limits)

    return server


async def serve_lines(server: MCPServer[Any]) -> None:
    """Serve the tools over standard input and output. Lines that are not messages of the protocol are answered with an error, too."""
    inner = server._lowlevel_server
    async with stdio_server() as (lines, answers), anyio.create_task_group() as tasks:
        passing, messages = create_context_streams[SessionMessage | Exception](0)

        async def answer_errors() -> None:
            async with passing:
                async for line in lines:
                    if isinstance(line, Exception):
                        error = ErrorData(code=PARSE_ERROR, message="the line is not a JSON-RPC message in UTF-8")
                        await answers.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=error)))
                    else:
                        await passing.send(line)

        tasks.start_soon(answer_errors)
        await inner.run(messages, answers, inner.create_initialization_options())


def agent_app(settings: ServerSettings, workforce: Workforce) -> Gate:
    """Return the tools over streamable HTTP, behind the gate of the service."""
    checked_by_the_gate = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = create_agent_server(settings, workforce).streamable_http_app(
        stateless_http=True,  # the tools keep no state, and sessions would stay for ever
        transport_security=checked_by_the_gate,
        max_request_body_size=settings.max_bytes,
        host=settings.host,
    )
    return Gate(app, settings)
