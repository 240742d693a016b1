"""Golden tests of order: the same system gives the same events in the same order, in process and over processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from studio.messages import Float64, String, decode
from studio.runtime.plan.plan import Plan
from studio.runtime.wire.frames import INPUT, Event
from tests.runtime.systems import Part, ProcessRun, Run, Seen, TwinRun, plan, topics

Open = Callable[[Plan], Run]


@pytest.fixture(params=["in process", "processes"])
def open_run(request: pytest.FixtureRequest) -> Iterator[Open]:
    runs: list[Run] = []

    def open_one(plan: Plan) -> Run:
        run: Run = TwinRun(plan) if request.param == "in process" else ProcessRun(plan)
        runs.append(run)
        run.start()
        return run

    yield open_one
    for run in runs:
        run.close()


def values(seen: list[Seen], topic: str) -> list[float]:
    return [decode(Float64, event.payload).data for event in seen if event.topic == topic]


def test_a_step_delivers_exactly_one_event(open_run: Open) -> None:
    run = open_run(plan(ticker=Part("Ticker", period_s=0.1), adder=Part("Adder", {"raw": "ticker.out"})))
    assert run.step() == [("/_studio/timer/ticker", 1)]
    assert run.step() == [("/ticker/out", 1)]
    assert run.step() == [("/adder/out", 1)]
    assert run.step(2) == [("/_studio/timer/ticker", 2), ("/ticker/out", 2)]


def test_step_goes_on_to_the_next_event_of_a_topic(open_run: Open) -> None:
    run = open_run(plan(ticker=Part("Ticker", period_s=0.1), adder=Part("Adder", {"raw": "ticker.out"})))
    assert run.step(topic="/adder/out")[-1] == ("/adder/out", 1)
    assert run.step(2, topic="/adder/out")[-1] == ("/adder/out", 3)


def test_effects_of_a_fan_out_follow_the_places_in_the_file(open_run: Open) -> None:
    run = open_run(
        plan(
            ticker=Part("Ticker", period_s=0.1),
            zebra=Part("Adder", {"raw": "ticker.out"}, {"amount": 10.0, "copies": 2}),
            apple=Part("Adder", {"raw": "ticker.out"}, {"amount": 20.0}),
            mango=Part("Adder", {"raw": "ticker.out"}, {"amount": 30.0, "copies": 3}),
        )
    )
    run.lockstep(until_ns=200_000_000)
    one_round = ["zebra/out", "zebra/out", "apple/out", "mango/out", "mango/out", "mango/out"]
    order = [name.partition("#")[0].strip("/") for name in topics(run.channel())]
    assert order == ["_studio/timer/ticker", "ticker/out", *one_round] * 2


def test_a_diamond_joins_in_order_of_place(open_run: Open) -> None:
    run = open_run(
        plan(
            ticker=Part("Ticker", period_s=0.1),
            late=Part("Adder", {"raw": "ticker.out"}, {"amount": 100.0}),
            early=Part("Adder", {"raw": "ticker.out"}),
            join=Part("Merger", {"left": "early.out", "right": "late.out"}),
        )
    )
    run.lockstep(until_ns=100_000_000)
    joined = [decode(String, event.payload).data for event in run.channel() if event.topic == "/join/out"]
    assert joined == ["right 101 at 100000000", "left 1 at 100000000"]


def test_a_feedback_loop_goes_round_one_event_at_a_time(open_run: Open) -> None:
    run = open_run(plan(loop=Part("Loop", {"raw": "loop.out"})))
    assert run.lockstep(count=50) == 50
    assert values(run.channel(), "/loop/out") == [float(number) for number in range(50)]


def test_timers_tick_between_each_other_and_by_name_at_equal_times(open_run: Open) -> None:
    run = open_run(
        plan(b=Part("Ticker", period_s=0.02), a=Part("Ticker", period_s=0.03), c=Part("Ticker", period_s=0.06))
    )
    run.lockstep(until_ns=60_000_000)
    ticks = [name.removeprefix("/_studio/timer/") for name in topics(run.channel()) if "timer" in name]
    assert ticks == ["b#1", "a#1", "b#2", "a#2", "b#3", "c#1"]


def test_what_a_handler_publishes_inherits_stamp_and_cause(open_run: Open) -> None:
    run = open_run(plan(ticker=Part("Ticker", period_s=0.25), adder=Part("Adder", {"raw": "ticker.out"})))
    run.step(3)
    tick, raw, out = run.channel()[-3:]
    assert (tick.stamp_ns, raw.stamp_ns, out.stamp_ns) == (250_000_000,) * 3
    assert raw.cause[1] == tick.sequence and out.cause[1] == raw.sequence
    assert raw.cause[0] != out.cause[0] != 0


def test_effects_larger_than_their_acknowledgement_arrive_in_order(open_run: Open) -> None:
    run = open_run(
        plan(
            ticker=Part("Ticker", period_s=0.1),
            big=Part("BigMap", {"raw": "ticker.out"}),
            sum=Part("MapSum", {"map": "big.big"}),
        )
    )
    run.lockstep(until_ns=1_000_000_000)
    order = [name.partition("#")[0] for name in topics(run.channel())]
    assert order == ["/_studio/timer/ticker", "/ticker/out", "/big/big", "/big/small", "/sum/out"] * 10
    assert values(run.channel(), "/sum/out") == [250_000.0 * number for number in range(1, 11)]


def test_a_service_call_is_nested_in_the_handler(open_run: Open) -> None:
    run = open_run(
        plan(
            ticker=Part("Ticker", period_s=0.1),
            caller=Part("Caller", {"raw": "ticker.out"}, requires={"ask": ("doubler", "double")}),
            doubler=Part("Doubler"),
        )
    )
    run.lockstep(until_ns=200_000_000)
    order = [name.partition("#")[0] for name in topics(run.channel())]
    call = ["/_studio/request/doubler/caller", "/_studio/reply/caller/doubler"]
    assert order == ["/_studio/timer/ticker", "/ticker/out", *call, "/caller/out", "/caller/out", "/doubler/served"] * 2
    assert values(run.channel(), "/caller/out") == [-1.0, 2.0, -1.0, 4.0]


def test_receivers_that_call_each_other_take_turns(open_run: Open) -> None:
    """The doubler hears the same event as the caller; whose turn is first decides the answer."""
    parts = {
        "ticker": Part("Ticker", period_s=0.1),
        "caller": Part("Caller", {"raw": "ticker.out"}, requires={"ask": ("doubler", "double")}),
        "doubler": Part("Doubler", {"raw": "ticker.out"}),
    }
    run = open_run(plan(**parts))
    run.lockstep(until_ns=300_000_000)
    assert values(run.channel(), "/caller/out")[1::2] == [2.0, 4.0 + 1, 6.0 + 2]
    swapped = open_run(plan(**{name: parts[name] for name in ("ticker", "doubler", "caller")}))
    swapped.lockstep(until_ns=300_000_000)
    assert values(swapped.channel(), "/caller/out")[1::2] == [2.0 + 1, 4.0 + 2, 6.0 + 3]


def test_calls_that_go_in_a_circle_are_an_error_and_no_deadlock(open_run: Open) -> None:
    run = open_run(
        plan(
            ticker=Part("Ticker", period_s=0.1),
            one=Part("Circle", {"raw": "ticker.out"}, requires={"ask": ("two", "answer")}),
            two=Part("Circle", requires={"ask": ("one", "answer")}),
        )
    )
    run.lockstep(until_ns=200_000_000)
    report = run.component("one")
    assert report["state"] == "error"
    assert "one → two → one" in report["error"]


def test_a_latest_value_is_the_last_one_delivered(open_run: Open) -> None:
    run = open_run(
        plan(
            fast=Part("Ticker", period_s=0.01),
            slow=Part("Ticker", period_s=0.025),
            watcher=Part("Watcher", {"raw": "slow.out", "pose": "fast.out"}),
        )
    )
    run.lockstep(until_ns=100_000_000)
    assert values(run.channel(), "/watcher/out") == [2.0, 5.0, 7.0, 10.0]


def test_commands_are_events_and_change_who_ticks(open_run: Open) -> None:
    run = open_run(plan(trigger=Part("Triggered", activation="trigger")))
    run.command("trigger", {"do": "trigger"})
    run.command("trigger", {"do": "set", "name": "step", "value": 2.5})
    run.command("trigger", {"do": "trigger"})
    run.command("trigger", {"do": "mode", "activation": "periodic", "period_s": 0.5})
    run.lockstep(until_ns=1_000_000_000)
    run.command("trigger", {"do": "deactivate"})
    run.lockstep(until_ns=3_000_000_000)
    seen = run.channel()
    assert values(seen, "/trigger/out") == [1.0, 3.5, 6.0, 8.5]
    assert [event.stamp_ns for event in seen if event.topic == "/trigger/out"] == [0, 0, 500_000_000, 1_000_000_000]


def test_a_refused_parameter_changes_nothing(open_run: Open) -> None:
    run = open_run(plan(trigger=Part("Triggered", activation="trigger")))
    run.command("trigger", {"do": "set", "name": "step", "value": 11.0})
    run.command("trigger", {"do": "set", "name": "stride", "value": 1.0})
    run.command("trigger", {"do": "trigger"})
    run.step(3)
    assert run.step() == [("/trigger/out", 1)]
    assert values(run.channel(), "/trigger/out") == [1.0]


def test_an_exception_stops_one_component_and_disturbs_nobody(open_run: Open) -> None:
    run = open_run(
        plan(
            ticker=Part("Ticker", period_s=0.1),
            fragile=Part("Fragile", {"raw": "ticker.out"}),
            adder=Part("Adder", {"raw": "ticker.out"}),
        )
    )
    run.lockstep(until_ns=500_000_000)
    assert values(run.channel(), "/fragile/out") == [1.0, 2.0]
    assert values(run.channel(), "/adder/out") == [1.0, 2.0, 3.0, 4.0, 5.0]
    report = run.component("fragile")
    assert report["state"] == "error" and "the third one is too much" in report["error"]
    assert 'parts.py"' in report["error"], "the traceback names the line"
    run.command("fragile", {"do": "reset"})
    run.command("fragile", {"do": "activate"})
    run.lockstep(until_ns=600_000_000)
    assert values(run.channel(), "/fragile/out") == [1.0, 2.0, 6.0]


def test_components_in_one_host_keep_order_and_record(open_run: Open) -> None:
    run = open_run(
        plan(
            ticker=Part("Ticker", period_s=0.1, host="one"),
            adder=Part("Adder", {"raw": "ticker.out"}, host="one"),
            more=Part("Adder", {"raw": "ticker.out adder.out"}, {"amount": 0.5}, host="one"),
        )
    )
    run.lockstep(until_ns=200_000_000)
    assert values(run.channel(), "/more/out") == [1.5, 1.5, 2.5, 2.5]
    order = [name.partition("#")[0] for name in topics(run.channel())]
    one_round = ["/_studio/timer/ticker", "/ticker/out", "/adder/out", "/more/out", "/more/out"]
    assert order == one_round * 2


def inputs(topic: str, *stamps_ms: int) -> list[Event]:
    return [
        Event(topic, number, stamp_ms * 1_000_000, Float64(stamp_ms), flags=INPUT)
        for number, stamp_ms in enumerate(stamps_ms, 1)
    ]


def test_inputs_come_before_timers_at_equal_stamps_and_feeders_by_name(open_run: Open) -> None:
    run = open_run(
        plan(
            ticker=Part("Ticker", period_s=0.010),
            join=Part("Merger", {"left": "laser.out", "right": "gps.out"}),
            adder=Part("Adder", {"raw": "ticker.out"}),
        )
    )
    run.feed("zlog", inputs("/laser/out", 5, 10, 10, 25), ["/laser/out"])
    run.feed("alog", inputs("/gps/out", 10, 12, 30), ["/gps/out"])
    run.lockstep(until_ns=30_000_000)
    order = [f"{event.topic} {event.stamp_ns // 1_000_000}" for event in run.channel() if event.cause == (0, 0)]
    assert [name for name in order if "command" not in name] == [
        "/laser/out 5",
        "/gps/out 10",
        "/laser/out 10",
        "/laser/out 10",
        "/_studio/timer/ticker 10",
        "/gps/out 12",
        "/_studio/timer/ticker 20",
        "/laser/out 25",
        "/gps/out 30",
        "/_studio/timer/ticker 30",
    ]


def test_a_long_feed_is_taken_in_pieces_and_in_full(open_run: Open) -> None:
    run = open_run(plan(adder=Part("Adder", {"raw": "log.out"})))
    run.feed("log", inputs("/log/out", *range(1, 301)), ["/log/out"])
    assert run.lockstep() == 600
    assert values(run.channel(), "/adder/out") == [float(number) for number in range(1, 301)]


def test_effects_go_before_the_next_input(open_run: Open) -> None:
    run = open_run(
        plan(adder=Part("Adder", {"raw": "log.out"}, {"copies": 2}), more=Part("Adder", {"raw": "adder.out"}))
    )
    run.feed("log", inputs("/log/out", 1, 1), ["/log/out"])
    run.lockstep()
    order = [name.partition("#")[0] for name in topics(run.channel())]
    assert order == ["/log/out", "/adder/out", "/adder/out", "/more/out", "/more/out"] * 2


def test_what_the_first_publishes_when_activated_reaches_those_activated_after_it(open_run: Open) -> None:
    run = open_run(plan(loop=Part("Loop", {"raw": "adder.out"}), adder=Part("Adder", {"raw": "loop.out"})))
    assert run.step(2) == [("/loop/out", 1), ("/adder/out", 1)]


def test_publishing_before_the_barrier_is_an_error_of_that_component(open_run: Open) -> None:
    run = open_run(plan(early=Part("Early"), ticker=Part("Ticker", period_s=0.1)))
    assert run.step() == [("/_studio/timer/ticker", 1)]
    report = run.component("early")
    assert report["state"] == "error" and "publish in on_activate or later" in report["error"]
