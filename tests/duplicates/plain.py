"""What the room does, said in the plainest way: all pairs, one document after the other."""

from __future__ import annotations

from itertools import combinations, pairwise

from tamis.duplicates.documents import badness, instant
from tamis.duplicates.rule import compare_signatures
from tamis.duplicates.signature import signature
from tamis.io.addresses import canonical


def overlap(shingles, others, bound, passage, passages, demanded, window, share):
    """:func:`tamis.duplicates.signature.overlaps` with one other, with lists and loops."""
    there = set(others)
    hits = [value in there for value in shingles]
    features = [hit for value, hit in zip(shingles, hits, strict=True) if value < bound]
    cuts = [number * passage for number in range(passages)] + [len(features)]
    found = sum(sum(features[a:b]) >= demanded for a, b in pairwise(cuts)) if features else 0
    count = max(len(hits) // window, 1)
    edges = [number * window for number in range(count)] + [len(hits)]
    parts = [hits[a:b] for a, b in pairwise(edges)]
    return sum(hits), found, sum(sum(part) >= max(1, share * len(part)) for part in parts)


def pairs(documents, rule):
    """Every pair that the rule accepts, by comparing all."""
    made = {document.id: signature(document.text, rule.signature) for document in documents}
    return {(a, b): evidence for a, b in combinations(sorted(made), 2) if (evidence := compare_signatures(made[a], made[b], rule)).same}


def kept_for(documents, settings):
    """Copies and what is kept for them, one document after the other, each compared with all that are kept."""
    made = {document.id: signature(document.text, settings.rule.signature) for document in documents}

    def rank(document):
        length = -made[document.id].letters
        moment = instant(document.time)
        time = float("inf") if moment is None else moment
        address = badness(document.url)
        orders = {"longest": (length, time, address), "earliest": (time, length, address), "best address": (address, length, time)}
        return (*orders[settings.survivor], document.id)

    def address(document):
        return canonical(document.url) if settings.addresses and document.url else None

    kept, copies = [], {}
    for document in sorted(documents, key=rank):
        mine = made[document.id]
        if not settings.rule.has_enough(mine):
            continue
        same_text = [other for other in kept if made[other.id].digest == mine.digest]
        same_address = [other for other in kept if address(document) is not None and address(other) == address(document)]
        alike = [other for other in kept if compare_signatures(mine, made[other.id], settings.rule).same]
        first = [*same_text, *same_address, *alike][:1]
        if first:
            copies[document.id] = first[0].id
        else:
            kept.append(document)
    return copies
