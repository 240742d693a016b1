"""`studio run --detach`, `studio ctl` and `studio stop` on a system that really runs."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.runtime.client.attach import Attachment
from studio.runtime.recording import LogReader
from tests.cli.running import STUDIO, Result, Studio
from tests.waiting import await_true

MISBEHAVING = Path(__file__).resolve().parents[1] / "misbehaving"
SYSTEM = """<system name="bench" version="1">
  <host name="both"/>
  <component name="signal" type="signal_source" period_s="0.01"/>
  <component name="filter" type="low_pass" host="both"/>
  <component name="sink" type="signal_sink" host="both"/>
  <wire from="signal.value" to="filter.raw"/> <wire from="filter.smooth" to="sink.value"/>
</system>"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("r")
    yield folder
    for note in folder.glob("*/runtime.json"):  # a test that failed leaves nothing running
        os.kill(json.loads(note.read_text())["pid"], signal.SIGKILL)


@pytest.fixture(autouse=True)
def _own_runs(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_RUNS", str(runs))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("p") / "bench"
    folder.mkdir()
    (folder / "system.xml").write_text(SYSTEM)
    return folder


def process(runs: Path, *words: object) -> Result:
    environment = {**os.environ, "STUDIO_RUNS": str(runs)}
    done = subprocess.run(
        [*STUDIO, *map(str, words)], capture_output=True, text=True, check=False, env=environment, timeout=50
    )
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def running(runs: Path, project: Path) -> Iterator[dict[str, object]]:
    started = process(runs, "run", project, "--detach", "--json")
    assert started.status == 0, started.err
    yield started.json
    stopped = process(runs, "stop", "--json")
    assert stopped.json == {"systems": [{"run": started.json["run"], "project": "bench", "stopped": True}]}
    assert list(runs.iterdir()) == []


@pytest.mark.usefixtures("running")
class TestSteering:
    def test_list_tells_what_runs_and_how(self, studio: Studio, running: dict[str, object]) -> None:
        told = studio("ctl", "list", "--json").json["systems"]
        assert [(each["project"], each["run"], each["gate"]) for each in told] == [("bench", running["run"], "run")]
        assert set(told[0]["components"]["filter"]) >= {
            "state",
            "rate_hz",
            "handler_p50_us",
            "cpu_percent",
            "rss_mb",
            "drops",
            "restarts",
        }
        text = studio("ctl", "list").out
        assert text.startswith(f"bench: run {running['run']}, running, mode real")
        assert "component" in text and "filter" in text

    def test_how_long_handlers_take_is_told(self, studio: Studio) -> None:
        def took_us() -> float | None:
            found: float | None = studio("ctl", "list", "--json").json["systems"][0]["components"]["filter"][
                "handler_p50_us"
            ]
            return found

        await_true(lambda: (took_us() or 0.0) > 0.0, "the median of the filter's handler")

    def test_properties_have_rdk_names(self, studio: Studio) -> None:
        told = studio("ctl", "list", "filter", "--json").json["properties"]
        assert told["rdk://both/filter/cutoff_hz"] == {
            "kind": "parameter", "component": "filter", "name": "cutoff_hz", "value": 2.0
        }  # fmt: skip
        assert told["rdk://both/filter/smooth"]["topic"] == "/filter/smooth"

    def test_a_parameter_is_set_checked_and_read_back(self, studio: Studio) -> None:
        result = studio("ctl", "set", "filter.cutoff_hz", "3.5", "--json")
        assert result.json == {"property": "rdk://both/filter/cutoff_hz", "value": 3.5, "effect": "now"}
        assert studio("ctl", "get", "rdk://both/filter/cutoff_hz").out == "3.5\n"
        refused = studio("ctl", "set", "filter.cutoff_hz", "-1")
        assert (refused.status, refused.out) == (1, "") and "below its minimum" in refused.err
        assert studio("ctl", "get", "filter.cutoff_hz").out == "3.5\n"

    @pytest.mark.parametrize(
        ("words", "status", "told"),
        [
            (["get", "filter.cutof_hz"], 1, "did you mean cutoff_hz"),
            (["get", "fliter.cutoff_hz"], 1, "did you mean filter"),
            (["get", "filter"], 2, "component.property"),
            (["get", "rdk://signal/filter/cutoff_hz"], 1, "it is on both"),
            (["set", "filter.smooth", "1"], 1, "is an output and cannot be set"),
            (["set", "filter.cutoff_hz", "fast"], 1, "cutoff_hz"),
            (["mode", "filter", "periodic"], 1, "it can: event"),
            (["reset", "filter"], 1, "cannot reset a component that is active"),
            (["start", "filter"], 1, "active already"),
            (["restart", "filler"], 1, "did you mean filter"),
            (["step", "--topic", "/filter/smoth"], 1, "did you mean /filter/smooth"),
            (["break", "/filter/smoth"], 1, "did you mean /filter/smooth"),
            (["break", "/filter/smooth", "--if", "data is 3"], 1, "is not a valid condition"),
            (["break"], 2, "no TOPIC, --state or --error given"),
            (["stop"], 2, "`studio stop` ends the whole system"),
            (["get", "filter.cutoff_hz", "--run", "other"], 1, "no system other is running"),
        ],
    )
    def test_what_cannot_be_is_refused_with_a_hint(
        self, studio: Studio, words: list[str], status: int, told: str
    ) -> None:
        result = studio("ctl", *words)
        assert (result.status, result.out) == (status, "")
        assert told in result.err

    def test_outputs_are_got_and_watched(self, studio: Studio) -> None:
        assert -2 < float(studio("ctl", "get", "filter.smooth").out) < 2
        lines = studio("ctl", "watch", "signal.value", "filter.cutoff_hz", "--count", "4", "--json").out.splitlines()
        told = [json.loads(line) for line in lines]
        assert len(told) == 4
        assert {each["property"] for each in told} == {"rdk://signal/signal/value", "rdk://both/filter/cutoff_hz"}

    def test_a_component_is_paused_woken_stopped_and_started(self, studio: Studio) -> None:
        for verb, state in [("pause", "paused"), ("wakeup", "active"), ("stop", "inactive"), ("start", "active")]:
            assert studio("ctl", verb, "filter").status == 0
            await_true(lambda wanted=state: studio("ctl", "get", "filter.state").out.strip() == wanted, state)
        assert studio("ctl", "deactivate", "filter", "sink").out.count("deactivated, now") == 2
        assert studio("ctl", "activate", "filter", "sink", "--json").json["components"] == {
            "filter": "now", "sink": "now"
        }  # fmt: skip

    def test_the_gate_pauses_steps_and_goes_on(self, studio: Studio) -> None:
        assert studio("ctl", "pause").out == "bench is paused\n"
        assert studio("ctl", "gate", "--json").json["gate"] == "pause"
        delivered = studio("ctl", "step", "2", "--topic", "/filter/smooth", "--json").json["delivered"]
        assert [topic for topic, _ in delivered].count("/filter/smooth") == 2
        held = studio("ctl", "set", "filter.cutoff_hz", "4.5")
        assert held.out == "filter.cutoff_hz = 4.5, when the system goes on\n"
        assert studio("ctl", "start").status == 0
        await_true(lambda: studio("ctl", "get", "filter.cutoff_hz").out == "4.5\n", "the value")

    def test_an_event_breakpoint_stops_the_system_and_is_removed(self, studio: Studio) -> None:
        hit = studio("ctl", "break", "filter.smooth", "--if", "data > -9", "--wait", "20", "--json").json["hit"]
        assert (hit["topic"], hit["when"]) == ("/filter/smooth", "seen"), "it ran freely"
        assert studio("ctl", "gate").out == "pause\n"
        assert studio("ctl", "break", "--remove", "1").out == "1 removed, 0 left\n"
        assert studio("ctl", "break", "signal.value", "--count", "3").out == "1: before /signal/value, every 3rd\n"
        delivered = [topic for topic, _ in studio("ctl", "step", "100", "--json").json["delivered"]]
        assert delivered.count("/signal/value") == 2 and delivered[-1] != "/signal/value", "it stands before the third"
        await_true(lambda: "stopped before /signal/value" in studio("ctl", "breaks").out, "the stop to be told")
        assert studio("ctl", "breaks").out.startswith("1: before /signal/value, every 3rd (1 hit)")
        assert studio("ctl", "break", "--remove", "all", "--json").json == {"left": 0}
        assert studio("ctl", "start").status == 0
        assert studio("ctl", "breaks").out == "no event breakpoints\n"

    def test_it_is_recorded_for_a_while_with_a_selection(self, studio: Studio, tmp_path: Path) -> None:
        assert studio("ctl", "record").out == "nothing is being recorded\n"
        assert studio("ctl", "record", "stop").status == 1
        for words, told in {
            ("start", tmp_path, "--topics", "/nobody/*"): "the topics are /signal/value, /filter/smooth",
            ("start", tmp_path / "nowhere" / "a.mcap"): "there is no folder",
            ("stop", "now"): "stop takes no now",
            ("bookmark", "here", "--compression", "lz4"): "go with start",
        }.items():
            refused = studio("ctl", "record", *words)
            assert (refused.status, refused.out) == (2, "") and told in refused.err
        begun = studio(
            "ctl", "record", "start", tmp_path, "--exclude", "/signal/*", "--compression", "lz4", "--json"
        ).json
        log = Path(begun["log"])
        assert begun["topics"] == ["/filter/smooth"] and log.parent == tmp_path and log.name.startswith("bench_")
        again = studio("ctl", "record", "start", tmp_path / "other.mcap")
        assert again.status == 1 and f"already, into {log}" in again.err and "record stop" in again.err
        assert studio("ctl", "record", "bookmark", "the dog ran by").out == "bookmark: the dog ran by\n"
        await_true(lambda: (studio("ctl", "record", "--json").json["events"] or 0) > 50, "the log to grow")
        assert " GB left" in studio("ctl", "record").out
        ended = studio("ctl", "record", "stop", "--json").json
        assert ended["log"] == str(log) and ended["events"] > 50 and ended["bookmarks"] == 1 and ended["finished"]
        with LogReader(log) as reader:
            assert "/filter/smooth" in reader.topics and "/signal/value" not in reader.topics
        assert studio("ctl", "record", "--json").json == {"log": None}
        assert studio("ctl", "gate").out == "run\n"

    def test_a_mode_can_be_changed(self, studio: Studio) -> None:
        assert studio("ctl", "mode", "signal", "periodic", "--period", "0.002").status == 0
        await_true(lambda: float(studio("ctl", "get", "signal.rate_hz").out) > 150, "the faster rate", 20)

    def test_a_restart_keeps_what_was_set_and_its_neighbours(self, studio: Studio) -> None:
        studio("ctl", "set", "filter.cutoff_hz", "5.5")
        told = studio("ctl", "restart", "filter", "--json").json
        assert told == {"host": "both", "components": ["filter", "sink"]}
        await_true(lambda: studio("ctl", "get", "filter.restarts").out == "1\n", "the count")
        assert studio("ctl", "get", "filter.cutoff_hz").out == "5.5\n"
        assert studio("ctl", "output", "filter", "--json").json["process"] == "both"


def test_without_a_system_it_says_what_to_do(studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_RUNS", str(tmp_path))
    for words in (["ctl", "pause"], ["stop"], ["ctl", "get", "a.b"]):
        result = studio(*words)
        assert result.status == 1 and "no system is running" in result.err and "--detach" in result.err
    assert studio("ctl", "list").out.startswith("nothing is running")
    assert studio("stop", "--all").status == 0


def test_a_system_that_cannot_start_is_told_also_when_detached(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "system.xml").write_text('<system name="x" version="1"><component name="a" type="nothing"/></system>')
    result = studio("run", tmp_path, "--detach")
    assert (result.status, result.out) == (1, "")
    assert "nothing" in result.err and "does not run: 1 error" in result.err


def test_a_run_on_a_terminal_shows_a_live_table_and_stops_from_elsewhere(
    runs: Path, studio: Studio, project: Path
) -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "STUDIO_RUNS": str(runs), "COLUMNS": "100", "LINES": "30", "TERM": "xterm"}
    with subprocess.Popen(
        [*STUDIO, "run", str(project)], stdout=subprocess.PIPE, stderr=theirs, env=environment, text=True
    ) as run:
        os.close(theirs)
        seen = b""
        while b"restarts" not in seen or seen.count(b"active") < 3:
            seen += os.read(ours, 4096)
        told = studio("ctl", "list", "--json").json["systems"]
        mine = next(each for each in told if each["pid"] == run.pid)
        stopped = studio("stop", mine["run"])
        assert stopped.status == 0, stopped.err
        out, _ = run.communicate(timeout=30)
    os.close(ours)
    assert run.returncode == 0
    assert b"rate Hz" in seen and b"Ctrl-C ends" in seen
    assert out.startswith("bench ran ")


def test_stop_kill_ends_a_runtime_that_does_not_answer(runs: Path, studio: Studio, project: Path) -> None:
    started = process(runs, "run", project, "--detach", "--json").json
    os.kill(started["pid"], signal.SIGSTOP)
    stopped = studio("stop", started["run"], "--kill")
    assert stopped.status == 0, stopped.err
    assert not Path(started["folder"]).exists()


@pytest.mark.timeout(120)
def test_a_component_that_dies_again_and_again_is_given_up_and_the_rest_goes_on(
    runs: Path, studio: Studio, tmp_path: Path
) -> None:
    shutil.copytree(MISBEHAVING / "mortal", tmp_path / "components" / "mortal")
    fly = '<component name="fly" type="mortal"/><wire from="signal.value" to="fly.value"/></system>'
    (tmp_path / "system.xml").write_text(SYSTEM.replace("</system>", fly))
    started = process(runs, "run", tmp_path, "--detach", "--json").json
    with Attachment(Path(started["folder"]), "watcher") as watcher:
        assert watcher.wait_for(lambda: watcher.state["components"]["fly"]["state"] == "gave up", 50)
        assert watcher.state["components"]["fly"]["restarts"] == 5
        assert watcher.state["components"]["sink"]["state"] == "active"
        assert watcher.wait_for(lambda: any("gave up" in line["text"] for line in watcher.lines), 5)
    log = studio("ctl", "log", "--run", started["run"]).out
    assert "its process ended with exit status 7" in log and "gave up" in log
    assert "goodbye, cruel channel" in studio("ctl", "output", "fly", "--run", started["run"]).out
    assert studio("stop", started["run"]).status == 0
