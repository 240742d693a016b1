"""What may move something real: every rule, by a million commands, and the ways around them that do not exist."""

from __future__ import annotations

import logging
import math
import struct
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.messages import Float64, Velocity
from studio.model.spec import SpecError
from studio.runtime.actuator import AHEAD_NS, VALID_NS, Actuator, Refused, path_time_ns, refusal
from studio.runtime.cell import Cell, command_topic
from studio.runtime.channel.frames import Event, Kind, Origin
from studio.runtime.component import Component, InPort
from studio.runtime.lifecycle import State
from studio.runtime.plan import Inlet, PlannedComponent
from studio.runtime.trial import Trial
from tests.waiting import await_true

TOPIC = "/driver/command"
NOW_NS = 1_000_000_000_000
SECOND_NS = 1_000_000_000


class Motor(Actuator):
    """Remembers what it was made to do."""

    command = InPort(Float64)

    def on_activate(self) -> None:
        self.done: list[float | str] = []

    def on_command(self, message: Float64) -> None:
        self.done.append(message.data)

    def halt(self) -> None:
        if hasattr(self, "done"):
            self.done.append("halt")

    @property
    def moved(self) -> list[float]:
        return [each for each in self.done if isinstance(each, float)]


class Bench:
    """A motor in its cell, and a clock that stands where the test wants it."""

    def __init__(self, cls: type[Any] = Motor) -> None:
        self.now_ns = NOW_NS
        self.epoch = 3
        self._numbers = 0
        planned = PlannedComponent("motor", "motor", 0, "motor", inlets=(Inlet("command", TOPIC),))
        self.motor: Any = cls()
        self.cell = Cell(
            self.motor, planned, effect=lambda _: None, stray=lambda *_: None, call=lambda *_: None,
            now_ns=lambda: self.now_ns,
        )  # fmt: skip
        self.live = True
        self.motor._is_live = lambda: self.live
        self.order({"do": "initialize"})
        self.order({"do": "activate"})

    def order(self, command: dict[str, Any]) -> None:
        self._numbers += 1
        topic = command_topic("motor")
        self.cell.handle(
            Event(topic, self._numbers, self.now_ns, command, kind=Kind.COMMAND, sent_ns=self.now_ns, epoch=self.epoch)
        )

    def arm(self, armed: bool = True) -> None:
        self.order({"do": "set", "name": "armed", "value": armed})

    def command(
        self, value: float = 1.0, *, origin: int = 0, epoch: int | None = None, age_ns: int = 0, data_age_ns: int = 0
    ) -> bool:
        """Whether it was carried out."""
        self._numbers += 1
        before = len(self.motor.moved)
        event = Event(
            TOPIC, self._numbers, self.now_ns - data_age_ns, Float64(value), sent_ns=self.now_ns - age_ns,
            origin=origin, epoch=self.epoch if epoch is None else epoch,
        )  # fmt: skip
        self.cell.handle(event)
        assert self.cell.state is State.ACTIVE, self.cell.error
        return len(self.motor.moved) > before

    def close(self) -> None:
        self.order({"do": "finalize"})


@pytest.fixture
def bench() -> Any:
    made = Bench()
    yield made
    made.close()


