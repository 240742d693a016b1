"""The base class of real actuators: which commands may move something, and what stops it.

A command must be of real origin, of the epoch in which a person armed the actuator, and younger than 250 ms. Nothing
arrives for 250 ms, and `halt` is called, from a thread of its own: a dead controller, channel or window cannot keep
anything moving. No command moves it for five minutes (being told to stand moves nothing), and it is disarmed: whoever
armed it has gone. And no command moves it further than `most_path_m`, as the commands of a virtual cart have a length:
what is fast runs out sooner. A fault (a bumper, a wheel that does not follow) latches until a person resets it.

A stop for safety holds: if the commands that moved it fail to come, or the runtime says that a process on their way has
died, hangs or is in trouble, later commands are refused until a person lets it go on, unless `after_stop` in the system
file says otherwise (docs/guide/safety.md).

This is software. It is no certified emergency stop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar

from studio.errors import StudioError
from studio.model.spec import AFTER_STOP, ARMED, RESUMES, STAYS, Category, SpecError, Value
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.command_rules import VALID_NS, Refused, path_time_ns, refusal
from studio.runtime.component import Component
from studio.runtime.declarations import InPort, Parameter, State
from studio.runtime.expiry import Expiry
from studio.runtime.wire.frames import Event, Kind

IDLE_NS = 300 * SECOND_NS
"""Armed, and nobody moves it for so long: it is disarmed, whether or not a window is there to see it."""
TELL_EVERY_NS = SECOND_NS
SILENT = "no command for 250 ms"
EARLY_NS = 15_000_000
"""A device is told less than 250 ms, for the way to it. What comes after it has stopped by itself comes too late."""


class ActuatorError(StudioError):
    """An actuator that cannot be armed or reset now."""


class Actuator(Component):
    """Moves something real. Subclasses declare in ports for commands, handle them in `on_<port>`, and write `halt`.

    Handlers are called for accepted commands only, and `valid_ns()` tells how long each may act. What a subclass does
    in life-cycle callbacks comes after what this class does there; it need not call `super()`.
    """

    category: ClassVar[Category] = "actuator"

    armed = Parameter(False, doc="lets commands through; always off at the start and after a switch of sources")
    oldest_data_s = Parameter(
        1.0, minimum=0.0, maximum=60.0, unit="s", doc="a command made from data older than this is refused; 0: any age"
    )
    most_path_m = Parameter(
        0.5,
        minimum=0.001,
        maximum=1000.0,
        unit="m",
        doc="how far one command may move it; then it stops until the next",
    )
    after_stop = Parameter(
        STAYS,
        choices=(STAYS, RESUMES),
        doc="after a safety stop: stay stopped until a person resumes it, or resume with the next command",
    )

    safety_stop = State("", doc="reason of the safety stop; empty without one")

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__ports__ and cls.halt is Actuator.halt:
            raise SpecError(f"{cls.__name__} cannot be stopped", hint="write: def halt(self)")
        for name, port in cls.__ports__.items():
            if isinstance(port, InPort):
                handler = getattr(cls, "on_" + name, None)
                if handler is None:
                    raise SpecError(
                        f"{cls.__name__}.{name} has no handler, so its commands would not be checked",
                        hint=f"write: def on_{name}(self, message)",
                    )
                if not hasattr(handler, "_checked"):
                    setattr(cls, "on_" + name, _checked(handler))
        for name in _OURS_FIRST:
            if name in vars(cls):
                setattr(cls, name, _ours_first(name, vars(cls)[name]))

    def __new__(cls, *args: Any, **kwargs: Any) -> Actuator:
        self = super().__new__(cls, *args, **kwargs)
        assert isinstance(self, Actuator)
        self.refused = {}
        self._told_ns = {}
        self._armed_epoch = None
        self._fault = ""
        self._valid_until_ns = 0
        self._path_until_ns = None
        self._next_by_ns = self._moved_ns = self._stopped_ns = 0
        self._moves = None
        self._motion = threading.RLock()
        self._deadline = None
        self._idle = None
        self._commanded_ns = 0
        return self

    refused: dict[str, int]
    """Reason -> how many commands were refused for it."""
    _told_ns: dict[str, int]
    _armed_epoch: int | None
    """The epoch in which it was armed; None while it is not."""
    _fault: str
    _valid_until_ns: int
    """CLOCK_MONOTONIC up to which the command at hand may act."""
    _path_until_ns: int | None
    """When it will have gone as far as the last command that told a speed may move it; None while none has."""
    _next_by_ns: int
    """CLOCK_MONOTONIC by which the next command has to come; 0 while none is waited for, as it does not move."""
    _moved_ns: int
    """System time at which the last command that moves it was sent. It goes on while a computer is suspended."""
    _moves: bool | None
    """Whether the last command that told a speed moves it; None while none has told one."""
    _stopped_ns: int
    """CLOCK_MONOTONIC of the safety stop that holds it."""
    _motion: threading.RLock
    """Held while something is set in motion or stopped, so that a stop is never overtaken by an older command."""
    _deadline: Expiry | None
    _idle: Expiry | None
    """Not the deadline's thread: a halt that takes its time must not be waited for, nor the other way round."""
    _commanded_ns: int
    """CLOCK_MONOTONIC of the last command that moved it or may have, or of the arming."""

    # What a subclass writes and uses.

    def halt(self) -> None:
        """Bring it to a stop, now. Called from any thread, also when it stands already or the device is gone."""
        raise NotImplementedError

    def why_not_reset(self) -> str:
        """What keeps a latched fault from being reset (the bumper is still pressed); "" if nothing does."""
        return ""

    def speed_of(self, message: Any) -> float | None:
        """How fast the command moves it, in m/s; 0 if it stands, None if it does not say. Write it where the field has
        another name, where the device goes slower than it is told, or where it turns on the spot."""
        speed = getattr(message, "speed_m_s", None)
        return None if speed is None else float(speed)

    def valid_ns(self) -> int:
        """In a handler: for how long from now the command may act. Devices with a time-out of their own get it."""
        return max(0, self._valid_until_ns - monotonic_ns())

    def latch(self, fault: str) -> None:
        """Stop and refuse everything until a person resets it. From any thread."""
        with self._motion:
            news = not self._fault
            self._fault = self._fault or fault
            self._disarm()
        if news:
            self.log.error("stopped: %s; trigger %s to reset it, then arm it again", fault, self.name)

    def disarm(self) -> None:
        """Stop and refuse everything until a person arms it again. From any thread."""
        self._disarm()

    @property
    def fault(self) -> str:
        """What is latched, or ""."""
        return self._fault

    # Arming.

    def on_parameter(self, name: str, value: Value) -> None:
        if name == ARMED:
            self._arm() if value else self._disarm()
        elif name == AFTER_STOP:
            raise ActuatorError("after_stop is set in the system file", hint="change it there and restart the system")

    def on_trigger(self) -> None:
        """Reset a latched fault, by hand. It stays disarmed."""
        why = self.why_not_reset()
        if self._fault and why:
            self.log.error("%s cannot be reset: %s", self._fault, why)
            return
        if self._fault:
            self.log.info("reset by hand: %s", self._fault)
        self._fault = ""

    def _arm(self) -> None:
        event = self._handled()
        if event is None:
            raise ActuatorError(
                f"{self.name} can be armed only while it runs", hint="set armed after the system has started"
            )
        if event.kind != Kind.COMMAND:
            raise ActuatorError(f"only a person arms {self.name}, not an output", hint="remove the link to armed")
        if not self.is_live():
            raise ActuatorError(f"{self.name} cannot be armed in a replay or in lockstep", hint="run the system")
        if self._fault:
            raise ActuatorError(f"{self.name} has stopped: {self._fault}", hint=f"trigger {self.name}, then arm it")
        with self._motion:
            self._end_overdue()
            self._armed_epoch = event.epoch
            self.safety_stop, self._moves = "", None
            self._told_ns.clear()
            self._in_use()
        self.log.info("armed: commands move it now")

    def _disarm(self) -> None:
        with self._motion:
            was_armed, self._armed_epoch = self._armed_epoch is not None, None
            self._values["armed"], self.safety_stop = False, ""
            if self._idle is not None:
                self._idle.cancel()
            self._stop()
        if was_armed:
            self._told_ns.clear()
            self.log.info("disarmed")

    def _stop(self) -> None:
        with self._motion:
            self._halt()

    def _halt(self) -> None:
        self._valid_until_ns = self._next_by_ns = 0
        self._path_until_ns = None
        if self._deadline is not None:
            self._deadline.cancel()
        try:
            self.halt()
        except Exception:
            self.log.exception("halt failed; only the time-out of the device can stop it now")

    # Safety stops.

    def stop_for_safety(self, why: str, *, was_armed: bool = False) -> None:
        """Stop it, and keep it stopped until a person lets it go on. From any thread; nothing to do if it is disarmed.

        `was_armed`: a process before this one was, and has been replaced: it has to be armed again.
        """
        with self._motion:
            if self._armed_epoch is not None:
                self._stop_for_safety(why, monotonic_ns())
            elif was_armed:
                self.safety_stop = why
                self.log.error("stopped: %s; arm it to continue", why)

    def let_go_on(self, since_ns: int | None = None) -> None:
        """A person lifts a safety stop. `since_ns`: only one that happened since then, while the system was paused."""
        with self._motion:
            self._end_overdue()  # the thread that should have seen it may be later than this
            if since_ns is not None and (self._armed_epoch is None or self._stopped_ns < since_ns):
                return
            if self._armed_epoch is None:
                raise ActuatorError(f"{self.name} is not armed", hint=f"studio ctl arm {self.name}")
            if self.safety_stop:
                self.safety_stop = ""
                self._told_ns.clear()
                self._in_use()
                self.log.info("resumed by a person: commands move it again")

    def _stop_for_safety(self, why: str, at_ns: int) -> None:
        self._halt()
        if self.after_stop == RESUMES:
            policy = f"resumed by the next command: after_stop of {self.name} is resume"
            self.log.warning("stopped: %s; %s", why, policy)
        elif not self.safety_stop:
            self.safety_stop, self._stopped_ns = why, at_ns
            hint = f"it stays stopped until a person resumes it: studio ctl resume {self.name}"
            self.log.error("stopped: %s; %s", why, hint)

    def _end_overdue(self, now_ns: int | None = None) -> None:
        """Stop what should have been commanded again by now. `now_ns`: the system time, when a command has come."""
        by_ns = self._next_by_ns
        early_ns = EARLY_NS if now_ns is not None else 0
        suspended = now_ns is not None and now_ns - self._moved_ns >= VALID_NS - early_ns
        if by_ns and (suspended or monotonic_ns() >= by_ns - early_ns):
            self._stop_for_safety(SILENT, by_ns)

    # Commands.

    def _carry_out(self, handler: Callable[[Any, Any], None], message: Any) -> None:
        with self._motion:
            event: Event | None = self._handled()
            now_ns = self._system_ns() if event is not None else 0
            self._end_overdue(now_ns)
            reason = refusal(
                event,
                now_ns,
                armed_epoch=self._armed_epoch,
                latched=bool(self._fault),
                stopped=bool(self.safety_stop),
                live=self.is_live(),
                oldest_data_ns=round(self.oldest_data_s * SECOND_NS),
            )
            if reason is not None or event is None:
                self._tell_refusal(reason or Refused.NO_EVENT)
                return
            left_ns = min(VALID_NS, VALID_NS - (now_ns - event.sent_ns))
            speed_m_s = self.speed_of(message)
            taken_ns = monotonic_ns()
            self._valid_until_ns = self._with_path(taken_ns, left_ns, speed_m_s)
            self._expect_next(taken_ns + left_ns, speed_m_s, event.sent_ns)
            if self._deadline is not None:
                self._deadline.put_off_until(self._valid_until_ns)
            if speed_m_s != 0:  # a controller whose person has gone may tell it to stand for ever
                self._in_use()
            handler(self, message)

    def _with_path(self, now_ns: int, left_ns: int, speed_m_s: float | None) -> int:
        """Until when a command may act that has `left_ns` by its age. One that tells no speed, of another port, does
        not prolong the path of the one that did."""
        if speed_m_s is not None:
            path_ns = path_time_ns(self.most_path_m, speed_m_s)
            self._path_until_ns = None if path_ns is None else now_ns + path_ns
        until_ns = now_ns + left_ns
        return until_ns if self._path_until_ns is None else min(until_ns, self._path_until_ns)

    def _expect_next(self, by_ns: int, speed_m_s: float | None, sent_ns: int) -> None:
        if speed_m_s is not None:
            self._moves = speed_m_s != 0
        self._next_by_ns = 0 if self._moves is False else by_ns
        self._moved_ns = sent_ns

    def _tell_refusal(self, reason: Refused) -> None:
        self.refused[reason] = count = self.refused.get(reason, 0) + 1
        now_ns = monotonic_ns()
        told_ns = self._told_ns.get(reason)
        if reason is Refused.DISARMED:  # nothing is wrong: a system waits to be armed
            if told_ns is None:
                self._told_ns[reason] = now_ns
                self.log.info("commands are refused until it is armed: set armed of %s", self.name)
        elif reason is Refused.STOPPED and told_ns is not None:
            return  # what has stopped it was told, and how to go on
        elif told_ns is None or now_ns - told_ns >= TELL_EVERY_NS:
            self._told_ns[reason] = now_ns
            self.log.warning("refused a command, %d so far: %s", count, reason)

    def _in_use(self) -> None:
        self._commanded_ns = monotonic_ns()
        if self._idle is not None:
            self._idle.put_off_until(self._commanded_ns + IDLE_NS)

    def _unused(self) -> None:
        """Nobody moves it any more. A thread of its own."""
        with self._motion:
            if self._armed_epoch is not None and monotonic_ns() - self._commanded_ns >= IDLE_NS:
                self._disarm()
                self.log.warning("disarmed: no command moved it for %d minutes", IDLE_NS // (60 * SECOND_NS))

    def _late(self) -> None:
        """The last command has run out. The deadline's own thread."""
        # A debugger may hold the handler that has the lock: the vehicle is stopped all the same.
        is_ours = self._motion.acquire(timeout=VALID_NS / SECOND_NS)
        try:
            self._end_overdue()
            if monotonic_ns() >= self._valid_until_ns > 0:
                self._run_out()
        finally:
            if is_ours:
                self._motion.release()

    def _run_out(self) -> None:
        """It has gone as far as it may, or was told to stand. If it moved, the next command still has time to come."""
        next_by_ns, moved = self._next_by_ns, self._valid_until_ns == self._path_until_ns
        self._halt()
        self._next_by_ns = next_by_ns
        if moved:
            self.log.warning("stopped: no command after %g m", self.most_path_m)
        if next_by_ns and self._deadline is not None:
            self._deadline.put_off_until(next_by_ns)

    # Life cycle.

    def on_activate(self) -> None:
        if self.armed:
            self.log.info("it starts disarmed, whatever its parameter says: arm it while it runs")
        self._disarm()
        if self._deadline is None:
            self._deadline = Expiry(self._late, f"deadline of {self.name}")
            self._idle = Expiry(self._unused, f"idleness of {self.name}")

    def on_deactivate(self) -> None:
        self._disarm()
        self._end_deadline()

    def on_error(self, error: Exception) -> None:
        self._disarm()
        self._end_deadline()

    def on_finalize(self) -> None:
        self._disarm()
        self._end_deadline()

    def on_clock_jump(self) -> None:
        self._disarm()

    def _end_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.close()
            self._deadline = None
        if self._idle is not None:
            self._idle.close()
            self._idle = None

    # The world cannot be put back to where it was: a checkpoint of an actuator is empty, and loading it stops.

    def save_state(self) -> Any:
        return None

    def load_state(self, state: Any) -> None:
        self._disarm()


_OURS_FIRST = (
    "on_activate", "on_deactivate", "on_error", "on_finalize", "on_clock_jump", "on_parameter", "on_trigger",
    "load_state",
)  # fmt: skip
"""Callbacks in which the actuator is made safe before anything else, whether or not a subclass calls `super()`."""


def _checked(handler: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    @wraps(handler)
    def check(self: Actuator, message: Any) -> None:
        self._carry_out(handler, message)

    check._checked = True  # type: ignore[attr-defined]
    return check


def _ours_first(name: str, theirs: Callable[..., None]) -> Callable[..., None]:
    @wraps(theirs)
    def both(self: Actuator, *args: Any) -> None:
        getattr(Actuator, name)(self, *args)
        theirs(self, *args)

    return both
