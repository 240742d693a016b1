from __future__ import annotations

from pathlib import Path

import pytest

from studio.cli.doctor_parts import examinations
from studio.cli.doctor_parts.examinations import Program, examine_libzmq, examine_package, examine_program
from studio.cli.doctor_parts.requirements import Requirement, requirements
from tests.cli.running import Studio


def test_json_tells_for_each_thing_its_state_and_remedy(studio: Studio) -> None:
    result = studio("doctor", "--json")
    assert result.status == (0 if result.json["healthy"] else 1)
    findings = {finding["name"]: finding for finding in result.json["findings"]}
    assert findings["numpy"]["state"] == "ok"
    assert findings["python"]["state"] == "ok"
    assert "shared memory" in findings
    assert all(finding["remedy"] for finding in findings.values() if finding["state"] != "ok")


def test_the_search_path_shows_where_components_and_projects_are_found(
    studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("components", "projects"):
        (tmp_path / kind).mkdir()
    monkeypatch.setenv("STUDIO_PATH", str(tmp_path))
    found = [(one["name"], one["detail"]) for one in studio("doctor", "--json").json["findings"]]
    assert ("components", str(tmp_path / "components")) in found
    assert ("projects", str(tmp_path / "projects")) in found


def test_something_needed_that_is_missing_is_a_failed_check(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examinations, "requirements", lambda: [Requirement("no-such-package", ">=1.0")])
    result = studio("doctor")
    assert result.status == 1
    assert "MISSING no-such-package" in result.out
    assert "required but missing: no-such-package" in result.out


def test_something_optional_that_is_missing_is_only_told(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examinations, "requirements", lambda: [Requirement("no-such-package", ">=1.0", "sim")])
    result = studio("doctor")
    assert "no-such-package" in result.out
    assert "no-such-package" not in result.out.partition("required but missing")[2]
    assert 'make setup EXTRAS="dev editor sim"' in result.out


def test_a_remedy_that_several_share_is_told_once(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    absent = [
        Requirement("no-such-a", "", "sim"),
        Requirement("no-such-b", "", "sim"),
        Requirement("no-such-c", "", "bench"),
    ]
    monkeypatch.setattr(examinations, "requirements", lambda: absent)
    out = studio("doctor").out
    assert out.count('EXTRAS="dev editor sim"') == 1
    assert out.count('EXTRAS="dev editor bench"') == 1


def test_a_package_that_is_too_old_does_not_count() -> None:
    finding = examine_package(Requirement("numpy", ">=99"))
    assert finding.state == "missing"
    assert "but needs >=99" in finding.detail


@pytest.mark.parametrize(
    ("bounds", "version", "accepted"),
    [
        ("<6.12,>=6.11", "6.11.2", True),
        ("<6.12,>=6.11", "6.12", False),
        ("<6.12,>=6.11", "6.12.0", False),
        ("<6.12,>=6.11", "6.10.9", False),
        (">=26.0", "26", True),
        (">=26.0", "26.0.0rc1", True),
        ("", "0.1", True),
    ],
)
def test_bounds(bounds: str, version: str, accepted: bool) -> None:
    assert Requirement("x", bounds).accepts(version) is accepted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("numpy>=1.26", Requirement("numpy", ">=1.26")),
        ("pyqt6<6.12,>=6.11; extra == 'editor'", Requirement("pyqt6", "<6.12,>=6.11", "editor")),
        ('types-psutil; extra == "dev"', Requirement("types-psutil", "", "dev")),
    ],
)
def test_requirements_are_read_from_metadata(text: str, expected: Requirement) -> None:
    assert Requirement.parse(text) == expected


def test_a_checkout_needs_what_it_names_now_and_not_when_it_was_installed(tmp_path: Path) -> None:
    """jedi had come later, was missing, and nobody said so."""
    (tmp_path / "pyproject.toml").write_text(
        '[project]\ndependencies = ["numpy>=1.26"]\n[project.optional-dependencies]\neditor = ["came-later>=2"]\n'
    )
    assert requirements(tmp_path) == [Requirement("numpy", ">=1.26"), Requirement("came-later", ">=2", "editor")]
    assert {"jedi", "pytest"} <= {one.name for one in requirements() if one.extra == "editor"}


def test_a_program_that_fails_is_not_called_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "tool"
    broken.write_text("#!/bin/sh\necho cannot start >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    finding = examine_program(Program("Tool", ("tool",), ("--version",), "testing", "get another"))
    assert (finding.state, finding.detail, finding.remedy) == ("absent", "cannot start", "get another")


def test_the_program_that_is_there_is_named_with_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = tmp_path / "second"
    good.write_text("#!/bin/sh\necho tool 1.2\n")
    good.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    finding = examine_program(Program("Tool", ("no_such_first", "second"), ("--version",), "testing", ""))
    assert (finding.state, finding.detail) == ("ok", "tool 1.2")


@pytest.mark.parametrize(
    ("compiler", "state", "told"),
    [
        ("exit 0", "ok", "is there"),
        ("echo 'zmq.h: No such file' >&2; exit 1", "absent", "for components in C"),
        ("", "absent", "without a C compiler"),
    ],
)
def test_libzmq_is_looked_for_with_the_compiler(
    compiler: str, state: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if compiler:
        (tmp_path / "cc").write_text(f"#!/bin/sh\n{compiler}\n")
        (tmp_path / "cc").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    finding = examine_libzmq()
    assert finding.state == state
    assert told in finding.detail
    assert finding.state == "ok" or "libzmq3-dev" in finding.remedy
