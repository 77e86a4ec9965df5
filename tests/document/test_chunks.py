from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis import Rendering, chunk_rows, clean, extract, parse
from tamis.document import detection
from tamis.document.chunks import Chunking, chunks
from tamis.document.detection import detect_language
from tamis.document.quality import RULES, quality, words_of
from tamis.errors import FetchError, MissingExtraError, UsageError
from tamis.io.pages import HeldPage

TABLE = "| a | b |\n| --- | --- |\n| 1 | 2 |"
BLOCKS = st.lists(
    st.sampled_from(
        ["# One", "## Two", "A sentence. And another one.", "- a\n- b\n- c", TABLE, "```\nx = 1\n\ny = 2\n```", "**f(x)**", "As follows:"]
    ),
    max_size=12,
)


@given(BLOCKS, st.integers(1, 20))
def test_chunks_hold_all_blocks(blocks, size):
    found = chunks("\n\n".join(blocks), size)
    assert all(chunk.size == len(chunk.text.split()) for chunk in found)
    joined = "\n".join(chunk.text for chunk in found).split()
    framing = {"```", "|", "a", "b", "---"}  # stands around each part of code and tables
    wanted = [word for block in blocks if not block.startswith("#") for word in block.split()]
    assert [word for word in joined if word not in framing] == [word for word in wanted if word not in framing]
    if size == 20:
        assert all(block in "\n".join(chunk.text for chunk in found) for block in blocks if block.startswith(("|", "`")))


def test_long_code_is_cut_between_lines():
    code = "\n".join(f"x{number} = 1\n" for number in range(300))
    found = chunks(f"As follows:\n\n```python\n{code}\n```\n\nReeds.", 50)
    assert all(0 < chunk.size <= 50 for chunk in found)
    assert found[0].text.startswith("As follows:\n\n```python\nx0 = 1\n")
    assert all(chunk.text.startswith("```python\n") and "\n```" in chunk.text for chunk in found[1:])
    assert [word for chunk in found for word in chunk.text.split() if word[0] == "x"] == [f"x{number}" for number in range(300)]
    in_list = chunks("- One\n- ```c\n  a b c\n\n  d e f\n  ```\n- Two", 6)
    assert [chunk.text for chunk in in_list] == ["- One", "- ```c\n  a b c\n\n  ```", "  ```c\n  d e f\n  ```", "- Two"]
    assert [chunk.text for chunk in chunks("> ```\n> a b\n>\n> c\n> ```", 8)] == ["> ```\n> a b\n>\n> ```", "> ```\n> c\n> ```"]
    assert [chunk.text for chunk in chunks("```\na b c d", 2)] == ["```\na b c d"]


def test_long_tables_are_cut_between_rows():
    rows = "".join(f"\n| reed {number} | wind |" for number in range(100))
    found = chunks(f"| a | b |\n| --- | --- |{rows}", 60)
    assert all(chunk.text.startswith("| a | b |\n| --- | --- |\n| reed ") and chunk.size <= 60 for chunk in found)
    assert sum(chunk.text.count("reed") for chunk in found) == 100
    rows = "".join(f"\n<tr>\n<td>reed {number}</td>\n<td rowspan=2>wind</td>\n</tr>" for number in range(100))
    names = "<table>\n<tbody>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>"
    found = chunks(f"{names}{rows}\n</tbody>\n</table>", 60)
    assert all(
        chunk.text.startswith(f"{names}\n<tr>\n<td>reed ") and chunk.text.endswith("</table>") and chunk.size <= 60 for chunk in found
    )
    assert sum(chunk.text.count("reed") for chunk in found) == 100


def test_a_paragraph_that_begins_with_a_stroke_is_no_table():
    found = chunks("| Updated: " + "Reeds grow here. " * 40, size=20)
    assert max(chunk.size for chunk in found) <= 20


def test_terms_that_fill_a_chunk_stand_a_free_line_apart():
    assert not any("\n\n\n" in chunk.text for chunk in chunks("\n\n".join(f"**Term {number}**" for number in range(40)), size=20))


