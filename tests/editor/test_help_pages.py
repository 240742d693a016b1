"""The guide in the window: its pictures fit the page, and are those of the theme."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import QUrl
from PyQt6.QtGui import QColor, QPixmap, QTextDocument
from PyQt6.QtWidgets import QApplication, QWidget

from studio.editor.help_pages import PAGE_EDGES, GuideDialog

PAGE = """# Page

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="pictures/large_dark.png">
  <img alt="large" src="pictures/large.png">
</picture>

- in a list:

  <picture><source media="(prefers-color-scheme: dark)" srcset="pictures/large_dark.png"><img alt="large"
  src="pictures/large.png"></picture>

Words after it.
"""


@pytest.mark.parametrize("is_dark", [False, True])
def test_pictures_fit_the_page_and_are_those_of_the_theme(qapp: QApplication, tmp_path: Path, is_dark: bool) -> None:
    (tmp_path / "pictures").mkdir()
    for name, colour in (("large", "#ffffff"), ("large_dark", "#000000")):
        picture = QPixmap(3000, 100)
        picture.fill(QColor(colour))
        picture.save(str(tmp_path / "pictures" / f"{name}.png"))
    (tmp_path / "page.md").write_text(PAGE)
    owner = QWidget()
    dialog = GuideDialog(owner, tmp_path / "page.md", is_dark=is_dark)
    kind = QTextDocument.ResourceType.ImageResource
    shown = dialog.browser.loadResource(kind.value, QUrl("pictures/large.png"))
    assert shown.deviceIndependentSize().width() <= dialog.width() - PAGE_EDGES
    assert (shown.toImage().pixelColor(5, 5).lightness() == 0) is is_dark
    document = dialog.browser.document()
    assert document is not None
    text = document.toHtml()
    assert text.count("pictures/large.png") == 2 and "Words after it." in text and "prefers-color" not in text
