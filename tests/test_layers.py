"""What components may import, and the rules of Studio's own code that import-linter cannot tell.

The layers and rooms are contracts in pyproject.toml, which `make check` runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent

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


def studio_violations(package: Path) -> list[str]:
    found = []
    for file in sorted(package.rglob("*.py")):
        in_cli = file.relative_to(package).parts[0] == "cli"
        for imported in imports_of(file):
            if imported.module.startswith("."):
                found.append(f"{imported}: write the full name")
            elif in_cli and f"{imported.module}.".startswith("studio.editor.") and not imported.lazy:
                found.append(f"{imported}: the command line imports the editor inside functions only")
    return found


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


def test_studio_imports_full_names_and_the_editor_only_when_it_is_needed() -> None:
    assert studio_violations(ROOT / "studio") == []


def test_components_import_only_what_they_may() -> None:
    assert component_violations(ROOT / "components") == []


def test_components_of_projects_import_only_what_they_may() -> None:
    folders = sorted((ROOT / "projects").glob("*/components"))
    assert [violation for folder in folders for violation in component_violations(folder)] == []


def test_python_starts_without_the_working_directory_on_its_path() -> None:
    """`python -m studio` in a project would import the `studio.py` that lies there: `base/interpreter.py`."""
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
        ("cli/check.py", "import studio.editor.window.app", "inside functions only"),
        ("cli/check.py", "from studio import editor", "inside functions only"),
        ("model/system.py", "from . import spec", "write the full name"),
    ],
)
def test_a_wrong_import_is_found(tmp_path: Path, file: str, text: str, reason: str) -> None:
    (violation,) = studio_violations(write(tmp_path / "studio", file, text))
    assert reason in violation
    assert f"{file}:" in violation


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("editor/app.py", "from PyQt6.QtWidgets import QApplication\nfrom studio.editor.live.feed import Feed"),
        ("cli/run.py", "def run():\n    from studio.editor.window.app import main"),
    ],
)
def test_a_right_import_is_fine(tmp_path: Path, file: str, text: str) -> None:
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
