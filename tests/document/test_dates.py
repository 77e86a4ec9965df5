import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis import extract
from tamis.document.metadata.dates import dates_in, day_of, holds_date, labelled_dates, read_date


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-03-05", "2024-03-05"),
        ("2024/3/5", "2024-03-05"),
        ("2024.03.05 08:00", "2024-03-05T08:00:00"),
        ("20240305", "2024-03-05"),
        ("20240305T102030Z", "2024-03-05T10:20:30+00:00"),
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
    ("text", "language", "date"),
    [
        ("2021. augusztus 9.", "hu", "2021-08-09"),
        ("17 tháng 11, 2021", "vi", "2021-11-17"),
        ("ngày 17 tháng 11 năm 2021", "vi", "2021-11-17"),
        ("१७ नोभेम्बर २०२१", "ne", "2021-11-17"),
        ("१७ नवंबर २०२१", "hi", "2021-11-17"),
        ("১৭ নভেম্বর ২০২১", "bn", "2021-11-17"),
        ("١٧ نوفمبر ٢٠٢١", "ar", "2021-11-17"),
        ("۲۶ آبان ۱۴۰۰", "fa", "2021-11-17"),
        ("۱۴۰۰/۰۸/۲۶", "fa", "2021-11-17"),
        ("17 בנובמבר 2021", "he", "2021-11-17"),
        ("17 de novembre de 2021", "ca", "2021-11-17"),
        ("l'1 d’abril de 2021", "ca", "2021-04-01"),
        ("2021. gada 17. novembris", "lv", "2021-11-17"),
        ("17. aprill 2021", "et", "2021-04-17"),
        ("17 новембар 2021.", "sr", "2021-11-17"),
        ("17. studenoga 2021.", "hr", "2021-11-17"),
        ("1. lipnja 2021.", "hr", "2021-06-01"),
        ("1 listopada 2021", "hr", "2021-10-01"),
        ("1 listopada 2021", "pl", "2021-11-01"),
        ("2021 m. lapkričio 17 d.", "lt", "2021-11-17"),
        ("平成30年4月1日", "ja", "2018-04-01"),
        ("令和元年5月1日", "ja", "2019-05-01"),
        ("17 พฤศจิกายน 2564", "th", "2021-11-17"),
        ("17 พ.ย. 2564", "th", "2021-11-17"),
        ("17 November 2021", "id", "2021-11-17"),
        ("17 Februari 2021", "ms", "2021-02-17"),
        ("17 қараша 2021", "kk", "2021-11-17"),
        ("17 Νοεμβρίου 2021", "el", "2021-11-17"),
        ("17 noiembrie 2021", "ro", "2021-11-17"),
        ("17. nóvember 2021", "is", "2021-11-17"),
        ("17 nëntor 2021", "sq", "2021-11-17"),
        ("17-noyabr, 2021", "uz", "2021-11-17"),
        ("2021ko azaroaren 17a", "eu", "2021-11-17"),
        ("12 pro 2021", "cs", "2021-12-12"),
        ("iPhone 12 Pro 2021", "en", None),
        ("11/17/2021", "fil", "2021-11-17"),
        ("03/05/2021", "fil", "2021-03-05"),
    ],
)
def test_dates_are_read_as_each_language_writes_them(text: str, language: str, date: str | None):
    assert read_date(text, language) == date


@pytest.mark.parametrize(
    ("text", "language", "date"),
    [
        ("Wed Nov 17 2021 08:05:09 GMT+0530 (India Standard Time)", "en", "2021-11-17T08:05:09+05:30"),
        ("Wed, 17 Nov 2021 08:05:09 UTC-3", "en", "2021-11-17T08:05:09-03:00"),
        ("17.11.2021 um 8:05 Uhr", "de", "2021-11-17T08:05:00"),
        ("17.11.2021, 8.05 Uhr", "de", "2021-11-17T08:05:00"),
        ("17. november 2021 kl. 8.05", "da", "2021-11-17T08:05:00"),
        ("17 novembre 2021 à 08h05", "fr", "2021-11-17T08:05:00"),
        ("17/11/2021 alle ore 20:05", "it", "2021-11-17T20:05:00"),
        ("17 ноября 2021 г., 20:05", "ru", "2021-11-17T20:05:00"),
        ("2021年11月17日 午後8時05分", "ja", "2021-11-17T20:05:00"),
        ("2021-11-17 오전 8:05", "ko", "2021-11-17T08:05:00"),
        ("17/11/2021 8:05 μ.μ.", "el", "2021-11-17T20:05:00"),
        ("17/11/2021 8:05 CH", "vi", "2021-11-17T20:05:00"),
        ("17.11.2021 · 20:05", None, "2021-11-17T20:05:00"),
        ("20211117T0805Z", None, "2021-11-17T08:05:00+00:00"),
        ("20211117 080509+0100", None, None),
    ],
)
def test_the_time_is_read_as_each_language_writes_it(text: str, language: str | None, date: str | None):
    assert read_date(text, language) == date


