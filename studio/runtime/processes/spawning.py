"""Starts one process of a run: its command line, its environment, and where its output goes."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

from studio.errors import StudioError
from studio.model.spec import format_value
from studio.runtime.base.child_signals import pass_on_default_signals
from studio.runtime.base.interpreter import MODULE, callers_environment, module_command, own_environment
from studio.runtime.base.process import Process
from studio.runtime.channel.run_folder import RunFolders
from studio.runtime.host.ahead import order_of
from studio.runtime.plan.plan import Plan, PlannedComponent
from studio.runtime.processes.captured_output import Outputs
from studio.runtime.processes.fork_client import fork_client

IMPORT = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.MULTILINE)


class LaunchError(StudioError):
    """A process of the system that could not be started."""


def spawn(
    name: str,
    command: list[str],
    folders: RunFolders,
    outputs: Outputs,
    extra: Mapping[str, str] | None = None,
    folder: Path | None = None,
    libraries: Iterable[str] = (),
    order: str = "",
) -> Process:
    """`order`: of components that may be made ahead of its next start."""
    is_ours = command[: len(MODULE)] == MODULE
    environment = {
        **(own_environment() if is_ours else callers_environment(own_environment())),
        "STUDIO_RUN": str(folders.run),
        "STUDIO_PARENT": str(os.getpid()),
        **(extra or {}),
    }
    pass_on_default_signals()
    if folders.shared is not None:
        environment["STUDIO_SHM"] = str(folders.shared)
    if folders.journals is not None:
        environment["STUDIO_JOURNALS"] = str(folders.journals)
    ends = outputs.open(name)
    try:
        if is_ours and folder is None:
            module, *words = command[len(MODULE) :]
            child = fork_client.bear(
                module, words, title=f"studio {name}", environment=environment, outputs=ends, libraries=libraries,
                order=order,
            )  # fmt: skip
            if child is not None:
                return child
        return subprocess.Popen(
            command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=ends[0], stderr=ends[1],
            start_new_session=True,
        )  # fmt: skip
    finally:
        for end in ends:
            os.close(end)


def spawn_host(host: str, plan: Plan, folders: RunFolders, outputs: Outputs) -> Process:
    components = plan.on_host(host)
    programs = [component for component in components if component.command]
    if programs and len(components) > 1:
        raise LaunchError(f"{programs[0].name} is a program and needs a process of its own", hint="remove its host")
    command = module_command("studio.runtime.host.host")
    extra: dict[str, str] = {}
    folder: Path | None = None
    if programs:
        folder = Path(programs[0].folder)
        command = _program(programs[0], folder)
        extra = program_environment(programs[0])
    extra |= {"STUDIO_HOST": host, "STUDIO_HOST_INDEX": str(plan.hosts[host])}
    libraries = {name for component in components if not component.command for name in _libraries(component)}
    return spawn(host, command, folders, outputs, extra, folder, libraries, order_of(components, plan.project))


def _libraries(component: PlannedComponent) -> set[str]:
    """What its files import, wherever they do; those of a built-in are in its package."""
    module = component.entry.partition(":")[0]
    folder = Path(component.folder)
    if module.startswith("studio."):
        spec = find_spec(module)
        folder = Path(spec.origin).parent if spec and spec.origin else folder
    return {name for file in folder.glob("*.py") for name in IMPORT.findall(file.read_text(errors="replace"))}


def program_environment(component: PlannedComponent) -> dict[str, str]:
    """What a component in another language needs to know, as environment variables (docs/protocol.md, section 6)."""
    topics: dict[str, list[str]] = {}
    for inlet in component.inlets:
        topics.setdefault(inlet.port, []).append(inlet.topic)
    deliveries = {inlet.port: inlet.delivery for inlet in component.inlets}
    return {
        "STUDIO_COMPONENT": component.name,
        "STUDIO_PLACE": str(component.place),
        "STUDIO_ORIGIN": str(component.origin),
        **{f"STUDIO_IN_{port}": " ".join(names) for port, names in topics.items()},
        **{f"STUDIO_DELIVERY_{port}": delivery for port, delivery in deliveries.items()},
        **{f"STUDIO_OUT_{port}": topic for port, topic in component.outlets.items()},
        **{f"STUDIO_PARAMETER_{name}": format_value(value) for name, value in component.parameters.items()},
    }


def _program(component: PlannedComponent, folder: Path) -> list[str]:
    program, *words = shlex.split(component.entry)
    path = (folder / program).absolute()
    if not os.access(path, os.X_OK):
        raise LaunchError(f"{component.name}: no program {program} in {folder}", hint="build it: make components")
    return [str(path), *words]
