"""Selections: reasons have a cause, which survives a trip between processes."""

import pickle

import numpy as np

from tamis.document.selection import Cause, Reason, Selection


def test_a_reason_keeps_its_words_and_its_cause_in_another_process():
    reason = pickle.loads(pickle.dumps(Reason("left out: links", Cause.LINKS)))
    assert (reason, reason.cause) == ("left out: links", Cause.LINKS)


def test_causes_of_decisions_are_told_for_all_nodes_or_some():
    reasons = (Reason("out", Cause.MODEL), Reason("in", Cause.CONTENT), Reason("by rule", Cause.RULE))
    selection = Selection("made up", np.zeros(4, np.bool_), np.array([2, 0, 1, 0], np.uint8), reasons)
    assert selection.rests_on(Cause.MODEL, Cause.RULE).tolist() == [True, True, False, True]
    assert selection.rests_on(Cause.MODEL, nodes=np.array([3, 0])).tolist() == [True, False]
    assert selection.codes_of(Cause.CONTENT) == bytes([0, 1, 0])
