"""New, open, save, close, export: everything about files that a person does in the window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QFileDialog, QMessageBox

from studio.editor.base.deferred import Beside, Slices
from studio.editor.canvas.scene.export import export_png, export_svg
from studio.editor.code.source_view import open_source
from studio.editor.geometry.drive_place import is_drive_project
from studio.editor.log_files.log_facts import is_viewing_project
from studio.editor.look.folder_dialog import ask_new_folder
from studio.editor.look.open_dialog import ask_for_vehicle, ask_what_to_open, sort_of
from studio.editor.look.progress import carry_out
from studio.editor.project.autosave import Autosave
from studio.editor.project.leaving import ask_about_changes, is_sure
from studio.editor.project.left_work import LeftWork
from studio.editor.project.session import Session, read_project
from studio.editor.window.disk_watch import ABOUT, DiskWatch
from studio.errors import StudioError
from studio.model.document import SYSTEM_FILE
from studio.model.parts import as_name
from studio.paths import came_with_studio, model_roots

if TYPE_CHECKING:
    from studio.editor.window.main_window import MainWindow
    from studio.model.loaded_project import LoadedProject


class Files(QObject):
    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window = window
        self.autosave = Autosave(window.settings.file.parent / "unsaved", window.settings.autosave_s, self)
        self.left = LeftWork(window, self.autosave, "this project")
        self.disk = DiskWatch(window)
        self._wish: object = None
        """Stands for the project that was wanted last; others that are read meanwhile are not shown."""
        self._showing: Slices | None = None
        self._in_place: set[Path] = set()
        """Examples that somebody wants to change themselves, who works on Studio."""
        self._example: Path | None = None

    @property
    def is_example(self) -> bool:
        """Whether what is open came with Studio and is only looked at: saving makes a copy."""
        return self.window.has_session and self.window.session.folder == self._example

    @property
    def has_changes(self) -> bool:
        """Whether somebody would miss something that is not saved. Playing a log in an example is no change of it."""
        if not self.window.has_session:
            return False
        document = self.window.session.document
        return document.is_modified and not (self.is_example and document.is_only_played)

    # ---- opening

    def new(self) -> None:
        folder = ask_new_folder(self.window, "New project", free_place(self._home() / "my_robot"), "Create")
        if folder is not None:
            self.ask_leave_and_create(folder)

    def ask_leave_and_create(self, folder: Path) -> None:
        if self.may_go(lambda: self.ask_leave_and_create(folder)):
            self.create(folder)

    def create(self, folder: Path) -> None:
        from studio.model.project import Project  # checks geometry, so it brings numpy

        try:
            Project.create(folder, as_name(folder.name) or folder.name)
        except StudioError as error:
            self._complain("This project cannot be made", error)
            return
        from studio.runtime.client.trust import made_here

        made_here(folder)
        self.open(folder)

    def edit_in_place(self, folder: Path) -> None:
        """An example is saved where it is, and not as a copy: for those who work on Studio."""
        self._in_place.add(_folder_of(folder).resolve())

    def is_in_place(self, vehicle: Path) -> bool:
        return vehicle.resolve() in self._in_place

    def ask_open(self) -> None:
        """Anything that Studio opens."""
        path = ask_what_to_open(self.window, self._home())
        if path is not None:
            self.open_any(path)

    def open_any(self, path: Path) -> None:
        """A project, a log, or the text of a vehicle, a world or another file."""
        sort = sort_of(path) if path.exists() else None
        if sort == "project":
            self.ask_leave_and_open(path)
        elif sort == "log":
            self.window.logs.open(path)
        elif sort == "vehicle":
            self.window.vehicles.open(path)
        elif sort == "text" and (self.window.has_session or self.window.vehicles.documents):
            open_source(self.window, path)
        elif sort == "text":
            self.window.window_commands.show_guide(path)
        else:
            self.window.status.say(f"{path.name} is not a project, log, vehicle or world", trouble=True)

    def ask_open_vehicle(self) -> None:
        """An assembly, a body or a world: the user's own, or one of those that came with Studio."""
        path = ask_for_vehicle(self.window, self._vehicles())
        if path is not None:
            self.open_any(path)

    def _vehicles(self) -> Path:
        """Where vehicles are: of the open project, beside the one that was opened last, or of Studio."""
        recent = [each.place.parent for each in self.window.settings.recents.all() if each.kind == "vehicle"]
        project = [self.window.session.folder / "models" / "assemblies"] if self.window.has_session else []
        shipped = [root / "assemblies" for root in model_roots()]
        return next((folder for folder in (*project, *recent, *shipped) if folder.is_dir()), self._home())

    def new_vehicle(self, kind: Literal["assembly", "body", "world"]) -> None:
        """At once; the first save asks where it goes."""
        folder, ending = {"assembly": ("assemblies", "xml"), "body": ("bodies", "xml"), "world": ("worlds", "sdf")}[
            kind
        ]
        place, vehicles = self.own_place() / "models" / folder, self.window.vehicles
        names = (f"new_{kind}{number if number > 1 else ''}.{ending}" for number in count(1))
        vehicles.create(next(place / name for name in names if vehicles.is_free(place / name)), kind, is_named=False)

    def ask_leave_and_open(self, folder: Path, then: Callable[[], object] = lambda: None) -> None:
        """`then` is done when it is open."""
        if not self.may_go(lambda: self.ask_leave_and_open(folder, then)):
            return
        if not self.window.has_session:
            self.open_soon(folder, then)
        elif self.open(folder):  # at once: nobody may edit what is left while the other one is read
            then()

    def open_and_run(self, folder: Path, then: Callable[[], object]) -> None:
        """A project for which the user has left what was open; `then` is done when it is open."""
        if self.window.has_session:
            if self.open(folder):
                then()
        else:
            self.open_soon(folder, then)

    def open(self, folder: Path) -> bool:
        """At once, in place of what is open: the user has decided about that. False if it cannot be opened; then what
        was open stays, and goes on being kept."""
        folder = _folder_of(folder)
        self.finish_opening()
        read = read_project(folder)
        if isinstance(read, StudioError):
            self._complain(f"{folder.name} cannot be opened", read)
            return False
        self.leave()
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

        def read() -> LoadedProject | StudioError:
            import_module("studio.editor.live.link")  # which will look whether the project runs
            opened = read_project(folder)
            if not isinstance(opened, StudioError):
                opened.registry.specs()  # which the palette will show
            return opened

        def show(read: LoadedProject | StudioError) -> None:
            if wish is self._wish:
                self._show_soon(folder, read, then)

        Beside(read, show, self)

    def _show_soon(self, folder: Path, read: LoadedProject | StudioError, then: Callable[[], object]) -> None:
        if isinstance(read, StudioError):
            self._complain(f"{folder.name} cannot be opened", read)
            self.window.show_session(None)
            return
        self._showing = Slices(self._show(folder, read), self)
        self._showing.done.connect(lambda: self.window.status.say(""))
        self._showing.done.connect(then)
        self._showing.start()

    def _show(self, folder: Path, opened: LoadedProject) -> Iterator[None]:
        session = Session(opened, self.window)
        is_example = came_with_studio(folder) and folder.resolve() not in self._in_place
        self._example = session.folder if is_example else None
        self._remember(folder)
        yield from self.window.project.show_in_slices(session)
        self.autosave.follow(session)
        self.disk.watch()
        self.left.offer()

    def finish_opening(self) -> None:
        """What is still being read is not wanted any more; what is half shown is shown."""
        self._wish = None
        if self._showing is not None:
            self._showing.finish()

    def reload(self) -> None:
        """What is on disk, in place of what is here; with the project its code is closed and opened again."""
        session = self.window.session
        may_throw_away = not self.has_changes or is_sure(self.window, "Throw your changes away?", "Reload", "Keep mine")
        if may_throw_away and self.window.code.may_leave():
            self.open(session.folder)

    # ---- saving

    def save(self, *, overwrite: bool = False, code: bool = True) -> bool:
        """False if it is not; of an example a copy is saved, where the user wants it. `code`: with what has been
        changed in the code of the example, unless the user has said that he does not want that."""
        if self.is_example:
            return self.ask_copy(code=code)
        session = self.window.session
        if not self.window.system_text.flush():
            self.window.status.say("Saved without the text of system.xml: it has errors", trouble=True)
        self.window.canvas.remember_view()
        try:
            session.save(overwrite=overwrite)
        except StudioError as error:
            if overwrite or not _others_wrote(session):
                self._complain("Not saved", error)
            self.disk.look()  # asks about what others wrote, also again
            return False
        self.window.notice.withdraw(ABOUT)
        self.disk.watch()
        return True

    def ask_copy(self, *, code: bool = True) -> bool:
        """A place for a copy of the user's own: the example stays as it is, for the next one who looks at it."""
        name = self.window.session.name
        place = place_for_copy(self.window.session.folder, self.window.settings.recent())
        chosen = ask_new_folder(self.window, f"{name} is an example: a copy of your own", place, "Save a copy")
        if chosen is None:
            self.window.status.say(f"Not saved: {name} is an example of Studio and cannot be changed")
        return chosen is not None and self.save_as(chosen, code=code)

    def ask_save_as(self) -> None:
        if self.is_example:
            self.ask_copy()
            return
        folder = self.window.session.folder
        chosen = ask_new_folder(self.window, "Save as", free_place(folder), "Save as")
        if chosen is not None:
            self.save_as(chosen)

    def save_as(self, folder: Path, *, code: bool = True) -> bool:
        """The whole project, without what running it has left behind; the window goes on with the copy. `code`: with
        changed code of an example, and after a question about other code; otherwise the user has decided about it."""
        from studio.model.loaded_project import opened
        from studio.model.project import Project
        from studio.model.project_copy import ProjectCopy  # brings numpy, as the project does
        from studio.runtime.client.trust import trust_copy

        window, session = self.window, self.window.session
        original, came_from = session.folder, session.opened
        kept_in = original if self.is_example else None
        if not window.live.may_close(lambda: self.save_as(folder, code=code)):
            return False
        if code and not window.code.may_leave(besides=kept_in):
            return False
        if not self.may_leave_text():
            return False
        window.canvas.remember_view()
        try:
            copy = ProjectCopy.plan(session.opened.project, folder)
            if not carry_out(copy.run(), copy.size, f"Copying {session.name} to {folder.name}…", window):
                window.status.say("Not saved: the copy was given up")
                return False
            changed = window.code.write_unsaved(kept_in, folder) if code and kept_in is not None else []
            # Components and types are looked for anew: the copy's are to run and to be edited, not the original's.
            document = session.document
            copied = opened(Project(folder, document))
        except StudioError as error:
            self._complain("Not saved", error)
            return False
        self.leave()
        window.layouts.remember(folder, window.viewers.save())  # the copy looks as the original does
        window.project.drop()
        document.go_on_in(folder)
        trust_copy(came_from, copied)
        for _ in self._show(folder, copied):
            pass
        for path in changed:
            window.code.open_at(path)
        left = f"; {len(copy.left)} recordings stay in {original.name}" if copy.left else ""
        if copy.astray:
            logs = ", ".join(copy.astray)
            words = f"Saved, but not found from here: {logs}. Choose the log again{left}"
            window.status.say(words, trouble=True, stays=True)
        else:
            window.status.say(f"Saved in {folder}{left}")
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
        if self.may_go(self.close):
            self.leave()
            self.window.show_session(None)
            self.disk.watch()

    def leave(self) -> None:
        """The user has decided about what is not saved: nothing of it is kept."""
        self.autosave.forget()
        self.autosave.follow(None)

    def may_go(self, again: Callable[[], object]) -> bool:
        """As `may_leave`, and the user has decided about a system that runs. `again` is called when that has stopped,
        if it is wanted first."""
        self.finish_opening()
        return (not self.window.has_session or self.window.live.may_close(again)) and self.may_leave()

    def may_go_on(self, again: Callable[[], object]) -> bool:
        """As `may_go`, for another project in place of the one that is open."""
        return not self.window.has_session or self.may_go(again)

    def may_leave(self) -> bool:
        """True if nothing is lost by leaving what is open: saved, or the user does not want it."""
        self.finish_opening()
        if not self.window.code.may_leave():
            return False
        if not self.may_leave_text():
            return False
        if not self.has_changes:
            return True
        words = f"{self.window.session.name} has changes that are not saved."
        save = "Save a copy…" if self.is_example else "Save"
        loses, leave = "Leaving without saving loses them.", "Leave without saving"
        answer = ask_about_changes(self.window, words, loses, save=save, leave=leave)
        if answer == "save":
            return self.save(code=False)  # what is left of it is what was not wanted
        return answer == "leave"

    def _remember(self, folder: Path) -> None:
        """Among what was open lately; a project that was made to look at a log is remembered as that log."""
        if not is_viewing_project(folder) and not is_drive_project(folder):
            self.window.settings.recents.add(folder)

    def own_place(self) -> Path:
        """Of the project that is open, if it is the user's own; else beside those."""
        return self.window.session.folder if self.window.has_session and not self.is_example else self._home()

    def _home(self) -> Path:
        return own_folder(self.window.settings.recent())

    def may_leave_text(self) -> bool:
        """True if what was typed into system.xml is in the system, or is not wanted."""
        return self.window.system_text.flush() or is_sure(
            self.window, "The text of system.xml has errors and cannot be saved. Leave it?", "Discard the text", "Stay"
        )

    def _complain(self, title: str, error: StudioError) -> None:
        box = QMessageBox(QMessageBox.Icon.Warning, title, title, QMessageBox.StandardButton.Ok, self.window)
        box.setInformativeText(str(error))
        box.exec()


def _folder_of(project: Path) -> Path:
    """Of a project that was named by its folder or its file."""
    return project.parent if project.name == SYSTEM_FILE else project


def place_for_copy(example: Path, recent: list[Path]) -> Path:
    """Among the user's own projects; a folder that is not there yet."""
    return free_place(own_folder(recent) / example.name)


def own_folder(recent: list[Path]) -> Path:
    """Beside the last project of the user's own, or at home. Never where Studio was started: that is often its
    checkout, and the next version of Studio has its own files there."""
    places = (folder.parent for folder in recent if not came_with_studio(folder))
    return next((place for place in places if place.is_dir()), Path.home())


def free_place(folder: Path) -> Path:
    """That folder, or one beside it with a number, that is not there yet."""
    names = (folder.name if number == 1 else f"{folder.name}_{number}" for number in count(1))
    return next(folder.with_name(name) for name in names if not folder.with_name(name).exists())


def _others_wrote(session: Session) -> bool:
    try:
        return bool(session.document.changed_on_disk())
    except StudioError:
        return False  # that they cannot be read is then the reason why they are not saved, and told as that
