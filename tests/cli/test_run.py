"""`studio run` with real processes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from studio.runtime.recording import LogReader
from tests.cli.running import STUDIO, Result, Studio

MISBEHAVING = Path(__file__).resolve().parents[1] / "misbehaving"
HEALTHY = """
  <host name="healthy"/> <component name="signal" type="signal_source" host="healthy"/>
  <component name="sink" type="signal_sink" host="healthy"/>
  <wire from="signal.value" to="sink.value"/>
"""


def project(folder: Path, text: str, *types: str) -> Path:
    """A healthy system and `text`; the misbehaving `types` become components of the project."""
    folder.mkdir()
    (folder / "system.xml").write_text(f'<system name="{folder.name}" version="1">{HEALTHY}{text}</system>')
    for name in types:
        shutil.copytree(MISBEHAVING / name, folder / "components" / name)
    return folder


def process(*words: object, **settings: str) -> Result:
    """The command as users and their CI run it."""
    environment = {**os.environ, **settings}
    done = subprocess.run(
        [*STUDIO, *map(str, words)], capture_output=True, text=True, check=False, env=environment, timeout=50
    )
    return Result(done.returncode, done.stdout, done.stderr)


# A run in real time.


@pytest.fixture(scope="module")
def real_time(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    runs = tmp_path_factory.mktemp("r")
    return process("run", "first_steps", "--for", "1.5", "--json", STUDIO_RUNS=str(runs)), runs


def test_stdout_is_one_object_of_the_documented_shape(real_time: tuple[Result, Path]) -> None:
    result, _ = real_time
    assert (result.status, result.err) == (0, "")
    told = result.json
    assert set(told) >= {"project", "mode", "seconds", "components", "topics", "outcome"}
    assert (told["project"], told["mode"], told["gate"], told["outcome"]) == ("first_steps", "real", "run", {})
    assert 1.5 <= told["seconds"] < 4.0
    for component in told["components"].values():
        assert set(component) >= {"state", "restarts", "errors", "cpu_percent", "rss_mb"}
        assert (component["state"], component["restarts"], component["errors"]) == ("active", 0, 0)
        assert component["rss_mb"] > 5
        assert 0 <= component["cpu_percent"] < 200
    assert list(told["components"]) == ["signal", "filter", "before", "after"]


def test_components_of_one_host_share_its_load(real_time: tuple[Result, Path]) -> None:
    components = real_time[0].json["components"]
    assert components["before"] == components["after"]


def test_topics_are_counted_and_timed(real_time: tuple[Result, Path]) -> None:
    topics = real_time[0].json["topics"]
    assert list(topics) == ["/signal/value", "/filter/smooth"]
    for topic in topics.values():
        assert set(topic) >= {"type", "count", "rate_hz", "bytes", "drops", "latency_us"}
        assert (topic["type"], topic["drops"]) == ("Float64", 0)
        assert 30 < topic["count"] < 500
        assert topic["rate_hz"] == pytest.approx(topic["count"] / real_time[0].json["seconds"], rel=0.02)
        assert topic["bytes"] >= 12 * (topic["count"] - 5)
        assert 0 < topic["latency_us"]["p50"] <= topic["latency_us"]["p99"]


def test_nothing_of_a_run_is_left_behind(real_time: tuple[Result, Path]) -> None:
    assert list(real_time[1].iterdir()) == []


# Lockstep.


@pytest.mark.must_not_flake
def test_two_lockstep_runs_give_the_same_counts_and_values(studio: Studio) -> None:
    first, second = (studio("run", "first_steps", "--gate", "lockstep", "--for", "3", "--seed", "5") for _ in "ab")
    assert (first.status, second.status) == (0, 0)
    assert "first_steps ran 3.0 s of system time in lockstep" in first.out
    assert _topics(first.out) == _topics(second.out) != []
    assert "before: 300 values" in first.err
    assert _last_lines(first.err) == _last_lines(second.err)


def _topics(out: str) -> list[str]:
    return [line for line in out.splitlines() if line.strip().startswith("/")]


def _last_lines(err: str) -> dict[str, str]:
    """What each sink wrote last: the log comes over a tap that may lose a line in between."""
    return dict(line.split(": ", 1) for line in err.splitlines())  # type: ignore[arg-type]


def test_lockstep_that_goes_flat_out_needs_an_end(studio: Studio) -> None:
    result = studio("run", "first_steps", "--gate", "lockstep", "--rate", "0")
    assert (result.status, result.out) == (2, "")
    assert "--for 60" in result.err


# Components that misbehave.


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Result:
    text = """
      <component name="glass" type="fragile"/> <wire from="signal.value" to="glass.value"/>
      <component name="fly" type="mortal"/> <wire from="signal.value" to="fly.value"/>
      <component name="blind" type="uninitialized"/>
    """
    folder = project(tmp_path_factory.mktemp("f") / "lab", text, "fragile", "mortal", "uninitialized")
    return process("run", folder, "--gate", "lockstep", "--for", "1", "--json")


def test_a_handler_that_raises_is_told_with_its_traceback(failing: Result) -> None:
    assert failing.status == 1
    glass = failing.json["components"]["glass"]
    assert (glass["state"], glass["errors"]) == ("error", 1)
    lines = [line.strip() for line in failing.err.splitlines()]
    assert "glass failed:" in lines
    assert "ValueError: value 3 is too much for me" in lines
    assert any("fragile.py" in line and "in on_value" in line for line in lines)
    assert "component_runner.py" not in failing.err


def test_a_process_that_ends_is_told_with_what_it_printed(failing: Result) -> None:
    fly = failing.json["components"]["fly"]
    assert (fly["state"], fly["errors"], fly["rss_mb"]) == ("dead", 1, None)
    assert "its process ended with exit status 7" in failing.err
    assert "goodbye, cruel channel" in failing.err


def test_a_component_that_cannot_initialize_is_told(failing: Result) -> None:
    assert failing.json["components"]["blind"]["state"] == "error"
    assert "OSError: no such device: /dev/nothing" in failing.err


def test_what_fails_disturbs_nobody(failing: Result) -> None:
    told = failing.json
    for name in ("signal", "sink"):
        assert (told["components"][name]["state"], told["components"][name]["errors"]) == ("active", 0)
    assert told["topics"]["/signal/value"]["count"] == 100


def test_a_topic_that_nobody_receives_is_counted_too(failing: Result) -> None:
    passed = failing.json["topics"]["/glass/passed"]
    assert (passed["count"], passed["bytes"], passed["latency_us"]) == (2, None, {"p50": None, "p99": None})


@pytest.mark.parametrize(
    ("type_name", "told"),
    [
        ("unimportable", ("unimportable.py:3:", "a_library_that_nobody_has")),
        ("stillborn", ("status 3", "the device /dev/nothing is not there")),
    ],
)
def test_a_component_that_cannot_start_is_named(
    studio: Studio, tmp_path: Path, type_name: str, told: tuple[str, ...]
) -> None:
    folder = project(tmp_path / "lab", f'<component name="bad" type="{type_name}"/>', type_name)
    result = studio("run", folder, "--for", "1")
    assert (result.status, result.out) == (1, "")
    assert "studio: bad ended at start" in result.err
    for words in told:
        assert words in result.err


# What does not run at all.


def test_a_project_with_errors_is_refused_with_its_problems(studio: Studio, tmp_path: Path) -> None:
    folder = project(tmp_path / "lab", '<wire from="signal.value" to="sink.valeu"/><component name="x" type="y"/>')
    result = studio("run", folder, "--for", "1")
    assert (result.status, result.out) == (1, "")
    assert result.err.count("error: ") == 2
    assert f"{folder / 'system.xml'}:5: error: " in result.err
    assert "did you mean value?" in result.err
    assert "does not run: 2 errors" in result.err


SOURCE = """
  <source name="platform" mode="real">
    <port name="light" direction="out" type="Float64"/>
    <real><component name="lamp" type="signal_source"/><bind port="light" to="lamp.value"/></real>
    <logged log="a.mcap"><bind port="light" topic="/light"/></logged>
  </source>
