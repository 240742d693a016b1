"""The LogPlayer on a real log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.editor.live.feed import Feed
from studio.editor.look.theme import LIGHT
from studio.editor.panels.player.player_viewer import PlayerViewer
from studio.runtime.recording import LogReader
from tests.runtime.replay.played import A, write_rig


@pytest.fixture
def feed(qapp: QApplication) -> Iterator[Feed]:
    made = Feed()
    made.state = {"topics": {}, "components": {}, "processes": {}}
    yield made
    made.close()


@pytest.fixture
def viewer(feed: Feed, tmp_path: Path, qtbot: QtBot) -> PlayerViewer:
    """On a real log of three streams, one of which is played; what is asked is written down."""
    path = tmp_path / "rig.mcap"
    write_rig(path)
    with LogReader(path) as log:
        first, last = log.start_ns, log.end_ns
    feed.state["player"] = {
        "log": str(path), "playing": False, "time_ns": first, "start_ns": first, "end_ns": last, "number": 0,
        "count": 100, "rate": 1.0, "loop": False, "range_ns": None, "streams": {A: ["/platform/level", True]},
        "condition": "", "stopped": None,
    }  # fmt: skip
    feed.state["stepping"] = {"can_go_back": True, "why_not": ""}
    made = PlayerViewer(feed, LIGHT)
    made.resize(1500, 240)
    qtbot.addWidget(made)
    qtbot.waitUntil(lambda: made.timeline.outline is not None, timeout=20_000)
    made.asked = []  # type: ignore[attr-defined]
    made.steering.ask = lambda action, **fields: made.asked.append((action, fields))  # type: ignore[attr-defined,method-assign]
    made.show()
    return made
