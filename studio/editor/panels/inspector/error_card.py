"""What failed, where, on which event, and the whole traceback one click away."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QApplication, QDialog, QFrame, QGridLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout

from studio.editor.live.standing import shown_event
from studio.editor.live.state import error_line, error_place, error_sentence
from studio.editor.look.fonts import code_font
from studio.editor.look.theme import Theme
from studio.runtime.base.clock import SECOND_NS

KEYS = Qt.TextInteractionFlag.LinksAccessibleByKeyboard
SHOWN_TRACE = 4
"""Last lines of a traceback that are shown at once."""
SHOWN_FIELDS = 3
"""Of the message; the tool tip has all."""


class ErrorCard(QFrame):
    line_wanted = pyqtSignal(str, int)
    """File and line that somebody wants to see."""
    debug_wanted = pyqtSignal(str, int)
    """File and line at which somebody wants to see it fail."""
    restart_wanted = pyqtSignal()
    """The cause is mended, or it may work the next time."""
    event_wanted = pyqtSignal(str, int)
    """Topic and number of the event on which it failed: how did that come about?"""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.trace = ""
        self._event: Mapping[str, Any] = {}
        self._accent = theme.accent
        self.setObjectName("error_card")
        self.setStyleSheet(f"#error_card {{ border: 1px solid {theme.error}; border-left: 4px solid {theme.error}; }}")
        self.sentence, self.lines, self.fields = QLabel(), QLabel(), QLabel()
        self.sentence.setProperty("role", "error")
        self.sentence.setWordWrap(True)
        self.sentence.setStyleSheet("font-weight: 600;")
        for label in (self.lines, self.fields):
            label.setFont(code_font(11))
            label.setWordWrap(True)
        self.fields.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.handling = QLabel()
        self.handling.setWordWrap(True)  # a button could not, and would make the panel wider
        self.handling.setTextInteractionFlags(Qt.TextInteractionFlag.LinksAccessibleByMouse | KEYS)
        self.handling.linkActivated.connect(lambda _: self._show_event())
        self.open_line, whole, copy = QPushButton("Open line"), QPushButton("Traceback"), QPushButton("Copy")
        self.debug = QPushButton("Debug here")
        self.debug.setToolTip("Attach the debugger, and stop at this line the next time")
        self.debug.clicked.connect(self._debug)
        self.restart = QPushButton("Restart")
        self.restart.setToolTip("Restart this component with its saved code")
        self.restart.setProperty("primary", "true")
        self.restart.clicked.connect(self.restart_wanted)
        self.open_line.clicked.connect(self._open_line)
        whole.clicked.connect(self.open_trace)
        copy.clicked.connect(self._copy)
        copy.setToolTip("The traceback and the event, for a report")
        buttons = QGridLayout()  # in a row they would be wider than the inspector of a small screen
        buttons.setSpacing(4)
        buttons.addWidget(self.restart, 0, 0, 1, 2)
        for place, button in enumerate((self.open_line, self.debug, whole, copy)):
            buttons.addWidget(button, 1 + place // 2, place % 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 8, 8, 8)
        layout.setSpacing(5)
        layout.addWidget(self.sentence)
        layout.addWidget(self.lines)
        layout.addWidget(self.handling)
        layout.addWidget(self.fields)
        layout.addLayout(buttons)
        self.hide()

    def show_error(self, trace: str, name: str, failed_on: Mapping[str, Any] | None = None) -> None:
        self.setVisible(bool(trace))
        event = failed_on or {}
        if (trace, event) == (self.trace, self._event):
            return
        self.trace, self._name, self._event = trace, name, dict(event)
        self.sentence.setText(error_sentence(trace))
        place = error_place(trace)
        last = [line.strip() for line in trace.splitlines() if line.strip()][-SHOWN_TRACE:-1]
        code = [line for line in last if not line.startswith(("File", "^", "~"))]
        self.lines.setText("\n".join([place, *code[-1:]]) if place else "")
        for button in (self.open_line, self.debug):
            button.setVisible(bool(place))
        self._tell_event()

    def _tell_event(self) -> None:
        event = self._event
        self.handling.setVisible(bool(event))
        fields = [f"{name} = {value}" for name, value in (event.get("message") or {}).items()]
        more = [f"and {len(fields) - SHOWN_FIELDS} more"] if len(fields) > SHOWN_FIELDS else []
        self.fields.setText("\n".join([*map(_short, fields[:SHOWN_FIELDS]), *more]))
        self.fields.setToolTip("\n".join(fields))
        self.fields.setVisible(bool(fields))
        if event:
            words = escape(event_words(event)).replace("/", "/\u200b")  # a line may end within a topic
            self.handling.setText(f'<a href="event" style="color:{self._accent}">{words}</a>')
            self.handling.setAccessibleName(event_words(event))
            self.handling.setToolTip("Show causes and effects of this event")

    def _show_event(self) -> None:
        if self._event:
            self.event_wanted.emit(str(self._event["topic"]), int(self._event["sequence"]))

    def _debug(self) -> None:
        found = error_line(self.trace)
        if found is not None:
            self.debug_wanted.emit(*found)

    def _open_line(self) -> None:
        found = error_line(self.trace)
        if found is not None:
            self.line_wanted.emit(*found)

    def open_trace(self) -> None:
        dialog = QDialog(self.window())
        dialog.setWindowTitle(f"{self._name}: {error_sentence(self.trace)}")
        dialog.resize(720, 420)
        page = QPlainTextEdit(self._report())
        page.setReadOnly(True)
        page.setFont(code_font(12))
        page.setAccessibleName("Traceback")
        layout = QVBoxLayout(dialog)
        layout.addWidget(page)
        dialog.show()

    def _copy(self) -> None:
        clipboard = QApplication.clipboard()
        if clipboard is not None:
            clipboard.setText(self._report())

    def _report(self) -> str:
        """The traceback, and below it the event with its whole message."""
        if not self._event:
            return self.trace
        fields = [f"  {name} = {value}" for name, value in (self._event.get("message") or {}).items()]
        return "\n".join([self.trace.rstrip(), "", event_words(self._event), *fields, ""])


def event_words(event: Mapping[str, Any]) -> str:
    """`while handling /signal/value #206 at 00:00:04.120`."""
    return f"while handling {shown_event(event['topic'], event['sequence'])} at {stamp_words(int(event['stamp_ns']))}"


def stamp_words(stamp_ns: int) -> str:
    """As the clock of the toolbar has it."""
    seconds, rest_ns = divmod(stamp_ns, SECOND_NS)
    minutes = seconds // 60
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}:{seconds % 60:02d}.{rest_ns // 1_000_000:03d}"


def _short(line: str) -> str:
    return line if len(line) <= 72 else line[:71] + "…"
