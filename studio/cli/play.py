"""`studio play`: plays a log, by itself or into a project's system."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from studio.cli.run_parts.play_keys import HELP, reached_text, show, steer
from studio.cli.run_parts.run_console import Console
from studio.cli.shared.columns import columns
from studio.cli.shared.keys import is_terminal, keys
from studio.cli.shared.log_file import ProgressBar, find_log, is_unfinished
from studio.cli.shared.outcome import FAILED, FINE, INTERRUPTED, UsageError, add_json_option, print_json, warn
from studio.cli.shared.places import find_project
from studio.cli.shared.refusal import refuse
from studio.cli.shared.trust import add_trust_option, require_trust
from studio.messages import MessageTypes
from studio.model.loaded_project import LoadedProject, open_project
from studio.model.registry import Registry
from studio.paths import component_roots
from studio.runtime.base.clock import SECOND_NS, ClockKind, monotonic_ns
from studio.runtime.client.running_systems import RunningSystem
from studio.runtime.control_plane.condition import parse_condition
from studio.runtime.plan.plan import Plan
from studio.runtime.playing.cursor import Cursor
from studio.runtime.playing.played import Played, played_alone, played_into
from studio.runtime.playing.player import FASTEST, FLAT_OUT, SLOWEST, LogPlayer
from studio.runtime.recording import LogReader
from studio.runtime.server.attach_server import About, AttachServer
from studio.runtime.server.steering import Steering
from studio.runtime.session.session import Session

EXAMPLE = """\
  studio play drive.mcap my_robot                            the log instead of the robot's sensors
  studio play drive.mcap my_robot --rate 0.5 --start 20      from its 20th second on, at half the speed
  studio play drive.mcap --topics '/laser/*' --loop          by itself, for viewers, over and over
  studio play drive.mcap my_robot --until '/laser/ranges/ranges_m.min < 0.5'
  studio play drive.mcap my_robot --flat-out --json          as fast as the components go; one object for scripts

