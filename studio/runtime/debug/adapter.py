"""A debug adapter on standard input and output, as VS Code, nvim-dap and others start one.

It copies bytes between its client and the session's socket: the client needs no port and no secret, and only the user
who runs the system can start it. Each session has a script of its own, because VS Code gives an adapter no arguments.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path

MOST_BYTES = 65536


def write_adapter(address: Path) -> Path:
    """The script that connects its standard input and output to the socket; it lies beside it."""
    script = address.with_name(f"{address.name}.py")
    code = f"import runpy, sys\nsys.argv[1:] = [{str(address)!r}]\nrunpy.run_path({__file__!r}, run_name='__main__')\n"
    descriptor = os.open(script, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o700)
    with open(descriptor, "w") as file:
        file.write(f"#!{sys.executable}\n{code}")
    return script


def main(address: str) -> int:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(address)
    except OSError as error:
        print(f"The debugger is not running any more ({error.strerror}). Debug the component again.", file=sys.stderr)
        return 1
    threading.Thread(target=_send, args=(connection,), daemon=True).start()
    with suppress(OSError):  # one of the two has ended: so does this
        while chunk := connection.recv(MOST_BYTES):
            sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()
    return 0


def _send(connection: socket.socket) -> None:
    with suppress(OSError):
        while chunk := os.read(sys.stdin.fileno(), MOST_BYTES):
            connection.sendall(chunk)
        connection.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
