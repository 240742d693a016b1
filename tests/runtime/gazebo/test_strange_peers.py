"""Peers that send garbage: nothing crashes, nothing leaks, and good peers are served afterwards."""

from __future__ import annotations

import os
import random
import socket
import threading
import uuid
from collections.abc import Callable, Iterator

import psutil
import pytest
import zmq

from studio.runtime.gazebo.classic.client import ClassicClient, Connected
from studio.runtime.gazebo.classic.wire import frame, packet
from studio.runtime.gazebo.classic_messages import classic_messages
from studio.runtime.gazebo.gz_transport.access import endpoint
from studio.runtime.gazebo.gz_transport.multicast import Multicast, Network
from studio.runtime.gazebo.gz_transport.names import full_name
from studio.runtime.gazebo.gz_transport.node import Node
from studio.runtime.gazebo.gz_transport.packets import Offer, Packet, Told, write_packet
from studio.runtime.gazebo.gz_transport.place import Place
from studio.runtime.gazebo.gz_transport.services import MOST_CLIENTS, Reply
from tests.waiting import await_true

MOST = 10_000
PARTITION = f"strange-{uuid.uuid4().hex[:8]}"

Scaled = Callable[[int], int]


def mutated(good: bytes, generator: random.Random) -> bytes:
    """Changed, cut or longer."""
    made = bytearray(good)
    for _ in range(generator.randrange(1, 5)):
        match generator.randrange(4):
            case 0 if made:
                made[generator.randrange(len(made))] = generator.randrange(256)
            case 1 if made:
                del made[generator.randrange(len(made)) :]
            case 2:
                made[generator.randrange(len(made) + 1) : 0] = generator.randbytes(generator.randrange(20))
            case _:
                made += generator.randbytes(generator.randrange(9))
    return bytes(made)


@pytest.fixture
def network() -> Network:
    ports = []
    for _ in range(2):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.bind(("127.0.0.1", 0))
            ports.append(udp.getsockname()[1])
    return Network(topic_port=ports[0], service_port=ports[1])


@pytest.fixture
def node(network: Network) -> Iterator[Node]:
    with Node(Place(network, PARTITION)) as made:
        yield made


def held() -> tuple[int, int]:
    """Open files and threads of this process."""
    return len(os.listdir("/proc/self/fd")), threading.active_count()


def test_mutated_datagrams_of_discovery_harm_nothing(node: Node, network: Network, scaled: Scaled) -> None:
    generator = random.Random(24)
    offer = Offer(full_name(PARTITION, "/scan"), "tcp://127.0.0.1:9", "p", "n", type_name="gz.msgs.LaserScan")
    good = [write_packet(Packet(kind, "process", offer)) for kind in Told]
    good.append(write_packet(Packet(Told.SUBSCRIBE, "process", topic=offer.name)))
    node.subscribe("/scan", lambda sample: None)
    ports = [Multicast(network, port) for port in (network.topic_port, network.service_port)]
    before = held()
    try:
        for number in range(scaled(MOST)):
            body = mutated(generator.choice(good)[2:], generator)
            ports[number % 2].send(len(body).to_bytes(2, "little") + body if number % 5 else body)
            if number % 200 == 0:
                await_true(lambda: node.is_running, "the node")
        real = Offer(full_name(PARTITION, "/real"), "tcp://127.0.0.1:9", "real", "n", type_name="gz.msgs.Pose")

        def is_found() -> bool:
            ports[0].send(write_packet(Packet(Told.ADVERTISE, "real", real)))
            return any(each.name == "/real" for each in node.offers())

        await_true(is_found, "a good offer after all of them")
        for each in {"process", "real"}:
            ports[0].send(write_packet(Packet(Told.BYE, each)))
        await_true(lambda: held() == before, f"files and threads as before: {before}")
    finally:
        for each in ports:
            each.close()


