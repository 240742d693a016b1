"""The handled trace: from any event back to its causes, with the time spent on the way."""

from __future__ import annotations

import time

import zmq

from studio.messages import Handled, HandledTrace, decode
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import HANDLED_TOPIC, split, subscription
from tests.runtime.systems import Part, ProcessRun, plan
from tests.waiting import await_true


def test_the_trace_tells_what_was_handled_read_and_published() -> None:
    system = plan(
        fast=Part("Ticker", period_s=0.01),
        slow=Part("Ticker", period_s=0.025),
        watcher=Part("Watcher", {"raw": "slow.out", "pose": "fast.out"}),
    )
    run = ProcessRun(system, record=False)
    try:
        socket = zmq.Context.instance().socket(zmq.SUB)
        socket.subscribe(subscription(HANDLED_TOPIC))
        socket.connect(addresses.out_of(run.folders.run))
        time.sleep(0.3)
        lines: dict[tuple[str, str, int], Handled] = {}

        def collect() -> bool:
            while socket.poll(0):
                for line in decode(HandledTrace, split(socket.recv())[2]):
                    lines[line.component, line.topic, line.sequence] = line
            return {("watcher", "/slow/out", 4), ("slow", "/_studio/timer/slow", 4)} <= set(lines)

        run.start()
        run.lockstep(until_ns=100_000_000)
        await_true(collect, "the trace")
        socket.close(0)
    finally:
        run.close()
    line = lines["watcher", "/slow/out", 4]
    assert line.read == (("/fast/out", 10),)
    assert line.published == (("/watcher/out", 4),)
    assert 0 <= line.end_ns - line.start_ns < 1_000_000_000
    assert lines["slow", "/_studio/timer/slow", 4].published == (("/slow/out", 4),)
    assert lines["watcher", "/fast/out", 3].published == ()
