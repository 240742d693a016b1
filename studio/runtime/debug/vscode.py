"""VS Code as the debug client of a running system: its launch configuration, and starting it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from studio.errors import StudioError

FILE = Path(".vscode") / "launch.json"


class LaunchFileError(StudioError):
    """A launch.json that Studio cannot add to."""


def launch_configuration(host: str, adapter: str) -> dict[str, Any]:
    """What attaches VS Code (with Microsoft's Python Debugger) to the runtime's proxy, through its adapter script."""
    return {
        "name": f"Studio: {host}",
        "type": "debugpy",
        "request": "attach",
        # VS Code starts an adapter only for `listen` or `processId`; nothing listens, the adapter ignores it.
        "listen": {"host": "127.0.0.1", "port": 0},
        "debugAdapterPython": sys.executable,
        "debugAdapterPath": adapter,
        "justMyCode": True,
    }


def write_launch_file(folder: Path, host: str, adapter: str) -> Path:
    """Put the configuration into the folder's launch.json, in the place of an older one of the same host."""
    file = folder / FILE
    content = _read(file, host, adapter)
    ours = launch_configuration(host, adapter)
    others = [each for each in content.get("configurations", []) if each.get("name") != ours["name"]]
    content["configurations"] = [ours, *others]
    new = file.with_suffix(".new")
    try:
        file.parent.mkdir(exist_ok=True)
        new.write_text(json.dumps({"version": "0.2.0", **content}, indent=2) + "\n")
        os.replace(new, file)
    except OSError as error:
        raise LaunchFileError(f"{file} cannot be written: {error.strerror}", hint=_by_hand(host, adapter)) from None
    return file


def _by_hand(host: str, adapter: str) -> str:
    return f"add this configuration by hand: {json.dumps(launch_configuration(host, adapter))}"


def _read(file: Path, host: str, adapter: str) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text())
        if not isinstance(content, dict) or not all(isinstance(each, dict) for each in content["configurations"]):
            raise ValueError("it has no list of configurations")
    except FileNotFoundError:
        return {"version": "0.2.0", "configurations": []}
    except (ValueError, KeyError, OSError) as error:  # VS Code allows comments there, and they would be lost
        raise LaunchFileError(f"{file} cannot be read: {error}", hint=_by_hand(host, adapter)) from None
    return content


def open_in_vscode(folder: Path, file: str = "", line: int = 0) -> bool:
    """Start VS Code on the project, at a line of a file if one is given; False if it is not installed."""
    program = shutil.which("code") or shutil.which("codium")
    if program is None:
        return False
    words = [program, str(folder), *(["--goto", f"{file}:{line}"] if file else [])]
    silent = subprocess.DEVNULL
    process = subprocess.Popen(words, stdin=silent, stdout=silent, stderr=silent, start_new_session=True)
    threading.Thread(target=process.wait, name="VS Code", daemon=True).start()  # whenever it ends, somebody has seen it
    return True
