"""Workers collect the same tests, each beginning elsewhere.

In a fresh clone every test file is compiled, with its assertions rewritten, by whoever comes to it first; the others
find the result. Workers that go side by side would all do all of it: half a minute of work each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest


def places(folders: Iterable[Path]) -> dict[Path, int]:
    """What is collected of these, in pieces -> how many files each has."""
    found = [each for folder in folders for each in sorted(folder.iterdir())]
    counts = {each: len([*each.rglob("test_*.py")]) if each.is_dir() else each.match("test_*.py") for each in found}
    return {place: count for place, count in counts.items() if count}


def beginning_elsewhere(counts: Mapping[Path, int], number: int, workers: int) -> list[Path]:
    """All places, for worker `number` of so many: each begins as many files behind another."""
    before = list(accumulate(counts.values(), initial=0))
    first = next(place for place, count in enumerate(before) if count * workers >= before[-1] * number)
    return [*counts][first:] + [*counts][:first]


def share_the_compiling(config: pytest.Config, worker: Mapping[str, Any]) -> None:
    """Where the whole suite is asked for; `in_one_order` makes the same list of what the workers find."""
    folders = [str(path) for path in config.getini("testpaths")]
    if [Path(word).name for word in config.args] == folders:
        number = int(str(worker["workerid"]).removeprefix("gw"))
        every = places(config.rootpath / folder for folder in folders)
        config.args[:] = map(str, beginning_elsewhere(every, number, worker["workercount"]))


def in_one_order(items: list[pytest.Item]) -> None:
    """File by file; within a file they stay as they are."""
    items.sort(key=lambda item: item.path)
