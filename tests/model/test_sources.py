"""Providers must be exchangeable; where one is not, the difference is told in words."""

from __future__ import annotations

from dataclasses import replace

from studio.model.parts import Component, Endpoint
from studio.model.sources import LiveProvider, LogProvider, Source, explain_differences, suggest_topics
from studio.model.spec import PortSpec
from tests.model.examples import PROFILES, example

PLATFORM = example().source("platform")
REAL, SIMULATED, LOGGED = PLATFORM.real, PLATFORM.simulated, PLATFORM.logged
assert REAL is not None and SIMULATED is not None and LOGGED is not None


def differences(source: Source) -> list[str]:
    return [f"{found.message} ({found.hint})" for found in explain_differences(source, PROFILES)]


def test_equal_providers_differ_in_nothing() -> None:
    assert differences(PLATFORM) == []


def test_a_lacking_port_is_told_with_who_has_it_and_what_could_be_bound() -> None:
    assert SIMULATED is not None
    poorer = replace(SIMULATED, binds={"drive": Endpoint("sim", "drive"), "laser": Endpoint("sim", "laser")})
    assert differences(replace(PLATFORM, simulated=poorer)) == [
        (
            "simulated lacks the out port of type Float64 platform.arm.joint; real uses vehicle.angle, "
            "logged uses topic /arm (bind it to sim.angle)"
        )
    ]


def test_a_wrong_type_is_told_with_both() -> None:
    ports = tuple(replace(port, type="Image") if port.name == "laser" else port for port in PLATFORM.ports)
    assert differences(replace(PLATFORM, ports=ports, simulated=None)) == [
        (
            "platform.laser is an out port of type Image, but real has sick.ranges behind it, "
            "which is an out port of type Range3d (all providers must offer the same ports with the same types)"
        )
    ]


def test_a_wrong_direction_is_told() -> None:
    assert REAL is not None
    binds = {**REAL.binds, "drive": Endpoint("vehicle", "angle"), "arm.joint": Endpoint("vehicle", "command")}
    found = differences(replace(PLATFORM, real=replace(REAL, binds=binds)))
    assert len(found) == 2
    assert "which is an in port of type Velocity" in found[0]


def test_binds_to_nothing_are_told() -> None:
    assert REAL is not None
    binds = {**REAL.binds, "laser": Endpoint("sik", "ranges"), "drive": Endpoint("vehicle", "comand")}
    assert differences(replace(PLATFORM, real=replace(REAL, binds=binds))) == [
        "real binds laser to sik.ranges, but has no component sik (did you mean sick?)",
        "real binds drive to vehicle.comand, but serial_vehicle has no such port (did you mean command?)",
    ]


def test_a_port_too_much_is_told() -> None:
    assert LOGGED is not None
    logged = replace(LOGGED, topics={**LOGGED.topics, "lasr": "/x"})
    assert differences(replace(PLATFORM, logged=logged)) == [
        "logged offers a port lasr that platform does not have (did you mean laser?)"
    ]


def test_one_port_stands_behind_one_port() -> None:
    source = Source(
        "two",
        "real",
        (PortSpec("left", "out", "Range3d"), PortSpec("right", "out", "Range3d")),
        real=LiveProvider(
            (Component("sick", "sick_lms200"),),
            {"left": Endpoint("sick", "ranges"), "right": Endpoint("sick", "ranges")},
        ),
    )
    assert differences(source) == [
        "real binds sick.ranges to both left and right (a port of the component serves only one port of the source)"
    ]


def test_a_log_has_a_name_and_fills_in_the_topics_itself() -> None:
    assert differences(replace(PLATFORM, logged=LogProvider("", {"laser": "/scan"}))) == [
        'platform has no log to play (e.g. log="logs/drive.mcap")'
    ]


def test_an_unknown_type_is_not_told_twice() -> None:
    assert REAL is not None
    components = (Component("sick", "not_installed"), REAL.components[1])
    assert differences(replace(PLATFORM, real=replace(REAL, components=components))) == []


def test_topics_of_a_log_are_suggested_by_type_and_name() -> None:
    source = Source(
        "robot",
        "logged",
        (
            PortSpec("front.laser", "out", "Range3d"),
            PortSpec("rear.laser", "out", "Range3d"),
            PortSpec("camera", "out", "Image"),
            PortSpec("pose", "out", "PoseTransform"),
            PortSpec("joint", "out", "Float64"),
            PortSpec("drive", "in", "Velocity"),
        ),
    )
    topics = {
        "/left/joint": "Float64",
        "/right/joint": "Float64",
        "/rear/laser/scan": "Range3d",
        "/front/laser/scan": "Range3d",
        "/cam0": "Image",
        "/cmd": "Velocity",
        "/odom_a": "PoseTransform",
        "/odom_b": "PoseTransform",
    }
    assert suggest_topics(source, topics) == {
        "front.laser": "/front/laser/scan",
        "rear.laser": "/rear/laser/scan",
        "camera": "/cam0",
    }
