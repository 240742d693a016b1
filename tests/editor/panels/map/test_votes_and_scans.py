"""Votes and scans with real messages."""

from __future__ import annotations

import numpy as np
import pytest

from studio.editor.live.feed import Feed
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.map.scan_viewer import ScanViewer
from studio.editor.panels.map.votes_viewer import VotesViewer
from studio.editor.views.maps.votes_view import FOOT, LEAST_FAN, Chosen, more_words
from studio.messages import Range3d, Velocity, Vote
from tests.editor.panels.given import event


def test_how_sure_the_voters_are_of_the_choice_is_told_in_words(feed: Feed) -> None:
    arcs = np.linspace(-0.2, 0.2, 5)
    sure = Vote.over(arcs, vote=np.zeros(5), confidence=0.9)
    unsure = Vote.over(arcs, vote=np.zeros(5), confidence=np.array([0.0, 0.0, 0.0, 0.0, 0.1]))
    view = VotesViewer(feed, DARK).view
    view.show_chosen(Chosen(0.2, -1.8))
    none = Vote.over(arcs, vote=np.zeros(5), confidence=0.0)
    assert view.choice_words({"a": sure, "b": unsure, "c": none}) == (
        "chosen arc +0.200 1/m", "−1.8 m/s", "voters are fairly sure (weight 0.5)",
    ), "who has no say does not count"  # fmt: skip
    assert view.choice_words({"b": unsure})[2] == "voters are unsure (weight 0.1)"
    view.show_chosen(Chosen(-0.2, 1.0))
    assert view.choice_words({"b": unsure})[2] == "voters do not know (weight 0)"
    assert view.choice_words({"c": none})[2] == ""


def test_who_may_take_no_arc_has_chosen_none(feed: Feed) -> None:
    """The fan showed a thick arc in the middle of all the crosses, with 0.0 m/s beside it."""
    arcs = np.linspace(-0.2, 0.2, 5)
    against = {"a": Vote.over(arcs, vote=np.zeros(5), veto=np.ones(5, bool))}
    view = VotesViewer(feed, DARK).view
    view.show_chosen(Chosen(0.2, 0.0))
    assert view.way_to_go(against) is None
    assert view.choice_words(against) == ("stopped: every arc is vetoed",)
    view.show_chosen(Chosen(0.2, 1.0))
    assert view.way_to_go(against) == view.chosen, "it drives all the same"


def test_a_scan_that_has_not_come_is_named(feed: Feed) -> None:
    feed.state["topics"] = {"/platform/laser": {"type": "Range3d", "count": 0}}
    viewer = ScanViewer(feed, DARK)
    words = viewer.empty.words
    assert words.text() == "No scan on /platform/laser yet"
    feed.state["topics"]["/platform/laser"] = {"type": "Range3d", "count": 1}
    viewer.attached()
    assert words.text() == "Waiting for the next scan on /platform/laser", "one came before anybody looked"
    viewer._take([event("/platform/laser", Range3d.from_xyz([[1, 0, 0]]))])
    assert viewer.facts.text()
    viewer.attached()
    assert viewer.empty.isVisibleTo(viewer) and not viewer.facts.text(), "of another run"


def test_a_component_that_votes_in_two_ways_is_two_voters(feed: Feed) -> None:
    """They had one row, in which each wrote over the other."""
    viewer = VotesViewer(feed, DARK)
    arcs = np.linspace(-0.2, 0.2, 5)
    viewer._take_votes([event("/avoid/votes", Vote.over(arcs, vote=np.zeros(5)))])
    assert list(viewer.view.votes) == ["avoid"]
    feed.state["topics"]["/avoid/doubts"] = {"type": "Vote", "count": 5}
    viewer.topics_changed()
    for topic in ("/avoid/votes", "/avoid/doubts"):
        viewer._take_votes([event(topic, Vote.over(arcs, vote=np.zeros(5)))])
    assert sorted(viewer.view.votes) == ["avoid/doubts", "avoid/votes"]


