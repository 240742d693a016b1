from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from studio.model.spec import CommandEntry, ComponentSpec, Delivery, ParameterSpec, PortSpec, ServicePortSpec
from studio.model.system import System
from studio.model.system_xml import read_system
from studio.runtime.plan.plan import Inlet, ParameterLink, Plan
from studio.runtime.plan.planning import PlanError, plan_of
from studio.runtime.server.snapshot import inputs_of
from studio.runtime.wire.frames import Origin
from tests.model.examples import PROFILES, Profiles, example, port, spec

VEHICLE = """
  <source name="platform" mode="{mode}">
    <port name="laser" direction="out" type="Range3d"/>
    <port name="drive" direction="in" type="Velocity"/>
    <real>
      <component name="sick" type="sick_lms200"/> <component name="vehicle" type="serial_vehicle"/>
      <bind port="laser" to="sick.ranges"/> <bind port="drive" to="vehicle.command"/>
    </real>
    <simulated>
      <component name="sim" type="simulator" mode="periodic" period_s="0.02"/>
      <bind port="laser" to="sim.laser"/> <bind port="drive" to="sim.drive"/>
    </simulated>
    <logged log="a.mcap"><bind port="laser" topic="/scan"/></logged>
  </source>
"""
DRIVING = (
    VEHICLE
    + """
  <component name="terrain" type="terrain_map"/>
  <component name="brake" type="brake"/>
  <component name="clock" type="low_pass"/>
  <wire from="platform.laser" to="terrain.ranges"/>
  <wire from="terrain.terrain" to="brake.terrain"/>
  <wire from="brake.drive" to="platform.drive"/>
"""
)
BRAKE = spec("brake", port("terrain", "in", "Map"), port("drive", "out", "Velocity"))
KNOWN = Profiles(*(each for name in PROFILES.types() if (each := PROFILES.get(name))), BRAKE)


def system(text: str, mode: str = "real") -> System:
    return read_system(f'<system name="s">{text.replace("{mode}", mode)}</system>'.encode(), "system.xml")


def planned(text: str, mode: str = "real") -> Plan:
    return plan_of(system(text, mode), KNOWN)


# Sources.


def test_the_chosen_provider_runs_and_the_others_do_not() -> None:
    assert list(planned(DRIVING, "real").by_name) == ["sick", "vehicle", "terrain", "brake", "clock"]
    assert list(planned(DRIVING, "simulated").by_name) == ["sim", "terrain", "brake", "clock"]
    assert list(planned(DRIVING, "logged").by_name) == ["terrain", "brake", "clock"]


def test_topics_of_a_source_are_the_same_whoever_provides_them() -> None:
    real, simulated = planned(DRIVING, "real"), planned(DRIVING, "simulated")
    assert real.by_name["sick"].outlets == {"ranges": "/platform/laser"}
    assert simulated.by_name["sim"].outlets == {"laser": "/platform/laser", "angle": "/sim/angle"}
    for plan in (real, simulated, planned(DRIVING, "logged")):
        assert plan.by_name["terrain"].inlets == (Inlet("ranges", "/platform/laser"),)


def test_what_goes_into_a_source_reaches_the_component_behind_it() -> None:
    assert planned(DRIVING, "real").by_name["vehicle"].inlets == (Inlet("command", "/brake/drive", "latest"),)
    assert planned(DRIVING, "simulated").by_name["sim"].inlets == (Inlet("drive", "/brake/drive"),)
    assert planned(DRIVING, "real").by_name["sick"].inlets == ()


def test_an_unbound_port_inside_a_source_keeps_its_own_name() -> None:
    """As `studio info` and the check of producers tell it."""
    assert planned(DRIVING, "real").by_name["vehicle"].outlets == {"angle": "/vehicle/angle"}


def test_a_source_without_the_chosen_provider_is_refused() -> None:
    text = VEHICLE.replace('<logged log="a.mcap"><bind port="laser" topic="/scan"/></logged>', "")
    with pytest.raises(PlanError, match=r"platform has no logged provider \(it has: real, simulated\)"):
        planned(text, "logged")


# Origins.


@pytest.mark.parametrize(
    ("mode", "origin"), [("real", Origin.REAL), ("simulated", Origin.SIMULATED), ("logged", Origin.LOGGED)]
)
def test_everything_downstream_of_a_source_has_its_origin(mode: str, origin: Origin) -> None:
    plan = planned(DRIVING, mode)
    assert {plan.by_name[name].origin for name in ("terrain", "brake")} == {origin}
    assert plan.by_name["clock"].origin == Origin.REAL


