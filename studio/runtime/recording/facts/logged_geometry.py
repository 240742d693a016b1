"""The geometry in a log: as it was at the start, and every change of it as an event at its place.

A replay uses the project's geometry (SEMANTICS 22). If that is the one with which the log begins or ends, the project
is the recorded one, and changes while it ran come again where they came then; otherwise they are left out, and the
replay says what differs.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace

from studio.errors import StudioError
from studio.messages import String, decode
from studio.model.geometry.content import GeometryContent
from studio.model.geometry.differences import in_short
from studio.model.geometry.flat_model import model_of
from studio.runtime.plan.plan import EVERYBODY, Plan
from studio.runtime.recording.reading.log_reader import LogReader
from studio.runtime.recording.writing.log_writer import LogWriter
from studio.runtime.wire.frames import COMMAND_PREFIX

ATTACHMENT = "geometry.json"
GEOMETRY_TOPIC = COMMAND_PREFIX + EVERYBODY


def store_geometry(log: LogWriter, content: GeometryContent) -> None:
    log.add_attachment(ATTACHMENT, json.dumps(content.json()).encode(), "application/json")


def geometries_of(log: LogReader) -> list[GeometryContent]:
    """In their order, each once until the next; empty if the log tells of none."""
    found: list[GeometryContent] = []
    with suppress(StudioError, ValueError):  # of a system without geometry, of somebody else, or damaged
        found.append(GeometryContent.of_json(json.loads(log.attachment(ATTACHMENT))))
    for event in log.events([GEOMETRY_TOPIC]) if GEOMETRY_TOPIC in log.topics else ():
        try:
            content = GeometryContent.of_json(json.loads(decode(String, event.payload).data))
        except (StudioError, ValueError):
            continue
        if not found or found[-1].digest != content.digest:
            found.append(content)
    return found


def follows_log(plan: Plan, log: LogReader) -> bool:
    """Whether changes of the geometry come again where they came in the log."""
    found = geometries_of(log)
    return bool(found) and plan.geometry is not None and plan.geometry.digest in (found[0].digest, found[-1].digest)


def as_at_the_start(plan: Plan, log: LogReader) -> Plan:
    """With the geometry that the log begins with, if it follows the log."""
    return replace(plan, geometry=geometries_of(log)[0]) if follows_log(plan, log) else plan


def geometry_warnings(log: LogReader, plan: Plan) -> list[str]:
    """In words, what is different from the geometry of the log."""
    found = geometries_of(log)
    if follows_log(plan, log) or (not found and plan.geometry is None):
        return []
    if not found:
        return ["the log has no geometry, but the project has one"]
    if plan.geometry is None:
        return [f"recorded with the geometry {found[-1].name}, but the project has none"]
    try:
        what = in_short(model_of(found[-1]), model_of(plan.geometry))
    except StudioError as error:  # of a Studio that knows more
        what = f"the geometry of the log cannot be read: {error}"
    return [f"the geometries of the log and of the project differ (first: log, second: project): {what}"]
