"""Looks at the code that a profile names, without running it: is it there, is it Python, does it define the class?"""

from __future__ import annotations

import ast
import importlib.util
import os
import warnings
from dataclasses import dataclass
from pathlib import Path

from studio.errors import StudioError
from studio.model.close_matches import did_you_mean
from studio.model.spec import PROFILE, CommandEntry, ComponentSpec, PythonEntry


class CodeError(StudioError):
    """A component that cannot start: its code is not there, or is not what the profile says."""


class NotBuilt(CodeError):
    """A program that is not there yet, but can be built."""


def check_code(spec: ComponentSpec, entry_line: int | None = None) -> None:
    """Raise CodeError for what can be seen without running it; `entry_line` is the line of the profile's entry."""
    if spec.folder is None:
        return
    place = _Place(spec.folder, entry_line)
    if isinstance(spec.entry, CommandEntry):
        _check_program(spec.entry, place)
    else:
        _check_class(spec.entry, place)


def module_file(folder: Path, module: str) -> Path | None:
    """The file in a component's folder that holds the module; None if there is none."""
    path = folder.joinpath(*module.split("."))
    files = (path / "__init__.py", path.with_suffix(".py"))
    return next((file for file in files if file.is_file()), None)


@dataclass(frozen=True)
class _Place:
    folder: Path
    line: int | None

    def error(self, message: str, hint: str, kind: type[CodeError] = CodeError) -> CodeError:
        return kind(message, file=self.folder / PROFILE, line=self.line, hint=hint)


def _check_program(entry: CommandEntry, place: _Place) -> None:
    program = place.folder / entry.command[0]
    if not program.is_file():
        if (place.folder / "Makefile").is_file():
            raise place.error(f"{entry.command[0]} is not built yet", "build it: make components", NotBuilt)
        raise place.error(f"there is no program {entry.command[0]}", "put it beside this file, or correct the entry")
    if not os.access(program, os.X_OK):
        raise place.error(f"{entry.command[0]} cannot be executed", f"chmod +x {program}")


def _check_class(entry: PythonEntry, place: _Place) -> None:
    file = module_file(place.folder, entry.module)
    if file is None and not _is_installed(entry.module):
        hint = f"write {entry.module}.py beside this file, or correct the entry"
        raise place.error(f"there is no module {entry.module}", hint)
    if file is None:
        return
    names = _Names()
    names.visit(_parse(file))
    if entry.cls not in names.bound and not names.open:
        hint = did_you_mean(entry.cls, names.classes) or f"write: class {entry.cls}(Component)"
        raise place.error(
            f"{file.name} defines no {entry.cls}",
            f"{hint}; or bring the profile up to date: studio profile {place.folder}",
        )


def _is_installed(module: str) -> bool:
    """Only the first name is looked up: for the second, Python would import the first."""
    try:
        return importlib.util.find_spec(module.partition(".")[0]) is not None
    except (ImportError, ValueError):
        return False


def _parse(file: Path) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # matters of style, which Python tells when it runs the code
            return ast.parse(file.read_bytes(), str(file))
    except SyntaxError as error:
        raise CodeError(f"Syntax error: {error.msg}", file=file, line=error.lineno) from None
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        raise CodeError(f"is not readable Python: {str(error) or type(error).__name__}", file=file) from None


class _Names(ast.NodeVisitor):
    """The names that a module binds at its top level, also below `if` and `try`."""

    def __init__(self) -> None:
        self.bound: set[str] = set()
        self.classes: list[str] = []
        self.open = False
        """Whether it may have names that cannot be seen: `from x import *`."""

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.bound.add(node.name)
        self.classes.append(node.name)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.bound.add(node.name)
        self.open = self.open or node.name == "__getattr__"

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.bound.add(node.name)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Binds nothing outside."""

    def visit_alias(self, node: ast.alias) -> None:
        self.open = self.open or node.name == "*"
        self.bound.add(node.asname or node.name.partition(".")[0])

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.bound.add(node.id)
