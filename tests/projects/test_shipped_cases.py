"""The cases that come with the examples pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.cli import main

PROJECTS = Path(__file__).resolve().parents[2] / "projects"
WITH_CASES = sorted(folder.parent.name for folder in PROJECTS.glob("*/tests"))


def test_three_examples_have_cases() -> None:
    assert WITH_CASES == ["first_steps", "pioneer_obstacle_avoidance", "raptor_blocks_world"]


@pytest.mark.timeout(240)  # a minute of the Raptor
@pytest.mark.parametrize("name", WITH_CASES)
def test_the_cases_pass(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", str(PROJECTS / name)]) == 0, capsys.readouterr().out
