"""The other borders: debug clients, notes of running systems, a runtime that is none, emulated devices, other users."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import zmq

from studio.runtime.client.attach import Attachment
from studio.runtime.client.running_systems import NOTE, running_systems
from studio.runtime.control_plane.of_runtime import ATTACH
from studio.runtime.debug.dap_wire import Message, read_message
from studio.runtime.debug.host_line import Reception
from studio.runtime.debug.proxy_client import ProxyClient
from studio.runtime.debug.proxy_clients import ProxyClients
from studio.runtime.emulators.gps import Gps
from studio.runtime.emulators.lms200 import Lms200
from studio.runtime.emulators.urg import Urg
from studio.runtime.emulators.vehicle import Vehicle
from studio.runtime.host.invitation import invitation_file, take_invitation
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import LOG_TOPIC, Kind, pack
from tests.runtime.borders.attack import STRANGE, Pusher, nested, text_frame
from tests.runtime.borders.conftest import Victim
from tests.waiting import await_true

OTHER_USER = 12345
INITIALIZE = b'{"seq": 1, "type": "request", "command": "threads"}'


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class Proxy:
    """The clients' side of a debug session; it forwards nothing."""

    def __init__(self, folder: Path) -> None:
        self.gone = 0
        self.clients = ProxyClients(threading.RLock(), folder / "debug", lambda: True, self._asked, self._left)
        self.clients.thread.start()

    def _asked(self, client: ProxyClient, request: Message) -> None:
        client.forward(request, {"success": True})

    def _left(self, client: ProxyClient) -> None:
        self.gone += self.clients.remove(client)

    def send(self, raw: bytes) -> bytes:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(self.clients.address))
            with suppress(BrokenPipeError, ConnectionResetError):
                client.sendall(raw)
                client.shutdown(socket.SHUT_WR)
                return client.recv(4096)
        return b""


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Proxy]:
    proxy = Proxy(tmp_path)
    yield proxy
    proxy.clients.stop_listening()


def test_a_debug_client_may_say_anything(proxy: Proxy, scaled: Callable[[int], int]) -> None:
    choose = random.Random(5)
    said = [framed(nested()), framed(b"[]"), framed(b'{"type": "request"}'), b"Content-Length: 99999999999\r\n\r\n"]
    for _ in range(scaled(10_000)):
        raw = bytearray(framed(INITIALIZE))
        for _ in range(choose.randrange(1, 6)):
            raw[choose.randrange(len(raw))] = choose.randrange(256)
        said.append(bytes(raw[: choose.randrange(len(raw) + 1)]))
    for raw in said:
        proxy.send(raw)
    await_true(lambda: proxy.gone == len(said), "all of them to be let go")
    assert b'"success": true' in proxy.send(framed(INITIALIZE))


def test_strangers_at_the_door_for_a_host_are_shown_out(tmp_path: Path) -> None:
    """Anybody on the machine may connect to that port while it is open; the host comes all the same."""
    reception = Reception(tmp_path, "filter")
    invitation = take_invitation(tmp_path, "filter")
    assert invitation is not None
    strangers = []
    for said in (
        framed(nested()),
        framed(b'{"type": "response", "request_seq": 1, "success": true, "body": []}'),
        b"\xff",
    ):
        stranger = socket.create_connection(("127.0.0.1", invitation.port))
        stranger.sendall(said)
        stranger.shutdown(socket.SHUT_WR)
        strangers.append(stranger)

    def host() -> None:
        bodies = {
            "pydevdAuthorize": {"clientAccessToken": invitation.token},
            "pydevdSystemInfo": {"process": {"pid": 7}},
        }
        with socket.create_connection(("127.0.0.1", invitation.port)) as line, line.makefile("rb") as reader:
            while (asked := read_message(reader)) is not None:
                body = bodies.get(asked["command"], {})
                told = {"type": "response", "request_seq": asked["seq"], "success": True, "body": body}
                line.sendall(framed(json.dumps(told).encode()))

    thread = threading.Thread(target=host, daemon=True)
    thread.start()
    line = reception.accept(lambda *_: None, lambda _: None, lambda: False, within_s=20)
    assert line.pid == 7
    line.close()
    thread.join()
    for stranger in strangers:
        stranger.close()


@pytest.mark.parametrize("text", ["", "{}", "[]", "[" * 100_000, '{"port": "x", "token": 1}', '{"port": 1}', "\0"])
def test_an_invitation_that_is_none_is_passed_over(tmp_path: Path, text: str) -> None:
    invitation_file(tmp_path, "filter").write_text(text)
    assert take_invitation(tmp_path, "filter") is None
    assert not invitation_file(tmp_path, "filter").exists()


