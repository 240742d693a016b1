"""`studio run`: runs a project's system as processes and tells what happened."""

from __future__ import annotations

import argparse
import faulthandler
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

from studio.cli.run_parts.detached import run_detached
from studio.cli.run_parts.run_console import Console
from studio.cli.run_parts.run_in_process import add_in_process_option, choose_lockstep, run_to_the_end
from studio.cli.run_parts.run_result import Measurement, Result, mode_of, result_of
from studio.cli.shared.debug_options import add_debug_start_options, start_debugged, wants_debugger
from studio.cli.shared.given_parameters import add_set_option, as_given
from studio.cli.shared.log_file import importing
from studio.cli.shared.outcome import FAILED, FINE, INTERRUPTED, UsageError, add_json_option, print_json
from studio.cli.shared.places import find_project
from studio.cli.shared.recording_options import (
    add_recording_options,
    is_whole,
    log_place,
    log_to_write,
    recorded,
    recorded_text,
    recording_as_told,
    refuse_without_log,
    select_topics,
)
from studio.cli.shared.refusal import refuse
from studio.cli.shared.trust import add_trust_option, require_trust
from studio.cli.shared.verdict import Verdict
from studio.errors import StudioError
from studio.model.files import read_bytes
from studio.model.gazebo_provider import GAZEBO, gazebo_provider
from studio.model.loaded_project import LoadedProject, changed_text, open_project
from studio.model.sources import SOURCE_MODES, SourceMode
from studio.runtime.base.clock import SECOND_NS, ClockKind, monotonic_ns
from studio.runtime.channel.payload_folder import forget_old_words, last_words_file
from studio.runtime.client.running_systems import RunningSystem
from studio.runtime.plan.plan import LAG
from studio.runtime.plan.planning import plan_of
from studio.runtime.playing.logged_sources import LoggedSources, Player, wanted_log
from studio.runtime.playing.player import FLAT_OUT
from studio.runtime.processes.fork_client import fork_client
from studio.runtime.processes.supervision import BROKER, Condition, RestartPolicy
from studio.runtime.server.attach_server import About, AttachServer
from studio.runtime.server.live_reload import LiveReload
from studio.runtime.server.steering import Steering
from studio.runtime.session.lockstep_session import JUDGED, RUN, LockstepSession
from studio.runtime.session.session import Session
from studio.runtime.session.switching import GateKind

EXAMPLE = """\
  studio run projects/first_steps                        until Ctrl-C; exit status 1 when a component failed
  studio run first_steps --for 5 --json                  five seconds, then one object for scripts
  studio run my_robot --mode simulated                   all sources simulated: in lockstep, paced by the wall clock
  studio run my_robot --mode simulated --for 120 --rate 0   two minutes of system time, as fast as possible
  studio run my_robot --mode simulated --source platform=gazebo   Gazebo simulates the source platform
  studio run my_robot --set filter.cutoff_hz=2.5         another value of a parameter, for this run only
  studio run my_robot --mode simulated --for 120 --in-process   all in one process: faster, but no client can attach
  studio run my_robot --mode logged                      all sources from the logs they name; ends with the log
  studio run my_robot --mode logged --gate lockstep --stay   the same every time: studio ctl step, studio ctl back
  studio run first_steps --for 10 --record out.mcap      and keep a log of it
  studio run my_robot --record logs/ --topics '/laser/*'   some topics, into a new file of that folder
  studio run first_steps --gate lockstep --for 60        as fast as possible, the same every time
  studio run first_steps --debug filter                  its process starts after a debug client has set its breakpoints
  studio run first_steps --detach                        leave it running; studio ctl steers it, studio stop ends it
"""

