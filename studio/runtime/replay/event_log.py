"""Writes the events of a replay: the same events give the same bytes, whoever ran them."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Self

from studio.messages import MessageTypes, String, encode
from studio.runtime.channel.frames import COMMAND_PREFIX, INPUT, TIMER_PREFIX, Event, Header, Kind, topic_hash
from studio.runtime.plan import Plan
from studio.runtime.recording import LogWriter
from studio.runtime.replay.circumstances import METADATA, circumstances
from studio.runtime.replay.errors import ReplayError

_NOTHING = encode(String(""))


class EventLog:
    """A log whose time is system time: chunks are cut by size alone, and `sent` is the stamp as lockstep has it."""

    def __init__(self, path: Path, plan: Plan, types: MessageTypes) -> None:
        self._log = LogWriter(path, types=types)
        self._log.add_metadata(METADATA, circumstances(plan))
        self._last: dict[str, int] = {}
        kinds = {topic: types.get(name) for topic, name in sorted(plan.types.items())}
        for component in plan.components:
            kinds[TIMER_PREFIX + component.name] = kinds[COMMAND_PREFIX + component.name] = String
        self._channels = {topic: self._log.add_topic(topic, kind) for topic, kind in kinds.items()}

    def take(self, event: Event) -> None:
        """An event of the twin."""
        if event.kind > Kind.COMMAND:
            return  # calls have no form of their own without sockets
        cause = (topic_hash(event.cause[0]), event.cause[1]) if event.cause else (0, 0)
        self._write(
            event.topic, event.kind, event.sequence, event.stamp_ns, _payload(event), cause, event.flags, event.origin
        )

    def take_frame(self, topic: str, header: Header, payload: bytes | memoryview) -> None:
        """An event of the channel."""
        if header.kind > Kind.COMMAND:
            return
        last = self._last.get(topic, 0)
        if not header.flags & INPUT and header.sequence > last + 1 > 1:  # gaps of inputs are the log's own
            raise ReplayError(f"events of {topic} were lost after number {last}", hint="try again, or --in-process")
        self._last[topic] = header.sequence
        content = _NOTHING if header.kind == Kind.TIMER else payload
        cause = (header.cause_topic, header.cause_sequence)
        self._write(topic, header.kind, header.sequence, header.stamp_ns, content, cause, header.flags, header.origin)

    def _write(
        self,
        topic: str,
        kind: int,
        sequence: int,
        stamp_ns: int,
        payload: bytes | memoryview,
        cause: tuple[int, int],
        flags: int,
        origin: int,
    ) -> None:
        channel = self._channels.get(topic)
        if channel is None:
            return
        self._log.write(
            channel, payload, log_time_ns=stamp_ns, sequence=sequence, stamp_ns=stamp_ns, sent_ns=stamp_ns,
            cause_topic=cause[0], cause_sequence=cause[1], kind=kind, flags=flags, origin=origin,
        )  # fmt: skip

    def close(self) -> None:
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
