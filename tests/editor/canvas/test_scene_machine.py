"""Random gestures on the real scene: undoing all gives the same files, and the scene always shows the model."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtTest import QTest

from studio.editor.canvas.scene import CanvasScene
from studio.editor.canvas.view import CanvasView
from studio.editor.session import Session
from studio.editor.theme import LIGHT

POINTS = st.builds(QPointF, st.integers(-50, 1450).map(float), st.integers(-50, 650).map(float))
PICK = st.integers(0, 1000)


class CanvasMachine(RuleBasedStateMachine):
    Hand: Any = None

    def __init__(self) -> None:
        super().__init__()
        self.home = tempfile.TemporaryDirectory()
        folder = sys.modules["rover"].write_rover(Path(self.home.name) / "rover")
        self.session = Session.open(folder)
        self.before = self.session.document.texts()
        self.view = CanvasView(CanvasScene(self.session, LIGHT))
        self.view.resize(1500, 700)
        self.view.show()
        self.view.fit()
        self.hand = self.Hand(self.view)

    def card(self, pick: int) -> str | None:
        names = list(self.view.canvas.nodes)
        return names[pick % len(names)] if names else None

    def a_port(self, pick: int) -> QPointF | None:
        found = [(item, port) for item in self.view.canvas.nodes.values() for port in item.card.ports]
        return found[pick % len(found)][0].anchor(found[pick % len(found)][1]) if found else None

    @rule(start=PICK, end=PICK)
    def wire(self, start: int, end: int) -> None:
        first, last = self.a_port(start), self.a_port(end)
        if first is not None and last is not None:
            self.hand.drag(first, last)
            self.view.quick_add.hide()

    @rule(pick=PICK, to=POINTS)
    def take_a_wire_elsewhere(self, pick: int, to: QPointF) -> None:
        wires = list(self.view.canvas.wires.values())
        if wires:
            wire = wires[pick % len(wires)]
            self.view.canvas.clearSelection()
            wire.setSelected(True)
            self.hand.drag(wire.end, to)
            self.view.quick_add.hide()

    @rule(pick=PICK, to=POINTS)
    def move(self, pick: int, to: QPointF) -> None:
        name = self.card(pick)
        if name is not None:
            self.hand.drag(self.hand.body(name), to)

    @rule(start=POINTS, end=POINTS)
    def drag_anywhere(self, start: QPointF, end: QPointF) -> None:
        self.hand.drag(start, end)
        self.view.quick_add.hide()

    @rule(pick=PICK, to=POINTS)
    def give_up_a_drag(self, pick: int, to: QPointF) -> None:
        name = self.card(pick)
        if name is not None:
            self.hand.press(self.hand.body(name))
            self.hand.move(to)
            QTest.keyClick(self.view, Qt.Key.Key_Escape)
            self.hand.release(to)

    @rule(kind=st.sampled_from(["terrain_map", "arbiter", "low_pass", "nobody"]), at=POINTS)
    def add(self, kind: str, at: QPointF) -> None:
        self.view.commands.add(kind, at)

    @rule(what=st.sampled_from(["delete", "duplicate", "copy", "cut", "paste", "arrange", "select_all"]))
    def command(self, what: str) -> None:
        if len(self.view.canvas.nodes) < 24 or what in ("delete", "cut", "copy", "arrange"):
            getattr(self.view.commands, what)()

    @rule(pick=PICK, new=st.sampled_from(["left", "right", "terrain_map", "1bad", "middle_9"]))
    def rename(self, pick: int, new: str) -> None:
        name = self.card(pick)
        if name is not None:
            self.view.commands._renamed(name, new)

    @rule(key=st.sampled_from([Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down]), alt=st.booleans())
    def key(self, key: Qt.Key, alt: bool) -> None:
        QTest.keyClick(self.view, key, Qt.KeyboardModifier.AltModifier if alt else Qt.KeyboardModifier.NoModifier)

    @rule()
    def undo(self) -> None:
        self.session.undo()

    @rule()
    def redo(self) -> None:
        self.session.redo()

    @invariant()
    def the_scene_shows_the_model(self) -> None:
        scene, system = self.view.canvas, self.session.system
        assert self.view.gesture is None
        assert set(scene.nodes) == set(system.nodes.keys())
        assert {key for table, key in scene.wires if table == "wires"} == set(system.wires.keys())
        assert {key for table, key in scene.wires if table == "services"} == set(system.services.keys())
        assert set(scene.remarks) == {*system.layout.notes.keys(), *system.layout.frames.keys()}
        for place in system.layout.places:
            if place.of in scene.nodes:
                assert (scene.nodes[place.of].x(), scene.nodes[place.of].y()) == (place.x, place.y)
        for wire in scene.wires.values():
            assert wire.isVisible()

    def teardown(self) -> None:
        while self.session.document.undo():
            pass
        assert self.session.document.texts() == self.before
        self.view.close()
        self.session.close()
        self.home.cleanup()


def test_random_gestures_leave_nothing_behind(qapp: object, hand_in: Any, scaled: Any) -> None:
    CanvasMachine.Hand = hand_in
    run_state_machine_as_test(
        CanvasMachine,
        settings=settings(
            max_examples=scaled(600), stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
