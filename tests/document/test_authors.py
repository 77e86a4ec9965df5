import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis import extract
from tamis.document.metadata.authors import joined, labelled, name_of, persons, without_place


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("By Ann Lee", "Ann Lee"),
        ("Written by: Ann Lee", "Ann Lee"),
        ("作者：张三", "张三"),
        ("文/张三", "张三"),
        ("Ann Lee (ann.domain.name.hidden)", "Ann Lee"),
        ("Ann Lee (The Garden)", "Ann Lee (The Garden)"),
        ("Автор: Анна Ли", "Анна Ли"),
        ("Von Miller", "Von Miller"),
        ("Byron Lee", "Byron Lee"),
        ("Ann &amp; Bo", "Ann & Bo"),
        ("<b>Ann Lee</b>", "Ann Lee"),
        ("Guest post by Bo Ek", "Bo Ek"),
        ("Guest author: Bo Ek", "Bo Ek"),
        ("Gastkommentar von Bo Ek", "Bo Ek"),
        ("Von Anna Lee und Bo Ek", "Anna Lee und Bo Ek"),
        ("Marie von Ebner", "Marie von Ebner"),
        ("بقلم ليلى حسن", "ليلى حسن"),
        ("文/赵小雨 图/钱一", "赵小雨"),
        ("文｜赵小雨", "赵小雨"),
        ("本报记者 赵小雨", "赵小雨"),
        ("이영희 기자", "이영희"),
        ("记者站", "记者站"),
        ("编辑：钱一", None),
        ("来源：花园报", None),
    ],
)
def test_declared_names_lose_what_is_around_them(value, name):
    assert name_of(value) == name


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("By Ann Lee | March 5, 2024", "Ann Lee"),
        ("Ann Lee March 5, 2024", "Ann Lee"),
        ("Ann Lee · 5 min read", "Ann Lee"),
        ("von Anna Lee", "Anna Lee"),
        ("Veröffentlicht von Anna Lee am 3. März 2024", "Anna Lee"),
        ("Publié par Anne Roy le 3 mars 2024", "Anne Roy"),
        ("Publicado por Ana Ruiz el 3 de marzo de 2024", "Ana Ruiz"),
        ("Vložil/a Anna Nová, 18 Únor, 2010 - 18:04", "Anna Nová"),
        ("Опубликовал Иван Иванов", "Иван Иванов"),
        ("ByAnn Lee", "Ann Lee"),
        ("Ann Lee. Reviewed by Bo Ek", "Ann Lee"),
        ("Ann Lee in Recipes", "Ann Lee"),
        ("ByANN Lee", "ANN Lee"),
        ("Ann Lee, MD*", "Ann Lee, MD"),
        ("Ann Lee @annlee", "Ann Lee"),
        ("Ann Lee on March 5", "Ann Lee"),
        ("Ann Lee.", "Ann Lee"),
        ("Bo Ek Jr.", "Bo Ek Jr."),
        ("Ann Lee (@annlee)", "Ann Lee"),
        ("Ann Lee // November", "Ann Lee"),
        ("Ann Lee, Dec", "Ann Lee"),
        ("Robert August", "Robert August"),
        ("Ann Lee November 12th, 2012 at 04:00 PM", "Ann Lee"),
        ("By ANN LEE ann.lee@example.org", "ANN LEE"),
        ("Ann Lee »", "Ann Lee"),
        ("Ann Lee, Product Manager, Garden Maps", "Ann Lee"),
        ("ANN LEE AND", "ANN LEE"),
        ("安娜·李", "安娜·李"),
    ],
)
def test_shown_names_lose_dates_and_roles(value, name):
    assert name_of(value, on_page=True) == name


@pytest.mark.parametrize("value", ["", "https://example.org/ann", "/authors/ann", "admin", "12", "{{author}}", "By", "undefined"])
def test_what_names_nobody_is_none(value):
    assert name_of(value) is None


def test_shown_text_that_is_no_name_is_none():
    for value in (
        "Image: Courtesy of a Friend",
        "March 5, 2024",
        "a sentence that goes on and on for more than a name does",
        "© Ann Lee",
        "9:39AM BST",
        "Publié",
        "Learn more",
        "mins read",
        "Senior Member",
        "If you like what the garden grows",
        "Sat, 20 Dec, 2025 - 06:36",
        "你好！我写字。",
    ):
        assert name_of(value, on_page=True) is None


