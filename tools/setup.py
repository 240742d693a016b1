"""Set-up: .venv with the newest supported Python, the Python packages, the system libraries. Quick when all is there.

    python3 -m tools.setup dev editor        the extras of pyproject.toml to install

Standard library only, and written for Python 3.9 on: it runs before anything is installed. Set STUDIO_SKIP_SYSTEM=1 to
leave system packages alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sys
import time
from pathlib import Path

from tools import find_python, system_packages
from tools.shell import SetupError, run, say

ROOT = Path(__file__).resolve().parent.parent


def main(extras: list[str], root: Path = ROOT) -> int:
    # Two `make`s at once would install into each other; the lock is on a file that is always there.
    with (root / "pyproject.toml").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            set_up(root, sorted(set(extras)))
        except SetupError as error:
            print(f"set-up: {error}", file=sys.stderr)
            return 1
    return 0


def set_up(root: Path, extras: list[str]) -> None:
    python = root / ".venv" / "bin" / "python"
    stamp = root / ".venv" / "studio-setup.json"
    version = find_python.version_of(python)
    if version and is_current(stamp, fingerprint(root, version), extras):
        return
    began = time.monotonic()
    extras = sorted(set(extras) | installed_extras(stamp))
    system_packages.ensure(root / "tools" / "system-packages.txt", extras)
    if version not in find_python.SUPPORTED:
        version = make_venv(root)
    if install(root, python, extras):
        write_stamp(stamp, fingerprint(root, version), extras)
        say(f"ready after {time.monotonic() - began:.0f} s")


def fingerprint(root: Path, version: tuple[int, int]) -> str:
    digest = hashlib.sha256(repr((version, str(root))).encode())
    for name in ("pyproject.toml", "tools/system-packages.txt"):
        digest.update((root / name).read_bytes())
    return digest.hexdigest()


def is_current(stamp: Path, expected: str, extras: list[str]) -> bool:
    return read_stamp(stamp).get("fingerprint") == expected and set(extras) <= installed_extras(stamp)


def installed_extras(stamp: Path) -> set[str]:
    """Extras of an earlier set-up stay installed, or `make test` and `make bench` would undo each other."""
    extras = read_stamp(stamp).get("extras")
    return set(extras) if isinstance(extras, list) else set()


def read_stamp(stamp: Path) -> dict[str, object]:
    try:
        record = json.loads(stamp.read_text())
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def write_stamp(stamp: Path, fingerprint: str, extras: list[str]) -> None:
    stamp.write_text(json.dumps({"fingerprint": fingerprint, "extras": extras}) + "\n")


def make_venv(root: Path) -> tuple[int, int]:
    for found in find_python.newest_first():
        say(f"making .venv with Python {found.version[0]}.{found.version[1]} ({found.path})")
        if not found.can_make_venv and not system_packages.install_venv_module(found.version):
            continue
        run([str(found.path), "-m", "venv", "--clear", str(root / ".venv")])
        return found.version
    raise SetupError(
        "no Python 3.13, 3.12 or 3.11 with the venv module runs here; as root: apt-get install python3 python3-venv"
    )


def install(root: Path, python: Path, extras: list[str]) -> bool:
    """Whether everything is as pyproject.toml wants it; False when offline with an older but working installation."""
    say(f"installing Python packages ({', '.join(extras)}); about a minute the first time")
    # Compiling everything ahead would take a third of the time, mostly for modules that nobody imports.
    pip = [str(python), "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"]
    try:
        run([*pip, "--editable", f"{root}[{','.join(extras)}]"])
    except SetupError as error:
        if not works(python):
            raise
        say(f"could not install ({error})\nset-up: going on with the packages that .venv has; the next run tries again")
        return False
    return True


def works(python: Path) -> bool:
    try:
        run([str(python), "-c", "import studio, lxml, numpy, zmq, rosbags, pytest"])
    except SetupError:
        return False
    return True


if __name__ == "__main__":
    os.environ.pop("PYTHONHOME", None)
    sys.exit(main(sys.argv[1:] or ["dev", "editor"]))
