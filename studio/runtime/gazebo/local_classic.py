"""Gazebo classic 11 from Debian's packages, installed into the user's cache and run there, on loopback only."""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from studio.runtime.gazebo.classic.client import PORT
from studio.runtime.gazebo.debian_tree import NoTree, Progress, Tree, Wanted, finished, make

WANTED = Wanted("bullseye", ("gazebo", "gazebo-plugin-base"))
"""The last release of Debian that has Gazebo classic. The plugins are only in the second package."""
GRACE_S = 3.0
_HERE = Path(__file__).parent
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def cache() -> Path:
    return platformdirs.user_cache_path("robot-systems-studio") / "gazebo"


def installed() -> Tree | None:
    return finished(cache() / "classic", WANTED)


def install(mirror: str | None = None, progress: Progress = lambda what, part: None) -> Tree:
    """About 250 MB to download and 830 MB on disk."""
    return make(cache() / "classic", WANTED, mirror=mirror, progress=progress)


@dataclass
class LocalClassic:
    """A server that was started here, with everything that it starts itself."""

    process: subprocess.Popen[bytes]
    log: Path
    port: int
    is_alone: bool = True
    """It leads a group of processes of its own."""

    @classmethod
    def start(
        cls,
        tree: Tree,
        world: Path,
        folder: Path,
        *,
        port: int = PORT,
        is_paused: bool = False,
        is_alone: bool = True,
        partition: str = "",
        seed: int | None = None,
    ) -> LocalClassic:
        """`folder` gets its log and is its home. One that is not `is_alone` ends with the group of its parent.
        `partition`: of its gz-transport, if not the usual one; `seed`: of its noise."""
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / "gzserver.log"
        command, environment = how_to_run(tree, world, folder, port, is_paused=is_paused)
        if seed is not None:
            command[-1:-1] = ["--seed", str(seed)]
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                env=environment | ({"IGN_PARTITION": partition} if partition else {}),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=is_alone,
            )
        return cls(process, log, port, is_alone)

    def stop(self) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is None:
                self._signal(number)
            try:
                self.process.wait(GRACE_S)
                return
            except subprocess.TimeoutExpired:
                continue
        self.process.wait()

    def _signal(self, number: signal.Signals) -> None:
        if self.is_alone:
            os.killpg(self.process.pid, number)
        else:
            self.process.send_signal(number)

    def last_words(self) -> str:
        """The last complaint in its log."""
        lines = [_COLOUR.sub("", line).strip() for line in self.log.read_text(errors="replace").splitlines()]
        return next((line for line in reversed(lines) if "[Err]" in line), lines[-1] if lines else "")


def how_to_run(
    server: Tree | Path, world: Path, home: Path, port: int, *, is_paused: bool = False
) -> tuple[list[str], dict[str, str]]:
    """Command and environment of our own server, or of a `gzserver` that somebody else installed."""
    arguments = ["--verbose", *(["-u"] if is_paused else []), str(world)]
    if isinstance(server, Tree):
        return _command(server, arguments), environment(server, home, port, os.environ)
    preload = " ".join(filter(None, [str(_loopback()), os.environ.get("LD_PRELOAD", "")]))
    return [str(server), *arguments], {**_on_loopback(home, port, os.environ), "LD_PRELOAD": preload}


def _on_loopback(home: Path, port: int, inherited: Mapping[str, str]) -> dict[str, str]:
    """Without a display: the server ends where it finds one whose OpenGL its own libraries cannot use."""
    return {
        **{name: value for name, value in inherited.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")},
        "HOME": str(home),
        "LC_ALL": "C",
        "GAZEBO_MASTER_URI": f"http://127.0.0.1:{port}",
        "GAZEBO_IP": "127.0.0.1",
        "IGN_IP": "127.0.0.1",
        "GAZEBO_MODEL_DATABASE_URI": "",
    }


def environment(tree: Tree, home: Path, port: int, inherited: Mapping[str, str]) -> dict[str, str]:
    share, plugins = tree.root / "usr/share/gazebo-11", _plugins(tree)
    return {
        **_on_loopback(home, port, inherited),
        "GAZEBO_RESOURCE_PATH": str(share),
        "GAZEBO_MODEL_PATH": f"{share / 'models'}:{inherited.get('GAZEBO_MODEL_PATH', '')}",
        "GAZEBO_PLUGIN_PATH": f"{plugins}:{inherited.get('GAZEBO_PLUGIN_PATH', '')}",
    }


def _command(tree: Tree, arguments: list[str]) -> list[str]:
    loader, *rest = tree.command("usr/bin/gzserver", *arguments)
    folders = rest.index("--library-path") + 1
    rest[folders] += f":{_plugins(tree)}"
    return [loader, "--preload", str(_loopback()), *rest]


def _plugins(tree: Tree) -> Path:
    return next(iter(sorted(tree.root.glob("usr/lib/*/gazebo-11/plugins"))), tree.root / "usr/lib")


def _loopback() -> Path:
    """The library that keeps the server on loopback, compiled once."""
    library, source = cache() / "loopback.so", _HERE / "loopback.c"
    if library.exists() and library.stat().st_mtime >= source.stat().st_mtime:
        return library
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or platform.machine() != "x86_64":
        raise NoTree(
            "the server would listen on every address of this machine",
            hint="to keep it on loopback, a C compiler and an x86-64 machine are needed: sudo apt-get install gcc",
        )
    library.parent.mkdir(parents=True, exist_ok=True)
    part = library.with_suffix(f".{os.getpid()}")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-nostdlib", "-o", str(part), str(source)], check=True)
    part.replace(library)
    return library
