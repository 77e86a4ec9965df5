import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.document.metadata.dates import dates_in, holds_date, read_date, says_modified, says_published


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-03-05", "2024-03-05"),
        ("2024/3/5", "2024-03-05"),
        ("2024.03.05 08:00", "2024-03-05T08:00:00"),
        ("20240305", "2024-03-05"),
        ("20240305T102030Z", "2024-03-05"),
        ("2024-03-05T10:20:30+0800", "2024-03-05T10:20:30+08:00"),
        ("2024-03-05T10:20:30.123456-05:30", "2024-03-05T10:20:30-05:30"),
        ("2024-03-05 10:20:30 UTC", "2024-03-05T10:20:30+00:00"),
        ("2024-03", "2024-03"),
        ("1967", "1967"),
        ("2024年3月5日", "2024-03-05"),
        ("2024年03月05日 10:20", "2024-03-05T10:20:00"),
        ("2024年3月", "2024-03"),
        ("2024년 3월 5일", "2024-03-05"),
        ("2024. 3. 5.", "2024-03-05"),
        ("5 марта 2024 г.", "2024-03-05"),
        ("5. März 2024", "2024-03-05"),
        ("1er mars 2024", "2024-03-01"),
        ("5 de marzo de 2024", "2024-03-05"),
        ("5 marca 2024", "2024-03-05"),
        ("March 5th, 2024", "2024-03-05"),
        ("Mar. 5, 2024", "2024-03-05"),
        ("05-Mar-2024", "2024-03-05"),
        ("Tue, 05 Mar 2024 10:20:00 +0100", "2024-03-05T10:20:00+01:00"),
        ("March 5, 2024 10:20 PM", "2024-03-05T22:20:00"),
        ("March 5, 2024 10:20 PM PST", "2024-03-05T22:20:00"),
        ("Thursday, March 5th, 2024 at 10:20 am", "2024-03-05T10:20:00"),
        ("Tue Mar 05 10:20:00 GMT 2024", "2024-03-05"),
        ("1709600000", "2024-03-05T00:53:20+00:00"),
        ("1709600000000", "2024-03-05T00:53:20+00:00"),
        ("2024 Mar 5", "2024-03-05"),
        ("05.03.2024", "2024-03-05"),
        ("13/05/2024", "2024-05-13"),
        ("05/13/2024", "2024-05-13"),
        ("05/05/2024", "2024-05-05"),
    ],
)
def test_a_date_in_a_common_form_is_read(text, date):
    assert read_date(text) == date


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "10:20", "March 2024 10:20", "May", "2024-13-45", "31 February 2024", "2024-02-30", "1970-01-01T00:00:00Z",
     "0001-01-01", "9999-12-31", "12/5", "5 March 24", "9" * 60, "2024-03-05 " * 20, "Version 1.2.2024.5", "١٢٣"],
)  # fmt: skip
def test_what_is_no_date_is_none(text):
    assert read_date(text) is None


def test_the_language_decides_which_number_is_the_day():
    assert [read_date("03/05/2024", language) for language in ("en", "en-US", "en-GB", "fr", None)] == [
        "2024-03-05", "2024-03-05", "2024-05-03", "2024-05-03", None,
    ]  # fmt: skip


@pytest.mark.parametrize("language", ["en", "en-GB", "ko", None])
def test_the_day_of_the_week_and_the_form_of_the_time_decide_before_the_language(language: str | None):
    days = ("Thu, 10/01/2013", "jeudi 10/01/2013", "четверг, 10/01/2013", "Tue, 10/01/2013", "10/1/2013, 5:28:31 PM")
    assert [next(dates_in(day, language)) for day in days] == [*["2013-01-10"] * 3, "2013-10-01", "2013-10-01T17:28:31"]


def test_dates_in_a_text_are_found_in_order_but_not_in_longer_numbers():
    assert list(dates_in("Posted 5 Mar 2024, edited 2024-04-06; call 555-2024-03-05")) == ["2024-03-05", "2024-04-06"]
    assert list(dates_in("发布时间：2024年3月5日 10:20 来源：新华社")) == ["2024-03-05T10:20:00"]
    assert list(dates_in("in 1990-01-01 nobody blogged")) == []


def test_labels_tell_publication_from_change():
    assert says_published("発表日: 2024年3月5日") or says_published("公開日: 2024年3月5日")
    assert says_modified("Zuletzt aktualisiert am 5. März 2024")
    assert not says_published("Published; updated March 5, 2024")


@given(st.datetimes(datetime.datetime(1995, 1, 1), datetime.datetime(2098, 1, 1), timezones=st.timezones() | st.none()))
def test_iso_dates_come_back(moment):
    moment = moment.replace(microsecond=0)
    if (moment.utcoffset() or datetime.timedelta()).total_seconds() % 60 == 0:
        assert read_date(moment.isoformat()) == moment.isoformat()


@given(st.text(max_size=120) | st.text(alphabet="0123456789-/.: TZ年月日MarchPMGT+,", max_size=60), st.sampled_from([None, "en", "fr"]))
def test_any_text_gives_a_date_or_none(text, language):
    for date in (read_date(text, language), *dates_in(text, language)):
        if date is not None and len(date) > 7:
            datetime.datetime.fromisoformat(date)
    assert holds_date(text, language) == any(dates_in(text, language))


@given(
    st.sampled_from(["", "Thu, ", "jeudi "]),
    st.tuples(st.integers(0, 14), st.integers(0, 14), st.integers(1994, 2030)),
    st.sampled_from("/-."),
    st.sampled_from(["", " 10:20", ", 1:02:03 PM"]),
    st.sampled_from([None, "en", "fr"]),
)
def test_any_three_numbers_give_a_date_or_none(day, numbers, sign, time, language):
    text = f"{day}{sign.join(map(str, numbers))}{time}"
    for date in (read_date(text, language), *dates_in(text, language)):
        if date is not None and len(date) > 7:
            datetime.datetime.fromisoformat(date)
