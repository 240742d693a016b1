"""Names of properties on the command line: `filter.cutoff_hz`, or `rdk://sinks/before/log_every_s` as in OpenRDK."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.cli.shared.outcome import UsageError
from studio.errors import StudioError
from studio.model.close_matches import did_you_mean

SCHEME = "rdk://"


@dataclass(frozen=True)
class Property:
    host: str
    component: str
    name: str
    kind: str
    """parameter, shown (what the component itself sets), output, input or state (what the runtime knows)."""
    topic: str = ""
    """Of an output or input: where its values pass."""

    @property
    def address(self) -> str:
        return f"{SCHEME}{self.host}/{self.component}/{self.name}"


def properties_of(snapshot: Mapping[str, Any], component: str) -> list[Property]:
    told = snapshot["components"].get(component)
    if told is None:
        raise StudioError(f"there is no component {component}", hint=did_you_mean(component, snapshot["components"]))
    host = told["host"]
    own = {*told["parameters"], *told["shown"], *told["outputs"], *told["inputs"]}
    return [
        *(Property(host, component, name, "parameter") for name in told["parameters"]),
        *(Property(host, component, name, "shown") for name in told["shown"]),
        *(Property(host, component, name, "output", topic) for name, topic in told["outputs"].items()),
        *(Property(host, component, name, "input", each) for name, topics in told["inputs"].items() for each in topics),
        *(Property(host, component, f"_{name}" if name in own else name, "state") for name in STATES),
    ]


STATES = ("state", "origin", "activation", "period_s", "rate_hz", "handled", "errors", "drops", "restarts")
"""What the runtime knows of every component, only to be read; `_state` where a component has a `state` itself."""


def find_property(snapshot: Mapping[str, Any], text: str) -> Property:
    component, name, host = _split(text)
    known = properties_of(snapshot, component)
    found = next((each for each in known if each.name == name), None)
    if found is None:
        raise StudioError(f"{component} has no property {name}", hint=did_you_mean(name, [each.name for each in known]))
    if host is not None and host != found.host:
        raise StudioError(f"{component} is not on host {host}", hint=f"it is on {found.host}: {found.address}")
    return found


def _split(text: str) -> tuple[str, str, str | None]:
    if text.startswith(SCHEME):
        parts = text.removeprefix(SCHEME).split("/")
        if len(parts) == 3 and all(parts):
            return parts[1], parts[2], parts[0]
        raise UsageError(f"{text} is not the name of a property", hint="rdk://host/component/property")
    component, dot, name = text.partition(".")
    if not dot or not component or not name:
        raise UsageError(f"{text} is not the name of a property", hint="component.property, e.g. filter.cutoff_hz")
    return component, name, None
