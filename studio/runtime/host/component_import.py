"""Imports a component's class from its folder. Only hosts and the profile generator do this; the editor never does.

A component's folder is a package, `studio_components.<type>`: equally named modules of two components do not clash,
`from . import helper` works, and sys.path stays as it is. An `__init__.py` in the folder is not run.
Bytecode is neither read nor written: Python believes it when the source was changed within the same second.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import TypeGuard

from studio.errors import StudioError
from studio.model.close_matches import did_you_mean
from studio.model.component_code import module_file
from studio.model.spec import NAME, PROFILE, CommandEntry, ComponentSpec, PythonEntry
from studio.runtime.component import Component

PACKAGE = "studio_components"


class ComponentImportError(StudioError):
    """A component whose code cannot be imported or is not a component."""


def import_component(spec: ComponentSpec) -> type[Component]:
    """The class that `spec` names, in its folder or, if there is no such module there, installed."""
    if isinstance(spec.entry, CommandEntry):
        raise ComponentImportError(
            f"{spec.type} is a program, not a Python class", hint="run it: " + " ".join(spec.entry.command)
        )
    if spec.folder is None:
        raise ComponentImportError(f"{spec.type} has no folder to import from", hint="read its profile from a file")
    return import_class(spec.folder, spec.entry)


def import_class(folder: Path, entry: PythonEntry) -> type[Component]:
    module = import_module(folder, entry.module)
    found = getattr(module, entry.cls, None)
    if _is_component(found):
        return found
    what = "has no" if found is None else "does not define a Component named"
    names = [cls.__name__ for cls in component_classes(module)]
    hint = did_you_mean(entry.cls, names) or f"write: class {entry.cls}(Component)"
    raise ComponentImportError(f"{entry.module} {what} {entry.cls}", file=module.__file__ or folder, hint=hint)


def import_module(folder: Path, name: str) -> ModuleType:
    folder = folder.absolute()
    if not is_local(folder, name):
        return _import(name, folder, folder / PROFILE)
    return _import(f"{_package(folder)}.{name}", folder, folder.joinpath(*name.split(".")).with_suffix(".py"))


def is_local(folder: Path, name: str) -> bool:
    """Whether the module lies in the component's folder."""
    return module_file(folder, name) is not None


def component_classes(module: ModuleType) -> list[type[Component]]:
    """The component classes that a module defines itself, in order."""
    return [value for value in vars(module).values() if _is_component(value) and value.__module__ == module.__name__]


def forget(folder: Path) -> None:
    """Drop the modules of a component's folder, so that the next import sees its files as they are now."""
    package = f"{PACKAGE}.{folder.name}"
    for name in [name for name in sys.modules if name == package or name.startswith(package + ".")]:
        del sys.modules[name]
    importlib.invalidate_caches()


def _is_component(value: object) -> TypeGuard[type[Component]]:
    return isinstance(value, type) and issubclass(value, Component) and value is not Component


def _package(folder: Path) -> str:
    """The name of the package that stands for the folder, made on first use and when another folder had the name."""
    name = f"{PACKAGE}.{folder.name}"
    if not NAME.match(folder.name):
        raise ComponentImportError(f"{folder.name!r} cannot be a component's name", file=folder, hint="e.g. low_pass")
    known = sys.modules.get(name)
    if known is None or list(known.__path__) != [str(folder)]:
        forget(folder)
        if PACKAGE not in sys.modules:
            sys.modules[PACKAGE] = _empty_package(PACKAGE, [])
            sys.meta_path.insert(0, _Finder())
        sys.modules[name] = _empty_package(name, [str(folder)])
    return name


def _empty_package(name: str, path: list[str]) -> ModuleType:
    spec = ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = path
    return importlib.util.module_from_spec(spec)


class _Finder:
    """Finds the modules of component folders as Python does, and has them loaded from their source."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name.startswith(PACKAGE + ".") else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = SourceLoader(name, spec.loader.path)
        return spec


class SourceLoader(SourceFileLoader):
    """Remembers what it has loaded: the file may be edited while the code runs."""

    source: bytes
    code: CodeType

    def get_code(self, fullname: str) -> CodeType:
        self.source = self.get_data(self.path)
        self.code = self.source_to_code(self.source, self.path)
        return self.code


def loaded_modules() -> list[tuple[ModuleType, SourceLoader]]:
    """All modules of components in this process."""
    own = [module for name, module in list(sys.modules.items()) if name.startswith(PACKAGE + ".")]
    return [(module, loader) for module in own if isinstance(loader := module.__loader__, SourceLoader)]


def _import(name: str, folder: Path, file: Path) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        # Half a component must not stay behind and be found by the next attempt.
        forget(folder)
        raise _explained(name, folder, file, error) from error


def _explained(name: str, folder: Path, file: Path, raised: BaseException) -> ComponentImportError:
    module = name.removeprefix(f"{PACKAGE}.{folder.name}.")
    error = _cause(raised)
    if isinstance(error, ModuleNotFoundError) and error.name and f"{name}.".startswith(f"{error.name}."):
        hint = f"write {module}.py in {folder}, or correct the entry in {PROFILE}"
        return ComponentImportError(f"there is no module {module}", file=file, hint=hint)
    if isinstance(error, StudioError) and error.file is not None:
        return ComponentImportError(error.message, file=error.file, line=error.line, hint=error.hint)
    last_line = traceback.format_exception_only(error)[-1].strip()
    what = error.message if isinstance(error, StudioError) else last_line
    place, line = _place(raised, folder, file)
    return ComponentImportError(
        f"{module} cannot be imported: {what}", file=place, line=line, hint=_hint(error, folder)
    )


def _cause(error: BaseException) -> BaseException:
    """Python 3.11 wraps what a declaration raises while its class is made; the wrapper alone knows the place."""
    wrapped = isinstance(error, RuntimeError) and isinstance(error.__cause__, StudioError)
    return error.__cause__ if wrapped and error.__cause__ is not None else error


def _place(error: BaseException, folder: Path, file: Path) -> tuple[Path, int | None]:
    """The last line of the component's own code that was running, or the line that is not Python."""
    if isinstance(error, SyntaxError) and error.filename:
        return Path(error.filename), error.lineno
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if folder in Path(frame.filename).parents]
    return (Path(frames[-1].filename), frames[-1].lineno) if frames else (file, None)


def _hint(error: BaseException, folder: Path) -> str:
    if isinstance(error, StudioError):
        return error.hint
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return ""
    if is_local(folder, error.name):
        return f"it is in the folder of the component: from . import {error.name}"
    return f"install {error.name.partition('.')[0]}, or correct the import"
