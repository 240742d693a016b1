"""Every shipped project starts, switches its sources there and back, and stops."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from studio.model.loaded_project import open_project
from studio.model.sources import SourceMode
from studio.runtime.recording.importers import import_log
from studio.runtime.session.switching import GateKind
from tests.conftest import ROOT
from tests.projects.test_carmen_mapping import carmen_lines
from tests.running_project import RunningProject, running
from tests.waiting import await_true

PROJECTS = sorted(folder.parent.name for folder in ROOT.glob("projects/*/system.xml"))
MOST = 4
"""Switches of a sequence."""


def copied(name: str, folder: Path) -> Path:
    """A project that can be recorded into."""
    copy = folder / name
    shutil.copytree(ROOT / "projects" / name, copy, ignore=shutil.ignore_patterns("logs", "__pycache__"))
    (copy / "logs").mkdir()
    return copy


def modes_of(folder: Path) -> list[SourceMode]:
    """What all sources of a project can be, the one that the project is made for first."""
    sources = list(open_project(folder).system.sources)
    common = [mode for mode in ("simulated", "real", "logged") if all(mode in source.modes for source in sources)]
    first = sources[0].mode if sources else ""
    return sorted(common, key=lambda mode: mode != first) if sources else []


def with_log(system: RunningProject, folder: Path, modes: list[SourceMode]) -> None:
    """What it sends now is the log that its sources name."""
    if "logged" not in modes[1:]:
        return
    (source,) = [each for each in open_project(folder).system.sources if each.logged is not None]
    assert source.logged is not None
    topics = [f"/{source.name}/{port}" for port in source.logged.topics]
    system.ask("record", on=True, file=str(folder / source.logged.log))
    # What passed while the recorder started is not in it, and a log that is over at once keeps nothing flowing.
    topics_now = system.state["topics"]
    before = {topic: topics_now[topic]["count"] for topic in topics}

    def has_come() -> bool:
        state = system.state["topics"]
        return all(state[topic]["count"] > before[topic] + 10 for topic in topics)

    await_true(has_come, "enough for a log")
    system.ask("record", on=False)


def prepared(name: str, folder: Path) -> Path:
    project = copied(name, folder)
    if name == "carmen_mapping":  # nothing but a log: one that is made here
        text = folder / "made.log"
        text.write_text("\n".join(carmen_lines()) + "\n")
        import_log(text, project / "logs/robot.mcap")
    return project


def each_way(modes: list[SourceMode]) -> Iterator[SourceMode]:
    for other in modes[1:]:
        yield other
        yield modes[0]


@pytest.mark.timeout(180)
@pytest.mark.parametrize("name", PROJECTS)
def test_start_switch_switch_back_stop(name: str, tmp_path: Path) -> None:
    project = prepared(name, tmp_path)
    modes = modes_of(project)
    asked = "lockstep" if modes else "free"
    with running(project, "--gate", "auto") as system:
        system.holds(asked, runs=True)
        with_log(system, project, modes)
        for mode in each_way(modes):
            system.ask("switch", mode=mode)
            system.holds(asked, runs=True)


SWITCHED = [name for name in PROJECTS if len(modes_of(ROOT / "projects" / name)) > 1]


def every_sequence(modes: list[SourceMode], length: int) -> Iterator[SourceMode]:
    """One walk that has every sequence of this length in it, each as a part: a de Bruijn sequence, greedily made."""
    walk = [modes[-1]] * length
    seen = {tuple(walk)}
    yield from walk
    while True:
        ends = tuple(walk[len(walk) - length + 1 :])
        following = next((mode for mode in modes if (*ends, mode) not in seen), None)
        if following is None:
            return
        walk.append(following)
        seen.add((*ends, following))
        yield following


@pytest.mark.parametrize("modes", [["logged"], ["simulated", "logged"], ["simulated", "real", "logged"]])
@pytest.mark.parametrize("length", [1, 2, 3, MOST])
def test_the_walk_has_every_sequence_in_it_once(modes: list[SourceMode], length: int) -> None:
    walk = list(every_sequence(modes, length))
    parts = [tuple(walk[start : start + length]) for start in range(len(walk) - length + 1)]
    assert sorted(parts) == sorted(product(modes, repeat=length))


@pytest.mark.soak
@pytest.mark.parametrize("runs", [True, False], ids=["running", "paused"])
@pytest.mark.parametrize("asked", ["lockstep", "free"])
@pytest.mark.parametrize("name", SWITCHED)
def test_every_sequence_of_up_to_four(name: str, asked: GateKind, runs: bool, tmp_path: Path) -> None:
    project = prepared(name, tmp_path)
    modes = modes_of(project)
    with running(project, "--gate", "auto") as system:
        with_log(system, project, modes)
        system.ask("gate", kind=asked, mode="run" if runs else "pause")
        for mode in every_sequence(modes, MOST):
            system.ask("switch", mode=mode)
            if mode != "logged" or not runs:  # a short log may have ended before anybody looks
                system.holds(asked, runs=runs)
