"""What people do to a system. Each edit is a value; the model decides whether it may happen, the history undoes it.

`document.do(Connect(Wire.between("laser.ranges", "terrain_map.ranges")))`
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from studio.model.changes import ModelError
from studio.model.history import Edit
from studio.model.parts import Connection, GeometryUse, Host, Recording, Wire
from studio.model.spec import Activation, Delivery, Value, format_value
from studio.model.system import Node, System

T = TypeVar("T")


class SystemEdit(ABC):
    @property
    @abstractmethod
    def label(self) -> str:
        """For the menu: Undo <label>."""

    @property
    def merge_key(self) -> Hashable | None:
        return None

    @abstractmethod
    def apply(self, system: System, /) -> None: ...


@dataclass(frozen=True)
class Compound(SystemEdit):
    """Several edits that are one for the person who undoes them; so are all of one `gesture`."""

    title: str
    edits: tuple[Edit[System], ...]
    gesture: Hashable | None = None

    @property
    def label(self) -> str:
        return self.title

    @property
    def merge_key(self) -> Hashable | None:
        return None if self.gesture is None else (self.title, self.gesture)

    def apply(self, system: System, /) -> None:
        for edit in self.edits:
            edit.apply(system)


@dataclass(frozen=True)
class AddNode(SystemEdit):
    """A component or a source; `at` is its place on the canvas, `index` its rank (last without one)."""

    node: Node
    at: tuple[float, float] | None = None
    index: int | None = None

    @property
    def label(self) -> str:
        return f"Add {self.node.name}"

    def apply(self, system: System, /) -> None:
        system.add_node(self.node, self.index)
        if self.at is not None:
            system.place(self.node.name, *self.at)


@dataclass(frozen=True)
class RemoveNodes(SystemEdit):
    """With what is connected to them."""

    names: tuple[str, ...]

    @property
    def label(self) -> str:
        return f"Remove {shown(self.names)}"

    def apply(self, system: System, /) -> None:
        for name in self.names:
            system.remove_node(name)


@dataclass(frozen=True)
class RenameNode(SystemEdit):
    old: str
    new: str

    @property
    def label(self) -> str:
        return f"Rename {self.old} to {self.new}"

    def apply(self, system: System, /) -> None:
        system.rename_node(self.old, self.new)


@dataclass(frozen=True)
class ReorderNode(SystemEdit):
    """Give it another rank: effects of one event are ordered by it."""

    name: str
    index: int

    @property
    def label(self) -> str:
        return f"Reorder {self.name}"

    def apply(self, system: System, /) -> None:
        system.move_node(self.name, self.index)


@dataclass(frozen=True)
class Connect(SystemEdit):
    """Add a wire, service wire or link."""

    connection: Connection

    @property
    def label(self) -> str:
        return f"Connect {self.connection.start.node} → {self.connection.end.node}"

    def apply(self, system: System, /) -> None:
        system.connect(self.connection)


@dataclass(frozen=True)
class Disconnect(SystemEdit):
    connections: tuple[Connection, ...]

    @property
    def label(self) -> str:
        if len(self.connections) > 1:
            return f"Remove {len(self.connections)} connections"
        return "Disconnect " + "".join(f"{c.start.node} → {c.end.node}" for c in self.connections)

    def apply(self, system: System, /) -> None:
        for connection in self.connections:
            system.disconnect(connection)


@dataclass(frozen=True)
class Rewire(SystemEdit):
    """Move an end of a connection; its delivery and its place in the file stay."""

    old: Connection
    new: Connection

    @property
    def label(self) -> str:
        return f"Connect {self.new.start.node} → {self.new.end.node}"

    def apply(self, system: System, /) -> None:
        if type(self.old) is not type(self.new):
            raise ModelError("a connection cannot become one of another kind")
        found: Connection = system.find(self.old)
        system.reconnect(found, replace(found, start=self.new.start, end=self.new.end))


@dataclass(frozen=True)
class SetDelivery(SystemEdit):
    """None: as the in port asks for."""

    wire: Wire
    delivery: Delivery | None

    @property
    def label(self) -> str:
        return f"Delivery of {self.wire.start.node} → {self.wire.end.node}"

    def apply(self, system: System, /) -> None:
        found = system.wires[self.wire.key]
        system.reconnect(found, replace(found, delivery=self.delivery))


@dataclass(frozen=True)
class SetParameters(SystemEdit):
    """None takes a setting away, so that the parameter set or the default counts. A slider gives its `gesture`."""

    component: str
    values: Mapping[str, Value | None]
    gesture: Hashable | None = None

    @property
    def label(self) -> str:
        return f"Set {shown(self.values, 'parameters')} of {self.component}"

    @property
    def merge_key(self) -> Hashable | None:
        return None if self.gesture is None else ("parameters", self.component, frozenset(self.values), self.gesture)

    def apply(self, system: System, /) -> None:
        component = system.component(self.component)
        system.replace_node(replace(component, parameters=changed_parameters(component.parameters, self.values)))


@dataclass(frozen=True)
class SetParameterSet(SystemEdit):
    component: str
    parameter_set: str

    @property
    def label(self) -> str:
        which = f"the parameter set {self.parameter_set}" if self.parameter_set else "no parameter set"
        return f"Choose {which} of {self.component}"

    def apply(self, system: System, /) -> None:
        system.replace_node(replace(system.component(self.component), parameter_set=self.parameter_set))


@dataclass(frozen=True)
class SetActivation(SystemEdit):
    """None: as the component's type says."""

    component: str
    mode: Activation | None
    period_s: float | None = None

    @property
    def label(self) -> str:
        return f"Activation of {self.component}"

    def apply(self, system: System, /) -> None:
        system.replace_node(replace(system.component(self.component), mode=self.mode, period_s=self.period_s))


