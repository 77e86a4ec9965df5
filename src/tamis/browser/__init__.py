"""Pages as a browser shows them: one headless Chromium (through Playwright) renders many pages to trees with boxes, fonts, colours."""

from tamis.browser.browser import Browser as Browser
from tamis.browser.browser import RenderedPage as RenderedPage
from tamis.browser.browser import Seconds as Seconds
from tamis.browser.settings import BrowserSettings as BrowserSettings

__all__ = ["Browser", "BrowserSettings", "RenderedPage", "Seconds"]
