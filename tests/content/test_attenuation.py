"""Main text by information attenuation (Chen 2012)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tamis
from tamis.content.attenuation import Attenuation, select
from tamis.errors import UsageError

PARAGRAPH = "This paragraph says one thing, and takes its time to say it well. "


def text(page, method=Attenuation()):
    return tamis.extract(page, method=method).text


def topic(page, method=Attenuation()):
    tree = tamis.parse(page)
    return tree.xpath(select(tree, method).trail[-1].node)


def test_figure_1_the_parent_of_the_paragraphs_is_the_topic_subtree():
    page = f"""<body><div><a href=1>Home</a><a href=2>News</a></div>
    <div><div id=main><p>{PARAGRAPH}<p><span>{PARAGRAPH}</span><p>{PARAGRAPH}</div></div><div>Copyright</div></body>"""
    assert topic(page) == "/html[1]/body[1]/div[2]/div[1]"
    assert text(page) == "\n".join([PARAGRAPH.strip()] * 3)


def test_a_single_text_node_is_its_own_topic_subtree():
    assert text("<body><div><div><p>only this</p></div></div>") == "only this"


def test_a_node_with_one_child_is_passed_through_whatever_the_threshold():
    assert (
        topic(f"<body><div><section><p>{PARAGRAPH}<p>{PARAGRAPH}</section></div>", Attenuation(threshold=0))
        == "/html[1]/body[1]/div[1]/section[1]"
    )


@pytest.mark.parametrize(("side", "descends"), [(33, True), (36, False)])
def test_the_descent_ends_where_the_attenuation_exceeds_t(side, descends):
    page = f"<body><div id=a>{'x' * (100 - side)}</div><div id=b>{'y' * side}</div>"
    assert (text(page) == "x" * (100 - side)) == descends


def test_t_itself_is_not_exceeded():
    page = f"<body><div>{'x' * 66}</div><div>{'y' * 34}</div>"
    assert text(page) == "x" * 66


def test_link_text_does_not_count_on_the_way_down():
    links = "".join(f"<li><a href={n}>{'link text ' * 9}</a>" for n in range(9))
    assert topic(f"<body><ul>{links}</ul><div><p>{PARAGRAPH}<p>{PARAGRAPH}</div>") == "/html[1]/body[1]/div[1]"


def test_an_anchor_without_href_is_no_link():
    assert text(f"<body><a name=top><div><p>{PARAGRAPH}<p>{PARAGRAPH}</div>").count("This") == 2


def test_link_nodes_are_trimmed():
    page = f"<body><div><p>{PARAGRAPH}<p>{PARAGRAPH}<ul><li><a href=1>first link</a><li><a href=2>second link</a></ul></div>"
    assert "first link" not in text(page)
    assert "first link" in text(page, Attenuation(trim="none"))


def test_one_link_in_a_sentence_stays():
    page = f"<body><div><p>{PARAGRAPH}See <a href=1>the paper</a>.<p>{PARAGRAPH}<p><a href=2>A paragraph that is one link</a></div>"
    assert "See the paper." in text(page)
    assert "that is one link" in text(page)
    assert "the paper" not in text(page, Attenuation(trim="every"))


def test_a_page_of_links_is_not_emptied():
    assert "one" in text("<body><ul><li><a href=1>one</a> 1<li><a href=2>two</a> 2</ul>")


@pytest.mark.parametrize("tag", ["script", "style", "select", "iframe", "textarea", "object", "template", "noscript", "svg"])
def test_what_no_reader_sees_is_dropped(tag):
    assert "hidden" not in text(f"<body><div><p>{PARAGRAPH}<p>{PARAGRAPH}<{tag}>hidden</{tag}></div>")


def test_characters_count_alike_in_every_script():
    chinese = "网页的正文由多个段落组成。" * 6
    assert text(f"<body><div>导航 首页</div><div><p>{chinese}<p>{chinese}</div>") == f"{chinese}\n{chinese}"


def test_the_trail_tells_length_and_attenuation():
    tree = tamis.parse("<body><p>1234</p><p>123456</p>")
    trail = select(tree).trail
    assert [(tree.name(step.node), step.length, step.attenuation) for step in trail] == [("html", 10, 0.0), ("body", 10, 0.4)]


def test_every_node_has_a_reason():
    tree = tamis.parse(f"<body><script>x</script><div>side</div><div><p>{PARAGRAPH}<p>{PARAGRAPH}</div>")
    selection = select(tree)
    assert {selection.why(node) for node in range(len(tree))} == {
        "in the main element", "outside the main element", "title or script: not page text"
    }  # fmt: skip
    assert np.array_equal(selection.keep, [selection.why(node) == "in the main element" for node in range(len(tree))])


@pytest.mark.parametrize(
    "page", ["", " ", "<p>", "<body></body>", "<script>x</script>", "<frameset><frame src=x></frameset>", "<select><option>a</select>"]
)
def test_a_page_without_text_gives_nothing(page):
    document = tamis.extract(page)
    assert document.text == ""
    assert document.problems


@pytest.mark.parametrize("wrong", [{"threshold": -0.1}, {"threshold": 1.1}, {"link_density": 2}, {"trim": "some"}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(UsageError):
        Attenuation(**wrong)


def plain_topic(tree, node, threshold):
    """Algorithm 1 as the spec has it, node by node."""

    def length(of, linked=False):
        nodes = range(of, int(tree.end[of]))
        return sum(int(tree.text_length[n]) for n in nodes if (linked or not tree.in_link[n]) and not unread[n])

    unread = tree.subtree_mask(np.flatnonzero([tree.tag[n] in tamis.page.tags.UNSEEN for n in range(len(tree))]))
    while True:
        children = [child for child in tree.children(node).tolist() if length(child, linked=True) > 0]
        if not children:
            return node
        best = max(children, key=length)
        attenuation = (length(node) - length(best)) / length(node) if length(node) else 0
        if len(children) > 1 and (attenuation > threshold or not length(node)):
            return node
        node = best


PARTS = st.sampled_from(
    "<div> </div> <p> <a&href=x> </a> <ul><li> </ul> word& some&more&words& 字字字 <span> </span> <script>x</script>".split()
).map(lambda part: part.replace("&", " "))


@settings(max_examples=200)
@given(st.lists(PARTS, max_size=40).map("".join), st.floats(0, 1))
def test_the_descent_equals_the_plain_algorithm(html, threshold):
    tree = tamis.parse(html)
    selection = select(tree, Attenuation(threshold=threshold))
    if selection.trail:
        assert selection.trail[-1].node == plain_topic(tree, 0, threshold)
    else:
        assert tree.text() == "" or all(tree.tag[n] in tamis.page.tags.UNSEEN for n in tree.parent[tree.text_nodes])
