"""The service: routes over the library's functions. Work happens in worker processes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, Response
from fastapi.routing import APIRoute
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

import tamis
from tamis.errors import TamisError
from tamis.io.writing import written_whole
from tamis.server import work
from tamis.server.gate import Gate, metric
from tamis.server.jobs import Jobs
from tamis.server.problems import PlainJSON, Problem, problem_of
from tamis.server.requests import (
    AnyPage,
    CleanRequest,
    CorpusJob,
    CrawlJob,
    DuplicatesRequest,
    ExtractRequest,
    PageRequest,
    PagesRequest,
    RecordsRequest,
    RulesRequest,
    SegmentRequest,
    SimilarityRequest,
    SiteName,
)
from tamis.server.settings import ServerSettings
from tamis.server.sites import StoredSite, site_names
from tamis.server.workforce import Workforce

STATIC = Path(__file__).parent / "static"
_REPORT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
_PROBLEM = {
    "description": "A problem (RFC 9457)",
    "content": {
        "application/problem+json": {
            "schema": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in ("type", "title", "detail")} | {"status": {"type": "integer"}},
                "required": ["type", "title", "status", "detail"],
            }
        }
    },
}
_STATUSES = (400, 401, 403, 404, 405, 408, 409, 413, 415, 421, 422, 424, 501, 503, 504)
PROBLEMS: dict[int | str, dict[str, Any]] = dict.fromkeys(_STATUSES, _PROBLEM)


def create_app(settings: ServerSettings) -> Gate:
    """The service as an ASGI application."""
    return Service(settings).gate


class Service:
    """The state of the running service, and its routes."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.workforce = Workforce(settings)
        self.limits = settings.limits()
        self.locks: dict[str, asyncio.Lock] = {}
        self.app = FastAPI(
            title="tamis",
            version=tamis.__version__,
            description="Main text, site templates, records and duplicates of web pages.",
            lifespan=self._life,
            docs_url=None,
            redoc_url=None,
            responses=PROBLEMS,
            default_response_class=PlainJSON,
        )
        for kind in (Problem, TamisError, RequestValidationError, HTTPException, Exception):
            self.app.add_exception_handler(kind, _answer_error)
        self.app.include_router(self._pages())
        self.app.include_router(self._sites())
        self.app.include_router(self._jobs())
        self.app.include_router(self._about())
        self.app.mount("/static", StaticFiles(directory=STATIC), "static")
        self.gate = Gate(self.app, settings)

    @asynccontextmanager
    async def _life(self, _: FastAPI) -> AsyncIterator[None]:
        self.settings.state.mkdir(parents=True, exist_ok=True)
        self.jobs = Jobs(self.settings.state, self.settings.jobs)
        yield
        await self.jobs.close()
        await asyncio.to_thread(self.workforce.stop)

    # -- what requests name ------------------------------------------------------------------------------------------

    def site(self, name: str, *, existing: bool = True) -> StoredSite:
        """A site of the state folder. Raises :class:`Problem` where it has no pages."""
        found = StoredSite(self.settings.state, name)
        if existing and not found.exists:
            raise Problem("not-found", 404, f"there is no site {name!r}: PUT /v1/sites/{name}/pages makes it")
        return found

    def located(self, request: AnyPage) -> AnyPage:
        """The request, with the HTML and the address of the page of a site that it names."""
        if request.site is None or request.page is None:
            return request
        page = self.site(request.site).page(request.page)
        return request.model_copy(update={"html": page.html, "url": page.url})

    def lock(self, name: str) -> asyncio.Lock:
        """One change of a site at a time."""
        return self.locks.setdefault(name, asyncio.Lock())

    # -- single pages ------------------------------------------------------------------------------------------------

    def _pages(self) -> APIRouter:
        router = APIRouter(prefix="/v1", tags=["pages"], route_class=APIRoute)
        do, limits = self.workforce.do, self.limits

        @router.post("/extract", summary="Main text of a page")
        async def extract(body: ExtractRequest) -> Response:
            site = self.site(body.site) if body.site is not None else None
            return PlainJSON(await do(work.extract, self.located(body), site, limits))

        @router.post("/segment", summary="Blocks that a reader sees (VIPS)")
        async def segment(body: SegmentRequest) -> Response:
            return PlainJSON(await do(work.segment, self.located(body), limits))

        @router.post("/records", summary="Lists of a page as tables")
        async def records(body: RecordsRequest) -> Response:
            return PlainJSON(await do(work.records, self.located(body), limits))

        @router.post("/similarity", summary="How similar two pages are")
        async def similarity(body: SimilarityRequest) -> Response:
            pages = {"a": self.located(body.a), "b": self.located(body.b)}
            return PlainJSON(await do(work.compare, body.model_copy(update=pages), limits))

        @router.post("/duplicates", summary="Clusters of near-duplicate texts")
        async def duplicates(body: DuplicatesRequest) -> Response:
            if body.site is not None:
                return PlainJSON(await do(work.site_duplicates, self.site(body.site), seconds=self.settings.site_seconds))
            documents = [(each.id, each.text, each.url, each.time) for each in body.documents or ()]
            return PlainJSON(await do(work.duplicates, documents, seconds=self.settings.site_seconds))

        return router

    # -- sites -------------------------------------------------------------------------------------------------------

    def _sites(self) -> APIRouter:
        router = APIRouter(prefix="/v1/sites", tags=["sites"])
        do, settings = self.workforce.do, self.settings

        @router.get("", summary="All sites")
        async def sites() -> Response:
            return PlainJSON({"sites": site_names(settings.state)})

        @router.get("/{name}", summary="A site: its pages, whether a template was learned, its rules")
        async def site(name: SiteName) -> Response:
            found = self.site(name)
            rules = found.model().rules if found.model_name else tamis.Rules()
            pages = [page.about() for page in found.pages()]
            return PlainJSON({"name": name, "learned": found.model_name is not None, "rules": asdict(rules), "pages": pages})

        @router.put("/{name}/pages", summary="Add or replace pages")
        async def put_pages(name: SiteName, body: PagesRequest) -> Response:
            found = self.site(name, existing=False)
            if len(found.page_ids()) + len(body.pages) > settings.site_pages:
                raise Problem("too-large", 413, f"a site has at most {settings.site_pages:,} pages")
            async with self.lock(name):
                return PlainJSON(await self._put(found, body))

        @router.delete("/{name}", summary="Delete a site", status_code=204)
        async def delete(name: SiteName) -> Response:
            async with self.lock(name):
                self.site(name).remove()
            return Response(status_code=204)

        @router.post("/{name}/learn", summary="Learn the template from the pages")
        async def learn(name: SiteName) -> Response:
            async with self.lock(name):
                return PlainJSON(await do(work.learn, self.site(name), seconds=settings.site_seconds))

        @router.get("/{name}/template", summary="Layouts, template parts, most repeated blocks")
        async def template(name: SiteName) -> Response:
            return PlainJSON(await do(work.template, self.site(name), seconds=settings.site_seconds))

        @router.patch("/{name}/rules", summary="Change the manual rules, or preview the effect")
        async def rules(
            name: SiteName, body: RulesRequest, preview: Annotated[bool, Query(description="Report the effect, save nothing.")] = False
        ) -> Response:
            async with self.lock(name):
                return PlainJSON(await self._rules(self.site(name), body, preview))

        @router.post("/{name}/clean", summary="Clean the pages of a site")
        async def clean(name: SiteName, body: Annotated[CleanRequest, Body()] = CleanRequest()) -> Response:
            found = self.site(name)
            ids = body.pages if body.pages is not None else [page.id for page in found.pages()]
            return PlainJSON({"pages": await self._each(work.clean_page, found, ids, body)})

        return router

    async def _put(self, site: StoredSite, body: PagesRequest) -> dict[str, Any]:
        added = []
        for each in body.pages:
            html, url = each.html, each.url
            if html is None:
                html, url = await self.workforce.do(work.read, PageRequest(url=url), self.limits, patient=True)
            added.append(site.put(each.name or each.url or "", html, url))
        if body.css is not None:
            site.put_css(body.css)
        taken = 0
        if body.job is not None:
            folder = self.jobs.folder(self.jobs.get(body.job))
            taken = await self.workforce.do(work.take_in, site, folder, self.settings.site_pages, seconds=self.settings.site_seconds)
        return {"name": site.name, "pages": len(site.page_ids()), "added": added, "taken": taken}

    async def _rules(self, site: StoredSite, body: RulesRequest, preview: bool) -> dict[str, Any]:
        old = site.model().rules
        keep = tuple(body.keep) if body.keep is not None else old.keep
        drop = tuple(body.drop) if body.drop is not None else old.drop
        tamis.Rules(keep, drop)  # raises where a selector is not valid
        effect = await self._each(work.rule_effect, site, site.page_ids(), keep, drop)
        changed = [page for page in effect if page.get("gained") or page.get("lost")]
        if not preview:
            await self.workforce.do(work.save_rules, site, keep, drop, patient=True)
        return {
            "saved": not preview,
            "before": asdict(old),
            "rules": {"keep": keep, "drop": drop},
            "pages": len(effect),
            "changed": sorted(changed, key=lambda page: page["name"]),
            "gained": sum(page["gained"] for page in changed),
            "lost": sum(page["lost"] for page in changed),
            "failed": [page for page in effect if "problem" in page],
        }

    async def _each(self, function: Any, site: StoredSite, ids: list[str], *values: Any) -> list[dict[str, Any]]:
        """A function over pages of a site, each a task of its own; a page that fails has a problem in its place."""
        turn = asyncio.Semaphore(2 * self.settings.workers)
        if self.workforce.open >= self.settings.queue:
            raise Problem("busy", 503, "too many tasks are waiting or running: try again later")

        async def one(id: str) -> dict[str, Any]:
            async with turn:
                try:
                    answer: dict[str, Any] = await self.workforce.do(function, site, id, *values, patient=True)
                    return answer
                except Problem as problem:
                    return {"id": id, "problem": {"type": problem.kind, "detail": problem.detail}}

        return list(await asyncio.gather(*map(one, ids)))

    # -- jobs --------------------------------------------------------------------------------------------------------

    def _jobs(self) -> APIRouter:
        router = APIRouter(prefix="/v1/jobs", tags=["jobs"])

        @router.get("", summary="All jobs")
        async def every() -> Response:
            return PlainJSON({"jobs": [job.shown() for job in self.jobs.all()]})

        @router.post("", summary="Start a crawl or a corpus run", status_code=202)
        async def start(body: Annotated[CrawlJob | CorpusJob, Body(discriminator="kind")]) -> Response:
            order = self._crawl(body) if isinstance(body, CrawlJob) else self._corpus(body)
            return PlainJSON(self.jobs.start(order).shown(), 202)

        @router.get("/{id}", summary="State and progress of a job")
        async def one(id: str) -> Response:
            return PlainJSON(self.jobs.get(id).shown())

        @router.post("/{id}/cancel", summary="End a job", status_code=202)
        async def cancel(id: str) -> Response:
            self.jobs.cancel(self.jobs.get(id))
            return PlainJSON(self.jobs.get(id).shown(), 202)

        @router.post("/{id}/resume", summary="Continue a job that ended early", status_code=202)
        async def resume(id: str) -> Response:
            self.jobs.resume(self.jobs.get(id))
            return PlainJSON(self.jobs.get(id).shown(), 202)

        @router.get("/{id}/report", summary="The report of a corpus run, as HTML")
        async def report(id: str) -> Response:
            path = self.jobs.folder(self.jobs.get(id)) / "report.html"
            if not path.is_file():
                raise Problem("not-found", 404, f"the job {id} has no report")
            headers = {"Content-Security-Policy": _REPORT_POLICY, "X-Frame-Options": "SAMEORIGIN"}
            return FileResponse(path, media_type="text/html", headers=headers)

        return router

    def _crawl(self, body: CrawlJob) -> dict[str, Any]:
        settings = {**body.settings.model_dump(), "allow_private": self.settings.allow_private, "max_bytes": self.settings.max_bytes}
        return {"kind": "crawl", "url": body.url, "settings": settings}

    def _corpus(self, body: CorpusJob) -> dict[str, Any]:
        if body.crawl is not None:
            archives = sorted(self.jobs.folder(self.jobs.get(body.crawl)).glob("pages-*.warc.gz"))
            if not archives:
                raise Problem("conflict", 409, f"the job {body.crawl} has saved no pages")
            sources = [str(path) for path in archives]
        else:
            site = self.site(body.site or "")
            source = site.folder / "pages.jsonl"
            with written_whole(source) as stream:
                for page in site.pages():
                    line = {"url": page.url or f"http://{site.name}.invalid/{page.name.lstrip('/')}", "html": page.html}
                    stream.write(json.dumps(line).encode("utf-8", "replace") + b"\n")
            sources = [str(source)]
        return {"kind": "corpus", "sources": sources, "settings": body.settings.model_dump()}

    # -- the service itself ------------------------------------------------------------------------------------------

    def _about(self) -> APIRouter:
        router = APIRouter(tags=["service"])

        @router.get("/health", summary="Whether the service works")
        async def health() -> Response:
            return PlainJSON({"status": "ok", "version": tamis.__version__, "open_tasks": self.workforce.open})

        @router.get("/metrics", summary="Figures in the Prometheus text format")
        async def metrics() -> Response:
            lines = self.gate.metrics()
            outcomes = [(f'{{outcome="{name}"}}', count) for name, count in self.workforce.outcomes.items()]
            lines += metric("tamis_tasks_total", "counter", "Tasks of worker processes by outcome.", outcomes)
            lines += metric("tamis_tasks_open", "gauge", "Tasks that wait or run.", [("", self.workforce.open)])
            return Response("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")

        @router.get("/", include_in_schema=False)
        async def inspector() -> Response:
            return FileResponse(STATIC / "index.html")

        @router.get("/favicon.ico", include_in_schema=False)
        async def icon() -> Response:
            return FileResponse(STATIC / "icon.svg", media_type="image/svg+xml")

        return router


async def _answer_error(_: Request, error: Exception) -> Response:
    return problem_of(error).response()
