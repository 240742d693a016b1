"""Where a server is, and the addresses that the user has kept under names."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

import platformdirs

from studio.errors import StudioError
from studio.model.files import write_atomically
from studio.runtime.gazebo.classic.client import PORT

LOOPBACK = "127.0.0.1"
MODERN_PREFIX = "gz:"


class AddressError(StudioError):
    """Text that names no server."""


class Family(StrEnum):
    CLASSIC = "classic"
    MODERN = "modern"


@dataclass(frozen=True, order=True)
class Address:
    """Of one server. A classic one is told by host and port, a modern one by partition, world and machine."""

    family: Family = Family.CLASSIC
    host: str = LOOPBACK
    port: int = PORT
    partition: str = ""
    world: str = ""

    def __str__(self) -> str:
        """As `parse` reads it."""
        if self.family is Family.MODERN:
            return f"{MODERN_PREFIX}{self.partition}/{self.world}"
        return f"{self.host}:{self.port}"

    @property
    def words(self) -> str:
        if self.family is Family.CLASSIC:
            return f"classic · {self}"
        return f"gz-transport · partition {self.partition}"

    @classmethod
    def modern(cls, partition: str, world: str, host: str = LOOPBACK) -> Address:
        return cls(Family.MODERN, host, 0, partition, world)

    @classmethod
    def parse(cls, text: str) -> Address:
        """`127.0.0.1:11345`, a host or a port alone, or `gz:PARTITION/WORLD`."""
        text = text.strip()
        if text.startswith(MODERN_PREFIX):
            partition, slash, world = text.removeprefix(MODERN_PREFIX).rpartition("/")
            if not slash or not partition or not world:
                raise AddressError(
                    f"{text} is not the address of a world in a partition",
                    hint=f"for example {MODERN_PREFIX}lab:robots/shapes",
                )
            return cls.modern(partition, world)
        host, colon, port = text.rpartition(":")
        if not colon and text.isdigit():
            host, port = "", text
        elif not colon:
            host, port = text, str(PORT)
        if not port.isdigit() or not 0 < int(port) < 65536 or any(each.isspace() for each in host):
            raise AddressError(f"{text!r} is not an address", hint=f"for example 10.0.4.21:{PORT}, or 11346")
        return cls(host=host or LOOPBACK, port=int(port))


@dataclass(frozen=True)
class Profile:
    name: str
    address: Address


def profiles_file() -> Path:
    return platformdirs.user_config_path("robot-systems-studio") / "gazebo_servers.json"


class ProfileBook:
    """Kept by the user, for all projects. A file that cannot be read is put aside, and never written over."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or profiles_file()
        self.trouble = ""
        """Why what was kept is not here."""
        self._profiles = self._load()

    def all(self) -> list[Profile]:
        return list(self._profiles)

    def named(self, address: Address) -> str:
        return next((each.name for each in self._profiles if each.address == address), "")

    def keep(self, name: str, address: Address) -> None:
        """Under a new name, or another address under the same one."""
        name = name.strip()
        if not name:
            raise AddressError("a saved server needs a name", hint="type one")
        others = (each for each in self._profiles if each.name != name and each.address != address)
        self._write([*others, Profile(name, address)])

    def forget(self, address: Address) -> None:
        self._write(each for each in self._profiles if each.address != address)

    def _write(self, profiles: Iterable[Profile]) -> None:
        kept = list(profiles)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self._file, (json.dumps([asdict(each) for each in kept], indent=2) + "\n").encode())
        self._profiles = kept

    def _load(self) -> list[Profile]:
        try:
            told = json.loads(self._file.read_text())
            return [Profile(str(each["name"]), _address(each["address"])) for each in told]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError) as error:
            aside = self._file.with_suffix(".damaged")
            self.trouble = f"the saved servers cannot be read ({error}); the file is kept as {aside.name}"
            try:
                self._file.replace(aside)
            except OSError as other:
                self.trouble = f"the saved servers cannot be read: {other.strerror or other}"
            return []


def _address(told: dict[str, object]) -> Address:
    family, host = Family(str(told["family"])), str(told["host"])
    return Address(family, host, int(str(told["port"])), str(told["partition"]), str(told["world"]))
