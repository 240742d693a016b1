"""Topics and partitions: on the wire a topic is called `@/<partition>@/<topic>`."""

from __future__ import annotations

import getpass
import os
import socket
from collections.abc import Mapping

from studio.errors import StudioError

FAMILIES = ("GZ", "IGN")
"""Of the variables in the environment: `GZ_PARTITION` from Garden on, `IGN_PARTITION` before."""
MOST_CHARACTERS = 65535


class BadName(StudioError):
    """A name that gz-transport does not take."""


def setting(name: str, environment: Mapping[str, str] = os.environ) -> str:
    """The value of `GZ_<name>`, or of `IGN_<name>` where only that is set, or nothing."""
    return next((environment[f"{family}_{name}"] for family in FAMILIES if environment.get(f"{family}_{name}")), "")


def default_partition(environment: Mapping[str, str] = os.environ) -> str:
    return setting("PARTITION", environment) or f"{socket.gethostname()}:{getpass.getuser()}"


def full_name(partition: str, topic: str) -> str:
    for name in (partition, topic):
        if not name or any(each in name for each in " @~") or "//" in name or ":=" in name:
            raise BadName(
                f"{name!r} is not a name for gz-transport", hint="no spaces, no @ and ~, no double slash, not empty"
            )
    full = f"@/{partition.strip('/')}@/{topic.lstrip('/')}"
    if len(full) > MOST_CHARACTERS:
        raise BadName(f"the topic has {len(full)} characters", hint=f"at most {MOST_CHARACTERS}")
    return full


def split_name(full: str) -> tuple[str, str] | None:
    """Partition and topic, or None if it is no full name."""
    start, at, rest = full.partition("@")
    partition, second, topic = rest.partition("@")
    if start or not at or not second or not topic.startswith("/"):
        return None
    return partition.strip("/"), topic
