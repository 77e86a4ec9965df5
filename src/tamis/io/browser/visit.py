"""One visit to one page: a fresh context, its address, a snapshot."""

from __future__ import annotations

import contextlib
import mimetypes
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tamis.errors import FetchError, RenderError
from tamis.io import fetch
from tamis.io.browser import saved
from tamis.io.browser.gate import Allowance
from tamis.io.browser.saved import SavedPage
from tamis.io.browser.settings import BrowserSettings
from tamis.io.browser.snapshot import COMMAND, PARAMETERS, convert
from tamis.io.locations import PrivateAddressError
from tamis.page.appearance import Appearance
from tamis.page.tree import PageTree

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import BrowserContext, Page, Response, Route

SHARE_OF_LOADING = 0.7  #: share of the time limit for loading; after it, the page is used as it is
SECONDS_BETWEEN_LOOKS = 0.5
ENDLESS = frozenset({"eventsource", "websocket", "ping", "media"})  #: types of requests that nothing waits for
NEXT_FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
_TYPES = {"stylesheet": "text/css", "script": "text/javascript"}
TALLEST_PICTURE = 16_384  #: pixels; the screenshot ends there (Chromium draws no more)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A page to visit, and which results are wanted."""

    url: str | None
    screenshot: bool
    markup: bool
    settings: BrowserSettings
    saved: SavedPage | None = None  #: what is served in place of the network, if anything is

    @property
    def address(self) -> str:
        """Address that the browser visits."""
        return self.saved.address if self.saved is not None else self.url or ""

    @property
    def name(self) -> str:
        """Name of the page in messages."""
        return self.url or (self.address if saved.NOWHERE not in self.address else "the page")

    @property
    def is_online(self) -> bool:
        """Requests to the network are allowed."""
        return not self.settings.offline if self.settings.offline is not None else self.url is not None

    @property
    def has_scripts(self) -> bool:
        """Scripts run."""
        return self.settings.javascript if self.settings.javascript is not None else self.url is not None


@dataclass(frozen=True, slots=True)
class Seconds:
    """Time that a page took, by the clock."""

    navigation: float  #: loading, layout, scripts, settling
    snapshot: float  #: getting all nodes and styles from the browser
    conversion: float  #: turning them into arrays
    screenshot: float = 0.0


@dataclass(frozen=True, eq=False)
class RenderedPage:
    """A page as the browser shows it."""

    tree: PageTree = field(repr=False)
    appearance: Appearance = field(repr=False)  #: boxes, fonts and colours of the tree's nodes
    url: str | None  #: where it came from, after redirects; None for a saved page whose address is not known
    title: str
    screenshot: bytes | None = field(repr=False)  #: the whole page as PNG, one pixel for each CSS pixel; None if it was not asked for
    markup: str | None = field(repr=False)  #: the page's HTML at the moment of the snapshot; None if it was not asked for
    notes: tuple[str, ...]  #: what was cut, refused or not waited for, in words
    seconds: Seconds


@dataclass(slots=True)
class _Course:
    """State of a visit."""

    is_served: bool = False
    left_for: str = ""
    refused: int = 0
    crashed: bool = False
    notes: list[str] = field(default_factory=list)


class BrowserGoneError(RenderError):
    """Chromium had ended before the visit."""


def fetched(url: str, settings: BrowserSettings) -> SavedPage:
    """Return a page of the web to show without scripts: fetched here and served with a header that forbids them. Raises FetchError."""
    limits = fetch.Limits(total=settings.seconds * SHARE_OF_LOADING, max_bytes=settings.max_bytes, allow_private=settings.allow_private)
    try:
        response = fetch.fetch(url, limits)
    except PrivateAddressError as error:
        raise FetchError(_in_private(url)) from error
    return saved.saved_page(html=response.body, base_url=response.url, content_type=response.content_type)


def _in_private(url: str) -> str:
    return f"{url} is in a private network: not rendered, unless allow_private (--allow-private) is set"


