"""Style sheet, pictures and robots.txt of the demo site."""

from __future__ import annotations

_STYLE = """\
body { margin: 0; font: 16px/1.6 Georgia, "Songti SC", serif; color: #222; background: #f6f4ef; }
a { color: #1d5c87; text-decoration: none; }
#cookie-banner { padding: 8px 24px; background: #263238; color: #eee; font-size: 13px; }
#masthead { display: flex; gap: 16px; align-items: center; padding: 16px 24px; background: #fff; }
#masthead ul { display: flex; gap: 12px; list-style: none; margin-left: auto; }
#main-menu { background: #1d3b4f; }
#main-menu .menu { display: flex; list-style: none; margin: 0; padding: 0 24px; }
#main-menu .menu > li { padding: 8px 12px; position: relative; }
#main-menu a { color: #fff; }
#main-menu .submenu { display: none; position: absolute; background: #1d3b4f; padding: 8px 24px; z-index: 1; }
#main-menu li:hover .submenu { display: block; }
.breadcrumb { padding: 8px 24px; font-size: 13px; }
.container { display: flex; gap: 32px; max-width: 1180px; margin: 0 auto; padding: 0 24px; align-items: flex-start; }
.main-column, .document, .thread { flex: 1; min-width: 0; background: #fff; padding: 16px 32px; }
#sidebar { width: 280px; }
.toctree, .local-toc { width: 200px; font-size: 14px; }
.box { background: #fff; padding: 8px 16px; margin-bottom: 16px; font-size: 14px; }
.ad { background: #fff3c4; border: 1px dashed #c9a227; padding: 12px; margin: 16px auto; text-align: center; font-size: 13px; }
.ad-leaderboard { max-width: 728px; }
.forum-post { display: flex; gap: 16px; border-top: 1px solid #ddd; padding: 12px 0; }
.author-panel { width: 150px; font-size: 13px; background: #eef3f6; padding: 8px; }
.post-content { flex: 1; }
.signature, .post-buttons, .byline, .post-number { font-size: 13px; color: #666; }
blockquote { border-left: 4px solid #c9a227; margin: 8px 0; padding: 4px 16px; background: #faf8f2; }
pre { background: #1e2529; color: #e4e4e4; padding: 12px; overflow: auto; }
table.data, table.threads { border-collapse: collapse; }
table.data td, table.data th, table.threads td { border: 1px solid #bbb; padding: 4px 10px; }
.admonition { background: #e8f4fa; border-left: 4px solid #1d5c87; padding: 4px 16px; }
#colophon { background: #1d3b4f; color: #cfd8dc; padding: 24px; margin-top: 32px; font-size: 13px; }
#colophon a { color: #fff; }
.footer-columns { display: flex; gap: 48px; }
img { max-width: 100%; }
"""


_BOAT = '<path d="M200 190h240l-40 40H240z" fill="#7a4b2a"/><path d="M320 60v125h-90z" fill="#fff"/>'
_PIER = '<path d="M0 170h420v14H0zM60 184h10v60H60zM200 184h10v60h-10zM340 184h10v60h-10z" fill="#5b4636"/>'


def _picture(sky: str, sea: str, shape: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 280" width="640" height="280">'
        f'<rect width="640" height="280" fill="{sky}"/><rect y="190" width="640" height="90" fill="{sea}"/>{shape}</svg>\n'
    )


ASSETS: dict[str, str] = {
    "style.css": _STYLE,
    "harbour.svg": _picture("#cfe3ee", "#3b6f8c", _BOAT),
    "pier.svg": _picture("#f3d9b1", "#4f7a86", _PIER),
    "lantern.svg": (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48" width="48" height="48">'
        '<rect x="14" y="12" width="20" height="26" rx="3" fill="#c9a227"/>'
        '<path d="M12 12l12-9 12 9zM12 38h24v5H12z" fill="#1d3b4f"/></svg>\n'
    ),
    "robots.txt": "User-agent: *\nDisallow: /odd/\nCrawl-delay: 0\n",
}