"""


def test_a_source_without_the_wanted_mode_is_wrong_use(studio: Studio, tmp_path: Path) -> None:
    result = studio("run", project(tmp_path / "lab", SOURCE), "--mode", "simulated")
    assert result.status == 2
    assert "the source platform has no simulated provider (it has real, logged)" in result.err


def test_a_log_that_is_missing_is_named_and_the_file_stays_as_it_is(studio: Studio, tmp_path: Path) -> None:
    folder = project(tmp_path / "lab", SOURCE)
    before = (folder / "system.xml").read_bytes()
    result = studio("run", folder, "--mode", "logged")
    assert (result.status, result.out) == (1, "")
    assert f"{(tmp_path / 'lab' / 'a.mcap').resolve()}: the source platform plays a log that is missing" in result.err
    assert (folder / "system.xml").read_bytes() == before


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "soon"])
def test_a_time_that_is_none_is_wrong_use(studio: Studio, seconds: str) -> None:
    assert studio("run", "first_steps", f"--for={seconds}").status == 2


# Ending.


@pytest.mark.parametrize(
    ("number", "words", "status"), [(signal.SIGINT, [], 0), (signal.SIGTERM, ["--for", "40"], 130)]
)
def test_ctrl_c_and_sigterm_end_cleanly_with_a_summary(
    tmp_path: Path, number: signal.Signals, words: list[str], status: int
) -> None:
    text = """
      <component name="also" type="signal_sink" host="healthy"><parameter name="log_every_s" value="0.1"/></component>
      <wire from="signal.value" to="also.value"/>
    """
    folder = project(tmp_path / "lab", text)
    runs = tmp_path / "r"
    with subprocess.Popen(
        [*STUDIO, "run", str(folder), *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "STUDIO_RUNS": str(runs)},
    ) as running:  # fmt: skip
        assert running.stderr is not None
        assert running.stderr.readline().startswith("also: ")  # it runs
        running.send_signal(number)
        out, err = running.communicate(timeout=30)
    assert running.returncode == status, err
    assert "interrupted" in out.splitlines()[0]
    assert "Traceback" not in err
    assert list(runs.iterdir()) == []


def test_a_component_that_never_returns_is_ended_and_told(studio: Studio, tmp_path: Path) -> None:
    text = '<component name="mule" type="stubborn"/><wire from="signal.value" to="mule.value"/>'
    result = studio("run", project(tmp_path / "lab", text, "stubborn"), "--for", "0.5", "--json")
    assert result.status == 1
    assert result.json["components"]["mule"]["errors"] == 1
    assert "mule: warning: I stay here" in result.err
    assert "it did not stop in time; its process ended with signal SIGKILL" in result.err
    assert result.json["components"]["sink"]["errors"] == 0


# What runs, but perhaps not as it was meant.


def test_warnings_are_told_before_the_run(studio: Studio, tmp_path: Path) -> None:
    folder = project(tmp_path / "lab", '<wier from="signal.value" to="sink.value"/>')
    result = studio("run", folder, "--gate", "lockstep", "--for", "0.1", "--mode", "simulated")
    assert result.status == 0
    first, second = result.err.splitlines()[:2]
    assert "warning: <system> has no element <wier> (did you mean wire?)" in first
    assert second == f"studio: {folder} has no sources, so --mode simulated changes nothing"


def test_an_empty_system_is_told(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "system.xml").write_text('<system name="hollow" version="1"/>')
    result = studio("run", tmp_path, "--for", "0.1")
    assert f"studio: {tmp_path} has no components, so there is nothing to run\n" in result.err


def test_record_writes_a_log_and_never_overwrites_one(tmp_path: Path) -> None:
    log = tmp_path / "run.mcap"
    words = ("run", "first_steps", "--for", "1", "--gate", "lockstep", "--record", log)
    done = process(*words)
    assert done.status == 0, done.err
    with LogReader(log) as reader:
        assert reader.is_finished
        assert reader.topics["/signal/value"].count == 100
    again = process(*words)
    assert again.status == 2 and "exists already" in again.err
