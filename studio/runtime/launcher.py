"""Runs a plan as processes: starts broker and hosts behind the barrier, notices deaths, stops everything.

A session has the same face as the in-process twin: start, step, lockstep, run, pause, command, stop.
"""

from __future__ import annotations

import os
import select
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from studio.errors import StudioError
from studio.model.spec import format_value
from studio.runtime.channel import addresses
from studio.runtime.channel.feeding import FeedThread
from studio.runtime.channel.frames import Event
from studio.runtime.channel.payloads import dismiss_host, remove_producer
from studio.runtime.clock import SECOND_NS, Clock, ClockKind, monotonic_ns
from studio.runtime.control import Control, ControlError
from studio.runtime.observer import Observer
from studio.runtime.plan import RECORDER, Plan, PlannedComponent
from studio.runtime.run_folder import RunFolders

READY_WITHIN_S = 60.0
STOP_WITHIN_S = 4.0
TERMINATE_WITHIN_S = 2.0
RECORDER_WITHIN_S = 30.0
"""A disk may be slow, and what it has not written yet is somebody's field trial."""


class LaunchError(StudioError):
    """A process of the system that could not be started."""


class Session:
    """A running system. Closing it ends every process and removes every trace."""

    def __init__(self, plan: Plan, *, clock: ClockKind = ClockKind.WALL, start_ns: int | None = None) -> None:
        self.plan = plan
        self.folders = RunFolders()
        self.hosts: dict[str, subprocess.Popen[bytes]] = {}
        self.recorder: subprocess.Popen[bytes] | None = None
        self.exits: dict[str, int] = {}
        """Hosts that ended before they were told to, with their exit status."""
        self.restarts: dict[str, int] = {}
        self.broker_restarts = 0
        self._clock_kind = clock
        self._clock: Clock | None = None
        """The clock since it was last set going, for a broker that has to be restarted."""
        self._mode = "pause"
        self._launched = False
        self._stopping = False
        self._feeds: list[FeedThread] = []
        plan.save(addresses.plan_file(self.folders.run))
        arguments = [] if start_ns is None else ["--base-ns", str(start_ns)]
        self.broker = self._start_broker(arguments)
        self.control = Control(self.folders.run, lambda: self.broker_restarts)
        self._supervision = Control(self.folders.run, lambda: self.broker_restarts)
        self.observer = Observer(self.folders.run)
        self._watch = threading.Thread(target=self._watch_children, name="watch", daemon=True)

    # Starting.

    def launch(self) -> None:
        """Start the hosts and wait until all of them are ready; nothing has been delivered yet."""
        try:
            if self.plan.recording is not None:
                words = [sys.executable, "-m", "studio.runtime.recording.recorder"]
                self.recorder = self._spawn(RECORDER, words, {})
            for host in self.plan.hosts:
                self.start_host(host)
            self._await_ready(set(self.plan.greeted))
        except BaseException:
            self.close()
            raise
        self._launched = True
        self._watch.start()

    def start_host(self, host: str) -> None:
        components = self.plan.on_host(host)
        programs = [component for component in components if component.command]
        if programs and len(components) > 1:
            raise LaunchError(f"{programs[0].name} is a program and needs a process of its own", hint="give it no host")
        command = [sys.executable, "-m", "studio.runtime.host"]
        extra: dict[str, str] = {}
        folder: Path | None = None
        if programs:
            folder = Path(programs[0].folder)
            command = _program(programs[0], folder)
            extra = program_environment(programs[0])
        extra |= {"STUDIO_HOST": host, "STUDIO_HOST_INDEX": str(self.plan.hosts[host])}
        self.hosts[host] = self._spawn(host, command, extra, folder)

    def _start_broker(self, arguments: list[str]) -> subprocess.Popen[bytes]:
        words = ["--clock", self._clock_kind.name.lower(), "--incarnation", str(self.broker_restarts + 1), *arguments]
        return self._spawn("broker", [sys.executable, "-m", "studio.runtime.channel.broker", *words], {})

    def _spawn(
        self, name: str, command: list[str], extra: Mapping[str, str], folder: Path | None = None
    ) -> subprocess.Popen[bytes]:
        environment = {
            **os.environ,
            "STUDIO_RUN": str(self.folders.run),
            "STUDIO_PARENT": str(os.getpid()),
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            **extra,
        }
        if self.folders.shared is not None:
            environment["STUDIO_SHM"] = str(self.folders.shared)
        with self.folders.output(name).open("ab") as output:
            return subprocess.Popen(
                command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                start_new_session=True,
            )  # fmt: skip

    def _await_ready(self, wanted: set[str]) -> None:
        end_ns = monotonic_ns() + int(READY_WITHIN_S * SECOND_NS)
        while True:
            try:
                missing = wanted - set(self.control.status(timeout_s=1.0)["ready"])
            except ControlError:
                missing = wanted
            if not missing:
                return
            self._raise_if_dead({name: process for name, process in self._processes().items() if name in missing})
            self._raise_if_dead({"broker": self.broker})
            if monotonic_ns() > end_ns:
                raise LaunchError(f"not ready after {READY_WITHIN_S:g} s: {', '.join(sorted(missing))}")

    def _processes(self) -> dict[str, subprocess.Popen[bytes]]:
        """Hosts and recorder: what can die without taking others along."""
        return self.hosts if self.recorder is None else {**self.hosts, RECORDER: self.recorder}

    def _raise_if_dead(self, processes: Mapping[str, subprocess.Popen[bytes]]) -> None:
        for name, process in processes.items():
            status = process.poll()
            if status is not None:
                raise LaunchError(f"{name} ended at start with status {status}:\n{self.output_of(name)}")

    def output_of(self, name: str, most: int = 4000) -> str:
        """The last of what a process printed."""
        path = self.folders.output(name)
        return path.read_bytes()[-most:].decode(errors="replace") if path.exists() else ""

    # The face it shares with the in-process twin.

    def start(self, mode: str = "pause") -> None:
        self.control.start("pause")
        if mode == "run":
            self.run()

    def step(self, count: int = 1, topic: str | None = None) -> list[tuple[str, int]]:
        self._mode = "pause"
        return self.control.step(count, topic)

    def lockstep(self, until_ns: int | None = None, count: int | None = None, rate: float = 0.0) -> int:
        self._mode = "pause"
        return self.control.lockstep(until_ns, count, rate)

    def run(self, rate: float = 1.0) -> None:
        base_ns, at_ns = self.control.run(rate)
        self._clock = Clock(self._clock_kind, base_ns, at_ns, rate)
        self._mode = "run"

    def pause(self) -> None:
        self._mode = "pause"
        self.control.pause()

    def command(self, component: str, command: Mapping[str, Any]) -> None:
        self._supervision.command(component, command)

    def feed(self, name: str, events: Iterable[Event], topics: Iterable[str]) -> None:
        """Inputs on `topics` from a log or a script, taken when their time has come."""
        self._supervision.ask("feed", name=name, topics=list(topics))
        self._feeds.append(FeedThread(self.folders.run, name, events))

    def stop(self) -> None:
        self.close()

    # Watching.

    def _watch_children(self) -> None:
        while not self._stopping:
            for name, process in self._processes().items():
                if process.poll() is not None and name not in self.exits:
                    self._died(name, process.returncode)
            if self.broker.poll() is not None and not self._stopping:
                self._restart_broker()
            _wait_for_any([self.broker, *self._processes().values()], 0.2)

    def _died(self, name: str, status: int) -> None:
        if self._stopping:
            return
        if self.folders.shared is not None:
            dismiss_host(self.folders.shared, self.plan.hosts.get(name, self.plan.recorder_index))
            remove_producer(self.folders.shared, name)
        if name in self.plan.hosts:
            self._tell("gone", name)
        self.exits[name] = status  # last: whoever sees it may start the host again

    def _tell(self, news: str, host: str) -> None:
        """Tell the broker about a host, until it has heard; one that dies is told again when it is replaced."""
        while self.broker.poll() is None and not self._stopping:
            try:
                self._supervision.ask(news, host=host, timeout_s=2.0)
                return
            except ControlError:
                continue

    def restart_host(self, host: str) -> None:
        """Start a host again that has died; its components come back active, with nothing of their old state."""
        self.hosts[host].wait(5.0)
        self.start_host(host)
        self.restarts[host] = self.restarts.get(host, 0) + 1
        self.exits.pop(host, None)
        self._await_ready({host})
        self._tell("back", host)

    def _restart_broker(self) -> None:
        """The channel goes on with the same clock and mode; what was under way in it is lost, and counted."""
        self.broker_restarts += 1
        words = ["--resume", self._mode]
        if self._clock is not None:
            words += ["--base-ns", str(self._clock.base_ns), "--at-ns", str(self._clock.at_ns)]
        self.broker = self._start_broker(words)
        for host in self.exits.keys() & self.plan.hosts.keys():
            self._tell("gone", host)

    # Ending.

    def close(self) -> None:
        """Ask, then SIGTERM, then SIGKILL; afterwards nothing of the run is left."""
        if self._stopping:
            return
        self._stopping = True
        processes = list(self.hosts.values())
        if self._launched:
            self._ask_to_stop(processes)
        for stop_signal, patience_s in ((signal.SIGTERM, TERMINATE_WITHIN_S), (signal.SIGKILL, 5.0)):
            alive = [process for process in processes if process.poll() is None]
            for process in alive:
                _signal_group(process, stop_signal)
            _wait_all(alive, patience_s)
        self.observer.settle()
        if self.recorder is not None:
            self.recorder.terminate()  # it writes what is still on the way, and closes the log
            _wait_all([self.recorder], RECORDER_WITHIN_S)
            _signal_group(self.recorder, signal.SIGKILL)
            self.recorder.wait()
        self._end_broker()
        if self._watch.is_alive():
            self._watch.join(1.0)
        for feed in self._feeds:
            feed.close()
        self.observer.close()
        self.control.close()
        self._supervision.close()
        self.folders.close()

    def _ask_to_stop(self, processes: list[subprocess.Popen[bytes]]) -> None:
        try:
            self._supervision.ask("stop", timeout_s=2.0)
        except ControlError:
            return  # a broker that is gone or stuck: the signals will do
        _wait_all(processes, STOP_WITHIN_S)

    def _end_broker(self) -> None:
        if self.broker.poll() is None:
            try:
                self._supervision.ask("end", timeout_s=1.0)
                self.broker.wait(1.0)
            except (ControlError, subprocess.TimeoutExpired):
                _signal_group(self.broker, signal.SIGKILL)
        self.broker.wait(5.0)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def program_environment(component: PlannedComponent) -> dict[str, str]:
    """What a component in another language needs to know, as environment variables (docs/protocol.md, section 6)."""
    topics: dict[str, list[str]] = {}
    for inlet in component.inlets:
        topics.setdefault(inlet.port, []).append(inlet.topic)
    deliveries = {inlet.port: inlet.delivery for inlet in component.inlets}
    return {
        "STUDIO_COMPONENT": component.name,
        "STUDIO_PLACE": str(component.place),
        "STUDIO_ORIGIN": str(component.origin),
        **{f"STUDIO_IN_{port}": " ".join(names) for port, names in topics.items()},
        **{f"STUDIO_DELIVERY_{port}": delivery for port, delivery in deliveries.items()},
        **{f"STUDIO_OUT_{port}": topic for port, topic in component.outlets.items()},
        **{f"STUDIO_PARAMETER_{name}": format_value(value) for name, value in component.parameters.items()},
    }


def _program(component: PlannedComponent, folder: Path) -> list[str]:
    program, *words = shlex.split(component.entry)
    path = (folder / program).absolute()
    if not os.access(path, os.X_OK):
        raise LaunchError(f"{component.name}: no program {program} in {folder}", hint="build it: make components")
    return [str(path), *words]


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return


def _wait_all(processes: list[subprocess.Popen[bytes]], patience_s: float) -> None:
    end_ns = monotonic_ns() + int(patience_s * SECOND_NS)
    for process in processes:
        try:
            process.wait(max(0.0, (end_ns - monotonic_ns()) / SECOND_NS))
        except subprocess.TimeoutExpired:
            continue


def _wait_for_any(processes: list[subprocess.Popen[bytes]], patience_s: float) -> None:
    """Until one of them ends: a pidfd becomes readable within a millisecond of a kill -9."""
    poller = select.poll()
    descriptors = []
    for process in processes:
        if process.returncode is None:
            try:
                descriptors.append(os.pidfd_open(process.pid))
            except ProcessLookupError:
                continue
            poller.register(descriptors[-1], select.POLLIN)
    try:
        poller.poll(patience_s * 1000)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
