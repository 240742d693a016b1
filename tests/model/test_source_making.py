"""A component becomes a source, and a source gets further providers: each is one edit that can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.model.changes import ModelError
from studio.model.document import SystemDocument
from studio.model.parts import Endpoint
from studio.model.source_making import MakeSource, Offer, RemoveProvider, SetProviderParameters, offers_for
from studio.model.sources import LiveProvider, explain_differences
from studio.model.spec import PortSpec
from studio.model.system_check import check
from tests.model.examples import MESSAGE_TYPES, PROFILES

SYSTEM = b"""<?xml version="1.0" encoding="UTF-8"?>
<system name="rover" version="1">
  <component name="laser" type="sick_lms200"/>
  <component name="map" type="terrain_map"/>
  <component name="vehicle" type="serial_vehicle"/>
  <component name="filter" type="low_pass"/>
  <wire from="laser.ranges" to="map.ranges"/>
  <wire from="vehicle.angle" to="filter.raw"/>
</system>
"""


@pytest.fixture
def document(tmp_path: Path) -> SystemDocument:
    (tmp_path / "system.xml").write_bytes(SYSTEM)
    return SystemDocument.load(tmp_path)


def ports(type_name: str) -> tuple[PortSpec, ...]:
    spec = PROFILES.get(type_name)
    assert spec is not None
    return spec.ports


def offer(document: SystemDocument, source: str, type_name: str) -> Offer:
    found = offers_for(document.system.source(source), "simulated", PROFILES)
    return next(each for each in found if each.spec.type == type_name)


def test_a_component_becomes_the_provider_of_a_source_that_has_its_name_and_wires(document: SystemDocument) -> None:
    before = document.texts()
    document.do(MakeSource("laser", "real", ports("sick_lms200")))
    source = document.system.source("laser")
    assert source.mode == "real" and [port.name for port in source.ports] == ["ranges"]
    assert isinstance(source.real, LiveProvider)
    assert source.real.binds == {"ranges": Endpoint("laser_real", "ranges")}
    assert [str(wire) for wire in document.system.wires_of("laser")] == ["laser.ranges → map.ranges"]
    assert [node.name for node in document.system.nodes] == ["laser", "map", "vehicle", "filter"]
    assert explain_differences(source, PROFILES) == []
    assert [p.message for p in check(document.system, PROFILES, MESSAGE_TYPES) if p.subject.startswith("laser")] == []
    document.save()
    again = SystemDocument.load(document.folder).system
    assert again.source("laser") == source and list(again.wires) == list(document.system.wires)
    document.undo()
    assert document.texts() == before


def test_what_sends_nothing_or_has_services_is_no_source(document: SystemDocument) -> None:
    with pytest.raises(ModelError, match="sends nothing"):
        document.do(MakeSource("map", "real", ()))
    with pytest.raises(ModelError, match="a log is not a component"):
        document.do(MakeSource("laser", "logged", ports("sick_lms200")))


def test_types_that_have_the_ports_are_offered_and_bound(document: SystemDocument) -> None:
    document.do(MakeSource("laser", "real", ports("sick_lms200")))
    found = offers_for(document.system.source("laser"), "simulated", PROFILES)
    assert [each.spec.type for each in found] == ["sick_lms200", "simulator"]
    source = document.system.source("laser")
    document.do(offer(document, "laser", "simulator").edit(document.system, source, "simulated"))
    source = document.system.source("laser")
    assert source.modes == ("real", "simulated") and explain_differences(source, PROFILES) == []
    assert source.simulated is not None and source.simulated.binds["ranges"] == Endpoint("simulator", "laser")


def test_an_offer_says_what_it_has_nothing_for(document: SystemDocument) -> None:
    document.do(MakeSource("vehicle", "real", ports("serial_vehicle")))
    assert offer(document, "vehicle", "simulator").missing == ()
    assert offer(document, "vehicle", "low_pass").missing == ("command",)


def test_a_provider_is_removed_unless_it_is_the_one_in_use(document: SystemDocument) -> None:
    document.do(MakeSource("laser", "real", ports("sick_lms200")))
    with pytest.raises(ModelError, match="laser is real now"):
        document.do(RemoveProvider("laser", "real"))
    source = document.system.source("laser")
    document.do(offer(document, "laser", "simulator").edit(document.system, source, "simulated"))
    document.do(RemoveProvider("laser", "simulated"))
    assert document.system.source("laser").modes == ("real",)
    with pytest.raises(ModelError, match="has no simulated provider"):
        document.do(RemoveProvider("laser", "simulated"))


def test_parameters_of_a_component_inside_a_source_are_set_and_reset(document: SystemDocument) -> None:
    document.do(MakeSource("filter", "simulated", ports("low_pass")))
    document.do(SetProviderParameters("filter", "simulated", "filter_simulated", {"cutoff_hz": 3.5}))
    provider = document.system.source("filter").simulated
    assert provider is not None and provider.components[0].parameters == {"cutoff_hz": "3.5"}
    document.do(SetProviderParameters("filter", "simulated", "filter_simulated", {"cutoff_hz": None}))
    provider = document.system.source("filter").simulated
    assert provider is not None and provider.components[0].parameters == {}
    with pytest.raises(ModelError, match="has no component nobody"):
        document.do(SetProviderParameters("filter", "simulated", "nobody", {"cutoff_hz": 1.0}))
