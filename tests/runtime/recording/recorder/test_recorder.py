"""The recorder: every event of the channel in its order, with its header; and what is left when something dies."""

from __future__ import annotations

import dataclasses
import signal
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest
import zmq
from mcap.exceptions import McapError
from mcap.reader import NonSeekingReader

from studio.messages import Bookmark, Float64, HandledTrace, Map, ServiceCall, decode, encode
from studio.runtime.base.clock import Clock, ClockKind
from studio.runtime.host.statistics import topic_totals
from studio.runtime.plan.plan import Plan, RecordingPlan
from studio.runtime.recording import LoggedEvent, LogReader
from studio.runtime.recording.facts.set_bookmark import set_bookmark
from studio.runtime.recording.format.bookmarks import BOOKMARK_TOPIC
from studio.runtime.recording.recorder.recorder import Recorder
from studio.runtime.replay.as_recorded import replay_plan_as_recorded
from studio.runtime.replay.causes import chain_of
from studio.runtime.wire.frames import (
    ACK_TOPIC,
    ALL_TOPIC,
    HANDLED_TOPIC,
    HOST_PREFIX,
    READY_TOPIC,
    Kind,
    Mark,
    Marker,
    pack,
    split,
)
from tests.runtime.systems import Part, ProcessRun, Seen, plan
from tests.waiting import await_true

TYPES = {"out": "Float64", "total": "Float64", "big": "Map", "small": "Float64", "served": "Float64", "maps": "Map"}

GONE = b"overwritten"
Record = Callable[..., ProcessRun]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "run.mcap"


@pytest.fixture
def record(log: Path) -> Iterator[Record]:
    runs: list[ProcessRun] = []

    def start(system: Plan, clock: ClockKind = ClockKind.SIMULATION) -> ProcessRun:
        ports = type_of(system)
        recorded = dataclasses.replace(system, types=ports, recording=RecordingPlan(str(log), tuple(ports)))
        runs.append(ProcessRun(recorded, clock=clock))
        runs[-1].start()
        return runs[-1]

    yield start
    for run in runs:
        run.close()


def type_of(system: Plan) -> dict[str, str]:
    return {topic: TYPES[port] for each in system.components for port, topic in each.outlets.items()}


def data(seen: list[Seen]) -> list[tuple[str, int, int, tuple[int, int], bytes]]:
    return [tuple(event) for event in seen if not event.topic.startswith("/_studio/")]  # type: ignore[misc]


def logged(events: Iterator[LoggedEvent]) -> list[tuple[str, int, int, tuple[int, int], bytes]]:
    found = []
    for event in events:
        if not event.topic.startswith("/_studio/"):
            assert event.cause_topic is not None and event.cause_sequence is not None
            cause = (event.cause_topic, event.cause_sequence)
            found.append((event.topic, event.sequence, event.stamp_ns, cause, bytes(event.payload)))
    return found


def test_the_log_has_every_event_in_channel_order_with_its_header(record: Record, log: Path) -> None:
    run = record(
        plan(
            ticker=Part("Ticker", period_s=0.01),
            adder=Part("Adder", {"raw": "ticker.out"}, {"copies": 2}),
            big=Part("BigMap", {"raw": "ticker.out"}, {"side": 300}),
            sum=Part("MapSum", {"map": "big.big"}),
        )
    )
    run.lockstep(until_ns=300_000_000)
    expected = data(run.channel())
    run.close()
    with LogReader(log) as reader:
        assert reader.is_finished and not reader.problems and not reader.gaps
        recorded = logged(reader.events())
        assert [event[:4] for event in recorded] == [event[:4] for event in expected]
        # The test's own watcher is a lossy viewer: a large payload may be gone before it has copied it.
        assert all(ours == seen for (*_, ours), (*_, seen) in zip(recorded, expected, strict=True) if seen != GONE)
        maps = [decode(Map, event.payload) for event in reader.events(topics=["/big/big"])]
        assert [float(each.planes[0, 0, 0]) for each in maps] == [float(number) for number in range(1, 31)]
        # A payload in shared memory counts with its own size, not with that of its handle.
        written = sum(len(event.payload) for event in reader.events(topics=["/big/big"]))
        assert topic_totals(run.observer.reports.values(), ["/big/big"])["/big/big"].bytes == written > 30 * 360_000
        rows = [
            row for each in reader.events(topics=["/_studio/handled"]) for row in decode(HandledTrace, each.payload)
        ]
        assert {(row.component, row.topic, row.sequence) for row in rows} >= {("sum", "/big/big", 30)}


