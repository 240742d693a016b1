"""The Record button, and the choice of what is recorded and where to."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QToolButton,
    QWidget,
)

from studio.editor.live.run_control import Phase
from studio.editor.look.dialog_parts import button_row, fill
from studio.editor.look.icons import icon
from studio.editor.look.style import dress
from studio.editor.look.theme import Theme
from studio.recordings import size_words
from studio.runtime.recording.writing.disk_room import duration_words

LITTLE_DISK = 1_000_000_000
COMPRESSIONS = {"zstd": "zstd: small", "lz4": "lz4: less work", "none": "None: largest"}
"""The first one is the default."""


class RecordButton(QToolButton):
    """Says `Record`, or for how long it has recorded; what and where is in its tooltip."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.setProperty("framed", "true")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(12, 12))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self._shown: tuple[Phase, dict[str, Any] | None, str | None] = ("stopped", None, None)
        self.show_state(*self._shown)

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.show_state(*self._shown)

    def show_state(self, phase: Phase, report: dict[str, Any] | None, busy: str | None) -> None:
        """`report`: of the recorder, None while nothing is recorded; `busy`: what is being waited for."""
        self._shown = (phase, report, busy)
        theme, on = self.theme, report is not None
        if busy:
            text, tip = f" {busy}", "A moment"
        elif report is not None:
            held = " held" if phase == "paused" else ""
            text, tip = f" REC {time_words(float(report.get('seconds') or 0.0))}{held}", recording_words(report)
        else:
            text = " Record"
            tip = (
                "Record the running system (Ctrl+R)"
                if phase in ("running", "paused")
                else "Run the system and record it from its first event (Ctrl+R)"
            )
        self.setText(text)
        self.setToolTip(tip)
        self.setAccessibleName(text.strip())
        self.setEnabled(not busy and phase not in ("starting", "stopping"))
        self.setIcon(icon("fa6s.circle", theme.error if self.isEnabled() else theme.disabled))
        dress(
            self,
            f"QToolButton {{ background: {theme.selection if on else theme.header}; color: {theme.text};"
            f" border: 1px solid {theme.accent if on else theme.border}; border-radius: 4px; padding: 0 8px;"
            f" padding-right: 22px; min-height: 26px; {'font-weight: 600;' if on else ''} }}"
            f"QToolButton:hover {{ background: {theme.hover if not on else theme.selection}; }}"
            f"QToolButton:focus {{ border: 2px solid {theme.focus}; }}"
            f"QToolButton::menu-button {{ border: 0; border-left: 1px solid {theme.border}; width: 16px; }}",
        )


