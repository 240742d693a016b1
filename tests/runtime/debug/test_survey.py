"""Words and packed arrays: short whatever they are made of, and true."""

from __future__ import annotations

import json
from collections import deque
from typing import Any

import numpy as np
import pytest

from studio.messages import PoseTransform
from studio.runtime.host import survey


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (3, "3"),
        (0.1 + 0.2, "0.3"),
        ("short", "'short'"),
        ([], "empty"),
        ([1, 2], "[1, 2]"),
        (list(range(9)), "9 items"),
        (deque([1, 2], maxlen=9), "[1, 2]"),
        (deque(range(2000)), "2000 items"),
        ({"a": 1}, "1 entry"),
        (np.zeros((2, 3), np.float32), "(2, 3) float32"),
        (np.array([True, False, True]), "(3,) bool, 2 true"),
        (object(), ""),
    ],
)
def test_values_in_words(value: Any, words: str) -> None:
    assert survey.words(value) == words


def test_no_value_takes_more_than_a_line() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError("half made")

    assert survey.words("x" * 1_000_000).endswith("1000000 long") and len(survey.words("x" * 1_000_000)) < 120
    assert "RuntimeError" in survey.words(Broken())


def test_a_message_is_told_by_its_fields() -> None:
    pose = PoseTransform.from_xyz_rpy(1.0, 2.0, 0.5, stamp_ns=5, frame="map")
    assert survey.words(pose) == "x 1 y 2 z 0.5, frame map"
    within = json.loads(survey.children(pose))
    assert within["stamp_ns"] == {"type": "int", "words": "5", "array": False} and within["matrix"]["array"]


def test_children_of_lists_and_dictionaries_are_named_as_the_debugger_names_them() -> None:
    assert list(json.loads(survey.children(["a", "b"]))) == ["0", "1"]
    assert list(json.loads(survey.children({"k": 1, 2: 3}))) == ["'k'", "2"]
    assert list(json.loads(survey.children(deque("ab")))) == ["0", "1"]


@pytest.mark.parametrize("many", [deque(range(5000)), range(5000), dict.fromkeys(range(5000)), [0] * 5000])
def test_of_what_holds_many_only_the_first_are_told(many: Any) -> None:
    assert len(json.loads(survey.children(many))) == survey.MOST_CHILDREN


def test_what_was_kept_of_late_is_told_without_the_text_of_it_all() -> None:
    """As a component keeps poses or scans: each has a text of its own, which nobody asks for."""

    class Scan:
        def __repr__(self) -> str:
            raise AssertionError("the text of every scan was made")

    assert survey.words(deque([Scan()] * 1024)) == "1024 items"
    told = json.loads(survey.array(deque([[1.0, 2.0], [3.0, 4.0]])))
    assert survey.unpack(told).tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_a_huge_array_comes_thinned_out_with_statistics_of_all() -> None:
    whole = np.arange(3_000_000, dtype=np.float64).reshape(3000, 1000)
    whole[7, 7] = np.nan
    told = json.loads(survey.array(whole, most_cells=10_000))
    thin = survey.unpack(told)
    rows, columns = told["steps"]
    assert thin.size <= 10_000 and thin[2, 3] == whole[2 * rows, 3 * columns]
    assert told["statistics"]["max"] == 2_999_999 and told["statistics"]["nan"] == 1 and not told["sampled"]


def test_colours_stay_colours_and_further_axes_are_left_out() -> None:
    assert json.loads(survey.array(np.zeros((4, 5, 3), np.uint8)))["data_shape"] == [4, 5, 3]
    told = json.loads(survey.array(np.zeros((2, 4, 5), np.float32)))
    assert told["data_shape"] == [4, 5] and told["index"] == [0, None, None] and told["planes"] == 2
    cells = np.arange(60.0).reshape(4, 5, 3)
    told = json.loads(survey.array(cells, plane=2))
    assert survey.unpack(told).tolist() == cells[:, :, 2].tolist() and told["index"] == [None, None, 2]


@pytest.mark.parametrize("value", ["text", {"a": 1}, [], [[1], [1, 2]], None, np.array(["a"])])
def test_what_is_no_array_says_so(value: Any) -> None:
    assert "error" in json.loads(survey.array(value))
