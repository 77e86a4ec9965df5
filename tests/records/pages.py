"""Hand-made list pages: a harbour's shop with a menu, a list of boats, and a footer."""

from __future__ import annotations

from tamis.page.tree import PageTree

BOATS = [
    ("Gannet", "A small cutter with a new deck and sails from last year.", "4,200", "gannet.jpg"),
    ("Tern", "Sleeps two, if both are short. Rigged for one hand.", "2,900", None),
    ("Petrel", "Built for rough water, and it shows in the galley.", None, "petrel.jpg"),
    ("Plover", "The engine runs. The heads do not, but the price says so.", "1,150", "plover.jpg"),
    ("Curlew", "A long keel and a patient owner; ask for the winter berth.", "6,000", None),
]


def boat(name: str, text: str, price: str | None, image: str | None) -> str:
    return (
        f'<li class="boat boat-{len(name)}">'
        + (f"<img src=/img/{image}>" if image else "")
        + f'<h3><a href="/boats/{name.lower()}">{name}</a></h3><p class=about>{text}</p>'
        + (f"<span class=price>{price}</span>" if price else "")
        + "</li>"
    )


def shop(boats: list[tuple[str, str, str | None, str | None]] = BOATS, heading: str = "Boats for sale") -> str:
    menu = "".join(
        f"<li><a href=/{word}>{word}</a></li>" for word in "home boats sails ropes paint charts moorings news about contact".split()
    )
    return (
        f"<html><body><nav><ul>{menu}</ul></nav><div id=main><h1>{heading}</h1>"
        f"<ul class=boats>{''.join(boat(*each) for each in boats)}</ul></div>"
        "<footer><p>Harbour office, quay 3</p><p>Open from eight to four</p></footer></body></html>"
    )


def one(tree: PageTree, tag: str, number: int = 0) -> int:
    """The index of an element."""
    return [node for node in range(len(tree)) if tree.name(node) == tag][number]
