"""What happens when our own code fails: the window goes on, and a report says what happened. Nothing is sent."""

from __future__ import annotations

import platform
import sys
import threading
import traceback
from types import TracebackType

from PyQt6.QtCore import PYQT_VERSION_STR, QT_VERSION_STR, QObject, Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QApplication,
    QDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from studio import __version__
from studio.editor.look.fonts import code_font
from studio.errors import StudioError


class CrashReporter(QObject):
    """Takes every exception that nobody caught, from any thread. Without it PyQt would abort the process."""

    _happened = pyqtSignal(str, str)
    told = pyqtSignal(str)
    """An error that is the user's to mend: it is said, not reported."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self.dialog: CrashDialog | None = None
        # Queued: an exception inside a paint event must not open a window in the middle of painting.
        self._happened.connect(self._show, type=Qt.ConnectionType.QueuedConnection)  # type: ignore[call-arg]

    def install(self) -> None:
        sys.excepthook = self.take
        threading.excepthook = lambda args: self.take(
            args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback
        )

    def take(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        if isinstance(error, StudioError):
            self.told.emit(str(error))
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        if sys.__stderr__ is not None:
            sys.__stderr__.write(text)
        self._happened.emit(f"{kind.__name__}: {error}", text)

    def _show(self, sentence: str, trace: str) -> None:
        if self.dialog is not None and self.dialog.isVisible():
            self.dialog.count_another()
            return
        self.dialog = CrashDialog(self._parent, sentence, trace)
        self.dialog.show()


class CrashDialog(QDialog):
    def __init__(self, parent: QWidget, sentence: str, trace: str) -> None:
        super().__init__(parent)
        self.setWindowTitle("Something went wrong in Studio")
        self.setMinimumWidth(560)
        self.report = f"{_versions()}\n\n{trace}"
        self._others = 0
        title = QLabel("The window keeps running; your system did not change")
        title.setProperty("role", "subject")
        title.setStyleSheet("font-size: 14px;")
        words = QLabel(f"{sentence}. Your edits are still there: save them now.")
        words.setWordWrap(True)
        self.more = QLabel()
        self.more.hide()
        text = QPlainTextEdit(trace)
        text.setReadOnly(True)
        text.setFont(code_font(12))
        text.setMinimumHeight(160)
        text.setAccessibleName("Trace")
        note = QLabel("The report holds versions and this trace, no project data. Studio sends nothing.")
        note.setProperty("role", "muted")
        copy, go_on = QPushButton("Copy report"), QPushButton("Go on")
        go_on.setProperty("primary", "true")
        go_on.setDefault(True)
        copy.clicked.connect(self._copy)
        go_on.clicked.connect(self.accept)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(copy)
        buttons.addWidget(go_on)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(8)
        for widget in (title, words, self.more, text, note):
            layout.addWidget(widget)
        layout.addLayout(buttons)
        go_on.setFocus()

    def count_another(self) -> None:
        self._others += 1
        self.more.setText(f"and {self._others} more since")
        self.more.show()

    def _copy(self) -> None:
        clipboard = QApplication.clipboard()
        if clipboard is not None:
            clipboard.setText(self.report)


def _versions() -> str:
    return (
        f"Robot Systems Studio {__version__}, Python {platform.python_version()}, Qt {QT_VERSION_STR}, "
        f"PyQt {PYQT_VERSION_STR}, {platform.system()} {platform.release()}"
    )
