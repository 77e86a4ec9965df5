"""Separators: the sweep against the paper's procedure, and weights."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.segmentation.construction import ARTICLES, HORIZONTAL, VERTICAL, Face, by_distance, coherence_of, sweep, weigh
from tamis.segmentation.settings import SegmentSettings

BOXES = st.tuples(*[st.integers(0, 30)] * 2, *[st.integers(1, 12)] * 2).map(
    lambda box: (float(box[0]), float(box[1]), float(box[0] + box[2]), float(box[1] + box[3]))
)


def face(
    box: tuple[float, float, float, float] = (0, 0, 10, 10),
    background: int = 0xFFFFFF,
    textual: bool = False,
    font: tuple[float, int] = (16, 400),
    holder: int = 0,
) -> Face:
    return Face(box=box, node=0, holder=holder, background=background, textual=textual, first_font=font, last_font=font)


def papers_separators(boxes: list[tuple[float, ...]], axis: int) -> list[tuple[float, float]]:
    """The paper's procedure: one separator at first; each block splits it, trims it, or removes it; at last those at the border go."""
    start, stop = min(box[axis] for box in boxes), max(box[axis + 2] for box in boxes)
    separators = [(start - 1, stop + 1)]
    for box in boxes:
        near, far = box[axis], box[axis + 2]
        left: list[tuple[float, float]] = []
        for low, high in separators:
            if low < near and far < high:  # the block is inside: split
                left += [(low, near), (far, high)]
            elif near <= low < far < high:  # across an edge: trim
                left.append((far, high))
            elif low < near < high <= far:
                left.append((low, near))
            elif not (near <= low and high <= far):  # not covered: it stays
                left.append((low, high))
        separators = left
    return sorted((low, high) for low, high in separators if low >= start and high <= stop and high > low)


@given(st.lists(BOXES, min_size=1, max_size=12), st.sampled_from([HORIZONTAL, VERTICAL]))
def test_the_sweep_finds_what_the_papers_procedure_leaves(boxes: list[tuple[float, float, float, float]], axis: int) -> None:
    faces = [face(box) for box in boxes]
    order = sorted(range(len(boxes)), key=lambda block: boxes[block][axis])
    wide = [(gap.start, gap.stop) for gap in sweep(order, faces, axis, overlap=0) if gap.stop > gap.start]
    assert wide == papers_separators(boxes, axis)


@given(st.lists(BOXES, min_size=1, max_size=12), st.floats(0, 5))
def test_no_block_is_parted_and_sides_overlap_no_more_than_allowed(boxes: list[tuple[float, float, float, float]], overlap: float) -> None:
    faces = [face(box) for box in boxes]
    order = sorted(range(len(boxes)), key=lambda block: boxes[block][HORIZONTAL])
    for gap in sweep(order, faces, HORIZONTAL, overlap):
        above, below = order[: gap.position], order[gap.position :]
        assert max(boxes[block][3] for block in above) <= min(boxes[block][1] for block in below) + overlap
        assert gap.before in above
        assert gap.after in below


def test_blocks_that_touch_have_a_separator_between_them() -> None:
    faces = [face((0, 0, 10, 10)), face((0, 10, 10, 20))]
    assert [(gap.start, gap.stop) for gap in sweep([0, 1], faces, HORIZONTAL, 0)] == [(10, 10)]


SETTINGS = SegmentSettings()
PLAIN = SegmentSettings.paper()


def strip(settings: SegmentSettings = PLAIN, **given: object) -> int:
    return weigh(**({"before": face(), "after": face(), "width": 10.0} | given), settings=settings)  # type: ignore[arg-type]


def test_weight_grows_with_width() -> None:
    weights = [strip(width=float(width)) for width in (0, 12, 36, 84, 180)]
    assert weights == [1, 2, 3, 4, 5]


def test_weight_grows_with_a_rule_and_with_other_backgrounds() -> None:
    assert strip(holds_rule=True) == strip() + PLAIN.rule_weight
    assert strip(after=face(background=0x336699)) == strip() + PLAIN.background_weight


