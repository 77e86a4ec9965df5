"""Pages grouped by layout."""

from hypothesis import given
from hypothesis import strategies as st

import tamis
from tamis.site.digest import digest
from tamis.structure.clusters import cluster, similarity_matrix
from tamis.structure.layouts import FEW_NAMES, KnownLayouts, best, group, likeness, sketch


def test_a_sketch_knows_names_not_numbers_or_order():
    assert sketch(["div\t.post\t#post-17", "p"]) == sketch(["p", "div\t#post-18\t.post"])


def test_pages_of_two_templates_make_two_layouts():
    posts = [sketch(["div\t.post", "h1\t.title", "p", f"b\t.own-{'abc'[n]}"]) for n in range(3)]
    items = [sketch(["table\t.shop", "td\t.price", "td\t.name"]) for _ in range(2)]
    layouts = group([*posts, *items])
    assert [layout.members for layout in layouts] == [(0, 1, 2), (3, 4)]
    assert best([likeness(items[0], layout.sketch) for layout in layouts]) == (1, 1.0)


def bare_pages():
    """Pages of two layouts without class names: lists of 1 to 4 rows, and stories of 1 to 4 paragraphs."""
    rows = ["<table><tr><th>No<th>Name</table><table>" + f"<tr><td><b>{n}</b><td><i>it</i>" * n + "</table>" for n in range(1, 5)]
    stories = ["<center><font>Story</font></center>" + "<p>Once <em>upon</em> a time.<hr>" * n for n in range(1, 5)]
    return [tamis.parse(f"<body>{each}") for each in (*rows, *stories)]


def test_pages_without_class_names_are_grouped_by_their_tag_paths_as_free_matching_groups_them():
    trees = bare_pages()
    pages = [digest(tree).digest for tree in trees]
    layouts = group([sketch(page.names, page.paths) for page in pages])
    by_matching = cluster(similarity_matrix(trees)).tolist()
    assert [layout.members for layout in layouts] == [(0, 1, 2, 3), (4, 5, 6, 7)]
    assert by_matching == [0, 0, 0, 0, 1, 1, 1, 1]


def test_a_page_with_class_names_has_no_tag_paths():
    names = " ".join(f"c{letter}" for letter in "abcdefgh"[:FEW_NAMES])
    few, enough = (digest(tamis.parse(f"<div class='{each}'><p>Text")).digest for each in ("ca", names))
    assert len(few.paths) == 2  # to head, and to the paragraph
    assert len(enough.paths) == 0


def test_without_layouts_nothing_is_near():
    assert best([]) == (-1, 0.0)


SKETCHES = st.lists(st.frozensets(st.integers(0, 9), min_size=1, max_size=6), max_size=12)


@given(SKETCHES)
def test_every_page_is_in_one_layout(sketches):
    members = sorted(member for layout in group(sketches) for member in layout.members)
    assert members == list(range(len(sketches)))


@given(SKETCHES.filter(lambda sketches: len(sketches) > 1))
def test_likeness_is_symmetric_and_one_on_itself(sketches):
    a, b = sketches[:2]
    assert likeness(a, a) == 1
    assert likeness(a, b) == likeness(b, a)
    assert 0 <= likeness(a, b) <= 1


NAMES = st.lists(st.sampled_from(["p", "b", "div\t.a", "div\t.b\t#c1", "div\t.b\t#c2", "ul\t.x", "ul\t.y", "i\t#z"]), unique=True)


@given(st.lists(NAMES, max_size=4), st.lists(NAMES, max_size=4))
def test_known_layouts_are_compared_by_what_any_of_them_has(layouts, pages):
    sketches = [sketch(names) for names in layouts]
    known = KnownLayouts(sketches)
    seen_anywhere = frozenset().union(*sketches)
    for names in [*pages, *pages]:
        seen = sketch(names)
        if not seen & seen_anywhere:
            seen = sketch([name.split("\t")[0] for name in names]) & seen_anywhere if all("\t" not in name for name in names) else seen
        assert known.likeness(names) == [likeness(seen & seen_anywhere, layout) for layout in sketches]