def test_the_solar_hijri_year_begins_with_spring():
    days = [day_of(year, month, day) for year, month, day in ((1399, 24, 30), (1400, 13, 1), (1404, 13, 1), (1367, 13, 1), (1399, 24, 31))]
    assert days == ["2021-03-20", "2021-03-21", "2025-03-21", "1988-03-21", None]


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


@pytest.mark.parametrize(
    ("line", "events"),
    [
        ("発表日: 2024年3月5日", ["published"]),
        ("公開日: 2024年3月5日", ["published"]),
        ("Zuletzt aktualisiert am 5. März 2024", ["modified"]),
        ("Published; updated March 5, 2024", ["modified"]),
        ("Received 7 May 2021; accepted 9 June 2021; published online 1 July 2021", ["other", "other", "published"]),
        ("Updated 9 June 2021. Originally published 7 May 2021", ["modified", "published"]),
        ("7 May 2021, updated 9 June 2021", ["", "modified"]),
        ("2021.05.07 입력 2021.06.09 수정", ["published", "modified"]),
        ("Submitted by Ann on 7 May 2021", [""]),
        ("Member since 7 May 2021 · Posts: 12", ["other"]),
        ("Mitglied seit: 7. Mai 2021", ["other"]),
        ("Gültig bis 7. Mai 2021", ["other"]),
        ("Premiere: 7 May 2021", ["unknown"]),
        ("Datum: 7. Mai 2021", ["published"]),
        ("Fecha de la fiesta: 7 de mayo de 2021", ["unknown"]),
        ("比赛时间：2021年5月7日", ["unknown"]),
        ("时间：2021-05-07 | 上传于 2021-05-08", ["published", "published"]),
        ("今天是2021年5月7日 星期五", ["other"]),
        ("2021.05.07 09:10 입력 2021.06.09 10:20 수정", ["published", "modified"]),
        ("Zaktualizowano 9 czerwca 2021, opublikowano 7 maja 2021", ["modified", "published"]),
        ("Postado em 7 de maio de 2021, atualizado em 9 de junho de 2021", ["", "modified"]),
        ("تحديث: 9 يونيو 2021 | نشر: 7 مايو 2021", ["modified", "published"]),
    ],
)
def test_the_label_in_front_of_a_date_says_what_it_is_of(line: str, events: list[str]):
    assert [each.event for each in labelled_dates(line)] == events
    assert not any(each.told for each in labelled_dates(line))


def test_the_line_before_may_be_the_label():
    labels = ("Published", "Joined:", "Last updated", "Ann Lee", "Opened in", "Published by the council of the whole county", "Concert:")
    events = ["published", "other", "modified", "", "", "", "unknown"]
    assert [labelled_dates("7 May 2021", "en", label)[0].event for label in labels] == events


@pytest.mark.parametrize(
    "line",
    [
        "The mill burned down on 7 May 2001 and was not built again.",
        "Die Ausstellung ist vom 3. Mai 2021 an in der Kirche zu sehen.",
        "Le concert aura lieu le 7 mai 2031 à vingt heures dans la salle des fêtes.",
        "Since the vote of 7 May 2021 the ferries of both companies stop at the old quay again",
        "7 May 2001: the mill burns down",
        "Die Mühle brannte am 7. Mai 2001.",
        "La mulino bruciò il 7 maggio 2001.",
        "Мельница сгорела 7 мая 2001 года.",
        "2001年5月7日，磨坊失火。",
        "水車小屋は2001年5月7日に焼けた。",
        "2001년 5월 7일 방앗간이 불탔다.",
        "7 मई 2001 को चक्की जल गई।",
        "图书馆将于2021年5月7日在新址重新开放，届时将举办为期两周的系列活动，欢迎广大读者前来参观，请提前一周在图书馆的服务台或网站上预约，名额有限先到先得，每位读者最多可以预约两场活动，并请准时到场以免影响其他读者",
    ],
)
def test_a_sentence_tells_of_other_days(line: str):
    assert all(each.told for each in labelled_dates(line))
    assert labelled_dates(line)


