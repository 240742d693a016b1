"""A project's own judge: what it says is the outcome, and it can end the run."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from studio.runtime.profile import write_profile_of
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


def test_a_judge_ends_a_lockstep_at_the_moment_that_it_told_ahead(judged: Path) -> None:
    done = run(judged, "--gate", "lockstep", "--for", "60", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["outcome"] == {"ticks": 60, "well": True}  # 20 ticks of 0.05 s and two seconds more
    assert told["seconds"] == 3.0


def test_a_judge_ends_a_run_in_real_time_too(judged: Path) -> None:
    done = run(judged, "--for", "60")
    assert done.returncode == 0, done.stderr
    assert "outcome: ticks " in done.stdout
    assert "well yes" in done.stdout
    assert "over_at_ns" not in done.stdout
    assert float(done.stdout.split(" ran ")[1].split()[0]) < 50.0
