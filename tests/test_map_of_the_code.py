"""The map of the code in docs/design/README.md names what is there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAP = ROOT / "docs" / "design" / "README.md"
PAGES = (ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs" / "design").glob("*.md")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_file_that_is_named_exists(page: Path) -> None:
    named = re.findall(r"`((?:studio|tests|tools|bench|components)/[\w/]+\.\w+)`", page.read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("package", ["runtime", "editor"])
def test_the_map_shows_each_room_in_the_order_of_the_contract(package: str) -> None:
    part = MAP.read_text(encoding="utf-8").split(f"## The rooms of studio/{package}\n")[1].split("\n## ")[0]
    shown = [set(re.findall(r"\w+", row)) for row in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", part, re.MULTILINE)]
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    contracts = tool["importlinter"]["contracts"]
    (layers,) = (each["layers"] for each in contracts if each.get("containers") == [f"studio.{package}"])
    files = {file.stem for file in (ROOT / "studio" / package).glob("*.py")}
    rooms = [names for line in layers if not (names := set(re.findall(r"\w+", line))) <= files]
    assert shown == rooms
