"""SiteModel: learned from pages of a site, applied to all of them."""

import json
import os
import random
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tamis
from benchmarks.gold import read_gold
from benchmarks.metric import content_lost, noise_removed
from tamis.errors import ModelError, SourceError, UsageError
from tamis.papers.method import unpack_site
from tamis.site.learned import Rules, SiteSettings
from tamis.site.model import SiteModel, learn

from .pages import article, sentence

CHROME = ["Home", "About us", "You may also like", "stories of the harbour", "Copyright", "Share this article"]


def by_template(model, page):
    """A page cleaned by the template alone."""
    return tamis.extract(page, method="attenuation", model=model)


def columns(model):
    sample = [getattr(model.sample, each.name) for each in fields(model.sample) if each.repr]
    return [
        *(each.tolist() if isinstance(each, np.ndarray) else each for each in sample),
        [(place.path, place.verdict, place.pages, place.words, place.main) for place in model.places],
        [sorted(layout.sketch) for layout in model.layouts],
    ]


def test_the_template_goes_and_the_text_stays(pages):
    model = learn(pages[:8])
    for page in pages[8:]:
        text = by_template(model, page).text
        assert not [line for line in CHROME if line in text]
        assert text.count(".") == 4


def test_few_pages_are_already_useful(pages):
    text = by_template(learn(pages[:3]), pages[5]).text
    assert not [line for line in CHROME if line in text]


def test_what_repeats_is_dropped_with_the_number_of_other_pages_that_have_it(pages):
    reasons = {block.text: block.reason for block in learn(pages).clean(pages[0]).blocks}
    assert reasons["Home"] == f"template: the same text on the site's pages ({len(pages) - 1} of {len(pages) - 1})"


def test_every_line_says_why(pages):
    reasons = {block.text[:9]: block.reason for block in by_template(learn(pages), pages[0]).blocks}
    assert reasons["Home"] == "template: the same text on the site's pages (11 of 11)"
    assert reasons["Share thi"] == reasons["Home"]
    assert reasons["Heading 0"] == "content place of the site"
    rng = random.Random(0)
    [sentence(rng, 25) for _ in range(4)]
    rng.randrange(999)
    assert reasons[sentence(rng, 5)[:9]] == "template: a box whose links vary (related articles, ads)"


def test_a_line_among_the_paragraphs_that_repeats_stays(pages):
    plain = [page.replace("<p class=share>", "<p>").replace("</h1>", "</h1><p>By our own correspondent.</p><p>") for page in pages]
    inside = [page.replace("</p><p>", "</p><p>Advertisement follows.</p><p>", 3) for page in plain]
    assert "Advertisement follows." in by_template(learn(inside), inside[0]).text


def test_the_order_of_the_pages_does_not_matter(pages):
    shuffled = random.Random(1).sample(pages, len(pages))
    assert columns(learn(pages)) == columns(learn(shuffled))


def test_a_page_given_twice_counts_once(pages):
    assert columns(learn(pages)) == columns(learn([*pages, pages[3]]))


def test_updating_equals_learning_at_once(pages):
    assert columns(learn(pages[:5]).update(pages[5:])) == columns(learn(pages))


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 11), st.permutations(range(12)))
def test_parts_in_any_order_give_the_same_model(cut, order):
    pages = [article(number) for number in order]
    assert columns(learn(pages[:cut]).update(pages[cut:])) == columns(learn(article(number) for number in range(12)))


def test_class_names_that_vary_do_not_fragment_a_place(pages):
    assert not any("post-7" in place.path for place in learn(pages).places)
    assert learn(pages).describe()["content"][0].endswith("div.entry.post-0")


def test_categories_among_class_names_are_one_place():
    pages = [article(number).replace("entry post-", f"entry category-{'abc'[number % 3]} post-") for number in range(12)]
    assert not [line for line in CHROME if line in by_template(learn(pages), article(99).replace("entry", "entry category-d")).text]


def test_one_page_is_no_template(pages):
    document = learn(pages[:1]).clean(pages[0])
    assert document.text == tamis.extract(pages[0]).text
    assert document.problems == ("too few pages of the site are known: cleaned on its own",)


