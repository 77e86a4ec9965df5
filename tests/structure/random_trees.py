"""Small random pages with many equal subtrees."""

from hypothesis import strategies as st


def _element(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    inner = st.lists(children, max_size=4).map("".join)
    return st.builds("<{0}>{1}</{0}>".format, st.sampled_from(["div", "section"]), inner)


ELEMENT = st.recursive(st.sampled_from(["<div></div>", "<section></section>", "<main></main>", "text"]), _element, max_leaves=14)
HTML = st.lists(ELEMENT, max_size=5).map("".join)
