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
    from tamis.corpus.batch import clean as clean
    from tamis.document.document import Block as Block
    from tamis.document.document import Document as Document
    from tamis.document.metadata import Metadata as Metadata
    from tamis.document.render import Rendering as Rendering
    from tamis.duplicates.clusters import Clusters as Clusters
    from tamis.duplicates.clusters import Deduplication as Deduplication
    from tamis.duplicates.documents import TextDocument as TextDocument
    from tamis.duplicates.finding import find_duplicates as find_duplicates
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
    from tamis.page.parsing import parse as parse
    from tamis.page.tree import PageTree as PageTree
    from tamis.records.finding import Records as Records
    from tamis.records.finding import RecordSettings as RecordSettings
    from tamis.records.finding import find_records as find_records
    from tamis.records.learning import learn_records as learn_records
    from tamis.records.table import Table as Table
    from tamis.records.wrapper import Wrapper as Wrapper
    from tamis.segmentation import Segmentation as Segmentation
    from tamis.segmentation import SegmentSettings as SegmentSettings
    from tamis.segmentation import VisualBlock as VisualBlock
    from tamis.segmentation import segment as segment
    from tamis.site.extraction import extract as extract
    from tamis.site.extraction import extract_url as extract_url
    from tamis.site.learned import Rules as Rules
    from tamis.site.learned import SiteSettings as SiteSettings
    from tamis.site.model import SiteModel as SiteModel
    from tamis.site.model import learn as learn
    from tamis.structure.similarity import similarity as similarity

__version__ = "0.1.0"

_HOME = {
    "Attenuation": "tamis.content.attenuation",
    "Block": "tamis.document.document",
    "Browser": "tamis.io.browser.browser",
    "BrowserSettings": "tamis.io.browser.settings",
    "Cleaning": "tamis.corpus.batch",
    "Clusters": "tamis.duplicates.clusters",
    "Deduplication": "tamis.duplicates.clusters",
    "Denoised": "tamis.layer.denoising",
    "Denoising": "tamis.layer.denoising",
    "Document": "tamis.document.document",
    "DuplicateIndex": "tamis.duplicates.index",
    "DuplicateRule": "tamis.duplicates.rule",
    "FetchError": "tamis.errors",
    "Limits": "tamis.io.fetch",
    "Metadata": "tamis.document.metadata",
    "MissingExtraError": "tamis.errors",
    "ModelError": "tamis.errors",
    "NodeModel": "tamis.content.node_model",
    "PageTree": "tamis.page.tree",
    "Record": "tamis.corpus.batch",
    "RecordSettings": "tamis.records.finding",
    "Records": "tamis.records.finding",
    "RenderError": "tamis.errors",
    "RenderedPage": "tamis.io.browser.visit",
    "Rendering": "tamis.document.render",
    "Response": "tamis.io.fetch",
    "Rules": "tamis.site.learned",
    "SegmentSettings": "tamis.segmentation",
    "Segmentation": "tamis.segmentation",
    "SiteModel": "tamis.site.model",
    "SiteSettings": "tamis.site.learned",
    "SourceError": "tamis.errors",
    "Table": "tamis.records.table",
    "TamisError": "tamis.errors",
    "TextDocument": "tamis.duplicates.documents",
    "UsageError": "tamis.errors",
    "VisualBlock": "tamis.segmentation",
    "Wrapper": "tamis.records.wrapper",
    "clean": "tamis.corpus.batch",
    "denoise": "tamis.layer.denoising",
    "extract": "tamis.site.extraction",
    "extract_url": "tamis.site.extraction",
    "fetch": "tamis.io.fetch",
    "find_duplicates": "tamis.duplicates.finding",
    "find_records": "tamis.records.finding",
    "learn": "tamis.site.model",
    "learn_records": "tamis.records.learning",
    "parse": "tamis.page.parsing",
    "segment": "tamis.segmentation",
    "similarity": "tamis.structure.similarity",
}

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
