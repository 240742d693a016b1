"""Who may use a debug port: processes of the same user."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from studio.runtime.debug import peer_user


def test_a_process_of_another_user_is_known_by_the_kernels_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()) as client:
        connection, _ = listener.accept()
        with connection:
            assert peer_user.is_ours(connection)
            lines = peer_user.TABLE.read_text().splitlines()
            end = f"{client.getsockname()[1]:04X}"
            found = next(line for line in lines[1:] if line.split()[1].endswith(":" + end))
            words = found.split()
            assert int(words[7]) == os.getuid(), "the kernel tells who is at that end"
            # Another user cannot be had in a test: the same table, as it would be with one.
            words[7] = "4711"
            monkeypatch.setattr(peer_user, "TABLE", tmp_path / "tcp")
            (tmp_path / "tcp").write_text("\n".join([lines[0], " ".join(words)]))
            assert not peer_user.is_ours(connection)
            (tmp_path / "tcp").unlink()
            assert peer_user.is_ours(connection), "where the kernel does not tell"
