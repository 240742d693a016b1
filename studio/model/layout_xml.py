"""layout.xml: places, notes, frames, groups and the view of a System's canvas."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from studio.model.changes import Assigned
from studio.model.parts import Frame, Group, Note, Place, View
from studio.model.system import System
from studio.model.system_xml import number_text
from studio.model.xml_reconcile import Rule, reconcile
from studio.model.xml_tree import XmlNode, only, read_tree, reading

NEW_FILE = b'<?xml version="1.0" encoding="UTF-8"?>\n<layout version="1">\n</layout>\n'

_POINT = {"x": float, "y": float}
_BOX = _POINT | {"width": float, "height": float}
RULE = Rule(
    "layout",
    children=(
        Rule("place", ("of",), {"of": str, **_POINT}),
        Rule("note", ("id",), {"id": str, **_BOX}, text=True),
        Rule("frame", ("id",), {"id": str, "title": str, **_BOX}),
        Rule("group", ("id",), {"id": str, "title": str, "folded": str}, (Rule("member", ("of",), {"of": str}),)),
        Rule("view", (), {**_POINT, "zoom": float}),
    ),
)


def read_layout(system: System, data: bytes | Path, file: Path | str | None = None) -> None:
    """Put what a layout file says into `system`."""
    file = data if file is None and isinstance(data, Path) else file
    build_layout(system, read_tree(data, "layout", file), file)


def build_layout(system: System, root: XmlNode, file: Path | str | None = None) -> None:
    view = only(root, "view", file)
    if view is not None:
        with reading(view, file):
            system.perform(Assigned("view", None, View(**_numbers(view, "x", "y", "zoom"), origin=view.origin())))
    for node in root.children:
        if node.tag in _PARTS:
            table, make = _PARTS[node.tag]
            with reading(node, file):
                system.append(table, make(node))


def write_layout(system: System, written: bytes = NEW_FILE) -> bytes:
    return reconcile(written, layout_tree(system), RULE)


def layout_tree(system: System) -> XmlNode:
    layout = system.layout
    root = XmlNode("layout", element=0)
    for place in layout.places:
        root.children.append(_tree("place", place, of=place.of))
    for note in layout.notes:
        root.children.append(_tree("note", note, id=note.id))
        root.children[-1].text = note.text
    for frame in layout.frames:
        root.children.append(_tree("frame", frame, id=frame.id, title=frame.title))
    for group in layout.groups:
        root.children.append(_group_tree(group))
    if layout.view is not None:
        root.children.append(_tree("view", layout.view))
    return root


def _numbers(node: XmlNode, *names: str) -> dict[str, float]:
    return {name: float(node.attributes[name]) for name in names}


def _place(node: XmlNode) -> Place:
    return Place(node.attributes["of"], **_numbers(node, "x", "y"), origin=node.origin())


def _note(node: XmlNode) -> Note:
    numbers = _numbers(node, "x", "y", "width", "height")
    return Note(node.attributes["id"], **numbers, text=node.text, origin=node.origin())


def _frame(node: XmlNode) -> Frame:
    numbers = _numbers(node, "x", "y", "width", "height")
    return Frame(node.attributes["id"], node.attributes["title"], **numbers, origin=node.origin())


def _group(node: XmlNode) -> Group:
    members = tuple(dict.fromkeys(member.attributes["of"] for member in node.all("member")))
    folded = node.get("folded") in ("true", "1")
    return Group(node.attributes["id"], node.attributes["title"], members, folded, origin=node.origin())


_PARTS: dict[str, tuple[str, Callable[[XmlNode], object]]] = {
    "place": ("places", _place),
    "note": ("notes", _note),
    "frame": ("frames", _frame),
    "group": ("groups", _group),
}


def _tree(tag: str, part: Place | Note | Frame | View, **attributes: str) -> XmlNode:
    for name in ("x", "y", "width", "height", "zoom"):
        if hasattr(part, name):
            attributes[name] = number_text(getattr(part, name))
    return XmlNode(tag, attributes, element=part.origin.element if part.origin else None)


def _group_tree(group: Group) -> XmlNode:
    attributes = {"id": group.id, "title": group.title} | ({"folded": "true"} if group.folded else {})
    tree = XmlNode("group", attributes, element=group.origin.element if group.origin else None)
    tree.children += [XmlNode("member", {"of": name}) for name in group.members]
    return tree
