"""Reading, writing and watching properties of a running system."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from studio.cli.ctl_parts.show import known_value, value_text
from studio.cli.shared.outcome import FAILED, FINE, UsageError, print_json
from studio.cli.shared.property_names import Property, find_property
from studio.errors import StudioError
from studio.messages import MessageTypes, decode
from studio.messages.plain_data import from_plain
from studio.model.spec import ARMED
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.channel.run_folder import shared_folder
from studio.runtime.client.attach import AttachError, Attachment
from studio.runtime.client.running_systems import find_running
from studio.runtime.client.tap import Tap

GET_WITHIN_S = 0.5
"""How long `get` waits for the next value of an output before it asks for the last one."""
ASK_WITHIN_S = 2.0
LOOK_EVERY_S = 0.05
MOST_ELEMENTS = 20
"""Of arrays: more are counted, not printed."""


def get(attachment: Attachment, options: argparse.Namespace) -> int:
    found = [find_property(attachment.state, text) for text in options.properties]
    values = {each: known_value(each, attachment.state) for each in found if not each.topic}
    missing = []
    flowing = [each for each in found if each.topic]
    if flowing:
        if attachment.state["gate"] == "run":
            with _Values(attachment, flowing) as news:
                values |= news.first_of_each(GET_WITHIN_S)
        for each in flowing:
            if each not in values:
                with suppress(AttachError):
                    values[each] = _last_value(attachment, each)
        missing = [each for each in flowing if each not in values]
    if options.json:
        print_json({"values": {each.address: values.get(each) for each in found}})
    else:
        for each in found:
            if each in values:
                print(f"{each.component}.{each.name} = {value_text(values[each])}" if len(found) > 1 else _one(values))
    for each in missing:
        raise StudioError(f"no message yet on {each.topic} yet", hint="is its component active? studio ctl list")
    return FINE


def _last_value(attachment: Attachment, of: Property) -> Any:
    """What whoever publishes on that topic has published last."""
    components = attachment.state["components"].items()
    producer = next(((name, told) for name, told in components if of.topic in told["outputs"].values()), None)
    if producer is None:
        raise AttachError(f"no component publishes {of.topic}")
    port = next(port for port, topic in producer[1]["outputs"].items() if topic == of.topic)
    reply = attachment.ask("ask", component=producer[0], port=port, deadline_s=ASK_WITHIN_S)
    kind = MessageTypes.builtin().with_folder(Path(attachment.state["folder"])).get(reply["type"])
    return plain(from_plain(kind, reply["reply"]))


def _one(values: dict[Property, Any]) -> str:
    return value_text(next(iter(values.values())))


def set_value(attachment: Attachment, options: argparse.Namespace) -> int:
    found = find_property(attachment.state, options.property)
    if found.kind != "parameter":
        hint = "only parameters can be set; studio ctl watch prints it"
        raise StudioError(f"{found.component}.{found.name} is {_article(found.kind)} and cannot be set", hint=hint)
    reply = attachment.ask("set", component=found.component, name=found.name, value=options.value)
    if options.json:
        print_json({"property": found.address, "value": reply["value"], "effect": reply["effect"]})
    else:
        print(f"{found.component}.{found.name} = {value_text(reply['value'])}, {reply['effect']}")
    return FINE


def arm(attachment: Attachment, options: argparse.Namespace) -> int:
    """`arm` and `disarm`."""
    told = {}
    for component in options.components:
        reply = attachment.ask("set", component=component, name=ARMED, value=options.verb == "arm")
        told[component] = reply["effect"]
    print_json(told) if options.json else print("\n".join(f"{name}: {options.verb}ed, {told[name]}" for name in told))
    return FINE


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def watch(attachment: Attachment, options: argparse.Namespace) -> int:
    """Every value of outputs, every change of parameters and states; not more often than is wanted."""
    if options.period is not None and not options.period > 0:
        raise UsageError("--period must be above 0")
    found = [find_property(attachment.state, text) for text in options.properties]
    start_ns = monotonic_ns()
    left = options.count
    with _Values(attachment, found) as values:
        for each, value in values.changes(options.interval, options.period, options.seconds):
            passed_s = round((monotonic_ns() - start_ns) / SECOND_NS, 3)
            if options.json:
                print(json.dumps({"t_s": passed_s, "property": each.address, "value": value}), flush=True)
            else:
                print(f"{passed_s:.3f} {each.component}.{each.name} = {value_text(value)}", flush=True)
            left = None if left is None else left - 1
            if left == 0:
                return FINE
    if attachment.ended.is_set():
        raise StudioError("the system has ended")
    return FINE if options.count is None else FAILED


class _Values:
    """The values of properties, wherever they come from: the picture of the runtime, or the tap of the channel."""

    def __init__(self, attachment: Attachment, properties: Iterable[Property]) -> None:
        self._attachment = attachment
        self._properties = list(properties)
        topics = {each.topic for each in self._properties if each.topic}
        run = find_running(attachment.state["run"]).run_folder
        self._tap = Tap(run, topics) if topics else None
        self._shared = shared_folder(run.name)
        self._types = MessageTypes.builtin().with_folder(Path(attachment.state["folder"]))

    def first_of_each(self, patience_s: float) -> dict[Property, Any]:
        found: dict[Property, Any] = {}
        for each, value in self.changes(0.0, None, patience_s):
            found.setdefault(each, value)
            if len(found) == len(self._properties):
                break
        return found

    def changes(
        self, interval_s: float, period_s: float | None, seconds: float | None
    ) -> Iterator[tuple[Property, Any]]:
        """ON_CHANGE with a least interval, after which the newest value is told; or PERIODIC."""
        end_ns = None if seconds is None else monotonic_ns() + int(seconds * SECOND_NS)
        told: dict[Property, tuple[int, Any]] = {}
        waiting: dict[Property, Any] = {}
        wait_ns = int((period_s if period_s is not None else interval_s) * SECOND_NS)
        while not self._attachment.ended.is_set() and (end_ns is None or monotonic_ns() < end_ns):
            for each, value, is_event in self._news(self._patience_s(waiting, told, wait_ns)):
                if period_s is not None or is_event or each not in told or value != told[each][1]:
                    waiting[each] = value
                    if wait_ns == 0:  # every one of them
                        yield from self._due(waiting, told, wait_ns)
                        waiting.clear()
            yield from self._due(waiting, told, wait_ns)
            if period_s is None:
                waiting = {each: value for each, value in waiting.items() if told.get(each, (0, None))[1] is not value}

    @staticmethod
    def _patience_s(waiting: dict[Property, Any], told: dict[Property, tuple[int, Any]], wait_ns: int) -> float:
        """Until the next value is due, at most."""
        due_ns = [told[each][0] + wait_ns for each in waiting if each in told]
        return max(0.001, min([LOOK_EVERY_S, *((each - monotonic_ns()) / SECOND_NS for each in due_ns)]))

    @staticmethod
    def _due(
        values: dict[Property, Any], told: dict[Property, tuple[int, Any]], wait_ns: int
    ) -> Iterator[tuple[Property, Any]]:
        """Those that were last told long enough ago."""
        now_ns = monotonic_ns()
        for each, value in values.items():
            if each not in told or now_ns - told[each][0] >= wait_ns:
                told[each] = (now_ns, value)
                yield each, value

    def _news(self, patience_s: float) -> Iterator[tuple[Property, Any, bool]]:
        if self._tap is not None:
            for topic, payload in self._tap.receive(patience_s, self._shared):
                kind = self._types.get(self._attachment.state["topics"][topic]["type"])
                value = plain(decode(kind, payload))
                yield from ((each, value, True) for each in self._properties if each.topic == topic)
        else:
            self._attachment.wait_for(lambda: False, patience_s)
        for each in self._properties:
            if not each.topic:
                yield each, known_value(each, self._attachment.state), False

    def __enter__(self) -> _Values:
        return self

    def __exit__(self, *_: object) -> None:
        if self._tap is not None:
            self._tap.close()


def plain(value: Any) -> Any:
    """A message as plain data; a message of one field is that field."""
    if isinstance(value, np.ndarray):
        if value.size > MOST_ELEMENTS:
            return f"{value.dtype} array of {' × '.join(map(str, value.shape))}"
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if is_dataclass(value) and not isinstance(value, type):
        told = {field.name: plain(getattr(value, field.name)) for field in fields(value)}
        return next(iter(told.values())) if len(told) == 1 else told
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value[:MOST_ELEMENTS]]
    return value
