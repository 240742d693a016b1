"""RTSystemEditor's RtsProfile: there and back, from elsewhere, and what is told of that which has no place."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.model.files import FileError
from studio.model.loaded_project import LoadedProject, open_project
from studio.model.parts import Component
from studio.model.registry import Registry
from studio.model.rts_export import to_rts_profile
from studio.model.rts_import import read_rts_profile
from studio.model.system import System
from studio.model.system_xml import write_system

PROJECTS = Path(__file__).resolve().parents[2] / "projects"

FOREIGN = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<rts:RtsProfile rts:id="RTSystem:Lab:Arm Test:0.3" rts:version="0.2" rts:abstract="An arm."
    xmlns:rts="http://www.openrtp.org/namespaces/rts" xmlns:rtsExt="http://www.openrtp.org/namespaces/rts_ext">
  <rts:Components rts:instanceName="SignalSource0" rts:pathUri="host/SignalSource0.rtc" rts:compositeType="None"
      rts:id="RTC:Lab:Test:SignalSource:1.0" rts:activeConfigurationSet="fast">
    <rts:DataPorts rts:name="SignalSource0.value"/>
    <rts:ConfigurationSets rts:id="fast">
      <rts:ConfigurationData rts:name="frequency_hz" rts:data="7.5"/>
      <rts:ConfigurationData rts:name="amplitude" rts:data="-3"/>
      <rts:ConfigurationData rts:name="colour" rts:data="red"/>
    </rts:ConfigurationSets>
    <rts:ConfigurationSets rts:id="slow"/>
    <rts:ConfigurationSets rts:id="__widget__"/>
    <rts:ExecutionContexts rts:id="0" rts:kind="PeriodicExecutionContext" rts:rate="50.0"/>
    <rtsExt:Location rtsExt:x="93" rtsExt:y="12" rtsExt:width="-1" rtsExt:height="-1" rtsExt:direction="RIGHT"/>
  </rts:Components>
  <rts:Components rts:instanceName="LowPass0" rts:id="RTC:Lab:Test:LowPass:1.0" rts:compositeType="None">
    <rts:ExecutionContexts rts:id="0" rts:kind="PERIODIC" rts:rate="1000.0"/>
  </rts:Components>
  <rts:Components rts:instanceName="Gripper0" rts:id="RTC:Lab:Arm:GripperHand:1.0" rts:compositeType="PeriodicECShared">
    <rts:ConfigurationSets rts:id="default">
      <rts:ConfigurationData rts:name="force" rts:data="2"/>
    </rts:ConfigurationSets>
  </rts:Components>
  <rts:DataPortConnectors rts:name="turned_round" rts:dataType="RTC::TimedDouble" rts:subscriptionType="new">
    <rts:sourceDataPort rts:portName="LowPass0.raw" rts:instanceName="LowPass0"/>
    <rts:targetDataPort rts:portName="SignalSource0.value" rts:instanceName="SignalSource0"/>
  </rts:DataPortConnectors>
  <rts:DataPortConnectors rts:name="to_nowhere">
    <rts:sourceDataPort rts:portName="smooth" rts:instanceName="LowPass0"/>
    <rts:targetDataPort rts:portName="in" rts:instanceName="Gone0"/>
  </rts:DataPortConnectors>
  <rts:DataPortConnectors rts:name="by_short_name">
    <rts:sourceDataPort rts:portName="smooth" rts:instanceName="LowPass0"/>
    <rts:targetDataPort rts:portName="close to" rts:instanceName="Gripper0"/>
  </rts:DataPortConnectors>
  <rts:StartUp/>
</rts:RtsProfile>
"""


@pytest.fixture(scope="module")
def first_steps() -> LoadedProject:
    return open_project(PROJECTS / "first_steps")


@pytest.mark.parametrize("name", ["first_steps", "coroba_patterns", "real_bench", "carmen_mapping"])
def test_what_goes_there_comes_back(name: str) -> None:
    opened = open_project(PROJECTS / name)
    made = to_rts_profile(opened.system, opened.registry)
    assert made.data == to_rts_profile(opened.system, opened.registry).data, "the same system, the same bytes"
    back = read_rts_profile(made.data, opened.registry)
    assert back.not_mapped == []
    assert (back.system.name, back.system.doc) == (opened.system.name, opened.system.doc)
    for component in opened.system.components:
        found = back.system.component(component.name)
        same = (component.type, component.host, component.parameter_set, dict(component.parameters))
        assert (found.type, found.host, found.parameter_set, dict(found.parameters)) == same
    own = {component.name for component in opened.system.components}
    wires = {(w.start, w.end) for w in opened.system.wires if {w.start.node, w.end.node} <= own}
    assert wires <= {(w.start, w.end) for w in back.system.wires}
    again = to_rts_profile(back.system, opened.registry)
    assert to_rts_profile(read_rts_profile(again.data, opened.registry).system, opened.registry).data == again.data


