"""A vehicle that is driven, and the clock by which it is seen to stop when somebody dies."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from studio.messages import decode
from studio.messages.plain import String
from studio.runtime.base.clock import ClockKind
from studio.runtime.emulators.pty_port import Faults, PtyPort
from studio.runtime.emulators.vehicle import Noted, Vehicle
from studio.runtime.plan.plan import Inlet, Plan, PlannedComponent
from studio.runtime.processes.control import ControlError
from tests.lateness import Lateness
from tests.runtime.systems import ProcessRun
from tests.waiting import await_true

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "components/serial_vehicle"
STANDS_WITHIN_S = 0.25
STAYS_S = 0.3
"""So long it is looked at whether what has stopped stays there: longer than any command is good for."""


class StopClock:
    """Tells how long after a death a vehicle stood, by the vehicle's clock.

    The emulated vehicle hears with a thread of ours. What this machine keeps such a thread from running is not the time
    of a vehicle, so it is measured, too.
    """

    def __init__(self, port: PtyPort, vehicle: Vehicle) -> None:
        self._port = port
        self._vehicle = vehicle
        self._lateness = Lateness()

    def __enter__(self) -> StopClock:
        self._lateness.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._lateness.__exit__()

    def moves(self) -> list[Noted]:
        with self._port.lock:
            return [note for note in self._vehicle.record if note.what in ("drive", "stop")]

    def await_driving(self) -> None:
        before = len(self.moves())
        await_true(lambda: len(self.moves()) > before + 3 and self.moves()[-1].speed_m_s, "the vehicle to drive")

    def assert_stops(self, kill: Callable[[], object], hands: int = 1) -> float:
        """Let it die, and see the vehicle stand within 250 ms and stay there; how many ms it took.

        `hands`: how many threads and processes of this machine the last command passes through after that.
        """
        kill()
        killed_ns = time.monotonic_ns()  # from here on the dead one does nothing more
        await_true(self.stands, "the vehicle to stand")
        time.sleep(STAYS_S)
        moves = self.moves()
        assert self.stands(), "it has begun to move again"
        last = max(index for index, note in enumerate(moves) if note.speed_m_s)
        stood_ns = moves[last + 1].at_ns
        assert stood_ns > killed_ns, "it stood before anybody had died"
        return self._lateness.assert_within(STANDS_WITHIN_S, killed_ns, stood_ns, hands)

    def stands(self) -> bool:
        moves = self.moves()
        return not moves or not moves[-1].speed_m_s


class Run:
    """A controller that always commands 0.4 m/s, the driver, and the emulated vehicle."""

    def __init__(self, session: ProcessRun, port: PtyPort, vehicle: Vehicle) -> None:
        self.session = session
        self.port = port
        self.vehicle = vehicle

    def noted(self, what: str) -> list[Noted]:
        with self.port.lock:
            return [note for note in self.vehicle.record if note.what == what]

    def await_log(self, text: str) -> None:
        await_true(lambda: text in str(self.session.observer.log), f"the log to say {text!r}")

    def arm(self) -> None:
        """Again, if the broker that was asked has been killed: it cannot tell whether it has passed the command on."""
        for _ in range(5):
            with suppress(ControlError):
                self.session.command("car", {"do": "set", "name": "armed", "value": True})
                return
        raise AssertionError("no broker answers")

    def drive(self) -> None:
        """Arm it and see it drive."""
        before = len(self.noted("drive"))
        self.arm()
        await_true(lambda: len(self.noted("drive")) > before + 5, "the vehicle to drive")

    def stands(self) -> bool:
        with self.port.lock:
            moves = [note.what for note in self.vehicle.record if note.what in ("drive", "stop")]
            return self.vehicle.speed_m_s == 0.0 and moves[-1] == "stop"

    def safety_stop(self) -> str:
        """Why it was stopped and stays so, as its driver says; "" while nothing keeps it."""
        return str(self.session.observer.component("car").get("shown", {}).get("safety_stop", ""))

    def armed(self) -> bool:
        return bool(self.session.observer.component("car").get("parameters", {}).get("armed"))

    def refusals(self) -> int:
        """How many commands were not carried out, as the vehicle's state last said."""
        return int(self.states()[-1]["refused"])

    def await_fault(self, text: str) -> None:
        await_true(lambda: text in self.states()[-1]["fault"], f"the latch: {text}")
        await_true(self.stands, "the vehicle to stop")

    def states(self) -> list[dict[str, Any]]:
        seen = [each for each in self.session.channel_now() if each.topic == "/car/state"]
        return [json.loads(decode(String, each.payload).data) for each in seen]


@contextmanager
def driving(folder: Path, faults: Faults | None = None, **parameters: Any) -> Iterator[Run]:
    link, vehicle = folder / "car", Vehicle()
    driver = PlannedComponent(
        "driver", "steady_driver", 0, "driver", "periodic", 20_000_000, outlets={"command": "/driver/command"},
        entry="steady_driver:SteadyDriver", folder=str(Path(__file__).parent / "steady_driver"),
    )  # fmt: skip
    car = PlannedComponent(
        "car", "serial_vehicle", 1, "car", parameters={"port": str(link), "armed": True, **parameters},
        inlets=(Inlet("command", "/driver/command", "latest"),),
        outlets={port: f"/car/{port}" for port in ("odometry", "battery", "state")},
        entry="serial_vehicle:SerialVehicle", folder=str(FOLDER),
    )  # fmt: skip
    with PtyPort(vehicle, link, faults) as port, ProcessRun(Plan((driver, car)), clock=ClockKind.WALL) as session:
        session.start("run")
        yield Run(session, port, vehicle)
