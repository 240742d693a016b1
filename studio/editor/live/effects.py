"""What another choice of sources would stop and start, told before anything happens. No Qt in here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from studio.model.gazebo_provider import GAZEBO, Choice
from studio.model.parts import Component
from studio.model.sources import LiveProvider, LogProvider, Source, SourceMode, Specs
from studio.model.spec import AFTER_STOP, RESUMES
from studio.model.system import System

Modes = Mapping[str, SourceMode]
MOST_NAMES = 4
"""More are counted, not listed."""


@dataclass(frozen=True)
class Actuator:
    """A component that moves something real."""

    name: str
    speed: str = ""
    """The parameter that limits its speed, in m/s; "" without one."""
    speed_m_s: float = 0.0
    resumes: bool = False
    """The system file lets it go on by itself after a safety stop."""


@dataclass(frozen=True)
class Effects:
    modes: dict[str, SourceMode]
    """The sources that get another provider."""
    stops: tuple[str, ...]
    starts: tuple[str, ...]
    clock: str
    keeps: tuple[str, ...]
    """Components that do not notice."""
    actuators: tuple[Actuator, ...] = ()
    """Those that a choice of Real would let move something, once they are armed."""
    logs: tuple[str, ...] = ()
    runs: bool = True
    """Whether there is a system in which all this would happen at once."""
    lacks: tuple[str, ...] = ()
    """Sources that have no provider of this kind, and stay as they are."""

    @property
    def rows(self) -> list[tuple[str, str]]:
        """For a card: what happens, and to whom."""
        stops, starts = listed(self.stops) or "nothing", listed(self.starts) or "nothing"
        if not self.runs:
            return [("Run starts", starts), ("in place of", stops), ("Clock", self.clock)]
        found = [("Stops", stops), ("Starts", starts), ("Clock", self.clock)]
        count = len(self.keeps)
        kept = (
            f"{count} component{'s' if count != 1 else ''}" if count > MOST_NAMES else listed(self.keeps) or "nothing"
        )
        found.append(("Keeps running", kept))
        if self.lacks:
            found.append(("Not affected", listed(self.lacks)))
        return found

    @property
    def sentence(self) -> str:
        """For a dialog."""
        count = len(self.keeps)
        stops, starts = listed(self.stops) or "nothing", listed(self.starts) or "nothing"
        if not self.runs:
            return f"Nothing happens now. Run starts {starts}, in place of {stops}. Clock: {self.clock}."
        return (
            f"Stops: {stops}. Starts: {starts}. Clock: {self.clock}."
            f" Your {count} other component{'s' if count != 1 else ''} keep{'s' if count == 1 else ''} running."
        )


def effects_of(system: System, specs: Specs, wanted: Modes, running: Modes, *, runs: bool = True) -> Effects:
    """`running`: the modes as they are now in the system that runs, or on the canvas."""
    changed: dict[str, SourceMode] = {}
    stops: list[str] = []
    starts: list[str] = []
    lacks: list[str] = []
    actuators: list[Actuator] = []
    logs: list[str] = []
    after: dict[str, SourceMode] = {}
    for source in system.sources:
        now = running.get(source.name, source.mode)
        mode = wanted.get(source.name, now)
        if source.provider(mode) is None:
            lacks.append(source.name)
            mode = now
        after[source.name] = mode
        provider = source.provider(mode)
        if isinstance(provider, LogProvider) and provider.log not in logs:
            logs.append(provider.log)
        if mode == now:
            continue
        changed[source.name] = mode
        stops += _parts(source, now)
        starts += _parts(source, mode)
        if mode == "real":
            actuators += actuators_of(source, specs)
    gone = set(stops)
    keeps = [node.name for node in system.nodes if isinstance(node, Component)]
    keeps += [
        part
        for source in system.sources
        if source.name not in changed
        for part in _parts(source, now_of(source, running))
    ]
    return Effects(
        changed, tuple(dict.fromkeys(stops)), tuple(dict.fromkeys(starts)), clock_words(system, after),
        tuple(name for name in keeps if name not in gone), tuple(actuators), tuple(logs), runs, tuple(lacks),
    )  # fmt: skip


def exchange_effects(system: System, name: str, choice: Choice, running: Modes, *, runs: bool) -> Effects:
    """Of another simulator behind a source: the embedded one, or a Gazebo server."""
    source = system.source(name)
    stops = _parts(source, now_of(source, running))
    there = "on a Gazebo server" if choice == GAZEBO else "in the embedded simulator"
    starts = tuple(f"{part} {there}" for part in _parts(source, "simulated"))
    after: dict[str, SourceMode] = {each.name: now_of(each, running) for each in system.sources}
    keeps = [node.name for node in system.nodes if isinstance(node, Component)]
    keeps += [part for each in system.sources if each.name != name for part in _parts(each, after[each.name])]
    clock = clock_words(system, after | {name: "simulated"})
    return Effects({name: "simulated"}, tuple(stops), starts, clock, tuple(keeps), runs=runs)


def now_of(source: Source, running: Modes) -> SourceMode:
    return running.get(source.name, source.mode)


def actuators_of(source: Source, specs: Specs) -> list[Actuator]:
    """What moves something real, of the real provider of a source."""
    found = []
    for component in source.real.components if source.real is not None else ():
        spec = specs.get(component.type)
        if spec is None or spec.category != "actuator":
            continue
        speed = next((each for each in spec.parameters if each.unit == "m/s" and "speed" in each.name), None)
        limit = float(component.parameters.get(speed.name, speed.default)) if speed is not None else 0.0  # type: ignore[arg-type]
        resumes = component.parameters.get(AFTER_STOP) == RESUMES
        found.append(Actuator(component.name, speed.name if speed is not None else "", limit, resumes))
    return found


def clock_words(system: System, modes: Modes) -> str:
    chosen = {modes[source.name] for source in system.sources if source.ports}
    if chosen == {"logged"}:
        return "time of the log"
    return "simulated time" if chosen == {"simulated"} else "wall time"


def mix_words(modes: Modes) -> str:
    """`lasers and pose logged, vehicle simulated`; "" for one kind only."""
    if len(set(modes.values())) < 2:
        return ""
    kinds: dict[str, list[str]] = {}
    for name, mode in modes.items():
        kinds.setdefault(mode, []).append(name)
    return ", ".join(
        f"{' and '.join(names) if len(names) < 3 else f'{len(names)} sources'} {kind}" for kind, names in kinds.items()
    )


def listed(names: Iterable[str]) -> str:
    known = list(names)
    more = len(known) - MOST_NAMES
    return ", ".join(known[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def shortened(name: str, most: int = 30) -> str:
    """The middle goes: logs are told apart by how their names begin and end."""
    half = (most - 1) // 2
    return name if len(name) <= most else f"{name[:half]}…{name[-half:]}"


def _parts(source: Source, mode: SourceMode) -> list[str]:
    provider = source.provider(mode)
    if isinstance(provider, LiveProvider):
        return [component.name for component in provider.components]
    if isinstance(provider, LogProvider):
        return [f"the log {shortened(provider.log.rpartition('/')[2])}" if provider.log else "no log yet"]
    return []