@pytest.mark.parametrize("value", ["Log out", "Archive", "Email to Author", "My account", "On Twitter »", "More >>", "ann.lee@example.org"])
def test_links_beside_a_byline_and_addresses_are_no_names(value):
    assert name_of(value, on_page=True) is None


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("Ann Lee, Science Correspondent", "Ann Lee"),
        ("Ann Lee, Paris correspondent, Another Paper", "Ann Lee"),
        ("Ann Lee, Special for Another Paper", "Ann Lee"),
        ("Ann Lee (STAFF WRITER)", "Ann Lee"),
        ("Ann Lee , The Garden", "Ann Lee"),
        ("Ann Lee, The Garden Sports", "Ann Lee"),
        ("ANN LEE, Associated Press :", "ANN LEE"),
        ("ANN LEE AP Sports Writer", "ANN LEE"),
        ("Ann Lee and agencies", "Ann Lee"),
        ("Ann Lee and Bo Ek, Staff Writers", "Ann Lee and Bo Ek"),
        ("Associated Press", "Associated Press"),
        ("The Associated Press", "The Associated Press"),
        ("Reuters", "Reuters"),
        ("Staff, news services", "Staff, news services"),
        ("Ann Lee, MD", "Ann Lee, MD"),
        ("Ann Lee, Bo Ek", "Ann Lee, Bo Ek"),
        ("Ann Reporter", "Ann Reporter"),
    ],
)
def test_names_lose_where_their_bearers_work(value, name):
    assert without_place(value, {"thegarden", "md", "bo"}) == name


def test_a_name_of_the_site_may_stand_in_brackets():
    assert without_place("Ann Lee (The Garden)", {"thegarden"}) == "Ann Lee"
    assert without_place("Ann Lee (The Garden)", {"shore"}) == "Ann Lee (The Garden)"


def test_a_short_name_of_a_site_is_behind_an_author_only_as_a_whole():
    assert without_place("Ann Lee, CNN", {"cnn"}) == "Ann Lee"
    assert without_place("Ann Lee, Carpenter", {"car", "ca"}) == "Ann Lee, Carpenter"


def test_authors_are_listed_once():
    assert joined(["Ann Lee; Bo Ek", "ANN LEE", "admin"]) == "Ann Lee; Bo Ek"
    assert joined([]) is None


def test_labels_name_the_author():
    assert labelled("Ein Gastbeitrag von Anna Lee") == labelled("A guest post by Anna Lee") == labelled("Текст: Anna Lee") == "Anna Lee"
    assert labelled("取材・文／田中太郎　撮影／佐藤") == labelled("文・田中太郎") == "田中太郎"
    assert labelled("译者：钱一 作者：[美]安娜·李") == "安娜·李"
    assert labelled("كتبت: ليلى حسن") is None
    assert labelled("كتب: حسن علي") == "حسن علي"
    assert labelled("来源：新华社　作者：张三　2024-03-05") == "张三"
    assert labelled("文：佐々木 愛 写真：田中 一") == "佐々木 愛" == labelled("執筆者：佐々木 愛（社会部）")
    assert labelled("文＝佐々木 愛 写真＝田中 一") == "佐々木 愛" == labelled("筆者：佐々木 愛")
    assert labelled("沈秋月／台北報導") == "沈秋月" == labelled("〔記者沈秋月／花蓮報導〕") == labelled("文字：沈秋月 摄影：顾远")
    assert labelled("글 이민호 사진 최유진") == "이민호" == labelled("글·사진 이민호") == labelled("글쓴이 이민호")
    for words in ("Autorin:", "Autora:", "Autrice :", "Авторка:", "Bài và ảnh:", "Yazan:", "Geschrieben von:", "Scritto da"):
        assert labelled(f"{words} Anna Lee") == "Anna Lee", words
    for words in ("Rozmawiała", "Подготовила", "Escribe:", "napsala", "Γράφει η"):
        assert labelled(f"{words} Anna Lee") == "Anna Lee", words
    for words in ("Par notre correspondante", "Von unserer Redakteurin", "dal nostro inviato", "From our correspondent"):
        assert labelled(f"{words} Anna Lee") == "Anna Lee", words
    assert labelled("How our math Tutors Can") is labelled("Our Picks Of Reeds") is labelled("Escribe a la redacción") is None
    assert labelled("लेखक: अमित वर्मा") == "अमित वर्मा"
    assert labelled("Penulis: Budi Santoso") == "Budi Santoso"
    assert labelled("Συντάκτης: Άννα Ρήγα") == "Άννα Ρήγα"
    assert labelled("Szerző: Kovács Anna") == "Kovács Anna"
    assert labelled("by the way") is None


