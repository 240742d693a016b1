"""Takes the pictures of Gazebo: start a real server, spawn the Raptor, switch its source to Gazebo, drive to the goal,
lose the server, get it back.

The server is the one that `studio gazebo install` has put into the user's cache.
"""

from __future__ import annotations

import math
import os
import sys
from functools import partial
from pathlib import Path

import platformdirs
from PyQt6.QtCore import QPoint, QPointF

os.environ.setdefault("XDG_CACHE_HOME", str(platformdirs.user_cache_path()))  # the stage has a home of its own

from studio.editor.canvas.items.card import TITLE
from studio.editor.gazebo.controller import GazeboController
from studio.model.gazebo_provider import GAZEBO, choice_of
from studio.runtime.gazebo.connections.link import Phase
from tools.screen_places import button_with, middle, on_canvas, title_of
from tools.stage import Stage, perform

PROJECT = "raptor_blocks_world"
SOURCE, VEHICLE = "platform", "raptor"
WORLD = "blocks"
START, GOAL = (28.0, 0.0), (-28.0, 4.0)
SCAN = "scan"
PLACE = ("30", "18", "180")
"""x and y in metres, and a heading in degrees, free of blocks."""


def start_a_server(stage: Stage) -> None:
    hand, controller = stage.hand, stage.window.gazebo
    hand.until(lambda: stage.window.canvas.isVisible() or None, "the project")
    hand.rest(2.0)  # its panels find their places
    hand.key("ctrl+alt+g")
    hand.until(lambda: controller.is_open or None, "the panels")
    hand.until(lambda: controller.servers.worlds.count() or None, "the worlds")
    hand.see(lambda: controller.servers.worlds.setCurrentText(WORLD))
    hand.click(lambda: button_with(controller.servers, "Start server"), "Start server")
    hand.until(lambda: (controller.link is not None and controller.link.is_connected) or None, "the server", 60)
    hand.until(lambda: (controller.link is not None and bool(controller.link.models())) or None, "the models")


def spawn_the_raptor(stage: Stage) -> None:
    hand, controller = stage.hand, stage.window.gazebo
    models = controller.page.models
    for field, text in zip((models.x_m, models.y_m, models.heading), PLACE, strict=True):
        hand.click(partial(middle, field), "a field")
        hand.key("ctrl+a")
        hand.write(text)
    hand.click(lambda: button_with(models, "Spawn"), "Spawn")
    hand.until(lambda: _has(controller, "raptor") or None, "the Raptor")
    hand.see(lambda: models.select("raptor"))
    hand.until(lambda: _topic(stage, SCAN), "a scan", 30)
    hand.click(lambda: _topic(stage, SCAN), "the scan")
    hand.rest(8.0)
    stage.whole("gazebo_panels")


def switch_to_gazebo(stage: Stage) -> None:
    """On the card of the source, beside Real, Logged and Simulated."""
    hand, window = stage.hand, stage.window
    hand.key("ctrl+1")
    hand.until(lambda: window.canvas.isVisible() or None, "the canvas")
    hand.rest(1.0)
    hand.see(lambda: window.canvas.go_to(SOURCE))
    hand.click(partial(title_of, window, SOURCE), "the card")
    hand.key("ctrl+0")  # or the switch of a card cannot be read
    hand.rest(1.0)
    hand.click(lambda: _segment(stage, GAZEBO), "Gazebo")
    hand.until(lambda: _choice(stage) == GAZEBO or None, "the source on Gazebo")
    hand.key("ctrl+z")
    hand.until(lambda: _choice(stage) == "simulated" or None, "the step back")
    hand.click(lambda: _segment(stage, GAZEBO), "Gazebo")
    hand.until(lambda: _choice(stage) == GAZEBO or None, "the source on Gazebo again")
    hand.hover(hand.found(lambda: _segment(stage, GAZEBO), "Gazebo") + QPoint(0, 320))
    hand.rest(1.0)
    stage.whole("gazebo_card")


