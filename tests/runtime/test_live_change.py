"""Changing a system while it runs: who is in both plans goes on as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from studio.runtime.base.clock import ClockKind
from studio.runtime.plan.plan import Plan, RecordingPlan
from studio.runtime.plan.plan_change import CannotChange, keeping_tuned, plan_change
from studio.runtime.recording import LogReader
from studio.runtime.server.snapshot import Snapshots
from tests.runtime.systems import Part, ProcessRun, plan
from tests.waiting import await_true


@pytest.fixture
def running() -> Iterator[Callable[[Plan], ProcessRun]]:
    runs: list[ProcessRun] = []

    def open_one(system: Plan) -> ProcessRun:
        runs.append(ProcessRun(system, clock=ClockKind.WALL))
        runs[-1].start("run")
        return runs[-1]

    yield open_one
    for run in runs:
        run.close()


def chain(*, adder: bool = False, sink_host: str = "", **more: Part) -> Plan:
    """A ticker and a sink, with or without somebody between them."""
    parts = {"ticker": Part("Ticker", period_s=0.01, outlets=("out",))}
    if adder:
        parts["adder"] = Part("Adder", {"raw": "ticker.out"}, outlets=("out",))
    source = "adder.out" if adder else "ticker.out"
    return plan(**parts, sink=Part("Sink", {"raw": source}, host=sink_host), **more)


def counted(run: ProcessRun, host: str, topic: str) -> int:
    return int(run.observer.reports.get(host, {}).get("topics", {}).get(topic, {}).get("count", 0))


def test_a_component_is_put_between_two_that_run(running: Callable[[Plan], ProcessRun]) -> None:
    run = running(chain())
    await_true(lambda: counted(run, "sink", "/ticker/out") > 20, "the sink hears the ticker")
    pids = {name: run.hosts[name].pid for name in ("ticker", "sink")}
    handled = run.component("sink")["handled"]

    change = run.change(chain(adder=True))
    assert change.coming == ["adder"] and not change.leaving
    await_true(lambda: counted(run, "sink", "/adder/out") > 20, "the sink hears the one between")
    assert {name: run.hosts[name].pid for name in ("ticker", "sink")} == pids
    assert run.component("sink")["handled"] > handled, "it has kept its state"
    assert run.observer.reports["sink"]["topics"]["/adder/out"]["lost"] == 0
    assert "/ticker/out" not in run.observer.reports["sink"]["topics"]

    run.change(chain())
    assert "adder" not in run.hosts
    before = counted(run, "sink", "/ticker/out")
    await_true(lambda: counted(run, "sink", "/ticker/out") > before + 20, "the sink hears the ticker again")
    assert {name: run.hosts[name].pid for name in ("ticker", "sink")} == pids
    run.pause()
    ticks = [event.sequence for event in run.channel() if event.topic == "/ticker/out"]
    assert ticks == list(range(1, len(ticks) + 1)), "the ticker has not begun again"
    assert run.restarts == {} and run.exits == {}


def test_a_component_joins_and_leaves_a_host_that_runs(running: Callable[[Plan], ProcessRun]) -> None:
    run = running(chain(sink_host="both"))
    pid = run.hosts["both"].pid
    run.change(chain(sink_host="both", second=Part("Sink", {"raw": "ticker.out"}, host="both")))
    await_true(lambda: run.observer.component("second").get("handled", 0) > 20, "the second sink works")
    assert run.observer.component("second")["state"] == "active"
    run.change(chain(sink_host="both"))
    await_true(lambda: "second" not in run.observer.reports["both"]["components"], "the second sink is gone")
    assert run.hosts["both"].pid == pid and run.component("sink")["state"] == "active"


def test_parameters_and_periods_follow(running: Callable[[Plan], ProcessRun]) -> None:
    run = running(plan(ticker=Part("Ticker", period_s=0.5), adder=Part("Adder", {"raw": "ticker.out"})))
    run.change(plan(ticker=Part("Ticker", period_s=0.01), adder=Part("Adder", {"raw": "ticker.out"}, {"copies": 3})))
    await_true(lambda: run.component("adder")["parameters"]["copies"] == 3, "the parameter is set")
    await_true(lambda: counted(run, "adder", "/ticker/out") > 40, "the ticker ticks faster")


def test_a_paused_system_stays_paused_and_steps_on(running: Callable[[Plan], ProcessRun]) -> None:
    run = running(chain())
    await_true(lambda: counted(run, "sink", "/ticker/out") > 5, "it runs")
    run.pause()
    run.change(chain(adder=True))
    assert run.status()["mode"] == "pause"
    delivered = run.step(1, topic="/adder/out")
    assert delivered[-1][0] == "/adder/out"


def test_what_is_new_is_recorded_too(running: Callable[[Plan], ProcessRun], tmp_path: Path) -> None:
    def recorded(system: Plan) -> Plan:
        types = dict.fromkeys(system.producers, "Float64")
        file = str(tmp_path / "run.mcap")
        return Plan(system.components, 1, "", types, RecordingPlan(file, tuple(types)))

    run = running(recorded(chain()))
    await_true(lambda: counted(run, "sink", "/ticker/out") > 5, "it runs")
    run.change(recorded(chain(adder=True)))
    await_true(lambda: counted(run, "sink", "/adder/out") > 20, "the one between works")
    run.close()
    with LogReader(tmp_path / "run.mcap") as log:
        for topic in ("/ticker/out", "/adder/out"):
            sequences = [event.sequence for event in log.events([topic])]
            assert len(sequences) > 20 and sequences == list(range(1, len(sequences) + 1))


def test_one_that_cannot_be_created_is_told_and_the_others_go_on(running: Callable[[Plan], ProcessRun]) -> None:
    run = running(chain(sink_host="both"))
    with pytest.raises(Exception, match="NoSuchClass"):
        run.change(chain(sink_host="both", wrong=Part("NoSuchClass", {"raw": "ticker.out"}, host="both")))
    before = counted(run, "both", "/ticker/out")
    await_true(lambda: counted(run, "both", "/ticker/out") > before + 20, "the others go on")


def test_a_host_that_does_not_start_keeps_no_command_from_the_others(running: Callable[[Plan], ProcessRun]) -> None:
    """One edit: a component that cannot be imported, one that joins, and a parameter of a third."""
    run = running(plan(ticker=Part("Ticker", period_s=0.01), adder=Part("Adder", {"raw": "ticker.out"})))
    parts = {
        "ticker": Part("Ticker", period_s=0.01),
        "wrong": Part("NoSuchClass", {"raw": "ticker.out"}),
        "adder": Part("Adder", {"raw": "ticker.out"}, {"copies": 3}),
        "sink": Part("Sink", {"raw": "ticker.out"}),
    }
    with pytest.raises(Exception, match="wrong: "):
        run.change(plan(**parts))
    await_true(lambda: run.component("adder")["parameters"]["copies"] == 3, "the parameter is set")
    await_true(lambda: run.component("sink")["state"] == "active", "the one that joined is active")
    assert run.status()["mode"] == "run"


def test_another_type_needs_a_restart_and_says_so() -> None:
    before, after = chain(), plan(ticker=Part("Dice", period_s=0.01), sink=Part("Sink", {"raw": "ticker.out"}))
    with pytest.raises(CannotChange, match="ticker is of another type now") as refused:
        plan_change(before, after)
    assert refused.value.hint == "restart ticker"
    assert plan_change(before, after, restart=True).restarted == {"ticker"}
    assert not plan_change(before, chain())


def test_counts_of_a_topic_go_on_when_another_component_sends_it(running: Callable[[Plan], ProcessRun]) -> None:
    """As when a component becomes a source: the topic keeps its name, and a new process counts from the beginning."""

    def sent_by(name: str) -> Plan:
        sender = replace(chain().by_name["ticker"], name=name, host=name)
        return Plan((sender, chain().by_name["sink"]), 1, types={"/ticker/out": "Float64"})

    run = running(sent_by("ticker"))
    snapshots = Snapshots(run)

    def count() -> int:
        return int(snapshots.make({})["topics"]["/ticker/out"]["count"])

    await_true(lambda: count() > 200, "the ticker counts")
    run.change(sent_by("ticker_simulated"))
    await_true(lambda: 0 < count() < 100, "the new one counts from the beginning")
    before = count()
    await_true(lambda: count() > before, "and goes on")
    snapshots.close()


def test_who_runs_keeps_the_number_that_others_know_it_by() -> None:
    before = chain(adder=True)
    after = plan_change(before, chain(first=Part("Ticker", period_s=1.0))).after
    assert {name: after.hosts[name] for name in ("ticker", "sink")} == {"ticker": 0, "sink": 2}
    assert len({*after.hosts.values(), after.recorder_index}) == len(after.hosts) + 1
    assert after.recorder_index == before.recorder_index


def test_what_was_tuned_stays_unless_the_file_says_something_new() -> None:
    def adding(amount: float, copies: int, period_s: float = 0.1) -> Plan:
        return plan(
            adder=Part("Adder", {"raw": "ticker.out"}, {"amount": amount, "copies": copies}),
            ticker=Part("Ticker", period_s=period_s),
        )

    written, running = adding(1.0, 1), adding(2.0, 2, 0.5)
    kept = keeping_tuned(adding(1.0, 7), written, running)
    assert kept.by_name["adder"].parameters == {"amount": 2.0, "copies": 7}
    assert kept.by_name["ticker"].period_ns == 500_000_000
    assert keeping_tuned(adding(1.0, 1, 0.2), written, running).by_name["ticker"].period_ns == 200_000_000
