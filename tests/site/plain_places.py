"""The work of ``native/places.c`` in NumPy: the oracle of its tests."""

from collections import defaultdict

import numpy as np

from tamis.site.digest import LOG_ODDS_UNIT
from tamis.site.places import CONTAINER, KINDS, PLACE, PLACE_AND_TEXT, PROBABILITY
from tamis.structure.hashing import _BASE, mix, path_hashes

SALT = [np.uint64(value) for value in (0, 0x2545F4914F6CDD1D, 0x5851F42D4C957F2D)]


def depths(page):
    depth = []
    for above in page.parent.tolist():
        depth.append(0 if above < 0 else depth[above] + 1)
    return np.array(depth, dtype=np.int32)


def plain_keys(sample, page):
    """The keys of each element, uint64 ``(KINDS, e)``."""
    steps = sample.steps(page.names)[0].reshape(-1, 2)
    depth = depths(page)
    found = [path_hashes(steps[page.name, kind], depth, page.end) ^ SALT[kind] for kind in range(2)]
    step = mix(steps[page.name, 0] + _BASE)
    above = np.where(page.parent >= 0, step[page.parent], np.uint64(0))
    two = np.where(page.parent >= 0, above[page.parent], np.uint64(0))
    return np.stack([*found, mix(step * np.uint64(3) + above * np.uint64(5) + two * np.uint64(7)) ^ SALT[2]])


def odds(page):
    return page.log_odds.astype(np.int64), PROBABILITY[page.log_odds.astype(np.int64) + 8 * LOG_ODDS_UNIT].astype(np.int64)


def flags(sample, page):
    """Whether the text of each block is on many sample pages; and the pages that have it, and have it there."""
    there = plain_keys(sample, page)[0][page.element] * PLACE_AND_TEXT ^ page.text
    pages_of = dict(zip(sample.text.tolist(), sample.text_pages.tolist(), strict=True))
    at_place = dict(zip(sample.text_at.tolist(), sample.text_at_pages.tolist(), strict=True))
    pages = np.array([pages_of.get(text, 0) for text in page.text.tolist()])
    of_place = dict(zip(sample.place.tolist(), sample.place_sums[:, 0].tolist(), strict=True))
    with_text = np.array([at_place.get(text, 0) for text in there.tolist()])
    with_place = np.array([of_place.get(place, 0) for place in plain_keys(sample, page)[0][page.element].tolist()])
    return (pages >= sample.least) | ((with_text >= 2) & (with_text >= 0.3 * with_place)), pages, with_text


def plain_sums(page, frequent):
    """What a page adds: of each block, and below each element; the first column, of pages, is 0."""
    lo, p = odds(page)
    words, length, linked = (column.astype(np.int64) for column in (page.words, page.length, page.link_length))
    one = np.ones(len(lo), dtype=np.int64)
    of_blocks = np.stack([
        one * 0, one, p, lo, words, p * words, length, linked, frequent, frequent * p, lo < -LOG_ODDS_UNIT, lo > 2 * LOG_ODDS_UNIT,
    ], axis=1).astype(np.float64)  # fmt: skip
    own = np.where(frequent, 0, length - linked)
    rows = np.stack([
        one * 0, one, p, words, p * words, frequent * words, words * linked * 256 // np.maximum(length, 1),
        own * 65536 // max(int(own.sum()), 1),
    ], axis=1).astype(np.float64)  # fmt: skip
    below = np.zeros((len(page.name), rows.shape[1]))
    for element in range(len(page.name)):
        inside = (page.element >= element) & (page.element < page.end[element])
        below[element] = rows[inside].sum(axis=0)
    return of_blocks, below


def plain_sample(sample, pages):
    """The tables of a sample as two dicts from keys to sums."""
    places, containers = defaultdict(lambda: np.zeros(len(PLACE))), defaultdict(lambda: np.zeros(len(CONTAINER)))
    for page in pages:
        frequent, _, _ = flags(sample, page)
        keys, (of_blocks, below) = plain_keys(sample, page), plain_sums(page, frequent)
        for own, rows, sums in (
            (keys[:, page.element].ravel(), np.tile(of_blocks, (len(KINDS), 1)), places),
            (keys[0], below, containers),
        ):
            for key, row in zip(own.tolist(), rows, strict=True):
                sums[key] += row
            for key in set(own.tolist()):
                sums[key][0] += 1
    return places, containers


def shifted(column, by):
    found = np.full(len(column), np.nan)
    for at in range(len(column)):
        if 0 <= at + by < len(column):
            found[at] = column[at + by]
    return found


def around(column, reach):
    found = np.full(len(column), np.nan)
    for at in range(len(column)):
        near = column[max(at - reach, 0) : at + reach + 1]
        if (~np.isnan(near)).any():
            found[at] = np.nanmean(near)
    return found


def divided(part, whole):
    return part / whole if whole > 0 else np.nan