def drive_to_the_goal(stage: Stage) -> None:
    hand, window, controller = stage.hand, stage.window, stage.window.gazebo
    hand.key("F5")
    hand.until(lambda: window.live.control.is_up or None, "the run", 60)
    hand.key("ctrl+7")
    hand.until(lambda: _away_m(controller, START) is not None or None, "the Raptor")
    hand.until(lambda: (_away_m(controller, START) or 0.0) > 12.0 or None, "the drive", 240)
    stage.whole("gazebo_drive")
    hand.until(lambda: (_away_m(controller, GOAL) or 99.0) < 3.0 or None, "the goal", 600)


def lose_it(stage: Stage) -> None:
    hand, controller = stage.hand, stage.window.gazebo
    local, link = controller.local, controller.link
    assert local is not None and link is not None
    hand.see(local.process.kill)
    hand.until(lambda: link.state.phase is Phase.RECONNECTING or None, "the loss")
    hand.until(lambda: _trouble(stage) or None, "the reason on the card")
    hand.rest(2.0)
    stage.whole("gazebo_lost")


def get_it_back(stage: Stage) -> None:
    hand, window, controller = stage.hand, stage.window, stage.window.gazebo
    hand.click(lambda: button_with(controller.servers, "Start server"), "Start server")
    hand.until(lambda: (controller.link is not None and controller.link.is_connected) or None, "the server again", 60)
    hand.until(lambda: _has(controller, VEHICLE) or None, "the vehicle again", 60)
    hand.until(lambda: (not _trouble(stage)) or None, "the end of the trouble", 60)
    hand.rest(2.0)
    stage.whole("gazebo_back")
    hand.key("shift+F5")
    hand.until(lambda: (not window.live.control.is_up) or None, "the end of the run", 60)
    hand.click(lambda: button_with(controller.servers, "Doctor"), "Doctor")
    hand.until(lambda: "installed" in controller.page.doctor.toPlainText() or None, "the doctor")
    hand.rest(1.0)
    hand.click(lambda: button_with(controller.servers, "Stop server"), "Stop server")
    hand.until(
        lambda: (controller.local is not None and not controller.local.is_running) or None, "the end of the server"
    )


def _choice(stage: Stage) -> str:
    session = stage.window.session
    return choice_of(session.system.source(SOURCE), session.registry)


def _segment(stage: Stage, choice: str) -> QPoint | None:
    card = stage.window.canvas.canvas.nodes[SOURCE]
    found = next(((left, width) for each, left, width in card.card.segments() if each == choice), None)
    if found is None:
        return None
    return on_canvas(stage.window, card.pos() + QPointF(found[0] + found[1] / 2, TITLE + 18))


def _trouble(stage: Stage) -> str:
    components = stage.window.live.feed.state.get("components", {})
    return str(components.get("simulator", {}).get("trouble") or "")


def _away_m(controller: GazeboController, place: tuple[float, float]) -> float | None:
    """The vehicle on the server from a place."""
    models = controller.link.models() if controller.link is not None else []
    at = next((each.placement.position_m for each in models if each.name == VEHICLE), None)
    return None if at is None else math.dist(at[:2], place)


def _has(controller: GazeboController, model: str) -> bool:
    return controller.link is not None and any(each.name == model for each in controller.link.models())


def _topic(stage: Stage, word: str) -> QPoint | None:
    """The middle of the row of the first topic with this word."""
    table = stage.window.gazebo.page.topics
    for place in range(table.rowCount()):
        item, viewport = table.item(place, 0), table.viewport()
        if item is not None and viewport is not None and word in item.text().rpartition("/")[2]:
            return viewport.mapToGlobal(table.visualItemRect(item).center())
    return None


STEPS = (start_a_server, spawn_the_raptor, switch_to_gazebo, drive_to_the_goal, lose_it, get_it_back)


if __name__ == "__main__":
    sys.exit(perform(STEPS, Path(sys.argv[1]), project=PROJECT, in_turn=True))
