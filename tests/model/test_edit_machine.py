"""Random edits, undo, redo, save and load, for as long as anyone likes: undoing it all gives the first file again."""

from __future__ import annotations

import contextlib
import random
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from studio.errors import StudioError
from studio.model.clipboard import Duplicate, Paste, copy
from studio.model.document import SystemDocument
from studio.model.history import Edit
from studio.model.layout_edits import MoveNodes, PutFrame, PutGroup, PutNote, RemoveNote, Ungroup
from studio.model.parameter_sets import (
    DuplicateParameterSet,
    RemoveParameterSet,
    RenameParameterSet,
    SaveParameterSet,
)
from studio.model.parts import (
    Component,
    Connection,
    Endpoint,
    Frame,
    GeometryUse,
    Group,
    Link,
    Note,
    Recording,
    ServiceWire,
    Wire,
)
from studio.model.source_edits import (
    AddSourcePort,
    ChooseModes,
    MapTopics,
    RemoveSourcePort,
    RenameSourcePort,
    SetProvider,
)
from studio.model.source_making import MakeSource
from studio.model.sources import SOURCE_MODES, LiveProvider, LogProvider, Source
from studio.model.spec import Delivery, PortSpec
from studio.model.system import System
from studio.model.system_check import check
from studio.model.system_edits import (
    AddNode,
    Compound,
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
from tests.model.examples import LAYOUT, MESSAGE_TYPES, PROFILES, SYSTEM

NAMES = st.sampled_from(["filter", "terrain", "platform", "planner", "a", "b", "c_2", "sim", "signals"])
PORTS = st.sampled_from(["raw", "smooth", "laser", "arm.joint", "gain"])
TEXTS = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(["", " a ", "<&'\">", "x\r\n\ty", "]]>"])
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-500, 500).map(float)
POINTS = st.tuples(NUMBERS, NUMBERS)
INDEXES = st.integers(0, 8)
PICKS = st.integers(0, 200)
"""Which of the existing nodes; turned into a name by `Editing.node`."""
MODES = st.sampled_from(SOURCE_MODES)
DELIVERIES = st.sampled_from([None, Delivery(), Delivery("latest"), Delivery("queue", 7)])
KINDS = st.sampled_from([Wire, ServiceWire, Link])
VALUES = st.none() | st.booleans() | st.integers(-9, 9) | NUMBERS | TEXTS


def contents(system: System) -> list[object]:
    tables = [system.nodes, system.hosts, system.wires, system.services, system.links]
    layout = [system.layout.places, system.layout.notes, system.layout.frames, system.layout.groups]
    return [system.name, system.doc, system.recording, *map(list, tables), *map(list, layout)]


