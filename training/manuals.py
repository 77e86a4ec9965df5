"""Manuals as sites with gold, from packages of Debian: other generators than those of the sites, in several languages.

A generator marks the main text, or what it puts around it: that is the gold. The packages are not part of this project. They are downloaded
with ``apt-get download``; :data:`MANUALS` was written for Debian 12.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from selectolax.lexbor import LexborHTMLParser

from tamis.errors import SourceError
from tamis.page.decode import decode
from tamis.page.parsing import read_file

HELD_OUT, TAUGHT = "held-out", "taught"
"""Folders: sites that are only measured, most of them by other generators, and sites that are trained on."""
MOST_PAGES, FEWEST_PAGES, FEWEST_CHARACTERS = 60, 15, 400
"""Pages of a site; the fewest characters of a page's main text."""
_INDEXES = ("genindex", "search", "index", "package-", "module-", "doc-index")
_NO_PAGES = ("/class-use/", "/src-html/", "/_modules/")
DOCBOOK = ".navheader, .navfooter, .NAVHEADER, .NAVFOOTER"
SPHINX = "div.body", "a.headerlink"
APACHE = "#quickview, .up, .top, .bottomlang, .toplang, #comments_section"
MANUALS: dict[str, dict[str, tuple[str, str, str, str]]] = {
    TAUGHT: {
        **{f"apache-{language}": ("apache2-doc", f"/manual/{language}/", "#page-content", APACHE) for language in ("ja", "ko", "de", "tr")},
        **{
            f"handbook-{language}": ("debian-handbook", f"/html/{language}/", "body", "ul.docnav, #title, #book_nav")
            for language in ("zh-CN", "ja-JP", "ru-RU", "ar-MA")
        },
        **{
            f"install-{language}": ("installation-guide-amd64", f"-amd64/{language}/", "body", DOCBOOK)
            for language in ("zh_CN", "vi", "ko")
        },
        "gimp-zh": ("gimp-help-zh-cn", "/zh_CN/", "body", DOCBOOK),
        "gimp-de": ("gimp-help-de", "/de/", "body", DOCBOOK),
        "aptitude-ja": ("aptitude-doc-ja", "/html/ja/", "body", DOCBOOK),
        "postgres": ("postgresql-doc-15", "/html/", "body", DOCBOOK),
        "debian-history": ("debian-history", "", "body", DOCBOOK),
        "debmake": ("debmake-doc", "", "body", DOCBOOK),
        "dia": ("dia-common", "", "body", DOCBOOK),
        "jedit": ("jedit", "", "body", DOCBOOK),
        "scons": ("scons-doc", "", "body", DOCBOOK),
        "javadoc": ("openjdk-17-doc", "/api/java.base/java/", "main", "nav"),
        "ant": ("ant-doc", "", "main", "nav"),
        "groovy": ("groovy-doc", "", ".contentContainer, .header", ".bottomNav, .topNav, .subNav"),
        "octave": ("octave-doc", "/octave.html/", "body", ".header"),
        "maxima": ("maxima-doc", "", "body", ".header"),
        "mit-scheme": ("mit-scheme-doc", "", "body", ".header"),
        "sbcl": ("sbcl-doc", "", "body", ".header"),
        "lilypond": ("lilypond-doc-html", "/Documentation/notation/", "#main", ".nav_table, #footer, #tocframe"),
        "tomcat": ("tomcat10-docs", "", "#mainRight", "#comments_thread, .noprint"),
        "cmake": ("cmake-doc", "", *SPHINX),
        "django": ("python-django-doc", "", "#yui-main", ".nav, a.headerlink"),
        "sphinx": ("sphinx-doc", "", *SPHINX),
        "fontforge": ("fontforge-doc", "", *SPHINX),
        "swi-prolog": ("swi-prolog-doc", "/doc/Manual/", "body", ".navigate"),
        "camlp5": ("camlp5", "", "#content", ".toplink, .trailer"),
        "gap": ("gap-doc", "/doc/ref/", "body", ".chlinktop, .chlinkbot, .chlinkprevnexttop, .chlinkprevnextbot, .foot, .pcenter"),
        "haddock": ("ghc-doc", "/libraries/", "#content", ""),
        "git": ("git-doc", "", "#content", ""),
        "gnuplot": ("gnuplot-doc", "", "body", ".navigation, address"),
        "grass": ("grass-doc", "", "#container", ""),
        "mod-perl": ("libapache2-mod-perl2-doc", "", "body", "#index"),
        "eigen": ("libeigen3-doc", "", "#doc-content", "#nav-path"),
        "sdl": ("libsdl2-doc", "", "#doc-content", "#nav-path"),
        "qt": ("qtbase5-doc-html", "", ".main", ".breadcrumb, .navigationbar, .sidebar, .prevnextlinks, .naviNextPrevious"),
        "twisted": ("twisted-doc", "/html/api/", "#main", "#search-results-container, #current-docs-container, #searchBox"),
        "exim": ("exim4-doc-html", "", "#content", ".hidden, #options"),
    },
    HELD_OUT: {
        "erlang": ("erlang-doc", "", "#content", ".footer"),
        "libreoffice-zh": ("libreoffice-help-zh-cn", "/zh-CN/", "#DisplayArea", ".howtoget"),
        "ikiwiki": ("ikiwiki", "", "#content", ""),
        "node": ("nodejs-doc", "", "#column1", "header, #toc"),
        "racket": ("racket-doc", "", ".maincolumn", ".navsettop, .navsetbottom, .versionbox"),
        "hugin": ("hugin-data", "/help_en", "#mw-content-text", "#siteSub, .printfooter"),
        "glib": ("libglib2.0-doc", "", "body", "table.navigation, .footer"),
        "rust": ("rust-doc", "/html/std/", "#main-content", ".out-of-band, a.src"),
        "debian-policy": ("debian-policy", "", *SPHINX),
        "slony": ("slony1-2-doc", "", "body", DOCBOOK),
        "sqlalchemy": ("python-sqlalchemy-doc", "", "#docs-body", "a.headerlink, #docs-sidebar"),
    },
}
"""By folder and name of a site: the package, a part of its pages' paths, selectors of the main text and of what in it is none."""


