"""tamis as a step of other tools."""

import importlib
import sys

import pytest

import tamis
from tamis.corpus.adapters import FIELDS, clean_batch, clean_frames
from tamis.corpus.adapters.scrapy import TamisPipeline
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
    pipeline = TamisPipeline(model=tmp_path / "model")
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
    pytest.importorskip("datatrove", reason="needs the extra datatrove")
    from tamis.corpus.adapters.datatrove import TamisExtractor

    assert TamisExtractor().extract(article(1)).startswith("Heading 1")


def test_a_daft_function_gives_a_struct():
    daft = pytest.importorskip("daft", reason="needs the extra daft")
    from tamis.corpus.adapters.daft import clean_pages

    frame = daft.from_pydict({"html": [article(1)]})
    (row,) = frame.select(clean_pages(frame["html"]).alias("clean")).to_pylist()
    assert row["clean"]["text"].startswith("Heading 1")


def load_langchain(source, **options):
    pytest.importorskip("langchain_core", reason="needs the extra langchain")
    from langchain_core.document_loaders import BaseLoader

    from tamis.corpus.adapters.langchain import TamisLoader

    loader = TamisLoader(source, **options)
    assert isinstance(loader, BaseLoader)
    return [(each.id, each.page_content, each.metadata) for each in loader.load()]


def load_llama_index(source, **options):
    pytest.importorskip("llama_index.core", reason="needs the extra llamaindex")
    from llama_index.core.readers.base import BaseReader

    from tamis.corpus.adapters.llamaindex import TamisReader

    reader = TamisReader(**options)
    assert isinstance(reader, BaseReader)
    return [(each.id_, each.text, each.metadata) for each in reader.load_data(source)]


@pytest.mark.parametrize("load", [load_langchain, load_llama_index])
def test_loaders_give_text_and_metadata_of_pages_that_have_a_text(tmp_path, load):
    page = "<title>Ferry</title><nav><a href=/>Home</a></nav><article><p>The ferry runs again.<p>Tickets are sold at the quay.</article>"
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    (tmp_path / "b.html").write_text("<p></p>", encoding="utf-8")
    known = {"source": str(tmp_path / "a.html"), "title": "Ferry"}
    ((name, text, about),) = load(tmp_path)
    assert (name, text.strip(), about) == (str(tmp_path / "a.html"), "The ferry runs again.\n\nTickets are sold at the quay.", known)
    first, second = load(tmp_path, chunks=tamis.Chunking(6))
    assert first == (f"{name}#0", "The ferry runs again.", {**known, "headings": ["Ferry"], "number": 0, "size": 4})
    assert second[0] == f"{name}#1"


@pytest.mark.parametrize(
    ("adapter", "module"),
    [
        ("langchain", "langchain_core.documents"),
        ("llamaindex", "llama_index.core"),
        ("datatrove", "datatrove.pipeline.extractors.base"),
        ("daft", "daft"),
    ],
)
def test_a_missing_tool_names_its_extra(monkeypatch, adapter, module):
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, f"tamis.corpus.adapters.{adapter}", raising=False)
    with pytest.raises(MissingExtraError, match=rf"in a clone of tamis, pip install '\.\[{adapter}\]'"):
        importlib.import_module(f"tamis.corpus.adapters.{adapter}")
