"""What a site model learned, in plain values: for people, and for programs that show it."""

from __future__ import annotations

from typing import Any

from tamis.site.model import SiteModel
from tamis.site.template import LINKS, STATIC, VERDICTS


def describe(model: SiteModel) -> dict[str, Any]:
    """A model in plain values: for people, the parts of the template that no other part holds, heaviest first."""
    learned = model.template
    noisy = [place for place in range(len(learned.place)) if learned.verdict[place] in (STATIC, LINKS)]
    parts = [place for place in noisy if int(learned.parent[place]) not in set(noisy)]
    parts.sort(key=lambda place: (-learned.length[place], learned.path(place)))
    return {
        "pages": learned.pages,
        "layouts": [len(layout.members) for layout in model.layouts],
        "content": [learned.path(place) for place in (learned.chain[-1] if learned.chain else ())],
        "template": [
            {
                "path": learned.path(place),
                "verdict": VERDICTS[learned.verdict[place]],
                "pages": int(learned.on_pages[place]),
                "characters_a_page": round(float(learned.length[place] / learned.on_pages[place])),
                "links": round(float(learned.link_share[place]), 3),
                "repeated": round(float(learned.repeated_share[place]), 3),
            }
            for place in parts
        ],
        "rules": {"keep": list(model.rules.keep), "drop": list(model.rules.drop)},
    }
