"""The rules of the graph, and what follows what."""

from __future__ import annotations

from dataclasses import replace

import pytest

from studio.model.changes import ModelError
from studio.model.parts import Component, Endpoint, Frame, Host, Link, Note, Place, Recording, ServiceWire, View, Wire
from studio.model.sources import LiveProvider, LogProvider, Source
from studio.model.spec import PortSpec
from studio.model.system import System
from tests.model.examples import example


def small() -> System:
    system = System("small")
    for name in ("a", "b", "c"):
        system.add_node(Component(name, "thing"))
    system.connect(Wire.between("a.out", "b.in"))
    return system


@pytest.mark.parametrize("name", ["", "2nd", "with space", "dot.ted", "ü", "a/b", "a\n", "x" * 10 + "-"])
def test_bad_names_are_refused(name: str) -> None:
    with pytest.raises(ModelError, match="cannot be a name of a component"):
        Component(name, "thing")


@pytest.mark.parametrize("period", [0.0, -1.0, float("inf"), float("nan")])
def test_a_period_is_above_zero(period: float) -> None:
    with pytest.raises(ModelError, match="period"):
        Component("a", "thing", period_s=period)


def test_text_that_no_file_can_hold_is_refused_at_once() -> None:
    for bad in ("\x00", "\x1b", "\ud800", "\uffff"):
        with pytest.raises(ModelError, match="cannot hold"):
            Component("a", "thing", parameters={"x": bad})
        with pytest.raises(ModelError, match="cannot hold"):
            Note("n", 0, 0, 1, 1, bad)


def test_places_are_finite() -> None:
    with pytest.raises(ModelError, match="finite"):
        Place("a", float("nan"), 0)
    with pytest.raises(ModelError, match="finite"):
        Frame("f", "", 0, 0, float("inf"), 0)
    with pytest.raises(ModelError, match="zoom"):
        View(0, 0, 0)


def test_components_and_sources_share_one_namespace() -> None:
    system = small()
    with pytest.raises(ModelError, match=r"the name a is taken \(e\.g\. a_2\)"):
        system.add_node(Source("a", "real"))


def test_components_inside_sources_have_names_of_their_own() -> None:
    system = small()
    with pytest.raises(ModelError, match="the name b is taken"):
        system.add_node(Source("s", "real", real=LiveProvider((Component("b", "thing"),))))
    both = LiveProvider((Component("driver", "thing"),))
    system.add_node(Source("s", "real", real=both, simulated=both))
    with pytest.raises(ModelError, match="the name driver is taken"):
        system.rename_node("a", "driver")
    with pytest.raises(ModelError, match="has its name"):
        system.rename_node("s", "driver")


def test_there_is_one_wire_between_two_ends() -> None:
    system = small()
    with pytest.raises(ModelError, match=r"there is already a wire from a\.out to b\.in"):
        system.connect(Wire.between("a.out", "b.in"))


def test_a_wire_needs_both_ends() -> None:
    system = small()
    with pytest.raises(ModelError, match="there is no component or source bb") as caught:
        system.connect(Wire.between("a.out", "bb.in"))
    assert "did you mean" in caught.value.hint or "known: a, b, c" in caught.value.hint


def test_cycles_are_allowed() -> None:
    system = small()
    system.connect(Wire.between("b.out", "a.in"))
    system.connect(Wire.between("c.out", "c.in"))
    assert len(system.wires) == 3
    assert [str(wire) for wire in system.wires_of("c")] == ["c.out → c.in"]


def test_a_service_is_answered_by_one_and_a_parameter_linked_to_one() -> None:
    system = small()
    system.connect(ServiceWire.between("a.ask", "b.answer"))
    with pytest.raises(ModelError, match=r"a\.ask is answered by b\.answer"):
        system.connect(ServiceWire.between("a.ask", "c.answer"))
    system.connect(ServiceWire.between("c.ask", "b.answer"))
    system.connect(Link.between("a.gain", "b.gain"))
    with pytest.raises(ModelError, match=r"b\.gain is linked to a\.gain"):
        system.connect(Link.between("c.gain", "b.gain"))
    system.reconnect(Link.between("a.gain", "b.gain"), Link.between("c.gain", "b.gain"))
    assert [str(link) for link in system.links] == ["c.gain → b.gain"]