TWO = """
  <source name="left" mode="simulated"><port name="light" direction="out" type="Float64"/>
    <simulated><component name="sim" type="lamp"/><bind port="light" to="sim.light"/></simulated></source>
  <source name="right" mode="logged"><port name="light" direction="out" type="Float64"/>
    <logged log="a.mcap"><bind port="light" topic="/light"/></logged></source>
  <component name="one" type="mixer"/> <component name="both" type="mixer"/> <component name="next" type="mixer"/>
  <wire from="left.light" to="one.a"/>
  <wire from="left.light" to="both.a"/> <wire from="right.light" to="both.b"/>
  <wire from="both.out" to="next.a"/>
"""
MIXERS = Profiles(
    spec("lamp", port("light", "out", "Float64")),
    spec(
        "mixer",
        port("a", "in", "Float64"),
        port("b", "in", "Float64"),
        port("out", "out", "Float64"),
        services=[
            ServicePortSpec("ask", "required", "Float64", "Float64"),
            ServicePortSpec("tell", "provided", "Float64", "Float64"),
        ],
    ),
)


def origins(text: str) -> dict[str, int]:
    return {component.name: component.origin for component in plan_of(system(text), MIXERS).components}


def test_the_least_trusted_origin_upstream_counts() -> None:
    assert origins(TWO) == {
        "sim": Origin.SIMULATED, "one": Origin.SIMULATED, "both": Origin.LOGGED, "next": Origin.LOGGED,
    }  # fmt: skip


def test_origins_go_round_a_loop_and_end() -> None:
    looped = origins(TWO + '<wire from="next.out" to="one.b"/><wire from="one.out" to="both.a"/>')
    assert looped["one"] == Origin.LOGGED


def test_what_goes_through_a_service_has_an_origin_too() -> None:
    """A reply is data for the caller, a request is data for the provider."""
    more = '<component name="x" type="mixer"/><component name="y" type="mixer"/>'
    told = origins(TWO + more + '<service from="x.ask" to="next.tell"/><service from="next.ask" to="y.tell"/>')
    assert (told["x"], told["y"]) == (Origin.LOGGED, Origin.LOGGED)


# Hosts and places.


def test_a_component_has_a_process_of_its_own_unless_it_names_a_host() -> None:
    plan = planned("""<host name="h"/>
      <component name="a" type="low_pass" host="h"/> <component name="b" type="low_pass"/>
      <component name="c" type="low_pass" host="h"/>""")
    assert {component.name: component.host for component in plan.components} == {"a": "h", "b": "b", "c": "h"}
    assert plan.hosts == {"h": 0, "b": 1}
    assert [component.name for component in plan.on_host("h")] == ["a", "c"]


def test_a_shared_host_with_the_name_of_a_component_does_not_take_it_in() -> None:
    plan = planned(
        '<host name="a"/><component name="a" type="low_pass"/><component name="b" type="low_pass" host="a"/>'
    )
    assert {component.name: component.host for component in plan.components} == {"a": "a_alone", "b": "a"}


def test_places_follow_the_file_through_sources() -> None:
    plan = planned('<component name="early" type="low_pass"/>' + DRIVING, "real")
    names = [component.name for component in sorted(plan.components, key=lambda each: each.place)]
    assert names == ["early", "sick", "vehicle", "terrain", "brake", "clock"]
    assert [component.place for component in plan.components] == list(range(6))


# Deliveries.


def test_a_wire_overrides_the_delivery_that_the_port_asks_for() -> None:
    plan = planned("""<component name="a" type="low_pass"/><component name="b" type="low_pass"/>
      <component name="c" type="low_pass"/>
      <wire from="a.smooth" to="b.raw"/> <wire from="a.smooth" to="c.raw" delivery="latest"/>""")
    assert plan.by_name["b"].inlets == (Inlet("raw", "/a/smooth", "queue 3"),)
    assert plan.by_name["c"].inlets == (Inlet("raw", "/a/smooth", "latest"),)
    assert plan.by_name["c"].inlets[0].parsed() == Delivery("latest")


def test_a_port_takes_many_wires_in_the_order_of_the_file() -> None:
    plan = planned("""<component name="a" type="low_pass"/><component name="b" type="low_pass"/>
      <wire from="b.smooth" to="a.raw"/> <wire from="a.smooth" to="a.raw"/>""")
    assert [inlet.topic for inlet in plan.by_name["a"].inlets] == ["/b/smooth", "/a/smooth"]
    assert inputs_of(plan.by_name["a"]) == {"raw": ["/b/smooth", "/a/smooth"]}, "a snapshot tells all of them"


# Parameters and activation.


def test_parameters_are_defaults_then_the_set_then_the_components_own() -> None:
    plan = planned("""<component name="plain" type="low_pass"/>
      <component name="slow" type="low_pass" parameters="slow"/>
      <component name="own" type="low_pass" parameters="slow"><parameter name="cutoff_hz" value="7"/></component>""")
    assert plan.by_name["plain"].parameters == {"cutoff_hz": 2.0, "window": 3}
    assert plan.by_name["slow"].parameters == {"cutoff_hz": 0.5, "window": 3}
    assert plan.by_name["own"].parameters == {"cutoff_hz": 7.0, "window": 3}


