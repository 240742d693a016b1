"""A running system in lockstep, controlled by a client: forwards, back, anywhere, and with other code."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from studio.cli import main
from studio.errors import StudioError
from studio.runtime.client.attach import Attachment
from studio.runtime.client.running_systems import RunningSystem, find_running
from tests.runtime.debug.plain_client import PlainClient
from tests.runtime.replay.played import write_rig
from tests.waiting import await_true

ROOT = Path(__file__).parents[2]
LEVEL, SUM, SMOOTH = "/platform/level", "/adder/sum", "/filter/smooth"
SYSTEM = """<system name="robot" version="1">
  <source name="platform" mode="logged">
    <port name="level" direction="out" type="Float64"/>
    <logged log="rig.mcap"><bind port="level" topic="/rig/a"/></logged>
  </source>
  <component name="filter" type="low_pass"/>
  <component name="adder" type="adder"/>
  <component name="clock" type="signal_source" mode="periodic" period_s="0.03"/>
  <wire from="platform.level" to="filter.raw"/>
  <wire from="platform.level" to="adder.raw"/>
</system>"""
PROFILE = """<component type="adder" category="processor">
  <entry python="adder:Adder"/>
  <activation modes="event"/>
  <port name="raw" direction="in" type="Float64" delivery="lossless"/>
  <port name="sum" direction="out" type="Float64"/>
  <parameter name="offset" kind="float" default="0.0"/>
</component>"""
CODE = """import os

from studio.messages import Float64
from studio.runtime.component import Component, InPort, OutPort, Parameter


class Adder(Component):
    raw = InPort(Float64)
    sum = OutPort(Float64)
    offset = Parameter(0.0)

    def on_activate(self):
        self.total = 0.0

    def on_raw(self, message):
        self.total += message.data * FACTOR + self.offset
        self.sum.publish(Float64(self.total))

    def on_end(self):
        self.sum.publish(Float64(-1.0))
"""
IMPURE = """        if os.urandom(1)[0] & 1:
            self.sum.publish(Float64(self.total))
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("p") / "robot"
    own = folder / "components" / "adder"
    own.mkdir(parents=True)
    (own / "component.xml").write_text(PROFILE)
    (own / "adder.py").write_text(CODE.replace("FACTOR", "1.0"))
    (folder / "system.xml").write_text(SYSTEM)
    write_rig(folder / "rig.mcap")
    return folder