def test_what_has_no_place_there_is_listed(first_steps: LoadedProject) -> None:
    bench = open_project(PROJECTS / "real_bench")
    told = {each.what: each.why for each in to_rts_profile(bench.system, bench.registry).not_mapped}
    assert "only its real provider is exported" in told["source sick"]
    assert [each.what for each in to_rts_profile(first_steps.system, first_steps.registry).not_mapped] == ["recording"]


def test_a_profile_from_elsewhere_becomes_a_system(first_steps: LoadedProject) -> None:
    found = read_rts_profile(FOREIGN.encode(), first_steps.registry)
    system = found.system
    assert (system.name, system.doc) == ("Arm_Test", "An arm.")
    sets = {"fast": {"frequency_hz": "7.5"}}
    signal = Component("SignalSource0", "signal_source", period_s=0.02, parameter_set="fast", parameter_sets=sets)
    assert list(system.components) == [
        signal, Component("LowPass0", "low_pass"), Component("Gripper0", "gripper_hand", parameters={"force": "2"}),
    ]  # fmt: skip
    assert [(str(wire.start), str(wire.end), str(wire.delivery)) for wire in system.wires] == [
        ("SignalSource0.value", "LowPass0.raw", "latest"), ("LowPass0.smooth", "Gripper0.close_to", "None"),
    ]  # fmt: skip
    place = system.layout.places["SignalSource0"]
    assert (place.x, place.y) == (93, 12)
    told = [(each.what, each.why) for each in found.not_mapped]
    for what, why in [
        ("SignalSource0.amplitude", "below its minimum"),
        ("SignalSource0.colour", "no such parameter"),
        ("LowPass0", "cannot run in mode periodic"),
        ("Gripper0", "no component of type gripper_hand"),
        ("Gripper0", "composite"),
        ("to_nowhere", "not in this profile"),
        ("StartUp", "start and stop together"),
    ]:
        assert any(name == what and why in reason for name, reason in told), (what, told)
    assert len(told) == 7
    write_system(system)


def test_sets_that_would_have_one_name_are_numbered(first_steps: LoadedProject) -> None:
    labels = ("very slow", "very-slow", "very_slow", "fast!")
    more = "".join(
        f'<rts:ConfigurationSets rts:id="{label}">'
        f'<rts:ConfigurationData rts:name="frequency_hz" rts:data="{number}"/></rts:ConfigurationSets>'
        for number, label in enumerate(labels, 1)
    )
    text = FOREIGN.replace('<rts:ConfigurationSets rts:id="slow"/>', more)
    text = text.replace('activeConfigurationSet="fast"', 'activeConfigurationSet="very-slow"')
    component = read_rts_profile(text.encode(), first_steps.registry).system.component("SignalSource0")
    assert {name: values["frequency_hz"] for name, values in component.parameter_sets.items()} == {
        "fast": "7.5", "very_slow": "1", "very_slow_2": "2", "very_slow_3": "3", "fast_2": "4",
    }  # fmt: skip
    assert component.parameter_set == "very_slow_2", "the one that is active there"


def test_a_set_does_not_hide_the_one_of_the_type_by_a_name_that_was_made(first_steps: LoadedProject) -> None:
    text = FOREIGN.replace(
        '<rts:ExecutionContexts rts:id="0" rts:kind="PERIODIC"',
        '<rts:ConfigurationSets rts:id="fast!"><rts:ConfigurationData rts:name="cutoff_hz" rts:data="3.5"/>'
        '</rts:ConfigurationSets><rts:ExecutionContexts rts:id="0" rts:kind="PERIODIC"',
    )
    component = read_rts_profile(text.encode(), first_steps.registry).system.component("LowPass0")
    assert component.parameter_sets == {"fast_2": {"cutoff_hz": "3.5"}}