def test_there_must_be_pages_to_learn_from(pages, tmp_path):
    with pytest.raises(UsageError, match="no page to learn from"):
        learn([])
    with pytest.raises(SourceError, match="no file or folder"):
        learn("site/news")
    with pytest.raises(UsageError, match="named by its path"):
        learn("<p>One page")
    with pytest.raises(UsageError, match="not int"):
        learn(b"<p>One page")
    with pytest.raises(UsageError, match="a path, not HTML"):
        learn(["a.html"])


def test_a_folder_is_its_pages_that_can_be_read(pages, tmp_path):
    for number, page in enumerate(pages):
        (tmp_path / f"{number}.html").write_text(page, encoding="utf-8")
    (tmp_path / "broken.html").write_bytes(b"%PDF-1.7")
    expected = [page.key for page in learn([tmp_path / f"{number}.html" for number in range(len(pages))]).evidence]
    for folder in (tmp_path, str(tmp_path)):
        assert [page.key for page in learn(folder).evidence] == expected
    assert repr(tamis.learn(str(tmp_path), method="style-tree")) == repr(tamis.learn(tmp_path, method="style-tree"))


def test_a_page_of_another_site_is_cleaned_by_itself(pages):
    other = f"<html><body><table><tr><td class=x>{'Something quite different. ' * 9}</table></body></html>"
    document = learn(pages).clean(other)
    assert document.text == tamis.extract(other).text
    assert document.problems == ("the page has no known layout: cleaned on its own",)


def test_copies_of_one_page_do_not_erase_each_other(pages):
    twins = [pages[0], pages[0].replace("page-0", "page-77"), pages[0].replace("Page 0", "Page 78").replace("page-0", "page-78")]
    model = learn([*twins, *pages[1:3]])
    assert by_template(model, pages[0]).text.count(".") == 4
    assert by_template(learn(twins), pages[0]).text, "a site of copies is not emptied either"


def test_text_that_repeats_in_varying_places_is_no_template():
    quote = "The harbour was quiet that morning, and nobody saw the ship leave."
    pages = [
        article(number, body=[sentence(random.Random(number), 25), quote, sentence(random.Random(-number), 25)]) for number in range(1, 12)
    ]
    assert quote in learn(pages).clean(pages[0]).text


def test_a_site_is_never_emptied(pages):
    same = [article(number, body=[f"{number}"]) for number in range(8)]
    assert all(learn(same).clean(page).text for page in same)


@pytest.mark.parametrize("page", ["", "<p>", b"\x00\xff", "<div>" * 5000, "<frameset>"])
def test_odd_pages_are_learned_and_cleaned(pages, page):
    assert isinstance(learn([page, *pages[:2]]).clean(page).text, str)
    assert isinstance(learn([page, page]).clean(pages[0]).text, str)


def test_rules_win_over_what_was_learned(pages):
    model = learn(pages, rules=Rules(keep=("#side",), drop=("h1", "#side h3")))
    blocks = {block.text[:9]: block.reason for block in model.explain(pages[0])}
    text = model.clean(pages[0]).text
    assert "stories of the harbour" in text
    assert "Heading" not in text
    assert "About this site" not in text
    assert (blocks["This site"], blocks["Heading 0"]) == ("kept by rule", "dropped by rule")


def test_what_a_rule_keeps_changes_no_other_decision(pages):
    cards = "".join(
        f"<div class=card><a href=/{k}>Boat number {k} of the harbour</a><p>It sails at {k} in the morning.</div>" for k in range(6)
    )
    page = pages[0].replace("</body>", f"<section>{cards}</section></body>")
    assert "class=card" in page
    plain, ruled = (learn([page, *pages[1:]], rules=rules).clean(page) for rules in (Rules(), Rules(keep=("section .card:first-child",))))
    kept, now = ({block.node for block in document.blocks if block.kept} for document in (plain, ruled))
    assert kept < now
    assert ruled.selection.unruled is None


def test_a_rule_that_is_no_css_is_refused():
    with pytest.raises(UsageError, match="is not a CSS selector"):
        Rules(drop=("p..x",))


def test_the_template_text_is_given_back_once(pages, tmp_path):
    for number, page in enumerate(pages):
        (tmp_path / f"{number:03}.html").write_text(page, encoding="utf-8")
    once = learn(pages).template_text(pages).splitlines()
    assert learn(tmp_path).template_text(tmp_path).splitlines() == once
    assert learn(str(tmp_path)).template_text(str(tmp_path)).splitlines() == once
    assert len(once) == len(set(once))
    assert "Home" in once
    assert "This site tells stories of the harbour town, written by its people since 1987." in once


