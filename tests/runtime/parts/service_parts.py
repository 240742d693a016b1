"""Components that call services, and that provide them."""

from __future__ import annotations

import time

from studio.messages import Float64
from studio.runtime.component import (
    Component,
    InPort,
    OutPort,
    ProvidedService,
    RequiredService,
    ServiceError,
)


class Doubler(Component):
    """Provides a service, and publishes each request it serves."""

    raw = InPort(Float64)
    double = ProvidedService(Float64, Float64)
    served = OutPort(Float64)

    def on_activate(self) -> None:
        self.offset = 0.0

    def on_raw(self, message: Float64) -> None:
        self.offset = message.data

    def serve_double(self, request: Float64) -> Float64:
        if request.data < 0:
            raise ValueError("only what is positive")
        self.served.publish(request)
        return Float64(2 * request.data + self.offset)


class Caller(Component):
    """Calls a service inside its handler."""

    raw = InPort(Float64)
    ask = RequiredService(Float64, Float64)
    out = OutPort(Float64)

    def on_raw(self, message: Float64) -> None:
        self.out.publish(Float64(-1.0))
        self.out.publish(self.ask(message))


class CallerOfMore(Caller):
    """Asks for one more than it got."""

    def on_raw(self, message: Float64) -> None:
        super().on_raw(Float64(message.data + 1))


class CallerTwice(Caller):
    """Asks again, for nothing."""

    def on_raw(self, message: Float64) -> None:
        super().on_raw(message)
        self.ask(message)


class Silent(Caller):
    """Does not ask."""

    def on_raw(self, message: Float64) -> None:
        self.out.publish(Float64(-1.0))


class Tripler(Doubler):
    """Answers something else."""

    def serve_double(self, request: Float64) -> Float64:
        return Float64(super().serve_double(request).data + request.data)


class Sleepy(Doubler):
    """Takes its time with every second request."""

    def serve_double(self, request: Float64) -> Float64:
        if request.data % 2 == 0:
            time.sleep(0.3)
        return Float64(2 * request.data)


class Hasty(Caller):
    """Does not wait for long."""

    def on_raw(self, message: Float64) -> None:
        try:
            patience_s = 0.05 if message.data % 2 == 0 else 10.0
            self.out.publish(self.ask(message, deadline_s=patience_s))
        except ServiceError:
            self.out.publish(Float64(-1.0))


class Circle(Component):
    """Serves by calling another: two of them, wired to each other, go in a circle."""

    raw = InPort(Float64)
    ask = RequiredService(Float64, Float64)
    answer = ProvidedService(Float64, Float64)
    out = OutPort(Float64)

    def on_raw(self, message: Float64) -> None:
        self.out.publish(self.ask(message))

    def serve_answer(self, request: Float64) -> Float64:
        return self.ask(request)