LOOK_EVERY_S = 0.1
GONE = (Condition.DEAD, Condition.GAVE_UP)
CHUNK_NS = SECOND_NS
KEPT_WORDS = 20
"""Of runtimes that broke: the newest."""
"""Lockstep goes on in pieces of system time. After each of them the judges are heard, so that it ends at the same event
however fast it goes; one that goes by itself also shows progress and log lines."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", metavar="PROJECT", help="a project's folder or name")
    parser.add_argument(
        "--for", dest="seconds", type=seconds, metavar="SECONDS", help="end after this system time (default: at Ctrl-C)"
    )
    add_gate_options(parser)
    add_in_process_option(parser)
    parser.add_argument(
        "--paused", action="store_true", help="wait before the first event, for studio ctl step or studio ctl start"
    )
    add_set_option(parser)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of all random numbers (default: 0)")
    parser.add_argument(
        "--record", type=log_place, metavar="LOG", help="record into this new log, or into a new log in this folder"
    )
    parser.add_argument(
        "--system",
        type=Path,
        metavar="XML",
        help="run this file in place of the project's system.xml",
    )
    add_recording_options(parser)
    add_trust_option(parser)
    parser.add_argument(
        "--stay", action="store_true", help="keep running after the end of a log, or after a judge ends the run"
    )
    parser.add_argument(
        "--detach", action="store_true", help="leave it running in the background; see studio ctl, studio stop"
    )
    parser.add_argument("--detached", action="store_true", help=argparse.SUPPRESS)
    add_debug_start_options(parser)
    add_json_option(parser)


def add_gate_options(parser: argparse.ArgumentParser) -> None:
    """Where the data comes from, and how it passes."""
    parser.add_argument("--mode", choices=SOURCE_MODES, help="mode of all sources (default: as the system says)")
    parser.add_argument(
        "--source",
        action="append",
        default=[],
        dest="chosen",
        metavar="NAME=MODE",
        type=_chosen,
        help="mode of one source: real, logged, simulated, or gazebo (simulated by a Gazebo server)",
    )
    parser.add_argument(
        "--gate",
        choices=("run", "lockstep", "auto"),
        help="run: events pass as they come; lockstep: one event at a time, the same result every time, steps back "
        "are possible; auto: lockstep while all sources are logged or all are simulated, also after a switch "
        "(default: run, or lockstep at --rate 1 if all sources are simulated)",
    )
    parser.add_argument(
        "--rate", type=rate, metavar="X", help="speed of a lockstep, times real time; 0: as fast as possible"
    )


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds") from None
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError("must be above 0")
    return value


def rate(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 <= value <= 1000:
        raise argparse.ArgumentTypeError("from 0 (as fast as possible) to 1000")
    return value


def run(options: argparse.Namespace) -> int:
    refuse_without_log(options)
    return run_with(options, Console(quiet=options.json, seconds=options.seconds))


def run_with(options: argparse.Namespace, console: Console) -> int:
    options.text = read_bytes(options.system) if options.system is not None else None
    opened = open_project(find_project(options.project), options.text)
    if not any(problem.severity == "error" for problem in opened.problems):
        opened = as_given(_with_gazebo(opened, options), options)
    if any(problem.severity == "error" for problem in opened.problems):
        return refuse(opened, json=options.json)
    require_trust(opened, options)
    if options.in_process and options.detach:
        raise UsageError("--in-process and --detach do not go together", hint="choose one")
    if options.detach and wants_debugger(options):
        raise UsageError("--debug and --detach do not go together", hint="use studio ctl debug while it runs")
    if options.detach:
        return run_detached(opened, options)
    if not options.in_process:
        fork_client.prepare()
    _tell_doubts(opened, options.mode)
    _choose_mode(opened, options.mode, dict(options.chosen))
    pace = None
    if options.in_process:
        choose_lockstep(opened, options)
    else:
        pace = _choose_gate(opened, options)
    if options.record is not None:
        options.record = log_to_write(options.record, opened.project.name)
        select_topics(opened.system, options)
    if options.in_process:
        result = run_to_the_end(opened, options)
    else:
        with _terminated_like_interrupted():
            result = _run(opened, options, console, pace)
    console.tell_failures(result)
    log = recorded(options.record, result.moved_to) if options.record is not None else None
    if options.json:
        print_json(result.json() | ({"recording": log} if log else {}))
    else:
        parts = [log, *log["continued"]] if log else []
        print("\n".join([*result.text(), *([""] if log else []), *(f"  {recorded_text(part)}" for part in parts)]))
    if result.failed or (log and not is_whole(log)):
        return FAILED
    return INTERRUPTED if result.interrupted and options.seconds is not None else FINE


def _tell_doubts(opened: LoadedProject, mode: SourceMode | None) -> None:
    """What does not keep a system from running, but may be why it does not do what was meant."""
    for problem in opened.problems:
        print(problem, file=sys.stderr)
    if not opened.used_types() and not any(source.mode == "logged" for source in opened.system.sources):
        print(f"studio: {opened.folder} has no components, so there is nothing to run", file=sys.stderr)
    elif mode is not None and not list(opened.system.sources):
        print(f"studio: {opened.folder} has no sources, so --mode {mode} changes nothing", file=sys.stderr)


def _chosen(text: str) -> tuple[str, str]:
    name, _, mode = text.partition("=")
    if not name or (mode not in (*SOURCE_MODES, GAZEBO) and not mode.startswith(f"{GAZEBO}@")):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=MODE, for example platform=gazebo")
    return name, mode


def _with_gazebo(opened: LoadedProject, options: argparse.Namespace) -> LoadedProject:
    """The system with another simulator in the sources that are to be simulated by Gazebo; the file stays as it is."""
    servers = {name: mode.removeprefix(GAZEBO).lstrip("@") for name, mode in options.chosen if mode.startswith(GAZEBO)}
    for name, server in servers.items():
        source = opened.system.source(name)
        provider = gazebo_provider(source, opened.registry, server)
        opened.system.replace_node(source.with_provider("simulated", provider))
    if not servers:
        return opened
    options.text = changed_text(opened, options.text)
    return open_project(opened.folder, options.text)


def _mode_of(chosen: str) -> str:
    return "simulated" if chosen.startswith(GAZEBO) else chosen


def _choose_mode(opened: LoadedProject, mode: SourceMode | None, chosen: Mapping[str, str]) -> None:
    """In memory only: the file stays as it is."""
    for name in chosen:
        opened.system.source(name)
    for source in list(opened.system.sources):
        own = cast(SourceMode, _mode_of(chosen.get(source.name, mode or source.mode)))
        chosen_source = replace(source, mode=own)
        if own not in source.modes:
            has = f"it has {', '.join(source.modes)}" if source.modes else "it has no provider"
            raise UsageError(f"the source {source.name} has no {own} provider", hint=has)
        opened.system.replace_node(chosen_source)


def _choose_gate(opened: LoadedProject, options: argparse.Namespace) -> float | None:
    """Sets `options.gate`. How fast a lockstep goes that can be paused and steered; None where it is none."""
    asked, modes = options.gate, {source.mode for source in opened.system.sources}
    if asked in (None, "auto"):
        is_repeatable = modes == {"simulated"} or (asked == "auto" and modes == {"logged"})
        options.gate = "lockstep" if is_repeatable else "run"
    if options.gate == "run":
        if options.rate is not None:
            raise UsageError("--rate needs a lockstep", hint="add --gate lockstep")
        if options.paused and options.seconds is not None:
            raise UsageError("--for counts from the start, while --paused waits", hint="add --gate lockstep --rate 1")
        return 1.0 if asked == "auto" else None
    if options.rate == 0 and options.seconds is None and modes != {"logged"}:
        raise UsageError("a lockstep at --rate 0 needs an end", hint="e.g. --for 60")
    if asked == "lockstep" and not options.rate and options.seconds is not None:
        if options.paused:
            raise UsageError("--paused needs a lockstep with a rate", hint="add --rate 1")
        return None
    return 1.0 if options.rate is None else options.rate


def _run(opened: LoadedProject, options: argparse.Namespace, console: Console, pace: float | None) -> Result:
    plan = plan_of(opened.system, opened.registry, project=opened.folder, seed=options.seed, record=options.record)
    plan = replace(recording_as_told(plan, options), system=(options.text or b"").decode())
    # What a system without sources does by itself may be anything, and one that hangs would hold up the others.
    asked: GateKind = "lockstep" if options.gate == "lockstep" or (pace and list(opened.system.sources)) else "free"
    with ExitStack() as stack:
        with importing("the log") as (progress, told):
            log = wanted_log(
                opened.system, opened.folder, plan, opened.types, gate=asked, told=told, progress=progress
            )  # fmt: skip
        start_ns = log.start_ns
        lockstep = options.gate == "lockstep" and (pace is None or log.target.gate == "lockstep")
        clock = ClockKind.SIMULATION if lockstep and pace is None else log.target.clock
        restamp = clock is ClockKind.WALL
        # In lockstep nothing is restarted: when it came back would be chance, and so would all that follows.
        policy = None if lockstep and pace is None else RestartPolicy()
        at_ns = None if restamp else start_ns
        if pace is None:
            session = Session(plan, clock=clock, start_ns=at_ns, policy=policy)
        else:
            end_ns = None if options.seconds is None else start_ns + round(options.seconds * SECOND_NS)
            session = LockstepSession(
                plan, clock=clock, start_ns=at_ns, policy=policy, until_ns=end_ns if lockstep else None, pace=pace,
                gate=asked,
            )  # fmt: skip
            session.began_ns = start_ns
            session.follow(log.target)
        paced = session if isinstance(session, LockstepSession) and lockstep else None
        logs = LoggedSources(session)
        runtime = stack.enter_context(_opened_runtime(session, opened, options, logs, free=pace is not None))
        verdict = stack.enter_context(Verdict(session, opened, is_final=not options.stay))
        stack.enter_context(session)
        stack.enter_context(logs)
        start_debugged(runtime.debugger, plan, opened, options)
        session.launch()
        logs.begin(log)
        player = logs.player
        measurement = Measurement(session)
        interrupted = False
        try:
            session.start("run" if not lockstep and player is None and not options.paused else "pause")
            if paced is not None and verdict.has_judges:
                _obey_judges(paced, start_ns, verdict)
            if player is not None and (pace is not None or not lockstep):
                player.set_rate(pace or FLAT_OUT if lockstep else 1.0)
                if not options.paused:
                    player.play()
            elif isinstance(session, LockstepSession) and lockstep and not options.paused:
                session.run(session.pace)
            measurement.begin()
            runtime.open(_note(session, opened, options))
            if options.detached:
                console.mute()
                _let_go_of_the_terminal(last_words_file(session.folders.run))

            def is_over() -> bool:
                has_ended = not options.stay and logs.player is player and _has_ended(player)
                alone = not session.hosts and logs.player is not None  # a log that is only looked at
                return has_ended or (not alone and _is_over(session))

            if paced is not None:
                _paced_run(runtime, paced, console, is_over)
            elif lockstep:
                _lockstep(runtime, start_ns, options.seconds, console, verdict)
            else:
                _free_run(runtime, options.seconds, console, lambda: is_over() or _is_judged(session, verdict))
        except KeyboardInterrupt:
            interrupted = True
        passed_s = _system_seconds(paced) if paced is not None else measurement.wall_s
        verdict.finish()
        measurement.finish()
    console.look(session)
    console.close()
    if verdict.over_at_ns is not None and lockstep:
        began_ns = start_ns if paced is None else paced.began_ns
        judged_s = (verdict.over_at_ns - began_ns) / SECOND_NS
        seconds = judged_s if options.seconds is None else min(judged_s, options.seconds)
    elif paced is not None:
        seconds = options.seconds if paced.finished.is_set() and options.seconds is not None else passed_s
    else:
        seconds = measurement.wall_s if not lockstep or interrupted else options.seconds
    return result_of(
        opened, options, measurement, seconds=seconds, interrupted=interrupted, outcome=verdict.outcome
    )  # fmt: skip


@contextmanager
def _opened_runtime(
    session: Session, opened: LoadedProject, options: argparse.Namespace, logs: LoggedSources, *, free: bool
) -> Iterator[AttachServer]:
    """Closed after the session: those who asked for the stop hear when it is done. `free`: it may be steered."""
    lockstep = options.gate == "lockstep" and not free
    about = About(opened.project.name, str(opened.folder.absolute()), mode_of(opened), options.seed, lockstep)
    modes = {source.name: source.mode for source in opened.system.sources}
    live_reload = LiveReload(session, opened.folder, modes, logs, options.text)
    steering = Steering(
        session, opened.registry, lockstep=lockstep, live_reload=live_reload, player=lambda: logs.player
    )
    runtime = AttachServer(session, about, steering)
    try:
        yield runtime
    finally:
        runtime.close()


def _note(session: Session, opened: LoadedProject, options: argparse.Namespace) -> RunningSystem:
    run, project = session.folders.run, opened.project.name
    return RunningSystem.of_this_process(run, project, opened.folder, mode_of(opened), options.gate)


def _has_ended(player: Player | None) -> bool:
    """A log that was there from the start ends the run; one that was put in later only stops."""
    return player is not None and player.wait(0.0) is not None


def _free_run(runtime: AttachServer, seconds: float | None, console: Console, is_over: Callable[[], bool]) -> None:
    start_ns = monotonic_ns()
    session = runtime.session
    while not is_over():
        passed_s = (monotonic_ns() - start_ns) / SECOND_NS
        if seconds is not None and passed_s >= seconds:
            return
        console.look(session, passed_s, runtime)
        if runtime.stopping.wait(LOOK_EVERY_S if seconds is None else min(LOOK_EVERY_S, seconds - passed_s)):
            return


def _is_judged(session: Session, verdict: Verdict) -> bool:
    verdict.listen()
    if verdict.over_at_ns is None:
        return False
    try:
        return int(session.status()["now_ns"]) >= verdict.over_at_ns
    except StudioError:  # a broker that is being restarted
        return False


def _obey_judges(session: LockstepSession, start_ns: int, verdict: Verdict) -> None:
    """End when they have seen enough: they are heard after each piece, by the thread that lets the system go on."""

    def hear(at_ns: int) -> int:
        verdict.catch_up()
        session.end_at(verdict.over_at_ns)
        return at_ns + CHUNK_NS

    verdict.catch_up()
    session.on_milestone = hear
    session.milestone_ns = start_ns + CHUNK_NS


def _paced_run(runtime: AttachServer, session: LockstepSession, console: Console, is_over: Callable[[], bool]) -> None:
    while not is_over() and not _came_to_its_limit(session):
        console.look(session, _system_seconds(session), runtime)
        if runtime.stopping.wait(LOOK_EVERY_S):
            return


def _came_to_its_limit(session: LockstepSession) -> bool:
    """By itself in lockstep; where a real source was switched to, nobody else looks at the time."""
    if session.gate == "lockstep":
        return session.finished.is_set() and any(map(session.is_at, (RUN, JUDGED)))
    end_ns = session.limits.get(RUN)
    try:
        return end_ns is not None and session.mode == "run" and int(session.status()["now_ns"]) >= end_ns
    except StudioError:  # a broker that is being restarted
        return False


def _system_seconds(session: LockstepSession) -> float:
    try:
        return max(0.0, (int(session.status()["now_ns"]) - session.began_ns) / SECOND_NS)
    except StudioError:  # a broker that is being restarted
        return 0.0


def _is_over(session: Session) -> bool:
    """Whether nobody is left who could do anything, or nobody would hear it."""
    condition = session.supervisor.condition
    return condition(BROKER) is Condition.GAVE_UP or all(condition(host) in GONE for host in session.hosts)


def _lockstep(runtime: AttachServer, start_ns: int, seconds: float, console: Console, verdict: Verdict) -> None:
    at_ns, end_ns = start_ns, start_ns + round(seconds * SECOND_NS)
    verdict.catch_up()
    while at_ns < end_ns and not runtime.stopping.is_set():
        at_ns = min(end_ns, at_ns + CHUNK_NS)
        runtime.session.lockstep(until_ns=at_ns, lag=LAG)
        verdict.catch_up()
        end_ns = min(end_ns, verdict.over_at_ns or end_ns)
        console.look(runtime.session, (at_ns - start_ns) / SECOND_NS, runtime)


def _let_go_of_the_terminal(last_words: Path) -> None:
    """Detached and running: what it has to say goes to those who attach. Only why it broke is written down."""
    forget_old_words(last_words.parent, KEPT_WORDS)
    for stream, to in ((sys.stdout, Path(os.devnull)), (sys.stderr, last_words)):
        stream.flush()
        file = os.open(to, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, stream.fileno())
        os.close(file)
    faulthandler.enable(all_threads=False)


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """SIGTERM ends the run as Ctrl-C does: cleanly, with a summary."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
