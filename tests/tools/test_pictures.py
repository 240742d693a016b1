"""Pictures of the documentation: each is shown by a page, and each that a page shows is there."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from PIL import Image

from tools.picture_files import COLOURS, shrink

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAMED = re.compile(r"[\w./-]*pictures/[\w-]+\.png")


def named() -> dict[Path, Path]:
    """Every picture that a page names, and such a page."""
    return {(page.parent / name).resolve(): page for page in PAGES for name in NAMED.findall(page.read_text())}


def test_every_picture_that_a_page_shows_is_there() -> None:
    missing = [f"{page.name}: {picture.name}" for picture, page in named().items() if not picture.is_file()]
    assert not missing


def test_every_picture_is_shown_by_a_page() -> None:
    unused = {picture.name for picture in PICTURES.iterdir()} - {picture.name for picture in named()}
    assert not unused, f"no page shows {sorted(unused)}: delete them"


def test_where_a_picture_has_a_dark_twin_the_page_offers_both() -> None:
    shown = {picture.name for picture in named()}
    alone = [
        name for name in shown if (PICTURES / name.replace(".png", "_dark.png")).is_file()
        and name.replace(".png", "_dark.png") not in shown
    ]  # fmt: skip
    assert not alone


def test_a_shrunk_picture_has_a_palette_and_keeps_its_rare_colours(tmp_path: Path) -> None:
    across, down = np.meshgrid(np.arange(400), np.arange(300))
    pixels = np.stack([across // 2, down // 2, (across + down) // 4], axis=2).astype(np.uint8)
    pixels[150:153, 200:206] = (255, 122, 26)  # orange: it says that a vehicle is real
    pixels[:100] = (27, 30, 35)
    file = tmp_path / "picture.png"
    Image.fromarray(pixels).save(file)
    shrink(file)
    with Image.open(file) as picture:
        assert picture.mode == "P" and len(picture.getcolors() or ()) <= COLOURS
        again = np.asarray(picture.convert("RGB")).astype(int)
    assert (again[:100] == (27, 30, 35)).all()
    assert abs(again[151, 202] - (255, 122, 26)).max() <= 16
