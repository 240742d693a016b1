"""Help in the window: pictures fit the page and follow the theme, links lead to pages, one can go back."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import Qt, QUrl
from PyQt6.QtGui import QColor, QPixmap, QTextDocument
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from studio.editor.help.browser import LINE_PX
from studio.editor.help.view import HelpView
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.window.context_menu import open_context_menu
from studio.editor.window.main_window import MainWindow
from studio.model.parts import Component

PAGE = """# Page

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="pictures/large_dark.png">
  <img alt="large" src="pictures/large.png">
</picture>

- in a list:

  <picture><source media="(prefers-color-scheme: dark)" srcset="pictures/large_dark.png"><img alt="large"
  src="pictures/large.png"></picture>

Words after it, a [picture](pictures/large.png), [another page](other.md#the-end).
"""
OTHER = "# Other\n\n" + "Much to read.\n\n" * 80 + "## The end\n\nNothing more." + "\n\nEmpty." * 60


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    (tmp_path / "pictures").mkdir()
    for name, colour in (("large", "#ffffff"), ("large_dark", "#000000")):
        picture = QPixmap(3000, 100)
        picture.fill(QColor(colour))
        picture.save(str(tmp_path / "pictures" / f"{name}.png"))
    (tmp_path / "page.md").write_text(PAGE)
    (tmp_path / "other.md").write_text(OTHER)
    (tmp_path / "README.md").write_text("| [page](page.md) | one |\n| [other](other.md) | the rest |\n")
    return tmp_path


@pytest.fixture
def view(qapp: QApplication, qtbot: QtBot, docs: Path) -> HelpView:
    view = HelpView(docs, LIGHT)
    qtbot.addWidget(view)
    view.resize(1100, 700)
    view.show()
    view.show_first()
    return view


def shown_picture(view: HelpView) -> QPixmap:
    picture: QPixmap = view.browser.loadResource(
        QTextDocument.ResourceType.ImageResource.value, QUrl("pictures/large.png")
    )
    return picture


def test_pictures_fit_the_page_and_are_those_of_the_theme(view: HelpView) -> None:
    assert shown_picture(view).deviceIndependentSize().width() <= LINE_PX
    assert shown_picture(view).toImage().pixelColor(5, 5).lightness() == 255
    view.show_theme(DARK)
    assert shown_picture(view).toImage().pixelColor(5, 5).lightness() == 0
    html = view.browser.toHtml()
    assert html.count("pictures/large.png") == 3 and "Words after it" in html and "prefers-color" not in html


def test_a_link_to_a_picture_shows_the_picture(view: HelpView, docs: Path) -> None:
    view.browser.anchorClicked.emit(QUrl("pictures/large.png"))
    assert view.browser.file == docs / "pictures/large.png"
    assert "<img" in view.browser.toHtml() and "PNG" not in view.browser.toPlainText()
    view.back.click()
    assert view.browser.file == docs / "page.md"


def test_a_link_leads_to_a_heading_and_back_to_where_one_was(view: HelpView, docs: Path) -> None:
    bar = view.browser.verticalScrollBar()
    assert bar is not None
    view.browser.anchorClicked.emit(QUrl("other.md#the-end"))
    QApplication.processEvents()
    assert view.heading.text() == "Other" and bar.value() > 500
    QTest.keyClick(view.browser, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert view.heading.text() == "Page" and not view.back.isEnabled()
    QTest.keyClick(view.browser, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert view.heading.text() == "Other" and bar.value() > 500 and not view.forward.isEnabled()


def test_lines_are_no_longer_than_can_be_read(view: HelpView) -> None:
    view.resize(2000, 700)
    view.browser.show_again()
    document = view.browser.document()
    root = document.rootFrame() if document is not None else None
    viewport = view.browser.viewport()
    assert root is not None and viewport is not None
    margins = root.frameFormat().leftMargin() + root.frameFormat().rightMargin()
    assert viewport.width() - margins <= LINE_PX


def test_what_is_searched_for_is_found_and_marked(view: HelpView, docs: Path) -> None:
    QTest.keyClicks(view.field, "nothing more")
    assert [view.list.item(row).text() for row in range(view.list.count())] == ["Other"]  # type: ignore[union-attr]
    QTest.keyClick(view.field, Qt.Key.Key_Return)
    assert view.browser.file == docs / "other.md" and view.browser.textCursor().selectedText() == "Nothing"
    view.field.setText("no such thing")
    assert view.list.count() == 0 and view.nothing.isVisible()


def test_what_cannot_be_shown_says_why(view: HelpView, docs: Path) -> None:
    (docs / "data.bin").write_bytes(b"\0\1\2")
    view.show_page(docs / "data.bin")
    assert view.browser.toPlainText() == "data.bin cannot be shown here: it is not a text."
    view.show_page(docs / "missing.md")
    assert "no such file" in view.browser.toPlainText()


def test_a_page_is_set_once_for_a_width(view: HelpView, docs: Path, qtbot: QtBot) -> None:
    """The scroll bar that came and went while it was filled had it set again and again."""
    view.show_page(docs / "other.md")
    qtbot.waitUntil(lambda: not view.browser._resized.isActive())
    turned: list[None] = []
    view.browser.turned.connect(lambda: turned.append(None))
    view.browser.show_again()
    view.resize(view.width(), 500)
    assert not view.browser._resized.isActive() and len(turned) == 1
    view.resize(900, 500)
    qtbot.waitUntil(lambda: len(turned) == 2)
    assert not view.browser._resized.isActive()


class TestInTheWindow:
    def test_readmes_of_project_and_component_are_read_in_a_tab_that_layouts_keep(
        self, window: MainWindow, rover: Path
    ) -> None:
        (rover / "README.md").write_text("# The rover\n\nDrives.\n")
        window.files.open(rover)
        window.trigger("help.project")
        view = window.window_commands.help.view
        assert view is not None and view.isVisible() and view.browser.title == "The rover"
        window.layouts.choose_number(2)
        window.layouts.choose_number(1)
        assert not window.docks.is_closed("help")
        window.docks.show("system")
        node = next(node for node in window.session.system.nodes if isinstance(node, Component))
        spec = window.session.registry.get(node.type)
        assert spec is not None and spec.folder is not None and spec.folder.is_relative_to(rover)
        (spec.folder / "README.md").write_text(f"# {node.type}\n")
        window.canvas.canvas.nodes[node.name].setSelected(True)
        window.trigger("help.component")
        assert view.isVisible() and view.browser.file == (spec.folder / "README.md").resolve()
        window.window_commands.help.close()
        assert not window.docks.has("help")

    def test_the_menus_of_the_canvas_offer_both(self, window: MainWindow, rover: Path) -> None:
        window.files.open(rover)
        open_context_menu(window, window.canvas.mapToGlobal(window.canvas.rect().center()))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu) and window.actions_by_id["help.project"] in menu.actions()
        menu.close()

    def test_without_a_project_help_takes_the_place_of_the_first_page(self, window: MainWindow, rover: Path) -> None:
        window.show_session(None)
        window.trigger("help.guide")
        view = window.window_commands.help.view
        assert view is not None and window.pages.currentWidget() is view and view.heading.text() == "First steps"
        view.close_button.click()
        assert window.pages.currentWidget() is window.welcome
        window.trigger("help.guide")
        window.files.open(rover)
        assert window.pages.currentWidget() is window.workspace
        window.trigger("help.guide")
        assert window.docks.is_in_front("help") and view.isVisible()
        window.window_commands.help.close()
