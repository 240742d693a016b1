"""The questions before a window leaves a system that runs, or changes that are not saved."""

from __future__ import annotations

from typing import Literal

from PyQt6.QtWidgets import QMessageBox, QWidget

from studio.editor.live.effects import listed

Answer = Literal["leave", "stop", "stay"]
Saving = Literal["save", "leave", "stay"]


def ask_about_changes(parent: QWidget, words: str, loses: str, *, save: str = "Save", leave: str) -> Saving:
    """Before something with changes that are not saved is left. Escape stays."""
    box = QMessageBox(parent)
    box.setWindowTitle("Save your changes?")
    box.setText(words)
    box.setInformativeText(loses)
    saving = box.addButton(save, QMessageBox.ButtonRole.AcceptRole)
    leaving = box.addButton(leave, QMessageBox.ButtonRole.DestructiveRole)
    box.addButton("Stay", QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(saving)
    box.exec()
    return "save" if box.clickedButton() is saving else "leave" if box.clickedButton() is leaving else "stay"


def is_sure(parent: QWidget, question: str, yes: str, no: str) -> bool:
    """`no` is the usual answer, and that of Escape."""
    box = QMessageBox(parent)
    box.setWindowTitle(question)
    box.setText(question)
    sure = box.addButton(yes, QMessageBox.ButtonRole.DestructiveRole)
    box.setDefaultButton(box.addButton(no, QMessageBox.ButtonRole.RejectRole))
    box.exec()
    return box.clickedButton() is sure


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
