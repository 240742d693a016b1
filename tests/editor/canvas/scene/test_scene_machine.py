"""Random gestures on the real scene: undoing all gives the same files, and the scene always shows the model."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtTest import QTest

from studio.editor.canvas.interaction.gestures import put
from studio.editor.canvas.interaction.in_place import NameField, TextField
from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.canvas.scene.scene import CanvasScene
from studio.editor.look.theme import LIGHT
from studio.editor.project.session import Session
from studio.model.parts import Component, Note
from studio.model.source_making import MakeSource
from studio.model.sources import SourceMode

POINTS = st.builds(QPointF, st.integers(-50, 1450).map(float), st.integers(-50, 650).map(float))
PICK = st.integers(0, 1000)
ARROWS = [Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down]
MODIFIERS = [Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier]


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

    @rule(at=POINTS, keys=st.sampled_from(MODIFIERS), twice=st.booleans())
    def click_anywhere(self, at: QPointF, keys: Qt.KeyboardModifier, twice: bool) -> None:
        """A click changes nothing but the switch of a source; a double click folds groups and opens fields."""
        before, modes = self.session.document.texts(), self.modes()
        self.hand.click(at, keys)
        if self.modes() == modes:
            assert self.session.document.texts() == before
        if twice:
            QTest.mouseDClick(self.view.viewport(), Qt.MouseButton.LeftButton, pos=self.view.mapFromScene(at))
            self.put_away()

    @rule(pick=PICK, part=st.floats(0, 1), keys=st.sampled_from(MODIFIERS))
    def click_a_wire(self, pick: int, part: float, keys: Qt.KeyboardModifier) -> None:
        wires = [wire for wire in self.view.canvas.wires.values() if wire.isVisible()]
        if wires:
            before, modes = self.session.document.texts(), self.modes()
            self.hand.click(wires[pick % len(wires)].path.pointAtPercent(part), keys)
            if self.modes() == modes:  # wires run over the switch of a source too
                assert self.session.document.texts() == before

    @rule(pick=PICK, to=POINTS, at_grip=st.booleans())
    def drag_a_remark(self, pick: int, to: QPointF, at_grip: bool) -> None:
        remarks = list(self.view.canvas.remarks.values())
        if remarks:
            outline = remarks[pick % len(remarks)].outline()
            self.hand.drag(outline.bottomRight() - QPointF(3, 3) if at_grip else outline.topLeft() + QPointF(20, 8), to)
            self.view.quick_add.hide()

    @rule(kind=st.sampled_from(["add_note", "add_frame"]), words=st.sampled_from(["", "Mind the step", "<&>"]))
    def remark(self, kind: str, words: str) -> None:
        if len(self.view.canvas.remarks) < 8:
            getattr(self.view.commands, kind)()
            item = self.view.canvas.remarks[list(self.view.canvas.remarks)[-1]]
            self.put_away()
            value = item.value
            self.session.do(put(replace(value, text=words) if isinstance(value, Note) else replace(value, title=words)))

    @rule(start=PICK, keys=st.lists(st.sampled_from(ARROWS), max_size=4), is_done=st.booleans())
    def wire_by_keyboard(self, start: int, keys: list[Qt.Key], is_done: bool) -> None:
        name = self.card(start)
        if name is None:
            return
        self.view.canvas.set_focus_node(name)
        self.view.start_keyboard_wiring()
        if self.view.wiring is not None:
            for key in [*keys, Qt.Key.Key_Return if is_done else Qt.Key.Key_Escape]:
                QTest.keyClick(self.view, key)
        assert self.view.wiring is None

    @rule(start=POINTS, to=POINTS, what=st.sampled_from(["undo", "redo", "delete", "arrange", "duplicate"]))
    def keys_while_a_button_is_down(self, start: QPointF, to: QPointF, what: str) -> None:
        self.hand.press(start)
        self.hand.move(to)
        if what != "duplicate" or len(self.view.canvas.nodes) < 24:
            getattr(self.session if what in ("undo", "redo") else self.view.commands, what)()
        self.hand.move(to + QPointF(40, 24))
        self.hand.release(to + QPointF(40, 24))
        self.put_away()

    @rule(start=PICK, what=st.sampled_from(["undo", "redo", "delete", "select_all"]), key=st.sampled_from(ARROWS))
    def keys_while_wiring(self, start: int, what: str, key: Qt.Key) -> None:
        name = self.card(start)
        self.view.canvas.set_focus_node(name)
        self.view.start_keyboard_wiring()
        getattr(self.session if what in ("undo", "redo") else self.view.commands, what)()
        QTest.keyClick(self.view, key)
        QTest.keyClick(self.view, Qt.Key.Key_Escape)

    @rule(pick=PICK, mode=st.sampled_from(["real", "logged", "simulated"]))
    def switch_a_source(self, pick: int, mode: SourceMode) -> None:
        sources = [item for item in self.view.canvas.nodes.values() if item.card.is_source and item.isVisible()]
        if sources:
            item = sources[pick % len(sources)]
            left, width = next((left, width) for each, left, width in item.card.segments() if each == mode)
            self.hand.click(item.pos() + QPointF(left + width / 2, 48))

    @rule(edge=st.sampled_from(["left", "right", "top", "bottom", "centre", "middle", "across", "down"]))
    def align(self, edge: str) -> None:
        if edge in ("across", "down"):
            self.view.commands.distribute(across=edge == "across")
        else:
            self.view.commands.align(edge)

    @rule(picks=st.lists(PICK, min_size=1, max_size=3))
    def choose(self, picks: list[int]) -> None:
        self.view.canvas.select([name for pick in picks if (name := self.card(pick)) is not None])

    @rule(what=st.sampled_from(["make", "fold", "dissolve"]))
    def group(self, what: str) -> None:
        getattr(self.view.groups, what)()
        self.put_away()

    @rule(what=st.sampled_from(["next_wire", "next_remark"]), step=st.sampled_from([1, -1]))
    def reach(self, what: str, step: int) -> None:
        getattr(self.view.reach, what)(step)

    @rule(pick=PICK, mode=st.sampled_from(["real", "simulated"]))
    def make_a_source(self, pick: int, mode: SourceMode) -> None:
        name = self.card(pick)
        node = self.session.system.node(name) if name is not None else None
        spec = self.session.registry.get(node.type) if isinstance(node, Component) else None
        if isinstance(node, Component) and spec is not None:
            self.session.do(MakeSource(node.name, mode, spec.ports))

    def modes(self) -> list[str]:
        return [source.mode for source in self.session.system.sources]

    def put_away(self) -> None:
        """Fields that a double click has opened: as if nobody wrote anything."""
        self.view.quick_add.hide()
        for field in self.view.findChildren(NameField) + self.view.findChildren(TextField):
            QTest.keyClick(field, Qt.Key.Key_Escape)

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

    @rule(key=st.sampled_from(ARROWS), alt=st.booleans(), shift=st.booleans())
    def key(self, key: Qt.Key, alt: bool, shift: bool) -> None:
        keys = Qt.KeyboardModifier.NoModifier
        if alt:
            keys |= Qt.KeyboardModifier.AltModifier
        if shift:
            keys |= Qt.KeyboardModifier.ShiftModifier
        QTest.keyClick(self.view, key, keys)

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
        folded = {name: group.id for group in system.layout.groups if group.folded for name in group.members}
        for name, item in scene.nodes.items():
            assert item.isVisible() == (name not in folded) and item.fitting is None
        for wire in scene.wires.values():
            ends = [folded.get(end.node) for end in wire.connection.key]
            assert wire.isVisible() == (ends[0] is None or ends[0] != ends[1]) and not wire.faded
        assert set(scene.groups.items) == set(system.layout.groups.keys())

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
            max_examples=scaled(1000), stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
