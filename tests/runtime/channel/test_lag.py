"""Flat-out lockstep does not wait for those who only listen; the order is the same, and in the end nobody is behind."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import zmq

from studio.runtime.base.clock import Clock
from studio.runtime.broker.ahead import MOST_BYTES, MOST_NS, MOST_SHARED_BYTES, next_most, working_order
from studio.runtime.broker.broker_sockets import BrokerSockets
from studio.runtime.broker.forwarder import Forwarder
from studio.runtime.broker.held import Held
from studio.runtime.broker.listeners import UNWRITTEN, weight_of
from studio.runtime.channel.payloads import SHARED_FROM_BYTES
from studio.runtime.channel.slots import Handle
from studio.runtime.plan.plan import RECORDER, Plan, RecordingPlan
from studio.runtime.processes.control import Control
from studio.runtime.recording.recorder.recorder import MOST_WAITING_MB
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import (
    ACK_TOPIC,
    ALL_TOPIC,
    SHARED,
    SYNC_TOPIC,
    Ack,
    Kind,
    Mark,
    Marker,
    pack,
    split,
    subscription,
    topic_hash,
)
from tests.runtime.systems import Part, ProcessRun, TwinRun, plan
from tests.waiting import await_true

SECOND_NS = 1_000_000_000


def with_a_slow_listener() -> Plan:
    """Effects that several make of one event, and one that takes its time and says nothing."""
    return plan(
        ticker=Part("Ticker", period_s=0.01),
        left=Part("Adder", {"raw": "ticker.out"}),
        right=Part("Adder", {"raw": "ticker.out left.out"}),
        slow=Part("Slow", {"raw": "ticker.out right.out"}, {"seconds": 0.004}, outlets=()),
    )


def test_the_order_is_that_of_the_twin_and_nobody_is_behind_in_the_end(open_session: Callable[..., ProcessRun]) -> None:
    run, twin = open_session(with_a_slow_listener()), TwinRun(with_a_slow_listener())
    twin.start()
    for until_ns, lag in ((SECOND_NS // 2, 3), (SECOND_NS, 64)):
        assert run.lockstep(until_ns=until_ns, lag=lag) == twin.lockstep(until_ns=until_ns)
        assert run.control.status()["waiting"] == []
        assert run.component("slow")["handled"] == twin.component("slow")["handled"]
    assert run.channel() == twin.channel()
    assert run.step(2) == twin.step(2)
    twin.close()


def test_a_listener_that_wants_only_the_newest_gets_all_in_lockstep(open_session: Callable[..., ProcessRun]) -> None:
    """How far behind it is depends on the machine, and what a run makes of its events must not."""
    run = open_session(
        plan(
            ticker=Part("Ticker", period_s=0.01),
            slow=Part("SlowLatest", {"raw": "ticker.out"}, {"seconds": 0.02}, outlets=(), delivery="latest"),
        )
    )
    run.lockstep(until_ns=SECOND_NS // 2, lag=64)
    run.component("slow")
    topic = run.observer.reports["slow"]["topics"]["/ticker/out"]
    assert (topic["dropped"]["slow"], topic["count"]) == (0, 50)


def test_a_listener_that_dies_while_it_is_behind_holds_up_nothing(open_session: Callable[..., ProcessRun]) -> None:
    run = open_session(with_a_slow_listener())
    os.kill(run.hosts["slow"].pid, signal.SIGSTOP)  # whatever it gets now, it will never acknowledge
    work = threading.Thread(target=run.lockstep, kwargs={"until_ns": SECOND_NS // 10, "lag": 5})
    work.start()
    look = Control(run.folders.run)
    await_true(lambda: look.status()["waiting"] == ["slow"], "the gate waits for the listener")
    run.hosts["slow"].kill()
    work.join(20.0)
    look.close()
    assert not work.is_alive()


def test_large_payloads_and_one_who_dies_are_as_one_by_one(open_session: Callable[..., ProcessRun]) -> None:
    def system() -> Plan:
        return plan(
            ticker=Part("Ticker", period_s=0.01),
            maps=Part("BigMap", {"raw": "ticker.out"}, {"side": 200}),
            sum=Part("MapSum", {"map": "maps.big"}),
            keeper=Part("MapKeeper", {"map": "maps.big"}),
            sink=Part("Sink", {"raw": "sum.out keeper.out maps.small"}, outlets=()),
        )

    run, twin = open_session(system()), TwinRun(system())
    twin.start()
    assert run.lockstep(until_ns=SECOND_NS // 2, lag=64) == twin.lockstep(until_ns=SECOND_NS // 2)
    for seen, meant in zip(run.channel(), twin.channel(), strict=True):
        assert seen == meant or seen == meant._replace(payload=b"overwritten"), "a viewer may come too late"
    run.close()
    mortal = plan(
        ticker=Part("Ticker", period_s=0.01),
        victim=Part("Suicide", {"raw": "ticker.out"}),
        sink=Part("Sink", {"raw": "ticker.out victim.out"}, outlets=()),
    )
    survived = open_session(mortal)
    survived.lockstep(until_ns=SECOND_NS // 5, lag=64)
    assert survived.component("sink")["handled"] >= 20, "all ticks, and what the victim still said"


def random_system(number: int) -> Plan:
    """Wires in any direction, several components in some hosts, copies, randomness, and some that only listen."""
    choose = random.Random(number)
    names = [f"c{index}" for index in range(choose.randint(3, 6))]
    parts = {"ticker": Part("Ticker", period_s=0.01), "other": Part("Ticker", period_s=0.016, host="ticker")}
    for index, name in enumerate(names):
        known = ["ticker", "other", *names[: index if choose.random() < 0.9 else len(names)]]
        inputs = " ".join(f"{each}.out" for each in choose.sample(known, min(len(known), choose.randint(1, 3))))
        host = choose.choice(["", "", "together"])
        kind = choose.choice(["Adder", "Dice", "Sink"])
        if kind == "Adder":
            parts[name] = Part("Adder", {"raw": inputs}, {"copies": choose.randint(1, 2)}, host=host, outlets=("out",))
        else:
            parts[name] = Part(kind, {"raw": inputs}, host=host, outlets=("out",) if kind == "Dice" else ())
    return plan(number, **parts)


def test_the_order_is_that_of_the_twin_in_any_system(
    open_session: Callable[..., ProcessRun], scaled: Callable[[int], int]
) -> None:
    for number in range(max(2, scaled(100))):
        system = random_system(number)
        run, twin = open_session(system), TwinRun(system)
        twin.start()
        for until_ns in (SECOND_NS // 20, SECOND_NS // 4):
            most = 600  # one that feeds itself has no end
            if twin.lockstep(until_ns=until_ns, count=most) == most:
                break
            run.lockstep(until_ns=until_ns, lag=16)
            assert run.channel() == twin.channel(), f"system {number}"
        run.close()
        twin.close()


def test_who_may_work_ahead_of_whom() -> None:
    ticker = Part("Ticker", period_s=0.01)
    diamond = with_a_slow_listener()
    assert working_order(diamond) == [["ticker"], ["left"], ["right"]]
    circle = plan(ticker=ticker, a=Part("Adder", {"raw": "ticker.out b.out"}), b=Part("Adder", {"raw": "a.out"}))
    assert working_order(circle) is None
    together = plan(ticker=ticker, a=Part("Adder", {"raw": "ticker.out"}), b=Part("Adder", {"raw": "a.out"}, host="a"))
    assert working_order(together) is None
    served = plan(ticker=ticker, a=Part("Caller", {"raw": "ticker.out"}, requires={"twice": ("d", "twice")}),
                  d=Part("Doubler", {}))  # fmt: skip
    assert working_order(served) is None


def test_only_those_who_cannot_have_effects_are_listeners() -> None:
    system = plan(
        ticker=Part("Ticker", period_s=0.01),
        caller=Part("Caller", {"raw": "ticker.out"}, requires={"twice": ("doubler", "twice")}, outlets=()),
        doubler=Part("Doubler", {"raw": "ticker.out"}, outlets=()),
        sink=Part("Sink", {"raw": "ticker.out"}, outlets=()),
    )
    assert system.can_answer("/ticker/out") == {"caller", "doubler"}


def test_the_recorder_of_events_that_are_taken_in_turns_is_a_listener_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise nobody waited for it where services are called, and it could be behind without limit."""
    parts = plan(
        ticker=Part("Ticker", period_s=0.01),
        caller=Part("Caller", {"raw": "ticker.out"}, requires={"ask": ("doubler", "double")}),
        doubler=Part("Doubler", {"raw": "ticker.out"}),
    )
    system = replace(parts, recording=RecordingPlan(str(tmp_path / "log.mcap"), ("/ticker/out",)))
    assert system.one_by_one("/ticker/out")
    forwarder = Forwarder(BrokerSockets(zmq.Context.instance(), tmp_path), system, Clock.wall(), 1)
    turns: list[Held] = []
    monkeypatch.setattr(forwarder, "_deliver_in_turns", turns.append)
    forwarder.learn(RECORDER, True)
    events = [Held(pack("/ticker/out", Kind.DATA, n, bytes(8)), "/ticker/out", n, 0, Kind.DATA) for n in range(1, 8)]
    try:
        forwarder.lag = 4
        for event in events:
            forwarder.deliver(event)
        assert forwarder.listeners.behind(RECORDER) == len(turns) == 7
        assert forwarder.listeners.to_ask(0) == [RECORDER]
        assert forwarder.listeners.to_ask(4) == [], "it was asked on the way how far it is"
        forwarder.gone = {RECORDER}
        forwarder.deliver(events[0])
        assert forwarder.listeners.behind(RECORDER) == 7
    finally:
        forwarder._line.close()


