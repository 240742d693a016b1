"""A project with message types of its own, from the `.msg` file to values that came through two processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from studio.messages import Float64, decode, project_types
from studio.model.loaded_project import open_project
from studio.runtime.plan.planning import plan_of
from tests.cli.running import Studio
from tests.runtime.systems import ProcessRun

LEG = "std_msgs/Header header\nfloat64[2] angles_rad\nToe[] toes\n"
TOE = "string name\nfloat32 force_n\n"
SYSTEM = """
<system name="walker" version="1"> <host name="shared"/>
  <component name="gait" type="gait" {host}/> <component name="reader" type="leg_reader" {host}/>
  <wire from="gait.leg" to="reader.leg"/>
</system>
"""
STEP = 'Leg(stamp_ns=self.now(), angles_rad=[0.5, 1.5], toes=[Toe(name="big", force_n=3.0)])'
SUM = "Float64(float(message.angles_rad.sum()) + sum(toe.force_n for toe in message.toes))"


@pytest.fixture
def walker(studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose components were made with `studio new component` and then given something to do."""
    folder = tmp_path / "walker"
    studio("new", "project", folder)
    monkeypatch.chdir(folder)
    (folder / "msg").mkdir()
    (folder / "msg/Leg.msg").write_text(LEG)
    (folder / "msg/Toe.msg").write_text(TOE)
    made = [
        studio("new", "component", "gait", "--out", "leg:Leg", "--out", "toe:Toe", "--period", "0.05"),
        studio("new", "component", "leg_reader", "--in", "leg:Leg", "--in", "hint:String", "--out", "sum:Float64"),
    ]
    assert [(result.status, result.err) for result in made] == [(0, ""), (0, "")]
    edit(folder / "components/gait/gait.py", "Leg()", STEP)
    edit(folder / "components/leg_reader/leg_reader.py", "Float64()", SUM)
    (folder / "system.xml").write_text(SYSTEM.format(host=""))
    return folder


def edit(file: Path, old: str, new: str) -> None:
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


def test_check_info_and_profile_know_them(studio: Studio, walker: Path) -> None:
    result = studio("check", walker, "--json")
    assert [problem for problem in result.json["problems"] if problem["severity"] == "error"] == []
    assert "Leg" in studio("info", walker).out
    assert "Leg" in studio("info", "leg_reader").out
    assert studio("profile", "--check").status == 0


def test_the_generated_tests_pass_and_the_code_is_clean(walker: Path) -> None:
    words = ["pytest", "-q", "-W", "error", "-p", "no:xvfb", "-p", "no:cacheprovider", "components"]
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=False)
    assert "4 passed" in done.stdout, done.stdout + done.stderr
    for words in (["ruff", "check", "-q"], ["ruff", "format", "--check", "-q"]):
        command = [sys.executable, "-m", *words, "--isolated", "--line-length", "120", "components"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("host", ["", 'host="shared"'])
def test_values_arrive_from_another_component(walker: Path, host: str) -> None:
    (walker / "system.xml").write_text(SYSTEM.format(host=host))
    opened = open_project(walker)
    plan = plan_of(opened.system, opened.registry, project=walker)
    assert len(plan.hosts) == (1 if host else 2)
    run = ProcessRun(plan)
    try:
        run.start()
        run.lockstep(until_ns=500_000_000)
        seen = run.channel()
        assert run.component("reader")["error"] == ""
    finally:
        run.close()
    leg = project_types(walker).get("Leg")
    sums = [decode(Float64, event.payload) for event in seen if event.topic == "/reader/sum"]
    legs = [decode(leg, event.payload) for event in seen if event.topic == "/gait/leg"]
    assert sums == [Float64(5.0)] * 10
    assert [message.stamp_ns for message in legs] == [tick * 50_000_000 for tick in range(1, 11)]  # type: ignore[attr-defined]
    assert legs[0].toes[0].name == "big"  # type: ignore[attr-defined]


def test_a_component_that_asks_for_a_type_that_is_not_there_is_told_with_its_line(studio: Studio, walker: Path) -> None:
    edit(walker / "components/gait/gait.py", '.get("Leg")', '.get("Lge")')
    result = studio("profile", "gait")
    assert result.status == 1
    assert "gait.py:4: gait cannot be imported: there is no message type 'Lge' (did you mean Leg?)" in result.err


def test_a_component_cannot_be_called_like_its_message(studio: Studio, walker: Path) -> None:
    result = studio("new", "component", "leg", "--in", "raw:Leg")
    assert result.status == 2
    assert "leg_reader" in result.err
    assert not (walker / "components/leg").exists()
