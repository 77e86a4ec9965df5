"""Templates of many sites: within a run, and from run to run (:mod:`tamis.corpus.model_store`)."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import tamis
from tamis.content.attenuation import Site
from tamis.corpus.model_store import DATE, put, stored_files
from tamis.corpus.tables import ANEW, MODELS, NEW, REUSED, UNSEEN, UPDATED, Writer
from tamis.io.fetch import Limits
from tamis.io.naming import named
from tamis.io.pages import Source
from tamis.io.parquet import parquet_file
from tamis.page.stopwatch import timed
from tamis.page.tree import PageTree
from tamis.papers.method import unpack_site
from tamis.site.digest import PageDigest
from tamis.site.extraction import settings_of
from tamis.site.model import SiteModel, digests_of, learn_digests
from tamis.site.sites import LEAST, PAGES, choose_by_site, is_site, spread_over_layouts
from tamis.site.store import pack_digests, unpack_digests

UNPACKED = 256  #: templates that a process keeps unpacked, some 100 kB each: pages of many sites follow one another in an archive
LONGEST_HISTORY = 20  #: lines of a site's history that are kept
LOOKED_AT = 20  #: pages of a site that ``tamis clean`` compares with a stored template


class SiteModels:
    """The templates of sites in Parquet files, one a row group; the latest used stay unpacked."""

    def __init__(self, files: Iterable[Path | str]) -> None:
        self._files = [parquet_file(file) for file in files]
        self._place: dict[str, tuple[int, int]] = {}
        self._states: dict[str, bytes] = {}
        self._unpacked = lru_cache(UNPACKED)(self._unpack)
        for number, file in enumerate(self._files):
            columns = file.read(["site", "learned", "pages"]).to_pydict()
            for group, (stored, learned, pages) in enumerate(zip(columns["site"], columns["learned"], columns["pages"], strict=True)):
                site = named(stored)  # earlier versions kept templates by host
                if site != stored and site in self._place:
                    continue
                self._place[site] = (number, group)
                self._states[site] = f"{learned} {pages.bit_length()}".encode()

    def __contains__(self, site: str) -> bool:
        return site in self._place

    def __iter__(self) -> Iterator[str]:
        return iter(self._place)

    def get(self, site: str) -> Site | None:
        """Return the template of a site; None if its pages share none."""
        return self._unpacked(site) if site in self._place else None

    def _unpack(self, site: str) -> Site:
        with timed("template"):
            data = self.row(site, ["model"])["model"]
            return unpack_site(data)

    def state(self, site: str) -> bytes:
        """Return the state of a site's template: another one when it is learned anew, or from more than about twice the pages. Results stay
        valid while it is the same, though the template is updated. Empty where the pages share none."""
        return self._states.get(site, b"")

    def row(self, site: str, columns: list[str] | None = None) -> dict[str, Any]:
        """Return the row of a site (KeyError if there is none)."""
        number, group = self._place[site]
        (row,) = self._files[number].read_row_group(group, columns).to_pylist()
        return {**row, "site": site}


models_in = lru_cache(maxsize=2)(SiteModels)
"""The templates in a tuple of files of finished tasks. These never change, so a process keeps templates unpacked from task to task."""


def learned_row(
    site: str,
    pages: list[PageDigest],
    sample: int,
    date: str,
    source: str,
    before: Mapping[str, Any] | None = None,
    *,
    changed: bool = False,
) -> dict[str, Any] | None:
    """Return the row of a site's template, learned from this run and, unless the layout changed, earlier ones; None if pages share none.

    Args:
        site: the site.
        pages: digests of its pages.
        sample: most pages to learn from.
        date: of the run, ISO 8601; empty if the template is not to be stored.
        source: of the pages, for the history.
        before: the site's row in the store.
        changed: whether the layout of the site changed.
    """
    if before is None:
        model, outcome = learn_digests(pages), NEW
    elif not changed and is_known(before, {page.key for page in pages}):
        return {**before, "outcome": REUSED}
    else:
        old = cast("SiteModel", unpack_site(before["model"]))
        earlier = () if changed else unpack_digests(before["evidence"])
        outcome = ANEW if changed else UPDATED
        model = learn_digests(spread_over_layouts([*earlier, *pages], sample), old.settings, old.rules)
    if not is_site(model):
        return None if before is None else {**before, "outcome": REUSED}
    done = f"{date} {outcome}: {model.sample.pages} pages, {len(model.layouts)} layouts; {source}; tamis {tamis.__version__}"
    return {
        "site": site,
        "outcome": outcome,
        "pages": model.sample.pages,
        "layouts": len(model.layouts),
        "learned": before["learned"] if before is not None and outcome == UPDATED else date,
        "updated": date,
        "history": [*(before["history"] if before is not None else []), done][-LONGEST_HISTORY:],
        "keys": [page.key for page in model.evidence],
        "model": model.pack(),
        "evidence": pack_digests(model.evidence) if date else None,
    }


def row_by_method(site: str, trees: list[PageTree], method: str, date: str) -> dict[str, Any] | None:
    """Return the row of what a method that learns from whole pages learns of a site; None of a site of one page."""
    if len(trees) < 2:
        return None
    model: Any = settings_of(method).learn(trees)
    row = {"site": site, "outcome": NEW, "pages": len(trees), "layouts": 1, "learned": date, "updated": date}
    return {**row, "history": [], "keys": [], "model": model.pack(), "evidence": None}


def is_known(before: Mapping[str, Any], keys: Collection[int]) -> bool:
    """Return whether a stored template was learned from all these pages, by the keys of their contents."""
    return before["keys"] is not None and set(keys) <= set(before["keys"])


def is_changed(pages: int, known: int) -> bool:
    """Return whether a site's layout changed: of ``pages`` pages, the stored template knew only ``known``."""
    return pages - known >= LEAST and 2 * known < pages


def models_of(
    sources: Iterable[Source], store: str, named: str, *, limits: Limits = Limits()
) -> tuple[dict[str, SiteModel], dict[str, str]]:
    """Return the templates of the sites of some pages by site, and the outcome for each, from a store, which is updated.

    A stored template is compared with a few pages of its site, and learned anew if they have another layout.

    Args:
        sources: the pages; pages to be fetched are left out.
        store: a folder or an address.
        named: where the pages are from, for the history.
        limits: bound the size of a page.

    Raises:
        ModelError: the store cannot be read.
        SourceError: it cannot be written.
    """
    date = datetime.now(UTC).strftime(DATE)
    stored = SiteModels(stored_files(store))
    models, outcomes = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "models.parquet"
        with Writer(path, MODELS, batch=1) as writer:
            for site, pages in choose_by_site(sources).items():
                before, changed = None, False
                if not isinstance(model := stored.get(site), SiteModel):
                    learned_from = spread_over_layouts(digests_of(pages, limits), PAGES)
                else:
                    before, learned_from = stored.row(site), list(digests_of(pages[:LOOKED_AT], limits))
                    if changed := is_changed(len(learned_from), sum(map(model.knows, learned_from))):
                        learned_from = spread_over_layouts(digests_of(pages, limits), PAGES)
                row = learned_row(site, learned_from, PAGES, date, named, before, changed=changed)
                if row is not None:
                    writer.add(row)
                    models[site] = cast("SiteModel", unpack_site(row["model"]))
                    outcomes[site] = row["outcome"]
            for site in stored:
                if site not in models:
                    writer.add({**stored.row(site), "outcome": UNSEEN})
        put(store, [path], date, [named], Path(folder))
    return models, outcomes
