"""`studio step`: goes through a log event by event, forwards and back."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import Any

from studio.cli.run_parts.step_keys import StepKeys
from studio.cli.run_parts.step_text import digest_lines, event_json, event_line, topics_of, where
from studio.cli.shared.given_parameters import add_set_option, as_given
from studio.cli.shared.keys import is_terminal, keys
from studio.cli.shared.log_file import ProgressBar, find_log, unfinished
from studio.cli.shared.outcome import FAILED, FINE, UsageError, add_json_option, print_json, warn
from studio.cli.shared.places import find_project
from studio.cli.shared.refusal import refuse
from studio.cli.shared.trust import add_trust_option, require_trust
from studio.errors import StudioError
from studio.model.close_matches import did_you_mean
from studio.model.loaded_project import open_project
from studio.runtime.replay.stepping import Stepping, step_through
from studio.runtime.stepping.stepper import Stepper

EXAMPLE = """\
  studio step first_steps --log drive.mcap --in-process                  keys: right, left, t TOPIC, g NUMBER, q
  studio step first_steps --log drive.mcap --forward 200 --back 200 --digest
  studio step first_steps --log drive.mcap --to 1500 --next /filter/smooth --json
"""

MOST_SHOWN = 20


class Move(argparse.Action):
    """Moves are made in the order in which they are given."""

    def __call__(
        self, parser: argparse.ArgumentParser, options: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        options.moves = [*options.moves, (self.dest, values)]


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", metavar="PROJECT", help="a project's folder or name")
    parser.add_argument("--log", required=True, metavar="LOG", help="the log to feed into the project")
    parser.add_argument("--in-process", action="store_true", help="run all components in one process: faster")
    parser.set_defaults(moves=[])
    moves = parser.add_argument_group("moves", "made in the given order (default: keys on a terminal)")
    moves.add_argument("--forward", action=Move, type=_count, metavar="N", help="deliver N events")
    moves.add_argument("--back", action=Move, type=_count, metavar="N", help="go N events back")
    moves.add_argument("--next", action=Move, metavar="TOPIC", help="continue until an event of TOPIC was delivered")
    moves.add_argument("--previous", action=Move, metavar="TOPIC", help="go back to before the last event of TOPIC")
    moves.add_argument(
        "--to", action=Move, type=_count, metavar="N", help="go to the moment after event N; 0 is the start"
    )
    parser.add_argument("--digest", action="store_true", help="print digests of all state and outputs at the end")
    add_set_option(parser)
    parser.add_argument("--seed", type=int, metavar="N", help="seed of all random numbers (default: that of the log)")
    add_trust_option(parser)
    add_json_option(parser)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of events")
    return int(text)


def run(options: argparse.Namespace) -> int:
    log = find_log(options.log)
    if not options.moves and not options.digest and not is_terminal():
        raise UsageError("standard input is not a terminal, so there are no keys", hint="give moves, e.g. --forward 10")
    is_cut = unfinished(log)
    opened = as_given(open_project(find_project(options.project)), options)
    if any(problem.severity == "error" for problem in opened.problems):
        return refuse(opened, json=options.json)
    require_trust(opened, options)
    answer = sys.stdout
    replay = step_through(
        opened.project, log, specs=opened.registry, types=opened.types, in_process=options.in_process, seed=options.seed
    )
    # What components print in this process while they are started and stopped is not what the command tells.
    with redirect_stdout(sys.stderr), replay as stepping, redirect_stdout(answer):
        for warning in stepping.warnings:
            warn(f"{warning}")
        if stepping.stepper.refusal is not None:
            warn(f"only forwards: {stepping.stepper.refusal}")
        if options.moves or options.digest:
            status = _make_moves(stepping, options)
            return status or (FAILED if is_cut else FINE)
        with keys() as pressed:
            StepKeys(stepping, pressed).main()
        return FAILED if is_cut else FINE


def _make_moves(stepping: Stepping, options: argparse.Namespace) -> int:
    told = [_make_move(stepping, *move, quiet=options.json) for move in options.moves]
    stepper = stepping.stepper
    with redirect_stdout(sys.stderr):
        digest = stepper.digest() if options.digest else None
    failures = stepping.failures()
    if options.json:
        print_json({"moves": told, **place_json(stepping), "digest": digest, "failures": failures})
    else:
        print(where(stepping))
        if digest is not None:
            print(*digest_lines(digest), sep="\n")
    for name, error in failures.items():
        print(f"{name} failed:\n{error.rstrip()}", file=sys.stderr)
    return FAILED if failures else FINE


def place_json(stepping: Stepping) -> dict[str, Any]:
    last = stepping.stepper.last
    return {"position": stepping.stepper.position, "event": event_json(stepping, last) if last else None}


def _make_move(stepping: Stepping, move: str, argument: Any, *, quiet: bool) -> dict[str, Any]:
    stepper = stepping.stepper
    if move in ("next", "previous") and argument not in topics_of(stepping):
        hint = did_you_mean(argument, topics_of(stepping)) or f"it has {', '.join(topics_of(stepping))}"
        raise UsageError(f"the system has no topic {argument}", hint=hint)
    bar = ProgressBar(f"{move} {argument}", quiet=quiet)
    first = stepper.position + 1
    try:
        with redirect_stdout(sys.stderr):  # what components print in this process is not what the command tells
            delivered = make_move(stepper, move, argument, bar)
    finally:
        bar.close()
    if move == "to" and stepper.position < argument:
        raise StudioError(f"there is no event {argument}: the last one is {stepper.position}")
    if not quiet:
        shown = delivered[-MOST_SHOWN:]
        if len(shown) < len(delivered):
            print(f"... {len(delivered) - len(shown)} events")
        for number, event in enumerate(shown, first + len(delivered) - len(shown)):
            print(event_line(stepping, number, event))
    events = [event_json(stepping, event) for event in delivered]
    return {"move": move, "argument": argument, "position": stepper.position, "delivered": events}


def make_move(stepper: Stepper, move: str, argument: Any, bar: ProgressBar) -> Sequence[Any]:
    """What was delivered for the first time or again, as far as it is worth telling: of moves forwards."""
    match move:
        case "forward":
            return stepper.forward(argument, progress=bar)
        case "next":
            return stepper.forward(1, argument, progress=bar)
        case "back":
            stepper.back(argument, progress=bar)
        case "previous":
            stepper.back(1, argument, progress=bar)
        case _:
            stepper.go_to(argument, progress=bar)
    return ()
