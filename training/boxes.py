"""Boxes inserted into pages with gold: what stands between the paragraphs of an article and is no part of it.

The sets have few of these boxes, so what they teach of them is little: "follow us", "the story continues below", a form for a newsletter, a
list of other articles. Here short texts that are noise on other pages, in the language of the page, and phrases of known kinds are put
after paragraphs of the main text, and teasers of other pages below it. Class names are random, telling, or missing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from random import Random

from selectolax.lexbor import LexborHTMLParser, LexborNode

BOX = "data-inserted-box"
"""Attribute of the elements that were inserted."""
LEAST_PARAGRAPH = 60
"""Characters of a paragraph after which a box may stand."""
FEWEST, MOST = 1, 4
"""Boxes of a page."""
TEASED = 0.4
"""Share of the pages with teasers of other pages below the main text."""

PHRASES: Mapping[str, Mapping[str, str]] = {
    "en": {
        "follow": "Follow us on Facebook|Follow @{name} on Twitter|Like us on Facebook|Join us on WhatsApp|Follow us on Instagram for more",
        "continues": (
            "Story continues below|Article continues after advertisement|Scroll to continue|Advertisement|Story continues below this ad"
        ),
        "newsletter": "Sign up for our newsletter|Get the latest news in your inbox|Subscribe to our daily briefing|Your email address",
        "video": (
            "Your browser does not support the video tag.|This video is not available|"
            "The video player failed to load. (Error Code: 100013)|Watch: {title}"
        ),
        "read": "Read more: {title}|READ ALSO: {title}|Related: {title}|See also: {title}|More: {title}|Don't miss: {title}",
        "related": "Related articles|More on this topic|You may also like|Recommended for you|Most read",
        "share": "Share this article|Share on Facebook|Tweet|Copy link|Print|Email to a friend",
        "support": "Support independent journalism|Become a member|Subscribe now for full access|Already a subscriber? Log in",
    },
    "de": {
        "follow": "Folgen Sie uns auf Facebook|Folge uns auf Instagram|Jetzt Fan werden|Unser WhatsApp-Kanal",
        "continues": "Artikel wird nach der Anzeige fortgesetzt|Anzeige|Lesen Sie weiter unten|Werbung",
        "newsletter": "Newsletter abonnieren|Jetzt kostenlos anmelden|Ihre E-Mail-Adresse|Täglich die wichtigsten Nachrichten",
        "video": "Ihr Browser unterstützt dieses Video nicht.|Das Video konnte nicht geladen werden|Video abspielen",
        "read": "Lesen Sie auch: {title}|Mehr dazu: {title}|Mehr zum Thema: {title}",
        "related": "Das könnte Sie auch interessieren|Mehr zum Thema|Meistgelesen",
        "share": "Artikel teilen|Auf Facebook teilen|Drucken|Link kopieren",
        "support": "Jetzt Mitglied werden|Weiterlesen mit Abo|Sie sind schon Abonnent? Anmelden",
    },
    "fr": {
        "follow": "Suivez-nous sur Facebook|Suivez-nous sur Twitter|Rejoignez-nous sur WhatsApp",
        "continues": "La suite après la publicité|Publicité|La suite de l'article ci-dessous",
        "newsletter": "Inscrivez-vous à notre newsletter|Recevez l'actualité chaque matin|Votre adresse e-mail|Je m'inscris",
        "video": "Votre navigateur ne prend pas en charge la vidéo.|Cette vidéo n'est pas disponible|Lire la vidéo",
        "read": "Lire aussi : {title}|À lire également : {title}|Voir aussi : {title}",
        "related": "À lire aussi|Sur le même sujet|Les plus lus",
        "share": "Partager cet article|Partager sur Facebook|Imprimer|Copier le lien",
        "support": "Abonnez-vous pour lire la suite|Déjà abonné ? Connectez-vous|Soutenez-nous",
    },
    "es": {
        "follow": "Síguenos en Facebook|Síguenos en Instagram|Únete a nuestro canal de WhatsApp",
        "continues": "La nota continúa abajo|Publicidad|Sigue leyendo debajo|Continúa después de la publicidad",
        "newsletter": "Suscríbete a nuestro boletín|Recibe las noticias en tu correo|Tu correo electrónico|Suscribirme",
        "video": "Tu navegador no soporta el vídeo.|Este vídeo no está disponible|Ver vídeo",
        "read": "Lee también: {title}|Te puede interesar: {title}|Leer más: {title}",
        "related": "Te puede interesar|Noticias relacionadas|Lo más leído",
        "share": "Comparte esta noticia|Compartir en Facebook|Imprimir|Copiar enlace",
        "support": "Hazte socio|¿Ya eres suscriptor? Inicia sesión|Suscríbete para seguir leyendo",
    },
    "pt": {
        "follow": "Siga-nos no Facebook|Siga o nosso Instagram|Entre no nosso canal do WhatsApp",
        "continues": "Continua após a publicidade|Publicidade|A matéria continua abaixo",
        "newsletter": "Assine a nossa newsletter|Receba as notícias no seu e-mail|Seu e-mail|Inscreva-se",
        "video": "Seu navegador não suporta o vídeo.|Este vídeo não está disponível|Assistir ao vídeo",
        "read": "Leia também: {title}|Veja também: {title}|Leia mais: {title}",
        "related": "Leia também|Notícias relacionadas|Mais lidas",
        "share": "Compartilhe esta notícia|Compartilhar no Facebook|Imprimir|Copiar link",
        "support": "Assine para continuar lendo|Já é assinante? Entre",
    },
    "it": {
        "follow": "Seguici su Facebook|Seguici su Instagram|Iscriviti al canale WhatsApp",
        "continues": "L'articolo continua sotto|Pubblicità|Continua a leggere dopo la pubblicità",
        "newsletter": "Iscriviti alla newsletter|Ricevi le notizie ogni giorno|La tua email|Iscriviti",
        "video": "Il tuo browser non supporta il video.|Il video non è disponibile|Guarda il video",
        "read": "Leggi anche: {title}|Vedi anche: {title}|Per approfondire: {title}",
        "related": "Potrebbe interessarti|Articoli correlati|I più letti",
        "share": "Condividi l'articolo|Condividi su Facebook|Stampa",
        "support": "Abbonati per leggere tutto|Sei già abbonato? Accedi",
    },
    "nl": {
        "follow": "Volg ons op Facebook|Volg ons op Instagram",
        "continues": "Het artikel gaat verder onder de advertentie|Advertentie|Lees verder onder de foto",
        "newsletter": "Schrijf je in voor de nieuwsbrief|Je e-mailadres|Aanmelden",
        "video": "Je browser ondersteunt deze video niet.|Video afspelen",
        "read": "Lees ook: {title}|Zie ook: {title}",
        "related": "Lees ook|Meer over dit onderwerp|Meest gelezen",
        "share": "Deel dit artikel|Delen op Facebook",
        "support": "Word lid en lees verder|Al abonnee? Log in",
    },
    "pl": {
        "follow": "Obserwuj nas na Facebooku|Polub nas na Facebooku",
        "continues": "Dalszy ciąg materiału pod wideo|Reklama|Ciąg dalszy artykułu pod reklamą",
        "newsletter": "Zapisz się do newslettera|Twój adres e-mail|Zapisz się",
        "video": "Twoja przeglądarka nie obsługuje wideo.|Odtwórz wideo",
        "read": "Czytaj także: {title}|Zobacz też: {title}|Przeczytaj: {title}",
        "related": "Zobacz także|Podobne artykuły|Najczęściej czytane",
        "share": "Udostępnij artykuł|Udostępnij na Facebooku|Drukuj",
        "support": "Wykup dostęp|Masz już konto? Zaloguj się",
    },
    "cs": {
        "follow": "Sledujte nás na Facebooku|Sledujte nás na Instagramu",
        "continues": "Článek pokračuje pod reklamou|Reklama|Inzerce",
        "newsletter": "Přihlaste se k odběru novinek|Váš e-mail|Odebírat",
        "video": "Váš prohlížeč nepodporuje přehrávání videa.|Přehrát video",
        "read": "Čtěte také: {title}|Přečtěte si: {title}",
        "related": "Mohlo by vás zajímat|Související články|Nejčtenější",
        "share": "Sdílet článek|Sdílet na Facebooku|Tisk",
        "support": "Předplaťte si nás|Už jste předplatitel? Přihlaste se",
    },
    "ru": {
        "follow": "Подписывайтесь на нас в Telegram|Мы в социальных сетях|Следите за нами ВКонтакте",
        "continues": "Продолжение после рекламы|Реклама|Материал продолжается ниже",
        "newsletter": "Подпишитесь на рассылку|Ваш e-mail|Подписаться",
        "video": "Ваш браузер не поддерживает видео.|Видео недоступно|Смотреть видео",
        "read": "Читайте также: {title}|Смотрите также: {title}|Подробнее: {title}",
        "related": "Читайте также|Материалы по теме|Самое читаемое",
        "share": "Поделиться|Поделиться ссылкой|Версия для печати",
        "support": "Оформите подписку|Уже подписаны? Войти",
    },
    "tr": {
        "follow": "Bizi Facebook'ta takip edin|Twitter'da takip edin",
        "continues": "Haberin devamı aşağıda|Reklam|Yazının devamı reklamdan sonra",
        "newsletter": "Bültenimize abone olun|E-posta adresiniz|Abone ol",
        "video": "Tarayıcınız video etiketini desteklemiyor.|Videoyu izle",
        "read": "Ayrıca okuyun: {title}|İlgili haber: {title}",
        "related": "İlginizi çekebilir|İlgili haberler|En çok okunanlar",
        "share": "Haberi paylaş|Facebook'ta paylaş|Yazdır",
        "support": "Üye olun|Zaten üye misiniz? Giriş yapın",
    },
    "ar": {
        "follow": "تابعونا على فيسبوك|تابعنا على تويتر",
        "continues": "تتمة المقال بعد الإعلان|إعلان|يتبع أدناه",
        "newsletter": "اشترك في النشرة البريدية|بريدك الإلكتروني|اشترك الآن",
        "video": "متصفحك لا يدعم تشغيل الفيديو.|شاهد الفيديو",
        "read": "اقرأ أيضا: {title}|شاهد أيضا: {title}",
        "related": "مقالات ذات صلة|قد يعجبك أيضا|الأكثر قراءة",
        "share": "شارك المقال|مشاركة على فيسبوك|طباعة",
        "support": "اشترك لمتابعة القراءة|تسجيل الدخول",
    },
    "vi": {
        "follow": "Theo dõi chúng tôi trên Facebook|Tham gia nhóm Zalo",
        "continues": "Bài viết tiếp tục bên dưới|Quảng cáo",
        "newsletter": "Đăng ký nhận bản tin|Địa chỉ email của bạn|Đăng ký",
        "video": "Trình duyệt của bạn không hỗ trợ video.|Xem video",
        "read": "Xem thêm: {title}|Đọc thêm: {title}",
        "related": "Bài viết liên quan|Có thể bạn quan tâm|Đọc nhiều",
        "share": "Chia sẻ bài viết|Chia sẻ lên Facebook|In bài",
        "support": "Đăng nhập để đọc tiếp|Trở thành hội viên",
    },
    "zh": {
        "follow": "关注我们的微信公众号|扫码关注我们|欢迎关注我们的微博",
        "continues": "文章未完，请继续阅读|广告|以下内容继续",
        "newsletter": "订阅我们的邮件|请输入您的邮箱|立即订阅",
        "video": "您的浏览器不支持视频播放|点击播放视频|视频加载失败",
        "read": "延伸阅读：{title}|相关阅读：{title}|点击查看：{title}",
        "related": "相关文章|猜你喜欢|热门推荐",
        "share": "分享到微信|分享这篇文章|复制链接|打印本页",
        "support": "登录后阅读全文|成为会员",
    },
    "ja": {
        "follow": "フォローしてください|公式ツイッターはこちら|Facebookで「いいね」",
        "continues": "続きは広告の後に|広告|記事は下に続きます",
        "newsletter": "メールマガジンに登録する|メールアドレスを入力|登録する",
        "video": "お使いのブラウザは動画に対応していません|動画を再生",
        "read": "関連記事：{title}|あわせて読みたい：{title}|こちらもどうぞ：{title}",
        "related": "関連記事|おすすめ記事|人気記事ランキング",
        "share": "この記事をシェアする|ツイート|印刷する",
        "support": "会員登録はこちら|ログインして続きを読む",
    },
    "ko": {
        "follow": "페이스북에서 팔로우하기|카카오톡 채널 추가",
        "continues": "기사는 아래에 계속됩니다|광고|이어서 읽기",
        "newsletter": "뉴스레터 구독하기|이메일 주소를 입력하세요|구독",
        "video": "브라우저가 동영상을 지원하지 않습니다.|동영상 재생",
        "read": "함께 읽기: {title}|관련 기사: {title}|더 보기: {title}",
        "related": "관련 글|추천 기사|많이 본 뉴스",
        "share": "기사 공유하기|페이스북 공유|인쇄",
        "support": "로그인 후 계속 읽기|회원가입",
    },
    "sv": {
        "follow": "Följ oss på Facebook|Följ oss på Instagram",
        "continues": "Artikeln fortsätter efter annonsen|Annons",
        "newsletter": "Prenumerera på vårt nyhetsbrev|Din e-postadress|Anmäl dig",
        "video": "Din webbläsare stöder inte video.|Spela upp",
        "read": "Läs också: {title}|Läs mer: {title}",
        "related": "Relaterade artiklar|Mest lästa",
        "share": "Dela artikeln|Dela på Facebook|Skriv ut",
        "support": "Bli prenumerant|Redan prenumerant? Logga in",
    },
}
"""Phrases by language and kind, with ``|`` between; ``{title}`` stands for that of another page, ``{name}`` for that of a site."""

_TELLING = {
    "follow": "social-follow follow-us fb-like social-box",
    "continues": "ad-label advert story-continues ad-wrapper",
    "newsletter": "newsletter-signup subscribe-box email-form",
    "video": "video-js player video-fallback",
    "read": "read-more related-link see-also inline-link",
    "related": "related-posts recommended more-stories",
    "share": "share-buttons addtoany social-share",
    "support": "paywall membership support-box",
    "noise": "widget promo module aside-box",
}
_SYLLABLES = "ba co da el fu go ha in ju ka lo mi na or pe qu ri so ta un va wi xo ys zu".split()


@dataclass(frozen=True, slots=True)
class Material:
    """What boxes for pages of one language are made of, from other domains than the page's."""

    noise: Sequence[str]
    """Short texts that are noise."""
    titles: Sequence[str]
    """Titles of pages."""
    beginnings: Sequence[str]
    """First paragraphs of pages."""


