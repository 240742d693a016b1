"""Building the components that are programs, with compilers that stand in for the real one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

GOOD = "#!/bin/sh\nexit 0\n"
BLIND = "#!/bin/sh\necho 'zmq.h: No such file or directory' >&2\nexit 1\n"


@pytest.fixture
def project(tmp_path: Path, checkout: Path) -> Path:
    """A checkout with one component in C and one in Python; `bin/cc` is its compiler."""
    for name in ("Makefile", "tools/build_components.sh"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(checkout / name, tmp_path / name)
    (tmp_path / "tools/setup.sh").write_text("")
    (tmp_path / "bin").mkdir()
    (tmp_path / "components/beeper").mkdir(parents=True)
    (tmp_path / "components/beeper/Makefile").write_text("beeper:\n\t@echo built > beeper\nclean:\n\t@rm -f beeper\n")
    (tmp_path / "components/low_pass").mkdir()
    return tmp_path


def make(project: Path, target: str, compiler: str) -> tuple[int, str]:
    (project / "bin/cc").write_text(compiler)
    (project / "bin/cc").chmod(0o755)
    environment = {"PATH": f"{project}/bin:{os.environ['PATH']}"}
    done = subprocess.run(["make", target], cwd=project, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_programs_are_built_and_cleaned(project: Path) -> None:
    assert make(project, "components", GOOD) == (0, "")
    assert (project / "components/beeper/beeper").read_text() == "built\n"
    assert make(project, "clean", GOOD) == (0, "")
    assert not (project / "components/beeper/beeper").exists()


def test_without_compiler_or_library_it_says_how_to_get_them_and_goes_on(project: Path) -> None:
    status, said = make(project, "components", BLIND)
    assert status == 0
    assert "not built: beeper\n" in said
    assert "apt-get install gcc libc6-dev libzmq3-dev" in said
    assert not (project / "components/beeper/beeper").exists()


def test_a_program_that_does_not_compile_is_a_failure(project: Path) -> None:
    (project / "components/beeper/Makefile").write_text("beeper:\n\t@echo 'beeper.c:1: error' >&2; exit 1\n")
    status, said = make(project, "components", GOOD)
    assert status != 0
    assert "beeper.c:1: error" in said


def test_where_all_is_python_there_is_nothing_to_say(project: Path) -> None:
    shutil.rmtree(project / "components/beeper")
    assert make(project, "components", BLIND) == (0, "")


@pytest.mark.parametrize("target", ["run", "test"])
def test_running_and_testing_build_first(project: Path, target: str) -> None:
    python = project / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\ncat components/beeper/beeper\n")
    python.chmod(0o755)
    status, said = make(project, target, GOOD)
    assert status == 0
    assert "built" in said
