"""The runtime as a process: clients look and steer, may die, and nothing survives the runtime."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import zmq
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.runtime.base.deltas import apply, difference
from studio.runtime.client.attach import AttachError, Attachment
from studio.runtime.client.running_systems import NOTE, NotRunning, RunningSystem, find_running, running_systems
from studio.runtime.server.lease import ControlHeld, Lease
from studio.runtime.wire import addresses
from tests.lateness import Lateness
from tests.waiting import await_true

HANDS_OF_A_GUARDIAN = 3
"""The cleanup watchdog, whom it kills, and who looks."""
ROOT = Path(__file__).resolve().parents[2]
PARENT = '''
import subprocess, sys
from studio.messages import Float64
from studio.runtime.component import Component, InPort

class Parent(Component):
    """Has a child process of its own."""

    value = InPort(Float64)

    def on_initialize(self) -> None:
        self.child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=False)
'''
PROFILE = """<component type="parent" category="processor"><doc>Has a child process of its own.</doc>
  <entry python="parent:Parent"/><activation modes="event periodic" period_s="0.1"/>
  <port name="value" direction="in" type="Float64" delivery="lossless"/></component>"""
SYSTEM = """<system name="lab" version="1">
  <component name="signal" type="signal_source" period_s="0.01"/>
  <component name="filter" type="low_pass"/>
  <component name="sink" type="signal_sink"><parameter name="log_every_s" value="0.2"/></component>
  <component name="parent" type="parent" mode="periodic" period_s="0.1"/>
  <wire from="signal.value" to="filter.raw"/> <wire from="filter.smooth" to="sink.value"/>
  <wire from="signal.value" to="parent.value"/>
</system>"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Runs of this module only; the folder is short enough for sockets."""
    folder = tmp_path_factory.mktemp("r")
    before = os.environ.get("STUDIO_RUNS")
    os.environ["STUDIO_RUNS"] = str(folder)
    yield folder
    if before is None:
        del os.environ["STUDIO_RUNS"]
    else:
        os.environ["STUDIO_RUNS"] = before


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("p") / "lab"
    own = folder / "components" / "parent"
    own.mkdir(parents=True)
    (own / "parent.py").write_text(PARENT)
    (own / "component.xml").write_text(PROFILE)
    (folder / "system.xml").write_text(SYSTEM)
    return folder


