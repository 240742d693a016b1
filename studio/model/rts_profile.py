"""RtsProfile, the XML in which RTSystemEditor keeps a system: its names, and what both directions share.

An RtsProfile knows components with ports, configuration sets and execution contexts, and connectors between ports. It
has no sources, links, recordings or geometry; our hosts and deliveries go along as properties that other tools keep.
"""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

RTS = "http://www.openrtp.org/namespaces/rts"
EXT = "http://www.openrtp.org/namespaces/rts_ext"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
VERSION = "0.2"
HOST, DELIVERY = "studio.host", "studio.delivery"
"""Names of properties for what the format itself has no place for."""
PORT_TYPE = "port.port_type"
PORT_TYPES = {"DataInPort": "in", "DataOutPort": "out"}
"""The property by which a data port tells its direction, and its values."""
PATH = "COMPONENT_PATH_ID"
"""The property by which the end of a connector tells the path of its component."""
DEFAULT = "default"
"""What a component's configuration set is called that no set was chosen for."""


@dataclass(frozen=True)
class NotMapped:
    """Something that does not come along, and why."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


def direction_of(port_type: str) -> str:
    """`in`, `out`, or nothing; not every tool writes the case as the specification does."""
    wanted = port_type.strip().lower()
    return next((direction for name, direction in PORT_TYPES.items() if name.lower() == wanted), "")


def rts(name: str) -> str:
    return f"{{{RTS}}}{name}"


def ext(name: str) -> str:
    return f"{{{EXT}}}{name}"


def is_rts_profile(root: etree._Element) -> bool:
    return bool(root.tag == rts("RtsProfile"))
