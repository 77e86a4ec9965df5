"""Two pages as they were made in the nineties: tables for layout, no UTF-8. One in Big5, one in Shift_JIS."""

from __future__ import annotations

from dataclasses import dataclass

from demo.content import blocks, rows
from demo.markup import Node, Tag, link, tag


@dataclass(frozen=True, slots=True)
class OldPage:
    """A page with a menu column, a text column and a counter at its foot."""

    path: str
    language: str
    charset: str
    title: str
    menu: tuple[str, ...]
    paragraphs: tuple[str, ...]
    foot: tuple[str, ...]


OLD_PAGES = (
    OldPage(
        "old/yujia.html",
        "zh-TW",
        "big5",
        "一位漁家的回憶",
        rows("""
            回首頁
            最新消息
            漁港歷史
            留言板
            友站連結
            聯絡站長
        """),
        blocks(
            """
            我家三代都在這個小港打魚。祖父出海只看雲和鳥，他說儀器會騙人，鳥不會。父親買了第一部收音機，
            每天清晨全村的人都聚到我們家門口聽氣象。

            那時候碼頭是木頭的，退潮的時候，孩子們就鑽到下面撿螺。颱風來的前一晚，大家把小船一艘一艘抬到廟前，
            用粗繩綁在石獅子上，第二天再一艘一艘抬回去。

            現在的港口有水泥堤防，也有冷凍廠，可是認得雲的人越來越少了。我把祖父說過的話記在這裡，
            希望有一天還有人用得上。
        """,
            "",
        ),
        ("您是第 004187 位訪客", "本站最佳瀏覽解析度為 800×600", "版權所有，歡迎連結，請勿轉載"),
    ),
    OldPage(
        "old/minato.html",
        "ja",
        "shift_jis",
        "港の朝市の歩き方",
        rows("""
            トップページ
            お知らせ
            港の歴史
            掲示板
            リンク集
            お問い合わせ
        """),
        blocks(
            """
            港の朝市は、夜が明ける前から始まります。四時には魚を積んだ船が戻り、五時には石段の上に店が並びます。
            六時を過ぎると、良いものはもう残っていません。

            買い物のこつは、急がないことです。まず端から端まで一度歩いて、値段ではなく氷の量を見てください。
            氷を惜しまない店は、魚も惜しみません。

            帰りには灯台の下の食堂で、味噌汁を一杯どうぞ。雨の日は店が半分になりますが、話は二倍になります。
        """,
            "",
        ),
        ("あなたは 002915 人目のお客様です", "このホームページはリンクフリーです", "無断転載を禁じます"),
    ),
)


def old_layout(page: OldPage) -> Tag:
    """The page as a tree: a table that holds a menu and the text, apart by ``br``."""
    menu: list[Node] = []
    for entry in page.menu:
        menu += [link(f"menu{len(menu) // 2}.html", entry), tag("br")]
    text: list[Node] = []
    for paragraph in page.paragraphs:
        text += [tag("font", paragraph, size="3"), tag("br"), tag("br")]
    foot: list[Node] = []
    for row in page.foot:
        foot += [row, tag("br")]
    heading = tag("center", tag("font", tag("b", page.title), size="5", color="#003366"), role="either")
    column = tag("td", heading, tag("hr"), tag("div", *text, role="main"), valign="top")
    return tag(
        "html",
        tag(
            "head",
            tag("meta", http_equiv="Content-Type", content=f"text/html; charset={page.charset}"),
            tag("title", page.title),
        ),
        tag(
            "body",
            tag("table", tag("tr", tag("td", *menu, width="150", bgcolor="#ccddee", valign="top"), column), width="760", border="0"),
            tag("center", tag("font", *foot, size="2")),
            bgcolor="#ffffff",
        ),
        lang=page.language,
    )
