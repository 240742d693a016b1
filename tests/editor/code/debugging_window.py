"""A window of its own process, for a test that kills it: it opens a project, runs it, and debugs one of its components.

python debugging_window.py SETTINGS_FOLDER PROJECT COMPONENT FILE LINE
"""

from __future__ import annotations

import sys
from pathlib import Path

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication

from studio.editor.app import make_window
from studio.editor.settings import Settings


def main(home: str, project: str, component: str, file: str, line: str) -> int:
    app = QApplication(sys.argv[:1])
    window = make_window(app, Settings(Path(home) / "editor.ini"))
    window.show()
    assert window.files.open(Path(project))
    window.debug.book.toggle(file, int(line))
    window.trigger("run.start")
    looks = QTimer()

    def look() -> None:
        if window.live.control.phase == "running":
            looks.stop()
            window.debug.attach(component)

    looks.timeout.connect(look)
    looks.start(50)
    return app.exec()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
