"""The senders of a host: each thread that publishes has one, and one that has ended leaves it to the next."""

from __future__ import annotations

import threading
from collections.abc import Callable

from studio.runtime.channel.sender import Sender


class Senders:
    """A component may start a thread for every picture it takes: sockets and shared memory must not grow with that."""

    def __init__(self, make: Callable[[int], Sender]) -> None:
        self._make = make
        """Gets the number of senders that there are."""
        self._here = threading.local()
        self._lock = threading.Lock()
        self._owned: list[tuple[threading.Thread, Sender]] = []

    def own(self) -> Sender:
        """The calling thread's."""
        sender: Sender | None = getattr(self._here, "sender", None)
        if sender is None:
            sender = self._here.sender = self._adopt()
        return sender

    def _adopt(self) -> Sender:
        thread = threading.current_thread()
        with self._lock:
            for place, (owner, sender) in enumerate(self._owned):
                if not owner.is_alive():
                    self._owned[place] = thread, sender
                    return sender
            sender = self._make(len(self._owned))
            self._owned.append((thread, sender))
            return sender

    @property
    def dropped(self) -> int:
        return sum(sender.dropped for _, sender in self._owned)

    def close(self) -> None:
        for _, sender in self._owned:
            sender.close()
