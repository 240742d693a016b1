"""Checks of the vehicle, live: a summary, findings with their places, and quick fixes where there are any."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QTimer, pyqtSignal
from PyQt6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from studio.editor.geometry.panels.checks_table import ChecksTable
from studio.editor.geometry.panels.comparing import Comparing
from studio.editor.geometry.protocols import Context
from studio.editor.geometry.selection import (
    BodyThing,
    ConstraintThing,
    FrameThing,
    SensorThing,
    ShapeThing,
    Thing,
    is_in,
)
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.breaking_label import BreakingLabel
from studio.errors import Problem, counted
from studio.model.geometry.assembly import Model
from studio.model.geometry.closer_look import look_closer, unused_frames
from studio.model.geometry.geometry_fixes import GeometryFix, fixes_for
from studio.model.geometry.measurement import loops

CHECK_AFTER_MS = 150
"""After the last edit: a drag is not held up by checks."""


class Checks(QWidget):
    found = pyqtSignal(int, int)
    """Errors and warnings, after each check."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.problems: list[Problem] = []
        self.summary = BreakingLabel()
        self.with_unused = QCheckBox("Unused")
        self.with_unused.setToolTip("Also list frames that no constraint, joint or sensor uses")
        self.with_unused.toggled.connect(lambda _: self.check())
        self.comparing = Comparing(context)
        self.comparing.changed.connect(self.check)
        if context.workspace.is_world:
            self.with_unused.hide()
            self.comparing.hide()
        self.table = ChecksTable(context.theme)
        self.table.go_to.connect(self._go_to)
        self.table.fix_wanted.connect(self._fix)
        self.summary.setContentsMargins(10, 6, 10, 2)
        above = QHBoxLayout()
        above.setContentsMargins(10, 0, 10, 4)
        above.addWidget(self.with_unused)
        above.addWidget(self.comparing, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.summary)
        layout.addWidget(self.table, 1)
        layout.addLayout(above)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(CHECK_AFTER_MS)
        self._timer.timeout.connect(self.check)
        self._ends = [context.workspace.listen(lambda _: self._timer.start())]
        self.check()

    def check(self) -> None:
        self._timer.stop()
        workspace = self.context.workspace
        model = workspace.assembled.model
        self.problems = workspace.problems()
        if counted(self.problems)[0] == 0 and not workspace.is_world:
            self.problems += look_closer(model)
        unused = unused_frames(model) if self.with_unused.isChecked() and not workspace.is_world else []
        comparison = self.comparing.comparison
        compared = comparison.problems(model) if comparison is not None else []
        self.context.selection.show_ghost(comparison.ghost(model) if comparison is not None else None)
        shown = [*self.problems, *compared, *unused]
        self.table.show_problems(shown, {id(each): fixes_for(each, workspace) for each in shown})
        self.summary.setText(self._summary(model))
        self.found.emit(*counted(self.problems))

    def _summary(self, model: Model) -> str:
        errors, warnings = counted(self.problems)
        if self.context.workspace.is_world:
            world = self.context.workspace.world()
            parts = [_count(len(world.models), "obstacle", "obstacles"), _count(len(world.frames), "place", "places")]
            if not self.problems:
                parts.append("the embedded simulator can run it")
        else:
            parts = [_count(len(model.bodies), "body", "bodies")]
        if not self.context.workspace.is_world and not self.context.workspace.is_body:
            parts.append(_count(len(model.constraints), "constraint", "constraints"))
            parts.append(self._loops(model))
        parts += [_count(errors, "error", "errors")] if errors else []
        parts += [_count(warnings, "warning", "warnings")] if warnings else []
        return " · ".join(parts)

    def _loops(self, model: Model) -> str:
        found = loops(model, self.context.workspace.assembled.transforms.linkage)
        if not found:
            return "no loops"
        worst = max(found, key=lambda each: each.error_m)
        open_ones = sum(not each.closes for each in found)
        state = "closed" if not open_ones else f"{open_ones} open"
        return f"{_count(len(found), 'loop', 'loops')} {state}, largest error {worst.error_m * 1000:.3g} mm"

    # ---- what a click does

    def _fix(self, fix: GeometryFix) -> None:
        if self.context.do_all(fix.text, fix.edits):
            self.check()

    def _go_to(self, problem: Problem) -> None:
        thing = thing_of(problem, self.context)
        if thing is not None:
            self.context.selection.choose(thing)
        elif problem.file is not None:
            self._show_line(Path(problem.file), problem.line or 0)

    def _show_line(self, file: Path, line: int) -> None:
        page = self.context.show_panel("geometry_xml") if file.resolve() in self.context.workspace.files() else None
        if page is not None:
            page.show_file(file.resolve(), line)
        else:
            self.context.open(file, line)

    def show_theme(self, theme: Theme) -> None:
        self.table.theme = theme
        self.comparing.show_theme()
        self.check()

    def close_panel(self) -> None:
        self._timer.stop()
        self.context.selection.show_ghost(None)
        for end in self._ends:
            end()
        self._ends = []


def thing_of(problem: Problem, context: Context) -> Thing | None:
    """What a finding is about; None if its subject is nothing that can be selected."""
    workspace, subject = context.workspace, problem.subject
    model = workspace.assembled.model
    names = [subject.partition(mark)[0] for mark in (":", ".", "#")]
    bodies = [name for name in names if name in model.bodies]
    if not bodies and problem.file is not None:
        # Findings about a body file name the body as its file does.
        bodies = workspace.bodies_of(Path(problem.file))
    rest = subject[len(names[0]) + 1 :] if ":" in subject else subject.partition(".")[2]
    candidates: list[Thing] = [ConstraintThing(subject), BodyThing(subject)]
    for body in bodies[:1]:
        candidates += [FrameThing(body, rest), SensorThing(body, rest)]
        index = subject.partition("#")[2]
        candidates += [ShapeThing(body, int(index))] if index.isdigit() else []
        candidates.append(BodyThing(body))
    return next((each for each in candidates if is_in(model, each)), None)


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