class Editing(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        (self.folder / "system.xml").write_bytes(SYSTEM)
        (self.folder / "layout.xml").write_bytes(LAYOUT)
        self.open()

    def open(self) -> None:
        self.document = SystemDocument.load(self.folder)
        self.first = self.texts()
        self.depth = 0

    def texts(self) -> list[bytes]:
        return list(self.document.texts().values())

    @property
    def system(self) -> System:
        return self.document.system

    def do(self, edit: Edit[System]) -> None:
        """Done, or refused without a trace; done, it is undone and done again exactly."""
        before = contents(self.system)
        steps = len(self.document.history.labels)
        try:
            self.document.do(edit)
        except StudioError:
            assert contents(self.system) == before
            return
        self.depth += len(self.document.history.labels) - steps

    def node(self, pick: int, kind: type[Component] | type[Source] | None = None) -> str:
        """The name of something that is there; once in a while, of something that is not."""
        names = [node.name for node in self.system.nodes if kind is None or isinstance(node, kind)]
        return names[pick % len(names)] if names and pick < 190 else "nobody"

    def end(self, pick: int, port: str) -> Endpoint:
        return Endpoint(self.node(pick), port)

    # ---- edits

    @rule(name=NAMES, type=NAMES, at=st.none() | POINTS, index=st.none() | INDEXES, value=TEXTS)
    def add_component(
        self, name: str, type: str, at: tuple[float, float] | None, index: int | None, value: str
    ) -> None:
        try:
            component = Component(name, type, parameters={"x": value} if value else {})
        except StudioError:  # a text that no file can hold
            return
        self.do(AddNode(component, at, index))

    @rule(name=NAMES, mode=MODES, inner=NAMES, index=st.none() | INDEXES)
    def add_source(self, name: str, mode: str, inner: str, index: int | None) -> None:
        live = LiveProvider((Component(inner, "simulator"),), {"laser": Endpoint(inner, "laser")})
        ports = (PortSpec("laser", "out", "Range3d"),)
        self.do(AddNode(Source(name, mode, ports, real=live, logged=LogProvider("l")), None, index))  # type: ignore[arg-type]

    @rule(picks=st.lists(PICKS, max_size=2))
    def remove(self, picks: list[int]) -> None:
        self.do(RemoveNodes(tuple({self.node(pick): None for pick in picks})))

    @rule(pick=PICKS, new=NAMES)
    def rename(self, pick: int, new: str) -> None:
        self.do(RenameNode(self.node(pick), new))

    @rule(pick=PICKS, index=INDEXES)
    def reorder(self, pick: int, index: int) -> None:
        self.do(ReorderNode(self.node(pick), index))

    @rule(kind=KINDS, start=PICKS, end=PICKS, ports=st.tuples(PORTS, PORTS))
    def connect(self, kind: type[Wire], start: int, end: int, ports: tuple[str, str]) -> None:
        self.do(Connect(kind(self.end(start, ports[0]), self.end(end, ports[1]))))

    @rule(data=st.data())
    def disconnect(self, data: st.DataObject) -> None:
        self.do(Disconnect((self.some_connection(data),)))

    @rule(data=st.data(), pick=PICKS, port=PORTS)
    def rewire(self, data: st.DataObject, pick: int, port: str) -> None:
        old = self.some_connection(data)
        self.do(Rewire(old, replace(old, end=self.end(pick, port))))

    @rule(data=st.data(), delivery=DELIVERIES)
    def deliver(self, data: st.DataObject, delivery: Delivery | None) -> None:
        wire = self.some_connection(data)
        if isinstance(wire, Wire):
            self.do(SetDelivery(wire, delivery))

    def some_connection(self, data: st.DataObject) -> Connection:
        existing: list[Connection] = [*self.system.wires, *self.system.services, *self.system.links]
        return data.draw(st.sampled_from(existing)) if existing else Wire.between("a.b", "c.d")

    @rule(pick=PICKS, key=st.sampled_from(["cutoff_hz", "x"]), value=VALUES, gesture=st.none() | st.integers(0, 1))
    def parameter(self, pick: int, key: str, value: bool | int | float | str | None, gesture: int | None) -> None:
        self.do(SetParameters(self.node(pick, Component), {key: value}, gesture))

    @rule(pick=PICKS, name=NAMES, new=NAMES, what=st.integers(0, 4), value=TEXTS)
    def parameter_set(self, pick: int, name: str, new: str, what: int, value: str) -> None:
        node = self.node(pick, Component)
        edits: list[Callable[[], Edit[System]]] = [
            lambda: SaveParameterSet(node, name, {"cutoff_hz": value}),
            lambda: DuplicateParameterSet(node, name, new, {"x": value}),
            lambda: RenameParameterSet(node, name, new),
            lambda: RemoveParameterSet(node, name),
            lambda: SetParameterSet(node, name),
        ]
        self.do(edits[what]())

    @rule(pick=PICKS, mode=st.sampled_from([None, "event", "periodic"]), period=st.none() | st.floats(0.001, 10))
    def activation(self, pick: int, mode: str | None, period: float | None) -> None:
        self.do(SetActivation(self.node(pick, Component), mode, period))  # type: ignore[arg-type]

    @rule(pick=PICKS, type=NAMES)
    def type(self, pick: int, type: str) -> None:
        self.do(SetType(self.node(pick, Component), type))

    @rule(picks=st.lists(PICKS, min_size=1, max_size=2), host=NAMES | st.just(""))
    def host(self, picks: list[int], host: str) -> None:
        self.do(SetHost(tuple(self.node(pick, Component) for pick in picks), host))

    @rule(old=NAMES, new=NAMES | st.none())
    def change_host(self, old: str, new: str | None) -> None:
        self.do(RemoveHost(old) if new is None else RenameHost(old, new))

    @rule(topics=st.none() | st.lists(st.sampled_from(["/a/*", "/platform/*", "/b"]), unique=True))
    def record(self, topics: list[str] | None) -> None:
        self.do(SetRecording(None if topics is None else Recording(tuple(topics))))

    @rule(pick=PICKS, assembly=st.none() | st.sampled_from(["raptor", "models/cart.xml"]), joints=st.booleans())
    def geometry(self, pick: int, assembly: str | None, joints: bool) -> None:
        end = Endpoint(self.node(pick, Component), "joints") if joints else None
        self.do(SetGeometry(None if assembly is None else GeometryUse(assembly, end)))

    @rule(name=NAMES, doc=TEXTS)
    def describe(self, name: str, doc: str) -> None:
        self.do(DescribeSystem(name, doc))

    @rule(pick=PICKS, mode=MODES)
    def choose(self, pick: int, mode: str) -> None:
        self.do(ChooseModes({self.node(pick, Source): mode}))  # type: ignore[dict-item]

    @rule(pick=PICKS, mode=st.sampled_from(["real", "simulated"]), inner=st.none() | NAMES, port=PORTS)
    def provide(self, pick: int, mode: str, inner: str | None, port: str) -> None:
        live = None if inner is None else LiveProvider((Component(inner, "t"),), {port: Endpoint(inner, "laser")})
        self.do(SetProvider(self.node(pick, Source), mode, live))  # type: ignore[arg-type]

    @rule(pick=PICKS, topics=st.dictionaries(PORTS, st.sampled_from(["/x", "/y"]), max_size=3))
    def map_topics(self, pick: int, topics: dict[str, str]) -> None:
        self.do(MapTopics(self.node(pick, Source), topics))

    @rule(pick=PICKS, port=PORTS, new=PORTS | st.none(), is_new=st.booleans())
    def source_ports(self, pick: int, port: str, new: str | None, is_new: bool) -> None:
        name = self.node(pick, Source)
        if is_new:
            self.do(AddSourcePort(name, PortSpec(port, "in", "Velocity")))
        else:
            self.do(RemoveSourcePort(name, port) if new is None else RenameSourcePort(name, port, new))

    @rule(picks=st.lists(PICKS, min_size=1, max_size=3), point=POINTS, gesture=st.none() | st.integers(0, 2))
    def move(self, picks: list[int], point: tuple[float, float], gesture: int | None) -> None:
        self.do(MoveNodes({self.node(pick): point for pick in picks}, gesture))

    @rule(id=st.sampled_from(["n1", "n2"]), point=POINTS, text=TEXTS, keep=st.booleans())
    def note(self, id: str, point: tuple[float, float], text: str, keep: bool) -> None:
        try:
            note = Note(id, *point, 10, 10, text)
        except StudioError:
            return
        self.do(PutNote(note) if keep else RemoveNote(id))

    @rule(id=st.sampled_from(["f1", "f2"]), point=POINTS)
    def frame(self, id: str, point: tuple[float, float]) -> None:
        self.do(PutFrame(Frame(id, "A & B", *point, 5, 5)))

    @rule(id=st.sampled_from(["g1", "g2"]), picks=st.lists(PICKS, max_size=4), folded=st.booleans(), keep=st.booleans())
    def group(self, id: str, picks: list[int], folded: bool, keep: bool) -> None:
        members = tuple({self.node(pick): None for pick in picks})
        self.do(PutGroup(Group(id, "A & B", members, folded)) if keep else Ungroup(id))

    @rule(pick=PICKS, mode=st.sampled_from(["real", "simulated"]))
    def make_source(self, pick: int, mode: str) -> None:
        ports = (PortSpec("laser", "out", "Range3d"), PortSpec("drive", "in", "Velocity"))
        self.do(MakeSource(self.node(pick, Component), mode, ports))  # type: ignore[arg-type]

    @rule(picks=st.lists(PICKS, min_size=1, max_size=3), again=st.booleans(), remarks=st.booleans())
    def paste(self, picks: list[int], again: bool, remarks: bool) -> None:
        names = list({self.node(pick): None for pick in picks})
        layout = self.system.layout
        ids = (*layout.notes.keys(), *layout.frames.keys()) if remarks and len(layout.notes) < 10 else ()
        if len(self.system.nodes) < 40:
            self.do(Paste(copy(self.system, names, ids)) if again else Duplicate(tuple(names), remarks=ids))

    @rule(pick=PICKS, new=NAMES, port=PORTS)
    def compound(self, pick: int, new: str, port: str) -> None:
        name = self.node(pick)
        wire = Wire(Endpoint(new, port), self.end(pick + 1, port))
        self.do(Compound("Both", (RenameNode(name, new), Connect(wire))))

    # ---- history and files

    @rule(steps=st.integers(1, 5))
    def undo(self, steps: int) -> None:
        for _ in range(steps):
            self.depth -= self.document.undo()

    @rule(steps=st.integers(1, 5))
    def redo(self, steps: int) -> None:
        for _ in range(steps):
            self.depth += self.document.redo()

    @rule()
    def save(self) -> None:
        self.document.save()
        assert not self.document.is_modified
        assert contents(SystemDocument.load(self.folder).system) == contents(self.system)

    @precondition(lambda self: self.depth > 8 and self.document.history.is_clean)
    @rule()
    def load(self) -> None:
        """Go on from what is in the files: from now on they are the first."""
        self.document.save()
        before = contents(self.system)
        self.open()
        assert contents(self.system) == before

    @rule()
    def undo_everything(self) -> None:
        while self.document.undo():
            self.depth -= 1
        assert self.texts() == self.first

    @invariant()
    def the_depth_of_undo_is_known(self) -> None:
        assert self.depth == len(self.document.history.labels)

    def teardown(self) -> None:
        check(self.system, PROFILES, MESSAGE_TYPES)
        while self.document.undo():
            pass
        assert self.texts() == self.first
        while self.document.redo():
            pass
        shutil.rmtree(self.folder)


@pytest.mark.timeout(6 * 3600)
@pytest.mark.parametrize("runs", [40, pytest.param(6_000, marks=pytest.mark.soak)])
def test_undoing_everything_gives_the_first_file_byte_for_byte(runs: int) -> None:
    run_state_machine_as_test(
        Editing,
        settings=settings(
            max_examples=runs,
            stateful_step_count=80,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )


def random_edit(system: System, chance: random.Random) -> Edit[System]:
    nodes = [node.name for node in system.nodes] or ["nobody"]
    wires = list(system.wires) or [Wire.between("a.b", "c.d")]
    one, other, new = chance.choice(nodes), chance.choice(nodes), f"n{chance.randrange(200)}"
    wire = Wire.between(f"{one}.o{chance.randrange(3)}", f"{other}.i{chance.randrange(3)}")
    makers: list[Callable[[], Edit[System]]] = [
        lambda: AddNode(Component(new, "thing"), (chance.random(), 0.0), chance.randrange(len(nodes) + 1)),
        lambda: AddNode(Component(new, "thing")),
        lambda: RemoveNodes((one,)),
        lambda: RenameNode(one, new),
        lambda: ReorderNode(one, chance.randrange(len(nodes))),
        lambda: Connect(wire),
        lambda: Connect(wire),
        lambda: Disconnect((chance.choice(wires),)),
        lambda: Rewire(chance.choice(wires), wire),
        lambda: SetDelivery(chance.choice(wires), Delivery("queue", chance.randrange(1, 9))),
        lambda: SetParameters(one, {f"p{chance.randrange(4)}": chance.choice([None, 1, 0.5, "<text>"])}),
        lambda: MoveNodes({one: (chance.random(), chance.random())}),
        lambda: Duplicate((one, other)) if one != other and len(nodes) < 60 else RemoveNodes((one,)),
    ]
    return chance.choice(makers)()


@pytest.mark.parametrize("edits", [4_000, pytest.param(100_000, marks=pytest.mark.soak)])
def test_a_long_session_is_undone_to_the_first_byte_and_redone_to_the_last(tmp_path: Path, edits: int) -> None:
    (tmp_path / "system.xml").write_bytes(SYSTEM)
    (tmp_path / "layout.xml").write_bytes(LAYOUT)
    document = SystemDocument.load(tmp_path)
    chance = random.Random(11)
    states: dict[int, list[bytes]] = {}
    for number in range(edits):
        with contextlib.suppress(StudioError):
            document.do(random_edit(document.system, chance))
        if number % (edits // 20) == 0:
            states[len(document.history.labels)] = list(document.texts().values())
    last = list(document.texts().values())
    assert len(document.history.labels) > edits / 2
    while document.undo():
        seen = states.get(len(document.history.labels))
        assert seen is None or list(document.texts().values()) == seen
    assert list(document.texts().values()) == [SYSTEM, LAYOUT]
    while document.redo():
        pass
    assert list(document.texts().values()) == last
