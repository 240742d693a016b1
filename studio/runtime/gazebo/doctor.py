"""Why no Gazebo server is found: looks at programs, processes, variables, network, and what discovery hears.

Each finding that is not fine comes with the command that mends it.
"""

from __future__ import annotations

import os
import select
import shutil
import socket
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psutil

from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.gazebo.classic.client import PORT
from studio.runtime.gazebo.connections.address import LOOPBACK, Address
from studio.runtime.gazebo.connections.finding import greet, local_ports
from studio.runtime.gazebo.connections.local import installed_servers
from studio.runtime.gazebo.gz_transport.multicast import GROUP, Multicast, Network, NoDiscovery, open_both
from studio.runtime.gazebo.gz_transport.names import FAMILIES, default_partition, split_name
from studio.runtime.gazebo.gz_transport.packets import BadPacket, read_packet

FINE, NOTE, TROUBLE = "fine", "note", "trouble"
LISTEN_S = 2.5
"""Each process of gz-transport tells once a second what it offers."""
SHARED = ("PARTITION", "IP", "DISCOVERY_MULTICAST_IP", "DISCOVERY_MSG_PORT", "DISCOVERY_SRV_PORT",
          "TRANSPORT_USERNAME", "TRANSPORT_PASSWORD")  # fmt: skip
"""Variables that exist with both prefixes."""
SIGNS = {FINE: "ok  ", NOTE: "note", TROUBLE: "FAIL"}


@dataclass(frozen=True)
class Finding:
    subject: str
    level: str
    words: str
    command: str = ""
    """That mends it."""


@dataclass
class Heard:
    """What discovery has heard in a while."""

    packets: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    """Why packets were refused, and how often."""
    processes: set[str] = field(default_factory=set)
    partitions: Counter[str] = field(default_factory=Counter)
    """Offers in each."""
    families: set[str] = field(default_factory=set)
    """First words of type names: gz or ignition."""
    senders: set[str] = field(default_factory=set)


def examine(environment: Mapping[str, str] = os.environ, listen_s: float = LISTEN_S) -> list[Finding]:
    """All of it, in about three seconds."""
    servers = list(classic(environment))
    found = [*programs(environment), *servers, *variables(environment)]
    try:
        network = Network.of_environment(environment)
    except NoDiscovery as error:
        return [*found, Finding("discovery", TROUBLE, error.message, "unset GZ_DISCOVERY_MSG_PORT")]
    found += address(network)
    found += multicast(network)
    try:
        heard = listen(network, listen_s)
    except NoDiscovery as error:
        return [*found, Finding("discovery", TROUBLE, error.message, "sudo ss -ulpn 'sport >= 10317'"), *surroundings()]
    has_server = any(each.level == FINE for each in servers)
    seen = discovery(heard, network, default_partition(environment), has_other=has_server)
    return [*found, *seen, *surroundings()]


def programs(environment: Mapping[str, str]) -> Iterator[Finding]:
    servers = installed_servers(environment)
    for server in servers:
        yield Finding("installed", FINE, f"{server.title}" if not server.is_own else f"{server.title}, in your cache")
    if not servers:
        yield Finding("installed", TROUBLE, "no Gazebo server is installed", "studio gazebo install")
    elif any(each.is_own for each in servers) and not (shutil.which("cc") or shutil.which("gcc")):
        words = "there is no C compiler, which is needed once to keep the server on loopback"
        yield Finding("installed", TROUBLE, words, "sudo apt-get install gcc")