def test_layouts_are_told_apart(pages):
    shop = [
        f"<body><table class=shop><tr class=item><td class=price>{n}<td class=name>{sentence(random.Random(n))}</table>" for n in range(9)
    ]
    model = learn([*pages, *shop])
    assert [len(layout.members) for layout in model.layouts] == [12, 9]
    assert model.layout_of(tamis.parse(pages[0]))[0] != model.layout_of(tamis.parse(shop[0]))[0]
    assert model.layout_of(tamis.parse("<body><p class=x>neither"))[0] == -1


def test_saved_and_loaded_it_is_the_same(pages, tmp_path):
    model = learn(pages, SiteSettings(alike=0.4), Rules(drop=("h1",)))
    model.save(tmp_path / "model")
    again = SiteModel.load(tmp_path / "model")
    assert columns(again) == columns(model)
    assert (again.settings, again.rules) == (model.settings, model.rules)
    assert all(again.clean(page).text == model.clean(page).text for page in pages)
    again.save(tmp_path / "again")
    for file in (tmp_path / "model").iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes()
    assert columns(again.update([article(50)])) == columns(model.update([article(50)]))


def test_without_evidence_it_can_be_applied(pages, tmp_path):
    learn(pages).save(tmp_path / "model", evidence=False)
    assert SiteModel.load(tmp_path / "model").clean(pages[0]).text == learn(pages).clean(pages[0]).text
    with pytest.raises(UsageError, match="cannot be updated"):
        SiteModel.load(tmp_path / "model").update(pages)


def test_saving_replaces_a_model_but_nothing_else(pages, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "x.txt").write_text("mine")
    with pytest.raises(ModelError, match="not a site model"):
        learn(pages).save(tmp_path / "notes")
    learn(pages[:4]).save(tmp_path / "model")
    learn(pages).save(tmp_path / "model")
    assert columns(SiteModel.load(tmp_path / "model")) == columns(learn(pages))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model", "notes"]


@pytest.mark.parametrize(
    ("name", "value"), [("least_pages", "x"), ("least_pages", 1.5), ("alike", []), ("alike", float("nan")), ("alike", True)]
)
def test_settings_of_another_type_are_damage(pages, tmp_path, name, value):
    learn(pages).save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    head = json.loads(file.read_text(encoding="utf-8"))
    head["settings"][name] = value
    file.write_text(json.dumps(head), encoding="utf-8")
    with pytest.raises(ModelError, match=name):
        SiteModel.load(tmp_path / "model")


