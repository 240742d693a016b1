"""Help: the contents of the guide and a search at the left, the page at the right."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QResizeEvent, QTextCursor
from PyQt6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.editor.help.browser import HelpBrowser
from studio.editor.help.contents import Page, pages_of, search
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme

CONTENTS_PX = 230
NARROW = 620
"""Below this width the contents open over the page only when they are wanted."""
_FILE = Qt.ItemDataRole.UserRole


class HelpView(QWidget):
    close_wanted = pyqtSignal()
    titled = pyqtSignal(str)

    def __init__(self, docs: Path, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.pages: list[Page] = pages_of(docs)
        self.browser = HelpBrowser(theme)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Search the guide")
        self.field.setClearButtonEnabled(True)
        self.field.setAccessibleName("Search the guide")
        self.field.textChanged.connect(self._fill)
        self.field.returnPressed.connect(lambda: self._open_row(self.list.item(0)))
        self.list = QListWidget()
        self.list.setAccessibleName("Contents")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.itemClicked.connect(self._open_row)
        self.list.itemActivated.connect(self._open_row)
        self.nothing = QLabel()
        self.nothing.setProperty("role", "muted")
        self.nothing.setWordWrap(True)
        self.nothing.setContentsMargins(10, 4, 10, 4)
        self.contents = QWidget()
        column = QVBoxLayout(self.contents)
        column.setContentsMargins(8, 8, 4, 0)
        for widget in (self.field, self.nothing, self.list):
            column.addWidget(widget)
        column.setStretch(2, 1)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.addWidget(self.contents)
        self.split.addWidget(self.browser)
        self.split.setStretchFactor(1, 1)
        self.split.setSizes([CONTENTS_PX, 800])
        self.split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._bar())
        layout.addWidget(self.split, 1)
        self.setFocusProxy(self.browser)
        self.browser.turned.connect(self._show_page)
        self._fill()
        self.show_theme(theme)

    def _bar(self) -> QHBoxLayout:
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 4, 8, 4)
        bar.setSpacing(2)
        self.list_button = _button("Show or hide the contents", self._toggle_contents)
        self.list_button.setCheckable(True)
        self.list_button.setChecked(True)
        self.back = _button("Back (Alt+Left)", self.browser.back)
        self.forward = _button("Forward (Alt+Right)", self.browser.forward)
        self.home = _button("First steps", self.show_first)
        self.heading = QLabel()
        self.heading.setProperty("role", "subject")
        self.close_button = _button("Close help", self.close_wanted.emit)
        for button in (self.list_button, self.back, self.forward, self.home):
            bar.addWidget(button)
        bar.addSpacing(8)
        bar.addWidget(self.heading, 1)
        bar.addWidget(self.close_button)
        return bar

    def show_page(self, file: Path, fragment: str = "") -> None:
        self.browser.go_to(file.resolve(), fragment)

    def show_first(self) -> None:
        if self.pages:
            self.show_page(self.pages[0].file)
        else:
            self.browser.setPlainText(
                "The guide is not installed with this copy of Studio. It is in docs/guide of the sources."
            )

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        for button, name in (
            (self.list_button, "mdi6.format-list-bulleted"), (self.back, "mdi6.arrow-left"),
            (self.forward, "mdi6.arrow-right"), (self.home, "mdi6.home-outline"), (self.close_button, "mdi6.close"),
        ):  # fmt: skip
            button.setIcon(icon(name, theme.muted))
        self.browser.show_theme(theme)

    # ---- contents

    def _fill(self) -> None:
        words = self.field.text().strip()
        found = search(self.pages, words)
        self.list.clear()
        for page in found:
            item = QListWidgetItem(page.title)
            item.setToolTip(f"{page.title}: {page.about}")
            item.setData(_FILE, str(page.file))
            self.list.addItem(item)
        self.nothing.setText(f"No page contains “{words}”.")
        self.nothing.setVisible(not found)
        self._mark()

    def _open_row(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        self.show_page(Path(item.data(_FILE)))
        words = self.field.text().split()
        if words:
            self.browser.moveCursor(QTextCursor.MoveOperation.Start)
            self.browser.find(words[0])  # it is marked, and scrolled to
        if self.width() < NARROW:
            self.contents.hide()
            self.list_button.setChecked(False)

    def _toggle_contents(self) -> None:
        self.contents.setVisible(self.list_button.isChecked())

    def _show_page(self) -> None:
        self.heading.setText(self.browser.title)
        self.back.setEnabled(self.browser.can_go_back)
        self.forward.setEnabled(self.browser.can_go_forward)
        self._mark()
        self.titled.emit(self.browser.title)

    def _mark(self) -> None:
        """The page that is shown, in the contents."""
        rows = (self.list.item(row) for row in range(self.list.count()))
        current = next((row for row in rows if row is not None and row.data(_FILE) == str(self.browser.file)), None)
        self.list.setCurrentItem(current)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        was_narrow = event is not None and 0 <= event.oldSize().width() < NARROW
        is_narrow = self.width() < NARROW
        if event is not None and is_narrow != was_narrow:
            self.contents.setVisible(not is_narrow)
            self.list_button.setChecked(not is_narrow)


def _button(tip: str, do: object) -> QToolButton:
    button = QToolButton()
    button.setIconSize(QSize(18, 18))
    button.setToolTip(tip)
    button.setAccessibleName(tip.partition(" (")[0])
    button.clicked.connect(lambda _=False: do())  # type: ignore[operator]
    return button
