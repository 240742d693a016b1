"""System libraries through apt: installed when root, otherwise the exact command is printed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tools.shell import SetupError, run, say

if TYPE_CHECKING:
    from collections.abc import Iterable


def ensure(listing: Path, sections: Iterable[str]) -> None:
    """Missing packages never stop the set-up: they may be there under another name, or not be needed today."""
    if os.environ.get("STUDIO_SKIP_SYSTEM") or not shutil.which("dpkg-query"):
        return
    missing = missing_of(packages(listing.read_text(), sections))
    if missing:
        apt_install(missing)


def packages(text: str, sections: Iterable[str]) -> list[str]:
    chosen, section, names = set(sections), "", []
    for line in text.splitlines():
        word = line.partition("#")[0].strip()
        if word.startswith("["):
            section = word.strip("[]")
        elif word and section in chosen:
            names.append(word)
    return names


def missing_of(names: list[str]) -> list[str]:
    # Debian 13 renamed some libraries (libglib2.0-0t64), so each is asked for under both names.
    asked = [variant for name in names for variant in (name, f"{name}t64")]
    answer = run(["dpkg-query", "-W", "-f", "${Package} ${Status}\n", *asked], may_fail=True)
    there = {line.split()[0].removesuffix("t64") for line in answer.splitlines() if "install ok installed" in line}
    return [name for name in names if name not in there]


def install_venv_module(version: tuple[int, int]) -> bool:
    return apt_install([f"python{version[0]}.{version[1]}-venv"])


def apt_install(names: list[str]) -> bool:
    command = ["apt-get", "install", "-y", "--no-install-recommends", *names]
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        say(f"missing system packages; please run: sudo {' '.join(command)}")
        return False
    say(f"installing system packages: {' '.join(names)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        try:
            run(command, environment)
        except SetupError:  # package lists that are missing or old
            run(["apt-get", "update"], environment)
            run(command, environment)
    except SetupError as error:
        say(f"{error}\nset-up: going on without; later, as root: {' '.join(command)}")
        return False
    return True
