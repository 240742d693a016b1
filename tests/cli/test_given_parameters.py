"""`--set`: other values of parameters for one run."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import pytest

from studio.cli.run import _with_gazebo
from studio.errors import StudioError
from studio.model.given_parameters import GivenParameter, settable_parameters, with_parameters
from studio.model.loaded_project import open_project
from tests.cli.running import Studio
from tests.cli.test_completion import words

PROJECTS = Path(__file__).resolve().parents[2] / "projects"
FIRST_STEPS, RAPTOR = PROJECTS / "first_steps", PROJECTS / "raptor_blocks_world"


def test_a_run_records_the_values_that_were_given_and_keeps_the_file(studio: Studio, tmp_path: Path) -> None:
    before = (FIRST_STEPS / "system.xml").read_bytes()
    plain, faster = tmp_path / "plain.mcap", tmp_path / "faster.mcap"
    lockstep = ("run", FIRST_STEPS, "--gate", "lockstep", "--for", 1)
    assert studio(*lockstep, "--record", plain).status == 0
    result = studio(*lockstep, "--record", faster, "--set", "filter.cutoff_hz=2.5", "--set", "signal.frequency_hz=1")
    assert result.status == 0, result.err
    assert (FIRST_STEPS / "system.xml").read_bytes() == before
    told = studio("compare", plain, faster).out
    assert "filter.cutoff_hz 2.0 → 2.5" in told and "signal.frequency_hz 0.5 → 1.0" in told

    replay = ("replay", FIRST_STEPS, "--log", plain, "--lockstep", "--in-process", "--expect")
    assert studio(*replay, plain).status == 0
    assert studio(*replay, plain, "--set", "filter.cutoff_hz=2.5").status == 1
    step = ("step", FIRST_STEPS, "--log", plain, "--in-process", "--forward", 200, "--digest")
    digests = [
        studio(*step, *more).out for more in ((), ("--set", "filter.cutoff_hz=2.0"), ("--set", "filter.cutoff_hz=2.5"))
    ]
    assert digests[0] == digests[1] != digests[2]


def test_a_detached_run_saves_them_and_keeps_the_comments(studio: Studio, tmp_path: Path) -> None:
    folder = tmp_path / "robot"
    shutil.copytree(FIRST_STEPS, folder)
    before = (folder / "system.xml").read_text()
    assert studio("run", folder, "--detach", "--set", "filter.cutoff_hz=2.5").status == 0
    try:
        assert studio("ctl", "get", "filter.cutoff_hz").out.strip() == "2.5"
        assert (folder / "system.xml").read_text() == before
        assert studio("ctl", "save").status == 0
    finally:
        assert studio("stop", "--all").status == 0
    after = before.replace('name="cutoff_hz" value="2.0"', 'name="cutoff_hz" value="2.5"')
    assert (folder / "system.xml").read_text() == after != before


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("filtr.cutoff_hz=2", "the system has no component filtr (did you mean filter or after?)"),
        ("filter.cutof=2", "filter has no parameter cutof (did you mean cutoff_hz?)"),
        ("filter.cutoff_hz=-1", "cutoff_hz = -1 is below its minimum"),
        ("filter.cutoff_hz=fast", "cutoff_hz: 'fast' is not a float"),
        ("cutoff_hz=2", "'cutoff_hz=2' is not COMPONENT.PARAMETER=VALUE"),
    ],
)
def test_a_value_that_cannot_be_set_is_refused(studio: Studio, given: str, told: str) -> None:
    result = studio("run", FIRST_STEPS, "--for", 1, "--set", given)
    assert result.status == 2 and told in result.err


def test_a_parameter_that_follows_another_is_refused() -> None:
    with pytest.raises(StudioError, match=r"judge.goal_x_m follows path_planner.goal_x_m \(set path_planner.goal_x_m"):
        with_parameters(open_project(RAPTOR), [GivenParameter("judge", "goal_x_m", "1")])


def test_a_component_behind_a_source_takes_its_values() -> None:
    given = [GivenParameter("simulator", "world", "empty"), GivenParameter("left_driver", "port", "/dev/ttyS0")]
    changed, text = with_parameters(open_project(RAPTOR), given)
    assert b'<parameter name="world" value="empty"/>' in text
    source = changed.system.source("platform")
    assert source.simulated is not None and source.real is not None
    (simulator,), left_driver = source.simulated.components, source.real.component("left_driver")
    assert left_driver is not None
    assert simulator.parameters["world"] == "empty" and left_driver.parameters["port"] == "/dev/ttyS0"


def test_nothing_else_of_the_system_changes() -> None:
    opened = open_project(RAPTOR)
    changed, text = with_parameters(opened, [GivenParameter("simulator", "world", "blocks")])
    assert text == (RAPTOR / "system.xml").read_bytes() and changed.problems == opened.problems


def test_the_shell_completes_what_can_be_set() -> None:
    assert words("run", "first_steps", "--set", "filter.cut") == ["filter.cutoff_hz="]
    assert "simulator.world" in settable_parameters(open_project(RAPTOR))


def test_another_simulator_for_one_run_keeps_the_comments() -> None:
    options = argparse.Namespace(chosen=[("platform", "gazebo")], text=None)
    _with_gazebo(open_project(RAPTOR), options)
    assert b'_gazebo"' in options.text
    assert options.text.count(b"<!--") == (RAPTOR / "system.xml").read_bytes().count(b"<!--") > 0
