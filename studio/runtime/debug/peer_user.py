"""Whose process is at the other end of a Unix socket."""

from __future__ import annotations

import os
import socket
import struct

_CREDENTIALS = struct.Struct("3i")  # process, user, group


def peer_is_ours(connection: socket.socket) -> bool:
    """Whether this user or root opened the connection. The kernel noted it then: the peer may have ended since."""
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, user, _ = _CREDENTIALS.unpack(told)
    return user in (os.getuid(), 0)
