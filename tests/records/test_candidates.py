import numpy as np

from tamis import parse
from tamis.records.candidates import candidates, generalised, places, runs_from
from tests.records.pages import shop


def groups(html):
    page = places(parse(html))
    return {(tuple(page.tree.text(int(head)) for head in found.heads), found.run) for found in candidates(page)}


def runs(html):
    page = places(parse(html))
    return [
        [
            " ".join(page.tree.text(node) for node in range(first, after) if page.tree.parent[node] == page.tree.parent[first])
            for first, after in found.spans
        ]
        for found in candidates(page)
        if found.run
    ]


def test_nodes_of_one_tag_under_one_parent_are_a_candidate():
    assert (("a", "b", "c"), False) in groups("<ul><li>a<li>b<li>c</ul>")


def test_nodes_of_one_class_are_a_candidate_among_others_of_the_tag():
    assert (("a", "c"), False) in groups("<div><p class=x>a<p>b<p class=x>c</div>")


def test_numbers_in_names_do_not_make_kinds():
    assert generalised({"class": "post-17 wide", "id": "p17"}) == generalised({"class": "post-9 wide", "id": "p9"})
    assert (("a", "c"), False) in groups('<div><p class="n-1">a<p>b<p class="n-2">c</div>')


def test_lists_at_one_path_are_one_candidate_across_parents():
    assert (("a", "b", "c", "d"), False) in groups("<div><ul><li>a<li>b</ul></div><div><ul><li>c<li>d</ul></div>")


def test_nodes_that_show_nothing_are_in_no_candidate():
    assert not any("" in texts for texts, _ in groups("<ul><li>a<li><li>b<li><b></b></ul>"))


def test_what_is_hidden_shows_nothing():
    assert not any("x" in texts for texts, _ in groups('<ul><li>a<li hidden>x<li>b<li style="display: none">x<li class=sr-only>x</ul>'))


def test_no_group_comes_twice():
    page = places(parse(shop()))
    found = [(tuple(each.heads.tolist()), each.run) for each in candidates(page)]
    assert len(found) == len(set(found))


def test_a_heading_begins_a_run_of_siblings():
    assert ["one a b", "two c", "three d e"] in runs("<div><h3>one</h3><p>a<p>b<h3>two</h3><p>c<h3>three</h3><p>d<p>e</div>")


def test_terms_and_definitions_are_runs():
    assert ["a 1", "b 2", "c 3"] in runs("<dl><dt>a<dd>1<dt>b<dd>2<dt>c<dd>3</dl>")


def test_texts_after_links_belong_to_their_runs():
    assert ["a one", "b two", "c three"] in runs("<p><a href=/a>a</a> one <a href=/b>b</a> two <a href=/c>c</a> three</p>")


def test_what_stands_before_a_link_on_its_line_belongs_to_its_run():
    wanted = ["0.9 a one", "0.8 b two", "0.7 c three"]
    lines = ("0.9 <a href=/a>a</a> one", "0.8 <a href=/b>b</a> two", "0.7 <a href=/c>c</a> three")

    def of(html):
        return [[" ".join(text.split()) for text in texts] for texts in runs(html)]

    assert wanted in of(f"<div>{'<br>'.join(lines)}</div>")
    assert ["0.9 a", "0.8 b", "0.7 c"] in of("<pre>0.9 <a href=/a>a</a>\n0.8 <a href=/b>b</a>\n0.7 <a href=/c>c</a></pre>")


def test_the_line_above_a_link_does_not_belong_to_its_run():
    assert ["a  one ", "b  two"] in runs("<div>List:<br><a href=/a>a</a><br>one<br><a href=/b>b</a><br>two</div>")


def test_the_last_run_ends_before_a_sibling_that_the_others_have_not():
    found = runs("<div><h3>one</h3><p>a<h3>two</h3><p>b<h3>three</h3><p>c<form>search</form></div>")
    assert ["one a", "two b", "three c"] in found


def test_heads_side_by_side_begin_no_runs():
    page = places(parse("<ul><li>a<li>b<li>c</ul>"))
    items = [node for node in range(len(page.tree)) if page.tree.name(node) == "li"]
    assert runs_from(page, np.array(items)) is None


def test_a_row_of_header_cells_is_no_record():
    found = groups("<table><tr><th>Port<th>High<tr><td>Brest<td>7<tr><td>Cork<td>4</table>")
    assert (("Brest 7", "Cork 4"), False) in found
    assert not any("Port High" in texts for texts, _ in found)


def test_a_header_cell_in_each_row_keeps_the_rows():
    assert (("a 1", "b 2"), False) in groups("<table><tr><th>a<td>1<tr><th>b<td>2</table>")
