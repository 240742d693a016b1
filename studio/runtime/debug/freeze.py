"""The freeze: while a debugger holds a component, the world waits for it.

A host that stands at a breakpoint is held: nobody takes it for hung, and a pause does not wait for it. If the system
was running, the gate pauses, and with it the clock, players and the simulator; a real vehicle gets no commands any more
and stops by its own rules. When the last one goes on, so does the gate, and the clock from where it stood.

A lockstep waits for the host anyway. Only its pace would have to be caught up with, so a paced one pauses too, as soon
as the event is done. And because it waits, it freezes also while freezing is switched off.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass
from queue import SimpleQueue
from typing import Any

from studio.errors import StudioError
from studio.runtime.base.clock import monotonic_ns, wall_ns
from studio.runtime.base.turns import Turns
from studio.runtime.processes.control import ControlError
from studio.runtime.recording.facts.set_bookmark import set_bookmark
from studio.runtime.session.session import Session

TRY_AGAIN_S = 0.1
TRIES = 300


@dataclass(frozen=True)
class Held:
    """Why the system stands. Without a host: at an event, of which nobody has begun to handle it or all have ended."""

    why: str
    host: str = ""
    component: str = ""
    file: str = ""
    line: int = 0
    topic: str = ""
    sequence: int = 0
    text: str = ""
    since_ns: int = 0

    def __str__(self) -> str:
        place = f" at {self.file.rpartition('/')[2]}:{self.line}" if self.file else ""
        event = f", {self.topic} {self.sequence}" if self.topic else ""
        return f"{self.why} in {self.component or self.host or 'the system'}{place}{event}"


class Freeze:
    """Any thread may freeze and thaw. What happens to the gate is done by one thread, in that order."""

    def __init__(self, session: Session, turns: Turns | None = None) -> None:
        """`turns`: of those who move the system; it goes on in its turn."""
        self._session = session
        self._turns = turns if turns is not None else Turns()
        session.muted = self.muted
        self._wanted = True
        self.in_lockstep: Callable[[], bool] = lambda: False
        """Whether everything waits for every handler anyway; set by the runtime."""
        self._held: dict[str, Held] = {}
        self._rate: float | None = None
        """At which the gate goes on when nobody is held; None: it goes on, was closed before, or is to stay so."""
        self._rate_of_next: float | None = None
        """The same for the next stop, of a system that does not run until then."""
        self._since_ns = 0
        """CLOCK_MONOTONIC at which the first of those who are held was."""
        self._by_person = False
        """Whether a person has let the last of them go on."""
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._gate: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work_the_gate, name="freeze", daemon=True)
        self._thread.start()
        self.mute: Callable[[], AbstractContextManager[None]] = nullcontext
        """Takes the breakpoints of all debugged hosts away and lets the held ones go; set by the debugger."""

    @property
    def freezing(self) -> bool:
        """Whether a stop shall freeze the system. Off: the others go on, and only the held host is excused."""
        return self._wanted

    @property
    def _freezes(self) -> bool:
        return self._wanted or self.in_lockstep()

    @property
    def frozen(self) -> dict[str, Any] | None:
        """Why the system stands, by who stopped first; None while it does not."""
        with self._lock:
            first = next(iter(self._held.values()), None)
        return asdict(first) if first is not None and self._freezes else None

    @property
    def holds(self) -> bool:
        """Whether somebody is held, or the system is at an event; also where that freezes nobody else."""
        return bool(self._held)

    @property
    def holds_code(self) -> bool:
        """Whether some code stands within an event; also where that freezes nobody else."""
        return any(self._held)

    def set_freezing(self, on: bool) -> None:
        """Also while somebody stands: from now on the others wait for him, or go on without him."""
        with self._lock:
            is_new, self._wanted = on != self._wanted, on
            first = next((held for host, held in self._held.items() if host), None)
            if first is None or not is_new or self.in_lockstep():
                return
            if on and self._session.goes:
                self._rate = self._session.rate
        if on:
            self._freeze_on_account_of(first)
        else:
            self._go_on_in_turn()

    def freeze(
        self,
        *,
        why: str,
        host: str = "",
        component: str = "",
        file: str = "",
        line: int = 0,
        topic: str = "",
        sequence: int = 0,
        text: str = "",
    ) -> None:
        """Hold the system on account of `host`, or of an event. Again: it stands somewhere else."""
        held = Held(why, host, component, file, line, topic, sequence, text, wall_ns())
        with self._lock:
            is_first, is_new = not self._held, host not in self._held
            self._held[host] = held
            if is_first:
                self._since_ns = monotonic_ns()
            # Closed, and with a rate: it is just about to be opened for one who has gone on, and stays closed.
            if is_first and self._freezes:
                self._rate = self._session.rate if self._session.goes else (self._rate or self._rate_of_next)
        if host and is_new:
            self._session.hold_in_debugger(host, True)
        if is_first and self._freezes:
            self._freeze_on_account_of(held)

    def _freeze_on_account_of(self, held: Held) -> None:
        self._gate.put(lambda: self._do(self._close_the_gate))
        self._gate.put(lambda: self._do(lambda: self._leave_a_bookmark(held)))

    def thaw(self, host: str = "", *, by_person: bool = False) -> None:
        """It goes on. The gate opens again when nobody is held any more, if it was open before.

        `by_person`: somebody continues it, and has not just left or died. A real vehicle that the freeze has stopped
        goes on then, and stays stopped otherwise.
        """
        with self._lock:
            was = self._held.pop(host, None)
            is_last = was is not None and not self._held
            if is_last:
                self._by_person = by_person
        if host and was is not None:
            self._session.hold_in_debugger(host, False)
        if is_last:
            self._go_on_in_turn()

    def _go_on_in_turn(self) -> None:
        """Who asks for something from here on finds the gate open, or opens and closes it after us."""
        if self._rate is None:
            return
        turn = self._turns.take()

        def job() -> None:
            with turn:
                self._do(self._open_the_gate)

        self._gate.put(job)

    def stay(self) -> None:
        """The gate stays closed when everybody goes on: somebody has paused the system, or steps through it."""
        with self._lock:
            self._rate = self._rate_of_next = None

    @property
    def rate(self) -> float | None:
        """At which the system goes on when nobody is held any more; None: it stays paused."""
        with self._lock:
            return self._rate

    @contextmanager
    def stops_at(self, rate: float | None) -> Iterator[None]:
        """Who is held inside, in a system that stands, goes on with it at that rate, as if it had run."""
        with self._lock:
            self._rate_of_next = rate
        try:
            yield
        finally:
            with self._lock:
                self._rate_of_next = None

    def goes_on_later(self, rate: float) -> bool:
        """Somebody wants the system to run: whether it is frozen, and does so when nobody is held any more."""
        with self._lock:
            if self._shall_stand:
                self._rate = rate
            return self._shall_stand

    def muted(self) -> AbstractContextManager[None]:
        """No breakpoint stops anybody, who is held is let go, the gate stays closed; then breakpoints are back."""

        @contextmanager
        def muted() -> Iterator[None]:
            muting = self.mute()  # refuses where somebody stands who cannot be let go from here
            self.stay()
            with muting:
                self.thaw()
                yield

        return muted()

    def close(self) -> None:
        self._ended.set()
        self._gate.put(None)

    # The thread.

    def _work_the_gate(self) -> None:
        while (job := self._gate.get()) is not None:
            with suppress(StudioError):  # the system is being stopped
                job()

    def _do(self, job: Callable[[], None]) -> None:
        """A broker that dies meanwhile comes back as the last one was: what was to be done is still to do."""
        for _ in range(TRIES):
            try:
                job()
                return
            except ControlError:
                if self._session.stopping or self._ended.wait(TRY_AGAIN_S):
                    return

    def _close_the_gate(self) -> None:
        with self._lock:
            shall_stand = self._shall_stand
        if shall_stand and self._session.goes:
            self._session.pause()

    @property
    def _shall_stand(self) -> bool:
        return bool(self._held) and self._freezes

    def _open_the_gate(self) -> None:
        with self._lock:
            rate = None if self._shall_stand else self._rate
            by_person, since_ns = self._by_person, self._since_ns
        if rate is None:
            return
        self._session.run(rate)
        if by_person:
            self._session.safety.permit(since_ns)
        with self._lock:
            # Stopped again meanwhile, it is closed by the next job, and keeps its rate.
            is_paused_by_hand = self._rate is None
            self._rate = self._rate if self._shall_stand else None
        if is_paused_by_hand:
            self._session.pause()

    def _leave_a_bookmark(self, held: Held) -> None:
        if self._session.plan.recording is not None:
            set_bookmark(self._session.folders.run, str(held), int(self._session.status()["now_ns"]))