def test_weight_grows_with_other_fonts_and_most_where_the_font_above_is_smaller() -> None:
    settings = SegmentSettings(vertical_weight=0, structure_weight=0, font_weight=1)
    large, small = face(font=(30, 400)), face(font=(12, 400))
    assert strip(settings, before=large, after=small) == strip(settings) + 1
    assert strip(settings, before=small, after=large) == strip(settings) + 2
    assert strip(settings, before=face(font=(16, 700))) == strip(settings) + 1


def test_a_heading_belongs_to_what_follows_and_long_or_small_text_is_none() -> None:
    settings = SegmentSettings(font_weight=2)
    heading, text = face(textual=True, font=(30, 400)), face()
    high = face((0, 0, 10, 100), textual=True, font=(30, 400))
    assert strip(settings, before=heading, after=text, level=2) < strip(settings, before=text, after=text, level=2)
    assert strip(settings, before=high, after=text, level=2) > strip(settings, before=text, after=text, level=2)
    assert strip(settings, before=text, after=heading, level=2) > strip(settings, before=text, after=text, level=2)
    assert strip(settings, before=heading, after=text, level=0) > strip(settings, before=text, after=text, level=2)


def test_articles_are_parted_at_the_default_degree() -> None:
    least = strip(SETTINGS, articles=True, width=0.0, level=9)
    assert least == ARTICLES
    assert coherence_of(least, SETTINGS) < SETTINGS.pdoc <= coherence_of(least - 1, SETTINGS)
    assert strip(SETTINGS, articles=True, width=0.0, level=9, height=20.0) < least


def test_blocks_without_text_have_no_fonts_to_differ() -> None:
    assert strip(before=face(font=(0, 0))) == strip()


def test_weight_falls_between_texts_of_one_font_and_one_element() -> None:
    text = face(textual=True)
    assert strip(before=text, after=text, width=200.0) == strip(width=200.0) - PLAIN.alike_weight
    assert strip(before=text, after=face(textual=True, font=(16, 700)), width=200.0) >= strip(width=200.0)
    assert strip(before=text, after=face(textual=True, holder=7), width=200.0) == strip(width=200.0)


def test_running_text_belongs_together_wherever_it_stands() -> None:
    text = face(textual=True)
    assert len({strip(SETTINGS, before=text, after=text, level=level) for level in range(4)}) == 1


def test_fonts_do_not_count_for_vertical_separators() -> None:
    assert strip(height=0.0, before=face(font=(12, 400)), after=face(font=(30, 400))) == strip(height=0.0)


def test_a_high_vertical_separator_parts_columns_and_a_low_one_only_words() -> None:
    column = strip(SETTINGS, height=600.0, level=3)
    menu = strip(SETTINGS, height=18.0, level=3)
    assert menu < strip(SETTINGS, level=3) < column


def test_weight_falls_with_the_depth_of_the_cut() -> None:
    weights = [strip(SETTINGS, level=level) for level in range(5)]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] > weights[2]


def test_no_weight_is_less_than_one() -> None:
    assert strip(SETTINGS, level=9, width=0.0, height=0.0) == 1


@given(st.floats(0, 1e5), st.floats(0, 1e5))
def test_distance_is_monotone(one: float, other: float) -> None:
    assert (by_distance(one, SETTINGS) <= by_distance(other, SETTINGS)) == (one <= other) or by_distance(one, SETTINGS) == by_distance(
        other, SETTINGS
    )


@given(st.integers(1, 200))
def test_heavier_separators_leave_less_coherence(weight: int) -> None:
    assert 9 >= coherence_of(weight, SETTINGS) >= coherence_of(weight + 1, SETTINGS) >= 1


def test_a_separator_of_half_weight_leaves_half_the_coherence() -> None:
    assert coherence_of(6, SegmentSettings(half_weight=6)) == 5


@pytest.mark.parametrize(
    "wrong",
    [{"pdoc": 0}, {"pdoc": 11}, {"small_text": 1.5}, {"structure_decay": -0.1}, {"narrow": 0}, {"half_weight": 0}, {"alike_weight": -1}],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SegmentSettings(**wrong)  # type: ignore[arg-type]
