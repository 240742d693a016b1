"""The client of Gazebo classic against misbehaving servers."""

from __future__ import annotations

import contextlib
import random
import socket
import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue

import pytest

from studio.runtime.gazebo.classic.client import ClassicClient, Connected, Lost, State
from studio.runtime.gazebo.classic.wire import BadFrame, FrameReader, frame, packet
from studio.runtime.gazebo.classic_messages import classic_messages

PATIENCE_S = 20.0
new = classic_messages().new


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE_S)
        yield server


@pytest.fixture
def connect(listener: socket.socket) -> Iterator[Callable[[Callable[[State], None]], ClassicClient]]:
    clients: list[ClassicClient] = []

    def connected(changed: Callable[[State], None]) -> ClassicClient:
        clients.append(ClassicClient("127.0.0.1", listener.getsockname()[1], changed))
        return clients[-1]

    yield connected
    for client in clients:
        client.close()


def greet(listener: socket.socket) -> socket.socket:
    """As a server does whose world is called `default`."""
    tcp, _ = listener.accept()
    tcp.sendall(packet("version_init", new("GzString", data="gazebo 11.1")))
    tcp.sendall(packet("topic_namepaces_init", new("GzString_V", data=["default"])))
    return tcp


def test_frames_are_cut_wherever_the_stream_is_cut() -> None:
    bodies = [b"", b"one", b"x" * 5000]
    stream = b"".join(map(frame, bodies))
    for step in (1, 3, 7, 4096, len(stream)):
        reader, read = FrameReader(), []
        for start in range(0, len(stream), step):
            read += reader.feed(stream[start : start + step])
        assert read == bodies


@pytest.mark.parametrize("digits", [b"-0000001", b"0x000001", b"ffffffff", b"GET / HT", b"\0" * 8, b"    0001"])
def test_a_stream_of_something_else_is_refused(digits: bytes) -> None:
    with pytest.raises(BadFrame, match="is not the length of a message"):
        list(FrameReader().feed(digits))


def test_a_server_that_is_not_gazebo_is_left_and_tried_again(listener: socket.socket, connect: Callable) -> None:
    states: SimpleQueue[State] = SimpleQueue()
    connect(states.put)
    stranger, _ = listener.accept()
    stranger.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    lost = states.get(timeout=PATIENCE_S)
    assert isinstance(lost, Lost)
    assert "is not the length of a message of Gazebo classic" in lost.reason
    with greet(listener):
        assert states.get(timeout=PATIENCE_S) == Connected(("default",))
    stranger.close()


def test_mutated_messages_of_the_master_end_nothing(
    listener: socket.socket, connect: Callable, scaled: Callable
) -> None:
    """Whatever a master sends, the client is connected again by the next good one."""
    random.seed(3)
    states: SimpleQueue[State] = SimpleQueue()
    connect(states.put)
    good = packet("publisher_add", new("Publish", topic="/t", msg_type="x", host="127.0.0.1", port=1))
    for _ in range(scaled(1000)):
        with (
            greet(listener) as tcp,
            contextlib.suppress(ConnectionError),
        ):  # the client leaves a master that talks nonsense
            for _ in range(20):
                body = bytearray(good[8:])
                for _ in range(random.randrange(1, 6)):
                    body[random.randrange(len(body))] = random.randrange(256)
                tcp.sendall(frame(bytes(body)))
    with greet(listener):
        while states.get(timeout=PATIENCE_S) != Connected(("default",)):
            pass


def test_a_publisher_of_another_type_is_named(listener: socket.socket, connect: Callable) -> None:
    client = connect(lambda state: None)
    told = threading.Event()
    client.subscribe("~/scan", "gazebo.msgs.LaserScanStamped", lambda body: told.set())
    with greet(listener) as tcp:
        publish = new("Publish", topic="/gazebo/default/scan", msg_type="gazebo.msgs.Pose", host="127.0.0.1", port=1)
        tcp.sendall(packet("publisher_add", publish))
        while not client.refusals.count:
            assert not told.wait(0.01)
    refused = client.refusals.plain()["publisher of /gazebo/default/scan"]
    assert "carries gazebo.msgs.Pose, not gazebo.msgs.LaserScanStamped" in refused["last"]


def test_a_client_survives_a_server_that_ends_while_another_connects(
    listener: socket.socket, connect: Callable[[Callable[[State], None]], ClassicClient]
) -> None:
    """All of it comes in one turn of its loop: what the first event closes is still in the list of events."""
    states: SimpleQueue[State] = SimpleQueue()
    client = connect(states.put)
    client.advertise("~/x", "gazebo.msgs.Pose")
    master = greet(listener)
    assert isinstance(states.get(timeout=PATIENCE_S), Connected)
    stands, go_on = threading.Event(), threading.Event()
    client._loop.do(lambda: (stands.set(), go_on.wait(PATIENCE_S)))
    assert stands.wait(PATIENCE_S)
    assert client._loop._listener is not None
    receivers = client._loop._listener.getsockname()
    master.close()
    with socket.create_connection(receivers):
        go_on.set()
        assert isinstance(states.get(timeout=PATIENCE_S), Lost)
        with greet(listener):
            assert isinstance(states.get(timeout=PATIENCE_S), Connected)
