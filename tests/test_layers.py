"""Imports point down only: messages <- model <- runtime <- editor <- cli. No Qt below the editor."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent

LAYERS = ("", "messages", "model", "runtime", "editor", "cli")
"""From the bottom up; "" is studio itself with errors.py and paths.py. Imports go to the own layer or a lower one."""
ONLY_IN_EDITOR = {"PyQt6", "PyQt6Ads", "PyQt5", "PySide6", "PySide2", "qtpy", "pyqtgraph", "qtawesome"}
FOR_COMPONENTS = {
    "studio.messages",
    "studio.runtime.component",
    "studio.runtime.actuator",  # the rules of what may move are in its base class, for every actuator
    "studio.runtime.gazebo.service",  # the same on a Gazebo server
    "studio.runtime.sim.simulator",  # a simulator of your own names its vehicles, and nothing else
    "studio.runtime.serial_line",  # opening, cut cables and their remedies are the same for every device
}


class Import(NamedTuple):
    file: Path
    line: int
    module: str
    lazy: bool
    """Inside a function, so that it costs nothing until it is called."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: imports {self.module}"


def imports_of(file: Path) -> list[Import]:
    tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
    return sorted(set(_walk(tree, file, lazy=False)), key=lambda one: one.line)


def _walk(node: ast.AST, file: Path, lazy: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Import():
                yield from (Import(file, child.lineno, alias.name, lazy) for alias in child.names)
            case ast.ImportFrom(level=0, module=str(module)):
                # `from studio.runtime import component` names a module too.
                yield from (Import(file, child.lineno, f"{module}.{alias.name}", lazy) for alias in child.names)
            case ast.ImportFrom():
                yield Import(file, child.lineno, "." * child.level + (child.module or ""), lazy)
        yield from _walk(child, file, lazy or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))


def layer_of(module: str) -> str | None:
    """The layer that `module` belongs to; None when it is not part of studio."""
    first, *rest = module.split(".")
    if first != "studio":
        return None
    return rest[0] if rest and rest[0] in LAYERS else ""


def studio_violations(package: Path) -> list[str]:
    found = []
    for file in sorted(package.rglob("*.py")):
        own = layer_of(".".join(file.relative_to(package.parent).with_suffix("").parts)) or ""
        if file.relative_to(package).parts == ("__main__.py",):
            own = "cli"
        for imported in imports_of(file):
            found += [f"{imported}: {reason}" for reason in _reasons(own, imported)]
    return found


def _reasons(own: str, imported: Import) -> Iterator[str]:
    target = layer_of(imported.module)
    if imported.module.startswith("."):
        yield "write the full name"
    elif target is None:
        if imported.module.split(".")[0] in ONLY_IN_EDITOR and own != "editor":
            yield "Qt belongs to studio/editor alone"
    elif LAYERS.index(target) > LAYERS.index(own):
        yield f"{own or 'the ground'} is below {target}; move what is shared one layer lower"
    elif own == "cli" and target == "editor" and not imported.lazy:
        yield "the command line imports the editor inside functions only: robots have no Qt"


def component_violations(components: Path) -> list[str]:
    found = []
    for file in sorted(components.glob("*/**/*.py")):
        if file.name.startswith("test_"):
            continue
        for imported in imports_of(file):
            first = imported.module.split(".")[0]
            if first == "studio" and not _is_for_components(imported.module):
                found.append(f"{imported}: a component imports only {' and '.join(sorted(FOR_COMPONENTS))} of studio")
            elif first in ONLY_IN_EDITOR:
                found.append(f"{imported}: components have no window")
            elif imported.module.startswith("..") or (first and (components / first).is_dir()):
                found.append(f"{imported}: components meet on wires, not by imports")
    return found


def _is_for_components(module: str) -> bool:
    return any(module == allowed or module.startswith(allowed + ".") for allowed in FOR_COMPONENTS)


