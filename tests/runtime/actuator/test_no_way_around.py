"""The ways around the rules of what may move something real do not exist."""

from __future__ import annotations

import pytest

from studio.messages import Float64
from studio.model.spec import SpecError
from studio.runtime.actuator import Actuator
from studio.runtime.component import Component, InPort
from tests.runtime.actuator.motor_bench import Bench, Motor


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
    assert list(Motor.__parameters__) == ["armed", "oldest_data_s", "most_path_m", "after_stop"]
