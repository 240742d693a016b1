from __future__ import annotations

import sys
from pathlib import Path

import pytest

from studio.cli import bench
from tests.cli.running import Studio

DEMO = '''"""A demonstration."""
from bench.harness import Report, interleave

def run(rounds):
    report = Report("demo", rounds)
    report.add("walk", "us", interleave({"ours": lambda: 3.0, "peer": lambda: 2.0}, rounds), against="peer", goal=1.2)
    return report
'''


@pytest.fixture
def demo(tmp_path: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose only benchmark misses its goal."""
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "demo.py").write_text(DEMO)
    (folder / "harness.py").write_bytes((checkout / "bench/harness.py").read_bytes())
    monkeypatch.setattr(bench, "PACKAGE", tmp_path / "studio")
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == "bench"]:
        monkeypatch.delitem(sys.modules, name)
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "bench"]:
        del sys.modules[name]


def test_benchmarks_are_listed_without_being_run(studio: Studio, demo: Path) -> None:
    (demo / "explosive.py").write_text('"""Must not be imported."""\nraise SystemExit(7)\n')
    result = studio("bench")
    assert result.status == 0
    assert "demo         A demonstration." in result.out
    assert "explosive    Must not be imported." in result.out
    assert studio("bench", "--json").json == {
        "benches": {"demo": "A demonstration.", "explosive": "Must not be imported."}
    }


def test_json_is_what_scripts_rely_on(studio: Studio, demo: Path) -> None:
    result = studio("bench", "demo", "--json", "--rounds", "7")
    assert result.status == 0
    assert (result.json["bench"], result.json["rounds"]) == ("demo", 7)
    (row,) = result.json["rows"]
    assert (row["ratio"], row["against"], row["goal"], row["better"]) == (1.5, "peer", 1.2, "lower")


def test_people_get_a_table(studio: Studio, demo: Path) -> None:
    result = studio("bench", "demo")
    assert "1.50 of peer" in result.out
    assert "MISSED" in result.out


def test_a_missed_goal_fails_only_when_asked(studio: Studio, demo: Path) -> None:
    assert studio("bench", "demo").status == 0
    assert studio("bench", "demo", "--check").status == 1
    assert studio("bench", "--all", "--check").status == 1


def test_wrong_use(studio: Studio, demo: Path) -> None:
    unknown = studio("bench", "nothing")
    assert unknown.status == 2
    assert "there are: demo" in unknown.err
    assert studio("bench", "demo", "--rounds", "0").status == 2


def test_outside_a_checkout_it_says_so(studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "PACKAGE", tmp_path / "site-packages/studio")
    result = studio("bench", "messages")
    assert result.status == 2
    assert "checkout" in result.err
