"""The XML of the files of the open vehicle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import QSize
from PyQt6.QtWidgets import QComboBox

from studio.editor.code.xml_page import Words, XmlPage
from studio.editor.geometry.protocols import Context
from studio.editor.geometry.selection import (
    BodyThing,
    ConstraintThing,
    FrameThing,
    JointThing,
    SensorThing,
    ShapeThing,
    Thing,
)
from studio.editor.geometry.world_things import part_of
from studio.errors import Problem
from studio.model.geometry.assembly import Assembly, Constraint, Member
from studio.model.geometry.assembly_xml import read_assembly
from studio.model.geometry.body import Body
from studio.model.geometry.body_xml import read_body
from studio.model.geometry.workspace import Changed, Workspace
from studio.model.geometry.world import WorldModel
from studio.model.geometry.world_xml import read_world
from studio.model.geometry.xml_completion import completions
from studio.model.origin import Origin
from studio.model.text_changes import first_change

HEIGHT_PX = 230


class VehicleText:
    """The text of one file of the open vehicle."""

    words = Words(
        valid="valid",
        kept="The vehicle stays as it was valid last",
        changed="The vehicle was changed, too: use this text, or discard it",
        use="The vehicle becomes what this text says; undo brings back what was edited meanwhile",
        discard="Show the file as the vehicle has it, and discard the text typed here",
    )

    def __init__(self, context: Context) -> None:
        self.context, self.file = context, context.workspace.main

    def text(self) -> bytes:
        return self.context.workspace.text(self.file)

    def saved(self) -> bytes | None:
        return self.context.workspace.saved_text(self.file)

    def errors(self, text: bytes) -> list[Problem]:
        """Also why what the files say now makes no vehicle: a text may name what is not there."""
        workspace = self.context.workspace
        if text != self.text():
            return workspace.text_errors(text, self.file)
        found = [] if workspace.trouble is None else Problem.all_from(workspace.trouble)
        return [each if _is_of(each, self.file) else replace(each, line=None) for each in found]

    def problems(self, text: bytes) -> list[Problem]:
        errors = self.context.workspace.text_errors(text, self.file)
        found = self.context.workspace.problems()
        return errors or [self._placed(each) for each in found if _is_of(each, self.file)]

    def _placed(self, problem: Problem) -> Problem:
        """With the line that it has in the text as it is now."""
        line = self.context.workspace.line_now(problem.line, self.file) if problem.line else None
        return replace(problem, line=line)

    def write(self, text: bytes) -> None:
        self.context.workspace.write_text(text, self.file)

    def completions(self, before: str) -> tuple[str, list[str]]:
        workspace = self.context.workspace
        return completions(before, workspace.value(self.file), workspace.assembled.model)

    def undo(self) -> None:
        self.context.workspace.undo()

    def redo(self) -> None:
        self.context.workspace.redo()

    def can_undo(self) -> bool:
        return self.context.workspace.history.undo_label is not None

    def can_redo(self) -> bool:
        return self.context.workspace.history.redo_label is not None


class XmlPanel(XmlPage):
    """With a choice of the files of the vehicle, and the line of what is selected."""

    def __init__(self, context: Context) -> None:
        document, files = VehicleText(context), QComboBox()
        super().__init__(document, context.theme, files)
        self.context, self.shown_file, self.files = context, document, files
        files.setToolTip("The file of the vehicle whose text is shown")
        files.setAccessibleName("File")
        files.activated.connect(lambda _: self.show_file(files.currentData()))
        self._ends = [
            context.workspace.listen(self._vehicle_changed),
            context.selection.listen(self._selection_changed),
        ]
        self._last_thing: Thing | None = None
        self._fill_files()

    def sizeHint(self) -> QSize:
        """A strip below the view, which has the rest of the room."""
        return QSize(800, HEIGHT_PX)

    @property
    def file(self) -> Path:
        return self.shown_file.file

    # ---- the file that is shown

    def show_file(self, file: Path, line: int = 0) -> None:
        """What was typed in the last one is taken first; if it has errors, it stays and the user is told."""
        if file != self.file:
            if not self.flush():
                self.context.say(f"{self.file.name} has errors: correct or discard them first", trouble=True)
                self._fill_files()
                return
            self.shown_file.file = file
            self._fill_files()
            self.show_document()
        if line > 0:
            self.editor.go_to(line)

    def _fill_files(self) -> None:
        self.files.clear()
        for file in self.context.workspace.files():
            self.files.addItem(file.name, file)
            self.files.setItemData(self.files.count() - 1, str(file), 3)
        self.files.setCurrentIndex(self.files.findData(self.file))

    def _vehicle_changed(self, changed: Changed) -> None:
        files = self.context.workspace.files()
        if self.file not in files and not self.is_pending:
            self.shown_file.file = self.context.workspace.main
        if self.files.count() != len(files) or self.file in changed.files:
            self._fill_files()
        before = self.document.text() if self.is_pending else self._shown
        self.document_changed()
        if self._shown != before and not self.editor.hasFocus():
            self.editor.go_to(first_change(before, self._shown))

    def save(self) -> None:
        if self.flush():
            self.context.save()
        else:
            self.context.say(f"{self.file.name} has errors and was not saved", trouble=True)

    # ---- selection

    def _selection_changed(self) -> None:
        """The line of what is selected elsewhere."""
        thing = self.context.selection.current
        if thing == self._last_thing or thing is None or self.editor.hasFocus() or not self.isVisible():
            return
        self._last_thing = thing
        place = line_of(self.context, thing)
        if place is not None and not self.is_pending:
            self.show_file(*place)

    def close_panel(self) -> None:
        self.stop()
        for end in self._ends:
            end()
        self._ends = []


def line_of(context: Context, thing: Thing) -> tuple[Path, int] | None:
    """File and line in which a thing is written now; the text is read for that, since edits move lines."""
    workspace = context.workspace
    if workspace.is_world:
        return _line_in_world(workspace, thing)
    if isinstance(thing, ConstraintThing) or (isinstance(thing, BodyThing) and not workspace.is_body):
        kind = "constraint" if isinstance(thing, ConstraintThing) else "body"
        home = workspace.home(kind, str(thing))
        read = _as_written(workspace, home.file)
        assert isinstance(read, Assembly)
        rows: Sequence[Constraint | Member] = read.constraints if kind == "constraint" else read.members
        return _place(home.file, next((each.origin for each in rows if each.name == home.name), None))
    if isinstance(thing, FrameThing | JointThing | SensorThing | ShapeThing) and thing.body:
        file = workspace.file_of(thing.body)
        body = _as_written(workspace, file)
        assert isinstance(body, Body)
        return _place(file, _origin_in(body, thing))
    return None


def _line_in_world(workspace: Workspace, thing: Thing) -> tuple[Path, int] | None:
    now = part_of(workspace, thing)
    part = read_world(workspace.text()).parts().get(now.name) if now is not None else None
    if isinstance(thing, ShapeThing) and isinstance(part, WorldModel):
        shape = part.shapes[thing.index]
        return _place(workspace.main, shape.collision or shape.visual)
    return _place(workspace.main, part.origin if part is not None else None)


def _as_written(workspace: Workspace, file: Path) -> Body | Assembly:
    text = workspace.text(file)
    return read_body(text) if isinstance(workspace.value(file), Body) else read_assembly(text)


def _origin_in(body: Body, thing: Thing) -> Origin | None:
    match thing:
        case FrameThing(_, name):
            return body.frame(name).origin
        case JointThing(_, name):
            joint = body.joint(name)
            return joint.origin if joint is not None else None
        case SensorThing(_, name):
            return next((each.origin for each in body.sensors if each.name == name), None)
        case ShapeThing(_, index):
            return body.shapes[index].origin
    return None


def _place(file: Path, origin: Origin | None) -> tuple[Path, int] | None:
    return (file, origin.line) if origin is not None and origin.line else None


def _is_of(problem: Problem, file: Path) -> bool:
    return problem.file is not None and Path(problem.file).resolve() == file
