"""No process of `studio run` listens on a network socket: other users of the machine could reach it."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from studio.runtime.client.attach import Attachment
from studio.runtime.client.running_systems import RunningSystem, running_systems
from tests.cli.running import STUDIO
from tests.waiting import await_true


@pytest.fixture(params=["plain", "under the debugger"])
def running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[tuple[RunningSystem, bool]]:
    """A system that is recorded, with a client attached; in the second case with a component under the debugger."""
    monkeypatch.setenv("STUDIO_RUNS", str(tmp_path / "r"))
    (tmp_path / "r").mkdir()
    debugged = request.param == "under the debugger"
    debug = ["--debug", "filter", "--no-wait"] if debugged else []
    words = [*STUDIO, "run", "first_steps", "--record", str(tmp_path / "log.mcap"), *debug]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            await_true(running_systems, "the system to run", 60)
            (system,) = running_systems()
            with Attachment(system.run_folder, "watcher") as client:
                assert client.wait_for(lambda: client.state["components"]["filter"]["rate_hz"] > 10, 30)
                yield system, debugged
        finally:
            process.terminate()
            process.wait(30)


def everybody(runtime: int, runs: str) -> dict[int, str]:
    """The runtime, whom it has started, what those have started, also if their parents are gone."""
    ours = {runtime, *(child.pid for child in psutil.Process(runtime).children(recursive=True))}
    found = {}
    for process in psutil.process_iter():
        with suppress(psutil.Error, ProcessLookupError):
            of_them = process.pid in ours or os.getsid(process.pid) in ours - {os.getsid(runtime)}
            heir = process.environ().get("STUDIO_RUNS") == runs  # of those who have not written a title over it
            if (of_them or heir) and process.pid != os.getpid():
                found[process.pid] = " ".join(process.cmdline())
    return found


def listening(process: int) -> list[object]:
    bound = [each for each in psutil.Process(process).net_connections("inet") if each.laddr]
    return [each for each in bound if each.status == psutil.CONN_LISTEN or each.type == socket.SOCK_DGRAM]


def test_no_process_listens_on_a_network_socket(running: tuple[RunningSystem, bool]) -> None:
    system, debugged = running
    processes = everybody(system.pid, os.environ["STUDIO_RUNS"])
    for name in (
        "cleanup_watchdog.py",
        "fork server",
        "studio broker",
        "studio recorder",
        "studio filter",
        "run first_steps",
    ):
        assert any(name in told for told in processes.values()), f"no {name} among {processes}"
    assert [each for pid in processes for each in listening(pid)] == []
    with socket.create_server(("127.0.0.1", 0)):
        assert listening(os.getpid()), "this look would have seen it"
    debug_sockets = [file for file in system.run_folder.glob("debug.*") if file.is_socket()]
    assert len(debug_sockets) == debugged, "debug clients have a socket in the run's folder"
    assert system.run_folder.stat().st_mode & 0o777 == 0o700
