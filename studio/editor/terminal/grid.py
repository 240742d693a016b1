"""Paints lines of a terminal: signs in cells of the same size, in the fonts and colours of the window."""

from __future__ import annotations

import math
from itertools import groupby
from typing import Any

from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from pyte.screens import Char

from studio.editor.look.fonts import code_font
from studio.editor.look.theme import Theme
from studio.editor.terminal import colours
from studio.editor.terminal.screen import Line

SIZE_PX = 13
MARGIN = 6
BLANK = Char(" ")


class Grid:
    def __init__(self) -> None:
        plain = QFont(code_font(SIZE_PX))
        plain.setFeature(QFont.Tag("calt"), 0)  # -> and != stay two signs in two cells
        metrics = QFontMetricsF(plain)
        self.width, self.height = metrics.horizontalAdvance("M"), math.ceil(metrics.height() + 1)
        self._base = metrics.ascent()
        self._fonts: dict[tuple[bool, bool], QFont] = {}
        for bold, italic in ((False, False), (False, True), (True, False), (True, True)):
            font = self._fonts[bold, italic] = QFont(plain)
            font.setBold(bold)
            font.setItalic(italic)

    def paint_line(
        self, painter: QPainter, theme: Theme, line: Line, top: int, columns: int, chosen: tuple[int, int]
    ) -> None:
        start, end = chosen
        last = min(columns, max(max(line, default=-1) + 1, end))

        def look(x: int) -> tuple[Any, ...]:
            """What is the same for all signs of a piece; those beyond ASCII stand alone, as other fonts have them."""
            char = line.get(x, BLANK)
            return (char[1:], start <= x < end, -1 if char.data.isascii() else x)

        for (attributes, is_chosen, alone), cells in groupby(range(last), look):
            places = list(cells)
            piece = "".join(line.get(x, BLANK).data for x in places)
            is_wide = alone >= 0 and line.get(alone + 1, BLANK).data == ""
            area = self.area(places[0], top, 2 if is_wide else len(places))
            self._paint_piece(painter, theme, piece, Char(" ", *attributes), is_chosen, area)

    def _paint_piece(
        self, painter: QPainter, theme: Theme, piece: str, char: Char, is_chosen: bool, area: QRectF
    ) -> None:
        text, below = colours.pair(char.fg, char.bg, char.reverse, theme.name)
        if is_chosen:
            below = theme.selection
            text = colours.readable(text, below, theme)
        if piece and below != colours.ground(theme):
            painter.fillRect(area, QColor(below))
        painter.setPen(QColor(text))
        if piece.strip():
            painter.setFont(self._fonts[char.bold, char.italics])
            painter.drawText(QPointF(area.left(), area.top() + self._base), piece)
        for wanted, height in ((char.underscore, self._base + 2), (char.strikethrough, self._base * 0.65)):
            if wanted:
                y = area.top() + height
                painter.drawLine(QPointF(area.left(), y), QPointF(area.right() - 1, y))

    def paint_cursor(self, painter: QPainter, theme: Theme, char: Char, x: int, top: int, *, filled: bool) -> None:
        cell = self.area(x, top, 1)
        if not filled:
            painter.setPen(QColor(theme.muted))
            painter.drawRect(cell.adjusted(0.5, 0.5, -0.5, -0.5))
            return
        painter.fillRect(cell, QColor(theme.text))
        painter.setPen(QColor(colours.ground(theme)))
        painter.setFont(self._fonts[char.bold, char.italics])
        painter.drawText(QPointF(cell.left(), cell.top() + self._base), char.data)

    def area(self, x: int, top: int, cells: int) -> QRectF:
        """On whole pixels: grounds of neighbours meet without a seam."""
        left, right = round(MARGIN + x * self.width), round(MARGIN + (x + cells) * self.width)
        return QRectF(left, top, right - left, self.height)
