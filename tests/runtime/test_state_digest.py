"""Digests tell values apart by their contents, and by nothing else."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections import deque
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import pytest

from studio.messages import Float64
from studio.runtime.base.state_digest import OutputDigests, digest_of


class Colour(Enum):
    RED = 1
    BLUE = 2


@dataclass
class Node:
    value: Any
    other: Any = None


@dataclass(slots=True)
class Slotted:
    value: Any


def generator(seed: int, drawn: int) -> np.random.Generator:
    made = np.random.default_rng(seed)
    made.random(drawn)
    return made


DIFFERENT: list[Any] = [
    None, True, 1, 1.0, -0.0, 0.0, "1", b"1", (1,), [1], {1}, {1: 2}, {2: 1}, [[1], 2], [1, [2]], ["ab", "c"],
    ["a", "bc"], float("nan"), Colour.RED, Colour.BLUE, Node(1), Node(1, 2), Node(2), Slotted(1), Slotted(2),
    Float64(1.0), Float64(2.0),
    np.zeros(3), np.zeros(3, np.float32), np.zeros((3, 1)), np.ones(3), np.float64(1.0), np.array([1, "a"], object),
    deque([1, 2]), deque([1, 2], maxlen=5), deque([2, 1]), generator(1, 0), generator(1, 1), generator(2, 0),
    {"a": 1, "b": 2}, {"b": 2, "a": 1}, len, Node, [1.0, 2.0], [1.0, 2], 10**30, [],
]  # fmt: skip


def test_different_values_have_different_digests() -> None:
    digests = [digest_of(value) for value in DIFFERENT]
    assert len(set(digests)) == len(digests)


@pytest.mark.parametrize("value", DIFFERENT, ids=lambda value: type(value).__name__)
def test_a_copy_has_the_same_digest(value: Any) -> None:
    assert digest_of(copy.deepcopy(value)) == digest_of(value)


def test_equal_objects_are_the_same_whether_they_are_one_or_two() -> None:
    one = [1, 2]
    assert digest_of([one, one]) == digest_of([[1, 2], [1, 2]])


def test_what_contains_itself_has_a_digest() -> None:
    def ring(value: int) -> Node:
        first = Node(value)
        first.other = Node(0, first)
        return first

    assert digest_of(ring(1)) == digest_of(ring(1)) != digest_of(ring(2))


def test_the_digest_of_a_set_is_the_same_in_every_process() -> None:
    program = "from studio.runtime.base.state_digest import digest_of; print(digest_of({str(n) for n in range(99)}))"
    expected = digest_of({str(n) for n in range(99)})
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == expected


def test_outputs_count_one_by_one_and_can_be_gone_back_to() -> None:
    outputs = OutputDigests()
    outputs.add("/a", 1, 10, b"x")
    kept, before = outputs.checkpoint(), outputs.of(["/a", "/b"])
    outputs.add("/a", 2, 20, b"y")
    outputs.add("/b", 1, 20, b"z")
    after = outputs.of(["/a", "/b"])
    outputs.restore(kept)
    assert outputs.of(["/a", "/b"]) == before != after
    outputs.add("/a", 2, 20, b"y")
    outputs.add("/b", 1, 20, b"z")
    assert outputs.of(["/a", "/b"]) == after
