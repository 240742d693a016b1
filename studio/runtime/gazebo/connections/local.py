"""Servers that can be started on this machine, and one that was: on loopback, with a log, ended with its owner."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from studio.model.worlds import world_folders
from studio.paths import model_roots
from studio.runtime.base.clock import wall_ns
from studio.runtime.gazebo import local_classic
from studio.runtime.gazebo.connections.address import Address, Family
from studio.runtime.gazebo.gz_transport.names import default_partition
from studio.runtime.gazebo.local_classic import LocalClassic

KEPT_LOGS = 10
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Installed:
    """A server program on this machine."""

    title: str
    family: Family
    program: Path
    is_own: bool = False
    """Installed by `studio gazebo install`."""


def installed_servers(environment: Mapping[str, str] = os.environ) -> list[Installed]:
    """Our own first, then what is on the PATH, under /opt/ros, and in the conda environment that is active."""
    own = local_classic.installed()
    found = [Installed("Gazebo classic 11", Family.CLASSIC, own.root / "usr/bin/gzserver", is_own=True)] if own else []
    for folder in _folders(environment):
        for name, family, title in (
            ("gzserver", Family.CLASSIC, "Gazebo classic"),
            ("gz", Family.MODERN, "Gazebo (gz sim)"),
            ("ign", Family.MODERN, "Gazebo Fortress (ign gazebo)"),
        ):
            program = folder / name
            if os.access(program, os.X_OK) and not any(each.program == program for each in found):
                found.append(Installed(f"{title} · {program}", family, program))
    return found


def _folders(environment: Mapping[str, str]) -> Iterator[Path]:
    yield from (Path(each) for each in environment.get("PATH", "").split(os.pathsep) if each)
    yield from sorted(Path("/opt/ros").glob("*/opt/*/bin"))
    yield from sorted(Path("/opt/ros").glob("*/bin"))
    if prefix := environment.get("CONDA_PREFIX"):
        yield Path(prefix) / "bin"


def free_port(first: int) -> int:
    """This one, or the next that nothing listens on."""
    for port in range(first, first + 100):
        with socket.socket() as tcp:
            tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tcp.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    with socket.create_server(("127.0.0.1", 0)) as tcp:
        return int(tcp.getsockname()[1])


def log_folder() -> Path:
    """Of a server that is started by hand: one folder for each, of which the last ten are kept."""
    root = platformdirs.user_cache_path("robot-systems-studio") / "gazebo" / "servers"
    root.mkdir(parents=True, exist_ok=True)
    for old in sorted(root.iterdir())[:-KEPT_LOGS]:
        shutil.rmtree(old, ignore_errors=True)
    folder = root / f"{wall_ns()}"
    folder.mkdir()
    return folder


def world_files(project: Path | None, own: Path | None) -> list[tuple[str, Path]]:
    """Name and file: those of the project and of the models, then those of Gazebo."""
    folders = [project, project / "worlds"] if project is not None else []
    folders += world_folders(model_roots(project))
    mine = [
        (file.stem, file) for folder in folders for file in sorted([*folder.glob("*.world"), *folder.glob("*.sdf")])
    ]
    shipped = sorted(own.glob("usr/share/gazebo-11/worlds/*.world")) if own is not None else []
    return [*dict(mine).items(), *((f"{file.stem} (Gazebo)", file) for file in shipped)]


@dataclass(frozen=True)
class Prepared:
    """What is needed to start a server; making it can take a second, starting it cannot."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    address: Address
    world: Path
    log: Path


def prepare(server: Installed, world: Path, folder: Path, port: int, *, is_paused: bool = False) -> Prepared:
    """`folder` gets its log and is its home. Raises StudioError where the server cannot be kept on loopback."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "server.log"
    if server.family is Family.CLASSIC:
        own = local_classic.installed() if server.is_own else None
        command, environment = local_classic.how_to_run(own or server.program, world, folder, port, is_paused=is_paused)
        # Of two servers with the same vehicle, each is to hear its own commands only.
        environment["IGN_PARTITION"] = f"studio-{os.getpid()}-{port}"
        return Prepared((*_with_owner(), *command), environment, Address(port=port), world, log)
    words = ["sim"] if server.program.name == "gz" else ["gazebo"]
    command = [str(server.program), *words, "-s", *([] if is_paused else ["-r"]), "-v", "3", str(world)]
    partition = f"{default_partition()}-{port}"
    loopback = {f"{family}_{name}": value for family in ("GZ", "IGN")
                for name, value in (("IP", "127.0.0.1"), ("PARTITION", partition))}  # fmt: skip
    return Prepared((*_with_owner(), *command), {**os.environ, **loopback}, Address.modern(partition, ""), world, log)


def _with_owner() -> list[str]:
    """It ends with the process that started it, also where that is killed."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []


class LocalServer:
    """Started by the thread that lives as long as the owner: with that thread the server ends."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.is_seen = False
        """Of a modern server: discovery has found its world."""
        with prepared.log.open("wb") as output:
            self.process = subprocess.Popen(
                prepared.command,
                env=dict(prepared.environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    @property
    def why_ended(self) -> str:
        """Empty while it runs, or after a stop that was asked for."""
        status = self.process.poll()
        if status is None or status in (0, -15):
            return ""
        if status < 0:
            return f"The server was ended by signal {-status}"
        return f"The server ended with status {status}: {self._last_line()}"

    def is_at(self, address: Address) -> bool:
        own = self.prepared.address
        if own.family is Family.MODERN:
            return address.family is Family.MODERN and address.partition == own.partition
        return address == own

    def tail(self, most: int = 20_000) -> str:
        """The end of its log."""
        try:
            with self.prepared.log.open("rb") as log:
                log.seek(max(0, log.seek(0, os.SEEK_END) - most))
                return _COLOURS.sub("", log.read().decode(errors="replace"))
        except OSError as error:
            return f"{self.prepared.log} cannot be read: {error.strerror}"

    def begin_stop(self) -> None:
        """Ask it to end, and wait for nothing."""
        if self.is_running:
            os.killpg(self.process.pid, signal.SIGTERM)

    def stop(self) -> None:
        """Takes up to six seconds."""
        LocalClassic(self.process, self.prepared.log, self.prepared.address.port).stop()

    def _last_line(self) -> str:
        lines = [line.strip() for line in self.tail(2000).splitlines() if line.strip()]
        return next((line for line in reversed(lines) if "[Err]" in line), lines[-1] if lines else "its log is empty")
