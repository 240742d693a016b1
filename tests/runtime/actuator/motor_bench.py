"""A motor that remembers what it was made to do, and the bench on which it is commanded."""

from __future__ import annotations

from typing import Any

from studio.messages import Float64
from studio.runtime.actuator import Actuator
from studio.runtime.component import InPort
from studio.runtime.host.component_runner import ComponentRunner, command_topic
from studio.runtime.lifecycle import State
from studio.runtime.plan.plan import Inlet, PlannedComponent
from studio.runtime.wire.frames import Event, Kind

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
    """A motor in its runner, and a clock that stands where the test wants it."""

    def __init__(self, cls: type[Any] = Motor, **parameters: Any) -> None:
        self.now_ns = NOW_NS
        self.epoch = 3
        self._numbers = 0
        planned = PlannedComponent(
            "motor", "motor", 0, "motor", parameters=parameters, inlets=(Inlet("command", TOPIC),)
        )
        self.motor: Any = cls()
        self.runner = ComponentRunner(
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
        self.runner.handle(
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
        self.runner.handle(event)
        assert self.runner.state is State.ACTIVE, self.runner.error
        return len(self.motor.moved) > before

    def close(self) -> None:
        self.order({"do": "finalize"})
