"""What may move something real is stopped."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.messages import Float64, Velocity
from studio.runtime.actuator import EARLY_NS, Actuator
from studio.runtime.command_rules import VALID_NS, Refused, path_time_ns
from studio.runtime.component import InPort
from studio.runtime.trial import Trial
from studio.runtime.wire.frames import Event
from tests.runtime.actuator.motor_bench import NOW_NS, SECOND_NS, TOPIC, Bench, Motor
from tests.waiting import await_true


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
    assert bench.motor.armed and not bench.command(), "it is still armed, and waits for a person"
    bench.order({"do": "resume"})
    assert bench.command()


def test_it_is_not_stopped_for_good_by_the_end_of_a_command_to_stand(cart: Trial[Cart]) -> None:
    """Whoever has told it to stand and then says nothing more has not failed."""
    cart.send("drive", Velocity(speed_m_s=1.0))
    cart.send("drive", Velocity(speed_m_s=0.0))
    halts = cart.component.halts
    await_true(lambda: cart.component.halts > halts, "the command to run out")
    assert not cart.component.safety_stop
    cart.send("drive", Velocity(speed_m_s=1.0))
    assert cart.component.acts_ns[-1] > 0


def test_what_came_late_is_no_way_around_a_stop_that_nobody_has_seen_yet(bench: Bench) -> None:
    """A process that was stopped and continued may handle the next command before its own deadline."""
    bench.arm()
    assert bench.command()
    bench.motor._deadline.cancel()  # as if its thread had not been given a processor yet
    bench.motor._next_by_ns = 1
    assert not bench.command()
    assert bench.motor.safety_stop == "no command for 250 ms"
    assert bench.motor.done[-1] == "halt"


def test_a_command_that_comes_after_the_device_has_stopped_by_itself_comes_too_late(bench: Bench) -> None:
    """The device was told a little less than 250 ms: it would drive on by itself."""
    bench.arm()
    assert bench.command()
    bench.now_ns += VALID_NS - EARLY_NS
    assert not bench.command()
    assert bench.motor.safety_stop == "no command for 250 ms"


def test_a_computer_that_was_suspended_does_not_drive_on(bench: Bench) -> None:
    """CLOCK_MONOTONIC stands meanwhile, the time of the world does not."""
    bench.arm()
    assert bench.command()
    bench.now_ns += 3600 * SECOND_NS
    assert not bench.command()
    assert bench.motor.safety_stop


def test_only_a_person_arms_it_and_no_link(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    """An output that the parameter is linked to would arm it again after every stop."""
    bench.runner.event = Event(TOPIC, 1, NOW_NS, sent_ns=NOW_NS, epoch=bench.epoch)
    bench.runner._set_linked("armed", SimpleNamespace(data=True))
    assert not bench.motor.armed
    assert "only a person arms motor" in caplog.text


def test_a_stop_of_a_pause_is_lifted_and_one_of_before_is_not(bench: Bench) -> None:
    bench.arm()
    bench.command()
    bench.motor.stop_for_safety("the process of driver ended")
    since_ns = time.monotonic_ns()
    bench.order({"do": "resume", "since_ns": since_ns})
    assert bench.motor.safety_stop and not bench.command()
    bench.order({"do": "resume"})
    assert bench.command()
    bench.motor.stop_for_safety("the process of driver ended")
    bench.order({"do": "resume", "since_ns": since_ns})
    assert bench.command()


@given(st.lists(st.sampled_from(["command", "stop", "fault", "resume", "arm", "disarm", "jump"]), max_size=40))
def test_nothing_moves_between_a_stop_and_a_person(steps: list[str]) -> None:
    bench, may_move = Bench(), False
    for step in steps:
        match step:
            case "command":
                assert not bench.command() or may_move
            case "stop":
                bench.motor.stop_for_safety("the process of driver ended")
                may_move = False
            case "fault":
                bench.motor.latch("bumper")
                may_move = False
            case "resume":
                was_armed = bench.motor.armed
                bench.order({"do": "resume"})
                assert bench.motor.armed == was_armed, "to continue it is not to arm it"
                may_move = was_armed
            case "arm" | "disarm":
                bench.arm(step == "arm")
                may_move = bool(bench.motor.armed)
            case "jump":
                bench.order({"do": "clock-jump"})
                may_move = False
    bench.close()


def test_it_is_halted_too_while_a_debugger_holds_its_handler() -> None:
    let_go = threading.Event()

    class Held(Motor):
        def on_command(self, message: Float64) -> None:
            let_go.wait(30)
            super().on_command(message)

    bench = Bench(Held)
    bench.arm()
    bench.motor.done.clear()
    handling = threading.Thread(target=lambda: (bench.runner.own_thread(), bench.command()), daemon=True)
    handling.start()
    end = time.monotonic() + 20
    while "halt" not in bench.motor.done:
        assert time.monotonic() < end
        time.sleep(0.005)
    assert handling.is_alive()
    assert bench.motor._deadline._thread.pydev_do_not_trace, "and no debugger holds the thread that does it"
    let_go.set()
    handling.join(20)
    bench.close()


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
    assert "only the time-out of the device can stop it now" in caplog.text
    bench.close()