@pytest.fixture(scope="module")
def system(project: Path) -> Iterator[RunningSystem]:
    words = [sys.executable, "-m", "studio", "run", str(project), "--gate", "lockstep", "--stay", "--detach", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=50, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    running = find_running(json.loads(done.stdout)["run"])
    yield running
    if running.is_alive():
        os.kill(running.pid, signal.SIGTERM)
        await_true(lambda: not running.is_alive(), "the runtime to end", 20)


class Client:
    """Asks, and looks at the news that belong to the answer."""

    def __init__(self, attachment: Attachment) -> None:
        self.attachment = attachment

    def ask(self, do: str, **fields: object) -> dict[str, Any]:
        told: dict[str, Any] = self.attachment.ask(do, timeout_s=60, **fields)
        return told

    def player(self, action: str, **fields: object) -> dict[str, Any]:
        return self.ask("player", action=action, **fields)

    @property
    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.ask("snapshot")["snapshot"]
        return state

    @property
    def stepping(self) -> dict[str, Any]:
        stepping: dict[str, Any] = self.state["stepping"]
        return stepping

    def begin(self) -> None:
        """At the start, whatever was done before."""
        self.player("loop", on=False)
        self.player("range")
        self.player("stop_when")
        self.player("rate", rate=1.0)
        self.ask("go_to", position=self.stepping["first"])

    def total(self) -> float:
        value: float = self.ask("ask", component="adder", port="sum", deadline_s=5.0)["reply"]["data"]
        return value


@pytest.fixture
def client(system: RunningSystem) -> Iterator[Client]:
    with Attachment(system.run_folder, "test") as attachment:
        attachment.ask("take", force=True)
        made = Client(attachment)
        made.begin()
        yield made


@pytest.fixture
def debugger(client: Client) -> Iterator[PlainClient]:
    """It leaves also after a test that failed: the system is that of the next tests, too."""
    made = PlainClient(client.ask("debug", component="adder")["socket"])
    yield made
    made.close()


def test_it_plays_to_the_end_and_stays_there(client: Client) -> None:
    client.player("rate", rate=None)
    client.player("play")
    assert client.attachment.wait_for(lambda: client.attachment.state["player"]["stopped"] == "end", 30)
    state = client.state
    assert (state["gate"], state["player"]["number"], state["player"]["count"]) == ("pause", 100, 100)
    stepping = state["stepping"]
    assert stepping["gate"] == "lockstep" and stepping["can_go_back"] and not stepping["why_not"]
    end = client.ask("digest")["digest"]
    position = stepping["position"]
    # What was told to components at the end is part of it: back, and forwards again, without being told twice.
    client.ask("back", count=5)
    client.player("play")
    assert client.attachment.wait_for(lambda: client.attachment.state["player"]["stopped"] == "end", 30)
    assert (client.stepping["position"], client.ask("digest")["digest"]) == (position, end)


def test_back_and_forwards_again_is_the_same(client: Client) -> None:
    assert client.stepping["why_not"] == "this is the start"
    with pytest.raises(StudioError, match="cannot go back: this is the start"):
        client.ask("back")
    start = client.ask("digest")["digest"]
    first = client.ask("step", count=60)["delivered"]
    there = client.ask("digest")["digest"]
    stepping = client.stepping
    assert (stepping["position"], stepping["last"][:2], stepping["can_go_back"]) == (60, first[-1], True)
    assert client.ask("back", count=60) | {"id": 0} == {"id": 0, "ok": True, "position": 0, "delivered": []}
    assert client.ask("digest")["digest"] == start
    coming = [[event["topic"], event["sequence"]] for event in client.ask("held")["events"]]
    # What follows from these is not known yet; of what is, the order is right.
    known = [event for event in first if event[0] in (LEVEL, "/_studio/timer/clock")]
    assert len(coming) == 50 and coming[: len(known)] == known
    assert client.ask("step", count=60)["delivered"] == first
    assert client.ask("digest")["digest"] == there
    # A key that is pressed faster than the system goes back.
    presses = [threading.Thread(target=client.ask, args=("back",)) for _ in range(5)]
    for press in presses:
        press.start()
    for press in presses:
        press.join()
    assert client.stepping["position"] == 55


def test_to_an_event_of_a_topic_a_number_or_a_time(client: Client) -> None:
    client.ask("step", count=10, topic=LEVEL)
    assert client.stepping["last"][:2] == [LEVEL, 10]
    here = client.stepping["position"]
    assert client.ask("back", topic=LEVEL)["position"] == here - 1
    assert client.ask("step")["delivered"] == [[LEVEL, 10]]
    assert client.ask("back", count=3, topic=SUM)["position"] < here - 1
    assert client.ask("step")["delivered"] == [[SUM, 7]]
    assert client.ask("go_to", position=33)["position"] == 33
    digest = client.ask("digest")["digest"]
    client.ask("go_to", position=120)
    client.ask("go_to", position=33)
    assert client.ask("digest")["digest"] == digest
    start_ns = client.state["player"]["start_ns"]
    client.ask("go_to", time_ns=start_ns + 500_000_000)
    assert client.state["player"]["number"] == 50
    with pytest.raises(StudioError, match="there is no topic /filter/smoth"):
        client.ask("back", topic="/filter/smoth")


def test_the_requests_of_a_player(client: Client) -> None:
    start_ns = client.state["player"]["start_ns"]
    assert client.player("single")["told"] == LEVEL
    assert client.player("burst", count=9)["player"]["number"] == 10
    there = client.ask("digest")["digest"]
    assert client.player("back", count=4)["player"]["number"] == 6
    assert client.player("seek", time_ns=start_ns + 900_000_000)["player"]["number"] == 90
    assert client.player("previous_of", topic=LEVEL)["player"]["number"] == 89
    assert client.player("seek", time_ns=start_ns)["player"]["number"] == 0
    assert client.player("burst", count=10)["player"]["number"] == 10
    assert client.ask("digest")["digest"] == there
    told = client.player("stop_when", condition="/platform/level/data >= 40")["player"]
    assert told["condition"] == client.state["player"]["condition"] == "/platform/level/data >= 40"
    client.player("rate", rate=None)
    client.player("play")
    assert client.attachment.wait_for(lambda: client.attachment.state["player"]["stopped"] == "condition", 30)
    assert client.state["player"]["number"] == 41
    client.player("stop_when")
    client.player("range", start_ns=start_ns + 200_000_000, end_ns=start_ns + 300_000_000)
    assert client.state["player"]["number"] == 20
    client.player("loop", on=True)
    position = client.stepping["position"]
    client.player("play")
    client.player("rate", rate=10.0)
    assert client.attachment.wait_for(lambda: client.attachment.state["stepping"]["position"] > position, 30)
    client.player("pause")
    assert start_ns + 190_000_000 <= client.state["player"]["time_ns"] <= start_ns + 300_000_000


def test_what_is_commanded_on_the_way_is_part_of_it(client: Client) -> None:
    client.ask("step", count=20)
    client.ask("set", component="adder", name="offset", value=100.0)
    client.ask("step", count=20)
    there = client.ask("digest")["digest"]
    client.ask("back", count=30)
    client.ask("step", count=30)
    assert client.ask("digest")["digest"] == there
    client.ask("back", count=10)
    client.ask("set", component="adder", name="offset", value=0.0)
    client.ask("step", count=10)
    assert client.ask("digest")["digest"] != there
    assert client.ask("back", count=40)["position"] == 0
    client.ask("step", count=1)
    client.ask("set", component="adder", name="offset", value=0.0)  # another future for the tests after this one


def test_the_command_line_does_the_same(
    client: Client, system: RunningSystem, capsys: pytest.CaptureFixture[str]
) -> None:
    client.ask("release")

    def ctl(*words: str) -> str:
        assert main(["ctl", *words, "--run", system.run]) == 0
        return capsys.readouterr().out

    assert ctl("step", "4", "--topic", LEVEL).splitlines()[-1] == f"{LEVEL} 4"
    assert json.loads(ctl("step", "--json"))["delivered"] == [[SMOOTH, 4]]
    assert ctl("held").splitlines()[0] == f"{SUM} 4"
    assert ctl("back", "2") == f"after event {client.stepping['position']}: {client.stepping['last'][0]} 3\n"
    assert json.loads(ctl("goto", "0", "--json")) == {"position": 0}
    assert ctl("goto", "--time", "0.5").startswith("after event ")
    assert client.state["player"]["number"] == 50
    assert ctl("gate") == f"pause, lockstep, after event {client.stepping['position']}\n"
    assert ctl("gate", "pause", "--kind", "lockstep") == "robot is paused (lockstep)\n"
    assert ctl("again", "clock") == f"clock: reloaded, after event {client.stepping['position']}\n"
    assert main(["ctl", "goto", "--run", system.run]) == 2


def test_other_code_at_the_same_event(client: Client, project: Path) -> None:
    file = project / "components" / "adder" / "adder.py"
    client.ask("step", count=5, topic=SUM)
    before = client.state
    total = client.total()
    client.begin()
    client.ask("step", count=5, topic=SUM)
    last = client.stepping["last"]
    file.write_text(CODE.replace("FACTOR", "2.0"))
    reply = client.ask("again", component="adder")
    assert reply["same"] and client.stepping["last"] == last and reply["restarted"] == ""
    after = client.state
    pids = {name: (before["processes"][name]["pid"], after["processes"][name]["pid"]) for name in ("adder", "filter")}
    assert pids["adder"][0] == pids["adder"][1] and pids["filter"][0] == pids["filter"][1], "nothing was restarted"
    # The whole way from the start was gone by the new code, and it can be gone back over.
    assert client.total() == pytest.approx(2.0 * total)
    assert client.stepping["can_go_back"] and client.stepping["first"] == 0

    file.write_text("this is no code")
    with pytest.raises(StudioError, match=r"invalid syntax.*nothing was restarted"):
        client.ask("again", component="adder")
    assert client.state["processes"]["adder"]["pid"] == pids["adder"][1]
    file.write_text("raise OSError('the disk is full')")
    with pytest.raises(
        StudioError, match=r"(?s)the component does not start with this code.*the disk is full.*try again"
    ):
        client.ask("again", component="adder")
    file.write_text(CODE.replace("FACTOR", "1.0"))
    assert client.ask("again", component="adder")["same"]
    assert client.total() == pytest.approx(total)


def test_back_from_within_an_event_stops_in_the_one_before(
    client: Client, project: Path, debugger: PlainClient
) -> None:
    """With a debugger that holds a component in its handler; its breakpoint is kept."""
    file = project / "components" / "adder" / "adder.py"
    line = next(number for number, text in enumerate(CODE.splitlines(), 1) if "self.total +=" in text)
    client.ask("step", count=3, topic=LEVEL)
    debugger.attach({str(file): [{"line": line}]})
    waiting = threading.Thread(target=lambda: client.ask("step", count=1, topic=LEVEL))  # it ends when it is let go
    waiting.start()
    debugger.wait("stopped")
    assert debugger.ask("studioEvent")["sequence"] == 4
    held = client.stepping
    going_back = threading.Thread(target=lambda: client.ask("back", topic=LEVEL))
    going_back.start()
    debugger.wait("stopped")
    waiting.join(20)
    assert debugger.ask("studioEvent")["sequence"] == 3
    assert client.attachment.wait_for(lambda: client.attachment.state["debug"]["frozen"] is not None, 20)
    debugger.set_breakpoints(str(file), [])
    client.ask("continue")
    going_back.join(20)
    assert not going_back.is_alive()
    assert client.stepping["last"][:2] == [LEVEL, 3] and client.stepping["position"] < held["position"] + 1


def test_a_system_that_was_stepped_or_taken_back_into_a_stop_runs_after_one_continue(
    client: Client, project: Path, debugger: PlainClient
) -> None:
    file = project / "components" / "adder" / "adder.py"
    line = next(number for number, text in enumerate(CODE.splitlines(), 1) if "self.total +=" in text)
    client.ask("step", count=3, topic=LEVEL)

    def stops_at(sequence: int) -> None:
        debugger.wait("stopped")
        assert debugger.ask("studioEvent")["sequence"] == sequence
        assert client.attachment.wait_for(lambda: client.attachment.state["debug"]["frozen"] is not None, 20)

    debugger.attach({str(file): [{"line": line}]})
    stepping = threading.Thread(target=lambda: client.ask("step", count=1, topic=LEVEL))
    stepping.start()
    stops_at(4)
    client.ask("continue", gate="run")
    stepping.join(20)
    stops_at(5)
    going_back = threading.Thread(target=lambda: client.ask("back", topic=LEVEL))
    going_back.start()
    stops_at(4)
    client.ask("continue")  # as it was before: it ran into the stop from which it was taken back
    going_back.join(20)
    stops_at(5)
    debugger.set_breakpoints(str(file), [])
    client.ask("continue", gate="pause")
    client.ask("continue", gate="run")  # nobody stands
    assert client.attachment.wait_for(lambda: client.attachment.state["gate"] == "run", 20)
    client.ask("gate", mode="pause")


def test_without_freezing_a_lockstep_stands_all_the_same_and_a_reload_returns_into_the_event(
    client: Client, project: Path, debugger: PlainClient, capsys: pytest.CaptureFixture[str]
) -> None:
    file = project / "components" / "adder" / "adder.py"
    line = next(number for number, text in enumerate(CODE.splitlines(), 1) if "self.total +=" in text)
    client.ask("step", count=3, topic=LEVEL)
    assert "waits" in client.ask("freezing", on=False)["note"]
    debugger.attach({str(file): [{"line": line}]})
    waiting = threading.Thread(target=lambda: client.ask("step", count=1, topic=LEVEL))
    waiting.start()
    debugger.wait("stopped")
    assert client.attachment.wait_for(lambda: client.attachment.state["debug"]["frozen"] is not None, 20)
    # The gate and the code tell of the same event: delivered, and not done yet.
    assert main(["ctl", "gate", "--run", client.state["run"]]) == 0
    assert f", adder is handling {LEVEL} 4 at adder.py:{line}" in capsys.readouterr().out
    assert client.state["lockstep"] is True
    assert client.ask("again", component="adder")["same"]
    waiting.join(20)
    debugger.wait("stopped")
    assert debugger.ask("studioEvent")["sequence"] == 4
    debugger.set_breakpoints(str(file), [])
    client.ask("continue")
    assert client.ask("freezing", on=True).get("note") is None


def test_free_and_back_in_lockstep(client: Client) -> None:
    client.player("burst", count=30)
    assert client.ask("gate", kind="free")["kind"] == "free"
    state = client.state
    assert state["stepping"]["gate"] == "free" and state["player"]["number"] == 30
    for do, fields in (("back", {}), ("player", {"action": "back"})):
        with pytest.raises(StudioError, match=r"cannot go back: .* without lockstep.*--gate lockstep"):
            client.ask(do, **fields)
    client.player("burst", count=5)
    assert client.ask("gate", kind="lockstep")["kind"] == "lockstep"
    assert not client.stepping["can_go_back"]
    assert client.player("burst", count=5)["player"]["number"] == 40
    assert client.player("back", count=3)["player"]["number"] == 37
    client.player("seek", time_ns=client.state["player"]["start_ns"])  # before the switch: time moves, as freely
    assert client.player("burst", count=5)["player"]["number"] == 5


def test_some_streams_only(client: Client) -> None:
    client.player("burst", count=10)
    client.player("enable", topic=LEVEL, on=False)
    assert client.stepping["why_not"] == "the choice of streams was changed here"
    assert client.player("single")["told"] is None
    client.player("enable", topic=LEVEL, on=True)
    client.player("seek", time_ns=client.state["player"]["start_ns"])
    assert client.player("single")["told"] == LEVEL


def test_a_killed_broker_is_replaced_and_the_log_goes_on(client: Client) -> None:
    client.player("burst", count=10)
    os.kill(client.state["processes"]["broker"]["pid"], signal.SIGKILL)
    assert client.attachment.wait_for(
        lambda: client.attachment.state["processes"]["broker"]["restarts"] == 1, 30
    ), "another one"  # fmt: skip
    assert _insist(lambda: client.player("burst", count=5))["player"]["number"] >= 15
    assert client.player("back", count=2)["player"]["number"] >= 13


def _insist(ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """A broker that dies does not answer what it was asked."""
    for _ in range(20):
        try:
            return ask()
        except StudioError as error:
            assert "broker" in str(error) or "answer" in str(error), error
    return ask()


def test_a_component_that_is_not_the_same_again_is_told(client: Client, project: Path) -> None:
    """The last one that uses this system: no way leads back after it."""
    file = project / "components" / "adder" / "adder.py"
    file.write_text(CODE.replace("FACTOR", "1.0").replace("        self.sum.publish(Float64(self.total))", IMPURE, 1))
    client.ask("restart", name="adder")
    assert client.ask("again", component="adder")["same"]  # all that this process has handled is known
    client.ask("step", count=60)
    client.ask("go_to", position=client.stepping["first"])
    with pytest.raises(StudioError, match=r"event \d+ was .* and is .* now .*depend on more than its inputs"):
        client.ask("step", count=60)
    assert not client.stepping["can_go_back"] and " and is " in client.stepping["why_not"]
    assert client.ask("step", count=2)["delivered"]


@pytest.mark.soak
def test_two_hundred_forwards_and_back_anywhere_in_the_log(client: Client) -> None:
    """Every place has one state, however it was come to."""
    client.player("seek", time_ns=client.state["player"]["start_ns"])
    first = client.stepping["position"]
    digests: dict[int, Any] = {}
    choose = random.Random(7)

    def compare() -> None:
        position, digest = client.stepping["position"], client.ask("digest")["digest"]
        assert digests.setdefault(position, digest) == digest, f"at {position}"

    compare()
    for _ in range(50):
        client.ask("go_to", position=first + choose.randrange(150))
        compare()
        client.ask("step", count=200)
        compare()
        client.ask("back", count=200)
        compare()
        client.player("seek_by", seconds=choose.uniform(-0.5, 0.5))
        compare()
    assert len(digests) > 60


@pytest.mark.soak
def test_a_simulated_vehicle_goes_back_too() -> None:
    words = [sys.executable, "-m", "studio", "run", "raptor_blocks_world", "--mode", "simulated", "--detach", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    running = find_running(json.loads(done.stdout)["run"])
    try:
        with Attachment(running.run_folder, "test") as attachment:
            client = Client(attachment)
            assert attachment.wait_for(lambda: attachment.state["stepping"]["position"] > 400, 100)
            client.ask("gate", mode="pause")
            there = client.ask("digest")["digest"]
            assert client.ask("back", count=200)["position"] > 200
            client.ask("step", count=200)
            assert client.ask("digest")["digest"] == there
    finally:
        os.kill(running.pid, signal.SIGTERM)
        await_true(lambda: not running.is_alive(), "the runtime to end", 30)
