from __future__ import annotations

from pathlib import Path

import pytest

from tools import setup, system_packages
from tools.find_python import Found
from tools.shell import SetupError, run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/system-packages.txt").write_text("[editor]\nlibegl1\n")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    return tmp_path


class Steps:
    """Stands in for the slow steps: making the venv, pip, apt."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done: list[str] = []
        self.version: tuple[int, int] | None = None
        self.online = True
        self.usable = True
        monkeypatch.setattr(system_packages, "ensure", lambda listing, sections: self.done.append("system"))
        monkeypatch.setattr(setup.find_python, "version_of", lambda path: self.version)
        monkeypatch.setattr(setup.find_python, "newest_first", lambda: iter([Found(Path("python"), (3, 13), True)]))
        monkeypatch.setattr(setup, "run", self.run)

    def run(self, command: list[str]) -> str:
        if "venv" in command:
            self.done.append("venv")
            Path(command[-1]).mkdir(exist_ok=True)
            self.version = (3, 13)
        elif "pip" in command:
            self.done.append(command[-1].partition("[")[2].rstrip("]"))
            if not self.online:
                raise SetupError("no network")
        elif not self.usable:
            raise SetupError("ModuleNotFoundError")
        return ""


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    return Steps(monkeypatch)


def test_the_first_time_does_everything_and_the_second_nothing(project: Path, steps: Steps) -> None:
    assert setup.main(["dev", "editor"], project) == 0
    assert steps.done == ["system", "venv", "dev,editor"]
    assert setup.main(["dev", "editor"], project) == 0
    assert len(steps.done) == 3


@pytest.mark.parametrize("file", ["pyproject.toml", "tools/system-packages.txt"])
def test_a_changed_file_installs_again_without_a_new_venv(project: Path, steps: Steps, file: str) -> None:
    setup.main(["dev"], project)
    (project / file).write_text("changed")
    setup.main(["dev"], project)
    assert steps.done[3:] == ["system", "dev"]


def test_extras_add_up(project: Path, steps: Steps) -> None:
    setup.main(["dev"], project)
    setup.main(["dev", "bench"], project)
    setup.main(["dev"], project)
    assert steps.done[3:] == ["system", "bench,dev"]


def test_a_venv_whose_python_is_gone_is_made_again(project: Path, steps: Steps) -> None:
    setup.main(["dev"], project)
    steps.version = None
    setup.main(["dev"], project)
    assert steps.done[3:] == ["system", "venv", "dev"]


def test_offline_with_a_working_installation_goes_on_and_tries_again_next_time(
    project: Path, steps: Steps, capsys: pytest.CaptureFixture[str]
) -> None:
    setup.main(["dev"], project)
    (project / "pyproject.toml").write_text("changed")
    steps.online = False
    assert setup.main(["dev"], project) == 0
    assert "going on with the packages that .venv has" in capsys.readouterr().out
    steps.online = True
    setup.main(["dev"], project)
    assert steps.done[-1] == "dev"


def test_offline_with_nothing_installed_fails_and_says_why(
    project: Path, steps: Steps, capsys: pytest.CaptureFixture[str]
) -> None:
    steps.online = steps.usable = False
    assert setup.main(["dev"], project) == 1
    assert "no network" in capsys.readouterr().err


def test_a_damaged_stamp_only_means_to_install_again(project: Path, steps: Steps) -> None:
    setup.main(["dev"], project)
    (project / ".venv/studio-setup.json").write_text('["not", "ours"')
    setup.main(["dev"], project)
    assert steps.done[-1] == "dev"


def test_a_failing_program_is_quoted() -> None:
    with pytest.raises(SetupError, match="the last words"):
        run(["sh", "-c", "echo the last words; exit 3"])


def test_sections_of_the_package_list_are_picked() -> None:
    text = "# all\n[editor]\nlibegl1  # Qt\n\n[dev]\nxvfb\n"
    assert system_packages.packages(text, ["dev"]) == ["xvfb"]
    assert system_packages.packages(text, ["editor", "dev"]) == ["libegl1", "xvfb"]


def test_only_what_is_missing_is_asked_for_and_renamed_packages_count(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = "libegl1 install ok installed\nlibglib2.0-0t64 install ok installed\nxvfb deinstall ok config-files\n"
    monkeypatch.setattr(system_packages, "run", lambda command, may_fail: answer)
    assert system_packages.missing_of(["libegl1", "libglib2.0-0", "xvfb", "xauth"]) == ["xvfb", "xauth"]


def test_without_root_the_exact_command_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(system_packages.os, "geteuid", lambda: 1000)
    assert not system_packages.apt_install(["xvfb", "xauth"])
    assert "sudo apt-get install -y --no-install-recommends xvfb xauth" in capsys.readouterr().out
