import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.document.metadata.languages import language_of_script, language_tag


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
        ("German", "de"),
        ("日本語", "ja"),
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


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("한국어로 쓰인 글입니다. 아주 짧지만 충분합니다. 그렇죠, 여러분?", "ko"),
        ("これは日本語で書かれた文章です。漢字もあります。", "ja"),
        ("这是一篇用中文写成的文章，不长，但是足够判断语言了。", "zh"),
        ("Αυτό είναι ένα κείμενο στα ελληνικά.", "el"),
        ("Это написано кириллицей, а на каком языке, не сказано.", None),
        ("plain text", None),
        ("plain English with one name, 北京, in it", None),
        ("한국", None),
        ("", None),
    ],
)
def test_only_an_unambiguous_script_tells_the_language(text, language):
    assert language_of_script([text]) == language


@given(st.text(max_size=40))
def test_a_tag_is_stable(text):
    tag = language_tag(text)
    assert tag is None or language_tag(tag) == tag
