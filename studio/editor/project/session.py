"""One open project as the window sees it: the document, the components that exist, what is wrong, and who listens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from studio.editor.live.problems import missing_logs
from studio.errors import Problem, StudioError
from studio.model.changes import Change
from studio.model.document import LAYOUT_FILE, SYSTEM_FILE, SystemDocument
from studio.model.gazebo_provider import GAZEBO, Choice, choose, is_on_gazebo, mode_of_choice
from studio.model.history import Edit
from studio.model.registry import Registry
from studio.model.source_edits import ChooseModes
from studio.model.sources import SourceMode
from studio.model.system import System
from studio.model.system_edits import Become, Compound, SystemEdit
from studio.model.system_text import WriteText

if TYPE_CHECKING:
    from studio.model.loaded_project import LoadedProject

CHECK_AFTER_MS = 150
"""A drag makes no findings worth showing before the hand rests."""


class Session(QObject):
    changed = pyqtSignal(tuple)
    """The changes of an edit, an undo or a redo, after they happened."""
    saved = pyqtSignal()
    refused = pyqtSignal(str)
    """Why the model did not allow an edit, in words for the user."""
    problems_changed = pyqtSignal()

    def __init__(self, opened: LoadedProject, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.opened = opened
        self._found: list[Problem] = []
        self._typed: list[Problem] = []
        self._end_listening = self.document.history.listen(self._tell)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(CHECK_AFTER_MS)
        self._timer.timeout.connect(self._check_system)
        self._around: list[Problem] = []
        self._types_checked: set[str] = set()
        self.ask_modes: Callable[[Mapping[str, SourceMode]], object] | None = None
        self.ask_simulator: Callable[[str, Choice], object] | None = None
        self.ask_differences: Callable[[str, SourceMode], object] | None = None

    @classmethod
    def open(cls, folder: Path, parent: QObject | None = None) -> Session:
        from studio.model.loaded_project import open_project  # brings numpy, which must not delay the first paint

        return cls(open_project(folder), parent)

    @property
    def document(self) -> SystemDocument:
        return self.opened.project.document

    @property
    def system(self) -> System:
        return self.document.system

    @property
    def registry(self) -> Registry:
        return self.opened.registry

    @property
    def folder(self) -> Path:
        return self.document.folder

    @property
    def name(self) -> str:
        return self.system.name

    @property
    def problems(self) -> list[Problem]:
        """What the check has found, and what is wrong with code that is being written."""
        places = {(problem.file, problem.line) for problem in self._found}
        return [*self._found, *(one for one in self._typed if (one.file, one.line) not in places)]

    def show_typed(self, problems: list[Problem]) -> None:
        """Of the files of code that are open, as they are now."""
        if problems != self._typed:
            self._typed = problems
            self.problems_changed.emit()

    def choose_modes(self, modes: Mapping[str, SourceMode]) -> None:
        """Other providers for these sources. Whoever shows first what that brings about sets `ask_modes`."""
        if self.ask_modes is not None:
            self.ask_modes(modes)
        else:
            self.do(ChooseModes(modes))

    def choose(self, source: str, choice: Choice) -> None:
        """As `choose_modes`, for one source; also whether a Gazebo server simulates it."""
        known = self.system.source(source)
        if choice != GAZEBO and not (choice == "simulated" and is_on_gazebo(known, self.registry)):
            self.choose_modes({source: mode_of_choice(choice)})
        elif self.ask_simulator is not None:
            self.ask_simulator(source, choice)
        else:
            self.do(choose(known, choice, self.registry))

    def explain(self, source: str, mode: SourceMode) -> None:
        """How a provider differs from what its source promises; shown by whoever has set `ask_differences`."""
        if self.ask_differences is not None:
            self.ask_differences(source, mode)

    def do(self, edit: Edit[System]) -> bool:
        """Do `edit`; False if the model refused, which `refused` tells."""
        try:
            self.document.do(edit)
        except StudioError as error:
            self.refused.emit(_sentence(error))
            return False
        return True

    def undo(self) -> None:
        self.document.undo()

    def redo(self) -> None:
        self.document.redo()

    def save(self, *, overwrite: bool = False) -> None:
        self.document.save(overwrite=overwrite)
        self.check()
        self.saved.emit()

    # ---- what is kept while it is not saved

    @property
    def place(self) -> Path:
        return self.folder

    @property
    def is_modified(self) -> bool:
        return self.document.is_modified

    def unsaved(self) -> dict[str, bytes]:
        return {path.name: text for path, text in self.document.texts().items()}

    def saved_file(self, name: str) -> Path:
        return self.folder / name

    def restore(self, texts: Mapping[str, bytes]) -> bool:
        was = SystemDocument.load(self.folder, texts.get(SYSTEM_FILE), texts.get(LAYOUT_FILE))
        title = "Restore unsaved changes"
        edits: list[SystemEdit] = [Become(was.system, title)]
        text = texts.get(SYSTEM_FILE)
        if text is not None:  # with the comments that the user has written into it
            edits.append(WriteText(text, was.system))
        return self.do(Compound(title, tuple(edits)))

    # ---- what is wrong

    def check(self) -> None:
        """What `studio check` says about the system as it is now."""
        self._timer.stop()
        try:
            self._found = [*self.opened.find_problems(), *missing_logs(self.system, self.folder)]
        except StudioError as error:
            self._found = Problem.all_from(error)
        own = set(self._of_the_system())
        self._around = [problem for problem in self._found if problem not in own]
        self._types_checked = self.opened.used_types()
        self.problems_changed.emit()

    def _check_system(self) -> None:
        """The part of the check that edits can change. The files around it are read again only for new types."""
        if self.opened.used_types() - self._types_checked:
            self.check()
            return
        self._found = [*self._around, *self._of_the_system()]
        self.problems_changed.emit()

    def _of_the_system(self) -> list[Problem]:
        return [*self.opened.find_system_problems(), *missing_logs(self.system, self.folder)]

    def close(self) -> None:
        self._timer.stop()
        self._end_listening()

    def _tell(self, changes: tuple[Change, ...]) -> None:
        self.changed.emit(changes)
        self._timer.start()


def read_project(folder: Path) -> LoadedProject | StudioError:
    """For another thread: an error is a value, and what would be read when it is first used is read here."""
    from studio.model.loaded_project import open_project  # brings numpy, which must not delay the first paint

    try:
        opened = open_project(folder)
    except StudioError as error:
        return error
    for type_name in opened.used_types():
        opened.registry.get(type_name)
    return opened


def _sentence(error: StudioError) -> str:
    return f"{error.message} ({error.hint})" if error.hint else error.message
