"""Threads that publish: each has a sender of its own, and leaves it behind."""

from __future__ import annotations

import resource
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import zmq

from studio.runtime.broker.broker_sockets import BrokerSockets
from studio.runtime.channel.payloads import SHARED_FROM_BYTES, Leases
from studio.runtime.channel.sender import Sender
from studio.runtime.channel.senders import Senders
from studio.runtime.channel.slots import Hosts
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import Event, Kind, split


class Run:
    """The broker's end, and the senders of one host."""

    def __init__(self, run: Path, shared: Path) -> None:
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.into = self._context.socket(zmq.PULL)
        self.into.rcvtimeo = 10_000
        self.into.bind(addresses.into(run))
        self.senders = Senders(lambda number: Sender(self._context, run, shared, f"camera.{number}"))

    def publish(self, number: int) -> Sender:
        sender = self.senders.own()
        sender.event(Event("/camera/picture", number, 0), bytes(SHARED_FROM_BYTES), [0], 0, 0, gated=False)
        return sender

    def heard(self, count: int) -> list[int]:
        """The sequences of so many events; sweeps come between them."""
        sequences: list[int] = []
        while len(sequences) < count:
            _, header, _ = split(self.into.recv())
            if header.kind == Kind.DATA:
                sequences.append(header.sequence)
        return sequences

    def close(self) -> None:
        self.senders.close()
        self.into.close(linger=0)
        self._context.destroy(linger=0)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    Hosts(tmp_path)[0] = 7  # a receiver that never lets go
    run = Run(tmp_path, tmp_path)
    yield run
    run.close()


def test_threads_one_after_the_other_use_the_same_socket_and_memory(run: Run, tmp_path: Path) -> None:
    used: list[Sender] = []
    for number in range(20):
        thread = threading.Thread(target=lambda number=number: used.append(run.publish(number)))
        thread.start()
        thread.join()
    assert len(set(map(id, used))) == 1
    assert run.heard(20) == list(range(20)), "in order"
    assert {name.split("~")[0] for name in (path.name for path in tmp_path.iterdir()) if "~" in name} == {"camera.0"}


def test_threads_at_the_same_time_have_one_each(run: Run) -> None:
    met, used = threading.Barrier(3), list[Sender]()

    def publish() -> None:
        used.append(run.publish(1))
        met.wait(30)

    threads = [threading.Thread(target=publish) for _ in range(2)]
    for thread in threads:
        thread.start()
    met.wait(30)
    for thread in threads:
        thread.join()
    assert len(set(map(id, used))) == 2
    assert run.publish(2) in used, "one of those that are free"


@pytest.mark.parametrize("size", [100, SHARED_FROM_BYTES, 1_000_000])
def test_publishing_waits_for_nobody_who_does_not_read(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Neither for a receiver nor a viewer: what makes a publication late is the machine, that gives it no processor."""
    monkeypatch.setenv("STUDIO_BUDGET_MB", "16")
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    broker = BrokerSockets(context, tmp_path)
    proxy = threading.Thread(target=broker.proxy)
    proxy.start()
    deaf = [context.socket(zmq.SUB) for _ in range(2)]
    for socket, address in zip(deaf, (addresses.out_of(tmp_path), addresses.tap(tmp_path)), strict=True):
        socket.rcvhwm = 1
        socket.subscribe(b"/")
        socket.connect(address)
    _stopped = Leases(folder, 0)
    sender = Sender(context, tmp_path, folder, "camera")
    payload, count = bytes(size), 2000
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
    for number in range(count):
        sender.event(Event("/camera/picture", number, 0), payload, [0], 0, 0, gated=False)
    waited = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw - before
    sender.close()
    for socket in deaf:
        socket.close(linger=0)
    broker.wake()
    proxy.join()
    broker.close()
    context.destroy(linger=0)
    assert waited < count // 20, "for the lock of the thread that gets memory, now and then"
    assert sender.dropped == 0
