"""What a player in lockstep has given to the gate, known for every place."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from studio.runtime.playing.cursor import Cursor
from studio.runtime.playing.given_events import GivenEvents
from studio.runtime.playing.played import Played
from studio.runtime.recording import LogReader
from tests.runtime.replay.played import SLOW, START, A, B, write_rig


def test_counts_and_last_sequences_are_those_of_any_place(tmp_path: Path) -> None:
    with LogReader(write_rig(tmp_path / "rig.mcap", 40)) as log:
        played = Played(log, {topic: topic for topic in (A, B, SLOW)})
        given = GivenEvents(played, Cursor(log, played.topics).topics, {A, B, SLOW}, (START, 0), last={"/other": 7})
        events = list(given)
        assert {event.topic for event in events} == {A, B, SLOW}
        for count in (len(events), 0, 17, 3, 30):
            before = events[:count]
            assert +given.counts(count) == Counter(event.topic for event in before)
            assert given.last_of(count) == {"/other": 7} | {event.topic: event.sequence for event in before}
        assert given.counts(len(events) + 5) == given.counts(len(events)), "what was not given is not counted"