# The rules.


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
    """One per cent of them in the ordinary tests. Logged and simulated commands are refused in every single case."""

    @settings(max_examples=scaled(1_000_000) // 50, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.binary(min_size=50 * STEP.size, max_size=50 * STEP.size))
    def obeys(drawn: bytes) -> None:
        bench = Bench()
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


# Stopping.


def test_without_a_command_for_250_ms_it_is_halted_and_not_before(bench: Bench) -> None:
    bench.arm()
    bench.motor.done.clear()
    before_ns = time.monotonic_ns()
    assert bench.command(age_ns=50_000_000)
    assert bench.motor.valid_ns() <= 200_000_000
    end = time.monotonic() + 20
    while "halt" not in bench.motor.done:
        assert time.monotonic() < end
        time.sleep(0.005)
    assert time.monotonic_ns() - before_ns >= 200_000_000
    assert bench.motor.valid_ns() == 0
    assert bench.command(), "it is still armed"


def test_it_is_halted_too_while_a_debugger_holds_its_handler() -> None:
    let_go = threading.Event()

    class Held(Motor):
        def on_command(self, message: Float64) -> None:
            let_go.wait(30)
            super().on_command(message)

    bench = Bench(Held)
    bench.arm()
    bench.motor.done.clear()
    handling = threading.Thread(target=lambda: (bench.cell.own_thread(), bench.command()), daemon=True)
    handling.start()
    end = time.monotonic() + 20
    while "halt" not in bench.motor.done:
        assert time.monotonic() < end
        time.sleep(0.005)
    assert handling.is_alive()
    assert bench.motor._deadline._thread.pydev_do_not_trace, "and no debugger holds the thread that does it"
    let_go.set()
    handling.join(20)


class Cart(Actuator):
    """Told how fast, and elsewhere how sharply; remembers for how long each may act."""

    drive = InPort(Velocity)
    steer = InPort(Float64)

    def on_activate(self) -> None:
        self.acts_ns: list[int] = []
        self.halts = 0

    def on_drive(self, message: Velocity) -> None:
        self.acts_ns.append(self.valid_ns())

    def on_steer(self, message: Float64) -> None:
        self.acts_ns.append(self.valid_ns())

    def halt(self) -> None:
        self.halts = getattr(self, "halts", 0) + 1


@pytest.fixture
def cart() -> Iterator[Trial[Cart]]:
    with Trial(Cart, most_path_m=0.5) as trial:
        trial.set("armed", True)
        yield trial


def test_no_command_moves_it_further_than_its_path(cart: Trial[Cart]) -> None:
    """As with a virtual cart: what is fast runs out sooner, forwards and backwards; what is slow, by its age."""
    for speed_m_s, most_ns in ((10.0, 50_000_000), (-5.0, 100_000_000), (1.0, VALID_NS), (0.0, VALID_NS)):
        cart.send("drive", Velocity(speed_m_s=speed_m_s))
        acts_ns = cart.component.acts_ns[-1]
        assert most_ns - 40_000_000 < acts_ns <= most_ns
        assert abs(speed_m_s) * acts_ns / SECOND_NS <= 0.5


def test_it_is_halted_at_the_end_of_its_path_and_goes_on_with_the_next_command(
    cart: Trial[Cart], caplog: pytest.LogCaptureFixture
) -> None:
    halts = cart.component.halts
    cart.send("drive", Velocity(speed_m_s=10.0))
    await_true(lambda: cart.component.halts > halts, "a halt")
    await_true(lambda: "stopped: no command after 0.5 m" in caplog.text, "word of it")
    cart.send("drive", Velocity(speed_m_s=10.0))
    assert cart.component.acts_ns[-1] > 0


def test_what_tells_no_speed_does_not_prolong_a_path(cart: Trial[Cart]) -> None:
    cart.send("steer", Float64(0.1))
    assert cart.component.acts_ns[-1] > 50_000_000, "nothing moves it yet"
    cart.send("drive", Velocity(speed_m_s=10.0))
    cart.send("steer", Float64(0.2))
    assert cart.component.acts_ns[-1] <= 50_000_000
    cart.send("drive", Velocity(speed_m_s=0.0))
    cart.send("steer", Float64(0.3))
    assert cart.component.acts_ns[-1] > 50_000_000, "it stands: there is no path to be gone"


@given(st.floats(0.001, 1000.0), st.floats(allow_nan=True, allow_infinity=True))
def test_whatever_the_speed_a_path_is_not_exceeded_within_the_time_it_gives(path_m: float, speed_m_s: float) -> None:
    path_ns = path_time_ns(path_m, speed_m_s)
    if path_ns is None:
        assert math.isnan(speed_m_s) or abs(speed_m_s) * VALID_NS / SECOND_NS <= path_m, "its age stops it before"
    elif math.isfinite(speed_m_s):
        assert abs(speed_m_s) * path_ns / SECOND_NS <= path_m * (1 + 1e-9)
    else:
        assert path_ns == 0


@pytest.mark.parametrize(
    "what",
    [
        {"do": "set", "name": "armed", "value": False},
        {"do": "clock-jump"},
        {"do": "deactivate"},
        {"do": "finalize"},
    ],
)
def test_it_is_halted_at_once_by(bench: Bench, what: dict[str, Any]) -> None:
    bench.arm()
    bench.command()
    bench.motor.done.clear()
    bench.order(what)
    assert "halt" in bench.motor.done
    assert bench.motor.armed is False


def test_a_latched_fault_needs_a_reset_and_then_arming(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.arm()
    bench.motor.latch("the bumper has touched something")
    bench.arm()
    assert "has stopped: the bumper" in caplog.text
    assert not bench.command()
    assert bench.motor.refused == {Refused.LATCHED: 1}
    bench.order({"do": "trigger"})
    assert not bench.command(), "a reset does not arm"
    bench.arm()
    assert bench.command()


def test_a_stop_is_not_overtaken_by_the_command_before_it(bench: Bench) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(message: Float64) -> None:
        begun.set()
        go_on.wait(10)
        bench.motor.done.append("drive")

    bench.arm()
    bench.motor.done.clear()
    handler = type(bench.motor).on_command
    assert hasattr(handler, "_checked")
    worker = threading.Thread(target=lambda: bench.motor._carry_out(lambda _, message: slow(message), Float64(1.0)))
    bench.motor._handled = lambda: Event(TOPIC, 1, NOW_NS, sent_ns=NOW_NS, epoch=bench.epoch)
    worker.start()
    assert begun.wait(10)
    stopper = threading.Thread(target=bench.motor.latch, args=("bumper",))
    stopper.start()
    stopper.join(0.05)
    assert "halt" not in bench.motor.done, "the command is still being carried out"
    go_on.set()
    worker.join(10)
    stopper.join(10)
    assert bench.motor.done[-1] == "halt"


def test_a_halt_that_fails_harms_nobody(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Motor):
        def halt(self) -> None:
            raise OSError("the cable is out")

    bench = Bench(Broken)
    bench.arm()
    assert bench.command()
    bench.arm(False)
    assert not bench.command()
    assert "the device's own time-out has to stop it" in caplog.text
    bench.close()


# No way around.


def test_a_subclass_that_calls_no_super_is_as_safe() -> None:
    class Forgetful(Motor):
        def on_activate(self) -> None:
            self.done: list[float | str] = []

        def on_deactivate(self) -> None: ...
        def on_clock_jump(self) -> None: ...
        def on_parameter(self, name: str, value: object) -> None: ...
        def on_trigger(self) -> None: ...

    bench = Bench(Forgetful)
    bench.arm()
    assert bench.command()
    bench.order({"do": "clock-jump"})
    assert not bench.command()
    bench.arm()
    assert bench.command()
    bench.order({"do": "deactivate"})
    bench.order({"do": "activate"})
    assert not bench.command()
    bench.close()


def test_a_handler_from_elsewhere_is_checked_too() -> None:
    class Elsewhere:
        def on_command(self, message: Float64) -> None:
            self.done.append(message.data)  # type: ignore[attr-defined]

    class Mixed(Elsewhere, Motor): ...

    bench = Bench(Mixed)
    assert not bench.command()
    bench.close()


def test_a_port_without_a_handler_and_an_actuator_that_cannot_stop_are_refused() -> None:
    with pytest.raises(SpecError, match="would not be checked"):

        class Unchecked(Motor):
            other = InPort(Float64, keep="latest")

    with pytest.raises(SpecError, match="cannot be stopped"):

        class Endless(Actuator):
            command = InPort(Float64)

            def on_command(self, message: Float64) -> None: ...


def test_an_actuator_is_a_component_like_others() -> None:
    assert issubclass(Actuator, Component)
    assert list(Motor.__parameters__) == ["armed", "oldest_data_s", "most_path_m"]