def language_of(tag: str | None) -> str:
    """Return the language of a tag such as ``pt-BR``, as :data:`PHRASES` calls it."""
    return re.split(r"[-_ (+]", (tag or "en").lower())[0]


def insert_boxes(html: str, main: str, language: str, material: Material, dice: Random) -> str | None:
    """Insert boxes after paragraphs of the main text; each element of them has the attribute :data:`BOX`.

    Args:
        html: the page.
        main: its main text.
        language: of the page, a key of :data:`PHRASES`; the boxes of another are of other pages' texts only.
        material: what they are made of.
        dice: where chance comes from.

    Returns:
        The page; None if the main text has too few paragraphs.
    """
    parser = LexborHTMLParser(html)
    paragraphs = paragraphs_in(parser, main)
    if len(paragraphs) < 3:
        return None
    count = min(dice.randint(FEWEST, MOST), len(paragraphs) - 1)
    inserted: dict[str, str] = {}
    for place in dice.sample(range(len(paragraphs) - 1), count):
        _put_after(paragraphs[place], _box(language, material, dice), inserted)
    if dice.random() < TEASED:
        _put_after(paragraphs[-1], _teasers(language, material, dice), inserted)
    result = parser.html or ""
    for mark, box in inserted.items():
        result = result.replace(mark, box)
    return result


