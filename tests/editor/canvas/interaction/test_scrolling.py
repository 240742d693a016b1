"""Panning moves what is painted: what is on the screen afterwards is what painting everything anew would give."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QPoint, QPointF, QRect
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication

from studio.editor.canvas.interaction.overlays import free_of
from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.window.main_window import MainWindow


def on_screen(view: CanvasView) -> QImage:
    for _ in range(3):
        QApplication.processEvents()
    screen = view.screen()
    assert screen is not None
    return screen.grabWindow(view.winId()).toImage().convertToFormat(QImage.Format.Format_RGB32)


def test_after_panning_the_screen_is_as_if_painted_anew(view: CanvasView) -> None:
    view.resize(700, 420)
    view.zoom_to(1.0)
    view.centerOn(QPointF(400, 150))
    across, down = view.horizontalScrollBar(), view.verticalScrollBar()
    before = on_screen(view)
    assert view.minimap.isVisible() and view.zoom_bar.isVisible()
    for dx, dy in ((17, 9), (-40, 3), (0, -25), (5, 0), (120, 60)):
        across.setValue(across.value() + dx)
        down.setValue(down.value() + dy)
        QApplication.processEvents()
    scrolled = on_screen(view)
    assert scrolled != before
    view.viewport().update()
    assert on_screen(view) == scrolled


def test_what_is_beside_the_overlays_covers_everything_else_once() -> None:
    whole = QRect(0, 0, 100, 60)
    covered = [QRect(80, 5, 15, 10), QRect(70, 50, 40, 20)]
    free = free_of(whole, covered)
    cells = [(x, y) for area in free for x in range(area.left(), area.right() + 1)
             for y in range(area.top(), area.bottom() + 1)]  # fmt: skip
    assert len(cells) == len(set(cells))
    wanted = {(x, y) for x in range(100) for y in range(60) if not any(area.contains(x, y) for area in covered)}
    assert set(cells) == wanted


def test_what_is_fitted_stays_so_when_the_view_grows_and_shrinks(view: CanvasView) -> None:
    for size in ((900, 500), (1500, 700), (1100, 900)):
        view.resize(*size)
        QApplication.processEvents()
        there = (view.zoom, view.middle())
        view.fit()
        assert (view.zoom, view.middle()) == there
    view.zoom_to(2.0)
    view.resize(1500, 700)
    QApplication.processEvents()
    assert view.zoom == 2.0  # somebody looks at something


def test_a_card_stays_under_the_hand_that_has_put_it_there(view: CanvasView) -> None:
    """On an empty canvas that is larger than the room around one card."""
    view.commands.select_all()
    view.commands.delete()
    view.resize(1900, 1000)
    view.fit()
    QApplication.processEvents()
    for at in (QPoint(150, 120), QPoint(1700, 900)):
        point = view.mapToScene(at)
        assert view.commands.add("terrain_map", point)
        assert (view.mapFromScene(point) - at).manhattanLength() <= 2


@pytest.mark.parametrize(("width", "height"), [(800, 350), (1300, 450), (560, 900)])
def test_fit_leaves_nothing_under_the_zoom_bar(view: CanvasView, width: int, height: int) -> None:
    view.resize(width, height)
    view.fit()
    bar = view.mapToScene(view.zoom_bar.geometry()).boundingRect()
    assert not view.canvas.items(bar)
    assert view.visible_rect().contains(view.canvas.content_rect())


def test_redo_and_undo_show_the_card_that_comes_or_moves(window: MainWindow) -> None:
    """A card came back half outside of the view."""
    canvas = window.canvas
    window.canvas.commands.add("low_pass")
    window.trigger("edit.undo")
    canvas.zoom_to(1.0)
    canvas.centerOn(-4000, -4000)
    window.trigger("edit.redo")
    canvas.glide.finish()
    assert canvas.visible_rect().contains(canvas.canvas.nodes["low_pass"].outline())
    seen = canvas.stand()
    window.trigger("edit.undo")
    canvas.glide.finish()
    assert canvas.stand() == seen, "a card that goes away moves nothing"


def test_undo_shows_all_where_much_has_moved(window: MainWindow) -> None:
    canvas = window.canvas
    canvas.commands.arrange()
    canvas.zoom_to(2.0)
    canvas.centerOn(-4000, -4000)
    window.trigger("edit.undo")
    canvas.glide.finish()
    assert all(canvas.visible_rect().contains(item.outline()) for item in canvas.canvas.nodes.values())
