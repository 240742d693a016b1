"""The XML of one file of the vehicle, both ways live: what is typed changes the vehicle, what is edited elsewhere
changes the text. A text with errors stays as it is typed, and the vehicle stays what was valid last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PyQt6.Qsci import QsciScintilla
from PyQt6.QtCore import QSize, QTimer
from PyQt6.QtGui import QColor, QKeyEvent
from PyQt6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from studio.editor.code.find_bar import FindBar
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
from studio.editor.look.theme import Theme, mixed
from studio.editor.system_text.editor import SystemTextEditor
from studio.errors import Problem
from studio.model.geometry.assembly import Assembly, Constraint, Member
from studio.model.geometry.assembly_xml import read_assembly
from studio.model.geometry.body import Body
from studio.model.geometry.body_xml import read_body
from studio.model.geometry.text_changes import first_change, text_changes
from studio.model.geometry.workspace import Changed, Workspace
from studio.model.geometry.world import WorldModel
from studio.model.geometry.world_xml import read_world
from studio.model.geometry.xml_completion import completions
from studio.model.origin import Origin

READ_AFTER_MS = 350
"""After the last key: what is half typed is no vehicle yet."""
ADDED_GROUND = 9
PLUS = 10
HEIGHT_PX = 230
SIGNS = 1
"""The margin of the plus signs."""
GREEN = 0.14


class XmlPanel(QWidget):
    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.file = context.workspace.main
        self.editor = GeometryTextEditor(self.file, context.theme)
        self.finder = FindBar(self.editor, context.theme)
        self.files = QComboBox()
        self.files.setToolTip("The file of the vehicle whose text is shown")
        self.files.setAccessibleName("File")
        self.files.activated.connect(lambda _: self.show_file(self.files.currentData()))
        self.words = QLabel()
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.discard = QPushButton("Discard text")
        self.discard.setToolTip("Show the file as the vehicle has it, and discard the text typed here")
        self.discard.clicked.connect(lambda _: self._show_vehicle())
        above = QHBoxLayout()
        above.setContentsMargins(8, 4, 8, 4)
        above.setSpacing(10)
        above.addWidget(self.files)
        above.addWidget(self.words, 1)
        above.addWidget(self.discard)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(above)
        layout.addWidget(self.editor, 1)
        layout.addWidget(self.finder)
        self.setFocusProxy(self.editor)
        self._shown = b""
        """What the vehicle said when the text was last in step with it."""
        self._is_ours = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(READ_AFTER_MS)
        self._timer.timeout.connect(self._apply)
        self._connect()
        self._ends = [
            context.workspace.listen(self._vehicle_changed),
            context.selection.listen(self._selection_changed),
        ]
        self._last_thing: Thing | None = None
        self._fill_files()
        self._show_vehicle()

    def sizeHint(self) -> QSize:
        """A strip below the view, which has the rest of the room."""
        return QSize(800, HEIGHT_PX)

    def _connect(self) -> None:
        editor, workspace = self.editor, self.context.workspace
        editor.textChanged.connect(self._typed)
        editor.key_wanted.connect(self._key)
        editor.completions = self._completions
        editor.undo_shared, editor.redo_shared = workspace.undo, workspace.redo
        editor.can_undo_shared = lambda: workspace.history.undo_label is not None
        editor.can_redo_shared = lambda: workspace.history.redo_label is not None

    # ---- the file that is shown

    def show_file(self, file: Path, line: int = 0) -> None:
        """What was typed in the last one is taken first; if it has errors, it stays and the user is told."""
        if file != self.file:
            if not self.flush():
                self.context.say(f"{self.file.name} has errors: correct or discard them first", trouble=True)
                self._fill_files()
                return
            self.file = file
            self._fill_files()
            self._show_vehicle()
        if line > 0:
            self.editor.go_to(line)

    def _fill_files(self) -> None:
        self.files.clear()
        for file in self.context.workspace.files():
            self.files.addItem(file.name, file)
            self.files.setItemData(self.files.count() - 1, str(file), 3)
        self.files.setCurrentIndex(self.files.findData(self.file))

    # ---- from the text to the vehicle

    @property
    def is_pending(self) -> bool:
        """Whether something was typed that is not in the vehicle."""
        return self.editor.text().encode() != self._shown

    def flush(self) -> bool:
        """Take what was typed last without waiting; False if it cannot be taken."""
        if self._timer.isActive():
            self._apply()
        return not self.is_pending

    def _typed(self) -> None:
        if not self._is_ours:
            self._timer.start()

    def _apply(self) -> None:
        self._timer.stop()
        text = self.editor.text().encode()
        if text == self._shown:
            self._show_vehicle()
            return
        self._is_ours = True
        try:
            problems = self.context.workspace.write_text(text, self.file)
        finally:
            self._is_ours = False
        if not problems:
            self._shown = self.context.workspace.text(self.file)
            self.editor.forget_undo()
        self._show_state(problems)

    # ---- from the vehicle to the text

    def _vehicle_changed(self, changed: Changed) -> None:
        if self.file not in self.context.workspace.files() and not self.is_pending:
            self.file = self.context.workspace.main
        if self.files.count() != len(self.context.workspace.files()) or self.file in changed.files:
            self._fill_files()
        if self._is_ours or self.is_pending:
            return  # what is typed stays, and the user decides
        before = self._shown
        self._show_vehicle()
        if self._shown != before and not self.editor.hasFocus():
            self.editor.go_to(first_change(before, self._shown))

    def _show_vehicle(self) -> None:
        self._timer.stop()
        self._is_ours = True
        try:
            self._shown = self.context.workspace.text(self.file)
            self.editor.show_text(self._shown)
        finally:
            self._is_ours = False
        self._show_state([])

    def _show_state(self, errors: list[Problem]) -> None:
        workspace = self.context.workspace
        found = errors or [self._placed(each) for each in workspace.problems() if _is_of(each, self.file)]
        self.editor.show_problems(found)
        changes = text_changes(workspace.saved_text(self.file), self.editor.text().encode())
        self.editor.mark_added(changes.added_lines)
        if errors:
            line = f"Line {errors[0].line}: " if errors[0].line else ""
            self._say(f"{line}{errors[0].message}. The vehicle stays as it was valid last", wrong=True)
        elif workspace.trouble is not None:
            self._say(f"{workspace.trouble.message}. The vehicle stays as it was valid last", wrong=True)
        else:
            self._say(f"valid · {changes.words}")
        self.discard.setVisible(bool(errors))

    def _placed(self, problem: Problem) -> Problem:
        """With the line that it has in the text as it is now."""
        line = self.context.workspace.line_now(problem.line, self.file) if problem.line else None
        return replace(problem, line=line)

    def _say(self, words: str, *, wrong: bool = False) -> None:
        self.words.setText(words)
        self.words.setToolTip(words)
        self.words.setProperty("role", "error" if wrong else "muted")
        style = self.words.style()
        if style is not None:
            style.unpolish(self.words)
            style.polish(self.words)

    # ---- selection and completion

    def _selection_changed(self) -> None:
        """The line of what is selected elsewhere."""
        thing = self.context.selection.current
        if thing == self._last_thing or thing is None or self.editor.hasFocus() or not self.isVisible():
            return
        self._last_thing = thing
        place = line_of(self.context, thing)
        if place is not None and not self.is_pending:
            self.show_file(*place)

    def _completions(self, before: str) -> tuple[str, list[str]]:
        workspace = self.context.workspace
        return completions(before, workspace.value(self.file), workspace.assembled.model)

    def _key(self, name: str) -> None:
        match name:
            case "save":
                if self.flush():
                    self.context.save()
                else:
                    self.context.say(f"{self.file.name} has errors and was not saved", trouble=True)
            case "find" | "replace" | "go_to":
                self.finder.open(name)
            case "next":
                self.finder.search()
            case "before":
                self.finder.search(back=True)
            case "complete":
                self.editor.complete()

    def show_theme(self, theme: Theme) -> None:
        self.editor.show_theme(theme)
        self.finder.show_theme(theme)
        if not self.is_pending:
            self._show_state([])

    def close_panel(self) -> None:
        self._timer.stop()
        for end in self._ends:
            end()
        self._ends = []


class GeometryTextEditor(SystemTextEditor):
    """With a green ground and a plus before lines that the saved file does not have, and with completion."""

    def __init__(self, path: Path, theme: Theme) -> None:
        super().__init__(path, theme)
        self.setMarginWidth(SIGNS, 14)
        self.setMarginMarkerMask(SIGNS, 1 << PLUS)
        self.completions = lambda before: ("", list[str]())
        self.SendScintilla(QsciScintilla.SCI_AUTOCSETSEPARATOR, ord("\n"))
        self.SendScintilla(QsciScintilla.SCI_AUTOCSETIGNORECASE, 1)

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        self.markerDefine(QsciScintilla.MarkerSymbol.Background, ADDED_GROUND)
        self.setMarkerBackgroundColor(QColor(mixed(theme.fine, theme.code, GREEN)), ADDED_GROUND)
        self.markerDefine(QsciScintilla.MarkerSymbol.Plus, PLUS)
        self.setMarkerForegroundColor(QColor(theme.fine), PLUS)
        self.setMarkerBackgroundColor(QColor(theme.code), PLUS)

    def mark_added(self, lines: list[int]) -> None:
        for marker in (ADDED_GROUND, PLUS):
            self.markerDeleteAll(marker)
            for line in lines:
                self.markerAdd(line - 1, marker)

    @property
    def added(self) -> list[int]:
        """Lines that are marked, from 1 on."""
        return [line + 1 for line in range(self.lines()) if self.markersAtLine(line) & 1 << ADDED_GROUND]

    def complete(self) -> list[str]:
        """Offer what can stand here; the words that are offered."""
        position = int(self.SendScintilla(QsciScintilla.SCI_GETCURRENTPOS))
        begun, words = self.completions(self.text().encode()[:position].decode("utf-8", "replace"))
        if words:
            self.SendScintilla(QsciScintilla.SCI_AUTOCSHOW, len(begun.encode()), "\n".join(words).encode())
        return words

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        super().keyPressEvent(event)
        if event is not None and event.text() in ("<", " ", '"') and self._is_in_tag():
            self.complete()

    def _is_in_tag(self) -> bool:
        position = int(self.SendScintilla(QsciScintilla.SCI_GETCURRENTPOS))
        before = self.text().encode()[:position]
        return before.rfind(b"<") > before.rfind(b">")


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
