"""Debian packages and all that they need in a folder of the user: no root, no container, nothing else changed.

`apt-get` works with a state of its own in that folder, downloads from the mirror that the machine's own apt uses, and
`dpkg-deb` unpacks. What is in the folder runs by its own loader, so its libraries need not fit those of the machine.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from studio.errors import StudioError

SOURCES = Path("/etc/apt")
KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
STAMP = "tree.json"
_MIRROR = re.compile(r"^(?:deb\s+(?:\[[^]]*\]\s+)?|URIs:\s*)(?P<host>\S+?)/(?:debian|ubuntu)/?(?:\s|$)", re.MULTILINE)
_STATUS = re.compile(r"^(?P<kind>dl|pm)status:[^:]*:(?P<percent>[\d.]+):(?P<words>.*)$")

Progress = Callable[[str, float], None]
"""What is being done, and how much of it is done, from 0 to 1."""


class NoTree(StudioError):
    """The packages cannot be had here."""


@dataclass(frozen=True)
class Wanted:
    """What a tree is made of. Another value is another tree."""

    suite: str
    packages: tuple[str, ...]
    keys: str = str(KEYS)
    distribution: str = "debian"
    """Or `ubuntu`: as mirrors call its folder."""
    sections: str = "main"


@dataclass(frozen=True)
class Tree:
    """A finished tree."""

    root: Path
    library_folders: tuple[str, ...]

    def command(self, program: str, *arguments: str) -> list[str]:
        """Runs a program of the tree by the loader and with the libraries of the tree."""
        folders = ":".join(str(self.root / folder) for folder in self.library_folders)
        return [str(self._loader()), "--library-path", folders, str(self.root / program), *arguments]

    def _loader(self) -> Path:
        for pattern in ("lib64/ld-linux-*.so.*", "lib/*/ld-*.so*", "usr/lib/*/ld-linux-*.so.*"):
            for loader in sorted(self.root.glob(pattern)):
                if loader.resolve().is_relative_to(self.root.resolve()) and loader.is_file():
                    return loader
        raise NoTree("the tree has no loader", file=self.root, hint="remove the folder and install again")


def mirror_of(folder: Path = SOURCES, distribution: str = "debian") -> str | None:
    """Where the machine's own apt takes packages from; a mirror that has one of the two mostly has both."""
    files = [folder / "sources.list", *sorted((folder / "sources.list.d").glob("*"))]
    for file in files:
        if file.suffix in (".list", ".sources") and file.is_file():
            found = _MIRROR.search(file.read_text(errors="replace"))
            if found:
                return f"{found['host']}/{distribution}"
    return None


def finished(target: Path, wanted: Wanted) -> Tree | None:
    """The tree in this folder, if it is whole and of these packages."""
    try:
        told = json.loads((target / STAMP).read_text())
        same = Wanted(**{**told, "packages": tuple(told["packages"])}) == wanted
    except (OSError, ValueError, TypeError, KeyError):
        return None
    if not same:
        return None
    return Tree(target, _library_folders(target))


def make(
    target: Path, wanted: Wanted, *, mirror: str | None = None, progress: Progress = lambda what, part: None
) -> Tree:
    """Make the tree, or go on where an earlier try was interrupted: what was downloaded is kept until it is whole."""
    done = finished(target, wanted)
    if done is not None:
        return done
    _check_tools()
    mirror = mirror or mirror_of(distribution=wanted.distribution)
    if mirror is None:
        raise NoTree(f"no mirror of {wanted.distribution.capitalize()} is known here", hint="name one: --mirror URL")
    work = target.with_name(target.name + ".part")
    configuration = _configure(work, wanted, mirror)
    _apt(configuration, ["update"], "Read the list of packages", 0.0, 0.1, progress)
    arguments = ["install", "--download-only", "--no-install-recommends", "--yes", *wanted.packages]
    _apt(configuration, arguments, "Download", 0.1, 0.7, progress)
    _unpack(sorted((work / "archives").glob("*.deb")), work / "tree", progress)
    (work / "tree" / STAMP).write_text(json.dumps(asdict(wanted)))
    if target.exists():
        shutil.rmtree(target)
    (work / "tree").rename(target)
    shutil.rmtree(work)
    progress("Done", 1.0)
    return Tree(target, _library_folders(target))