def test_sets_of_a_component_are_configuration_sets(first_steps: LoadedProject) -> None:
    system = System("with_sets")
    sets = {"careful": {"cutoff_hz": "0.5"}, "slow": {"cutoff_hz": "0.1"}, "none_at_all": {}}
    system.add_node(Component("filter", "low_pass", parameter_set="careful", parameter_sets=sets))
    system.add_node(Component("other", "low_pass", parameter_set="fast", parameter_sets={"mine": {"cutoff_hz": "9.0"}}))
    back = read_rts_profile(to_rts_profile(system, first_steps.registry).data, first_steps.registry)
    assert back.not_mapped == []
    assert [back.system.component(name) for name in ("filter", "other")] == list(system.components)


PORT = """<rts:DataPorts rts:name="{0}">
      <rtsExt:Properties rtsExt:name="{2}" rtsExt:value="{1}"/></rts:DataPorts>"""
CONNECTOR = """<rts:DataPortConnectors rts:name="{0}_{1}">
    <rts:sourceDataPort rts:portName="{0}" rts:instanceName="{2}"/>
    <rts:targetDataPort rts:portName="{1}" rts:instanceName="{3}"/></rts:DataPortConnectors>"""


def unknown_parts(*connectors: str) -> bytes:
    """Two components of types that nobody has here, whose ports tell their directions."""
    parts = [
        ("Arm0", [("Arm0.pose", "DataOutPort", "port.port_type"), ("Arm0.goal", "DataInPort", "port.port_type")]),
        ("View0", [("View0.shown", "DataInPort", "port_type"), ("View0.clicked", "DataOutPort", "port_type")]),
    ]
    text = "".join(
        f'<rts:Components rts:instanceName="{name}" rts:id="RTC:Lab:Test:{name[:-1]}:1.0">'
        + "".join(PORT.format(*port) for port in ports)
        + "</rts:Components>"
        for name, ports in parts
    )
    head = FOREIGN[FOREIGN.index("<rts:RtsProfile") : FOREIGN.index("<rts:Components")]
    return (head + text + "".join(connectors) + "</rts:RtsProfile>").encode()


def test_the_direction_of_a_wire_is_that_of_its_ports(first_steps: LoadedProject) -> None:
    turned = CONNECTOR.format("View0.shown", "Arm0.pose", "View0", "Arm0")
    straight = CONNECTOR.format("View0.clicked", "Arm0.goal", "View0", "Arm0")
    found = read_rts_profile(unknown_parts(turned, straight), first_steps.registry)
    assert [(str(wire.start), str(wire.end)) for wire in found.system.wires] == [
        ("Arm0.pose", "View0.shown"), ("View0.clicked", "Arm0.goal"),
    ]  # fmt: skip


def test_a_wire_between_two_in_ports_is_told_and_left_out(first_steps: LoadedProject) -> None:
    found = read_rts_profile(
        unknown_parts(CONNECTOR.format("View0.shown", "Arm0.goal", "View0", "Arm0")), first_steps.registry
    )
    assert list(found.system.wires) == []
    assert "View0.shown and Arm0.goal are both in ports" in [each.why for each in found.not_mapped]


def placed(name: str, host: str, identity: str = "RTC:Lab:Test:Arm:1.0") -> str:
    return f'<rts:Components rts:instanceName="{name}" rts:pathUri="{host}/{name}.rtc" rts:id="{identity}"/>'


def end(role: str, port: str, host: str = "") -> str:
    path = f'<rtsExt:Properties rtsExt:name="COMPONENT_PATH_ID" rtsExt:value="{host}/Arm0.rtc"/>' if host else ""
    return f'<rts:{role}DataPort rts:portName="Arm0.{port}" rts:instanceName="Arm0">{path}</rts:{role}DataPort>'


def profile(*parts: str, identity: str = "RTSystem:Lab:Two:1.0") -> bytes:
    head = FOREIGN[FOREIGN.index("<rts:RtsProfile") : FOREIGN.index("<rts:Components")]
    head = head.replace("RTSystem:Lab:Arm Test:0.3", identity)
    return (head + "".join(parts) + "</rts:RtsProfile>").encode()


