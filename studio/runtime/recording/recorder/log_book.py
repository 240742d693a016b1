"""What a recorder writes: takes the frames of a channel in their order, and makes a log of them.

All of it is done by one thread, the writing one; others may look at its numbers.
"""

from __future__ import annotations

import json
import struct
import traceback
from collections.abc import Callable

from studio.messages import Bookmark, HandledTrace, MessageError, MessageTypes, ServiceCall, String, decode, encode
from studio.runtime.base.clock import FARTHEST_NS
from studio.runtime.base.refusals import Refusals
from studio.runtime.channel.call_frames import call_topics, hand_topics
from studio.runtime.channel.call_record import CallBook
from studio.runtime.channel.naming import sender_of
from studio.runtime.channel.payloads import PayloadError
from studio.runtime.plan.plan import EVERYBODY, Plan, RecordingPlan
from studio.runtime.recording.facts.run_facts import store_run
from studio.runtime.recording.format.bookmarks import BOOKMARK_TOPIC
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.writing.log_writer import LogWriter
from studio.runtime.wire.frames import (
    AGAIN,
    COMMAND_PREFIX,
    HANDLED_TOPIC,
    HEADER_BYTES,
    LAST_GATED,
    LOG_TOPIC,
    TIMER_PREFIX,
    VERSION,
    FrameError,
    Header,
    Kind,
    Marker,
    split,
    topic_field,
)

MARKERS_TOPIC = "/_studio/markers"
GAPS_TOPIC = "/_studio/gaps"