def test_notes_that_are_none_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_RUNS", str(tmp_path))
    good = {"project": "p", "folder": "/p", "mode": "real", "gate": "run", "pid": os.getpid(), "born": 1.0}
    texts = [b"", b"[]", b"\xff", nested(), b'{"run": 1}']
    texts += [json.dumps({"run": "r", **good, name: value}).encode() for name in good for value in STRANGE]
    for number, text in enumerate(texts):
        (tmp_path / f"r{number}").mkdir()
        (tmp_path / f"r{number}" / NOTE).write_bytes(text)
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / NOTE)
    assert running_systems() == []


def test_a_client_outlives_what_its_runtime_says(tmp_path: Path) -> None:
    """The window is such a client: it goes on, and hears what can be read."""
    (tmp_path / "run").mkdir()
    router = zmq.Context.instance().socket(zmq.ROUTER)
    router.bind(addresses.endpoint(tmp_path / "run", ATTACH))
    ended = threading.Event()

    def answer() -> None:
        while not ended.is_set():
            if not router.poll(20):
                continue
            route, raw = router.recv_multipart()
            asked = json.loads(raw)
            for garbage in (
                b"",
                b"[]",
                b"\xff",
                nested(),
                b'{"news": "delta"}',
                b'{"news": "snapshot"}',
                b'{"id": []}',
            ):
                router.send_multipart([route, garbage])
            for value in STRANGE:
                router.send_multipart([route, json.dumps({"news": "log", "lines": value}).encode()])
            told = {"id": asked.get("id"), "ok": True, "protocol": 1, "version": 1, "snapshot": {"a": 1}, "lines": []}
            router.send_multipart([route, json.dumps(told).encode()])

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    with Attachment(tmp_path / "run", "window") as attachment:
        assert attachment.ask("snapshot")["ok"]
        assert attachment.state == {"a": 1}
        assert attachment.refusals.count > 10
    ended.set()
    thread.join()
    router.close(linger=0)


def test_a_client_that_was_forgotten_asks_again(tmp_path: Path) -> None:
    """After its process or machine stood still: the request that shows this was not carried out, and must not fail."""
    (tmp_path / "run").mkdir()
    router = zmq.Context.instance().socket(zmq.ROUTER)
    router.bind(addresses.endpoint(tmp_path / "run", ATTACH))
    ended = threading.Event()
    heard: list[str] = []

    def answer() -> None:
        while not ended.is_set():
            if not router.poll(20):
                continue
            route, raw = router.recv_multipart()
            asked = json.loads(raw)
            if asked["do"] == "alive":
                continue
            heard.append(asked["do"])
            told = {"id": asked["id"], "ok": True, "protocol": 1, "version": 1, "snapshot": {}, "lines": []}
            if heard.count("attach") < 2 and asked["do"] != "attach":
                told = {"id": asked["id"], "ok": False, "kind": "NotAttached", "error": "attach first"}
            router.send_multipart([route, json.dumps(told).encode()])

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    with Attachment(tmp_path / "run", "window") as attachment:
        assert attachment.ask("bookmark", text="here")["ok"]
    ended.set()
    thread.join()
    router.close(linger=0)
    assert heard == ["attach", "bookmark", "attach", "bookmark"]


@pytest.mark.parametrize("make", [Lms200, Urg, Vehicle, Gps])
def test_an_emulated_device_may_hear_anything(
    make: Callable[[], Lms200 | Urg | Vehicle | Gps], scaled: Callable[[int], int]
) -> None:
    choose = random.Random(7)
    device = make()
    for number in range(scaled(30_000)):
        for said in device.hear(choose.randbytes(choose.randrange(1, 80)), number * 10**6):
            if not isinstance(said, bytes):
                said()
        if device.due_ns() is not None:
            list(device.tick(number * 10**6, True))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_another_user_reaches_no_socket_of_a_run(victim: Victim) -> None:
    script = f"""
import os, socket, sys
os.setgroups([]); os.setgid({OTHER_USER}); os.setuid({OTHER_USER})
for path in sys.argv[1:]:
    try:
        socket.socket(socket.AF_UNIX).connect(path)
        print("got in at", path)
    except PermissionError:
        print("kept out")
"""
    sockets = [str(victim.folder / name) for name in ("in", "out", "tap", "control", "attach")]
    done = subprocess.run(
        [sys.executable, "-c", script, *sockets], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.split("\n")[:-1] == ["kept out"] * len(sockets)
    victim.stands()


def test_who_sends_malformed_frames_is_named(victim: Victim) -> None:
    pusher = Pusher(victim.folder)
    before = victim.malformed("filter")
    pusher.send(pack("/filter/smooth", Kind.DATA, 1, b"\0\1\0\0"))
    await_true(lambda: victim.malformed("filter") > before, "one more of the filter's")
    pusher.send(text_frame(LOG_TOPIC, Kind.LOG, '{"level": "info"}'))
    pusher.close()
    victim.still_hears("the last one")
    told = victim.project.state["malformed"]
    assert "/filter/smooth#1" in told["filter"]["last"]
    assert told[""]["last"] == "component is missing"
    assert "last: cannot read /filter/smooth#1" in victim.listed()
    assert "An unknown sender sent" in victim.listed()
