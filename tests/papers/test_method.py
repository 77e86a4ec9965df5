"""The five papers as one method: which of them is called, on sites of which size; models on disk; kinds of pages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tamis
from demo import write_site
from tamis.cli import app
from tamis.content import attenuation
from tamis.duplicates import feature_code
from tamis.errors import ModelError, UsageError
from tamis.layer import judging
from tamis.layer.siblings import SeenPage
from tamis.papers.method import FewPages, Papers, load_site, page_kind
from tamis.segmentation import vips
from tamis.site.style_tree import SimplifiedTree, StyleTree
from tamis.structure import similarity

DOCS = Path(__file__).parents[2] / "docs" / "methods" / "papers.md"
CALLED = {
    "same-layer": judging.judge,
    "style tree": StyleTree.build.__func__,
    "attenuation": attenuation.select,
    "similarity": similarity.similarities,
    "feature code": feature_code.feature_code,
}


@pytest.fixture(scope="module")
def bay(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bay")
    write_site(folder)
    return folder


def called(work) -> set[str]:
    """The methods whose functions run."""
    codes = {function.__code__: name for name, function in CALLED.items()}
    seen = set()

    def note(frame, event, _):
        if event == "call" and frame.f_code in codes:
            seen.add(codes[frame.f_code])

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return seen


def clean(pages):
    method = Papers()
    model = method.learn(map(tamis.parse, pages))
    for page in pages:
        tamis.extract(page, method=method, model=model)


LINKS = "<ul>{}</ul>".format("".join(f"<li><a href=/{k}>A story of the harbour, number {k}</a> <i>{k}</i></li>" for k in range(12)))


def test_a_page_beyond_the_bound_of_the_same_layer_method(bay, monkeypatch):
    pages = sorted((bay / "news").glob("*.html"))[:3]
    site = FewPages(tuple(SeenPage(tamis.parse(page)) for page in pages[1:]))
    whole = Papers().select(tamis.parse(pages[0]), site).keep
    monkeypatch.setattr(vips, "MAX_NODES", 60)
    bounded = Papers().select(tamis.parse(pages[0]), site).keep
    assert (len(bounded), bounded.tolist()[:60]) == (len(whole), whole.tolist()[:60])
    assert bounded.any()


def test_each_of_the_five_is_called(bay):
    """The fifth, feature codes, runs in a worker of ``corpus run``: ``tests/corpus/test_methods.py`` sees it by the copies."""
    few = [*sorted((bay / "news").glob("*.html"))[:3]]
    assert called(lambda: clean(few)) == {"same-layer", "attenuation"}
    many = [*sorted((bay / "news").glob("*.html"))]
    assert called(lambda: clean(many)) == {"style tree", "attenuation"}
    assert "similarity" in called(lambda: tamis.extract(f"<body>{LINKS}</body>", method="papers"))


def test_the_docs_say_which_of_the_five_a_default_calls(bay):
    """Where the table of ``docs/methods/papers.md`` has a yes, the method is called; where it has a no, it is not."""
    news = sorted((bay / "news").glob("*.html"))
    site = tamis.learn(news)
    texts = [tamis.TextDocument(str(number), site.clean(page).text) for number, page in enumerate(news)]
    work = {
        "extract": lambda: [tamis.extract(news[0]), tamis.extract(news[0], model=site)],
        "learn": lambda: tamis.learn(news),
        "denoise": lambda: tamis.denoise(news[0], news[1:4]),
        "records --like": lambda: tamis.find_records(bay / "news" / "index.html", like="<li><a href=/>A</a> <i>b</i></li>"),
        "similarity": lambda: tamis.similarity(news[0], news[1]),
        "dedup compare": lambda: CliRunner().invoke(app, ["dedup", "compare", str(news[0]), str(news[1])]),
        "dedup": lambda: tamis.find_duplicates(texts),
        "papers": lambda: CliRunner().invoke(app, ["papers", str(news[0])]),
    }
    rows = [line.strip("| ").split(" | ") for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    rows = [row for row in rows if len(row) == 6 and row[0] != "`--method papers`"]  # that row is the test above
    assert [row[0].split("`")[1] for row in rows] == list(work)
    for row in rows:
        found = called(work[row[0].split("`")[1]])
        says = dict(zip(("same-layer", "attenuation", "similarity", "feature code", "style tree"), row[1:], strict=True))
        assert {method for method, cell in says.items() if cell.startswith("**yes**")} <= found, row
        assert not {method for method, cell in says.items() if cell == "no"} & found, row


def test_records_of_a_navigation_page_are_content():
    document = tamis.extract(f"<body>{LINKS}<p>About</p></body>", method="papers")
    assert "A story of the harbour, number 7" in document.text
    assert any("navigation page" in note for note in document.problems)


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("<p>" + "Running text. " * 30 + "<a href=/>link</a>", "topic"),
        (LINKS, "navigation"),
        ("<div>" + "<img src=a.jpg>" * 5 + "<p>Five photos</p></div>", "picture"),
    ],
)
def test_pages_are_of_three_kinds(html, kind):
    assert page_kind(tamis.parse(f"<body>{html}</body>")) == kind


@pytest.mark.parametrize(("pages", "kind"), [(3, FewPages), (4, SimplifiedTree)])
def test_what_was_learned_is_saved_and_loaded(bay, tmp_path, pages, kind):
    files = sorted((bay / "news").glob("*.html"))
    model = tamis.learn(files[:pages], method="papers")
    assert isinstance(model, kind)
    model.save(tmp_path / "model")
    again = load_site(tmp_path / "model")
    assert isinstance(again, kind)
    wanted = tamis.extract(files[5], method="papers", model=model)
    assert tamis.extract(files[5], method="papers", model=again).text == wanted.text
    (tmp_path / "model" / "columns.npz").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="damaged"):
        load_site(tmp_path / "model")


def test_a_template_is_no_model_of_these_methods(bay):
    template = tamis.learn(bay / "news")
    for method in ("papers", "style-tree"):
        with pytest.raises(UsageError, match=f"tamis learn --method {method}"):
            tamis.extract("<p>text", method=method, model=template)


def test_a_page_without_its_site_says_so():
    assert any("nothing is known to repeat" in note for note in tamis.extract("<p>Some text.", method="papers").selection.notes)
    assert any("nothing is known to repeat" in note for note in tamis.extract("<p>Some text.", method="style-tree").selection.notes)


def test_bytes_of_a_model_are_the_model(bay):
    from tamis.papers.method import unpack_site

    for pages in (3, 9):
        model = tamis.learn(sorted((bay / "news").glob("*.html"))[:pages], method="papers")
        assert type(unpack_site(model.pack())) is type(model)
    with pytest.raises(ModelError, match="learn anew"):
        unpack_site(b"PK of another kind")
