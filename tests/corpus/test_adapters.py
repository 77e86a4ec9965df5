"""tamis as a step of other tools."""

import sys

import pytest

from tamis.corpus import adapters
from tamis.corpus.adapters import FIELDS, ScrapyPipeline, clean_batch, clean_frames, daft_function, datatrove_extractor
from tamis.errors import MissingExtraError
from tamis.site.model import learn

from ..site.pages import article


def test_a_batch_has_a_row_for_each_page():
    rows = clean_batch([article(1), None, b"%PDF-1.7", ""], ["http://a.test/1", None, None, None])
    assert [set(row) == set(FIELDS) for row in rows] == [True] * 4
    assert rows[0]["text"].startswith("Heading 1")
    assert [row["problem"] is None for row in rows] == [True, False, False, False]


def test_scrapy_items_get_their_text(tmp_path):
    learn(article(number) for number in range(8)).save(tmp_path / "model")
    pipeline = ScrapyPipeline(model=tmp_path / "model")
    item = pipeline.process_item({"url": "http://a.test/9", "html": article(9)})
    assert item["text"].startswith("Heading 9")
    assert "Copyright" not in item["text"]
    assert pipeline.process_item({"price": 3}) == {"price": 3}


def test_frames_come_back_without_the_page():
    pandas = pytest.importorskip("pandas")
    (frame,) = clean_frames([pandas.DataFrame({"url": ["http://a.test/1"], "html": [article(1)]})], url="url")
    assert list(frame.columns) == ["url", *FIELDS]
    assert frame["text"][0].startswith("Heading 1")


def test_a_datatrove_step_extracts():
    try:
        extractor = datatrove_extractor()
    except MissingExtraError:
        pytest.skip("datatrove is not installed")
    assert extractor.extract(article(1)).startswith("Heading 1")


def test_a_daft_function_gives_a_struct():
    try:
        clean_pages = daft_function()
    except MissingExtraError:
        pytest.skip("Daft is not installed")
    import daft

    frame = daft.from_pydict({"html": [article(1)]})
    (row,) = frame.select(clean_pages(frame["html"]).alias("clean")).to_pylist()
    assert row["clean"]["text"].startswith("Heading 1")


@pytest.mark.parametrize("name", ["langchain_documents", "llama_index_documents"])
def test_loaders_give_text_and_metadata_of_pages_that_have_a_text(tmp_path, name):
    needed = "langchain_core" if name == "langchain_documents" else "llama_index.core"
    pytest.importorskip(needed, reason="needs the extra integrations")
    page = "<title>Ferry</title><nav><a href=/>Home</a></nav><article><p>The ferry runs again.<p>Tickets are sold at the quay.</article>"
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    (tmp_path / "b.html").write_text("<p></p>", encoding="utf-8")
    (document,) = getattr(adapters, name)(tmp_path)
    text = document.page_content if "langchain" in name else document.text
    assert text.strip() == "The ferry runs again.\n\nTickets are sold at the quay."
    assert document.metadata == {"source": str(tmp_path / "a.html"), "title": "Ferry"}


@pytest.mark.parametrize(
    ("name", "module"), [("langchain_documents", "langchain_core.documents"), ("llama_index_documents", "llama_index.core")]
)
def test_a_missing_loader_names_the_extra(monkeypatch, name, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"in a clone of tamis, pip install '\.\[integrations\]'"):
        getattr(adapters, name)("site")
