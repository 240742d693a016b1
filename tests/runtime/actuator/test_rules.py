"""What may move something real: every rule, by a million commands."""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.messages import Float64
from studio.runtime.command_rules import AHEAD_NS, VALID_NS, Refused, refusal
from studio.runtime.trial import Trial
from studio.runtime.wire.frames import Event, Kind, Origin
from tests.runtime.actuator.motor_bench import NOW_NS, SECOND_NS, TOPIC, Bench, Motor
from tests.waiting import await_true


def test_a_fresh_real_command_of_the_armed_epoch_is_carried_out(bench: Bench) -> None:
    bench.arm()
    assert bench.command(0.5)
    assert bench.motor.moved == [0.5]


def test_nobody_commands_it_for_long_and_it_is_disarmed_without_any_window(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bench.arm()
    bench.motor._unused()
    assert bench.motor.armed and bench.command(), "it was armed just now"
    monkeypatch.setattr("studio.runtime.actuator.IDLE_NS", SECOND_NS // 5)
    with caplog.at_level(logging.WARNING):
        assert bench.command()
        await_true(lambda: not bench.motor.armed, "it to be disarmed")
        await_true(lambda: "disarmed: no command" in caplog.text, "that to be told")
    assert not bench.command()
    monkeypatch.undo()
    bench.arm()
    assert bench.command(), "a person can arm it again"


@pytest.mark.parametrize(("speed", "counts"), [(0.0, False), (-0.0, False), (0.1, True), (-0.1, True), (None, True)])
def test_a_vehicle_that_is_told_to_stand_is_not_in_use(bench: Bench, speed: float | None, counts: bool) -> None:
    bench.motor.speed_of = lambda _: speed
    bench.arm()
    armed_ns = bench.motor._commanded_ns
    assert bench.command(), "it is carried out all the same"
    assert (bench.motor._commanded_ns > armed_ns) is counts


def test_it_starts_disarmed_and_says_how_to_arm_it(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        assert not any(bench.command() for _ in range(50))
    assert bench.motor.refused == {Refused.DISARMED: 50}
    assert caplog.text.count("set armed of motor") == 1


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"origin": Origin.LOGGED}, Refused.ORIGIN),
        ({"origin": Origin.SIMULATED}, Refused.ORIGIN),
        ({"origin": 77}, Refused.ORIGIN),
        ({"epoch": 2}, Refused.EPOCH),
        ({"epoch": 4}, Refused.EPOCH),
        ({"age_ns": VALID_NS}, Refused.OLD),
        ({"age_ns": -AHEAD_NS - 1}, Refused.AHEAD),
        ({"data_age_ns": SECOND_NS + 1}, Refused.OLD_DATA),
    ],
)
def test_what_is_wrong_with_a_command_is_told_and_counted(
    bench: Bench, caplog: pytest.LogCaptureFixture, wrong: dict[str, int], reason: Refused
) -> None:
    bench.arm()
    assert not bench.command(**wrong)
    assert bench.motor.refused == {reason: 1}
    assert str(reason) in caplog.text
    assert bench.command()


def test_in_a_replay_it_can_neither_be_armed_nor_moved(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.arm()
    bench.live = False
    assert not bench.command()
    assert bench.motor.refused == {Refused.NOT_LIVE: 1}
    bench.arm(False)
    bench.arm()
    assert bench.motor.armed is False
    assert "cannot be armed in a replay" in caplog.text


def test_only_the_channel_brings_commands() -> None:
    assert refusal(None, 0, armed_epoch=0, latched=False) is Refused.NO_EVENT
    timer = Event(TOPIC, 1, NOW_NS, kind=Kind.TIMER, sent_ns=NOW_NS)
    assert refusal(timer, NOW_NS, armed_epoch=0, latched=False) is Refused.NO_EVENT


def test_a_trial_of_an_actuator_arms_it_as_a_person_does() -> None:
    with Trial(Motor) as trial:
        trial.send("command", Float64(1.0))
        assert trial.component.moved == []
        trial.set("armed", True)
        trial.send("command", Float64(2.0), at_s=5.0)
        assert trial.component.moved == [2.0]


STEP = struct.Struct("<BBBBii")
EDGES = (0, 1, -1, VALID_NS - 1, VALID_NS, VALID_NS + 1, -AHEAD_NS, -AHEAD_NS - 1, SECOND_NS, SECOND_NS + 1, 10**15)
ORDERS = ("arm", "arm", "arm", "disarm", "jump", "latch", "trigger", "later", "again", "restore")


def step_of(drawn: tuple[int, ...]) -> tuple[int, int, int, int] | str:
    """A command (origin, epoch from now, age, age of its data), or what else may happen. From bytes, as 50 steps of
    many parts each would take Hypothesis longer to draw than to try."""
    kind, origin, epoch, edge, age_ns, data_age_ns = drawn
    if kind < 60:
        return ORDERS[kind % len(ORDERS)]
    near = EDGES[edge % len(EDGES)]
    ages = ((near, 0), (near, data_age_ns), (0, near), (age_ns, data_age_ns), (0, 0))[kind % 5]
    return (0, 0, 0, 1, 2, origin)[origin % 6], (0, 0, 0, -1, 1)[epoch % 5], *ages


@pytest.mark.must_not_flake
def test_nothing_but_the_rules_decides_over_a_million_commands(scaled: Callable[[int], int]) -> None:
    """One per cent of them in the ordinary tests. Logged and simulated commands are refused in every single case.

    Without safety stops that hold: those have tests of their own, and the machine's clock decides over them.
    """

    @settings(max_examples=scaled(1_000_000) // 50, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.binary(min_size=50 * STEP.size, max_size=50 * STEP.size))
    def obeys(drawn: bytes) -> None:
        bench = Bench(after_stop="resume")
        armed, latched = None, False
        for step in map(step_of, STEP.iter_unpack(drawn)):
            if isinstance(step, tuple):
                origin, epoch, age_ns, data_age_ns = step
                allowed = (
                    origin == Origin.REAL
                    and armed == bench.epoch + epoch
                    and not latched
                    and -AHEAD_NS <= age_ns < VALID_NS
                    and data_age_ns <= SECOND_NS
                )
                wanted = {"origin": origin, "epoch": bench.epoch + epoch, "age_ns": age_ns, "data_age_ns": data_age_ns}
                assert bench.command(**wanted) == allowed
                continue
            match step:
                case "arm":
                    bench.arm()
                    armed = armed if latched else bench.epoch
                case "disarm":
                    bench.arm(False)
                    armed = None
                case "jump":
                    bench.epoch += 1
                    bench.order({"do": "clock-jump"})
                    armed = None
                case "latch":
                    bench.motor.latch("bumper")
                    armed, latched = None, True
                case "trigger":
                    bench.order({"do": "trigger"})
                    latched = False
                case "later":
                    bench.now_ns += SECOND_NS
                case "again":
                    bench.order({"do": "deactivate"})
                    bench.order({"do": "activate"})
                    armed = None
                case "restore":
                    bench.motor.load_state(bench.motor.save_state())
                    armed = None
        bench.close()

    obeys()
