"""Requests as frozen values: the JSON of one becomes its value at the border, or is refused there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec import Struct

from studio.model.close_matches import did_you_mean
from studio.runtime.base.typed_json import Malformed, read_object, typed


def verb_of(name: str) -> str:
    """CatchUp -> catch_up"""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name.rpartition(".")[2]).lower()


class Request(Struct, frozen=True, kw_only=True, tag_field="do", tag=verb_of):
    """The name of its class is the verb, unless it says another one."""

    id: Any = None
    """The client's own, of any kind; the answer carries it."""


R = TypeVar("R", bound=Request)
V = TypeVar("V")


def verbs_of(base: type[R]) -> dict[str, type[R]]:
    """The table of verbs: the kinds of `base` that have no further kinds."""
    kinds = base.__subclasses__()
    found = [verbs_of(each) for each in kinds] or [{str(base.__struct_config__.tag): base}]
    return {verb: kind for each in found for verb, kind in each.items()}


def read_request(raw: bytes, verbs: Mapping[str, type[R] | Mapping[str, type[R]]]) -> R:
    """A verb may have a table of actions. Raises Malformed, with the number that its answer carries, if it has one."""
    content = read_object(raw)
    try:
        found = _named(content, "do", verbs)
        return typed(_named(content, "action", found) if isinstance(found, Mapping) else found, content)
    except Malformed as malformed:
        malformed.number = content.get("id")
        raise


def _named(content: Mapping[str, Any], by: str, known: Mapping[str, V]) -> V:
    name = content.get(by)
    if isinstance(name, str) and name in known:
        return known[name]
    shown = name[:40] if isinstance(name, str) else name
    hint = did_you_mean(str(shown), known)
    raise Malformed(f"unknown {'request' if by == 'do' else by} {shown!r}", hint=hint)
