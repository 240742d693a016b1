"""The recorder (LogNotify): `python -m studio.runtime.recording.recorder.recorder`, started by the launcher.

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
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import zmq

from studio.errors import StudioError
from studio.messages import (
    String,
    encode,
)
from studio.runtime.base.clock import monotonic_ns
from studio.runtime.base.process import die_with_parent
from studio.runtime.channel.payloads import Leases, PayloadError
from studio.runtime.channel.sender import Sender
from studio.runtime.host.statistics import told
from studio.runtime.plan.plan import RECORDER, Plan, RecordingPlan
from studio.runtime.recording.format.bookmarks import BOOKMARK_TOPIC
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.recorder import interim
from studio.runtime.recording.recorder.log_book import MARKERS_TOPIC, DataTopic, LogBook
from studio.runtime.recording.writing.disk_room import DiskRoom, seconds_left
from studio.runtime.recording.writing.log_file import RESERVE_BYTES
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import (
    ACK_TOPIC,
    AGAIN,
    ALL_TOPIC,
    BEAT_TOPIC,
    HEADER_BYTES,
    HELLO_TOPIC,
    HOST_PREFIX,
    LOG_TOPIC,
    READY_TOPIC,
    SHARED,
    SWEEP_TOPIC,
    SYNC_TOPIC,
    WORKS_AHEAD,
    Ack,
    FrameError,
    Kind,
    Mark,
    Marker,
    pack,
    split,
    subscription,
    topic_hash,
)

MOST_WAITING_MB = 1024
"""What may wait to be written, shared payloads included: a disk that others use, too, stands still for seconds."""
SYNC_EVERY_S = 0.5
BEAT_EVERY_NS = 500_000_000
DRAIN_WITHIN_NS = 5_000_000_000
"""At the end: how long to wait for what is still on the way, if there is no end of it."""
HANDED_OVER_WITHIN_NS = 20_000_000_000
KNOWN_FOR_NS = 2_000_000_000
"""So long what was handed over may still come once more by the channel."""
_ECHO_TOPIC = f"{HOST_PREFIX}{RECORDER}/echo"


class Recorder:
    def __init__(
        self, run: Path, plan: Plan, recording: RecordingPlan, shared: Path | None, *, takes_over: bool = False
    ) -> None:
        """`takes_over`: somebody has kept what passed since the last recorder died (interim.py)."""
        self.plan = plan
        self._takes_over = takes_over
        self._known = interim.Once()
        """Of what was kept by others: the same comes here as well."""
        self._known_until_ns = 0
        self.budget_bytes = int(os.environ.get("STUDIO_BUDGET_MB", MOST_WAITING_MB)) * 2**20
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._sender = Sender(self._context, run, None, RECORDER)
        self._leases = Leases.offered(shared, plan.recorder_index)
        self._stop = threading.Event()
        self._welcomed = False
        self._incarnation = 0
        self._ended = threading.Event()
        self._arrived: deque[tuple[bytes, memoryview | None]] = deque()
        """Frames, with the payloads of those whose payload is shared."""
        self._arrived_bytes = self._written_bytes = 0
        self._words: deque[bytes] = deque()
        """Frames that the writing thread wants to be sent: a socket belongs to one thread."""
        self._room = DiskRoom()
        self._next_beat_ns = 0
        self._began_ns = monotonic_ns()
        self._heard = 0
        """Frames for the log."""
        self._echoed = 0
        """The last of the words to oneself that came back."""
        self._book = LogBook(plan, recording, self._say)
        self._book.on_marker = self._take_marker
        self._run = run
        self._following: int | None = None
        """A changed plan whose subscriptions may not stand yet."""
        self._wanted: deque[str] = deque()
        """Topics that the reading thread is to subscribe to."""
        self._socket = self._connect(run)

    def _connect(self, run: Path) -> zmq.Socket[bytes]:
        socket = self._context.socket(zmq.SUB)
        socket.rcvhwm = 0
        socket.linger = 0
        socket.reconnect_ivl = addresses.RECONNECT_MS
        socket.connect(addresses.out_of(run))
        for topic in (*self._book.channels, SWEEP_TOPIC, ALL_TOPIC, _ECHO_TOPIC, HOST_PREFIX + RECORDER):
            socket.subscribe(subscription(topic))
        return socket

    def main(self) -> int:
        writer = threading.Thread(target=self._write, name="writer")
        syncer = threading.Thread(target=self._sync, name="sync")
        writer.start()
        syncer.start()
        while not self._stop.is_set():
            while self._wanted:
                self._socket.subscribe(subscription(self._wanted.popleft()))
            if not self._welcomed:
                self._sender.control(HELLO_TOPIC, Kind.HELLO, RECORDER.encode())
            if self._socket.poll(20):
                self._read()
            self._speak()
        self._drain()
        self._ended.set()
        writer.join()
        syncer.join()
        self._next_beat_ns = 0
        self._speak()
        self._socket.close()
        self._sender.close()
        self._context.destroy(linger=200)
        return 0

    def stop(self) -> None:
        self._stop.set()

    def _drain(self) -> None:
        """Read what is still on the way: until a word of one's own comes back, and nothing else came before it.

        The broker takes from its senders in turns, so whatever waits there comes between two such words. A time alone
        would not do: on a busy machine a broker may be silent for longer than it seems wise to wait.
        """
        end_ns = monotonic_ns() + DRAIN_WITHIN_NS
        while self._welcomed and monotonic_ns() < end_ns:
            number, heard = self._echoed + 1, self._heard
            self._sender.send_now(pack(_ECHO_TOPIC, Kind.LOG, number))
            while self._echoed < number and monotonic_ns() < end_ns:
                if self._socket.poll(20):
                    self._read()
            if self._heard == heard:
                return

    # Reading.

    def _read(self) -> None:
        receive, arrived, topics = self._socket.recv, self._arrived, self._book.data
        count = 0
        try:
            for _ in range(_BATCH):
                frame = receive(zmq.DONTWAIT)
                has_room = self._arrived_bytes + count - self._written_bytes < self.budget_bytes
                topic = topics.get(frame[: frame.find(b"\0")])
                if topic is not None and len(frame) > topic.at + HEADER_BYTES and frame[topic.at + 2] & SHARED:
                    count += self._claim(topic, frame, has_room)
                elif topic is None and frame.startswith((_SWEEP, _ECHO)):
                    self._hear(frame)
                    continue
                elif has_room or (topic is None and frame.startswith(_NEVER_DROPPED)):
                    count += len(frame)
                    arrived.append((frame, None))
                self._heard += 1
        except zmq.Again:
            pass
        self._arrived_bytes += count

    def _claim(self, topic: DataTopic, frame: bytes, has_room: bool) -> int:
        """Lay hold of a shared payload as soon as its frame is here: when its producer ends, it would be gone.

        Returns how much more waits now.
        """
        if frame[topic.at + 2] & AGAIN:
            return 0
        handle = memoryview(frame)[topic.at + HEADER_BYTES :]
        try:
            if self._leases is None:
                raise PayloadError("a shared payload, but the recorder has no shared memory")
            if not has_room:
                self._leases.skip(handle)
                return 0
            payload = self._leases.open(handle)
        except PayloadError as lost:
            self._say("warning", f"an event of {topic.name} could not be recorded: {lost}")
            return 0
        self._arrived.append((frame, payload))
        return len(frame) + len(payload)

    def _hear(self, frame: bytes) -> None:
        """What is for the recorder itself and not for the log."""
        try:
            topic, header, payload = split(frame)
        except FrameError as damaged:
            self._say("warning", f"a message of the runtime cannot be read: {damaged}")
            return
        if topic == _ECHO_TOPIC:
            self._echoed = header.sequence
        elif self._leases is not None:
            self._leases.sweep(bytes(payload).decode(errors="replace"), header.sequence)

    def _speak(self) -> None:
        """Send what the writing thread has to say, and twice a second how far the log is."""
        while self._words:
            self._sender.send(self._words.popleft())
        now_ns = monotonic_ns()
        if now_ns >= self._next_beat_ns:
            self._next_beat_ns = now_ns + BEAT_EVERY_NS
            report = {"host": RECORDER, "pid": os.getpid(), "components": {}, "recording": self._report()}
            report["malformed"] = self._book.refusals.plain()
            self._sender.control(BEAT_TOPIC, Kind.BEAT, encode(String(json.dumps(report))))

    def _report(self) -> dict[str, object]:
        """How far the log is. Read while the other thread writes, so the numbers may be of different moments."""
        book, log = self._book, self._book.writer
        free_bytes, now_ns = _free_bytes(log.path), monotonic_ns()
        bytes_per_s = self._room.look(now_ns, log.size)
        return {
            "file": str(log.path),
            "events": log.event_count + log.pending_events,
            "bytes": log.size,
            "seconds": round((now_ns - self._began_ns) / 1e9, 1),
            "waiting_bytes": self._arrived_bytes - self._written_bytes,
            "missing": told(book.missing),
            "bookmarks": book.bookmarks,
            "free_bytes": free_bytes,
            "bytes_per_s": round(bytes_per_s),
            "left_s": seconds_left(free_bytes, RESERVE_BYTES, bytes_per_s),
            "full": book.is_full,
        }

    # Writing.

    def _take_over(self) -> None:
        """Write what was kept since the last recorder died, before anything that came here."""
        aside: list[tuple[bytes, memoryview | None]] = []
        with self._context.socket(zmq.PAIR) as line:
            line.linger, line.rcvhwm, line.sndtimeo = 1000, 0, 1000
            line.connect(interim.address(self._run))
            for frame in self._handed_over(line, aside):
                self._known.note(frame)
                self._book.take(frame)
            self._book.flush()
            with suppress(zmq.Again):  # nobody is there any more who kept it
                line.send(interim.TAKEN)
        self._known_until_ns = monotonic_ns() + KNOWN_FOR_NS
        for frame, payload in aside:
            self._take_new(frame, payload)

    def _handed_over(self, line: zmq.Socket[bytes], aside: list[tuple[bytes, memoryview | None]]) -> Iterator[bytes]:
        """Frames, as they come. Markers are taken meanwhile: only one who is in the channel gets anything."""
        end_ns = monotonic_ns() + HANDED_OVER_WITHIN_NS
        while monotonic_ns() < end_ns and not self._ended.is_set():
            while self._arrived:
                frame, payload = self._arrived.popleft()
                if frame.startswith(_MARKERS):
                    self._take_new(frame, payload)
                else:
                    aside.append((frame, payload))
            if not line.poll(5):
                continue
            frame = line.recv()
            if frame == interim.END:
                return
            yield frame
        self._say("warning", "events were lost while no recorder was running")

    def _take_new(self, frame: bytes, payload: memoryview | None) -> None:
        if self._known.is_new(frame):
            self._book.take(frame, payload)
        self._written_bytes += len(frame) + (len(payload) if payload is not None else 0)

    def _write(self) -> None:
        if self._takes_over:
            self._take_over()
        while self._known and not self._ended.is_set():
            while self._arrived:
                self._take_new(*self._arrived.popleft())
            self._ended.wait(0.005)
            self._book.tick(monotonic_ns())
            if monotonic_ns() > self._known_until_ns:
                self._known.forget()
        self._write_all()

    def _write_all(self) -> None:
        arrived, take = self._arrived, self._book.take
        while not (self._ended.is_set() and not arrived):
            if not arrived:
                self._ended.wait(0.005)
            # No more at a time than what may wait until the clock is looked at.
            for _ in range(min(len(arrived), _BATCH)):
                frame, payload = arrived.popleft()
                take(frame, payload)
                self._written_bytes += len(frame) + (len(payload) if payload is not None else 0)
                payload = None  # or the last one would be held while there is nothing to do
            self._book.tick(monotonic_ns())
        self._book.close()

    def _take_marker(self, topic: str, marker: Marker) -> None:
        if marker.mark is Mark.SYNC:
            if topic != ALL_TOPIC:  # the broker wants to know how far this recorder is; a player asks hosts only
                ack = Ack(topic_hash(SYNC_TOPIC), marker.number)
                self._words.append(pack(ACK_TOPIC, Kind.ACK, self.plan.recorder_index, ack.payload()))
            return
        self._book.at_least(marker.clock.base_ns)
        if marker.incarnation != self._incarnation:
            known, self._incarnation = self._incarnation, marker.incarnation
            if known:  # another broker, which has to be greeted; what the old one had asked for it asks again
                self._welcomed, self._following = False, None
        if marker.mark is Mark.WELCOME and not self._welcomed:
            self._take_welcome(marker)
        elif marker.mark is Mark.REPLAN:
            self._follow_plan(marker.number)
        if marker.mark in (Mark.PAUSE, Mark.STATE, Mark.STOP, Mark.REPLAN):
            text = {"mark": marker.mark.name.lower(), "gated": marker.gated, "epoch": marker.epoch}
            self._book.note(MARKERS_TOPIC, text, marker.clock.base_ns)

    def _take_welcome(self, marker: Marker) -> None:
        if self._following is None:
            self._words.append(pack(READY_TOPIC, Kind.READY, WORKS_AHEAD, RECORDER.encode()))
        elif marker.about == self._following:
            ack = Ack(topic_hash(ALL_TOPIC), self._following)
            self._words.append(pack(ACK_TOPIC, Kind.ACK, self.plan.recorder_index, ack.payload()))
            self._following = None
        else:
            return  # it says nothing about the new subscriptions
        self._welcomed = True

    def _follow_plan(self, number: int) -> None:
        """The system has changed: what is new in it is recorded too."""
        self.plan = Plan.load(addresses.plan_file(self._run))
        assert self.plan.recording is not None
        try:
            self._wanted.extend(self._book.add_topics(self.plan, self.plan.recording))
        except LogError as failure:
            self._book.give_up(failure)
        self._following = number
        self._wanted.append(f"{HOST_PREFIX}{RECORDER}/{number}")
        self._welcomed = False

    def _sync(self) -> None:
        while not self._ended.wait(SYNC_EVERY_S):
            if not self._book.sync():
                return

    def _say(self, level: str, text: str) -> None:
        line = json.dumps({"component": RECORDER, "level": level, "text": text})
        self._words.append(pack(LOG_TOPIC, Kind.LOG, 0, encode(String(line))))


def _free_bytes(path: Path) -> int | None:
    try:
        disk = os.statvfs(path.parent)
    except OSError:
        return None
    return disk.f_bavail * disk.f_frsize


_SWEEP, _ECHO = subscription(SWEEP_TOPIC), subscription(_ECHO_TOPIC)
_MARKERS = (subscription(ALL_TOPIC), (HOST_PREFIX + RECORDER).encode())
_NEVER_DROPPED = (subscription(ALL_TOPIC), (HOST_PREFIX + RECORDER).encode(), subscription(BOOKMARK_TOPIC))
"""Markers are taken beyond every budget: the gate waits for answers to them. And bookmarks; all are small and few."""
_BATCH = 1000


def main() -> int:
    die_with_parent()
    run = Path(os.environ["STUDIO_RUN"])
    shared = os.environ.get("STUDIO_SHM")
    plan = Plan.load(addresses.plan_file(run))
    if plan.recording is None:
        print("the plan records nothing", file=sys.stderr)
        return 2
    try:
        takes_over = bool(os.environ.get("STUDIO_INTERIM"))
        recorder = Recorder(run, plan, plan.recording, Path(shared) if shared else None, takes_over=takes_over)
    except StudioError as error:
        print(error, file=sys.stderr)
        return 1
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: recorder.stop())
    return recorder.main()


if __name__ == "__main__":
    sys.exit(main())
