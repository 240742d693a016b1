"""Playing logs: timing against lcm-logplayer, flat out against a bare ZeroMQ send loop.

Three streams of 100, 37.6 and 10 Hz are played at 1× to a subscriber in a process of its own: ours through the player
and the broker, LCM's by its player in C over UDP multicast on this machine. The error of an event is how much later it
arrived than the earliest of the run did, measured against its own time in the log; drift is the difference of the
median errors of the last and the first tenth.

Flat out, scans of 5.8 kB are read from the log, checked and sent. The peer is a loop over `send`: frames of the same
bytes that lie in memory, and nothing but ZeroMQ on the way. Both pay for the same hops and are timed at the same end:
- until the broker has all: one hop. The bare loop sends into a PULL socket of another process, which counts.
- at a subscriber: two hops. The bare loop sends into a `zmq.proxy` of another process, which sends on to a third, which
  counts; ours go through the broker to a subscriber that counts.
Every process has a session of its own, as ours have: Linux shares out the processors by sessions.
What the ratio tells is what reading, the player, its flow control and the broker add to ZeroMQ. The last row, without a
goal, sets the subscriber behind two hops against the loop with one: it contains the price of the second hop, too.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import zmq

from bench.harness import OURS, Contender, Report, interleave
from bench.play_parts.workload import START_NS, Item, scans, three_streams, write_lcm, write_ours
from studio.messages import MessageTypes
from studio.runtime.base.clock import ClockKind
from studio.runtime.playing.played import played_alone
from studio.runtime.playing.player import FLAT_OUT, LogPlayer
from studio.runtime.recording import LogReader
from studio.runtime.session.session import Session
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import Kind, pack

PEER, BARE, TWO_HOPS, RECEIVED = "lcm-logplayer", "bare send loop", "bare, two hops", "received"
TIMING_GOAL, FLAT_OUT_GOAL = 1.3, 0.7
LCM_URL = "udpm://239.255.76.67:7667?ttl=0"
ROOT = Path(__file__).resolve().parent.parent


def run(rounds: int = 5, *, seconds: float = 10.0, count: int = 40_000) -> Report:
    report = Report("play", rounds)
    player = lcm_logplayer()
    if player is None:
        report.missing(PEER)
    with tempfile.TemporaryDirectory(prefix="studio-bench-") as folder:
        _add_timing(report, Path(folder), seconds, player)
        _add_flat_out(report, Path(folder), count)
    return report


def lcm_logplayer() -> str | None:
    """The program of the `lcm` wheel, in the environment that runs this."""
    beside = Path(sys.executable).parent / PEER
    return str(beside) if os.access(beside, os.X_OK) else shutil.which(PEER)


# At 1x.


def _add_timing(report: Report, folder: Path, seconds: float, player: str | None) -> None:
    items = three_streams(seconds)
    ours = write_ours(folder / "streams.mcap", items)
    drifts: dict[str, list[float]] = {OURS: [], PEER: []}

    def error_us(name: str, seen: list[tuple[int, int]]) -> float:
        if len(seen) < len(items):
            raise RuntimeError(f"{name}: {len(seen)} of {len(items)} events arrived")
        late_ns = [arrived_ns - items[number].time_ns for number, arrived_ns in seen]
        tenth = max(1, len(late_ns) // 10)
        drifts[name].append(abs(statistics.median(late_ns[-tenth:]) - statistics.median(late_ns[:tenth])) / 1000)
        return (statistics.median(late_ns) - min(late_ns)) / 1000

    contenders: dict[str, Contender | None] = {
        OURS: lambda: error_us(OURS, played_by_us(ours, len(items))),
        PEER: None,
    }
    if player is not None:
        theirs = write_lcm(folder / "streams.lcm", items)
        contenders[PEER] = lambda: error_us(PEER, played_by_lcm(player, theirs, len(items)))
    medians = interleave(contenders, report.rounds)
    report.add("timing error at a subscriber", "us", medians, against=PEER, goal=TIMING_GOAL)
    drift = {name: statistics.median(found) if found else None for name, found in drifts.items()}
    report.add(f"drift in {seconds:g} s", "us", drift, against=PEER)


def played_by_us(log: Path, count: int, rate: float = 1.0) -> list[tuple[int, int]]:
    with _session(log) as (session, player), _listening(session, count) as listening:
        player.set_rate(rate)
        player.play()
        return seen_by(listening)


def played_by_lcm(player: str, log: Path, count: int) -> list[tuple[int, int]]:
    with subscriber("lcm", LCM_URL, count) as listening:
        words = [player, f"--lcm-url={LCM_URL}", str(log)]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return seen_by(listening)


@contextmanager
def _session(log: Path) -> Iterator[tuple[Session, LogPlayer]]:
    """The log by itself, paused at its start."""
    with LogReader(log) as reader:
        plan, played = played_alone(reader)
        with (
            Session(plan, clock=ClockKind.LOG, start_ns=START_NS) as session,
            LogPlayer(session, played, MessageTypes.builtin()) as player,
        ):
            session.launch()
            player.attach()
            session.start("pause")
            yield session, player


def _listening(session: Session, count: int, kind: str = "zmq") -> AbstractContextManager[subprocess.Popen[str]]:
    return subscriber(kind, addresses.out_of(session.folders.run), count)


@contextmanager
def subscriber(kind: str, address: str, count: int) -> Iterator[subprocess.Popen[str]]:
    words = [sys.executable, "-m", "bench.play_parts.subscribers", kind, address, str(count)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True) as process:
        assert process.stdout is not None
        if process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"the subscriber of {kind} did not start")
        try:
            yield process
        finally:
            process.kill()


def seen_by(process: subprocess.Popen[str]) -> list[tuple[int, int]]:
    assert process.stdout is not None
    return [(number, arrived_ns) for number, arrived_ns in json.loads(process.stdout.readline())]


# Flat out.


def _add_flat_out(report: Report, folder: Path, count: int) -> None:
    items = scans(count)
    log = write_ours(folder / "scans.mcap", items)
    contenders: dict[str, Contender | None] = {
        OURS: lambda: flat_out_hz(log, count),
        RECEIVED: lambda: received_hz(log, count),
        BARE: lambda: bare_hz(folder, items),
        TWO_HOPS: lambda: bare_hz(folder, items, hops=2),
    }
    medians = interleave(contenders, report.rounds)
    for where, who, peer, goal in (
        ("until the broker has all", OURS, BARE, FLAT_OUT_GOAL),
        ("at a subscriber", RECEIVED, TWO_HOPS, FLAT_OUT_GOAL),
        ("at a subscriber, against one hop", RECEIVED, BARE, None),
    ):
        found = {OURS: medians[who], peer: medians[peer]}
        report.add(f"flat out, 5.8 kB, {where}", "1/s", found, against=peer, goal=goal, better="higher")


def flat_out_hz(log: Path, count: int) -> float:
    """From the command to the word that everything was sent and has passed the broker."""
    with _session(log) as (_, player):
        player.set_rate(FLAT_OUT)
        began_ns = time.monotonic_ns()
        player.play()
        if player.wait(600) != "end" or player.state().sent != count:
            raise RuntimeError(f"only {player.state().sent} of {count} events were sent")
        return count / ((time.monotonic_ns() - began_ns) / 1e9)


def received_hz(log: Path, count: int) -> float:
    """From the command to the arrival of the last event, all of them counted."""
    with _session(log) as (session, player), _listening(session, count, "count") as listening:
        player.set_rate(FLAT_OUT)
        began_ns = time.monotonic_ns()
        player.play()
        [(arrived, last_ns)] = seen_by(listening)
    if arrived != count:
        raise RuntimeError(f"only {arrived} of {count} events arrived")
    return count / ((last_ns - began_ns) / 1e9)


def bare_hz(folder: Path, items: list[Item], hops: int = 1) -> float:
    """Frames of the same size that lie in memory, sent as fast as the socket takes them."""
    last, first = f"ipc://{folder}/bare", f"ipc://{folder}/bare-proxy"
    frames = [pack(item.topic, Kind.DATA, number, item.payload) for number, item in enumerate(items)]
    with ExitStack() as stack:
        listening = stack.enter_context(subscriber("pull", last, len(items)))
        if hops == 2:
            stack.enter_context(subscriber("proxy", f"{first} {last}", 0))
        context = stack.enter_context(zmq.Context())
        socket = context.socket(zmq.PUSH)
        socket.connect(first if hops == 2 else last)
        send = socket.send
        began_ns = time.monotonic_ns()
        for frame in frames:
            send(frame)
        last_ns = seen_by(listening)[0][1]
        socket.close()
    return len(items) / ((last_ns - began_ns) / 1e9)
