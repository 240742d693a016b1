"""The UDP sockets of discovery: one for topics, one for services."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass

from studio.errors import StudioError
from studio.runtime.gazebo.gz_transport.names import setting

GROUP, TOPIC_PORT, SERVICE_PORT = "239.255.0.7", 10317, 10318
GROUP_OF_CLASSIC = "224.0.0.7"
"""Of gz-transport 8, which a Gazebo classic server has for its joints."""
MOST_BYTES = 65535
_IP_MULTICAST_ALL = 49
"""Of Linux; Python has no name for it."""


class NoDiscovery(StudioError):
    """No packets of discovery can be sent or received."""


@dataclass(frozen=True)
class Network:
    """Where discovery listens. `address` is the network card that is used: loopback sees this machine alone."""

    address: str = "127.0.0.1"
    group: str = GROUP
    topic_port: int = TOPIC_PORT
    service_port: int = SERVICE_PORT

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] = os.environ, group: str = GROUP) -> Network:
        """As `GZ_IP` or `IGN_IP` and the variables of discovery say; loopback and `group` if they say nothing."""
        return cls(
            setting("IP", environment) or "127.0.0.1",
            setting("DISCOVERY_MULTICAST_IP", environment) or group,
            _port(setting("DISCOVERY_MSG_PORT", environment), TOPIC_PORT),
            _port(setting("DISCOVERY_SRV_PORT", environment), SERVICE_PORT),
        )


def _port(text: str, otherwise: int) -> int:
    if not text:
        return otherwise
    if not text.isdigit() or not 0 < int(text) < 65536:
        raise NoDiscovery(f"{text} is not a port for discovery", hint="a number from 1 to 65535")
    return int(text)


class Multicast:
    def __init__(self, network: Network, port: int) -> None:
        self._target = (network.group, port)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._join(network, port)
        except OSError as error:
            self._socket.close()
            raise NoDiscovery(
                f"discovery cannot use {network.address} and port {port}: {error.strerror or error}",
                hint="is it an address of this machine, and does its network allow multicast?",
            ) from error

    def _join(self, network: Network, port: int) -> None:
        udp = self._socket
        udp.setblocking(False)
        udp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        udp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        # Not at every address of the machine: only what was sent to the group arrives, and by this card alone.
        udp.bind((network.group, port))
        udp.setsockopt(socket.IPPROTO_IP, _IP_MULTICAST_ALL, 0)
        card = socket.inet_aton(network.address)
        udp.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, card)
        udp.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(network.group) + card)

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, packet: bytes) -> None:
        try:
            self._socket.sendto(packet, self._target)
        except BlockingIOError:
            pass  # The queue is full; a heartbeat says it all again within a second.
        except OSError as error:
            if error.errno not in (errno.ENETUNREACH, errno.ENOBUFS, errno.ENETDOWN, errno.EHOSTUNREACH):
                raise

    def receive(self) -> tuple[bytes, str] | None:
        """A packet and the address that it came from; None if there is none now."""
        try:
            packet, (address, _) = self._socket.recvfrom(MOST_BYTES)
        except (BlockingIOError, InterruptedError):
            return None
        return packet, address

    def close(self) -> None:
        self._socket.close()


def open_both(network: Network) -> tuple[Multicast, Multicast]:
    """For topics and for services, or none of them."""
    topics = Multicast(network, network.topic_port)
    try:
        return topics, Multicast(network, network.service_port)
    except NoDiscovery:
        topics.close()
        raise
