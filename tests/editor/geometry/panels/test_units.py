"""Units of the forms: what is typed and shown against what is meant."""

from __future__ import annotations

import math

import pytest

from studio.editor.geometry.units import Units


@pytest.mark.parametrize(
    ("typed", "kind", "meant"),
    [
        ("12", "length", 0.012), ("12 mm", "length", 0.012), ("1.5m", "length", 1.5), ("1,5 m", "length", 1.5),
        ("1/4 m", "length", 0.25), ("2*(3+4) cm", "length", 0.14), ("-1e1", "length", -0.01),
        ("1 in", "length", 0.0254),
        ("90", "angle", math.pi / 2), ("90°", "angle", math.pi / 2), ("1 rad", "angle", 1.0), ("7", "", 7.0),
    ],
)  # fmt: skip
def test_numbers_with_units_and_arithmetic(typed: str, kind: str, meant: float) -> None:
    assert Units("mm", "deg").read(typed, kind) == pytest.approx(meant)


@pytest.mark.parametrize("typed", ["", "  ", "abc", "1 2", "1/0", "(1", "1)", "5 deg", "1e999", "--", "3 m m"])
def test_what_is_no_length_is_not_guessed(typed: str) -> None:
    assert Units().read(typed, "length") is None


def test_shown_numbers_have_no_needless_digits() -> None:
    units = Units("mm", "deg", 3)
    assert [units.shown(value, "length") for value in (0.0, -0.0, 0.035, 1.23456789)] == ["0", "0", "35", "1234.568"]
    assert units.shown(math.radians(-15), "angle") == "-15"
