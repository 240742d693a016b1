"""Whether sensors did in the field what their bodies say that they can: rates, ranges, fields of view, frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from studio.errors import Problem
from studio.model.close_matches import did_you_mean
from studio.model.geometry.assembly import Model
from studio.model.geometry.sensors import Sensor

RATE_SHARE = 0.2
"""A sensor that runs free is a little off; half the rate is a setting."""
RANGE_SHARE = 0.01
FOV_DEG = 1.0


@dataclass
class Measured:
    """What a log says about one topic."""

    topic: str
    frames: set[str] = field(default_factory=set)
    rate_hz: float | None = None
    nearest_m: float | None = None
    farthest_m: float | None = None
    span_deg: float | None = None
    """The angle about z from the rightmost to the leftmost point, seen along x."""


def check_measured(model: Model, found: Iterable[Measured], file: str) -> list[Problem]:
    topics = list(found)
    return [*_topics(model, topics, file), *_silent(model, topics, file)]


def _topics(model: Model, topics: list[Measured], file: str) -> Iterator[Problem]:
    for each in topics:
        for frame in sorted(each.frames):
            if ":" in frame and (why := _unknown(model, frame)):
                message = f"events of {each.topic} are in the frame {frame}: {why}"
                yield Problem(message, "error", file, None, _hint(model, frame), each.topic)
        for name, sensor in _sensors_of(model, each):
            for message in _contradictions(name, sensor, each):
                yield Problem(message, "error", file, None, "correct the body, or the sensor's settings", name)


def _contradictions(name: str, sensor: Sensor, each: Measured) -> Iterator[str]:
    values = sensor.values()
    rate, most, least, fov = (values.get(key) for key in ("rate_hz", "range_max_m", "range_min_m", "fov_deg"))
    if rate and each.rate_hz is not None and abs(each.rate_hz - rate) > RATE_SHARE * rate:
        yield f"{name}: rate_hz is {rate:g} in the model, {each.rate_hz:.4g} in the log ({each.topic})"
    if most is not None and each.farthest_m is not None and each.farthest_m > most * (1 + RANGE_SHARE):
        yield f"{name}: range_max_m is {most:g} in the model, {each.farthest_m:.4g} m were measured ({each.topic})"
    if least is not None and each.nearest_m is not None and each.nearest_m < least * (1 - RANGE_SHARE):
        yield f"{name}: range_min_m is {least:g} in the model, {each.nearest_m:.4g} m were measured ({each.topic})"
    if fov is not None and each.span_deg is not None and each.span_deg > fov + FOV_DEG:
        yield f"{name}: fov_deg is {fov:g} in the model, points span {each.span_deg:.4g} degrees ({each.topic})"


def _silent(model: Model, topics: list[Measured], file: str) -> Iterator[Problem]:
    heard = [each.topic for each in topics]
    for name, sensor, _ in _all_sensors(model):
        if sensor.topic and sensor.topic not in heard:
            message = f"{name} should be heard on {sensor.topic}, which is not in the log"
            yield Problem(message, "warning", file, None, did_you_mean(sensor.topic, heard), name)


def _sensors_of(model: Model, each: Measured) -> Iterator[tuple[str, Sensor]]:
    """By topic, or by the frame that the events are in."""
    for name, sensor, frame in _all_sensors(model):
        if sensor.topic == each.topic or (not sensor.topic and frame in each.frames):
            yield name, sensor


def _all_sensors(model: Model) -> Iterator[tuple[str, Sensor, str]]:
    for name, body in model.bodies.items():
        for sensor in body.sensors:
            yield f"{name}.{sensor.name}", sensor, f"{name}:{sensor.frame}"


def _unknown(model: Model, name: str) -> str:
    body, _, frame = name.partition(":")
    if body not in model.bodies:
        return f"the model has no body {body}"
    return "" if any(each.name == frame for each in model.bodies[body].frames) else f"{body} has no such frame"


def _hint(model: Model, name: str) -> str:
    return did_you_mean(name, [f"{body}:{frame.name}" for body, each in model.bodies.items() for frame in each.frames])
