"""XML as plain records: what loading reads and saving wants, with no meaning attached."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from studio.errors import StudioError
from studio.model.files import FileError
from studio.model.origin import Origin
from studio.model.xml_file import line_of, read_xml


@dataclass
class XmlNode:
    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    text: str = ""
    children: list[XmlNode] = field(default_factory=list)
    element: int | None = None
    """Which element of the file it was read from, counted in document order; None for what is new."""
    line: int | None = None

    def all(self, tag: str) -> Iterator[XmlNode]:
        return (child for child in self.children if child.tag == tag)

    def get(self, attribute: str) -> str | None:
        return self.attributes.get(attribute)

    def origin(self, **inner: str) -> Origin:
        """`inner` names the child tags that have no value of their own, and their key attribute: `parameter="name"`."""
        lines = {
            f"{child.tag} {child.attributes.get(inner[child.tag])}": child.line
            for child in self.children
            if child.tag in inner
        }
        return Origin(self.element or 0, self.line, lines)


def read_tree(data: bytes | Path, schema: str, file: Path | str | None = None) -> XmlNode:
    """The records of a valid file; unknown elements are among them, and counted."""
    return tree_of(read_xml(data, schema, file=file))


def tree_of(root: etree._Element) -> XmlNode:
    nodes: dict[etree._Element, XmlNode] = {}
    for count, element in enumerate(root.iter(etree.Element)):
        node = XmlNode(str(element.tag), {str(k): str(v) for k, v in element.attrib.items()}, _text(element))
        node.element, node.line = count, line_of(element)
        nodes[element] = node
        parent = element.getparent()
        if parent is not None and parent in nodes:
            nodes[parent].children.append(node)
    return nodes[root]


@contextmanager
def reading(node: XmlNode, file: Path | str | None) -> Iterator[None]:
    """What the model refuses while `node` is turned into a part becomes a fault of the file, in that line."""
    try:
        yield
    except FileError:
        raise
    except StudioError as error:
        raise FileError(error.message, file=file, line=node.line, hint=error.hint) from error


def only(parent: XmlNode, tag: str, file: Path | str | None) -> XmlNode | None:
    """The one child with that tag, or None."""
    found = list(parent.all(tag))
    if len(found) > 1:
        hint = f"the first is in line {found[0].line}; keep one"
        raise FileError(f"a second <{tag}> in <{parent.tag}>", file=file, line=found[1].line, hint=hint)
    return found[0] if found else None


def _text(element: etree._Element) -> str:
    return "".join([element.text or "", *(child.tail or "" for child in element)])
