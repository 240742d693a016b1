from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest


@pytest.mark.timeout(300)
def test_the_wheel_carries_components_but_no_logs_no_caches_and_no_programs(tmp_path: Path, checkout: Path) -> None:
    pytest.importorskip("hatchling")
    source = tmp_path / "source"
    for name in ("pyproject.toml", "README.md", "LICENSE", "tools/share_hook.py", "studio/__init__.py"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((checkout / name).read_bytes())
    for name in (
        "components/a/component.xml",
        "components/a/__pycache__/a.pyc",
        "projects/p/logs/x.mcap",
        "models/m.xml",
    ):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text("x")
    (source / "components/a/.gitignore").write_text("/built\n")
    (source / "components/a/built").write_text("x")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=source, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    shared = [name for name in zipfile.ZipFile(wheel).namelist() if "/share/" in name]
    assert sorted(shared) == [
        "studio/share/components/a/.gitignore",
        "studio/share/components/a/component.xml",
        "studio/share/models/m.xml",
    ]
