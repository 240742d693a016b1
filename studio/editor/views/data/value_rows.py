"""Values of an event in a narrow place: rows end between two values and never within one, so no figure is cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QFontMetricsF, QResizeEvent
from PyQt6.QtWidgets import QLabel, QSizePolicy, QWidget

from studio.editor.look.fonts import code_font

ROWS = 2
"""That one line of values may take."""
MORE = "…"


class ValueRows(QLabel):
    """As wide as its place; it grows with what it has to show, and does not shrink again while one reads it."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._lines: Sequence[str] = ()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setFont(code_font(11.5))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_lines(self, lines: Sequence[str]) -> None:
        if lines != self._lines:
            self._lines = lines
            self._fit()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if event is not None and event.oldSize().width() != self.width():
            self.setMinimumHeight(0)
            self._fit()

    def _fit(self) -> None:
        if not self._lines:
            return
        known, room = QFontMetricsF(self.font()), self.contentsRect().width()
        elided = [
            known.elidedText(row, Qt.TextElideMode.ElideMiddle, room)  # of one word that is too long, both its ends
            for line in self._lines
            for row in rows_of(line, ROWS, lambda row: known.horizontalAdvance(row) <= room)
        ]
        self.setText("\n".join(elided))
        self.setMinimumHeight(max(self.minimumHeight(), self.sizeHint().height()))


def rows_of(line: str, most: int, fits: Callable[[str], bool]) -> list[str]:
    """At most so many rows; what has no room is left out as a whole, and a mark says that there is more."""
    rows: list[list[str]] = [[]]
    for piece in _pieces(line, fits):
        if rows[-1] and not fits(" ".join([*rows[-1], piece])):
            rows.append([])
        rows[-1].append(piece)
    kept = rows[:most]
    if len(rows) > most:
        while len(kept[-1]) > 1 and not fits(" ".join([*kept[-1], MORE])):
            kept[-1].pop()
        kept[-1].append(MORE)
    return [" ".join(row) for row in kept]


def _pieces(line: str, fits: Callable[[str], bool]) -> Iterator[str]:
    """`name value,` stays together where a row has room for it."""
    for part in line.replace(", ", ",\0").split("\0"):
        if fits(part):
            yield part
        else:
            yield from part.split()
