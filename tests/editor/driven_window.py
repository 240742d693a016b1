"""The real window for a test that has only mouse and keys: asked on stdin, it tells where on the screen things are."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import numpy as np
from PyQt6.QtCore import QObject, QPoint, QPointF, pyqtSignal
from PyQt6.QtWidgets import QAbstractButton, QApplication, QWidget

from studio.editor.base.settings import Settings
from studio.editor.panels.compare.compare_viewer import CompareViewer
from studio.editor.panels.map.map_viewer import MapViewer
from studio.editor.panels.map.votes_viewer import VotesViewer
from studio.editor.panels.player.player_viewer import PlayerViewer
from studio.editor.window.app import make_window
from studio.editor.window.main_window import MainWindow


class Answers(QObject):
    asked = pyqtSignal(str)

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self.window = window
        self.asked.connect(self.answer)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        for line in sys.stdin:
            self.asked.emit(line.strip())

    def answer(self, line: str) -> None:
        word, *rest = line.split()
        print(getattr(self, word)(*rest), flush=True)

    def window_at(self) -> str:
        return self._words(self.window.mapToGlobal(QPoint(0, 0)))

    def row(self, type_name: str) -> str:
        panel = self.window.palette_panel
        for item in panel.tree.rows():
            if item.text(0) == type_name:
                viewport = panel.tree.viewport()
                assert viewport is not None
                return self._words(viewport.mapToGlobal(panel.tree.visualItemRect(item).center()))
        return "nowhere"

    def search(self) -> str:
        """The field of the palette."""
        field = self.window.palette_panel.field
        return self._words(field.mapToGlobal(field.rect().center()))

    def canvas(self, x: str, y: str) -> str:
        return self._on_canvas(self.window.canvas.mapToScene(QPoint(int(x), int(y))))

    def port(self, node: str, name: str) -> str:
        item = self.window.canvas.canvas.nodes[node]
        port = item.card.port(name)
        assert port is not None
        return self._on_canvas(item.anchor(port))

    def state(self) -> str:
        system = self.window.session.system
        return f"{len(system.nodes)} {len(system.wires)} {self.window.session.document.is_modified}"

    def node(self, name: str) -> str:
        """A place on the title of a card, where it can be taken."""
        item = self.window.canvas.canvas.nodes[name]
        return self._on_canvas(item.pos() + QPointF(item.card.width / 2, 14))

    def wire(self, start: str, end: str) -> str:
        """The middle of the wire between two components."""
        wires = self.window.canvas.canvas.wires.values()
        found = next(w for w in wires if (w.connection.start.node, w.connection.end.node) == (start, end))
        return self._on_canvas(found.path.pointAtPercent(0.5))

    def viewers(self) -> str:
        return f"{len(self.window.viewers.open)} open"

    def running(self, component: str) -> str:
        """The phase of the system, the state of a component, and whether it handles events."""
        told = self.window.live.feed.state.get("components", {}).get(component, {"state": "none", "handled": 0})
        return f"{self.window.live.control.phase} {told['state']} {told['handled'] > 0}"

    def spot(self, name: str) -> str:
        """The middle of a button that one would look for."""
        button = self._buttons().get(name)
        if button is None or not button.isVisible() or not button.isEnabled():
            return "nowhere"
        return self._words(button.mapToGlobal(button.rect().center()))

    def _buttons(self) -> dict[str, QWidget]:
        window = self.window
        buttons = window.toolbar.run_buttons
        found: dict[str, QWidget] = {
            "run": buttons.run,
            "record": window.toolbar.record,
            "stop": buttons._others["run.stop"],
        }
        for button in window.notice.findChildren(QAbstractButton):
            found[f"notice_{button.text().split()[0].lower()}"] = button  # play, open, close
        if window.sources.card is not None:
            found["switch"] = window.sources.card.go
        for viewer in window.viewers.open.values():
            if isinstance(viewer, MapViewer):
                found["compare"] = viewer.compare
            if isinstance(viewer, PlayerViewer):
                bar = viewer.bar
                found |= {"play": bar.play, "single": bar.single, "back": bar.back, "timeline": viewer.timeline}
        return found

    def tab(self, kind: str) -> str:
        """Of the first viewer of a kind."""
        dock = next((name for name, viewer in self.window.viewers.open.items() if kind == viewer.KIND), "")
        tab = self.window.docks.manager.findDockWidget(dock).tabWidget() if dock else None
        if tab is None or not tab.isVisible():
            return "nowhere"
        return self._words(tab.mapToGlobal(QPoint(20, tab.height() // 2)))

    def known(self) -> str:
        """How many cells of the map that is shown are known."""
        for viewer in self.window.viewers.open.values():
            if isinstance(viewer, MapViewer) and viewer.shown is not None:
                return str(int(np.isfinite(viewer.shown.plane("height")).sum()))
        return "0"

    def voted(self) -> str:
        """How many behaviours have said what they think of the arcs."""
        voters = (len(each.view.votes) for each in self.window.viewers.open.values() if isinstance(each, VotesViewer))
        return str(max(voters, default=0))

    def compared(self) -> str:
        """Cells that both maps know; 0 while there are not two of them."""
        for viewer in self.window.viewers.open.values():
            if isinstance(viewer, CompareViewer) and viewer.found is not None:
                return str(viewer.found.both)
        return "0"

    def on_timeline(self, share: str) -> str:
        """A place on the lanes of the log."""
        for viewer in self.window.viewers.open.values():
            if isinstance(viewer, PlayerViewer) and viewer.timeline.outline is not None:
                line = viewer.timeline
                first, last = line.span_ns
                return self._words(line.mapToGlobal(QPoint(int(line._x_of(first + float(share) * (last - first))), 60)))
        return "nowhere"

    def recorded(self) -> str:
        """Whether a log is being written, and something is in it."""
        return str(bool((self.window.logs.report or {}).get("events")))

    def playing(self) -> str:
        """Whether the log plays, and how many of its events have been; where there is none: none."""
        player = self.window.live.feed.state.get("player")
        return f"{player['playing']} {player['number']}" if player else "none"

    def left(self) -> str:
        """How many events are to come until the log ends."""
        player = self.window.live.feed.state.get("player")
        return str(player["count"] - player["number"]) if player else "none"

    def console(self) -> str:
        return str(len(self.window.live_panels.console.book.said))

    def _on_canvas(self, point: QPointF) -> str:
        viewport = self.window.canvas.viewport()
        assert viewport is not None
        return self._words(viewport.mapToGlobal(self.window.canvas.mapFromScene(point)))

    def _words(self, point: QPoint) -> str:
        return f"{point.x()} {point.y()}"


def main() -> int:
    app = QApplication(sys.argv[:1])
    window = make_window(app, Settings(Path(sys.argv[1]) / "editor.ini"))
    window.show()
    assert window.files.open(Path(sys.argv[2]))
    answers = Answers(window)
    status = app.exec()
    del answers
    return status


if __name__ == "__main__":
    sys.exit(main())
