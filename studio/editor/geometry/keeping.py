"""Saves one vehicle: in place or as a copy, with autosave, and looks at what other programs do to its files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtWidgets import QFileDialog

from studio.editor.base.file_watch import FileWatch
from studio.editor.look.notice import DifferenceDialog, difference
from studio.editor.look.open_dialog import file_filter
from studio.editor.ports import WithNotice, WithSettings, WithStatus, WithWidget
from studio.editor.project.autosave import Autosave
from studio.editor.project.leaving import ask_about_changes
from studio.editor.project.left_work import LeftWork
from studio.editor.project.ports import WithFiles
from studio.errors import StudioError
from studio.model.parts import as_name
from studio.paths import is_shared_model

if TYPE_CHECKING:
    from studio.editor.geometry.controller import GeometryController
    from studio.editor.geometry.document import GeometryDocument


class Needs(WithFiles, WithNotice, WithSettings, WithStatus, WithWidget, Protocol):
    """What is taken from the window."""

    @property
    def vehicles(self) -> GeometryController: ...


class Keeping(QObject):
    moved = pyqtSignal()
    """It was saved in another file."""
    reload_wanted = pyqtSignal()

    def __init__(self, window: Needs, document: GeometryDocument) -> None:
        super().__init__(document)
        self.window, self.document = window, document
        settings = window.settings
        self.autosave = Autosave(settings.file.parent / "unsaved", settings.autosave_s, self)
        self.left = LeftWork(window, self.autosave, document.workspace.main.name)
        self.is_named = True
        """False: nobody has chosen its file yet, and the first save asks for it."""
        self._watched = FileWatch(self)
        self._watched.touched.connect(self.look)

    @property
    def _about(self) -> str:
        """What a question about other programs is about."""
        return f"vehicle changed on disk {self.document.workspace.main}"

    def begin(self) -> None:
        self.autosave.follow(self.document.session)
        self.watch()
        self.left.offer()

    def end(self) -> None:
        self.window.notice.withdraw(self._about)
        self.left.withdraw()
        self.autosave.forget()
        self.autosave.follow(None)
        self._watched.watch([])

    def forget(self) -> None:
        """The user has decided about what is not saved."""
        self.autosave.forget()

    # ---- saving

    @property
    def is_example(self) -> bool:
        """Whether a file that would be written came with Studio: it stays as it is, and a copy is saved."""
        workspace = self.document.workspace
        if self.window.files.is_in_place(workspace.main):
            return False
        return any(is_shared_model(path) for path in (workspace.main, *workspace.modified_files()))

    def save(self, *, overwrite: bool = False) -> bool:
        if not self.document.flush():
            self.window.status.say("Saved without the text that has errors", trouble=True)
        if self.is_example:
            return self._save_copy()
        if not self.is_named:
            return self.ask_save_as("Save the new file as")
        try:
            written = self.document.session.save(overwrite=overwrite)
        except StudioError as error:
            if not self._others_wrote():
                self.window.status.say(f"Not saved: {error}", trouble=True)
            self.look()
            return False
        self.window.notice.withdraw(self._about)
        self.watch()
        self._remember()
        names = ", ".join(path.name for path in written) or self.document.workspace.main.name
        self.window.status.say(f"Saved {names}")
        self.window.vehicles.links.files_saved(written)
        return True

    def _save_copy(self) -> bool:
        """The user's own copy: of all, or of the body files that changed in a vehicle that is the user's own."""
        main = self.document.workspace.main
        if not is_shared_model(main):
            return self.save_as(main)
        return self.ask_save_as(f"{main.name} came with Studio: save a copy of your own")

    def ask_save_as(self, title: str = "") -> bool:
        title = title or f"Save the {'world' if self.document.workspace.is_world else 'vehicle'} as"
        main = self.document.workspace.main
        folder = self.window.files.own_place() / "models" / main.parent.name if is_shared_model(main) else main.parent
        name, _ = QFileDialog.getSaveFileName(
            self.window.widget, title, str(_with_parent(folder) / main.name), file_filter(main),
            options=QFileDialog.Option.DontUseNativeDialog,
        )  # fmt: skip
        if not name:
            self.window.status.say("Not saved")
            return False
        path = Path(name)
        return self.save_as(path if path.suffix else path.with_suffix(main.suffix))

    def save_as(self, path: Path) -> bool:
        if not self.is_named:
            self._name_after(path)
        try:
            written = self.document.session.save_as(path)
        except StudioError as error:
            self.window.status.say(f"Not saved: {error}", trouble=True)
            return False
        self.window.status.say(f"Saved {', '.join(each.name for each in written)} in {path.parent}")
        self._remember()
        self.autosave.follow(self.document.session)
        self.watch()
        self.moved.emit()
        self.window.vehicles.links.files_saved(written)
        return True

    def _name_after(self, path: Path) -> None:
        """The name that it has had since it was new says nothing: it gets that of its file."""
        from studio.editor.geometry.selection import VehicleThing
        from studio.editor.geometry.thing_edits import rename  # brings numpy

        workspace, name = self.document.workspace, as_name(path.stem)
        if workspace.name == workspace.main.stem and name and name != workspace.name:
            made = rename(workspace, VehicleThing(), name)
            self.document.session.do_all(made.label, made.edits)
        self.is_named = True

    def _remember(self) -> None:
        self.window.settings.recents.add(self.document.workspace.main, "vehicle")

    def may_leave(self) -> bool:
        """True if nothing is lost by closing it: saved, or the user does not want it."""
        self.document.flush()
        if not self.document.workspace.is_modified:
            return True
        names = ", ".join(path.name for path in self.document.workspace.modified_files())
        words, loses = f"{names} has changes that are not saved.", "Closing without saving loses them."
        save = "Save a copy…" if self.is_example else "Save" if self.is_named else "Save as…"
        answer = ask_about_changes(self.window.widget, words, loses, save=save, leave="Close without saving")
        return self.save() if answer == "save" else answer == "leave"

    # ---- other programs

    def watch(self) -> None:
        self._watched.watch(self.document.workspace.files())

    def look(self) -> None:
        """Whether another program wrote the files."""
        workspace = self.document.workspace
        self.watch()
        try:
            changed = workspace.changed_on_disk()
        except StudioError as error:
            self.window.status.say(str(error), trouble=True)
            return
        if not changed:
            self.window.notice.withdraw(self._about)
        elif self._has_work or any(not path.exists() for path in changed) or self._trouble():
            self._ask(changed)
        else:
            self.reload_wanted.emit()
            names = ", ".join(path.name for path in changed)
            self.window.status.say(f"{names} changed on disk and was read again")

    @property
    def _has_work(self) -> bool:
        """Whether reading the files again would lose edits, or what can be undone."""
        workspace = self.document.workspace
        return bool(workspace.is_modified or workspace.history.labels or workspace.history.redo_label)

    def _ask(self, changed: list[Path]) -> None:
        gone = [path for path in changed if not path.exists()]
        words = (
            f"{' and '.join(path.name for path in changed)} was {'removed' if gone else 'changed'} by another program"
        )
        trouble = self._trouble()
        if trouble:
            words += f" and cannot be read now: {trouble}"
        elif self.document.workspace.is_modified:
            words += ", and you have changes that are not saved."
        else:
            words += ". If you reload it, your earlier edits can no longer be undone."
        choices = {
            "Show difference…": self._show_difference,
            "Reload": self.reload_wanted.emit,
            "Keep mine": lambda: self.save(overwrite=True),
        }
        if trouble:
            del choices["Reload"]
        self.window.notice.ask(words, choices, self._about)

    def _trouble(self) -> str:
        """Why the files on disk make no vehicle; empty if they do."""
        from studio.model.geometry.workspace import Workspace

        workspace = self.document.workspace
        try:
            Workspace.load(workspace.main, workspace.roots)
        except StudioError as error:
            return f"line {error.line}: {error.message}" if error.line else error.message
        return ""

    def _show_difference(self) -> None:
        texts = self.document.workspace.texts()
        changed = {path: texts[path] for path in self.document.workspace.changed_on_disk() if path in texts}
        DifferenceDialog(self.window.widget, "On disk, and here", difference(changed)).show()

    def _others_wrote(self) -> bool:
        try:
            return bool(self.document.workspace.changed_on_disk())
        except StudioError:
            return False


def _with_parent(folder: Path) -> Path:
    """The dialog opens in a folder that exists; it is made for the copy."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path.home()
    return folder