keys on a terminal:
  """ + HELP.replace("   ", "\n  ")
LOOK_EVERY_S = 0.1


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("log", metavar="LOG", help="a log: MCAP, a ROS 2 bag (its folder), CARMEN ...")
    parser.add_argument(
        "project", metavar="PROJECT", nargs="?", help="a project's folder or name; without it: no system"
    )
    speed = parser.add_mutually_exclusive_group()
    speed.add_argument(
        "--rate", type=_rate, default=1.0, metavar="X", help=f"times real time, {SLOWEST:g} to {FASTEST:g} (default: 1)"
    )
    speed.add_argument("--flat-out", action="store_true", help="as fast as the components can handle events")
    parser.add_argument("--start", type=_seconds, metavar="S", help="begin at this second of the log")
    parser.add_argument("--end", type=_seconds, metavar="S", help="end at this second of the log")
    parser.add_argument("--loop", action="store_true", help="play again from the start, until q or Ctrl-C")
    parser.add_argument("--paused", action="store_true", help="wait for the space key or studio ctl player play")
    parser.add_argument(
        "--topics",
        action="append",
        default=[],
        metavar="PATTERN",
        help="play only these topics, e.g. '/laser/*'; may be repeated",
    )
    parser.add_argument("--until", metavar="CONDITION", help="stop after the first matching event")
    add_trust_option(parser)
    add_json_option(parser)


def _rate(text: str) -> float:
    value = _number(text)
    if not SLOWEST <= value <= FASTEST:
        raise argparse.ArgumentTypeError(f"must be from {SLOWEST:g} to {FASTEST:g}; or use --flat-out")
    return value


def _seconds(text: str) -> float:
    value = _number(text)
    if not 0 <= value < 1e9:
        raise argparse.ArgumentTypeError("must be 0 or more, counted from the start of the log")
    return value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


@dataclass
class Outcome:
    """What became of it."""

    log: str
    project: str | None
    rate: float
    types: dict[str, str]
    stopped: str = "interrupted"
    wall_s: float = 0.0
    played_s: float = 0.0
    """Of the log, from where it began to where it ended."""
    loops: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def actual_rate(self) -> float | None:
        """Times real time, over all that was played; None where that was too short to tell, or went several ways."""
        is_known = self.wall_s >= 1.0 and self.played_s > 0 and not self.loops and self.stopped in ("end", "condition")
        return round(self.played_s / self.wall_s, 3) if is_known else None

    @property
    def events(self) -> int:
        return sum(self.counts.values())

    def json(self) -> dict[str, Any]:
        return {
            "log": self.log,
            "project": self.project,
            "stopped": self.stopped,
            "events": self.events,
            "log_s": self.played_s,
            "wall_s": self.wall_s,
            "rate": None if self.rate == FLAT_OUT else self.rate,
            "actual_rate": self.actual_rate,
            "loops": self.loops,
            "topics": {
                topic: {"type": self.types.get(topic, ""), "count": count} for topic, count in self.counts.items()
            },
            "failures": self.failures,
        }

    def text(self) -> Iterator[str]:
        why = {"end": "to the end", "condition": "until the condition held"}.get(self.stopped, self.stopped)
        loops = f", {self.loops + 1} times" if self.loops else ""
        into = f" into {self.project}" if self.project else ""
        how = f"in {self.wall_s:.2f} s, {reached_text(self.rate, self.actual_rate)}"
        yield f"played {self.events} events of {self.log}{into} {how}, {why}{loops}"
        yield from columns([(topic, self.types.get(topic, ""), str(count)) for topic, count in self.counts.items()])


def run(options: argparse.Namespace) -> int:
    path = find_log(options.log)
    if options.start is not None and options.end is not None and options.start > options.end:
        raise UsageError("--end lies before --start")
    bar = ProgressBar(f"reading {path.name}", quiet=options.json)
    with LogReader(path, progress=bar) as log:
        bar.close()
        is_cut = is_unfinished(log)
        if options.project is None:
            types = MessageTypes.builtin()
            plan, played = played_alone(log, options.topics)
            status = _play(options, replace(plan, types=_types(played, types)), played, types, None)
            return status or (FAILED if is_cut else FINE)
        opened = open_project(find_project(options.project))
        if any(problem.severity == "error" for problem in opened.problems):
            return refuse(opened, json=options.json)
        require_trust(opened, options)
        plan, played, silent = played_into(
            opened.system, log, opened.registry, opened.types, opened.folder, options.topics
        )
        for topic in silent:
            warn(f"nothing will arrive on {topic}: it is not played")
        status = _play(options, plan, played, opened.types, opened)
        return status or (FAILED if is_cut else FINE)


def _play(
    options: argparse.Namespace, plan: Plan, played: Played, types: MessageTypes, opened: LoadedProject | None
) -> int:
    project = opened.project.name if opened else None
    outcome = Outcome(
        str(played.log.path), project, FLAT_OUT if options.flat_out else options.rate, _types(played, types)
    )
    console = Console(quiet=options.json, seconds=None)
    cursor = Cursor(played.log, played.topics)
    _check(options, played, (cursor.end_ns - cursor.start_ns) / SECOND_NS)
    with ExitStack() as stack:
        session = Session(plan, clock=ClockKind.LOG, start_ns=cursor.start_ns)
        runtime = stack.enter_context(_runtime(session, played, opened, lambda: player))
        stack.enter_context(session)
        player = stack.enter_context(LogPlayer(session, played, types))
        session.launch()
        player.attach()
        session.start("pause")
        runtime.open(RunningSystem.of_this_process(session.folders.run, runtime.about.project,
                                                   Path(runtime.about.folder), "logged", "run"))  # fmt: skip
        _prepare(player, options)
        began_ns = monotonic_ns()
        first_ns = player.state().time_ns
        try:
            outcome.stopped = _go(player, runtime, options, console)
        except KeyboardInterrupt:
            player.pause()
        outcome.wall_s = (monotonic_ns() - began_ns) / SECOND_NS
        state = player.state()
        outcome.rate, outcome.loops = state.rate, state.loops
        outcome.counts = {topic: count for topic, count in player.counts.items() if count}
        outcome.played_s = (state.time_ns - first_ns) / SECOND_NS
    console.look(session)
    console.close()
    outcome.failures = _failures(session)
    print_json(outcome.json()) if options.json else print("\n".join(outcome.text()))
    if outcome.failures:
        return FAILED
    return INTERRUPTED if outcome.stopped == "interrupted" and not options.loop else FINE


def _types(played: Played, types: MessageTypes) -> dict[str, str]:
    found = {}
    for logged, topic in played.streams.items():
        name = played.log.topics[logged].schema.name
        kind = types.find_schema(name)
        found[topic] = kind.TYPE if kind else name
    return found


def _check(options: argparse.Namespace, played: Played, length_s: float) -> None:
    """What can be said before anything is started."""
    for name, second in (("--start", options.start), ("--end", options.end)):
        if second is not None and second > length_s + 1e-9:
            raise UsageError(f"{name} lies behind the end of the log", hint=f"it is {length_s:.2f} s long")
    if options.until:
        parse_condition(options.until, [*played.streams, *played.streams.values()])


def _is_steered(options: argparse.Namespace) -> bool:
    return is_terminal() and sys.stderr.isatty() and not options.json


def _prepare(player: LogPlayer, options: argparse.Namespace) -> None:
    player.set_rate(FLAT_OUT if options.flat_out else options.rate)
    player.set_loop(options.loop)
    if options.until:
        player.stop_when(options.until)
    start_ns, end_ns = (
        None if second is None else player.start_ns + round(second * SECOND_NS)
        for second in (options.start, options.end)
    )
    if start_ns is not None or end_ns is not None:
        player.set_range(start_ns, end_ns)


@contextmanager
def _runtime(
    session: Session, played: Played, opened: LoadedProject | None, player: Callable[[], LogPlayer]
) -> Iterator[AttachServer]:
    """It is found, looked at and steered as every running system; one without a project is named for its log."""
    path = played.log.path.resolve()
    name, folder = (opened.project.name, opened.folder) if opened else (path.stem, path.parent)
    registry = opened.registry if opened else Registry.scan(component_roots())
    about = About(name, str(folder.absolute()), "logged", session.plan.seed)
    runtime = AttachServer(session, about, Steering(session, registry, player=player))
    try:
        yield runtime
    finally:
        runtime.close()


def _go(player: LogPlayer, runtime: AttachServer, options: argparse.Namespace, console: Console) -> str:
    """Play; tells why it ended."""
    session = runtime.session
    if _is_steered(options):
        print(HELP, file=sys.stderr)
        with keys() as pressed:
            if not options.paused:
                player.play()
            try:
                return steer(player, pressed, lambda: console.look(session), runtime.stopping.is_set)
            finally:
                show("")
    if not options.paused:
        player.play()
    while not runtime.stopping.is_set():
        stopped = player.wait(LOOK_EVERY_S)
        if stopped is not None and (stopped != "condition" or options.until):
            return stopped
        if stopped is not None:  # by a condition of somebody who steers it from elsewhere, and goes on when it suits
            runtime.stopping.wait(LOOK_EVERY_S)
        console.look(session)
    return "stopped"


def _failures(session: Session) -> dict[str, str]:
    found = {name: session.observer.component(name).get("error", "") for name in session.plan.by_name}
    for host, status in session.exits.items():
        if host in session.plan.hosts:
            found |= {one.name: f"its process ended with status {status}" for one in session.plan.on_host(host)}
    return {name: error for name, error in found.items() if error}
