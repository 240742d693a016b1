"""The keys of `studio step`."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import TypeVar

from studio.cli.run_parts.step_text import digest_lines, event_line, topics_of, where
from studio.cli.shared.keys import Keys
from studio.cli.shared.log_file import ProgressBar
from studio.errors import StudioError
from studio.runtime.replay.stepping import Stepping
from studio.runtime.stepping.stepper import Progress

HELP = """\
right, n  next event        left, b  one back       12 right  twelve, also back
t TOPIC   next of a topic   T TOPIC  back to before the last one of a topic
g NUMBER  go to an event    d  digests of all state    Ctrl-C stops a long move
?  this help                q  leave"""
MOST_SHOWN = 20
CLEAR_LINE = "\r\x1b[K"
LEAVE = ("q", "end of input")

R = TypeVar("R")


class Stopped(StudioError):
    """A move that was not made to its end, because somebody wanted so."""


class StepKeys:
    def __init__(self, stepping: Stepping, pressed: Keys) -> None:
        self._stepping = stepping
        self._stepper = stepping.stepper
        self._pressed = pressed
        self._count = ""
        self._told: dict[str, str] = {}
        """Failures that were shown."""
        self._actions: dict[str, Callable[[], None]] = {
            "right": self._forward, "n": self._forward, "space": self._forward,
            "left": self._back, "b": self._back, "backspace": self._back,
            "t": self._next_of_topic, "T": self._back_to_topic, "g": self._go_to,
            "d": self._show_digest, "?": lambda: print(HELP), "h": lambda: print(HELP),
        }  # fmt: skip

    def main(self) -> None:
        """Until q is pressed."""
        print(HELP)
        print(where(self._stepping))
        for key in self._pressed:
            if key in LEAVE:
                return
            if key is None:
                self._tell_failures()
            elif key.isdecimal():
                self._count += key
                print(f"{CLEAR_LINE}{self._count}", end="", flush=True)
            else:
                self._act(key)

    def _act(self, key: str) -> None:
        print(CLEAR_LINE, end="")
        action = self._actions.get(key)
        try:
            if action is not None:
                action()
            else:
                print(f"{key} does nothing; ? lists the keys")
        except StudioError as refused:
            print(refused)
        self._count = ""
        self._tell_failures()

    def _times(self) -> int:
        return int(self._count or 1)

    def _forward(self) -> None:
        self._go_on(None)

    def _go_on(self, topic: str | None) -> None:
        first = self._stepper.position + 1
        delivered = self._moving(lambda progress: self._stepper.forward(self._times(), topic, progress))
        shown = delivered[-MOST_SHOWN:]
        if len(shown) < len(delivered):
            print(f"... {len(delivered) - len(shown)} events")
        for number, event in enumerate(shown, first + len(delivered) - len(shown)):
            print(event_line(self._stepping, number, event))
        if not delivered or (topic is not None and delivered[-1].topic != topic):
            print("end of the log" if topic is None else f"end of the log of {topic}")

    def _back(self) -> None:
        self._moving(lambda progress: self._stepper.back(self._times(), None, progress))
        print(f"back {where(self._stepping)}")

    def _next_of_topic(self) -> None:
        topic = self._asked_topic()
        if topic is not None:
            self._go_on(topic)

    def _back_to_topic(self) -> None:
        topic = self._asked_topic()
        if topic is not None:
            self._moving(lambda progress: self._stepper.back(self._times(), topic, progress))
            print(f"back {where(self._stepping)}")

    def _go_to(self) -> None:
        text = self._asked("event number: ")
        if text.isdecimal():
            self._moving(lambda progress: self._stepper.go_to(int(text), progress))
            print(where(self._stepping))

    def _show_digest(self) -> None:
        print(*digest_lines(self._stepper.digest()), sep="\n")

    def _moving(self, move: Callable[[Progress], R]) -> R:
        """Make a move; Ctrl-C stops it between two events, a second one ends everything."""
        bar = ProgressBar("going")
        asked = False

        def stop(*_: object) -> None:
            nonlocal asked
            if asked:
                raise KeyboardInterrupt
            asked = True

        def progress(done: int, whole: int) -> None:
            bar(done, whole)
            if asked and done < whole:
                raise Stopped(f"stopped at event {self._stepper.position}")

        before = signal.signal(signal.SIGINT, stop)
        try:
            return move(progress)
        finally:
            signal.signal(signal.SIGINT, before)
            bar.close()

    def _asked_topic(self) -> str | None:
        """A topic of the system, by its name or by a part that no other has."""
        text = self._asked("topic: ")
        topics = topics_of(self._stepping)
        found = [topic for topic in topics if text and text in topic]
        if text in topics or len(found) == 1:
            return text if text in topics else found[0]
        if text:
            print(f"which one? {', '.join(found)}" if found else f"there is no topic with {text}")
        return None

    def _asked(self, what: str) -> str:
        text = ""
        while True:
            print(f"{CLEAR_LINE}{what}{text}", end="", flush=True)
            key = self._pressed.read(3600.0)
            if key in ("enter", "escape", "end of input"):
                print(CLEAR_LINE, end="")
                return text if key == "enter" else ""
            if key == "backspace":
                text = text[:-1]
            elif key is not None and len(key) == 1:
                text += key

    def _tell_failures(self) -> None:
        failures = self._stepping.failures()
        for name, error in failures.items():
            if self._told.get(name) != error:
                print(f"{CLEAR_LINE}{name} failed:\n{error.rstrip()}")
        self._told = failures
