"""The door through which XML enters and leaves Studio.

`read_xml` refuses what an attacker could use (DOCTYPE, entities, XInclude, bombs), validates against
`schemas/<schema>.rng`, and raises nothing but `FileError`. Names that the schema does not know are let through, so that
files of a newer Studio keep working; `unknown_names` lists them for the checks.
"""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from studio.errors import Problem
from studio.model.close_matches import did_you_mean
from studio.model.files import FileError, read_bytes, write_atomically
from studio.model.xml_parse import parse_hardened
from studio.model.xml_schema import line_of, load_schema

__all__ = [
    "FileError",
    "did_you_mean",
    "line_of",
    "parse_hardened",
    "read_bytes",
    "read_xml",
    "unknown_names",
    "validate_xml",
    "write_atomically",
]


def read_xml(data: bytes | Path, schema: str, *, file: Path | str | None = None) -> etree._Element:
    """The valid root element of `data` (bytes, or a file to read), without comments; `file` names bytes in messages."""
    if isinstance(data, Path):
        file = data if file is None else file
        data = read_bytes(data)
    root = parse_hardened(data, file)
    validate_xml(root, schema, file)
    return root


def validate_xml(root: etree._Element, schema: str, file: Path | str | None = None) -> None:
    load_schema(schema).validate(root, file)


def unknown_names(root: etree._Element, schema: str, file: Path | str | None = None) -> list[Problem]:
    """A warning for each element and attribute that the schema does not know, with the name that was perhaps meant,
    and one for a file of a later version."""
    return load_schema(schema).unknown_names(root, file)
