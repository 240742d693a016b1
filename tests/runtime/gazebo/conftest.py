"""Real peers of other programs, made once in the user's cache: `make test-gazebo`."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import platformdirs
import pytest

from studio.runtime.gazebo.debian_tree import NoTree, Tree, Wanted, make
from tests.cli.conftest import studio

__all__ = ["studio"]

CACHE = platformdirs.user_cache_path("robot-systems-studio") / "gazebo"
MODERN = Wanted("bookworm", ("ignition-transport-cli", "libignition-msgs-dev", "libignition-transport-dev"))
SOURCE = Path(__file__).with_name("peer.cpp")
LIBRARIES = ("ignition-transport11", "ignition-msgs8", "protobuf")

UBUNTU_KEYS = "usr/share/keyrings/ubuntu-archive-keyring.gpg"
FORTRESS = ("libignition-gazebo6-6", "libignition-gazebo-plugins", "libignition-physics5-dartsim-plugin5")
FORTRESS_SERVER = Path(__file__).with_name("fortress_server.c")

Peer = Callable[..., "subprocess.Popen[str]"]
Fortress = Callable[[Path], tuple[list[str], dict[str, str]]]
"""From a world file to the command that serves it, and its environment."""


@pytest.fixture(scope="session")
def modern_tree() -> Tree:
    try:
        return make(CACHE / "transport11", MODERN)
    except NoTree as none:
        pytest.skip(f"gz-transport in C++ cannot be had here: {none}")


@pytest.fixture(scope="session")
def peer_program(modern_tree: Tree) -> Path:
    """The peer, compiled against the headers of the tree."""
    if shutil.which("g++") is None:
        pytest.skip("there is no g++ to compile the peer with")
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:12]
    program = modern_tree.root / f"peer-{digest}"
    if not program.exists():
        usr = modern_tree.root / "usr"
        headers = ("ignition/transport11", "ignition/msgs8", "ignition/math6", "ignition/utils1", ".")
        command = ["g++", "-std=c++17", "-O1", "-o", str(program), str(SOURCE)]
        command += [f"-I{usr / 'include' / folder}" for folder in headers]
        command += [f"-L{modern_tree.root / folder}" for folder in modern_tree.library_folders]
        command += [*(f"-l{library}" for library in LIBRARIES), "-Wl,--allow-shlib-undefined", "-lpthread"]
        subprocess.run(command, check=True, timeout=600)
    return program


@pytest.fixture(scope="session")
def fortress() -> Fortress:
    """The server of Fortress. Of Debian and Ubuntu, Ubuntu 22.04 alone has it."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler for what starts the server of Fortress")
    try:
        keys = Path("/") / UBUNTU_KEYS
        if not keys.exists():
            keys = make(CACHE / "ubuntu-keys", Wanted("trixie", ("ubuntu-archive-keyring",))).root / UBUNTU_KEYS
        tree = make(CACHE / "fortress", Wanted("jammy", FORTRESS, str(keys), "ubuntu", "main universe"))
    except NoTree as none:
        pytest.skip(f"a server of Fortress cannot be had here: {none}")
    (libraries,) = tree.root.glob("usr/lib/*-linux-gnu")
    engines = libraries / "ign-physics-5" / "engine-plugins"
    plugin = engines / "libignition-physics-dartsim-plugin.so"
    if not plugin.exists():  # only the package for developers has this name
        plugin.symlink_to("libignition-physics5-dartsim-plugin.so.5")
    digest = hashlib.sha256(FORTRESS_SERVER.read_bytes()).hexdigest()[:12]
    program = tree.root / f"fortress-server-{digest}"
    if not program.exists():
        subprocess.run(["cc", "-O1", "-o", str(program), str(FORTRESS_SERVER), "-ldl"], check=True, timeout=60)

    def command(world: Path) -> tuple[list[str], dict[str, str]]:
        environment = {
            **os.environ,
            "HOME": str(world.parent),
            "IGN_GAZEBO_SYSTEM_PLUGIN_PATH": str(libraries / "ign-gazebo-6" / "plugins"),
            "IGN_GAZEBO_PHYSICS_ENGINE_PATH": str(engines),
        }
        return tree.command(program.name, str(world)), environment

    return command


@pytest.fixture
def peer(modern_tree: Tree, peer_program: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Peer]:
    """Starts the peer in a partition of the test's own, on loopback."""
    monkeypatch.setenv("IGN_IP", "127.0.0.1")
    monkeypatch.setenv("IGN_PARTITION", f"test-{peer_program.name}")
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: object) -> subprocess.Popen[str]:
        command = modern_tree.command(peer_program.name, *map(str, arguments))
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()
