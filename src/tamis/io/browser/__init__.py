"""Pages as a browser shows them: one headless Chromium (through Playwright) renders many pages to trees with boxes, fonts, colours."""

from tamis.io.browser.browser import Browser as Browser
from tamis.io.browser.settings import BrowserSettings as BrowserSettings
from tamis.io.browser.visit import RenderedPage as RenderedPage
from tamis.io.browser.visit import Seconds as Seconds

__all__ = ["Browser", "BrowserSettings", "RenderedPage", "Seconds"]
