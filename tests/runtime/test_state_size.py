"""About how much memory a checkpoint takes."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace

import numpy as np

from studio.runtime.base.state_size import OBJECT_BYTES, size_of


def test_arrays_and_bytes_count_wherever_they_are() -> None:
    state = {
        "track": deque([SimpleNamespace(grid=np.zeros((100, 100)))]),
        "raw": [(bytes(5000),)],
        "view": memoryview(bytes(7)),
    }
    assert 85_007 < size_of(state) < 87_000


def test_what_is_referred_to_twice_counts_once() -> None:
    grid = np.zeros(1000)
    assert size_of([grid, grid]) - size_of([grid]) <= OBJECT_BYTES


def test_a_state_may_contain_itself() -> None:
    state: dict[str, object] = {"grid": np.zeros(1000)}
    state["self"] = state
    assert 8000 < size_of(state) < 9000


def test_classes_are_not_part_of_a_state() -> None:
    class Table:
        values = np.zeros(100_000)

    assert size_of({"kind": Table}) < 1000