def plain_gather(sample, page, likeness):
    """:meth:`tamis.site.places.Sample.gather`, one block after the other."""
    own = sample.holds(page)
    pages = max(sample.pages - own, 1)
    frequent, on, there = flags(sample, page)
    keys = plain_keys(sample, page)
    places, containers = (
        dict(zip(of.tolist(), sums, strict=True))
        for of, sums in ((sample.place, sample.place_sums), (sample.container, sample.container_sums))
    )
    mine = plain_of_one(page, keys, plain_sums(page, frequent)) if own else (defaultdict(float), defaultdict(float))
    lo, p = odds(page)
    lo, p, words = lo / LOG_ODDS_UNIT, p / 65535, page.words.astype(np.float64)
    links = np.where(page.length > 0, page.link_length / np.maximum(page.length, 1), 0)
    blocks = len(lo)
    everywhere = np.ones(blocks)
    columns = [lo]
    for near in (1, 2, 3):
        columns += [shifted(lo, -near), shifted(lo, near)]
    columns += [around(lo, 4), around(lo, 12)]
    columns += [everywhere * (p * words).sum() / max(words.sum(), 1), everywhere * lo.max(initial=-8), everywhere * words.sum()]
    heading = sample.steps(page.names)[1][page.name].astype(bool)
    for element, above in enumerate(page.parent.tolist()):
        heading[element] |= above >= 0 and heading[above]
    on, there = on - own * (on > 0), there - own * (there > 0)
    columns += [words, links, heading[page.element], on / pages, np.minimum(on, 10)]
    rows = [[sums_left(places, mine[0], key, len(PLACE)) for key in keys[kind][page.element].tolist()] for kind in range(len(KINDS))]
    columns += [np.array([divided(count, row[0]) for count, row in zip(there, rows[0], strict=True)])]
    for kind in range(len(KINDS)):
        columns += list(np.array([of_place(row, at) for row, at in zip(rows[kind], lo, strict=True)]).reshape(blocks, 10).T)
    columns += list(of_containers(page, keys[0], containers, mine[1]).reshape(blocks, 8).T)
    consensus = columns[18 + 3 * 10]
    columns += [shifted(links, by) for by in (-1, 1)]
    columns += [*of_order(lo, np.float32(consensus), words), everywhere * likeness]
    return np.stack(columns, axis=1).astype(np.float32)


def plain_of_one(page, keys, sums):
    of_blocks, below = defaultdict(lambda: np.zeros(len(PLACE))), defaultdict(lambda: np.zeros(len(CONTAINER)))
    for kind in range(len(KINDS)):
        for key, row in zip(keys[kind][page.element].tolist(), sums[0], strict=True):
            of_blocks[key] += row
            of_blocks[key][0] = 1
    for key, row in zip(keys[0].tolist(), sums[1], strict=True):
        below[key] += row
        below[key][0] = 1
    return of_blocks, below


def sums_left(table, mine, key, width):
    return table.get(key, np.zeros(width)) - mine.get(key, 0)


def of_place(row, lo):
    on, n, p, total, words, p_words, length, linked, frequent, frequent_p, low, high = row
    if on <= 0:
        return [0, *[np.nan] * 9]
    mean = total / 256 / n
    return [
        min(on, 20), p / 65535 / n, mean, divided(p_words / 65535, words), low / n, high / n, divided(linked, length), frequent / n,
        divided((p - frequent_p) / 65535, n - frequent), lo - mean,
    ]  # fmt: skip


def of_containers(page, keys, table, mine):
    found, known = [], []
    for element, above in enumerate(page.parent.tolist()):
        row = sums_left(table, mine, keys[element].item(), len(CONTAINER))
        there = row[0] > 0
        prior = found[above][0] if above >= 0 else row[2] / 65535 / row[1] if there and row[1] > 0 else 0.3
        estimate = (row[2] / 65535 + 3 * prior) / (row[1] + 3) if there else prior
        lowest = found[above][1] if above >= 0 else np.inf
        if there and row[0] >= 2 and row[3] > 0 and row[7] < 0.3 * 65536 * row[0]:
            lowest = min(lowest, row[4] / 65535 / row[3])
        found.append((estimate, lowest, row))
        known.append(element if there else known[above] if above >= 0 else -1)
    columns = []
    for element in page.element.tolist():
        estimate, lowest, _ = found[element]
        own = [estimate, lowest if np.isfinite(lowest) else np.nan]
        level = known[element]
        for _ in range(3):
            row = found[level][2] if level >= 0 else None
            own += [np.nan] * 2 if row is None else [divided(row[5], row[3]), divided(row[6] / 256, row[3])]
            level = known[page.parent[level]] if level >= 0 and page.parent[level] >= 0 else -1
        columns.append(own)
    return np.array(columns)


def of_order(lo, consensus, words):
    sure = np.where((np.float32(lo) + 6 * (consensus.astype(np.float64) - 0.5) > 1.5) & (words >= 8), words, 0)
    total, before = max(sure.sum(), 1), np.cumsum(sure) - sure
    places = np.flatnonzero(sure)
    since = [min([50, *(at - place for place in places if place <= at)]) for at in range(len(lo))]
    until = [min([50, *(place - at for place in places if place >= at)]) for at in range(len(lo))]
    return [before / total, (sure.sum() - before - sure) / total, np.array(since), np.array(until)]


def plain_weigh(trees, evidence):
    """:meth:`tamis.site.trees.Trees.log_odds`, a row and a tree at a time."""
    total = np.zeros(len(evidence))
    for row, values in enumerate(evidence):
        for root in trees.root.tolist():
            at = root
            while trees.column[at] >= 0:
                value = values[trees.column[at]]
                goes = trees.unknown[at] if np.isnan(value) else value > trees.threshold[at]
                at = trees.more[at] if goes else at + 1
            total[row] += trees.threshold[at]
    return np.clip(evidence[:, 0].astype(float), -2, 2) + total
