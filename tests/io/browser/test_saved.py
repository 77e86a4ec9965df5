import gzip

import pytest

from tamis.errors import SourceError, UsageError
from tamis.io.browser.saved import saved_page


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "secret.css").write_text("secret")
    root = tmp_path / "site"
    for name in ("news/page.html", "news/page_files/style.css", "style.css", "cdn.example/lib.css", "list.php?page=2", "a b.png"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / "way-out.css").symlink_to(tmp_path / "secret.css")
    return root


def found(page, address):
    file = page.file(address)
    return None if file is None else file.relative_to(page.folder.resolve()).as_posix()


def test_files_beside_the_page_on_top_and_of_other_hosts_are_served(folder):
    page = saved_page(file=folder / "news/page.html", folder=folder)
    assert page.address == "http://saved.page.invalid/news/page.html"
    own = "http://saved.page.invalid"
    assert found(page, f"{own}/news/page_files/style.css?v=3") == "news/page_files/style.css"
    assert found(page, f"{own}/style.css") == "style.css"
    assert found(page, f"{own}/list.php?page=2") == "list.php?page=2"
    assert found(page, f"{own}/a%20b.png") == "a b.png"
    assert found(page, "https://cdn.example/lib.css") == "cdn.example/lib.css"
    assert found(page, "https://other.example/style.css") is None


def test_a_page_of_known_address_has_its_files_beside_it(folder):
    page = saved_page(file=folder / "news/page.html", base_url="https://news.example/2024/today.html")
    assert found(page, "https://news.example/2024/page_files/style.css") == "page_files/style.css"


@pytest.mark.parametrize(
    "path", ["/../secret.css", "/%2e%2e/secret.css", "/news/../../secret.css", "/way-out.css", "//etc/passwd", "/a%00b"]
)
def test_nothing_outside_the_folder_is_served(folder, path):
    page = saved_page(file=folder / "news/page.html", folder=folder)
    assert page.file(f"http://saved.page.invalid{path}") is None


def test_names_that_are_not_utf8_and_links_in_a_circle_are_no_trouble(folder):
    try:
        (folder / "\udcff.html").write_text("page")
    except (OSError, UnicodeError):
        pytest.skip("needs a file system that takes any bytes for names")
    (folder / "circle.css").symlink_to("circle.css")
    page = saved_page(file=folder / "\udcff.html", folder=folder)
    assert page.address == "http://saved.page.invalid/%FF.html"
    assert found(page, page.address) == "\udcff.html"
    assert found(page, "http://saved.page.invalid/circle.css") is None


def test_folders_and_pages_without_a_folder_serve_nothing(folder):
    assert saved_page(file=folder / "news/page.html", folder=folder).file("http://saved.page.invalid/news") is None
    assert saved_page(html="<p>").file("http://saved.page.invalid/style.css") is None


def test_pages_are_decoded_unpacked_and_bounded(tmp_path):
    file = tmp_path / "page.html.gz"
    file.write_bytes(gzip.compress("<meta charset=windows-1251><p>Цапля".encode("cp1251")))
    assert "Цапля".encode() in saved_page(file=file).body
    wide = saved_page(html=f"<p {' '.join(f'a{k}' for k in range(5_000))}>{'x' * 9_000}")
    assert len(wide.notes) == 1


def test_binary_data_is_no_page(tmp_path):
    (tmp_path / "photo.html").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    with pytest.raises(SourceError, match=r"photo\.html is not a page: it holds binary data"):
        saved_page(file=tmp_path / "photo.html")


def test_noscript_is_shown_where_it_is_the_page_and_scripts_do_not_run():
    lines = "<p>All of the text is in here, for those without scripts.</p>" * 5
    assert saved_page(html=f"<noscript>{lines}</noscript>").shows_noscript
    assert not saved_page(html=f"<noscript>{lines}</noscript>", scripts=True).shows_noscript
    assert not saved_page(html=f"<noscript><img src=x></noscript>{lines}").shows_noscript


def test_a_folder_stands_for_its_index(folder):
    (folder / "index.html").write_text("<p>index")
    assert b"index" in saved_page(folder=folder).body


def test_mistakes_are_said(folder):
    with pytest.raises(UsageError, match="name a page"):
        saved_page()
    with pytest.raises(UsageError, match="not both"):
        saved_page(html="<p>", file=folder / "news/page.html")
    with pytest.raises(SourceError, match=r"has no index\.html"):
        saved_page(folder=folder)
    with pytest.raises(UsageError, match="is not in the folder"):
        saved_page(file=folder / "news/page.html", folder=folder / "cdn.example")
    with pytest.raises(UsageError, match="http"):
        saved_page(html="<p>", base_url="file:///etc/passwd")
