"""The filter in C takes part like any other component: by docs/protocol.md, held to here byte for byte."""

from __future__ import annotations

import json
import os
import random
import re
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import zmq

from studio.model.component_xml import read_profile, write_profile
from studio.model.spec import CommandEntry
from tests.components.bare_channel import (
    ACK,
    ALIVE,
    BEAT,
    COMMAND,
    DATA,
    HELLO,
    LOG,
    MARKER,
    PAUSE,
    RAW,
    REPLY,
    REQUEST,
    RUN,
    SMOOTH,
    STATE,
    STOP,
    WELCOME,
    Channel,
    Frame,
    acked,
    float64,
    fnv,
    frame,
    read,
    text,
    value_of,
)
from tests.components.c_filter_program import FOLDER, ROOT, build, process


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    build()


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Not under pytest's own folder: the paths of sockets must be short."""
    with tempfile.TemporaryDirectory(prefix="c_filter_") as folder:
        variables = {
            "STUDIO_RUN": folder, "STUDIO_HOST": "host", "STUDIO_HOST_INDEX": "5", "STUDIO_COMPONENT": "filter",
            "STUDIO_PLACE": "7", "STUDIO_ORIGIN": "1", "STUDIO_IN_raw": RAW, "STUDIO_OUT_smooth": SMOOTH,
            "STUDIO_PARENT": str(os.getpid()),
        }  # fmt: skip
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        yield Path(folder)


@pytest.fixture
def channel(run: Path) -> Iterator[Channel]:
    made = Channel(run)
    yield made
    made.close()


@pytest.fixture
def program(channel: Channel) -> Iterator[subprocess.Popen[bytes]]:
    """The program, joined and not yet active."""
    with process() as started:
        channel.join()
        yield started


def test_the_profile_is_in_canonical_form() -> None:
    spec = read_profile(FOLDER / "component.xml")
    assert spec.entry == CommandEntry(("./c_filter",))
    assert write_profile(spec) == (FOLDER / "component.xml").read_bytes()


