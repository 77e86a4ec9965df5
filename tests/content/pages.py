"""Pages for the node model: written for these tests."""

from dataclasses import replace

from tamis import parse
from tamis.page.tree import PageTree

SENTENCES = (
    "The ferry leaves the harbour at six, long before the cafés open, and takes the bread to the islands.",
    "On the way back it carries the mail, two schoolchildren, and whatever the gardens have to offer that week.",
    "In winter, when ice lies on the sound, the captain waits until noon; nobody on the islands complains.",
    "Since the bridge was planned, three times already, the old ship has been given up, and three times kept.",
)

CHINESE = (
    "渡轮六点离开港口，那时咖啡馆还没有开门，它把面包送到各个岛上。",
    "回来的路上，它带着邮件、两个学生，还有那一周菜园里能拿出来的东西。",
    "冬天海峡结冰的时候，船长会等到中午；岛上没有人抱怨。",
    "自从计划修桥以来，这艘老船已经三次被放弃，又三次被留下。",
)


def article(sentences=SENTENCES, classes=True, title="The morning ferry"):
    def named(name):
        return f' class="{name}"' if classes else ""

    links = "".join(f'<li{named("menu-item")}><a href="/{n}">Section {n}</a></li>' for n in range(8))
    related = "".join(f'<li{named("related-item")}><a href="/r{n}">Another story, number {n}</a></li>' for n in range(5))
    text = "".join(f"<p>{sentence}</p>" for sentence in sentences * 2)
    return (
        f"<!doctype html><html><head><title>{title}</title></head><body>"
        f"<header><nav{named('main-menu')}><ul>{links}</ul></nav></header>"
        f"<main><article{named('post')}><h1>{title}</h1><div{named('entry-content')}>{text}</div></article>"
        f"<aside{named('sidebar')}><h3>Related</h3><ul>{related}</ul></aside></main>"
        f"<footer{named('site-footer')}><p>© The harbour office. All rights reserved.</p></footer></body></html>"
    )


def named_page(names: list[tuple[str, str]]) -> PageTree:
    """A page of texts in elements with some class names and ids, of any characters, one around the other and one after the other."""
    tree = parse("<body class=nav>" + "<div>a" * len(names) + "</div>" * len(names) + "<p>b" * len(names))
    given = iter([*names, *names])
    attributes = [
        dict(zip(("class", "id"), next(given), strict=True)) if tree.name(k) in ("div", "p") else own
        for k, own in enumerate(tree.attributes)
    ]
    return replace(tree, attributes=attributes)
