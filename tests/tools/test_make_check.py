from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

MAKEFILE = Path(__file__).resolve().parents[2] / "Makefile"


def commands_of_check(folder: Path) -> str:
    shutil.copy(MAKEFILE, folder)
    done = subprocess.run(["make", "-n", "check"], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def test_types_are_checked_in_the_components_of_projects_too(tmp_path: Path) -> None:
    assert "projects/" not in commands_of_check(tmp_path)
    (tmp_path / "projects/rover/components/arm").mkdir(parents=True)
    assert "projects/" not in commands_of_check(tmp_path)  # mypy would complain of a folder without Python
    (tmp_path / "projects/rover/components/arm/arm.py").touch()
    assert "-m mypy --no-error-summary projects/rover/components/arm/ ||" in commands_of_check(tmp_path)


def test_what_python_compiles_is_kept_where_the_machine_forbids_it(tmp_path: Path) -> None:
    shutil.copy(MAKEFILE, tmp_path)
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    words = ["make", "--no-print-directory", "--eval", 'told: ; @echo "told [$$PYTHONDONTWRITEBYTECODE]"', "told"]
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "told []"
