"""The clients of a debug session: a port of this machine's loopback that they come to, and the news for all of them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from studio.runtime.debug.dap_wire import Message
from studio.runtime.debug.peer_user import is_ours
from studio.runtime.debug.proxy_client import ProxyClient


class ProxyClients:
    def __init__(
        self,
        lock: threading.RLock,
        on_come: Callable[[], bool],
        on_request: Callable[[ProxyClient, Message], None],
        on_gone: Callable[[ProxyClient], None],
    ) -> None:
        """`lock` is held while somebody comes; `on_come` may refuse, and then nobody comes any more."""
        self._lock = lock
        self._on_come, self._on_request, self._on_gone = on_come, on_request, on_gone
        self._all: list[ProxyClient] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.thread = threading.Thread(target=self._accept, name="debug port", daemon=True)

    def __len__(self) -> int:
        return len(self._all)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            if not is_ours(connection):
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

    def close_port(self) -> list[ProxyClient]:
        """Nobody comes any more; returns who is there."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            return list(self._all)
