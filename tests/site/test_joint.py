"""A page of a known site by the node model, with the evidence of the site's template."""

import numpy as np
import pytest

import tamis
from tamis.content import node_model
from tamis.content.node_model import WITH_SITE
from tamis.site.digest import judged_digest
from tamis.site.learned import Rules
from tamis.site.model import WITHOUT_MODEL, learn_digests
from tests.content.pages import SENTENCES, article

NOTICE = "Read by everyone: the harbour office sells tickets, maps, and postcards of the old ship, every day from nine to five."

PARTS = "zero one two three four five six seven eight nine".split()


def pages(count=6):
    parts = [article([f"{sentence} Part {part}." for sentence in SENTENCES]) for part in PARTS[:count]]
    return [part.replace("<aside", f"<p>{NOTICE}</p><aside") for part in parts]


def test_a_paragraph_that_the_site_repeats_goes_and_says_why():
    every = pages()
    model = tamis.learn(every)
    tree = tamis.parse(every[0])
    selection = model.select(tree)
    place = next(node for node, text in zip(tree.text_nodes, tree.texts, strict=True) if text == NOTICE)
    assert selection.method == WITH_SITE
    assert not selection.keep[place]
    assert selection.why(place).startswith("template")
    assert tamis.extract(every[0], model=model).text.count("Part zero") == 8


def test_the_title_of_a_page_stays_and_the_next_page_goes():
    head = "<title>{0} - News</title><div class=top><h2><a href=/{1}>{0}</a></h2><h2><a href=/{1}/next>Next: {0} more</a></h2></div>"
    names = [f"The {part} boats of the harbour" for part in PARTS]
    every = [head.format(name, n) + page for n, (name, page) in enumerate(zip(names, pages(), strict=False))]
    assert f"Next: {names[0]}" not in tamis.extract(every[0], model=tamis.learn(every)).text


def test_titles_that_differ_in_numbers_alone_stay():
    every = [page.replace("The morning ferry", f"Boats 1.{n} notes") for n, page in enumerate(pages())]
    assert "Boats 1.0 notes" in tamis.extract(every[0], model=tamis.learn(every)).text


def test_a_list_keeps_the_titles_of_its_texts():
    item = "<div class=item><h2><a href=/{0}>The boats of {0}</a></h2><p class=by><a href=/a/{1}>Ann {1}</a></p><p>{2}</p></div>"
    box = "<div class=box><h3><a href=/b/{0}>More boats of {0}</a></h3><p><a href=/c/{1}>More by Ann {1}</a></p></div>"
    every = []
    for n, part in enumerate(PARTS):
        ports = [(f"{part}-{k}", f"{part}{k}", f"Of {part}-{k} we know {n * k} boats that sail in spring. " * 5) for k in range(4)]
        every.append("".join(item.format(*port) for port in ports) + "".join(box.format(*port) for port in ports))
    text = tamis.extract(every[0], model=tamis.learn(every)).text
    assert all(f"The boats of {PARTS[0]}-{k}" in text for k in range(4))
    assert "More by Ann" not in text


def test_every_way_to_a_page_of_a_site_gives_the_same_answer():
    every = pages()
    model = tamis.learn(every)
    text = tamis.extract(every[0], model=model).text
    assert text == model.clean(every[0]).text
    assert text.split("\n") == [block.text for block in model.explain(every[0]) if block.kept]
    assert NOTICE in model.template_text(every)


def test_a_site_speaks_for_what_is_the_pages_own_and_against_what_repeats():
    every = pages()
    tree = tamis.parse(every[0])
    added = tamis.learn(every).evidence_of(tree)
    texts = node_model.predict(tree).blocks.texts(tree)
    assert len(added) == len(texts)
    assert added[texts.index(NOTICE)] < -1
    assert ((added + node_model.predict(tree).log_odds)[["Part zero" in text for text in texts]] > 1).all()


@pytest.mark.parametrize("learned", [[], [article()]])
def test_a_page_that_the_template_does_not_know_is_judged_by_the_model_alone(learned):
    tree = tamis.parse(article())
    both, alone = learn_digests(judged_digest(tamis.parse(page)) for page in learned).select(tree), node_model.select(tree)
    assert both.keep.tolist() == alone.keep.tolist()
    assert both.notes


def test_a_page_that_the_site_would_empty_is_kept_and_says_so(monkeypatch):
    every = pages()
    model = tamis.learn(every)
    tree = tamis.parse(every[0])
    real = node_model.with_site

    def emptied(judged, site, settings):
        judged = real(judged, site, settings)
        vars(judged)["keep"] = judged.keep & False
        return judged

    monkeypatch.setattr(node_model, "with_site", emptied)
    selection = model.select(tree)
    monkeypatch.undo()
    assert selection.keep.tolist() == node_model.select(tree).keep.tolist()
    assert "nearly nothing" in selection.notes[0]


def test_a_page_of_which_only_dates_would_be_left_is_kept_and_says_so(monkeypatch):
    every = [page.replace("<aside", "<p>12-31<p>12-18<p>11-07<aside") for page in pages()]
    model = tamis.learn(every)
    tree = tamis.parse(every[0])
    real = node_model.with_site

    def dated(judged, site, settings):
        judged = real(judged, site, settings)
        vars(judged)["keep"] = np.array([text[:1].isdigit() for text in judged.blocks.texts(tree)])
        return judged

    monkeypatch.setattr(node_model, "with_site", dated)
    assert "nearly nothing" in model.select(tree).notes[0]


def test_what_is_no_model_is_refused():
    with pytest.raises(tamis.TamisError, match="model is a SiteModel"):
        tamis.extract(article(), model="site.model")
    with pytest.raises(tamis.TamisError, match="model is a SiteModel"):
        list(tamis.clean([article()], model="site.model"))


def test_manual_rules_win_over_both():
    every = pages()
    model = tamis.learn(every).with_rules(Rules(keep=("aside",), drop=("h1",)))
    document = tamis.extract(every[0], model=model)
    assert "The morning ferry" not in document.text
    node = next(n for n in range(len(document.tree)) if document.tree.name(n) == "aside")
    assert document.selection.keep[node]


def test_with_attenuation_the_site_judges_without_the_node_model():
    every = pages()
    model = tamis.learn(every)
    document = tamis.extract(every[0], method="attenuation", model=model)
    assert document.selection.method == WITHOUT_MODEL
    assert document.selection.keep.tolist() == model.template_selection(tamis.parse(every[0])).keep.tolist()


def test_two_pages_of_another_layout_in_a_large_sample_are_cleaned_on_their_own():
    """What one other page has at a place says little."""
    rows = "".join(f"<tr><td><font size=2><a href=/{k}>Place {k}</a></font></td></tr>" for k in range(20))
    said = " ".join(SENTENCES)
    layout = "<title>{0}</title><table><tr><td><table>{1}</table></td><td><p><font size=3>{2} {0}.</font></p></td></tr></table>"
    old = [layout.format(part, rows, said) for part in PARTS[:2]]
    every = [*pages(10), *(page.replace("Part", "Piece") for page in pages(10)), *old]
    known, alone = tamis.extract(old[0], model=tamis.learn(every)), tamis.extract(old[0])
    assert known.problems == ("the page has no known layout: cleaned on its own",)
    assert known.text == alone.text
