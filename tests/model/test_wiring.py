"""What fits together, which topics there are, and what components run with."""

from __future__ import annotations

from dataclasses import replace

import pytest

from studio.model.parts import Component, Endpoint, Link, ServiceWire, Wire
from studio.model.sources import LiveProvider, Source
from studio.model.spec import Delivery, PortSpec, SpecError
from studio.model.wiring import (
    can_connect,
    effective_delivery,
    parameter_values,
    ports_of,
    producers_of,
    topics_of,
    why_no_link,
    why_no_service,
)
from tests.model.examples import PROFILES, example

REASONS = {
    ("platform.laser", "terrain.ranges"): "platform.laser is already wired to terrain.ranges",
    ("platform.laser", "filter.raw"): "platform.laser sends Range3d, but filter.raw takes Float64",
    ("filter.raw", "terrain.ranges"): "filter.raw is an in port; a wire starts at an out port",
    ("platform.laser", "terrain.terrain"): "terrain.terrain is an out port; a wire ends at an in port",
    ("filter.smoth", "filter.raw"): "filter (low_pass) has no out port smoth; did you mean smooth?",
    ("filter.smooth", "terain.ranges"): "there is no component or source terain; did you mean terrain?",
    ("platform.lasr", "terrain.ranges"): "platform has no out port lasr; did you mean laser?",
    ("sim.laser", "terrain.ranges"): ("sim is inside the source platform: connect to a port of platform instead"),
    ("mystery.x", "filter.raw"): "mystery (not_installed) has no out port x",
}


@pytest.mark.parametrize(("ends", "reason"), REASONS.items())
def test_what_does_not_fit_is_explained(ends: tuple[str, str], reason: str) -> None:
    start, end = map(Endpoint.parse, ends)
    assert can_connect(example(), PROFILES, start, end) == reason


def test_what_fits_has_no_reason() -> None:
    assert can_connect(example(), PROFILES, Endpoint("filter", "smooth"), Endpoint("filter", "raw")) is None


def test_services_fit_by_role_and_type() -> None:
    system = example()
    assert why_no_service(system, PROFILES, ServiceWire.between("planner.model", "server.model")) is None
    backwards = why_no_service(system, PROFILES, ServiceWire.between("server.model", "planner.model"))
    assert backwards == "server.model is a provided service; a service wire goes from a required to a provided one"
    missing = why_no_service(system, PROFILES, ServiceWire.between("planner.model", "server.modl"))
    assert missing == "server (model_server) has no provided service modl; did you mean model?"


LINKS = {
    ("filter.smooth", "planner.gain"): None,
    ("filter.cutoff_hz", "planner.gain"): None,
    ("filter.window", "planner.gain"): None,
    ("filter.smooth", "planner.label"): "filter.smooth sends Float64, which cannot set a string (planner.label)",
    ("planner.label", "planner.gain"): "planner.label is a string, but planner.gain a float",
    ("planner.gain", "filter.window"): "planner.gain is a float, but filter.window a int",
    ("planner.gain", "planner.gain"): "planner.gain cannot be linked to itself",
    ("filter.raw", "planner.gain"): "filter.raw is neither a parameter nor an out port",
    ("filter.smooth", "planner.gian"): "planner (planner) has no parameter gian; did you mean gain?",
    ("platform.arm.joint", "planner.gain"): None,
}


@pytest.mark.parametrize(("ends", "reason"), LINKS.items())
def test_links_end_at_parameters(ends: tuple[str, str], reason: str | None) -> None:
    assert why_no_link(example(), PROFILES, Link.between(*ends)) == reason


def test_a_wire_delivers_as_it_says_or_as_the_port_asks() -> None:
    system = example()
    deliveries = {str(wire): str(effective_delivery(system, PROFILES, wire)) for wire in system.wires}
    assert deliveries == {
        "platform.laser → terrain.ranges": "queue 5",
        "platform.arm.joint → filter.raw": "queue 3",
        "filter.smooth → mystery.input": "lossless",
        "planner.drive → platform.drive": "lossless",
    }
    system.replace_node(replace(system.source("platform"), mode="real"))
    assert effective_delivery(system, PROFILES, Wire.between("planner.drive", "platform.drive")) == Delivery("latest")


def test_topics_are_named_by_component_or_source() -> None:
    topics = {topic: kind for topic, kind, _ in topics_of(example(), PROFILES)}
    assert topics == {
        "/platform/laser": "Range3d",
        "/platform/arm.joint": "Float64",
        "/filter/smooth": "Float64",
        "/terrain/terrain": "Map",
        "/planner/drive": "Velocity",
    }


def test_an_unbound_port_inside_a_source_has_a_topic_of_its_own() -> None:
    system = example()
    sick = LiveProvider((Component("sick", "sick_lms200"),))
    system.add_node(Source("spare", "real", (PortSpec("x", "in", "Image"),), real=replace(sick, components=())))
    assert producers_of(system, PROFILES, "/sick/ranges") == {"real": [], "logged": [], "simulated": []}
    system.replace_node(replace(system.source("platform"), real=sick))
    assert producers_of(system, PROFILES, "/sick/ranges") == {
        "real": ["platform (sick)"],
        "logged": [],
        "simulated": [],
    }


def test_ports_of_an_unknown_type_are_none() -> None:
    assert ports_of(example(), PROFILES, "mystery") == ()


def test_values_are_defaults_then_the_set_then_settings() -> None:
    low_pass = PROFILES.get("low_pass")
    assert low_pass is not None
    assert parameter_values(Component("f", "low_pass"), low_pass) == {"cutoff_hz": 2.0, "window": 3}
    slow = Component("f", "low_pass", parameter_set="slow", parameters={"window": "7"})
    assert parameter_values(slow, low_pass) == {"cutoff_hz": 0.5, "window": 7}
    with pytest.raises(SpecError, match="no parameter set fast"):
        parameter_values(replace(slow, parameter_set="fast"), low_pass)
    with pytest.raises(SpecError, match=r"no parameter windw \(did you mean window"):
        parameter_values(replace(slow, parameters={"windw": "1"}), low_pass)
    with pytest.raises(SpecError, match="above its maximum"):
        parameter_values(replace(slow, parameters={"cutoff_hz": "1e9"}), low_pass)
