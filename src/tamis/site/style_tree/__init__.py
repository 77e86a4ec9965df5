"""Site Style Tree: what is the same in the same place of a site's layout is noise (Yi, Liu and Li, 2003).

>>> from tamis import parse
>>> names = ["one", "two", "three", "four", "five"]
>>> pages = [parse(f"<div>Home News About</div><div><h1>{name}</h1><p>All about {name}.</div>") for name in names]
>>> tree = StyleTree.build(pages)
>>> model = simplify(tree)
>>> selection = model.map_page(pages[0])
>>> "".join(text for text, node in zip(pages[0].texts, pages[0].text_nodes) if selection.keep[node])
'oneAll about one.'
"""

from tamis.site.style_tree.cleaning import SimplifiedTree, StyleTreeMethod, meaningful, noisy, simplify
from tamis.site.style_tree.importance import Importance, choose_threshold, composite_importance, importance, node_importance
from tamis.site.style_tree.rows import ElementPlaces, Features, StyleCleaning, StyleSettings, features, places
from tamis.site.style_tree.table import Elements, LeafFeatures, Styles, StyleTree

__all__ = [
    "ElementPlaces",
    "Elements",
    "Features",
    "Importance",
    "LeafFeatures",
    "SimplifiedTree",
    "StyleCleaning",
    "StyleSettings",
    "StyleTree",
    "StyleTreeMethod",
    "Styles",
    "choose_threshold",
    "composite_importance",
    "features",
    "importance",
    "meaningful",
    "node_importance",
    "noisy",
    "places",
    "simplify",
]
