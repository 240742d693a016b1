"""What a player has sent: counted as the socket took it, and given back in the order in which it was sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import zmq

from studio.runtime.playing.playback_block import Next, PlaybackBlock
from studio.runtime.playing.playback_sender import PlaybackSender
from studio.runtime.recording import LoggedEvent
from studio.runtime.wire.frames import INPUT, Kind, Origin, split


class Narrow:
    """A socket that takes a few frames, as one does whose broker is away."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.taken: list[bytes] = []

    def send(self, frame: bytes, _: int) -> None:
        if len(self.taken) == self.room:
            raise zmq.Again
        self.taken.append(frame)


@pytest.fixture
def sender(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    made = PlaybackSender(context, tmp_path, "player", {"/log/a": "/rig/a", "/log/b": "/rig/b"})
    with monkeypatch.context() as patched:
        narrow = Narrow(1000)
        patched.setattr(made, "_socket", narrow)
        patched.setattr(made, "_put", narrow.send)
        yield made
    context.destroy(linger=0)


def events(count: int) -> list[Next]:
    return [
        Next(LoggedEvent("/log/a" if at % 3 else "/log/b", 7, 1000 + at, 2000, memoryview(bytes([at]))), at, 1000 + at)
        for at in range(count)
    ]


def sent(sender: Any) -> list[tuple[str, int, int, bytes]]:
    found = [split(frame) for frame in sender._socket.taken]
    return [(topic, header.sequence, header.stamp_ns, bytes(payload)) for topic, header, payload in found]


def test_a_frame_says_what_it_is(sender: Any) -> None:
    assert sender.send(PlaybackBlock.of(events(2)), 5, 3, 100) == (2, 2, sum(map(len, sender._socket.taken)))
    sender.send(PlaybackBlock.of(events(3)[2:]), 6, 4)
    _, header, _ = split(sender._socket.taken[1])
    assert (header.kind, header.flags, header.origin) == (Kind.DATA, INPUT, Origin.LOGGED)
    assert (header.epoch, header.stamp_ns, header.sent_ns, header.target) == (3, 1101, 5, 0xFFFF)
    assert split(sender._socket.taken[2])[1].epoch == 4


def test_what_the_socket_does_not_take_is_not_counted(sender: Any) -> None:
    sender._socket.room = 4
    block = events(9)
    assert sender.send(PlaybackBlock.of(block), 0, 0)[:2] == (4, 4)
    assert sender.counts == {"/rig/b": 2, "/rig/a": 2}
    sender._socket.room = 1000
    assert sender.send(PlaybackBlock.of(block[4:]), 0, 0).done == 5
    whole = sent(sender)
    assert [payload for *_, payload in whole] == [bytes([at]) for at in range(9)]
    assert [sequence for topic, sequence, *_ in whole if topic == "/rig/a"] == [1, 2, 3, 4, 5, 6]


def test_what_the_gate_gives_back_is_sent_again_with_the_same_numbers(sender: Any) -> None:
    block = events(9)
    sender.send(PlaybackBlock.of(block), 0, 0)
    assert sender.forget_but(6) == block[2]
    assert sender.take_back(4) == block[5:]
    sender.send(PlaybackBlock.of(block[5:]), 0, 0)
    whole = sent(sender)
    assert whole[9:] == whole[5:9]
    assert sender.take_back(100) == block[3:]


def test_events_of_unusual_topics_are_handed_over_and_not_sent(sender: Any) -> None:
    block = events(9)
    handed: list[LoggedEvent] = []
    assert sender.send(PlaybackBlock.of(block), 0, 0, 0, handed.append, frozenset({"/log/b"}))[:2] == (9, 6)
    assert handed == [block[at].event for at in (0, 3, 6)]
    assert [payload[0] for *_, payload in sent(sender)] == [1, 2, 4, 5, 7, 8]
    assert sender.take_back(3) == [block[at] for at in (5, 7, 8)]


def test_an_unusual_event_behind_what_the_socket_did_not_take_is_handed_over_later(sender: Any) -> None:
    sender._socket.room = 3
    handed: list[int] = []
    sending = PlaybackBlock.of(events(9))
    done = sender.send(sending, 0, 0, 0, lambda event: handed.append(event.payload[0]), frozenset({"/log/b"})).done
    assert (done, handed) == (5, [0, 3])
    sender._socket.room = 1000
    rest = sending.part(done, 9)
    sender.send(rest, 0, 0, 0, lambda event: handed.append(event.payload[0]), frozenset({"/log/b"}))
    assert handed == [0, 3, 6]
    assert [payload[0] for *_, payload in sent(sender)] == [1, 2, 4, 5, 7, 8]


def test_what_has_passed_the_broker_is_forgotten_in_any_portions(sender: Any) -> None:
    block = events(12)
    for begin in (0, 5, 6):
        sender.send(PlaybackBlock.of(block[begin : {0: 5, 5: 6, 6: 12}[begin]]), 0, 0)
    sender.forget_first(3)
    sender.forget_first(2)  # an answer that is late
    sender.forget_first(7)
    assert sender.take_back(100) == block[7:]
    assert sender.counts == {"/rig/a": 4, "/rig/b": 3}
