"""Selections: reasons have a cause, which survives a trip between processes."""

import pickle

from tamis.document.selection import Cause, Reason


def test_a_reason_keeps_its_words_and_its_cause_in_another_process():
    reason = pickle.loads(pickle.dumps(Reason("left out: links", Cause.LINKS)))
    assert (reason, reason.cause) == ("left out: links", Cause.LINKS)
