"""How far the gate has come in what a player in lockstep gives it, and what was delivered before that."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

from studio.runtime.playing.given_events import GivenEvents
from studio.runtime.playing.playing_log import NOTHING_SENT, Sent
from studio.runtime.stepping.gate_control import Place


class Delivered:
    """Asked by many threads, while one has other events given."""

    def __init__(
        self, name: str, place: Callable[[], Place | None], given: GivenEvents, before: Sent = NOTHING_SENT
    ) -> None:
        """`name`: of the player. `place`: where the gate is, None while there is none. `before`: by another player."""
        self.given = given
        self._name, self._place = name, place
        self._of_given = 0
        """How many of those were delivered."""
        self._counted = Counter(before.counts)
        """Topic of the system -> how many events of it were delivered before those."""
        self._place_before: Place | None = None
        """Where the gate was when these began: what it tells there is of those before them."""
        self._lock = threading.RLock()
        """Of those four: they change together."""

    def begin(self, given: GivenEvents) -> None:
        """Others are given from now on."""
        with self._lock:
            self._counted = self.counts
            self.given, self._of_given = given, 0
            self._place_before = self._place()

    @property
    def number(self) -> int:
        """Events of the log before the next one."""
        with self._lock:
            self._look()
            return self.given.number_after(self._of_given)

    @property
    def counts(self) -> Counter[str]:
        """Topic of the system -> how many events of it were delivered; what was gone back over was not."""
        with self._lock:
            self._look()
            return self._counted + self.given.counts(self._of_given)

    @property
    def sent(self) -> Sent:
        with self._lock:
            return Sent(self.counts, self.given.last_of(self._of_given))

    def _look(self) -> None:
        place = self._place()
        if place is not None and place is not self._place_before:
            self._of_given = place.inputs.get(self._name, self._of_given)  # a new broker does not know of us yet
