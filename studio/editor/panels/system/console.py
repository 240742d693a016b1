"""The console: what components say, by level, component and text; it follows the end until one scrolls up."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PyQt6.QtWidgets import QButtonGroup, QHBoxLayout, QLineEdit, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.empty_state import EmptyState
from studio.editor.panels.system.console_lines import Book, Level
from studio.editor.panels.system.line_view import LineView

LEVELS: tuple[tuple[Level, str, str], ...] = (
    ("all", "All", "Everything, including debug lines"),
    ("info", "Info", "Information, warnings and errors"),
    ("warning", "Warn", "Warnings and errors"),
    ("error", "Error", "Errors only"),
)
WIDE = 600
"""Below this the search field shows only when it is asked for."""
NOTHING_SAID = "No lines yet. Run the system (F5): log lines of its components appear here"


class Console(QWidget):
    open_place = pyqtSignal(str, int)
    """File and line of a traceback."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.book = Book()
        self.view = LineView(self.book, theme)
        self.view.open_place.connect(self.open_place)
        self.view.followed.connect(self._followed)
        self.view.component_wanted.connect(self.show_component)
        self._missed = 0
        self.field = QLineEdit()
        self.field.setPlaceholderText("Filter by component or text")
        self.field.setAccessibleName("Filter the console")
        self.field.setClearButtonEnabled(True)
        self.field.setMinimumWidth(90)
        self.field.textChanged.connect(lambda _: self._show())
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find")
        self.search.setAccessibleName("Find in the console")
        self.search.setToolTip("Enter: the next one; Shift+Enter: the one before (Ctrl+F)")
        self.search.setMaximumWidth(150)
        self.search.setMinimumWidth(60)
        self.search.returnPressed.connect(lambda: self.go_to_next(1))
        self.levels = QButtonGroup(self)
        self.follow = self._button("Follow", "The newest line stays in sight (End)")
        self.follow.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.follow.setCheckable(True)
        self.follow.setChecked(True)
        self.follow.clicked.connect(self.view.follow)
        self.clear = self._button("", "Forget everything that was said")
        self.clear.clicked.connect(self.forget)
        self.empty = EmptyState("mdi6.console", NOTHING_SAID, theme)
        self._build()
        before = QShortcut(QKeySequence("Shift+Return"), self)
        before.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        before.activated.connect(lambda: self.go_to_next(-1))
        self.show_theme(theme)
        self._show_emptiness()

    def _build(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 5, 8, 5)
        bar.setSpacing(4)
        for number, (_, word, tip) in enumerate(LEVELS):
            button = self._button(word, tip)
            button.setCheckable(True)
            button.setProperty("segment", "true")
            self.levels.addButton(button, number)
            bar.addWidget(button)
        self.levels.buttons()[0].setChecked(True)
        self.levels.idClicked.connect(lambda _: self._show())
        bar.addWidget(self.field, 2)
        bar.addWidget(self.search, 1)
        bar.addWidget(self.follow)
        bar.addWidget(self.clear)
        pages = QWidget()
        self._pages = QStackedLayout(pages)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.view)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(pages, 1)

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(text or tip)
        button.setIconSize(QSize(14, 14))
        return button

    # ---- content

    def add(self, told: list[dict[str, Any]]) -> None:
        """More lines, as the feed brings them."""
        before = self.book.dropped
        rows = self.book.add(told)
        self.view.gone(self.book.dropped - before)
        if not self.view.follows:
            self._missed += rows
            self._show_follow()
        self.view.refresh()
        self._show_emptiness()

    def forget(self) -> None:
        self.book.clear()
        self.view.marked = None
        self.view.follow(True)
        self.view.refresh()
        self._show_emptiness()

    @property
    def level(self) -> Level:
        return LEVELS[self.levels.checkedId()][0]

    def show_component(self, name: str) -> None:
        """Only what one component says."""
        self.field.setText(name)

    def begin_search(self) -> None:
        self.search.show()
        self.search.setFocus()
        self.search.selectAll()

    def go_to_next(self, step: int) -> bool:
        """Go to the next or last line with what is in the search field."""
        here = self.view.marked[0] + step if self.view.marked is not None else len(self.book.rows) - 1
        found = self.book.find(self.search.text(), here, step)
        self.search.setProperty("wrong", "true" if found is None and self.search.text() else "false")
        style = self.search.style()
        if style is not None:
            style.polish(self.search)
        if found is None:
            return False
        self.book.unfold(self.book.rows[found])
        self.view.refresh()
        self.view.show_row(found)
        return True

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self.search.setVisible(self.width() >= WIDE or self.search.hasFocus())

    def _show(self) -> None:
        self.book.show(self.level, self.field.text())
        self.view.marked = None
        self.view.refresh()
        self._show_emptiness()

    def _show_emptiness(self) -> None:
        if self.book.said and not self.book.rows:
            self.empty.say("No message matches this filter")
        elif not self.book.said:
            self.empty.say(NOTHING_SAID)
        self._pages.setCurrentIndex(1 if self.book.rows else 0)

    def _followed(self, on: bool) -> None:
        self._missed = 0
        self._show_follow()

    def _show_follow(self) -> None:
        self.follow.setChecked(self.view.follows)
        self.follow.setText("Follow" if self.view.follows else f"Paused, {self._missed} new")

    # ---- looks

    def show_theme(self, theme: Theme) -> None:
        self.theme = self.view.theme = theme
        self.clear.setIcon(icon("mdi6.trash-can-outline", theme.muted))
        self.follow.setIcon(icon("mdi6.arrow-collapse-down", theme.muted, theme.accent))
        self.empty.show_theme(theme)
        self.view.refresh()
