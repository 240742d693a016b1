"""Listens to a running system from the side: the hosts' reports and log lines, taken from the lossy tap."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import zmq

from studio.errors import StudioError
from studio.messages import decode
from studio.messages.plain import String
from studio.runtime.channel import addresses
from studio.runtime.channel.call_frames import HAND, Reply, reply_topic
from studio.runtime.channel.frames import (
    ALL_TOPIC,
    BEAT_TOPIC,
    ERROR,
    LOG_TOPIC,
    Header,
    Mark,
    Marker,
    split,
    subscription,
)
from studio.runtime.clock import Clock, monotonic_ns
from studio.runtime.lifecycle import State
from studio.runtime.supervision import BROKER

RECONNECT_MS = 5
LOG_LINES = 10_000
MOST_ANSWERS = 100
_ANSWERS = reply_topic(HAND, "")


class Observer:
    """Keeps each host's last report and the newest log lines."""

    def __init__(self, run: Path) -> None:
        self.reports: dict[str, dict[str, Any]] = {}
        self.heard_ns: dict[str, int] = {}
        self.clock: Clock | None = None
        """As the broker last told; one that stands shows the time of the last event."""
        self.log: deque[dict[str, str]] = deque(maxlen=LOG_LINES)
        self.listeners: list[Callable[[dict[str, Any]], None]] = []
        """Called by this thread with every log line."""
        self.on_report: Callable[[dict[str, Any]], None] = lambda _: None
        """Called by this thread with what a host reports."""
        self._answers: OrderedDict[int, tuple[str, bytes]] = OrderedDict()
        """To what was done by hand, by its number: an error, or the encoded reply."""
        self._ended = threading.Event()
        self._news = threading.Condition()
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(zmq.SUB)
        # The broker is just being started: who tries again after the usual tenth of a second misses the first words.
        self._socket.reconnect_ivl = RECONNECT_MS
        for topic in (ALL_TOPIC, BEAT_TOPIC, LOG_TOPIC):
            self._socket.subscribe(subscription(topic))
        self._socket.subscribe(_ANSWERS.encode())
        self._socket.connect(addresses.tap(run))
        self._thread = threading.Thread(target=self._listen, name="observer", daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while not self._ended.is_set():
            if self._socket.poll(50):
                self._take(self._socket.recv())

    def _take(self, frame: bytes) -> None:
        try:
            topic, header, payload = split(frame)
            if topic.startswith(_ANSWERS):
                self._take_answer(header, Reply.parse(payload))
                return
            if topic == ALL_TOPIC:  # a marker: the broker says that it is there, and what time it is
                self.heard_ns[BROKER] = monotonic_ns()
                marker = Marker.parse(payload)
                self.clock = self.clock if marker.mark is Mark.SYNC else marker.clock
                return
            content = json.loads(decode(String, payload).data)
        except (StudioError, ValueError):
            self.damaged += 1
            return
        with self._news:
            if topic == BEAT_TOPIC:
                self.reports[content["host"]] = content
                self.heard_ns[content["host"]] = monotonic_ns()
                self.on_report(content)
            else:
                self.log.append(content)
                for listener in list(self.listeners):
                    listener(content)
            self._news.notify_all()

    def _take_answer(self, header: Header, reply: Reply) -> None:
        body = bytes(reply.body)
        failed = header.flags & ERROR
        with self._news:
            self._answers[reply.number] = (body.decode(errors="replace"), b"") if failed else ("", body)
            if len(self._answers) > MOST_ANSWERS:  # nobody has waited for the first of them
                self._answers.popitem(last=False)
            self._news.notify_all()

    damaged = 0

    def await_answer(self, number: int, timeout_s: float) -> tuple[str, bytes] | None:
        """What came of something that was done by hand: an error, or the encoded reply; None if nothing is heard."""
        with self._news:
            self._news.wait_for(lambda: number in self._answers, timeout=timeout_s)
            return self._answers.pop(number, None)

    def component(self, name: str) -> dict[str, Any]:
        """What its host last said of a component; empty before the first report."""
        for report in list(self.reports.values()):
            if name in report["components"]:
                found: dict[str, Any] = report["components"][name]
                return found
        return {}

    def await_reports(self, hosts: Iterable[str], since_ns: int, timeout_s: float) -> bool:
        """Wait until each of `hosts` has reported after the moment `since_ns`; False if one has not in time."""
        wanted = list(hosts)
        with self._news:
            return self._news.wait_for(
                lambda: all(self.heard_ns.get(host, 0) > since_ns for host in wanted), timeout=timeout_s
            )

    def settle(self, timeout_s: float = 0.3) -> None:
        """Wait a moment for the last reports, which hosts send when they end; those that were killed send none."""
        with self._news:
            self._news.wait_for(lambda: all(map(_is_last, self.reports.values())), timeout=timeout_s)

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
        self._context.destroy(linger=0)


def _is_last(report: dict[str, Any]) -> bool:
    return all(component["state"] == State.FINAL.value for component in report["components"].values())