def test_a_free_run_is_recorded_without_a_gap(record: Record, log: Path) -> None:
    flood = Part("Flood", parameters={"rate_hz": 2000.0})
    run = record(plan(flood=flood, sink=Part("Sink", {"raw": "flood.out"})), ClockKind.WALL)
    run.run()
    time.sleep(1.5)
    run.pause()
    run.run()
    time.sleep(0.3)
    expected = len(run.channel_now())
    run.close()
    with LogReader(log) as reader:
        values = [decode(Float64, event.payload).data for event in reader.events(topics=["/flood/out"])]
        assert len(values) > 1000 and len(values) >= 0.9 * expected
        assert values == sorted(values)
        assert reader.topics["/_studio/markers"].count >= 3
        gaps = list(reader.events(topics=["/_studio/gaps"])) if "/_studio/gaps" in reader.topics else []
        assert reader.end_ns - reader.start_ns < 60_000_000_000, "no event carries another time than its neighbours"
        assert len(gaps) <= 1, "at most the inputs that were dropped at the source while the system was paused"


def kept_waiting_ns(*pids: int) -> int:
    """How long the threads of these processes have been ready to run, and were not, because the machine was busy."""
    found = 0
    for pid in pids:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(FileNotFoundError):  # it has just ended
                found += int((thread / "schedstat").read_text().split()[1])
    return found


MOST_LOST_NS = 100_000_000


def test_a_killed_recorder_has_lost_a_tenth_of_a_second_at_most(record: Record, log: Path) -> None:
    """And nothing that was in the file; and the system goes on. The kills themselves are many: see below."""
    run, killed_ns, flushed, waited_ns = run_and_kill(record, log)
    before = len(run.channel_now())
    await_true(lambda: "recorder" in run.exits, "the death to be noticed")
    await_true(lambda: len(run.channel_now()) > before + 200, "the system to go on")
    run.close()
    check_killed(log, killed_ns, flushed, waited_ns)


def test_other_readers_find_every_flushed_message_of_a_killed_recorder(record: Record, log: Path) -> None:
    """Before the error that is theirs to raise at the end, wherever the last write was cut."""
    run, _, flushed, _ = run_and_kill(record, log)
    run.close()
    with LogReader(log) as reader:
        ours = [(event.topic, event.sequence) for event in reader.events()]
    assert len(ours) >= flushed
    theirs, error = _read_by_mcap(log.read_bytes())
    assert theirs == ours and error
    whole = log.read_bytes()
    for cut in range(1, 2000, 97):
        found, error = _read_by_mcap(whole[:-cut])
        assert error and found == ours[: len(found)] and len(found) > 0.5 * len(ours)


def _read_by_mcap(content: bytes) -> tuple[list[tuple[str, int]], str]:
    """Topic and sequence of each message, and what the reader says at the end."""
    found: list[tuple[str, int]] = []
    try:
        for _, channel, message in NonSeekingReader(BytesIO(content)).iter_messages(log_time_order=False):
            if channel.topic != "/_studio/headers":
                found.append((channel.topic, message.sequence))
    except (McapError, struct.error) as error:
        return found, repr(error)
    return found, ""


@pytest.mark.soak
def test_recorders_that_are_killed_again_and_again(record: Record, log: Path) -> None:
    for _ in range(200):
        run, killed_ns, flushed, waited_ns = run_and_kill(record, log)
        run.close()
        check_killed(log, killed_ns, flushed, waited_ns)
        log.unlink()


def run_and_kill(record: Record, log: Path) -> tuple[ProcessRun, int, int, int]:
    """The run, when its recorder was killed, how many events the file had then, and how long all were kept waiting."""
    system = plan(ticker=Part("Ticker", period_s=0.002), sink=Part("Sink", {"raw": "ticker.out"}))
    run = record(system, ClockKind.WALL)
    assert run.recorder is not None
    pids = (run.recorder.pid, run.broker.pid, run.hosts["ticker"].pid)
    before_ns = kept_waiting_ns(*pids)
    run.run()
    await_true(lambda: len(run.channel_now()) > 1000, "events")
    with LogReader(log) as reader:
        flushed = reader.event_count
    waited_ns = kept_waiting_ns(*pids) - before_ns
    killed_ns = int(run.control.status()["now_ns"])  # the system's own time: it stood until the system ran
    run.recorder.send_signal(signal.SIGKILL)
    return run, killed_ns, flushed, waited_ns


