"""A window of its own process, for a test that kills it: it opens a project, runs it, and debugs one of its components.

python debugging_window.py SETTINGS_FOLDER PROJECT COMPONENT FILE LINE [MOMENT [AFTER_MS]]

MOMENT: it kills itself so long after it has begun with that: attaching, stepping or reloading.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication

from studio.editor.base.settings import Settings
from studio.editor.window.app import make_window
from studio.editor.window.main_window import MainWindow


def main(home: str, project: str, component: str, file: str, line: str, moment: str = "", after_ms: str = "0") -> int:
    app = QApplication(sys.argv[:1])
    window = make_window(app, Settings(Path(home) / "editor.ini"))
    window.show()
    assert window.files.open(Path(project))
    if not window.debug.book.of_file(file):  # those of the window before it are kept with the project
        window.debug.book.toggle(file, int(line))
    window.live.run_unless_attached()
    looks = QTimer()

    def die() -> None:
        QTimer.singleShot(int(after_ms), lambda: os.kill(os.getpid(), signal.SIGKILL))

    def look() -> None:
        if window.live.control.is_up:
            looks.stop()
            window.debug.attach(component)
            if moment == "attaching":
                die()

    def stopped() -> None:
        if moment == "stepping":
            window.debug.line()
            die()
        elif moment == "reloading":
            _reload(window, file)
            die()

    window.debug.stopped.connect(stopped)
    looks.timeout.connect(look)
    looks.start(50)
    return app.exec()


def _reload(window: MainWindow, file: str) -> None:
    page = window.code.open_at(file, 1)
    assert page is not None
    window.code_controller.reload.reload(page)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
