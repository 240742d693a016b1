"""The debugger of a running system: which hosts are debugged, where they stand, and what that means for the others."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import Any

from studio.errors import StudioError
from studio.runtime.base.turns import Turn, Turns
from studio.runtime.debug.dap_wire import Message
from studio.runtime.debug.freeze import Freeze
from studio.runtime.debug.history import History
from studio.runtime.debug.host_line import DebugError, HostLine, Reception
from studio.runtime.debug.native import NativeWatch
from studio.runtime.debug.proxy import DebugSession
from studio.runtime.debug.stops import Stop
from studio.runtime.host.host_side import SWITCH
from studio.runtime.session.session import Session
from studio.runtime.wire.frames import topic_hash

COMES_WITHIN_S = 30.0
LOOK_EVERY_S = 0.2
IDLE_WITHIN_S = 5.0
ARRIVES_WITHIN_S = 0.03
COST = (
    "on Python below 3.12 a debugged host runs several times slower, even after the debugger has disconnected: "
    "Studio restarts it when debugging ends"
)
WHY = {"breakpoint", "exception", "step", "pause"}


class Debugger:
    """`attach` and `detach` are for any thread."""

    def __init__(self, session: Session, freeze: Freeze) -> None:
        self.freeze = freeze
        self._session = session
        self._sessions: dict[str, DebugSession] = {}
        self._lines: dict[str, HostLine] = {}
        """Also of hosts that are not debugged any more: their debugger sleeps, and is there when it is asked again."""
        self._natives: dict[str, NativeWatch] = {}
        self._waiting: set[str] = set()
        """Hosts that start only when a client has set its breakpoints."""
        self._history: History | None = None
        self._turns: dict[str, Turns] = {}
        """By host."""
        self._lock = threading.RLock()
        self._closed = False
        self.cost = "" if sys.version_info >= (3, 12) else COST
        freeze.mute = self.muted
        session.before_host = self._host_starts
        session.before_close = self.close

    # Which hosts.

    def line_up(self, host: str) -> Turn:
        """For those who attach to a host and let go of it: its debugger takes one at a time, in the order they came."""
        with self._lock:
            return self._turns.setdefault(host, Turns()).take()

    def attach(self, host: str, turn: Turn | None = None) -> DebugSession:
        """Debug a host that runs; returns when its debugger is there. It goes on meanwhile."""
        with turn or self.line_up(host):
            return self._attach(host)

    def _attach(self, host: str) -> DebugSession:
        if os.environ.get(SWITCH) == "off":
            raise DebugError("hosts of this run cannot be debugged", hint=f"start it without {SWITCH}=off")
        with self._lock:
            known = self._sessions.get(host)
            if known is None:
                known = self._sessions[host] = DebugSession(host, self, self._session.folders.run)
                self._listen()
            line = self._lines.get(host)
            if known.line is None and not known.expected and (line is None or line.lost):
                self._receive(known)
        try:
            if known.line is None and (line := self._lines.get(host)) is not None and not line.lost:
                line.configure()
                known.connected(line)
            if not known.there.wait(COMES_WITHIN_S) or known.failure:
                hint = "is it in a long call of a library? Try again, or restart it"
                raise DebugError(known.failure or f"{host} did not answer the debugger", hint=hint)
        except DebugError:
            self._drop(host)
            raise
        return known

    def start_under(self, host: str, *, wait: bool) -> DebugSession:
        """Before the host is started: a breakpoint stops it also where its components are imported and initialized.

        `wait`: it starts when the first client has set its breakpoints.
        """
        with self._lock:
            made = self._sessions[host] = DebugSession(host, self, self._session.folders.run)
            self._listen()
            if wait:
                self._waiting.add(host)
        return made

    def detach(self, host: str, turn: Turn | None = None) -> None:
        """The host goes on without a debugger."""
        with turn or self.line_up(host):
            self._detach(host)

    def _detach(self, host: str) -> None:
        if host in self._natives:
            self._natives.pop(host).close()
            self.freeze.thaw(host)
            return
        was_there = host in self._sessions
        self._drop(host)
        if was_there and self.cost:
            self._session.restart_host(host)

    def _drop(self, host: str) -> None:
        with self._lock:
            session = self._sessions.pop(host, None)
            if not self._sessions and self._history is not None:
                self._history.close()
                self._history = None
        if session is not None:
            session.close()

    def watch_native(self, host: str) -> NativeWatch:
        """A program in another language: any debugger may hold it, and the system freezes with it."""
        with self._lock:
            if host not in self._natives:
                self._natives[host] = NativeWatch(host, self._pid_of, self.freeze, self._session.folders.run)
            return self._natives[host]

    def _pid_of(self, host: str) -> int | None:
        process = self._session.processes().get(host)
        return process.pid if process is not None and process.returncode is None else None

    def _listen(self) -> None:
        if self._history is None:
            self._history = History(self._session.folders.run)

    def session_of(self, host: str) -> DebugSession | None:
        return self._sessions.get(host)

    # The line to a host.

    def _host_starts(self, host: str) -> None:
        """The launcher is about to start it, the first time or again: it connects before it imports anything."""
        with self._lock:
            session = self._sessions.get(host)
            if session is not None and not self._closed:
                self._receive(session)

    def _receive(self, session: DebugSession) -> None:
        reception = Reception(self._session.folders.run, session.host)
        session.there.clear()
        session.failure = ""
        session.expected += 1
        arguments = (session, reception)
        threading.Thread(target=self._await, args=arguments, name="debugged host comes", daemon=True).start()

    def _await(self, session: DebugSession, reception: Reception) -> None:
        host = session.host
        holding = host in self._waiting
        heard: Callable[[HostLine, Message], None] = lambda line, event: self._heard(host, line, event)  # noqa: E731
        try:
            if holding:
                self._session.hold_in_debugger(host, True)
            line = reception.accept(heard, lambda line: self._lost(host, line), lambda: session.ended or self._closed)
            self._lines[host] = line
            self._waiting.discard(host)
            while holding and not (session.configured.wait(LOOK_EVERY_S) or session.ended or line.lost):
                continue
            session.connected(line)
        except StudioError as failure:
            session.failed(str(failure))
        finally:
            session.expected -= 1
            if holding:
                self._session.hold_in_debugger(host, False)

    def _heard(self, host: str, line: HostLine, event: Message) -> None:
        session = self._sessions.get(host)
        if session is not None:
            session.heard(line, event)
        elif event.get("event") == "stopped":
            line.let_go()  # it was on its way into a breakpoint when they were all taken away

    def _lost(self, host: str, line: HostLine) -> None:
        session = self._sessions.get(host)
        if session is not None:
            session.lost(line)

    # What a session tells.

    def stopped(self, session: DebugSession, stop: Stop) -> None:
        why = stop.reason if stop.reason in WHY else "breakpoint"
        if self.freeze.freezing:
            session.clock_stands(True)
        components = [each.name for each in self._session.plan.on_host(session.host)]
        component = stop.component or (components[0] if len(components) == 1 else "")
        self.freeze.freeze(
            why=why,
            host=session.host,
            component=component,
            file=stop.file,
            line=stop.line,
            topic=stop.topic,
            sequence=stop.sequence,
            text=stop.text,
        )

    def going(self, session: DebugSession) -> None:
        self.freeze.thaw(session.host, by_person=session.line is not None and session.continued)

    def is_paused(self) -> bool:
        return self._session.mode == "pause"

    def event_of(self, session: DebugSession) -> dict[str, Any]:
        line = session.line
        if line is None or session.stop is None:
            raise DebugError(f"{session.host} is not stopped", hint="this works while it is stopped at a breakpoint")
        told = line.evaluate("situation")
        if not told:
            raise DebugError(f"{session.host} is not handling an event", hint="it is stopped outside of a handler")
        cause = told.pop("cause")
        return {**told, "cause": self._causes(cause) if cause else []}

    def _causes(self, cause: list[int]) -> list[list[Any]]:
        topic, sequence = cause
        found = self._history.chain((topic, sequence)) if self._history is not None else []
        if found:
            return [list(link) for link in found]
        # It came before anybody debugged: its name is known, but not what led to it.
        names = {topic_hash(name): name for name in self._session.plan.types}
        return [[names[topic], sequence, 0]] if topic in names else []

    # All at once.

    def set_freezing(self, on: bool) -> None:
        """Also while somebody stands: his clock then stands, or goes, with that of the system."""
        self.freeze.set_freezing(on)
        for session in self._all():
            session.follow_clock(on)

    def go_on(self, *, stays: bool = False) -> list[str]:
        """Everybody who stands goes on; `stays`: the gate is left closed, otherwise it is as it was before."""
        for session in self._all():
            session.catch_up()
        let_go = [session for session in self._all() if session.stop is not None]
        if stays or not let_go:
            self._refuse_if_held_elsewhere()
        if stays:
            self.freeze.stay()
        for session in let_go:
            session.let_go()
        self.freeze.thaw(by_person=True)
        if stays:
            for session in let_go:
                self._await_idle(session)
        return [session.host for session in let_go]

    @staticmethod
    def _await_idle(session: DebugSession) -> None:
        """What a held host has to say about the event that it was handling is at the gate before anything else.

        Where it had got more events before the gate was closed, it may stand in the next one instead.
        """
        line = session.line
        if line is not None:
            with suppress(DebugError):
                line.await_true("is_idle", IDLE_WITHIN_S, or_if=lambda: session.stop is not None)
                threading.Event().wait(ARRIVES_WITHIN_S)

    def _refuse_if_held_elsewhere(self) -> None:
        held = [host for host, watch in self._natives.items() if watch.stop is not None]
        if held:
            hint = "continue in that terminal: only the debugger that stopped a process can continue it"
            raise DebugError(f"a debugger in a terminal has stopped {', '.join(held)}", hint=hint)

    def muted(self) -> AbstractContextManager[None]:
        self._refuse_if_held_elsewhere()
        return self._muted()

    @contextmanager
    def _muted(self) -> Iterator[None]:
        with ExitStack() as stack:
            for session in self._all():
                session.mute(True)
                stack.callback(session.mute, False)
            for session in self._all():
                session.let_go()
            yield

    def _all(self) -> list[DebugSession]:
        with self._lock:
            return list(self._sessions.values())

    def facts(self) -> dict[str, Any]:
        """For the snapshot."""
        hosts: dict[str, Any] = {}
        plan = self._session.plan
        for session in self._all():
            stop = session.stop
            hosts[session.host] = {
                "socket": str(session.address),
                "adapter": str(session.adapter),
                "components": [each.name for each in plan.on_host(session.host)],
                "pid": session.line.pid if session.line is not None else None,
                "clients": session.clients,
                "stopped": stop.shown() if stop is not None else None,
            }
        for host, watch in list(self._natives.items()):
            components = [each.name for each in plan.on_host(host)]
            hosts[host] = {"socket": None, "adapter": None, "components": components, **watch.facts()}
        return {"freezing": self.freeze.freezing, "hosts": hosts, "frozen": self.freeze.frozen}

    def close(self) -> None:
        """The system ends: whoever stands is let go, or it could not be asked to stop."""
        if self._closed:
            return
        self._closed = True
        self.freeze.stay()
        for host in [*self._natives]:
            self._natives.pop(host).close()
        for session in self._all():
            with suppress(StudioError):
                self._drop(session.host)
        for line in self._lines.values():  # debugpy in a process that ends waits for this
            line.close()
        self.freeze.close()
