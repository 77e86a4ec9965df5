"""Templates that live on from run to run: used, updated, and learned anew where a site's layout changed."""

import json
import random
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from tamis.cli import app
from tamis.corpus.config import CorpusConfig
from tamis.corpus.model_store import stored_files
from tamis.corpus.models import SiteModels, models_of
from tamis.corpus.pipeline import run
from tamis.corpus.tables import MODELS, Writer
from tamis.errors import ModelError
from tamis.io.pages import HeldPage

from ..site.pages import article, sentence
from .killing import begin_and_kill
from .test_pipeline import CHROME, table


def shop(number):
    """A page of the same site after it was made anew: other elements, classes and texts around the content."""
    rng = random.Random(number + 1000)
    text = "".join(f"<p class=para>{sentence(rng, 25)}</p>" for _ in range(4))
    return f"""<!DOCTYPE html><title>Page {number}</title><body><header class=masthead><nav class=bar><a href=/>Start</a> <a href=/all>All
stories</a></nav></header><main class=wide><article class=story><h2>Story {number}</h2>{text}</article></main>
<aside class=promo><p>Subscribe to our letter and never miss a story again, every week in your box.</p></aside>
<footer class=base><p>Printed by the town press, which has no other duties at all.</p></footer></body>"""


def write(path, pages):
    """Pages as JSON lines; ``pages``: site, number of the page in its address, HTML."""
    path.write_text("".join(json.dumps({"url": f"http://{site}.test/{n}", "html": html}) + "\n" for site, n, html in pages))
    return str(path)


def config(source, output, store, **changed):
    return CorpusConfig((source,), str(output), workers=1, models=str(store), **changed)


