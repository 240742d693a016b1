"""One debug client of the proxy: the window, VS Code, or any program that speaks the Debug Adapter Protocol."""

from __future__ import annotations

import io
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from studio.runtime.debug.dap_wire import DapError, Message, read_message, write_message
from studio.runtime.debug.host_line import QuickSocket

SENT_WITHIN_S = 5
"""One that reads nothing for so long while there is something to tell is let go: it must not hold up others."""


class ProxyClient:
    def __init__(
        self,
        connection: socket.socket,
        on_request: Callable[[ProxyClient, Message], None],
        on_gone: Callable[[ProxyClient], None],
    ) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SENT_WITHIN_S, 0))
        self._connection = connection
        self._reader = io.BufferedReader(QuickSocket(connection))
        self._writer = connection.makefile("wb")
        self._lock = threading.Lock()
        self._number = 0
        self._on_request, self._on_gone = on_request, on_gone
        self.name = "debug client"
        self.configured = False
        """Before that it hears no events but `initialized`."""
        self.ended = False
        self._thread = threading.Thread(target=self._read, name="debug client", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def respond(self, request: Message, body: Any = None, *, error: str = "") -> None:
        response: Message = {
            "type": "response",
            "request_seq": request.get("seq", 0),
            "command": request.get("command", ""),
            "success": not error,
        }
        if error:
            response["message"] = error
            body = {"error": {"id": 1, "format": error.replace("{", "{{").replace("}", "}}")}}
        self._send(response if body is None else {**response, "body": body})

    def forward(self, request: Message, response: Message) -> None:
        """The debugger's response to what this client has asked."""
        wanted: Message = {key: response[key] for key in ("success", "message", "body") if key in response}
        self._send(
            {"type": "response", "request_seq": request.get("seq", 0), "command": request.get("command", ""), **wanted}
        )

    def event(self, name: str, body: Any = None) -> None:
        self._send({"type": "event", "event": name, **({} if body is None else {"body": body})})

    def _send(self, message: Message) -> None:
        with self._lock:
            if self.ended:
                return
            self._number += 1
            try:
                write_message(self._writer, {"seq": self._number, **message})
            except (OSError, ValueError):
                self.ended = True
        if self.ended:
            self.close()

    def close(self) -> None:
        """Its thread notices, and tells."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def _read(self) -> None:
        try:
            self._obey_until_it_ends()
        finally:  # whatever it has sent: what it has stopped has to go on
            with self._lock:
                self.ended = True
                with suppress(OSError):  # it may still hold what could not be sent
                    self._writer.close()
                self._connection.close()
            self._on_gone(self)

    def _obey_until_it_ends(self) -> None:
        while True:
            try:
                message = read_message(self._reader)
            except (DapError, OSError, ValueError, RecursionError):
                return  # after something that is no message nothing can be found in the stream
            if message is None:
                return
            if message["type"] == "request":
                self._on_request(self, message)
