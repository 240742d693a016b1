from __future__ import annotations

from pathlib import Path

import pytest

from studio.model.loaded_project import open_project

PROJECTS = sorted(file.parent for file in (Path(__file__).resolve().parents[2] / "projects").glob("*/system.xml"))


@pytest.mark.parametrize("folder", PROJECTS, ids=lambda folder: folder.name)
def test_an_example_has_no_problems_and_a_description(folder: Path) -> None:
    opened = open_project(folder)
    assert opened.problems == []
    assert opened.system.name == folder.name
    assert opened.system.doc
    assert (folder / "README.md").read_text().startswith(f"# {folder.name}\n")
