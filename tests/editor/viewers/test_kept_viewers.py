"""Viewers that are kept: with the user's own layouts, soon after a change, and closed if they were closed."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.editor.docking.layouts import BUILD
from studio.editor.live.feed import Feed
from studio.editor.look.theme import LIGHT
from studio.editor.panels.data.topics_viewer import TopicsViewer
from studio.editor.panels.parts.run_over import RunOver
from studio.editor.viewers import viewers as viewers_module
from studio.editor.window.main_window import MainWindow


def test_an_own_layout_has_its_viewers(window: MainWindow) -> None:
    window.viewers.add("topics")
    window.viewers.add("votes")
    assert window.layouts.keep("mine") and window.layouts.rename("mine", "yours")
    for name in list(window.viewers.open):
        window.viewers.close(name)
    window.layouts.choose(BUILD)
    assert window.layouts.choose("yours")
    assert sorted(window.viewers.open) == ["topics.1", "votes.1"]
    window.layouts.choose("yours")
    assert sorted(window.viewers.open) == ["topics.1", "votes.1"], "not twice"
    window.layouts.remove("yours")


def test_a_window_that_is_killed_loses_no_viewer(window: MainWindow, rover: Path) -> None:
    window.viewers.add("topics")
    assert window.project._remembering.isActive()
    window.project._remembering.timeout.emit()
    assert "topics.1" in window.layouts.viewers(rover)


def test_what_was_closed_by_hand_does_not_open_by_itself(
    window: MainWindow, rover: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = []
    monkeypatch.setattr(viewers_module, "wishes", lambda *_: [viewers_module.Wish("topics", {})])
    monkeypatch.setattr(window.viewers, "_import", lambda *_: chosen.append(1))
    window.viewers.choose_by_types()
    assert len(chosen) == 1, "a project of which nothing is known"
    window.viewers.add("topics")
    window.docks._docks["topics.1"].requestCloseDockWidget()
    assert not window.viewers.open
    window.viewers.choose_by_types()
    assert window.files.open(rover)
    window.viewers.choose_by_types()
    assert len(chosen) == 1


def test_the_last_picture_of_a_run_is_marked_as_old(window: MainWindow) -> None:
    for kind in ("votes", "scan", "image", "message", "compare", "plot"):
        viewer = window.viewers.add(kind)
        mark = viewer.findChild(RunOver)
        assert mark is not None and mark.isHidden(), kind
        viewer.look_at("test", "/a", lambda _: None)
        viewer.feed.ended.emit(False)
        assert not mark.isHidden(), kind
        viewer.look_at("test", "", lambda _: None)
        assert mark.isHidden() == (not viewer._watches), kind
        viewer._attached()
        assert mark.isHidden(), kind


def test_a_topic_of_another_type_is_shown_as_that(qtbot: QtBot) -> None:
    feed = Feed()
    topics = {"/a": {"type": "Map", "count": 3, "bytes": 30, "rate_hz": 10.0}}
    feed.state = {"topics": topics, "components": {}, "processes": {}}
    viewer = TopicsViewer(feed, LIGHT)
    qtbot.addWidget(viewer)
    row = viewer._rows["/a"]
    assert (row.text(1), row.text(2)) == ("Map", "10.0 Hz")
    topics["/a"]["type"] = "Float64"
    viewer._refresh({"/a"})
    assert row.text(1) == "Float64"
    viewer._ended(False)
    assert (row.text(2), row.text(3), row.text(6)) == ("", "", "3")
    feed.close()


def test_an_empty_viewer_offers_what_would_fill_it(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[str] = []
    monkeypatch.setattr(window.live, "run", lambda: runs.append("run"))
    kinds = ("map", "compare", "votes", "scan", "image", "scene", "message", "states", "causality", "publish",
             "teleop", "topics", "plot")  # fmt: skip
    for kind in kinds:
        viewer = window.viewers.add(kind)
        viewer.show()
        button = viewer.empty.button  # type: ignore[attr-defined]
        assert (button.text(), button.isHidden()) == ("Run the system", False), kind
        button.click()
    assert len(runs) == len(kinds)


def test_an_empty_viewer_of_a_running_system_shows_what_there_is(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    viewer = window.viewers.add("map")
    with monkeypatch.context() as running:
        running.setattr(Feed, "is_attached", property(lambda _: True))
        viewer.show()
    button = viewer.empty.button  # type: ignore[attr-defined]
    assert button.text() == "Show the topics"
    button.click()
    button.click()
    assert [each.KIND for each in window.viewers.open.values()] == ["map", "topics"], "not one more each time"


def test_viewers_that_open_by_themselves_leave_the_keyboard_where_it_is(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a small window they lie over the canvas for a moment, and the palette's field would get the next key."""
    window.activateWindow()
    window.canvas.setFocus()
    QApplication.processEvents()
    with monkeypatch.context() as while_it_runs:
        while_it_runs.setattr(type(window.live.feed), "is_attached", property(lambda _: True))
        window.viewers._open_chosen([viewers_module.Wish("plot", {})])
    QApplication.processEvents()
    assert list(window.viewers.open) == ["plot.1"] and window.docks.is_in_front("system")
    assert window.focusWidget() is window.canvas


def test_viewers_that_open_by_themselves_leave_code_in_front_that_was_opened_meanwhile(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The canvas came in front of it in a small window, and what was typed into the code went into the canvas."""
    file = tmp_path / "thing.py"
    file.write_text("value = 1\n")
    window.activateWindow()
    page = window.code.open_at(file, 1)
    assert page is not None
    page.editor.setFocus()
    QApplication.processEvents()
    with monkeypatch.context() as while_it_runs:
        while_it_runs.setattr(type(window.live.feed), "is_attached", property(lambda _: True))
        window.viewers._open_chosen([viewers_module.Wish("plot", {})])
    QApplication.processEvents()
    assert list(window.viewers.open) == ["plot.1"] and page.isVisible() and not window.canvas.isVisible()
    assert window.focusWidget() is page.editor
