"""How long a window takes from nothing to something one can use; the imports of libraries are counted apart.

    python -m bench.canvas_parts.start minimal|welcome|furnished|project

prints two numbers, milliseconds of processor time: for the libraries, and for all the rest: until the window is painted
with its first page, until everything in it is there, or until a project is open.
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

FIRST_LIBRARIES = ("platformdirs",)
"""What the first paint needs."""
LIBRARIES = (*FIRST_LIBRARIES, "lxml.etree", "numpy", "PyQt6.QtSvg", "PyQt6Ads")
ROOT = Path(__file__).resolve().parent.parent.parent


def minimal(app: QApplication) -> QMainWindow:
    from PyQt6.QtWidgets import QLabel, QMainWindow

    window = QMainWindow()
    window.resize(1280, 800)
    window.setCentralWidget(QLabel("hello"))
    window.show()
    return window


def ours(app: QApplication, home: Path, until: str) -> QMainWindow:
    """As `studio edit` does it."""
    from PyQt6.QtCore import QEventLoop

    from studio.editor.base.settings import Settings
    from studio.editor.window.app import furnish_and_open, make_window, show_first_page

    project = ROOT / "projects" / "first_steps" if until == "project" else None
    reached: list[str] = []
    window = make_window(app, Settings(home / "editor.ini"))
    window.painted.connect(lambda: reached.append("welcome"))
    if until != "welcome":
        furnish_and_open(window, project, then=lambda: reached.append("project"))
        window.furnished.connect(lambda: reached.append("furnished"))
    show_first_page(window, project)
    while until not in reached:
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    return window


def main(what: str) -> int:
    began = time.process_time()
    for name in {"minimal": (), "welcome": FIRST_LIBRARIES}.get(what, LIBRARIES):
        import_module(name)
    imported = time.process_time()
    with tempfile.TemporaryDirectory() as home:
        from PyQt6.QtWidgets import QApplication

        app = QApplication(sys.argv[:1])
        window = minimal(app) if what == "minimal" else ours(app, Path(home), what)
        app.processEvents()
        ready = time.process_time()
        print((imported - began) * 1000, (ready - imported) * 1000)
        window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
