"""What a run was made of, as its log keeps it: versions, seed, parameters, code, wires, geometry; how two differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from studio.errors import StudioError
from studio.model.geometry.content import GeometryContent
from studio.model.geometry.differences import in_short
from studio.model.geometry.flat_model import model_of
from studio.model.system_xml import read_system
from studio.runtime.plan.plan import Plan
from studio.runtime.recording.facts.circumstances import DECISIVE, METADATA, circumstances
from studio.runtime.recording.facts.component_code import code_of
from studio.runtime.recording.facts.logged_geometry import geometries_of, store_geometry
from studio.runtime.recording.reading.log_reader import LogReader
from studio.runtime.recording.writing.log_writer import LogWriter

SYSTEM = "system.xml"
MISSING = "–"
Kind = Literal["parameter", "component", "code", "wire", "geometry", "version", "seed"]


class RunDifference(NamedTuple):
    kind: Kind
    what: str
    """`terrain_map.beam_noise_deg`, `terrain_map`, `numpy`."""
    a: str
    b: str

    def __str__(self) -> str:
        if self.kind == "geometry" and not (self.a and self.b):
            return self.what
        return f"{self.what} {self.a or MISSING} → {self.b or MISSING}"


@dataclass(frozen=True)
class RunFacts:
    """A part that the log does not tell of is None: then nothing is said about it."""

    versions: Mapping[str, str] = field(default_factory=dict)
    seed: str | None = None
    parameters: Mapping[str, Mapping[str, Any]] | None = None
    """Component -> parameter -> value, at the start."""
    code: Mapping[str, str] | None = None
    """Component -> fingerprint."""
    wires: frozenset[str] | None = None
    geometry: GeometryContent | None = None


def store_run(log: LogWriter, plan: Plan) -> None:
    """Everything by which two runs are compared, and on which their identity depends."""
    parameters = {component.name: dict(component.parameters) for component in plan.components}
    texts = {"parameters": json.dumps(parameters), "code": json.dumps(code_of(plan))}
    log.add_metadata(METADATA, {**circumstances(plan), **texts})
    file = Path(plan.project) / SYSTEM
    system = plan.system.encode() or (file.read_bytes() if plan.project and file.is_file() else b"")
    if system:
        log.add_attachment(SYSTEM, system, "application/xml")
    if plan.geometry is not None:
        store_geometry(log, plan.geometry)


def facts_of(log: LogReader) -> RunFacts:
    stored = next((values for name, values in log.metadata() if name == METADATA), {})
    geometries = geometries_of(log)
    return RunFacts(
        versions={name: stored[name] for name in DECISIVE if name in stored},
        seed=stored.get("seed"),
        parameters=_parsed(stored.get("parameters")),
        code=_parsed(stored.get("code")),
        wires=_wires(log.attachment(SYSTEM)) if any(each.name == SYSTEM for each in log.attachments) else None,
        geometry=geometries[0] if geometries else None,
    )


def facts_of_plan(plan: Plan) -> RunFacts:
    """The run that the project would make now. Its wires are not told: a replay cuts off what the log brings."""
    now = circumstances(plan)
    return RunFacts(
        versions={name: now[name] for name in DECISIVE},
        seed=now["seed"],
        parameters={component.name: dict(component.parameters) for component in plan.components},
        code=code_of(plan),
        geometry=plan.geometry,
    )


def run_differences(a: RunFacts, b: RunFacts) -> list[RunDifference]:
    """What a person changes most often comes first."""
    return [*_parameters(a, b), *_code(a, b), *_wiring(a, b), *_geometry(a, b), *_versions(a, b)]


def _parameters(a: RunFacts, b: RunFacts) -> Iterator[RunDifference]:
    if a.parameters is None or b.parameters is None:
        return
    for component in dict.fromkeys([*a.parameters, *b.parameters]):
        one, other = a.parameters.get(component), b.parameters.get(component)
        if one is None or other is None:
            there = "not in it", "in it"
            yield RunDifference("component", f"component {component}", there[one is not None], there[other is not None])
            continue
        for name in dict.fromkeys([*one, *other]):
            words = _word(one.get(name)), _word(other.get(name))  # a list of a log is a tuple in a plan
            if words[0] != words[1]:
                yield RunDifference("parameter", f"{component}.{name}", *words)


def _code(a: RunFacts, b: RunFacts) -> Iterator[RunDifference]:
    for component, one in (a.code or {}).items():
        other = (b.code or {}).get(component)
        if other is not None and one != other:
            yield RunDifference("code", f"code of {component}", one, other)


def _wiring(a: RunFacts, b: RunFacts) -> Iterator[RunDifference]:
    if a.wires is None or b.wires is None:
        return
    for wire in sorted(a.wires ^ b.wires):
        there = "not in it", "in it"
        yield RunDifference("wire", f"wire {wire}", there[wire in a.wires], there[wire in b.wires])


def _geometry(a: RunFacts, b: RunFacts) -> Iterator[RunDifference]:
    if a.geometry is None or b.geometry is None or a.geometry.digest == b.geometry.digest:
        return
    if a.geometry.name != b.geometry.name:
        yield RunDifference("geometry", "geometry", a.geometry.name, b.geometry.name)
        return
    try:
        what = in_short(model_of(a.geometry), model_of(b.geometry))
    except StudioError as error:  # of a Studio that knows more
        what = str(error)
    yield RunDifference("geometry", f"geometry {a.geometry.name}: {what}", "", "")


def _versions(a: RunFacts, b: RunFacts) -> Iterator[RunDifference]:
    for name in DECISIVE:
        one, other = a.versions.get(name), b.versions.get(name)
        if one is not None and other is not None and one != other:
            yield RunDifference("version", name, one, other)
    if a.seed is not None and b.seed is not None and a.seed != b.seed:
        yield RunDifference("seed", "seed", a.seed, b.seed)


def _word(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _parsed(text: str | None) -> dict[str, Any] | None:
    with suppress(ValueError):
        found = json.loads(text or "")
        return found if isinstance(found, dict) else None
    return None


def _wires(system: bytes) -> frozenset[str] | None:
    try:
        return frozenset(f"{wire.start} to {wire.end}" for wire in read_system(system).wires)
    except StudioError:  # of a Studio that knows more
        return None