def _check_tools() -> None:
    missing = [tool for tool in ("apt-get", "dpkg-deb") if shutil.which(tool) is None]
    if missing:
        raise NoTree(f"{' and '.join(missing)} is needed", hint="they come with Debian, Ubuntu and their relatives")


def _configure(work: Path, wanted: Wanted, mirror: str) -> Path:
    for folder in ("lists/partial", "archives/partial", "etc"):
        (work / folder).mkdir(parents=True, exist_ok=True)
    (work / "status").touch()
    (work / "etc" / "sources.list").write_text(
        f"deb [signed-by={wanted.keys}] {mirror} {wanted.suite} {wanted.sections}\n"
    )
    settings = {
        "Dir::State": work,
        "Dir::State::status": work / "status",
        "Dir::State::lists": work / "lists",
        "Dir::Cache": work,
        "Dir::Cache::archives": work / "archives",
        "Dir::Etc::sourcelist": work / "etc" / "sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::Etc::preferencesparts": "-",
        "APT::Sandbox::User": "",
        "APT::Keep-Downloaded-Packages": "true",
        "Acquire::Languages": "none",
        "Acquire::Retries": "3",
    }
    lines = [f'{name} "{value}";' for name, value in settings.items()]
    # A suite that has moved to the archive is signed, but no longer renewed.
    lines.append('Acquire::Check-Valid-Until "false";')
    configuration = work / "apt.conf"
    configuration.write_text("\n".join(lines) + "\n")
    return configuration


def _apt(configuration: Path, arguments: list[str], what: str, first: float, last: float, progress: Progress) -> None:
    progress(what, first)
    read, write = os.pipe()
    command = ["apt-get", "-q", "-o", f"APT::Status-Fd={write}", *arguments]
    with subprocess.Popen(
        command,
        env=_environment(os.environ, configuration),
        pass_fds=[write],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        os.close(write)
        with open(read) as status:
            for line in status:
                found = _STATUS.match(line)
                if found:
                    progress(what, first + (last - first) * float(found["percent"]) / 100)
        _, errors = process.communicate()
    if process.returncode:
        told = next((line for line in errors.splitlines() if line.startswith("E:")), errors.strip()[-300:])
        raise NoTree(f"apt-get {arguments[0]} failed: {told}", hint="try again; finished downloads are kept")


def _environment(environment: Mapping[str, str], configuration: Path) -> dict[str, str]:
    return {**environment, "APT_CONFIG": str(configuration), "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}


def _unpack(archives: Iterable[Path], tree: Path, progress: Progress) -> None:
    archives = list(archives)
    if tree.exists():
        shutil.rmtree(tree)
    tree.mkdir(parents=True)
    for number, archive in enumerate(archives):
        progress("Unpack", 0.7 + 0.3 * number / len(archives))
        made = subprocess.run(["dpkg-deb", "-x", str(archive), str(tree)], capture_output=True, text=True, check=False)
        if made.returncode:
            archive.unlink()
            raise NoTree(f"{archive.name} is damaged: {made.stderr.strip()}", hint="it was removed; try again")


def _library_folders(root: Path) -> tuple[str, ...]:
    """Where libraries lie, by their folders: what Debian reaches by alternatives is not set up in a tree."""
    patterns = ("lib/*-linux-gnu", "usr/lib/*-linux-gnu", "usr/lib", "usr/lib/*-linux-gnu/*")
    folders = [folder for pattern in patterns for folder in sorted(root.glob(pattern)) if any(folder.glob("*.so*"))]
    return tuple(str(folder.relative_to(root)) for folder in folders)