def classic(environment: Mapping[str, str]) -> Iterator[Finding]:
    here = [Address(port=port) for port in local_ports()]
    uri = environment.get("GAZEBO_MASTER_URI", "")
    wanted = here
    if uri:
        try:
            named = Address.parse(uri.removeprefix("http://").rstrip("/"))
        except StudioError:
            yield Finding(
                "classic", TROUBLE, f"GAZEBO_MASTER_URI is {uri}, which is not an address",
                f"export GAZEBO_MASTER_URI=http://{LOOPBACK}:{PORT}",
            )  # fmt: skip
        else:
            wanted = list(dict.fromkeys([*here, named]))
    for one in wanted or [Address()]:
        told = greet(one)
        if not told.why_not:
            world = ", ".join(told.worlds) or "no world yet"
            yield Finding("classic", FINE, f"Gazebo classic {told.version} answers at {one}: {world}")
        elif one in here:
            yield Finding(
                "classic", TROUBLE, f"a server runs for {one}, but {told.why_not}", f"ss -ltn 'sport = {one.port}'"
            )
        else:
            command = "studio gazebo serve" if one.host in (LOOPBACK, "localhost") else "unset GAZEBO_MASTER_URI"
            yield Finding("classic", NOTE, f"no Gazebo classic at {one}: {told.why_not}", command)


def variables(environment: Mapping[str, str]) -> Iterator[Finding]:
    for name in SHARED:
        values = {family: environment.get(f"{family}_{name}", "") for family in FAMILIES}
        if all(values.values()) and len(set(values.values())) > 1:
            words = f"GZ_{name} and IGN_{name} differ: servers up to Fortress read IGN_, later ones GZ_, Studio GZ_"
            shown = "$" + f"GZ_{name}" if "PASSWORD" in name else values["GZ"]
            yield Finding("variables", TROUBLE, words, f"export IGN_{name}={shown}")
    implementation = environment.get("GZ_TRANSPORT_IMPLEMENTATION", "")
    if implementation.lower() == "zenoh":
        words = "GZ_TRANSPORT_IMPLEMENTATION is zenoh; Studio speaks ZeroMQ, the default"
        yield Finding("variables", TROUBLE, words, "unset GZ_TRANSPORT_IMPLEMENTATION")


def address(network: Network) -> Iterator[Finding]:
    own = own_addresses()
    if network.address not in own and not network.address.startswith("127."):
        others = [each for each in own if not each.startswith("127.")]
        words = f"GZ_IP is {network.address}, which is not an address of this machine ({', '.join(own)})"
        yield Finding("address", TROUBLE, words, f"export GZ_IP={(others or [LOOPBACK])[0]}")
    elif network.address.startswith("127."):
        others = [each for each in own if not each.startswith("127.")]
        words = "discovery uses loopback: it finds only servers of this machine that use loopback, too"
        yield Finding("address", NOTE if others else FINE, words, f"export GZ_IP={others[0]}" if others else "")
    else:
        yield Finding("address", FINE, f"discovery uses {network.address}")


def own_addresses() -> list[str]:
    cards = psutil.net_if_addrs().values()
    return sorted({each.address for card in cards for each in card if each.family == socket.AF_INET})


