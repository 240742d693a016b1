"""What floats over the canvas: the zoom bar finds, and the mini-map goes out of the way."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QPointF, QRect
from PyQt6.QtWidgets import QApplication, QToolButton

from studio.editor.canvas.interaction.corner import CORNERS, emptier
from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.window.main_window import MainWindow


def cards_below(view: CanvasView) -> list[str]:
    area = view.mapToScene(view.minimap.geometry()).boundingRect()
    return [card.name for card in view.canvas.cards() if card.outline().intersects(area)]


def come_to_rest(view: CanvasView) -> None:
    """The time is over."""
    view.map_corner._timer.stop()
    view.map_corner.look()


@pytest.fixture
def crowded(view: CanvasView) -> CanvasView:
    """Near enough for a mini-map, with a card where it stands."""
    view.resize(700, 420)
    item = view.canvas.nodes["traverse_map"]
    view.look_at(1.0, item.outline().center() + QPointF(-230, 110))
    QApplication.processEvents()
    assert view.minimap.isVisible()
    view.map_corner._timer.stop()
    view.map_corner.look_soon()
    return view


def test_the_mini_map_goes_to_a_corner_without_cards_and_stays_there(crowded: CanvasView) -> None:
    assert cards_below(crowded)
    come_to_rest(crowded)
    there = crowded.map_corner.corner
    assert there != CORNERS[0] and not cards_below(crowded)
    come_to_rest(crowded)
    crowded.resize(720, 440)
    assert crowded.map_corner.corner == there and crowded.rect().contains(crowded.minimap.geometry())


def test_it_stays_while_the_pointer_is_on_it_or_something_is_dragged(
    crowded: CanvasView, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(crowded.minimap, "underMouse", lambda: True)
        come_to_rest(crowded)
        assert crowded.map_corner.corner == CORNERS[0] and crowded.map_corner._timer.isActive()
    monkeypatch.setattr(type(crowded), "is_busy", True)
    come_to_rest(crowded)
    assert crowded.map_corner.corner == CORNERS[0]


def test_while_one_pans_it_does_not_jump(crowded: CanvasView) -> None:
    bar = crowded.horizontalScrollBar()
    assert bar is not None
    bar.setValue(bar.value() + 4)
    come_to_rest(crowded)
    assert crowded.map_corner.corner == CORNERS[0] and crowded.map_corner._timer.isActive()
    come_to_rest(crowded)
    assert crowded.map_corner.corner != CORNERS[0]


def test_a_corner_is_left_only_for_one_that_is_much_emptier() -> None:
    full = dict.fromkeys(CORNERS, 900.0)
    assert emptier(full, "top right") == "top right"
    assert emptier({**full, "bottom left": 500.0}, "top right") == "top right"
    assert emptier({**full, "bottom left": 100.0}, "top right") == "bottom left"
    assert emptier({**full, "top right": 0.0, "top left": 0.0}, "top left") == "top left", "as good as the first"


def test_in_every_corner_it_lies_beside_the_zoom_bar(crowded: CanvasView) -> None:
    places = [crowded.map_corner.rect(corner) for corner in CORNERS]
    whole = QRect(0, 0, crowded.width(), crowded.height())
    assert all(whole.contains(place) and not place.intersects(crowded.zoom_bar.geometry()) for place in places)


def test_the_zoom_bar_finds(window: MainWindow) -> None:
    bar = window.canvas.zoom_bar
    names = [button.accessibleName() for button in bar.findChildren(QToolButton)]
    assert [name.split(" (")[0] for name in names[3:]] == [
        "Fit everything", "Arrange automatically", "Find on the canvas", "Mini-map",
    ]  # fmt: skip
    next(button for button in bar.findChildren(QToolButton) if "Find" in button.accessibleName()).click()
    assert window.commands.isVisible()
    window.commands.hide()
