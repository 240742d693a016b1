"""system.xml beside the canvas, both ways live: what is typed changes the system, what is drawn changes the text."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QTimer, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from studio.editor.code.find_bar import FindBar
from studio.editor.look.theme import Theme
from studio.editor.project.session import Session
from studio.editor.system_text.editor import SystemTextEditor
from studio.model.document import SYSTEM_FILE
from studio.model.system_text import WriteText, check_text, read_text

READ_AFTER_MS = 350
"""After the last key: what is half typed is no system yet."""
ROW_PX = 36
IN_STEP = "In step with the canvas"


class SystemTextPage(QWidget):
    save_wanted = pyqtSignal()

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self.session = session
        self.editor = SystemTextEditor(self.file, theme)
        self.finder = FindBar(self.editor, theme)
        self.words = QLabel(IN_STEP)
        self.words.setProperty("role", "muted")
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.use_text, self.use_canvas = QPushButton("Use text"), QPushButton("Discard text")
        self.use_text.setToolTip("The system becomes what this text says; undo brings the canvas back")
        self.use_canvas.setToolTip("Show the system of the canvas, and discard the text typed here")
        self.use_text.clicked.connect(lambda: self._apply(even_if_changed=True))
        self.use_canvas.clicked.connect(self._show_canvas)
        below = QWidget()
        below.setFixedHeight(ROW_PX)  # with or without buttons: nothing moves while one types
        row = QHBoxLayout(below)
        row.setContentsMargins(12, 3, 8, 3)
        for widget, stretch in ((self.words, 1), (self.use_text, 0), (self.use_canvas, 0)):
            row.addWidget(widget, stretch)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.editor, 1)
        layout.addWidget(self.finder)
        layout.addWidget(below)
        self.setFocusProxy(self.editor)
        self._shown = b""
        """What the canvas said when the text was last in step with it."""
        self._is_ours = False
        """Whether what happens to text or system is our own doing."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(READ_AFTER_MS)
        self._timer.timeout.connect(self._apply)
        editor, history = self.editor, session.document.history
        editor.textChanged.connect(self._typed)
        editor.key_wanted.connect(self._key)
        editor.cursorPositionChanged.connect(lambda *_: None if self.is_pending else self._say_state())
        editor.undo_shared, editor.redo_shared = session.undo, session.redo
        editor.can_undo_shared = lambda: history.undo_label is not None
        editor.can_redo_shared = lambda: history.redo_label is not None
        session.changed.connect(self._system_changed)
        session.problems_changed.connect(self._show_problems)
        self._show_canvas()

    @property
    def file(self) -> Path:
        """Where the project is now: saving it elsewhere moves it."""
        return self.session.folder / SYSTEM_FILE

    @property
    def is_pending(self) -> bool:
        """Whether something was typed that is not in the system."""
        return self.editor.text().encode() != self._shown

    def flush(self) -> bool:
        """Take what was typed last without waiting; False if it cannot be taken."""
        if self._timer.isActive():
            self._apply()
        return not self.is_pending

    # ---- from the text to the system

    def _typed(self) -> None:
        if not self._is_ours:
            self._timer.start()

    def _apply(self, *, even_if_changed: bool = False) -> None:
        self._timer.stop()
        text = self.editor.text().encode()
        read = read_text(text, self.file)
        now = self.session.document.system_text()
        if text == self._shown != now:
            self._show_canvas()  # all that was typed is taken back, and the canvas went on meanwhile
            return
        if read.system is not None and text != now and (now == self._shown or even_if_changed):
            self._is_ours = True
            try:
                self.session.do(WriteText(text, read.system))
            finally:
                self._is_ours = False
            now = self.session.document.system_text()
        if text == now:
            self._shown = now
            self.editor.forget_undo()
        self._show_problems()

    # ---- from the system to the text

    def _system_changed(self, _: object) -> None:
        if self._is_ours:
            return
        if self.is_pending:
            self._show_problems()  # what was typed stays, and the user decides
        else:
            self._show_canvas()

    def _show_canvas(self) -> None:
        self._timer.stop()
        self._is_ours = True
        try:
            self._shown = self.session.document.system_text()
            self.editor.show_text(self._shown)
        finally:
            self._is_ours = False
        self._show_problems()

    # ---- what is wrong

    def _show_problems(self) -> None:
        if self._timer.isActive():
            return  # somebody types: it is looked at when the hand rests
        opened = self.session.opened
        read = read_text(self.editor.text().encode(), self.file)
        geometry = None
        if read.system is not None and read.system.geometry == self.session.system.geometry:
            geometry = opened.geometry()
        found = check_text(read, opened.registry, opened.types.names(), self.session.folder, geometry)
        self.editor.show_problems([each for each in found if each.file == str(self.file)])
        pending = self.is_pending
        changed = pending and self.session.document.system_text() != self._shown
        if read.system is None:
            line = f"Line {read.problems[0].line}: " if read.problems[0].line else ""
            self._say(f"{line}{read.problems[0].message}. The canvas shows the last valid system", wrong=True)
        elif changed:
            self._say("The canvas was changed while this text had errors", wrong=True)
        else:
            self._say_state()
        self.use_text.setVisible(changed and read.system is not None)
        self.use_canvas.setVisible(pending)

    def _say_state(self) -> None:
        """Text and canvas are in step; what is wrong in the line of the cursor, or first in the text, has its words
        here: at the end of a long line they would be out of sight."""
        faults = self.editor.underlined
        line = self.editor.line if self.editor.line in faults else min(faults, default=0)
        self._say(f"Line {line}: {faults[line]}" if line else IN_STEP, wrong=bool(line))

    def _say(self, words: str, *, wrong: bool = False) -> None:
        self.words.setText(words)
        self.words.setToolTip(words)
        self.words.setProperty("role", "error" if wrong else "muted")
        style = self.words.style()
        if style is not None:
            style.unpolish(self.words)
            style.polish(self.words)

    # ---- the window

    def _key(self, name: str) -> None:
        match name:
            case "save":
                self.flush()
                self.save_wanted.emit()
            case "find" | "replace" | "go_to":
                self.finder.open(name)
            case "next":
                self.finder.search()
            case "before":
                self.finder.search(back=True)

    def show_theme(self, theme: Theme) -> None:
        self.editor.show_theme(theme)
        self.finder.show_theme(theme)
        self._show_problems()

    def stop(self) -> None:
        """Before it is thrown away."""
        self._timer.stop()
        self.session.changed.disconnect(self._system_changed)
        self.session.problems_changed.disconnect(self._show_problems)
