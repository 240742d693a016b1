"""The base class of real actuators: which commands may move something, and what stops it.

A command must be of real origin, of the epoch in which a person armed the actuator, and younger than 250 ms. Nothing
arrives for 250 ms, and `halt` is called, from a thread of its own: a dead controller, channel or window cannot keep
anything moving. No command moves it for five minutes (being told to stand moves nothing), and it is disarmed: whoever
armed it has gone. And no command moves it further than `most_path_m`, as the commands of a virtual cart have a length:
what is fast runs out sooner. A fault (a bumper, a wheel that does not follow) latches until a person resets it.

This is software. It is no certified emergency stop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import Any, ClassVar

from studio.errors import StudioError
from studio.model.spec import Category, SpecError, Value
from studio.runtime.channel.frames import Event, Kind, Origin
from studio.runtime.clock import SECOND_NS, monotonic_ns
from studio.runtime.component import Component
from studio.runtime.declarations import InPort, Parameter
from studio.runtime.expiry import Expiry

VALID_NS = 250_000_000
"""How long a command may act, counted from the moment it was sent."""
AHEAD_NS = 50_000_000
"""Clocks of one machine agree; what was sent later than this from now comes from a clock that stands or jumped."""
LONGEST_PATH_S = 60.0
"""What is so slow that its path would take longer is stopped by its age long before."""
IDLE_NS = 300 * SECOND_NS
"""Armed, and nobody moves it for so long: it is disarmed, whether or not a window is there to see it."""
TELL_EVERY_NS = SECOND_NS


class ActuatorError(StudioError):
    """An actuator that cannot be armed or reset now."""


class Refused(StrEnum):
    """Why a command was not carried out."""

    NO_EVENT = "it did not come over a channel"
    NOT_LIVE = "the system does not run by the wall clock"
    ORIGIN = "it was made from logged or simulated data"
    EPOCH = "it belongs to another epoch than the one that was armed"
    OLD = "it is older than 250 ms"
    AHEAD = "it was sent in the future"
    OLD_DATA = "it was made from old data"
    LATCHED = "a fault is latched"
    DISARMED = "the actuator is not armed"


def refusal(
    event: Event | None,
    now_ns: int,
    *,
    armed_epoch: int | None,
    latched: bool,
    live: bool = True,
    oldest_data_ns: int = 0,
) -> Refused | None:
    """Why the command in `event` must not be carried out at system time `now_ns`; None if it may be."""
    if event is None or event.kind != Kind.DATA:
        return Refused.NO_EVENT
    checks = (
        (not live, Refused.NOT_LIVE),
        (event.origin != Origin.REAL, Refused.ORIGIN),
        (armed_epoch is not None and event.epoch != armed_epoch, Refused.EPOCH),
        (now_ns - event.sent_ns >= VALID_NS, Refused.OLD),
        (event.sent_ns - now_ns > AHEAD_NS, Refused.AHEAD),
        (oldest_data_ns > 0 and now_ns - event.stamp_ns > oldest_data_ns, Refused.OLD_DATA),
        (latched, Refused.LATCHED),
        (armed_epoch is None, Refused.DISARMED),
    )
    return next((reason for broken, reason in checks if broken), None)


def path_time_ns(path_m: float, speed_m_s: float) -> int | None:
    """How long a way of `path_m` takes; None for what does not move, and for what is no number."""
    speed_m_s = abs(speed_m_s)
    return int(path_m / speed_m_s * SECOND_NS) if speed_m_s * LONGEST_PATH_S > path_m else None


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
        doc="how far one command may move it; then it stands until the next",
    )

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
        if name == "armed":
            self._arm() if value else self._disarm()

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
            raise ActuatorError(f"{self.name} can be armed only while it runs", hint="set armed when the system runs")
        if not self.is_live():
            raise ActuatorError(f"{self.name} cannot be armed in a replay or in lockstep", hint="run the system")
        if self._fault:
            raise ActuatorError(f"{self.name} has stopped: {self._fault}", hint=f"trigger {self.name}, then arm it")
        with self._motion:
            self._armed_epoch = event.epoch
            self._in_use()
        self.log.info("armed: commands move it now")

    def _disarm(self) -> None:
        with self._motion:
            was_armed, self._armed_epoch = self._armed_epoch is not None, None
            self._values["armed"] = False
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
        self._valid_until_ns = 0
        self._path_until_ns = None
        if self._deadline is not None:
            self._deadline.cancel()
        try:
            self.halt()
        except Exception:
            self.log.exception("halt failed; the device's own time-out has to stop it")

    # Commands.

    def _carry_out(self, handler: Callable[[Any, Any], None], message: Any) -> None:
        with self._motion:
            event: Event | None = self._handled()
            now_ns = self._system_ns() if event is not None else 0
            reason = refusal(
                event,
                now_ns,
                armed_epoch=self._armed_epoch,
                latched=bool(self._fault),
                live=self.is_live(),
                oldest_data_ns=round(self.oldest_data_s * SECOND_NS),
            )
            if reason is not None or event is None:
                self._tell_refusal(reason or Refused.NO_EVENT)
                return
            left_ns = min(VALID_NS, VALID_NS - (now_ns - event.sent_ns))
            speed_m_s = self.speed_of(message)
            self._valid_until_ns = self._with_path(monotonic_ns(), left_ns, speed_m_s)
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

    def _tell_refusal(self, reason: Refused) -> None:
        self.refused[reason] = count = self.refused.get(reason, 0) + 1
        now_ns = monotonic_ns()
        told_ns = self._told_ns.get(reason)
        if reason is Refused.DISARMED:  # nothing is wrong: a system waits to be armed
            if told_ns is None:
                self._told_ns[reason] = now_ns
                self.log.info("commands are refused until it is armed: set armed of %s", self.name)
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
            if monotonic_ns() >= self._valid_until_ns > 0:
                by_path = self._valid_until_ns == self._path_until_ns
                self._halt()
                why = f"no command after {self.most_path_m:g} m" if by_path else "no command for 250 ms"
                self.log.warning("stopped: %s", why)
        finally:
            if is_ours:
                self._motion.release()

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
