"""Reading and seeking, against brute force."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.messages import Float64, encode
from studio.runtime.recording import Gap, LogError, LogReader, LogWriter
from tests.runtime.recording.logs import MS, START_NS, Written, as_written, read_log, story, write_log

PAYLOAD = encode(Float64(1.5))
EVENTS = story(300)


@pytest.fixture(scope="module", params=["none", "zstd"])
def log(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> LogReader:
    path = tmp_path_factory.mktemp("logs") / "story.mcap"
    write_log(path, EVENTS, compression=request.param, chunk_ns=20 * MS)
    return LogReader(path)


def selected(topics: list[str] | None = None, start_ns: int | None = None, end_ns: int | None = None) -> list[Written]:
    return [
        event
        for event in EVENTS
        if (topics is None or event.topic in topics)
        and (start_ns is None or event.log_time_ns >= start_ns)
        and (end_ns is None or event.log_time_ns < end_ns)
    ]


times = st.none() | st.integers(-10 * MS, 800 * MS).map(lambda offset: START_NS + offset)
some_topics = st.none() | st.lists(st.sampled_from(["/pose", "/signal", "/text"]), unique=True)


@settings(max_examples=150)
@given(topics=some_topics, start_ns=times, end_ns=times)
def test_ranges_are_those_of_brute_force(
    log: LogReader, topics: list[str] | None, start_ns: int | None, end_ns: int | None
) -> None:
    expected = selected(topics, start_ns, end_ns)
    assert as_written(log.events(topics, start_ns=start_ns, end_ns=end_ns)) == expected
    assert as_written(log.events(topics, start_ns=start_ns, end_ns=end_ns, reverse=True)) == expected[::-1]


@settings(max_examples=150)
@given(topics=some_topics, time_ns=times.filter(lambda time_ns: time_ns is not None))
def test_seeks_are_those_of_brute_force(log: LogReader, topics: list[str] | None, time_ns: int) -> None:
    after = selected(topics, time_ns)
    first = log.first_from(time_ns, topics)
    assert (as_written([first]) if first else []) == after[:1]
    latest = {event.topic: event for event in selected(topics, None, time_ns)}
    assert {name: as_written([event])[0] for name, event in log.latest_before(time_ns, topics).items()} == latest


def test_the_nth_event_of_a_topic(log: LogReader) -> None:
    for topic in ("/pose", "/signal", "/text"):
        expected = selected([topic])
        for number in range(-len(expected), len(expected)):
            assert as_written([log.nth(topic, number)]) == [expected[number]]
    with pytest.raises(LogError, match="/pose has 60 events, there is no number 60"):
        log.nth("/pose", 60)


def test_statistics_are_those_of_the_events(log: LogReader) -> None:
    for topic in ("/pose", "/signal", "/text"):
        expected = selected([topic])
        found = log.statistics(topic)
        assert (found.count, found.first_ns, found.last_ns) == (
            len(expected),
            expected[0].log_time_ns,
            expected[-1].log_time_ns,
        )
    assert log.event_count == len(EVENTS)
    assert (log.start_ns, log.end_ns) == (EVENTS[0].log_time_ns, EVENTS[-1].log_time_ns)


def test_an_unknown_topic_names_those_there_are(log: LogReader) -> None:
    with pytest.raises(LogError, match=r"no topic /nose.*/pose, /signal, /text"):
        list(log.events(["/nose"]))


def test_attachments_and_metadata_come_back(log: LogReader) -> None:
    assert [(index.name, index.media_type) for index in log.attachments] == [("system.xml", "text/xml")]
    assert log.attachment("system.xml") == b"<system/>"
    assert log.metadata() == [("run", {"id": "r1", "project": "first_steps"})]
    with pytest.raises(LogError, match=r"no attachment 'map'.*system.xml"):
        log.attachment("map")


def test_payloads_are_read_only_and_outlive_the_reader(tmp_path: Path) -> None:
    write_log(tmp_path / "a.mcap", EVENTS)
    with LogReader(tmp_path / "a.mcap") as log:
        event = next(log.events())
    assert event.payload.readonly
    assert bytes(event.payload) == EVENTS[0].payload


def write_sequences(path: Path, sequences: list[int], per_chunk: int) -> None:
    with LogWriter(path) as log:
        topic, other = log.add_topic("/a", Float64), log.add_topic("/b", Float64)
        for number, sequence in enumerate(sequences, 1):
            log.write(topic, PAYLOAD, log_time_ns=number, sequence=sequence, stamp_ns=0)
            log.write(other, PAYLOAD, log_time_ns=number, sequence=number, stamp_ns=0)
            if number % per_chunk == 0:
                log.flush()


@pytest.mark.parametrize("per_chunk", [1, 2, 3, 100])
def test_gaps_are_told_wherever_chunks_end(tmp_path: Path, per_chunk: int) -> None:
    write_sequences(tmp_path / "a.mcap", [1, 2, 5, 6, 7, 1, 2, 4], per_chunk)
    with LogReader(tmp_path / "a.mcap") as log:
        expected = [Gap("/a", 2, 5, 3), Gap("/a", 7, 1, 6), Gap("/a", 2, 4, 8)]
        assert log.check() == expected
        assert [gap.lost for gap in expected] == [2, 0, 1]
    with LogReader(tmp_path / "a.mcap") as log:
        assert len(list(log.events())) == 16
        assert log.gaps == expected


def test_a_log_without_gaps_has_none(log: LogReader) -> None:
    seen: list[tuple[int, int]] = []
    assert log.check(lambda done, total: seen.append((done, total))) == []
    assert seen[-1][0] == seen[-1][1] == len(seen)


def test_a_seek_into_the_middle_invents_no_gap(tmp_path: Path) -> None:
    write_sequences(tmp_path / "a.mcap", list(range(1, 50)), 5)
    with LogReader(tmp_path / "a.mcap") as log:
        assert log.first_from(20) is not None
        assert log.first_from(40) is not None
        assert log.gaps == []


def test_a_missing_file_and_a_wrong_one_are_our_errors(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="No such file"):
        LogReader(tmp_path / "a.mcap")
    for content, text in ((b"", "not an MCAP"), (b"\x89MCAP0\r\n", "holds no record"), (b"PK" * 500, "not an MCAP")):
        (tmp_path / "b.mcap").write_bytes(content)
        with pytest.raises(LogError, match=text):
            LogReader(tmp_path / "b.mcap")


def test_a_damaged_summary_is_made_up_for_by_a_scan(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    write_log(path, EVENTS)
    data = bytearray(path.read_bytes())
    data[-60] ^= 1
    path.write_bytes(data)
    seen: list[int] = []
    with LogReader(path, progress=lambda done, total: seen.append(done)) as log:
        assert "summary cannot be used" in log.problems[0]
        assert as_written(log.events()) == EVENTS
        assert as_written([log.nth("/pose", -1)]) == selected(["/pose"])[-1:]
    assert seen[-1] == len(data)


def test_events_larger_than_a_chunk_are_no_problem(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    large = bytes(range(256)) * 20_000
    with LogWriter(path, chunk_bytes=100_000) as log:
        topic = log.add_topic("/a", Float64)
        for number in range(1, 6):
            log.write(topic, large[number:], log_time_ns=number, sequence=number, stamp_ns=0)
            log.write(topic, PAYLOAD, log_time_ns=number, sequence=number, stamp_ns=0)
    assert [len(event.payload) for event in read_log(path)] == [
        size for number in range(1, 6) for size in (len(large) - number, len(PAYLOAD))
    ]


@pytest.mark.parametrize("others", [{}, {0: 3}, {9: 700}, {40: 0, 41: 700}, {79: 5}, dict.fromkeys(range(40, 80), 44)])
def test_messages_of_one_length_are_read_as_all_others(tmp_path: Path, others: dict[int, int]) -> None:
    """One stream of equal scans is read at once, whatever comes between."""
    path = tmp_path / "scans.mcap"
    payloads = [bytes([at]) * others.get(at, 100) for at in range(80)]
    with LogWriter(path) as writer:
        channel = writer.add_topic("/scan", Float64)
        for at, payload in enumerate(payloads):
            writer.write(channel, payload, log_time_ns=START_NS + at, sequence=at + 1, stamp_ns=START_NS + at)
    read = read_log(path)
    assert [event.payload for event in read] == payloads
    assert [event.sequence for event in read] == list(range(1, 81))