IN_A_CIRCLE = """<component name="f" type="low_pass"/><component name="g" type="low_pass"/>
  <link from="f.cutoff_hz" to="g.cutoff_hz"/><link from="g.cutoff_hz" to="f.cutoff_hz"/>"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('<component name="f" type="low_pass" parameters="fast"/>', "f: low_pass has no parameter set fast"),
        ('<component name="f" type="low_pass"><parameter name="gain" value="1"/></component>', "no parameter gain"),
        ('<component name="f" type="low_pass"><parameter name="cutoff_hz" value="-1"/></component>', "f: cutoff_hz"),
        ('<component name="f" type="hi_pass"/>', "f is of unknown type hi_pass"),
        (IN_A_CIRCLE, "links go in a circle"),
    ],
)
def test_what_cannot_run_is_refused_by_name(text: str, told: str) -> None:
    with pytest.raises(PlanError, match=told):
        planned(text)


def test_a_link_from_an_output_is_like_a_wire_and_one_from_a_parameter_like_a_command() -> None:
    plan = planned("""<component name="a" type="low_pass"><parameter name="cutoff_hz" value="7"/></component>
      <component name="b" type="low_pass"/><component name="c" type="low_pass"/><component name="d" type="low_pass"/>
      <link from="b.cutoff_hz" to="c.cutoff_hz"/><link from="a.cutoff_hz" to="b.cutoff_hz"/>
      <link from="a.smooth" to="d.cutoff_hz"/>""")
    assert plan.by_name["d"].links == (ParameterLink("cutoff_hz", "/a/smooth", "Float64"),)
    assert [component.name for component in plan.receivers["/a/smooth"]] == ["d"]
    assert [plan.by_name[name].parameters["cutoff_hz"] for name in "abcd"] == [7.0, 7.0, 7.0, 2.0]
    command = {"do": "set", "name": "cutoff_hz", "value": 3.0}
    assert plan.linked("a", command) == [("a", command), ("b", command), ("c", command)]
    assert plan.linked("a", {"do": "activate"}) == [("a", {"do": "activate"})]


def test_activation_and_period_come_from_the_file_or_else_from_the_profile() -> None:
    profiles = Profiles(replace(BRAKE, activations=("periodic", "event"), period_s=0.25))
    text = """<component name="a" type="brake"/><component name="b" type="brake" mode="event"/>
      <component name="c" type="brake" period_s="0.001"/>"""
    plan = plan_of(system(text), profiles)
    told = {component.name: (component.activation, component.period_ns) for component in plan.components}
    assert told == {"a": ("periodic", 250_000_000), "b": ("event", 250_000_000), "c": ("periodic", 1_000_000)}


# Services, entries and the rest.


def test_a_required_service_knows_who_answers() -> None:
    plan = planned("""<component name="p" type="planner"/><component name="s" type="model_server"/>
      <component name="q" type="planner"/><service from="p.model" to="s.model"/>""")
    assert plan.by_name["p"].requires == {"model": ("s", "model")}
    assert plan.by_name["q"].requires == {}


def test_entries_name_a_class_or_a_command_line(tmp_path: Path) -> None:
    program = ComponentSpec("tool", "processor", CommandEntry(("./tool", "--name", "two words")), folder=tmp_path)
    plan = plan_of(
        system('<component name="t" type="tool"/><component name="b" type="brake"/>'), Profiles(program, BRAKE)
    )
    assert (plan.by_name["t"].command, plan.by_name["t"].folder) == (True, str(tmp_path))
    assert plan.by_name["t"].entry == "./tool --name 'two words'"
    assert (plan.by_name["b"].command, plan.by_name["b"].entry) == (False, "brake:Thing")


def test_a_plan_survives_its_file(tmp_path: Path) -> None:
    points = ComponentSpec(
        "points", "sensor", BRAKE.entry, (PortSpec("out", "out", "Map"),),
        parameters=(ParameterSpec("where", "floats", (1.0, 2.5)),),
    )  # fmt: skip
    plan = plan_of(system('<component name="p" type="points"/>'), Profiles(points), project=tmp_path, seed=7)
    plan.save(tmp_path / "plan.json")
    assert Plan.load(tmp_path / "plan.json") == plan
    assert (plan.seed, plan.project) == (7, str(tmp_path))


def test_the_example_of_the_model_can_be_planned_but_for_what_is_unknown() -> None:
    whole = example()
    with pytest.raises(PlanError, match="mystery is of unknown type not_installed"):
        plan_of(whole, PROFILES)
    whole.remove_node("mystery")
    plan = plan_of(whole, PROFILES)
    assert plan.by_name["filter"].inlets == (Inlet("raw", "/platform/arm.joint", "queue 3"),)
    assert plan.by_name["sim"].outlets == {"laser": "/platform/laser", "angle": "/platform/arm.joint"}
