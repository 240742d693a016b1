"""What a system's own judge says while it runs: the outcome of the run, and when it is over.

A judge is a component of the category `judge` with an out port `outcome` of type String that carries a JSON object.
With `over_at_ns` in it the run ends at that system time: told ahead, so that a simulated run ends at the same event
every time, however late it is heard here.
"""

from __future__ import annotations

import json
import threading
from types import TracebackType
from typing import Any, Self

from studio.errors import StudioError
from studio.messages import String, decode
from studio.model.opened import Opened
from studio.model.parts import Endpoint
from studio.model.wiring import topic_of
from studio.runtime.launcher import Session
from studio.runtime.tap import Tap, read

PORT = "outcome"
END = "over_at_ns"
LAST_WORD_S = 0.3
"""How long is waited, after the end, for what is still on its way."""


class Verdict:
    """Listens to the judges. With one of them its outcome counts, with several that of each by its name.

    `is_final`: what they say ends the run. Otherwise somebody sits there who wants to look at it, and to rewind it.
    """

    def __init__(self, session: Session, opened: Opened, *, is_final: bool = True) -> None:
        self._is_final = is_final
        self._judges = dict(judges(opened))
        """Topic -> name."""
        self._said: dict[str, dict[str, Any]] = {}
        self._listening = threading.Lock()
        self._tap = Tap(session.folders.run, self._judges) if self._judges else None

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
            while heard := list(self._tap.receive(patience_s, None)):
                for topic, payload in heard:
                    self._hear(self._judges[topic], payload)
                patience_s = 0.0

    def catch_up(self) -> None:
        """Hear all that they have said up to now: flat out a system goes on for seconds while a word is on its way."""
        if self._tap is None:
            return
        with self._listening:
            for frame in self._tap.catch_up():
                event = read(frame, None)
                if event is not None:
                    self._hear(self._judges[event[0]], event[2])

    @property
    def has_judges(self) -> bool:
        return bool(self._judges)

    def finish(self) -> None:
        self.listen(LAST_WORD_S)

    @property
    def over_at_ns(self) -> int | None:
        """The system time at which the last of the judges has seen enough; None as long as one has not."""
        ends = [said.get(END) for said in self._said.values()]
        if not self._is_final or len(ends) < len(self._judges) or not all(isinstance(end, int) for end in ends):
            return None
        return max(ends, default=None)  # type: ignore[type-var]  # the line above is the check

    @property
    def outcome(self) -> dict[str, Any]:
        told = {name: {key: value for key, value in said.items() if key != END} for name, said in self._said.items()}
        return next(iter(told.values()), {}) if len(self._judges) < 2 else told

    def _hear(self, judge: str, payload: bytes | memoryview) -> None:
        try:
            said = json.loads(decode(String, payload).data)
        except (StudioError, ValueError):
            return
        if isinstance(said, dict):
            self._said[judge] = said


def judges(opened: Opened) -> list[tuple[str, str]]:
    """Topic and name of each judge that has something to say."""
    found = []
    for component in opened.system.components:
        spec = opened.registry.get(component.type)
        port = spec.port(PORT) if spec is not None and spec.category == "judge" else None
        if port is not None and port.direction == "out" and port.type == String.TYPE:
            found.append((topic_of(Endpoint(component.name, PORT)), component.name))
    return found
