"""Colours of maps: what the legend promises is what the cells get."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from studio.editor.views.maps.map_raster import Window, paint
from studio.editor.views.shared.map_colours import SCHEMES, UNKNOWN, argb, range_of, scheme_for, ticks

TERRAIN = SCHEMES["terrain"]


def shown(plane: np.ndarray, window: Window, **more: str) -> np.ndarray:
    painted = paint(plane.astype(np.float32), (0.0, 0.0), 1.0, window, TERRAIN, **more)
    pixels = np.zeros((window.height, window.width), np.uint32)
    height, width = painted.pixels.shape
    pixels[painted.top : painted.top + height, painted.left : painted.left + width] = painted.pixels
    return pixels


def test_the_stops_of_a_scheme_are_in_its_table() -> None:
    table = TERRAIN.table()
    for value, colour in (TERRAIN.stops[0], TERRAIN.stops[3], TERRAIN.stops[-1]):
        nearest = table[round((value - TERRAIN.low) / (TERRAIN.high - TERRAIN.low) * (len(table) - 1))]
        channels = [(int(nearest) >> shift) & 255 for shift in (16, 8, 0)]
        wanted = [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
        assert channels == pytest.approx(wanted, abs=3)


def test_every_cell_has_its_own_pixels_and_rows_go_up() -> None:
    plane = np.array([[-9.0, 0.0], [9.0, np.nan]])
    pixels = shown(plane, Window(0.0, 2.0, 0.5, 4, 4), unknown="#123456")
    low, grade, high = (argb(TERRAIN.stops[i][1]) for i in (0, 3, 6))
    assert (pixels[2:, :2] == low).all(), "row 0 is at the bottom"
    assert (pixels[:2, :2] == high).all()
    assert (pixels[:2, 2:] == argb("#123456")).all(), "NaN is unknown"
    middle = int(pixels[3, 3])
    assert abs((middle >> 8 & 255) - (grade >> 8 & 255)) <= 3


def test_outside_the_map_nothing_is_painted() -> None:
    pixels = shown(np.zeros((2, 2)), Window(-2.0, 4.0, 1.0, 6, 6))
    assert (pixels != 0).sum() == 4
    assert (pixels[2:4, 2:4] != 0).all()
    assert not shown(np.zeros((2, 2)), Window(50.0, 50.0, 1.0, 5, 5)).any()


@pytest.mark.parametrize("value", [1.0, -1.0])
def test_a_single_cell_does_not_vanish_when_one_zooms_out(value: float) -> None:
    for row, column in itertools.product((0, 137, 299), (0, 211, 299)):
        plane = np.zeros((300, 300))
        plane[row, column] = value
        pixels = shown(plane, Window(0.0, 300.0, 10.0, 30, 30))
        plain = shown(np.zeros((300, 300)), Window(0.0, 300.0, 10.0, 30, 30))
        assert (pixels != plain).sum() == 1


def test_infinite_cells_are_hatched() -> None:
    pixels = shown(np.full((1, 1), np.inf), Window(0.0, 1.0, 1 / 16, 16, 16), unknown="#123456")
    assert set(np.unique(pixels)) == {argb(TERRAIN.stops[-1][1]), argb("#123456")}
    assert len({tuple(row) for row in pixels.tolist()}) > 1, "the stripes lean"


@pytest.mark.parametrize("scale", [0.37, 1.0])
def test_the_painting_agrees_with_looking_up_each_pixel(scale: float) -> None:
    random = np.random.default_rng(3)
    plane = random.normal(0, 0.5, (40, 50)).astype(np.float32)
    window = Window(-3.0, 43.0, scale, 61, 47)
    pixels = shown(plane, window)
    table = TERRAIN.table()
    for y, x in itertools.product(range(0, 47, 5), range(0, 61, 5)):
        column, row = int(np.floor(window.x_of(x + 0.5))), int(np.floor(window.y_of(y + 0.5)))
        if not (0 <= row < 40 and 0 <= column < 50):
            assert pixels[y, x] == 0
            continue
        share = (float(plane[row, column]) - TERRAIN.low) / (TERRAIN.high - TERRAIN.low)
        first = min(max(int(share * 255) - 1, 0), 255)  # beyond the range the last colour goes on
        nearby = table[first : max(int(share * 255) + 3, 1)]
        assert pixels[y, x] in nearby


def test_a_range_can_be_uneven_and_the_grade_keeps_its_colour() -> None:
    stretched = TERRAIN.over(-0.1, 4.0)
    assert (stretched.low, stretched.high, stretched.grade) == (-0.1, 4.0, 0.0)
    assert dict(stretched.stops)[0.0] == dict(TERRAIN.stops)[0.0]
    assert TERRAIN.over(1.0, 1.0) is TERRAIN
    assert TERRAIN.over(float("nan"), 1.0) is TERRAIN


def test_planes_get_the_scheme_that_their_name_asks_for() -> None:
    assert scheme_for("height").name == "terrain"
    assert scheme_for("traversability").name == "traversability"
    assert scheme_for("occupancy").name == "occupancy"
    assert scheme_for("n").name == "variance"


def test_ranges_of_odd_values() -> None:
    assert range_of(np.array([np.nan, np.inf], np.float32)) == (0.0, 1.0)
    assert range_of(np.array([2.0, 2.0], np.float32)) == (1.5, 2.5)
    assert range_of(np.array([-1.0, np.nan, 3.0], np.float32)) == (-1.0, 3.0)


@pytest.mark.parametrize(("low", "high"), [(-1.2, 1.2), (0.0, 1.0), (0.0, 0.003), (-4e6, 5e6), (7.0, 7.0)])
def test_ticks_are_round_and_within(low: float, high: float) -> None:
    found = ticks(low, high)
    assert found and all(low - 1e-9 <= tick <= high + 1e-9 for tick in found)
    assert len(found) <= 12


def brightness(colour: str) -> float:
    """As contrasts are computed from."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_equal_is_not_taken_for_unknown(theme: str) -> None:
    """In dark both were the same grey, but for a careful eye."""
    scheme = SCHEMES["difference"].seen_in(theme)
    equal = brightness(scheme.stops[len(scheme.stops) // 2][1])
    assert equal / brightness(UNKNOWN[theme]) > 1.3


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_neither_walls_nor_free_ground_are_taken_for_unknown(theme: str) -> None:
    """In dark black walls were lost in what nobody has seen yet."""
    for _, colour in SCHEMES["occupancy"].seen_in(theme).stops:
        ratio = brightness(colour) / brightness(UNKNOWN[theme])
        assert max(ratio, 1 / ratio) > 1.3
