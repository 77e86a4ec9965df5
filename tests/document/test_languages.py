import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.document.metadata.languages import language_tag


@pytest.mark.parametrize(
    ("declared", "tag"),
    [
        ("zh_CN", "zh-CN"),
        ("EN-us", "en-US"),
        ("en_US.UTF-8", "en-US"),
        ("zh-hans", "zh-Hans"),
        ("sr-latn-rs", "sr-Latn-RS"),
        ("es-419", "es-419"),
        ("de, en", "de"),
        ("iw", "he"),
        ("cn", "zh-CN"),
        ("de-DE-1996", "de-DE"),
        (" fr ", "fr"),
    ],
)
def test_declared_languages_take_the_form_of_bcp_47(declared, tag):
    assert language_tag(declared) == tag


@pytest.mark.parametrize("declared", ["", "x-default", "{{ lang }}", "und", "12", "qqqq", "%LANG%", "language", "a" * 1000])
def test_garbage_is_no_language(declared):
    assert language_tag(declared) is None


@given(st.text(max_size=40))
def test_a_tag_is_stable(text):
    tag = language_tag(text)
    assert tag is None or language_tag(tag) == tag
