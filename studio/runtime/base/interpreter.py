"""How Studio starts Python: never with the working directory on the path.

`python -m` looks there first, so a `zmq.py` or `numpy/` lying in a project would run before anybody trusted it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

MODULE = [sys.executable, "-P", "-m"]
PATH = "PYTHONPATH"
CALLERS_PATH = "STUDIO_CALLERS_PYTHONPATH"
"""Keeps the PYTHONPATH that Studio was started with, for programs that are not its own; empty if there was none."""


def module_command(module: str, *words: str) -> list[str]:
    return [*MODULE, module, *words]


def python_path() -> str:
    """The PYTHONPATH of our own processes: where this one found its modules."""
    return os.pathsep.join(path for path in sys.path if path)


def own_environment() -> dict[str, str]:
    """Of a process that runs our interpreter."""
    callers = os.environ.get(CALLERS_PATH, os.environ.get(PATH, ""))
    return {**os.environ, PATH: python_path(), CALLERS_PATH: callers}


def callers_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Of a program of somebody else, which may run another Python: our modules would be in its way."""
    left = {name: value for name, value in environment.items() if name not in (PATH, CALLERS_PATH)}
    callers = environment.get(CALLERS_PATH, "")
    return {**left, PATH: callers} if callers else left
