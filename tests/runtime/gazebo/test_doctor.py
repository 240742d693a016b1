"""What the doctor tells, each finding with its command."""

from __future__ import annotations

import socket
import threading
import time
import uuid
from pathlib import Path

import pytest

from studio.runtime.gazebo import doctor
from studio.runtime.gazebo.doctor import FINE, NOTE, TROUBLE, Finding, Heard
from studio.runtime.gazebo.gz_transport.multicast import Network
from studio.runtime.gazebo.gz_transport.node import Node
from studio.runtime.gazebo.gz_transport.place import Place


def levels(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(each.subject, each.level) for each in findings]


@pytest.fixture
def network() -> Network:
    ports = []
    for _ in range(2):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.bind(("127.0.0.1", 0))
            ports.append(udp.getsockname()[1])
    return Network(topic_port=ports[0], service_port=ports[1])


def test_nothing_installed_names_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("studio.runtime.gazebo.local_classic.cache", lambda: tmp_path)
    (found,) = doctor.programs({"PATH": str(tmp_path)})
    assert (found.level, found.command) == (TROUBLE, "studio gazebo install")
    program = tmp_path / "gz"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (found,) = doctor.programs({"PATH": str(tmp_path)})
    assert found.level == FINE
    assert str(program) in found.words


def test_a_master_that_does_not_answer_and_one_that_is_no_address() -> None:
    told = list(doctor.classic({"GAZEBO_MASTER_URI": "http://127.0.0.1:9"}))[-1]
    assert told.words == "no Gazebo classic at 127.0.0.1:9: connection refused: no server listens there"
    assert (told.level, told.command) == (NOTE, "studio gazebo serve")
    assert ("classic", TROUBLE) in levels(list(doctor.classic({"GAZEBO_MASTER_URI": "x:y"})))


def test_variables_that_differ_are_told_without_the_password() -> None:
    (found,) = doctor.variables({"GZ_PARTITION": "a", "IGN_PARTITION": "b"})
    assert (found.level, found.command) == (TROUBLE, "export IGN_PARTITION=a")
    (found,) = doctor.variables({"GZ_TRANSPORT_PASSWORD": "secret", "IGN_TRANSPORT_PASSWORD": "other"})
    assert "secret" not in found.command
    (found,) = doctor.variables({"GZ_TRANSPORT_IMPLEMENTATION": "zenoh"})
    assert found.command == "unset GZ_TRANSPORT_IMPLEMENTATION"


def test_an_address_of_another_machine_is_told() -> None:
    (found,) = doctor.address(Network("203.0.113.77"))
    assert found.level == TROUBLE
    assert found.command.startswith("export GZ_IP=")
    assert all(each.level != TROUBLE for each in doctor.address(Network()))


def test_multicast_on_loopback_arrives_and_elsewhere_names_a_route() -> None:
    assert levels(list(doctor.multicast(Network()))) == [("multicast", FINE)]
    (found,) = doctor.multicast(Network("203.0.113.77"))
    assert found.level == TROUBLE
    assert "ip route add" in found.command


def test_another_partition_is_heard_and_named(network: Network) -> None:
    partition = f"lab-{uuid.uuid4().hex[:6]}"
    with Node(Place(network, partition)) as node:
        node.advertise("/scan", "ignition.msgs.LaserScan")
        node.advertise("/pose", "gz.msgs.Pose")
        heard = doctor.listen(network, 1.5)
    assert heard.partitions.keys() == {partition}
    found = list(doctor.discovery(heard, network, "mine"))
    assert levels(found) == [("discovery", FINE), ("partition", TROUBLE), ("types", NOTE)]
    assert found[1].command == f"export GZ_PARTITION={partition}"
    assert levels(list(doctor.discovery(heard, network, partition)))[1] == ("partition", FINE)


def test_packets_of_another_version_and_silence_are_told(network: Network) -> None:
    def send() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
            for _ in range(20):
                udp.sendto(b"\x02\x00\x10\x09", (network.group, network.topic_port))
                time.sleep(0.02)

    sender = threading.Thread(target=send)
    sender.start()
    heard = doctor.listen(network, 1.0)
    sender.join()
    (found,) = doctor.discovery(heard, network, "mine")
    assert (found.subject, found.level) == ("discovery", TROUBLE)
    assert "its version is 9 and not 10" in found.words
    (silent,) = doctor.discovery(Heard(), network, "mine")
    assert (silent.level, "receives nothing" in silent.words) == (NOTE, True)


def test_container_and_firewalls_are_told_with_commands(tmp_path: Path) -> None:
    assert not list(doctor.surroundings(tmp_path))
    (tmp_path / ".dockerenv").touch()
    (tmp_path / "etc/ufw").mkdir(parents=True)
    (tmp_path / "etc/ufw/ufw.conf").write_text("ENABLED=yes\n")
    (tmp_path / "run/firewalld").mkdir(parents=True)
    found = list(doctor.surroundings(tmp_path))
    assert [each.subject for each in found] == ["container", "firewall", "firewall"]
    assert all(each.command for each in found)


def test_words_have_a_sign_and_the_command_below() -> None:
    words = doctor.words_of([Finding("installed", TROUBLE, "none", "studio gazebo install"), Finding("a", FINE, "b")])
    assert words.splitlines() == [
        "FAIL  installed  none",
        "                 → studio gazebo install",
        "ok    a          b",
    ]
