"""`studio run --in-process`: the same events as over processes, without any."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import psutil
import pytest

from studio.runtime.recording import LogReader
from studio.runtime.wire.frames import COMMAND_PREFIX, SHARED, TIMER_PREFIX
from tests.cli.running import STUDIO, Studio

PROJECTS = Path(__file__).resolve().parents[2] / "projects"
AT_THE_GOAL = ["path_planner.goal_x_m=0", "path_planner.goal_y_m=0", "judge.goal_tolerance_m=50", "judge.linger_s=1"]


def events(log: Path) -> dict[str, list[tuple[Any, ...]]]:
    """By topic, with all that an event has but the way its payload took; without what the processes say about
    themselves."""
    found = defaultdict(list)
    with LogReader(log) as reader:
        for event in reader.events():
            if not event.topic.startswith("/_studio/") or event.topic.startswith((COMMAND_PREFIX, TIMER_PREFIX)):
                found[event.topic].append(event._replace(payload=bytes(event.payload), flags=event.flags & ~SHARED)[1:])
    return found


@pytest.mark.must_not_flake
@pytest.mark.parametrize(
    ("project", "seconds", "given"),
    [("first_steps", 2, []), ("pioneer_obstacle_avoidance", 3, []), ("raptor_blocks_world", 5, AT_THE_GOAL)],
)
def test_the_same_events_as_over_processes(
    studio: Studio, tmp_path: Path, project: str, seconds: int, given: list[str]
) -> None:
    words = ["run", PROJECTS / project, "--gate", "lockstep", "--for", seconds, "--seed", 3, "--json"]
    words += ["--mode", "simulated"] + [word for each in given for word in ("--set", each)]
    logs = tmp_path / "processes.mcap", tmp_path / "one.mcap"
    ways = [["--rate", 0], ["--in-process"]]
    told = [studio(*words, *way, "--record", log) for way, log in zip(ways, logs, strict=True)]
    assert all(each.status == 0 for each in told), [each.err for each in told]
    expected, found = map(events, logs)
    assert found.keys() == expected.keys() and sum(map(len, found.values())) > 400
    assert all(found[topic] == expected[topic] for topic in expected), [t for t in expected if found[t] != expected[t]]
    processes, one = (each.json for each in told)
    assert one["outcome"] == processes["outcome"] and one["seconds"] == processes["seconds"]
    assert {name: each["count"] for name, each in one["topics"].items()} == {
        name: each["count"] for name, each in processes["topics"].items()
    }
    if given:
        assert one["outcome"]["goal_reached"] and one["seconds"] < seconds, "the judge ends it"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--for", 1, "--rate", 2], "--rate needs processes"),
        (["--for", 1, "--paused"], "--paused needs processes"),
        (["--for", 1, "--detach"], "--detach do not go together"),
        (["--for", 1, "--gate", "run"], "--in-process is a lockstep"),
        ([], "it needs an end (e.g. --for 60)"),
        (["--for", 1, "--mode", "real"], "needs simulated sources, and platform is real (add --mode simulated)"),
    ],
)
def test_what_needs_processes_is_refused(studio: Studio, words: list[object], told: str) -> None:
    result = studio("run", PROJECTS / "raptor_blocks_world", "--in-process", *words)
    assert result.status == 2 and told in result.err


def test_a_component_that_fails_is_reported(studio: Studio) -> None:
    result = studio("run", PROJECTS / "pioneer_obstacle_avoidance", "--in-process", "--for", 1, "--mode", "simulated",
                    "--set", "simulator.world=nowhere")  # fmt: skip
    assert result.status != 0 and "nowhere" in result.err


def test_ctrl_c_ends_it_between_two_events_and_leaves_a_whole_log(tmp_path: Path) -> None:
    log = tmp_path / "out.mcap"
    words = ["run", str(PROJECTS / "first_steps"), "--gate", "lockstep", "--in-process", "--for", "100000"]
    process = subprocess.Popen(
        [*STUDIO, *words, "--record", str(log), "--compression", "none"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    while process.poll() is None and (not log.exists() or log.stat().st_size < 200_000):
        os.sched_yield()
    assert not psutil.Process(process.pid).children(), "no process is started"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "interrupted" in out and "the recorder did not close it" not in out
    with LogReader(log) as reader:
        assert reader.is_finished and reader.event_count > 1000
