"""RELAX NG schemas, and error messages that tell a person what to write instead.

The schemas are strict, so that XML editors can complete and underline; Studio itself overlooks unknown names when it
validates. libxml2's own messages ("Element foo failed to validate attributes") help nobody, so the names, values and
examples are read out of the schema and the first fault is explained from them. An `ex:example` attribute on an
`<attribute>` of the schema is what the message offers.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import cast

from lxml import etree

from studio.errors import Problem
from studio.model.close_matches import did_you_mean
from studio.model.files import FileError

SCHEMAS = Path(__file__).parent / "schemas"
RNG = "{http://relaxng.org/ns/structure/1.0}"
EXAMPLE = "{urn:robot-systems-studio:schema}example"
FORMAT_VERSION = 1
"""Of all files; what belongs to a later one is overlooked, and kept."""
_SPACE = " \t\r\n"
_FLOAT = r"[+-]?(\d+(\.\d*)?|\.\d+)"
_NUMBERS = {
    "double": _FLOAT + r"([eE][+-]?\d+)?",
    "decimal": _FLOAT,
    "integer": r"[+-]?\d+",
    "nonNegativeInteger": r"\+?\d+",
    "positiveInteger": r"\+?0*[1-9]\d*",
    "boolean": "true|false|1|0",
}
_EXAMPLES = {"double": "1.0", "decimal": "1.0", "boolean": "true"}


@dataclass(frozen=True)
class AttributeRule:
    name: str
    required: bool
    values: tuple[str, ...] = ()
    datatype: str = ""
    pattern: str = ""
    example: str = ""

    def show(self) -> str:
        return f'{self.name}="{self.example or self._any_value()}"'

    def _any_value(self) -> str:
        if self.values:
            return self.values[0]
        return _EXAMPLES.get(self.datatype, "1" if self.datatype in _NUMBERS else "...")

    def accepts(self, text: str) -> bool:
        """A good guess for the usual kinds; what it lets pass wrongly still fails the schema."""
        if self.values:
            return text.strip(_SPACE) in self.values
        if self.datatype in _NUMBERS:
            return re.fullmatch(_NUMBERS[self.datatype], text.strip(_SPACE)) is not None
        return not self.pattern or re.fullmatch(self.pattern, text) is not None


@dataclass
class ElementRule:
    name: str
    attributes: dict[str, AttributeRule] = field(default_factory=dict)
    children: dict[str, ElementRule] = field(default_factory=dict)
    needed: list[str] = field(default_factory=list)
    """Children that must be there."""
    text: bool = False
    is_open: bool = False
    """The schema itself allows any name here."""


class Schema:
    def __init__(self, name: str, grammar: etree._Element) -> None:
        self.name = name
        self._relaxng = etree.RelaxNG(grammar)
        self._root = _RuleReader(grammar).root

    def validate(self, root: etree._Element, file: Path | str | None) -> None:
        """Raise FileError, with all that the schema forbids in `root`, unknown names apart."""
        if root.tag != self._root.name:
            hint = f"a {self.name} file starts with <{self._root.name} ...>"
            raise FileError(f"the root element is <{_shown(root.tag)}>", file=file, line=line_of(root), hint=hint)
        known = copy.deepcopy(root)
        for element, rule in list(_walk(known, self._root)):
            _drop_unknown(element, rule)
        if not self._relaxng.validate(known):
            raise self._explain(root, file)

    def _explain(self, root: etree._Element, file: Path | str | None) -> FileError:
        found = [
            FileError(message, file=file, line=line_of(element), hint=hint)
            for element, rule in _walk(root, self._root)
            for message, hint in _faults(element, rule)
        ]
        if found:
            found[0].others.extend(found[1:])
            return found[0]
        raw = self._relaxng.error_log[0]
        return FileError(f"not a valid {self.name} file: {raw.message}", file=file, line=raw.line)

    def unknown_names(self, root: etree._Element, file: Path | str | None) -> list[Problem]:
        """Also one problem for a file of a later version, whose names need not be known."""
        place = None if file is None else str(file)
        return [*_later_version(root, place), *self._unknown_names(root, place)]

    def _unknown_names(self, root: etree._Element, place: str | None) -> list[Problem]:
        return [
            Problem(message, "warning", place, line_of(strange), hint or "it is kept unchanged")
            for element, rule in _walk(root, self._root)
            for strange, message, hint in _unknown(element, rule)
        ]


def _later_version(root: etree._Element, place: str | None) -> Iterator[Problem]:
    written = root.get("version", "").strip(_SPACE).lstrip("+0")
    if written not in ("", str(FORMAT_VERSION)):
        message = f"written by a newer Studio: version {written[:20]}; this one knows {FORMAT_VERSION}"
        yield Problem(message, "warning", place, line_of(root), "unknown parts are kept, but have no effect")


@cache
def load_schema(name: str) -> Schema:
    """The schema of `schemas/<name>.rng`; these ship with Studio, so a missing one is a fault of Studio itself."""
    return Schema(name, etree.parse(SCHEMAS / f"{name}.rng").getroot())


def line_of(element: etree._Element) -> int | None:
    return cast("int | None", element.sourceline)


def _walk(element: etree._Element, rule: ElementRule) -> Iterator[tuple[etree._Element, ElementRule]]:
    """Every element that the schema knows, with its rule, in document order; what is inside unknown ones is skipped."""
    yield element, rule
    for child in element.iterchildren(etree.Element):
        child_rule = rule.children.get(child.tag)
        if child_rule is not None:
            yield from _walk(child, child_rule)


def _drop_unknown(element: etree._Element, rule: ElementRule) -> None:
    for name in [name for name in element.attrib if name not in rule.attributes]:
        del element.attrib[name]
    for child in [child for child in element.iterchildren(etree.Element) if child.tag not in rule.children]:
        element.remove(child)


def _unknown(element: etree._Element, rule: ElementRule) -> Iterator[tuple[etree._Element, str, str]]:
    if rule.is_open:
        return
    for name in map(str, element.attrib):
        if name not in rule.attributes and not name.startswith("{"):
            yield element, f"<{rule.name}> has no attribute {name}", did_you_mean(name, rule.attributes)
    for child in element.iterchildren(etree.Element):
        tag = str(child.tag)
        if tag not in rule.children and not tag.startswith("{"):
            yield child, f"<{rule.name}> has no element <{tag}>", did_you_mean(tag, rule.children)


def _faults(element: etree._Element, rule: ElementRule) -> Iterator[tuple[str, str]]:
    for attribute in rule.attributes.values():
        value = element.get(attribute.name)
        if value is None and attribute.required:
            yield f"<{rule.name}> needs {_a(attribute.name)}", _missing_hint(element, rule, attribute)
        elif value is not None and not attribute.accepts(value):
            yield f'{attribute.name}="{value[:60]}" is not possible in <{rule.name}>', _value_hint(attribute, value)
    stray = "".join([element.text or "", *(child.tail or "" for child in element)]).strip(_SPACE)
    if stray and not rule.text:
        yield f"<{rule.name}> contains stray text {stray[:40]!r}", "delete it or make it a comment: <!-- ... -->"
    for name in rule.needed:
        if element.find(name) is None:
            yield f"<{rule.name}> needs a <{name}> inside", _child_hint(rule.children[name])


def _missing_hint(element: etree._Element, rule: ElementRule, attribute: AttributeRule) -> str:
    strange = [str(name) for name in element.attrib if name not in rule.attributes]
    near = get_close_matches(attribute.name, strange, n=1, cutoff=0.6)
    misspelt = f"; is {near[0]} a misspelling of it?" if near else ""
    return f"e.g. {attribute.show()}{misspelt}"


def _value_hint(attribute: AttributeRule, value: str) -> str:
    if attribute.values:
        near = get_close_matches(value[:60], attribute.values, n=1)
        return (f"did you mean {near[0]}? " if near else "") + "one of " + ", ".join(attribute.values)
    return f"e.g. {attribute.show()}"


def _child_hint(rule: ElementRule) -> str:
    needed = [attribute.show() for attribute in rule.attributes.values() if attribute.required]
    return f"e.g. <{' '.join([rule.name, *needed])}/>"


def _a(name: str) -> str:
    return f"an attribute {name}"


def _shown(tag: str) -> str:
    return tag.rpartition("}")[2]


class _RuleReader:
    """Reads from a grammar what the messages need; patterns it does not know only make a message less precise."""

    def __init__(self, grammar: etree._Element) -> None:
        self._defines = {define.get("name"): define for define in grammar.iter(RNG + "define")}
        self._rules: dict[etree._Element, ElementRule] = {}
        start = grammar.find(RNG + "start")
        top = ElementRule("")
        self._collect(grammar if start is None else start, top, required=True)
        self.root = next(iter(top.children.values()))

    def _collect(self, pattern: etree._Element, rule: ElementRule, required: bool) -> None:
        for part in pattern.iterchildren(etree.Element):
            kind = part.tag.removeprefix(RNG)
            if kind == "ref":
                self._collect(self._defines[part.get("name")], rule, required)
            elif kind == "element":
                self._add_child(part, rule, required)
            elif kind == "attribute" and part.get("name"):
                rule.attributes.setdefault(part.get("name", ""), self._attribute(part, required))
            elif kind in {"text", "data", "value"}:
                rule.text = True
            elif part.find(RNG + "anyName") is not None:
                rule.is_open = True
            else:
                self._collect(part, rule, required and kind in {"group", "interleave", "oneOrMore", "mixed"})
                rule.text = rule.text or kind == "mixed"

    def _add_child(self, part: etree._Element, rule: ElementRule, required: bool) -> None:
        name = part.get("name")
        if name is None:
            rule.is_open = True
            return
        if part not in self._rules:
            self._rules[part] = ElementRule(name)
            self._collect(part, self._rules[part], required=True)
        rule.children.setdefault(name, self._rules[part])
        if required:
            rule.needed.append(name)

    def _attribute(self, part: etree._Element, required: bool) -> AttributeRule:
        values = list(self._inside(part, "value"))
        data = next(self._inside(part, "data"), None)
        return AttributeRule(
            part.get("name", ""),
            required,
            tuple((value.text or "").strip(_SPACE) for value in values),
            "" if data is None or values else data.get("type", ""),
            "" if data is None or values else data.findtext(f"{RNG}param[@name='pattern']", ""),
            part.get(EXAMPLE, ""),
        )

    def _inside(self, part: etree._Element, kind: str) -> Iterator[etree._Element]:
        for inner in part.iterchildren(etree.Element):
            if inner.tag == RNG + kind:
                yield inner
            elif inner.tag == RNG + "ref":
                yield from self._inside(self._defines[inner.get("name")], kind)
            else:
                yield from self._inside(inner, kind)
