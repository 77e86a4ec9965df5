"""Sites in the state folder: their pages and their model. Every file gets its name when it is complete.

``sites/NAME/pages/`` has a JSON file for each page, named by a hash of the page's name; ``style.css`` the pages' style sheets, for the
inspector; ``models/`` saved models, each in a folder that is never changed; ``site.json`` names the current one.
"""

from __future__ import annotations

import json
import re
import shutil
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from tamis.errors import ModelError, SourceError, UsageError
from tamis.io.pages import FilePage, Source, text_only
from tamis.io.plain import made
from tamis.io.writing import as_line, written_whole
from tamis.page.decode import decode
from tamis.page.parsing import unpack, unpacked
from tamis.site.model import SiteModel

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def parse_text(body: bytes, content_type: str | None) -> str:
    """Return the bytes of a page as text. Raises SourceError for binary data."""
    return decode(text_only(unpacked(unpack(body, "the page"))[0], "the file"), content_type)


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page of a site."""

    id: str
    name: str
    url: str | None
    html: str
    folder: str | None = None  #: of the saved page on this machine; its name is the path within


@dataclass(frozen=True, slots=True)
class StoredSite:
    """A site's folder, for any process. Raises UsageError if the name is not valid."""

    root: Path
    name: str

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise UsageError(f"a site's name is 1 to 64 lower-case letters, digits, '.', '_' or '-', not {self.name!r}")

    @property
    def folder(self) -> Path:
        """Its folder."""
        return self.root / "sites" / self.name

    @property
    def exists(self) -> bool:
        """It has pages."""
        return (self.folder / "pages").is_dir()

    def put(self, name: str, html: str, url: str | None = None, folder: str | None = None) -> str:
        """Add a page, or replace the one of that name; its id."""
        pages = self.folder / "pages"
        pages.mkdir(parents=True, exist_ok=True)
        id = sha256(name.encode("utf-8", "replace")).hexdigest()[:16]
        write_json(pages / f"{id}.json", {"name": name, "url": url, "html": html, "folder": folder})
        return id

    def put_source(self, source: Source) -> str:
        """Add or replace a page, named by its place; its id. Raises SourceError if it cannot be read."""
        served = source.read()
        folder = (source.root or str(Path(source.path).parent)) if isinstance(source, FilePage) else None
        html = served.html if isinstance(served.html, str) else parse_text(served.html, served.content_type)
        return self.put(str(source.place), html, served.url, folder)

    def page_ids(self) -> list[str]:
        """Return the ids of the pages, sorted."""
        return sorted(path.stem for path in (self.folder / "pages").glob("*.json") if re.fullmatch(r"[0-9a-f]{16}", path.stem))

    def page(self, id: str) -> StoredPage:
        """Return one page. Raises SourceError if there is none of that id."""
        if not re.fullmatch(r"[0-9a-f]{16}", id):
            raise SourceError(f"the site {self.name} has no page {id!r}")
        try:
            values = json.loads((self.folder / "pages" / f"{id}.json").read_text(encoding="utf-8"))
            return made(StoredPage, {"id": id, "url": None, **values}, "a page")
        except FileNotFoundError as error:
            raise SourceError(f"the site {self.name} has no page {id!r}") from error
        except (OSError, ValueError, TypeError, RecursionError) as error:
            raise SourceError(f"the file of the page {id} of the site {self.name} is damaged: put the page again") from error

    def pages(self) -> Iterator[StoredPage]:
        """Yield all pages but those whose file is damaged, by name; one at a time is held."""
        return map(self.page, self.ids_by_name())

    def ids_by_name(self) -> list[str]:
        """Return the ids of the pages, sorted by their names, but those whose file is damaged (:meth:`damaged`)."""
        named: list[tuple[str, str]] = []
        for id in self.page_ids():
            with suppress(SourceError):
                named.append((self.page(id).name, id))
        return [id for _, id in sorted(named)]

    def damaged(self) -> list[str]:
        """Return the ids of the pages whose file is damaged, sorted."""
        return sorted(set(self.page_ids()) - set(self.ids_by_name()))

    def as_lines(self) -> Path:
        """Write all pages as JSON lines, for a corpus run."""
        with written_whole(self.folder / "pages.jsonl") as stream:
            for page in self.pages():
                line = {"url": page.url or f"http://{self.name}.invalid/{page.name.lstrip('/')}", "html": page.html}
                stream.write(as_line(line))
        return self.folder / "pages.jsonl"

    @property
    def css(self) -> str:
        """The style sheets of the pages."""
        path = self.folder / "style.css"
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""

    def put_css(self, css: str) -> None:
        """Replace them."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with written_whole(self.folder / "style.css") as stream:
            stream.write(css.encode("utf-8", "replace"))

    @property
    def model_name(self) -> str | None:
        """Name of the current model; None before anything was learned."""
        try:
            name = json.loads((self.folder / "site.json").read_text(encoding="utf-8"))["model"]
            return name if re.fullmatch(r"[0-9a-f]{32}", name) else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def model(self) -> SiteModel:
        """Return the site's model. Raises ModelError if nothing was learned yet, or the model is damaged."""
        if (name := self.model_name) is None:
            raise ModelError(f"nothing was learned of the site {self.name} yet: POST /v1/sites/{self.name}/learn")
        return _loaded(str(self.folder / "models" / name))

    def keep_model(self, model: SiteModel) -> None:
        """Save a model and make it the current one. If this is interrupted, the old model stays."""
        name = uuid.uuid4().hex
        model.save(self.folder / "models" / name)
        old = self.model_name
        write_json(self.folder / "site.json", {"model": name})
        for path in (self.folder / "models").iterdir():
            if path.name not in (name, old):
                shutil.rmtree(path, ignore_errors=True)

    def remove(self) -> None:
        """Delete the site."""
        shutil.rmtree(self.folder, ignore_errors=True)


def site_names(root: Path) -> list[str]:
    """Return the names of all sites, sorted."""
    return sorted(path.parent.name for path in root.glob("sites/*/pages"))


def write_json(path: Path, values: dict[str, Any]) -> None:
    """Write a JSON file that gets its name when it is complete."""
    with written_whole(path) as stream:
        stream.write(as_line(values))


_loaded = lru_cache(maxsize=8)(SiteModel.load)
"""A saved model. Its folder never changes, so it is read once."""
