"""Random edits in the view, the tree and the text of the real Raptor: undoing all gives the bytes of the files, an edit
and its opposite, made by hand, give them too, and the three always show the same."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication

from studio.editor.geometry.panels.tree import AssemblyTree
from studio.editor.geometry.panels.xml_panel import XmlPanel
from studio.editor.geometry.selection import BodyThing, ConstraintThing, FrameThing, Thing
from studio.editor.geometry.view.geometry_view import GeometryView
from studio.editor.geometry.view.handled import handled
from tests.editor.geometry.view.conftest import Desk, Hand

MODELS = Path(__file__).parents[4] / "models"
PICK = st.integers(0, 1000)
STEPS = st.integers(-40, 40).filter(bool).map(lambda value: value / 8)
NAMES = st.sampled_from(["One", "Two", "Cabin", "Gps"])
ARROWS = {
    Qt.Key.Key_Left: Qt.Key.Key_Right, Qt.Key.Key_Up: Qt.Key.Key_Down, Qt.Key.Key_PageUp: Qt.Key.Key_PageDown
}  # fmt: skip


class EditMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.home = tempfile.TemporaryDirectory()
        for kind in ("bodies", "assemblies"):
            shutil.copytree(MODELS / kind, Path(self.home.name) / kind)
        self.desk = Desk(Path(self.home.name) / "assemblies/raptor.xml")
        self.view = GeometryView(self.desk)  # type: ignore[arg-type]
        self.view.resize(500, 400)
        self.view.show()
        self.tree, self.page = AssemblyTree(self.desk), XmlPanel(self.desk)  # type: ignore[arg-type]
        self.hand = Hand(self.view, self.desk)
        self.end = self.desk.workspace.listen(
            lambda _: self.desk.selection.forget_missing(self.desk.workspace.assembled.model)
        )
        self.before = self.texts()

    def texts(self) -> dict[Path, bytes]:
        return self.desk.workspace.texts()

    def things(self) -> list[Thing]:
        model = self.desk.workspace.assembled.model
        made: list[Thing] = [BodyThing(name) for name in model.bodies]
        made += [FrameThing(name, each.name) for name, body in model.bodies.items() for each in body.frames]
        return made + [ConstraintThing(each.name) for each in model.constraints]

    def choose(self, pick: int, kinds: tuple[type, ...]) -> Thing:
        found = [each for each in self.things() if isinstance(each, kinds)]
        self.desk.selection.choose(found[pick % len(found)])
        return found[pick % len(found)]

    def typed(self, tool: str, axis: str, number: float) -> None:
        self.hand.keys(f"{tool}{axis}{number:g}")
        self.hand.key(Qt.Key.Key_Return)

    @rule(pick=PICK, tool=st.sampled_from("gr"), axis=st.sampled_from("xyz"), number=STEPS)
    def turn_or_move_and_back(self, pick: int, tool: str, axis: str, number: float) -> None:
        thing = self.choose(pick, (BodyThing, FrameThing, ConstraintThing))
        before = self.texts()
        if handled(self.view.stage, thing) is None:
            return
        self.typed(tool, axis, number)
        self.typed(tool, axis, -number)
        assert self.texts() == before, (thing, tool, axis, number)
        self.typed(tool, axis, number)

    @rule(pick=PICK, key=st.sampled_from(list(ARROWS)))
    def nudge_there_and_back(self, pick: int, key: Qt.Key) -> None:
        thing = self.choose(pick, (BodyThing, FrameThing))
        before = self.texts()
        self.hand.key(Qt.Key.Key_Escape)
        self.desk.selection.choose(thing)
        self.hand.key(key)
        self.hand.key(ARROWS[key])
        assert self.texts() == before, (thing, key)

    @rule(pick=PICK, name=NAMES)
    def rename_in_the_tree_and_back(self, pick: int, name: str) -> None:
        thing = self.choose(pick, (BodyThing, FrameThing, ConstraintThing))
        before, item = self.texts(), self.tree.item_of(thing)
        assert item is not None, thing
        old = item.text(0)
        item.setText(0, name)
        if self.texts() == before:
            return  # the name is taken
        self.tree.take_name(self._named(thing, name), 0)
        self._named(thing, name).setText(0, old)
        assert self.texts() == before, (thing, name)

    def _named(self, thing: Thing, name: str) -> object:
        now: Thing
        match thing:
            case FrameThing(body, _):
                now = FrameThing(body, name)
            case ConstraintThing():
                now = ConstraintThing(name)
            case _:
                now = BodyThing(name)
        return self.tree.item_of(now)

    @rule(pick=PICK)
    def remove_in_the_tree(self, pick: int) -> None:
        thing = self.choose(pick, (BodyThing, FrameThing, ConstraintThing))
        if thing != BodyThing("Raptor"):
            self.tree.remove_selected()

    @rule(pick=PICK)
    def duplicate_and_remove(self, pick: int) -> None:
        """Frames only: a copied body hangs on a new frame of the body that carries it."""
        thing = self.choose(pick, (FrameThing,))
        before = self.texts()
        names = set(self.things())
        self.view.commands.by_name["duplicate"].trigger()
        made = set(self.things()) - names
        if made:  # the file may be that of several bodies
            self.desk.selection.choose(min(made, key=str))
            self.tree.remove_selected()
        assert self.texts() == before, thing

    @rule(pick=PICK)
    def type_a_comment_and_delete_it(self, pick: int) -> None:
        files = self.desk.workspace.files()
        self.page.show_file(files[pick % len(files)])
        before, text = self.texts(), self.page.editor.text()
        at = text.index(">", text.index("<body" if "<body" in text else "<assembly")) + 1
        self.page.editor.setText(f"{text[:at]}<!-- typed -->{text[at:]}")
        assert self.page.flush() and self.texts() != before
        self.page.editor.setText(text)
        assert self.page.flush() and self.texts() == before
        self.page.editor.setText(f"{text[:at]}<!-- kept {pick} -->{text[at:]}")
        assert self.page.flush()

    @rule(pick=PICK)
    def type_nonsense_and_discard_it(self, pick: int) -> None:
        before, text = self.texts(), self.page.editor.text()
        at = pick % len(text)
        self.page.editor.setText(f"{text[:at]}<&{text[at:]}")
        if not self.page.flush():
            assert self.texts() == before
            self.page.discard.click()
            assert self.page.editor.text() == text

    @rule()
    def undo(self) -> None:
        self.desk.workspace.undo()

    @rule()
    def redo(self) -> None:
        self.desk.workspace.redo()

    @invariant()
    def view_tree_and_text_show_the_same(self) -> None:
        workspace = self.desk.workspace
        assert self.page.editor.text().encode() == workspace.text(self.page.file)
        bodies = workspace.assembled.model.bodies
        assert set(self.view.stage.model.bodies) == set(bodies)
        assert all(self.tree.item_of(BodyThing(name)) is not None for name in bodies)

    def teardown(self) -> None:
        while self.desk.workspace.undo():
            pass
        assert self.texts() == self.before
        self.end()
        for part in (self.view, self.tree, self.page):
            part.close_panel()
            part.close()
            part.deleteLater()
        QApplication.processEvents()
        self.home.cleanup()


SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def test_random_edits_by_hand_lose_nothing(qapp: QApplication) -> None:
    quick = settings(
        max_examples=4,
        stateful_step_count=12,
        deadline=None,
        suppress_health_check=SLOW,
        phases=[Phase.explicit, Phase.generate],
    )
    run_state_machine_as_test(EditMachine, settings=quick)


@pytest.mark.soak
def test_many_random_edits_by_hand_lose_nothing(qapp: QApplication) -> None:
    long = settings(max_examples=60, stateful_step_count=30, deadline=None, suppress_health_check=SLOW)
    run_state_machine_as_test(EditMachine, settings=long)
