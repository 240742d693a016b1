"""Inner loops are compiled before the first run: which ones, and that what is kept is found again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tools.compile_kernels import kernels_of

ROOT = Path(__file__).resolve().parents[2]
SMALL = ROOT / "studio/runtime/sim/vehicles/echoes.py"


def test_every_function_that_compiles_something_is_found() -> None:
    found = {name for folder in ("studio", "components") for file in (ROOT / folder).rglob("*.py")
             for _, name in kernels_of(file)}  # fmt: skip
    assert {"compiled_cast", "compiled_echoes", "compiled_fuse", "compiled_measure", "compiled_costs_to_go"} <= found
    assert {"compiled_painting", "compiled_thinning"} <= found, "the first map and the first plot would halt the window"


def test_what_was_compiled_is_found_by_the_next_process(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "tools.compile_kernels", str(SMALL)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("set-up: inner loops compiled (1)")
    look = (
        "from studio.runtime.sim.vehicles.echoes import compiled_echoes as c; print(sum(c().stats.cache_hits.values()))"
    )
    done = subprocess.run([sys.executable, "-c", look], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "1", done.stderr
