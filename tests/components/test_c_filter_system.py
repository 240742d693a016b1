"""The filter in C in a system of real processes, beside components in Python."""

from __future__ import annotations

import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
import zmq

from studio.runtime.base.clock import ClockKind
from studio.runtime.host.statistics import topic_totals
from studio.runtime.plan.plan import Inlet, Plan, PlannedComponent
from studio.runtime.plan.plan_change import CannotChange, plan_change
from studio.runtime.session.session import Session
from studio.runtime.wire.frames import Origin
from tests.components.bare_channel import RAW, SMOOTH, Frame, fnv, read, value_of
from tests.components.c_filter_program import FOLDER, ROOT, build
from tests.waiting import await_true

TO_ALL_HOSTS = "/_studio/all"
TWIN = Path(__file__).parent / "c_filter_twin"


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    build()


def plan(twin: bool = False) -> Plan:
    source, sink = ROOT / "components/signal_source", ROOT / "components/signal_sink"
    entry, folder = ("c_filter_twin:Twin", TWIN) if twin else ("./c_filter", FOLDER)
    return Plan(
        (
            PlannedComponent(
                "signal", "signal_source", 0, "signal", "periodic", 5_000_000, {"noise": 0.5}, outlets={"value": RAW},
                entry="signal_source:SignalSource", folder=str(source),
            ),
            PlannedComponent(
                "filter", "c_filter", 1, "filter", parameters={"gain": 0.1}, inlets=(Inlet("raw", RAW),),
                outlets={"smooth": SMOOTH}, entry=entry, folder=str(folder), command=not twin,
            ),
            PlannedComponent(
                "sink", "signal_sink", 2, "sink", inlets=(Inlet("value", SMOOTH),), entry="signal_sink:SignalSink",
                folder=str(sink),
            ),
        ),
        seed=3,
    )  # fmt: skip


class Recorded:
    """A session with a lossless listener that keeps the data frames as they are."""

    def __init__(self, twin: bool = False) -> None:
        self.frames: list[bytes] = []
        self._ended, self._hears = threading.Event(), threading.Event()
        self.session = Session(plan(twin), clock=ClockKind.SIMULATION, start_ns=0)
        self._context = zmq.Context()
        self._sub = self._context.socket(zmq.SUB)
        self._sub.rcvhwm = 0
        self._sub.connect(f"ipc://{self.session.folders.run}/out")
        for topic in (RAW, SMOOTH, TO_ALL_HOSTS):
            self._sub.subscribe(topic.encode() + b"\0")
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        self.session.launch()
        # A broker says this twice a second. Before the first one he may not know yet that somebody listens.
        assert self._hears.wait(20)

    def _listen(self) -> None:
        while not self._ended.is_set():
            if not self._sub.poll(20):
                continue
            frame = self._sub.recv()
            if frame.startswith(TO_ALL_HOSTS.encode()):
                self._hears.set()
            else:
                self.frames.append(frame)

    def settled(self) -> list[bytes]:
        """What was recorded, once nothing more comes: to be called while the system is paused."""
        count = -1
        while count != len(self.frames):
            count = len(self.frames)
            time.sleep(0.1)
        return list(self.frames)

    def on(self, topic: str) -> list[Frame]:
        return [each for each in map(read, self.settled()) if each.topic == topic]

    def __enter__(self) -> Recorded:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self._context.destroy(linger=0)
        self.session.close()


@pytest.mark.must_not_flake
def test_lockstep_gives_the_same_bytes_as_the_same_filter_in_python() -> None:
    frames = []
    for twin in (False, True):
        with Recorded(twin) as recorded:
            recorded.session.start()
            delivered = [recorded.session.step() for _ in range(10)]
            assert [len(step) for step in delivered] == [1] * 10
            assert recorded.session.lockstep(count=600) == 600
            frames.append((delivered, recorded.settled()))
    assert frames[0] == frames[1]
    assert len(frames[0][1]) > 400


