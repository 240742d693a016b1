"""Takes the pictures of the guide's pages on viewers and sources: of the Raptor that really drives, and of its log."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QPoint, QRect, QSize, Qt, QTimer
from PyQt6.QtWidgets import QAbstractButton, QWidget

from studio.editor.docking.layouts import BUILD, RUN
from studio.editor.live.clock_words import time_text
from studio.editor.log_files.record import RecordDialog
from studio.editor.views.shared.field_drag import Field
from studio.editor.window.arrangements import for_watching
from studio.editor.window.main_window import MainWindow
from tools.hand import Stuck
from tools.screen_places import button_with, dock_area, dock_tab, middle, shown, title_of
from tools.stage import LARGE, Stage, perform

PANEL = QSize(1500, 900)
"""Of the window, for pictures of one panel: what is in the middle of it has a size that a page can show."""
COMPACT = QSize(1300, 640)
"""For panels that are low by nature."""
TERRAIN, TRAVERSE, COMMAND, POSE = (
    "/terrain_map/terrain",
    "/traverse_map/traverse",
    "/arc_arbiter/command",
    "/platform/pose",
)
EARLIEST_S, LATEST_S = 9.0, 27.0
"""Of a drive: there is a map by then, and the goal is not yet reached."""


def it_drives(stage: Stage) -> None:
    """The viewers that open by themselves."""
    hand, window = stage.hand, stage.window
    hand.rest(2.0)  # until all panels of a project that has just been opened stand where they should
    hand.see(lambda: for_watching(window))  # as `make run` shows it
    hand.key("F5")
    hand.until(lambda: window.live.control.phase == "running", "the Raptor to drive")
    hand.until(lambda: len(window.viewers.open) >= 4, "the viewers that open by themselves")
    on_the_way(stage)
    hand.rest(4.0)
    hand.see(window.canvas.fit)
    stage.whole("viewers_raptor")
    hand.see(window.viewers.close_all)
    hand.see(lambda: window.layouts.choose(BUILD))
    stage.resize(PANEL)


def terrain(stage: Stage) -> None:
    with_panel(stage, "viewers_map", "map", {"topic": TERRAIN, "pose": POSE, "follow": False}, look=_fit_map)


def layers_of_a_map(stage: Stage) -> None:
    """On a large screen: the form lies over the map."""
    hand, window = stage.hand, stage.window
    on_the_way(stage)
    stage.resize(LARGE)
    settings = {"topic": TERRAIN, "pose": POSE, "follow": False, "things": {"votes": True, "scans": True}}
    name, viewer = put(stage, "map", settings)
    hand.see(lambda: viewer.layering.add(TRAVERSE))
    _fit_map(stage, viewer)

    def unfold() -> None:
        hand.see(viewer.layers.hide)
        hand.see(lambda: viewer.layers.open_below(viewer.more))
        hand.see(lambda: viewer.layers.move(viewer.mapToGlobal(QPoint(16, 48))))  # the legend is at the right

    stage.part("viewers_layers", lambda: dock_area(window, name), ready=unfold)
    hand.see(viewer.layers.hide)
    hand.see(lambda: window.viewers.close(name))
    stage.resize(PANEL)


def votes(stage: Stage) -> None:
    with_panel(stage, "viewers_votes", "votes", {"topic": COMMAND})


def a_scan(stage: Stage) -> None:
    with_panel(stage, "viewers_scan", "scan", {"topic": "/platform/laser_left"}, look=_fit_map)


def curves(stage: Stage) -> None:
    """From the first command on."""

    def fill(stage: Stage, plot: Any) -> None:
        for path in ("speed_m_s", "steering_angle_rad"):
            stage.hand.see(lambda path=path: plot.add(Field(COMMAND, path)))  # type: ignore[misc]
        stage.hand.until(lambda: driven_s(stage) > LATEST_S - 6, "a curve")

    with_panel(stage, "viewers_plot", "plot", {}, look=fill, latest_s=2.0)


def topics(stage: Stage) -> None:
    def unfold(stage: Stage, viewer: Any) -> None:
        stage.hand.rest(2.0)
        row = stage.hand.until(
            lambda: next(
                iter(viewer.tree.findItems(COMMAND, Qt.MatchFlag.MatchRecursive | Qt.MatchFlag.MatchExactly, 0)), None
            ),
            "the topic",
        )
        stage.hand.see(lambda: row.setExpanded(True))
        stage.hand.see(lambda: viewer.tree.scrollToItem(row))
        stage.hand.rest(2.0)

    with_panel(stage, "viewers_topics", "topics", {}, look=unfold)


def what_is_said(stage: Stage) -> None:
    """The console, with more room than it has in the layout for running."""
    hand, window = stage.hand, stage.window
    hand.see(lambda: window.layouts.choose(RUN))
    hand.see(lambda: window.docks.move("console", "tab", beside="system"))
    hand.click(lambda: dock_tab(window, "console"), "the console")
    hand.rest(2.0)
    stage.part("viewers_console", lambda: dock_area(window, "console"))
    hand.see(lambda: window.layouts.choose(BUILD))


def seen_in_the_scene(stage: Stage) -> None:
    def paint(stage: Stage, scene: Any) -> None:
        painted = stage.hand.see(lambda: scene.view.painted)
        stage.hand.until(lambda: scene.view.painted > painted + 5, "the scene")

    with_panel(stage, "viewers_scene", "scene", {"map": TERRAIN, "pose": POSE}, look=paint)


def field_by_field(stage: Stage) -> None:
    def hold(stage: Stage, viewer: Any) -> None:
        stage.hand.see(lambda: viewer.tree.open_paths(["matrix", "matrix.[0]"]))
        stage.hand.see(lambda: viewer.choose(POSE))
        stage.hand.rest(2.1)
        stage.hand.click(lambda: middle(viewer.hold), "Hold")

    with_panel(stage, "viewers_message", "message", {}, look=hold)


def how_a_command_came_about(stage: Stage) -> None:
    def explain(stage: Stage, viewer: Any) -> None:
        stage.hand.rest(2.5)
        stage.hand.see(lambda: viewer.explain(COMMAND, 0))
        stage.hand.rest(3.0)

    with_panel(stage, "viewers_causality", "causality", {}, look=explain)


def states_over_time(stage: Stage) -> None:
    """One component was restarted."""
    stage.resize(COMPACT)
    stage.hand.see(lambda: stage.window.live.control.restart(["waypoint_follower"]))
    stage.hand.rest(5.0)

    def fit(stage: Stage, viewer: Any) -> None:
        stage.hand.rest(1.0)
        stage.hand.click(lambda: middle(viewer.fit), "Show everything")

    with_panel(stage, "viewers_states", "states", {}, look=fit)


def a_service_is_called(stage: Stage) -> None:
    def call(stage: Stage, viewer: Any) -> None:
        stage.hand.rest(1.2)
        stage.hand.click(lambda: middle(viewer.once), "Call")
        stage.hand.rest(1.5)

    settings = {"deed": "Call a service", "target": "arc_arbiter.get_command"}
    with_panel(stage, "viewers_publish", "publish", settings, look=call)


def driven_by_hand(stage: Stage) -> None:
    """The stick is held by the mouse."""
    hand, window = stage.hand, stage.window
    name, viewer = put(stage, "teleop", {})
    hand.rest(1.0)

    def pull() -> None:
        hand.drop()
        at = hand.found(lambda: middle(viewer.stick), "the stick")
        size = hand.see(viewer.stick.height)
        hand.take(at, at + QPoint(-size // 8, -size // 4))
        hand.until(lambda: viewer.stick.is_held, "the stick in the hand")
        hand.rest(0.8)

    stage.part("viewers_drive", lambda: dock_area(window, name), ready=pull)
    hand.drop()
    hand.see(lambda: window.viewers.close(name))
    stage.resize(PANEL)


def recorded(stage: Stage) -> None:
    hand, window = stage.hand, stage.window
    on_the_way(stage, latest_s=12.0)
    hand.see(lambda: QTimer.singleShot(0, window.logs.ask_record))
    hand.until(lambda: shown(window, RecordDialog), "the choice of topics")
    stage.part("logs_choice", lambda: shown(window, RecordDialog))
    stage.tidy()
    hand.click(lambda: middle(window.toolbar.record), "Record")
    hand.until(lambda: bool((window.logs.report or {}).get("events")), "events in the log")
    hand.rest(9.0)
    hand.click(lambda: middle(window.toolbar.record), "the end of the recording")
    hand.until(lambda: window.notice.isVisible(), "what can be done with the log")
    stage.area("logs_record", lambda: QRect(0, 0, window.width(), _below(window.notice)))


def before_it_is_switched(stage: Stage) -> None:
    hand, window = stage.hand, stage.window
    stage.resize(LARGE)
    hand.see(lambda: window.viewers.add("map", {"topic": TERRAIN, "pose": POSE}))
    hand.see(lambda: window.viewers.add("votes"))
    hand.see(window.canvas.fit)
    hand.click(lambda: button_with(window.notice, "Play in this project"), "Play in this project")
    hand.until(lambda: window.sources.card is not None, "the card that tells what will happen")

    stage.whole("sources_card")
    hand.click(lambda: middle(window.sources.card.go) if window.sources.card else None, "the switch")
    hand.until(lambda: bool(window.live.feed.state.get("player")), "the log to play")


def the_log_plays(stage: Stage) -> None:
    hand, window = stage.hand, stage.window
    name, player = hand.until(lambda: _first(window, "player"), "the LogPlayer")
    hand.see(lambda: window.docks.show(name))
    hand.see(lambda: window.docks.give_height(name, 300))
    hand.until(lambda: player.timeline.outline is not None, "the time line")
    hand.see(lambda: player._seek(sum(player.timeline.span_ns) // 2))
    hand.rest(3.0)
    hand.see(lambda: player.marks.add("the first corner"))
    hand.rest(1.0)
    stage.whole("logs_flipped")
    stage.part("logs_player", lambda: dock_area(window, name))


def it_would_be_real(stage: Stage) -> None:
    hand, window = stage.hand, stage.window
    stage.stop()
    hand.see(window.viewers.close_all)
    stage.resize(QSize(1280, 800))
    hand.click(lambda: middle(window.toolbar.switch.buttons["real"]), "Real")
    hand.rest(1.0)
    stage.whole("sources_arm")
    hand.see(lambda: _press(window, "Use without arming"))
    hand.until(lambda: window.toolbar.switch.modes().get("platform") == "real", "the real vehicle")
    hand.click(lambda: title_of(window, "platform"), "the card of the source")
    stage.whole("sources_real")


# ---- how


def with_panel(
    stage: Stage,
    picture: str,
    kind: str,
    settings: dict[str, Any],
    *,
    look: Callable[[Stage, Any], None] | None = None,
    latest_s: float = LATEST_S,
) -> None:
    """A picture of one panel, in the middle of the window; `look` makes it show what it should."""
    on_the_way(stage, latest_s)
    name, viewer = put(stage, kind, settings)
    try:
        if look is not None:
            look(stage, viewer)
        else:
            stage.hand.rest(2.5)
        stage.part(picture, lambda: dock_area(stage.window, name))
    finally:
        stage.hand.see(lambda: stage.window.viewers.close(name))


def put(stage: Stage, kind: str, settings: dict[str, Any]) -> tuple[str, Any]:
    """A viewer as a tab of the document, and in front."""
    window = stage.window

    def open_one() -> tuple[str, Any]:
        before, window.viewers.as_tabs = window.viewers.as_tabs, lambda: True
        viewer = window.viewers.add(kind, settings)
        window.viewers.as_tabs = before
        name = next(name for name, each in window.viewers.open.items() if each is viewer)
        window.docks.show(name)
        return name, viewer

    return stage.hand.see(open_one)


def driven_s(stage: Stage) -> float:
    """Since the drive began; the clock of the simulation goes on when it begins anew."""
    hours, minutes, rest = time_text(stage.window.live.feed.state).split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest) - stage.began_s


def on_the_way(stage: Stage, latest_s: float = LATEST_S) -> None:
    """The vehicle drives and has not arrived; if it has, it begins anew."""
    hand, control = stage.hand, stage.window.live.control
    if hand.see(lambda: control.phase) != "running":
        raise Stuck("the Raptor does not drive")
    if hand.see(lambda: driven_s(stage)) > latest_s:
        hand.see(control.begin_anew)
        hand.rest(1.0)
        stage.began_s += hand.see(lambda: driven_s(stage))
    hand.until(lambda: driven_s(stage) >= min(EARLIEST_S, latest_s - 2), "some metres of the drive")


def _fit_map(stage: Stage, viewer: Any) -> None:
    stage.hand.rest(6.0)  # for a way that can be seen
    stage.hand.see(viewer.view.fit)
    stage.hand.rest(0.6)


def _first(window: MainWindow, kind: str) -> tuple[str, Any] | None:
    return next(((name, viewer) for name, viewer in window.viewers.open.items() if kind == viewer.KIND), None)


def _below(widget: QWidget) -> int:
    return widget.mapToGlobal(QPoint(0, widget.height())).y() + 2


def _press(window: MainWindow, text: str) -> None:
    for button in window.findChildren(QAbstractButton):
        if button.isVisible() and button.text() == text:
            button.click()
            return
    raise Stuck(f"there is no button {text}")


STEPS = (
    it_drives, terrain, layers_of_a_map, votes, a_scan, curves, topics, what_is_said, seen_in_the_scene, field_by_field,
    how_a_command_came_about, states_over_time, a_service_is_called, driven_by_hand, recorded, before_it_is_switched,
    the_log_plays, it_would_be_real,
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(perform(STEPS, Path(sys.argv[1]), project="raptor_blocks_world"))