def test_rules_are_in_no_chunk():
    assert [chunk.text for chunk in chunks("# A\n\n---\n\n# B\n\nOne.\n\n---\n\nTwo.\n\n```\n---\n```", 10)] == [
        "One.\n\nTwo.\n\n```\n---\n```"
    ]


def test_a_very_long_post_is_cut():
    post = "<br>".join("The kettle of this year has a longer spout, a wider lid and a handle that stays cool." for _ in range(600))
    found = extract(f"<main><h1>Kettles</h1><p>{post}</p></main>").chunks(size=100)
    assert len(found) > 100
    assert all(chunk.size <= 100 for chunk in found)


def test_terms_stay_with_their_definitions():
    before, meaning = "Reeds grow here. " * 35, "It bends with the wind. " * 12
    found = chunks(f"{before}\n\n**f(\\*x)**\n\n**g(*x*)**\n\n{meaning}\n\nThey bend.", 110)
    assert [chunk.size for chunk in found] == [105, 64]
    assert found[1].text.startswith("**f(\\*x)**\n\n**g(*x*)**\n\nIt bends")
    long = chunks(f"# A\n\n{before}\n\n**f(x)**\n\n{meaning * 3}", 110)
    assert any(chunk.text.startswith("**f(x)**\n\nIt bends") for chunk in long)
    assert all(chunk.size <= 110 for chunk in long)


@pytest.mark.parametrize("block", ["- a\n- b\n- c", "1. a", TABLE, "```\nx = 1\n```", "**a**\n\nb"])
def test_a_text_that_ends_in_a_colon_stays_with_its_list_or_code(block):
    found = chunks(f"{'Reeds. ' * 9}\n\n有几种：\n\n{block}", 12)
    assert found[1].text == f"有几种：\n\n{block}"
    apart = chunks(f"{'Reeds. ' * 9}\n\nThere are:\n\nThey grow.", 12)
    assert apart[0].text.endswith("There are:")


def test_what_leads_to_code_makes_no_chunk_too_large():
    assert [chunk.text for chunk in chunks("So:\n\n```\n1 2 3 4\n```", 6)] == ["So:", "```\n1 2 3 4\n```"]
    assert [chunk.size for chunk in chunks("So:\n\n```\n1 2 3 4\n```", 5)] == [7]
    assert [chunk.size for chunk in chunks("**One**\n\n**two three**\n\nfour five", 4)] == [1, 4]


def test_chunks_know_their_headings_and_count_as_the_caller_does():
    found = chunks("# A\n\nOne.\n\n### B\n\nTwo.\n\n## C\n\nThree.", size=100, count=len)
    assert [chunk.headings for chunk in found] == [("A",), ("A", "B"), ("A", "C")]
    assert [chunk.size for chunk in found] == [4, 4, 6]
    with pytest.raises(UsageError):
        chunks("x", 0)


@pytest.mark.parametrize(
    "text",
    [
        "这是一个关于潮汐和港口的很长的句子，它说明了很多事情。" * 60,
        "没有标点的长句子" * 80,
        "ประเทศไทยมีทะเล" * 90,
        "harbour " * 300 + "end.",
        "one, two three; four five: six " * 40,
        "[a link](https://example.org/a) and " * 50,
    ],
)
def test_long_texts_of_any_script_are_cut_and_nothing_is_lost(text):
    found = chunks(f"# Heading\n\n{text}", 20)
    assert all(0 < chunk.size <= 20 for chunk in found)
    assert sum(chunk.size for chunk in found) == len(words_of(text))
    assert "".join("".join(chunk.text.split()) for chunk in found) == "".join(text.split())
    assert chunks(text, 10_000)[0].text == text.strip()


def test_headings_of_chunks_are_plain_text():
    heading = "The <code>Rc&lt;T&gt;</code> type &amp; *more* <a href=https://e.org/x_(y)>in a [link]</a>"
    page = f"<main><h1>{heading}</h1><p>Reeds grow here.</p></main>"
    assert extract(page).chunks()[0].headings == ("The Rc<T> type & *more* in a [link]",)