def check_killed(log: Path, killed_ns: int, flushed: int, waited_ns: int) -> None:
    with LogReader(log) as reader:
        assert not reader.is_finished
        assert reader.event_count >= flushed > 0, "what was in the file stays there"
        events = list(reader.events(topics=["/ticker/out"]))
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    lost_ns = killed_ns - events[-1].sent_ns
    told = f"{lost_ns / 1e6:.0f} ms are lost; the machine kept everybody waiting for {waited_ns / 1e6:.0f} ms"
    assert lost_ns <= MOST_LOST_NS + waited_ns, told


def test_what_was_recorded_is_brought_to_the_disk_every_half_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a loss of power at most a second is gone: half a second, a chunk, and the time that the disk takes."""
    recording = RecordingPlan(str(tmp_path / "run.mcap"), ())
    recorder = Recorder(tmp_path, Plan((), recording=recording), recording, None)
    recorder._ended = waits = CountedWaits()  # type: ignore[assignment]
    synced: list[int] = []
    monkeypatch.setattr("os.fdatasync", lambda descriptor: synced.append(len(waits.waited_s)))
    recorder.stop()
    recorder.main()
    closing = synced.pop()
    assert closing == len(waits.waited_s)
    assert synced == list(range(1, CountedWaits.MOST)), "once after every wait"
    assert max(waits.waited_s) <= 0.5


class CountedWaits:
    """The end of a recording that comes after some waits of the thread that syncs, however long they should be."""

    MOST = 5

    def __init__(self) -> None:
        self.waited_s: list[float] = []
        self._over = threading.Event()

    def wait(self, timeout_s: float) -> bool:
        if threading.current_thread().name == "sync":
            self.waited_s.append(timeout_s)
            if len(self.waited_s) == self.MOST:
                self._over.set()
        return self.is_set()

    def is_set(self) -> bool:
        return self._over.is_set()

    def set(self) -> None:
        self._over.wait()


def test_a_full_disk_ends_the_recording_and_nothing_else(small_disk: Path) -> None:
    system = plan(flood=Part("BigFlood", parameters={"rate_hz": 30.0}), sum=Part("MapSum", {"map": "flood.maps"}))
    ports = type_of(system)
    log = small_disk / "run.mcap"
    recorded = dataclasses.replace(system, types=ports, recording=RecordingPlan(str(log), tuple(ports), "none"))
    run = ProcessRun(recorded, clock=ClockKind.WALL)
    try:
        run.start()
        run.run()
        await_true(
            lambda: any("the disk is full" in line["text"] for line in run.observer.log), "word of the full disk"
        )
        reports = run.observer.reports  # the first may be lost: who watches joins in
        await_true(lambda: reports.get("recorder", {}).get("recording", {}).get("full"), "a report that says so")
        before = len(run.channel_now())
        await_true(lambda: len(run.channel_now()) > before + 30, "the system to go on")
        assert "recorder" not in run.exits
    finally:
        run.close()
    with LogReader(log) as reader:
        assert reader.is_finished and reader.topics["/flood/maps"].count >= 2
        assert dict(reader.metadata())["stopped"] == {"reason": "the disk was full"}
        assert [event.sequence for event in reader.events(["/flood/maps"])][-1] < before


def test_bookmarks_of_watchers_are_numbered_and_reported(record: Record, log: Path) -> None:
    run = record(plan(ticker=Part("Ticker", period_s=0.01), sink=Part("Sink", {"raw": "ticker.out"})))
    run.lockstep(until_ns=100_000_000)
    for text in ("first", "second"):
        set_bookmark(run.folders.run, text, 100_000_000)
    recording = run.observer.reports
    await_true(lambda: recording.get("recorder", {}).get("recording", {}).get("bookmarks") == 2, "both bookmarks")
    report = recording["recorder"]["recording"]
    assert (report["file"], report["missing"], report["full"]) == (str(log), 0, False)
    assert report["events"] > 20 and report["free_bytes"] > 0
    run.close()
    with LogReader(log) as reader:
        assert [(mark.stamp_ns, mark.text) for _, mark in reader.bookmarks()] == [
            (100_000_000, "first"), (100_000_000, "second"),
        ]  # fmt: skip
        assert [event.sequence for event in reader.events([BOOKMARK_TOPIC])] == [1, 2]


def test_calls_of_a_run_are_in_the_log_with_those_that_got_no_answer(record: Record, log: Path) -> None:
    run = record(
        plan(
            ticker=Part("Ticker", period_s=0.05, outlets=("out",)),
            caller=Part("Hasty", {"raw": "ticker.out"}, requires={"ask": ("server", "double")}, outlets=("out",)),
            server=Part("Sleepy", outlets=("served",)),
        ),
        ClockKind.WALL,
    )
    run.run()
    await_true(lambda: run.observer.component("caller").get("published", {}).get("/caller/out", 0) >= 4, "answers")
    run.close()
    asked, answered = "/_studio/request/server/caller", "/_studio/reply/caller/server"
    with LogReader(log) as reader:
        told = [(event, decode(ServiceCall, event.payload)) for event in reader.events([asked, answered])]
        chain = chain_of(reader, "/caller/out", 2)
        again = replay_plan_as_recorded(run.plan, reader)
    by_request: dict[int, list[str]] = {}
    for event, call in told:
        assert (call.caller, call.provider, call.service) == ("caller", "server", "double")
        if not call.error and event.topic == asked:
            by_request[event.sequence] = []
        elif event.cause_sequence in by_request:
            by_request[event.cause_sequence].append(call.error or f"{decode(Float64, call.data.tobytes()).data:g}")
    first, second, *_ = by_request.values()
    assert first == ["2"]
    assert "server.double did not answer within 0.05 s" in second, "the second answer is late on purpose"
    assert again.identical and not again.skipped
    assert again.components["caller"].handled >= 4 and again.components["server"].handled >= 4
    (made,) = chain[-1].calls
    assert made.error == "server.double did not answer within 0.05 s"


def test_a_log_that_exists_is_never_overwritten(record: Record, log: Path) -> None:
    log.write_bytes(b"somebody's field trial")
    with pytest.raises(Exception, match="logs are never overwritten"):
        record(plan(ticker=Part("Ticker", period_s=0.01)))
    assert log.read_bytes() == b"somebody's field trial"


def test_what_carries_no_time_and_comes_first_waits_for_one(tmp_path: Path) -> None:
    """The trace of a host's set-up may arrive before anything that tells the time."""
    recording = RecordingPlan(str(tmp_path / "run.mcap"), ())
    recorder = Recorder(tmp_path, Plan((), recording=recording), recording, None)
    trace = pack(HANDLED_TOPIC, Kind.TRACE, 0, encode(HandledTrace()))
    marker = Marker(Mark.STATE, 1, False, Clock(ClockKind.WALL, 5_000, 0))
    for frame in (trace, pack(ALL_TOPIC, Kind.MARKER, 1, marker.payload())):
        recorder._arrived.append((frame, None))
    recorder.stop()
    recorder.main()
    with LogReader(recording.file) as reader:
        events = reader.events(topics=["/_studio/handled", "/_studio/markers"])
        assert [event.log_time_ns for event in events] == [5_000, 5_000]