def write_manuals(output: Path) -> Iterator[tuple[str, int]]:
    """Write each manual as a folder of ``pages.json``, ``site.json`` and ``pages``; yield its name and how many pages it has.

    Raises:
        SourceError: a package cannot be downloaded or unpacked, or has too few pages that fit.
    """
    with tempfile.TemporaryDirectory() as room:
        for kind, manuals in MANUALS.items():
            for name, (package, within, keep, drop) in manuals.items():
                yield name, _write(output / kind / name, _files(package, Path(room, package)), within, keep, drop)


def _files(package: str, room: Path) -> list[Path]:
    try:
        if not room.is_dir():
            room.mkdir()
            subprocess.run(["apt-get", "download", "-qq", package], cwd=room, check=True, capture_output=True)
            subprocess.run(["dpkg", "-x", next(room.glob("*.deb")), room / "files"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError, StopIteration) as error:
        raise SourceError(f"cannot download the package {package} of Debian: {error}") from error
    return sorted(path for path in (room / "files").rglob("*.htm*") if path.is_file() and not path.is_symlink())


def _write(site: Path, files: list[Path], within: str, keep: str, drop: str) -> int:
    pages = site / "pages"
    pages.mkdir(parents=True, exist_ok=True)
    listed: list[dict[str, str]] = []
    Random(site.name).shuffle(files)
    for path in files:
        if within not in str(path) or path.name.startswith(_INDEXES) or any(part in str(path) for part in _NO_PAGES):
            continue
        data = read_file(path)
        if _characters(decode(data), keep, drop) >= FEWEST_CHARACTERS:
            listed.append(
                {
                    "file": f"{len(listed):04}.html.gz",
                    "url": f"http://{site.name}.example/{path.name}",
                    "kind": "content",
                    "page_type": "page",
                }
            )
            (pages / listed[-1]["file"]).write_bytes(gzip.compress(data, mtime=0))
        if len(listed) == MOST_PAGES:
            break
    if len(listed) < FEWEST_PAGES:
        raise SourceError(f"only {len(listed)} pages of {site.name} have a text: another version of its package?")
    (site / "pages.json").write_text(json.dumps(listed), "utf-8")
    selectors = {"main": [keep], "drop": [drop] if drop else [], "ignore": [], "comments": [], "line_rules": []}
    (site / "site.json").write_text(json.dumps({"name": site.name, "selectors": selectors}), "utf-8")
    return len(listed)


def _characters(html: str, keep: str, drop: str) -> int:
    """Characters of the main text."""
    page = LexborHTMLParser(html)
    for node in page.css(drop) if drop else ():
        node.decompose()
    return sum(len(node.text(separator=" ")) for node in page.css(keep))