def test_studio_imports_point_down() -> None:
    assert studio_violations(ROOT / "studio") == []


def test_components_import_only_what_they_may() -> None:
    assert component_violations(ROOT / "components") == []


def test_components_of_projects_import_only_what_they_may() -> None:
    folders = sorted((ROOT / "projects").glob("*/components"))
    assert [violation for folder in folders for violation in component_violations(folder)] == []


def test_python_starts_without_the_working_directory_on_its_path() -> None:
    """`python -m studio` in a project would import the `studio.py` that lies there: see studio.runtime.base.interpreter."""
    starts = re.compile(r'sys\.executable,\s*\[?"-(?!P"|I")')
    assert [str(file) for file in (ROOT / "studio").rglob("*.py") if starts.search(file.read_text())] == []


# The rules themselves: each must be able to fail.


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("file", "text", "reason"),
    [
        ("messages/range3d.py", "from studio.model import spec", "below model"),
        ("messages/range3d.py", "def late():\n    import studio.runtime.base.clock", "below runtime"),
        ("model/system.py", "import studio.runtime.component", "below runtime"),
        (
            "model/system.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from studio.cli import main",
            "below",
        ),
        ("runtime/host.py", "from studio.editor.feed import Feed", "below editor"),
        ("runtime/host.py", "from studio import editor", "below editor"),
        ("errors.py", "from studio.messages import Map", "below messages"),
        ("editor/app.py", "import studio.cli", "below cli"),
        ("model/system.py", "from PyQt6.QtCore import QObject", "Qt belongs"),
        ("runtime/channel/tap.py", "try:\n    import pyqtgraph\nexcept ImportError:\n    pass", "Qt belongs"),
        ("cli/check.py", "def run():\n    import PyQt6.QtWidgets", "Qt belongs"),
        ("cli/check.py", "import studio.editor.app", "inside functions only"),
        ("model/system.py", "from . import spec", "write the full name"),
    ],
)
def test_an_upward_import_is_found(tmp_path: Path, file: str, text: str, reason: str) -> None:
    (violation,) = studio_violations(write(tmp_path / "studio", file, text))
    assert reason in violation
    assert f"{file}:" in violation


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("messages/codec.py", "import numpy\nfrom studio.errors import StudioError"),
        ("runtime/host.py", "from studio.messages import Map\nfrom studio.model.system import System\nimport zmq"),
        (
            "editor/app.py",
            "from PyQt6.QtWidgets import QApplication\nfrom studio.runtime.session.session import Launcher",
        ),
        ("cli/run.py", "def run():\n    from studio.editor.app import main"),
        ("__main__.py", "from studio.cli import main"),
    ],
)
def test_a_downward_import_is_fine(tmp_path: Path, file: str, text: str) -> None:
    assert studio_violations(write(tmp_path / "studio", file, text)) == []


@pytest.mark.parametrize(
    "line",
    [
        "from studio.model.spec import ParameterSpec",
        "from studio.runtime import component_tools",
        "from studio.runtime.channel import Broker",
        "import studio",
        "from PyQt6 import QtCore",
        "from neighbour.neighbour import Neighbour",
        "from ..neighbour import shape",
    ],
)
def test_a_component_that_reaches_too_far_is_found(tmp_path: Path, line: str) -> None:
    write(tmp_path, "neighbour/neighbour.py", "")
    write(tmp_path, "terrain/terrain.py", line)
    assert len(component_violations(tmp_path)) == 1


def test_a_component_may_use_messages_the_base_class_libraries_and_its_own_files(tmp_path: Path) -> None:
    text = """
import numpy as np
from studio.messages import Map, Range3d
from studio.runtime.component import Component, InPort
from .grid import fuse
from . import grid
"""
    write(tmp_path, "terrain/grid.py", "")
    write(tmp_path, "terrain/test_terrain.py", "from studio.model.spec import ParameterSpec")
    assert component_violations(write(tmp_path, "terrain/terrain.py", text)) == []