def pay(chromium: Chromium, wanted: Wanted, allowance: Allowance) -> RenderedPage:
    """Visit a page. Its context stays open.

    Raises:
        FetchError: it could not be fetched, or is not a page.
        RenderError: it crashed.
        BrowserGoneError: the browser had ended before.
    """
    from playwright.sync_api import Error

    course = _Course()
    start = time.perf_counter()
    try:
        page = _context(chromium, wanted).new_page()
    except Error as error:
        raise BrowserGoneError("Chromium ended by itself") from error
    try:
        page.on("crash", partial(_give_up, course))
        if wanted.saved is not None:
            page.context.route("**/*", partial(_answer_request, wanted, course, page))
        _go(page, wanted, allowance, course)
        arrived = time.perf_counter()
        answer = page.context.new_cdp_session(page).send(COMMAND, dict(PARAMETERS))
        seen = time.perf_counter()
        picture = _picture(page, answer) if wanted.screenshot else None
        taken = time.perf_counter()
        markup = page.content() if wanted.markup else None
        address, ended = page.url, time.perf_counter()
    except Error as error:
        raise _what_went_wrong(error, wanted, course) from error
    page_notes = wanted.saved.notes if wanted.saved is not None else ()
    tree, appearance, title = convert(answer, notes=page_notes)
    return RenderedPage(
        tree=tree,
        appearance=appearance,
        url=None if saved.NOWHERE in wanted.address else address,
        title=title,
        screenshot=picture,
        markup=markup,
        notes=(*page_notes, *_notes(course, allowance)),
        seconds=Seconds(arrived - start, seen - arrived, time.perf_counter() - ended, taken - seen),
    )


def _give_up(course: _Course, page: Page) -> None:
    """End a crashed page, so that what waits for its answers raises; some commands would wait forever."""
    course.crashed = True
    page.context.close()


def _context(chromium: Chromium, wanted: Wanted) -> BrowserContext:
    width, height = wanted.settings.viewport
    shows_noscript = wanted.saved is not None and wanted.saved.shows_noscript and not wanted.has_scripts
    return chromium.new_context(
        viewport={"width": width, "height": height},
        user_agent=wanted.settings.user_agent,
        java_script_enabled=not shows_noscript,  # else they are forbidden in the page's own words (saved.NO_SCRIPTS)
        accept_downloads=False,
        service_workers="block",
        device_scale_factor=1,
    )


def _answer_request(wanted: Wanted, course: _Course, page: Page, route: Route) -> None:
    """Answer a request: the page itself, a file of its folder, the network, or nothing."""
    request, own = route.request, wanted.saved
    assert own is not None
    kind = request.resource_type
    is_page = kind == "document" and request.is_navigation_request() and request.frame.parent_frame is None
    headers = {"Access-Control-Allow-Origin": "*"} | ({} if wanted.has_scripts else saved.NO_SCRIPTS)
    if is_page and (course.is_served or request.frame != page.main_frame):
        course.left_for = course.left_for or request.url
        route.fulfill(status=204)  # "no content": the page stays
    elif is_page:
        course.is_served = True
        route.fulfill(body=own.body, headers=headers | {"Content-Type": "text/html; charset=utf-8"})
    elif (file := own.file(request.url)) is not None and file.stat().st_size <= wanted.settings.max_bytes:
        named = _TYPES.get(kind) or mimetypes.guess_type(file.name, strict=False)[0]
        route.fulfill(path=file, headers=headers | ({"Content-Type": named} if named else {}))
    elif wanted.is_online and (wanted.has_scripts or kind != "document"):
        route.continue_()
    else:
        course.refused += 1
        route.abort("blockedbyclient")


def _go(page: Page, wanted: Wanted, allowance: Allowance, course: _Course) -> None:
    """Open the page, and wait until it is complete, or until its time for loading is over."""
    from playwright.sync_api import Error, TimeoutError

    limit = wanted.settings.seconds * SHARE_OF_LOADING
    end = time.monotonic() + limit
    try:
        response = page.goto(wanted.address, timeout=limit * 1000, wait_until="commit")
    except TimeoutError as error:
        raise FetchError(f"{wanted.name} took longer than {limit:g} seconds to answer") from error
    except Error as error:
        raise _unreached(error, wanted, allowance, course) from error
    if wanted.saved is None:
        _check(response, wanted, allowance)
    if not _is_loaded(page, end, course):
        course.notes.append(f"still loading after {limit:g} seconds: taken as it was")
        with contextlib.suppress(Error):  # a page that goes on to another at this moment
            page.context.new_cdp_session(page).send("Page.stopLoading")
    elif wanted.has_scripts and wanted.settings.settle:
        try:
            _settle(page, wanted.settings.settle, end)
        except Error:  # a page that goes on to another at this moment is taken as it is
            if course.crashed:
                raise


def _settle(page: Page, settle: float, end: float) -> None:
    """Wait with all of the page in view: ``settle`` seconds until the network is quiet, then for all that is requested here, until ``end``.

    A frame without new requests ends the wait: scripts that watch what is in view run once in each frame, so on a slow machine, too.
    """
    from playwright.sync_api import Request, TimeoutError

    waited_for: set[Request] = set()

    def begin(request: Request) -> None:
        if request.resource_type not in ENDLESS:
            waited_for.add(request)

    def finish(request: Request) -> None:
        waited_for.discard(request)

    page.on("request", begin)
    page.on("requestfinished", finish)
    page.on("requestfailed", finish)
    with _all_in_view(page):
        with contextlib.suppress(TimeoutError):
            page.wait_for_load_state("networkidle", timeout=settle * 1000)
        page.evaluate(NEXT_FRAMES)
        while waited_for and time.monotonic() < end:
            page.wait_for_timeout(SECONDS_BETWEEN_LOOKS * 100)
            page.evaluate(NEXT_FRAMES)


