"""User name and password, where the partition asks for them (`GZ_TRANSPORT_USERNAME`, `GZ_TRANSPORT_PASSWORD`)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

import zmq
from zmq.auth.thread import ThreadAuthenticator

from studio.runtime.gazebo.gz_transport.names import setting

DOMAIN = "ign-auth"
"""That all versions of gz-transport ask in."""


@dataclass(frozen=True)
class Access:
    user: str = ""
    password: str = ""

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] = os.environ) -> Access:
        return cls(setting("TRANSPORT_USERNAME", environment), setting("TRANSPORT_PASSWORD", environment))

    @property
    def is_asked(self) -> bool:
        return bool(self.user and self.password)

    def show(self, socket: zmq.Socket[bytes]) -> None:
        """Before a socket connects."""
        if self.is_asked:
            socket.plain_username, socket.plain_password = self.user.encode(), self.password.encode()

    def ask(self, socket: zmq.Socket[bytes]) -> None:
        """Before a socket is bound."""
        if self.is_asked:
            socket.plain_server = True
            socket.zap_domain = DOMAIN.encode()

    def guard(self, context: zmq.Context[zmq.Socket[bytes]]) -> ThreadAuthenticator | None:
        """Answers for the sockets that ask, until it is stopped."""
        if not self.is_asked:
            return None
        guard = ThreadAuthenticator(context)
        guard.start()
        guard.configure_plain(domain=DOMAIN, passwords={self.user: self.password})
        return guard


def endpoint(socket: zmq.Socket[bytes]) -> str:
    """Where a socket is bound."""
    told = socket.getsockopt(zmq.LAST_ENDPOINT)
    assert isinstance(told, bytes)
    return told.decode().rstrip("\0")
