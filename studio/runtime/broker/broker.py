"""The broker process: `python -m studio.runtime.broker.broker`. All events of a run pass it in one order.

The forwarding thread moves frames; this module's control thread answers the control socket, welcomes hosts and, while
the gate is open, sends the timer ticks.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import sys
import threading
import traceback
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import zmq

from studio.errors import StudioError
from studio.runtime.base.clock import Clock, ClockKind, monotonic_ns
from studio.runtime.base.process import die_with_parent
from studio.runtime.base.typed_json import MOST_BYTES, Malformed
from studio.runtime.base.under_way import TooManyRequests, UnderWay
from studio.runtime.broker.broker_requests import BrokerRequests
from studio.runtime.broker.broker_sockets import INTO, OUT_OF, BrokerSockets
from studio.runtime.broker.forwarder import Forwarder
from studio.runtime.broker.metronome import Metronome
from studio.runtime.channel.kept_memory import keep_freed_memory
from studio.runtime.control_plane.of_broker import VERBS
from studio.runtime.control_plane.request import read_request
from studio.runtime.plan.plan import Plan
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import (
    ALL_TOPIC,
    HELLO_TOPIC,
    KEEPS_CHECKPOINTS,
    READY_TOPIC,
    WORKS_AHEAD,
    FrameError,
    Kind,
    Mark,
    Marker,
    pack,
    split,
    subscription,
)

ALIVE_EVERY_NS = 500_000_000
DONE = "inproc://done"
CLIENT = "a client of the broker"
"""Whose name nobody knows: control sockets have none."""


class Broker:
    def __init__(self, run: Path, plan: Plan, clock: Clock, incarnation: int) -> None:
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.forwarder = Forwarder(BrokerSockets(self.context, run), plan, clock, incarnation)
        self._thread = threading.Thread(target=self.forwarder.main, name="forwarder", daemon=True)
        self._done: SimpleQueue[tuple[list[bytes], dict[str, Any]]] = SimpleQueue()
        self._under_way = UnderWay()
        self._open_sockets(run)
        self._metronome = Metronome(self.forwarder, self._push)
        self.requests = BrokerRequests(self.forwarder, self._metronome, plan, run)

    def _open_sockets(self, run: Path) -> None:
        self._router = self.context.socket(zmq.ROUTER)
        self._router.linger = 500
        self._router.maxmsgsize = MOST_BYTES  # whoever sends more is disconnected
        self._router.bind(addresses.control(run))
        self._push = self.context.socket(zmq.PUSH)
        self._push.linger = 0
        self._push.connect(INTO)
        self._sub = self.context.socket(zmq.SUB)
        self._sub.linger = 0
        for topic in (HELLO_TOPIC, READY_TOPIC):
            self._sub.subscribe(subscription(topic))
        self._sub.connect(OUT_OF)
        self._done_in = self.context.socket(zmq.PULL)
        self._done_in.bind(DONE)
        self._done_out = self.context.socket(zmq.PUSH)
        self._done_out.connect(DONE)
        self._poller = zmq.Poller()
        for socket in (self._router, self._sub, self._done_in):
            self._poller.register(socket, zmq.POLLIN)

    def main(self) -> None:
        self._thread.start()
        next_alive = 0
        while not self.requests.ended and self._thread.is_alive():
            ready = dict(self._poller.poll(math.ceil(self._metronome.beat())))
            if self._router in ready:
                self._serve()
            if self._sub in ready:
                self._greet()
            if self._done_in in ready:
                self._answer_done()
            if self.requests.returning is not None:
                self.requests.returning.look()
            if monotonic_ns() >= next_alive:
                self._say_alive()
                next_alive = monotonic_ns() + ALIVE_EVERY_NS
        self._thread.join()
        self._answer_done()
        self.context.destroy(linger=500)

    def _say_alive(self) -> None:
        forwarder = self.forwarder
        marker = Marker(Mark.ALIVE, 0, False, forwarder.clock, forwarder.epoch, forwarder.incarnation)
        self._push.send(pack(ALL_TOPIC, Kind.MARKER, 0, marker.payload()))

    # Hosts.

    def _greet(self) -> None:
        try:
            while True:
                topic, header, payload = split(self._sub.recv(zmq.DONTWAIT))
                self._hear(topic, bytes(payload).decode(errors="replace"), header.sequence)
        except (zmq.Again, FrameError):
            return

    def _hear(self, topic: str, host: str, abilities: int) -> None:
        if host not in self.requests.plan.greeted:
            return
        if topic == READY_TOPIC:
            if abilities & KEEPS_CHECKPOINTS:
                self.requests.checkpoints.keepers.add(host)
            self.forwarder.jobs.insert(lambda: self.forwarder.learn(host, bool(abilities & WORKS_AHEAD)))
            self.forwarder.jobs.insert(lambda: self.requests.checkpoints.note_start(host))
            self.requests.ready.add(host)
        else:
            self.forwarder.jobs.insert(lambda: self.forwarder.welcome(host))

    # Control.

    def _serve(self) -> None:
        *route, raw = self._router.recv_multipart()
        try:
            asked = read_request(raw, VERBS)
        except Malformed as malformed:
            self.forwarder.refusals.add(CLIENT, malformed)
            self._send(route, refusal(malformed.number, malformed))
            return
        try:
            self._under_way.begin(route[0])
        except TooManyRequests as refused:
            self._send(route, refusal(asked.id, refused))
            return
        try:
            self.requests.obey(asked, lambda reply: self._reply(route, asked.id, reply))
        except Exception as refused:  # no request may take the channel down
            if not isinstance(refused, StudioError):
                traceback.print_exc()
            self._reply(route, asked.id, refusal(asked.id, refused))

    def _reply(self, route: list[bytes], number: Any, reply: dict[str, Any]) -> None:
        """From either thread: answer through the control thread, which owns the socket."""
        self._done.put((route, {"id": number, "ok": True, **reply}))
        if threading.current_thread() is self._thread:
            self._done_out.send(b"")
        else:
            self._answer_done()

    def _answer_done(self) -> None:
        try:
            while True:
                self._done_in.recv(zmq.DONTWAIT)
        except zmq.Again:
            pass
        try:
            while True:
                route, reply = self._done.get_nowait()
                self._under_way.end(route[0])
                self._send(route, reply)
        except Empty:
            return

    def _send(self, route: list[bytes], reply: dict[str, Any]) -> None:
        self._router.send_multipart([*route, json.dumps(reply).encode()])


def refusal(number: Any, why: Exception) -> dict[str, Any]:
    text = str(why) if isinstance(why, StudioError) else f"bad request: {why!r}"
    return {"id": number, "ok": False, "error": text}


def main() -> int:
    parser = argparse.ArgumentParser(description="The broker of one run. Studio starts it.")
    parser.add_argument("--clock", choices=[kind.name.lower() for kind in ClockKind], default="wall")
    parser.add_argument("--base-ns", type=int, help="system time at --at-ns (default: now)")
    parser.add_argument("--at-ns", type=int, help="a moment of CLOCK_MONOTONIC (default: now)")
    parser.add_argument("--rate", type=float, default=1.0, help="rate of the clock from --at-ns on")
    parser.add_argument("--incarnation", type=int, default=1)
    parser.add_argument("--epoch", type=int, default=0, help="first epoch (default: 0)")
    parser.add_argument("--resume", choices=["pause", "run"], help="replace a broker that died")
    arguments = parser.parse_args()
    die_with_parent()
    keep_freed_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run = Path(os.environ["STUDIO_RUN"])
    broker = Broker(run, Plan.load(addresses.plan_file(run)), _clock(arguments), arguments.incarnation)
    broker.forwarder.epoch = arguments.epoch
    if arguments.resume:
        broker.requests.resume(arguments.resume)
    broker.main()
    return 0


def _clock(arguments: argparse.Namespace) -> Clock:
    kind = ClockKind[arguments.clock.upper()]
    start = Clock.wall()
    if arguments.base_ns is not None:
        at_ns = arguments.at_ns if arguments.at_ns is not None else start.at_ns
        return Clock(kind, arguments.base_ns, at_ns, arguments.rate if arguments.at_ns is not None else 0.0)
    return Clock(kind, start.base_ns, start.at_ns, 0.0)


if __name__ == "__main__":
    sys.exit(main())
