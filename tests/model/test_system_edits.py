"""Every edit changes what it says, says so in its label, and goes back without a trace."""

from __future__ import annotations

import pytest

from studio.model.changes import ModelError
from studio.model.history import Edit, History
from studio.model.layout_edits import MoveNodes, PutFrame, PutNote, RemoveFrame, RemoveNote
from studio.model.layout_xml import read_layout, write_layout
from studio.model.parts import Component, Endpoint, Frame, GeometryUse, Link, Note, Recording, Wire
from studio.model.source_edits import (
    AddSourcePort,
    ChooseModes,
    MapTopics,
    RemoveSourcePort,
    RenameSourcePort,
    SetProvider,
)
from studio.model.sources import LiveProvider, LogProvider, Source
from studio.model.spec import Delivery, PortSpec
from studio.model.system import System
from studio.model.system_edits import (
    AddNode,
    Connect,
    DescribeSystem,
    Disconnect,
    RemoveHost,
    RemoveNodes,
    RenameHost,
    RenameNode,
    ReorderNode,
    Rewire,
    SetActivation,
    SetDelivery,
    SetGeometry,
    SetHost,
    SetParameters,
    SetParameterSet,
    SetRecording,
    SetType,
)
from studio.model.system_xml import read_system, write_system
from tests.model.examples import LAYOUT, SYSTEM

WIRE = Wire.between("platform.laser", "terrain.ranges")
EDITS: dict[str, Edit[System]] = {
    "Add new": AddNode(Component("new", "low_pass"), at=(3, 4), index=1),
    "Add gps": AddNode(Source("gps", "logged", logged=LogProvider("a.mcap"))),
    "Remove filter and terrain": RemoveNodes(("filter", "terrain")),
    "Remove 3 components": RemoveNodes(("filter", "terrain", "platform")),
    "Rename terrain to ground": RenameNode("terrain", "ground"),
    "Reorder server": ReorderNode("server", 0),
    "Connect filter → planner": Connect(Link.between("filter.cutoff_hz", "planner.speed")),
    "Disconnect platform → terrain": Disconnect((WIRE,)),
    "Remove 2 connections": Disconnect((WIRE, Wire.between("filter.smooth", "mystery.input"))),
    "Connect platform → mystery": Rewire(WIRE, Wire.between("platform.laser", "mystery.ranges")),
    "Delivery of platform → terrain": SetDelivery(WIRE, Delivery("latest")),
    "Set cutoff_hz and window of filter": SetParameters("filter", {"cutoff_hz": None, "window": 4}),
    "Choose no parameter set of filter": SetParameterSet("filter", ""),
    "Activation of planner": SetActivation("planner", "periodic", 0.25),
    "Make terrain a better_map": SetType("terrain", "better_map"),
    "Run terrain and planner in maps": SetHost(("terrain", "planner"), "maps"),
    "Run filter alone": SetHost(("filter",), ""),
    "Remove host signals": RemoveHost("signals"),
    "Rename host signals to fast": RenameHost("signals", "fast"),
    "Choose what is recorded": SetRecording(Recording(("/*",))),
    "Choose the geometry": SetGeometry(GeometryUse("raptor", Endpoint("platform", "arm.joint"))),
    "Describe the system": DescribeSystem("explorer", "Explores."),
    "Switch platform to logged": ChooseModes({"platform": "logged"}),
    "Change the real provider of platform": SetProvider("platform", "real", None),
    "Change the simulated provider of platform": SetProvider(
        "platform", "simulated", LiveProvider((Component("gazebo", "gazebo"),), {"laser": Endpoint("gazebo", "scan")})
    ),
    "Map the log of platform": MapTopics("platform", {"laser": "/other"}),
    "Add port camera to platform": AddSourcePort("platform", PortSpec("camera", "out", "Image")),
    "Remove port laser of platform": RemoveSourcePort("platform", "laser"),
    "Rename port laser of platform to lidar": RenameSourcePort("platform", "laser", "lidar"),
    "Move filter": MoveNodes({"filter": (1.5, 2)}),
    "Move planner": MoveNodes({"planner": (1.5, 2)}),
    "Write a note": PutNote(Note("n2", 0, 0, 10, 10, "Hello\nthere")),
    "Remove a note": RemoveNote("n1"),
    "Frame Acting": PutFrame(Frame("f1", "Acting", 0, 0, 10, 10)),
    "Remove a frame": RemoveFrame("f1"),
}


def files(system: System) -> tuple[bytes, bytes]:
    return write_system(system, SYSTEM), write_layout(system, LAYOUT)


def reread(system_file: bytes, layout_file: bytes) -> System:
    system = read_system(system_file)
    read_layout(system, layout_file)
    return system


@pytest.mark.parametrize(("label", "edit"), EDITS.items(), ids=EDITS.keys())
def test_an_edit_is_saved_and_undone(label: str, edit: Edit[System]) -> None:
    system = reread(SYSTEM, LAYOUT)
    history = History(system)
    assert edit.label == label
    assert history.do(edit)
    changed = files(system)
    assert changed != (SYSTEM, LAYOUT)
    history.undo()
    assert files(system) == (SYSTEM, LAYOUT)
    history.redo()
    assert files(system) == changed


def contents(system: System) -> list[object]:
    tables = [system.nodes, system.hosts, system.wires, system.services, system.links]
    layout = [system.layout.places, system.layout.notes, system.layout.frames]
    return [system.name, system.doc, system.recording, system.layout.view, *map(list, tables), *map(list, layout)]


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_what_an_edit_saves_is_what_it_did(edit: Edit[System]) -> None:
    system = reread(SYSTEM, LAYOUT)
    edit.apply(system)
    assert contents(reread(*files(system))) == contents(system)


REFUSED: dict[str, Edit[System]] = {
    "there is no component or source nobody": RemoveNodes(("filter", "nobody")),
    "the name filter is taken": AddNode(Component("filter", "low_pass")),
    "is a source, not a component": SetParameters("platform", {"a": 1}),
    "is a component, not a source": ChooseModes({"filter": "real"}),
    "there is no wire from": Disconnect((Wire.between("filter.smooth", "terrain.ranges"),)),
    "one of another kind": Rewire(WIRE, Link.between("filter.smooth", "planner.gain")),
    "has no port lidar": RenameSourcePort("platform", "lidar", "laser"),
    "two ports called drive": RenameSourcePort("platform", "laser", "drive"),
    "there is no host nobody": RemoveHost("nobody"),
    "there is no note n9": RemoveNote("n9"),
    "cannot be a name of a system": DescribeSystem("two words", ""),
}


@pytest.mark.parametrize(("reason", "edit"), REFUSED.items(), ids=REFUSED.keys())
def test_a_refused_edit_leaves_everything_as_it_was(reason: str, edit: Edit[System]) -> None:
    system = reread(SYSTEM, LAYOUT)
    history = History(system)
    with pytest.raises(ModelError, match=reason):
        history.do(edit)
    assert files(system) == (SYSTEM, LAYOUT)
    assert history.undo_label is None


def test_a_source_is_only_switched_to_a_provider_it_has() -> None:
    system = System()
    system.add_node(Source("gps", "logged", logged=LogProvider("a.mcap")))
    with pytest.raises(ModelError, match="gps has no real provider") as caught:
        ChooseModes({"gps": "real"}).apply(system)
    assert caught.value.hint == "it has logged"


def test_rewiring_keeps_the_delivery() -> None:
    system = read_system(SYSTEM)
    EDITS["Connect platform → mystery"].apply(system)
    assert system.wires[Wire.between("platform.laser", "mystery.ranges").key].delivery == Delivery("queue", 5)
