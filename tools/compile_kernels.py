"""Compiles the inner loops that numba makes machine code of, all cores at work, so that the first run need not.

    python -m tools.compile_kernels components/terrain_map/fusion.py studio/runtime/sim/physics/solid_rays.py

A file's functions `compiled_...()` are called; numba keeps what they make beside the file. Runs in .venv.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from studio.paths import PACKAGE
from studio.runtime.host.component_import import import_module

_KERNEL = re.compile(r"^def (compiled_\w+)\(\)", re.MULTILINE)


def kernels_of(file: Path) -> list[tuple[Path, str]]:
    return [(file, name) for name in _KERNEL.findall(file.read_text())]


def compile_one(kernel: tuple[Path, str]) -> None:
    """Under the name by which the running system imports it: numba finds what it has kept by that."""
    file, name = kernel
    if PACKAGE in file.parents:
        module = importlib.import_module(".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts))
    else:
        module = import_module(file.parent, file.stem)
    getattr(module, name)()


def main(files: list[str]) -> int:
    began = time.monotonic()
    kernels = [kernel for file in files for kernel in kernels_of(Path(file).resolve())]
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(min(len(kernels), os.cpu_count() or 1) or 1, mp_context=fork) as pool:
        list(pool.map(compile_one, kernels))
    print(f"set-up: inner loops compiled ({len(kernels)}), after {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
