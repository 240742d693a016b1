"""Takes the guide's pictures of the Gazebo panels: start a real server, spawn the Raptor, lose it, get it back.

The server is the one that `studio gazebo install` has put into the user's cache.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import platformdirs
from PyQt6.QtCore import QPoint

os.environ.setdefault("XDG_CACHE_HOME", str(platformdirs.user_cache_path()))  # the stage has a home of its own

from studio.editor.panels.gazebo.desk import GazeboDesk
from studio.runtime.gazebo.connections.link import Phase
from tools.screen_places import button_with, middle
from tools.stage import Stage, perform

PROJECT = "raptor_blocks_world"
WORLD = "blocks"
SCAN = "scan"
PLACE = ("30", "18", "180")
"""x and y in metres, and a heading in degrees, free of blocks."""


def start_a_server(stage: Stage) -> None:
    hand, desk = stage.hand, stage.window.gazebo
    hand.until(lambda: stage.window.canvas.isVisible() or None, "the project")
    hand.rest(2.0)  # its panels find their places
    hand.key("ctrl+alt+g")
    hand.until(lambda: desk.is_open or None, "the panels")
    hand.until(lambda: desk.servers.worlds.count() or None, "the worlds")
    hand.see(lambda: desk.servers.worlds.setCurrentText(WORLD))
    hand.click(lambda: button_with(desk.servers, "Start server"), "Start server")
    hand.until(lambda: (desk.link is not None and desk.link.is_connected) or None, "the server", 60)
    hand.until(lambda: (desk.link is not None and bool(desk.link.models())) or None, "the models")


def spawn_the_raptor(stage: Stage) -> None:
    hand, desk = stage.hand, stage.window.gazebo
    models = desk.page.models
    for field, text in zip((models.x_m, models.y_m, models.heading), PLACE, strict=True):
        hand.click(partial(middle, field), "a field")
        hand.key("ctrl+a")
        hand.write(text)
    hand.click(lambda: button_with(models, "Spawn"), "Spawn")
    hand.until(lambda: _has(desk, "raptor") or None, "the Raptor")
    hand.see(lambda: models.select("raptor"))
    hand.until(lambda: _topic(stage, SCAN), "a scan", 30)
    hand.click(lambda: _topic(stage, SCAN), "the scan")
    hand.rest(8.0)
    stage.whole("gazebo_panels")


def lose_it(stage: Stage) -> None:
    hand, desk = stage.hand, stage.window.gazebo
    local, link = desk.local, desk.link
    assert local is not None and link is not None
    hand.see(local.process.kill)
    hand.until(lambda: link.state.phase is Phase.RECONNECTING or None, "the loss")
    hand.rest(2.0)
    stage.whole("gazebo_lost")


def get_it_back(stage: Stage) -> None:
    hand, desk = stage.hand, stage.window.gazebo
    hand.click(lambda: button_with(desk.servers, "Start server"), "Start server")
    hand.until(lambda: (desk.link is not None and desk.link.is_connected) or None, "the server again", 60)
    hand.rest(2.0)
    hand.click(lambda: button_with(desk.servers, "Doctor"), "Doctor")
    hand.until(lambda: "installed" in desk.page.doctor.toPlainText() or None, "the doctor")
    hand.rest(1.0)
    hand.click(lambda: button_with(desk.servers, "Stop server"), "Stop server")
    hand.until(lambda: (desk.local is not None and not desk.local.is_running) or None, "the end of the server")


def _has(desk: GazeboDesk, model: str) -> bool:
    return desk.link is not None and any(each.name == model for each in desk.link.models())


def _topic(stage: Stage, word: str) -> QPoint | None:
    """The middle of the row of the first topic with this word."""
    table = stage.window.gazebo.page.topics
    for place in range(table.rowCount()):
        item, viewport = table.item(place, 0), table.viewport()
        if item is not None and viewport is not None and word in item.text().rpartition("/")[2]:
            return viewport.mapToGlobal(table.visualItemRect(item).center())
    return None


STEPS = (start_a_server, spawn_the_raptor, lose_it, get_it_back)


if __name__ == "__main__":
    sys.exit(perform(STEPS, Path(sys.argv[1]), project=PROJECT, in_turn=True))
