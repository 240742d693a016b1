"""The mapping example: on a log made here, and on a piece of a real one where it is at hand."""

from __future__ import annotations

import gzip
import importlib
import json
import math
import subprocess
import sys
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from studio.messages import Map, PoseTransform, decode
from studio.model.loaded_project import open_project
from studio.runtime.recording import LogReader
from studio.runtime.recording.importers import import_log
from studio.runtime.replay.lockstep import Result, replay_lockstep
from tests.components.room import Pose, measured
from tests.conftest import ROOT

PROJECT = ROOT / "projects/carmen_mapping"
INTEL = ROOT.parent / "shared/data/carmen/intel-corrected.log.gz"
REAL_SCANS = 20


def replayed(log: Path, out: Path, *, in_process: bool = True) -> Result:
    opened = open_project(PROJECT)
    result = replay_lockstep(
        opened.project, log, specs=opened.registry, types=opened.types, in_process=in_process, record=out
    )
    assert result.failures == {}
    return result


def evaluated(log: Path, *words: str) -> tuple[int, str, str]:
    """The tool as a process of its own: the way users run it."""
    done = subprocess.run(
        [sys.executable, str(PROJECT / "evaluate.py"), str(log), *words], capture_output=True, text=True, timeout=50
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def evaluate(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The same as a module: starting a process for each question takes long."""
    monkeypatch.syspath_prepend(str(PROJECT))
    return importlib.import_module("evaluate")


def last_map(log: Path, topic: str) -> Map:
    with LogReader(log) as reader:
        return decode(Map, next(reader.events([topic], reverse=True)).payload)


# A log made here: a circle in a room, with wheels that turn too far. As programs that correct logs write it.

STEPS = 36


def truth(step: float) -> Pose:
    turn = 2 * math.pi * step / STEPS
    return 1.2 * math.cos(turn) - 0.6, 1.2 * math.sin(turn) + 0.4, math.remainder(turn + math.pi / 2, math.tau)


def carmen_lines() -> list[str]:
    lines = []
    for step in range(STEPS):
        x_m, y_m, yaw_rad = truth(step)
        if step:  # the way since the last corrected pose, and three degrees too many
            wrong = (x_m, y_m, math.remainder(yaw_rad + math.radians(3.0), math.tau))
            lines.append(_odom(wrong, float(step)))
        pose = f"{x_m} {y_m} {yaw_rad}"
        ranges = " ".join(f"{range_m:.3f}" for range_m in measured((x_m, y_m, yaw_rad), noise_m=0.01).ranges_m)
        lines.append(f"FLASER 181 {ranges} {pose} {pose} {step + 0.5} here {step + 0.5}")
        lines.append(_odom((x_m, y_m, yaw_rad), 0.0))
    return [*lines, _odom(truth(STEPS), 100.0)]


def _odom(pose: Pose, stamp_s: float) -> str:
    return f"ODOM {pose[0]} {pose[1]} {pose[2]} 0 0 0 {stamp_s} here {stamp_s}"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    (folder / "room.log").write_text("\n".join(carmen_lines()) + "\n")
    import_log(folder / "room.log", folder / "room.mcap")
    replayed(folder / "room.mcap", folder / "out.mcap")
    return folder


def test_matching_is_far_better_than_the_wheels(made: Path, evaluate: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate.main([str(made / "out.mcap"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["trajectories"]
    assert told["/matcher/pose"]["poses"] == STEPS
    assert told["/wheels/at_restart"]["rmse_m"] > 0.3
    assert told["/matcher/pose"]["rmse_m"] < 0.05


def test_both_maps_show_the_walls_where_they_are(made: Path) -> None:
    for topic, frame in (("/mapper/map", "map"), ("/reference/map", "map")):
        chart = last_map(made / "out.mcap", topic)
        occupied = chart.plane("occupancy") > 0.65
        assert chart.frame == frame
        assert occupied.any()
        for x_m, y_m in ((-4.0, 0.0), (0.0, 3.0), (5.0, -1.0)):
            cell = chart.cell_of(x_m, y_m)
            assert cell is not None
            row, column = cell
            assert occupied[max(0, row - 2) : row + 3, max(0, column - 2) : column + 3].any(), (
                f"no wall at {x_m}, {y_m}"
            )
        inside = chart.cell_of(-1.0, 0.5)
        assert inside is not None
        assert chart.plane("occupancy")[inside] < 0.25


@pytest.mark.must_not_flake
def test_two_replays_give_the_same_bytes(made: Path, tmp_path: Path) -> None:
    replayed(made / "room.mcap", tmp_path / "again.mcap")
    assert (tmp_path / "again.mcap").read_bytes() == (made / "out.mcap").read_bytes()


def test_pictures_are_saved(made: Path, tmp_path: Path) -> None:
    status, out, _ = evaluated(made / "out.mcap", "--pictures", str(tmp_path / "maps"))
    assert status == 0
    assert "scan matching" in out
    chart = last_map(made / "out.mcap", "/mapper/map")
    with Image.open(tmp_path / "maps/mapper.pgm") as picture:
        levels = np.asarray(picture)
    assert levels.shape == (chart.rows, chart.columns)
    assert set(np.unique(levels)) == {0, 205, 254}
    assert (levels[::-1] == 0).sum() == (chart.plane("occupancy") > 0.65).sum()
    assert "resolution: 0.05" in (tmp_path / "maps/mapper.yaml").read_text()
    with Image.open(tmp_path / "maps/reference.png") as picture:
        assert picture.format == "PNG"
        assert picture.width > 100


def test_too_large_an_error_is_exit_status_1_and_a_foreign_log_2(
    made: Path, evaluate: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate.main([str(made / "out.mcap"), "--max-rmse", "0.0"]) == 1
    assert evaluate.main([str(made / "out.mcap"), "--max-rmse", "0.1"]) == 0
    assert evaluate.main([str(made / "room.mcap")]) == 2
    told = capsys.readouterr().err
    assert "the log has no /robot/corrected_pose" in told
    assert "studio replay carmen_mapping" in told


# A piece of a real log.


@pytest.fixture(scope="module")
def intel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not INTEL.is_file():
        pytest.skip(f"{INTEL.name} is not in ../shared/data/carmen beside the project: nothing real to map")
    folder = tmp_path_factory.mktemp("intel")
    seen = 0

    def is_early(line: str) -> bool:
        nonlocal seen
        seen += line.startswith("FLASER")
        return seen <= REAL_SCANS

    with gzip.open(INTEL, "rt", encoding="ascii") as lines:
        (folder / "piece.log").write_text("".join(takewhile(is_early, lines)))
    import_log(folder / "piece.log", folder / "piece.mcap")
    return folder


@pytest.mark.must_not_flake
@pytest.mark.timeout(240)
def test_a_piece_of_a_real_log_is_mapped_the_same_in_process_and_over_processes(
    intel: Path, evaluate: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    replayed(intel / "piece.mcap", intel / "one.mcap")
    replayed(intel / "piece.mcap", intel / "other.mcap", in_process=False)
    assert (intel / "one.mcap").read_bytes() == (intel / "other.mcap").read_bytes()
    with LogReader(intel / "one.mcap") as log:
        assert log.topics["/matcher/pose"].count == REAL_SCANS
        assert log.topics["/mapper/map"].count > 0
        first = decode(PoseTransform, next(log.events(["/matcher/pose"])).payload)
    assert (first.frame, first.child_frame) == ("map", "laser")
    assert evaluate.main([str(intel / "one.mcap"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["trajectories"]
    assert told["/matcher/pose"]["rmse_m"] < 0.1
    assert told["/matcher/pose"]["rmse_m"] < told["/wheels/at_restart"]["rmse_m"]


@pytest.mark.soak
def test_all_of_the_real_log_is_mapped_as_well_as_ever(tmp_path: Path) -> None:
    """Half a kilometre: what odometry tells is 24 m off in the end."""
    if not INTEL.is_file():
        pytest.skip(f"{INTEL.name} is not in ../shared/data/carmen beside the project: nothing real to map")
    import_log(INTEL, tmp_path / "intel.mcap")
    replayed(tmp_path / "intel.mcap", tmp_path / "out.mcap")
    status, out, err = evaluated(tmp_path / "out.mcap", "--max-rmse", "0.08", "--json")
    assert status == 0, err
    told = json.loads(out)["trajectories"]
    assert told["/matcher/pose"]["poses"] == 910
    assert told["/wheels/at_restart"]["rmse_m"] > 10.0
    ours, theirs = (
        int((last_map(tmp_path / "out.mcap", topic).plane("occupancy") > 0.65).sum())
        for topic in ("/mapper/map", "/reference/map")
    )
    assert ours == pytest.approx(theirs, rel=0.2), "walls that are seen twice would be twice as much wall"


# The figures.


@pytest.fixture
def errors(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(PROJECT))
    return importlib.import_module("trajectory_errors")


def spiral() -> np.ndarray[Any, np.dtype[np.float64]]:
    along = np.linspace(0.0, 12.0, 200)
    return np.stack([along * np.cos(along), along * np.sin(along), along], axis=1)


def test_another_frame_is_no_error(errors: Any) -> None:
    reference = spiral()
    sine, cosine = math.sin(2.0), math.cos(2.0)
    moved = reference @ np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]]) + [30.0, -4.0, 2.0]
    found = errors.compare(moved, reference)
    assert (found.poses, found.rmse_m, found.largest_m) == (
        200,
        pytest.approx(0.0, abs=1e-9),
        pytest.approx(0, abs=1e-9),
    )
    assert [one.translation_m for one in found.relative] == pytest.approx([0.0, 0.0], abs=1e-9)
    assert [one.rotation_rad for one in found.relative] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_wheels_that_count_two_percent_too_much_have_two_percent_of_error_per_metre(errors: Any) -> None:
    straight = np.stack([np.arange(101) * 0.1, np.zeros(101), np.zeros(101)], axis=1)
    found = errors.compare(straight * [1.02, 1.0, 1.0], straight, (1.0, 5.0))
    for one in found.relative:
        assert one.per_metre == pytest.approx(0.02)
        assert one.translation_m == pytest.approx(0.02 * one.distance_m, rel=0.02)  # in whole steps of 10 cm
    assert found.largest_m == pytest.approx(0.1)


def test_one_wrong_turn_is_counted_once_by_the_relative_error(errors: Any) -> None:
    straight = np.stack([np.arange(101) * 0.1, np.zeros(101), np.zeros(101)], axis=1)
    bent = straight.copy()
    bent[51:, 0], bent[51:, 1] = (
        5.0 + (straight[51:, 0] - 5.0) * math.cos(0.5),
        (straight[51:, 0] - 5.0) * math.sin(0.5),
    )
    bent[51:, 2] = 0.5
    (found,) = errors.compare(bent, straight, (1.0,)).relative
    assert found.pairs == 91
    assert found.rotation_rad == pytest.approx(0.5 * 10 / 91)


def test_a_way_shorter_than_the_distance_has_no_relative_error(errors: Any) -> None:
    short = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]])
    assert errors.compare(short, short).relative == ()