@contextlib.contextmanager
def _all_in_view(page: Page) -> Iterator[None]:
    """A window as high as the page, so that it loads what it keeps back until a reader scrolls there."""
    from playwright.sync_api import Error

    window, height = page.viewport_size, 0
    with contextlib.suppress(Error):  # a page that goes on to another at this moment
        height = int(page.context.new_cdp_session(page).send("Page.getLayoutMetrics")["cssContentSize"]["height"])
    if window is None or height <= window["height"]:
        yield
        return
    page.set_viewport_size({"width": window["width"], "height": min(height, TALLEST_PICTURE)})
    try:
        yield
    finally:
        page.set_viewport_size(window)


def _is_loaded(page: Page, end: float, course: _Course) -> bool:
    """Wait until the page has loaded, or until the time is over; whether it has loaded."""
    from playwright.sync_api import TimeoutError

    while (left := end - time.monotonic()) > 0:
        with contextlib.suppress(TimeoutError):
            page.wait_for_load_state("load", timeout=min(left, SECONDS_BETWEEN_LOOKS) * 1000)
            return True
        # a page that was kept from leaving is complete, but Chromium doesn't say so
        if course.left_for and page.evaluate("document.readyState") == "complete":
            return True
    return False


def _check(response: Response | None, wanted: Wanted, allowance: Allowance) -> None:
    """Raise for a refused connection, an error status, or another type of content."""
    if response is None:
        return
    host = urlsplit(response.url).hostname or ""
    if reason := allowance.refused.get(host):
        raise _refused(wanted, response.url, reason)
    if not response.ok:
        raise FetchError(f"{response.url}: the server answered {response.status} {response.status_text}".rstrip())
    named = response.headers.get("content-type", "").split(";")[0].strip().lower()
    if named and named not in fetch.PAGE_TYPES:
        raise FetchError(f"{response.url} is {named}, not a web page")


def _refused(wanted: Wanted, url: str, reason: str) -> FetchError:
    if "private" in reason:
        return FetchError(_in_private(url))
    return FetchError(f"{url}: {reason}" if reason != "too large" else f"{url} is larger than {wanted.settings.max_bytes:,} bytes")


def _unreached(error: Exception, wanted: Wanted, allowance: Allowance, course: _Course) -> Exception:
    if course.crashed or "crashed" in str(error):
        return RenderError(f"{wanted.name} crashed the browser's tab")
    said = str(error).splitlines()[0]
    asked = urlsplit(wanted.address).hostname or ""
    for host, reason in allowance.refused.items():
        if host == asked or "ERR_TUNNEL" in said:  # then it is the one that it was redirected to
            return _refused(wanted, wanted.address, reason)
    if "Download" in said:
        return FetchError(f"{wanted.name} is a download, not a web page")
    code = next((word.rstrip(",;") for word in said.split() if word.startswith("net::")), said)
    return FetchError(f"{wanted.name}: the browser could not load it ({code.removeprefix('net::')})")


def _what_went_wrong(error: Exception, wanted: Wanted, course: _Course) -> RenderError:
    if course.crashed or "crashed" in str(error).lower():
        return RenderError(f"{wanted.name} crashed the browser's tab")
    return RenderError(f"{wanted.name}: the browser gave up ({str(error).splitlines()[0]})")


def _picture(page: Page, answer: dict[str, Any]) -> bytes:
    document = answer["documents"][0]
    window = page.viewport_size or {"width": 0, "height": 0}
    clip = {"x": 0, "y": 0, **{name: max(window[name], document[f"content{name.capitalize()}"]) for name in ("width", "height")}}
    clip = {name: min(value, TALLEST_PICTURE) for name, value in clip.items()}
    return page.screenshot(full_page=True, clip=clip, animations="disabled", caret="hide")  # type: ignore[arg-type]  # a TypedDict of floats


def _notes(course: _Course, allowance: Allowance) -> list[str]:
    notes = list(course.notes)
    if course.left_for:
        notes.append(f"the page wanted to go to {course.left_for}, and was kept")
    if course.refused:
        notes.append(f"not served: {course.refused} requests for what is not in the page's folder")
    if allowance.is_used_up:
        notes.append(f"more than {allowance.max_bytes:,} bytes were asked for: the rest was not loaded")
    notes += [f"{host} was refused: {reason}" for host, reason in allowance.refused.items() if "private" in reason]
    return notes
