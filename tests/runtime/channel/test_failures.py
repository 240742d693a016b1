"""Processes that die or stand still: order and counts stay true, nobody else is slowed, nothing is left behind."""

from __future__ import annotations

import itertools
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
import zmq

from studio.runtime.wire import addresses
from tests.runtime.channel.test_gate import sequences
from tests.runtime.systems import Part, ProcessRun, plan
from tests.waiting import await_true


def kill(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait(5)


def count(run: ProcessRun, component: str) -> int:
    return int(run.observer.component(component).get("handled", 0))


def test_a_killed_receiver_is_no_longer_waited_for(open_session: Callable[..., ProcessRun]) -> None:
    run = open_session(
        plan(
            ticker=Part("Ticker", period_s=0.1),
            victim=Part("Suicide", {"raw": "ticker.out"}),
            sink=Part("Sink", {"raw": "ticker.out"}),
        )
    )
    run.lockstep(until_ns=1_000_000_000)
    seen = run.channel()
    assert sequences(seen, "/ticker/out") == list(range(1, 11))
    assert sequences(seen, "/victim/out") == [1, 2, 3, 4]
    assert run.exits == {"victim": -signal.SIGKILL}


def test_a_restarted_component_comes_back_into_the_stream(open_session: Callable[..., ProcessRun]) -> None:
    run = open_session(plan(ticker=Part("Ticker", period_s=0.005), sink=Part("Sink", {"raw": "ticker.out"})))
    run.run()
    await_true(lambda: count(run, "sink") > 20, "events at the sink")
    kill(run.hosts["sink"])
    await_true(lambda: "sink" in run.exits, "the death to be noticed")
    pid = run.observer.reports["sink"]["pid"]
    run.restart_host("sink")
    await_true(
        lambda: run.observer.reports["sink"]["pid"] != pid and count(run, "sink") > 20, "events after the restart"
    )
    run.pause()
    found = sequences(run.channel(), "/ticker/out")
    assert found == list(range(1, len(found) + 1)), "the producer and the recorder did not notice anything"


def test_a_killed_broker_is_replaced_and_events_flow_again(open_session: Callable[..., ProcessRun]) -> None:
    run = open_session(
        plan(
            ticker=Part("Ticker", period_s=0.005),
            adder=Part("Adder", {"raw": "ticker.out"}),
            sink=Part("Sink", {"raw": "adder.out"}),
        )
    )
    run.run()
    for round_number in (1, 2):
        await_true(lambda: len(sequences(run.channel_now(), "/adder/out")) > 20, "events")
        kill(run.broker)
        await_true(lambda number=round_number: run.broker_restarts == number, "the restart")
        before = len(sequences(run.channel_now(), "/adder/out"))
        await_true(lambda n=before: len(sequences(run.channel_now(), "/adder/out")) > n + 20, "events to flow again")
    run.pause()
    found = sequences(run.channel(), "/adder/out")
    assert found == sorted(set(found)), "nothing twice, nothing out of order"
    run.component("sink")
    topic = run.observer.reports["sink"]["topics"]["/adder/out"]
    assert topic["count"] + topic["lost"] == topic["last"] - topic["first"] + 1, "the loss is counted exactly"
    assert run.step(topic="/adder/out")[-1][0] == "/adder/out", "the gate works after a restart"


def test_a_stopped_receiver_or_viewer_slows_nobody(open_session: Callable[..., ProcessRun]) -> None:
    run = open_session(
        plan(
            flood=Part("Flood", parameters={"rate_hz": 2000.0}),
            stuck=Part("Sink", {"raw": "flood.out"}),
            sink=Part("Sink", {"raw": "flood.out"}),
        )
    )
    viewer = zmq.Context.instance().socket(zmq.SUB)
    viewer.subscribe(b"/")
    viewer.connect(addresses.tap(run.folders.run))  # and never reads
    run.run()
    await_true(lambda: count(run, "sink") > 200, "events")
    run.hosts["stuck"].send_signal(signal.SIGSTOP)
    try:
        before, start = count(run, "sink"), time.monotonic()
        time.sleep(3.0)
        rate = (count(run, "sink") - before) / (time.monotonic() - start)
        assert rate > 1000, f"the healthy receiver got only {rate:.0f} events/s"
        assert run.observer.reports["flood"]["dropped_sends"] == 0
    finally:
        run.hosts["stuck"].send_signal(signal.SIGCONT)
        viewer.close(0)
    run.pause()
    run.component("sink")
    assert run.observer.reports["sink"]["topics"]["/flood/out"]["lost"] == 0


def test_large_payloads_that_nobody_receives_pile_up_for_no_stopped_viewer(
    open_session: Callable[..., ProcessRun],
) -> None:
    run = open_session(plan(flood=Part("BigFlood", parameters={"rate_hz": 200.0})))
    viewer = zmq.Context.instance().socket(zmq.SUB)
    viewer.rcvhwm = 1
    viewer.subscribe(b"/")
    viewer.connect(addresses.tap(run.folders.run))  # and never reads
    run.run()
    broker = psutil.Process(run.broker.pid)
    before, most = broker.memory_info().rss, 50 << 20
    try:
        await_true(lambda: run.component("flood")["published"]["/flood/maps"] > 120, "maps of 1 MB each")
        assert broker.memory_info().rss - before < most
    finally:
        viewer.close(0)


def test_large_payloads_pile_up_for_no_stopped_receiver(
    open_session: Callable[..., ProcessRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets what was kept for it and then is in error; the broker keeps none of it, and the others miss nothing."""
    monkeypatch.setenv("STUDIO_BUDGET_MB", "48")
    run = open_session(
        plan(
            flood=Part("BigFlood", parameters={"rate_hz": 50.0}),
            stuck=Part("MapSum", {"map": "flood.maps"}),
            sum=Part("MapSum", {"map": "flood.maps"}),
        ),
        record=False,
    )
    run.run()
    await_true(lambda: count(run, "sum") > 2, "maps")
    broker = psutil.Process(run.broker.pid)
    before, most = broker.memory_info().rss, 50 << 20
    run.hosts["stuck"].send_signal(signal.SIGSTOP)
    try:
        await_true(lambda: count(run, "sum") > 200, "maps of 1 MB each")
        assert broker.memory_info().rss - before < most
    finally:
        run.hosts["stuck"].send_signal(signal.SIGCONT)
    await_true(lambda: run.observer.component("stuck").get("state") == "error", "it to be told of its loss")
    assert "MB of events were waiting" in run.observer.component("stuck")["error"]
    run.pause()
    run.component("sum")
    assert run.observer.reports["flood"]["dropped_sends"] == 0
    assert run.observer.reports["sum"]["topics"]["/flood/maps"]["lost"] == 0
    run.component("stuck")
    seen = run.observer.reports["stuck"]["topics"]["/flood/maps"]
    assert seen["lost"] > 50 and seen["count"] + seen["lost"] == seen["last"] - seen["first"] + 1


def test_too_much_waiting_is_an_error_of_that_receiver_alone(
    open_session: Callable[..., ProcessRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_BUDGET_MB", "1")
    run = open_session(
        plan(
            flood=Part("Flood", parameters={"rate_hz": 5000.0}),
            slow=Part("Slow", {"raw": "flood.out"}, {"seconds": 0.5}),
            sink=Part("Sink", {"raw": "flood.out"}),
        )
    )
    run.run()
    await_true(lambda: run.observer.component("slow").get("state") == "error", "the slow one to give up", 20)
    assert "MB of events were waiting" in run.observer.component("slow")["error"]
    assert run.observer.component("sink")["state"] == "active"
    assert run.observer.reports["sink"]["topics"]["/flood/out"]["lost"] == 0


def test_shared_memory_stays_bounded_and_is_gone_at_the_end(open_session: Callable[..., ProcessRun]) -> None:
    run = open_session(
        plan(
            flood=Part("BigFlood", parameters={"rate_hz": 100.0}),
            sum=Part("MapSum", {"map": "flood.maps"}),
            other=Part("MapSum", {"map": "flood.maps"}),
        ),
        record=False,
    )
    run.run()
    await_true(lambda: count(run, "sum") > 30, "maps")
    shared = run.folders.shared
    assert shared is not None and held_bytes(shared) > 0
    kill(run.hosts["other"])
    before = count(run, "sum")
    await_true(lambda: count(run, "sum") > before + 100, "maps after a receiver's death")
    kill(run.broker)
    before = count(run, "sum")
    await_true(lambda: count(run, "sum") > before + 100, "maps after the broker's death", 20)
    after_kills = held_bytes(shared)
    before = count(run, "sum")
    await_true(lambda: count(run, "sum") > before + 200, "more maps", 20)
    assert held_bytes(shared) <= after_kills <= 512 * 2**20, "slots of lost frames and dead receivers come back"
    run.close()
    assert not shared.exists() and not run.folders.run.exists()


def held_bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir() if file.is_file())


@pytest.mark.timeout(300)
def test_random_kills_leave_order_counts_and_resources_true(
    open_session: Callable[..., ProcessRun], scaled: Callable[[int], int]
) -> None:
    run = open_session(
        plan(
            ticker=Part("Ticker", period_s=0.005),
            adder=Part("Adder", {"raw": "ticker.out"}),
            big=Part("BigMap", {"raw": "ticker.out"}, {"side": 200}),
            sum=Part("MapSum", {"map": "big.big"}),
        )
    )
    run.run()
    choose = random.Random(11)
    me = psutil.Process()
    before: tuple[int, int] | None = None
    victims = ["ticker", "adder", "big", "sum", "broker"] * scaled(199)  # each of them once, or a thousand
    choose.shuffle(victims)
    for number, victim in enumerate(victims):
        time.sleep(choose.uniform(0.0, 0.3))
        if victim == "broker":
            restarts = run.broker_restarts
            kill(run.broker)
            await_true(lambda n=restarts: run.broker_restarts > n, "a new broker")
            await_true(lambda: len(run.control.status()["ready"]) == 4, "everybody to be back")
        else:
            kill(run.hosts[victim])
            await_true(lambda name=victim: name in run.exits, "the death to be noticed")
            run.restart_host(victim)
        if number == 2:
            before = (me.num_fds(), threading.active_count())
    assert before is not None
    start = len(sequences(run.channel_now(), "/sum/out"))
    await_true(lambda: len(sequences(run.channel_now(), "/sum/out")) > start + 10, "events after all of it", 20)
    run.pause()
    assert me.num_fds() <= before[0] + 4 and threading.active_count() <= before[1] + 1
    assert run.folders.shared is not None and held_bytes(run.folders.shared) < 200 * 2**20
    for topic in ("/ticker/out", "/adder/out"):
        assert in_order_but_for_restarts(sequences(run.channel(), topic)), topic


def in_order_but_for_restarts(found: list[int]) -> bool:
    """Growing, except where a restarted component began again at one."""
    return all(after > before or after <= 3 for before, after in itertools.pairwise(found))


def test_killing_the_launcher_leaves_nothing_alive() -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tests.runtime.systems import *\n"
        "run = ProcessRun(plan(ticker=Part('Ticker', period_s=0.01)), record=False)\n"
        "run.start('run')\n"
        "print(run.broker.pid, run.hosts['ticker'].pid, run.folders.run, run.folders.shared, flush=True)\n"
        "time.sleep(60)\n"
    )
    root = Path(__file__).resolve().parents[3]
    launcher = subprocess.Popen([sys.executable, "-c", script, str(root)], stdout=subprocess.PIPE, text=True)
    assert launcher.stdout is not None
    broker, host, folder, shared = launcher.stdout.readline().split()
    launcher.kill()
    launcher.wait()
    launcher.stdout.close()
    for pid in (int(broker), int(host)):
        await_true(
            lambda pid=pid: not psutil.pid_exists(pid) or psutil.Process(pid).status() == "zombie", f"{pid} to die", 3
        )
    ProcessRun(plan(ticker=Part("Ticker", period_s=0.01)), record=False).close()
    assert not Path(folder).exists() and not Path(shared).exists(), "the next run removes what a killed one left"


def is_dead(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_a_component_that_cannot_start_is_named_with_its_output() -> None:
    with pytest.raises(Exception, match=r"(?s)broken ended at start with status 1.*has no Nonsense"):
        ProcessRun(plan(broken=Part("Nonsense")), record=False)