def test_mutated_frames_of_topics_and_services_harm_nothing(node: Node, network: Network, scaled: Scaled) -> None:
    generator = random.Random(25)
    name = full_name(PARTITION, "/scan")
    came: list[bytes] = []
    node.subscribe("/scan", lambda sample: came.append(sample.payload))
    node.provide("/ask", "gz.msgs.StringMsg", "gz.msgs.StringMsg", lambda _: Reply(True, b"answer"))
    with zmq.Context() as context:
        publisher, asking = context.socket(zmq.PUB), context.socket(zmq.DEALER)
        publisher.sndhwm = asking.sndhwm = 0
        publisher.bind("tcp://127.0.0.1:*")
        asking.connect(node._engine.service_address)
        where = endpoint(publisher)
        offer = Offer(name, where, "peer", "n", type_name="gz.msgs.LaserScan")
        udp = Multicast(network, network.topic_port)
        try:

            def is_heard() -> bool:
                udp.send(write_packet(Packet(Told.ADVERTISE, "peer", offer)))
                publisher.send_multipart([name.encode(), where.encode(), b"first", b"gz.msgs.LaserScan"])
                return b"first" in came

            await_true(is_heard, "the first message")
            before = held()
            frames = [name.encode(), where.encode(), b"payload", b"gz.msgs.LaserScan"]
            request = [b"id", b"/ask", b"tcp://127.0.0.1:9", b"r", b"n", b"u", b"x", b"gz.msgs.StringMsg", b"y"]
            for _ in range(scaled(MOST)):
                chosen = [mutated(each, generator) if generator.random() < 0.4 else each for each in frames]
                publisher.send_multipart(
                    [name.encode() + chosen[0][len(name) :], *chosen[1 : generator.randrange(1, 6)]]
                )
                strange = [mutated(each, generator) if generator.random() < 0.4 else each for each in request]
                asking.send_multipart(strange[generator.randrange(3) :], zmq.DONTWAIT)
            publisher.send_multipart([name.encode(), where.encode(), b"last", b"gz.msgs.LaserScan"])

            def is_last() -> bool:
                publisher.send_multipart([name.encode(), where.encode(), b"last", b"gz.msgs.LaserScan"])
                return b"last" in came

            await_true(is_last, "a good message after all of them")
            with Node(Place(network, PARTITION)) as other:
                reply = other.request("/ask", b"", "gz.msgs.StringMsg", "gz.msgs.StringMsg", timeout_s=30)
            assert reply == b"answer"
            files, threads = held()
            assert threads == before[1]
            assert files <= before[0] + MOST_CLIENTS, "answers go to so many addresses at most"
        finally:
            udp.close()
            for each in (publisher, asking):
                each.close(linger=0)


def greeting() -> list[bytes]:
    new = classic_messages().new
    publisher = new("Publish", topic="/gazebo/default/x", msg_type="gazebo.msgs.Pose", host="127.0.0.1", port=9)
    return [
        packet("version_init", new("GzString", data="gazebo 11.1")),
        packet("topic_namepaces_init", new("GzString_V", data=["default"])),
        packet("publishers_init", new("Publishers")),
        packet("publisher_add", publisher),
    ]


def test_mutated_frames_of_a_classic_server_harm_nothing(scaled: Scaled) -> None:
    """In good frames, so that the connection lasts and each is read; then the stream itself is broken."""
    generator = random.Random(26)
    good = greeting()
    with socket.create_server(("127.0.0.1", 0)) as server, ClassicClient(port=server.getsockname()[1]) as client:
        server.settimeout(30)
        master, _ = server.accept()
        files = len(os.listdir("/proc/self/fd"))
        for part in good:
            master.sendall(part)
        await_true(lambda: isinstance(client.state, Connected), "the client")
        sent = 0
        while sent < scaled(MOST):
            try:
                for _ in range(50):
                    body = mutated(generator.choice(good)[8:], generator)
                    master.sendall(frame(body) if generator.random() < 0.98 else body)
                    sent += 1
            except OSError:  # it has let go, as what came is nothing of Gazebo
                master.close()
                master, _ = server.accept()
        master.close()
        while True:
            master, _ = server.accept()
            try:
                for part in good:
                    master.sendall(part)
            except OSError:
                master.close()
                continue
            break
        await_true(lambda: client.state == Connected(("default",)), "a good greeting")
        await_true(lambda: len(os.listdir("/proc/self/fd")) <= files + 1, "the files as before")
        master.close()


def test_only_loopback_listens(node: Node) -> None:
    """UDP needs every address to hear multicast; each TCP socket is on loopback."""
    own = psutil.Process()
    listening = [each for each in own.net_connections("tcp") if each.status == psutil.CONN_LISTEN]
    assert listening
    assert {each.laddr.ip for each in listening} == {"127.0.0.1"}
