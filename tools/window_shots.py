"""Takes pictures of the real window in states that the guide explains; `docs_shots.py` gives it a screen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from PyQt6.QtCore import QPoint

from studio.editor.project.trust_dialog import TrustDialog
from studio.editor.window.preferences import PreferencesDialog
from studio.runtime.client import trust
from tools.hand import Stuck
from tools.screen_places import file_field, port_of, shown, title_of
from tools.stage import LARGE, ROOT, SMALL, Stage, perform
from tools.walk_shots import is_fed, rest_on_wire, tiles_are_drawn

MISSPELT = (
    ('type="low_pass"', 'type="low_pas"'),
    ('from="signal.value" to="before', 'from="signal.valeu" to="before'),
    ('name="frequency_hz"', 'name="freqency_hz"'),
)


def welcome(stage: Stage) -> None:
    """With projects and a log that were open lately; on a large screen, where the guide is seen too."""
    hand, window = stage.hand, stage.window
    stage.resize(LARGE)
    for name in ("carmen_mapping", "raptor_blocks_world", "first_steps"):
        stage.open(stage.copy_of(name))
    log = stage.home / "logs" / "sine_and_square.mcap"
    log.parent.mkdir()
    words = [
        sys.executable,
        "-m",
        "studio",
        "run",
        "first_steps",
        "--for",
        "20",
        "--gate",
        "lockstep",
        "--record",
        str(log),
    ]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    hand.see(lambda: window.show_session(None))
    hand.key("ctrl+shift+o")
    hand.click(lambda: file_field(window), "the dialog that opens a log")
    hand.key("ctrl+a")
    hand.write(str(log))
    hand.key("Return")
    hand.until(lambda: window.has_session and window.live.feed.is_attached, "the log to play")
    hand.until(lambda: window.live.control.phase == "running", "the log to play")
    hand.rest(3.0)
    stage.stop()
    stage.tidy()
    hand.see(lambda: window.show_session(None))
    hand.hover(QPoint(700, 1000))  # not on a tile, which would be lit
    stage.whole("window_welcome", ready=lambda: tiles_are_drawn(stage))
    stage.resize(SMALL)


def one_selected(stage: Stage) -> None:
    _first_steps(stage)
    stage.whole("window_canvas")


def a_map_of_a_building(stage: Stage) -> None:
    stage.resize(LARGE)
    stage.open(stage.copy_of("carmen_mapping"))
    stage.hand.click(lambda: title_of(stage.window, "robot"), "the card of the robot")
    stage.whole("window_source")
    stage.resize(SMALL)


def a_wire_in_the_making(stage: Stage) -> None:
    """To a port that fits; nothing is connected."""
    hand, window = stage.hand, stage.window
    _first_steps(stage)

    def pull() -> None:
        _let_go(stage)
        start = hand.found(lambda: port_of(window, "filter", "smooth"), "the port of the filter")
        hand.take(start, hand.found(lambda: port_of(window, "before", "value"), "the port of the sink"))

    stage.whole("window_wiring", ready=pull)
    _let_go(stage)


def what_fits(stage: Stage) -> None:
    hand, window = stage.hand, stage.window
    _first_steps(stage)

    def drop() -> None:
        _let_go(stage)
        start = hand.found(lambda: port_of(window, "filter", "smooth"), "the port of the filter")
        hand.drag(start, start + QPoint(40, 60))
        hand.until(lambda: window.canvas.quick_add.isVisible(), "what fits")

    stage.whole("window_quick_add", ready=drop)
    _let_go(stage)


def running(stage: Stage) -> None:
    """With the pointer resting on a wire."""
    _first_steps(stage)
    _run_alone(stage)
    stage.hand.until(lambda: is_fed(stage.window, "before"), "events at the sink")
    stage.hand.rest(6.0)
    stage.whole("window_running", ready=lambda: rest_on_wire(stage, "signal.value", "before.value"))
    if (phase := stage.hand.see(lambda: stage.window.live.control.phase)) != "running":
        raise Stuck(f"the system should run, but is {phase}")
    stage.stop()


def one_has_failed(stage: Stage) -> None:
    """A component that raises at its third value, wired into the example."""
    hand, window = stage.hand, stage.window
    folder = _variant(stage, "with_a_fault")
    shutil.copytree(ROOT / "tests" / "misbehaving" / "fragile", folder / "components" / "fragile")
    extra = '<component name="fragile" type="fragile"/>\n  <wire from="filter.smooth" to="fragile.value"/>\n</system>'
    _change(folder / "system.xml", ("</system>", extra))
    _change(folder / "layout.xml", ("</layout>", '<place of="fragile" x="640" y="320"/></layout>'))
    stage.open(folder)
    _run_alone(stage)
    hand.until(lambda: window.live.feed.state["components"]["fragile"]["state"] == "error", "the failure")
    hand.key("f")
    hand.click(lambda: title_of(window, "fragile"), "the card that failed")
    hand.rest(3.0)
    stage.whole("window_error")
    stage.stop()


def things_to_mend(stage: Stage) -> None:
    folder = _variant(stage, "misspelt")
    _change(folder / "system.xml", *MISSPELT)
    stage.open(folder)
    stage.whole("window_problems")


def asked_for_trust(stage: Stage) -> None:
    """A project that brings a component of its own, and nobody has trusted it yet."""
    hand, window = stage.hand, stage.window
    folder = _variant(stage, "from_elsewhere")
    shutil.copytree(ROOT / "components" / "low_pass", folder / "components" / "own_filter")
    for file in (folder / "components" / "own_filter").glob("component.xml"):
        _change(file, ('type="low_pass"', 'type="own_filter"'))
    shutil.copytree(ROOT / "components" / "c_filter", folder / "components" / "c_filter")
    _change(folder / "system.xml", ('type="low_pass"', 'type="own_filter"'))
    extra = '<component name="smoother" type="c_filter"/>\n  <wire from="signal.value" to="smoother.raw"/>\n</system>'
    _change(folder / "system.xml", ("</system>", extra))
    _change(folder / "layout.xml", ("</layout>", '<place of="smoother" x="320" y="320"/></layout>'))
    stage.open(folder)

    def ask() -> None:
        stage.tidy()
        hand.key("F5")
        hand.until(lambda: shown(window, TrustDialog), "the question")

    trusted = os.environ.pop(trust.VARIABLE)
    try:
        stage.whole("window_trust", ready=ask)
        stage.tidy()
    finally:
        os.environ[trust.VARIABLE] = trusted


def preferences(stage: Stage) -> None:
    _first_steps(stage)

    def open_it() -> None:
        stage.tidy()
        stage.hand.key("ctrl+comma")
        stage.hand.until(lambda: shown(stage.window, PreferencesDialog), "the preferences")

    stage.whole("window_preferences", ready=open_it)
    stage.tidy()


# ---- what a hand does


def _first_steps(stage: Stage) -> None:
    stage.open(stage.copy_of("first_steps"))
    stage.hand.click(lambda: title_of(stage.window, "filter"), "the card of the filter")


def _variant(stage: Stage, name: str) -> Path:
    """The example once more, to be changed."""
    folder = stage.home / name / "first_steps"
    shutil.copytree(ROOT / "projects" / "first_steps", folder, ignore=shutil.ignore_patterns("logs", "__pycache__"))
    return folder


def _change(file: Path, *pairs: tuple[str, str]) -> None:
    text = file.read_text()
    for old, new in pairs:
        if old not in text:
            raise Stuck(f"{file.name} has no {old} any more")
        text = text.replace(old, new)
    file.write_text(text)


def _run_alone(stage: Stage) -> None:
    """Without the plot that would open by itself: the canvas is what is shown."""
    hand, window = stage.hand, stage.window
    hand.see(lambda: window.live.feed.attached.disconnect(window.viewers.choose_by_types))
    try:
        hand.key("F5")
        hand.until(lambda: window.live.control.phase == "running", "the system to run")
    finally:
        hand.see(lambda: window.live.feed.attached.connect(window.viewers.choose_by_types))


def _let_go(stage: Stage) -> None:
    stage.hand.key("Escape")
    stage.hand.drop()
    stage.hand.key("Escape")


STEPS = (
    welcome, one_selected, a_wire_in_the_making, what_fits, running, one_has_failed, things_to_mend, asked_for_trust,
    preferences, a_map_of_a_building,
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(perform(STEPS, Path(sys.argv[1]), size=SMALL))
