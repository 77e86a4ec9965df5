"""Which encoding a page is in, and who said so."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.native import markup
from tamis.page.decode import Encoding, codec, decode, find_encoding, is_binary, to_utf8

CHINESE = "网页正文提取的方法很多，这一种看信息量怎样衰减。" * 8


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("gb2312", "gb18030"),
        ("GBK", "gb18030"),
        ("x-gbk", "gb18030"),
        ("shift_jis", "cp932"),
        ("x-sjis", "cp932"),
        ("big5", "big5hkscs"),
        ("latin1", "cp1252"),
        ("iso-8859-1", "cp1252"),
        ("ascii", "cp1252"),
        ("euc-kr", "cp949"),
        ("unicode-1-1-utf-8", "utf-8"),
        (" UTF8 ", "utf-8"),
        ("windows-874", "cp874"),
    ],
)
def test_labels_mean_what_browsers_read(label, name):
    assert codec(label) == name


@pytest.mark.parametrize(
    "label", ["", "nonsense", "base64", "rot13", "zip", "idna", "unicode_escape", "utf-7", "undefined", "\x00", "é", "\udcff"]
)
def test_a_label_that_is_no_text_encoding_means_nothing(label):
    assert codec(label) is None


def test_every_known_label_decodes_anything():
    for label in ("utf-8", "gb2312", "big5", "shift_jis", "euc-jp", "iso-2022-jp", "koi8-r", "windows-1256", "macintosh", "x-user-defined"):
        assert isinstance(bytes(range(256)).decode(codec(label), "replace"), str)


def test_the_byte_order_mark_wins_over_all():
    raw = codecs.BOM_UTF16_LE + "<meta charset=gbk>é".encode("utf-16-le")
    assert find_encoding(raw, "text/html; charset=koi8-r") == Encoding("utf-16-le", "bom")
    assert decode(raw).endswith("é")


def test_the_header_wins_over_the_page():
    raw = "<meta charset=utf-8>дом".encode("koi8-r")
    assert find_encoding(raw, 'text/html; charset="KOI8-R"') == Encoding("koi8-r", "header")
    assert decode(raw, "text/html;charset=koi8-r").endswith("дом")


def test_a_header_that_means_nothing_is_passed_over():
    assert find_encoding(b"<meta charset=gbk>", "text/html; charset=nonsense") == Encoding("gb18030", "meta")


@pytest.mark.parametrize(
    "declaration",
    [
        '<meta charset="gb2312">',
        "<meta charset=gb2312>",
        '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=gb2312">',
        "<?xml version='1.0' encoding='gb2312'?>",
    ],
)
def test_the_page_declares(declaration):
    raw = (declaration + CHINESE).encode("gb18030")
    assert find_encoding(raw) == Encoding("gb18030", "meta")
    assert CHINESE in decode(raw)


def test_a_declaration_in_a_comment_does_not_count():
    assert find_encoding(b"<!-- <meta charset=gbk> --><p>x").source == "utf-8"


@pytest.mark.parametrize("before", [b" " * 5_000, b"<style>" + b"p{margin:0}" * 9_000 + b"</style>", b"<body>" + b"<br>" * 40_000])
def test_a_declaration_far_from_the_start_counts_where_there_is_no_other(before):
    page = before + b"<meta charset=windows-1250>" + "příliš žluťoučký kůň".encode("cp1250")
    assert find_encoding(page) == Encoding("cp1250", "meta")
    assert find_encoding(b"<meta charset=iso-8859-2>" + page).name == "iso8859-2"
    assert find_encoding(page, "text/html; charset=iso-8859-2").name == "iso8859-2"


def test_a_page_in_bytes_cannot_declare_utf_16():
    assert find_encoding(b"<meta charset=utf-16le>abc") == Encoding("utf-8", "meta")


def test_undeclared_utf_8_is_known_by_its_form():
    assert find_encoding("<p>é中".encode()) == Encoding("utf-8", "utf-8")


@pytest.mark.parametrize("label", ["gb2312", "iso-8859-1", "windows-1251", "shift_jis", "koi8-r"])
def test_bytes_that_are_utf_8_overrule_what_is_declared(label):
    raw = f"<meta charset={label}><p>{CHINESE} Füße — дом".encode()
    for page, content_type in ((raw, None), (raw[:-1], None), (raw[raw.index(b"<p>") :], f"text/html; charset={label}")):
        assert find_encoding(page, content_type) == Encoding("utf-8", "utf-8")


@pytest.mark.parametrize(
    ("declared", "encoding", "text"),
    [
        ("iso-8859-1", "gb18030", CHINESE),
        ("utf-8", "gb18030", CHINESE),
        ("iso-8859-1", "cp1251", "Ночной автобус получил третий маршрут, который идёт через мост. " * 4),
        ("utf-8", "cp932", "川沿いの桜並木が満開になりました。朝早く出かけたので、人も少なく、ゆっくり写真を撮ることができました。"),
    ],
)
def test_bytes_that_do_not_fit_what_is_declared_are_given_to_the_detector(declared, encoding, text):
    raw = f"<meta charset={declared}><p>{text}".encode(encoding)
    assert find_encoding(raw) == Encoding(encoding, "detector")
    assert decode(raw).endswith(text)


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        ("iso-8859-1", "<p>Füße, «déjà», ————, ©®"),
        ("iso-8859-1", "<p>plain"),
        ("iso-2022-jp", "<p>漢字"),
        ("gb2312", "<p>" + CHINESE),
    ],
)
def test_bytes_that_agree_leave_what_is_declared(declared, text):
    raw = f"<meta charset={declared}>{text}".encode(codec(declared))
    assert find_encoding(raw) == Encoding(codec(declared), "meta")


def test_a_damaged_page_stays_utf_8():
    raw = ("<p>" + CHINESE).encode() + b"\xff\x80"
    assert find_encoding(raw) == Encoding("utf-8", "utf-8")
    assert find_encoding(b"<meta charset=utf-8>" + raw + b"\xfe" * 40) == Encoding("utf-8", "meta")


def test_the_detector_reads_beyond_a_long_head_in_ascii():
    assert decode(b"<style>" + b"x" * 200_000 + b"</style>" + CHINESE.encode("gb18030")).endswith(CHINESE)


def test_utf_8_that_is_cut_inside_a_character_stays_utf_8():
    assert find_encoding(("<p>" + CHINESE).encode()[:-1]) == Encoding("utf-8", "utf-8")


def test_undeclared_legacy_encodings_are_detected():
    assert decode(("<p>" + CHINESE).encode("gb18030")) == "<p>" + CHINESE
    assert find_encoding(("<p>" + CHINESE).encode("gb18030")).source == "detector"


@pytest.mark.parametrize("text", ["La città è più bella perché c’è il sole", "Größe und Café", "Größe"])
def test_single_letters_beyond_ascii_are_those_of_a_western_language(text):
    assert decode(f"<p>{text}".encode("cp1252")) == f"<p>{text}"


def test_what_fits_nothing_is_read_as_windows_1252():
    assert find_encoding(b"\x80") in (Encoding("cp1252", "default"), Encoding("cp1252", "detector"), Encoding("utf-8", "utf-8"))
    assert isinstance(decode(b"\x80"), str)


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_known_by_its_zeros(name):
    raw = f"<html lang=zh><title>{CHINESE[:8]}</title><p>{CHINESE}".encode(name)
    assert find_encoding(raw) == Encoding(name, "detector")
    assert decode(raw).endswith(CHINESE)


@pytest.mark.parametrize("bom", [codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_marks_that_are_there_several_times_are_no_text(bom):
    name = find_encoding(bom).name
    assert decode(bom * 3 + "<p>é".encode(name)) == "<p>é"


@pytest.mark.parametrize(
    "raw", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"%PDF-1.7\n%\xe2\xe3\n1 0 obj", b"PK\x03\x04abc", bytes(100), bytes(range(256)) * 9]
)
def test_what_is_no_page_is_known(raw):
    assert is_binary(raw)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"text",
        b"<p>a\0b" * 99,
        b"\0" + b"text " * 99,
        "<p>文".encode("utf-16"),
        "<p>a".encode("utf-16-le"),
        b"\x1b$B" * 99,
        b"\xff" * 99,
    ],
)
def test_odd_pages_are_pages(raw):
    assert not is_binary(raw)


@given(st.binary(max_size=400), st.one_of(st.none(), st.text(max_size=40)))
def test_decoding_never_fails(raw, content_type):
    assert isinstance(decode(raw, content_type), str)
    assert isinstance(to_utf8(raw, find_encoding(raw, content_type)).decode("utf-8", "replace"), str)


@given(
    st.lists(st.sampled_from([b"a", b"a page", *(letter.encode() for letter in "éक퟿😀"), *(bytes([byte]) for byte in range(128, 256))])),
    st.integers(0, 20),
)
def test_the_compiled_check_of_utf_8_is_that_of_python_but_for_a_cut_surrogate(pieces, most):
    raw = b"".join(pieces)
    first, is_utf_8 = markup.read_utf_8(raw, most)
    assert first == next((at for at, byte in enumerate(raw) if byte > 127), len(raw))
    looked_at = raw[first : first + most]
    try:
        codecs.getincrementaldecoder("utf-8")().decode(looked_at)
        assert is_utf_8 or looked_at[-2:-1] == b"\xed"
    except UnicodeDecodeError:
        assert not is_utf_8
