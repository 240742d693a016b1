"""How a log was played and looked at comes back with the layout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pytestqt.qtbot import QtBot

from studio.editor.live.feed import Feed
from studio.editor.look.theme import LIGHT
from studio.editor.panels.player.player_viewer import PlayerViewer
from studio.errors import StudioError
from tests.runtime.replay.played import MS, START, A, B


def test_how_it_was_played_comes_back_with_the_layout(viewer: PlayerViewer, feed: Feed, qtbot: QtBot) -> None:
    fresh = dict(viewer.state)
    left = {
        "rate": None,
        "loop": True,
        "range_ns": [START + 100 * MS, START + 300 * MS],
        "condition": "/rig/a.data > 3",
    }
    viewer.steering._done({"player": {**fresh, **left, "streams": {A: ["/platform/level", False]}}})
    kept = json.loads(json.dumps(viewer.save()))
    asked: list[dict[str, Any]] = []

    def ask(do: str, done: Any, failed: Any, *, timeout_s: float | None, **fields: Any) -> None:
        asked.append(fields)
        if fields["action"] == "stop_when":
            failed(StudioError("no such field"))
        else:
            done({"player": {**feed.state["player"], **left}})

    feed.ask = ask  # type: ignore[method-assign,assignment]
    feed.state["player"] = {}
    again = PlayerViewer(feed, LIGHT)
    qtbot.addWidget(again)
    again.restore(kept)
    feed.state["player"], feed.is_ours = fresh, True
    again.attached()
    assert asked == [
        {"action": "rate", "rate": None}, {"action": "loop", "on": True},
        {"action": "range", "start_ns": START + 100 * MS, "end_ns": START + 300 * MS},
        {"action": "stop_when", "condition": "/rig/a.data > 3"},
        {"action": "enable", "topic": "/platform/level", "on": False},
    ]  # fmt: skip
    again._take_state()
    assert len(asked) == 5, "once, and then it is as people have it"
    asked.clear()
    again.ended()
    again.memory.kept = kept["playing"]
    feed.state["player"] = {**fresh, "rate": 2.0, "log": "/elsewhere/other.mcap"}
    again.attached()
    assert asked == [{"action": "loop", "on": True}], "a rate that was chosen stays, and the range is of another log"


def test_a_system_that_somebody_else_has_started_plays_on_as_it_does(
    viewer: PlayerViewer, feed: Feed, qtbot: QtBot
) -> None:
    fresh, feed.state["player"] = dict(viewer.state), {}
    asked: list[dict[str, Any]] = []
    feed.ask = lambda *_, timeout_s, **fields: asked.append(fields)  # type: ignore[method-assign,assignment]
    again = PlayerViewer(feed, LIGHT)
    qtbot.addWidget(again)
    again.restore({"playing": {"played": Path(fresh["log"]).name, "rate": 4.0, "loop": True, "off": []}})
    feed.state["player"] = fresh
    again.attached()
    assert not asked and again.memory.kept["rate"] == 1.0, "it is only noted how it plays"


def test_the_part_that_is_looked_at_and_the_stream_come_back_with_the_layout(
    viewer: PlayerViewer, feed: Feed, qtbot: QtBot
) -> None:
    settled: list[bool] = []
    viewer.settled.connect(lambda: settled.append(True))
    first, last = viewer.timeline.span_ns
    viewer.timeline.show_span(first + (last - first) // 4, last - (last - first) // 4)
    viewer.timeline.choose(B)
    assert settled
    again = PlayerViewer(feed, LIGHT)
    qtbot.addWidget(again)
    again.restore(viewer.save())
    assert again.save() == viewer.save(), "nothing is lost while the log is still being read"
    qtbot.waitUntil(lambda: again.timeline.outline is not None, timeout=20_000)
    assert again.timeline.span_ns == viewer.timeline.span_ns and again.timeline.chosen == B
