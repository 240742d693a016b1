"""Cards from farther away: whoever can be read at nine pixels is read."""

from __future__ import annotations

import pytest
from PyQt6.QtGui import QColor, QImage, QPainter
from PyQt6.QtWidgets import QStyleOptionGraphicsItem

from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.canvas.items.title_fit import LINE, fit_title
from studio.editor.look.fonts import metrics


@pytest.mark.parametrize("name", ["teleop", "terrain_map", "obstacle_avoidance", "laser_left_front_driver"])
@pytest.mark.parametrize("detail", [0.65, 0.5, 0.4, 0.32, 0.28])
def test_titles_fit_into_their_cards_and_are_not_too_small(qapp: object, name: str, detail: float) -> None:
    fitted = fit_title(name, 156, 110, round(12 / detail), round(9 / detail))
    assert fitted is not None
    size, lines = fitted
    assert size * detail >= 8.6 and size * LINE * len(lines) <= 110
    assert all(metrics(size, 600).horizontalAdvance(line) <= 157 for line in lines)
    if len(name) < 12 or (detail > 0.3 and len(name) < 20):
        assert "".join(lines) == name


def test_where_nothing_could_be_read_nothing_is_written(qapp: object) -> None:
    assert fit_title("terrain_map", 156, 76, 120, 90) is None
    assert fit_title("terrain_map", 156, 20, 60, 45) is None


@pytest.mark.parametrize("detail", [0.6, 0.45, 0.32, 0.28])
def test_a_card_shows_its_name_at_every_zoom_at_which_it_can_be_read(view: CanvasView, detail: float) -> None:
    item = view.canvas.nodes["terrain_map"]
    image = QImage(300, 200, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    painter.scale(detail, detail)
    item.paint(painter, QStyleOptionGraphicsItem())
    painter.end()
    inside = item.rect().adjusted(16, 4, -16, -4)
    text = QColor(view.canvas.theme.text).lightness()
    dark = sum(
        image.pixelColor(x, y).lightness() < text + 60
        for x in range(int(inside.left() * detail), int(inside.right() * detail))
        for y in range(int(inside.top() * detail), int(inside.bottom() * detail))
    )
    assert dark > 20
