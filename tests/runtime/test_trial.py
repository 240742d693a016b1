from __future__ import annotations

import pytest

from studio.errors import StudioError
from studio.messages import Float64, String
from studio.runtime.component import (
    Component,
    InPort,
    OutPort,
    Parameter,
    ProvidedService,
    RequiredService,
    ServiceError,
)
from studio.runtime.trial import Trial, TrialError


class Thermostat(Component):
    """Tells when it is too warm."""

    period_s = 0.5
    warmth = InPort(Float64)
    wish = InPort(Float64, keep="latest")
    alarm = OutPort(String)
    limit_c = Parameter(20.0, maximum=100.0)
    name_of = ProvidedService(Float64, String)
    forecast = RequiredService(Float64, Float64)

    def on_initialize(self) -> None:
        self.calls = ["initialize"]

    def on_activate(self) -> None:
        self.calls.append("activate")

    def on_deactivate(self) -> None:
        self.calls.append("deactivate")

    def on_finalize(self) -> None:
        self.calls.append("finalize")

    def on_warmth(self, message: Float64) -> None:
        if message.data > self.limit_c:
            self.alarm.publish(String(f"{message.data:g} at {self.now()}"))

    def on_timer(self) -> None:
        wish = self.wish.latest
        self.alarm.publish(String(f"wish {wish.data if wish else None} at {self.now()}"))

    def on_trigger(self) -> None:
        self.alarm.publish(String(f"forecast {self.forecast(Float64(1.0)).data:g}"))

    def on_parameter(self, name: str, value: object) -> None:
        self.calls.append(f"{name}={value}")

    def serve_name_of(self, request: Float64) -> String:
        return String(f"n{request.data:g}")


def test_messages_go_in_and_come_out_at_their_time() -> None:
    with Trial(Thermostat, limit_c=30.0) as trial:
        trial.send("warmth", Float64(25.0))
        trial.send("warmth", Float64(35.0), at_s=2.0)
        assert trial.sent("alarm") == [String("35 at 2000000000")]


def test_a_tick_is_one_period_and_latest_is_what_was_sent_last() -> None:
    with Trial(Thermostat) as trial:
        trial.tick()
        trial.send("wish", Float64(19.0))
        trial.tick(after_s=1.0)
        assert trial.sent("alarm") == [String("wish None at 500000000"), String("wish 19.0 at 1500000000")]


def test_the_life_cycle_is_complete_also_when_a_test_fails() -> None:
    with pytest.raises(ZeroDivisionError), Trial(Thermostat) as trial:
        raise ZeroDivisionError
    assert trial.component.calls == ["initialize", "activate", "deactivate", "finalize"]


def test_parameters_are_checked_and_told() -> None:
    with Trial(Thermostat) as trial:
        trial.set("limit_c", 50)
        assert trial.component.calls[-1] == "limit_c=50.0"
        with pytest.raises(StudioError, match="above its maximum"):
            trial.set("limit_c", 500.0)
    with pytest.raises(StudioError, match="above its maximum"):
        Trial(Thermostat, limit_c=101.0)


def test_a_parameter_that_the_component_refuses_keeps_its_value() -> None:
    class Picky(Component):
        """Takes even numbers alone."""

        count = Parameter(2)

        def on_parameter(self, name: str, value: object) -> None:
            if self.count % 2:
                raise StudioError("odd")

    with Trial(Picky) as trial:
        trial.set("count", 4)
        with pytest.raises(StudioError, match="odd"):
            trial.set("count", 5)
        assert trial.component.count == 4


def test_services_are_called_and_answered() -> None:
    with Trial(Thermostat) as trial:
        assert trial.call("name_of", Float64(7.0)) == String("n7")
        with pytest.raises(ServiceError, match=r"trial\.answer"):
            trial.trigger()
        trial.answer("forecast", lambda request: Float64(request.data + 1))
        trial.trigger()
        assert trial.sent("alarm") == [String("forecast 2")]


@pytest.mark.parametrize(
    "mistake",
    [
        lambda trial: trial.send("warmht", Float64()),
        lambda trial: trial.send("alarm", String()),
        lambda trial: trial.send("warmth", String()),
        lambda trial: trial.sent("warmth"),
        lambda trial: trial.set("limit", 1.0),
        lambda trial: trial.call("forecast", Float64()),
        lambda trial: trial.answer("name_of", lambda request: request),
    ],
)
def test_a_mistake_in_a_test_is_explained(mistake: object) -> None:
    with Trial(Thermostat) as trial, pytest.raises(TrialError):
        mistake(trial)  # type: ignore[operator]


def test_an_error_in_a_handler_reaches_the_test() -> None:
    class Faulty(Component):
        """Fails."""

        value = InPort(Float64)

        def on_value(self, message: Float64) -> None:
            raise ValueError("no")

    with Trial(Faulty) as trial, pytest.raises(ValueError, match="no"):
        trial.send("value", Float64())


def test_a_port_that_handles_every_event_keeps_none_of_them() -> None:
    class Greedy(Component):
        raw = InPort(Float64)
        out = OutPort(Float64)

        def on_raw(self, message: Float64) -> None:
            self.out.publish(self.raw.latest or message)

    with Trial(Greedy) as trial, pytest.raises(StudioError, match='declare raw with keep="latest"'):
        trial.send("raw", Float64(1.0))
