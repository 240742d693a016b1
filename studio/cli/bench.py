"""`studio bench`: runs the side-by-side benchmarks of the checkout."""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from studio.cli.shared.outcome import FAILED, FINE, UsageError, add_json_option, print_json
from studio.paths import PACKAGE

EXAMPLE = """\
  studio bench                       list the benchmarks
  studio bench messages              run one and print a table
  studio bench messages --json       the same for scripts
  studio bench messages --check      exit status 1 when a goal is missed
  studio bench record --seconds 600  a longer load
"""
ROUNDS = 5


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="name of the benchmark (default: list them)")
    parser.add_argument("--all", action="store_true", help="run all of them")
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, metavar="N", help="interleaved rounds (default: %(default)s)"
    )
    parser.add_argument(
        "--seconds", type=float, metavar="S", help="length of the recording or replay, in benchmarks that have one"
    )
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    folder = bench_folder()
    if options.rounds < 1:
        raise UsageError("--rounds must be at least 1", hint=f"{ROUNDS} or more give a median worth quoting")
    names = available(folder) if options.all else [options.name] if options.name else []
    if not names:
        return list_benchmarks(folder, options.json)
    if options.seconds is not None and not 0 < options.seconds < float("inf"):
        raise UsageError("--seconds must be above 0")
    reports = [run_one(folder, name, options.rounds, options.seconds, is_only=not options.all) for name in names]
    if options.json:
        objects = [report.to_json() for report in reports]
        print_json(objects[0] if not options.all else {"benches": objects})
    else:
        harness = load(folder, "harness")
        print("\n\n".join(harness.table(report) for report in reports))
    return FAILED if options.check and not all(report.met for report in reports) else FINE


def run_one(folder: Path, name: str, rounds: int, seconds: float | None, *, is_only: bool) -> Any:
    if name not in available(folder):
        raise UsageError(f"there is no benchmark {name!r}", hint="there are: " + ", ".join(available(folder)))
    run = load(folder, name).run
    lasts = "seconds" in inspect.signature(run).parameters
    if seconds is not None and is_only and not lasts:
        raise UsageError(f"nothing in {name} lasts a given time", hint="leave out --seconds")
    print(f"running {name} ...", file=sys.stderr)
    return run(rounds, seconds=seconds) if seconds is not None and lasts else run(rounds)


def list_benchmarks(folder: Path, as_json: bool) -> int:
    summaries = {name: summary_of(folder / f"{name}.py") for name in available(folder)}
    if as_json:
        print_json({"benches": summaries})
        return FINE
    for name, summary in summaries.items():
        print(f"{name:<12} {summary}")
    print("\n`studio bench NAME` runs one; `make bench` installs the peers and runs all")
    return FINE


def summary_of(file: Path) -> str:
    """First line of the module's docstring, read without importing the peers."""
    return (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def bench_folder() -> Path:
    folder = PACKAGE.parent / "bench"
    if not (folder / "harness.py").is_file():
        raise UsageError(
            "benchmarks are not part of the installed package", hint="run this in a checkout of the project"
        )
    return folder


def available(folder: Path) -> list[str]:
    return sorted(file.stem for file in folder.glob("*.py") if file.stem not in ("__init__", "harness"))


def load(folder: Path, name: str) -> ModuleType:
    root = str(folder.parent)
    if root not in sys.path:
        sys.path.insert(0, root)
    return importlib.import_module(f"bench.{name}")