def test_voters_that_have_no_row_are_counted(feed: Feed) -> None:
    viewer = VotesViewer(feed, DARK)
    viewer.resize(500, 500)
    viewer.grab()  # lays it out
    for number in range(8):
        viewer._take_votes([event(f"/v{number}/votes", Vote.over([0.0], vote=[0.5]))])
    assert more_words(8, 8) == "" and not viewer.view.toolTip()
    before = viewer.view.grab().toImage()
    viewer._take_votes([event("/v8/votes", Vote.over([0.0], vote=[0.5]))])
    assert more_words(9, 8) == "+ 1 more" and viewer.view.toolTip() == "Without a row: v8"
    assert viewer.view.grab().toImage() != before


def test_a_low_panel_cuts_nothing_off(feed: Feed) -> None:
    """The words below the rows were cut in half, and of the fan there was a stamp."""
    view = VotesViewer(feed, DARK).view
    for height in (180, 200, 240, 500):
        view.resize(380, height)
        for voters in (1, 4, 8):
            rows = view.rows_for(voters)
            fan = height - rows * view.row - FOOT
            assert rows >= 1 and fan >= LEAST_FAN
    view.resize(380, 214)
    assert view.rows_for(4) == 4, "all of the Raptor, in the place where they open by themselves"


def test_the_end_of_a_run_is_told_beside_the_fan(feed: Feed) -> None:
    viewer = VotesViewer(feed, DARK)
    viewer.resize(446, 260)
    viewer.show()
    viewer._take_votes([event("/avoid/votes", Vote.over([0.0], vote=[0.5]))])
    viewer._ended(died=False)
    assert viewer.over.isVisible() and viewer.over.x() > viewer.width() / 2 + 60


def test_votes_of_all_voters_and_the_choice(feed: Feed) -> None:
    viewer = VotesViewer(feed, DARK)
    viewer.resize(400, 300)
    viewer._take_votes([event("/avoid/votes", Vote.over(np.linspace(-0.2, 0.2, 9), vote=np.linspace(-1, 1, 9)))])
    viewer._take_votes([event("/follow/votes", Vote.over([-0.1, 0.1], vote=[0.0, np.nan], veto=[True, False]))])
    viewer._take_votes([event("/silent/votes", Vote.over([]))])
    viewer._take_command([event("/arbiter/command", Velocity(steering_angle_rad=0.1, speed_m_s=1.0))])
    assert viewer.view.chosen is not None and viewer.view.chosen.speed_m_s == pytest.approx(1.0)
    assert not viewer.grab().isNull()
    assert set(viewer.view.votes) == {"avoid", "follow", "silent"}


def test_a_scan_with_beams_that_saw_nothing(feed: Feed) -> None:
    viewer = ScanViewer(feed, LIGHT)
    assert viewer.topic.topic == "/platform/laser", "the topic that says the most, not the first one"
    scan = Range3d.from_xyz([[1, 0, 0], [np.nan, 0, 0], [0, np.inf, 0]], frame="Laser:Scan")
    viewer._take([event("/platform/laser", scan)])
    assert "3 points · 2 without an echo · Laser:Scan" in viewer.facts.text()
    assert not viewer.grab().isNull()


def test_a_scan_without_anything_says_so(feed: Feed) -> None:
    """It was an empty picture."""
    viewer = ScanViewer(feed, LIGHT)
    viewer._take([event("/platform/laser", Range3d())])
    assert viewer.view.notes == ("The scan has no points",)
    blind = Range3d.from_polar(np.full(5, np.nan), 0.0, 0.1, keep_missing=True)
    viewer._take([event("/platform/laser", blind)])
    assert viewer.view.notes == ("No beam of the scan has an echo",)
    viewer._take([event("/platform/laser", Range3d.from_xyz([[1, 0, 0]]))])
    assert viewer.view.notes == ()


def test_the_vehicle_of_a_scan_is_wholly_in_a_narrow_view(feed: Feed) -> None:
    """A scanner that looks ahead has it at the very edge, where half of it was cut off."""
    viewer = ScanViewer(feed, LIGHT)
    viewer.resize(200, 400)
    viewer.show()
    viewer._take([event("/platform/laser", Range3d.from_xyz([[4, -4, 0], [9, 0, 0], [4, 4, 0]]))])
    assert viewer.view.world().pixel_of(0.0, 0.0)[0] >= 12.0
