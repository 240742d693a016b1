"""The clients of a debug session: the socket that they connect to, and the news for all of them.

A debugger runs any code that it is given. So the socket is a file in the run's folder, which only its owner may enter,
and the kernel tells whose process connected. A TCP port on the loopback interface is open to every user of the machine,
and `/proc/net/tcp` lists a client that has closed its end as root's: another user got in that way.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from studio.runtime.debug.dap_wire import Message
from studio.runtime.debug.peer_user import peer_is_ours
from studio.runtime.debug.proxy_client import ProxyClient
from studio.runtime.wire import addresses


class ProxyClients:
    def __init__(
        self,
        lock: threading.RLock,
        address: Path,
        on_come: Callable[[], bool],
        on_request: Callable[[ProxyClient, Message], None],
        on_gone: Callable[[ProxyClient], None],
    ) -> None:
        """`lock` is held while somebody comes; `on_come` may refuse, and then nobody comes any more."""
        self._lock = lock
        self._on_come, self._on_request, self._on_gone = on_come, on_request, on_gone
        self._all: list[ProxyClient] = []
        self.address = address
        addresses.check_length(address)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(address))
        address.chmod(0o600)
        self._listener.listen()
        self.thread = threading.Thread(target=self._accept, name="debug clients", daemon=True)

    def __len__(self) -> int:
        return len(self._all)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            if not peer_is_ours(connection):
                connection.close()
                continue
            client = ProxyClient(connection, self._on_request, self._on_gone)
            with self._lock:
                if not self._on_come():
                    connection.close()
                    return
                self._all.append(client)
            client.start()

    def remove(self, client: ProxyClient) -> bool:
        """With the lock held; False if it was gone already."""
        if client not in self._all:
            return False
        self._all.remove(client)
        return True

    def configured(self) -> list[ProxyClient]:
        with self._lock:
            return [client for client in self._all if client.configured]

    def broadcast(self, event: str, body: Any) -> None:
        for client in self.configured():
            client.event(event, body)

    def stop_listening(self) -> list[ProxyClient]:
        """Accept no new client; returns those that are connected."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.address.unlink(missing_ok=True)
        with self._lock:
            return list(self._all)
