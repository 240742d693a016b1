"""Writes the events of a replay: the same events give the same bytes, whoever ran them."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from types import TracebackType
from typing import Self

from studio.messages import Message, MessageTypes, ServiceCall, String, encode
from studio.runtime.base.errors import ReplayError
from studio.runtime.base.log_compression import Compression
from studio.runtime.channel.call_frames import call_topics, hand_topics
from studio.runtime.channel.call_record import CallBook
from studio.runtime.plan.plan import EVERYBODY, Plan
from studio.runtime.recording import LogWriter
from studio.runtime.recording.facts.run_facts import store_run
from studio.runtime.wire.frames import (
    COMMAND_PREFIX,
    HEADER,
    INPUT,
    LAST_GATED,
    TIMER_PREFIX,
    TO_ALL,
    VERSION,
    Event,
    Header,
    Kind,
    topic_hash,
)

_NOTHING = encode(String(""))


class EventLog:
    """A log whose time is system time: chunks are cut by size alone, and `sent` is the stamp as lockstep has it."""

    def __init__(
        self,
        path: Path,
        plan: Plan,
        types: MessageTypes,
        topics: Collection[str] | None = None,
        compression: Compression = "none",
    ) -> None:
        """`topics`: of the data, all by default; what the machinery says is always in it."""
        self.path = path
        self._log = LogWriter(path, types=types, compression=compression)
        store_run(self._log, plan)
        self._write = self._log.write_frame
        self._last: dict[str, int] = {}
        self._calls = CallBook()
        self._held: list[tuple[int, int, bytes, bytes, int]] = []
        """Calls made while the last event was handled: place of the first caller, channel, header, payload, stamp."""
        self._places = {component.name: component.place for component in plan.components}
        chosen = {topic: name for topic, name in plan.types.items() if topics is None or topic in topics}
        kinds: dict[str, type[Message]] = {topic: types.get(name) for topic, name in sorted(chosen.items())}
        for component in plan.components:
            kinds[TIMER_PREFIX + component.name] = kinds[COMMAND_PREFIX + component.name] = String
        kinds |= dict.fromkeys((*call_topics(plan), *hand_topics(plan)), ServiceCall)
        if plan.geometry is not None:
            kinds[COMMAND_PREFIX + EVERYBODY] = String
        self._channels = {topic: self._log.add_topic(topic, kind) for topic, kind in kinds.items()}

    def take(self, event: Event) -> None:
        """An event of the twin."""
        topic, kind, stamp_ns, cause = event.topic, event.kind, event.stamp_ns, event.cause
        channel = self._channels.get(topic)
        if channel is None:
            return
        cause_topic, cause_sequence = (topic_hash(cause[0]), cause[1]) if cause else (0, 0)
        header = HEADER.pack(
            VERSION, kind, event.flags, event.origin, 0, event.sequence, stamp_ns, stamp_ns, cause_topic,
            cause_sequence, TO_ALL, 0, 0,
        )  # fmt: skip
        self._write(channel, header, _payload(event), stamp_ns)

    def take_frame(self, topic: str, header: Header, payload: memoryview) -> None:
        """An event of the channel."""
        is_call = header.kind > LAST_GATED
        if not is_call:
            self._release()
        channel = self._channels.get(topic)
        if channel is None:
            return
        last = self._last.get(topic, 0)
        if not header.flags & INPUT and header.sequence > last + 1 > 1:  # gaps of inputs are the log's own
            raise ReplayError(
                f"events of {topic} were lost after number {last}", hint="did the broker die? replay it again"
            )
        self._last[topic] = header.sequence
        raw = HEADER.pack(*header._replace(sent_ns=header.stamp_ns, epoch=0, target=TO_ALL))
        if is_call:
            content = self._calls.recorded(topic, header, payload)
            place = self._places.get(self._calls.first_caller, 0)
            self._held.append((place, channel, raw, content, header.stamp_ns))
        else:
            if header.kind == Kind.COMMAND:
                self._calls.note_command(topic, header, payload)
            self._write(channel, raw, _NOTHING if header.kind == Kind.TIMER else payload, header.stamp_ns)

    def _release(self) -> None:
        """Hosts that handle an event at the same time make their calls in any order; the log has that of the places."""
        if self._held:
            self._held.sort(key=lambda held: held[0])
            for _, channel, header, payload, stamp_ns in self._held:
                self._write(channel, header, payload, stamp_ns)
            self._held.clear()

    def close(self) -> None:
        self._release()
        self._log.close(sync=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _payload(event: Event) -> bytes | memoryview:
    if event.kind == Kind.TIMER:
        return _NOTHING
    if event.payload is not None:
        return event.payload
    if event.kind == Kind.COMMAND:
        return encode(String(json.dumps(event.message)))
    return encode(event.message)
