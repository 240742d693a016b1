"""`studio compare`: compares two logs topic by topic."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from studio.cli.shared.colours import BOLD, paint, paint_verdict
from studio.cli.shared.columns import columns
from studio.cli.shared.log_file import find_log, unfinished
from studio.cli.shared.outcome import FAILED, FINE, UsageError, add_json_option, print_json
from studio.cli.shared.places import find_project
from studio.messages import MessageTypes
from studio.runtime.recording import LogReader
from studio.runtime.recording.facts.run_facts import RunDifference
from studio.runtime.replay.comparison import Comparison, Difference, TopicComparison, compare

EXAMPLE = """\
  studio compare a.mcap b.mcap                           exit status 0 if all topics are identical, 1 if not
  studio compare a.mcap b.mcap --tolerance 1e-9          numbers may differ by that much
  studio compare a.mcap b.mcap --topic '/filter/*' --json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", metavar="A", help="a log")
    parser.add_argument("b", metavar="B", help="another log")
    parser.add_argument(
        "--tolerance",
        type=tolerance,
        default=0.0,
        metavar="X",
        help="largest accepted difference of numbers (default: 0)",
    )
    parser.add_argument(
        "--topic",
        action="append",
        metavar="PATTERN",
        help="compare only these topics, e.g. '/filter/*'; may be repeated",
    )
    parser.add_argument("--all", action="store_true", help="compare the topics under /_studio/, too")
    parser.add_argument("--project", metavar="PROJECT", help="the project that defines the message types of the logs")
    add_json_option(parser)


def tolerance(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError("must be at least 0")
    return value


def run(options: argparse.Namespace) -> int:
    a, b = find_log(options.a), find_log(options.b)
    is_cut = unfinished(a, b)
    types = MessageTypes.builtin()
    if options.project:
        types = types.with_folder(find_project(options.project))
    chosen = _chosen(a, b, options.topic) if options.topic else None
    machinery = options.all or bool(options.topic)
    found = compare(a, b, options.tolerance, topics=chosen, machinery=machinery, types=types)
    print_json(comparison_json(found)) if options.json else print("\n".join(comparison_text(found)))
    return FINE if is_accepted(found) and not is_cut else FAILED


def is_accepted(found: Comparison) -> bool:
    return found.within_tolerance if found.tolerance else found.identical


def _chosen(a: Path, b: Path, patterns: list[str]) -> list[str]:
    names: dict[str, None] = {}
    for path in (a, b):
        with LogReader(path) as log:
            names |= dict.fromkeys(log.topics)
    chosen = [name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)]
    if not chosen:
        raise UsageError(f"no topic matches {' or '.join(patterns)}", hint=f"there are {', '.join(names) or 'none'}")
    return chosen


def comparison_json(found: Comparison) -> dict[str, Any]:
    return {
        "identical": found.identical,
        "within_tolerance": found.within_tolerance,
        "tolerance": found.tolerance,
        "topics": {name: _topic_json(topic) for name, topic in found.topics.items()},
        "run_differences": runs_json(found.runs),
    }


def runs_json(differences: Sequence[RunDifference]) -> list[dict[str, Any]]:
    return [difference._asdict() for difference in differences]


def runs_text(differences: Sequence[RunDifference]) -> Iterator[str]:
    """What may be the reason why the outputs differ."""
    if differences:
        yield paint("the runs differ in (A → B):", BOLD)
        yield from (f"  {difference}" for difference in differences)


def _topic_json(topic: TopicComparison) -> dict[str, Any]:
    told = {name: value for name, value in asdict(topic).items() if name not in ("topic", "first_difference")}
    return {**told, "first_difference": difference_json(topic.first_difference)}


def difference_json(difference: Difference | None) -> dict[str, Any] | None:
    """NaN and infinity are no JSON: as texts."""
    if difference is None:
        return None
    return {
        name: str(value) if isinstance(value, float) and (value != value or abs(value) == float("inf")) else value
        for name, value in asdict(difference).items()
    }


def comparison_text(found: Comparison) -> Iterator[str]:
    rows = [(name, f"{topic.events_a}", f"{topic.events_b}", _verdict(topic)) for name, topic in found.topics.items()]
    yield from columns([("topic", "events in A", "in B", ""), *rows], indent="")
    if found.first_difference is not None:
        yield f"first difference: {found.first_difference}"
        yield from runs_text(found.runs)
    yield paint_verdict(summary(found), good=is_accepted(found))


def summary(found: Comparison) -> str:
    different = sum(not topic.within_tolerance for topic in found.topics.values())
    if found.identical:
        return "identical"
    if not different:
        return f"within the tolerance of {found.tolerance:g}" if found.tolerance else "different in bytes only"
    return f"different: {different} of {len(found.topics)} topics"


def _verdict(topic: TopicComparison) -> str:
    if topic.identical:
        return "identical"
    if topic.within_tolerance:
        return "within tolerance"
    counts = [(topic.differing, "differ"), (topic.missing, "missing"), (topic.extra, "extra")]
    told = ", ".join(f"{count} {word}" for count, word in counts if count) or "of another type"
    return told if topic.events_a and topic.events_b else ("only in A" if topic.events_a else "only in B")
