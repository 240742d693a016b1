from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from studio.runtime.recording import LoggedEvent
from studio.runtime.replay import stamp_order
from studio.runtime.replay.stamp_order import Bookmark, by_stamp


def event(topic: str, sequence: int, stamp_ns: int, log_time_ns: int) -> LoggedEvent:
    return LoggedEvent(topic, sequence, stamp_ns, log_time_ns, memoryview(b""))


def test_a_camera_that_is_slow_comes_before_a_laser_that_was_later() -> None:
    laser, camera = event("/laser", 1, 1040, 1041), event("/camera", 1, 1000, 1050)
    assert list(by_stamp([laser, camera])) == [camera, laser]


def test_equal_stamps_stay_as_recorded() -> None:
    events = [event(f"/{name}", 1, 7, 7) for name in "cab"]
    assert list(by_stamp(events)) == events


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 50), st.integers(0, 20)), max_size=60))
def test_every_topic_keeps_its_order_and_nothing_is_lost(rows: list[tuple[str, int, int]]) -> None:
    events, now_ns = [], 0
    for sequence, (topic, delay, step) in enumerate(rows):
        now_ns += step
        events.append(event(topic, sequence, now_ns - delay, now_ns))
    ordered = list(by_stamp(events, window_ns=60))
    assert sorted(ordered, key=lambda each: each.sequence) == events
    for topic in "abc":
        sequences = [each.sequence for each in ordered if each.topic == topic]
        assert sequences == sorted(sequences)


def test_stamps_of_another_world_do_not_fill_the_memory() -> None:
    source = (event("/x", at, 10**18 + at, at) for at in range(stamp_order.MOST_EVENTS * 3))
    ordered = by_stamp(source)
    next(ordered)
    assert next(source).sequence == stamp_order.MOST_EVENTS + 1


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(-30, 120), st.integers(0, 3)), max_size=80),
    st.integers(1, 9),
)
def test_the_order_goes_on_from_every_bookmark(rows: list[tuple[str, int, int]], every: int) -> None:
    """Stamps far from the time of recording, equal times of recording, topics whose stamps go backwards."""
    events, now_ns = [], 0
    for sequence, (topic, delay, step) in enumerate(rows):
        now_ns += step
        events.append(event(topic, sequence, now_ns - delay, now_ns))
    marks: list[tuple[int, Bookmark]] = []
    whole: list[LoggedEvent] = []
    for each in by_stamp(events, window_ns=20, every=every, keep=lambda mark: marks.append((len(whole), mark))):
        whole.append(each)
    assert whole == list(by_stamp(events, window_ns=20))
    for position, mark in marks:
        again = [each for each in events if mark.from_ns is None or each.log_time_ns >= mark.from_ns]
        assert list(by_stamp(again, window_ns=20, after=mark)) == whole[position:]


def test_bookmarks_come_as_often_as_asked_for() -> None:
    events = [event("/x", at, at, 10 * at) for at in range(100)]
    marks: list[Bookmark] = []
    assert list(by_stamp(events, window_ns=100, every=10, keep=marks.append)) == events
    assert len(marks) == 9
    assert all(len(mark.held) <= 11 for mark in marks), "only what lies within the window is held"
