"""The documents that keep bodies and assemblies in their files."""

from __future__ import annotations

from pathlib import Path

from studio.model.document import Document, OpenFile
from studio.model.files import read_bytes
from studio.model.geometry.assembly_xml import read_assembly, write_assembly
from studio.model.geometry.body_xml import read_body, write_body
from studio.model.geometry.editable_assembly import EditableAssembly
from studio.model.geometry.editable_body import EditableBody

__all__ = ["AssemblyDocument", "BodyDocument", "EditableAssembly", "EditableBody"]


class BodyDocument(Document[EditableBody]):
    """One body file."""

    @classmethod
    def load(cls, path: Path) -> BodyDocument:
        data = read_bytes(path)
        file: OpenFile[EditableBody] = OpenFile(path.name, write_editable_body, data, data)
        return cls(EditableBody(read_body(data, path)), path.parent, [file])


class AssemblyDocument(Document[EditableAssembly]):
    """One assembly file; the bodies that it names are documents of their own."""

    @classmethod
    def load(cls, path: Path) -> AssemblyDocument:
        data = read_bytes(path)
        file: OpenFile[EditableAssembly] = OpenFile(path.name, write_editable_assembly, data, data)
        return cls(EditableAssembly(read_assembly(data, path)), path.parent, [file])


def write_editable_body(model: EditableBody, written: bytes) -> bytes:
    return write_body(model.body(), model.written or written)


def write_editable_assembly(model: EditableAssembly, written: bytes) -> bytes:
    return write_assembly(model.assembly(), model.written or written)
