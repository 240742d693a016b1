"""What tests do with files and with the bar in which the window asks."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtWidgets import QPushButton

from studio.editor.window.main_window import MainWindow


def answer(window: MainWindow, text: str) -> None:
    """Click it in the bar."""
    next(button for button in window.notice.findChildren(QPushButton) if button.text() == text).click()


def buttons(window: MainWindow) -> list[str]:
    return [button.text() for button in window.notice._buttons]


def append(file: Path, text: str) -> None:
    file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")
