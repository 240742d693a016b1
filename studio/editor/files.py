"""New, open, save, close, export: everything about files that a person does in the window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PyQt6.QtCore import QFileSystemWatcher, QObject, QTimer
from PyQt6.QtWidgets import QFileDialog, QMessageBox

from studio.editor.autosave import Autosave
from studio.editor.canvas.export import export_png, export_svg
from studio.editor.later import Beside, Slices
from studio.editor.log_files.log_facts import is_viewing_project
from studio.editor.notice import DifferenceDialog, difference
from studio.editor.session import Session, read_project
from studio.errors import StudioError
from studio.model.document import LAYOUT_FILE, SYSTEM_FILE

if TYPE_CHECKING:
    from studio.editor.main_window import MainWindow
    from studio.model.opened import Opened

LOOK_AFTER_MS = 200
"""An editor that saves writes several times; one look after the last is enough."""


class Files(QObject):
    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window = window
        self.autosave = Autosave(window.settings.file.parent / "unsaved", window.settings.autosave_s, self)
        self._watcher = QFileSystemWatcher(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(LOOK_AFTER_MS)
        self._timer.timeout.connect(self.look_at_disk)
        self._watcher.fileChanged.connect(lambda _: self._timer.start())
        self._watcher.directoryChanged.connect(lambda _: self._timer.start())

        self._wish: object = None
        """Stands for the project that was wanted last; others that are read meanwhile are not shown."""
        self._showing: Slices | None = None

    # ---- opening

    def new(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self.window, "Folder of the new project", str(self._home() / "my_robot"))
        if name and self.may_leave():
            self.leave()
            self.create(Path(name))

    def create(self, folder: Path) -> None:
        from studio.model.project import Project  # checks geometry, so it brings numpy

        try:
            Project.create(folder, folder.name)
        except StudioError as error:
            self._complain("This project cannot be made", error)
            return
        self.open(folder)

    def ask_open(self) -> None:
        name = QFileDialog.getExistingDirectory(self.window, "Open a project", str(self._home()))
        if name:
            self.ask_leave_and_open(Path(name))

    def ask_leave_and_open(self, folder: Path) -> None:
        if not self.may_leave():
            return
        self.leave()
        if self.window.has_session:
            self.open(folder)  # at once: nobody may edit what is left while the other one is read
        else:
            self.open_soon(folder)

    def open(self, folder: Path) -> bool:
        """At once; False if it cannot be opened."""
        folder = _folder_of(folder)
        self.finish_opening()
        read = read_project(folder)
        if isinstance(read, StudioError):
            self._complain(f"{folder.name} cannot be opened", read)
            return False
        for _ in self._show(folder, read):
            pass
        return True

    def open_soon(self, folder: Path, then: Callable[[], object] = lambda: None) -> None:
        """Into a window that has none: read beside its work and shown in slices; `then` is done if that was possible.

        The first project takes longer than a window may stand still, because much is imported with it.
        """
        folder = _folder_of(folder)
        self.finish_opening()
        self.window.status.say(f"Opening {folder.name}…", stays=True)
        wish = self._wish = object()

        def read() -> Opened | StudioError:
            import_module("studio.editor.live_link")  # which will look whether the project runs
            opened = read_project(folder)
            if not isinstance(opened, StudioError):
                opened.registry.specs()  # which the palette will show
            return opened

        def show(read: Opened | StudioError) -> None:
            if wish is self._wish:
                self._show_soon(folder, read, then)

        Beside(read, show, self)

    def _show_soon(self, folder: Path, read: Opened | StudioError, then: Callable[[], object]) -> None:
        if isinstance(read, StudioError):
            self._complain(f"{folder.name} cannot be opened", read)
            self.window.show_session(None)
            return
        self._showing = Slices(self._show(folder, read), self)
        self._showing.done.connect(lambda: self.window.status.say(""))
        self._showing.done.connect(then)
        self._showing.start()

    def _show(self, folder: Path, opened: Opened) -> Iterator[None]:
        session = Session(opened, self.window)
        self._remember(folder)
        yield from self.window.project.show_in_slices(session)
        self.autosave.follow(session)
        self._watch()
        self._offer_what_was_left(session)

    def finish_opening(self) -> None:
        """What is still being read is not wanted any more; what is half shown is shown."""
        self._wish = None
        if self._showing is not None:
            self._showing.finish()

    def _offer_what_was_left(self, session: Session) -> None:
        kept = self.autosave.left_behind(session)
        if kept:
            self.window.notice.ask(
                "Studio ended before your last changes to this project were saved.",
                {
                    "Show difference…": lambda: DifferenceDialog(
                        self.window, "Saved, and kept", difference(kept)
                    ).show(),
                    "Restore": lambda: self._restore(session),
                    "Throw away": self.autosave.forget,
                },
            )

    def _restore(self, session: Session) -> None:
        try:
            self.autosave.restore(session)
        except StudioError as error:
            self._complain("Not restored", error)
            return
        self.open(session.folder)

    def reload(self) -> None:
        """What is on disk, in place of what is here."""
        session = self.window.session
        if session.document.is_modified and not self._sure("Throw your changes away?", "Reload", "Keep mine"):
            return
        self._give_up_and_open(session.folder)

    def _give_up_and_open(self, folder: Path) -> None:
        self.leave()
        self.open(folder)

    # ---- saving

    def save(self, *, overwrite: bool = False) -> bool:
        session = self.window.session
        self.window.canvas.remember_view()
        try:
            session.save(overwrite=overwrite)
        except StudioError as error:
            if session.document.changed_on_disk():
                self.look_at_disk()
            else:
                self._complain("Not saved", error)
            return False
        self.window.notice.hide()
        self._watch()
        return True

    def ask_save_as(self) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self.window, "Folder for the copy", str(self.window.session.folder) + "_2"
        )
        if name:
            self.save_as(Path(name))

    def save_as(self, folder: Path) -> bool:
        self.window.canvas.remember_view()
        try:
            self.window.session.save_as(folder)
        except StudioError as error:
            self._complain("Not saved", error)
            return False
        self._remember(folder)
        self._watch()
        return True

    def ask_export(self, kind: Literal["svg", "png"]) -> None:
        session = self.window.session
        suggestion = str(session.folder / f"{session.name}.{kind}")
        name, _ = QFileDialog.getSaveFileName(self.window, "Export the canvas", suggestion, f"*.{kind}")
        if name:
            (export_svg if kind == "svg" else export_png)(self.window.canvas.canvas, Path(name))
            self.window.status.say(f"Wrote {name}")

    # ---- leaving

    def close(self) -> None:
        if self.may_leave() and (not self.window.has_session or self.window.live.may_close(self.close)):
            self.leave()
            self.window.show_session(None)
            self._watch()

    def leave(self) -> None:
        """The user has decided about what is not saved: nothing of it is kept."""
        if not self.autosave.holds:
            self.autosave.forget()
        self.autosave.follow(None)

    def may_leave(self) -> bool:
        """True if nothing is lost by leaving what is open: saved, or the user does not want it."""
        self.finish_opening()
        if not self.window.code.may_leave():
            return False
        if not self.window.has_session or not self.window.session.document.is_modified:
            return True
        box = QMessageBox(self.window)
        box.setWindowTitle("Save your changes?")
        box.setText(f"{self.window.session.name} has changes that are not saved.")
        box.setInformativeText("Leaving without saving loses them.")
        save = box.addButton("Save", QMessageBox.ButtonRole.AcceptRole)
        leave = box.addButton("Leave without saving", QMessageBox.ButtonRole.DestructiveRole)
        box.addButton("Stay", QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(save)
        box.exec()
        if box.clickedButton() is save:
            return self.save()
        return box.clickedButton() is leave

    # ---- the disk

    def look_at_disk(self) -> None:
        """Tell in a bar when somebody else wrote the files."""
        if not self.window.has_session:
            return
        session = self.window.session
        try:
            changed = session.document.changed_on_disk()
        except StudioError as error:
            self.window.status.say(str(error), trouble=True)
            return
        self._watch()
        if not changed:
            return
        if not session.document.is_modified and all(path.exists() for path in changed):
            self.open(session.folder)
            self.window.status.say(f"{', '.join(path.name for path in changed)} changed on disk and was read again")
            return
        names = " and ".join(path.name for path in changed)
        self.window.notice.ask(
            f"{names} was changed by somebody else, and you have changes that are not saved.",
            {
                "Show difference…": lambda: self._show_difference(session),
                "Reload": lambda: self._give_up_and_open(session.folder),
                "Keep mine": lambda: self.save(overwrite=True),
            },
        )

    def _show_difference(self, session: Session) -> None:
        DifferenceDialog(self.window, "On disk, and here", difference(session.document.texts())).show()

    def _watch(self) -> None:
        """The files and their folder: a file that is replaced on saving is a new one for the watcher."""
        old = [*self._watcher.files(), *self._watcher.directories()]
        if old:
            self._watcher.removePaths(old)
        if self.window.has_session:
            folder = self.window.session.folder
            wanted = [folder, folder / SYSTEM_FILE, folder / LAYOUT_FILE]
            self._watcher.addPaths([str(path) for path in wanted if path.exists()])

    def _remember(self, folder: Path) -> None:
        """Among what was open lately; a project that was made to look at a log is remembered as that log."""
        if not is_viewing_project(folder):
            self.window.settings.recents.add(folder)

    def _home(self) -> Path:
        recent = self.window.settings.recent()
        return recent[0].parent if recent else Path.cwd()

    def _sure(self, question: str, yes: str, no: str) -> bool:
        box = QMessageBox(self.window)
        box.setWindowTitle(question)
        box.setText(question)
        sure = box.addButton(yes, QMessageBox.ButtonRole.DestructiveRole)
        safe = box.addButton(no, QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(safe)
        box.exec()
        return box.clickedButton() is sure

    def _complain(self, title: str, error: StudioError) -> None:
        box = QMessageBox(QMessageBox.Icon.Warning, title, title, QMessageBox.StandardButton.Ok, self.window)
        box.setInformativeText(str(error))
        box.exec()


def _folder_of(project: Path) -> Path:
    """Of a project that was named by its folder or its file."""
    return project.parent if project.name == SYSTEM_FILE else project