def test_beyond_the_budget_markers_and_bookmarks_are_still_heard(tmp_path: Path) -> None:
    """The gate waits without end for the answer to a marker, so none may be dropped with the data."""
    recording = RecordingPlan(str(tmp_path / "run.mcap"), ("/big/maps",))
    system = Plan((), types={"/big/maps": "Map"}, recording=recording)
    recorder = Recorder(tmp_path, system, recording, None)
    recorder.budget_bytes = 0
    clock = Clock(ClockKind.WALL, 5_000, 0)
    to_us = f"{HOST_PREFIX}recorder"
    markers = [
        pack(ALL_TOPIC, Kind.MARKER, 1, Marker(Mark.STATE, 1, False, clock).payload()),
        pack(to_us, Kind.MARKER, 2, Marker(Mark.WELCOME, 2, False, clock).payload()),
        pack(to_us, Kind.MARKER, 3, Marker(Mark.SYNC, 3, False, clock).payload()),
        pack(BOOKMARK_TOPIC, Kind.LOG, 0, encode(Bookmark(stamp_ns=5_000, text="here"))),
    ]
    data_frame = pack("/big/maps", Kind.DATA, 1, bytes(1000))
    inlet = Inlet([data_frame, markers[0], data_frame, *markers[1:]])
    socket, recorder._socket = recorder._socket, inlet  # type: ignore[assignment]
    recorder._read()
    recorder._socket = socket
    assert [frame for frame, _ in recorder._arrived] == markers
    while recorder._arrived:
        recorder._book.take(recorder._arrived.popleft()[0])
    answers = [split(frame)[0] for frame in recorder._words]
    assert answers == [READY_TOPIC, ACK_TOPIC], "to the welcome, and to the question how far it is"
    recorder._welcomed = False  # there is no broker whose last words could be waited for
    recorder.stop()
    recorder.main()


class Inlet:
    """A socket on which these frames have arrived."""

    def __init__(self, frames: list[bytes]) -> None:
        self._frames = frames

    def recv(self, _flags: int) -> bytes:
        if not self._frames:
            raise zmq.Again
        return self._frames.pop(0)
