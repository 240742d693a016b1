"""A log from elsewhere on its way in: how far it is, a button to give up, and at the end what became of it."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QProcess, QTimer, pyqtSignal
from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWidgets import QDialog, QLabel, QProgressBar, QPushButton, QWidget

from studio.editor.base.own_process import own_process
from studio.editor.live.state import count_words
from studio.editor.look.dialog_parts import button_row, fill
from studio.editor.look.theme import Theme

STEPS = 1000
MOST_NOTES = 8
LINE = "margin: 0 0 6px 0"
"""Of a report: lines that are two rows long are told apart by the room between them."""


class ImportDialog(QDialog):
    """Not modal: the window goes on meanwhile. Closing it gives up."""

    imported = pyqtSignal(object)
    """The path of the new log, when somebody wants to go on with it."""

    def __init__(self, parent: QWidget, theme: Theme, source: Path, output: Path) -> None:
        super().__init__(parent)
        self.source, self.output = source, output
        self.setWindowTitle("Import a log")
        self.setFixedWidth(500)
        self.title = QLabel(f"Importing {source.name}")
        self.title.setStyleSheet("font-size: 15px; font-weight: 600;")
        self.words = QLabel(f"into {output}")
        self.words.setProperty("role", "muted")
        self.words.setWordWrap(True)
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(8)
        self.bar.setStyleSheet(
            f"QProgressBar {{ background: {theme.field}; border: 1px solid {theme.border}; border-radius: 4px; }}"
            f"QProgressBar::chunk {{ background: {theme.accent_fill}; border-radius: 3px; }}"
        )
        self.bar.setAccessibleName("How far the import is")
        self.cancel, self.go_on = QPushButton("Cancel"), QPushButton("Open it")
        self.go_on.setProperty("primary", "true")
        self.go_on.hide()
        self.cancel.setAutoDefault(False)  # Enter must not give up what takes its time
        self.cancel.clicked.connect(self.close)
        self.go_on.clicked.connect(self._go_on)
        fill(self, self.title, self.words, self.bar, button_row(self.cancel, self.go_on))
        self.report: dict[str, Any] | None = None
        self._trouble = ""
        self._rest = b""
        self._process = own_process(self, "studio.editor.log_files.import_worker", str(self.source), str(self.output))
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._finished)
        self._process.errorOccurred.connect(self._not_started)

    def start(self) -> None:
        self.show()
        self._process.start()

    @property
    def is_under_way(self) -> bool:
        return self._process.state() != QProcess.ProcessState.NotRunning

    def _read(self) -> None:
        *lines, self._rest = (self._rest + bytes(self._process.readAllStandardOutput().data())).split(b"\n")
        for line in lines:
            try:
                told = json.loads(line)
            except ValueError:
                continue
            if "report" in told:
                self.report = told["report"]
            elif "error" in told:
                self._trouble = str(told["error"])
            elif told.get("total"):
                self._show_progress(int(told["done"]), int(told["total"]))

    def _show_progress(self, done: int, total: int) -> None:
        self.bar.setRange(0, STEPS)
        self.bar.setValue(round(min(1.0, done / total) * STEPS))
        self.words.setText(f"{min(100, 100 * done // total)} %, into {self.output}")

    def _finished(self, status: int, _: QProcess.ExitStatus) -> None:
        self._read()
        self.bar.hide()
        if self.report is None:
            said = bytes(self._process.readAllStandardError().data()).decode(errors="replace").strip()
            self.title.setText(f"{self.source.name} was not imported")
            self.words.setText(self._trouble or said[-600:] or f"the import ended with status {status}")
            self.cancel.setText("Close")
            return
        self.title.setText(f"{self.output.name} is ready")
        self.words.setText("".join(f'<p style="{LINE}">{escape(line)}</p>' for line in report_lines(self.report)))
        self.cancel.setText("Close")
        self.go_on.show()
        QTimer.singleShot(0, self._fit)
        self.go_on.setDefault(True)
        self.go_on.setFocus()
        if not self.report["not_mapped"] and not self.report["damage_count"]:
            self._go_on()  # there is nothing to read first

    def _fit(self) -> None:
        """High enough for what it says; Qt would take the height that the words have in a line of their own choice."""
        layout = self.layout()
        if layout is not None:
            self.setFixedHeight(layout.totalHeightForWidth(self.width()))

    def _not_started(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self.title.setText(f"{self.source.name} was not imported")
            self.words.setText(self._process.errorString())

    def _go_on(self) -> None:
        self.imported.emit(self.output)
        self.close()

    def closeEvent(self, event: QCloseEvent | None) -> None:
        assert event is not None
        if self.is_under_way:
            self._process.terminate()
            if not self._process.waitForFinished(3000):
                self._process.kill()
                self._process.waitForFinished(1000)
                self.output.unlink(missing_ok=True)
        super().closeEvent(event)


def report_lines(report: dict[str, Any]) -> list[str]:
    """What was brought over and what not, in words."""
    counts = [f"{count_words(topic['count'])} of {topic['name']}" for topic in report["topics"]]
    lines = [f"From {report['form']}: {', '.join(counts)}."]
    left = [f"{count_words(entry['count'])} {entry['name']} ({entry['reason']})" for entry in report["not_mapped"]]
    if left:
        more = f" and {len(left) - 3} more kinds" if len(left) > 3 else ""
        lines.append(f"Not imported: {'; '.join(left[:3])}{more}.")
    lines += [f"{note}." for note in report["notes"][:MOST_NOTES]]
    if report["damage_count"]:
        lines.append(f"Damaged and passed over: {report['damage_count']}.")
    return lines
