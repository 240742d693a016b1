"""Asks whether a project may run what it brings along; looking is the safe answer, and the one with the focus."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QUrl
from PyQt6.QtGui import QDesktopServices
from PyQt6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QTextEdit, QVBoxLayout, QWidget

from studio.editor.look.fonts import code_font
from studio.editor.look.theme import Theme


class TrustDialog(QDialog):
    def __init__(self, parent: QWidget, theme: Theme, name: str, folder: Path, commands: list[str]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Do you trust this project?")
        self.setFixedWidth(500)
        title = QLabel(f"{name} wants to run programs")
        title.setStyleSheet("font-size: 15px; font-weight: 600;")
        words = QLabel("Run will start these programs with your rights:")
        words.setProperty("role", "muted")
        words.setWordWrap(True)
        self.commands = QTextEdit()
        self.commands.setReadOnly(True)
        self.commands.setAccessibleName("Show programs")
        self.commands.setFont(code_font(12))
        self.commands.setStyleSheet(
            f"background: {theme.code}; border: 1px solid {theme.border}; border-radius: 3px; padding: 6px;"
        )
        self.commands.setHtml("".join(_line(command, theme) for command in commands))
        self.commands.setFixedHeight(min(220, 26 + 20 * max(2, len(commands))))
        has_programs = any(command.startswith("program ") for command in commands)
        red = "Red ones are programs of the project, not of Studio. " if has_programs else ""
        note = QLabel(f"{red}They run with your rights. Studio asks again when one changes.")
        note.setProperty("role", "muted")
        note.setWordWrap(True)
        self.look, self.folder, self.run = QPushButton("Look only"), QPushButton("Open folder"), QPushButton()
        self.run.setText("Trust and run")
        self.run.setProperty("primary", "true")
        self.run.setAutoDefault(False)
        self.folder.setAutoDefault(False)
        self.look.setDefault(True)
        self.look.clicked.connect(self.reject)
        self.run.clicked.connect(self.accept)
        self.folder.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))))
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button in (self.look, self.folder, self.run):
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(10)
        for widget in (title, words, self.commands, note):
            layout.addWidget(widget)
        layout.addLayout(buttons)
        self.look.setFocus()


def _line(command: str, theme: Theme) -> str:
    colour = theme.error if command.startswith("program ") else theme.text
    text = command.replace("&", "&amp;").replace("<", "&lt;")
    return f'<div style="color:{colour}">{text}</div>'
