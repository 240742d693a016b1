"""Supervision with real processes: what dies comes back, not for ever; what hangs is noticed; nothing is left."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from studio.runtime.base.clock import ClockKind
from studio.runtime.plan.plan import Inlet, Plan, PlannedComponent, RecordingPlan
from studio.runtime.processes.events import (
    ProcessExited,
    ProcessGaveUp,
    ProcessHeard,
    ProcessHung,
    ProcessNotStarted,
    RecordingGap,
    RecordingMoved,
)
from studio.runtime.processes.spawning import LaunchError
from studio.runtime.processes.supervision import Condition, RestartPolicy
from studio.runtime.recording import LogReader
from studio.runtime.session.session import Session
from tests.components.c_filter_program import FOLDER, build
from tests.lateness import Lateness
from tests.runtime.systems import Part, plan
from tests.waiting import await_true

Open = Callable[..., Session]
HANDS_OF_A_HEARTBEAT = 3
"""The last of them is brought by the broker, taken by the observer, and missed by the supervisor."""


@pytest.fixture
def supervised() -> Iterator[Open]:
    """Starts systems that restart what dies; closes them at the end."""
    sessions: list[Session] = []

    def start(planned: Plan, policy: RestartPolicy = RestartPolicy()) -> Session:  # noqa: B008
        session = Session(planned, clock=ClockKind.WALL, policy=policy)
        sessions.append(session)
        session.launch()
        session.start("run")
        return session

    yield start
    for session in sessions:
        session.close()


def kill(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)


def handled(session: Session, component: str) -> int:
    return int(session.observer.component(component).get("handled", 0))


def await_back(session: Session, name: str, restarts: int, seconds: float = 20.0) -> None:
    ward = session.supervisor.wards[name]
    await_true(lambda: ward.restarts > restarts and ward.condition is Condition.RUNNING, f"{name} to be back", seconds)


def await_flow(session: Session, component: str, pid: int) -> None:
    """Until a component of the process `pid` has handled something."""
    host = session.plan.by_name[component].host
    await_true(
        lambda: session.observer.reports[host]["pid"] == pid and handled(session, component) > 3,
        f"events at {component}",
        20,
    )


PIPELINE = {
    "ticker": Part("Ticker", period_s=0.005),
    "adder": Part("Adder", {"raw": "ticker.out"}),
    "sink": Part("Sink", {"raw": "adder.out"}),
}


@pytest.mark.timeout(120)
def test_one_that_cannot_start_again_is_given_up_visibly_and_harms_nobody(supervised: Open, tmp_path: Path) -> None:
    sick = tmp_path / "sick"
    session = supervised(
        plan(**PIPELINE, relapsing=Part("Relapsing", {"raw": "ticker.out"}, {"sick": str(sick)})),
        RestartPolicy(most=3, pause_s=0.02),
    )
    sick.touch()
    kill(session.hosts["relapsing"])
    await_true(lambda: session.supervisor.condition("relapsing") is Condition.GAVE_UP, "giving up", 40)
    assert session.restarts == {"relapsing": 3}
    exits = [each for each in session.happenings if isinstance(each, ProcessExited)]
    assert [each.status for each in exits] == [-signal.SIGKILL, 3, 3, 3]
    assert "the device is not there" in str(exits[-1])
    given_up = [each for each in session.happenings if isinstance(each, ProcessGaveUp)]
    assert [each.restarts for each in given_up] == [3]
    before = handled(session, "sink")
    await_true(lambda: handled(session, "sink") > before + 50, "the others to go on")
    sick.unlink()
    session.restart_host("relapsing")  # by hand, when the cause is gone
    await_flow(session, "relapsing", session.hosts["relapsing"].pid)


def test_a_program_that_is_gone_is_given_up_and_supervision_goes_on(supervised: Open, tmp_path: Path) -> None:
    build()
    program = Path(shutil.copy(FOLDER / "c_filter", tmp_path))
    planned = plan(**PIPELINE)
    low_pass = PlannedComponent(
        "low_pass", "c_filter", 3, "low_pass", inlets=(Inlet("raw", "/ticker/out"),),
        outlets={"smooth": "/low_pass/smooth"}, entry="./c_filter", folder=str(tmp_path), command=True,
    )  # fmt: skip
    policy = RestartPolicy(most=2, pause_s=0.02)
    session = supervised(Plan((*planned.components, low_pass), planned.seed), policy)
    program.unlink()
    kill(session.hosts["low_pass"])
    await_true(lambda: session.supervisor.gave_up("low_pass"), "giving up")
    told = [each for each in session.happenings if isinstance(each, ProcessNotStarted)]
    assert len(told) == 2 and "no program ./c_filter" in str(told[0])
    kill(session.hosts["adder"])
    await_back(session, "adder", 0)
    with pytest.raises(LaunchError, match="no program"):
        session.restart_host("low_pass")
    shutil.copy(FOLDER / "c_filter", tmp_path)
    session.restart_host("low_pass")
    assert session.supervisor.condition("low_pass") is Condition.RUNNING


@pytest.mark.parametrize("ran_well", [True, False])
def test_only_starts_that_lead_to_nothing_make_the_next_one_wait(supervised: Open, ran_well: bool) -> None:
    policy = RestartPolicy(pause_s=0.01, good_s=0.0 if ran_well else 1000.0)
    session = supervised(plan(**PIPELINE), policy)
    futile = []
    for restarts in range(3):
        kill(session.hosts["adder"])
        await_back(session, "adder", restarts)
        futile.append(session.supervisor.wards["adder"].futile)
    assert futile == ([1, 1, 1] if ran_well else [1, 2, 3])


def test_a_parameter_that_was_set_survives_a_restart(supervised: Open) -> None:
    session = supervised(plan(**PIPELINE))
    session.remember("adder", parameters={"amount": 7.5})
    session.restart_host("adder")
    await_true(lambda: session.observer.component("adder").get("parameters", {}).get("amount") == 7.5, "the new value")


def test_a_stopped_host_is_noticed_within_two_seconds_and_holds_nobody_up(
    supervised: Open, scaled: Callable[[int], int]
) -> None:
    session = supervised(plan(**PIPELINE))
    process = session.hosts["sink"]
    took_ms = []
    with Lateness() as lateness:
        for _ in range(max(2, scaled(50))):
            await_true(lambda: session.supervisor.condition("sink") is Condition.RUNNING, "health")
            session.happenings.clear()
            process.send_signal(signal.SIGSTOP)
            stopped_ns = time.monotonic_ns()
            await_true(lambda: session.supervisor.condition("sink") is Condition.HUNG, "hung to be noticed")
            took_ms.append(lateness.assert_within(2.0, stopped_ns, time.monotonic_ns(), HANDS_OF_A_HEARTBEAT))
            session.pause()
            session.run()
            process.send_signal(signal.SIGCONT)
            await_true(lambda: session.supervisor.condition("sink") is Condition.RUNNING, "it to be heard again")
            kinds = [type(each) for each in session.happenings]
            assert kinds == [ProcessHung, ProcessHeard]
    print(f"\n{len(took_ms)} times noticed after {min(took_ms):.0f} to {max(took_ms):.0f} ms")
    assert process.poll() is None and not session.restarts, "what hangs is not restarted: somebody may be debugging it"


def test_one_that_stops_before_it_was_ever_heard_is_noticed_too(supervised: Open) -> None:
    session = supervised(plan(**PIPELINE))
    session.hosts["sink"].send_signal(signal.SIGSTOP)
    await_true(lambda: time.monotonic_ns() - session.observer.heard_ns.get("sink", 0) > 700_000_000, "silence")
    session.observer.heard_ns.pop("sink", None)  # as if its first heartbeat had been lost
    await_true(lambda: session.supervisor.condition("sink") is Condition.HUNG, "hung to be noticed", 20)
    session.hosts["sink"].send_signal(signal.SIGCONT)
    await_true(lambda: session.supervisor.condition("sink") is Condition.RUNNING, "it to be heard")


def test_a_long_handler_is_busy_and_not_hung(supervised: Open) -> None:
    session = supervised(
        plan(ticker=Part("Ticker", period_s=0.05), slow=Part("Slow", {"raw": "ticker.out"}, {"seconds": 3.0}))
    )
    await_true(lambda: session.observer.reports.get("slow", {}).get("busy_s", 0.0) > 2.0, "a busy host", 20)
    assert session.supervisor.condition("slow") is Condition.RUNNING
    assert not any(isinstance(each, ProcessHung) for each in session.happenings)


def test_the_deaf_are_ended_within_ten_seconds_with_their_children(supervised: Open) -> None:
    session = supervised(
        plan(
            ticker=Part("Ticker", period_s=0.02),
            deaf=Part("Deaf", {"raw": "ticker.out"}),
            sink=Part("Sink", {"raw": "deaf.out"}),
        )
    )
    await_true(lambda: handled(session, "sink") > 2, "the deaf one to be stuck in its handler", 20)
    children = psutil.Process(session.hosts["deaf"].pid).children()
    assert len(children) == 1
    pids = [process.pid for process in session.processes().values()]
    start = time.monotonic()
    session.close()
    assert time.monotonic() - start < 10.0
    assert session.hosts["deaf"].returncode == -signal.SIGKILL
    for pid in (*pids, children[0].pid):
        await_true(lambda pid=pid: is_dead(pid), f"{pid} to be gone", 2)


def is_dead(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE and psutil.Process(pid).ppid() == 1)
    except psutil.NoSuchProcess:
        return True


def test_a_flood_on_stdout_fills_nothing_and_disturbs_nobody(supervised: Open, scaled: Callable[[int], int]) -> None:
    megabytes = max(20, scaled(1000))
    session = supervised(
        plan(
            ticker=Part("Ticker", period_s=0.01),
            loud=Part("Chatterbox", {"raw": "ticker.out"}, {"megabytes": megabytes}),
            after=Part("Sink", {"raw": "loud.out"}),
            sink=Part("Sink", {"raw": "ticker.out"}),
        )
    )
    await_true(lambda: handled(session, "after") > 5, "it to have printed all", 50 + megabytes)
    lines = session.outputs.lines("loud")
    assert lines[-1].text == "that was all" and lines[-1].level == "output"
    kept = sum(len(line.text) for line in lines)
    assert kept <= 200_000
    assert session.outputs.dropped_bytes("loud") > 0.9 * megabytes * 2**20
    assert sum(file.stat().st_size for file in session.folders.run.rglob("*") if file.is_file()) < 100_000
    assert session.observer.reports["sink"]["topics"]["/ticker/out"]["lost"] == 0


STARTS_AFTER_S = 1.0
"""So long the next recorder takes to come: what passes meanwhile is kept for it."""


def start_late(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    start = session.start_recorder

    def late(*extra: object) -> None:
        time.sleep(STARTS_AFTER_S)
        start(*extra)  # type: ignore[arg-type]

    monkeypatch.setattr(session, "start_recorder", late)


def test_a_killed_recorder_goes_on_in_a_file_of_its_own_and_nothing_is_missed_meanwhile(
    supervised: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = plan(
        **PIPELINE,
        slow=Part("Ticker", period_s=0.02),
        large=Part("BigMap", {"raw": "slow.out"}, {"side": 200}),
        sum=Part("MapSum", {"map": "large.big"}),
    )
    log = tmp_path / "trial.mcap"
    types = {"/ticker/out": "Float64", "/adder/out": "Float64", "/large/big": "Map"}
    recording = RecordingPlan(str(log), tuple(types))
    session = supervised(Plan(planned.components, planned.seed, "", types, recording))
    start_late(session, monkeypatch)
    await_true(lambda: handled(session, "sink") > 50, "events")
    for number in range(2):
        assert session.recorder is not None
        kill(session.recorder)
        await_back(session, "recorder", number)
        before = handled(session, "sink")
        await_true(lambda before=before: handled(session, "sink") > before + 400, "more events", 20)  # type: ignore[misc]
    session.close()
    files = [tmp_path / "trial_2.mcap", tmp_path / "trial_3.mcap"]
    assert [each.file for each in session.happenings if isinstance(each, RecordingMoved)] == list(map(str, files))
    with LogReader(files[-1]) as reader:
        assert reader.is_finished
    for topic in types:
        written_ns = 0
        for file in (log, *files):
            with LogReader(file) as reader:
                events = list(reader.events(topics=[topic]))
            sequences = [event.sequence for event in events]
            assert sequences == list(range(sequences[0], sequences[-1] + 1)), "nothing twice, nothing left out"
            lost_s = (events[0].sent_ns - written_ns) / 1e9 if written_ns else 0.0
            assert lost_s < STARTS_AFTER_S / 2, f"{lost_s:.3f} s of {topic} are in no file"
            written_ns = events[-1].sent_ns


def recorded_pipeline(supervised: Open, log: Path) -> Session:
    planned = plan(**PIPELINE)
    types = {"/ticker/out": "Float64", "/adder/out": "Float64"}
    session = supervised(Plan(planned.components, planned.seed, "", types, RecordingPlan(str(log), tuple(types))))
    await_true(lambda: handled(session, "sink") > 50, "events")
    return session


def test_a_recorder_that_dies_before_it_has_taken_over_leaves_all_to_the_next_one(
    supervised: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "trial.mcap"
    session = recorded_pipeline(supervised, log)
    start_late(session, monkeypatch)
    first = session.recorder
    assert first is not None
    kill(first)
    await_true(lambda: session.recorder not in (None, first), "the next one")
    kill(session.recorder)
    await_back(session, "recorder", 1)
    before = handled(session, "sink")
    await_true(lambda: handled(session, "sink") > before + 200, "more events")
    session.close()
    sent_ns = []
    for file in (log, *sorted(tmp_path.glob("trial_*.mcap"))):
        with LogReader(file) as reader:
            sent_ns += [event.sent_ns for event in reader.events(topics=["/ticker/out"])]
    longest_s = max(later - earlier for earlier, later in pairwise(sorted(sent_ns))) / 1e9
    assert longest_s < STARTS_AFTER_S / 2, f"{longest_s:.3f} s are in no file"


def test_it_is_told_when_more_passes_without_a_recorder_than_is_kept(
    supervised: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.runtime.recording.recorder.interim.MOST_KEPT_BYTES", 5000)
    session = recorded_pipeline(supervised, tmp_path / "trial.mcap")
    start_late(session, monkeypatch)
    kill(session.recorder)
    await_back(session, "recorder", 0)
    told = [str(each) for each in session.happenings if isinstance(each, RecordingGap)]
    assert len(told) == 1 and "further events are not recorded" in told[0]
    before = handled(session, "sink")
    await_true(lambda: handled(session, "sink") > before + 200, "more events")
    session.close()
    with LogReader(tmp_path / "trial_2.mcap") as reader:
        assert reader.is_finished and reader.event_count > 100


@pytest.mark.soak
def test_a_broker_that_stands_still_is_replaced(supervised: Open) -> None:
    session = supervised(plan(**PIPELINE))
    await_true(lambda: handled(session, "sink") > 20, "events")
    session.broker.send_signal(signal.SIGSTOP)
    await_back(session, "broker", 0)
    before = handled(session, "sink")
    await_true(lambda: handled(session, "sink") > before + 50, "events after the replacement", 20)