class LogBook:
    """A log that is being written; when the disk is full or broken it takes no more, and says so once."""

    def __init__(self, plan: Plan, recording: RecordingPlan, say: Callable[[str, str], None]) -> None:
        """`say`: tell people something, with its level."""
        self._say = say
        self._plan = plan
        self.refusals = Refusals(self._tell_refusal)
        """Frames that could not be recorded, by who has sent them."""
        self._last: dict[str, int] = {}
        self.missing = 0
        """Events that should have come and did not."""
        self.bookmarks = 0
        self._calls = CallBook()
        self._now_ns: int | None = None
        """System time, as far as events and markers have told it."""
        self._early: list[bytes] = []
        """What came before the first of them."""
        self.writer = LogWriter(recording.file, compression=recording.compression, types=_types(plan))  # type: ignore[arg-type]
        self._log: LogWriter | None = self.writer
        """The same, as long as it can be written to."""
        self.on_marker: Callable[[str, Marker], None] = lambda topic, marker: None
        """Called in the order of the stream, for whoever takes part in the run."""
        self.channels: dict[str, int] = {}
        """All topics that are recorded, with their numbers in the log."""
        self.data: dict[bytes, DataTopic] = {}
        """Those with data, by their name in a frame."""
        self.add_topics(plan, recording)
        store_run(self.writer, plan)

    def add_topics(self, plan: Plan, recording: RecordingPlan) -> list[str]:
        """What is to be recorded and is not yet; returns these topics."""
        self._plan = plan
        types, known = _types(plan), self.channels.keys()
        data = [topic for topic in recording.topics if topic not in known]
        kinds = {topic: types.get(plan.types[topic]) for topic in data}
        for component in plan.components:
            kinds[TIMER_PREFIX + component.name] = kinds[COMMAND_PREFIX + component.name] = String
        kinds |= dict.fromkeys((*call_topics(plan), *hand_topics(plan)), ServiceCall)
        kinds |= {HANDLED_TOPIC: HandledTrace, LOG_TOPIC: String, MARKERS_TOPIC: String, GAPS_TOPIC: String}
        kinds[BOOKMARK_TOPIC] = Bookmark
        if plan.geometry is not None:
            kinds[COMMAND_PREFIX + EVERYBODY] = String
        new = [topic for topic in kinds if topic not in known]
        self.channels |= {topic: self.writer.add_topic(topic, kinds[topic]) for topic in new}
        self.data |= {topic.encode(): DataTopic(topic, self.channels[topic]) for topic in data}
        return new

    @property
    def is_full(self) -> bool:
        """Whether it takes no more."""
        return self._log is None

    def tick(self, now_ns: int) -> None:
        """Bring to the disk what has waited long enough."""
        if self._log is not None:
            self._guarded(lambda log: log.tick(now_ns))

    def flush(self) -> None:
        """What was taken so far survives the death of this process."""
        if self._log is not None:
            self._guarded(LogWriter.flush)

    def sync(self) -> bool:
        """See to it that what was written survives a loss of power. Of another thread; False if that cannot be."""
        log = self._log
        if log is None:
            return True
        try:
            log.sync()
        except LogError as failure:
            self._say("error", str(failure))
            return False
        return True

    def close(self) -> None:
        if self._log is not None:
            self._guarded(LogWriter.close)

    def _guarded(self, action: Callable[[LogWriter], None]) -> None:
        """Do something with the log."""
        assert self._log is not None
        try:
            action(self._log)
        except LogError as failure:
            self.give_up(failure)

    def give_up(self, failure: LogError) -> None:
        """A disk that is full or broken ends the recording and nothing else."""
        self._log = None
        self._say("error", str(failure))

    def take(self, frame: bytes, payload: memoryview | None = None) -> None:
        # Almost all frames have data: they take a short way, which knows where everything stands.
        topic = self.data.get(frame[: frame.find(b"\0")])
        if topic is not None and topic.is_plain(frame):
            self._take_data(topic, frame, payload)
            return
        try:
            self._take_any(frame)
        except PayloadError as lost:
            self._say("warning", f"an event could not be recorded: {lost}")
        except (FrameError, MessageError) as malformed:
            self.refuse(frame, malformed)
        except Exception as failure:  # no frame may end a recording
            traceback.print_exc()
            self.refuse(frame, repr(failure))

    def refuse(self, frame: bytes, why: object) -> None:
        self.refusals.add(sender_of(frame, self._plan), why)

    def _tell_refusal(self, _sender: str, why: str, count: int) -> None:
        many = "an event" if count == 1 else f"{count} events of one sender"
        self._say("warning", f"{many} could not be recorded: {why}")

    def _take_data(self, topic: DataTopic, frame: bytes, payload: bytes | memoryview | None) -> None:
        if self._log is None:
            return
        at = topic.at
        epoch, sequence, sent_ns = _epoch_sequence_and_sent(frame, at + 4)
        if not 0 <= sent_ns <= FARTHEST_NS:  # time in a log does not go back: all that follows would lie there too
            self.refuse(frame, f"it was sent at {sent_ns} ns")
            return
        if sequence != topic.last + 1 and epoch == topic.epoch:
            self._count(topic, sequence, sent_ns)
        topic.last, topic.epoch = sequence, epoch
        now_ns = self._now_ns
        if now_ns is None or self._early:
            now_ns = self.at_least(sent_ns)
        elif sent_ns > now_ns:
            self._now_ns = now_ns = sent_ns
        payload_at = at + HEADER_BYTES
        if payload is None:  # not a shared one; a short copy costs less than a view
            payload = frame[payload_at:] if len(frame) < _COPIED_BYTES else memoryview(frame)[payload_at:]
        try:
            self._log.write_frame(topic.channel, frame[at:payload_at], payload, now_ns)
        except LogError as failure:
            self.give_up(failure)

    def _take_any(self, frame: bytes) -> None:
        topic, header, payload = split(frame)
        if not 0 <= header.sent_ns <= FARTHEST_NS:
            raise FrameError(f"it was sent at {header.sent_ns} ns")
        if header.kind == Kind.MARKER:
            self.on_marker(topic, Marker.parse(payload))
        elif topic == BOOKMARK_TOPIC:
            self._take_bookmark(frame, payload)
        elif not header.flags & AGAIN:
            self._record(frame, topic, header, payload)

    def _record(self, frame: bytes, topic: str, header: Header, payload: memoryview) -> None:
        content: bytes | memoryview = _NOTHING if header.kind == Kind.TIMER else payload
        channel = self.channels.get(topic)
        if self._log is None or channel is None:
            return
        # What the machinery says carries no time of its own: it gets that of the events around it.
        now_ns = self.at_least(header.sent_ns) if header.kind <= LAST_GATED else self._now_ns
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

    def at_least(self, time_ns: int) -> int:
        """It is `time_ns` now, or later: time in a log does not go back."""
        self._now_ns = time_ns if self._now_ns is None else max(self._now_ns, time_ns)
        early, self._early = self._early, []
        for frame in early:
            self.take(frame)
        return self._now_ns

    def _count(self, topic: DataTopic, sequence: int, now_ns: int) -> None:
        """A hole in the sequence is a gap: dropped at the source, on the way, or here beyond the budget. (In the next
        epoch somebody else may send, who counts from elsewhere.)"""
        if topic.last and sequence > topic.last + 1:
            missing = sequence - topic.last - 1
            self.missing += missing
            self.note(GAPS_TOPIC, {"topic": topic.name, "after": topic.last, "missing": missing}, now_ns)

    def _take_bookmark(self, frame: bytes, payload: memoryview) -> None:
        """Whoever watches may set one, so they are numbered here."""
        if self._now_ns is None:
            self._early.append(frame)
            return
        bookmark = decode(Bookmark, payload)
        self.bookmarks += 1
        self._write_own(BOOKMARK_TOPIC, bytes(payload), self._now_ns, bookmark.stamp_ns)

    def note(self, topic: str, text: dict[str, object], now_ns: int) -> None:
        """Something of the recorder's own."""
        self._write_own(topic, encode(String(json.dumps(text))), now_ns, now_ns)

    def _write_own(self, topic: str, payload: bytes, now_ns: int, stamp_ns: int) -> None:
        if self._log is None:
            return
        sequence = self._last[topic] = self._last.get(topic, 0) + 1
        channel, kind = self.channels[topic], int(Kind.LOG) if topic == BOOKMARK_TOPIC else 0
        self._guarded(
            lambda log: log.write(channel, payload, log_time_ns=now_ns, sequence=sequence, stamp_ns=stamp_ns, kind=kind)
        )


class DataTopic:
    """A recorded topic, and where the header stands in its frames."""

    __slots__ = ("at", "channel", "epoch", "last", "name")

    def __init__(self, name: str, channel: int) -> None:
        self.name = name
        self.channel = channel
        self.at = len(topic_field(name))
        self.last = 0
        """The sequence of its last event; 0 before the first."""
        self.epoch = 0

    def is_plain(self, frame: bytes) -> bool:
        """Whether it is a whole frame with data that comes for the first time."""
        at = self.at
        return len(frame) >= at + HEADER_BYTES and frame[at : at + 2] == _PLAIN and not frame[at + 2] & AGAIN


_PLAIN = bytes((VERSION, Kind.DATA))
_COPIED_BYTES = 8192
_epoch_sequence_and_sent = struct.Struct("<IQ8xq").unpack_from
_NOTHING = encode(String(""))


def _types(plan: Plan) -> MessageTypes:
    types = MessageTypes.builtin()
    return types.with_folder(plan.project) if plan.project else types
