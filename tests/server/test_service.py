"""The HTTP API."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tamis import Rules
from tamis.server import ServerSettings, work
from tamis.server.app import create_app
from tamis.server.jobs import Jobs, damage
from tamis.server.problems import Problem
from tamis.server.requests import ExtractRequest
from tamis.server.sites import StoredSite
from tamis.server.workforce import Workforce
from tests.server.conftest import TEXTS, page


def test_extract_gives_several_formats_and_blocks_with_reasons(service):
    answer = service.post("/v1/extract", json={"html": page(0), "formats": ["text", "markdown"], "blocks": True}).json()
    assert TEXTS[0] in answer["text"]
    assert TEXTS[0] in answer["markdown"]
    menu = next(block for block in answer["blocks"] if "All articles" in block["text"])
    assert not menu["kept"]
    assert menu["reason"].startswith("left out")
    assert menu["selectors"][0].startswith("nav.menu")


def test_extract_gives_chunks_on_demand(service):
    assert "chunks" not in service.post("/v1/extract", json={"html": page(0)}).json()
    chunks = service.post("/v1/extract", json={"html": page(0), "chunks": 20}).json()["chunks"]
    assert chunks
    assert all(chunk["size"] <= 20 for chunk in chunks)


def test_extract_gives_comments_and_posts_on_demand(service):
    said = '<div itemscope itemtype="https://schema.org/Comment"><b itemprop=author>{0}</b><p itemprop=text>{0} says so.</div>'
    thread = f"<body><h1>Reeds</h1>{TEXTS[0]}{said.format('Ann')}{said.format('Bo')}<p class=phpbb></body>"
    assert "comments" not in service.post("/v1/extract", json={"html": thread}).json()
    answer = service.post("/v1/extract", json={"html": thread, "comments": True}).json()
    assert [(each["author"], each["text"]) for each in answer["comments"]] == [("Ann", "Ann says so."), ("Bo", "Bo says so.")]
    assert answer["posts"] == []


def test_the_other_routes_give_what_the_library_gives(service):
    assert service.post("/v1/segment", json={"html": page(0)}).json()["blocks"]
    found = service.post("/v1/records", json={"html": "<ul><li><b>A</b> <i>1</i><li><b>B</b> <i>2</i></ul>", "like": "li"}).json()
    assert found["regions"][0]["rows"] == [["A", "1"], ["B", "2"]]
    assert service.post("/v1/similarity", json={"a": {"html": page(0)}, "b": {"html": page(0)}}).json()["similarity"] == 1
    texts = [{"id": name, "text": " ".join(TEXTS) + end} for name, end in (("a", ""), ("b", " The end"))]
    assert service.post("/v1/duplicates", json={"documents": texts}).json()["clusters"][0]["kept"] == "b"


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/extract", {}, 422),
        ("/v1/extract", {"html": "x", "formats": ["pdf"]}, 422),
        ("/v1/extract", {"html": "x", "method": "template"}, 422),
        ("/v1/extract", {"html": "x", "site": "none"}, 404),
        ("/v1/extract", {"site": "../etc", "page": "0" * 16}, 422),
        ("/v1/records", {"html": "<p>x", "like": "li["}, 422),
        ("/v1/sites/none/learn", None, 404),
        ("/v1/nothing", None, 404),
        ("/v1/extract", {"html": "x" * 1_100_000}, 413),
        ("/v1/extract", {"html": "\ud800<p>\udfff text"}, 200),
    ],
)
def test_errors_are_problem_details(service, path, body, status):
    answer = service.post(path, content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert answer.status_code == status
    if status != 200:
        assert answer.headers["content-type"] == "application/problem+json"
        assert {"type", "title", "status", "detail"} <= set(answer.json())


def test_messages_are_one_sentence_however_much_is_wrong(service):
    many = service.post("/v1/extract", json={"html": "x", **{f"field{number}": 1 for number in range(1_000)}}).json()
    assert many["detail"].startswith("body: there is no field 'field0'; the fields are html, url,")
    assert len(many["errors"]) == 1
    long = service.post("/v1/records", json={"html": "<p>x", "like": "li " * 6_000}).json()
    assert len(long["detail"]) < 1_100
    form = service.post("/v1/extract", content="{}", headers={"Content-Type": "text/plain"})
    assert (form.status_code, form.json()["detail"]) == (415, "send JSON: Content-Type: application/json")


@pytest.mark.parametrize(
    ("method", "path", "body", "detail"),
    [
        ("GET", "/v1/nothing", "", "there is nothing at this address; /openapi.json lists all addresses"),
        ("GET", "/v1/extract", "", "this address takes POST"),
        ("POST", "/v1/extract", "[" * 100_000, "the body of the request is not JSON"),
        ("POST", "/v1/extract", "", "body: missing"),
        ("POST", "/v1/extract", "[]", "body: not a JSON object"),
        ("POST", "/v1/jobs", "{}", "body: the field kind says what to start: crawl or corpus"),
        ("POST", "/v1/jobs", '{"kind": "dedup"}', "body: the field kind says what to start: crawl or corpus"),
    ],
)
def test_messages_say_what_to_do(service, method, path, body, detail):
    assert service.request(method, path, content=body, headers={"Content-Type": "application/json"}).json()["detail"] == detail


def test_records_come_as_csv_on_demand_and_no_cell_is_a_formula(service):
    ask = {"html": "<ul><li><b>=A1</b> <i>1</i><li><b>鱼市</b> <i>2</i></ul>", "like": "li"}
    assert "csv" not in service.post("/v1/records", json=ask).json()["regions"][0]
    assert service.post("/v1/records", json={**ask, "csv": True}).json()["regions"][0]["csv"].splitlines()[1:] == ["'=A1,1", "鱼市,2"]


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1/",
        "http://localhost:1/",
        "http://[::1]:1/",
        "http://169.254.169.254/latest/",
        "http://10.0.0.1/",
        "file:///etc/passwd",
    ],
)
def test_private_addresses_are_not_fetched(service, url):
    answer = service.post("/v1/extract", json={"url": url})
    assert answer.status_code == 424
    assert "not on the public internet" in answer.text or "not an address of the web" in answer.text


def test_requests_to_other_names_and_from_other_origins_are_refused(service):
    assert service.get("/health", headers={"Host": "evil.example"}).status_code == 421
    assert service.get("/health", headers={"Host": "localhost", "Origin": "http://evil.example"}).status_code == 403
    assert service.get("/v1/sites", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert service.get("/v1/sites", headers={"Origin": "http://localhost"}).status_code == 200
    headers = service.get("/").headers
    assert "script-src 'self'" in headers["content-security-policy"]


def test_a_token_is_asked_for_where_one_is_set_and_needed_beyond_this_machine(tmp_path):
    from tamis.errors import UsageError

    with pytest.raises(UsageError, match="set a token"):
        ServerSettings(state=tmp_path, host="0.0.0.0")
    with TestClient(create_app(ServerSettings(state=tmp_path, token="secret")), base_url="http://localhost") as client:
        assert client.get("/v1/sites").status_code == 401
        assert client.get("/v1/sites", headers={"Authorization": "Bearer secret"}).status_code == 200
        assert client.get("/health").status_code == 200


def test_a_site_is_learned_cleaned_and_ruled(birds):
    template = birds.get("/v1/sites/birds/template").json()
    assert any("All articles" in block["text"] for block in template["repeated"])
    assert template["pages"] == 4
    preview = birds.patch("/v1/sites/birds/rules?preview=true", json={"drop": ["p.note"]}).json()
    assert (len(preview["changed"]), preview["gained"]) == (4, 0)
    assert preview["lost"] == sum(len(f"Note {number}: {TEXTS[number]}") for number in range(4))
    assert birds.get("/v1/sites/birds").json()["rules"]["drop"] == []
    birds.patch("/v1/sites/birds/rules", json={"drop": ["p.note"]}).raise_for_status()
    cleaned = birds.post("/v1/sites/birds/clean", json={"formats": ["text"]}).json()["pages"]
    assert not any("Note" in each["text"] for each in cleaned)
    assert all(TEXTS[number] in each["text"] for number, each in enumerate(cleaned))
    birds.post("/v1/sites/birds/learn").raise_for_status()
    assert birds.get("/v1/sites/birds").json()["rules"]["drop"] == ["p.note"]
    assert birds.patch("/v1/sites/birds/rules", json={"keep": ["p["]}).status_code == 422


@pytest.mark.parametrize("method", ["attenuation", "template", "same-layer", "style-tree", "papers"])
def test_every_method_shows_a_page_of_the_site(birds, method):
    pages = birds.get("/v1/sites/birds").json()["pages"]
    answer = birds.post("/v1/extract", json={"site": "birds", "page": pages[0]["id"], "method": method, "view": True}).json()
    assert TEXTS[0] in answer["text"]
    assert "All articles" not in answer["text"]


def test_the_papers_report_names_each_method_with_figures(birds):
    pages = birds.get("/v1/sites/birds").json()["pages"]
    found = birds.post("/v1/papers", json={"site": "birds", "page": pages[0]["id"]}).json()
    assert [section["number"] for section in found["sections"]] == [1, 2, 3, 4, 5, 6]
    assert any("Tag >= 0.8 and Text >= 0.6" in fact for fact in found["sections"][0]["facts"])


def test_the_next_page_of_an_article_is_no_same_layer_page(service):
    links = "<ul><li><a href=/1>Of the lamp</a></li><li><a href=/2>Of the pier</a></li></ul>"  # of this article, so on both of its pages
    texts = {"": "The lamp was lit on Monday by the keeper, who is the last of his trade. ", "_2": "Nobody knows who will climb up next. "}
    page = "<body><h1>Lamp</h1><article><p>{}</p></article><aside><h2>Older news</h2>{}</aside></body>"
    parts = [{"name": f"lamp{part}.html", "html": page.format(text * 4, links)} for part, text in texts.items()]
    service.put("/v1/sites/lamp/pages", json={"pages": parts}).raise_for_status()
    pages = {page["name"]: page["id"] for page in service.get("/v1/sites/lamp").json()["pages"]}
    answer = service.post("/v1/extract", json={"site": "lamp", "page": pages["lamp.html"], "method": "same-layer"}).json()
    assert "Of the pier" in answer["text"]


def test_metrics_count_requests_and_tasks(service):
    service.post("/v1/extract", json={"html": page(1)})
    text = service.get("/metrics").text
    assert 'tamis_requests_total{route="/v1/extract",status="200"}' in text
    assert 'tamis_tasks_total{outcome="done"}' in text


def test_the_description_has_examples(service):
    schema = service.get("/openapi.json").json()
    assert "examples" in schema["components"]["schemas"]["ExtractRequest"]
    assert {"/v1/extract", "/v1/sites/{name}/rules", "/v1/jobs/{id}/cancel"} <= set(schema["paths"])


def test_each_operation_has_a_name_of_its_own(service):
    paths = service.get("/openapi.json").json()["paths"].values()
    names = [operation["operationId"] for path in paths for operation in path.values()]
    assert len(set(names)) == len(names)
    assert {"extract", "batch", "put_pages", "resume"} <= set(names)


def test_a_batch_is_answered_in_its_order_and_a_page_that_fails_by_its_problem(service):
    pages = [{"html": page(0)}, {"url": "http://127.0.0.1:1/"}, {"site": "none", "page": "0" * 16}, *({"html": page(n)} for n in (1, 2, 3))]
    answer = service.post("/v1/batch", json={"pages": pages, "formats": ["markdown"]})
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert [line["number"] for line in lines] == list(range(6))
    assert [line["problem"]["type"] for line in lines[1:3]] == ["fetch-failed", "not-found"]
    assert [TEXTS[n] in lines[at]["markdown"] for n, at in ((0, 0), (1, 3), (2, 4), (3, 5))] == [True] * 4


@pytest.mark.parametrize("pages", [[], [{"html": "x"}] * 1_001])
def test_a_batch_is_bounded(service, pages):
    assert service.post("/v1/batch", json={"pages": pages}).status_code == 422


def test_pages_are_rendered_only_by_a_service_that_was_started_for_it(service, browser, tmp_path):
    refused = service.post("/v1/extract", json={"html": "<p>x", "browser": True})
    assert (refused.status_code, refused.json()["detail"]) == (403, "this service renders no pages: start it with --browser")
    shown = f"<body><p id=a></p><style>#b{{display:none}}</style><article><h1>Reeds</h1><p>{TEXTS[0]}</p></article>"
    with TestClient(create_app(ServerSettings(state=tmp_path, workers=1, browser=True)), base_url="http://localhost") as client:
        answer = client.post("/v1/extract", json={"html": shown, "browser": True, "view": True})
        assert TEXTS[0] in answer.json()["text"]
        assert "<article>" in answer.json()["view"]
        private = client.post("/v1/extract", json={"url": "http://127.0.0.1:1/", "browser": True})
        assert private.status_code in (422, 424)


def hang() -> None:
    while True:
        time.sleep(1)


def crash() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.anyio
async def test_work_that_hangs_or_crashes_costs_only_itself(tmp_path):
    workforce = Workforce(ServerSettings(state=tmp_path, workers=1, queue=1))
    try:
        with pytest.raises(Problem, match="longer than the limit"):
            await workforce.do(hang, seconds=0.3)
        with pytest.raises(Problem, match="worker process died"):
            await workforce.do(crash)
        answer = await workforce.do(work.extract, ExtractRequest(html=page(0)), None, work.Limits())
        assert TEXTS[0] in answer["text"]
        workforce.open = 1
        with pytest.raises(Problem, match="try again later"):
            await workforce.do(hang)
    finally:
        workforce.stop()


class EndsItsReader:
    """Ends the process that reads it, so many times."""

    def __init__(self, folder: Path, times: int) -> None:
        self.folder, self.times = folder, times

    def __reduce__(self):
        return _read_or_die, (self.folder, self.times)


def _read_or_die(folder: Path, times: int) -> str:
    if len(deaths := list(folder.glob("death-*"))) == times:
        return "read"
    (folder / f"death-{len(deaths)}").touch()
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


@pytest.mark.anyio
async def test_a_worker_that_ends_before_it_begins_a_page_is_replaced(tmp_path):
    workforce = Workforce(ServerSettings(state=tmp_path, workers=1))
    try:
        assert await workforce.do(str, EndsItsReader(tmp_path, 2)) == "read"
        with pytest.raises(Problem, match="before it began: try again later") as caught:
            await workforce.do(str, EndsItsReader(tmp_path, 100))
        assert caught.value.status == 503
        assert workforce.outcomes == {"done": 1, "failed": 0, "time-limit": 0, "worker-crash": 0, "busy": 1, "abandoned": 0}
    finally:
        workforce.stop()


@pytest.fixture
def anyio_backend():
    return "asyncio"


def test_a_damaged_or_half_written_state_is_passed_over(tmp_path):
    site = StoredSite(tmp_path, "birds")
    site.put("a", page(0))
    (site.folder / "pages" / "b.json.partial").write_text("{", encoding="utf-8")
    (site.folder / "models" / "half").mkdir(parents=True)
    (site.folder / "site.json.partial").write_text('{"mod', encoding="utf-8")
    assert [each.name for each in site.pages()] == ["a"]
    assert site.model_name is None
    work.learn(site)
    assert len(list((site.folder / "models").iterdir())) == 1
    work.save_rules(site, Rules((), ("p.note",)))
    assert site.model().rules.drop == ("p.note",)


def state_of(service, job: str) -> list[Path]:
    """Where the service keeps a job."""
    state = service.app._settings.state
    return [state / "jobs" / f"{job}.json", state / "runs" / job]


def test_jobs_run_report_and_survive(service):
    pages = [{"name": f"{number}.html", "html": page(number)} for number in range(4)]
    service.put("/v1/sites/corpus/pages", json={"pages": pages}).raise_for_status()
    settings = {"formats": ["markdown"], "front_matter": True, "exclude": ["*/3.html"]}
    job = service.post("/v1/jobs", json={"kind": "corpus", "site": "corpus", "settings": settings}).json()
    for _ in range(300):
        shown = service.get(f"/v1/jobs/{job['id']}").json()
        if shown["state"] not in ("waiting", "running"):
            break
        time.sleep(0.1)
    assert (shown["state"], shown["detail"]) == ("done", None)
    assert (shown["result"]["documents"], shown["result"]["left_out"]) == (3, 1)
    files = list(state_of(service, job["id"])[1].glob("markdown/**/*.md"))
    assert len(files) == 3
    assert files[0].read_text(encoding="utf-8").startswith("---\n")
    report = service.get(f"/v1/jobs/{job['id']}/report")
    assert "sandbox" in report.headers["content-security-policy"]
    assert service.post(f"/v1/jobs/{job['id']}/cancel").status_code == 409
    left = state_of(service, job["id"])
    assert all(path.exists() for path in left)
    assert service.delete(f"/v1/jobs/{job['id']}").status_code == 204
    assert not any(path.exists() for path in left)
    assert [service.request(method, f"/v1/jobs/{job['id']}").status_code for method in ("GET", "DELETE")] == [404, 404]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"include": ["news/*"]}, "body.corpus.settings: a pattern starts with /, * or http"),
        ({"partition": "site", "formats": ["jsonl"]}, "are for Parquet"),
        ({"quality": ["good"]}, "good"),
    ],
)
def test_wrong_settings_of_a_job_are_told_at_once(service, settings, said):
    service.put("/v1/sites/wrong/pages", json={"pages": [{"name": "a", "html": page(1)}]}).raise_for_status()
    answer = service.post("/v1/jobs", json={"kind": "corpus", "site": "wrong", "settings": settings})
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


def test_the_pages_of_a_site_are_cleaned_as_single_pages_are(service):
    service.put("/v1/sites/shown/pages", json={"pages": [{"name": "a", "html": page(1)}]}).raise_for_status()
    wanted = {"formats": ["markdown"], "title": True, "front_matter": True, "chunks": 20}
    (cleaned,) = service.post("/v1/sites/shown/clean", json=wanted).json()["pages"]
    alone = service.post("/v1/extract", json={"html": page(1), **wanted}).json()
    assert cleaned["chunks"]
    assert cleaned["markdown"].startswith("---\n")
    assert {name: cleaned[name] for name in ("markdown", "chunks")} == {name: alone[name] for name in ("markdown", "chunks")}


def test_a_running_job_is_ended_before_it_is_deleted(service):
    job = service.post("/v1/jobs", json={"kind": "crawl", "url": "http://192.0.2.1/", "settings": {"pages": 1}}).json()
    for _ in range(100):
        if service.get(f"/v1/jobs/{job['id']}").json()["state"] == "running":
            break
        time.sleep(0.02)
    assert service.delete(f"/v1/jobs/{job['id']}").status_code == 204
    assert not any(path.exists() for path in state_of(service, job["id"]))
    assert job["id"] not in [each["id"] for each in service.get("/v1/jobs").json()["jobs"]]


@pytest.mark.anyio
async def test_a_job_that_is_cancelled_twice_counts_as_running_until_its_process_has_ended(tmp_path, monkeypatch):
    ended, may_end = [], asyncio.Event()

    async def work(jobs, job):
        try:
            await asyncio.sleep(60)
        finally:
            await may_end.wait()
            ended.append(job.id)

    monkeypatch.setattr(Jobs, "_work", work)
    jobs = Jobs(tmp_path, 1)
    job = jobs.start({"kind": "crawl"})
    await asyncio.sleep(0.01)
    for _ in range(2):
        jobs.cancel(job)
        await asyncio.sleep(0.01)
    assert job.state == "running"
    may_end.set()
    await jobs.close()
    assert (job.state, ended) == ("cancelled", [job.id])


def test_a_running_job_can_be_cancelled(service):
    job = service.post("/v1/jobs", json={"kind": "crawl", "url": "http://192.0.2.1/", "settings": {"pages": 1}}).json()
    assert service.post(f"/v1/jobs/{job['id']}/cancel").status_code == 202
    for _ in range(200):
        shown = service.get(f"/v1/jobs/{job['id']}").json()
        if shown["state"] not in ("waiting", "running"):
            break
        time.sleep(0.1)
    assert shown["state"] == "cancelled"
    assert service.get("/v1/jobs/none").status_code == 404


def test_a_state_that_cannot_be_written_is_one_sentence_and_leaves_no_job_behind(tmp_path):

    with TestClient(create_app(ServerSettings(tmp_path, workers=1)), base_url="http://localhost") as client:
        for name in ("sites", "jobs"):
            (tmp_path / name).write_text("a file where a folder is wanted", encoding="utf-8")
        answers = [
            client.put("/v1/sites/birds/pages", json={"pages": [{"name": "a", "html": page(0)}]}),
            client.post("/v1/jobs", json={"kind": "crawl", "url": "http://192.0.2.1/"}),
        ]
        assert [answer.json()["type"] for answer in answers] == ["urn:tamis:problem:storage"] * 2
        assert [answer.status_code for answer in answers] == [507, 507]
        assert client.get("/v1/jobs").json() == {"jobs": [], "damaged": []}
    with pytest.raises(OSError, match="File exists"):
        create_app(ServerSettings(tmp_path / "jobs"))


@pytest.mark.anyio
async def test_work_that_nobody_waits_for_is_dropped_or_ended(tmp_path):
    workforce = Workforce(ServerSettings(state=tmp_path, workers=1, page_seconds=600))
    try:
        tasks = [asyncio.create_task(workforce.do(hang)) for _ in range(6)]
        await asyncio.sleep(0.5)
        for task in tasks:
            task.cancel()
        assert await asyncio.wait_for(workforce.do(str, 7), 300) == "7"
        assert (workforce.open, workforce.outcomes["abandoned"], workforce.outcomes["done"]) == (0, 6, 1)
    finally:
        workforce.stop()


DAMAGED = [
    "[]",
    "null",
    "{",
    '{"id": "broken", "order": null}',
    '{"id": "broken", "order": {"kind": "crawl", "settings": {}}, "state": "odd"}',
    "\xff",
]


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_job_file_hurts_itself_alone(tmp_path, content):

    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "broken.json").write_text(content, encoding="latin-1")
    whole = {"id": "whole", "order": {"kind": "crawl", "url": "http://192.0.2.1/", "settings": {}}, "state": "done"}
    (tmp_path / "jobs" / "whole.json").write_text(json.dumps(whole), encoding="utf-8")
    with TestClient(create_app(ServerSettings(tmp_path, workers=1)), base_url="http://localhost") as client:
        answer = client.get("/v1/jobs").json()
        assert [job["id"] for job in answer["jobs"]] == ["whole"]
        assert answer["damaged"] == ["broken.json"]
        assert client.get("/v1/jobs/broken").status_code == 404
    assert damage(tmp_path) == ["jobs/broken.json"]


@pytest.mark.parametrize(
    "content", ["[]", "null", "{", '{"name": 1, "url": [], "html": {}}', '{"name": "a", "url": null, "html": null}', "\xff"]
)
def test_a_damaged_page_or_head_of_a_site_hurts_itself_alone(tmp_path, content):

    with TestClient(create_app(ServerSettings(tmp_path, workers=1)), base_url="http://localhost") as client:
        pages = [{"name": f"{number}.html", "html": page(number)} for number in range(4)]
        client.put("/v1/sites/birds/pages", json={"pages": pages}).raise_for_status()
        client.post("/v1/sites/birds/learn").raise_for_status()
        id = "0123456789abcdef"
        (tmp_path / "sites/birds/pages" / f"{id}.json").write_text(content, encoding="latin-1")
        about = client.get("/v1/sites/birds").json()
        assert (len(about["pages"]), about["damaged"], about["learned"]) == (4, [id], True)
        cleaned = client.post("/v1/sites/birds/clean", json={}).json()["pages"]
        assert [each["name"] for each in cleaned] == ["0.html", "1.html", "2.html", "3.html"]
        (tmp_path / "sites/birds/site.json").write_text(content, encoding="latin-1")
        about = client.get("/v1/sites/birds").json()
        assert (len(about["pages"]), about["learned"]) == (4, False)
        client.post("/v1/sites/birds/learn").raise_for_status()
        assert client.get("/v1/sites").json() == {"sites": ["birds"]}
    assert damage(tmp_path) == [f"sites/birds/pages/{id}.json"]