def start(project: Path) -> RunningSystem:
    words = [sys.executable, "-m", "studio", "run", str(project), "--detach", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=50, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return find_running(json.loads(done.stdout)["run"])


@pytest.fixture(scope="module")
def system(runs: Path, project: Path) -> Iterator[RunningSystem]:
    """One system for the tests that do not end it."""
    running = start(project)
    yield running
    if running.is_alive():
        os.kill(running.pid, signal.SIGTERM)
        await_true(lambda: not running.is_alive(), "the runtime to end", 20)


Attach = Callable[[str], Attachment]


@pytest.fixture
def attach(system: RunningSystem) -> Iterator[Attach]:
    clients: list[Attachment] = []

    def one(name: str) -> Attachment:
        clients.append(Attachment(system.run_folder, name))
        return clients[-1]

    yield one
    for client in clients:
        client.close()


# The picture.


def test_a_client_gets_a_snapshot_and_then_what_changes(attach: Attach) -> None:
    client = attach("first")
    assert client.state["project"] == "lab" and client.state["gate"] == "run"
    assert list(client.state["components"]) == ["signal", "filter", "sink", "parent"]
    version, count = client.version, client.state["topics"]["/signal/value"]["count"]
    assert client.wait_for(lambda: client.state["topics"]["/signal/value"]["count"] > count + 20, 20)
    assert client.version > version
    assert client.wait_for(lambda: client.state["components"]["filter"]["rate_hz"] > 10, 20)
    component = client.state["components"]["filter"]
    assert component["state"] == "active" and component["rss_mb"] > 5 and component["parameters"] == {"cutoff_hz": 2.0}
    fresh = attach("second").state
    assert fresh.keys() == client.state.keys(), "deltas lead to what a newcomer gets"


def test_the_rate_of_a_periodic_component_is_that_of_its_period(attach: Attach) -> None:
    """100 messages per second reach its port as well: they were counted with the ticks, and it showed 110 Hz."""
    client = attach("rates")

    def told(name: str) -> float:
        return float(client.state["components"]["parent"][name])

    assert client.wait_for(lambda: told("rate_hz") > 0 and told("handled") > 200, 20)
    assert told("rate_hz") < 50


def test_a_late_joiner_gets_the_last_lines(attach: Attach) -> None:
    first = attach("first")
    assert first.wait_for(lambda: any(line["component"] == "sink" for line in first.lines), 20)
    late = attach("late")
    assert any(line["component"] == "sink" and line["time_ns"] > 0 for line in late.lines)


def test_a_client_that_does_not_read_costs_nothing_and_is_forgotten(system: RunningSystem, attach: Attach) -> None:
    watcher = attach("watcher")
    lazy = zmq.Context.instance().socket(zmq.DEALER)
    lazy.rcvhwm = 1
    lazy.connect(addresses.endpoint(system.run_folder, "attach"))
    lazy.send(b'{"id": 1, "do": "attach", "name": "lazy"}')
    assert watcher.wait_for(lambda: "lazy" in watcher.state["clients"], 10)
    assert watcher.wait_for(lambda: "lazy" not in watcher.state["clients"], 20)
    lazy.close(0)


def test_a_client_that_stood_still_attaches_again_by_itself(system: RunningSystem, attach: Attach) -> None:
    code = (
        "import sys; from pathlib import Path; from studio.runtime.client.attach import Attachment\n"
        "client = Attachment(Path(sys.argv[1]), 'sleeper'); print('there', flush=True); sys.stdin.readline()\n"
        "before = client.state['topics']['/signal/value']['count']\n"
        "print(client.wait_for(lambda: client.state['topics']['/signal/value']['count'] > before + 50, 40))"
    )
    words = [sys.executable, "-c", code, str(system.run_folder)]
    watcher = attach("watcher")
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as sleeper:
        assert sleeper.stdout is not None and sleeper.stdout.readline() == "there\n"
        assert watcher.wait_for(lambda: "sleeper" in watcher.state["clients"], 20)
        sleeper.send_signal(signal.SIGSTOP)
        assert watcher.wait_for(lambda: "sleeper" not in watcher.state["clients"], 20)
        sleeper.send_signal(signal.SIGCONT)
        told, _ = sleeper.communicate("go\n", timeout=50)
        assert told == "True\n", "it sees what changes again"


@pytest.mark.parametrize("raw", [b"", b"nonsense", b"[]", b'{"do": "fly"}', b'{"id": 3}', b"\xff\xfe"])
def test_what_is_no_request_is_refused_and_harms_nobody(system: RunningSystem, attach: Attach, raw: bytes) -> None:
    client = attach("healthy")
    socket = zmq.Context.instance().socket(zmq.DEALER)
    socket.connect(addresses.endpoint(system.run_folder, "attach"))
    socket.send(raw)
    assert socket.poll(10_000)
    assert json.loads(socket.recv())["ok"] is False
    socket.close(0)
    assert client.ask("snapshot")["version"] >= client.version - 50


# Control.


def test_one_at_a_time_holds_control(attach: Attach) -> None:
    one, other = attach("one"), attach("other")
    one.ask("take")
    with pytest.raises(AttachError, match="one holds control") as refused:
        other.ask("set", component="filter", name="cutoff_hz", value=3.0)
    assert refused.value.kind == "ControlHeld"
    one.ask("set", component="filter", name="cutoff_hz", value=3.0)
    other.ask("take", force=True)
    with pytest.raises(AttachError, match="other holds control"):
        one.ask("command", component="filter", command={"do": "pause"})
    other.ask("release")
    one.ask("set", component="filter", name="cutoff_hz", value=1.0)
    assert one.wait_for(lambda: one.state["components"]["filter"]["parameters"]["cutoff_hz"] == 1.0, 10)


def test_a_killed_client_loses_control_and_hurts_nobody(system: RunningSystem, attach: Attach) -> None:
    code = (
        "import sys, time; from pathlib import Path; from studio.runtime.client.attach import Attachment\n"
        "client = Attachment(Path(sys.argv[1]), 'window'); client.ask('take')\n"
        "print('mine', flush=True); time.sleep(60)"
    )
    words = [sys.executable, "-c", code, str(system.run_folder)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT) as window:
        assert window.stdout is not None and window.stdout.readline() == "mine\n"
        watcher = attach("watcher")
        assert watcher.wait_for(lambda: watcher.state["control"] == "window", 10)
        window.kill()
    assert watcher.wait_for(lambda: watcher.state["control"] == "", 20)
    watcher.ask("set", component="filter", name="cutoff_hz", value=1.5)
    assert watcher.state["components"]["filter"]["state"] == "active"


def test_lease_alone() -> None:
    lease = Lease()
    lease.check(b"anybody")
    lease.take(b"a", "a")
    lease.take(b"a", "a")
    with pytest.raises(ControlHeld):
        lease.take(b"b", "b")
    lease.release(b"b")
    assert lease.name == "a"
    lease.take(b"b", "b", force=True)
    with pytest.raises(ControlHeld):
        lease.check(b"a")
    lease.release(b"b")
    assert lease.name == ""


# What runs.


def test_running_systems_are_found_by_project_run_and_folder(system: RunningSystem, project: Path) -> None:
    assert [each.run for each in running_systems()] == [system.run]
    for name in (None, "lab", system.run, str(project)):
        assert find_running(name) == system
    with pytest.raises(NotRunning, match="no system lba is running"):
        find_running("lba")


def test_a_note_of_a_dead_runtime_is_not_believed(system: RunningSystem, runs: Path) -> None:
    folder = runs / "dead"
    folder.mkdir()
    told = {**vars(system), "run": "dead"}
    try:
        for pid, born in ((system.pid, system.born - 1000), (2**22 - 1, system.born)):
            (folder / NOTE).write_text(json.dumps({**told, "pid": pid, "born": born}))
            assert [each.run for each in running_systems()] == [system.run]
        (folder / NOTE).write_text("{half a no")
        assert [each.run for each in running_systems()] == [system.run]
    finally:
        (folder / NOTE).unlink()
        folder.rmdir()


def test_a_system_is_found_although_somebody_has_set_the_clock(
    system: RunningSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("psutil._pslinux.boot_time", lambda: 1.0)
    assert system.is_alive()
    assert find_running() == system


# The end.


def test_a_runtime_that_breaks_leaves_its_last_words(runs: Path, project: Path) -> None:
    running = start(project)
    assert running.last_words() == ""
    os.kill(running.pid, signal.SIGSEGV)
    await_true(lambda: not running.is_alive(), "its end")
    assert "Segmentation fault" in running.last_words()


def test_a_runtime_that_was_killed_leaves_no_empty_words(runs: Path, project: Path) -> None:
    running = start(project)
    os.kill(running.pid, signal.SIGKILL)
    await_true(lambda: not list(runs.glob(f"{running.run}*")), "folder and words to be removed")


def test_nothing_survives_a_killed_runtime(runs: Path, project: Path) -> None:
    running = start(project)
    family = psutil.Process(running.pid).children(recursive=True)
    assert len(family) >= 7, "broker, four hosts, the parent's child, the cleanup watchdog"
    shared = Path("/dev/shm") / f"studio-{os.getuid()}" / running.run
    with Attachment(running.run_folder, "watcher") as client, Lateness() as lateness:
        os.kill(running.pid, signal.SIGKILL)
        killed_ns = time.monotonic_ns()
        await_true(lambda: not any(map(is_alive, family)), "everybody to be gone")
        await_true(lambda: not running.run_folder.exists() and not shared.exists(), "the folders to be gone")
        took_ms = lateness.assert_within(1.0, killed_ns, time.monotonic_ns(), HANDS_OF_A_GUARDIAN)
        assert client.ended.wait(10), "a client notices"
    print(f"\nnothing left after {took_ms:.0f} ms")


def test_one_that_was_forgotten_hears_that_the_system_has_ended(runs: Path, project: Path) -> None:
    """A window that stood still for seconds would take the end for a crash."""
    running = start(project)
    still = zmq.Context.instance().socket(zmq.DEALER)
    still.connect(addresses.endpoint(running.run_folder, "attach"))
    with Attachment(running.run_folder, "watcher") as watcher:
        still.send(b'{"id": 1, "do": "attach", "name": "still", "look": false}')
        assert watcher.wait_for(lambda: "still" in watcher.state["clients"], 10)
        assert watcher.wait_for(lambda: "still" not in watcher.state["clients"], 20)
    os.kill(running.pid, signal.SIGTERM)
    heard = []
    while still.poll(10_000) and heard[-1:] != [{"news": "ended"}]:
        heard.append(json.loads(still.recv()))
    assert heard[-1] == {"news": "ended"}
    still.close(0)


def is_alive(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


# Deltas.

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=4)
    ),
    max_leaves=12,
)
pictures = st.dictionaries(st.text("abc", min_size=1, max_size=2), plain, max_size=5)


@settings(max_examples=50)
@given(pictures, pictures)
def test_a_delta_makes_the_new_picture_of_the_old_one(old: dict[str, Any], new: dict[str, Any]) -> None:
    delta = json.loads(json.dumps(difference(old, new)))
    picture = json.loads(json.dumps(old))
    apply(picture, delta)
    assert picture == new
    assert (delta == {}) == (old == new)
