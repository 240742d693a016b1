"""Notes on the canvas: letters that can be read at any zoom; what has no room then is cut at a word."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QFontMetricsF
from PyQt6.QtWidgets import QApplication

from studio.editor.canvas.items.remark_items import fitting
from studio.editor.look.fonts import text_font

WORDS = "The Raptor drives to the goal of path_planner. Change goal_x_m while it runs: it turns round."


@pytest.mark.parametrize("size", [12.0, 18.0, 40.0])
def test_what_has_no_room_is_cut_at_a_word(qapp: QApplication, size: float) -> None:
    metrics = QFontMetricsF(text_font(size))
    assert fitting(WORDS, metrics, QRectF(0, 0, 4000, 200)) == WORDS
    cut = fitting(WORDS, metrics, QRectF(0, 0, 300, 2.2 * metrics.lineSpacing()))
    if cut != WORDS:
        assert cut.endswith("…") and WORDS.startswith(cut[:-1]) and WORDS[len(cut) - 1] == " "
    assert fitting(WORDS, metrics, QRectF(0, 0, 5, 2)) == "…"
