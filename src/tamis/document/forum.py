"""Tell whether a page is a thread of a forum, or of a site that a forum's software made."""

from __future__ import annotations

import re
from collections.abc import Callable

from tamis.document.comment import MESSAGE
from tamis.document.structured_comments import is_stated_thread
from tamis.page import tags
from tamis.page.caching import of_page
from tamis.page.element_names import element_name
from tamis.page.lexicon import WordPattern, either
from tamis.page.tree import PageTree, contains_any

_ADDRESS = WordPattern(either("forum address"))
_TYPES = ("DiscussionForumPosting", "QAPage")
_TYPE = re.compile(rf'"@type"\s*:\s*\[?\s*"(?:https?://schema.org/)?(?:{"|".join(_TYPES)})"')
_WORD = WordPattern(either("forum"))
_FORUM = re.compile(r"(?:^|[/.])(?:forums?|viewforum|forumdisplay)(?:[/.?-]|$)", re.I)
_AREAS = tags.lookup(tags.codes("div section article aside ul ol dl table"))
_CANONICAL, _OG_URL = ("canonical",), ("og:url",)
_HEAD = tags.lookup(tags.codes("link meta"))
_WHOLE = tags.lookup(tags.codes("html head body"))


def is_forum(tree: PageTree, url: str | None = None) -> bool:
    """Return whether a page is a thread, or was made by a forum's software by its class names or ids."""
    return is_thread(tree, url) or _is_of_forum(tree)


@of_page
def _is_of_forum(tree: PageTree) -> bool:
    if tree.values("id").passing(MESSAGE.match, ("message",)):
        return True
    named = (tree.values(name).nodes(_names_forum, _WORD.hints) for name in ("class", "id"))
    return any(tags.within(_AREAS, tree.tag[nodes]).any() for nodes in named if len(nodes))


def _names_forum(names: str) -> bool:
    return _WORD.search(element_name("", names, None)) is not None


def is_thread(tree: PageTree, url: str | None = None) -> bool:
    """Return whether a page is a thread of a forum or the like, by its address, JSON-LD or breadcrumbs: comments are then its text."""
    address = url or _stated_address(tree)
    return bool(contains_any([address], _ADDRESS.hints) and _ADDRESS.search(address)) or _is_by_itself(tree)


@of_page
def _is_by_itself(tree: PageTree) -> bool:
    """Return whether a page states that it is a thread, or its first breadcrumbs lead through a forum, as on threads with an address of no
    special form."""
    if is_stated_thread(tree) or any(_TYPE.search(stated) for stated in tree.json_ld if any(map(stated.__contains__, _TYPES))):
        return True
    links = tree.values("href")
    if not (forums := links.passing(_FORUM.search, ("forum",))):
        return False
    named = [values.of_codes(values.passing(bool, ("crumb",))) for values in (tree.values("class"), tree.values("id"))]
    first = int((crumbs := (named[0] | named[1]) & ~tree.of_tags(_WHOLE)).argmax())
    return bool(crumbs[first] and links.of_codes(forums)[first : tree.end[first]].any())


@of_page
def _stated_address(tree: PageTree) -> str:
    canonical = _of_head(tree, "rel", lambda name: "canonical" in name.lower().split(None, 4), _CANONICAL)
    stated = next(filter(None, map(tree.values("href").of, canonical)), None)
    if stated is None and (stating := _of_head(tree, "property", lambda name: name.lower() == "og:url", _OG_URL)):
        stated = tree.attribute(stating[-1], "content")
    return stated or ""


def _of_head(tree: PageTree, attribute: str, test: Callable[[str], object], words: tuple[str, ...]) -> list[int]:
    """Return the elements ``link`` and ``meta`` with a value that passes a test (:meth:`tamis.page.tree.Values.nodes`)."""
    nodes = tree.values(attribute).nodes(test, words)
    return nodes[tags.within(_HEAD, tree.tag[nodes])].tolist() if len(nodes) else []