def test_chunks_under_no_heading_are_under_the_title():
    text = "Reeds grow where the water is calm, and they bend with the wind of the sea."
    assert extract(f"<title>Reeds</title><main><p>{text}</p></main>").chunks()[0].headings == ("Reeds",)
    found = extract(f"<title>Reeds</title><main><p>{text}</p><h2>Roofs</h2><p>{text}</p></main>").chunks()
    assert [chunk.headings for chunk in found] == [("Reeds",), ("Roofs",)]
    assert extract(f"<main><p>{text}</p></main>").chunks()[0].headings == ()


def test_front_matter_is_in_no_chunk():
    page = "<title>Reeds</title><main><p>Reeds grow where the water is calm.</p></main>"
    assert [chunk.text for chunk in extract(page).chunks(rendering=Rendering(front_matter=True))] == ["Reeds grow where the water is calm."]


def test_chunks_of_a_document():
    text = "The kettle of this year has a longer spout, a wider lid and a handle that stays cool, which many people asked for. "
    page = f"<article><h1>Kettles</h1><p>{text * 3}</p><h2>Spouts</h2><p>{text * 3}</p></article>"
    found = extract(page).chunks(size=30)
    assert found[-1].headings[-1] == "Spouts"
    assert all(chunk.size <= 30 for chunk in found)


def test_quality_of_good_and_bad_text():
    good = """The harbour of our town holds eleven boats, and each of them has to be painted with care.
        Most owners do that in spring, when days grow longer but tourists have not arrived yet.
        Old paint is scraped away by hand, since machines would damage the soft wood below it.
        A second coat follows on the next dry morning, and a third one where waves hit hardest.
        By May everything shines again, fishermen return to their nets, and children count new colours."""
    assert quality(good).broken == ()
    assert quality(good).gopher
    bad = quality("Home\nHome\nHome\n...\n# # #")
    assert {"gopher-words", "gopher-repeated-lines", "fineweb-short-lines", "fineweb-new-lines"} <= set(bad.broken) <= set(RULES)
    assert not bad.gopher
    assert quality("").words == 0


def test_the_rules_judge_chinese_text_by_its_characters():
    good = """港口有十一条船，每一条都要仔细地刷漆。多数船主在春天做这件事，那时白天变长，游客还没有来。
        旧漆要用手刮掉，因为机器会伤到下面的软木。第二遍漆要等到下一个干燥的早晨，浪打得最厉害的地方还要刷第三遍。
        到了五月，一切又亮了起来，渔民回去补网，孩子们数着新的颜色。"""
    assert quality(good).broken == ()
    assert quality(good).words > 100
    assert {"gopher-words", "fineweb-short-lines"} <= set(quality("首页\n新闻\n关于\n登录").broken)


def test_a_variety_of_chinese_is_chinese(monkeypatch):
    pytest.importorskip("py3langid", reason="py3langid is not installed")
    monkeypatch.setattr(type(detection._detector()), "classify", lambda self, text: ("wuu", 0.9))
    assert detect_language("轮渡每天早上九点开，傍晚回来，中间在小岛停一个小时。") == ("zh", 0.9)
    assert "wuu" not in detection.known_languages()
    assert {"zh", "en", "ar"} <= detection.known_languages()


def test_the_language_of_a_text():
    pytest.importorskip("py3langid", reason="py3langid is not installed")
    found = detect_language("Die Boote im Hafen müssen jedes Jahr neu gestrichen werden, und das dauert lange.")
    assert found is not None
    assert found.language == "de"
    assert 0 < found.confidence <= 1
    assert detect_language("ab") is None
    short = {"今天天气很好": "zh", "お知らせです": "ja", "오늘 날씨가 좋다": "ko", "轮渡": None, "The tide is low": None}
    assert {text: getattr(detect_language(text), "language", None) for text in short} == short
    assert len(parse("x"))