def multicast(network: Network) -> Iterator[Finding]:
    """Whether what is sent to the group comes back, on a port of its own."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind((LOOPBACK, 0))
        port = free.getsockname()[1]
    try:
        sender, receiver = Multicast(network, port), Multicast(network, port)
    except NoDiscovery as error:
        yield Finding("multicast", TROUBLE, error.message, _route(network))
        return
    try:
        sender.send(b"studio gazebo doctor")
        ready, _, _ = select.select([receiver.fileno()], [], [], 1.0)
        if ready:
            yield Finding("multicast", FINE, f"packets to {network.group} arrive by {network.address}")
        else:
            words = f"packets to {network.group} do not arrive by {network.address}"
            yield Finding("multicast", TROUBLE, words, _route(network))
    finally:
        sender.close()
        receiver.close()


def _route(network: Network) -> str:
    card = next(
        (name for name, told in psutil.net_if_addrs().items() if any(each.address == network.address for each in told)),
        "lo",
    )
    return f"sudo ip link set {card} multicast on && sudo ip route add {network.group or GROUP}/32 dev {card}"


def listen(network: Network, seconds: float) -> Heard:
    """Raises NoDiscovery where the ports cannot be used."""
    heard = Heard()
    both = open_both(network)
    until_ns = monotonic_ns() + int(seconds * SECOND_NS)
    try:
        while (left_s := (until_ns - monotonic_ns()) / SECOND_NS) > 0:
            for ready in select.select([each.fileno() for each in both], [], [], left_s)[0]:
                one = next(each for each in both if each.fileno() == ready)
                while (received := one.receive()) is not None:
                    _note(heard, *received)
    finally:
        for each in both:
            each.close()
    return heard


def _note(heard: Heard, packet: bytes, sender: str) -> None:
    heard.packets += 1
    heard.senders.add(sender)
    try:
        read = read_packet(packet)
    except BadPacket as bad:
        heard.refused[str(bad)] += 1
        return
    heard.processes.add(read.process)
    name = split_name(read.offer.name) if read.offer is not None else None
    if name is not None and read.offer is not None:
        heard.partitions[name[0]] += 1
        heard.families.add(read.offer.type_name.partition(".")[0])


def discovery(heard: Heard, network: Network, partition: str, *, has_other: bool = False) -> Iterator[Finding]:
    """`has_other`: a classic server answers, so a modern one of another user is no trouble."""
    if not heard.packets:
        words = (
            f"discovery receives nothing on {network.group}:{network.topic_port} by {network.address}: no gz-transport "
            "server is running, or it uses another address, group or port"
        )
        yield Finding(
            "discovery", NOTE, words, f"GZ_IP={network.address} IGN_IP={network.address} gz sim -s -r shapes.sdf"
        )
        return
    for why, count in heard.refused.most_common(3):
        words = f"{count} packets cannot be read: {why}"
        yield Finding("discovery", TROUBLE, words, "use gz-transport 8 to 15 (Fortress to Jetty), or update Studio")
    if heard.processes:
        processes = _many(len(heard.processes), "process", "processes")
        words = f"discovery found {processes} at {', '.join(sorted(heard.senders))}"
        yield Finding("discovery", FINE, words)
    if heard.partitions and partition not in heard.partitions:
        there = ", ".join(heard.partitions)
        words = f"your partition is {partition}, but all offers are in {there}"
        yield Finding(
            "partition", NOTE if has_other else TROUBLE, words, f"export GZ_PARTITION={next(iter(heard.partitions))}"
        )
    elif partition in heard.partitions:
        yield Finding("partition", FINE, f"topics and services are offered in your partition {partition}")
    if heard.families >= {"gz", "ignition"}:
        words = "both gz. and ignition. types are offered: Fortress and later versions do not understand each other"
        yield Finding("types", NOTE, words, "give each version a partition of its own: export GZ_PARTITION=NAME")


def surroundings(root: Path = Path("/")) -> Iterator[Finding]:
    """What keeps packets of other machines away."""
    if any((root / each).exists() for each in (".dockerenv", "run/.containerenv")):
        words = (
            "this is a container: multicast of other machines, and of the host, arrives only with the host's network"
        )
        yield Finding("container", NOTE, words, "docker run --network host …")
    ufw = root / "etc/ufw/ufw.conf"
    if ufw.is_file() and "ENABLED=yes" in _text(ufw):
        words = "the firewall ufw is on: it blocks discovery of other machines"
        yield Finding("firewall", NOTE, words, f"sudo ufw allow in proto udp to {GROUP} port 10317:10318")
    if (root / "run/firewalld").exists() or (root / "var/run/firewalld.pid").exists():
        words = "firewalld runs: it may block discovery of other machines"
        yield Finding("firewall", NOTE, words, "sudo firewall-cmd --add-port=10317-10318/udp")


def _text(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""


def _many(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"


def is_fine(findings: list[Finding]) -> bool:
    return all(each.level != TROUBLE for each in findings)


def words_of(findings: list[Finding]) -> str:
    lines = []
    for each in findings:
        lines.append(f"{SIGNS[each.level]}  {each.subject:<10} {each.words}")
        if each.command:
            lines.append(f"{'':16} → {each.command}")
    return "\n".join(lines)


def plain(findings: list[Finding]) -> list[dict[str, Any]]:
    return [asdict(each) for each in findings]
