"""URDF and SDF files as models; xacro files too, where xacrodoc is installed."""

from __future__ import annotations

from pathlib import Path

from studio.errors import StudioError
from studio.model.files import FileError, read_bytes
from studio.model.geometry.foreign_values import Foreign
from studio.model.geometry.import_tree import Imported, build
from studio.model.geometry.sdf_import import read_sdf
from studio.model.geometry.urdf_import import read_urdf
from studio.model.xml_parse import as_simulators_read, parse_hardened

SUFFIXES = (".sdf", ".urdf", ".world", ".xacro")


def import_model(path: Path) -> Imported:
    """What the file is, its root element tells."""
    data = _expanded(path) if path.suffix == ".xacro" else read_bytes(path)
    root = parse_hardened(as_simulators_read(data), path)
    foreign = Foreign(path)
    if root.tag == "robot":
        raw = read_urdf(root, foreign)
    elif root.tag == "sdf":
        raw = read_sdf(root, foreign)
    else:
        hint = "URDF starts with <robot>, SDF with <sdf>"
        raise FileError(f"the root element is <{str(root.tag)[:40]}>", file=path, line=1, hint=hint)
    try:
        return build(raw, str(path))
    except FileError:
        raise
    except StudioError as error:
        raise FileError(error.message, file=path, hint=error.hint) from error


def _expanded(path: Path) -> bytes:
    try:
        from xacrodoc import XacroDoc  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        hint = "pip install xacrodoc, or convert it into URDF with `xacro`"
        raise FileError("xacro files need xacrodoc", file=path, hint=hint) from None
    try:
        text: str = XacroDoc.from_file(str(path)).to_urdf_string()
    except Exception as error:  # whatever a foreign macro language throws
        raise FileError(f"xacro could not expand it: {error}", file=path) from error
    return text.encode("utf-8")
