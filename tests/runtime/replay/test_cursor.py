"""Places in a log: the order in which it is played, and going on from anywhere as if one had come from the start."""

from __future__ import annotations

import random
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.messages import Float64, encode
from studio.runtime.playing import playing_order
from studio.runtime.playing.cursor import Cursor
from studio.runtime.playing.playback_block import Next
from studio.runtime.playing.playing_order import FAR_NS, in_order, placed
from studio.runtime.recording import LoggedEvent, LogReader, LogWriter
from studio.runtime.recording.format.event_block import EventBlock, block_of_events, blocks_of_events
from studio.runtime.replay.stamp_order import by_stamp

START = 1_700_000_000_000_000_000
MS = 1_000_000
SECOND = 1000 * MS
TOPICS = ("/a", "/b", "/c")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three streams of which each event is recorded 0 to 300 ms after its stamp; many stamps are equal."""
    path = tmp_path_factory.mktemp("cursor") / "log.mcap"
    chance = random.Random(7)
    rows = [
        (START + at * 10 * MS + chance.randrange(300) * MS, topic, START + at * 10 * MS)
        for topic in TOPICS
        for at in range(400)
    ]
    with LogWriter(path) as writer:
        channels = {topic: writer.add_topic(topic, Float64) for topic in TOPICS}
        for number, (time_ns, topic, stamp_ns) in enumerate(sorted(rows)):
            writer.write(
                channels[topic], encode(Float64(number)), log_time_ns=time_ns, sequence=number + 1, stamp_ns=stamp_ns
            )
            writer.tick(time_ns)
    return path


def all_of(cursor: Cursor) -> list[Next]:
    found = []
    while (following := cursor.peek()) is not None:
        found.append(following)
        cursor.drop()
    return found


def test_the_order_is_that_of_lockstep(log: Path) -> None:
    with LogReader(log) as reader:
        expected = list(by_stamp(placed(reader.events(TOPICS))))
        found = [following for stretch in in_order(reader.blocks(TOPICS)) for following in stretch.each()]
    assert [following.event for following in found] == expected
    assert [following.number for following in found] == list(range(1200))


def test_from_anywhere_it_goes_on_as_from_the_start(log: Path) -> None:
    with LogReader(log) as reader:
        cursor = Cursor(reader, TOPICS)
        whole = all_of(cursor)
        assert len(whole) == cursor.count == 1200
        for at_ms in (0, 5, 10, 1234, 2000, 3989, 3990, 5000):
            cursor.seek(START + at_ms * MS)
            rest = [following for following in whole if following.place_ns >= START + at_ms * MS]
            assert all_of(cursor) == rest


def test_what_was_last_there_comes_first(log: Path) -> None:
    with LogReader(log) as reader:
        cursor = Cursor(reader, TOPICS)
        before = [following.event for following in all_of(cursor) if following.place_ns < START + 3000 * MS]
        last = {event.topic: event for event in before}
        cursor.seek(START + 3000 * MS, restore=("/a", "/c"))
        first, second, third = all_of(cursor)[:3]
        assert {following.event.topic: following.event for following in (first, second)} == {
            "/a": last["/a"],
            "/c": last["/c"],
        }
        assert (first.number, second.number, third.number) == (-1, -1, len(before))


def test_what_is_taken_back_comes_again(log: Path) -> None:
    with LogReader(log) as reader:
        cursor = Cursor(reader, ["/a"])
        first = [cursor.peek(), cursor.drop(), cursor.peek(), cursor.drop()][::2]
        cursor.take_back([following for following in first if following is not None])
        assert all_of(cursor)[:2] == first


@pytest.mark.parametrize("most", [1, 7, 64, 5000])
def test_taken_in_stretches_it_is_the_same(log: Path, most: int) -> None:
    with LogReader(log) as reader:
        cursor = Cursor(reader, TOPICS)
        whole = all_of(cursor)
        cursor.seek(cursor.start_ns)
        assert cursor.peek() == whole[0]
        limit_ns = START + 2000 * MS
        found: list[Next] = []
        while (stretch := cursor.take(most, limit_ns)).count:
            assert stretch.count <= most
            found += stretch.each()
        assert found == [following for following in whole if following.place_ns <= limit_ns]
        cursor.take_back(found[-5:])
        assert all_of(cursor) == whole[len(found) - 5 :]


def test_of_large_events_few_are_taken_at_once(tmp_path: Path) -> None:
    """A batch is sent before the player looks whether its receivers keep up."""
    path, large = tmp_path / "images.mcap", bytes(900_000)
    with LogWriter(path, chunk_bytes=8 << 20) as writer:
        channel = writer.add_topic("/image", Float64)
        for at in range(20):
            writer.write(channel, large, log_time_ns=START + at * MS, sequence=at + 1, stamp_ns=START + at * MS)
    with LogReader(path) as reader:
        cursor = Cursor(reader, ["/image"])
        first = cursor.take(256, cursor.end_ns)
        assert first.count == 3
        cursor.take_back(first.each())
        counts = []
        while (stretch := cursor.take(256, cursor.end_ns)).count:
            counts.append(stretch.count)
        assert sum(counts) == 20 and max(counts) == 3 == counts[0]
        few = [len(block.topics) for block in blocks_of_events(reader.events())]
        assert sum(few) == 20 and max(few) == 3
        small = [event._replace(payload=memoryview(b"")) for event in reader.events()] * 5
        assert [len(block.topics) for block in blocks_of_events(small)] == [8, 16, 32, 44], "few at first"


def test_blocks_have_the_events_of_the_log(log: Path) -> None:
    with LogReader(log) as reader:
        for topics, start_ns in ((None, None), (["/b"], None), (TOPICS, START + 1234 * MS)):
            blocks = list(reader.blocks(topics, start_ns=start_ns))
            found = [block.event(at) for block in blocks for at in range(len(block.topics))]
            assert found == list(reader.events(topics, start_ns=start_ns))
            for name, column in (("topic", 0), ("stamp_ns", 1), ("log_time_ns", 2), ("payload", 3)):
                values = [value for block in blocks for value in block[column]]  # type: ignore[union-attr]
                assert values == [getattr(event, name) for event in found]


def test_stamps_of_another_clock_are_not_played_by(tmp_path: Path) -> None:
    path = tmp_path / "foreign.mcap"
    with LogWriter(path, headers=False, profile="") as writer:
        channel = writer.add_topic("/a", Float64)
        for at, stamp_ns in enumerate((0, 17, START + 2 * MS, START + 2 * FAR_NS)):
            writer.write(channel, encode(Float64(at)), log_time_ns=START + at * MS, sequence=0, stamp_ns=stamp_ns)
    with LogReader(path) as reader:
        stamps = [event.stamp_ns - START for event in placed(reader.events())]
        [stretch] = [stretch for stretch in in_order(reader.blocks()) if stretch.count]
        events = [following.event for following in stretch.each()]
        assert events == list(placed(reader.events()))
    assert stamps == [0, MS, 2 * MS, 3 * MS] == [stamp_ns - START for stamp_ns in stretch.stamps]


def test_the_index_counts_as_reading_does(log: Path) -> None:
    with LogReader(log) as reader:
        times = [event.log_time_ns for event in reader.events(["/b"])]
        for time_ns in (0, times[0], times[0] + 1, times[57], times[200] + 1, times[-1], times[-1] + 1):
            assert reader.count_before(time_ns, ["/b"]) == sum(time < time_ns for time in times)
        assert reader.count_before(times[-1] + SECOND) == reader.event_count


def overlapping(count: int, late: int = 3) -> Iterator[EventBlock]:
    """Blocks of ten events, of which the last ones belong into the block before."""
    for block in range(count):
        stamps = [START + (block * 10 + at) * MS - (late * 10 * MS if at > 7 else 0) for at in range(10)]
        events = [
            LoggedEvent(f"/{at > 7}", block * 10 + at, stamp, START + (block * 10 + at) * MS, memoryview(b"x" * 100))
            for at, stamp in enumerate(stamps)
        ]
        yield from blocks_of_events(events)


def test_blocks_that_all_overlap_are_let_go() -> None:
    """Each was kept by the one after it, until memory or the stack was at an end."""
    alive: weakref.WeakSet[object] = weakref.WeakSet()

    class Kept:
        """Stands for a chunk, which lives as long as one of its events can be asked for."""

        def __init__(self, block: EventBlock) -> None:
            self.block = block
            alive.add(self)

        def event(self, at: int) -> LoggedEvent:
            return self.block.event(at)

    def kept() -> Iterator[EventBlock]:
        for block in overlapping(3000):
            yield block._replace(event=Kept(block).event)

    expected = by_stamp(event for block in overlapping(3000) for event in map(block.event, range(len(block.topics))))
    most = 0
    for stretch in in_order(kept()):
        most = max(most, len(alive))
        for following in stretch.each():
            assert following.event == next(expected)
    assert most < 400, "a second of blocks, and a few"


def test_of_too_many_only_the_first_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block of more events than may wait was let go whole, and what came late was played after it."""
    monkeypatch.setattr(playing_order, "MOST_EVENTS", 100)
    whole = [event for block in overlapping(60) for event in map(block.event, range(len(block.topics)))]
    large = [block_of_events(whole[at : at + 200]) for at in range(0, len(whole), 200)]
    found = [following for stretch in in_order(large) for following in stretch.each()]
    assert [following.event for following in found] == sorted(whole, key=lambda event: event.stamp_ns)
    assert [following.number for following in found] == list(range(len(whole)))
