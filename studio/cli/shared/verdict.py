"""What a system's own judge says while it runs: the outcome of the run, and when it is over.

A judge is a component of the category `judge` with an out port `outcome` of type String that carries a JSON object.
With `over_at_ns` in it the run ends at that system time: told ahead, so that a simulated run ends at the same event
every time, however late it is heard here.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from studio.errors import StudioError
from studio.messages import String, decode
from studio.model.loaded_project import LoadedProject
from studio.model.parts import Endpoint
from studio.model.wiring import topic_of
from studio.runtime.client.tap import MOST_AT_ONCE, Tap, read
from studio.runtime.session.session import Session

PORT = "outcome"
END = "over_at_ns"
LAST_WORD_S = 0.3
"""How long is waited, after the end, for what is still on its way."""


class Outcomes:
    """What the judges of a system have said last. With one of them its outcome counts, with several that of each by its
    name."""

    def __init__(self, opened: LoadedProject) -> None:
        self.judges = dict(judges(opened))
        """Topic -> name."""
        self._said: dict[str, dict[str, Any]] = {}
        self._epochs: dict[str, int] = {}
        """Judge -> the epoch in which it said that: sources may have been switched since then."""

    def hear(self, topic: str, text: str, epoch: int = 0) -> None:
        try:
            said = json.loads(text)
        except ValueError:
            return
        if isinstance(said, dict):
            judge = self.judges[topic]
            self._said[judge], self._epochs[judge] = said, epoch

    def over_at_ns(self, epoch: int = 0) -> int | None:
        """The system time at which the last of the judges has seen enough; None as long as one has not.

        What they said before sources were switched was about another time.
        """
        ends = [said.get(END) for judge, said in self._said.items() if self._epochs[judge] >= epoch]
        if len(ends) < len(self.judges) or not all(isinstance(end, int) for end in ends):
            return None
        return max(ends, default=None)  # type: ignore[type-var]  # the line above is the check

    @property
    def outcome(self) -> dict[str, Any]:
        told = {name: {key: value for key, value in said.items() if key != END} for name, said in self._said.items()}
        return next(iter(told.values()), {}) if len(self.judges) < 2 else told


class Verdict:
    """Listens to the judges of a running system.

    `is_final`: what they say ends the run. Otherwise somebody sits there who wants to look at it, and to rewind it.
    """

    def __init__(self, session: Session, opened: LoadedProject, *, is_final: bool = True) -> None:
        self._is_final = is_final
        self._outcomes = Outcomes(opened)
        self._session = session
        self._listening = threading.Lock()
        self._tap = Tap(session.folders.run, self._outcomes.judges) if self.has_judges else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._tap is not None:
            self._tap.close()

    def listen(self, patience_s: float = 0.0) -> None:
        if self._tap is None:
            return
        with self._listening:
            while heard := self._tap.frames(patience_s, MOST_AT_ONCE):
                self._hear_all(heard)
                patience_s = 0.0

    def catch_up(self) -> None:
        """Hear all that they have said up to now: flat out a system goes on for seconds while a word is on its way."""
        if self._tap is None:
            return
        with self._listening:
            self._hear_all(self._tap.catch_up())

    def _hear_all(self, frames: Iterable[bytes]) -> None:
        for frame in frames:
            event = read(frame, None)
            if event is not None and event[0] in self._outcomes.judges:
                with suppress(StudioError):  # a frame that was cut
                    self._outcomes.hear(event[0], decode(String, event[2]).data, event[1].epoch)

    @property
    def has_judges(self) -> bool:
        return bool(self._outcomes.judges)

    def finish(self) -> None:
        self.listen(LAST_WORD_S)

    @property
    def over_at_ns(self) -> int | None:
        """When the run ends, as the judges say; None if they have not, or may not end it."""
        return self._outcomes.over_at_ns(self._session.epoch) if self._is_final else None

    @property
    def outcome(self) -> dict[str, Any]:
        return self._outcomes.outcome


def judges(opened: LoadedProject) -> list[tuple[str, str]]:
    """Topic and name of each judge that has something to say."""
    found = []
    for component in opened.system.components:
        spec = opened.registry.get(component.type)
        port = spec.port(PORT) if spec is not None and spec.category == "judge" else None
        if port is not None and port.direction == "out" and port.type == String.TYPE:
            found.append((topic_of(Endpoint(component.name, PORT)), component.name))
    return found
