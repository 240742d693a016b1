"""The gate over real processes: switching between run, pause and step loses, duplicates and reorders nothing."""

from __future__ import annotations

import itertools
import random
import signal
import threading
import time
from collections.abc import Callable

from studio.messages import Float64, decode
from studio.runtime.base.clock import ClockKind
from studio.runtime.processes.control import Control
from tests.runtime.systems import Part, ProcessRun, Seen, plan
from tests.waiting import await_true


def sequences(seen: list[Seen], topic: str) -> list[int]:
    return [event.sequence for event in seen if event.topic == topic]


def assert_complete(seen: list[Seen], topic: str) -> None:
    found = sequences(seen, topic)
    assert found == list(range(1, len(found) + 1)), f"{topic}: lost, doubled or out of order"


def test_switching_under_load_loses_doubles_and_reorders_nothing(
    open_session: Callable[..., ProcessRun], scaled: Callable[[int], int]
) -> None:
    """run → pause → step → run, again and again, at a few thousand events a second."""
    run = open_session(
        plan(
            loop=Part("Loop", {"raw": "loop.out"}),
            fast=Part("Ticker", period_s=0.001),
            adder=Part("Adder", {"raw": "fast.out loop.out"}),
            sink=Part("Sink", {"raw": "adder.out"}),
        )
    )
    choose = random.Random(7)
    steps = 0
    for _ in range(scaled(4000)):
        run.run()
        time.sleep(choose.uniform(0.0, 0.02))
        run.pause()
        before = run.control.status()["delivered"]
        count = choose.randrange(3)
        run.step(count)
        assert run.control.status()["delivered"] == before + count
        steps += count
    assert steps > 0
    seen = run.channel()
    for topic in ("/loop/out", "/fast/out", "/adder/out"):
        assert_complete(seen, topic)
    sink = run.component("sink")
    got = run.observer.reports["sink"]["topics"]["/adder/out"]
    held = run.control.status()["held"]
    assert sink["state"] == "active" and got["lost"] == 0
    assert got["count"] == len(sequences(seen, "/adder/out")), f"{held} held"


def test_paused_means_that_every_host_has_finished(open_session: Callable[..., ProcessRun]) -> None:
    run = open_session(plan(loop=Part("Loop", {"raw": "loop.out"}), slow=Part("Slow", {"raw": "loop.out"})))
    run.run()
    time.sleep(0.2)
    run.pause()
    first = run.component("slow")["handled"]
    assert first == run.component("slow")["handled"]
    assert run.control.status()["mode"] == "pause"


def test_the_clock_stands_while_paused_and_goes_on_from_there(open_session: Callable[..., ProcessRun]) -> None:
    run = open_session(plan(ticker=Part("Ticker", period_s=0.01)), clock=ClockKind.WALL)
    run.run()
    time.sleep(0.3)
    run.pause()
    paused_ns = run.control.status()["now_ns"]
    time.sleep(0.5)
    assert run.control.status()["now_ns"] == paused_ns
    run.run()
    time.sleep(0.2)
    run.pause()
    stamps = [event.stamp_ns for event in run.channel() if event.topic == "/ticker/out"]
    gaps = [after - before for before, after in itertools.pairwise(stamps)]
    assert max(gaps) < 400_000_000, "the half second of the pause is not in the stamps"


def test_a_real_sensor_drops_at_the_source_while_paused_and_says_how_much(
    open_session: Callable[..., ProcessRun],
) -> None:
    run = open_session(
        plan(flood=Part("Flood", parameters={"rate_hz": 1000.0}), sink=Part("Sink", {"raw": "flood.out"}))
    )
    run.run()
    time.sleep(0.3)
    run.pause()
    time.sleep(0.3)
    run.run()
    time.sleep(0.3)
    run.pause()
    flood = run.component("flood")
    run.component("sink")
    got = run.observer.reports["sink"]["topics"]["/flood/out"]
    assert flood["paused_inputs"] > 50
    assert 0 < got["lost"] <= flood["paused_inputs"], "what was dropped shows as a gap in the sequence"


