"""The processes of a run: broker, hosts and recorder. How each of them is started, and how it is ended."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from studio.runtime.base.clock import Clock, ClockKind
from studio.runtime.base.interpreter import module_command
from studio.runtime.base.process import Process, end_all, signal_group, wait_all
from studio.runtime.channel.payloads import dismiss_host, remove_producer
from studio.runtime.channel.run_folder import RunFolders
from studio.runtime.plan.plan import RECORDER, Plan
from studio.runtime.processes.captured_output import Outputs
from studio.runtime.processes.control import Control, ControlError
from studio.runtime.processes.guard import Guard
from studio.runtime.processes.observer import Observer
from studio.runtime.processes.spawning import spawn, spawn_host
from studio.runtime.processes.stop_deadline import Deadline, await_writer
from studio.runtime.processes.supervision import BROKER
from studio.runtime.wire import addresses

HEARS_WITHIN_S = 1.0
"""That it is to stop. What is far behind has much to handle before it hears of that."""
ENDS_WITHIN_S = 4.0
TERMINATE_WITHIN_S = 2.0
RECORDER_WITHIN_S = 6.0
"""It looks for what is still on its way for five."""
BROKER_ENDS_WITHIN_S = 1.0


class RunProcesses:
    """From its making on there is a broker, and connections to it."""

    def __init__(self, plan: Plan, *, clock: ClockKind, start_ns: int | None, guarded: bool) -> None:
        """`guarded`: what is left of it after this process was killed is removed by another one."""
        self.plan = plan
        self.folders = RunFolders()
        self.outputs = Outputs()
        self.hosts: dict[str, Process] = {}
        self.recorder: Process | None = None
        self.exits: dict[str, int] = {}
        """Processes that ended before they were told to and are not back, with their exit status."""
        self.broker_restarts = 0
        self.before_host: Callable[[str], None] = lambda _: None
        """Called before a host is started, the first time or again."""
        self.epoch = 0
        """The last one that was asked for; a broker that has to be restarted begins with it."""
        self._clock_kind = clock
        self._clock: Clock | None = None
        """The clock since it was last set going, for a broker that has to be restarted."""
        self._mode = "pause"
        self._stopping = False
        self._guard = Guard(self.folders.all) if guarded else None
        self.save_plan()
        self.broker = self._start_broker([] if start_ns is None else ["--base-ns", str(start_ns)])
        self.control = Control(self.folders.run, self._answering)
        self._supervision = Control(self.folders.run, self._answering)
        self.observer = Observer(self.folders.run)

    def _answering(self) -> int:
        """Changes when a question that is on its way will get no answer any more: the broker died, or we stop."""
        incarnation = self.broker_restarts + 1
        return -incarnation if self._stopping else incarnation

    @property
    def stopping(self) -> bool:
        return self._stopping

    @property
    def clock_kind(self) -> ClockKind:
        return self._clock_kind

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

    def save_plan(self, plan: Plan | None = None) -> None:
        """In one step: a host that is just being started must not read half a plan. `plan`: another one for now."""
        file = addresses.plan_file(self.folders.run)
        (plan or self.plan).save(file.with_suffix(".new"))
        os.replace(file.with_suffix(".new"), file)

    # Starting.

    def start_host(self, host: str) -> None:
        self.before_host(host)
        self.hosts[host] = self._guarded(spawn_host(host, self.plan, self.folders, self.outputs))

    def start_recorder(self, extra: Mapping[str, str] | None = None) -> None:
        words = module_command("studio.runtime.recording.recorder.recorder")
        self.recorder = self._guarded(spawn(RECORDER, words, self.folders, self.outputs, extra))

    def _start_broker(self, arguments: list[str]) -> Process:
        words = ["--clock", self._clock_kind.name.lower(), "--incarnation", str(self.broker_restarts + 1), *arguments]
        command = module_command("studio.runtime.broker.broker", *words)
        return self._guarded(spawn(BROKER, command, self.folders, self.outputs))

    def _restart_broker(self) -> None:
        """The channel goes on with the same clock and mode; what was under way in it is lost, and counted."""
        self.broker_restarts += 1
        words = ["--resume", self._mode, "--epoch", str(self.epoch)]
        if self._clock is not None:
            clock = self._clock
            words += ["--base-ns", str(clock.base_ns), "--at-ns", str(clock.at_ns), "--rate", str(clock.rate)]
        self.broker = self._start_broker(words)

    def renew_guard(self) -> None:
        if self._guard is not None:
            self._guard.renew()

    def _guarded(self, process: Process) -> Process:
        if self._guard is not None:
            self._guard.add(process.pid)
        return process

    def processes(self) -> dict[str, Process]:
        return {BROKER: self.broker, **self._ours()}

    def _ours(self) -> dict[str, Process]:
        """Hosts and recorder: what can die without taking others along."""
        return dict(self.hosts) if self.recorder is None else {**self.hosts, RECORDER: self.recorder}

    def output_of(self, name: str, most: int = 4000) -> str:
        """The last of what a process printed."""
        return self.outputs.text(name, most)

    # Ending.

    def kill(self, name: str) -> None:
        process = self.processes()[name]
        if process.poll() is None:  # the number of one that has long ended may be somebody else's by now
            signal_group(process, signal.SIGKILL)

    def await_hosts(self, plan: Plan, hosts: Mapping[str, Process], deadline: Deadline) -> None:
        """They have been told to stop. Ours end at once on SIGTERM, with all that they do at their end; other programs
        would only be cut short."""
        wait_all(hosts.values(), deadline.left_s(HEARS_WITHIN_S))
        for host, process in hosts.items():
            if process.poll() is None and not any(each.command for each in plan.on_host(host)):
                process.terminate()
        wait_all(hosts.values(), deadline.left_s())

    def see_off(self, plan: Plan, leaving: Mapping[str, Process]) -> None:
        """They have been told to stop."""
        self.await_hosts(plan, leaving, Deadline(ENDS_WITHIN_S))
        end_all(leaving.values(), TERMINATE_WITHIN_S)
        for host, process in leaving.items():
            self._bury(process)
            self._clear_up(host, plan.hosts[host])
            self.exits.pop(host, None)

    def _bury(self, process: Process) -> None:
        """Of one that has ended: what it has started itself ends too."""
        signal_group(process, signal.SIGKILL)
        if self._guard is not None:
            self._guard.discard(process.pid)

    def _clear_up(self, name: str, index: int) -> None:
        """Nobody waits for it to let go of shared memory, and its own is given back."""
        if self.folders.shared is not None:
            dismiss_host(self.folders.shared, index)
            remove_producer(self.folders.shared, name)

    def _end_recorder(self, process: Process) -> None:
        """It writes what is still on the way and closes the log."""
        process.terminate()
        await_writer(process, self._log_file(), RECORDER_WITHIN_S)
        self._bury(process)
        process.wait()
        self._clear_up(RECORDER, self.plan.recorder_index)
        self.exits.pop(RECORDER, None)

    def _log_file(self) -> Path:
        return Path(self.plan.recording.file) if self.plan.recording is not None else Path()

    def _end_processes(self, deadline: Deadline) -> None:
        """All of them; the hosts have been asked to before, if anybody could ask them."""
        processes = [*self._living_hosts().values()]
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

    def _living_hosts(self) -> dict[str, Process]:
        """What is left of those who ended before was ended then, and their numbers may be somebody else's by now."""
        return {host: process for host, process in self.hosts.items() if host not in self.exits}

    def _end_broker(self) -> None:
        if self.broker.poll() is None:
            deadline = Deadline(BROKER_ENDS_WITHIN_S)
            try:
                self._supervision.ask("end", timeout_s=deadline.left_s())
                self.broker.wait(deadline.left_s())
            except (ControlError, subprocess.TimeoutExpired):
                signal_group(self.broker, signal.SIGKILL)
        self.broker.wait(5.0)

    def _close_connections(self) -> None:
        """And remove every trace of the run."""
        self.observer.close()
        self.control.close()
        self._supervision.close()
        self.outputs.close()
        self.folders.close()
        if self._guard is not None:
            self._guard.close()