@pytest.mark.parametrize(
    "line",
    [
        "By Ann Lee, Bo Ek and Cy Rus, Staff Writers of the Shore Times | 7 May 2021",
        "by ann · May 7, 2021 at 3:00 am · one comment so far, be the second to say what you think",
        "Filed under Works, Boats on 7 May 2021",
        "This page was last updated on 7 May 2021.",
        "Oberfell, den 7. Mai 2021",
        "Von Anna Kern, Oberfell, 7. Mai 2021.",
        "7. května 2021 - 14:49 napsal ann7.",
    ],
)
def test_a_line_about_the_page_is_no_sentence(line: str):
    assert [each.told for each in labelled_dates(line)] == [False]


def test_the_day_of_the_week_may_stand_in_brackets_before_the_time():
    texts = ("2021年5月7日（金）１４時３０分", "2021年5月7日（周五）下午2:30", "2021. 5. 7 (금) 오후 2:30", "7 May 2021 (Fri) 14:30")
    assert [read_date(text, "ko") for text in texts] == ["2021-05-07T14:30:00"] * 4


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


@pytest.mark.parametrize(
    ("line", "language", "date"),
    [
        ("12.03.21", "de", "2021-03-12"),
        ("Von Anna Kern, 12.03.21, 14:05 Uhr", "de", "2021-03-12T14:05:00"),
        ("Stand: 03.11.19", "de-AT", "2019-11-03"),
        ("12/03/21 | News", "en-GB", "2021-03-12"),
        ("12-03-21", "nl", "2021-03-12"),
        ("Geplaatst: 03-11-19 | Nieuws", "nl", "2019-11-03"),
        ("21-03-12", "sv", None),
        ("11-05-12", "en-US", None),
        ("11.05.12", "en-US", None),  # a day of November there
        ("11.05.12", None, None),
        ("Version 12.03.21", "de", None),
        ("12.03.21.7", "de", None),
        ("Die Sitzung vom 12.03.21 dauerte lange.", "de", None),
        ("12.03.85", "de", None),
    ],
)
def test_a_year_of_two_digits_is_read_where_a_date_is_a_part_of_a_line(line, language, date):
    assert [each.date for each in labelled_dates(line, language)] == ([date] if date else [])


@pytest.mark.parametrize(
    ("line", "date"),
    [
        ("12.03.21", "2021-03-12"),
        ("12.11.21", "2021-11-12"),
        ("12/03/21", "2021-03-12"),
        ("12/11/21", "2021-11-12"),
        ("12-11-21", "2021-11-12"),
    ],
)
def test_the_date_of_a_page_may_have_a_year_of_two_digits(line, date):
    page = (
        f"<html lang=en-GB><title>The kiln</title><h1>The kiln</h1><p>{line}</p><p>The old kiln was fired for the last time in spring.</p>"
    )
    assert extract(page).metadata.date == date


@pytest.mark.parametrize(
    ("shown", "date"),
    [
        ("二〇二三年十月十二日", "2023-10-12"),
        ("发布：二零二一年五月三十一日", "2021-05-31"),
        ("Stand: 02.05.2024 | Erstveröffentlichung: 28.04.2024", "2024-04-28"),
        ("Giriş: 18.01.2024 - 12:40 Güncelleme: 19.01.2024 - 09:00", "2024-01-18"),
    ],
)
def test_chinese_numbers_and_labels_of_dates(shown: str, date: str):
    page = f"<title>Boats</title><h1>Boats</h1><p>{shown}<p>They lie on the shore all winter."
    assert (extract(page).metadata.date or "")[:10] == date
