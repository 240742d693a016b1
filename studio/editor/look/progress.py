"""Work that may take long, done in steps before the eyes of the user, who can give it up."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from PyQt6.QtCore import QEventLoop, Qt
from PyQt6.QtWidgets import QApplication, QProgressDialog, QWidget

SHOWN_AFTER_MS = 2000
"""What is done sooner needs no dialog."""
PARTS = 1000


def carry_out(steps: Iterator[int], total: int, words: str, parent: QWidget) -> bool:
    """Each step tells how much of `total` is done. False if it was given up: the steps are closed then."""
    dialog = QProgressDialog(words, "Cancel", 0, PARTS, parent)
    dialog.setWindowTitle(words)
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    dialog.setMinimumDuration(SHOWN_AFTER_MS)
    dialog.setValue(0)
    try:
        for done in steps:
            dialog.setValue(min(PARTS - 1, done * PARTS // max(1, total)))
            # Nobody edits meanwhile; what is typed waits. The dialog hears its own button once it is shown.
            if not dialog.isVisible():
                QApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
            if dialog.wasCanceled():
                if isinstance(steps, Generator):
                    steps.close()
                return False
    finally:
        dialog.close()
        dialog.deleteLater()
    return True
