"""Who may use a debugger: processes of the same user, and nobody else."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from studio.runtime.debug.dap_wire import Message
from studio.runtime.debug.proxy_client import ProxyClient
from studio.runtime.debug.proxy_clients import ProxyClients

OTHER_USER = 12345
ATTACKS = 30
# As the attack that once got in: it says all at once, closes, and is gone before anybody can look who it was.
ATTACK = f"""
import os, socket, sys
os.setgroups([]); os.setgid({OTHER_USER}); os.setuid({OTHER_USER})
for _ in range({ATTACKS}):
    with socket.socket(socket.AF_UNIX) as victim:
        try:
            victim.connect(sys.argv[1])
            for command in ("initialize", "attach", "configurationDone", "evaluate"):
                body = '{{"seq": 1, "type": "request", "command": "%s"}}' % command
                victim.sendall(("Content-Length: %d\\r\\n\\r\\n" % len(body) + body).encode())
        except PermissionError:
            print("kept out")
        except (BrokenPipeError, ConnectionResetError):
            pass
"""


class Listening:
    """The clients' side of a debug session, which notes what it is asked."""

    def __init__(self, folder: Path) -> None:
        self.requests: list[str] = []
        self.came = 0
        self.clients = ProxyClients(threading.RLock(), folder / "debug", self._come, self._ask, lambda _: None)
        self.clients.thread.start()

    def _come(self) -> bool:
        self.came += 1
        return True

    def _ask(self, client: ProxyClient, request: Message) -> None:
        self.requests.append(request["command"])
        client.respond(request)

    def ask_as_ourselves(self) -> bytes:
        """Everything that came before it has been looked at by then: connections are accepted in order."""
        with socket.socket(socket.AF_UNIX) as ours:
            ours.connect(str(self.clients.address))
            body = b'{"seq": 1, "type": "request", "command": "threads"}'
            ours.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            return ours.recv(4096)


@pytest.fixture
def listening(tmp_path: Path) -> Listening:
    return Listening(tmp_path)


def attack(address: Path) -> str:
    command = [sys.executable, "-c", ATTACK, str(address)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_another_user_is_never_heard(listening: Listening) -> None:
    address = listening.clients.address
    for folder in address.parents[:4]:  # as if the run's folder were open to all: the kernel still says who it is
        folder.chmod(0o755)
    address.chmod(0o666)
    assert "kept out" not in attack(address)
    assert b'"success": true' in listening.ask_as_ourselves()
    assert listening.requests == ["threads"] and listening.came == 1
    listening.clients.stop_listening()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_another_user_cannot_open_the_socket(listening: Listening) -> None:
    for folder in listening.clients.address.parents[:4]:
        folder.chmod(0o755)
    assert attack(listening.clients.address).count("kept out") == ATTACKS
    assert listening.came == 0
    listening.clients.stop_listening()


def test_the_socket_is_removed_with_its_session(listening: Listening) -> None:
    assert listening.clients.address.stat().st_mode & 0o777 == 0o600
    assert b'"success": true' in listening.ask_as_ourselves()
    listening.clients.stop_listening()
    assert not listening.clients.address.exists()