def test_hosts_tell_when_everything_before_a_sync_is_handled(open_session: Callable[..., ProcessRun]) -> None:
    run = open_session(plan(ticker=Part("Ticker", period_s=0.01), sink=Part("Sink", {"raw": "ticker.out"})))
    run.run()
    context = zmq.Context.instance()
    heard, out = context.socket(zmq.SUB), context.socket(zmq.PUSH)
    heard.subscribe(subscription(ACK_TOPIC))
    heard.connect(addresses.out_of(run.folders.run))
    out.connect(addresses.into(run.folders.run))
    marker = Marker(Mark.SYNC, 7, False, Clock.wall())
    answered: set[int] = set()

    def ask() -> bool:  # nothing tells when the subscription stands, so ask until both have answered
        out.send(pack(ALL_TOPIC, Kind.MARKER, 7, marker.payload()))
        while heard.poll(100):
            _, header, payload = split(heard.recv())
            ack = Ack.parse(payload)
            assert (ack.topic, ack.sequence) == (topic_hash(SYNC_TOPIC), 7)
            answered.add(header.sequence)
        return answered == set(run.plan.hosts.values())

    await_true(ask, "both hosts answer")
    heard.close()
    out.close()
    run.pause()  # a SYNC says nothing about mode and clock: hosts still know that they run
    assert run.component("sink")["handled"] > 1


