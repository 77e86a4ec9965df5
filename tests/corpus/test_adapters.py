"""tamis as a step of other tools."""

import pytest

from tamis.corpus.adapters import FIELDS, ScrapyPipeline, clean_batch, clean_frames, daft_function, datatrove_extractor
from tamis.errors import MissingExtraError
from tamis.site import learn

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