def test_the_examples_of_the_document_are_what_it_sends(
    run: Path, channel: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = (ROOT / "docs/protocol.md").read_text()
    event, ack = [bytes_of(part.split("```")[1]) for part in document.split("**Example.**")[1:]]
    for name, value in {
        "STUDIO_OUT_smooth": "/c_filter/smooth", "STUDIO_ORIGIN": "0", "STUDIO_PARAMETER_gain": "1.0",
        "STUDIO_HOST_INDEX": "2", "STUDIO_PLACE": "1",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    channel.epoch = 0
    with process():
        channel.join()
        channel.send("/_studio/command/filter", text('{"do": "activate"}'), kind=COMMAND)
        channel.sequences[RAW] = 2
        for _ in range(7):
            channel.send(RAW, float64(2.0), stamp_ns=1_500_000_000)
        sent = [each for each in (channel.pull.recv_multipart() for _ in range(8)) if len(each) == 2]
    assert len(sent) == 7
    assert sent[-1][0] == event
    assert read(sent[-1][1]).payload == ack
    assert read(sent[-1][1]).sequence == 2


def bytes_of(listing: str) -> bytes:
    """The numbers at the beginning of each line; what follows them explains."""
    found = [re.match(r"([0-9a-f]{2} +)*", line) for line in listing.strip().splitlines()]
    return bytes.fromhex("".join(match[0] for match in found if match))


@pytest.mark.usefixtures("program")
def test_an_inactive_component_acknowledges_and_does_nothing(channel: Channel) -> None:
    assert channel.filtered(1.0) is None
    channel.command('{"do": "activate"}')
    assert channel.filtered(1.0) == 1.0
    assert channel.filtered(2.0) == 1.25
    channel.command('{"do": "deactivate"}')
    assert channel.filtered(9.0) is None
    channel.command('{"do": "activate"}')
    assert channel.filtered(5.0) == 5.0


@pytest.mark.usefixtures("program")
def test_an_event_for_another_receiver_is_acknowledged_and_not_handled(channel: Channel) -> None:
    channel.command('{"do": "activate"}')
    sequence = channel.send(RAW, float64(9.0), target=4)
    (ack,) = channel.parts()
    acked(ack, RAW, sequence, target=4)
    channel.send(RAW, float64(3.0), target=7)
    effect, ack = channel.parts()
    assert value_of(effect.payload) == 3.0
    assert struct.unpack_from("<H", ack.payload, 16) == (7,)


@pytest.mark.usefixtures("program")
def test_in_mode_run_nothing_is_acknowledged_but_the_marker_that_ends_it(channel: Channel) -> None:
    channel.command('{"do": "activate"}')
    channel.mark(STATE, mode=RUN, base=10**12, rate=1.0)
    for value in range(3):
        channel.send(RAW, float64(value), stamp_ns=77)
    channel.mark(PAUSE, number=12)
    *effects, ack = [channel.parts()[0] for _ in range(4)]
    acked(ack, "/_studio/all", 12)
    assert [(effect.kind, effect.sequence, effect.stamp_ns) for effect in effects] == [(DATA, n, 77) for n in (1, 2, 3)]
    assert [effect.cause for effect in effects] == [(fnv(RAW), n) for n in (1, 2, 3)]
    assert {(effect.origin, effect.epoch) for effect in effects} == {(1, 3)}
    assert all(0 <= effect.sent_ns - 10**12 < 5 * 10**9 for effect in effects)


@pytest.mark.usefixtures("program")
def test_commands_that_do_not_fit_are_logged_and_change_nothing(channel: Channel) -> None:
    channel.command('{"do": "activate"}')
    assert channel.filtered(1.0) == 1.0
    for nonsense in (
        "", "{", '{"do"', '{"do": ', '{"do": "set"}', '{"do": 5}', '{"do": "fly"}', '{"do": "activate"}',
        '{"do": "reset"}', '{"do": "' + "x" * 9999, '{"nested": {"do": "deactivate"}}',
        '{"do": "set", "name": "gain"}', '{"do": "set", "name": "gain", "value": 1.5}',
        '{"do": "set", "name": "gain", "value": NaN}', '{"do": "set", "name": "gain", "value": "0.5"}',
        '{"do": "set", "name": "gain", "value": 0.5x}', '{"do": "set", "name": "pain", "value": 0.5}',
        '{"do\\"": "deactivate"}', '{"do": "de\\u0061ctivate"}',
    ):  # fmt: skip
        sequence = channel.send("/_studio/command/filter", text(nonsense), kind=COMMAND)
        assert json.loads(channel.expect(LOG).payload[8:-1])["level"] == "warning"
        acked(channel.expect(ACK), "/_studio/command/filter", sequence)
    assert channel.filtered(2.0) == 1.25
    channel.command('{ "value" : 0.5 ,\n "name":"gain", "do" :"set" }')
    assert channel.filtered(2.0) == 1.625


@pytest.mark.usefixtures("program")
def test_what_is_done_by_hand_is_done_and_answered(channel: Channel) -> None:
    def by_hand(do: str, name: str, value: float = 0.0) -> tuple[int, bytes]:
        """The flags of the reply, and what it says."""
        key = "service" if do == "call" else "port"
        reply = channel.by_hand(do=do, id=77, message={"data": value}, cdr=float64(value).hex(), **{key: name})
        assert struct.unpack_from("<IHH", reply.payload) == (77, 0, 0)
        return reply.flags, reply.payload[8:]

    refused = 8
    assert by_hand("call", "get_smooth") == (refused, b"filter is inactive and does not serve")
    assert by_hand("deliver", "raw", 1.0) == (refused, b"filter is inactive and handles nothing")
    channel.command('{"do": "activate"}')
    assert by_hand("call", "get_smooth") == (refused, b"filter has published nothing on smooth yet")
    assert by_hand("deliver", "raw", 1.0) == (0, b"")
    assert by_hand("deliver", "raw", 2.0) == (0, b"")
    assert by_hand("call", "get_smooth") == (0, float64(1.25))
    assert by_hand("publish", "smooth", 9.0) == (0, b"")
    assert by_hand("call", "get_smooth") == (0, float64(9.0))
    assert channel.filtered(1.25) == 1.25, "the filter itself has not noticed that"
    assert by_hand("call", "get_raw") == (refused, b"filter provides no service get_raw")
    assert by_hand("deliver", "rough") == (refused, b"filter has no in port rough")
    assert by_hand("publish", "raw") == (refused, b"filter has no out port raw")
    for nonsense in ({}, {"port": "raw"}, {"port": "raw", "cdr": "0"}, {"port": "raw", "cdr": "0x"}, {"cdr": "00"}):
        reply = channel.by_hand(do="deliver", **nonsense)
        assert (reply.flags, reply.payload[8:]) == (refused, b"filter cannot make sense of deliver")
    assert channel.by_hand(do="deliver", id=1, port="raw", cdr="0001").flags == refused
    assert channel.filtered(1.0) is None, "a payload that is none is an error, here too"


@pytest.mark.usefixtures("program")
def test_it_can_be_asked_by_others_in_their_handlers(channel: Channel) -> None:
    def asked(service: str, number: int = 5, body: bytes = b"") -> Frame:
        head = struct.pack("<IHHqII", number, len(service), 0, 10**9, len("reader"), 0)
        channel.send("/_studio/request/filter/reader", head + service.encode() + b"reader" + body, kind=REQUEST)
        return channel.expect(REPLY)

    channel.command('{"do": "activate"}')
    channel.filtered(3.0)
    reply = asked("get_smooth")
    assert (reply.topic, reply.sequence, reply.flags) == ("/_studio/reply/reader/filter", 1, 0)
    assert reply.cause == (fnv("/_studio/request/filter/reader"), 1)
    assert reply.payload == struct.pack("<IHH", 5, 0, 0) + float64(3.0)
    wrong = asked("get_rough", 6)
    assert (wrong.sequence, wrong.flags, wrong.payload[8:]) == (2, 8, b"filter provides no service get_rough")
    for damaged in (
        b"",
        b"\1\0\0\0",
        struct.pack("<IHHqII", 1, 999, 0, 0, 0, 0),
        struct.pack("<IHHqII", 1, 0, 0, 0, 2**31, 0),
    ):
        channel.send("/_studio/request/filter/reader", damaged, kind=REQUEST)
    assert asked("get_smooth", 9).payload[:4] == struct.pack("<I", 9)


@pytest.mark.usefixtures("program")
def test_it_rests_and_wakes_up_and_is_told_where_its_data_comes_from(channel: Channel) -> None:
    channel.command('{"do": "activate"}')
    assert channel.filtered(1.0) == 1.0
    channel.command('{"do": "pause"}')
    assert channel.filtered(5.0) is None
    channel.command('{"do": "wakeup"}')
    assert channel.filtered(2.0) == 1.25, "its state is kept"
    channel.command('{"do": "origin", "origin": 2}')
    channel.send(RAW, float64(2.0))
    assert channel.parts()[0].origin == 2


@pytest.mark.usefixtures("program")
def test_a_payload_of_another_type_is_an_error_until_reset(channel: Channel) -> None:
    channel.command('{"do": "activate"}')
    for payload in (b"", b"\0\1\0\0", float64(1.0)[:-1], b"\0\0" + float64(1.0)[2:]):
        channel.send(RAW, payload)
        assert json.loads(channel.expect(LOG).payload[8:-1])["level"] == "error"
        channel.expect(ACK)
        assert channel.filtered(1.0) is None
        channel.command('{"do": "reset"}')
        channel.command('{"do": "activate"}')
        assert channel.filtered(1.0) == 1.0


def test_garbage_does_not_disturb_it(channel: Channel, program: subprocess.Popen[bytes]) -> None:
    channel.command('{"do": "activate"}')
    assert channel.filtered(1.0) == 1.0
    throw_garbage(channel.pub, random.Random(5), 3000)
    channel.mark(WELCOME, host="host")  # the garbage may have been a good marker of another broker, or a command
    channel.mark(PAUSE, number=4_000_000)
    while channel.expect(ACK).payload[:16] != struct.pack("<QQ", fnv("/_studio/all"), 4_000_000):
        pass
    channel.command('{"do": "deactivate"}')
    channel.command('{"do": "reset"}')
    channel.command('{"do": "activate"}')
    assert channel.filtered(1.0) == 1.0
    assert program.poll() is None


def throw_garbage(pub: zmq.Socket[bytes], chance: random.Random, count: int) -> None:
    """Noise, cut frames, changed bytes and wrong lengths, on every topic it listens to."""
    good = [
        frame(RAW, DATA, 1, float64(1.0)),
        frame("/_studio/command/filter", COMMAND, 1, text('{"do": "set", "name": "gain", "value": 0.25}')),
        frame("/_studio/timer/filter", 1, 1, b""),
        frame("/_studio/all", MARKER, 1, struct.pack("<IIIIqqdII", STATE, 1, 1, 2, 0, 0, 0.0, 3, 1)),
    ]
    for _ in range(count):
        whole = chance.choice(good)
        topic = whole.index(0) + 1
        body = bytearray(whole[topic:])
        match chance.randrange(4):
            case 0:
                body = bytearray(chance.randbytes(chance.randrange(200)))
            case 1:
                del body[chance.randrange(len(body)) :]
            case 2:
                body[chance.randrange(len(body))] = chance.randrange(256)
            case 3:
                at = chance.randrange(len(body) - 8)
                body[at : at + 8] = chance.choice((b"\xff" * 8, bytes(8), b"\xff" * 7 + b"\x7f"))
        changed = whole[:topic] + body
        if b"\x04\0\0\0" not in changed[-48:-40]:  # STOP is obeyed, whoever says it
            pub.send(changed)


def test_stop_ends_it_with_status_0(channel: Channel, program: subprocess.Popen[bytes]) -> None:
    channel.mark(STOP)
    assert program.wait(5.0) == 0
    report = json.loads(channel.expect(BEAT).payload[8:-1])
    assert report["components"] == {
        "filter": {"state": "inactive", "by_hand": True, "handled": 0, "published": {SMOOTH: 0}}
    }
    assert report["topics"] == {RAW: {"count": 0, "lost": 0}}


def test_a_new_broker_is_greeted_and_the_state_is_kept(run: Path) -> None:
    first = Channel(run)
    with process():
        first.join()
        first.command('{"do": "activate"}')
        assert first.filtered(1.0) == 1.0
        first.close()
        second = Channel(run, incarnation=2)
        end = time.monotonic() + 5.0
        second.pull.rcvtimeo = 50
        while time.monotonic() < end:
            second.mark(ALIVE)
            try:
                if second.parts()[0].kind == HELLO:
                    break
            except zmq.Again:
                continue
        second.pull.rcvtimeo = 5000
        second.join()
        assert second.filtered(2.0) == 1.25
        second.close()


def test_it_ends_when_its_parent_is_gone(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_PARENT", "1")
    with process() as started:
        started.wait(5.0)


@pytest.mark.parametrize("missing", ["STUDIO_RUN", "STUDIO_HOST", "STUDIO_COMPONENT"])
def test_it_says_what_the_launcher_did_not_tell(run: Path, missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(missing)
    done = subprocess.run([FOLDER / "c_filter"], capture_output=True, text=True)
    assert (done.returncode, f"{missing} is not set" in done.stderr) == (1, True)


def test_a_parameter_out_of_range_is_refused_at_the_start(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_PARAMETER_gain", "2.0")
    done = subprocess.run([FOLDER / "c_filter"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "gain: 2.0 cannot be taken\n")
