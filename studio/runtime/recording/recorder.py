"""The recorder (LogNotify): `python -m studio.runtime.recording.recorder`, started by the launcher.

A lossless receiver that nobody waits for: one thread reads the channel and counts what waits, another writes. A disk
that is slow or full costs the log a gap, never a producer its time.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

import zmq

from studio.errors import StudioError
from studio.messages import (
    Bookmark,
    HandledTrace,
    MessageError,
    MessageTypes,
    ServiceCall,
    String,
    decode,
    encode,
)
from studio.runtime.channel import addresses
from studio.runtime.channel.call_frames import call_topics, hand_topics
from studio.runtime.channel.call_record import CallBook
from studio.runtime.channel.frames import (
    ACK_TOPIC,
    AGAIN,
    ALL_TOPIC,
    BEAT_TOPIC,
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
    SYNC_TOPIC,
    TIMER_PREFIX,
    VERSION,
    WORKS_AHEAD,
    Ack,
    FrameError,
    Header,
    Kind,
    Mark,
    Marker,
    pack,
    split,
    subscription,
    topic_field,
    topic_hash,
)
from studio.runtime.channel.payloads import Leases, PayloadError
from studio.runtime.channel.sender import Sender
from studio.runtime.clock import monotonic_ns
from studio.runtime.plan import EVERYBODY, RECORDER, Plan, RecordingPlan
from studio.runtime.process import die_with_parent
from studio.runtime.recording.bookmarks import BOOKMARK_TOPIC
from studio.runtime.recording.circumstances import METADATA, circumstances
from studio.runtime.recording.errors import LogError
from studio.runtime.recording.log_writer import LogWriter
from studio.runtime.recording.logged_geometry import store_geometry

MARKERS_TOPIC = "/_studio/markers"
GAPS_TOPIC = "/_studio/gaps"
MOST_WAITING_MB = 1024
"""What may wait to be written, shared payloads included: a disk that others use, too, stands still for seconds."""
SYNC_EVERY_S = 0.5
BEAT_EVERY_NS = 500_000_000
DRAIN_WITHIN_NS = 5_000_000_000
"""At the end: how long to wait for what is still on the way, if there is no end of it."""
_ECHO_TOPIC = f"{HOST_PREFIX}{RECORDER}/echo"


class Recorder:
    def __init__(self, run: Path, plan: Plan, recording: RecordingPlan, shared: Path | None) -> None:
        self.plan = plan
        self.budget_bytes = int(os.environ.get("STUDIO_BUDGET_MB", MOST_WAITING_MB)) * 2**20
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._sender = Sender(self._context, run, None, RECORDER)
        self._leases = Leases(shared, plan.recorder_index) if shared is not None else None
        self._stop = threading.Event()
        self._welcomed = False
        self._incarnation = 0
        self._ended = threading.Event()
        self._arrived: deque[tuple[bytes, memoryview | None]] = deque()
        """Frames, with the payloads of those whose payload is shared."""
        self._arrived_bytes = self._written_bytes = 0
        self._words: deque[bytes] = deque()
        """Frames that the writing thread wants to be sent: a socket belongs to one thread."""
        self._next_beat_ns = 0
        self._began_ns = monotonic_ns()
        self._heard = 0
        """Frames for the log."""
        self._echoed = 0
        """The last of the words to oneself that came back."""
        self._last: dict[str, int] = {}
        self._missing = 0
        self._bookmarks = 0
        self._calls = CallBook()
        self._now_ns: int | None = None
        """System time, as far as events and markers have told it."""
        self._early: list[bytes] = []
        """What came before the first of them."""
        self._log: LogWriter | None = LogWriter(recording.file, compression=recording.compression, types=_types(plan))  # type: ignore[arg-type]
        self._writer = self._log
        """The same, also when it is full."""
        self._run = run
        self._following: int | None = None
        """A changed plan whose subscriptions may not stand yet."""
        self._wanted: deque[str] = deque()
        """Topics that the reading thread is to subscribe to."""
        self._channels: dict[str, int] = {}
        self._data: dict[bytes, _DataTopic] = {}
        self._add_topics(recording)
        parameters = {component.name: dict(component.parameters) for component in self.plan.components}
        self._writer.add_metadata(METADATA, {**circumstances(self.plan), "parameters": json.dumps(parameters)})
        self._attach_files()
        self._socket = self._connect(run)

    def _add_topics(self, recording: RecordingPlan) -> list[str]:
        """What is to be recorded and is not yet; returns these topics."""
        types, known = _types(self.plan), self._channels.keys()
        data = [topic for topic in recording.topics if topic not in known]
        kinds = {topic: types.get(self.plan.types[topic]) for topic in data}
        for component in self.plan.components:
            kinds[TIMER_PREFIX + component.name] = kinds[COMMAND_PREFIX + component.name] = String
        kinds |= dict.fromkeys((*call_topics(self.plan), *hand_topics(self.plan)), ServiceCall)
        kinds |= {HANDLED_TOPIC: HandledTrace, LOG_TOPIC: String, MARKERS_TOPIC: String, GAPS_TOPIC: String}
        kinds[BOOKMARK_TOPIC] = Bookmark
        if self.plan.geometry is not None:
            kinds[COMMAND_PREFIX + EVERYBODY] = String
        new = [topic for topic in kinds if topic not in known]
        self._channels |= {topic: self._writer.add_topic(topic, kinds[topic]) for topic in new}
        self._data |= {topic.encode(): _DataTopic(topic, self._channels[topic]) for topic in data}
        return new

    def _attach_files(self) -> None:
        system = Path(self.plan.project) / "system.xml"
        if self.plan.project and system.is_file():
            self._writer.add_attachment("system.xml", system.read_bytes(), "application/xml")
        if self.plan.geometry is not None:
            store_geometry(self._writer, self.plan.geometry)

    def _connect(self, run: Path) -> zmq.Socket[bytes]:
        socket = self._context.socket(zmq.SUB)
        socket.rcvhwm = 0
        socket.linger = 0
        socket.connect(addresses.out_of(run))
        for topic in (*self._channels, SWEEP_TOPIC, ALL_TOPIC, _ECHO_TOPIC, HOST_PREFIX + RECORDER):
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
        receive, arrived, topics = self._socket.recv, self._arrived, self._data
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
                elif has_room:
                    count += len(frame)
                    arrived.append((frame, None))
                self._heard += 1
        except zmq.Again:
            pass
        self._arrived_bytes += count

    def _claim(self, topic: _DataTopic, frame: bytes, has_room: bool) -> int:
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
            self._say("warning", f"a word of the machinery cannot be read: {damaged}")
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
            self._sender.control(BEAT_TOPIC, Kind.BEAT, encode(String(json.dumps(report))))

    def _report(self) -> dict[str, object]:
        """How far the log is. Read while the other thread writes, so the numbers may be of different moments."""
        log = self._writer
        return {
            "file": str(log.path),
            "events": log.event_count + log.pending_events,
            "bytes": log.size,
            "seconds": round((monotonic_ns() - self._began_ns) / 1e9, 1),
            "waiting_bytes": self._arrived_bytes - self._written_bytes,
            "missing": self._missing,
            "bookmarks": self._bookmarks,
            "free_bytes": _free_bytes(log.path),
            "full": self._log is None,
        }

    # Writing.

    def _write(self) -> None:
        arrived = self._arrived
        while not (self._ended.is_set() and not arrived):
            if not arrived:
                self._ended.wait(0.005)
            # No more at a time than what may wait until the clock is looked at.
            for _ in range(min(len(arrived), _BATCH)):
                frame, payload = arrived.popleft()
                self._take(frame, payload)
                self._written_bytes += len(frame) + (len(payload) if payload is not None else 0)
                payload = None  # or the last one would be held while there is nothing to do
            if self._log is not None:
                self._guarded(lambda log: log.tick(monotonic_ns()))
        if self._log is not None:
            self._guarded(LogWriter.close)

    def _guarded(self, action: Callable[[LogWriter], None]) -> None:
        """Do something with the log."""
        assert self._log is not None
        try:
            action(self._log)
        except LogError as failure:
            self._give_up(failure)

    def _give_up(self, failure: LogError) -> None:
        """A disk that is full or broken ends the recording and nothing else."""
        self._log = None
        self._say("error", str(failure))

    def _take(self, frame: bytes, payload: memoryview | None = None) -> None:
        # Almost all frames have data: they take a short way, which knows where everything stands.
        topic = self._data.get(frame[: frame.find(b"\0")])
        if topic is not None and topic.is_plain(frame):
            self._take_data(topic, frame, payload)
            return
        try:
            self._take_any(frame)
        except (FrameError, PayloadError, MessageError) as lost:
            self._say("warning", f"an event could not be recorded: {lost}")

    def _take_data(self, topic: _DataTopic, frame: bytes, payload: bytes | memoryview | None) -> None:
        if self._log is None:
            return
        at = topic.at
        sequence, sent_ns = _sequence_and_sent(frame, at + 8)
        if sequence != topic.last + 1:
            self._count(topic, sequence, sent_ns)
        topic.last = sequence
        now_ns = self._now_ns
        if now_ns is None or self._early:
            now_ns = self._at_least(sent_ns)
        elif sent_ns > now_ns:
            self._now_ns = now_ns = sent_ns
        payload_at = at + HEADER_BYTES
        if payload is None:  # not a shared one; a short copy costs less than a view
            payload = frame[payload_at:] if len(frame) < _COPIED_BYTES else memoryview(frame)[payload_at:]
        try:
            self._log.write_frame(topic.channel, frame[at:payload_at], payload, now_ns)
        except LogError as failure:
            self._give_up(failure)

    def _take_any(self, frame: bytes) -> None:
        topic, header, payload = split(frame)
        if header.kind == Kind.MARKER:
            self._take_marker(topic, Marker.parse(payload))
        elif topic == BOOKMARK_TOPIC:
            self._take_bookmark(frame, payload)
        elif not header.flags & AGAIN:
            self._record(frame, topic, header, payload)

    def _record(self, frame: bytes, topic: str, header: Header, payload: memoryview) -> None:
        content: bytes | memoryview = _NOTHING if header.kind == Kind.TIMER else payload
        channel = self._channels.get(topic)
        if self._log is None or channel is None:
            return
        # What the machinery says carries no time of its own: it gets that of the events around it.
        now_ns = self._at_least(header.sent_ns) if header.kind <= LAST_GATED else self._now_ns
        if now_ns is None:
            self._early.append(frame)
            return
        if header.kind in (Kind.REQUEST, Kind.REPLY):
            content = self._calls.recorded(topic, header, payload)
        elif header.kind == Kind.COMMAND:
            self._calls.note_command(topic, header, payload)
        start = (frame.find(b"\0") & ~7) + 8
        raw = frame[start : start + HEADER_BYTES]
        self._guarded(lambda log: log.write_frame(channel, raw, content, now_ns))

    def _at_least(self, time_ns: int) -> int:
        """It is `time_ns` now, or later: time in a log does not go back."""
        self._now_ns = time_ns if self._now_ns is None else max(self._now_ns, time_ns)
        early, self._early = self._early, []
        for frame in early:
            self._take(frame)
        return self._now_ns

    def _count(self, topic: _DataTopic, sequence: int, now_ns: int) -> None:
        """A hole in the sequence is a gap: dropped at the source, on the way, or here beyond the budget."""
        if topic.last and sequence > topic.last + 1:
            missing = sequence - topic.last - 1
            self._missing += missing
            self._note(GAPS_TOPIC, {"topic": topic.name, "after": topic.last, "missing": missing}, now_ns)

    def _take_marker(self, topic: str, marker: Marker) -> None:
        if marker.mark is Mark.SYNC:
            if topic != ALL_TOPIC:  # the broker wants to know how far this recorder is; a player asks hosts only
                ack = Ack(topic_hash(SYNC_TOPIC), marker.number)
                self._words.append(pack(ACK_TOPIC, Kind.ACK, self.plan.recorder_index, ack.payload()))
            return
        self._at_least(marker.clock.base_ns)
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
            self._note(MARKERS_TOPIC, text, marker.clock.base_ns)

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
            self._wanted.extend(self._add_topics(self.plan.recording))
        except LogError as failure:
            self._give_up(failure)
        self._following = number
        self._wanted.append(f"{HOST_PREFIX}{RECORDER}/{number}")
        self._welcomed = False

    def _take_bookmark(self, frame: bytes, payload: memoryview) -> None:
        """Whoever watches may set one, so they are numbered here."""
        if self._now_ns is None:
            self._early.append(frame)
            return
        bookmark = decode(Bookmark, payload)
        self._bookmarks += 1
        self._write_own(BOOKMARK_TOPIC, bytes(payload), self._now_ns, bookmark.stamp_ns)

    def _note(self, topic: str, text: dict[str, object], now_ns: int) -> None:
        self._write_own(topic, encode(String(json.dumps(text))), now_ns, now_ns)

    def _write_own(self, topic: str, payload: bytes, now_ns: int, stamp_ns: int) -> None:
        if self._log is None:
            return
        sequence = self._last[topic] = self._last.get(topic, 0) + 1
        channel, kind = self._channels[topic], int(Kind.LOG) if topic == BOOKMARK_TOPIC else 0
        self._guarded(
            lambda log: log.write(channel, payload, log_time_ns=now_ns, sequence=sequence, stamp_ns=stamp_ns, kind=kind)
        )

    def _sync(self) -> None:
        while not self._ended.wait(SYNC_EVERY_S):
            log = self._log
            if log is None:
                continue
            try:
                log.sync()
            except LogError as failure:
                self._say("error", str(failure))
                return

    def _say(self, level: str, text: str) -> None:
        line = json.dumps({"component": RECORDER, "level": level, "text": text})
        self._words.append(pack(LOG_TOPIC, Kind.LOG, 0, encode(String(line))))


class _DataTopic:
    """A recorded topic, and where the header stands in its frames."""

    __slots__ = ("at", "channel", "last", "name")

    def __init__(self, name: str, channel: int) -> None:
        self.name = name
        self.channel = channel
        self.at = len(topic_field(name))
        self.last = 0
        """The sequence of its last event; 0 before the first."""

    def is_plain(self, frame: bytes) -> bool:
        """Whether it is a whole frame with data that comes for the first time."""
        at = self.at
        return len(frame) >= at + HEADER_BYTES and frame[at : at + 2] == _PLAIN and not frame[at + 2] & AGAIN


def _free_bytes(path: Path) -> int | None:
    try:
        disk = os.statvfs(path.parent)
    except OSError:
        return None
    return disk.f_bavail * disk.f_frsize


_PLAIN = bytes((VERSION, Kind.DATA))
_SWEEP, _ECHO = subscription(SWEEP_TOPIC), subscription(_ECHO_TOPIC)
_BATCH = 1000
_COPIED_BYTES = 8192
_sequence_and_sent = struct.Struct("<Q8xq").unpack_from
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
