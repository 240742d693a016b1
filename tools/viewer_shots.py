"""Takes the pictures of the guide's pages on viewers, sources and logs, from the Raptor that really drives."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QPoint, QPointF, QRect, QSize
from PyQt6.QtWidgets import QApplication, QWidget

from studio.editor.app import make_window
from studio.editor.main_window import MainWindow
from studio.editor.settings import Settings
from studio.editor.theme import DARK, LIGHT
from studio.editor.viewer_kinds import kind_called
from studio.model.source_edits import ChooseModes
from tools.window_shots import LARGE, ROOT, grab, settle, stop_system, until, wait

TERRAIN, COMMAND, POSE = "/terrain_map/terrain", "/arc_arbiter/command", "/platform/pose"
Step = Callable[["Shots"], None]


class Shots:
    def __init__(self, window: MainWindow, folder: Path) -> None:
        self.window, self.folder = window, folder

    def whole(self, name: str) -> None:
        settle(self.window)
        grab(self.window.size(), self._file(name))

    def part(self, name: str, widget: QWidget, *, height: int = 0) -> None:
        """What is on the screen where the widget is, with whatever popped up over it."""
        settle(self.window)
        self._crop(name, QRect(widget.mapToGlobal(QPoint(0, 0)), QSize(widget.width(), height or widget.height())))

    def strip(self, name: str, height: int) -> None:
        """The upper part of the window."""
        self._crop(name, QRect(0, 0, self.window.width(), height))

    def _crop(self, name: str, area: QRect) -> None:
        words = f"{area.width()}x{area.height()}+{area.x()}+{area.y()}"
        subprocess.run(["import", "-window", "root", "-crop", words, "+repage", str(self._file(name))], check=True)

    def _file(self, name: str) -> Path:
        print(f"docs-shots: {name}.png")
        return self.folder / f"{name}.png"

    def alone(self, kind: str, size: QSize, settings: dict[str, Any] | None = None) -> Any:
        """A viewer over the window, in a size of its own: docks have what room is left."""
        window = self.window
        viewer: Any = kind_called(kind).make(window.live.feed, window.theme)
        viewer.restore(settings or {})
        viewer.setParent(window)
        viewer.setAutoFillBackground(True)
        viewer.setGeometry(QRect(QPoint(200, 150), size))
        viewer.show()
        viewer.raise_()
        return viewer

    def gone(self, viewer: Any) -> None:
        viewer.close_viewer()
        viewer.hide()
        viewer.deleteLater()


def it_drives(shots: Shots) -> None:
    """The viewers that open by themselves."""
    window = shots.window
    window.trigger("run.start")
    until(lambda: window.live.control.phase == "running")
    until(lambda: len(window.viewers.open) >= 4)
    wait(14_000)
    window.canvas.fit()
    shots.whole("viewers_raptor")


def seen_in_the_scene(shots: Shots) -> None:
    scene = shots.alone("scene", QSize(1000, 600), {"map": TERRAIN, "pose": POSE})
    painted = scene.view.painted
    until(lambda: scene.view.painted > painted + 5)
    shots.part("viewers_scene", scene)
    shots.gone(scene)


def field_by_field(shots: Shots) -> None:
    viewer = shots.alone("message", QSize(760, 420))
    viewer.tree.open_paths(["matrix", "matrix.[0]"])
    viewer.choose(POSE)
    wait(2100)
    viewer.hold.click()
    shots.part("viewers_message", viewer)
    shots.gone(viewer)


def states_over_time(shots: Shots) -> None:
    """One component was restarted."""
    window = shots.window
    window.live.control.restart(["waypoint_follower"])
    wait(5000)
    viewer = shots.alone("states", QSize(1100, 330))
    wait(1000)
    viewer.fit.click()
    shots.part("viewers_states", viewer)
    shots.gone(viewer)


def how_a_command_came_about(shots: Shots) -> None:
    viewer = shots.alone("causality", QSize(1100, 520))
    wait(2500)
    viewer.explain(COMMAND, 0)
    wait(3000)
    shots.part("viewers_causality", viewer)
    shots.gone(viewer)


def a_service_is_called(shots: Shots) -> None:
    viewer = shots.alone("publish", QSize(635, 300), {"deed": "Call a service", "target": "arc_arbiter.get_command"})
    wait(1200)
    viewer.once.click()
    wait(1500)
    shots.part("viewers_publish", viewer)
    shots.gone(viewer)


def layers_of_a_map(shots: Shots) -> None:
    shown = {"votes": True, "scans": True}
    settings = {"topic": TERRAIN, "pose": POSE, "follow": False, "things": shown}
    viewer = shots.alone("map", QSize(1500, 620), settings)
    viewer.add_layer("/traverse_map/traverse")
    wait(2500)
    viewer.view.fit()
    wait(600)
    viewer.layers.open_below(viewer.more)
    wait(600)
    viewer.layers.move(viewer.mapToGlobal(QPoint(16, 48)))  # the legend is at the right
    shots.part("viewers_layers", viewer)
    viewer.layers.hide()
    shots.gone(viewer)


def driven_by_hand(shots: Shots) -> None:
    viewer = shots.alone("teleop", QSize(635, 320))
    wait(1000)
    viewer.stick._pulled = QPointF(-0.35, -0.8)
    viewer.stick.moved.emit()
    viewer.stick.update()
    wait(1200)
    shots.part("viewers_drive", viewer)
    viewer.stick._pulled = None
    viewer.stick.moved.emit()
    shots.gone(viewer)


def recorded(shots: Shots) -> None:
    window = shots.window
    window.trigger("run.record")
    until(lambda: bool((window.logs.report or {}).get("events")))
    wait(9000)
    window.trigger("run.record")
    until(lambda: window.notice.isVisible())
    wait(500)
    shots.strip("logs_record", 118)


def before_it_is_switched(shots: Shots) -> None:
    window = shots.window
    flip = next(button for button in window.notice.findChildren(QWidget) if _says(button, "Flip"))
    flip.click()  # type: ignore[attr-defined]
    until(lambda: window.sources.card is not None)
    wait(900)
    shots.whole("sources_card")


def it_is_switched(shots: Shots) -> None:
    window = shots.window
    assert window.sources.card is not None
    window.sources.card.go.click()
    until(lambda: bool(window.live.feed.state.get("player")))


def the_log_plays(shots: Shots) -> None:
    window = shots.window
    player: Any = next(viewer for viewer in window.viewers.open.values() if viewer.KIND == "player")
    name = next(name for name, viewer in window.viewers.open.items() if viewer is player)
    window.docks.show(name)
    window.docks.give_height(name, 260)
    player._seek(sum(player.timeline.span_ns) // 2)
    wait(1500)
    player.marks.add("the first corner")
    shots.part("logs_player", player)


def it_would_be_real(shots: Shots) -> None:
    window = shots.window
    stop_system(window)
    window.session.undo()
    window.session.do(ChooseModes({"platform": "real"}))
    window.canvas.fit()
    window.canvas.canvas.select(["platform"])
    shots.whole("sources_real")


def _says(widget: QWidget, word: str) -> bool:
    text = getattr(widget, "text", None)
    return callable(text) and str(text()).startswith(word)


STEPS: tuple[tuple[Step, bool], ...] = (
    (it_drives, False), (seen_in_the_scene, False), (field_by_field, False), (how_a_command_came_about, False),
    (states_over_time, True), (a_service_is_called, True), (layers_of_a_map, True), (driven_by_hand, True),
    (recorded, True), (before_it_is_switched, True), (it_is_switched, False), (the_log_plays, False),
    (it_would_be_real, False),
)  # fmt: skip
"""And whether it is dark then."""


def main(folder: Path) -> int:
    app = QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory() as home:
        project = Path(home) / "raptor_blocks_world"
        shutil.copytree(ROOT / "projects" / project.name, project, ignore=shutil.ignore_patterns("logs"))
        window = make_window(app, Settings(Path(home) / "editor.ini"))
        window.files.may_leave = lambda: True  # type: ignore[method-assign]
        window.live.may_close = lambda close: True  # type: ignore[method-assign]
        window.move(0, 0)
        window.resize(LARGE)
        window.show()
        wait(500)
        window.files.open(project)
        shots = Shots(window, folder)
        try:
            for step, dark in STEPS:
                window.show_theme(DARK if dark else LIGHT)
                step(shots)
        finally:
            stop_system(window)
            window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