def test_removing_takes_everything_connected_along() -> None:
    system = example()
    system.place("planner", 1, 2)
    system.remove_node("planner")
    assert not [wire for wire in system.wires if "planner" in (wire.start.node, wire.end.node)]
    assert not list(system.services)
    assert not list(system.links)
    assert "planner" not in system.layout.places


def test_renaming_is_followed_everywhere() -> None:
    system = example()
    system.place("platform", 1, 2)
    system.rename_node("platform", "robot")
    assert Endpoint("robot", "laser") in [wire.start for wire in system.wires]
    assert not system.connections_of("platform")
    assert system.layout.places["robot"].x == 1
    assert system.recording == Recording(("/robot/*",), ("/robot/arm.joint",))
    assert next(iter(system.nodes)).name == "robot"


def test_renaming_to_itself_is_nothing() -> None:
    system = small()
    with system.transaction() as changes:
        system.rename_node("a", "a")
    assert changes == []


def test_renaming_a_port_of_a_source_is_followed() -> None:
    system = example()
    system.rename_source_port("platform", "arm.joint", "elbow")
    source = system.source("platform")
    assert source.port("elbow") is not None
    assert source.real is not None
    assert source.real.binds["elbow"] == Endpoint("vehicle", "angle")
    assert source.logged is not None
    assert source.logged.topics["elbow"] == "/arm"
    assert Endpoint("platform", "elbow") in [wire.start for wire in system.wires]


def test_removing_a_host_sets_its_components_free() -> None:
    system = example()
    system.remove_host("signals")
    assert system.component("filter").host == ""


def test_renaming_a_host_is_followed() -> None:
    system = example()
    system.rename_host("signals", "fast")
    assert system.component("filter").host == "fast"
    assert "fast" in system.hosts


def test_a_failing_transaction_leaves_no_trace() -> None:
    system = small()
    before = (list(system.nodes), list(system.wires), system.connections_of("a"))
    with pytest.raises(ModelError), system.transaction():
        system.remove_node("b")
        system.rename_node("a", "z")
        system.rename_node("z", "c")
    assert (list(system.nodes), list(system.wires), system.connections_of("a")) == before


def test_a_component_cannot_become_a_source() -> None:
    with pytest.raises(ModelError, match="between component and source"):
        small().replace_node(Source("a", "real"))


def test_a_log_is_no_live_provider() -> None:
    with pytest.raises(ModelError, match="cannot be the real provider"):
        Source("s", "real").with_provider("real", LogProvider("x.mcap"))


def test_two_ports_of_a_source_have_two_names() -> None:
    with pytest.raises(ModelError, match="two ports called laser"):
        Source("s", "real", (PortSpec("laser", "out", "Image"), PortSpec("laser", "in", "Image")))


def test_free_names_count_up() -> None:
    system = small()
    assert system.free_name("d") == "d"
    assert system.free_name("a") == "a_2"
    system.add_node(Component("a_2", "thing"))
    assert system.free_name("a_2") == "a_3"


def test_order_is_kept_by_every_change() -> None:
    system = small()
    system.move_node("c", 0)
    system.add_node(Component("d", "thing"), 1)
    system.replace_node(replace(system.component("a"), type="other"))
    system.rename_node("a", "e")
    assert [node.name for node in system.nodes] == ["c", "d", "e", "b"]


def test_hosts_have_one_name_each() -> None:
    system = System()
    system.add_host(Host("h"))
    with pytest.raises(ModelError, match="there is already a host h"):
        system.add_host(Host("h"))
