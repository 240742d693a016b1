"""Running a project that brings code of its own asks once, and again when what it starts has changed."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from studio.cli.verbs import VERBS
from studio.runtime.client.trust import is_made_here, made_here
from tests.cli.running import STUDIO, Studio
from tests.runtime.recording.logs import story, write_log

PROBE = '''
from pathlib import Path
from studio.messages import Float64
from studio.runtime.component import Component, InPort
Path({trace!r}).touch()

class Probe(Component):
    """Leaves a trace when its code runs."""

    value = InPort(Float64)
'''
PROFILE = """<component type="probe" category="processor"><doc>Leaves a trace when its code runs.</doc>
  <entry python="{module}:Probe"/><activation modes="event"/>
  <port name="value" direction="in" type="Float64" delivery="lossless" optional="true"/></component>"""
RUN = ("--gate", "lockstep", "--for", "0.1")


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return tmp_path / "code_has_run"


@pytest.fixture
def project(tmp_path: Path, trace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("STUDIO_TRUST")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    own = tmp_path / "lab" / "components" / "probe"
    own.mkdir(parents=True)
    for module in ("probe", "other"):
        (own / f"{module}.py").write_text(PROBE.format(trace=str(trace)))
    (own / "component.xml").write_text(PROFILE.format(module="probe"))
    cases = tmp_path / "lab" / "tests" / "cases.toml"
    cases.parent.mkdir()
    cases.write_text('[probe]\nfor_s = 0.1\nexpect = ["duration >= 0"]')
    (tmp_path / "lab" / "system.xml").write_text(
        '<system name="lab" version="1"><component name="probe" type="probe"/></system>'
    )
    return tmp_path / "lab"


def test_opening_checking_and_refusing_run_nothing(studio: Studio, project: Path, trace: Path) -> None:
    assert studio("check", project).status == 0
    assert studio("info", project).status == 0
    for words in ((), ("--detach",)):
        refused = studio("run", project, *RUN, *words)
        assert refused.status == 1 and "components/probe: probe:Probe" in refused.err and "--trust" in refused.err
    assert not trace.exists()


RUNS_CODE: dict[str, tuple[tuple[str, ...], ...]] = {
    "run": (
        ("{project}", *RUN),
        ("{project}", "--detach"),
        ("{project}", "--debug", "probe", "--no-wait"),
        ("{project}", "--in-process", "--for", "0.1"),
    ),
    "test": (("{project}",),),
    "record": (("{project}", "{out}", "--for", "0.1"),),
    "play": (("{log}", "{project}", "--flat-out"),),
    "replay": (
        ("{project}", "--log", "{log}", "--lockstep"),
        ("{project}", "--log", "{log}", "--lockstep", "--in-process"),
        ("{project}", "--log", "{log}", "--as-recorded"),
    ),
    "step": (("{project}", "--log", "{log}", "--forward", "1"), ("{project}", "--log", "{log}", "--digest")),
    "debug": (
        ("{project}", "--component", "probe", "--no-wait"),
        ("{project}", "--component", "probe", "--log", "{log}", "--no-wait"),
    ),
    "profile": (("{project}/components/probe",), ("{project}/components/probe", "--check")),
}
"""Every way of the command line to start what a project brings."""

RUNS_NONE = {
    "gazebo": "runs servers, and nothing of a project",
    "edit": "the window asks by itself, when something is to run",
    "new": "makes files",
    "check": "reads files",
    "info": "reads files",
    "stop": "of what runs already",
    "ctl": "of what runs already; what it adds to that it asks for: tests/cli/test_ctl_shape.py",
    "convert": "reads files",
    "corpus": "reads files",
    "compare": "reads files",
    "model": "reads files",
    "sim": "of the simulator alone",
    "bench": "of the checkout alone",
    "completion": "reads files, and asks what runs already",
    "doctor": "looks at what is installed",
}


def test_every_verb_is_known_to_run_code_or_not() -> None:
    assert {verb.name for verb in VERBS} == RUNS_CODE.keys() | RUNS_NONE.keys()


@pytest.mark.parametrize(("verb", "words"), [(verb, words) for verb, ways in RUNS_CODE.items() for words in ways])
def test_nothing_that_runs_code_runs_it_untrusted(
    studio: Studio, project: Path, trace: Path, tmp_path: Path, verb: str, words: tuple[str, ...]
) -> None:
    log = tmp_path / "drive.mcap"
    write_log(log, story())
    names = {"project": project, "log": log, "out": tmp_path / "out.mcap"}
    refused = studio(verb, *(word.format(**names) for word in words))
    assert refused.status == 1
    assert "components/probe: probe:Probe" in refused.err and "--trust" in refused.err
    assert not trace.exists()
    assert "--trust" in studio(verb, "--help").out


def test_trust_is_remembered_until_the_commands_change(studio: Studio, project: Path, trace: Path) -> None:
    assert studio("run", project, *RUN, "--trust").status == 0
    assert trace.exists()
    assert studio("run", project, *RUN).status == 0
    (project / "components" / "probe" / "component.xml").write_text(PROFILE.format(module="other"))
    changed = studio("run", project, *RUN)
    assert changed.status == 1 and "other:Probe" in changed.err


def test_a_yes_to_a_run_holds_for_its_classes_and_one_to_a_class_for_the_run(
    studio: Studio, project: Path, trace: Path
) -> None:
    assert studio("run", project, *RUN, "--trust").status == 0
    assert studio("profile", project / "components/probe").status == 0
    more = project / "components" / "more"
    more.mkdir()
    (more / "more.py").write_text(PROBE.format(trace=str(trace)))
    trace.unlink()
    refused = studio("profile", more)
    assert refused.status == 1 and "python components/more: more.py" in refused.err and not trace.exists()
    assert studio("profile", more, "--trust").status == 0 and (more / "component.xml").is_file()
    assert studio("run", project, *RUN).status == 0, "what it starts was agreed to before"


def test_what_is_not_trusted_does_not_keep_others_from_being_looked_at(
    studio: Studio, project: Path, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    result = studio("profile", "--check", "signal_source", "probe")
    assert result.status == 1 and "probe:Probe" in result.err and "signal_source" not in result.err
    assert not trace.exists()


def test_a_component_of_no_project_is_asked_about_too(studio: Studio, project: Path, trace: Path) -> None:
    loose = project.rename(project.parent / "loose") / "components" / "probe"
    (loose.parent.parent / "system.xml").unlink()
    refused = studio("profile", loose)
    assert refused.status == 1 and "probe:Probe" in refused.err and not trace.exists()


def test_a_damaged_memory_trusts_nobody(studio: Studio, project: Path, tmp_path: Path) -> None:
    memory = tmp_path / "data" / "robot-systems-studio" / "trusted.json"
    memory.parent.mkdir(parents=True)
    for text in ("{half", "[]", json.dumps({str(project): "yes"})):
        memory.write_text(text)
        assert studio("run", project, *RUN).status == 1


def test_known_components_need_no_question(studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STUDIO_TRUST")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "system.xml").write_text(
        '<system name="plain" version="1"><component name="signal" type="signal_source"/></system>'
    )
    assert studio("run", folder, *RUN).status == 0
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(("answer", "status"), [(b"y\n", 0), (b"\n", 1)])
def test_on_a_terminal_it_shows_the_commands_and_asks(project: Path, trace: Path, answer: bytes, status: int) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*STUDIO, "run", str(project), *RUN], stdin=theirs, stdout=subprocess.PIPE, stderr=theirs
    ) as run:
        os.close(theirs)
        seen = b""
        while b"[y/N]" not in seen:
            seen += os.read(ours, 4096)
        assert b"components/probe: probe:Probe" in seen and not trace.exists()
        os.write(ours, answer)
        out, _ = run.communicate(timeout=40)
    os.close(ours)
    assert run.returncode == status
    assert trace.exists() == (status == 0) == (b"lab ran" in out)


def test_a_link_that_leads_out_of_the_project_is_asked_about(studio: Studio, project: Path, trace: Path) -> None:
    own, elsewhere = project / "components" / "probe", project.parent / "elsewhere"
    own.rename(elsewhere)
    own.symlink_to(elsewhere)
    refused = studio("run", project, *RUN)
    assert refused.status == 1 and f"components/probe (outside: {elsewhere}): probe:Probe" in refused.err
    assert not trace.exists()


def test_modules_in_the_working_directory_never_run(project: Path, trace: Path) -> None:
    """A project of shipped components needs no trust, so nothing that lies in it may run."""
    (project / "system.xml").write_text(
        '<system name="lab" version="1"><component name="signal" type="signal_source"/></system>'
    )
    for module in ("studio", "zmq", "numpy", "lxml", "sitecustomize", "usercustomize"):
        (project / f"{module}.py").write_text(f"import pathlib\npathlib.Path({str(trace)!r}).touch()\n")
    program = Path(sys.executable).with_name("studio")
    for command in ([program], [sys.executable, "-P", "-m", "studio"]):
        done = subprocess.run([*command, "run", ".", "--for", "0.3"], cwd=project, capture_output=True, timeout=50)
        assert done.returncode == 0, done.stderr
    assert not trace.exists()


def test_python_m_studio_imports_nothing_else_from_the_working_directory(project: Path, trace: Path) -> None:
    (project / "lxml.py").write_text(f"import pathlib\npathlib.Path({str(trace)!r}).touch()\n")
    done = subprocess.run([*STUDIO, "check", "."], cwd=project, capture_output=True, timeout=50)
    assert done.returncode == 0, done.stderr
    assert not trace.exists()


def test_what_was_made_here_is_trusted(studio: Studio, project: Path, tmp_path: Path) -> None:
    """Somebody made it five minutes ago, and was asked whether he trusts himself."""
    mine = tmp_path / "mine"
    assert studio("new", "project", mine).status == 0
    assert studio("new", "component", "own", "--project", mine, "--out", "value:Float64", "--period", "0.1").status == 0
    (mine / "system.xml").write_text(
        '<system name="mine" version="1"><component name="own" type="own" mode="periodic"/></system>'
    )
    assert studio("run", mine, *RUN).status == 0
    assert studio("profile", mine / "components" / "own").status == 0


def test_what_is_unpacked_into_a_project_that_was_made_here_is_asked_about(
    studio: Studio, project: Path, trace: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    assert studio("new", "project", mine).status == 0
    shutil.copytree(project / "components" / "probe", mine / "components" / "probe")
    (mine / "system.xml").write_text((project / "system.xml").read_text())
    refused = studio("run", mine, *RUN)
    assert refused.status == 1 and "components/probe" in refused.err and not trace.exists()
    assert studio("run", mine, *RUN, "--trust").status == 0 and trace.exists()


def test_another_project_in_its_place_is_not(studio: Studio, project: Path, trace: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    assert studio("new", "project", mine).status == 0
    mine.rename(tmp_path / "gone")
    project.rename(mine)
    assert studio("run", mine, *RUN).status == 1 and not trace.exists()


def test_nor_is_one_that_got_the_number_of_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project is removed, and another one is cloned there: many file systems use the number of an inode at once."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    mine = tmp_path / "mine"
    mine.mkdir()
    made_here(mine)
    assert is_made_here(mine)
    mine.rmdir()
    mine.mkdir()
    assert not is_made_here(mine)


def test_several_windows_that_remember_at_the_same_time_forget_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    code = "import sys; from pathlib import Path; from studio.runtime.client.trust import trust\n"
    code += "for number in range(60): trust(Path(sys.argv[1]) / str(number), ['python x: x.py'])"
    windows = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path / name)]) for name in "abc"]
    assert [window.wait(50) for window in windows] == [0, 0, 0]
    (file,) = (tmp_path / "data").glob("*/trusted.json")
    assert len(json.loads(file.read_text())) == 180
