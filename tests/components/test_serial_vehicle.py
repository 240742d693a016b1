from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.serial_vehicle import frames
from studio.messages import MessageTypes, Odometry, decode
from studio.runtime.emulators.pty_port import Faults
from studio.runtime.emulators.vehicle import LONGEST_VALID_MS, Noted, Vehicle, framed
from studio.runtime.host.profile import stale
from studio.runtime.playing.logged_sources import LoggedSources, WantedLog
from studio.runtime.session.switching import target_of
from studio.runtime.wire.frames import Origin
from tests.components.driven_vehicle import FOLDER, driving
from tests.waiting import await_true

STATE = framed(0x81, 1, Vehicle()._state())


# The protocol.


def test_the_example_of_the_description_is_right() -> None:
    example = frames.drive(7, 0.5, 0.0, 250).hex(" ").upper()
    assert f"`{example}`" in (FOLDER / "README.md").read_text()


def test_what_one_side_writes_the_other_reads() -> None:
    vehicle = Vehicle()
    vehicle.advance(1)
    assert list(vehicle.hear(frames.frame(frames.HELLO, 0), 2)) != []
    list(vehicle.hear(frames.drive(1, 0.75, -0.2, 200), 1_000_000))
    assert vehicle.record[-1] == Noted(1_000_000, "drive", 0.75, 200)
    vehicle.advance(101_000_000)
    (one,) = frames.Frames().feed(framed(0x81, 9, vehicle._state()))
    state = frames.state_of(one)
    assert state is not None
    assert (state.speed_m_s, state.steering_rad, state.heard, state.flags) == (0.75, -0.2, 1, 0)
    assert state.x_m == pytest.approx(0.075, abs=0.002)
    assert state.heading_rad < 0