def test_run_pause_step_and_run_lose_nothing_and_a_new_gain_holds() -> None:
    with Recorded() as recorded:
        session = recorded.session
        session.start()
        for _ in range(5):
            session.run()
            time.sleep(0.1)
            session.pause()
            session.step(7)
        while session.control.status()["held"]:
            session.step()
        changed_after = len(recorded.on(SMOOTH))
        session.command("filter", {"do": "set", "name": "gain", "value": 0.75})
        session.lockstep(count=30)
        while session.control.status()["held"]:
            session.step()
        raw, smooth = recorded.on(RAW), recorded.on(SMOOTH)
        status = session.control.status()
        program = session.hosts["filter"]
    assert status["damaged"] == 0
    assert program.returncode == 0
    assert [each.sequence for each in raw] == list(range(1, len(raw) + 1))
    assert [each.cause for each in smooth] == [(fnv(RAW), number) for number in range(1, len(smooth) + 1)]
    assert len(smooth) == len(raw) >= changed_after + 10 > 60
    assert [value_of(each.payload) for each in smooth] == filtered(raw, [0.1] * changed_after + [0.75] * len(raw))


def filtered(raw: list[Frame], gains: list[float]) -> list[float]:
    levels = [value_of(raw[0].payload)]
    for each, gain in zip(raw[1:], gains[1:], strict=False):
        levels.append(levels[-1] + gain * (value_of(each.payload) - levels[-1]))
    return levels


def test_what_nobody_receives_is_counted_by_the_program_itself() -> None:
    whole = plan()
    with Session(replace(whole, components=whole.components[:2]), clock=ClockKind.SIMULATION, start_ns=0) as session:
        session.launch()
        session.start()
        session.lockstep(count=20)

        def counted() -> int:
            return topic_totals(session.observer.reports.values(), [SMOOTH])[SMOOTH].count

        await_true(lambda: counted() > 0, "the filter's own count of what it publishes")


def test_it_goes_on_after_the_broker_was_killed() -> None:
    with Recorded() as recorded:
        session = recorded.session
        session.start("run")
        await_true(lambda: len(recorded.frames) > 20, "events")
        session.broker.send_signal(signal.SIGKILL)
        await_true(lambda: session.broker_restarts == 1, "a new broker")
        await_true(lambda: "filter" in session.control.status()["ready"], "the filter's new greeting")
        before = len(recorded.frames)
        await_true(lambda: len(recorded.frames) > before + 20, "events after the restart")
        session.pause()
        session.step(3)
        raw, smooth = recorded.on(RAW), recorded.on(SMOOTH)
        program = session.hosts["filter"]
    assert program.returncode == 0
    sequences = [each.sequence for each in smooth]
    assert sequences == sorted(set(sequences))
    # Whatever came through the new broker was handled, with the level of before.
    values = {each.sequence: value_of(each.payload) for each in raw}
    *_, before_last, last = smooth
    assert value_of(last.payload) == value_of(before_last.payload) + 0.1 * (
        values[last.cause[1]] - value_of(before_last.payload)
    )


def test_a_program_is_told_what_it_can_obey_and_otherwise_has_to_be_restarted() -> None:
    before = plan()
    filter_, elsewhere = before.by_name["filter"], before.by_name["signal"]

    def changed(**fields: object) -> Plan:
        return replace(before, components=(elsewhere, replace(filter_, **fields), before.by_name["sink"]))  # type: ignore[arg-type]

    tuned = plan_change(before, changed(parameters={"gain": 0.7}))
    assert list(tuned.commands()) == [("filter", {"do": "set", "name": "gain", "value": 0.7})]
    made_up = changed(origin=Origin.SIMULATED)
    told = plan_change(before, made_up, obedient={"filter"})
    assert list(told.commands()) == [("filter", {"do": "origin", "origin": 1})]
    with pytest.raises(CannotChange, match="where its data comes from"):
        plan_change(before, made_up)  # or what is made up would pass for real
    with pytest.raises(CannotChange, match="learns its wires"):
        plan_change(before, changed(inlets=()), obedient={"filter"})