@pytest.mark.parametrize(
    "text",
    [
        "Das Schilf wächst, wo das Wasser ruhig ist, und es biegt sich mit dem Wind.",
        "Les roseaux poussent dans une eau calme.",
        "Las cañas crecen donde el agua es mansa, y una brisa las dobla.",
        "Тростник растёт там, где вода спокойна.",
        "갈대는 물이 잔잔한 곳에서 자란다.",
    ],
)
def test_the_rule_about_stop_words_is_not_for_english_alone(text):
    assert "gopher-stop-words" not in quality(text).broken


def test_text_without_stop_words_breaks_the_rule():
    assert "gopher-stop-words" in quality("Reed boats, reed roofs, reed fences: cheap prices, free shipping.").broken


@pytest.mark.parametrize(
    "text",
    [
        "सरकंडे वहाँ उगते हैं जहाँ पानी शांत है। हवा उन्हें झुका देती है।",
        "சம்பங்கோரைகள் அமைதியான தண்ணீரில் வளர்கின்றன, காற்றில் வளைந்துகொடுக்கின்றன.",
        "സമാധാനപൂർണ്ണമായജലാശയങ്ങളിൽ വളർന്നുകൊണ്ടിരിക്കുന്നവയാണ് ഞാങ്ങണച്ചെടികൾ അവിടെ.",
        "سرکنڈے وہاں اگتے ہیں جہاں پانی پرسکون ہے۔",
        "هل ينمو القصب حيث يكون الماء هادئا؟",
        "กกขึ้นในที่ที่น้ำนิ่ง และเอนไปตามลมที่พัดผ่านหมู่บ้านริมน้ำ",
        "ដើមត្រែងដុះនៅកន្លែងដែលទឹកស្ងប់ ហើយឱនតាមខ្យល់។",
        "ကျူပင်များသည် ရေငြိမ်သောနေရာတွင် ပေါက်သည်။",
        "འདམ་རྩྭ་ནི་ཆུ་འཇམ་པོ་ཡོད་སར་སྐྱེ།",
        "Եղեգները աճում են այնտեղ, որտեղ ջուրը հանդարտ է։",
        "ሸምበቆ ውሃው በተረጋጋበት ቦታ ሁልጊዜ ይበቅላል።",
        "갈대는 물이 잔잔한 곳에서 자라고, 바람에 몸을 굽힌다.",
        "葦は水の静かなところに生え、風に身をかがめて、また立ち上がる。",
    ],
)
def test_rules_are_not_for_latin_script_alone(text):
    assert set(quality(text).broken) <= {"gopher-words"}
    assert quality(text).sentences or "ก" in text


def test_lines_without_an_end_of_a_sentence_break_the_rule():
    assert "fineweb-line-punctuation" in quality("Reeds, boats and roofs -\nNets, sails and ropes -").broken
    assert "fineweb-line-punctuation" in quality("芦苇、小船和屋顶\n渔网、风帆和绳索").broken


def test_pictures_without_words_are_no_chunk():
    pictures = "\n".join(f"- ![](https://example.org/{number}.jpg)" for number in range(9))
    assert [chunk.text for chunk in chunks(f"# A\n\n{pictures}\n\n## B\n\nReeds. ![](b.jpg)\n\n## C\n\n![A gull](c.jpg)")] == [
        "Reeds. ![](b.jpg)",
        "![A gull](c.jpg)",
    ]


def test_a_reference_of_thousands_of_digits_in_a_heading_is_no_character():
    assert chunks(f"# Reeds &#{'9' * 5000};\n\nThey bend.")[0].headings == ("Reeds \ufffd",)


def test_chunks_are_counted_as_one_likes():
    text = "# Tides\n\nHigh water comes twice. Low water comes twice, too."
    assert [chunk.size for chunk in extract("<p>x").chunks(5, "characters")] == [1]
    assert [chunk.text for chunk in Chunking(24, "characters").cut(text, lambda: None)] == [
        "High water comes twice.",
        "Low water comes twice,",
        "too.",
    ]
    for wrong in ({"count": "letters"}, {"size": 0}, {"overlap": -1}, {"size": 5, "overlap": 5}):
        with pytest.raises(UsageError):
            Chunking(**wrong)


