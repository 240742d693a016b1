"""A run whose processes are looked after: what dies is started again, and everybody hears of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from studio.runtime.base.clock import SECOND_NS, ClockKind, monotonic_ns
from studio.runtime.base.process import Process, wait_for_any
from studio.runtime.plan.plan import RECORDER, Plan
from studio.runtime.processes.control import Control, ControlError
from studio.runtime.processes.events import Happening, ProcessGaveUp, RecordingGap, RecordingMoved
from studio.runtime.processes.run_processes import ENDS_WITHIN_S, RunProcesses
from studio.runtime.processes.safety import SafetyStops
from studio.runtime.processes.spawning import LaunchError
from studio.runtime.processes.stop_deadline import STOP_WITHIN_S, Deadline
from studio.runtime.processes.supervision import BROKER, UNLIMITED, RestartPolicy, Supervisor
from studio.runtime.processes.undelivered_commands import ToldCommand, UndeliveredCommands
from studio.runtime.recording.recorder.interim import Interim

READY_WITHIN_S = 60.0
LOOK_EVERY_S = 0.01
ASK_WITHIN_S = 1.0
BROKER_ANSWERS_WITHIN_S = 5.0
HAPPENINGS = 1000


class SupervisedRun(RunProcesses):
    """Closing it ends every process and removes every trace."""

    def __init__(self, plan: Plan, *, clock: ClockKind, start_ns: int | None, policy: RestartPolicy | None) -> None:
        super().__init__(plan, clock=clock, start_ns=start_ns, guarded=policy is not None)
        self.happenings: deque[Happening] = deque(maxlen=HAPPENINGS)
        self.listeners: list[Callable[[Happening], None]] = []
        """Called by the supervisor's thread with all that happens to the processes."""
        self.before_close: Callable[[], None] = lambda: None
        """Called when the system is to end, while everybody is still there."""
        self.told = UndeliveredCommands()
        """What components have been told while the gate was closed, and have not got yet."""
        self._policy = policy
        self._launched = False
        self.supervisor = Supervisor(self, self._policy_of, self.happened)
        self.interim = Interim(self.folders.run, self.folders.shared, self._interim_is_full)
        self._first_log = self._last_log = Path()
        """Of a recording that goes on in further files: the file that was asked for, and the last of them."""
        self.safety = SafetyStops(self)
        self.observer.on_report = self.safety.reported

    @property
    def restarts(self) -> dict[str, int]:
        """Of hosts and recorder, by name; those that never were are left out."""
        wards = self.supervisor.wards.items()
        return {name: ward.restarts for name, ward in wards if ward.restarts and name != BROKER}

    def _policy_of(self, name: str) -> RestartPolicy | None:
        return self._policy or (UNLIMITED if name == BROKER else None)

    def happened(self, happening: Happening) -> None:
        """Tell everybody who listens."""
        if isinstance(happening, ProcessGaveUp) and happening.name == RECORDER:
            self.interim.forget()
            self._clear_up(RECORDER, self.plan.recorder_index)
        self.happenings.append(happening)
        for listener in self.listeners:
            listener(happening)

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

    def _await_ready(self, wanted: set[str]) -> None:
        end_ns = monotonic_ns() + int(READY_WITHIN_S * SECOND_NS)
        while True:
            try:
                missing = wanted - set(self.control.status(timeout_s=1.0)["ready"])
            except ControlError:
                missing = wanted
            if not missing:
                return
            self._raise_if_dead({name: process for name, process in self._ours().items() if name in missing})
            self._raise_if_dead({"broker": self.broker})
            if self.supervisor.held:  # somebody debugs its start, and takes the time
                end_ns = monotonic_ns() + int(READY_WITHIN_S * SECOND_NS)
            if monotonic_ns() > end_ns:
                raise LaunchError(f"not ready after {READY_WITHIN_S:g} s: {', '.join(sorted(missing))}")
            wait_for_any(self._ours().values(), LOOK_EVERY_S)  # asking without a pause takes a core from the hosts

    def _raise_if_dead(self, processes: Mapping[str, Process]) -> None:
        for name, process in processes.items():
            status = process.poll()
            if status is not None:
                raise LaunchError(f"{name} ended at start with status {status}:\n{self.output_of(name)}")

    # What its supervisor asks of it.

    def lost(self, name: str, status: int) -> None:
        if self._stopping:
            return
        self._bury(self.processes()[name])
        if name == BROKER:
            return  # its hosts see to their actuators when they find the next one
        if name in self.plan.hosts:
            self.safety.lost(name)
        self._clear_up(name, self.plan.hosts.get(name, self.plan.recorder_index))
        if name == RECORDER and self.plan.recording is not None and self._policy_of(RECORDER) is not None:
            self.interim.begin(self.plan.recording.topics, self.plan.recorder_index)
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

    def _restart_broker(self) -> None:
        super()._restart_broker()
        for host in self.exits.keys() & self.plan.greeted:
            self._tell("gone", host)
        for host in self.supervisor.held & self.plan.hosts.keys():
            self._tell("held", host)

    def _restart_recorder(self) -> None:
        """A log is never written again: the new recorder gets a file of its own."""
        if self.plan.recording is None:  # it was to end anyway
            return
        before = Path(self.plan.recording.file)
        extra = {"STUDIO_INTERIM": "1"} if self.interim.holds else None
        if not before.exists():  # the first one
            self.start_recorder(extra)
            return
        if before != self._last_log:  # another recording has been asked for since
            self._first_log = before
        file = self._last_log = _next_free(self._first_log)
        self.plan = replace(self.plan, recording=replace(self.plan.recording, file=str(file)))
        self.save_plan()
        self.start_recorder(extra)
        self.happened(RecordingMoved(RECORDER, str(file)))

    def _interim_is_full(self, kept_bytes: int) -> None:
        self.happened(RecordingGap(RECORDER, kept_bytes / 2**20))

    def ready(self) -> list[str]:
        try:
            return list(self._supervision.status(timeout_s=0.5)["ready"])
        except ControlError:
            return []

    def back(self, name: str) -> bool:
        if name == RECORDER:
            self.interim.hand_over()
        if name not in self.plan.hosts:
            return True
        waits = self._mode == "pause"  # for the gate to deliver its activation
        names = [component.name for component in self.plan.on_host(name)] if waits else []
        told = [ToldCommand(self.broker_restarts, each, {"do": "activate"}) for each in names]
        self.told.keep(told)
        is_told = self._tell("back", name)
        if is_told:
            self.safety.back(name)
        else:  # it is tried again
            self.told.drop(told)
        return is_told

    def component_report(self, name: str) -> Mapping[str, Any]:
        return self.observer.component(name)

    def another_control(self) -> Control:
        return Control(self.folders.run, self._answering)

    def heard_ns(self, name: str) -> int | None:
        return self.observer.heard_ns.get(name)

    def hold(self, name: str, hung: bool) -> None:
        if name in self.plan.hosts:
            self._tell("held" if hung else "released", name)
            if hung and name not in self.supervisor.held:
                self.safety.hung(name)

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

    # What others ask of it.

    def hold_in_debugger(self, host: str, on: bool) -> None:
        """A debugger holds a host, or lets it go: it is not taken for hung, and a pause does not wait for it."""
        held = self.supervisor.held
        held.add(host) if on else held.discard(host)
        self.hold(host, on)

    def restart_host(self, host: str) -> None:
        """Start a host again that is dead, alive or given up, and wait until it is back in the channel."""
        self.await_back(host, self.supervisor.request_restart(host))

    def await_back(self, host: str, before: int) -> None:
        end_ns = monotonic_ns() + int(READY_WITHIN_S * SECOND_NS)
        while not self.supervisor.is_back(host, before):
            if self.supervisor.gave_up(host):
                raise LaunchError(f"{host}: {self.supervisor.wards[host].last_exit}")
            if self.supervisor.held:
                end_ns = monotonic_ns() + int(READY_WITHIN_S * SECOND_NS)
            if monotonic_ns() > end_ns:
                raise LaunchError(f"{host} is not back after {READY_WITHIN_S:g} s:\n{self.output_of(host)}")

    def end_recorder(self) -> None:
        """It writes what is still on the way and closes the log; nobody looks after it any more."""
        while self.recorder is not None:  # one that died may just have been started again
            process, self.recorder = self.recorder, None
            self.supervisor.release(RECORDER)
            self._end_recorder(process)
        self.interim.forget()

    def close(self) -> None:
        """Ask, then SIGTERM, then SIGKILL, within ten seconds (ending.py); afterwards nothing of the run is left."""
        if self._stopping:
            return
        deadline = Deadline(STOP_WITHIN_S)
        self.before_close()
        self._stopping = True
        self.safety.close()
        self.supervisor.rest()
        if self._launched:
            self._ask_to_stop()
        self._end_processes(deadline)
        self.supervisor.end()
        self.interim.forget()
        self._close_connections()

    def _ask_to_stop(self) -> None:
        deadline = Deadline(ENDS_WITHIN_S)
        try:
            self._supervision.ask("stop", timeout_s=ASK_WITHIN_S)
        except ControlError:
            return  # a broker that is gone or stuck: the signals will do
        self.await_hosts(self.plan, self._living_hosts(), deadline)


def _next_free(file: Path) -> Path:
    """`out.mcap` -> `out_2.mcap`, or the next number that is not taken."""
    number = 2
    while (candidate := file.with_name(f"{file.stem}_{number}{file.suffix}")).exists():
        number += 1
    return candidate
