"""`studio replay` with real logs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from studio.model.loaded_project import open_project
from studio.runtime.base.log_compression import WHEN_RECORDING
from studio.runtime.host.host import create
from studio.runtime.host.in_process import InProcess
from studio.runtime.plan.planning import plan_of
from studio.runtime.recording import LogReader, LogWriter
from studio.runtime.replay.event_log import EventLog
from tests.cli.running import STUDIO, Studio

FIRST_STEPS = Path(__file__).resolve().parents[2] / "projects" / "first_steps"
START_NS = 10**18


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second of first_steps."""
    path = tmp_path_factory.mktemp("recorded") / "run.mcap"
    opened = open_project(FIRST_STEPS)
    plan = plan_of(opened.system, opened.registry, project=opened.folder, seed=5)
    with EventLog(path, plan, opened.types, compression=WHEN_RECORDING) as log:
        twin = InProcess(plan, create, start_ns=START_NS, tap=log.take)
        twin.start()
        twin.lockstep(until_ns=START_NS + 10**9)
        twin.stop()
    return path


def changed(folder: Path) -> Path:
    shutil.copytree(FIRST_STEPS, folder)
    text = (folder / "system.xml").read_text()
    (folder / "system.xml").write_text(text.replace('name="cutoff_hz" value="2.0"', 'name="cutoff_hz" value="2.5"'))
    return folder


def test_what_comes_out_is_what_was_recorded(studio: Studio, recorded: Path) -> None:
    result = studio("replay", FIRST_STEPS, "--log", recorded, "--lockstep", "--in-process", "--expect", recorded)
    assert result.status == 0, result.err
    assert "replayed 300 events, 1.000 s of system time" in result.out
    assert f"compared with {recorded}: identical" in result.out


def test_a_replay_records_what_the_system_selects_or_the_options_compressed(
    studio: Studio, recorded: Path, tmp_path: Path
) -> None:
    folder = changed(tmp_path / "first_steps")
    text = (folder / "system.xml").read_text()
    (folder / "system.xml").write_text(text.replace('<topic pattern="/signal/*"/>', ""))
    replay = ("replay", folder, "--log", recorded, "--lockstep", "--in-process")

    def topics(*words: object) -> set[str]:
        out = tmp_path / f"{len(list(tmp_path.iterdir()))}.mcap"
        result = studio(*replay, "--record", out, *words)
        assert result.status == 0, result.err
        with LogReader(out) as log:
            assert (b"zstd" in out.read_bytes()) == ("none" not in words), "chunks name their compression"
            return {name for name in log.topics if not name.startswith("/_studio/")}

    assert topics() == {"/filter/smooth"}
    assert topics("--topics", "/signal/*", "--compression", "none") == {"/signal/value"}
    assert topics("--exclude", "/filter/*", "--topics", "/*") == {"/signal/value"}
    refused = studio(*replay, "--topics", "/signal/*")
    assert refused.status == 2 and "name it: --record LOG" in refused.err
    assert studio(*replay, "--record", tmp_path / "x.mcap", "--topics", "/no/*").status == 2