def test_latest_delivery_counts_every_event_as_handled_or_dropped(open_session: Callable[..., ProcessRun]) -> None:
    run = open_session(
        plan(
            ticker=Part("Ticker", period_s=0.002),
            slow=Part("SlowLatest", {"raw": "ticker.out"}, {"seconds": 0.03}, delivery="latest"),
            queue=Part("Slow", {"raw": "ticker.out"}, {"seconds": 0.03}, delivery="queue 3"),
        )
    )
    run.run()
    time.sleep(1.5)
    run.pause()
    forwarded = len(sequences(run.channel(), "/ticker/out"))
    for name in ("slow", "queue"):
        run.component(name)
        topic = run.observer.reports[name]["topics"]["/ticker/out"]
        dropped = topic["dropped"][name]
        handled = run.observer.component(name)["published"][f"/{name}/out"]
        assert dropped > 100 and topic["lost"] == 0
        assert handled + dropped == topic["count"] == forwarded
    values = [decode(Float64, event.payload).data for event in run.channel() if event.topic == "/slow/out"]
    assert values == sorted(values)


def test_a_step_waits_for_a_slow_receiver_and_has_no_time_limit(
    open_session: Callable[..., ProcessRun], scaled: Callable[[int], int]
) -> None:
    seconds = max(2.0, scaled(30))
    slow = Part("Slow", {"raw": "ticker.out"}, {"seconds": seconds})
    run = open_session(plan(ticker=Part("Ticker", period_s=0.1), slow=slow))
    run.step()
    start = time.monotonic()
    assert run.step() == [("/ticker/out", 1)]
    assert time.monotonic() - start >= seconds
    assert run.step() == [("/slow/out", 1)]


def test_lockstep_can_be_paced_and_interrupted(open_session: Callable[..., ProcessRun]) -> None:
    run = open_session(plan(ticker=Part("Ticker", period_s=0.05)))
    start = time.monotonic()
    run.lockstep(until_ns=500_000_000, rate=1.0)
    assert 0.4 < time.monotonic() - start < 3.0
    assert len(sequences(run.channel(), "/ticker/out")) == 10


def test_the_first_event_is_missed_by_nobody(open_session: Callable[..., ProcessRun]) -> None:
    run = open_session(plan(loop=Part("Loop", {"raw": "loop.out"}), sink=Part("Sink", {"raw": "loop.out"})))
    run.run()
    await_true(lambda: run.observer.component("sink").get("handled", 0) > 100, "events at the sink")
    run.pause()
    assert_complete(run.channel(), "/loop/out")
    run.component("sink")
    assert run.observer.reports["sink"]["topics"]["/loop/out"]["lost"] == 0
    assert run.observer.reports["sink"]["topics"]["/loop/out"]["first"] == 1


def test_a_pause_does_not_wait_for_a_host_that_a_debugger_holds(open_session: Callable[..., ProcessRun]) -> None:
    run = open_session(plan(loop=Part("Loop", {"raw": "loop.out"}), sink=Part("Sink", {"raw": "loop.out"})))
    run.run()
    run.hosts["sink"].send_signal(signal.SIGSTOP)  # as a debugger does: every thread of it stands
    try:
        run.control.ask("held", host="sink")
        run.pause()
        assert run.control.status()["mode"] == "pause"
    finally:
        run.hosts["sink"].send_signal(signal.SIGCONT)
    run.control.ask("released", host="sink")
    run.run()
    run.pause()
    run.component("sink")
    assert run.observer.reports["sink"]["topics"]["/loop/out"]["lost"] == 0


def test_a_command_gets_through_while_lockstep_goes_on(open_session: Callable[..., ProcessRun]) -> None:
    run = open_session(plan(trigger=Part("Triggered", activation="trigger"), ticker=Part("Ticker", period_s=0.01)))
    going = threading.Thread(target=lambda: run.lockstep(rate=1.0))
    going.start()
    run.command("trigger", {"do": "trigger"})
    await_true(lambda: sequences(run.channel_now(), "/trigger/out") == [1], "the trigger's effect")
    control = Control(run.folders.run)
    control.pause()
    control.close()
    going.join(5)
    assert not going.is_alive(), "a pause ends a lockstep that goes on by itself"


def test_the_clock_runs_at_the_rate_that_was_asked_for(open_session: Callable[..., ProcessRun]) -> None:
    run = open_session(plan(ticker=Part("Ticker", period_s=0.1)))
    run.run(rate=10.0)
    time.sleep(1.0)
    run.pause()
    ticks = len(sequences(run.channel(), "/ticker/out"))
    assert 60 < ticks < 160, f"{ticks} ticks of 0.1 s in about a second at ten times the speed"
