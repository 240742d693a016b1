"""A project's own judge: what it says is the outcome, and it can end the run."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from studio.runtime.host.profile import write_profile_of
from studio.runtime.recording import LogReader
from tests.cli.running import STUDIO

JUDGE = '''
"""Counts its ticks."""
import json

from studio.messages import String
from studio.runtime.component import Component, OutPort, Parameter


class PatientJudge(Component):
    """Has seen enough after some ticks."""

    category = "judge"
    activations = ("periodic",)
    period_s = 0.05
    outcome = OutPort(String)
    enough = Parameter(20)

    def on_activate(self) -> None:
        self.ticks = 0

    def on_timer(self) -> None:
        self.ticks += 1
        over_at_ns = self.now() + 2_000_000_000 if self.ticks == self.enough else None
        self.kept = getattr(self, "kept", None) or over_at_ns
        self.outcome.publish(String(json.dumps({"ticks": self.ticks, "well": True, "over_at_ns": self.kept})))
'''


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = tmp_path_factory.mktemp("p") / "judged"
    folder = project / "components/patient_judge"
    folder.mkdir(parents=True)
    (folder / "patient_judge.py").write_text(JUDGE)
    write_profile_of(folder)
    system = '<system name="judged" version="1"><component name="judge" type="patient_judge"/></system>'
    (project / "system.xml").write_text(system)
    return project


def run(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*STUDIO, "run", str(project), *words], capture_output=True, text=True, timeout=100)


@pytest.mark.parametrize("pace", [(), ("--rate", "1000")], ids=["by itself", "under control"])
def test_a_judge_ends_a_lockstep_at_the_moment_that_it_told_ahead(
    judged: Path, tmp_path: Path, pace: list[str]
) -> None:
    log = tmp_path / "run.mcap"
    done = run(judged, "--gate", "lockstep", "--for", "600", *pace, "--record", str(log), "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["outcome"] == {"ticks": 60, "well": True}  # 20 ticks of 0.05 s and two seconds more
    assert told["seconds"] == 3.0
    with LogReader(log) as reader:
        last = list(reader.events(topics=["/judge/outcome"]))[-1]
    assert (last.sequence, last.stamp_ns) == (60, 3_000_000_000)


def test_a_judge_makes_a_run_no_longer_than_it_was_to_be(judged: Path) -> None:
    done = run(judged, "--gate", "lockstep", "--for", "1.5", "--rate", "1000", "--json")
    told = json.loads(done.stdout)
    assert (told["outcome"]["ticks"], told["seconds"]) == (30, 1.5)


def test_a_judge_ends_a_run_in_real_time_too(judged: Path) -> None:
    done = run(judged, "--for", "60")
    assert done.returncode == 0, done.stderr
    assert "outcome: ticks " in done.stdout
    assert "well yes" in done.stdout
    assert "over_at_ns" not in done.stdout
    assert float(done.stdout.split(" ran ")[1].split()[0]) < 50.0


def test_with_stay_the_run_goes_on_after_its_judge_has_seen_enough(judged: Path) -> None:
    """As in the window, where somebody looks at it: the judge would have ended it after three seconds."""
    done = run(judged, "--stay", "--gate", "lockstep", "--for", "4", "--json")
    told = json.loads(done.stdout)
    assert told["outcome"]["ticks"] > 70 and told["seconds"] == 4


def test_each_of_two_judges_has_its_say(judged: Path, tmp_path: Path) -> None:
    project = tmp_path / "judged"
    shutil.copytree(judged, project)
    second = '<component name="other" type="patient_judge"/></system>'
    file = project / "system.xml"
    file.write_text(file.read_text().replace("</system>", second))
    done = run(project, "--gate", "lockstep", "--rate", "0", "--for", "0.5")
    assert done.returncode == 0, done.stderr
    for name in ("judge", "other"):
        assert f"outcome of {name}: ticks 10, well yes" in done.stdout
