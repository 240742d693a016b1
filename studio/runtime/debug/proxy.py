"""The debug session of one host, for as many clients as like: the runtime's DAP proxy.

The session is attached to the host from the start, whoever comes and goes. So every client is a late one: the proxy
answers its `initialize`, `attach` and `configurationDone` itself and tells it where the host stands. What it asks then
goes to the debugger in the host under a number of ours, and the response back to that client alone; events go to all.

What holds or lets go a host (a stop, a continue, a step) passes one thread, in order, so that the system is frozen
before it can be told to go on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Protocol
from weakref import WeakSet

from studio.errors import StudioError
from studio.runtime.debug.adapter import write_adapter
from studio.runtime.debug.capabilities import capabilities
from studio.runtime.debug.dap_wire import Message
from studio.runtime.debug.host_line import ANSWERS_WITHIN_S, LOOK_EVERY_S, DebugError, HostLine
from studio.runtime.debug.merged_breakpoints import MergedBreakpoints
from studio.runtime.debug.proxy_client import ProxyClient
from studio.runtime.debug.proxy_clients import ProxyClients
from studio.runtime.debug.stops import Stop, find_stop

STEP_GRACE_S = 0.5
"""A step that has not stopped again within this time has left the handler: the system goes on, until it does."""
STEPS = {"next", "stepIn", "stepOut", "goto"}
_NUMBERS = count(1)
"""Of sessions: names of hosts may be too long for the path of a socket."""


class Watcher(Protocol):
    """Who is told that a host stands, or goes."""

    def stopped(self, session: DebugSession, stop: Stop) -> None: ...

    def going(self, session: DebugSession) -> None:
        """It is about to go on, or is gone."""

    def event_of(self, session: DebugSession) -> dict[str, Any]:
        """The event that it is handling, for `studioEvent`."""

    def is_paused(self) -> bool:
        """Whether the gate is closed."""


class DebugSession:
    """Opened for a host at once; the line to it may come later, be lost with the host, and come again."""

    def __init__(self, host: str, watcher: Watcher, run: Path) -> None:
        self.host = host
        self._watcher = watcher
        self.line: HostLine | None = None
        self.stop: Stop | None = None
        self._lock = threading.RLock()
        address = run / f"debug.{next(_NUMBERS)}"
        self._clients = ProxyClients(self._lock, address, self._come, self._requested, self._gone)
        self.address = address
        self.adapter = write_adapter(address)
        self.broadcast = self._clients.broadcast
        self._merged = MergedBreakpoints(self, self._lock)
        self.mute = self._merged.mute
        self._told_stop: dict[str, Any] | None = None
        self._abandoned = False
        """All clients have left: what they have begun stops nobody any more."""
        self._ours = False
        """The runtime itself has set breakpoints: they stop also where no client is."""
        self._step = 0
        """Numbers the steps and stops, to know whether a step has stopped again."""
        self._stepping = False
        """A step is under way: from the request until it stops again, leaves the handler, or is given up."""
        self._gave_up_step = False
        """It may have stopped before that was known in the host."""
        self._left = threading.Event()
        """The host has gone on from where it stood; set by the line's thread, before the worker hears of it."""
        self.continued = True
        """Whether somebody lets it go on from where it stopped last, and not only because nobody is left."""
        self.there = threading.Event()
        """The line to the host stands, or there is a failure to tell."""
        self.failure = ""
        self.configured = threading.Event()
        """A client has set its breakpoints."""
        self._forgotten: WeakSet[HostLine] = WeakSet()
        """Lines that are lost, and of which that has been told."""
        self._hidden: set[int] = set()
        """Threads that the debugger leaves alone."""
        self.ended = False
        self.expected = 0
        """How many times the host has been invited and not come yet."""
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads = [
            self._clients.thread,
            threading.Thread(target=self._labour, name="debug session", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def clients(self) -> int:
        return len(self._clients)

    # The host's side.

    def connected(self, line: HostLine) -> None:
        """The host is there, or there again: it gets everybody's breakpoints before it goes on."""
        with self._lock:
            before, self.line = self.line, line
            self._merged.tell_all()
        if before is not None and before is not line:
            self._work.put(lambda: self._on_lost(before))
        line.ask("configurationDone")
        line.await_true("is_tracing")
        if self.ended:  # nobody wants it any more, but it may have waited for this
            line.ask("disconnect", {"terminateDebuggee": False})
            return
        self._hide_threads(line)
        self.failure = ""
        self.there.set()
        for client in self._clients.configured():
            self._tell_process(client)

    def failed(self, why: str) -> None:
        """The host has not come."""
        if self.line is None:
            self.failure = why
            self.there.set()

    def _hide_threads(self, line: HostLine) -> None:
        """The I/O thread of a host is not held; nobody can do anything with it."""
        for thread in line.ask("threads").get("threads", []):
            if thread.get("name") == "MainThread":
                self._hidden.add(thread["id"])

    def heard(self, line: HostLine, event: Message) -> None:
        """The line's thread: something has happened in the host."""
        body = event.get("body") or {}
        match event.get("event"):
            case "stopped":
                self._work.put(lambda: self._on_stopped(line, body))
            case "continued":
                self._left.set()
                self._work.put(lambda: self._on_continued(line, body))
            case "breakpoint":
                for each in self._merged.breakpoints.changed(body.get("breakpoint", {})):
                    self.broadcast("breakpoint", {"reason": body.get("reason", "changed"), "breakpoint": each})
            case "thread" if body.get("threadId") in self._hidden:
                return
            case "initialized" | "process" | "terminated" | "exited" | None:
                return  # ours to tell
            case name:
                self.broadcast(str(name), body)

    def lost(self, line: HostLine) -> None:
        """The line's thread: the host has ended, or its debugger has."""
        self._left.set()
        self._work.put(lambda: self._on_lost(line))

    def _on_lost(self, line: HostLine) -> None:
        with self._lock:
            if line in self._forgotten:
                return  # the next one was there before
            self._forgotten.add(line)
            was, self.stop, self._told_stop, self._stepping = self.stop, None, None, False
            if self.line is line:
                self.line = None
                self._hidden.clear()
                self.there.clear()
        if was is not None:
            self.broadcast("continued", {"threadId": was.thread, "allThreadsContinued": True})
        self.broadcast("output", {"category": "important", "output": f"{self.host}: its process has ended\n"})
        self._watcher.going(self)

    # The thread that holds and lets go.

    def _labour(self) -> None:
        while (job := self._work.get()) is not None:
            try:
                job()
            except StudioError as failure:
                self.broadcast("output", {"category": "important", "output": f"{failure}\n"})

    def _on_stopped(self, line: HostLine, body: dict[str, Any]) -> None:
        self._step += 1
        self.continued = True
        if line is not self.line:
            return  # of a process that has ended
        self._hidden.discard(body.get("threadId", 0))  # a host that is just being set up
        if self._merged.are_muted or self._abandoned:
            self._stepping = self.continued = False
            line.let_go()  # no answer is waited for: who left it alone may have let it go before, and none would come
            self._watcher.going(self)
            return
        if self._gave_up_step:
            self._gave_up_step = False
            if not line.evaluate("is_suspended"):
                return  # where the step ended: it was let go from there with it
        behind = self._merged.breakpoints.behind
        translated = [ours for theirs in body.get("hitBreakpointIds", []) for ours in behind(theirs)]
        self._told_stop = {**body, "hitBreakpointIds": translated} if "hitBreakpointIds" in body else body
        self.broadcast("stopped", self._told_stop)
        stop = find_stop(line, body)
        self._stepping = False
        try:
            # The freeze first: a snapshot of a moment between the two would show code that stopped, within no event.
            self._watcher.stopped(self, stop)
        finally:
            self.stop = stop

    def _on_continued(self, line: HostLine, body: dict[str, Any]) -> None:
        self.broadcast("continued", body)
        if self.stop is None or line is not self.line:
            return
        self.stop = self._told_stop = None
        if not self._stepping:
            self._watcher.going(self)
            return
        step = self._step
        later = threading.Timer(STEP_GRACE_S, lambda: self._work.put(lambda: self._has_left(step)))
        later.daemon = True
        later.start()

    def _has_left(self, step: int) -> None:
        """A step that did not stop again."""
        if step == self._step and self._stepping and self.stop is None:
            self._stepping = False
            self._watcher.going(self)

    def _resume(self, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
        """Worker: let the host go on. What follows from that is done first, while it still stands.

        debugpy answers `continue` only for a thread that it holds. One that is being stepped is not held, or is about
        to be let go: the step is given up then, and nobody waits for an answer.
        """
        line, stop, was_stepping = self.line, self.stop, self._stepping
        self._stepping = False
        if line is not None and was_stepping:
            self._give_up_step(line, stop)
        elif line is not None and stop is not None:
            self._set_clock_going()
            line.ask("continue", arguments or {"threadId": stop.thread})
        self._told_stop = None  # a client that connects now finds it going
        return {"allThreadsContinued": True}

    def _give_up_step(self, line: HostLine, stop: Stop | None) -> None:
        if stop is not None:
            # The step has been asked for, and `continued` is to come. If it were let go before that, the step would
            # stay in debugpy's queue, and be done at the next stop.
            self._left.wait(ANSWERS_WITHIN_S)
        self._set_clock_going()
        line.let_go()
        self._gave_up_step = True
        if stop is None:
            self._watcher.going(self)

    def _go_on_alone(self) -> None:
        """Nobody is left who could let it go, also from where a step ends that is under way."""
        if self._may_stand:
            return
        self.continued = False
        with suppress(DebugError):  # it may not answer: then it is let go below, or is lost
            self._resume()
        if self.line is not None:
            self.line.let_go_for_good(unless=lambda: self._may_stand)

    @property
    def _may_stand(self) -> bool:
        """A client has come since, and is told where it stands; or the runtime has stepped into it."""
        return bool(self._clients) or self._ours

    def clock_stands(self, on: bool) -> None:
        """The host's own clock stands with the system's, or goes with it."""
        if self.line is not None:
            with suppress(DebugError):
                self.line.evaluate("stop_clock" if on else "go_on")

    def _set_clock_going(self) -> None:
        """Where the gate was closed, its marker waits for the host and sets the clock: it would go back by then."""
        if not self._watcher.is_paused():
            self.clock_stands(False)

    def follow_clock(self, stands: bool) -> None:
        """From any thread: of a host that is held, in order with what holds it and lets it go."""
        self._work.put(lambda: self.clock_stands(stands) if self.stop is not None else None)

    def catch_up(self) -> None:
        """From any thread: returns when what was heard of the host is known; clients hear of a stop before."""
        done = threading.Event()
        self._work.put(done.set)
        self._await_worker(done)

    def let_go(self) -> None:
        """From any thread: the host goes on if it stands. Returns when it does."""
        done = threading.Event()

        def job() -> None:
            try:
                self._resume()
            finally:
                done.set()

        self._work.put(job)
        self._await_worker(done)

    def _await_worker(self, done: threading.Event) -> None:
        """What it has to do before is bounded; once it has ended, nothing is done any more."""
        while not done.wait(LOOK_EVERY_S) and self._threads[-1].is_alive():
            continue

    # Breakpoints.

    def set_ours(self, places: list[tuple[str, int]]) -> None:
        """Breakpoints of the runtime itself, in place of those it had."""
        with self._lock:
            self._ours = bool(places)
            self._abandoned = self._abandoned and not places
        self._merged.set_ours(places)

    # The clients' side.

    def _come(self) -> bool:
        """A client connects, and the lock is held."""
        if self.ended:
            return False
        self._abandoned = False  # at once: what it sets may stop somebody before it has been welcomed
        return True

    def _gone(self, client: ProxyClient) -> None:
        """The client's thread. Its breakpoints go with it; if it was the last one, nobody is left to continue."""
        with self._lock:
            if not self._clients.remove(client):
                return
            left = bool(self._clients)
            self._merged.leave(client)
            if left or self.ended:
                return
            self._abandoned = not self._ours
        self._work.put(self._go_on_alone)

    def _requested(self, client: ProxyClient, request: Message) -> None:
        try:
            self._obey(client, request)
        except (StudioError, KeyError, TypeError, ValueError, AttributeError) as error:
            client.respond(request, error=str(error))

    def _obey(self, client: ProxyClient, request: Message) -> None:
        arguments = request.get("arguments") or {}
        match request.get("command"):
            case "initialize":
                client.name = str(arguments.get("clientName") or arguments.get("clientID") or client.name)
                client.respond(request, capabilities(self.line.capabilities if self.line is not None else None))
            case "attach" | "launch":
                client.respond(request)
                client.event("initialized")
            case "configurationDone":
                client.respond(request)
                self._work.put(lambda: self._welcome(client))  # in order, or it would be told of a stop twice
            case "disconnect" | "terminate" as command:
                client.respond(request)
                if command == "terminate":
                    client.event("terminated")
                self._gone(client)
                client.close()
            case "setBreakpoints":
                self._merged.set(client, arguments, partial(client.respond, request))
            case "setExceptionBreakpoints":
                self._merged.set_exceptions(client, arguments)
                client.respond(request)
            case "continue":
                self._work.put(lambda: self._answered(client, request, lambda: self._resume(arguments)))
            case "studioEvent":
                self._work.put(lambda: self._answered(client, request, lambda: self._watcher.event_of(self)))
            case command if command in STEPS:
                self._work.put(lambda: self._start_step(client, request))
            case _:
                self._pass_on(client, request)

    @staticmethod
    def _answered(client: ProxyClient, request: Message, job: Callable[[], dict[str, Any]]) -> None:
        try:
            client.respond(request, job())
        except StudioError as error:
            client.respond(request, error=str(error))

    def _start_step(self, client: ProxyClient, request: Message) -> None:
        if self.stop is None:  # debugpy would take it, and might come to stand without saying so
            client.respond(request, error=f"{self.host} is not stopped, so it cannot be stepped")
            return
        self._stepping = True
        self._left.clear()
        self._pass_on(client, request)

    def _pass_on(self, client: ProxyClient, request: Message) -> None:
        line = self.line
        if line is None:
            client.respond(request, error=f"{self.host} is not ready: its process is being started")
            return

        def answered(response: Message) -> None:
            if request["command"] == "threads" and response.get("success"):
                threads = response.get("body", {}).get("threads", [])
                response["body"] = {"threads": [each for each in threads if each.get("id") not in self._hidden]}
            client.forward(request, response)

        line.send(str(request["command"]), request.get("arguments"), answered)

    def _welcome(self, client: ProxyClient) -> None:
        """From here on it hears what happens, beginning with where the host stands."""
        client.configured = True
        self._tell_process(client)
        told = self._told_stop
        if told is not None:
            client.event("stopped", told)
        self.configured.set()

    def _tell_process(self, client: ProxyClient) -> None:
        line = self.line
        if line is not None:
            about = {"name": self.host, "systemProcessId": line.pid, "isLocalProcess": True, "startMethod": "attach"}
            client.event("process", about)

    def close(self) -> None:
        """Nobody is debugged here any more: the host goes on without breakpoints, clients are told and let go."""
        with self._lock:
            self.ended = True
            line = self.line
        clients = self._clients.stop_listening()
        self.adapter.unlink(missing_ok=True)
        if line is not None:
            with suppress(DebugError):
                self.mute(True)
                if self.stop is not None:
                    self._set_clock_going()
                line.let_go_for_good()
                line.ask("disconnect", {"terminateDebuggee": False}, timeout_s=3.0)
        self._work.put(None)
        if threading.current_thread() not in self._threads:
            self._threads[-1].join(ANSWERS_WITHIN_S)  # it may just be telling of a stop
        self.stop = None
        self._watcher.going(self)
        for client in clients:
            client.event("terminated")
            client.close()
