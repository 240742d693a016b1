"""What a person does to a component by hand, what ports can be asked for, queues that are read at leisure, and mail."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from studio.messages import Float64, Mail, MessageTypes, String, decode, encode
from studio.messages.plain_data import as_plain
from studio.model.spec import SpecError
from studio.model.system_check import check
from studio.model.system_xml import read_system
from studio.runtime.actuator import Actuator
from studio.runtime.command_rules import Refused
from studio.runtime.component import (
    Component,
    InPort,
    OutPort,
    ProvidedService,
    RequiredService,
    RequiredValue,
    ServiceError,
    State,
)
from studio.runtime.host.in_process import InProcess
from studio.runtime.host.profile import spec_of
from studio.runtime.plan.plan import Inlet, Plan, PlannedComponent, with_origins
from studio.runtime.plan.planning import plan_of
from studio.runtime.trial import Trial
from studio.runtime.wire.frames import Event, Kind, Origin
from tests.model.examples import Profiles


class Doubler(Component):
    raw = InPort(Float64, optional=True)
    out = OutPort(Float64)
    twice = ProvidedService(Float64, Float64)

    def on_raw(self, message: Float64) -> None:
        self.out.publish(Float64(2 * message.data))

    def serve_twice(self, request: Float64) -> Float64:
        if request.data < 0:
            raise ServiceError("only positive numbers")
        if request.data > 100:
            raise ZeroDivisionError("too much")
        self.out.publish(Float64(request.data))
        return Float64(2 * request.data)


class Gauge(Component):
    """Its level is computed when somebody asks for it."""

    activations = ("periodic",)
    level = OutPort(Float64)
    silent = OutPort(Float64)

    def on_activate(self) -> None:
        self.asked = 0

    def get_level(self) -> Float64:
        self.asked += 1
        return Float64(10.0 + self.asked)


class Asking(Component):
    raw = InPort(Float64, optional=True)
    out = OutPort(Float64)
    level = RequiredValue(Float64)

    def on_raw(self, message: Float64) -> None:
        self.out.publish(Float64(self.level(deadline_s=0.5).data + message.data))


class Motor(Actuator):
    command = InPort(Float64)

    def on_activate(self) -> None:
        self.done: list[float] = []

    def on_command(self, message: Float64) -> None:
        self.done.append(message.data)

    def halt(self) -> None:
        """It stands."""


class Reader(Component):
    """Takes what has come, when its own time has come."""

    activations = ("periodic",)
    values = InPort(Float64, queue=3)
    batch = OutPort(String)

    def on_timer(self) -> None:
        self.batch.publish(String(" ".join(f"{each.data:g}" for each in self.values.take())))


class Writer(Component):
    raw = InPort(Float64, optional=True)
    outbox = OutPort(Mail)

    def on_raw(self, message: Float64) -> None:
        self.mail("anna" if message.data > 0 else "*", message)


class Addressee(Component):
    inbox = InPort(Mail)
    read = OutPort(String)

    def on_inbox(self, mail: Mail) -> None:
        if mail.holds(Float64):
            self.read.publish(String(f"{mail.sender}: {mail.content(Float64).data:g}"))


CLASSES: dict[str, type[Component]] = {
    cls.__name__: cls for cls in (Doubler, Gauge, Asking, Motor, Reader, Writer, Addressee)
}


def part(name: str, cls: type[Component], place: int = 0, **more: Any) -> PlannedComponent:
    outlets = {port: f"/{name}/{port}" for port, each in cls.__ports__.items() if isinstance(each, OutPort)}
    return PlannedComponent(name, cls.__name__, place, name, cls.activations[0], outlets=outlets, **more)


class Bench:
    """A system in one process, and all that passed its channel."""

    def __init__(self, *parts: PlannedComponent) -> None:
        self.seen: list[Event] = []
        self.run = InProcess(Plan(parts), lambda planned: CLASSES[planned.type](), tap=self.seen.append)
        self.run.start()
        self.numbers = 0

    def do(self, component: str, **command: Any) -> tuple[bytes, str]:
        self.numbers += 1
        self.run.command(component, {**command, "id": self.numbers})
        self.run.lockstep()
        return self.run.answers[self.numbers]

    def values(self, topic: str) -> list[Any]:
        return [event.message.data for event in self.seen if event.topic == topic and event.kind == Kind.DATA]


def test_a_service_called_by_hand_answers_and_its_effects_follow() -> None:
    bench = Bench(part("doubler", Doubler))
    body, error = bench.do("doubler", do="call", service="twice", request={"data": 4.0})
    assert (decode(Float64, body), error) == (Float64(8.0), "")
    assert bench.values("/doubler/out") == [4.0]
    published = next(event for event in bench.seen if event.topic == "/doubler/out")
    assert published.cause is not None and published.cause[0] == "/_studio/command/doubler"


@pytest.mark.parametrize(
    ("command", "reason", "state"),
    [
        ({"service": "twice", "request": {"data": -1.0}}, "only positive numbers", "active"),
        ({"service": "twice", "request": {"date": 1.0}}, "no field date", "active"),
        ({"service": "thrice", "request": {}}, "provides no service thrice", "active"),
        ({"service": "twice", "request": {"data": 1000.0}}, "too much", "error"),
    ],
)
def test_what_is_wrong_with_a_call_is_answered(command: dict[str, Any], reason: str, state: str) -> None:
    bench = Bench(part("doubler", Doubler))
    body, error = bench.do("doubler", do="call", **command)
    assert body == b"" and reason in error
    assert bench.run.runners["doubler"].state.value == state


def test_who_is_not_active_does_not_serve() -> None:
    bench = Bench(part("doubler", Doubler))
    bench.run.command("doubler", {"do": "deactivate"})
    assert "is inactive" in bench.do("doubler", do="call", service="twice", request={})[1]
    assert "is inactive" in bench.do("doubler", do="deliver", port="raw", message=1.0)[1]
    assert bench.do("doubler", do="publish", port="out", message=3.0) == (b"", "")
    assert bench.values("/doubler/out") == [3.0]


def test_a_message_handed_in_is_handled_as_if_it_had_come() -> None:
    bench = Bench(part("doubler", Doubler))
    assert bench.do("doubler", do="deliver", port="raw", message=21.0) == (b"", "")
    assert bench.values("/doubler/out") == [42.0]
    assert "no in port row" in bench.do("doubler", do="deliver", port="row", message=1.0)[1]
    assert "no out port raw" in bench.do("doubler", do="publish", port="raw", message=1.0)[1]


@pytest.mark.parametrize("do", ["call", "deliver", "publish"])
@pytest.mark.parametrize(
    "fields",
    [{"id": 1.5}, {"id": "x"}, {"id": 2**32}, {"id": -1}, {"port": 1, "service": 1}, {}, {"origin": 9, "id": []}],
)
def test_what_makes_no_sense_by_hand_is_refused_and_fails_nobody(do: str, fields: dict[str, Any]) -> None:
    bench = Bench(part("doubler", Doubler))
    command = {"id": 1, "port": "raw", "message": 1.0, "service": "twice", "request": {"data": 1.0}, **fields}
    bench.run.command("doubler", {"do": do, **(command if fields else {})})
    bench.run.lockstep()
    assert bench.run.runners["doubler"].state.value == "active"
    assert not bench.values("/doubler/out")


def test_an_output_is_asked_for_its_last_value_or_computes_one() -> None:
    bench = Bench(part("doubler", Doubler), part("gauge", Gauge, 1))

    def ask(component: str, port: str) -> tuple[bytes, str]:
        return bench.do(component, do="call", service=f"get_{port}", request={})

    assert "published nothing on out yet" in ask("doubler", "out")[1]
    bench.do("doubler", do="deliver", port="raw", message=2.0)
    assert decode(Float64, ask("doubler", "out")[0]) == Float64(4.0)
    assert [decode(Float64, ask("gauge", "level")[0]).data for _ in range(2)] == [11.0, 12.0]
    assert "published nothing" in ask("gauge", "silent")[1]


def test_a_component_asks_the_port_of_another() -> None:
    requires = {"level": ("gauge", "get_level")}
    bench = Bench(part("asking", Asking, requires=requires), part("gauge", Gauge, 1))
    bench.do("asking", do="deliver", port="raw", message=100.0)
    assert bench.values("/asking/out") == [111.0]


def test_going_back_brings_the_last_value_back() -> None:
    bench = Bench(part("doubler", Doubler))
    bench.do("doubler", do="deliver", port="raw", message=1.0)
    checkpoint = bench.run.checkpoint()
    bench.do("doubler", do="deliver", port="raw", message=5.0)
    bench.run.restore(checkpoint)
    body, _ = bench.do("doubler", do="call", service="get_out", request={})
    assert decode(Float64, body) == Float64(2.0)


# What is made up never moves anything.


@pytest.fixture
def disarmed() -> Iterator[Bench]:
    bench = Bench(part("motor", Motor))
    bench.run.runners["motor"].component._is_live = lambda: True
    yield bench
    bench.run.stop()


@pytest.fixture
def armed(disarmed: Bench) -> Bench:
    disarmed.run.command("motor", {"do": "set", "name": "armed", "value": True})
    disarmed.run.lockstep()
    return disarmed


@pytest.mark.parametrize(("origin", "moves"), [(Origin.REAL, True), (Origin.SIMULATED, False), (Origin.LOGGED, False)])
def test_an_armed_actuator_obeys_by_hand_only_what_is_meant_as_real(armed: Bench, origin: Origin, moves: bool) -> None:
    motor: Any = armed.run.runners["motor"].component
    _, error = armed.do("motor", do="deliver", port="command", message=1.0, origin=int(origin))
    assert bool(error) != moves and (moves or "refuses it" in error)
    assert motor.done == ([1.0] if moves else [])
    assert motor.refused == ({} if moves else {Refused.ORIGIN: 1})


def test_a_disarmed_actuator_obeys_nothing_by_hand(disarmed: Bench) -> None:
    disarmed.do("motor", do="deliver", port="command", message=1.0, origin=0)
    motor: Any = disarmed.run.runners["motor"].component
    assert motor.done == [] and motor.refused == {Refused.DISARMED: 1}


def test_made_up_data_makes_all_that_follows_simulated_and_nobody_else() -> None:
    first = part("first", Doubler)
    second = part("second", Doubler, 1, inlets=(Inlet("raw", "/first/out"),))
    motor = part("motor", Motor, 2, inlets=(Inlet("command", "/second/out"),))
    other = part("other", Doubler, 3)
    plan = Plan((first, second, motor, other)).with_made_up_data(["second"])
    assert [c.origin for c in plan.components] == [0, 1, 1, 0]
    fresh = Plan((first, second, motor, other))
    assert [c.origin for c in fresh.following(plan).components] == [0, 1, 1, 0], "a reload forgets nothing"
    assert [c.origin for c in with_origins(fresh.components, {c.name: 0 for c in fresh.components})] == [0] * 4


# Queues.


def test_readers_take_from_queues_of_their_own_at_their_own_pace() -> None:
    inlets = (Inlet("values", "/doubler/out"),)
    readers = [part(name, Reader, place, inlets=inlets, period_ns=0) for place, name in enumerate(("quick", "slow"), 1)]
    bench = Bench(part("doubler", Doubler), *readers)
    for value in (1.0, 2.0):
        bench.do("doubler", do="deliver", port="raw", message=value)
    quick: Any = bench.run.runners["quick"].component
    slow: Any = bench.run.runners["slow"].component
    bench.run.runners["quick"].handle(Event("/_studio/timer/quick", 1, 0, kind=Kind.TIMER))
    assert len(quick.values.queue) == 0
    bench.do("doubler", do="deliver", port="raw", message=3.0)
    assert [message.data for message, _ in quick.values.queue] == [6.0]
    assert [message.data for message, _ in slow.values.queue] == [2.0, 4.0, 6.0]
    bench.do("doubler", do="deliver", port="raw", message=4.0)
    assert [message.data for message in slow.values.take()] == [4.0, 6.0, 8.0] and slow.values.dropped == 1
    assert slow.values.take() == [] and quick.values.dropped == 0


def test_a_queue_comes_back_with_a_checkpoint() -> None:
    bench = Bench(part("doubler", Doubler), part("reader", Reader, 1, inlets=(Inlet("values", "/doubler/out"),)))
    reader: Any = bench.run.runners["reader"].component
    bench.do("doubler", do="deliver", port="raw", message=1.0)
    checkpoint = bench.run.checkpoint()
    reader.values.take()
    bench.run.restore(checkpoint)
    assert [message.data for message in reader.values.take()] == [2.0]


def test_a_port_without_a_queue_says_how_to_get_one() -> None:
    with Trial(Doubler) as trial, pytest.raises(SpecError, match="has no queue"):
        trial.component.raw.take()
    with pytest.raises(SpecError, match="gets every event"):
        InPort(Float64, keep="latest", queue=5)


def test_a_trial_fills_queues_and_asks_ports() -> None:
    with Trial(Reader) as trial:
        for value in (1.0, 2.0):
            trial.send("values", Float64(value))
        trial.tick()
        assert trial.sent("batch") == [String("1 2")] and trial.ask("batch") == String("1 2")
    with Trial(Gauge) as trial:
        assert trial.ask("level") == Float64(11.0)
        with pytest.raises(ServiceError, match="nothing was published on silent"):
            trial.ask("silent")


def test_a_queue_has_no_handler() -> None:
    with pytest.raises(SpecError, match="queue"):

        class Both(Component):
            values = InPort(Float64, queue=5)

            def on_values(self, message: Float64) -> None: ...


# What is shown.


class Counter(Component):
    raw = InPort(Float64, optional=True)
    total = State(0.0, unit="m", doc="so far")
    place = State((0.0, 0.0))

    def on_raw(self, message: Float64) -> None:
        self.total += message.data
        self.place = (np.float32(0.5), message.data)  # type: ignore[assignment]  # as it happens with numpy


CLASSES["Counter"] = Counter


def test_what_a_component_shows_is_reported_and_comes_back_with_a_checkpoint() -> None:
    bench = Bench(part("counter", Counter))
    runner = bench.run.runners["counter"]
    assert runner.report()["shown"] == {"total": 0.0, "place": [0.0, 0.0]}
    bench.do("counter", do="deliver", port="raw", message=2.5)
    checkpoint = bench.run.checkpoint()
    bench.do("counter", do="deliver", port="raw", message=1.0)
    assert runner.report()["shown"] == {"total": 3.5, "place": [0.5, 1.0]}
    bench.run.restore(checkpoint)
    assert runner.report()["shown"] == {"total": 2.5, "place": [0.5, 2.5]}
    json.dumps(runner.report())
    with pytest.raises(SpecError, match="cannot be a dict"):
        State({})  # type: ignore[type-var]


# Mail.


def test_mail_reaches_whom_it_names_and_nobody_else() -> None:
    names = ("anna", "bert")
    boxes = [
        part(name, Addressee, place, inlets=(Inlet("inbox", "/writer/outbox"),)) for place, name in enumerate(names, 1)
    ]
    bench = Bench(part("writer", Writer), *boxes)
    bench.do("writer", do="deliver", port="raw", message=1.0)
    bench.do("writer", do="deliver", port="raw", message=-2.0)
    assert bench.values("/anna/read") == ["writer: 1", "writer: -2"]
    assert bench.values("/bert/read") == ["writer: -2"]


def test_mail_tells_what_it_holds() -> None:
    mail = Mail.of(Float64(2.0), to="anna", sender="bert")
    assert decode(Mail, encode(mail)) == mail
    assert mail.holds(Float64) and not mail.holds(String)
    assert as_plain(mail)["type"] == "Float64"
    with pytest.raises(Exception, match="holds a Float64, not a String"):
        mail.content(String)
    with Trial(Doubler) as trial, pytest.raises(SpecError, match="no outbox"):
        trial.component.mail("anna", Float64(1.0))


def test_a_request_may_be_left_out_where_defaults_will_do() -> None:
    class Caller(Component):
        raw = InPort(Float64)
        double = RequiredService(Float64, Float64)

        def on_raw(self, message: Float64) -> None:
            self.got = self.double()

    with Trial(Caller) as trial:
        answer: Callable[[Any], Any] = lambda request: Float64(request.data + 5)  # noqa: E731
        trial.answer("double", answer)
        trial.send("raw", Float64(1.0))
        assert trial.component.got == Float64(5.0)


# What the file says and the plan makes of it.

TYPES = MessageTypes.builtin().names()
SYSTEM = """<system name="s">
  <component name="asking" type="asking"/> <component name="gauge" type="gauge"/>
  <component name="writer" type="writer"/> <component name="anna" type="addressee"/>
  <component name="bert" type="addressee"/>
  <service from="asking.level" to="gauge.get_level"/>
</system>"""


def test_the_service_of_a_port_is_wired_like_any_other_and_mail_needs_no_wires() -> None:
    specs = Profiles(*(replace(spec_of(cls), type=cls.__name__.lower()) for cls in CLASSES.values()))
    system = read_system(SYSTEM.encode(), "system.xml")
    assert [each for each in check(system, specs, TYPES) if each.severity == "error"] == []
    assert not [each for each in check(system, specs, TYPES) if "inbox" in each.message]
    plan = plan_of(system, specs)
    assert plan.by_name["asking"].requires == {"level": ("gauge", "get_level")}
    for name in ("anna", "bert"):
        assert [inlet.topic for inlet in plan.by_name[name].inlets] == ["/writer/outbox"]
    wrong = read_system(SYSTEM.replace("get_level", "get_lever").encode(), "system.xml")
    assert any("get_lever" in each.message for each in check(wrong, specs, TYPES))
