"""One file in the central area: its editor, the line above it, find and replace, and what happens to it on the disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PyQt6.Qsci import QsciScintilla
from PyQt6.QtCore import QPoint, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QVBoxLayout, QWidget

from studio.editor.code.breakpoint_book import Breakpoint, BreakpointBook
from studio.editor.code.breakpoint_editor import BreakpointEditor
from studio.editor.code.code_editor import CodeEditor
from studio.editor.code.code_lines import stopping_line
from studio.editor.code.condition_check import Scope, scope_at
from studio.editor.code.find_bar import FindBar
from studio.editor.code.text_file import TextFile
from studio.editor.look.fitting_label import FittingLabel
from studio.editor.look.notice import DifferenceDialog, Notice, difference
from studio.editor.look.theme import Theme
from studio.errors import StudioError

_EOL = {
    "\n": QsciScintilla.EolMode.EolUnix,
    "\r\n": QsciScintilla.EolMode.EolWindows,
    "\r": QsciScintilla.EolMode.EolMac,
}


class CodePage(QWidget):
    titled = pyqtSignal(str)
    saved = pyqtSignal()
    complained = pyqtSignal(str)
    reload_wanted = pyqtSignal()

    def __init__(self, file: TextFile, book: BreakpointBook, theme: Theme, shown_path: str) -> None:
        super().__init__()
        self.file, self.book, self.shown_path = file, book, shown_path
        self.key = str(file.path)
        self.editor = CodeEditor(file.path, theme)
        self.finder = FindBar(self.editor, theme)
        self.notice = Notice()
        self._form: BreakpointEditor | None = None
        self._fault = self._lack = ""
        self.save_elsewhere: Callable[[], bool | None] = lambda: None
        """Whether it was saved in another place, and this page is closed; None if this is where it belongs."""
        self.place = FittingLabel()
        self.place.setProperty("role", "muted")
        self.place.setToolTip(str(file.path))
        self.reload = QPushButton("Reload")
        self.reload.clicked.connect(self.reload_wanted)
        policy = self.reload.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # the line keeps its height, so that the code below it stays where it is
        self.reload.setSizePolicy(policy)
        self.reload.hide()
        self._head = row = QHBoxLayout()
        row.setContentsMargins(12, 3, 8, 3)
        row.addWidget(self.place, 1)
        row.addWidget(self.reload)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(self.editor, 1)
        layout.addWidget(self.notice)  # below: a question must not move the lines that somebody is about to click
        layout.addWidget(self.finder)
        self.setFocusProxy(self.editor)
        self._show_text()
        editor = self.editor
        editor.modificationChanged.connect(lambda _: self._retitle())
        editor.key_wanted.connect(self._key)
        editor.point_clicked.connect(self.toggle_point)
        scroll = editor.verticalScrollBar()
        assert scroll is not None
        scroll.valueChanged.connect(lambda _: self._place_form())
        editor.point_menu.connect(lambda line, at: self.point_menu(line).popup(at))
        editor.points_moved.connect(lambda moved: book.move(self.key, moved))
        editor.menu_opening.connect(self._add_to_menu)
        self.leave_book = book.listen(self._book_changed)
        self._book_changed(self.key, False)
        self._retitle()

    # ---- the file

    @property
    def is_modified(self) -> bool:
        return bool(self.editor.isModified())

    @property
    def title(self) -> str:
        return f"{self.file.path.name}{' •' if self.is_modified else ''}"

    def save(self) -> bool:
        elsewhere = self.save_elsewhere()
        if elsewhere is not None:
            return elsewhere
        if self.file.changed_on_disk() is not None and not self.notice.isHidden():
            self.complained.emit(f"{self.file.path.name} was changed by another program: decide in the bar below it")
            return False
        return self._write()

    def _write(self) -> bool:
        try:
            self.file.write(self.editor.text())
        except StudioError as error:
            self.complained.emit(f"Not saved: {error}")
            return False
        self.editor.setModified(False)
        self.notice.withdraw()
        self._retitle()
        self.saved.emit()
        return True

    def look_at_disk(self) -> None:
        """Somebody may have written the file: read it, or ask where both have changed it."""
        if self.file.changed_on_disk() is None:
            return
        if not self.is_modified:
            self.read_again()
            return
        self.notice.ask(
            f"{self.file.path.name} was changed by another program, and you have changes that are not saved.",
            {
                "Show difference…": self._show_difference,
                "Reload": self.read_again,
                "Keep mine": self._keep_mine,
            },
        )

    def _keep_mine(self) -> None:
        if self.save_elsewhere() is None:
            self._write()

    def read_again(self) -> None:
        line, column = self.editor.getCursorPosition()
        first = self.editor.firstVisibleLine()
        try:
            self.file = TextFile.read(self.file.path)
        except StudioError as error:
            self.complained.emit(str(error))
            return
        self._show_text()
        self._book_changed(self.key, False)
        self.editor.setCursorPosition(min(line, self.editor.lines() - 1), column)
        self.editor.setFirstVisibleLine(first)
        self.notice.withdraw()
        self._retitle()

    def _show_difference(self) -> None:
        ours = {self.file.path: self.editor.text().encode("utf-8", "replace")}
        DifferenceDialog(self, "On disk, and here", difference(ours)).show()

    def _show_text(self) -> None:
        self.editor.show_points([], {})  # they belong to lines of the text that goes
        self.editor.setText(self.file.text)
        self.editor.setEolMode(_EOL[self.file.newline])
        self.editor.setModified(False)

    def _retitle(self) -> None:
        told = ["not saved" if self.is_modified else "saved", self.file.about, self._fault, self._lack]
        paths = (self.shown_path, self.file.path.name)
        self.place.say(*(" · ".join(word for word in (path, *told) if word) for path in paths))
        self.titled.emit(self.title)

    def offer_reload(self, component: str) -> None:
        """The process of a component runs older code than this; "" when it does not."""
        self.reload.setText(f"Reload {component}")
        self.reload.setToolTip("Restart its process with the saved code and replay to this event")
        self.reload.setVisible(bool(component))
        self.reload.setEnabled(True)

    def show_fault(self, words: str) -> None:
        """What is wrong with the text, beside its name; "" if nothing is."""
        self._fault = words
        self._retitle()

    def show_lack(self, words: str) -> None:
        """What cannot be done for this file on this machine, and what to do about it; "" if nothing is missing."""
        self._lack = words
        self.place.setToolTip("\n".join(text for text in (str(self.file.path), words) if text))
        self._retitle()

    def offer(self, button: QPushButton) -> None:
        """One more thing to do with this file, at the right end: it stays there, whether Reload is offered or not."""
        self._head.addWidget(button)

    # ---- breakpoints

    def _book_changed(self, file: str, _: bool) -> None:
        if file == self.key:
            self.editor.show_points(self.book.of_file(self.key), self.book.waiting)

    def toggle_point(self, line: int) -> None:
        """Set one in this line, or in the next one with code; remove the one that is here."""
        if self.book.at(self.key, line) is None:
            line = self._stopping(line)
            if self.book.at(self.key, line) is not None:
                return  # below a comment: it is there already
        self.book.toggle(self.key, line)

    def _stopping(self, line: int) -> int:
        return stopping_line(self.editor.text(), line) if self.file.path.suffix == ".py" else line

    def point_menu(self, line: int) -> QMenu:
        """What can be done about a breakpoint in a line."""
        menu, point = QMenu(self), self.book.at(self.key, line)
        if point is None:
            self._entry(menu, "Set breakpoint", lambda: self.toggle_point(line))
            self._entry(menu, "Set breakpoint with a condition…", lambda: self.edit_point(line))
            self._entry(menu, "Set log point…", lambda: self.edit_point(line, "log"))
            return menu
        self._entry(menu, "Remove breakpoint", lambda: self.book.toggle(self.key, line))
        word = "Disable" if point.enabled else "Enable"
        self._entry(menu, word, lambda: self.book.put(replace(point, enabled=not point.enabled)))
        self._entry(menu, "Condition, count or log…", lambda: self.edit_point(line))
        return menu

    def _entry(self, menu: QMenu, text: str, do: object) -> None:
        entry = menu.addAction(text)
        assert entry is not None and callable(do)
        entry.triggered.connect(lambda _=False: do())

    def _add_to_menu(self, menu: QMenu, line: int) -> None:
        menu.addSeparator()
        for entry in self.point_menu(line).actions():
            menu.addAction(entry)

    def edit_point(self, line: int, first: str = "condition") -> BreakpointEditor:
        """The small form below its line."""
        if self.book.at(self.key, line) is None:
            line = self._stopping(line)
        point = self.book.at(self.key, line) or Breakpoint(self.key, line)
        if self._form is not None:
            self._form.leave()
        is_python = self.file.path.suffix == ".py"
        scope = scope_at(self.editor.text(), line) if is_python else Scope(is_known=False)
        form = self._form = BreakpointEditor(self, point, scope, first)
        form.accepted.connect(self.book.put)
        form.left.connect(lambda: self._form_gone(form))
        self._place_form()
        form.show()
        form.raise_()
        form.setFocus()
        return form

    def _place_form(self) -> None:
        """Below its line, or above it where there is no room; it goes with its line, and stays within the page."""
        form = self._form
        if form is None:
            return
        at = self.editor.mapTo(self, QPoint(60, self.editor.line_y(form.point.line) + 22))
        lowest = self.editor.geometry().bottom() - form.height()
        y = at.y() if at.y() <= lowest else at.y() - form.height() - 24
        form.move(min(at.x(), max(0, self.width() - form.width() - 8)), max(self.editor.y(), min(y, lowest)))

    def _form_gone(self, form: BreakpointEditor) -> None:
        if self._form is form:
            self._form = None
            self.editor.setFocus()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._place_form()

    # ---- keys

    def _key(self, name: str) -> None:
        match name:
            case "save":
                self.save()
            case "find" | "replace" | "go_to":
                self.finder.open(name)
            case "next":
                self.finder.search()
            case "before":
                self.finder.search(back=True)
            case "point":
                self.toggle_point(self.editor.line)

    def show_theme(self, theme: Theme) -> None:
        self.editor.show_theme(theme)
        self.finder.show_theme(theme)
        self._book_changed(self.key, False)


def shown_path(path: Path, project: Path | None) -> str:
    """As short as it can be understood: within the project, or its last folders."""
    if project is not None and path.is_relative_to(project):
        return str(path.relative_to(project))
    return "/".join(path.parts[-3:])
