"""Whoever takes part in debugging may die at any moment: the system goes on all the same, and can be debugged again."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from studio.errors import StudioError
from studio.runtime.processes.supervision import UNLIMITED
from tests.runtime.debug.plain_client import PlainClient
from tests.runtime.debug.world import ADDS, CODE, World

LONGEST_S = 2.0
"""In which a client attaches, stops, steps and continues several times, unless the machine is slow."""


@pytest.fixture
def world() -> Iterator[World]:
    made = World(UNLIMITED)
    yield made
    made.close()


class Rounds:
    """One client does what clients do, and somebody dies meanwhile."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.choose = random.Random(seed)
        self.deaths: dict[str, Callable[[], None]] = {
            "client": self.kill_client,
            "client within a message": self.kill_talking_client,
            "component": self.kill_component,
            "debugger in the component": self.cut_line,
            "session": self.end_session,
        }
        self.client: PlainClient | None = None
        self.over = threading.Event()

    def play(self, number: int) -> str:
        names = list(self.deaths)
        death = names[number] if number < len(names) else self.choose.choice(names)
        after_s = self.choose.uniform(0.0, LONGEST_S)
        self.over.clear()
        walking = threading.Thread(target=self.walk, daemon=True)
        walking.start()
        walking.join(after_s)
        with suppress(StudioError, OSError):
            self.deaths[death]()
        walking.join(0.2)
        self.over.set()
        walking.join(60)
        assert not walking.is_alive(), f"round {number}: a client waits without end after the death of the {death}"
        return f"round {number}: {death} after {after_s:.3f} s"

    def walk(self) -> None:
        """Attach, and stop, look, step and go on, until it comes to nothing as somebody has died."""
        with suppress(AssertionError, OSError, StudioError, KeyError):
            address = self.world.debugger.attach("adder").address
            client = self.client = PlainClient(address)
            client.attach({CODE: [{"line": ADDS}]})
            while not self.over.is_set():
                thread = client.wait("stopped", 5)["threadId"]
                for what in self.choose.choices(("studioEvent", "stackTrace", "next", "stepIn", "stepOut"), k=2):
                    with suppress(AssertionError):  # refused, perhaps: a step is under way already
                        client.ask(what, threadId=thread)
                client.ask("continue", threadId=thread)
        client, self.client = self.client, None
        if client is not None:
            client.close()

    def kill_client(self) -> None:
        if (client := self.client) is not None:
            client.close()

    def kill_talking_client(self) -> None:
        if (client := self.client) is not None:
            client.socket.sendall(b'Content-Length: 200\r\n\r\n{"seq": 1000, "type": "requ')
            client.close()

    def kill_component(self) -> None:
        os.kill(self.world.session.hosts["adder"].pid, signal.SIGKILL)

    def cut_line(self) -> None:
        session = self.world.debugger.session_of("adder")
        if session is not None and session.line is not None:
            session.line.close()

    def end_session(self) -> None:
        self.world.debugger.detach("adder")


@pytest.mark.must_not_flake
@pytest.mark.timeout(300)
def test_any_death_at_any_moment_leaves_a_system_that_goes_on(world: World, scaled: Callable[[int], int]) -> None:
    rounds = Rounds(world, seed=10)
    for number in range(max(len(rounds.deaths), scaled(300))):  # each kind once, and then by chance
        told = rounds.play(number)
        try:
            world.goes_on()
        except AssertionError as error:
            session = world.session
            states = {name: session.observer.component(name) for name in session.plan.by_name}
            known = (world.debugger.facts(), session.mode, session.status(), list(session.happenings)[-5:], states)
            raise AssertionError(f"{told}: {error}; {known}") from error
    client = world.client()  # and after all that it can be debugged like any other
    client.wait("stopped")
    world.stands()
    client.close()
    world.goes_on()
