"""A log from the simulator, written as CARMEN, is read again as what it was: really driven, written and imported."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QProcess
from pytestqt.qtbot import QtBot

from studio.editor.live.feed import Feed
from studio.editor.live.run_control import RunControl
from studio.editor.log_files.controller import SIMULATED
from studio.editor.log_files.simulated_log import SimulatedLog, takes_carmen
from studio.editor.window.main_window import MainWindow
from studio.errors import StudioError
from studio.messages import Odometry, PoseTransform, Range3d, decode
from studio.model.document import SystemDocument
from studio.runtime.recording import LogReader
from studio.runtime.recording.facts.carmen_writer import write_carmen
from studio.runtime.recording.importers import import_log
from tests.runtime.recording.logs import story, write_log

PATIENCE_MS = 120_000
pytestmark = pytest.mark.timeout(240)


def test_a_drive_becomes_a_corrected_carmen_log(tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    feed = Feed()
    drive = SimulatedLog(RunControl(feed).studio, tmp_path / "recordings", seconds=2.0)
    end = drive._home.cleanup
    monkeypatch.setattr(drive._home, "cleanup", lambda: None)  # the recording is compared below
    made: list[Path] = []
    drive.made.connect(made.append)
    drive.failed.connect(pytest.fail)
    drive.start()
    qtbot.waitUntil(lambda: bool(made), timeout=PATIENCE_MS)
    report = import_log(made[0], tmp_path / "back.mcap")
    assert "the poses of its scans were corrected: they are in frame map" in report.notes
    assert report.damage_count == 0 and not report.not_mapped
    with LogReader(drive._recording) as before, LogReader(tmp_path / "back.mcap") as after:
        scans = after.topics["/carmen/laser"].count
        assert after.topics["/carmen/odom"].count == before.topics["/pioneer/odometry"].count + scans
        for place in (-5, -1):
            new = decode(Range3d, _at(after, "/carmen/laser", place))
            old = decode(Range3d, _at(before, "/pioneer/laser", place))
            assert len(new) == len(old) and np.abs(new.points[:, :2] - old.points[:, :2]).max() < 0.002
        true = decode(PoseTransform, _at(before, "/pioneer/true_pose", -1)).to_xyz_rpy()
        corrected = decode(PoseTransform, _at(after, "/carmen/pose", -1)).to_xyz_rpy()
        mount_m = np.hypot(corrected[0] - true[0], corrected[1] - true[1])
        assert mount_m < 0.3 and abs(corrected[5] - true[5]) < 0.01, "the laser sits on the robot"
        # As in every corrected log, the odometry starts again at the pose of each scan: carmen_mapping waits for that.
        started = decode(Odometry, _at(after, "/carmen/scan_odom", -1))
        repeated = [decode(Odometry, event.payload) for event in after.events(["/carmen/odom"])]
        assert any((each.position == started.position).all() and each.stamp_ns == started.stamp_ns for each in repeated)
    end()
    feed.close()


def _at(log: LogReader, topic: str, place: int) -> bytes:
    return log.nth(topic, place if place >= 0 else log.topics[topic].count + place).payload


def test_a_log_without_a_laser_says_what_is_missing(tmp_path: Path) -> None:
    write_log(tmp_path / "story.mcap", story())
    with pytest.raises(StudioError, match="which a CARMEN log needs"):
        write_carmen(tmp_path / "story.mcap", tmp_path / "story.log")
    assert not (tmp_path / "story.log").exists()


def test_only_what_plays_carmen_is_offered_one(checkout: Path) -> None:
    for project, wanted in (("carmen_mapping", True), ("raptor_blocks_world", False)):
        system = SystemDocument.load(checkout / "projects" / project).system
        assert [takes_carmen(source) for source in system.sources] == [wanted] * len(list(system.sources))


def test_a_drive_for_one_project_does_not_play_in_the_next(window: MainWindow, qtbot: QtBot) -> None:
    window.logs.record_simulated()
    drive = window.logs._simulated
    assert drive is not None and drive._process is not None
    process = drive._process
    window.show_session(None)
    assert window.logs._simulated is None and not window.notice.asks(SIMULATED)
    qtbot.waitUntil(lambda: process.state() == QProcess.ProcessState.NotRunning, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not Path(drive._home.name).exists())
