"""The service: routes over the library's functions. Work happens in worker processes."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import asdict
from functools import partial, wraps
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from fastapi import Body, Depends, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, Response, StreamingResponse
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

import tamis
from tamis.corpus.config import make
from tamis.document.document import ENDINGS
from tamis.errors import TamisError
from tamis.io.writing import as_line
from tamis.server import ServerSettings, requests, work
from tamis.server.bodies import AS_SENT, PATHS, PageRoute
from tamis.server.gate import DOCS_POLICY, Gate, metric
from tamis.server.jobs import Jobs
from tamis.server.problems import PlainJSON, Problem, problem_of
from tamis.server.sites import StoredSite, site_names
from tamis.server.workforce import Workforce

STATIC = Path(__file__).parent / "static"
_REPORT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
_PROBLEM = {"description": "A problem (RFC 9457)", "content": {"application/problem+json": {}}}
PROBLEMS: dict[int | str, dict[str, Any]] = dict.fromkeys(
    (400, 401, 403, 404, 405, 408, 409, 413, 415, 421, 422, 424, 501, 503, 504, 507), _PROBLEM
)
_ROUTES = """
POST   /v1/extract               200 extract     Main text of a page
POST   /v1/batch                 200 batch       Main text of many pages, as JSON lines in their order
POST   /v1/segment               200 segment     Blocks that a reader sees (VIPS)
POST   /v1/records               200 records     Lists of a page as tables
POST   /v1/papers                200 papers      What the five papers' methods find on a page, with figures
POST   /v1/similarity            200 similarity  How similar two pages are
POST   /v1/duplicates            200 duplicates  Clusters of near-duplicate texts
GET    /v1/sites                 200 sites       All sites
GET    /v1/sites/{name}          200 about       A site: its pages, whether a template was learned, its rules
PUT    /v1/sites/{name}/pages    200 put_pages   Add or replace pages
DELETE /v1/sites/{name}          204 delete      Delete a site
POST   /v1/sites/{name}/learn    200 learn       Learn the template from the pages
GET    /v1/sites/{name}/survey   200 survey      Title, share kept and doubt of each page
GET    /v1/sites/{name}/template 200 template    Layouts, template parts, most repeated blocks
PATCH  /v1/sites/{name}/rules    200 rules       Change the manual rules, or preview the effect
POST   /v1/sites/{name}/clean    200 clean       Clean the pages of a site
GET    /v1/jobs                  200 every_job   All jobs
POST   /v1/jobs                  202 start       Start a crawl or a corpus run
GET    /v1/jobs/{id}             200 one_job     State and progress of a job
DELETE /v1/jobs/{id}             204 remove      Delete a job and what it wrote; if it runs, it is ended first
POST   /v1/jobs/{id}/cancel      202 cancel      End a job
POST   /v1/jobs/{id}/resume      202 resume      Continue a job that ended early
GET    /v1/jobs/{id}/report      200 report      The report of a corpus run, as HTML
GET    /health                   200 health      Whether the service works
GET    /metrics                  200 metrics     Figures in the Prometheus text format
GET    /docs                     200 docs        This description, as a page
GET    /                         200 inspector   The inspector
"""
"""Method, path, status, the method of :class:`Service` that answers, summary."""


def create_app(settings: ServerSettings) -> Gate:
    """Return the service as an ASGI application."""
    return Service(settings).gate


class Service:
    """The state of the running service, and what its routes answer."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        settings.state.mkdir(parents=True, exist_ok=True)
        self.workforce = Workforce(settings)
        self.do = self.workforce.do
        self.limits = settings.limits()
        self.locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)  #: one change of a site at a time
        self.app = FastAPI(
            title="tamis",
            version=tamis.__version__,
            description="Main text, site templates, records and duplicates of web pages.",
            lifespan=self._life,
            dependencies=[Depends(HTTPBearer(auto_error=False))] if settings.token else None,  # for /docs; the gate checks the token
            docs_url=None,
            redoc_url=None,
            responses=PROBLEMS,
            default_response_class=PlainJSON,
        )
        for kind in (Problem, TamisError, OSError, RequestValidationError, HTTPException, Exception):
            self.app.add_exception_handler(kind, _answer_error)
        for line in _ROUTES.strip().splitlines():
            method, path, status, name, summary = line.split(maxsplit=4)
            self.app.router.add_api_route(
                path,
                _answering(getattr(self, f"_{name}"), int(status)),
                methods=[method],
                summary=summary,
                operation_id=name,
                status_code=int(status),
                tags=[path.split("/")[2] if path.startswith("/v1/") else "service"],
                response_model=None,
                include_in_schema=path not in ("/", "/docs"),
                openapi_extra=AS_SENT if path in PATHS else None,
                route_class_override=PageRoute if path in PATHS else APIRoute,
            )
        self.app.mount("/docs/files", StaticFiles(packages=[("fastapi_offline", "static")]), "docs-files")
        self.app.mount("/static", StaticFiles(directory=STATIC), "static")
        self.gate = Gate(self.app, settings)

    @asynccontextmanager
    async def _life(self, _: FastAPI) -> AsyncIterator[None]:
        self.jobs = Jobs(self.settings.state, self.settings.jobs)
        yield
        await self.jobs.close()
        await asyncio.to_thread(self.workforce.stop)

    def site(self, name: str, *, existing: bool = True) -> StoredSite:
        """Return a site of the state folder. Raises :class:`Problem` if it has no pages."""
        found = StoredSite(self.settings.state, name)
        if existing and not found.exists:
            raise Problem("not-found", 404, f"there is no site {name!r}: PUT /v1/sites/{name}/pages makes it")
        return found

    def located(self, request: requests.AnyPage) -> requests.AnyPage:
        """Return the request, with the HTML and the address of the page of a site that it names."""
        if request.site is None or request.page is None:
            return request
        page = self.site(request.site).page(request.page)
        return request.model_copy(update={"html": page.html, "url": page.url})

    async def on_site(self, function: Callable[..., Any], *values: Any) -> Any:
        """Work on a whole site, which may take as long as learning a template."""
        return await self.do(function, *values, seconds=self.settings.site_seconds)

    # -- single pages ------------------------------------------------------------------------------------------------

    async def _extract(self, body: requests.ExtractRequest) -> Any:
        return await self._extracted(body)

    async def _extracted(self, page: requests.ExtractRequest, *, patient: bool = False) -> Any:
        site = self.site(page.site) if page.site is not None else None
        return await self.do(work.extract, self.located(page), site, self.limits, patient=patient, browser=page.browser)

    async def _batch(self, body: requests.BatchRequest) -> Any:
        orders = (({"number": number}, partial(self._extracted, page, patient=True)) for number, page in enumerate(body.each()))
        lines = (as_line(answer) async for answer in self._in_order(orders))
        return StreamingResponse(lines, media_type="application/x-ndjson")

    async def _segment(self, body: requests.SegmentRequest) -> Any:
        return await self.do(work.segment, self.located(body), self.limits)

    async def _records(self, body: requests.RecordsRequest) -> Any:
        return await self.do(work.records, self.located(body), self.limits)

    async def _papers(self, body: requests.PapersRequest) -> Any:
        site = self.site(body.site) if body.site is not None else None
        return await self.on_site(work.papers, self.located(body), site, self.limits)

    async def _similarity(self, body: requests.SimilarityRequest) -> Any:
        pages = {"a": self.located(body.a), "b": self.located(body.b)}
        return await self.do(work.compare, body.model_copy(update=pages), self.limits)

    async def _duplicates(self, body: requests.DuplicatesRequest) -> Any:
        if body.site is not None:
            return await self.on_site(work.site_duplicates, self.site(body.site))
        return await self.on_site(work.duplicates, [(each.id, each.text, each.url, each.time) for each in body.documents or ()])

    # -- sites -------------------------------------------------------------------------------------------------------

    async def _sites(self) -> Any:
        return {"sites": site_names(self.settings.state)}

    async def _about(self, name: requests.SiteName) -> Any:
        found = self.site(name)
        pages = await asyncio.to_thread(
            lambda: [{"id": page.id, "name": page.name, "url": page.url, "characters": len(page.html)} for page in found.pages()]
        )
        damaged = sorted(set(found.page_ids()) - {page["id"] for page in pages})
        rules = tamis.Rules()
        try:
            rules = found.model().rules if found.model_name else rules
        except TamisError as error:
            damaged.append(str(error))
        return {"name": name, "learned": found.model_name is not None, "rules": asdict(rules), "pages": pages, "damaged": damaged}

    async def _put_pages(self, name: requests.SiteName, body: requests.PagesRequest) -> Any:
        site = self.site(name, existing=False)
        added = []
        async with self.locks[name]:
            if len(site.page_ids()) + len(body.pages) > self.settings.site_pages:
                raise Problem("too-large", 413, f"a site has at most {self.settings.site_pages:,} pages")
            for each in body.pages:
                html, url = each.html, each.url
                if html is None:
                    html, url = await self.do(work.read, requests.PageRequest(url=url), self.limits, patient=True)
                added.append(site.put(each.name or each.url or "", html, url))
            if body.css is not None:
                site.put_css(body.css)
        return {"name": name, "pages": len(site.page_ids()), "added": added}

    async def _delete(self, name: requests.SiteName) -> Any:
        site = self.site(name)
        async with self.locks[name]:
            await asyncio.to_thread(site.remove)
        return Response(status_code=204)

    async def _learn(self, name: requests.SiteName) -> Any:
        site = self.site(name)
        async with self.locks[name]:
            return await self.on_site(work.learn, site)

    async def _survey(self, name: requests.SiteName) -> Any:
        site = self.site(name)
        return {"pages": await self._each(work.survey_page, site, site.page_ids())}

    async def _template(self, name: requests.SiteName) -> Any:
        return await self.on_site(work.template, self.site(name))

    async def _rules(
        self,
        name: requests.SiteName,
        body: requests.RulesRequest,
        preview: Annotated[bool, Query(description="Report the effect, save nothing.")] = False,
        effect: Annotated[bool, Query(description="Report the effect on each page, which takes as long as cleaning them.")] = True,
    ) -> Any:
        site = self.site(name)
        async with self.locks[name]:
            old = site.model().rules
            rules = tamis.Rules(*(kept if new is None else tuple(new) for kept, new in ((old.keep, body.keep), (old.drop, body.drop))))
            pages = await self._each(work.rule_effect, site, site.page_ids() if effect or preview else [], rules)
            if not preview:
                await self.do(work.save_rules, site, rules, patient=True)
        changed = [page for page in pages if page.get("gained") or page.get("lost")]
        return {
            "saved": not preview,
            "before": asdict(old),
            "rules": asdict(rules),
            "pages": len(pages),
            "changed": sorted(changed, key=lambda page: page["name"]),
            "gained": sum(page["gained"] for page in changed),
            "lost": sum(page["lost"] for page in changed),
            "failed": [page for page in pages if "problem" in page],
        }

    async def _clean(self, name: requests.SiteName, body: Annotated[requests.CleanRequest, Body()] = requests.CleanRequest()) -> Any:
        site = self.site(name)
        ids = body.pages if body.pages is not None else await asyncio.to_thread(site.ids_by_name)
        return {"pages": await self._each(work.clean_page, site, ids, body)}

    async def _each(self, function: Any, site: StoredSite, ids: list[str], *values: Any) -> list[dict[str, Any]]:
        orders = (({"id": id}, partial(self.do, function, site, id, *values, patient=True)) for id in ids)
        return [answer async for answer in self._in_order(orders)]

    def _in_order(self, orders: Iterable[tuple[dict[str, Any], Callable[[], Awaitable[Any]]]]) -> AsyncIterator[dict[str, Any]]:
        """Yield the answers to named orders, in their order, a few at a time; one that fails is replaced by its problem."""
        if self.workforce.open >= self.settings.queue:
            raise Problem("busy", 503, "too many tasks are waiting or running: try again later")

        async def one(name: dict[str, Any], order: Callable[[], Awaitable[Any]]) -> dict[str, Any]:
            try:
                return {**name, **await order()}
            except (Problem, TamisError) as error:
                problem = problem_of(error)
                return {**name, "problem": {"type": problem.kind, "detail": problem.detail}}

        async def answers() -> AsyncIterator[dict[str, Any]]:
            waiting, under_way = iter(orders), deque[asyncio.Task[dict[str, Any]]]()
            try:
                while True:
                    under_way.extend(
                        asyncio.create_task(one(*each)) for each in islice(waiting, 2 * self.settings.workers - len(under_way))
                    )
                    if not under_way:
                        return
                    yield await under_way[0]
                    under_way.popleft()
            finally:
                for task in under_way:
                    task.cancel()

        return answers()

    # -- jobs --------------------------------------------------------------------------------------------------------

    async def _every_job(self) -> Any:
        return {"jobs": [job.shown() for job in self.jobs.jobs.values()], "damaged": self.jobs.damaged}

    async def _start(self, body: Annotated[requests.CrawlJob | requests.CorpusJob, Body(discriminator="kind")]) -> Any:
        order: dict[str, Any] = {"kind": body.kind, "settings": body.settings.model_dump()}
        if isinstance(body, requests.CrawlJob):
            order["url"] = body.url
            order["settings"] |= {"allow_private": self.settings.allow_private, "max_bytes": self.settings.max_bytes}
        elif body.crawl is not None:
            order["sources"] = sorted(map(str, self.jobs.folder(self.jobs.get(body.crawl)).glob("pages-*.warc.gz")))
            if not order["sources"]:
                raise Problem("conflict", 409, f"the job {body.crawl} has saved no pages")
        else:
            order["sources"] = [str(await asyncio.to_thread(self.site(body.site or "").as_lines))]
        if isinstance(body, requests.CorpusJob):
            await asyncio.to_thread(make, {**order["settings"], "sources": order["sources"], "output": "job"})  # which checks them
        return self.jobs.start(order).shown()

    async def _one_job(self, id: str) -> Any:
        return self.jobs.get(id).shown()

    async def _cancel(self, id: str) -> Any:
        return self.jobs.cancel(self.jobs.get(id)).shown()

    async def _remove(self, id: str) -> Any:
        await self.jobs.remove(self.jobs.get(id))
        return Response(status_code=204)

    async def _resume(self, id: str) -> Any:
        return self.jobs.resume(self.jobs.get(id)).shown()

    async def _report(self, id: str) -> Any:
        path = self.jobs.folder(self.jobs.get(id)) / "report.html"
        if not path.is_file():
            raise Problem("not-found", 404, f"the job {id} has no report")
        headers = {"Content-Security-Policy": _REPORT_POLICY, "X-Frame-Options": "SAMEORIGIN"}
        return FileResponse(path, media_type="text/html", headers=headers)

    # -- the service itself ------------------------------------------------------------------------------------------

    async def _health(self) -> Any:
        return {"status": "ok", "version": tamis.__version__, "open_tasks": self.workforce.open, "formats": ENDINGS}

    async def _metrics(self) -> Any:
        lines = self.gate.metrics()
        outcomes = [(f'{{outcome="{name}"}}', count) for name, count in self.workforce.outcomes.items()]
        lines += metric("tamis_tasks_total", "counter", "Tasks of worker processes by outcome.", outcomes)
        lines += metric("tamis_tasks_open", "gauge", "Tasks that wait or run.", [("", self.workforce.open)])
        return Response("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")

    async def _docs(self) -> Any:
        return FileResponse(STATIC / "docs.html", headers={"Content-Security-Policy": DOCS_POLICY})

    async def _inspector(self) -> Any:
        return FileResponse(STATIC / "index.html")


def _answering(method: Callable[..., Awaitable[Any]], status: int) -> Callable[..., Awaitable[Response]]:
    """The method as a route: plain values become JSON."""

    @wraps(method)
    async def answer(**given: Any) -> Response:
        values = await method(**given)
        return values if isinstance(values, Response) else PlainJSON(values, status)

    return answer


async def _answer_error(_: Request, error: Exception) -> Response:
    return problem_of(error).response()
