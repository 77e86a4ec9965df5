"""Extract the main text of web pages; learn site templates, lift records, find near-duplicates.

The names below load what they need when first used, so ``import tamis`` is light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tamis.content.attenuation import Attenuation as Attenuation
    from tamis.content.node_model import NodeModel as NodeModel
    from tamis.corpus.batch import Cleaning as Cleaning
    from tamis.corpus.batch import Record as Record
    from tamis.corpus.batch import chunk_rows as chunk_rows
    from tamis.corpus.batch import clean as clean
    from tamis.crawl.crawling import siblings as siblings
    from tamis.document.chunks import Chunk as Chunk
    from tamis.document.chunks import Chunking as Chunking
    from tamis.document.document import Block as Block
    from tamis.document.document import Document as Document
    from tamis.document.metadata import Metadata as Metadata
    from tamis.document.render import Rendering as Rendering
    from tamis.duplicates.clusters import Clusters as Clusters
    from tamis.duplicates.clusters import Deduplication as Deduplication
    from tamis.duplicates.documents import TextDocument as TextDocument
    from tamis.duplicates.feature_code import FeatureCode as FeatureCode
    from tamis.duplicates.finding import find_duplicates as find_duplicates
    from tamis.duplicates.forest import FeatureCodeForest as FeatureCodeForest
    from tamis.duplicates.index import DuplicateIndex as DuplicateIndex
    from tamis.duplicates.rule import DuplicateRule as DuplicateRule
    from tamis.errors import FetchError as FetchError
    from tamis.errors import MissingExtraError as MissingExtraError
    from tamis.errors import ModelError as ModelError
    from tamis.errors import RenderError as RenderError
    from tamis.errors import SourceError as SourceError
    from tamis.errors import TamisError as TamisError
    from tamis.errors import UsageError as UsageError
    from tamis.io.browser.browser import Browser as Browser
    from tamis.io.browser.settings import BrowserSettings as BrowserSettings
    from tamis.io.browser.visit import RenderedPage as RenderedPage
    from tamis.io.fetch import Limits as Limits
    from tamis.io.fetch import Response as Response
    from tamis.io.fetch import fetch as fetch
    from tamis.layer.denoising import Denoised as Denoised
    from tamis.layer.denoising import Denoising as Denoising
    from tamis.layer.denoising import denoise as denoise
    from tamis.layer.settings import Matching as Matching
    from tamis.layer.settings import SameLayer as SameLayer
    from tamis.page.parsing import parse as parse
    from tamis.page.tree import PageTree as PageTree
    from tamis.papers.method import Papers as Papers
    from tamis.records.finding import Records as Records
    from tamis.records.finding import find_records as find_records
    from tamis.records.finding import learn_records as learn_records
    from tamis.records.search import RecordSettings as RecordSettings
    from tamis.records.table import Table as Table
    from tamis.records.wrapper import Wrapper as Wrapper
    from tamis.segmentation import Segmentation as Segmentation
    from tamis.segmentation import SegmentSettings as SegmentSettings
    from tamis.segmentation import VisualBlock as VisualBlock
    from tamis.segmentation import segment as segment
    from tamis.site.extraction import extract as extract
    from tamis.site.extraction import extract_url as extract_url
    from tamis.site.extraction import learn as learn
    from tamis.site.learned import Rules as Rules
    from tamis.site.learned import SiteSettings as SiteSettings
    from tamis.site.model import SiteModel as SiteModel
    from tamis.site.style_tree import SimplifiedTree as SimplifiedTree
    from tamis.site.style_tree import StyleTree as StyleTree
    from tamis.site.style_tree import StyleTreeMethod as StyleTreeMethod
    from tamis.structure.compression import compress as compress
    from tamis.structure.similarity import similarity as similarity

__version__ = "0.1.0"

_HOME = {
    name: f"tamis.{module}"
    for module, names in {
        "content.attenuation": "Attenuation",
        "content.node_model": "NodeModel",
        "crawl.crawling": "siblings",
        "corpus.batch": "Cleaning Record chunk_rows clean",
        "document.chunks": "Chunk Chunking",
        "document.document": "Block Document",
        "document.metadata": "Metadata",
        "document.render": "Rendering",
        "duplicates.clusters": "Clusters Deduplication",
        "duplicates.documents": "TextDocument",
        "duplicates.feature_code": "FeatureCode",
        "duplicates.finding": "find_duplicates",
        "duplicates.forest": "FeatureCodeForest",
        "duplicates.index": "DuplicateIndex",
        "duplicates.rule": "DuplicateRule",
        "errors": "FetchError MissingExtraError ModelError RenderError SourceError TamisError UsageError",
        "io.browser.browser": "Browser",
        "io.browser.settings": "BrowserSettings",
        "io.browser.visit": "RenderedPage",
        "io.fetch": "Limits Response fetch",
        "layer.denoising": "Denoised Denoising denoise",
        "layer.settings": "Matching SameLayer",
        "page.parsing": "parse",
        "page.tree": "PageTree",
        "papers.method": "Papers",
        "records.finding": "Records find_records learn_records",
        "records.search": "RecordSettings",
        "records.table": "Table",
        "records.wrapper": "Wrapper",
        "segmentation": "SegmentSettings Segmentation VisualBlock segment",
        "site.extraction": "extract extract_url learn",
        "site.learned": "Rules SiteSettings",
        "site.model": "SiteModel",
        "site.style_tree": "SimplifiedTree StyleTree StyleTreeMethod",
        "structure.compression": "compress",
        "structure.similarity": "similarity",
    }.items()
    for name in names.split()
}
"""The module of each public name."""

__all__ = [*_HOME, "__version__"]  # noqa: PLE0604  # every entry is a str


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'tamis' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