def test_over_processes_it_is_the_same(studio: Studio, recorded: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.mcap"
    result = studio("replay", FIRST_STEPS, "--log", recorded, "--lockstep", "--record", out, "--json")
    assert result.status == 0, result.err
    told = result.json
    assert (told["delivered"], told["fed"], told["left_out"], told["failures"]) == (300, [], [], {})
    assert told["expected"] is None
    assert out.read_bytes() == recorded.read_bytes()


def test_a_changed_parameter_fails_and_the_first_difference_is_told(
    studio: Studio, recorded: Path, tmp_path: Path
) -> None:
    words = ("--log", recorded, "--lockstep", "--in-process", "--expect", recorded)
    result = studio("replay", changed(tmp_path / "first_steps"), *words)
    assert result.status == 1
    assert "different: 1 of 2 topics" in result.out
    assert "first difference (A: expected, B: replayed): /filter/smooth: event 2, data: " in result.out
    assert result.out.splitlines()[-2:] == ["the runs differ in (A → B):", "  filter.cutoff_hz 2.0 → 2.5"]
    assert "computed by: signal, filter, before, after" in result.out
    told = studio("replay", tmp_path / "first_steps", *words, "--json").json["expected"]
    assert told["run_differences"] == [{"kind": "parameter", "what": "filter.cutoff_hz", "a": "2.0", "b": "2.5"}]
    assert (told["identical"], told["topics"]["/signal/value"]["identical"]) == (False, True)
    assert told["topics"]["/filter/smooth"]["first_difference"]["sequence"] == 2
    assert studio("replay", tmp_path / "first_steps", *words, "--tolerance", "1").status == 0


def test_another_version_is_a_warning(studio: Studio, recorded: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.mcap"
    with LogReader(recorded) as log, LogWriter(old) as copy:
        copy.add_metadata("studio", {"numpy": "1.0", "seed": "5"})
        for event in log.events():
            topic = log.topics[event.topic]
            channel = copy.add_channel(topic.name, topic.schema)
            header = {name: value for name, value in event._asdict().items() if name not in ("topic", "payload")}
            copy.write(channel, event.payload, **header)
    result = studio("replay", FIRST_STEPS, "--log", old, "--lockstep", "--in-process", "--expect", recorded)
    assert result.status == 0
    assert "warning: recorded with numpy 1.0, now " in result.err


@pytest.mark.parametrize(
    "words",
    [
        ("replay", FIRST_STEPS, "--log", "LOG", "--lockstep", "--in-process"),
        ("compare", "LOG", "LOG"),
        ("play", "LOG", "--flat-out"),
        pytest.param(
            ("debug", FIRST_STEPS, "--component", "filter", "--log", "LOG", "--no-wait"), marks=pytest.mark.soak
        ),
        ("step", FIRST_STEPS, "--log", "LOG", "--in-process", "--forward", "3"),
        ("info", "LOG", "--why", "/signal/value:5"),
        ("info", "LOG", "--latency", "/filter/smooth"),
        ("model", "check", "raptor", "--log", "LOG"),
    ],
    ids=lambda words: " ".join(str(word) for word in words if word != FIRST_STEPS),
)
def test_a_log_that_is_not_finished_warns_and_fails(
    words: tuple[object, ...], studio: Studio, recorded: Path, tmp_path: Path
) -> None:
    cut = without_end(recorded, tmp_path)
    result = studio(*(cut if word == "LOG" else word for word in words))
    assert result.status == 1
    assert f"warning: {cut} is not finished: its recorder did not close it; the exit status is 1" in result.err
    assert result.out, "it does its work all the same"


def without_end(log: Path, folder: Path) -> Path:
    """All events, and no summary: as a recorder leaves it that was killed."""
    cut = folder / "cut.mcap"
    cut.write_bytes(log.read_bytes()[:-40])
    return cut


def test_info_of_a_log_that_is_not_finished_fails(studio: Studio, recorded: Path, tmp_path: Path) -> None:
    assert studio("info", without_end(recorded, tmp_path)).status == 1


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half a second of first_steps in real time, as users record it."""
    folder = tmp_path_factory.mktemp("live")
    words = [*STUDIO, "run", str(FIRST_STEPS), "--for", "0.5", "--record", str(folder / "run.mcap")]
    subprocess.run(words, check=True, capture_output=True, timeout=50)
    return folder / "run.mcap"


def test_a_run_in_real_time_is_a_log_to_replay(studio: Studio, live: Path, tmp_path: Path) -> None:
    """Its last effects may be cut off and ticks left out where the machine was slow, so one replay is the measure."""
    golden = tmp_path / "golden.mcap"
    words = ("replay", FIRST_STEPS, "--log", live, "--lockstep", "--in-process")
    assert studio(*words, "--record", golden).status == 0
    result = studio(*words, "--expect", golden)
    assert result.status == 0, result.out
    with LogReader(live) as was, LogReader(golden) as now:
        assert next(now.events(["/filter/smooth"])).payload == next(was.events(["/filter/smooth"])).payload


def test_as_recorded_everybody_does_the_same_again(studio: Studio, live: Path) -> None:
    told = studio("replay", FIRST_STEPS, "--log", live, "--as-recorded", "--json").json
    assert (told["identical"], told["skipped"], list(told["components"])) == (
        True, {}, ["signal", "filter", "before", "after"],
    )  # fmt: skip
    assert told["components"]["filter"]["compared"] > 20
    assert studio("replay", FIRST_STEPS, "--log", live, "--as-recorded").out.splitlines()[-1] == "identical"


def test_as_recorded_tells_who_changed(studio: Studio, live: Path, tmp_path: Path) -> None:
    result = studio("replay", changed(tmp_path / "first_steps"), "--log", live, "--as-recorded")
    assert result.status == 1
    assert "of filter while handling /signal/value:2: /filter/smooth: event 2, data: " in result.out
    assert result.out.splitlines()[-1] == "  filter.cutoff_hz 2.0 → 2.5"


def test_wrong_use(studio: Studio, recorded: Path, tmp_path: Path) -> None:
    assert studio("replay", FIRST_STEPS, "--log", recorded).status == 2
    assert studio("replay", FIRST_STEPS, "--log", recorded, "--as-recorded", "--in-process").status == 2
    lockstep = ("replay", FIRST_STEPS, "--log", recorded, "--lockstep", "--in-process")
    assert "--expect GOLDEN" in studio(*lockstep, "--tolerance", "1").err
    assert "make it first" in studio(*lockstep, "--record", f"{tmp_path / 'nowhere'}/").err
    missing = studio("replay", FIRST_STEPS, "--log", tmp_path / "no.mcap", "--lockstep")
    assert (missing.status, "does not exist" in missing.err) == (2, True)
    taken = studio(*lockstep, "--record", recorded)
    assert (taken.status, "exists already" in taken.err) == (2, True)
    broken = tmp_path / "broken.mcap"
    broken.write_bytes(b"no log at all")
    result = studio("replay", FIRST_STEPS, "--log", broken, "--lockstep")
    assert (result.status, str(broken) in result.err) == (1, True)


TALKER = '''
from studio.messages import Float64
from studio.runtime.component import Component, InPort

class Talker(Component):
    """Says what it hears."""

    value = InPort(Float64)

    def on_initialize(self) -> None:
        print("hello")

    def on_value(self, message: Float64) -> None:
        print("heard", message.data)

    def on_deactivate(self) -> None:
        print("goodbye")
'''
TALKER_PROFILE = """<component type="talker" category="processor"><doc>Says what it hears.</doc>
  <entry python="talker:Talker"/><activation modes="event"/>
  <port name="value" direction="in" type="Float64" delivery="lossless"/></component>"""


def test_what_components_print_is_not_in_the_answer(studio: Studio, tmp_path: Path) -> None:
    own = tmp_path / "lab" / "components" / "talker"
    own.mkdir(parents=True)
    (own / "talker.py").write_text(TALKER)
    (own / "component.xml").write_text(TALKER_PROFILE)
    (tmp_path / "lab" / "system.xml").write_text(
        '<system name="lab" version="1"><component name="signal" type="signal_source" mode="periodic" period_s="0.01"/>'
        '<component name="talker" type="talker"/><wire from="signal.value" to="talker.value"/></system>'
    )
    log = tmp_path / "run.mcap"
    recorded = studio("run", tmp_path / "lab", "--gate", "lockstep", "--for", "0.2", "--record", log)
    assert recorded.status == 0, recorded.err
    for words in (
        ("replay", "--lockstep", "--in-process"), ("replay", "--as-recorded"), ("step", "--in-process", "--forward", 9)
    ):  # fmt: skip
        verb, *rest = words
        told = studio(verb, tmp_path / "lab", "--log", log, *rest, "--json")
        assert told.status == 0 and told.json, told.err
        assert "heard" in told.err
        if "--in-process" in words:
            assert "hello" in told.err and "goodbye" in told.err
