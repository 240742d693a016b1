"""Checkpoints of a system of processes: the broker's part; the hosts have the rest (docs/protocol.md, section 13)."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from studio.errors import StudioError
from studio.runtime.broker.exchange import ForwarderState
from studio.runtime.broker.forwarder import Forwarder
from studio.runtime.broker.gate import CannotGoBack
from studio.runtime.broker.held import Held
from studio.runtime.channel.payloads import copy_shared
from studio.runtime.wire.frames import HEADER, HOST_PREFIX, SHARED, Ack, Mark, split, topic_field

HELD_WORDS = "is stopped by a debugger, or does not respond"
"""For now: later there may be checkpoints again."""


class SystemCheckpoints:
    """Used by the forwarding thread, while the system is paused."""

    def __init__(self, forwarder: Forwarder, shared: Path | None) -> None:
        self.keepers: set[str] = set()
        """Hosts that can take checkpoints; they said so when they were ready."""
        self._forwarder = forwarder
        self._gate = forwarder.gate
        self._shared = shared
        self._kept: dict[int, ForwarderState] = {}
        self._started: dict[str, int] = {}
        """Host -> how often the gate heard of its start since it last was a part of the system."""

    def checkpoint(self) -> tuple[int, int]:
        """Everybody remembers everything; returns the number to restore it by, and about how many bytes it takes."""
        self._prepare()
        number, answers = self._forwarder.ask_hosts(Mark.CHECKPOINT)
        try:
            self._refuse_if_refused(answers)
            state = self._gate.checkpoint(number, self._inline)
        except StudioError:
            self._forwarder.mark(Mark.FORGET, number)
            raise
        self._kept[number] = self._forwarder.checkpoint()
        held = sum(len(held.frame) for held in (*state.effects, *state.inputs))
        return number, held + sum(int(answer.text) for answer in answers.values())

    def restore(self, number: int) -> None:
        self._prepare()
        if self._forwarder.plan.recording is not None:
            hint = "run without recording, or replay the log"
            raise CannotGoBack("cannot go back while the run is recorded: time in a log only goes forwards", hint=hint)
        self._gate.refuse_impossible(number)
        self._gate.restore(number)
        self._forwarder.restore(self._kept[number])
        _, answers = self._forwarder.ask_hosts(Mark.RESTORE, number)
        self._refuse_if_refused(answers)

    def exchange(self, host: str) -> None:
        """Have a host take the code that is on the disk now, without a new process; it catches up afterwards."""
        self._forwarder.pause()
        _, answers = self._forwarder.ask_hosts(Mark.EXCHANGE, 0, {host}, HOST_PREFIX + host)
        answer = answers.get(host)
        if answer is None or answer.refused:
            raise CannotGoBack(answer.text if answer is not None else f"{host} has ended")

    def catch_up(self, host: str, for_ms: int) -> dict[str, Any]:
        """Have a new process handle what the one before it has; what it tells of how far it is.

        Afterwards it has the same checkpoints, and that it was started is no hindrance for going back.
        """
        self._forwarder.pause()
        _, answers = self._forwarder.ask_hosts(Mark.CATCH_UP, for_ms, {host}, HOST_PREFIX + host)
        answer = answers.get(host)
        if answer is None:
            raise CannotGoBack(f"{host} has ended", hint="correct its code, and try again")
        if answer.refused:
            raise CannotGoBack(answer.text)
        told: dict[str, Any] = json.loads(answer.text)
        if told["ended"]:
            self.undo_start(host)
        return told

    def note_start(self, host: str) -> None:
        """A process was started, and knows nothing of what was."""
        self._started[host] = self._started.get(host, 0) + 1
        self._gate.note_unrepeatable(f"{host} was restarted since then")

    def undo_start(self, host: str) -> None:
        """It has caught up, or has ended before it began anew: nothing is left of that it was started."""
        self._gate.unrepeatable -= self._started.pop(host, 0)

    def leave_behind(self, host: str) -> None:
        """It begins anew, and does not catch up."""
        self._started.pop(host, None)

    def forget(self, number: int) -> None:
        self._gate.forget(number)
        for gone in self._kept.keys() - self._gate.checkpoints.keys():
            del self._kept[gone]
            self._forwarder.mark(Mark.FORGET, gone)

    def digest(self) -> dict[str, Any]:
        self._prepare()
        _, answers = self._forwarder.ask_hosts(Mark.DIGEST)
        self._refuse_if_refused(answers)
        told: dict[str, Any] = {}
        for answer in answers.values():
            told |= json.loads(answer.text)
        components = {name: told[name] for name in self._forwarder.plan.by_name}
        return {"components": components, "channel": self._gate.digest(self._content)}

    def _prepare(self) -> None:
        forwarder = self._forwarder
        forwarder.pause()
        hosts = forwarder.plan.hosts
        _refuse(hosts.keys() & forwarder.gone, "has ended", "restart it")
        _refuse(hosts.keys() & forwarder.excused, HELD_WORDS, "continue it")
        hint = "components that are programs can only be replayed forwards"
        _refuse(hosts.keys() - self.keepers, "cannot take checkpoints of itself", hint)

    def _refuse_if_refused(self, answers: Mapping[str, Ack]) -> None:
        _refuse(self._forwarder.plan.hosts.keys() - answers.keys(), "has ended", "restart it")
        for answer in answers.values():
            if answer.refused:
                raise StudioError(answer.text)

    def _inline(self, held: Held) -> Held:
        """A frame that can be delivered at any time: its shared memory will have been used for other payloads."""
        topic, header, payload = split(held.frame)
        if not header.flags & SHARED:
            return held
        content = copy_shared(self._shared, payload) if self._shared is not None else None
        if content is None:
            raise StudioError(f"the shared payload of {topic}:{held.sequence} is gone")
        plain = HEADER.pack(*header._replace(flags=header.flags & ~SHARED))
        return held._replace(frame=b"".join((topic_field(topic), plain, content)))

    def _content(self, held: Held) -> bytes:
        return bytes(split(self._inline(held).frame)[2])


def _refuse(hosts: Collection[str], why: str, hint: str) -> None:
    if hosts:
        raise CannotGoBack(f"no checkpoints: {', '.join(sorted(hosts))} {why}", hint=hint)