@given(st.text(max_size=300), st.booleans())
def test_no_text_raises(text, on_page):
    name = name_of(text, on_page=on_page)
    assert name is None or name.strip() == name != ""
    labelled(text)


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("Ann Lee and Bo Ek", ["Ann Lee", "Bo Ek"]),
        ("Ann Lee & Bo Cy Ek", ["Ann Lee", "Bo Cy Ek"]),
        *((f"Anna Lee {between} Bo Ek", ["Anna Lee", "Bo Ek"]) for between in ("und", "e", "och", "og", "и")),
        ("Ann Lee , Bo Ek", ["Ann Lee", "Bo Ek"]),
        ("ANN LEE, BO CY EK, DI FU", ["ANN LEE", "BO CY EK", "DI FU"]),
        ("Ann Lee, Bo Ek, and Marna van der Merwe", ["Ann Lee", "Bo Ek", "Marna van der Merwe"]),
        *(
            (name, [name])
            for name in (
                "Lee, Ann",
                "Ann Lee, MD",
                "Ann Lee, M.D. FACLM",
                "Marks and Spencer",
                "Linny and Peter",
                "José Ortega y Gasset",
                "Department for Gardens and Reed Beds",
                "Ann Lee, The Reed Star",
                "Ann Lee, Garden Expert",
                "Purdue Marketing and Media",
                "Garden Agency & Reed Services",
            )
        ),
    ],
)
def test_several_persons_are_told_apart_and_titles_places_and_organisations_are_none(value, names):
    assert persons(value) == names


def test_of_two_names_with_a_comma_that_a_page_shows_the_second_may_be_a_place():
    assert persons("Ann Lee, Reed Shore", declared=False) == ["Ann Lee, Reed Shore"]
    assert persons("Ann Lee and Bo Ek", declared=False) == ["Ann Lee", "Bo Ek"]
    assert persons("Ann Lee, Bo Ek, Cy Rus", declared=False) == ["Ann Lee", "Bo Ek", "Cy Rus"]


@pytest.mark.parametrize(
    ("line", "author"),
    [
        ("Par Claire Montfort", "Claire Montfort"),
        ("Par Claire Montfort, publié le 3 mai 2022 à 10h12", "Claire Montfort"),
        ("Por Marta Gil Sáez | 4 de mayo de 2021", "Marta Gil Sáez"),
        ("Von Anna Kern und Jörg Maas", "Anna Kern; Jörg Maas"),
        ("Door Jan de Vries", "Jan de Vries"),
        ("Av Karin Lund", "Karin Lund"),
        ("af Bo Ek", "Bo Ek"),
        ("di Anna Bianchi", "Anna Bianchi"),
        ("di Anna Bianchi | 5 maggio 2023", "Anna Bianchi"),
        ("di Lago in Lago", None),
        ("Words by Tom Reed", "Tom Reed"),
        ("Par Toutatis, la mer monte encore cette nuit", None),
        ("Von der Mühle ist wenig geblieben", None),
        ("Por Marta", None),
    ],
)
def test_a_line_of_a_preposition_and_a_name_of_a_person_is_a_byline(line, author):
    page = f"<title>The kiln</title><h1>The kiln</h1><p>{line}</p><p>The old kiln was fired for the last time in spring.</p>"
    assert extract(page).metadata.author == author


@pytest.mark.parametrize("text", ["The writer has", "For the Tribune", "Staff, news services", "Garden News from HealthDay"])
def test_what_stands_in_place_of_a_byline_is_no_name(text):
    assert name_of(text, on_page=True) is None


@pytest.mark.parametrize("name", ["Bj&ouml;rn &Aring;s", "Bj&amp;ouml;rn &#197;s", "Bj&#xf6;rn &#xc5;s"])
def test_character_references_part_no_names(name: str):
    assert joined([f"{name}; Ann Lee"]) == "Björn Ås; Ann Lee"


@pytest.mark.parametrize(
    ("shown", "name"),
    [
        ("By<b>by</b> BO EK, ANN LEE and CY RUS", "BO EK; ANN LEE; CY RUS"),
        ("Bo Ek in Boats on 7 May 2021", "Bo Ek"),
        ("Bo Ek at 7:05 pm", "Bo Ek"),
        ("Friday, May 7, 2021 7:05 am by Bo Ek", "Bo Ek"),
        ("Text by Bo Ek, illustrations by Ann Lee", "Bo Ek"),
        ("Bo Ek for The Shore Times", "Bo Ek"),
        ("Af Bo Ek", "Bo Ek"),
        ("By Staff Writers", None),
        ("News Desk", None),
        ("Friday", None),
        ("執筆者", None),
        ("文● 山田太郎／中村花子", "山田太郎; 中村花子"),
        ("【山田太郎，岸辺新聞】", "山田太郎"),
        ("Bo Ek <a href=/bo>@boek</a>", "Bo Ek"),
    ],
)
def test_what_stands_beside_a_name_is_no_author(shown: str, name: str | None):
    page = f"<title>Boats</title><h1>Boats</h1><p class=byline>{shown}</p><p>They lie on the shore all winter."
    assert extract(page).metadata.author == name


