"""Listens to a running system from the side: the hosts' reports and log lines, taken from the lossy tap."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from pathlib import Path

import zmq

from studio.errors import StudioError
from studio.runtime.base.clock import Clock, monotonic_ns
from studio.runtime.base.refusals import UNKNOWN, Refusals
from studio.runtime.channel.call_frames import HAND, Reply, reply_topic
from studio.runtime.control_plane.of_runtime import LogLine
from studio.runtime.lifecycle import State
from studio.runtime.plan.plan import RECORDER
from studio.runtime.processes.reports import (
    ComponentReport,
    HostReport,
    RecordingReport,
    read_log_line,
    read_report,
    speaker,
)
from studio.runtime.processes.supervision import BROKER
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import (
    ALL_TOPIC,
    BEAT_TOPIC,
    ERROR,
    LOG_TOPIC,
    FrameError,
    Header,
    Mark,
    Marker,
    split,
    subscription,
)

LOG_LINES = 10_000
MOST_ANSWERS = 100
MOST_HOSTS = 10_000
"""Whose reports are kept: more names are no hosts."""
_ANSWERS = reply_topic(HAND, "")
_HEARD = ((subscription(ALL_TOPIC),), (subscription(LOG_TOPIC),), (subscription(BEAT_TOPIC), _ANSWERS.encode()))
"""Each on a connection of its own. The broker drops what a reader is too slow for: with a flood of log lines it dropped
its own markers and the reports of hosts, and all of them were taken for hung."""


class Observer:
    """Keeps each host's last report and the newest log lines."""

    def __init__(self, run: Path) -> None:
        self.reports: dict[str, HostReport] = {}
        self.heard_ns: dict[str, int] = {}
        self.clock: Clock | None = None
        """As the broker last told; one that stands shows the time of the last event."""
        self.log: deque[LogLine] = deque(maxlen=LOG_LINES)
        self.listeners: list[Callable[[LogLine], None]] = []
        """Called by this thread with every log line."""
        self.on_report: Callable[[HostReport], None] = lambda _: None
        """Called by this thread with what a host reports."""
        self.refusals = Refusals(self._tell_refusal)
        """What was sent to the runtime and is not what the protocol asks for."""
        self._answers: OrderedDict[int, tuple[str, bytes]] = OrderedDict()
        """To what was done by hand, by its number: an error, or the encoded reply."""
        self._ended = threading.Event()
        self._news = threading.Condition()
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._sockets = [self._connected(run, topics) for topics in _HEARD]
        self._thread = threading.Thread(target=self._listen, name="observer", daemon=True)
        self._thread.start()

    def _connected(self, run: Path, topics: Iterable[bytes]) -> zmq.Socket[bytes]:
        socket = self._context.socket(zmq.SUB)
        socket.reconnect_ivl = addresses.RECONNECT_MS
        for topic in topics:
            socket.subscribe(topic)
        socket.connect(addresses.tap(run))
        return socket

    def _listen(self) -> None:
        poller = zmq.Poller()
        for socket in self._sockets:
            poller.register(socket, zmq.POLLIN)
        while not self._ended.is_set():
            for socket, _ in poller.poll(50):
                self._take(socket.recv())

    def _take(self, frame: bytes) -> None:
        try:
            topic, header, payload = split(frame)
            if topic.startswith(_ANSWERS):
                self._take_answer(header, Reply.parse(payload))
            elif topic == ALL_TOPIC:  # a marker: the broker says that it is there, and what time it is
                self._take_marker(Marker.parse(payload))
            elif topic == BEAT_TOPIC:
                self._take_report(payload)
            elif topic == LOG_TOPIC:
                self._take_line(read_log_line(payload))
        except StudioError as malformed:
            self.refusals.add(_sender(frame), malformed)

    def _take_marker(self, marker: Marker) -> None:
        self.heard_ns[BROKER] = monotonic_ns()
        self.clock = self.clock if marker.mark is Mark.SYNC else marker.clock

    def _take_report(self, payload: memoryview) -> None:
        try:
            report = read_report(payload)
        except StudioError:
            if (host := speaker(payload)) in self.heard_ns:  # what it says cannot be used; it does not hang
                self.heard_ns[host] = monotonic_ns()
            raise
        host = report["host"]
        if host not in self.reports and len(self.reports) >= MOST_HOSTS:
            raise FrameError(f"a report of one host too many: {host}")
        with self._news:
            self.reports[host] = report
            self.heard_ns[host] = monotonic_ns()
            self.on_report(report)
            self._news.notify_all()

    def _take_line(self, line: LogLine) -> None:
        with self._news:
            self.log.append(line)
            for listener in list(self.listeners):
                listener(line)
            self._news.notify_all()

    def _tell_refusal(self, sender: str, why: str, count: int) -> None:
        text = f"{count} malformed messages so far; the last one: {why}" if count > 1 else f"a malformed message: {why}"
        self._take_line({"component": sender, "level": "warning", "text": text})

    def _take_answer(self, header: Header, reply: Reply) -> None:
        body = bytes(reply.body)
        failed = header.flags & ERROR
        with self._news:
            self._answers[reply.number] = (body.decode(errors="replace"), b"") if failed else ("", body)
            if len(self._answers) > MOST_ANSWERS:  # nobody has waited for the first of them
                self._answers.popitem(last=False)
            self._news.notify_all()

    def await_answer(self, number: int, timeout_s: float) -> tuple[str, bytes] | None:
        """What came of something that was done by hand: an error, or the encoded reply; None if nothing is heard."""
        with self._news:
            self._news.wait_for(lambda: number in self._answers, timeout=timeout_s)
            return self._answers.pop(number, None)

    def recording(self) -> RecordingReport | None:
        """How far the recorder has last said to be; None before its first report."""
        report = self.reports.get(RECORDER)
        return None if report is None else report.get("recording")

    def component(self, name: str) -> ComponentReport:
        """What its host last said of a component; empty before the first report."""
        for report in list(self.reports.values()):
            if name in report["components"]:
                return report["components"][name]
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


def _is_last(report: HostReport) -> bool:
    return all(component.get("state") == State.FINAL.value for component in report["components"].values())


def _sender(frame: bytes) -> str:
    """Of an answer its topic tells it. What is to tell it in reports and log lines cannot be read."""
    topic = frame[: max(0, frame.find(b"\0"))].decode(errors="replace")
    return topic.removeprefix(_ANSWERS) if topic.startswith(_ANSWERS) else UNKNOWN