def test_no_flipped_bit_passes() -> None:
    for bit in range(len(STATE) * 8):
        spoilt = bytearray(STATE)
        spoilt[bit // 8] ^= 1 << bit % 8
        assert frames.Frames().feed(bytes(spoilt) + bytes(100)) == [], bit


def test_any_bytes_give_values_or_nothing(scaled: Callable[[int], int]) -> None:
    @settings(max_examples=scaled(30_000), deadline=None)
    @given(st.binary(max_size=100), st.integers(0, len(STATE)), st.integers(0, 255), st.binary(max_size=64))
    def never_raises(noise: bytes, cut: int, kind: int, payload: bytes) -> None:
        stream = frames.Frames()
        found = stream.feed(noise + STATE[:cut] + frames.frame(kind, 3, payload) + bytes(100))
        assert any(one.kind == kind and one.payload == payload for one in found)
        for one in found:
            frames.state_of(one)
            frames.identity_of(one)
        vehicle = Vehicle()
        list(vehicle.hear(noise + STATE[:cut] + frames.frame(kind, 3, payload), 1))

    never_raises()


# The vehicle's own time-out, by its own clock.


@given(
    st.lists(st.tuples(st.integers(0, 600), st.integers(-3000, 3000), st.integers(0, 2000)), min_size=1, max_size=30)
)
def test_the_vehicle_stops_when_a_command_runs_out_however_late_it_is_looked_at(
    commands: list[tuple[int, int, int]],
) -> None:
    vehicle, now_ns = Vehicle(), 0
    for number, (passed_ms, speed_mm_s, valid_ms) in enumerate(commands):
        now_ns += passed_ms * 1_000_000
        list(vehicle.hear(frames.drive(number, speed_mm_s / 1000, 0.0, valid_ms), now_ns))
    vehicle.advance(now_ns + 10_000_000_000)
    assert vehicle.speed_m_s == 0.0
    assert_never_runs_on(list(vehicle.record))


def assert_never_runs_on(record: list[Noted]) -> None:
    """After every command that moves it there is another within 250 ms of the vehicle's clock, or it has stopped."""
    moves = [note for note in record if note.what in ("drive", "stop")]
    for note, following in pairwise(moves):
        if note.what == "drive" and note.speed_m_s:
            assert following.at_ns - note.at_ns <= LONGEST_VALID_MS * 1_000_000


# The driver in a real system.


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None


def test_a_vehicle_is_armed_and_driven_over_a_bad_line(tmp_path: Path) -> None:
    with driving(tmp_path, faults=Faults(noise=0.1, flip=0.05)) as run:
        # It starts disarmed, although its parameter in the plan says otherwise.
        run.await_log("commands are refused until it is armed")
        await_true(lambda: any(state["refused"] > 5 for state in run.states()), "refused commands")
        assert run.noted("drive") == []

        run.drive()
        seen = [each for each in run.session.channel_now() if each.topic == "/car/odometry"]
        odometry = decode(Odometry, seen[-1].payload)
        assert (odometry.frame, odometry.child_frame) == ("odom", "base_link")
        await_true(lambda: run.vehicle.x_m > 0.1, "the vehicle to get somewhere")
        assert all(0 < note.valid_ms < LONGEST_VALID_MS for note in run.noted("drive")), "less what passes on the way"


def test_a_switch_of_sources_stops_it_and_what_is_not_real_cannot_move_it_again(tmp_path: Path) -> None:
    with driving(tmp_path) as run:
        run.await_log("bench car answers")
        run.drive()
        real, sources = run.session.plan, LoggedSources(run.session)
        unlogged = WantedLog(None, target_of(["real"], "free"), MessageTypes.builtin())
        for origin in (Origin.SIMULATED, Origin.LOGGED):
            driver, car = real.components
            made = replace(real, components=(replace(driver, origin=int(origin)), car))
            sources.switch(made, unlogged)
            await_true(run.stands, "the vehicle to stop")
            await_true(lambda: not run.states()[-1]["armed"], "the vehicle to be disarmed")
            drives, refused = len(run.noted("drive")), run.states()[-1]["refused"]
            run.arm()
            await_true(lambda: run.states()[-1]["armed"], "the vehicle to be armed")
            await_true(lambda before=refused: run.states()[-1]["refused"] > before + 20, "refused commands")
            run.await_log("it was made from logged or simulated data")
            assert len(run.noted("drive")) == drives
        sources.switch(real, unlogged)
        await_true(lambda: not run.states()[-1]["armed"], "the vehicle to be disarmed")
        assert len(run.noted("drive")) == drives
        run.drive()


def test_a_lost_line_disarms_and_bumper_button_and_stuck_wheels_latch_until_they_are_reset(tmp_path: Path) -> None:
    with driving(tmp_path) as run:
        run.await_log("bench car answers")
        run.drive()
        run.port.unplug()
        run.await_log("there is no device")
        hellos = len(run.noted("hello"))
        run.port.plug_in()
        await_true(lambda: len(run.noted("hello")) > hellos, "the driver to come back")
        await_true(lambda: not run.states()[-1]["armed"], "the vehicle to be disarmed")
        drives = len(run.noted("drive"))
        refused = run.states()[-1]["refused"]
        await_true(lambda: run.states()[-1]["refused"] > refused, "refused commands")
        assert len(run.noted("drive")) == drives

        button, bumper = "the stop button on the vehicle is pressed", "the bumper has touched something"
        for sensor, fault in (("bumper_pressed", bumper), ("emergency_stop", button)):
            run.drive()
            with run.port.lock:
                setattr(run.vehicle, sensor, True)
            run.await_fault(fault)
            run.session.command("car", {"do": "trigger"})
            run.await_log(f"{fault} cannot be reset")
            run.arm()
            run.await_log(f"has stopped: {fault}")
            with run.port.lock:
                setattr(run.vehicle, sensor, False)
            await_true(lambda: not (run.states()[-1]["bumper"] or run.states()[-1]["emergency_stop"]), "its release")
            assert run.states()[-1]["fault"]
            run.session.command("car", {"do": "trigger"})
            await_true(lambda: not run.states()[-1]["fault"], "the reset")
        run.drive()
        with run.port.lock:
            run.vehicle.stuck = True
        run.await_fault("the wheels do not follow the commands")
