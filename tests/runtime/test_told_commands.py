"""What components are told at a closed gate comes in the end, and once: brokers die, and gates are stepped through."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from studio.runtime.base.clock import SECOND_NS, ClockKind
from studio.runtime.plan.plan import Plan
from studio.runtime.processes.undelivered_commands import ToldCommand, UndeliveredCommands
from studio.runtime.session import live_change
from studio.runtime.session.lockstep_session import LockstepSession
from studio.runtime.session.session import Session
from studio.runtime.wire.frames import COMMAND_PREFIX
from tests.runtime.systems import Part, plan
from tests.waiting import await_true

ACTIVATE: dict[str, Any] = {"do": "activate"}


def chain(*names: str, copies: int = 1) -> Plan:
    """A ticker, one that goes on in any case, and adders of these names beside it."""
    parts = {name: Part("Adder", {"raw": "ticker.out"}, outlets=("out",)) for name in names}
    stays = Part("Adder", {"raw": "ticker.out"}, {"copies": copies}, outlets=("out",))
    return plan(ticker=Part("Ticker", period_s=0.01, outlets=("out",)), stays=stays, **parts)


@pytest.fixture
def started() -> Iterator[Callable[[type[Session]], Session]]:
    sessions: list[Session] = []

    def open_one(kind: type[Session]) -> Session:
        sessions.append(kind(chain(), clock=ClockKind.SIMULATION, start_ns=0))
        sessions[-1].launch()
        sessions[-1].start()
        return sessions[-1]

    yield open_one
    for session in sessions:
        session.close()


def kill_broker(session: Session) -> None:
    before = session.broker_restarts
    os.kill(session.broker.pid, signal.SIGKILL)
    await_true(lambda: session.broker_restarts > before, "another broker")


def comes(session: Session, *topics: str) -> None:
    for topic in topics:
        assert session.step(1, topic)[-1][0] == topic


@pytest.mark.parametrize("kind", [Session, LockstepSession])
def test_a_step_strikes_off_what_it_delivers_and_nothing_else(
    started: Callable[[type[Session]], Session], kind: type[Session]
) -> None:
    session = started(kind)
    session.change(chain("left", "right"))
    ((topic, _),) = session.step(1)
    assert topic.startswith(COMMAND_PREFIX), "of the one whose host was there first"
    kill_broker(session)
    comes(session, "/left/out", "/right/out")  # the one activation was delivered, the other had to be told again
    assert not session.told


@pytest.mark.parametrize("kind", [Session, LockstepSession])
def test_nothing_old_is_told_to_a_later_broker(
    started: Callable[[type[Session]], Session], kind: type[Session]
) -> None:
    """A deactivated component would be active again, and an old value in the place of a newer one."""
    session = started(kind)
    session.change(chain("left", copies=2))
    comes(session, "/left/out")
    session.command("left", {"do": "deactivate"})
    comes(session, COMMAND_PREFIX + "left")
    kill_broker(session)
    topics = [topic for topic, _ in session.step(20)]
    assert "/ticker/out" in topics
    assert not any(topic.startswith(COMMAND_PREFIX) for topic in topics)


def test_a_system_that_goes_on_in_lockstep_by_itself_is_told_again(
    started: Callable[[type[Session]], Session],
) -> None:
    session = started(LockstepSession)
    session.change(chain("left"))
    kill_broker(session)
    session.run(1.0)
    await_true(lambda: not session.told, "it has come")
    session.pause()
    comes(session, "/left/out")


def test_a_lockstep_strikes_off_what_came_before_its_limit(started: Callable[[type[Session]], Session]) -> None:
    session = started(Session)
    session.change(chain("left", "right"))
    assert session.lockstep(count=1) == 1
    assert session.told
    assert session.lockstep(until_ns=SECOND_NS // 10) > 10
    assert not session.told


def test_a_host_that_the_broker_has_not_heard_of_is_not_kept(
    started: Callable[[type[Session]], Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = started(Session)
    monkeypatch.setattr(session, "_tell", lambda news, host: False)
    assert not session.back("stays") and not session.back("stays")
    assert not session.told
    monkeypatch.setattr(session, "_tell", lambda news, host: True)
    assert session.back("stays")
    assert session.told.lost(broker=1) == [ToldCommand(0, "stays", ACTIVATE)]


def test_commands_are_struck_off_one_by_one_in_their_order() -> None:
    told = UndeliveredCommands()
    first, second = ToldCommand(0, "a", ACTIVATE), ToldCommand(0, "a", {"do": "set", "name": "x", "value": 1})
    told.keep([first, second, ToldCommand(1, "b", ACTIVATE)])
    assert told.lost(1) == [first, second]
    told.came(["/b/out", COMMAND_PREFIX + "a", COMMAND_PREFIX + "c"])
    assert told.lost(1) == [second]
    told.drop([second, second])
    told.came([COMMAND_PREFIX + "b"])
    assert not told


OPENS: dict[str, Callable[[Session], object]] = {
    "deliver_commands": live_change.deliver_commands,
    "jump": lambda session: session.jump(10 * SECOND_NS),
    "run": lambda session: session.run(),
}


@pytest.mark.parametrize("request_name", OPENS)
def test_a_broker_replaced_just_before_it_is_asked_loses_nothing(
    started: Callable[[type[Session]], Session], monkeypatch: pytest.MonkeyPatch, request_name: str
) -> None:
    """What waited at the one before is looked up, that one dies, and the next one is there when the request goes out:
    it answers, and has never heard of what waited."""
    session = started(Session)
    session.change(chain("left"))
    ask, killed = session.control.ask, list[int]()

    def late(do: str, **fields: Any) -> dict[str, Any]:
        if do == request_name and not killed:
            killed.append(session.broker.pid)
            kill_broker(session)
        return ask(do, **fields)

    monkeypatch.setattr(session.control, "ask", late)
    OPENS[request_name](session)
    assert killed
    if request_name != "run":
        session.run()
    await_true(lambda: session.observer.component("left").get("state") == "active", "left to be active")
