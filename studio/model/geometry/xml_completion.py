"""What can stand at a place in the XML of a body, an assembly or a world: elements, attributes, names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import get_args

from studio.model.geometry import assembly_xml, body_xml, world_xml
from studio.model.geometry.assembly import Assembly, Model
from studio.model.geometry.body import Body, DriveKind
from studio.model.geometry.joints import JOINT_KINDS
from studio.model.geometry.linkage import link
from studio.model.geometry.shapes import USES
from studio.model.geometry.world import World
from studio.model.xml_reconcile import Rule

_OPEN_TAG = re.compile(r"<([\w:-]*)((?:\s+[\w:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*([\w:-]*)\Z")
_IN_VALUE = re.compile(r"<([\w:-]+)((?:\s+[\w:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s+([\w:-]+)\s*=\s*\"([^\"]*)\Z")
_TAGS = re.compile(r"<!--.*?-->|<(/?)([\w:-]+)([^<>]*?)(/?)>", re.DOTALL)


def completions(before: str, value: Body | Assembly | World, model: Model) -> tuple[str, list[str]]:
    """What is typed of a word already, and the words that it may become. `before`: the text up to the cursor."""
    rules = {Body: body_xml.RULE, Assembly: assembly_xml.RULE, World: world_xml.RULE}
    root = rules[type(value)]
    inside = _IN_VALUE.search(before)
    if inside is not None:
        tag, _, attribute, begun = inside.groups()
        return begun, _starting(begun, _values(tag, attribute, value, model))
    opened = _OPEN_TAG.search(before)
    if opened is None:
        return "", []
    tag, attributes, begun = opened.groups()
    rule = _rule(root, before[: opened.start()])
    if not attributes and not before.endswith((" ", "\n", "\t")) and begun == "":
        return tag, _starting(tag, [child.tag for child in rule.children] if rule is not None else [])
    own = root if tag == root.tag else next((each for each in rule.children if each.tag == tag), None) if rule else None
    if own is None:
        return begun, []
    has = set(re.findall(r"([\w:-]+)\s*=", attributes))
    return begun, _starting(begun, [name for name in own.attributes if name not in has])


def _rule(root: Rule, before: str) -> Rule | None:
    """Of the element that is open here."""
    opened: list[str] = []
    for found in _TAGS.finditer(before):
        closing, tag, _, alone = found.groups()
        if tag is None or alone:
            continue
        if closing:
            opened = opened[:-1]
        else:
            opened.append(tag)
    rule: Rule | None = root if opened and opened[0] == root.tag else None
    for tag in opened[1:]:
        rule = rule.by_tag.get(tag) if rule is not None else None
    return rule


def _values(tag: str, attribute: str, value: Body | Assembly | World, model: Model) -> Iterable[str]:
    if isinstance(value, World):
        return value.parts() if attribute in ("relative_to", "attached_to") else ()
    fixed: dict[str, Iterable[str]] = {
        "angles": ("degrees", "radians"),
        "use": USES,
        "static": ("true", "false"),
        "kind": get_args(DriveKind) if tag == "drive" else JOINT_KINDS,
    }
    if attribute in fixed:
        return fixed[attribute]
    if isinstance(value, Assembly):
        if tag == "constraint" and attribute in ("from", "to"):
            return (f"{name}:{frame.name}" for name, body in model.bodies.items() for frame in body.frames)
        return (edge.name for edge in link(model).edges if edge.moves) if attribute == "mimic" else ()
    named: dict[str, Callable[[], Iterable[str]]] = {
        "on": lambda: (joint.name for joint in value.joints),
        "mimic": lambda: (joint.name for joint in value.joints if joint.moves),
        "at": lambda: (frame.name for frame in value.frames),
        "frame": lambda: (frame.name for frame in value.frames),
        "shape": lambda: (shape.name for shape in value.shapes if shape.name),
    }
    return named[attribute]() if attribute in named else ()


def _starting(begun: str, words: Iterable[str]) -> list[str]:
    return sorted({word for word in words if word.lower().startswith(begun.lower()) and word != begun})
