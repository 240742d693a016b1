"""Against the C++ library of gz-transport 11, as Gazebo Fortress has it."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2

from studio.runtime.gazebo.debian_tree import Tree
from studio.runtime.gazebo.gz_messages import IGNITION, messages
from studio.runtime.gazebo.gz_transport.node import NoAnswer, Node
from studio.runtime.gazebo.gz_transport.services import Reply
from tests.runtime.gazebo.conftest import Peer
from tests.runtime.gazebo.embedded_definitions import Fields, definitions_of, wrong_in

pytestmark = [pytest.mark.gazebo, pytest.mark.timeout(600)]

SCHEMA = messages(IGNITION)
SCAN, TEXT = SCHEMA.full("LaserScan"), SCHEMA.full("StringMsg")
PATIENCE_S = 30.0
Scaled = Callable[[int], int]
NEW_NAMES = {"Discovery.MessagePublisher", "Discovery.ServicePublisher"}
"""Nested one level deeper in the original, which the bytes do not show."""


@pytest.fixture
def node(peer: Peer) -> Iterator[Node]:
    with Node() as node:
        yield node


def wait(condition: Callable[[], object], what: str) -> None:
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.02)


def text(words: str) -> bytes:
    return SCHEMA.new("StringMsg", data=words).SerializeToString()


def test_every_scan_of_a_real_publisher_comes_in_order(peer: Peer, node: Node, scaled: Scaled) -> None:
    numbers: list[int] = []
    node.subscribe("/scan", lambda sample: numbers.append(int(SCHEMA.read("LaserScan", sample.payload).ranges[0])))
    count = max(400, scaled(4000))
    publisher = peer("publish", "/scan", count, 40 if count > 400 else 400)
    publisher.wait(count / 40 + PATIENCE_S)
    assert numbers == list(range(count))


def test_a_real_subscriber_gets_every_scan(peer: Peer, node: Node, scaled: Scaled) -> None:
    count = max(400, scaled(4000))
    rate_hz = 40 if count > 400 else 400
    publish = node.advertise("/ours", SCAN)
    subscriber = peer("count", "/ours", count / rate_hz + 6)
    assert subscriber.stdout is not None
    assert subscriber.stdout.readline() == "ready\n"
    time.sleep(2.0)  # gz-transport does not say when the connection is made
    scan = SCHEMA.new("LaserScan", count=361, ranges=[1.0] * 361)
    for number in range(count):
        scan.ranges[0] = number
        publish(scan.SerializeToString())
        time.sleep(1 / rate_hz)
    told, _ = subscriber.communicate(timeout=count / rate_hz + PATIENCE_S)
    assert told.split() == [str(count), "0"]


def test_services_work_both_ways(peer: Peer, node: Node) -> None:
    peer("serve", "/capitals")
    assert node.request("/capitals", text("hello"), TEXT, TEXT, timeout_s=PATIENCE_S) == text("HELLO")
    with pytest.raises(NoAnswer, match="/capitals reported a failure"):
        node.request("/capitals", text(""), TEXT, TEXT, timeout_s=PATIENCE_S)
    node.provide("/small", TEXT, TEXT, lambda payload: Reply(True, payload.lower()))
    told, _ = peer("ask", "/small", "ABC").communicate(timeout=PATIENCE_S)
    assert told == "abc\n"


def test_a_peer_that_was_killed_is_missed_and_found_again(peer: Peer, node: Node) -> None:
    for _ in range(3):
        process = peer("serve", "/comes_back")
        assert node.request("/comes_back", text("x"), TEXT, TEXT, timeout_s=PATIENCE_S) == text("X")
        process.kill()
        wait(lambda: not node.offers(), "the killed peer is missed")


def test_the_tools_of_gazebo_see_our_topics(peer: Peer, node: Node, modern_tree: Tree) -> None:
    node.advertise("/seen", SCAN)
    tool = modern_tree.command("usr/libexec/ignition/transport11/ign-transport-topic", "--list")
    wait(lambda: "/seen" in subprocess.run(tool, capture_output=True, text=True, check=True).stdout, "the list")


def test_the_table_agrees_with_the_installed_definitions(modern_tree: Tree, tmp_path: Path) -> None:
    """Each field has the number, the type and the label that the definitions have."""
    known = _installed(modern_tree, tmp_path)
    wrong = []
    for name in SCHEMA.names():
        for path, message in _with_nested(name, SCHEMA.descriptor(name)):
            if path in NEW_NAMES:
                path = path.replace("Discovery.", "Discovery.Publisher.")
            wrong += wrong_in(message, path, known)
    assert wrong == []


def _installed(tree: Tree, folder: Path) -> dict[str, Fields]:
    proto = tree.root / "usr/include/ignition/msgs8"
    out = folder / "all.pb"
    files = [str(file.relative_to(proto)) for file in sorted((proto / "ignition/msgs").glob("*.proto"))]
    command = tree.command(
        "usr/bin/protoc", f"-I{proto}", f"-I{tree.root / 'usr/include'}", f"--descriptor_set_out={out}"
    )
    subprocess.run([*command, *files], check=True, timeout=120)
    known: dict[str, Fields] = {}
    for file in descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file:
        for message in file.message_type:
            known |= definitions_of(message.name, message)
    return known


def _with_nested(path: str, message):
    yield path, message
    for nested in message.nested_types:
        yield from _with_nested(f"{path}.{nested.name}", nested)
