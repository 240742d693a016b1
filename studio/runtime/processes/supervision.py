"""Watches the processes of a run: restarts what dies, with a growing pause and not for ever, and notices what hangs.

All processes are started by one thread that lives as long as the run: the kernel ends a child with the *thread* that
started it (PR_SET_PDEATHSIG), not with the process.
"""

from __future__ import annotations

import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.base.process import Process, wait_for_any
from studio.runtime.processes.events import (
    Happening,
    ProcessExited,
    ProcessGaveUp,
    ProcessHeard,
    ProcessHung,
    ProcessNotStarted,
    ProcessRestarted,
)
from studio.runtime.processes.fork_client import fork_client

BROKER = "broker"
LOOK_EVERY_S = 0.2
HUNG_AFTER_NS = 1_500_000_000
"""Three heartbeats."""
FIRST_WORD_WITHIN_NS = 5 * SECOND_NS
"""Of one that was never heard: it may hang before its first heartbeat."""
INSURED_AFTER_NS = SECOND_NS
"""Of a run: short ones end before anything of theirs dies."""
BROKER_KILLED_AFTER_NS = 5 * SECOND_NS
"""A broker that stands still holds up everybody, and no debugger ever holds it: it is replaced."""


class Condition(Enum):
    """How a process is, as its supervisor sees it."""

    STARTING = "starting"
    RUNNING = "running"
    HUNG = "hung"
    RESTARTING = "restarting"
    """Dead, and waiting for its next start."""
    DEAD = "dead"
    GAVE_UP = "gave up"


@dataclass(frozen=True)
class RestartPolicy:
    """Give up after `most` restarts within `within_s`. One that ran well for `good_s` is started again at once; the
    pause before each further start doubles.

    Only time in which it ran counts: on a slow machine five starts alone may take longer than ten seconds.
    """

    most: int = 5
    within_s: float = 10.0
    pause_s: float = 0.1
    good_s: float = 1.0

    def pause_ns(self, recent: int, futile: int) -> int | None:
        """How long to wait before the next start, after `recent` ones, of which the last `futile` have led to no good
        second; None: give up."""
        if recent >= self.most:
            return None
        return 0 if not futile else int(self.pause_s * 2 ** (futile - 1) * SECOND_NS)


UNLIMITED = RestartPolicy(most=1_000_000, pause_s=0.0)


@dataclass
class Ward:
    """One supervised process."""

    name: str
    condition: Condition = Condition.STARTING
    restarts: int = 0
    last_exit: str = ""
    """How it ended last."""
    ran_ns: int = 0
    """How long it has run, over all its lives."""
    recent_ns: deque[int] = field(default_factory=deque)
    """What that was at the restarts that count for giving up."""
    futile: int = 0
    """Restarts since it ran well last."""
    due_ns: int = 0
    since_ns: int = field(default_factory=monotonic_ns)
    """Since when it may be expected to speak."""
    ready_ns: int = field(default_factory=monotonic_ns)
    """When it was ready last."""
    wanted: bool = False
    """Somebody asked for a restart: it is no failure."""


class Family(Protocol):
    """The processes of a run, and how to deal with them."""

    def processes(self) -> dict[str, Process]: ...

    def restart(self, name: str) -> None:
        """Start it again; raises StudioError or OSError if that cannot be done."""

    def lost(self, name: str, status: int) -> None:
        """It has ended: tidy up and tell those who wait for it."""

    def ready(self) -> Iterable[str]:
        """Those behind the barrier."""

    def back(self, name: str) -> bool:
        """A restarted one is ready; False if that could not be told, as the broker is away."""

    def output_of(self, name: str) -> str: ...

    def heard_ns(self, name: str) -> int | None:
        """When it last spoke; None if it is not known to."""

    def hold(self, name: str, hung: bool) -> None:
        """It hangs, or no longer does: nobody should wait for it, or may again."""

    def kill(self, name: str) -> None: ...

    def renew_guard(self) -> None:
        """Replace the process that would clean up after this one, if it was killed."""


