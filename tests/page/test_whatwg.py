"""Text in the encodings of East Asia: what a browser reads, character by character."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.page.decode import codec, decode, find_encoding
from tamis.page.whatwg import text_of

ENCODINGS = {name: codec(name) or "" for name in ("euc-jp", "shift_jis", "big5", "gb18030", "euc-kr", "iso-2022-jp", "koi8-u")}
ENCODINGS |= {f"windows-{number}": f"cp{number}" for number in (874, *range(1250, 1259))}
NOT_IN_CHROMIUM = {"8862", "8864", "88a3", "88a5"}  # pairs of Big5 that stand for two characters, of which it loses one

SCRIPT = """
<pre id=out></pre><script>
const hex = text => Array.from(text).map(each => each.codePointAt(0).toString(16)).join(" ");
const bytes = text => new Uint8Array(text.match(/../g).map(each => parseInt(each, 16)));
const found = {};
for (const [label, sequences] of Object.entries(ASKED))
  found[label] = sequences.map(each => hex(new TextDecoder(label).decode(bytes(each))));
document.getElementById("out").textContent = JSON.stringify(found);
</script>
"""


def sequences(name: str) -> list[str]:
    """Every character and pair of an encoding between ASCII, and sequences drawn by chance, in hexadecimal digits."""
    draw = random.Random(name)
    if name == "iso-2022-jp":
        pairs = [f"411b2442{lead:02x}{trail:02x}1b284241" for lead in range(0x21, 0x7F) for trail in range(0x21, 0x7F)]
        return [*pairs, *(f"41{escape}{byte:02x}411b284241" for escape in ("1b284a", "1b2849") for byte in range(0x21, 0x60))]
    if name.startswith(("windows", "koi8")):
        return [f"{byte:02x}" for byte in range(0x80, 0x100)]
    leads, trails = range(0x80, 0x100), (0x0A, 0x20, *range(0x30, 0x7F, 5), *range(0x40, 0x7F), *range(0x7F, 0x100))
    pairs = [f"41{lead:02x}{trail:02x}0a" for lead in leads for trail in trails]
    three = [f"418f{lead:02x}{trail:02x}0a" for lead in range(0xA1, 0xFF) for trail in range(0xA1, 0xFF, 3)] if name == "euc-jp" else []
    by_chance = [
        bytes(draw.choice((draw.randrange(256), draw.randrange(0xA1, 0xFF))) for _ in range(12)).hex() + "4142" for _ in range(300)
    ]
    by_chance = [each for each in by_chance if name != "euc-jp" or "8f" not in each]  # after half a triple, Chromium is out of step
    return [*pairs, *three, *by_chance]


@pytest.mark.slow
def test_encodings_are_read_as_a_browser_reads_them(browser):
    from tamis import Browser, BrowserSettings

    with Browser(BrowserSettings(seconds=120, javascript=True)) as started:
        for name in ENCODINGS:
            asked = sequences(name)
            page = started.render(html=SCRIPT.replace("ASKED", json.dumps({name: asked})))
            found = json.loads(page.tree.text())[name]
            assert len(found) == len(asked)
            mine = [" ".join(f"{ord(each):x}" for each in text_of(bytes.fromhex(each), ENCODINGS[name])) for each in asked]
            wrong = [
                each
                for each in zip(asked, mine, found, strict=True)
                if each[1] != each[2] and not any(pair in each[0] for pair in NOT_IN_CHROMIUM)
            ]
            assert not wrong, (name, len(wrong), wrong[:5])


@pytest.mark.parametrize(
    ("name", "raw", "text"),
    [
        ("euc-jp", "ada1 adea a4a2 fcfc", "①㈱あ￤"),
        ("euc-jp", "a4a2 ff a4a4 a441 a4a6", "あ\ufffdい\ufffdAう"),
        ("iso-2022-jp", "1b2442 2d21 2d6a 1b2842 41 1b284a 5c 1b2849 31", "①㈱A¥ｱ"),
        ("big5", "877a 8e69 c6de a241 a1fe a3e1 a440", "㡵箸〃∕／€一"),
        ("gbk", "80 a2e3 a6d9 fe59 b0a1", "€€\ufe10龴啊"),
        ("shift_jis", "8740 878a fd 82a0", "①㈱\ufffdあ"),
        ("euc-kr", "b0a1 8180 8141", "가\ufffd갂"),
        ("windows-1255", "ca", "\u05ba"),
    ],
)
def test_characters_that_python_lacks_are_read_and_the_rest_stays_in_step(name, raw, text):
    assert text_of(bytes.fromhex(raw), ENCODINGS.get(name) or codec(name) or "") == text


@given(st.binary(max_size=60), st.sampled_from(sorted(set(ENCODINGS.values()))))
def test_anything_is_read_and_ascii_stays(raw, name):
    assert text_of(raw + b"\n", name).endswith("\n") or name in ("iso2022_jp", "gb18030")
    plain = bytes(byte & 0x7F for byte in raw if byte & 0x7F != 0x1B)
    assert text_of(plain, name) == plain.decode("ascii")


@pytest.mark.parametrize(("label", "text"), [("euc-jp", "①番線の電車は㈱東鉄が運行します。" * 9), ("iso-2022-jp", "①番線")])
def test_a_page_with_the_additions_of_a_vendor_is_decoded_whole(label, text):
    pairs = b"".join(_euc(character) for character in text)
    raw = pairs if label == "euc-jp" else b"\x1b$B" + bytes(byte & 0x7F for byte in pairs) + b"\x1b(B"
    page = b"<meta charset=" + label.encode() + b"><p>" + raw
    assert decode(page).endswith(text)
    assert find_encoding(page).source == "meta"


def _euc(character: str) -> bytes:
    """The pair of EUC-JP for a character, by way of Windows' Shift_JIS."""
    lead, trail = character.encode("cp932")
    row = 2 * (lead - (0x81 if lead < 0xA0 else 0xC1)) + 1 + (trail >= 0x9F)
    return bytes([row + 0xA0, trail - (0x9E if trail >= 0x9F else 0x40 if trail >= 0x80 else 0x3F) + 0xA0])


def test_iso_2022_jp_is_known_by_its_escapes():
    page = b"<title>x</title><p>\x1b$B2-\x1b(B and more"
    assert (find_encoding(page).name, find_encoding(page).source) == ("iso2022_jp", "detector")
    assert decode(page).endswith("<p>沖 and more")
