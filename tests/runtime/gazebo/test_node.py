"""Two participants of gz-transport in one test, over real sockets on loopback."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue

import pytest

from studio.runtime.gazebo.gz_transport.access import Access
from studio.runtime.gazebo.gz_transport.multicast import Multicast, Network, NoDiscovery
from studio.runtime.gazebo.gz_transport.names import BadName, full_name, split_name
from studio.runtime.gazebo.gz_transport.node import NoAnswer, Node
from studio.runtime.gazebo.gz_transport.place import Place
from studio.runtime.gazebo.gz_transport.services import Reply
from studio.runtime.gazebo.gz_transport.subscriptions import Sample

TEXT = "gz.msgs.StringMsg"
PATIENCE_S = 20.0


@pytest.fixture(scope="module")
def network() -> Network:
    """Ports of its own: other tests and real servers use the usual ones."""
    ports = []
    for _ in range(2):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            ports.append(free.getsockname()[1])
    return Network(topic_port=ports[0], service_port=ports[1])


@pytest.fixture
def join(network: Network) -> Iterator[Callable[..., Node]]:
    nodes: list[Node] = []

    def joined(partition: str = "here", access: Access | None = None) -> Node:
        nodes.append(Node(Place(network, partition, access or Access())))
        return nodes[-1]

    yield joined
    for node in nodes:
        node.close()
        assert not node.is_running


def test_discovery_hears_nothing_but_its_group(network: Network) -> None:
    """It listened at all addresses of the machine, so whoever reached one of those was heard."""
    ear = Multicast(network, network.topic_port)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        try:
            stranger.sendto(b"to an address", ("127.0.0.1", network.topic_port))
            ear.send(b"to the group")
            assert select.select([ear.fileno()], [], [], PATIENCE_S)[0]
            assert ear.receive() == (b"to the group", "127.0.0.1")
            assert ear.receive() is None
        finally:
            ear.close()


def wait(condition: Callable[[], object], what: str) -> None:
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.01)


def heard(node: Node, topic: str) -> SimpleQueue[Sample]:
    samples: SimpleQueue[Sample] = SimpleQueue()
    node.subscribe(topic, samples.put)
    return samples


def first(publish: Callable[[bytes], None], samples: SimpleQueue[Sample]) -> Sample:
    """Publishes until the subscription is connected."""

    def came() -> bool:
        publish(b"\x12\x01x")
        return not samples.empty()

    wait(came, "a message")
    return samples.get()


def test_messages_come_in_order_and_without_loss(join: Callable[..., Node]) -> None:
    sender, receiver = join(), join()
    samples = heard(receiver, "/count")
    publish = sender.advertise("/count", TEXT)
    assert first(publish, samples) == Sample("/count", b"\x12\x01x", TEXT)
    for number in range(500):
        publish(b"number %d" % number)
    numbered: list[bytes] = []
    while len(numbered) < 500:
        sample = samples.get(timeout=PATIENCE_S)
        numbered += [sample.payload] if sample.payload.startswith(b"number") else []
    assert numbered == [b"number %d" % number for number in range(500)]


def test_partitions_are_kept_apart(join: Callable[..., Node]) -> None:
    sender, same, other = join("here"), join("here"), join("there")
    here, there = heard(same, "/scan"), heard(other, "/scan")
    first(sender.advertise("/scan", TEXT), here)
    wait(lambda: "here" in other.partitions(), "the other partition is seen")
    assert there.empty()
    assert other.offers() == []
    assert [offer.name for offer in same.offers()] == ["/scan"]


def test_a_topic_is_not_taken_for_another_with_a_longer_name(join: Callable[..., Node]) -> None:
    sender, receiver = join(), join()
    short, long = heard(receiver, "/scan"), heard(receiver, "/scan/points")
    first(sender.advertise("/scan/points", TEXT), long)
    assert short.empty()


def test_a_publisher_that_comes_back_is_heard_again(join: Callable[..., Node]) -> None:
    receiver = join()
    samples = heard(receiver, "/again")
    for _ in range(3):
        sender = join()
        first(sender.advertise("/again", TEXT), samples)
        sender.close()
        wait(lambda: not receiver.offers(), "the publisher is gone")


def test_after_the_end_of_a_subscription_nothing_is_received(join: Callable[..., Node]) -> None:
    sender, receiver = join(), join()
    kept, ended = heard(receiver, "/a"), SimpleQueue()
    end = receiver.subscribe("/a", ended.put)
    publish = sender.advertise("/a", TEXT)
    first(publish, kept)
    end()
    wait(lambda: not _comes(publish, kept, ended), "the end of the subscription")


def _comes(publish: Callable[[bytes], None], kept: SimpleQueue[Sample], ended: SimpleQueue[Sample]) -> bool:
    """Whether the ended subscription gets a message that the other one gets."""
    for queue in (kept, ended):
        while not queue.empty():
            queue.get()
    publish(b"next")
    kept.get(timeout=PATIENCE_S)
    return not ended.empty()


def test_a_service_answers_also_when_it_comes_after_the_request(join: Callable[..., Node]) -> None:
    client, server = join(), join()
    replies: SimpleQueue[bytes] = SimpleQueue()

    def late() -> None:
        time.sleep(0.3)
        server.provide("/double", TEXT, TEXT, lambda payload: Reply(True, payload * 2))

    thread = threading.Thread(target=late)
    thread.start()
    replies.put(client.request("/double", b"ab", TEXT, TEXT, timeout_s=PATIENCE_S))
    thread.join()
    assert replies.get() == b"abab"


def test_a_missing_answer_has_its_reason(join: Callable[..., Node]) -> None:
    client, server = join(), join()
    server.provide("/refuses", TEXT, TEXT, lambda payload: Reply(False, b""))
    with pytest.raises(NoAnswer, match="/refuses reported a failure"):
        client.request("/refuses", b"", TEXT, TEXT, timeout_s=PATIENCE_S)
    with pytest.raises(NoAnswer, match="no process provides the service /nothing"):
        client.request("/nothing", b"", TEXT, TEXT, timeout_s=0.3)
    with pytest.raises(NoAnswer, match=r"/refuses takes gz\.msgs\.StringMsg and answers gz\.msgs\.StringMsg, not"):
        client.request("/refuses", b"", "gz.msgs.Empty", TEXT, timeout_s=0.3)


def test_a_request_ends_when_its_service_falls_silent(join: Callable[..., Node]) -> None:
    client, server = join(), join()
    over = threading.Event()

    def hang(payload: bytes) -> Reply:
        over.wait(PATIENCE_S)
        return Reply(True, payload)

    server.provide("/hangs", TEXT, TEXT, hang)
    with pytest.raises(NoAnswer, match="the process that provides /hangs has ended"):
        client.request("/hangs", b"x", TEXT, TEXT, timeout_s=PATIENCE_S)
    over.set()


def test_credentials_let_in_who_has_them(join: Callable[..., Node]) -> None:
    right, wrong = Access("robot", "secret"), Access("robot", "guess")
    sender, friend, stranger = join(access=right), join(access=right), join(access=wrong)
    heard_by_friend, heard_by_stranger = heard(friend, "/private"), heard(stranger, "/private")
    publish = sender.advertise("/private", TEXT)
    first(publish, heard_by_friend)
    wait(lambda: stranger.offers(), "the stranger finds the topic")
    for _ in range(20):
        publish(b"\x12\x01x")
        heard_by_friend.get(timeout=PATIENCE_S)
    assert heard_by_stranger.empty()


def test_nonsense_on_the_network_is_counted_and_harmless(join: Callable[..., Node], network: Network) -> None:
    sender, receiver = join(), join()
    samples = heard(receiver, "/scan")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as rogue:
        rogue.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(network.address))
        for size in range(200):
            rogue.sendto(bytes(range(size)), (network.group, network.topic_port))
    wait(lambda: receiver.refusals.count >= 200, "all are counted")
    first(sender.advertise("/scan", TEXT), samples)


def test_names_that_gz_transport_does_not_take_are_refused() -> None:
    assert split_name(full_name("desk", "/a/b")) == ("desk", "/a/b")
    for bad in ("", "a b", "/a//b", "~/a", "a@b"):
        with pytest.raises(BadName, match="is not a name"):
            full_name("desk", bad)


def test_an_address_that_is_not_of_this_machine_is_refused_in_words() -> None:
    with pytest.raises(NoDiscovery, match=r"discovery cannot use 192\.0\.2\.1"):
        Node(Place(Network(address="192.0.2.1"), "here", Access()))