class Supervisor:
    def __init__(
        self, family: Family, policies: Callable[[str], RestartPolicy | None], tell: Callable[[Happening], None]
    ) -> None:
        """`policies` gives each process its own; None: it stays down when it dies."""
        self._family = family
        self._policies = policies
        self._tell = tell
        self.wards: dict[str, Ward] = {}
        self.held: set[str] = set()
        """Those whom a debugger holds: their silence means nothing."""
        self._tried: set[str] = set()
        """Those who are not started again by themselves: somebody is just trying their code."""
        self._coming: deque[str] = deque()
        self._busy = threading.RLock()
        self._resting = threading.Event()
        self._looked = threading.Event()
        self._ended = threading.Event()
        self._looked_ns = self._began_ns = monotonic_ns()
        self._thread = threading.Thread(target=self._watch, name="supervisor", daemon=True)

    def start(self) -> None:
        """From here on deaths are noticed. All processes are expected to be running."""
        for name in self._family.processes():
            self.wards[name] = Ward(name, Condition.RUNNING)
        self._began_ns = monotonic_ns()
        self._thread.start()

    def condition(self, name: str) -> Condition:
        ward = self.wards.get(name)
        return ward.condition if ward is not None else Condition.STARTING

    def restarts(self, name: str) -> int:
        ward = self.wards.get(name)
        return ward.restarts if ward is not None else 0

    def request_restart(self, name: str) -> int:
        """Start it again, also one that was given up: no failure. Tells how often it was restarted before."""
        with self._busy:
            ward = self.wards[name]
            ward.wanted = True
            ward.recent_ns.clear()
            ward.futile = 0
            self._family.kill(name)  # with the lock: never the one that is started for it
            return ward.restarts

    @contextmanager
    def trying(self, name: str) -> Iterator[None]:
        """If it ends meanwhile, it stays down until it is asked for: the same code would only fail again, and other
        code would begin where nobody has told it to."""
        self._tried.add(name)
        try:
            yield
        finally:
            with self._busy:  # a death that others have heard of already is decided on first
                self._tried.discard(name)

    def bring(self, name: str) -> None:
        """Have one started that is new; it is there when `is_back(name, -1)`."""
        self._coming.append(name)

    @contextmanager
    def nothing_restarts(self) -> Iterator[None]:
        """While it lasts no death is noticed: the processes and the plan that names them change in one step."""
        with self._busy:
            yield

    def release(self, name: str) -> None:
        """Look after it no longer: it is about to end, and should."""
        with self._busy:
            self.wards.pop(name, None)

    def gave_up(self, name: str) -> bool:
        """Whether it is down, and will not be started again by itself."""
        ward = self.wards.get(name)
        return ward is not None and ward.condition in (Condition.GAVE_UP, Condition.DEAD) and not ward.wanted

    def is_back(self, name: str, restarts: int, patience_s: float = 0.2) -> bool:
        """Wait a moment for it to have been restarted more than `restarts` times, and to be ready."""
        self._looked.wait(patience_s)
        self._looked.clear()
        ward = self.wards.get(name)
        return ward is not None and ward.restarts > restarts and ward.condition is Condition.RUNNING

    def rest(self) -> None:
        """Restart nothing from here on; returns when nothing is being started any more."""
        self._resting.set()
        with self._busy:
            return

    def end(self) -> None:
        """Afterwards what this thread has started is ended by the kernel."""
        self._resting.set()
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    # The thread.

    def _watch(self) -> None:
        while not self._resting.is_set():
            with self._busy:
                if not self._resting.is_set():
                    self._look_and_go_on()
            wait_for_any(self._family.processes().values(), self._patience_s())
        self._ended.wait()
        fork_client.close_own()

    def _look_and_go_on(self) -> None:
        try:
            self._look()
        except Exception:  # with this thread the kernel would end every process of the run
            traceback.print_exc()
            self._resting.wait(LOOK_EVERY_S)

    def _patience_s(self) -> float:
        now_ns = monotonic_ns()
        due = [ward.due_ns for ward in self.wards.values() if ward.condition is Condition.RESTARTING]
        if any(ward.condition is Condition.STARTING for ward in self.wards.values()):
            return 0.01
        return max(0.005, min([LOOK_EVERY_S, *((moment_ns - now_ns) / SECOND_NS for moment_ns in due)]))

    def _look(self) -> None:
        now_ns = monotonic_ns()
        if now_ns - self._looked_ns > SECOND_NS:  # we stood still ourselves: what they said meanwhile was not heard
            for ward in self.wards.values():
                ward.since_ns = now_ns
        while self._coming:
            self._start(self._coming.popleft())
        fork_client.bury_strays()
        fork_client.renew()
        if now_ns - self._began_ns > INSURED_AFTER_NS:
            fork_client.insure()
        self._family.renew_guard()
        for name, process in self._family.processes().items():
            ward = self.wards.setdefault(name, Ward(name))
            if (status := process.poll()) is not None:
                self._look_at_dead(ward, status)
        self._greet()
        self._listen()
        self._looked_ns = monotonic_ns()
        self._looked.set()

    def _start(self, name: str) -> None:
        """One that is new. Where it cannot be started there is nobody whose restart could be tried."""
        try:
            self._family.restart(name)
        except (StudioError, OSError) as trouble:
            ward = self.wards[name] = Ward(name)
            self._complain(ward, trouble)
            ward.condition = Condition.GAVE_UP

    def _complain(self, ward: Ward, trouble: Exception) -> None:
        happened = ProcessNotStarted(ward.name, str(trouble))
        ward.last_exit = str(happened)
        self._tell(happened)

    def _look_at_dead(self, ward: Ward, status: int) -> None:
        if ward.condition not in (Condition.RESTARTING, Condition.DEAD, Condition.GAVE_UP):
            if ward.condition is not Condition.STARTING:
                self._count_life(ward, monotonic_ns() - ward.ready_ns)
            self._mourn(ward, status)
        if ward.wanted:
            ward.condition, ward.due_ns = Condition.RESTARTING, 0
        if ward.condition is Condition.RESTARTING and monotonic_ns() >= ward.due_ns:
            self._restart(ward)

    def _count_life(self, ward: Ward, ran_ns: int) -> None:
        ward.ran_ns += ran_ns
        policy = self._policies(ward.name)
        if policy is not None and ran_ns >= policy.good_s * SECOND_NS:
            ward.futile = 0

    def _mourn(self, ward: Ward, status: int) -> None:
        output = self._family.output_of(ward.name)
        happened = ProcessExited(ward.name, status, output)
        if not ward.wanted:
            ward.last_exit = str(happened)
            self._tell(happened)
        self._family.lost(ward.name, status)
        self._decide(ward)

    def _decide(self, ward: Ward) -> None:
        """Whether and when one that is down is to be started again."""
        policy = self._policies(ward.name) if ward.name not in self._tried else None
        condition = Condition.DEAD
        if policy is not None:
            while ward.recent_ns and ward.ran_ns - ward.recent_ns[0] > policy.within_s * SECOND_NS:
                ward.recent_ns.popleft()
            pause_ns = policy.pause_ns(len(ward.recent_ns), ward.futile)
            condition = Condition.GAVE_UP if pause_ns is None else Condition.RESTARTING
            ward.due_ns = monotonic_ns() + (pause_ns or 0)
            if condition is Condition.GAVE_UP:
                self._tell(ProcessGaveUp(ward.name, len(ward.recent_ns), policy.within_s))
        ward.condition = condition  # last: whoever sees it finds everything told

    def _restart(self, ward: Ward) -> None:
        if not ward.wanted:
            ward.recent_ns.append(ward.ran_ns)
            ward.futile += 1
        ward.restarts += 1
        ward.condition = Condition.STARTING  # before it is wanted no more: nobody may see it given up in between
        ward.wanted = False
        try:
            self._family.restart(ward.name)
        except (StudioError, OSError) as trouble:  # its program is gone, or the machine has no room: as if it had died
            self._complain(ward, trouble)
            self._decide(ward)
            return
        if ward.name == BROKER:  # it has nobody to report to: it is there when it speaks
            ward.condition, ward.ready_ns = Condition.RUNNING, monotonic_ns()
            self._tell(ProcessRestarted(ward.name, ward.restarts))
        for each in self.wards.values() if ward.name == BROKER else (ward,):
            each.since_ns = monotonic_ns()

    def _greet(self) -> None:
        starting = [ward for ward in self.wards.values() if ward.condition is Condition.STARTING]
        if not starting:
            return
        ready = set(self._family.ready())
        for ward in starting:
            if ward.name in ready and self._family.back(ward.name):
                ward.condition = Condition.RUNNING
                ward.since_ns = ward.ready_ns = monotonic_ns()
                if ward.restarts:
                    self._tell(ProcessRestarted(ward.name, ward.restarts))

    def _listen(self) -> None:
        """Hung means that the thread that does nothing but speak is silent. A long handler does not silence it."""
        broker = self.wards.get(BROKER)
        if broker is not None:
            self._judge(broker)
            if broker.condition is not Condition.RUNNING:
                self._replace_hung(broker)
                return  # nobody can be heard without it
        for ward in self.wards.values():
            if ward is not broker:
                self._judge(ward)

    def _judge(self, ward: Ward) -> None:
        told_ns = self._family.heard_ns(ward.name)
        if ward.name in self.held:
            ward.since_ns = monotonic_ns()
        if ward.condition not in (Condition.RUNNING, Condition.HUNG):
            return
        heard_ns, patience_ns = (0, FIRST_WORD_WITHIN_NS) if told_ns is None else (told_ns, HUNG_AFTER_NS)
        silent_ns = monotonic_ns() - max(heard_ns, ward.since_ns)
        if ward.condition is Condition.RUNNING and silent_ns > patience_ns:
            self._family.hold(ward.name, True)
            self._tell(ProcessHung(ward.name, silent_ns / SECOND_NS))
            ward.condition = Condition.HUNG  # last, here as elsewhere: whoever sees it finds everything told
        elif ward.condition is Condition.HUNG and silent_ns < HUNG_AFTER_NS and heard_ns > ward.since_ns:
            self._family.hold(ward.name, False)
            self._tell(ProcessHeard(ward.name))
            ward.condition = Condition.RUNNING
            if ward.name == BROKER:
                for each in self.wards.values():
                    each.since_ns = monotonic_ns()

    def _replace_hung(self, broker: Ward) -> None:
        heard_ns = self._family.heard_ns(BROKER)
        if heard_ns is not None and monotonic_ns() - max(heard_ns, broker.since_ns) > BROKER_KILLED_AFTER_NS:
            self._family.kill(BROKER)
