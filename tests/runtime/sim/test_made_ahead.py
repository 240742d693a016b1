"""Simulators that are made ahead of their next start: the same as one that starts anew, and never an old one."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import zmq

from studio.messages import String, decode
from studio.model.project import Project
from studio.model.registry import Registry
from studio.paths import component_roots
from studio.runtime.base.clock import ClockKind
from studio.runtime.host import ahead
from studio.runtime.host.ahead import NothingPreparedError, Prepared, made_ahead, order_of
from studio.runtime.plan.plan import PlannedComponent
from studio.runtime.plan.planning import plan_of
from studio.runtime.processes import fork_client as of_fork_client
from studio.runtime.processes.fork_client import fork_client
from studio.runtime.processes.supervision import RestartPolicy
from studio.runtime.session.session import Session
from studio.runtime.sim.pioneers import Pioneer2dxSimulator
from studio.runtime.sim.simulator import Simulator
from studio.runtime.sim.worlds.made_worlds import block, ground
from studio.runtime.sim.worlds.world import Place, World
from studio.runtime.sim.worlds.world_writing import save_world
from studio.runtime.trial import Trial
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import split, subscription
from tests.waiting import await_true

LONG_AGO_S = 1_000_000
SYSTEM = """<system name="there" version="1">
  <component name="simulator" type="pioneer_2dx_simulator">
    <parameter name="world" value="here"/>
  </component>
</system>
"""


def aged(file: Path) -> Path:
    os.utime(file, (LONG_AGO_S, LONG_AGO_S))
    return file


def write_world(project: Path, away_m: float) -> Path:
    """A wall ahead."""
    file = project / "models/worlds/here.sdf"
    file.parent.mkdir(parents=True, exist_ok=True)
    solids = [ground(), block("wall", away_m, 0.0, (1.0, 8.0, 2.0))]
    save_world(World("here", solids, places={"start": Place(0.0, 0.0)}), file)
    return aged(file)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "there"
    write_world(folder, 10.0)
    (folder / "system.xml").write_text(SYSTEM)
    return folder


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    yield
    ahead._made.clear()


def simulator(project: Path, **changes: object) -> PlannedComponent:
    made = plan_of(Project.open(project).system, Registry.scan(component_roots(project)), project=project)
    return replace(made.by_name["simulator"], **changes)  # type: ignore[arg-type]


def prepared(project: Path, **changes: object) -> Prepared:
    return Prepared(order_of([simulator(project, **changes)], str(project)))


def test_what_was_made_ahead_is_what_a_start_makes(project: Path) -> None:
    assert prepared(project).is_current()
    made = made_ahead(simulator(project), str(project))
    assert isinstance(made, Simulator)
    physics = made._physics
    made.on_initialize()
    assert made._physics is physics, "it is not made a second time"
    with Trial(Pioneer2dxSimulator, world=str(project / "models/worlds/here.sdf")) as trial:
        assert np.array_equal(made._start_state, trial.component._start_state)
        assert made._sdf == trial.component._sdf
        assert [port.port for _, port in made._devices] == [port.port for _, port in trial.component._devices]
    made.on_initialize()
    assert made._physics is not physics, "the second time it begins anew"


def test_it_is_given_to_one_and_only_to_who_wants_the_same(project: Path, tmp_path: Path) -> None:
    prepared(project)
    planned = simulator(project)
    for other in (
        replace(planned, parameters={**planned.parameters, "noise": 0.5}),
        replace(planned, entry="studio.runtime.sim.pioneers:Pioneer3atSimulator"),
        replace(planned, name="another"),
    ):
        assert made_ahead(other, str(project)) is None
    assert made_ahead(planned, str(tmp_path)) is None
    assert made_ahead(planned, str(project)) is not None
    assert made_ahead(planned, str(project)) is None


@pytest.mark.parametrize("what", ["written", "removed", "replaced by a link", "a body before it", "a file beside it"])
def test_a_file_that_has_changed_makes_it_worthless(project: Path, what: str) -> None:
    made = prepared(project)
    world = project / "models/worlds/here.sdf"
    assert made.is_current()
    if what == "written":
        data = world.read_bytes()
        world.write_bytes(data)
        aged(world)  # neither its size nor the time of its last change tells
    elif what == "removed":
        world.unlink()
    elif what == "replaced by a link":
        shutil.move(world, project / "elsewhere.sdf")
        world.symlink_to(project / "elsewhere.sdf")
    elif what == "a body before it":
        (project / "models/bodies").mkdir()
    else:
        (world.parent / "pioneer_2dx.xml").touch()
    assert not made.is_current()


def test_a_file_that_was_just_written_may_be_written_again(project: Path) -> None:
    """Within the same tick of the clock of the disk, which nobody could tell."""
    (project / "models/worlds/here.sdf").touch()
    assert not prepared(project).is_current()


def test_nothing_of_a_user_is_asked(project: Path) -> None:
    own = simulator(project, entry="simulator:Mine")
    assert order_of([own], str(project)) == ""
    assert order_of([simulator(project, command=True)], str(project)) == ""
    both = order_of([own, simulator(project)], str(project))
    assert [wanted["entry"] for wanted in json.loads(both)] == ["studio.runtime.sim.pioneers:Pioneer2dxSimulator"]


def test_who_has_nothing_to_prepare_gets_no_fork_server(project: Path) -> None:
    with pytest.raises(NothingPreparedError):
        prepared(project, entry="studio.runtime.sim.driving_judge:DrivingJudge", parameters={})


def test_a_thread_is_never_inherited(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended, started = threading.Event(), []

    def careless(self: Simulator) -> None:
        thread = threading.Thread(target=ended.wait)
        thread.start()
        started.append(thread)

    monkeypatch.setattr(Simulator, "prepare_ahead", careless)
    with pytest.raises(NothingPreparedError, match="thread"):
        prepared(project)
    ended.set()
    started[0].join()


class Births:
    """Of hosts, from fork servers of their own or not."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.of_its_own: list[bool] = []
        ask = of_fork_client.ForkClient._born_of_its_own

        def noted(client: object, *words: object) -> object:
            child = ask(client, *words)  # type: ignore[arg-type]
            self.of_its_own.append(child is not None)
            return child

        monkeypatch.setattr(of_fork_client.ForkClient, "_born_of_its_own", noted)


