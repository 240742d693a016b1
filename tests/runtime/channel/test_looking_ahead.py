"""What comes next is known also while the last input that a log has sent is being handled."""

from __future__ import annotations

from studio.runtime.broker.agenda import Agenda
from studio.runtime.broker.feeders import FEED_BATCH, Feeders
from studio.runtime.broker.held import Held
from studio.runtime.broker.jobs import Jobs
from studio.runtime.wire.frames import FEED_PREFIX, Kind, Mark


class NotedLine:
    """Notes what it is to tell; it is never waited at."""

    ended = False
    jobs: Jobs

    def __init__(self) -> None:
        self.marks: list[tuple[str, Mark, int]] = []

    def absorb(self) -> None:
        raise AssertionError("whoever looks at a busy system must not wait")

    def mark_on(self, topic: str, mark: Mark, number: int, about: int = 0) -> None:
        self.marks.append((topic, mark, number))


def test_the_next_inputs_are_asked_for_without_waiting() -> None:
    line = NotedLine()
    agenda: Agenda[Held] = Agenda(lambda _component, _due_ns: None)  # type: ignore[arg-type,return-value]
    feeders = Feeders(line, agenda)
    feeders.add("player", frozenset({"/level"}), rewindable=True)
    feeders.add("script", frozenset({"/by_hand"}))
    player, script = agenda.feeders
    player.taken = player.received = FEED_BATCH  # all of the first batch has come, and was delivered
    wanted = (FEED_PREFIX + "player", Mark.STATE, 2 * FEED_BATCH)
    for _ in range(2):
        feeders.ask_ahead(player)
        feeders.ask_ahead(script)
    assert line.marks == [wanted, wanted], "asking twice asks for the same; a script that cannot go back is not asked"
    player.waiting.append(Held(b"", "/level", FEED_BATCH + 1, 0, Kind.DATA))
    feeders.ask_ahead(player)
    assert line.marks == [wanted, wanted]
