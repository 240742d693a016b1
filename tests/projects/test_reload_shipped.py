"""Shipped components get other code in a running system: both ways of a reload lead to the same state."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.projects.test_there_and_back import prepared
from tests.running_project import RunningProject, running

COUNTED = "        self.calls_counted = getattr(self, 'calls_counted', 0) + 1\n"
"""Another state, from the first call of a function on."""


def with_counter(source: str, function: str) -> str:
    found = re.search(rf"    def {function}\(.*\).*:\n", source)
    assert found is not None
    return source[: found.end()] + COUNTED + source[found.end() :]


@pytest.mark.soak
@pytest.mark.must_not_flake
@pytest.mark.parametrize(
    ("project", "component", "function", "events"),
    [
        ("carmen_mapping", "scan_matcher", "on_scan", 120),
        ("carmen_mapping", "scan_matcher", "no such function", 120),
        ("raptor_blocks_world", "terrain_map", "_map", 2500),
        ("raptor_blocks_world", "path_planner", "on_timer", 2500),
    ],
)
def test_both_ways_lead_to_the_same_state(
    project: str, component: str, function: str, events: int, tmp_path: Path
) -> None:
    folder = prepared(project, tmp_path)
    own = folder / "components" / component
    shutil.copytree(ROOT / "components" / component, own, ignore=shutil.ignore_patterns("__pycache__"))
    file = own / f"{component}.py"
    plain = file.read_text()
    counted = f"# other lines\n{plain}" if " " in function else with_counter(plain, function)
    with running(folder, "--gate", "lockstep", "--paused") as system:
        system.ask("step", count=events)
        name = next(each for each, told in system.state["components"].items() if told["type"] == component)
        pid, before = pid_of(system, name), digest(system)

        def reload(source: str) -> dict[str, Any]:
            file.write_text(source)
            assert system.ask("again", component=name)["same"] is not None
            return digest(system)

        exchanged = reload(counted)
        assert pid_of(system, name) == pid
        assert (exchanged == before) is (" " in function)
        system.ask("step", count=20)
        further = digest(system)
        system.ask("back", count=20)
        assert digest(system) == exchanged
        anew = reload(f"{counted}\n_ANEW = 1\n")
        assert pid_of(system, name) != pid
        assert anew == exchanged
        system.ask("step", count=20)
        assert digest(system) == further


def digest(system: RunningProject) -> dict[str, Any]:
    found: dict[str, Any] = system.ask("digest")["digest"]
    return found


def pid_of(system: RunningProject, component: str) -> int:
    return int(system.state["processes"][component]["pid"])
