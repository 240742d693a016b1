"""The guide and READMEs inside the window: contents, search, pages with pictures."""
