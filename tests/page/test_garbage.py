import gc

import pytest

from tamis.page.garbage import gc_paused


@gc_paused()
def state(fails=False):
    if fails:
        raise ValueError("no")
    return gc.isenabled()


def test_the_collector_rests_during_a_call_and_is_on_after_it():
    assert gc.isenabled()
    assert not state()
    assert gc.isenabled()


def test_it_is_on_after_an_error():
    with pytest.raises(ValueError, match="no"):
        state(fails=True)
    assert gc.isenabled()


def test_it_stays_off_where_it_was_off():
    gc.disable()
    try:
        state()
        assert not gc.isenabled()
    finally:
        gc.enable()