def test_components_of_one_name_on_two_name_servers_are_told_apart_by_their_paths(first_steps: LoadedProject) -> None:
    """As RTSystemEditor writes a system of two robots with the same components."""
    wire = '<rts:DataPortConnectors rts:name="across">' + end("source", "out", "b") + end("target", "in", "a")
    unclear = '<rts:DataPortConnectors rts:name="unclear">' + end("source", "out") + end("target", "in", "a")
    closing = "</rts:DataPortConnectors>"
    found = read_rts_profile(
        profile(placed("Arm0", "a"), placed("Arm0", "b"), wire + closing, unclear + closing), first_steps.registry
    )
    assert [component.name for component in found.system.components] == ["Arm0", "Arm0_2"]
    assert [(str(wire.start), str(wire.end)) for wire in found.system.wires] == [("Arm0_2.out", "Arm0.in")]
    told = {each.what: each.why for each in found.not_mapped}
    assert "several components have its name" in told["unclear"]


def test_names_that_cannot_stay_are_listed(first_steps: LoadedProject) -> None:
    found = read_rts_profile(profile(placed("Turtle-Io", "a")), first_steps.registry)
    assert ("Turtle-Io", "is called Turtle_Io here") in [(each.what, each.why) for each in found.not_mapped]


def test_ids_of_older_profiles_are_separated_by_dots(first_steps: LoadedProject) -> None:
    found = read_rts_profile(
        profile(placed("Low0", "a", "RTC:Lab.Test.LowPass:1.0.0"), identity="RTSystem:jp.lab.Old:0.1"),
        first_steps.registry,
    )
    assert (found.system.name, next(iter(found.system.components)).type) == ("Old", "low_pass")


def test_exported_ports_tell_their_direction(first_steps: LoadedProject) -> None:
    """So that another Studio without these components reads the same wires."""
    made = to_rts_profile(first_steps.system, first_steps.registry)
    turned = made.data.replace(b"sourceDataPort", b"x").replace(b"targetDataPort", b"sourceDataPort")
    nothing_known = Registry.scan([])
    back = read_rts_profile(turned.replace(b"rts:x", b"rts:targetDataPort"), nothing_known)
    own = {component.name for component in first_steps.system.components}
    wires = {(w.start, w.end) for w in first_steps.system.wires if {w.start.node, w.end.node} <= own}
    assert wires and wires <= {(w.start, w.end) for w in back.system.wires}


@pytest.mark.parametrize("text", ["<system/>", "<a", "", '<!DOCTYPE a [<!ENTITY b "c">]><a/>'])
def test_what_is_no_profile_is_refused(text: str, first_steps: LoadedProject) -> None:
    with pytest.raises(FileError):
        read_rts_profile(text.encode(), first_steps.registry)


PORTS = """<rts:RtsProfile rts:id="RTSystem:Lab:Test:1" rts:version="0.2"
    xmlns:rts="http://www.openrtp.org/namespaces/rts" xmlns:e="{space}">
  <rts:Components rts:instanceName="A0" rts:id="RTC:Lab:Test:A:1"><rts:DataPorts rts:name="A0.out">
    <e:Properties e:name="port.port_type" e:value="{out}"/></rts:DataPorts></rts:Components>
  <rts:Components rts:instanceName="B0" rts:id="RTC:Lab:Test:B:1"><rts:DataPorts rts:name="B0.in"/></rts:Components>
  <rts:DataPortConnectors rts:name="w"><rts:sourceDataPort rts:portName="B0.in" rts:instanceName="B0"/>
    <rts:targetDataPort rts:portName="A0.out" rts:instanceName="A0"/></rts:DataPortConnectors></rts:RtsProfile>"""


@pytest.mark.parametrize("space", ["http://www.openrtp.org/namespaces/rts_ext", "http://elsewhere.org/ext"])
@pytest.mark.parametrize("out", ["DataOutPort", "dataoutport"])
def test_port_types_count_in_any_name_space_and_case(space: str, out: str, first_steps: LoadedProject) -> None:
    found = read_rts_profile(PORTS.format(space=space, out=out).encode(), first_steps.registry)
    assert [(str(wire.start), str(wire.end)) for wire in found.system.wires] == [("A0.out", "B0.in")]
    assert not [each for each in found.not_mapped if each.what == "w"]


def test_a_wire_whose_direction_nothing_says_is_told(first_steps: LoadedProject) -> None:
    found = read_rts_profile(PORTS.format(space="x", out="CorbaPort").encode(), first_steps.registry)
    assert [str(each) for each in found.not_mapped if each.what == "w"] == [
        "w: no end is marked as the sender: B0.in is taken"
    ]