def paragraphs_in(parser: LexborHTMLParser, main: str) -> list[LexborNode]:
    """Return the paragraphs of the main text after which a box may stand."""
    said = _letters(main)
    return [
        node
        for node in parser.css("p")
        if len(text := _letters(node.text())) >= LEAST_PARAGRAPH and text in said and not node.css_matches("td p, li p, figure p")
    ]


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text).lower()


def _put_after(node: LexborNode, box: str, inserted: dict[str, str]) -> None:
    mark = f"@@box{len(inserted)}@@"
    node.insert_after(mark)
    inserted[mark] = box


def _open(tag: str, kind: str, dice: Random, attributes: str = "") -> str:
    """A start tag with a class name: none, one that tells, or one by chance."""
    chance = dice.random()
    if chance < 0.3:
        named = ""
    elif chance < 0.5:
        named = f' class="{dice.choice(_TELLING[kind].split())}"'
    else:
        named = f' class="{"".join(dice.choices(_SYLLABLES, k=3))}-{dice.randint(1, 99)}"'
    return f"<{tag} {BOX}{named}{attributes}>"


def _phrase(language: str, kind: str, material: Material, dice: Random) -> str:
    phrase = dice.choice(PHRASES[language][kind].split("|"))
    title = dice.choice(material.titles) if material.titles else "…"
    return phrase.replace("{title}", title).replace("{name}", "".join(dice.choices(_SYLLABLES, k=2)))


