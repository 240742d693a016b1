"""`studio ctl call` and `studio ctl send`: what a person does to a component by hand."""

from __future__ import annotations

import argparse
import json
import math
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from studio.cli.ctl_parts.show import value_text
from studio.cli.shared.outcome import FINE, UsageError, print_json
from studio.cli.shared.property_names import SCHEME
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.client.attach import Attachment

SLACK_S = 5.0
"""How much longer than its deadline a call may take on its way through the runtime."""


def call(attachment: Attachment, options: argparse.Namespace) -> int:
    component, _, service = _plain_name(options.service).partition(".")
    if not component or not service:
        raise UsageError(
            f"{options.service} is not the name of a service", hint="component.service, e.g. filter.get_smooth"
        )
    if not 0 < options.deadline < math.inf:
        raise UsageError("--deadline must be above 0")
    request = None if options.request is None else content_of(options.request)
    reply = attachment.ask(
        "call", component=component, service=service, request=request, deadline_s=options.deadline,
        timeout_s=options.deadline + SLACK_S,
    )  # fmt: skip
    if options.json:
        print_json({key: reply[key] for key in ("type", "reply", "seconds")})
    else:
        print(reply_text(reply["reply"]))
    return FINE


def send(attachment: Attachment, options: argparse.Namespace) -> int:
    if options.rate is None and (options.seconds is not None or options.count is not None):
        raise UsageError("--for and --count go with --rate", hint="e.g. --rate 10 --for 3")
    if options.rate is not None and not 0 < options.rate <= 1000:
        raise UsageError("--rate is a number of messages per second, up to 1000")
    message, sent, first = content_of(options.message), 0, {}
    with suppress(KeyboardInterrupt):
        for _ in _moments(options, attachment.ended):
            reply = attachment.ask("send", to=_plain_name(options.to), message=message, real=options.real)
            sent += 1
            if sent == 1:
                first = reply
                _warn(reply["simulated"], options)
    told = {"to": first.get("to"), "sent": sent, "simulated": first.get("simulated"), "effect": first.get("effect")}
    times = "" if sent == 1 else f" {sent} times"
    print_json(told) if options.json else print(f"{told['to']}: sent{times}, {told['effect']}")
    return FINE


def _warn(names: list[str], options: argparse.Namespace) -> None:
    if names and not options.json:
        count, them = ("count", "them") if len(names) > 1 else ("counts", "it")
        print(f"from now on {', '.join(names)} {count} as simulated, and no real actuator obeys {them}")
        print("(until you switch again: studio ctl switch MODE)")


def _moments(options: argparse.Namespace, ended: threading.Event) -> Iterator[None]:
    """One, or one per period: late ones are left out, not caught up with."""
    yield
    if options.rate is None:
        return
    period_ns, start_ns, count = SECOND_NS / options.rate, monotonic_ns(), 1
    end_ns = math.inf if options.seconds is None else start_ns + options.seconds * SECOND_NS
    while count != options.count:
        due_ns = start_ns + (int((monotonic_ns() - start_ns) / period_ns) + 1) * period_ns
        if due_ns >= end_ns or ended.wait(max(0.0, (due_ns - monotonic_ns()) / SECOND_NS)):
            return
        count += 1
        yield


def _plain_name(text: str) -> str:
    """`component.port` for `rdk://host/component/port`, too."""
    if not text.startswith(SCHEME):
        return text
    parts = text.removeprefix(SCHEME).split("/")
    if len(parts) != 3 or not all(parts):
        raise UsageError(f"{text} names nothing", hint="rdk://host/component/port")
    return f"{parts[1]}.{parts[2]}"


def content_of(text: str) -> Any:
    """JSON, or a text without quotes."""
    try:
        return json.loads(text)
    except ValueError:
        if text.lstrip()[:1] in ("{", "[", '"'):
            raise UsageError(f"{text} is not JSON", hint="""e.g. '{"axes": [0.0, 0.5]}', in single quotes""") from None
        return text


def reply_text(reply: Any) -> str:
    """A reply of one field is that field; others are one line for each."""
    if not isinstance(reply, dict):
        return value_text(reply)
    if len(reply) == 1:
        return value_text(next(iter(reply.values())))
    width = max(map(len, reply), default=0)
    return "\n".join(f"{name:{width}}  {value_text(value)}" for name, value in reply.items())