@dataclass(frozen=True)
class SetType(SystemEdit):
    """Put another implementation in its place; name, wires and settings stay."""

    component: str
    type: str

    @property
    def label(self) -> str:
        return f"Make {self.component} a {self.type}"

    def apply(self, system: System, /) -> None:
        system.replace_node(replace(system.component(self.component), type=self.type))


@dataclass(frozen=True)
class SetHost(SystemEdit):
    """Put components into one process; a host that does not exist yet is made. Empty: each into its own."""

    components: tuple[str, ...]
    host: str

    @property
    def label(self) -> str:
        return f"Run {shown(self.components)} " + (f"in {self.host}" if self.host else "alone")

    def apply(self, system: System, /) -> None:
        if self.host and self.host not in system.hosts:
            system.add_host(Host(self.host))
        for name in self.components:
            system.replace_node(replace(system.component(name), host=self.host))


@dataclass(frozen=True)
class RemoveHost(SystemEdit):
    host: str

    @property
    def label(self) -> str:
        return f"Remove host {self.host}"

    def apply(self, system: System, /) -> None:
        system.remove_host(self.host)


@dataclass(frozen=True)
class RenameHost(SystemEdit):
    old: str
    new: str

    @property
    def label(self) -> str:
        return f"Rename host {self.old} to {self.new}"

    def apply(self, system: System, /) -> None:
        system.rename_host(self.old, self.new)


@dataclass(frozen=True)
class SetRecording(SystemEdit):
    recording: Recording | None

    @property
    def label(self) -> str:
        return "Choose what is recorded"

    def apply(self, system: System, /) -> None:
        recording, old = self.recording, system.recording
        if recording is not None and old is not None:
            recording = replace(recording, origin=old.origin)
        system.set_recording(recording)


@dataclass(frozen=True)
class SetGeometry(SystemEdit):
    """None: the system has no geometry any more."""

    geometry: GeometryUse | None

    @property
    def label(self) -> str:
        return "Choose the geometry" if self.geometry is not None else "Remove the geometry"

    def apply(self, system: System, /) -> None:
        geometry, old = self.geometry, system.geometry
        if geometry is not None and old is not None:
            geometry = replace(geometry, origin=old.origin)
        system.set_geometry(geometry)


@dataclass(frozen=True)
class BringGeometry(SystemEdit):
    """What comes with a simulator: the geometry of its vehicle. A system that has a geometry keeps its own."""

    assembly: str

    @property
    def label(self) -> str:
        return "Choose the geometry"

    def apply(self, system: System, /) -> None:
        if system.geometry is None and self.assembly:
            system.set_geometry(GeometryUse(self.assembly))


@dataclass(frozen=True)
class DescribeSystem(SystemEdit):
    name: str
    doc: str

    @property
    def label(self) -> str:
        return "Describe the system"

    def apply(self, system: System, /) -> None:
        system.rename(self.name)
        system.set_doc(self.doc)


@dataclass(frozen=True)
class Become(SystemEdit):
    """Another version of the whole system, layout included."""

    other: System
    title: str

    @property
    def label(self) -> str:
        return self.title

    def apply(self, system: System, /) -> None:
        system.become(self.other)


def changed_parameters(parameters: Mapping[str, str], values: Mapping[str, Value | None]) -> dict[str, str]:
    changed = dict(parameters)
    for name, value in values.items():
        if value is None:
            changed.pop(name, None)
        else:
            changed[name] = format_value(value)
    return changed


def shown(names: Iterable[str], what: str = "components") -> str:
    """`laser`, `laser and pose`, or `5 components`."""
    names = tuple(names)
    return " and ".join(names) if len(names) < 3 else f"{len(names)} {what}"
