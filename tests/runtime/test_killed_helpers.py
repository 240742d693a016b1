"""The helpers of a runtime (fork servers and the cleanup watchdog) are killed: they leave no zombies, and come back."""

from __future__ import annotations

import signal

import psutil

from studio.runtime.base.clock import ClockKind
from studio.runtime.processes.fork_client import fork_client
from studio.runtime.processes.supervision import RestartPolicy
from studio.runtime.session.session import Session
from tests.runtime.systems import Part, plan
from tests.waiting import await_true


def children() -> set[psutil.Process]:
    return set(psutil.Process().children())


def test_killed_helpers_are_waited_for_and_replaced_at_once() -> None:
    fork_client.close()
    before = children()
    with Session(plan(ticker=Part("Ticker", period_s=0.01)), clock=ClockKind.WALL, policy=RestartPolicy()) as session:
        session.launch()
        session.start("run")

        def helpers() -> set[psutil.Process]:
            members = {process.pid for process in session.processes().values()}
            return {child for child in children() - before if child.pid not in members}

        assert len(helpers()) == 2, "the fork server and the cleanup watchdog"
        for _ in range(5):
            dead = helpers()
            for helper in dead:
                helper.send_signal(signal.SIGKILL)
            await_true(lambda dead=dead: not helpers() & dead, "the dead to be waited for", 5)
            await_true(lambda: len(helpers()) >= 1, "the cleanup watchdog to be replaced", 5)
        # A fork server that is killed before it was of any use is started again with the next child.
        session.restart_host("ticker")
        await_true(lambda: len(helpers()) == 3, "all helpers to be back, and the twin of the fork server", 20)
    assert not [child for child in children() - before if child.status() == psutil.STATUS_ZOMBIE]
