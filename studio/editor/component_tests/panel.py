"""The panel Tests: what the test of a component says, with links to the lines that it names."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PyQt6.QtCore import QUrl
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QStackedLayout, QTextBrowser, QVBoxLayout, QWidget

from studio.editor.code.source_view import Needs as SourceNeeds
from studio.editor.code.source_view import open_source
from studio.editor.component_tests.runner import NO_PYTEST, TestRun, summary_in
from studio.editor.look.fonts import code_font
from studio.editor.look.icons import pixmap
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.empty_state import Empty
from studio.editor.ports import WithTheme

if TYPE_CHECKING:
    from studio.editor.component_tests.controller import TestController

NOTHING = "Run the test of a component: its output will be here"
STALE = "component.xml is stale"
_PLACE = re.compile(r"[^\s:\"]+\.py:\d+\b")


class Needs(SourceNeeds, WithTheme, Protocol):
    """What is taken from the window."""

    @property
    def tests(self) -> TestController: ...
    def trigger(self, name: str) -> None: ...


class Tests(QWidget):
    def __init__(self, window: Needs) -> None:
        super().__init__()
        self.window_, self.theme = window, window.theme
        self.folder: Path | None = None
        self.lines: list[str] = []
        self.run = TestRun(self)
        self.run.said.connect(self._said)
        self.run.ended.connect(self._ended)
        self.empty = Empty("mdi6.test-tube", NOTHING, self.theme)
        self.empty.offer(("Run test", "run.test"), window.trigger)
        self.picture, self.words = QLabel(), QLabel()
        self.again, self.stop = QPushButton("Run again"), QPushButton("Stop")
        self.update_profile = QPushButton("Update ports and parameters")
        self.update_profile.setToolTip("Write component.xml from the class: the card shows what the code declares")
        self.update_profile.clicked.connect(lambda: window.trigger("tools.profile"))
        self.again.setToolTip("Save the code, and run the test once more (Ctrl+Shift+T)")
        self.again.clicked.connect(self._again)
        self.stop.clicked.connect(self.run.stop)
        self.output = QTextBrowser()
        self.output.setAccessibleName("Output of the test")
        self.output.setOpenLinks(False)
        self.output.anchorClicked.connect(self._open)
        self.output.setFont(code_font(12))
        self.output.setFrameShape(QTextBrowser.Shape.NoFrame)
        head = QHBoxLayout()
        head.setContentsMargins(10, 4, 8, 4)
        head.setSpacing(8)
        head.addWidget(self.picture)
        head.addWidget(self.words, 1)
        for button in (self.update_profile, self.stop, self.again):
            head.addWidget(button)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.output, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(page)

    def start(self, folder: Path) -> None:
        if self.run.is_under_way and self.folder is not None:
            self.window_.status.say(f"The test of {self.folder.name} is still running", trouble=True)
            return
        self.folder, self.lines, self.summary = folder, [], ""
        self.output.clear()
        self._stack.setCurrentIndex(1)
        self._tell("mdi6.progress-clock", self.theme.muted, f"{folder.name}: running…")
        self._offer(running=True)
        self.run.start(folder, self.window_.session.folder)

    def _said(self, line: str) -> None:
        self.lines.append(line)
        self.summary = summary_in(line) or self.summary
        self.output.append(self._html(line))

    def _html(self, line: str) -> str:
        style = "white-space: pre;"
        if line.startswith(("E ", "FAILED", "ERROR")):
            style += f" color: {self.theme.error};"
        text = _PLACE.sub(self._link, escape(line, quote=False))
        return f'<span style="{style}">{text or "&nbsp;"}</span>'

    def _link(self, place: re.Match[str]) -> str:
        return f'<a href="{place.group()}" style="color: {self.theme.accent};">{place.group()}</a>'

    def _ended(self, status: int) -> None:
        assert self.folder is not None
        name = self.folder.name
        if status == 0:
            self._tell("fa6s.circle-check", self.theme.fine, f"{name}: {self.summary or 'passed'}")
        elif any(NO_PYTEST in line for line in self.lines):
            self._tell("fa6s.circle-exclamation", self.theme.error,
                       "pytest is not installed. Install it: pip install pytest")  # fmt: skip
        else:
            said = self.summary or ("stopped" if status < 0 else f"ended with status {status}")
            self._tell("fa6s.circle-exclamation", self.theme.error, f"{name}: {said}")
        self._offer(running=False)

    def _offer(self, *, running: bool) -> None:
        self.stop.setVisible(running)
        self.again.setEnabled(not running)
        self.update_profile.setVisible(not running and any(STALE in line for line in self.lines))

    def _tell(self, picture: str, colour: str, words: str) -> None:
        self.picture.setPixmap(pixmap(picture, colour, 14, self.devicePixelRatioF()))
        self.words.setText(words)

    def _again(self) -> None:
        if self.folder is not None:
            self.window_.tests.run(self.folder)

    def _open(self, link: QUrl) -> None:
        place, _, line = link.toString().rpartition(":")
        open_source(self.window_, self.window_.session.folder / place, int(line))

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.empty.show_theme(theme)
        self.output.clear()
        for line in self.lines:
            self.output.append(self._html(line))
