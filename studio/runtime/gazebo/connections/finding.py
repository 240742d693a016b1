"""Looks for servers: on this machine by their processes, at addresses that are known, and by gz-transport's discovery.

Gazebo classic has no discovery. So the processes of this machine tell which ports to try, and each is asked for its
greeting, which names version and worlds.
"""

from __future__ import annotations

import os
import re
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from studio.errors import StudioError
from studio.runtime.base.clock import monotonic_ns
from studio.runtime.gazebo.classic.client import PORT
from studio.runtime.gazebo.classic.wire import BadFrame, FrameReader, read_packet
from studio.runtime.gazebo.classic_messages import classic_messages
from studio.runtime.gazebo.connections.address import LOOPBACK, Address
from studio.runtime.gazebo.gz_transport.names import split_name
from studio.runtime.gazebo.gz_transport.node import Node
from studio.runtime.gazebo.schema import SchemaError

EVERY_S = 2.0
GREETING_S = 1.0
PROGRAMS = ("gzserver", "gzserver-11.1.0", "gazebo")
CONTROL = re.compile(r"^/world/(?P<world>[^/]+)/control$")
"""The service that each world of a modern server has."""


@dataclass(frozen=True)
class Found:
    """A server that answers, or a known address with the reason why none does."""

    address: Address
    worlds: tuple[str, ...] = ()
    version: str = ""
    heard_ns: int = 0
    """Last sign of life, by the machine's time; 0: never."""
    why_not: str = ""
    twins: int = 1
    """How many servers answer at one address: two of a partition with the same world cannot be told apart."""


class Finder:
    """Looks every two seconds, on a thread of its own. `skip`: addresses that are connected, and are not asked."""

    def __init__(
        self, known: Callable[[], Iterable[Address]], skip: Callable[[Address], bool], node: Callable[[], Node] = Node
    ) -> None:
        self._known, self._skip, self._make_node = known, skip, node
        self._node: Node | None = None
        self._found: dict[Address, Found] = {}
        self.trouble = ""
        """Why modern servers cannot be found."""
        self._wake = threading.Event()
        self._is_over = False
        self._thread = threading.Thread(target=self._run, name="gazebo-finder", daemon=True)
        self._thread.start()

    def found(self) -> dict[Address, Found]:
        return {**self._found, **self._modern()}

    def look_now(self) -> None:
        self._wake.set()

    def close(self) -> None:
        self._is_over = True
        self._wake.set()
        self._thread.join(2 * GREETING_S)
        if self._node is not None:
            self._node.close()

    def _run(self) -> None:
        while not self._is_over:
            self._wake.clear()
            self._begin_discovery()
            self._look()
            self._wake.wait(EVERY_S)

    def _begin_discovery(self) -> None:
        """Tried again each time: the network may come later than the window."""
        if self._node is not None and self._node.is_running:
            return
        try:
            self._node, self.trouble = self._make_node(), ""
        except StudioError as error:
            self._node, self.trouble = None, str(error)

    def _look(self) -> None:
        known = [each for each in self._known() if each.port]
        here = [Address(port=port) for port in local_ports()]
        wanted = list(dict.fromkeys([*here, *known, Address()]))
        before, found = self._found, {}
        for address in wanted:
            if self._is_over:
                return
            if self._skip(address):
                found[address] = replace(before.get(address, Found(address)), why_not="")
                continue
            told = greet(address)
            if told.why_not and address in before:
                told = replace(told, version=before[address].version)
            if not told.why_not or address in known:
                found[address] = told
        self._found = found

    def _modern(self) -> dict[Address, Found]:
        if self._node is None:
            return {}
        found: dict[Address, set[str]] = {}
        for offer in self._node.all_offers():
            name = split_name(offer.name)
            world = CONTROL.match(name[1]) if name is not None and offer.is_service else None
            if name is not None and world is not None:
                host = urlsplit(offer.address).hostname or LOOPBACK
                found.setdefault(Address.modern(name[0], world["world"], host), set()).add(offer.process)
        told = {}
        for address, processes in found.items():
            heard = max((self._node.heard_ns(each) or 0 for each in processes), default=0)
            told[address] = Found(address, (address.world,), "gz-transport", heard, twins=len(processes))
        return told


def greet(address: Address) -> Found:
    """What a classic server says first, or why it says nothing. Takes a second at most."""
    worlds: tuple[str, ...] | None = None
    version = ""
    try:
        with socket.create_connection((address.host, address.port), GREETING_S) as tcp:
            reader, until_ns = FrameReader(), monotonic_ns() + int(GREETING_S * 1e9)
            while worlds is None and monotonic_ns() < until_ns:
                data = tcp.recv(65536)
                if not data:
                    return Found(address, why_not="it closed the connection")
                for body in reader.feed(data):
                    kind, payload = read_packet(body)
                    if kind == "version_init":
                        version = classic_messages().read("GzString", payload).data
                    elif kind == "topic_namepaces_init":  # spelt so
                        worlds = tuple(classic_messages().read("GzString_V", payload).data)
    except TimeoutError:
        return Found(address, why_not="it does not answer")
    except OSError as error:
        return Found(address, why_not=_words(error))
    except (BadFrame, SchemaError):
        return Found(address, why_not="another program listens there, not Gazebo")
    own = tuple(each for each in worlds or () if not each.startswith("/"))
    return Found(address, own, version.removeprefix("gazebo ").strip(), monotonic_ns())


def _words(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "connection refused: no server listens there"
    if isinstance(error, socket.gaierror):
        return "there is no machine of this name"
    return (error.strerror or str(error)).lower()


def local_ports() -> list[int]:
    """Of the classic servers that run on this machine for this user."""
    return sorted({port_of(environment) for environment in _local_servers()})


def partition_of(port: int) -> str:
    """In which partition of gz-transport the classic server of this port on this machine is; empty: the usual one."""
    found = (each for each in _local_servers() if port_of(each) == port)
    return next(found, {}).get("IGN_PARTITION", "")


def _local_servers() -> Iterator[Mapping[str, str]]:
    """Their environments."""
    for process in psutil.process_iter():
        try:
            if process.uids().real == os.getuid() and is_server(process.cmdline()):
                yield process.environ()
        except psutil.Error:  # it ended, or does not let itself be looked at
            continue


def is_server(command: list[str]) -> bool:
    """The program itself, or the loader of another C library that runs it."""
    return any(Path(word).name in PROGRAMS for word in command[:1]) or (
        bool(command) and Path(command[0]).name.startswith("ld-") and any(Path(w).name in PROGRAMS for w in command)
    )


def port_of(environment: Mapping[str, str]) -> int:
    try:
        return urlsplit(environment.get("GAZEBO_MASTER_URI", "")).port or PORT
    except ValueError:
        return PORT