def test_a_damaged_or_newer_model_is_refused(pages, tmp_path):
    folder = tmp_path / "model"
    with pytest.raises(ModelError, match=r"no model\.json"):
        SiteModel.load(folder)
    learn(pages).save(folder)
    head = (folder / "model.json").read_text()
    for wrong, said in [("{", "is damaged"), ("[]", "is damaged"), (head.replace('"version": 8', '"version": 7'), "version 7")]:
        (folder / "model.json").write_text(wrong)
        with pytest.raises(ModelError, match=said):
            SiteModel.load(folder)
    (folder / "model.json").write_text(head.replace('"layouts"', '"layout"'))
    with pytest.raises(ModelError, match="is damaged: it has no 'layouts'"):
        SiteModel.load(folder)
    (folder / "model.json").write_text(head)
    whole = (folder / "columns.npz").read_bytes()
    for part in (whole[: len(whole) // 2], whole[: len(whole) // 2] + b"damage" + whole[len(whole) // 2 + 6 :], b""):
        (folder / "columns.npz").write_bytes(part)
        with pytest.raises(ModelError, match="is damaged"):
            SiteModel.load(folder)
    (folder / "columns.npz").write_bytes(whole)
    assert SiteModel.load(folder)
    (folder / "columns.npz").unlink()
    with pytest.raises(ModelError, match=r"is damaged: .*columns\.npz"):
        SiteModel.load(folder)


@pytest.mark.parametrize("site", ["lgkonline", "54chen", "histoire-reunion"])
def test_real_sites_keep_their_text_and_lose_their_noise(site):
    folder = Path(os.environ.get("TAMIS_DATA", Path(__file__).parents[3] / "shared" / "data")) / "sites" / site
    if not folder.exists():
        pytest.skip(f"needs the real pages of {site}")
    pytest.importorskip("cssselect")
    pages = read_gold(folder, 40)
    model = learn(page.path for page in pages[::2])
    lost, kept = [], []
    for page in pages[1::2]:
        text = model.clean(page.path).text
        lost.append(content_lost(text, page.main, page.unit))
        kept.append(1 - noise_removed(text, page.main, page.noise or "", ignored=page.ignored, unit=page.unit))
    assert np.mean(lost) < 0.03
    assert np.mean(kept) < 0.25


def test_numbers_are_shares(pages):
    for place in learn(pages).places:
        assert all(0 <= share <= 1 for share in (place.links, place.repeated, place.main / max(place.words, 1)))


@given(st.permutations(range(12)), st.integers(1, 12), st.integers(2, 6))
@settings(max_examples=15)
def test_a_bounded_sample_is_the_same_for_any_order_and_partition(pages, order, cut, most):
    bounded = SiteSettings(most_pages=most)
    given_at_once = learn(pages, bounded)
    parts = [pages[k] for k in order]
    in_parts = learn(parts[:cut], bounded).update(parts[cut:])
    assert len(given_at_once.evidence) == most
    assert [page.key for page in in_parts.evidence] == [page.key for page in given_at_once.evidence]
    assert columns(in_parts) == columns(given_at_once)


def test_a_packed_model_is_the_same_model(pages):
    model = learn(pages[:8]).without_evidence()
    packed = model.pack()
    assert model.pack() == packed
    again = unpack_site(packed)
    assert isinstance(again, SiteModel)
    assert columns(again) == columns(model)
    assert again.clean(pages[9]).text == model.clean(pages[9]).text
    with pytest.raises(ModelError, match="damaged"):
        unpack_site(packed[:100])
    with pytest.raises(ModelError, match="learn anew"):
        unpack_site(b"PK and the rest of an archive")


@pytest.mark.parametrize(
    ("column", "place", "value"),
    [
        ("sample_place", 0, 2**64 - 1),
        ("sample_place_sums", (0, 0), 0),
        ("page_bytes", 0, 5),
        ("pages", 0, 255),
    ],
)
def test_a_tampered_column_is_one_clear_error(pages, tmp_path, column, place, value):
    learn(pages[:8]).save(tmp_path / "model")
    file = tmp_path / "model" / "columns.npz"
    columns = dict(np.load(file))
    columns[column][place] = value
    np.savez(file, **columns)
    with pytest.raises(ModelError, match="damaged"):
        SiteModel.load(tmp_path / "model")


@pytest.mark.parametrize("change", [lambda column: column[:-1], lambda column: column.astype("<U9"), lambda column: column[None]])
@pytest.mark.parametrize("name", ["sample_place", "sample_text", "sample_container_sums", "page_bytes"])
def test_a_column_of_another_form_is_one_clear_error(pages, tmp_path, name, change):
    learn(pages[:8]).save(tmp_path / "model")
    file = tmp_path / "model" / "columns.npz"
    columns = dict(np.load(file))
    np.savez(file, **{**columns, name: change(columns[name])})
    with pytest.raises(ModelError, match="damaged"):
        SiteModel.load(tmp_path / "model")


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (["names"], [1, None]),
        (["names"], "div"),
        (["rules", "keep"], [{}]),
        (("pages",), None),
        (("layouts",), [{"sketch": ["zz"], "pages": [0]}]),
        (("settings", "alike"), {"nothing": 1}),
        (("names",), 5),
        (("rules",), []),
    ],
)
def test_a_tampered_head_is_one_clear_error(pages, tmp_path, keys, value):
    learn(pages[:8]).save(tmp_path / "model")
    path = tmp_path / "model" / "model.json"
    head = json.loads(path.read_text())
    at = head
    for key in keys[:-1]:
        at = at[key]
    at[keys[-1]] = value
    path.write_text(json.dumps(head))
    with pytest.raises(ModelError, match="damaged"):
        SiteModel.load(tmp_path / "model")
