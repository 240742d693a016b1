"""Files of code that are open in the window: one tab each beside the canvas, remembered with the project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtWidgets import QApplication

from studio.editor.base.file_watch import FileWatch
from studio.editor.code.place import Needs as PlaceNeeds
from studio.editor.code.place import code_place, settle_code
from studio.editor.code.ports import WithDebug
from studio.editor.code.shared_code import Needs as SharedNeeds
from studio.editor.code.shared_code import SharedCode, place_in_copy, prepare_copy
from studio.editor.code.text_file import TextFile
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.ports import WithTheme
from studio.editor.project.leaving import ask_about_changes
from studio.editor.project.ports import WithFiles
from studio.errors import StudioError

if TYPE_CHECKING:
    from studio.editor.code.code_page import CodePage


class Needs(PlaceNeeds, SharedNeeds, WithDebug, WithFiles, WithTheme, Protocol):
    """What is taken from the window."""


class CodeDocuments(QObject):
    opened = pyqtSignal(object)
    """A CodePage that is new."""
    closed = pyqtSignal(str)
    """The key of a page that is gone."""
    saved = pyqtSignal(object)
    """The Path of a file that was saved."""

    def __init__(self, window: Needs) -> None:
        super().__init__(window.widget)
        self.window = window
        self.pages: dict[str, CodePage] = {}
        """By path."""
        self.shared = SharedCode(window)
        self._current = ""
        self._watched = FileWatch(self)
        self._watched.touched.connect(self._look_at_disk)

    # ---- opening

    def open_at(self, file: str | Path, line: int = 0, *, focus: bool = True) -> CodePage | None:
        """Show a line of a file; None, and a word to the user, where it cannot be read."""
        path = Path(file).resolve()
        key = str(path)
        page = self.pages.get(key)
        if page is None:
            try:
                page = self._make(TextFile.read(path))
            except StudioError as error:
                self.window.status.say(str(error), trouble=True)
                return None
        self.window.docks.show(self._dock(key))
        self._current = key
        if line > 0:
            page.editor.go_to(line)
        if focus:
            page.editor.setFocus()
        return page

    def _make(self, file: TextFile) -> CodePage:
        from studio.editor.code.code_page import CodePage, shown_path  # brings QScintilla, for those who look at code

        window, key = self.window, str(file.path)
        project = window.session.folder.resolve() if window.has_session else None
        page = CodePage(file, window.debug.book, window.theme, shown_path(file.path, project))
        self.pages[key] = page
        name = self._dock(key)
        side, beside = code_place(window)
        window.docks.add_viewer(name, page.title, page, side, beside=beside, close=lambda: self.ask_close(key))
        settle_code(window, side)
        window.docks.set_icon(name, icon("fa6s.code", window.theme.muted))
        page.titled.connect(lambda title: window.docks.set_title(name, title))
        page.complained.connect(lambda words: window.status.say(words, trouble=True))
        page.saved.connect(lambda: self._saved(file.path))
        page.save_elsewhere = lambda: self._save_elsewhere(page)
        self._watch()
        self.opened.emit(page)
        return page

    def _saved(self, path: Path) -> None:
        self._watch()
        self.window.status.say(f"Saved {path.name}")
        self.saved.emit(path)

    def _dock(self, key: str) -> str:
        return f"code:{key}"

    # ---- what is in front

    @property
    def current(self) -> CodePage | None:
        """The page that has the keyboard, or had it last and can still be seen, or is in front of the others."""
        focus = QApplication.focusWidget()
        for key, page in self.pages.items():
            if focus is not None and (focus is page or page.isAncestorOf(focus)):
                self._current = key
        found = self.pages.get(self._current)
        if found is None or not found.isVisible():  # another tab was chosen with the mouse
            found = next((page for page in self.pages.values() if page.isVisible()), None)
        return found

    @property
    def has_focus(self) -> bool:
        """Keys such as Ctrl+S and Ctrl+Z mean the code, not the system."""
        focus = QApplication.focusWidget()
        return focus is not None and any(focus is page or page.isAncestorOf(focus) for page in self.pages.values())

    def toggle_breakpoint(self) -> None:
        """In the line of the cursor."""
        page = self.current
        if page is not None:
            page.toggle_point(page.editor.line)
        else:
            self.window.status.say("Open code first: a breakpoint belongs to a line", trouble=True)

    def edit_breakpoint(self, file: str, line: int) -> None:
        page = self.open_at(file, line)
        if page is not None:
            page.edit_point(line)

    # ---- saving and closing

    def save_focused(self) -> bool:
        """The file that is being edited; False if none is."""
        page = self.current if self.has_focus else None
        if page is not None:
            page.save()
        return page is not None

    def close_focused(self) -> bool:
        """The file that is being edited, once asked about its changes; False if none is."""
        page = self.current if self.has_focus else None
        if page is not None:
            self.ask_close(page.key)
        return page is not None

    def ask_close(self, key: str) -> None:
        page = self.pages[key]
        may_leave = not page.is_modified or self._may_leave([page])
        if may_leave and key in self.pages:  # saved as part of an example, it is closed: its copy is open
            self.close(key)

    def close(self, key: str) -> None:
        page = self.pages.pop(key)
        page.leave_book()
        self.window.docks.remove(self._dock(key))
        self._watch()
        self.closed.emit(key)

    def close_all(self) -> None:
        for key in list(self.pages):
            self.close(key)

    @property
    def modified(self) -> list[CodePage]:
        """Those with text that is not saved."""
        return [page for page in self.pages.values() if page.is_modified]

    def may_leave(self, *, besides: Path | None = None) -> bool:
        """True if nothing is lost by closing all files, or all `besides` those of a folder: saved, or not wanted."""
        modified = [page for page in self.modified if besides is None or place_in_copy(page.file.path, besides) is None]
        return not modified or self._may_leave(modified)

    def write_unsaved(self, folder: Path, copy: Path) -> list[Path]:
        """What is not saved of an example and of the components that came with Studio, into a copy of the example:
        where it is now. Raises StudioError."""
        written = []
        for page in self.modified:
            path = place_in_copy(page.file.path, folder)
            if path is not None:
                prepare_copy(page.file.path, copy)
                written.append(copy.resolve() / path)
                page.file.write_copy(written[-1], page.editor.text())
        return written

    def _may_leave(self, pages: list[CodePage]) -> bool:
        names = ", ".join(page.file.path.name for page in pages)
        words, loses = f"{names} has changes that are not saved.", "Closing without saving loses them."
        answer = ask_about_changes(self.window.widget, words, loses, leave="Close without saving")
        if answer == "save":
            return self._save([page.key for page in pages])
        return answer == "leave"

    def _save(self, keys: list[str]) -> bool:
        """Each of them, also after one that could not be. Saving one of an example has saved the others with it."""
        pages = [self.pages[key] for key in keys]
        return not [page for page in pages if page.key in self.pages and not page.save()]

    def _save_elsewhere(self, page: CodePage) -> bool | None:
        """Code of an example is saved in the copy that is made of all of it, code of a shared component in the project;
        None if it is saved where it is."""
        files = self.window.files
        if files.is_example and place_in_copy(page.file.path, self.window.session.folder) is not None:
            return files.save()
        return self.shared.save(page)

    # ---- kept with the project

    def save(self) -> str:
        return json.dumps([[key, page.editor.line] for key, page in self.pages.items()])

    def restore(self, text: str) -> None:
        """What was open, or of it what can still be read."""
        try:
            kept = [(str(file), int(line)) for file, line in json.loads(text)]
        except (ValueError, TypeError):
            return
        for file, line in kept:
            if Path(file).is_file():
                self.open_at(file, line, focus=False)

    # ---- others

    def show_theme(self, theme: Theme) -> None:
        for key, page in self.pages.items():
            page.show_theme(theme)
            self.window.docks.set_icon(self._dock(key), icon("fa6s.code", theme.muted))

    def _look_at_disk(self) -> None:
        self._watch()
        for page in list(self.pages.values()):
            page.look_at_disk()

    def _watch(self) -> None:
        self._watched.watch(page.file.path for page in self.pages.values())
