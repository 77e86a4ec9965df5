"""Pages that are sent as they are."""

from __future__ import annotations

import gzip

import pytest

from tests.server.conftest import TEXTS, page

HTML = {"Content-Type": "text/html; charset=utf-8"}


def test_a_page_is_extracted_as_html_or_as_a_file_in_a_form(service):
    as_json = service.post("/v1/extract", json={"html": page(0), "formats": ["markdown", "text"], "chunks": 5}).json()
    as_sent = service.post("/v1/extract?formats=markdown&formats=text&chunks=5", content=page(0), headers=HTML)
    assert as_sent.json() == as_json
    form = service.post(
        "/v1/extract", files={"file": ("a.html", page(0), "text/html")}, data={"formats": ["markdown", "text"], "chunks": "5"}
    )
    assert form.json() == as_json


def test_the_bytes_of_a_page_are_decoded_and_unpacked_as_those_of_a_file(service):
    body = f"<meta charset=gb2312><article><p>潮汐每天两次。<p>{TEXTS[0]}</article>".encode("gb2312")
    for sent in (body, gzip.compress(body)):
        assert service.post("/v1/extract", content=sent, headers={"Content-Type": "text/html"}).json()["text"].startswith("潮汐每天两次。")


def test_what_is_no_page_is_refused(service):
    sent = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj"
    as_html = service.post("/v1/extract", content=sent, headers=HTML)
    as_file = service.post("/v1/extract", files={"file": ("a.pdf", sent, "application/pdf")})
    for answer in (as_html, as_file):
        assert (answer.status_code, answer.json()["detail"]) == (422, "the file is not a page: it holds binary data")


def test_a_page_with_very_many_commas_is_no_json(service):
    assert service.post("/v1/segment", content="<p>" + "a, " * 250_000, headers=HTML).status_code == 200


@pytest.mark.parametrize(
    ("path", "kind", "body", "status"),
    [
        ("/v1/extract?formats=pdf", "text/html", "<p>x", 422),
        ("/v1/extract?colour=red", "text/html", "<p>x", 422),
        ("/v1/extract", "multipart/form-data", "--x\r\n", 400),
        ("/v1/extract", "multipart/form-data; boundary=x", "--y\r\n\r\nx", 400),
        ("/v1/extract", "application/x-www-form-urlencoded", "html=x", 415),
        ("/v1/duplicates", "text/html", "<p>x", 415),
    ],
)
def test_mistakes_are_problems(service, path, kind, body, status):
    answer = service.post(path, content=body, headers={"Content-Type": kind})
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")


@pytest.mark.parametrize("headers", [{"Origin": "https://elsewhere.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}])
def test_forms_of_other_sites_are_refused(service, headers):
    answer = service.post("/v1/extract", files={"file": ("a.html", page(0))}, headers=headers)
    assert answer.status_code == 403
