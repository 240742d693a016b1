"""Which topic of a log feeds which port of a source that is logged (docs/guide/replay.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from studio.messages import MessageTypes, Range3d
from studio.messages.message_types import RAW
from studio.model.close_matches import did_you_mean
from studio.model.parts import Endpoint
from studio.model.sources import LogProvider, Source, suggest_topics
from studio.model.system import System
from studio.model.wiring import topic_of
from studio.runtime.base.errors import ReplayError
from studio.runtime.recording import LogReader
from studio.runtime.recording.importers.laser_scan import LASER_SCAN
from studio.runtime.replay.inputs import tells_inputs


def choose_logged(system: System, log: LogReader) -> None:
    """Take every source that has out ports from a log which does not tell what were inputs: a log from elsewhere.

    In memory only. The log of a run tells it event by event, so the modes stay as they are.
    """
    if not log.event_count or tells_inputs(log):
        return
    for source in list(system.sources):
        if source.mode != "logged" and any(port.direction == "out" for port in source.ports):
            provider = source.logged or LogProvider(str(log.path))
            system.replace_node(replace(source, mode="logged", logged=provider))


def mapped_topics(system: System, log: LogReader, types: MessageTypes) -> dict[str, str]:
    """Topic of the system -> topic of the log, for all logged sources."""
    found: dict[str, str] = {}
    kinds = dict(_kinds(log, types))
    for source in system.sources:
        provider = source.provider(source.mode)
        if isinstance(provider, LogProvider):
            for port, topic in _mapping(source, provider, log, kinds).items():
                found[topic_of(Endpoint(source.name, port))] = topic
    return found


def _kinds(log: LogReader, types: MessageTypes) -> Iterator[tuple[str, str]]:
    """The topics of a log that Studio can read, with their types; others where the project has a type for bytes."""
    for topic in log.topics.values():
        kind = types.find_schema(topic.schema.name)
        if not topic.name.startswith("/_studio/") and (kind is not None or RAW in types):
            yield topic.name, kind.TYPE if kind is not None else RAW


def _mapping(source: Source, provider: LogProvider, log: LogReader, kinds: dict[str, str]) -> dict[str, str]:
    """The source's own mapping, filled in by name and type where it has no entry."""
    chosen = {**suggest_topics(source, kinds), **provider.topics}
    for port in source.ports:
        if port.direction == "in":
            chosen.pop(port.name, None)
            continue
        topic = chosen.get(port.name)
        if topic is None and port.truth:
            continue  # for judges only; few logs have it
        if topic is None:
            raise ReplayError(
                f"no topic of the log matches {source.name}.{port.name}, which is {port.type}",
                file=log.path,
                hint=_conversion(port.type, log)
                or f'name it: <bind port="{port.name}" topic="..."/>; the log has {_list(kinds)}',
            )
        if topic not in log.topics:
            hint = did_you_mean(topic, list(log.topics)) or f"the log has {_list(kinds)}"
            raise ReplayError(
                f"{source.name}.{port.name} is bound to {topic}, which is missing", file=log.path, hint=hint
            )
        if kinds.get(topic) != port.type:
            has = kinds.get(topic, log.topics[topic].schema.name or "of no known type")
            hint = _conversion(port.type, log, topic)
            raise ReplayError(
                f"{source.name}.{port.name} is {port.type}, but {topic} is {has}", file=log.path, hint=hint
            )
    return chosen


def _conversion(wanted: str, log: LogReader, topic: str | None = None) -> str:
    """How to get a Range3d of the scans that a log of ROS has, if that is what is wanted; of any topic, or of this."""
    scans = [each.name for each in log.topics.values() if each.schema.name == LASER_SCAN]
    if wanted != Range3d.TYPE or not scans or (topic or scans[0]) not in scans:
        return ""
    copy = f"{log.path.stem}_converted.mcap"
    return f"a copy has Range3d in place of the LaserScan of {topic or scans[0]}: studio convert {log.path} {copy}"


def _list(kinds: dict[str, str]) -> str:
    return ", ".join(f"{topic} ({kind})" for topic, kind in kinds.items()) or "no topic of a known type"