def shared_map(size: int) -> Held:
    handle = Handle("camera~1~1", 0, 1, size).pack()
    return Held(pack("/maps", Kind.DATA, 1, handle, flags=SHARED), "/maps", 1, 0, Kind.DATA)


def test_a_map_in_shared_memory_does_not_end_a_go() -> None:
    """Five maps in a second had everything else delivered by one, two and four, too."""
    assert next_most(64, [shared_map(1 << 20)], 0) == 128
    assert next_most(64, [shared_map(MOST_SHARED_BYTES // 2)], 0) == 64
    assert next_most(64, [shared_map(MOST_SHARED_BYTES + 1)], 0) == 32


def test_a_go_that_takes_twice_as_long_is_still_short_enough() -> None:
    """On a busy machine a single event takes a tenth of a second: nothing but more of them at a time helps."""
    small = Held(pack("/a", Kind.DATA, 1, bytes(2000)), "/a", 1, 0, Kind.DATA)
    assert [next_most(8, [small], took_ns) for took_ns in (MOST_NS // 2 - 1, MOST_NS // 2, MOST_NS + 1)] == [16, 8, 4]
    assert next_most(1, [small], MOST_NS + 1) == 1
    large = Held(pack("/a", Kind.DATA, 1, bytes(MOST_BYTES)), "/a", 1, 0, Kind.DATA)
    assert next_most(8, [large], 0) == 4


def test_large_events_count_as_several() -> None:
    """Who is behind holds what waits in memory: 8192 maps of a megabyte would be eight gigabytes."""
    small = Held(pack("/a", Kind.DATA, 1, bytes(2000)), "/a", 1, 0, Kind.DATA)
    large = shared_map(1 << 20)
    broken = Held(pack("/maps", Kind.DATA, 1, b"x", flags=SHARED), "/maps", 1, 0, Kind.DATA)
    assert (weight_of(small), weight_of(broken)) == (1, 1)
    assert weight_of(large) * SHARED_FROM_BYTES == 1 << 20
    assert UNWRITTEN * SHARED_FROM_BYTES <= MOST_WAITING_MB << 19, "half of what the recorder lets wait"


def test_with_more_hosts_than_the_header_has_bits_the_order_is_the_same(
    open_session: Callable[..., ProcessRun],
) -> None:
    """Those beyond the 64th get no payloads in shared memory, and acknowledge one by one."""
    idle = {f"idle{number:02}": Part("Adder", outlets=()) for number in range(62)}
    system = plan(
        ticker=Part("Ticker", period_s=0.01),
        **idle,
        maps=Part("BigMap", {"raw": "ticker.out"}, {"side": 200}),
        far=Part("MapSum", {"map": "maps.big"}),
        sink=Part("Sink", {"raw": "far.out"}, outlets=()),
    )
    assert system.hosts["far"] == 64
    run, twin = open_session(system), TwinRun(system)
    twin.start()
    assert run.lockstep(until_ns=SECOND_NS // 20, lag=8) == twin.lockstep(until_ns=SECOND_NS // 20) > 0
    assert run.channel() == twin.channel()
    run.hosts["far"].kill()
    await_true(lambda: run.hosts["far"].poll() is not None, "the host has died")
    twin.close()
