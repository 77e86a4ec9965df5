"""Browser: one headless Chromium that renders many pages, each in a context of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tamis.errors import FetchError, RenderError, UsageError
from tamis.io.browser import visit
from tamis.io.browser.engine import Engine
from tamis.io.browser.gate import Allowance, ProxyGate
from tamis.io.browser.saved import saved_page
from tamis.io.browser.settings import BrowserSettings
from tamis.io.browser.visit import RenderedPage
from tamis.io.locations import locate


class Browser:
    """One headless Chromium, started with the first page, ended with the ``with`` block.

    A page that hangs or crashes raises after its time limit at the latest; the next page gets a working browser. Several threads may use
    one Browser: their pages are rendered one after the other.

    >>> with Browser() as browser:  # doctest: +SKIP
    ...     page = browser.render(html="<h1>Heron</h1><p>It waits.")
    ...     page.appearance.box[page.tree.text_nodes]
    """

    def __init__(self, settings: BrowserSettings = BrowserSettings()) -> None:
        self.settings = settings
        self._engine: Engine | None = None
        self._gate: ProxyGate | None = None
        self._is_closed = False

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the browser. Nothing that it started is left."""
        self._is_closed = True
        engine, self._engine = self._engine, None
        gate, self._gate = self._gate, None
        if engine is not None:
            engine.close()
        if gate is not None:
            gate.close()

    def render(
        self,
        *,
        url: str | None = None,
        html: str | bytes | None = None,
        file: Path | None = None,
        folder: Path | None = None,
        base_url: str | None = None,
        screenshot: bool = False,
        markup: bool = False,
    ) -> RenderedPage:
        """Render one page: of the web (``url``), or saved (``html``, ``file``, or the ``index.html`` of ``folder``).

        Args:
            url: an http(s) address.
            html: the page itself; bytes are decoded as :func:`tamis.parse` does.
            file: its file (gzip is unpacked).
            folder: holds its style sheets and images (default for a file: the file's folder). Nothing outside is served.
            base_url: address of a saved page.
            screenshot: whether to take a picture.
            markup: whether to keep the HTML as it is after scripts.

        Raises:
            FetchError: the page could not be fetched, is not a page, or is in a private network.
            SourceError: the file cannot be read.
            RenderError: the page hung or crashed; or there is no browser that starts.
            MissingExtraError: Playwright is not installed.
            UsageError: no page, or more than one, was given.
        """
        if url is not None and any(given is not None for given in (html, file, folder, base_url)):
            raise UsageError("a page of the web has a url, and no html, file, folder or base_url")
        wanted = visit.Wanted(url=url, screenshot=screenshot, markup=markup, settings=self.settings)
        if url is not None:
            locate(url)
            if self.settings.offline:
                raise FetchError(f"{url} is not fetched: the browser is offline")
            if self.settings.javascript is False:
                wanted = replace(wanted, saved=visit.fetched(url, self.settings))
        else:
            scripts = bool(self.settings.javascript)
            wanted = replace(wanted, saved=saved_page(html=html, file=file, folder=folder, base_url=base_url, scripts=scripts))
        return self._visit(wanted)

    def _visit(self, wanted: visit.Wanted) -> RenderedPage:
        try:
            return self._attempt(wanted)
        except visit.BrowserGoneError:  # it ended since the last page: replaced once
            self._end_engine()
            return self._attempt(wanted)

    def _end_engine(self) -> None:
        if self._engine is not None:
            self._engine.kill()
            self._engine = None

    def _attempt(self, wanted: visit.Wanted) -> RenderedPage:
        if self._is_closed:
            raise UsageError("this Browser was closed: make another one")
        if self._gate is None:
            self._gate = ProxyGate()
        if self._engine is not None and not self._engine.is_alive:
            self._end_engine()
        if self._engine is None:
            self._engine = Engine(self.settings, self._gate.port)
        engine, allowance = self._engine, Allowance(self.settings.allow_private, self.settings.max_bytes)
        if wanted.is_online:
            self._gate.open(allowance)
        try:
            return engine.do(lambda chromium: visit.pay(chromium, wanted, allowance), self.settings.seconds)
        except TimeoutError as error:
            raise RenderError(f"{wanted.name} did not answer within {self.settings.seconds:g} seconds") from error
        finally:
            self._gate.shut()
            engine.forget()