def test_tokens_are_those_of_tiktoken(monkeypatch):
    class Encoding:
        def encode_ordinary(self, text):
            return text.split("e")

    def of_model(name):
        if name != "a-model":
            raise KeyError(name)
        return Encoding()

    fake = SimpleNamespace(list_encoding_names=lambda: ["by_e"], get_encoding=lambda name: Encoding(), encoding_for_model=of_model)
    monkeypatch.setitem(sys.modules, "tiktoken", fake)
    assert Chunking(5, "tiktoken:by_e").counter()("reeds") == 3
    assert Chunking(5, "tiktoken:a-model").counter()("reeds") == 3
    with pytest.raises(UsageError, match="by_e"):
        Chunking(5, "tiktoken:nothing").counter()
    monkeypatch.setattr(fake, "list_encoding_names", lambda: ["far"])
    monkeypatch.setattr(fake, "get_encoding", lambda name: Path("/nowhere").read_text())
    with pytest.raises(FetchError, match="TIKTOKEN_CACHE_DIR"):
        Chunking(5, "tiktoken:far").counter()
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(MissingExtraError, match="tiktoken"):
        Chunking(5, "tiktoken:another").counter()


def test_a_chunk_repeats_the_last_sentences_of_the_one_before():
    text = "# A\n\nOne two three. Four five. Six seven eight nine.\n\nTen eleven.\n\n```\ncode here\n```\n\nTwelve.\n\n# B\n\nOther."
    found = chunks(text, 8, overlap=4)
    assert [(chunk.text, chunk.size) for chunk in found] == [
        ("One two three. Four five.", 5),
        ("Four five. Six seven eight nine.\n\nTen eleven.", 8),
        ("Ten eleven.\n\n```\ncode here\n```\n\nTwelve.", 7),
        ("Other.", 1),
    ]


@given(BLOCKS, st.integers(2, 20), st.integers(0, 19))
def test_with_an_overlap_nothing_is_lost_and_no_chunk_is_too_large(blocks, size, overlap):
    overlap = min(overlap, size - 1)
    text = "\n\n".join(blocks)
    plain, overlapping = chunks(text, size), chunks(text, size, overlap=overlap)
    assert all(chunk.size == len(words_of(chunk.text)) for chunk in overlapping)
    limit = max([size, *(chunk.size for chunk in plain)])
    assert all(chunk.size <= limit for chunk in overlapping)
    words = " ".join(chunk.text for chunk in overlapping).split()
    assert set(words) == set(" ".join(chunk.text for chunk in plain).split())


def test_a_chunk_may_begin_with_its_headings():
    page = "<title>Reeds</title><article><p>They bend, and rise again.<h2>Roofs</h2><p>They last for years.</article>"
    found = extract(page).chunks(20, headings=True)
    assert [chunk.text for chunk in found] == ["Reeds\n\nThey bend, and rise again.", "Roofs\n\nThey last for years."]


def test_rows_of_chunks_have_the_fields_of_a_product():
    stated = '{"@type": "Product", "name": "Net", "brand": "Weir", "offers": {"price": "12.50", "priceCurrency": "EUR"}}'
    sold = f"<script type=application/ld+json>{stated}</script><article><h1>Net</h1><p>A net for two hands.<p>It holds for years.</article>"
    (row,) = chunk_rows(clean(HeldPage("a", sold), chunks=100, workers=1))
    assert (row["price"], row["currency"], row["brand"]) == ("12.50", "EUR", "Weir")
    plain = HeldPage("b", "<article><p>A net for two hands.<p>It holds for years.</article>")
    (other,) = chunk_rows(clean(plain, chunks=100, workers=1))
    assert "price" not in other


def test_a_long_row_of_terms_is_counted_once_and_not_with_each_term_again():
    counted = 0

    def count(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return len(text.split())

    text = "\n\n".join(f"**Term {number}**" for number in range(2_000))
    assert len(chunks(text, size=100_000, count=count)) == 1
    assert counted < 10 * len(text)
