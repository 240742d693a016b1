"""The progress of a long way in the status bar."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from studio.editor.live.standing import StopReason, sentence
from studio.editor.running.way_progress import WayProgress


def test_it_comes_with_a_way_that_takes_long_tells_how_far_it_is_and_cancels(qtbot: QtBot) -> None:
    progress = WayProgress()
    qtbot.addWidget(progress)
    progress.follow({"words": "Reloading filter", "part": None})
    assert progress.isHidden()
    with qtbot.waitSignal(progress.shown):
        pass
    assert progress.words.toolTip() == "Reloading filter" and progress.bar.maximum() == 0
    progress.follow({"words": "Reloading filter: recomputing", "part": 0.42})
    assert progress.percent.text() == "42 %" and progress.bar.value() == 420
    with qtbot.waitSignal(progress.cancel_wanted):
        progress.cancel.click()
    assert not progress.cancel.isEnabled()
    progress.follow(None)
    assert progress.isHidden() and progress.cancel.isEnabled()


def test_what_is_over_at_once_is_not_shown(qtbot: QtBot) -> None:
    progress = WayProgress()
    qtbot.addWidget(progress)
    progress.follow({"words": "Going back", "part": 0.5})
    progress.follow(None)
    with qtbot.assertNotEmitted(progress.shown, wait=700):
        pass


def test_the_freeze_bar_says_what_is_under_way_and_not_that_nothing_was_delivered() -> None:
    state = {"stepping": {"last": None, "way": {"words": "Reloading filter", "part": 0.5}}, "components": {}}
    assert sentence(StopReason("stepping", between=True), state) == "Reloading filter, 50 % done"
