"""What of a log is played where: by itself, into a project's system, or for the sources that are logged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from studio.messages import MessageTypes
from studio.model.sources import LogProvider, Specs
from studio.model.system import System
from studio.recordings import log_of
from studio.runtime.base.errors import ReplayError
from studio.runtime.plan.plan import Plan
from studio.runtime.plan.planning import plan_of
from studio.runtime.recording import LogReader
from studio.runtime.recording.facts.circumstances import recorded_seed
from studio.runtime.replay.inputs import inputs_of
from studio.runtime.replay.mapping import choose_logged, mapped_topics
from studio.runtime.wire.frames import COMMAND_PREFIX


@dataclass(frozen=True)
class Played:
    """What of a log goes where."""

    log: LogReader
    topics: Mapping[str, str]
    """Topic of the log -> topic of the system."""
    restored: frozenset[str] = frozenset()
    """Topics of the log whose last event is sent first after a jump: somebody keeps only the latest of them."""

    @property
    def streams(self) -> dict[str, str]:
        """The same without what was commanded."""
        return {logged: topic for logged, topic in self.topics.items() if not topic.startswith(COMMAND_PREFIX)}


def restored_topics(plan: Plan, topics: Mapping[str, str]) -> frozenset[str]:
    """Where a receiver keeps only the latest value, or there are but viewers: they show what was last there."""
    if not plan.components:
        return frozenset(topics)
    kept = {inlet.topic for component in plan.components for inlet in component.inlets if inlet.delivery == "latest"}
    return frozenset(logged for logged, topic in topics.items() if topic in kept)


def played_alone(log: LogReader, patterns: Sequence[str] = ()) -> tuple[Plan, Played]:
    """A log without a system: its topics, for whoever listens."""
    topics = _chosen({topic: topic for topic in log.topics if not topic.startswith("/_studio/")}, patterns, log)
    plan = Plan(())
    return plan, Played(log, topics, restored_topics(plan, topics))


def played_into(
    system: System, log: LogReader, specs: Specs, types: MessageTypes, folder: Path, patterns: Sequence[str] = ()
) -> tuple[Plan, Played, list[str]]:
    """A log as the senses of a project's system; also tells topics that nobody will send on.

    Sources are taken from the log where they are logged, or the log is not one of ours: in memory only.
    """
    choose_logged(system, log)
    plan = plan_of(system, specs, project=folder, seed=recorded_seed(log))
    inputs = inputs_of(plan, log, mapped_topics(system, log, types))
    topics = _chosen(inputs.topics, patterns, log)
    if not any(not topic.startswith(COMMAND_PREFIX) for topic in topics.values()):
        raise ReplayError(
            "this log has no inputs of the system, only its results",
            file=log.path,
            hint="compute them again with studio replay, or play the log without the project",
        )
    silent = [*inputs.silent, *(topic for logged, topic in inputs.topics.items() if logged not in topics)]
    return inputs.plan, Played(log, topics, restored_topics(inputs.plan, topics)), silent


def logged_file(system: System, folder: Path) -> Path | None:
    """The log of the sources that are logged, a file or the folder of a bag; None if there are none."""
    files: dict[Path, str] = {}
    for source in system.sources:
        provider = source.provider(source.mode)
        if isinstance(provider, LogProvider):
            files.setdefault(log_of(folder, provider.log).resolve(), source.name)
    if len(files) > 1:
        names = " and ".join(f"{name} plays {file.name}" for file, name in files.items())
        raise ReplayError(f"only one log can be played at a time, but {names}", hint="merge them, or switch one source")
    found = next(iter(files), None)
    if found is not None and not found.exists():
        raise ReplayError(
            f"the source {files[found]} plays a log that is missing",
            file=found,
            hint=f"record it: studio record {folder} {found} --mode simulated, or --mode real; "
            f"or play another one: studio play LOG {folder}",
        )
    return found


def played_sources(system: System, plan: Plan, log: LogReader, types: MessageTypes) -> Played:
    """A log for the sources of a system that are logged, and for nothing else."""
    mapped = mapped_topics(system, log, types)
    topics = {logged: topic for topic, logged in mapped.items()}
    if len(topics) < len(mapped):
        raise ReplayError("one topic would feed several ports", file=log.path, hint="give each port a topic of its own")
    return Played(log, topics, restored_topics(plan, topics))


def _chosen(topics: Mapping[str, str], patterns: Sequence[str], log: LogReader) -> dict[str, str]:
    """Those that fit a pattern, by their name in the log or in the system; commands always do."""
    chosen = {
        logged: topic
        for logged, topic in topics.items()
        if not patterns or topic.startswith(COMMAND_PREFIX) or _fits((logged, topic), patterns)
    }
    if patterns and not chosen:
        raise ReplayError(
            f"no topic matches {' or '.join(patterns)}", file=log.path, hint=f"it has {', '.join(topics)}"
        )
    return chosen


def _fits(names: Iterable[str], patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)
