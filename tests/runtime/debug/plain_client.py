"""A debug client of somebody else: it knows the debug adapter protocol and a socket, and nothing of Studio."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any


class PlainClient:
    def __init__(self, server: Path | str | socket.socket) -> None:
        """`server`: the path of its socket, or a connection to it."""
        if isinstance(server, socket.socket):
            self.socket = server
        else:
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.socket.connect(str(server))
        self._file = self.socket.makefile("rb")
        self._number = 0
        self._news = threading.Condition()
        self._responses: dict[int, dict[str, Any]] = {}
        self.events: list[dict[str, Any]] = []
        self.numbers: list[int] = []
        self.ended = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def attach(
        self, breakpoints: dict[str, list[dict[str, Any]]] | None = None, exceptions: list[str] | None = None
    ) -> list[dict[str, Any]]:
        """As every client begins; returns the breakpoints as they were answered."""
        assert self.ask("initialize", adapterID="python", clientID="plain")["supportsConditionalBreakpoints"]
        self.ask("attach", connect={"host": "127.0.0.1"})
        self.wait("initialized")
        told = []
        for path, wanted in (breakpoints or {}).items():
            told += self.set_breakpoints(path, wanted)
        if exceptions is not None:
            self.ask("setExceptionBreakpoints", filters=exceptions)
        self.ask("configurationDone")
        return told

    def set_breakpoints(self, path: str, wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return list(self.ask("setBreakpoints", source={"path": path}, breakpoints=wanted)["breakpoints"])

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        self._number += 1
        number = self._number
        body = json.dumps({"seq": number, "type": "request", "command": command, "arguments": arguments}).encode()
        self.socket.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        with self._news:
            self._news.wait_for(lambda: number in self._responses or self.ended, 20)
            assert number in self._responses, f"no answer to {command}"
        response = self._responses.pop(number)
        assert response["success"], response
        return dict(response.get("body") or {})

    def wait(self, event: str, seconds: float = 20) -> dict[str, Any]:
        """The next event of that name; those before it are forgotten."""
        with self._news:
            self._news.wait_for(lambda: self._index(event) is not None or self.ended, seconds)
            assert self._index(event) is not None, f"no {event} in {[each['event'] for each in self.events]}"
            index = self._index(event)
            assert index is not None
            body = self.events[index].get("body") or {}
            del self.events[: index + 1]
            return dict(body)

    def _index(self, event: str) -> int | None:
        return next((index for index, each in enumerate(self.events) if each["event"] == event), None)

    def resume(self) -> None:
        self.ask("continue", threadId=1)

    def close(self) -> None:
        """As when its process is killed: no goodbye."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self._reader.join()
        self._file.close()
        self.socket.close()

    def _read(self) -> None:
        while True:
            message = self._message()
            with self._news:
                if message is None:
                    self.ended = True
                    self._news.notify_all()
                    return
                self.numbers.append(message["seq"])
                if message["type"] == "response":
                    self._responses[message["request_seq"]] = message
                else:
                    self.events.append(message)
                self._news.notify_all()

    def _message(self) -> dict[str, Any] | None:
        try:
            length = 0
            while line := self._file.readline().strip():
                length = int(line.split(b":")[1])
            return json.loads(self._file.read(length)) if length else None
        except (OSError, ValueError):
            return None
