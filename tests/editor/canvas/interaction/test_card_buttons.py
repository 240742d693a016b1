"""What on a card answers to a click: the menu in its title, the segments of a source and the dot on one of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, QPointF
from PyQt6.QtWidgets import QApplication

from studio.editor.canvas.interaction.hover import words_about
from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.window.main_window import MainWindow
from studio.model.layout_edits import PutGroup
from studio.model.parts import Group


@pytest.fixture
def near(view: CanvasView) -> CanvasView:
    """As near as it takes to read a card."""
    view.look_at(1.0, QPointF(400, 260))
    QApplication.processEvents()
    return view


def segment(view: CanvasView, name: str, mode: str) -> QPointF:
    item = view.canvas.nodes[name]
    left, width = next((left, width) for each, left, width in item.card.segments() if each == mode)
    return item.pos() + QPointF(left + width / 2, 50)


def test_the_title_has_a_button_while_the_pointer_is_on_the_card(near: CanvasView) -> None:
    item = near.canvas.nodes["terrain_map"]
    for point in (item.outline().center(), item.outline().center() + QPointF(3, 3)):
        near.hover.move(point, near.mapFromScene(point))
        assert [card.name for card in near.canvas.cards() if card.offers_menu] == ["terrain_map"]
    port = near.canvas.nodes["traverse_map"]
    edge = port.anchor(port.card.ports[0])
    near.hover.move(edge, near.mapFromScene(edge))
    assert [card.name for card in near.canvas.cards() if card.offers_menu] == ["traverse_map"]
    near.hover.leave()
    assert not any(card.offers_menu for card in near.canvas.cards())


def test_resting_on_a_card_paints_it_once(near: CanvasView, monkeypatch: pytest.MonkeyPatch) -> None:
    item = near.canvas.nodes["terrain_map"]
    painted: list[str] = []
    monkeypatch.setattr(type(item), "paint", lambda self, *_: painted.append(self.name))
    for step in range(20):
        point = item.outline().center() + QPointF(step % 5, step % 3)
        near.hover.move(point, near.mapFromScene(point))
        QApplication.processEvents()
    assert painted.count("terrain_map") <= 1


def test_a_click_on_it_opens_the_menu_of_that_card_and_moves_nothing(
    near: CanvasView, hand_in: Callable[[CanvasView], object]
) -> None:
    hand = hand_in(near)
    asked: list[QPoint] = []
    near.menu_wanted.connect(asked.append)
    item = near.canvas.nodes["terrain_map"]
    near.canvas.select(["path_planner"])
    hand.click(item.menu_rect().center() + item.pos())  # type: ignore[attr-defined]
    assert len(asked) == 1 and near.canvas.selected_nodes() == ["terrain_map"]
    near.canvas.select(["path_planner", "terrain_map"])  # of several it is the menu of all
    hand.drag(item.menu_rect().center() + item.pos(), item.pos() + QPointF(300, 300))  # type: ignore[attr-defined]
    assert len(asked) == 2 and len(near.canvas.selected_nodes()) == 2
    assert not near.canvas.session.document.history.labels
    assert "Menu key" in words_about(near.canvas, item.menu_rect().center() + item.pos())


def test_a_folded_group_has_the_button_too(near: CanvasView, hand_in: Callable[[CanvasView], object]) -> None:
    near.canvas.session.do(PutGroup(Group("g1", "Maps", ("terrain_map", "traverse_map"), folded=True)))
    QApplication.processEvents()
    asked: list[QPoint] = []
    near.menu_wanted.connect(asked.append)
    card = next(iter(near.canvas.groups.cards()))
    hand_in(near).click(card.menu_rect().center() + card.pos())  # type: ignore[attr-defined]
    assert asked and card.isSelected()


def test_from_far_away_there_is_no_button(view: CanvasView, hand_in: Callable[[CanvasView], object]) -> None:
    view.look_at(0.5, QPointF(400, 260))
    QApplication.processEvents()
    asked: list[QPoint] = []
    view.menu_wanted.connect(asked.append)
    item = view.canvas.nodes["terrain_map"]
    hand_in(view).click(item.menu_rect().center() + item.pos())  # type: ignore[attr-defined]
    assert not asked and view.canvas.selected_nodes() == ["terrain_map"]


def test_what_is_not_painted_takes_no_click(view: CanvasView, hand_in: Callable[[CanvasView], object]) -> None:
    """At 66 % the words of a source's switch are not there, and a click in their place would have switched it."""
    asked: list[object] = []
    view.canvas.session.ask_modes = asked.append
    for zoom, has_ports in ((0.66, True), (0.35, False)):
        view.look_at(zoom, view.canvas.nodes["platform"].outline().center())
        QApplication.processEvents()
        view.canvas.clearSelection()
        for mode in ("real", "logged", "simulated"):
            hand_in(view).click(segment(view, "platform", mode))  # type: ignore[attr-defined]
            assert not asked and view.canvas.selected_nodes() == ["platform"]
        item = view.canvas.nodes["terrain_map"]
        assert (item.port_near(item.anchor(item.card.ports[0])) is not None) is has_ports


def test_a_segment_without_a_provider_says_why(near: CanvasView, hand_in: Callable[[CanvasView], object]) -> None:
    said: list[str] = []
    near.canvas.session.refused.connect(said.append)
    at = segment(near, "platform", "real")
    hand_in(near).click(at)  # type: ignore[attr-defined]
    assert said == ["no real provider for platform yet: add a provider in the inspector"]
    assert near.canvas.session.system.source("platform").mode == "simulated"
    assert near.canvas.selected_nodes() == ["platform"]
    assert said[0] in words_about(near.canvas, at)


def test_a_provider_that_differs_has_a_dot_that_opens_the_difference_and_its_fix(
    rover: Path, one_window: MainWindow, hand_in: Callable[[CanvasView], object]
) -> None:
    file = rover / "system.xml"
    bind = '      <bind port="ins.pose" to="sim.pose"/>\n'
    file.write_text(file.read_text(encoding="utf-8").replace(bind, ""), encoding="utf-8")
    one_window.show()
    assert one_window.files.open(rover)
    view = one_window.canvas
    item = view.canvas.nodes["platform"]
    view.look_at(1.0, item.outline().center())
    QApplication.processEvents()
    assert item.card.differs == ("simulated",)
    at = item.card.dot("simulated").center() + item.pos()
    assert "lacks" in words_about(view.canvas, at)
    hand_in(view).click(at)  # type: ignore[attr-defined]
    card = one_window.sources.differences
    assert card is not None and card.isVisible() and "simulated lacks the out port" in card.accessibleName()
    assert [button.text() for button in card.fixes] == ["Bind ins.pose to sim.pose"]
    card.fixes[0].click()
    assert not view.canvas.nodes["platform"].card.differs
    assert one_window.session.document.history.labels == ["Change the simulated provider of platform"]
    one_window.hide()
    one_window.show_session(None)
