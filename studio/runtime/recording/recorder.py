"""The recorder (LogNotify): `python -m studio.runtime.recording.recorder`, started by the launcher.

A lossless receiver that nobody waits for: one thread reads the channel and counts what waits, another writes. A disk
that is slow or full costs the log a gap, never a producer its time.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections import deque
from pathlib import Path

import zmq

from studio.errors import StudioError
from studio.messages import HandledTrace, Message, MessageTypes, String, encode
from studio.runtime.channel import addresses
from studio.runtime.channel.frames import (
    AGAIN,
    ALL_TOPIC,
    COMMAND_PREFIX,
    HANDLED_TOPIC,
    HEADER_BYTES,
    HELLO_TOPIC,
    HOST_PREFIX,
    LAST_GATED,
    LOG_TOPIC,
    READY_TOPIC,
    SHARED,
    SWEEP_TOPIC,
    TIMER_PREFIX,
    FrameError,
    Header,
    Kind,
    Mark,
    Marker,
    pack,
    split,
    subscription,
)
from studio.runtime.channel.mailbox import BUDGET_MB
from studio.runtime.channel.payloads import Leases, PayloadError
from studio.runtime.channel.sender import Sender
from studio.runtime.clock import monotonic_ns
from studio.runtime.plan import RECORDER, Plan, RecordingPlan
from studio.runtime.process import die_with_parent
from studio.runtime.recording.circumstances import METADATA, circumstances
from studio.runtime.recording.errors import LogFull
from studio.runtime.recording.log_writer import LogWriter

MARKERS_TOPIC = "/_studio/markers"
GAPS_TOPIC = "/_studio/gaps"
SYNC_EVERY_S = 0.5
QUIET_MS = 150
"""At the end: how long nothing must have arrived before the log is closed."""


class Recorder:
    def __init__(self, run: Path, plan: Plan, recording: RecordingPlan, shared: Path | None) -> None:
        self.plan = plan
        self.budget_bytes = int(os.environ.get("STUDIO_BUDGET_MB", BUDGET_MB)) * 2**20
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._sender = Sender(self._context, run, None, RECORDER)
        self._leases = Leases(shared, plan.recorder_index) if shared is not None else None
        self._stop = threading.Event()
        self._welcomed = False
        self._ended = threading.Event()
        self._frames: deque[bytes] = deque()
        self._arrived_bytes = self._written_bytes = 0
        self._last: dict[str, int] = {}
        self._now_ns: int | None = None
        """System time, as far as events and markers have told it."""
        self._early: list[bytes] = []
        """What came before the first of them."""
        self._log: LogWriter | None = LogWriter(recording.file, compression=recording.compression, types=_types(plan))  # type: ignore[arg-type]
        self._channels = self._add_topics(recording)
        self._socket = self._connect(run)

    def _add_topics(self, recording: RecordingPlan) -> dict[str, int]:
        assert self._log is not None
        types = _types(self.plan)
        kinds: dict[str, type[Message]] = {topic: types.get(self.plan.types[topic]) for topic in recording.topics}
        for component in self.plan.components:
            kinds[TIMER_PREFIX + component.name] = kinds[COMMAND_PREFIX + component.name] = String
        kinds |= {HANDLED_TOPIC: HandledTrace, LOG_TOPIC: String, MARKERS_TOPIC: String, GAPS_TOPIC: String}
        parameters = {component.name: dict(component.parameters) for component in self.plan.components}
        self._log.add_metadata(METADATA, {**circumstances(self.plan), "parameters": json.dumps(parameters)})
        self._attach_files()
        return {topic: self._log.add_topic(topic, kind) for topic, kind in kinds.items()}

    def _attach_files(self) -> None:
        assert self._log is not None
        system = Path(self.plan.project) / "system.xml"
        if self.plan.project and system.is_file():
            self._log.add_attachment("system.xml", system.read_bytes(), "application/xml")

    def _connect(self, run: Path) -> zmq.Socket[bytes]:
        socket = self._context.socket(zmq.SUB)
        socket.rcvhwm = 0
        socket.linger = 0
        socket.connect(addresses.out_of(run))
        for topic in (*self._channels, SWEEP_TOPIC, ALL_TOPIC, HOST_PREFIX + RECORDER):
            socket.subscribe(subscription(topic))
        return socket

    def main(self) -> int:
        writer = threading.Thread(target=self._write, name="writer")
        syncer = threading.Thread(target=self._sync, name="sync")
        writer.start()
        syncer.start()
        while not self._stop.is_set() or self._socket.poll(QUIET_MS):
            if not self._welcomed:
                self._sender.control(HELLO_TOPIC, Kind.HELLO, RECORDER.encode())
            if self._socket.poll(20):
                self._read()
        self._ended.set()
        writer.join()
        syncer.join()
        self._socket.close()
        self._sender.close()
        self._context.destroy(linger=200)
        return 0

    def stop(self) -> None:
        self._stop.set()

    # Reading.

    def _read(self) -> None:
        receive, frames = self._socket.recv, self._frames
        try:
            for _ in range(1000):
                frame = receive(zmq.DONTWAIT)
                if self._arrived_bytes - self._written_bytes < self.budget_bytes:
                    self._arrived_bytes += len(frame)
                    frames.append(frame)
        except zmq.Again:
            return

    # Writing.

    def _write(self) -> None:
        while not (self._ended.is_set() and not self._frames):
            if not self._frames:
                self._ended.wait(0.005)
            while self._frames:
                frame = self._frames.popleft()
                self._take(frame)
                self._written_bytes += len(frame)
            if self._log is not None:
                self._guarded(lambda log: log.tick(monotonic_ns()))
        if self._log is not None:
            self._guarded(LogWriter.close)

    def _guarded(self, action: object) -> None:
        """Do something with the log; a full disk ends the recording and nothing else."""
        assert self._log is not None and callable(action)
        try:
            action(self._log)
        except LogFull as full:
            self._log = None
            self._say("error", str(full))

    def _take(self, frame: bytes) -> None:
        try:
            topic, header, payload = split(frame)
            if header.kind == Kind.MARKER:
                self._take_marker(topic, Marker.parse(payload))
            elif header.kind == Kind.SWEEP:
                if self._leases is not None:
                    self._leases.sweep(bytes(payload).decode(), header.sequence)
            elif not header.flags & AGAIN:
                self._record(frame, topic, header, payload)
        except (FrameError, PayloadError) as lost:
            self._say("warning", f"an event could not be recorded: {lost}")

    def _record(self, frame: bytes, topic: str, header: Header, payload: memoryview) -> None:
        if header.flags & SHARED:
            if self._leases is None:
                raise PayloadError("a shared payload, but the recorder has no shared memory")
            payload = self._leases.open(payload)
        elif header.kind == Kind.TIMER:
            payload = memoryview(_NOTHING)
        channel = self._channels.get(topic)
        if self._log is None or channel is None:
            return
        if header.kind == Kind.DATA:
            self._count(topic, header)
        start = (frame.find(b"\0") & ~7) + 8
        raw = frame[start : start + HEADER_BYTES]
        # What the machinery says carries no time of its own: it gets that of the events around it.
        now_ns = self._at_least(header.sent_ns) if header.kind <= LAST_GATED else self._now_ns
        if now_ns is None:
            self._early.append(frame)
            return
        self._guarded(lambda log: log.write_frame(channel, raw, payload, now_ns))

    def _at_least(self, time_ns: int) -> int:
        """It is `time_ns` now, or later: time in a log does not go back."""
        self._now_ns = time_ns if self._now_ns is None else max(self._now_ns, time_ns)
        early, self._early = self._early, []
        for frame in early:
            self._take(frame)
        return self._now_ns

    def _count(self, topic: str, header: Header) -> None:
        """A hole in the sequence is a gap: dropped at the source, on the way, or here beyond the budget."""
        last = self._last.get(topic, 0)
        if last and header.sequence > last + 1:
            missing = header.sequence - last - 1
            self._note(GAPS_TOPIC, {"topic": topic, "after": last, "missing": missing}, header.sent_ns)
        self._last[topic] = header.sequence

    def _take_marker(self, topic: str, marker: Marker) -> None:
        self._at_least(marker.clock.base_ns)
        if marker.mark is Mark.WELCOME and not self._welcomed:
            self._welcomed = True
            self._sender.control(READY_TOPIC, Kind.READY, RECORDER.encode())
        if marker.mark in (Mark.PAUSE, Mark.STATE, Mark.STOP):
            text = {"mark": marker.mark.name.lower(), "gated": marker.gated, "epoch": marker.epoch}
            self._note(MARKERS_TOPIC, text, marker.clock.base_ns)

    def _note(self, topic: str, text: dict[str, object], now_ns: int) -> None:
        if self._log is None:
            return
        sequence = self._last[topic] = self._last.get(topic, 0) + 1
        payload = encode(String(json.dumps(text)))
        channel = self._channels[topic]
        self._guarded(lambda log: log.write(channel, payload, log_time_ns=now_ns, sequence=sequence, stamp_ns=now_ns))

    def _sync(self) -> None:
        while not self._ended.wait(SYNC_EVERY_S):
            log = self._log
            if log is not None:
                log.sync()

    def _say(self, level: str, text: str) -> None:
        line = json.dumps({"component": RECORDER, "level": level, "text": text})
        self._sender.send(pack(LOG_TOPIC, Kind.LOG, 0, encode(String(line))))


_NOTHING = encode(String(""))


def _types(plan: Plan) -> MessageTypes:
    types = MessageTypes.builtin()
    return types.with_folder(plan.project) if plan.project else types


def main() -> int:
    die_with_parent()
    run = Path(os.environ["STUDIO_RUN"])
    shared = os.environ.get("STUDIO_SHM")
    plan = Plan.load(addresses.plan_file(run))
    if plan.recording is None:
        print("the plan records nothing", file=sys.stderr)
        return 2
    try:
        recorder = Recorder(run, plan, plan.recording, Path(shared) if shared else None)
    except StudioError as error:
        print(error, file=sys.stderr)
        return 1
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: recorder.stop())
    return recorder.main()


if __name__ == "__main__":
    sys.exit(main())