@pytest.mark.parametrize(
    ("declared", "author"), [("Shore Media Group", "Bo Ek"), ("Shore Times Staff", "Bo Ek"), ("Ann Lee", "Ann Lee"), ("annlee", "annlee")]
)
def test_a_person_of_the_byline_comes_before_an_organisation_that_is_declared(declared: str, author: str):
    page = f"<meta name=author content='{declared}'><h1>Boats</h1><p>By <a rel=author href=/bo>Bo Ek</a><p>They lie on the shore."
    assert extract(page).metadata.author == author


@pytest.mark.parametrize("attribute", ["data-testid=authorName class=x1", "data-component=Byline", "data-component=AuthorLine"])
def test_a_component_may_be_called_what_it_is(attribute: str):
    assert extract(f"<h1>Boats</h1><div {attribute}>Bo Ek</div><p>They lie on the shore.").metadata.author == "Bo Ek"


@pytest.mark.parametrize(
    ("byline", "author"),
    [
        ("<p><span>Ann Lee</span><span>3 May 2024</span>", "Ann Lee"),
        ("<p>3 May 2024<p>Ann Lee", "Ann Lee"),
        ("<p><b>Ann Lee</b> <i>Editor of the shore</i> <time datetime=2024-05-03>Friday</time>", "Ann Lee"),
        ("<p><a href=/people/ann-lee>Ann Lee</a> 3 May 2024", "Ann Lee"),
        ("<p>山田 花子 <span>2024年5月3日</span>", "山田 花子"),
        ("<p>Ann Lee<p>It was cold on the shore.", None),  # no date
        ("<p><a href=/topics/ann-lee>Ann Lee</a> 3 May 2024", None),
        ("<p>3 May 2024<p>Shore News", None),
        ("<p>3 May 2024<p>Read on<p>Ann Lee", None),
    ],
)
def test_a_name_alone_beside_the_date_below_the_title_is_the_author(byline: str, author: str | None):
    assert extract(f"<title>Boats</title><h1>Boats</h1>{byline}<p>They lie on the shore all winter.").metadata.author == author


@pytest.mark.parametrize(
    ("byline", "author"),
    [
        ("<span>作者：张三</span><span>来源：河岸报</span>", "张三"),
        ("<span>文：李小明</span><span>摄影：赵刚</span>", "李小明"),
        ("文・写真＝山田 花子", "山田 花子"),
        ("【記者：山田太郎】2024年5月3日", "山田太郎"),
        ("著者: 山田 花子（やまだ はなこ）", "山田 花子"),
        ("글·사진 김철수 기자2024.05.03", "김철수"),
        ("Por: Ana Gil | Fotos: Luis Paz", "Ana Gil"),
        ("Tekst: Zofia Bąk, zdjęcia: Jan Rak", "Zofia Bąk"),
        ("Haber: Elif Su", "Elif Su"),
        ("Text: Bo Ek", "Bo Ek"),
        ("Story and photos by Bo Ek", "Bo Ek"),
        ("A cura di <a href=/redazione/bo>Bo Ek</a>", "Bo Ek"),
        ("Text: English", None),
        ("Text Size", None),
    ],
)
def test_labels_of_authors_in_several_languages(byline: str, author: str | None):
    assert extract(f"<title>Boats</title><h1>Boats</h1><div>{byline}</div><p>They lie on the shore all winter.").metadata.author == author


def test_an_agency_in_brackets_is_no_part_of_a_name():
    assert [name_of("Bo Ek (dpa)"), name_of("Bo Ek (MD)")] == ["Bo Ek", "Bo Ek (MD)"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("By Ann Lee for the Harrow Post", "Ann Lee"),
        ("ANN LEE, For The Harrow Post", "ANN LEE"),
        ("Ann Lee, PhD", "Ann Lee, PhD"),
        ("Ann Lee, Inc.", "Ann Lee, Inc."),
        ("Ann Lee, Bo Ek", "Ann Lee, Bo Ek"),
        ("Lee, Anna", "Lee, Anna"),
    ],
)
def test_a_newspaper_behind_a_shown_name_is_not_part_of_it(text, name):
    assert name_of(text, on_page=True) == name
