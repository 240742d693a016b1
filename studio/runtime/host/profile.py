"""Profiles of Python components: component.xml is generated from the class, and told apart from a stale one."""

from __future__ import annotations

import inspect
import sys
from dataclasses import replace
from pathlib import Path

from studio.errors import StudioError
from studio.model.close_matches import did_you_mean
from studio.model.component_reader import tidy
from studio.model.component_xml import parse_profile, read_profile, write_profile
from studio.model.files import write_atomically
from studio.model.spec import (
    PROFILE,
    CommandEntry,
    ComponentSpec,
    Entry,
    ParameterSpec,
    PortSpec,
    PythonEntry,
    ServicePortSpec,
    SpecError,
    Value,
)
from studio.model.spec_diff import differences
from studio.runtime.component import Component
from studio.runtime.host.component_import import (
    PACKAGE,
    ComponentImportError,
    component_classes,
    forget,
    import_class,
    import_component,
    import_module,
    is_local,
)

__all__ = ["generate", "import_component", "load_class", "spec_of", "stale", "write_profile_of"]


def spec_of(cls: type[Component]) -> ComponentSpec:
    """What the class declares, checked as if it had been read from a file."""
    try:
        # Through the file's form and back, so that one reader holds all the rules and the two can be compared.
        return replace(parse_profile(write_profile(_declared(cls)), Path(PROFILE)), folder=None)
    except StudioError as error:
        file, line = _place_of(cls)
        raise SpecError(f"{cls.__name__}: {error.message}", file=file, line=line, hint=error.hint) from None


def generate(folder: Path) -> bytes:
    """The component.xml that belongs to the class in `folder`, as it is on disk now."""
    return write_profile(_spec_in(folder))


def stale(folder: Path) -> str | None:
    """How component.xml differs from the class, or None if it is current. A program's profile is written by hand."""
    path = folder / PROFILE
    if not path.is_file():
        return f"{path} is missing; write it: studio profile {folder}"
    try:
        written = read_profile(path)
    except StudioError as error:
        return f"{error}; write it again: studio profile {folder}"
    if isinstance(written.entry, CommandEntry):
        return None
    found = differences(written, _spec_in(folder))
    return f"{path} is stale: {'; '.join(found)}; write it again: studio profile {folder}" if found else None


def write_profile_of(folder: Path) -> bool:
    """Bring component.xml up to date; False if it was. A current file is left alone, with its comments."""
    data = generate(folder)
    if stale(folder) is None:
        return False
    write_atomically(folder / PROFILE, data)
    return True


def load_class(folder: Path) -> type[Component]:
    """The component class in `folder`: the one its profile names, or the one in the module named like the folder."""
    return import_class(folder, _python_entry(folder))


def _spec_in(folder: Path) -> ComponentSpec:
    folder = folder.absolute()
    forget(folder)
    entry = _python_entry(folder)
    return replace(spec_of(import_class(folder, entry)), type=folder.name, entry=entry, folder=folder)


def _python_entry(folder: Path) -> PythonEntry:
    entry = _written_entry(folder)
    if isinstance(entry, CommandEntry):
        message = "this component is a program; its profile is written by hand"
        raise ComponentImportError(message, file=folder / PROFILE, hint="edit the file")
    if entry is not None and not is_local(folder, entry.module):
        return entry
    return _entry_in(folder, entry or PythonEntry(folder.absolute().name, ""))


def _written_entry(folder: Path) -> Entry | None:
    """What the profile names; None if it is missing or broken but can be made anew from the code beside it."""
    try:
        return read_profile(folder / PROFILE).entry
    except StudioError:
        if not is_local(folder, folder.absolute().name):
            raise
    return None


def _entry_in(folder: Path, wanted: PythonEntry) -> PythonEntry:
    """The class that is wanted, or the only one there is: a class that was renamed is still the component."""
    module = import_module(folder, wanted.module)
    names = [cls.__name__ for cls in component_classes(module)]
    if wanted.cls in names:
        return wanted
    title = folder.absolute().name.replace("_", " ").title().replace(" ", "")
    found = names if len(names) == 1 else [name for name in names if name == title]
    if not found:
        hint = f"call one of them {title}: {', '.join(names)}" if names else f"write: class {title}(Component)"
        message = f"{wanted.module} defines {len(names) or 'no'} component classes"
        raise ComponentImportError(message, file=module.__file__, hint=hint)
    return PythonEntry(wanted.module, found[0])


def _declared(cls: type[Component]) -> ComponentSpec:
    for name in ("tags", "activations"):
        if isinstance(getattr(cls, name), str):
            raise SpecError(f"{name} is a text, not a tuple", hint=f'{name} = ("{getattr(cls, name)}",)')
    parameters = tuple(parameter.spec for parameter in cls.__parameters__.values())
    module = _local_name(cls.__module__)
    return ComponentSpec(
        type=module.rpartition(".")[2],
        category=cls.category,
        entry=PythonEntry(module, cls.__name__),
        ports=tuple(
            PortSpec(
                port.name,
                port.direction,
                _message(port.name, port.type),
                port.delivery,
                port.doc,
                port.optional,
                port.truth,
            )
            for port in cls.__ports__.values()
        ),
        services=tuple(
            ServicePortSpec(one.name, one.role, _message(one.name, one.request), _message(one.name, one.reply), one.doc)
            for one in cls.__services__.values()
        ),
        parameters=parameters,
        parameter_sets=_checked_sets(cls, {parameter.name: parameter for parameter in parameters}),
        activations=tuple(cls.activations),
        period_s=cls.period_s,
        icon=cls.icon,
        tags=tuple(cls.tags),
        doc=tidy(cls.__doc__ or ""),
        needs_geometry=cls.needs_geometry,
        assembly=cls.brings_geometry,
    )


def _local_name(module: str) -> str:
    """`studio_components.low_pass.low_pass` is `low_pass` for the profile that lies beside it."""
    return module.split(".", 2)[2] if module.startswith(PACKAGE + ".") else module


def _message(port: str, cls: type) -> str:
    name = getattr(cls, "TYPE", None)
    if not isinstance(name, str):
        raise SpecError(f"{port} carries {cls!r}, which is not a message type", hint="e.g. studio.messages.Float64")
    return name


def _checked_sets(cls: type[Component], parameters: dict[str, ParameterSpec]) -> dict[str, dict[str, Value]]:
    for name, values in cls.parameter_sets.items():
        for parameter in values:
            if parameter not in parameters:
                message = f"parameter set {name} sets {parameter}, which is not a parameter"
                raise SpecError(message, hint=did_you_mean(parameter, parameters))
    return {name: dict(values) for name, values in cls.parameter_sets.items()}


def _place_of(cls: type) -> tuple[str | None, int | None]:
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    try:
        return file, inspect.getsourcelines(cls)[1]
    except (OSError, TypeError):
        return file, None