def texts(output):
    return {row["url"]: (row["text"], row["method"]) for row in table(output / "documents")}


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A run over two sites, the store it left, and its source."""
    folder = tmp_path_factory.mktemp("first")
    pages = [(site, n, article(n + shift)) for site, shift in (("a", 0), ("b", 100)) for n in range(12)]
    source = write(folder / "pages.jsonl", pages)
    return run(config(source, folder / "out", folder / "store")), folder, source


@pytest.fixture
def store(first, tmp_path):
    """A copy of the store of the first run."""
    from shutil import copytree

    return copytree(first[1] / "store", tmp_path / "store")


def stored(store):
    return SiteModels(stored_files(str(store)))


def test_a_first_run_leaves_templates_with_where_they_are_from(first):
    summary, folder, source = first
    assert summary.outcomes == {"new": 2}
    models = stored(folder / "store")
    assert sorted(models) == ["a.test", "b.test"]
    row = models.row("a.test")
    assert (row["pages"], row["layouts"], row["learned"]) == (12, 1, row["updated"])
    assert row["history"] == [f"{row['learned']} new: 12 pages, 1 layouts; {source}; tamis {row['history'][0].rpartition(' ')[2]}"]
    (told,) = json.loads((folder / "store" / "models.json").read_text())["runs"]
    assert told["sites"] == {"new": 2}
    assert told["sources"] == [source]


def test_a_second_run_parses_every_page_once_and_gives_the_same(first, store, tmp_path):
    summary, folder, source = first
    again = run(config(source, tmp_path / "out", store))
    assert again.outcomes == {"reused": 2}
    assert (again.pages, again.documents, again.by_template) == (summary.pages, summary.documents, summary.by_template)
    assert texts(tmp_path / "out") == texts(folder / "out")
    assert pq.read_table(next((tmp_path / "out" / "work" / "read").glob("*/pages.parquet"))).num_rows == 0
    assert stored(store).row("a.test")["history"] == stored(folder / "store").row("a.test")["history"]


def test_what_a_second_run_read_and_cleaned_at_once_is_published_as_it_is(first, store, tmp_path):
    run(config(first[2], tmp_path / "out", store))
    (written,) = (tmp_path / "out" / "work" / "read").glob("*/dropped.parquet")
    assert (tmp_path / "out" / "dropped" / "part-000000.parquet").samefile(written)


def test_new_pages_update_a_template_and_other_sites_stay(first, store, tmp_path):
    source = write(tmp_path / "pages.jsonl", [("a", n, article(n)) for n in range(50, 60)])
    assert run(config(source, tmp_path / "out", store)).outcomes == {"updated": 1}
    row, before = stored(store).row("a.test"), stored(first[1] / "store").row("a.test")
    assert row["pages"] == 22
    assert row["learned"] == before["learned"]
    assert [line.split()[1] for line in row["history"]] == ["new:", "updated:"]
    assert stored(store).row("b.test")["outcome"] == "not seen"
    assert stored(store).get("b.test") is not None
    assert len(list(store.glob("*.parquet"))) == len(stored_files(str(store)))


def test_a_template_that_most_pages_it_was_learned_from_do_not_match_is_reused(tmp_path):
    """Learned anew from the same pages, it would be the same."""
    alone = f"<title>Lost</title><div id=lost><p>{sentence(random.Random(1), 60)}</p></div>"
    source = write(tmp_path / "pages.jsonl", [("a", n, html) for n, html in enumerate([*map(article, range(6)), *[alone] * 8])])
    outcomes = [run(config(source, tmp_path / name, tmp_path / "store")).outcomes for name in ("one", "two")]
    assert outcomes == [{"new": 1}, {"reused": 1}]


def test_a_site_whose_layout_changed_is_learned_anew_and_its_pages_are_clean(store, tmp_path):
    source = write(tmp_path / "pages.jsonl", [("a", n, shop(n)) for n in range(12)] + [("b", n, article(n + 100)) for n in range(12)])
    summary = run(config(source, tmp_path / "out", store))
    assert summary.outcomes == {"reused": 1, "learned anew": 1}
    found = texts(tmp_path / "out")
    assert len(found) == 24
    assert all(method.startswith("site") for _, method in found.values())
    assert not any(word in text for text, _ in found.values() for word in (*CHROME, "Subscribe", "town press", "All stories"))
    fresh = run(CorpusConfig((source,), str(tmp_path / "fresh"), workers=1))
    assert fresh.documents == 24
    assert found == texts(tmp_path / "fresh")
    row = stored(store).row("a.test")
    assert [line.split(": ")[0].split(" ", 1)[1] for line in row["history"]] == ["new", "learned anew"]
    assert row["pages"] == 12


def test_a_few_pages_of_another_kind_do_not_change_a_site(store, tmp_path):
    source = write(tmp_path / "pages.jsonl", [("a", n, article(n)) for n in range(12)] + [("a", n, shop(n)) for n in range(20, 24)])
    summary = run(config(source, tmp_path / "out", store))
    assert summary.outcomes == {"updated": 1}
    assert stored(store).row("a.test")["layouts"] == 2
    assert not any(word in text for text, _ in texts(tmp_path / "out").values() for word in CHROME)


@pytest.mark.slow
def test_killed_at_any_moment_a_run_with_models_comes_to_the_same_end(store, tmp_path):
    pages = (
        [("a", n, shop(n)) for n in range(12)] + [("b", n, article(n + 90)) for n in range(12)] + [("c", n, article(n)) for n in range(9)]
    )
    source = write(tmp_path / "pages.jsonl", pages)
    from shutil import copytree

    calm = run(config(source, tmp_path / "calm", copytree(store, tmp_path / "calm-store")))
    settings = config(source, tmp_path / "out", store)
    begin_and_kill(settings, random.Random(11), times=4, most=9, pause=0.1)
    assert run(settings) == type(calm)(**{**vars_of(calm), "output": tmp_path / "out"})
    for name in ("documents", "dropped", "failures"):
        assert table(tmp_path / "out" / name) == table(tmp_path / "calm" / name)
    for site in ("a.test", "b.test", "c.test"):
        assert stored(store).row(site)["model"] == stored(tmp_path / "calm-store").row(site)["model"]
        assert stored(store).row(site)["outcome"] == stored(tmp_path / "calm-store").row(site)["outcome"]


def vars_of(summary):
    return {name: getattr(summary, name) for name in summary.__slots__}


def test_clean_uses_updates_and_adds_templates(store, tmp_path):
    source = write(tmp_path / "pages.jsonl", [("a", n, shop(n)) for n in range(12)] + [("b", n, article(n + 100)) for n in range(12)])
    result = CliRunner().invoke(app, ["clean", source, "-o", str(tmp_path / "out.jsonl"), "--models", str(store), "-j", "1"])
    assert result.exit_code == 0
    assert "1 template learned anew" in result.stderr
    assert "1 template reused" in result.stderr
    found = [json.loads(line)["text"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert not any(word in text for text in found for word in (*CHROME, "Subscribe", "town press"))
    assert stored(store).row("a.test")["outcome"] == "learned anew"


def test_a_store_may_lie_in_storage_by_address():
    fsspec = pytest.importorskip("fsspec", reason="needs the extra corpus")
    fsspec.filesystem("memory").rm("/models", recursive=True) if fsspec.filesystem("memory").exists("/models") else None
    pages = [HeldPage(f"a/{n}", article(n), f"http://a.test/{n}") for n in range(8)]
    models, outcomes = models_of(pages, "memory://models", "here")
    assert (list(models), outcomes) == (["a.test"], {"a.test": "new"})
    assert models_of(pages, "memory://models", "here")[1] == {"a.test": "reused"}
    assert models_of([HeldPage("b", article(1), "http://b.test/")], "memory://models", "there")[1] == {}
    (name,) = stored_files("memory://models")
    assert fsspec.filesystem("memory").ls("/models", detail=False) == ["/models/" + name.rpartition("/")[2], "/models/models.json"]
    assert list(stored("memory://models")) == ["a.test"]


def test_what_is_no_store_is_refused(first, tmp_path):
    _, _, source = first
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(ModelError, match="holds no site models"):
        stored_files(str(tmp_path / "mine"))
    (tmp_path / "models.json").write_text('{"format": "tamis-site-models", "version": 9, "files": [], "runs": []}')
    with pytest.raises(ModelError, match="version 9"):
        run(config(source, tmp_path / "out", tmp_path))
    (tmp_path / "models.json").write_text('{"format": "tamis-site-models", "version": 1, "files": ["../x.parquet"], "runs": []}')
    with pytest.raises(ModelError, match="another format"):
        stored_files(str(tmp_path))


def test_the_report_counts_pages_that_a_stored_template_cleaned(first, store, tmp_path):
    from tamis.corpus.report import figures

    again = run(config(first[2], tmp_path / "again", store))
    found = figures(tmp_path / "again")
    assert again.outcomes == {"reused": 2}
    assert found.counts == figures(first[1] / "out").counts
    assert dict(found.rows["reasons"])["kept"] == again.kept_characters


def test_templates_of_earlier_versions_by_host_are_found_for_the_site(first, store):
    """``a.test`` was stored under two hosts, ``b.test`` under the one with www."""
    for path in stored_files(str(store)):
        rows = pq.read_table(path).to_pylist()
        with Writer(Path(path), MODELS, batch=1) as writer:
            for row in rows:
                writer.add({**row, "site": f"www.{row['site']}", "history": []})
                if row["site"] == "a.test":
                    writer.add(row)
    found = stored(store)
    assert sorted(found) == ["a.test", "b.test"]
    assert found.row("a.test")["history"]
    assert found.row("a.test", ["site"]) == {"site": "a.test"}


def test_www_is_no_site_of_its_own_whatever_the_store_says(tmp_path):
    pages = [("www.a" if n % 2 else "a", n, article(n)) for n in range(12)]
    source = write(tmp_path / "pages.jsonl", pages)
    assert run(config(source, tmp_path / "out", tmp_path / "store")).outcomes == {"new": 1}
    for file in stored_files(str(tmp_path / "store")):
        rows = pq.read_table(file).to_pylist()
        with Writer(Path(file), MODELS, batch=1) as writer:
            for row in rows:
                writer.add({**row, "site": "www.a.test"})
    again = run(config(source, tmp_path / "again", tmp_path / "store"))
    assert (again.sites, again.templates, again.outcomes) == (1, 1, {"reused": 1})
    assert list(stored(tmp_path / "store")) == ["a.test"]
    assert texts(tmp_path / "again") == texts(tmp_path / "out")