def _address(kind: str, dice: Random) -> str:
    word = "-".join("".join(dice.choices(_SYLLABLES, k=2)) for _ in range(dice.randint(1, 5)))
    if kind in ("follow", "share"):
        host = dice.choice(("facebook.com", "twitter.com", "instagram.com", "t.me", "youtube.com", "whatsapp.com"))
        return f"https://www.{host}/{'sharer.php?u=' if kind == 'share' and dice.random() < 0.5 else ''}{word}"
    return dice.choice(
        (f"/{word}", f"/{dice.randint(2008, 2026)}/{dice.randint(1, 12):02}/{word}", f"https://www.{word[:8]}.com/{word}", "#")
    )


def _linked(text: str, kind: str, dice: Random) -> str:
    return f'<a href="{_address(kind, dice)}">{escape(text)}</a>'


def _box(language: str, material: Material, dice: Random) -> str:
    kinds = [*PHRASES.get(language, {}), *["noise"] * (6 if material.noise else 0)]
    if not kinds:
        return ""
    kind = dice.choice(kinds)
    if kind == "noise":
        text = dice.choice(material.noise)
        shown = _linked(text, kind, dice) if dice.random() < 0.3 else escape(text)
        form = dice.choice(("p", "strong", "div", "form", "list"))
    else:
        text = _phrase(language, kind, material, dice)
        link = dice.random() < {"read": 0.95, "follow": 0.6, "share": 0.7, "support": 0.4, "video": 0.2}.get(kind, 0.1)
        head, colon, tail = text.partition(": ")
        shown = _linked(text, kind, dice) if link else escape(text)
        if link and colon and dice.random() < 0.5:
            shown = f"<strong>{escape(head)}:</strong> {_linked(tail, kind, dice)}"
        forms = {"newsletter": ("form", "form", "div", "p"), "related": ("list", "list", "div")}
        form = dice.choice(forms.get(kind, ("p", "p", "strong", "div", "div", "aside")))
    if form == "form":
        more = _phrase(language, "newsletter", material, dice) if language in PHRASES else text
        return (
            f"{_open('div', kind, dice)}<h3 {BOX}>{shown}</h3><form {BOX}><p {BOX}>{escape(more)}</p><input type=email>"
            f"<button {BOX}>{escape(more.split()[0])}</button></form></div>"
        )
    if form == "list":
        titles = dice.sample(list(material.titles), min(dice.randint(2, 5), len(material.titles)))
        items = "".join(f"<li {BOX}>{_linked(title, 'noise', dice)}</li>" for title in titles)
        return f"{_open('aside', kind, dice)}<h3 {BOX}>{shown}</h3><ul {BOX}>{items}</ul></aside>"
    if form == "strong":
        return f"{_open('p', kind, dice)}<strong>{shown}</strong></p>"
    if form == "aside":
        return f"{_open('aside', kind, dice)}<p {BOX}>{shown}</p></aside>"
    return f"{_open(form, kind, dice)}{shown}</{form}>"


def _teasers(language: str, material: Material, dice: Random) -> str:
    """Teasers of other pages: a title and the beginning of the text, in one of several forms."""
    count = min(dice.randint(2, 6), len(material.titles), len(material.beginnings))
    tag = dice.choice(("h2", "h3", "h4", "p"))
    heading = (
        f"<h3 {BOX}>{escape(_phrase(language, 'related', material, dice))}</h3>" if language in PHRASES and dice.random() < 0.7 else ""
    )
    cut = dice.choice((90, 160, 300, 800))
    items = []
    for title, beginning in zip(dice.sample(list(material.titles), count), dice.sample(list(material.beginnings), count), strict=True):
        text = beginning[:cut] + ("..." if len(beginning) > cut else "")
        items.append(f"{_open('div', 'related', dice)}<{tag} {BOX}>{_linked(title, 'read', dice)}</{tag}><p {BOX}>{escape(text)}</p></div>")
    return f"{_open('div', 'related', dice)}{heading}{''.join(items)}</div>" if items else ""
