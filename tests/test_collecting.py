"""Workers collect the same tests, each beginning elsewhere."""

from __future__ import annotations

from pathlib import Path

from tests.collecting import beginning_elsewhere, places


def test_every_worker_has_all_and_begins_where_no_other_does(checkout: Path) -> None:
    every = places([checkout / "tests", checkout / "projects"])
    assert {checkout / "tests" / "model", checkout / "tests" / "test_paths.py"} <= set(every)
    assert checkout / "tests" / "conftest.py" not in every
    orders = [beginning_elsewhere(every, number, 3) for number in range(3)]
    assert all(sorted(order) == sorted(every) for order in orders)
    assert len({order[0] for order in orders}) == 3


def test_a_folder_of_many_files_counts_as_many() -> None:
    counts = {Path("a"): 1, Path("b"): 1, Path("many"): 10, Path("more"): 10}
    assert [beginning_elsewhere(counts, number, 2)[0].name for number in range(2)] == ["a", "more"]