class RecordDialog(QDialog):
    """Which topics, where to, how compressed; how much room there is."""

    def __init__(
        self, parent: QWidget, theme: Theme, topics: dict[str, str], chosen: Iterable[str], file: Path
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("What should be recorded?")
        self.setMinimumWidth(560)
        self.list = QListWidget()
        self.list.setAccessibleName("Topics to record")
        self.list.setFixedHeight(min(280, 26 * max(4, len(topics)) + 8))
        wanted = set(chosen)
        for topic, kind in topics.items():
            item = QListWidgetItem(f"{topic}    {kind}")
            item.setData(Qt.ItemDataRole.UserRole, topic)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if topic in wanted or not wanted else Qt.CheckState.Unchecked)
            item.setIcon(icon("mdi6.circle-medium", theme.hue(kind)))
            self.list.addItem(item)
        self.list.itemChanged.connect(lambda _: self._look())
        every, none = QPushButton("All"), QPushButton("None")
        every.clicked.connect(lambda: self._check(Qt.CheckState.Checked))
        none.clicked.connect(lambda: self._check(Qt.CheckState.Unchecked))
        self.file = QLineEdit(str(file))
        self.file.setAccessibleName("File")
        self.file.textChanged.connect(lambda _: self._look())
        self.compression = QComboBox()
        for name, text in COMPRESSIONS.items():
            self.compression.addItem(text, name)
        self.words = QLabel()
        self.words.setProperty("role", "muted")
        self.words.setWordWrap(True)
        form = QFormLayout()
        place = QHBoxLayout()
        browse = QPushButton("Browse…")
        browse.clicked.connect(self._browse)
        place.addWidget(self.file, 1)
        place.addWidget(browse)
        form.addRow("Into", place)
        form.addRow("Compression", self.compression)
        self.cancel, self.go = QPushButton("Cancel"), QPushButton("Record")
        self.go.setProperty("primary", "true")
        self.go.setDefault(True)
        self.cancel.clicked.connect(self.reject)
        self.go.clicked.connect(self.accept)
        top = QHBoxLayout()
        top.addWidget(QLabel("Topics" if topics else "Topics are known when the system runs: everything is recorded"))
        top.addStretch(1)
        if topics:
            top.addWidget(every)
            top.addWidget(none)
        self.list.setVisible(bool(topics))
        fill(self, top, self.list, form, button_row(self.cancel, self.go, words=self.words))
        self._look()

    @property
    def topics(self) -> list[str]:
        """The chosen ones; empty for all."""
        items = [self.list.item(row) for row in range(self.list.count())]
        chosen = [
            item.data(Qt.ItemDataRole.UserRole) for item in items if item and item.checkState() is Qt.CheckState.Checked
        ]
        return [] if len(chosen) == len(items) else chosen

    def _check(self, state: Qt.CheckState) -> None:
        for row in range(self.list.count()):
            item = self.list.item(row)
            assert item is not None
            item.setCheckState(state)

    def _browse(self) -> None:
        path, _ = QFileDialog.getSaveFileName(self, "Record into", self.file.text(), "Logs (*.mcap)")
        if path:
            self.file.setText(path if path.endswith(".mcap") else f"{path}.mcap")

    def _look(self) -> None:
        count = sum(
            item.checkState() is Qt.CheckState.Checked
            for row in range(self.list.count())
            if (item := self.list.item(row)) is not None
        )
        path = Path(self.file.text())
        trouble = ""
        if self.list.count() and not count:
            trouble = "Choose a topic"
        elif path.exists():
            trouble = "That file exists; logs are never overwritten"
        elif not path.is_absolute() or not path.parent.is_dir():
            trouble = "There is no such folder"
        self.go.setEnabled(not trouble)
        self.words.setText(trouble or f"{free_words(path)}")


def recording_words(report: dict[str, Any]) -> str:
    """Click ends it; then file, size and room, one line each."""
    lines = ["Recording. Click, or Ctrl+R, ends it and closes the log", str(report.get("file", ""))]
    lines.append(", ".join(filter(None, (f"{report.get('events', 0)} events", _size(report), _rate(report)))))
    if report.get("missing"):
        lines.append(f"{report['missing']} events are missing")
    free = report.get("free_bytes")
    if free is not None:
        left = _left(report)
        lines.append(f"{size_words(float(free))} free on the disk{f', which is full in {left}' if left else ''}")
    if report.get("full"):
        lines.append("THE DISK IS FULL: nothing more is recorded")
    return "\n".join(line for line in lines if line)


def growth_words(report: dict[str, Any]) -> str:
    """For the status bar, where the end is cut first: size, room and rate; empty before the recorder has told."""
    if not report.get("bytes"):
        return ""
    if report.get("full"):
        return "The disk is full: nothing more is recorded"
    left = _left(report)
    return ", ".join(filter(None, (f"Recorded {_size(report)}", left and f"{left} left", _rate(report))))


def _size(report: dict[str, Any]) -> str:
    return size_words(float(report.get("bytes") or 0))


def _rate(report: dict[str, Any]) -> str:
    rate = report.get("bytes_per_s")
    return f"{size_words(float(rate))}/s" if rate else ""


def _left(report: dict[str, Any]) -> str:
    """Until the disk is full."""
    left = report.get("left_s")
    return duration_words(float(left)) if left is not None else ""


def free_words(path: Path) -> str:
    try:
        free = shutil.disk_usage(path.parent).free
    except OSError:
        return ""
    return f"{size_words(float(free))} free" + (", which is little" if free < LITTLE_DISK else "")


def time_words(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes:02d}:{rest:02d}"