def test_a_killed_simulator_comes_from_a_fork_server_of_its_own(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    births = Births(monkeypatch)
    planned = plan_of(Project.open(project).system, Registry.scan(component_roots(project)), project=project)
    with Session(planned, clock=ClockKind.WALL, policy=RestartPolicy()) as session:
        session.launch()
        session.start("run")
        with zmq.Context() as context, context.socket(zmq.SUB) as ear:
            ear.linger, ear.reconnect_ivl = 0, 5
            ear.subscribe(subscription("/simulator/true_world"))
            ear.connect(addresses.out_of(session.folders.run))

            def killed() -> str:
                """The world that the next one tells of."""
                before = session.supervisor.restarts("simulator")
                session.hosts["simulator"].send_signal(signal.SIGKILL)
                await_true(lambda: session.supervisor.is_back("simulator", before), "the simulator")
                assert ear.poll(20_000)
                return decode(String, split(ear.recv())[2]).data

            _await_own()
            first = killed()
            assert births.of_its_own == [False, True]
            write_world(project, 20.0)
            second = killed()
            assert births.of_its_own == [False, True, False], "the world is another one"
            assert first != second
            _await_own()
            assert killed() == second
            assert births.of_its_own[-1]


def _await_own() -> None:
    def is_there() -> bool:
        owns = list(fork_client._hosts_own.values())
        return any(own.fork_server is not None and own.fork_server.is_ready_now() for own in owns)

    await_true(is_there, "the fork server of the host")
