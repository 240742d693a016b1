"""Takes the guide's pictures of a log from elsewhere, imported, played and compared, and of what a camera sees."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QPoint, QSize

from studio.editor.log_files.import_dialog import ImportDialog
from studio.editor.log_files.open_dialog import OpenLogDialog
from studio.editor.log_files.topic_mapping import MappingDialog
from studio.editor.window.main_window import MainWindow
from tools.hand import Stuck
from tools.screen_places import button_with, dock_area, file_field, in_dialog, middle, shown
from tools.stage import LARGE, ROOT, SMALL, Stage, perform
from tools.viewer_shots import PANEL, put

LOG = ROOT.parent / "shared" / "data" / "carmen" / "intel-corrected.log.gz"
CAMERA = ROOT / "tools" / "shot_camera"
"""A project whose camera turns over a picture of the simulated world."""


def brought_in(stage: Stage) -> None:
    """A CARMEN log is imported, and asked where it should play."""
    hand, window = stage.hand, stage.window
    if not LOG.is_file():
        raise Stuck(f"needs {LOG.name} in {LOG.parent}: see docs/guide/mapping.md")
    stage.resize(SMALL)
    hand.key("ctrl+shift+o")
    hand.click(lambda: file_field(window), "the dialog that opens a log")
    hand.key("ctrl+a")
    hand.write(str(LOG))
    hand.key("Return")
    hand.until(lambda: shown(window, ImportDialog), "the import")
    hand.until(lambda: middle(in_dialog(window, ImportDialog, "go_on")), "the end of the import")
    stage.part("logs_import", lambda: shown(window, ImportDialog))
    hand.click(lambda: middle(in_dialog(window, ImportDialog, "go_on")), "Open it")
    hand.until(lambda: shown(window, OpenLogDialog), "the question where it should play")
    stage.part("logs_open", lambda: shown(window, OpenLogDialog))
    stage.resize(LARGE)
    hand.click(lambda: middle(in_dialog(window, OpenLogDialog, "project")), "Play it in carmen_mapping")
    hand.until(lambda: window.live.control.phase == "running", "the log to play")


def flat_out(stage: Stage) -> None:
    """As fast as the components go, to the end."""
    hand, window = stage.hand, stage.window
    player = hand.until(lambda: _first(window, "player"), "the LogPlayer")
    hand.until(lambda: player.timeline.outline is not None, "the time line")
    put(stage, "compare", {})  # it takes maps as they come: the last ones come before the end
    hand.see(lambda: window.docks.show("system"))
    hand.click(lambda: button_with(player.bar, "Max"), "the rate Max")
    hand.until(lambda: _left(window) == 0, "the end of the log", 600)
    hand.see(window.canvas.fit)
    map_viewer = hand.until(lambda: _first(window, "map"), "the map")
    hand.see(lambda: setattr(map_viewer.view, "follows", False))
    hand.see(map_viewer.view.fit)
    hand.rest(2.0)
    stage.whole("logs_intel")


def which_topic_feeds_which_port(stage: Stage) -> None:
    hand, window = stage.hand, stage.window
    player = hand.until(lambda: _first(window, "player"), "the LogPlayer")

    def ask() -> None:
        stage.tidy()
        hand.see(lambda: player.bar.mapping_wanted.emit())
        hand.until(lambda: shown(window, MappingDialog), "the mapping")

    stage.part("logs_mapping", lambda: shown(window, MappingDialog), ready=ask)
    stage.tidy()


def two_maps(stage: Stage) -> None:
    """By the corrected poses and by scan matching, with a cut through both."""
    hand, window = stage.hand, stage.window
    stage.resize(QSize(1900, 1060))
    for other in hand.see(lambda: [name for name, each in window.viewers.open.items() if each.KIND != "compare"]):
        hand.see(lambda other=other: window.viewers.close(other))  # type: ignore[misc]
    name = hand.see(lambda: window.viewers.show("compare"))
    viewer: Any = hand.see(lambda: window.viewers.open[name])
    hand.until(lambda: viewer.found is not None, "the difference of both maps")
    hand.see(lambda: viewer.tolerance.setValue(0.2))
    hand.click(lambda: middle(viewer.cut), "the cut line")
    hand.click(lambda: middle(viewer.fit), "everything")
    hand.rest(1.0)
    stage.part("viewers_compare", lambda: dock_area(window, name))


def what_a_camera_sees(stage: Stage) -> None:
    hand, window = stage.hand, stage.window
    stage.stop()
    stage.resize(PANEL)
    stage.open(_camera(stage))
    hand.key("F5")
    hand.until(lambda: window.live.control.phase == "running", "the camera to run")
    hand.rest(3.0)
    hand.see(window.viewers.close_all)
    for picture, topic in (("viewers_image", "/camera/picture"), ("viewers_depth", "/camera/brightness")):
        name, viewer = put(stage, "image", {"topic": topic})
        hand.rest(2.0)
        hand.see(viewer.view.fit)
        hand.hover(hand.found(lambda viewer=viewer: middle(viewer.view), "the image") + QPoint(30, 40))  # type: ignore[misc]
        stage.part(picture, lambda name=name: dock_area(window, name))  # type: ignore[misc]
        hand.see(lambda name=name: window.viewers.close(name))  # type: ignore[misc]
    stage.stop()


def _first(window: MainWindow, kind: str) -> Any:
    return next((viewer for viewer in window.viewers.open.values() if kind == viewer.KIND), None)


def _left(window: MainWindow) -> int | None:
    """Events until the log ends."""
    player = window.live.feed.state.get("player")
    return int(player["count"]) - int(player["number"]) if player else None


def _camera(stage: Stage) -> Path:
    folder = stage.home / "camera"
    shutil.copytree(CAMERA, folder)
    shutil.copy(ROOT / "docs" / "pictures" / "simulation_blocks.png", folder / "world.png")
    return folder


STEPS = (brought_in, flat_out, which_topic_feeds_which_port, two_maps, what_a_camera_sees)


if __name__ == "__main__":
    sys.exit(perform(STEPS, Path(sys.argv[1]), project="carmen_mapping"))
