"""The single examinations of `studio doctor`. Each yields findings and none of them raises."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from studio.cli.doctor_parts.requirements import Requirement, requirements
from studio.installation import DISTRIBUTION, how_to_install
from studio.paths import component_roots, path_problems, project_roots

State = Literal["ok", "missing", "absent"]
PURPOSES = {
    "": "Studio itself",
    "editor": "the window",
    "dev": "tests and checks",
    "bench": "benchmarks against peers",
}
SHARED_MEMORY = Path("/dev/shm")
ENOUGH_SHARED_MEMORY_MB = 256


@dataclass(frozen=True)
class Finding:
    group: str
    name: str
    state: State
    """"missing" is needed, "absent" would only be useful."""
    detail: str = ""
    remedy: str = ""


@dataclass(frozen=True)
class Program:
    name: str
    commands: tuple[str, ...]
    version: tuple[str, ...]
    purpose: str
    remedy: str


COMPILERS = ("cc", "gcc", "clang")
PROGRAMS = (
    Program("C compiler", COMPILERS, ("--version",), "components in C and C++", "apt-get install gcc libc6-dev"),
    Program("gdb", ("gdb",), ("--version",), "debugging components in C and C++", "apt-get install gdb"),
    Program("Gazebo", ("gz",), ("sim", "--versions"), "simulation in Gazebo", "see gazebosim.org, package gz-harmonic"),
    Program("Xvfb", ("Xvfb",), (), "tests of the window without a screen", "apt-get install xvfb xauth"),
)


def examine() -> Iterator[Finding]:
    yield from examine_python()
    yield from examine_packages()
    yield from examine_qt()
    yield from (examine_program(program) for program in PROGRAMS)
    yield examine_libzmq()
    yield from examine_machine()
    yield from examine_paths()


def examine_python() -> Iterator[Finding]:
    version = platform.python_version()
    if sys.version_info < (3, 12):
        yield Finding("Python", "python", "ok", f"{version}; on 3.12 and later debugging does not slow components down")
    else:
        yield Finding("Python", "python", "ok", version)


def examine_packages() -> Iterator[Finding]:
    groups = list(PURPOSES)
    found = sorted(requirements(), key=lambda one: groups.index(one.extra) if one.extra in groups else len(groups))
    if not found:
        yield Finding("packages", DISTRIBUTION, "missing", "is not installed in this Python", "make setup")
    for requirement in found:
        yield examine_package(requirement)


def examine_package(requirement: Requirement) -> Finding:
    group = f"packages for {PURPOSES.get(requirement.extra, requirement.extra)}"
    remedy = how_to_install(requirement.extra)
    lacking: State = "absent" if requirement.extra else "missing"
    version = requirement.installed_version()
    if version is None:
        return Finding(group, requirement.name, lacking, f"needs {requirement.bounds}".strip(), remedy)
    if not requirement.accepts(version):
        return Finding(group, requirement.name, lacking, f"{version}, but needs {requirement.bounds}", remedy)
    return Finding(group, requirement.name, "ok", version)


def examine_qt() -> Iterator[Finding]:
    """Loads Qt in a process of its own: a missing system library shows only then, and must not hurt this process."""
    if Requirement("PyQt6").installed_version() is None:
        return
    code = "from PyQt6 import QtCore, QtGui, QtWidgets; print(QtCore.QT_VERSION_STR)"
    answer, ok = ask([sys.executable, "-P", "-c", code])
    remedy = "apt-get install libegl1 libgl1 libdbus-1-3 libfontconfig1 libglib2.0-0 libxkbcommon0 libxcb-cursor0"
    if ok:
        yield Finding("programs", "Qt", "ok", f"{answer} loads")
    else:
        yield Finding("programs", "Qt", "absent", f"does not load: {answer}", remedy)


def examine_program(program: Program) -> Finding:
    path = find_program(program.commands)
    if path is None:
        return Finding("programs", program.name, "absent", f"for {program.purpose}", program.remedy)
    if not program.version:
        return Finding("programs", program.name, "ok", path)
    answer, ok = ask([path, *program.version])
    state: State = "ok" if ok else "absent"
    return Finding("programs", program.name, state, answer or path, program.remedy)


def find_program(commands: tuple[str, ...]) -> str | None:
    return next((path for command in commands if (path := shutil.which(command))), None)


def examine_libzmq() -> Finding:
    """The compiler knows where headers are."""
    remedy = "apt-get install libzmq3-dev"
    compiler = find_program(COMPILERS)
    if compiler is None:
        return Finding("programs", "libzmq for C", "absent", "cannot be looked for without a C compiler", remedy)
    _, found = ask([compiler, "-E", "-x", "c", "-include", "zmq.h", "-o", os.devnull, os.devnull])
    if not found:
        return Finding("programs", "libzmq for C", "absent", "for components in C and C++", remedy)
    return Finding("programs", "libzmq for C", "ok", "zmq.h is there")


def ask(command: list[str]) -> tuple[str, bool]:
    """The first line a program prints (its last one when it fails), and whether it succeeded."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return str(error), False
    lines = (done.stdout.strip() or done.stderr.strip()).splitlines() or [""]
    return (lines[0], True) if done.returncode == 0 else (lines[-1], False)


def examine_machine() -> Iterator[Finding]:
    yield Finding("machine", "system", "ok", f"{platform.system()} {platform.release()}, {platform.machine()}")
    yield Finding("machine", "cores", "ok", str(os.cpu_count() or 1))
    if not SHARED_MEMORY.is_dir():
        yield Finding(
            "machine", "shared memory", "absent", "images and maps are copied through sockets", "mount /dev/shm"
        )
        return
    size_mb = shutil.disk_usage(SHARED_MEMORY).total // 2**20
    small = size_mb < ENOUGH_SHARED_MEMORY_MB
    detail = f"{size_mb} MB in {SHARED_MEMORY}" + (f", less than {ENOUGH_SHARED_MEMORY_MB} MB" if small else "")
    remedy = "mount -o remount,size=1G /dev/shm, in Docker: --shm-size=1g"
    yield Finding("machine", "shared memory", "absent" if small else "ok", detail, remedy)


def examine_paths() -> Iterator[Finding]:
    yield from examine_roots("components", component_roots(), "missing")
    yield from examine_roots("projects", project_roots(), "absent")
    for problem in path_problems():
        yield Finding("search path", "STUDIO_PATH", "absent", problem.message, problem.hint)


def examine_roots(kind: str, roots: list[Path], lacking: State) -> Iterator[Finding]:
    """A project can be named by its folder, so a system without a place for projects is not sick."""
    if roots:
        yield from (Finding("search path", kind, "ok", str(root)) for root in roots)
    else:
        yield Finding("search path", kind, lacking, f"no {kind} found", "set STUDIO_PATH")
