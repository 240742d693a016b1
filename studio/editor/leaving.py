"""The question before a window leaves a system that runs."""

from __future__ import annotations

from typing import Literal

from PyQt6.QtWidgets import QMessageBox, QWidget

from studio.editor.sources.effects import listed

Answer = Literal["leave", "stop", "stay"]


class LeavingBox(QMessageBox):
    """Escape stays. What is real is named, and Enter does not leave it alone: then it stops, or stays."""

    def __init__(self, parent: QWidget, name: str, *, real: bool, armed: tuple[str, ...]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Leave a vehicle that is armed?" if armed else f"Leave {name} running?")
        if armed:
            self.setIcon(QMessageBox.Icon.Warning)
            self.setText(f"{name} is REAL, and {listed(armed)} {'is' if len(armed) == 1 else 'are'} ARMED.")
            words = "Commands move it now. If you leave it running, it is disarmed first. "
        elif real:
            self.setIcon(QMessageBox.Icon.Warning)
            self.setText(f"{name} is REAL, and runs.")
            words = "Nothing is armed here, but its devices stay in use. "
        else:
            self.setText(f"{name} runs, and does not need this window.")
            words = ""
        found_again = "Left running, it is found again when the project is opened; “studio stop” ends it too."
        self.setInformativeText(words + found_again)
        leave = "Disarm, and leave it running" if armed else "Leave it running"
        self.leave = self.addButton(leave, QMessageBox.ButtonRole.AcceptRole)
        self.stop = self.addButton("Stop it", QMessageBox.ButtonRole.DestructiveRole)
        self.stay = self.addButton("Stay", QMessageBox.ButtonRole.RejectRole)
        self.setDefaultButton(self.stop if armed else self.stay if real else self.leave)
        self.setEscapeButton(self.stay)

    def ask(self) -> Answer:
        self.exec()
        clicked = self.clickedButton()
        return "stop" if clicked is self.stop else "leave" if clicked is self.leave else "stay"
