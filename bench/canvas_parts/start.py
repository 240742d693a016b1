"""How long a window takes from nothing to something one can use; the imports of libraries are counted apart.

    python -m bench.canvas_parts.start minimal|welcome|project

prints two numbers, milliseconds of processor time: for the libraries, and for all the rest until the window is painted.
"""

from __future__ import annotations

import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PyQt6.QtWidgets import QApplication, QMainWindow

LIBRARIES = ("lxml.etree", "numpy", "platformdirs", "PyQt6.QtSvg", "PyQt6Ads", "qtawesome")
ROOT = Path(__file__).resolve().parent.parent.parent


def minimal(app: QApplication) -> QMainWindow:
    from PyQt6.QtWidgets import QLabel, QMainWindow

    window = QMainWindow()
    window.resize(1280, 800)
    window.setCentralWidget(QLabel("hello"))
    window.show()
    return window


def ours(app: QApplication, home: Path, project: Path | None) -> QMainWindow:
    from studio.editor.app import make_window, open_first
    from studio.editor.settings import Settings

    window = make_window(app, Settings(home / "editor.ini"))
    window.show()
    app.processEvents()
    open_first(window, project)
    return window


def main(what: str) -> int:
    began = time.process_time()
    if what != "minimal":
        for name in LIBRARIES:
            import_module(name)
    imported = time.process_time()
    with tempfile.TemporaryDirectory() as home:
        from PyQt6.QtWidgets import QApplication

        app = QApplication(sys.argv[:1])
        if what == "minimal":
            window = minimal(app)
        else:
            window = ours(app, Path(home), ROOT / "projects" / "first_steps" if what == "project" else None)
        app.processEvents()
        ready = time.process_time()
        print((imported - began) * 1000, (ready - imported) * 1000)
        window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
