"""How a component's code gets into a process: what a host loads for it, and from which file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio.runtime.host.profile import load_class, stale, write_profile_of

COUNTER = """\
from studio.runtime.component import Component, Parameter
from .start import START


class Counter(Component):
    \"\"\"Counts.\"\"\"

    start = Parameter(START)
    step = Parameter(1)
"""


@pytest.fixture
def counter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A component that was imported before, where Python writes bytecode."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    folder = tmp_path / "counter"
    folder.mkdir()
    (folder / "counter.py").write_text(COUNTER)
    (folder / "start.py").write_text("START = 5\n")
    write_profile_of(folder)
    return folder


def edit_at_once(file: Path, old: str, new: str) -> None:
    """An edit that leaves size and time of the file as they were: quicker than its clock."""
    before = file.stat()
    file.write_text(file.read_text().replace(old, new))
    assert file.stat().st_size == before.st_size
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("counter.py", "Parameter(1)", "Parameter(2)", "step: default is 1 in the file and 2 in the class"),
        ("start.py", "5", "6", "start: default is 5 in the file and 6 in the class"),
    ],
)
def test_an_edit_within_the_same_second_is_seen(counter: Path, file: str, old: str, new: str, told: str) -> None:
    edit_at_once(counter / file, old, new)
    assert told in str(stale(counter))


def test_importing_leaves_nothing_in_the_folder(counter: Path) -> None:
    load_class(counter)
    assert sorted(entry.name for entry in counter.iterdir()) == ["component.xml", "counter.py", "start.py"]


def test_a_host_starts_without_the_xml_library() -> None:
    program = "import sys, studio.runtime.host.host\nsys.exit(any(name.startswith('lxml') for name in sys.modules))"
    subprocess.run([sys.executable, "-c", program], check=True)
