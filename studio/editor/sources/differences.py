"""A card at a warning dot: how a provider differs from what its source promises, and what would mend it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtWidgets import QFrame, QLabel, QLayout, QPushButton, QVBoxLayout, QWidget

from studio.editor.look.dialog_parts import button_row, fill, move_to
from studio.editor.look.theme import Theme
from studio.editor.project.session import Session
from studio.model.source_fixes import ProviderFix, fixes_for
from studio.model.sources import Difference, Source, SourceMode, explain_differences

WIDTH = 380
MOST = 5
"""More are counted: the inspector has them all."""


class DifferenceCard(QFrame):
    """Escape and a click elsewhere leave everything as it is; every fix can be undone."""

    def __init__(
        self, parent: QWidget, theme: Theme, session: Session, source: Source, mode: SourceMode,
        others: Mapping[str, Callable[[], object]],
    ) -> None:  # fmt: skip
        """`others`: what can be done besides, word for word on the buttons."""
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFixedWidth(WIDTH)
        self.setProperty("role", "card")  # by the style of the application: it follows the theme while it is open
        self._session = session
        self.fixes: list[QPushButton] = []
        self.others: list[QPushButton] = []
        found = [each for each in explain_differences(source, session.registry) if each.mode == mode]
        title = QLabel(f"{theme.origins[mode].word} is not what {source.name} promises")
        title.setStyleSheet("font-size: 14px; font-weight: 600;")
        title.setWordWrap(True)
        rows = [self._row(source, difference) for difference in found[:MOST]]
        more = QLabel(f"and {len(found) - MOST} more, in the inspector")
        more.setProperty("role", "muted")
        for words, do in others.items():
            button = QPushButton(words)
            button.clicked.connect(lambda _, do=do: self._leave_for(do))
            self.others.append(button)
        fill(self, title, *rows, *([more] if len(found) > MOST else []), button_row(*self.others), margins=(14, 12))
        self.setAccessibleName(f"{title.text()}: {'; '.join(difference.message for difference in found)}")

    def _row(self, source: Source, difference: Difference) -> QLayout:
        column = QVBoxLayout()
        column.setSpacing(3)
        words, hint = QLabel(difference.message), QLabel(difference.hint)
        hint.setProperty("role", "muted")
        for label in (words, hint):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        column.addWidget(words)
        fixes = fixes_for(source, difference.mode, difference.message, self._session.registry)
        for fix in fixes:
            column.addWidget(self._fix(fix), alignment=Qt.AlignmentFlag.AlignLeft)
        if difference.hint and not fixes:
            column.addWidget(hint)
        return column

    def _fix(self, fix: ProviderFix) -> QPushButton:
        button = QPushButton(fix.text)
        button.setProperty("link", "true")
        button.clicked.connect(lambda _: self._leave_for(lambda: self._session.do(fix.edit)))
        self.fixes.append(button)
        return button

    def _leave_for(self, do: Callable[[], object]) -> None:
        self.close()
        do()

    def open_at(self, at: QPoint) -> None:
        move_to(self, at)
        self.show()
        next(iter([*self.fixes, *self.others])).setFocus()
