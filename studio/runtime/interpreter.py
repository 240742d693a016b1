"""How Studio starts Python: never with the working directory on the path.

`python -m` looks there first, so a `zmq.py` or `numpy/` lying in a project would run before anybody trusted it.
"""

from __future__ import annotations

import os
import sys

MODULE = [sys.executable, "-P", "-m"]


def module_command(module: str, *words: str) -> list[str]:
    return [*MODULE, module, *words]


def python_path() -> str:
    """The PYTHONPATH of our own processes: where this one found its modules."""
    return os.pathsep.join(path for path in sys.path if path)
