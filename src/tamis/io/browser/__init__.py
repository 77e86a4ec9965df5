"""Pages as a browser shows them: one headless Chromium (through Playwright) renders many pages to trees with boxes, fonts, colours."""
