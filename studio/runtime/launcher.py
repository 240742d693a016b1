"""Runs a plan as processes: starts broker and hosts behind the barrier, has them supervised, stops everything.

A session has the same face as the in-process twin: start, step, lockstep, run, pause, command, stop.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from studio.model.geometry.content import GeometryContent
from studio.runtime import live_change
from studio.runtime.captured_output import Outputs
from studio.runtime.channel import addresses
from studio.runtime.channel.feeding import FeedThread
from studio.runtime.channel.frames import Event
from studio.runtime.channel.gate import Delivered
from studio.runtime.channel.payloads import dismiss_host, remove_producer
from studio.runtime.channel.rewinding import can_rewind
from studio.runtime.clock import SECOND_NS, Clock, ClockKind, monotonic_ns
from studio.runtime.control import Control, ControlError
from studio.runtime.ending import STOP_WITHIN_S, Deadline, await_writer
from studio.runtime.events import Happening, RecordingMoved
from studio.runtime.gate_control import GateControl
from studio.runtime.guard import Guard
from studio.runtime.observer import Observer
from studio.runtime.plan import EVERYBODY, RECORDER, Plan, geometry_command
from studio.runtime.plan_change import PlanChange, plan_change
from studio.runtime.process import Process, end_all, signal_group, wait_all, wait_for_any
from studio.runtime.run_folder import RunFolders
from studio.runtime.spawning import LaunchError, spawn, spawn_host
from studio.runtime.supervision import BROKER, UNLIMITED, RestartPolicy, Supervisor
from studio.runtime.told_commands import ToldCommand, ToldCommands

READY_WITHIN_S = 60.0
LOOK_EVERY_S = 0.01
ASK_WITHIN_S = 1.0
ENDS_WITHIN_S = 4.0
TERMINATE_WITHIN_S = 2.0
RECORDER_WITHIN_S = 6.0
"""It looks for what is still on its way for five."""
BROKER_ENDS_WITHIN_S = 1.0
BROKER_ANSWERS_WITHIN_S = 5.0
HAPPENINGS = 1000
FIRST_REPORT_WITHIN_S = 5.0


class Session:
    """A running system. Closing it ends every process and removes every trace."""

    def __init__(
        self,
        plan: Plan,
        *,
        clock: ClockKind = ClockKind.WALL,
        start_ns: int | None = None,
        policy: RestartPolicy | None = None,
    ) -> None:
        """With a `policy` hosts and recorder that die are restarted; without one only the broker is, always."""
        self.plan = plan
        self.folders = RunFolders()
        self.outputs = Outputs()
        self.hosts: dict[str, Process] = {}
        self.recorder: Process | None = None
        self.exits: dict[str, int] = {}
        """Processes that ended before they were told to and are not back, with their exit status."""
        self.broker_restarts = 0
        self.happenings: deque[Happening] = deque(maxlen=HAPPENINGS)
        self.listeners: list[Callable[[Happening], None]] = []
        """Called by the supervisor's thread with all that happens to the processes."""
        self.before_host: Callable[[str], None] = lambda _: None
        """Called before a host is started, the first time or again."""
        self.before_close: Callable[[], None] = lambda: None
        """Called when the system is to end, while everybody is still there."""
        self.muted: Callable[[], AbstractContextManager[None]] = nullcontext
        """While it lasts no debugger stops anybody, and who was held is let go; the gate stays closed."""
        self.on_hit: Callable[[dict[str, Any]], None] = lambda _: None
        """Called by whoever has the gate deliver, when an event breakpoint has stopped it."""
        self._policy = policy
        self._clock_kind = clock
        self._clock: Clock | None = None
        """The clock since it was last set going, for a broker that has to be restarted."""
        self.epoch = 0
        """The last one that was asked for; a broker that has to be restarted begins with it."""
        self._mode = "pause"
        self.told = ToldCommands()
        """What components have been told while the gate was closed, and have not got yet."""
        self._launched = False
        self._stopping = False
        self._feeds: list[FeedThread] = []
        self._checkpoint_bytes: dict[int, int] = {}
        self._guard = None if policy is None else Guard(filter(None, (self.folders.run, self.folders.shared)))
        self.save_plan()
        arguments = [] if start_ns is None else ["--base-ns", str(start_ns)]
        self.broker = self._start_broker(arguments)
        self.control = Control(self.folders.run, self._answering)
        self.control.on_hit = self.hit
        self._supervision = Control(self.folders.run, self._answering)
        self.observer = Observer(self.folders.run)
        self.supervisor = Supervisor(self, self._policy_of, self.happened)

    @property
    def restarts(self) -> dict[str, int]:
        """Of hosts and recorder, by name; those that never were are left out."""
        wards = self.supervisor.wards.items()
        return {name: ward.restarts for name, ward in wards if ward.restarts and name != BROKER}

    def _answering(self) -> int:
        """Changes when a question that is on its way will get no answer any more: the broker died, or we stop."""
        incarnation = self.broker_restarts + 1
        return -incarnation if self._stopping else incarnation

    def _policy_of(self, name: str) -> RestartPolicy | None:
        return self._policy or (UNLIMITED if name == BROKER else None)

    def happened(self, happening: Happening) -> None:
        """Tell everybody who listens."""
        self.happenings.append(happening)
        for listener in self.listeners:
            listener(happening)

    def hit(self, hit: dict[str, Any]) -> None:
        """The gate stands at an event breakpoint."""
        self.on_hit(hit)

    def set_stops(self, **fields: Any) -> None:
        """Event breakpoints for the gate (event_breaks), or whether it heeds them."""
        self._supervision.ask("stops", **fields)

    @property
    def stopping(self) -> bool:
        return self._stopping

    @property
    def rate(self) -> float:
        """Of the clock, as it was last set going."""
        return self._clock.rate if self._clock is not None else 1.0

    @property
    def mode(self) -> str:
        """`run` or `pause`, as last asked for."""
        return self._mode

    def remember(self, component: str, **changes: Any) -> None:
        """Keep a parameter, mode or period that was changed while it runs: a restart does not undo it."""
        planned = self.plan.by_name[component]
        if "parameters" in changes:
            changes["parameters"] = {**planned.parameters, **changes["parameters"]}
        others = tuple(replace(each, **changes) if each is planned else each for each in self.plan.components)
        self.plan = replace(self.plan, components=others)
        self.save_plan()

    def save_plan(self) -> None:
        """In one step: a host that is just being started must not read half a plan."""
        file = addresses.plan_file(self.folders.run)
        self.plan.save(file.with_suffix(".new"))
        os.replace(file.with_suffix(".new"), file)

    # Starting.

    def launch(self) -> None:
        """Start the hosts and wait until all of them are ready; nothing has been delivered yet."""
        try:
            if self.plan.recording is not None:
                self.start_recorder()
            for host in self.plan.hosts:
                self.start_host(host)
            self._await_ready(set(self.plan.greeted))
        except BaseException:
            self.close()
            raise
        self._launched = True
        self.supervisor.start()

    def start_host(self, host: str) -> None:
        self.before_host(host)
        self.hosts[host] = self._guarded(spawn_host(host, self.plan, self.folders, self.outputs))

    def start_recorder(self) -> None:
        words = [sys.executable, "-m", "studio.runtime.recording.recorder"]
        self.recorder = self._guarded(spawn(RECORDER, words, self.folders, self.outputs))

    def _start_broker(self, arguments: list[str]) -> Process:
        words = ["--clock", self._clock_kind.name.lower(), "--incarnation", str(self.broker_restarts + 1), *arguments]
        command = [sys.executable, "-m", "studio.runtime.channel.broker", *words]
        return self._guarded(spawn(BROKER, command, self.folders, self.outputs))

    def _guarded(self, process: Process) -> Process:
        if self._guard is not None:
            self._guard.add(process.pid)
        return process

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
            if self.supervisor.held:  # somebody debugs its start, and takes the time
                end_ns = monotonic_ns() + int(READY_WITHIN_S * SECOND_NS)
            if monotonic_ns() > end_ns:
                raise LaunchError(f"not ready after {READY_WITHIN_S:g} s: {', '.join(sorted(missing))}")
            wait_for_any(self._processes().values(), LOOK_EVERY_S)  # asking without a pause takes a core from the hosts

    def _processes(self) -> dict[str, Process]:
        """Hosts and recorder: what can die without taking others along."""
        return dict(self.hosts) if self.recorder is None else {**self.hosts, RECORDER: self.recorder}

    def _raise_if_dead(self, processes: Mapping[str, Process]) -> None:
        for name, process in processes.items():
            status = process.poll()
            if status is not None:
                raise LaunchError(f"{name} ended at start with status {status}:\n{self.output_of(name)}")

    def output_of(self, name: str, most: int = 4000) -> str:
        """The last of what a process printed."""
        return self.outputs.text(name, most)

    # The face it shares with the in-process twin.

    def start(self, mode: str = "pause") -> None:
        self.control.start("pause")
        if mode == "run":
            self.run()

    def step(self, count: int = 1, topic: str | None = None) -> list[tuple[str, int]]:
        self._mode = "pause"
        live_change.remind(self)
        delivered = self.control.step(count, topic)
        self.told.came(name for name, _ in delivered)
        return delivered

    def lockstep(self, until_ns: int | None = None, count: int | None = None, rate: float = 0.0, lag: int = 0) -> int:
        """`lag`: how many events those who only listen may be behind while it goes on; the order is the same."""
        self._mode = "pause"
        live_change.remind(self)
        if not self.told:
            return self.control.lockstep(until_ns, count, rate, lag)
        came = GateControl(self.control).go(until_ns, count, rate=rate, lag=lag).came  # the same, and tells what came
        self.told.came(event.topic for event in came)
        return len(came)

    def run(self, rate: float = 1.0) -> None:
        live_change.remind(self)
        base_ns, at_ns = self.control.run(rate)
        self.told.clear()
        self._clock = Clock(self._clock_kind, base_ns, at_ns, rate)
        self._mode = "run"

    def pause(self) -> None:
        self._mode = "pause"
        self.control.pause()

    def status(self) -> dict[str, Any]:
        """Of the broker, also while somebody waits for a step or a pause."""
        return self._supervision.status()

    def command(self, component: str, command: Mapping[str, Any]) -> None:
        for name, each in self.plan.linked(component, command):
            self._supervision.command(name, each)

    def tell_geometry(self, content: GeometryContent) -> None:
        """Another geometry from here on, at one place of the stream; also for those who are started later."""
        self.plan = replace(self.plan, geometry=content)
        self.save_plan()
        self.command(EVERYBODY, geometry_command(content))

    def command_at_once(self, component: str, command: Mapping[str, Any], timeout_s: float) -> None:
        """The same, but past all that waits at a closed gate; returns when it has been handled there."""
        control = Control(self.folders.run, self._answering)  # it may take long, and nobody else is to wait
        try:
            control.ask("command", component=component, command=dict(command), at_once=True, timeout_s=timeout_s)
        finally:
            control.close()

    def obedient_programs(self) -> set[str]:
        """Components in other languages that say of themselves that they obey what is done by hand."""
        programs = [component for component in self.plan.components if component.command]
        alive = [each.host for each in programs if each.host in self.hosts and each.host not in self.exits]
        self.observer.await_reports(alive, 0, FIRST_REPORT_WITHIN_S)
        return {each.name for each in programs if self.observer.component(each.name).get("by_hand")}

    def end_hearers(self) -> list[str]:
        """Components that have something to do when a log has ended, in order of place."""
        alive = [host for host in self.hosts if host not in self.exits]
        self.observer.await_reports(alive, 0, FIRST_REPORT_WITHIN_S)
        return [name for name in self.plan.by_name if self.observer.component(name).get("hears_end")]

    def feed(
        self, name: str, events: Iterable[Event], topics: Iterable[str], thread: type[FeedThread] = FeedThread
    ) -> FeedThread:
        """Inputs on `topics` from a log or a script, taken when their time has come."""
        self._supervision.ask("feed", name=name, topics=list(topics), rewindable=can_rewind(events))
        self._feeds.append(thread(self.folders.run, name, events))
        return self._feeds[-1]

    def upcoming(self) -> list[dict[str, Any]]:
        """What the gate delivers next, as far as it is known."""
        events: list[dict[str, Any]] = self.control.ask("upcoming", timeout_s=None)["events"]
        return events

    def upcoming_at_once(self) -> dict[str, Any]:
        """The same, also while an event is being handled, which may lead to others before these: then it is `busy`."""
        reply = self._supervision.ask("coming")
        return {"events": reply["events"], "busy": reply["busy"]}

    def advance(
        self, count: int = 1, topic: str | None = None, until_ns: int | None = None, most: int | None = None
    ) -> list[Delivered]:
        self._mode = "pause"
        live_change.remind(self)
        delivered = self.control.advance(count, topic, until_ns, most)
        self.told.came(event.topic for event in delivered)
        return delivered

    def checkpoint(self) -> int:
        self._mode = "pause"
        number, self._checkpoint_bytes[number] = self.control.checkpoint()
        return number

    def checkpoint_bytes(self, number: int) -> int:
        return self._checkpoint_bytes[number]

    def restore(self, number: int) -> None:
        self._mode = "pause"
        self.control.restore(number)

    def forget(self, number: int) -> None:
        self._checkpoint_bytes.pop(number, None)
        self.control.forget(number)

    def digest(self) -> dict[str, Any]:
        self._mode = "pause"
        return self.control.digest()

    def change(self, plan: Plan, *, restart: bool = False) -> PlanChange:
        """Make another plan of the running one: who is in both goes on as it is. Paused meanwhile, for a moment.

        Raises CannotChange, and changes nothing, where a host would have to be restarted and `restart` is not set.
        """
        return live_change.change(self, plan, restart=restart)

    def jump(self, to_ns: int, clock: ClockKind | None = None, anew: Collection[str] = ()) -> dict[str, Any]:
        """Pause, and begin a new epoch at another time, by another clock if one is given. The broker's reply.

        `anew`: components that begin in it as at the start of the run.
        """
        self._mode = "pause"
        reply = live_change.jump(self, to_ns, clock, anew)
        self.plan = replace(self.plan, by_hand=())  # what was made up belongs to the epoch that is over
        self._clock_kind = self._clock_kind if clock is None else clock
        self._clock = Clock.starting_at(self._clock_kind, to_ns, rate=0.0)
        return reply

    def switch(self, plan: Plan) -> int:
        """Change where data comes from: everything of before is finished or dropped, then a new epoch begins.

        Components hear of a clock jump, at which actuators disarm. Returns the epoch.
        """
        plan_change(self.plan, plan, obedient=self.obedient_programs())  # raises before anything has happened
        with live_change.paused(self, self.run):
            # The epoch first: what still arrives from those who leave is then of one that is over.
            epoch = int(self.jump(self.status()["now_ns"])["epoch"])
            self.change(plan)
        return epoch

    def begin_anew(self, components: Collection[str]) -> int:
        """These begin as at the start of the run, and all others hear of a clock jump. Returns the epoch."""
        rate = self.rate
        with live_change.paused(self, lambda: self.run(rate)):
            return int(self.jump(self.status()["now_ns"], anew=components)["epoch"])

    def see_off(self, plan: Plan, leaving: Mapping[str, Process]) -> None:
        """They have been told to stop."""
        wait_all(leaving.values(), ENDS_WITHIN_S)
        end_all(leaving.values(), TERMINATE_WITHIN_S)
        for host, process in leaving.items():
            signal_group(process, signal.SIGKILL)  # what it started itself
            if self._guard is not None:
                self._guard.discard(process.pid)
            if self.folders.shared is not None:
                dismiss_host(self.folders.shared, plan.hosts[host])
                remove_producer(self.folders.shared, host)
            self.exits.pop(host, None)

    def end_recorder(self) -> None:
        """It writes what is still on the way and closes the log; nobody looks after it any more."""
        while self.recorder is not None:  # one that died may just have been started again
            process, self.recorder = self.recorder, None
            self.supervisor.release(RECORDER)
            process.terminate()
            await_writer(process, self._log_file(), RECORDER_WITHIN_S)
            signal_group(process, signal.SIGKILL)
            process.wait()
            if self._guard is not None:
                self._guard.discard(process.pid)
            if self.folders.shared is not None:
                dismiss_host(self.folders.shared, self.plan.recorder_index)
            self.exits.pop(RECORDER, None)

    def stop(self) -> None:
        self.close()

    # What its supervisor asks of it.

    def processes(self) -> dict[str, Process]:
        return {BROKER: self.broker, **self._processes()}

    def lost(self, name: str, status: int) -> None:
        if self._stopping:
            return
        process = self.processes()[name]
        signal_group(process, signal.SIGKILL)  # what it started itself
        if self._guard is not None:
            self._guard.discard(process.pid)
        if name == BROKER:
            return
        if self.folders.shared is not None:
            dismiss_host(self.folders.shared, self.plan.hosts.get(name, self.plan.recorder_index))
            remove_producer(self.folders.shared, name)
        self._tell("gone", name)
        self.exits[name] = status  # last: whoever sees it may start the host again

    def restart(self, name: str) -> None:
        """Start it again; components come back active, with nothing of their old state."""
        if name == BROKER:
            self._restart_broker()
        elif name == RECORDER:
            self._restart_recorder()
        else:
            self.start_host(name)
        self.exits.pop(name, None)

    def ready(self) -> list[str]:
        try:
            return list(self._supervision.status(timeout_s=0.5)["ready"])
        except ControlError:
            return []

    def back(self, name: str) -> bool:
        if name not in self.plan.hosts:
            return True
        waits = self._mode == "pause"  # for the gate to deliver its activation
        names = [component.name for component in self.plan.on_host(name)] if waits else []
        told = [ToldCommand(self.broker_restarts, each, {"do": "activate"}) for each in names]
        self.told.keep(told)
        is_told = self._tell("back", name)
        if not is_told:  # it is tried again
            self.told.drop(told)
        return is_told

    def heard_ns(self, name: str) -> int | None:
        return self.observer.heard_ns.get(name)

    def hold(self, name: str, hung: bool) -> None:
        if name in self.plan.hosts:
            self._tell("held" if hung else "released", name)

    def hold_in_debugger(self, host: str, on: bool) -> None:
        """A debugger holds a host, or lets it go: it is not taken for hung, and a pause does not wait for it."""
        held = self.supervisor.held
        held.add(host) if on else held.discard(host)
        self.hold(host, on)

    def kill(self, name: str) -> None:
        process = self.processes()[name]
        if process.poll() is None:  # the number of one that has long ended may be somebody else's by now
            signal_group(process, signal.SIGKILL)

    def _tell(self, news: str, host: str) -> bool:
        """Tell the broker about a host, until it has heard; one that dies is told again when it is replaced."""
        end_ns = monotonic_ns() + int(BROKER_ANSWERS_WITHIN_S * SECOND_NS)
        while self.broker.poll() is None and not self._stopping:
            try:
                self._supervision.ask(news, host=host, timeout_s=1.0)
                return True
            except ControlError:
                if monotonic_ns() > end_ns:
                    self.kill(BROKER)  # it stands still, and everybody with it
        return False

    def restart_host(self, host: str) -> None:
        """Start a host again that is dead, alive or given up, and wait until it is back in the channel."""
        before = self.supervisor.restarts(host)
        self.supervisor.request_restart(host)
        self.await_back(host, before)

    def await_back(self, host: str, before: int) -> None:
        end_ns = monotonic_ns() + int(READY_WITHIN_S * SECOND_NS)
        while not self.supervisor.is_back(host, before):
            if self.supervisor.gave_up(host):
                raise LaunchError(f"{host}: {self.supervisor.wards[host].last_exit}")
            if self.supervisor.held:
                end_ns = monotonic_ns() + int(READY_WITHIN_S * SECOND_NS)
            if monotonic_ns() > end_ns:
                raise LaunchError(f"{host} is not back after {READY_WITHIN_S:g} s:\n{self.output_of(host)}")

    def _restart_broker(self) -> None:
        """The channel goes on with the same clock and mode; what was under way in it is lost, and counted."""
        self.broker_restarts += 1
        words = ["--resume", self._mode, "--epoch", str(self.epoch)]
        if self._clock is not None:
            clock = self._clock
            words += ["--base-ns", str(clock.base_ns), "--at-ns", str(clock.at_ns), "--rate", str(clock.rate)]
        self.broker = self._start_broker(words)
        for host in self.exits.keys() & self.plan.greeted:
            self._tell("gone", host)
        for host in self.supervisor.held & self.plan.hosts.keys():
            self._tell("held", host)

    def _restart_recorder(self) -> None:
        """A log is never written again: the new recorder gets a file of its own."""
        if self.plan.recording is None:  # it was to end anyway
            return
        before = Path(self.plan.recording.file)
        if not before.exists():  # the first one
            self.start_recorder()
            return
        file = _next_free(before)
        self.plan = replace(self.plan, recording=replace(self.plan.recording, file=str(file)))
        self.save_plan()
        self.start_recorder()
        self.happened(RecordingMoved(RECORDER, str(file)))

    # Ending.

    def close(self) -> None:
        """Ask, then SIGTERM, then SIGKILL, within ten seconds (ending.py); afterwards nothing of the run is left."""
        if self._stopping:
            return
        deadline = Deadline(STOP_WITHIN_S)
        self.before_close()
        self._stopping = True
        self.supervisor.rest()
        # What is left of those who ended before was ended then, and their numbers may be somebody else's by now.
        processes = [process for host, process in self.hosts.items() if host not in self.exits]
        if self._launched:
            self._ask_to_stop(processes)
        end_all(processes, TERMINATE_WITHIN_S)
        self.observer.settle()
        if self.recorder is not None:
            self.recorder.terminate()  # it writes what is still on the way, and closes the log
            patience_s = deadline.left_s(RECORDER_WITHIN_S, keep_s=BROKER_ENDS_WITHIN_S)
            await_writer(self.recorder, self._log_file(), patience_s)
            processes.append(self.recorder)
        self._end_broker()
        for process in processes:  # also what those who ended in time have left running
            signal_group(process, signal.SIGKILL)
            process.wait()
        self.supervisor.end()
        for feed in self._feeds:
            feed.close()
        self.observer.close()
        self.control.close()
        self._supervision.close()
        self.outputs.close()
        self.folders.close()
        if self._guard is not None:
            self._guard.close()

    def _ask_to_stop(self, processes: list[Process]) -> None:
        asked_ns = monotonic_ns()
        try:
            self._supervision.ask("stop", timeout_s=ASK_WITHIN_S)
        except ControlError:
            return  # a broker that is gone or stuck: the signals will do
        wait_all(processes, ENDS_WITHIN_S - (monotonic_ns() - asked_ns) / SECOND_NS)

    def _log_file(self) -> Path:
        return Path(self.plan.recording.file) if self.plan.recording is not None else Path()

    def _end_broker(self) -> None:
        if self.broker.poll() is None:
            deadline = Deadline(BROKER_ENDS_WITHIN_S)
            try:
                self._supervision.ask("end", timeout_s=deadline.left_s())
                self.broker.wait(deadline.left_s())
            except (ControlError, subprocess.TimeoutExpired):
                signal_group(self.broker, signal.SIGKILL)
        self.broker.wait(5.0)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _next_free(file: Path) -> Path:
    """`out.mcap` -> `out_2.mcap`, or the next number that is not taken."""
    number = 2
    while (candidate := file.with_name(f"{file.stem}_{number}{file.suffix}")).exists():
        number += 1
    return candidate
