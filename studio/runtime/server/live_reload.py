"""The shape of a running system: the project's file and the chosen providers, and what changes when those do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from studio.errors import StudioError
from studio.model.close_matches import did_you_mean
from studio.model.document import SYSTEM_FILE
from studio.model.files import read_bytes
from studio.model.loaded_project import LoadedProject, open_project
from studio.model.sources import SOURCE_MODES, Source, SourceMode
from studio.model.system import System
from studio.runtime.plan.plan import Plan
from studio.runtime.plan.plan_change import PlanChange, keeping_tuned, plan_change
from studio.runtime.plan.planning import plan_of
from studio.runtime.playing.logged_sources import LoggedSources, WantedLog, wanted_log
from studio.runtime.processes.events import LogNotWhole
from studio.runtime.recording.importers import ImportReport
from studio.runtime.session.lockstep_session import LockstepSession
from studio.runtime.session.session import Session
from studio.runtime.session.switching import GateKind, is_repeatable


class ReloadError(StudioError):
    """A system that cannot be given this shape while it runs."""


class LiveReload:
    def __init__(
        self,
        session: Session,
        folder: Path,
        modes: Mapping[str, SourceMode],
        logs: LoggedSources,
        text: bytes | None = None,
    ) -> None:
        """`modes`: of the sources, as they were chosen for this run; the file may say otherwise. `text`: of the system
        that was started, if that is not what the file says."""
        self._session = session
        self._logs = logs
        self._folder = folder
        self._written = session.plan
        """What the file meant when it was last followed."""
        self.modes = dict(modes)
        self._text = text
        """The system that is followed, if that is not what the file says."""
        self._base: bytes | None = None if text is None else self._file()
        """What the file said when it was left."""

    def reload(self, *, restart: bool = False, text: str | None = None) -> dict[str, Any]:
        """Follow the project's file as it is now; `restart` allows to restart what cannot follow otherwise.

        `text` is followed in place of the file: somebody edits, and has not saved yet.
        """
        wanted = None if text is None else text.encode()
        opened = self._open(wanted)
        chosen = {source.name: self.modes.get(source.name, source.mode) for source in opened.system.sources}
        before, plan = self._session.plan, replace(self._plan(opened, chosen), system=text or "")
        tuned = keeping_tuned(plan, self._written, before)
        log = self._wanted_log(opened, plan)
        if self._logs.is_as(log) and self._logs.target in (None, log.target):
            log.close()
            self._session.change(tuned, restart=restart)
        else:  # another log, or other topics of it; or sources that ask for another clock or gate
            self._logs.switch(tuned, log, restart=restart)
        self._base = None if wanted is None else self._base or self._file()
        self.modes, self._written, self._text = chosen, plan, wanted
        obedient = self._session.obedient_programs()
        return _told(plan_change(before, self._session.plan, restart=True, obedient=obedient))

    def followed(self) -> dict[str, Any]:
        """The system that is followed, as its file would have it; and whether the file says something else again."""
        file = self._file()
        text = file if self._text is None else self._text
        return {"text": text.decode(), "file_changed": file not in (text, self._base or text)}

    def _file(self) -> bytes:
        return read_bytes(self._folder / SYSTEM_FILE)

    def switch(self, sources: Iterable[str] | None, mode: str) -> dict[str, Any]:
        """Another provider for these sources, or for all (SEMANTICS 18): through a stop, into a new epoch."""
        opened = self._open(self._text)
        names = [source.name for source in opened.system.sources] if sources is None else list(sources)
        for name in names:
            self._check(opened.system, name, mode)
        chosen = {**self.modes, **dict.fromkeys(names, cast(SourceMode, mode))}
        if chosen == self.modes and not self._session.plan.by_hand:
            return {"sources": {}, "epoch": None}
        plan = replace(self._plan(opened, chosen), system=(self._text or b"").decode())
        log = self._wanted_log(opened, plan)
        changed = {name: mode for name in names if self.modes.get(name) != mode}
        before = self._session.epoch
        try:
            epoch = self._logs.switch(keeping_tuned(plan, self._written, self._session.plan), log)
        finally:
            if self._session.epoch != before:  # also if a component of the new provider could not be made
                self.modes, self._written = chosen, plan
        return {"sources": changed, "epoch": epoch}

    def reset(self) -> dict[str, Any]:
        """Everything that is simulated begins anew, in a new epoch: vehicles stand where they started."""
        system = self._open(self._text).system
        simulated = [source.simulated for source in system.sources if self.modes[source.name] == "simulated"]
        names = [component.name for provider in simulated if provider for component in provider.components]
        if not names:
            raise ReloadError("no simulated source to restart", hint="in a log: studio ctl goto 0")
        if self._logs.player is not None:
            raise ReloadError("a log plays in this system and cannot restart", hint="stop the system and run it")
        return {"components": names, "epoch": self._session.begin_anew(names)}

    def choose_gate(self, kind: GateKind) -> None:
        """Lockstep, in which everything can be done again, or free; a log is played on from where it is."""
        session = self._session
        assert isinstance(session, LockstepSession), "the caller checks first"
        if kind == session.wanted:
            return
        if kind == "lockstep" and not is_repeatable(self.modes.values()):
            names = ", ".join(name for name, mode in self.modes.items() if mode == "real") or "a mixture of sources"
            raise ReloadError(f"no lockstep is possible with {names}: its data cannot be repeated")
        before, session.wanted = session.wanted, kind
        try:
            opened = self._open(self._text)
            self._plan(opened, self.modes)
            log = self._wanted_log(opened, session.plan)
            self._logs.switch(session.plan, log)
        except StudioError:
            session.wanted = before
            raise

    def _wanted_log(self, opened: LoadedProject, plan: Plan) -> WantedLog:
        def told(report: ImportReport) -> None:
            if report.loss:
                self._session.happened(LogNotWhole(report.loss))

        gate: GateKind = self._session.wanted if isinstance(self._session, LockstepSession) else "free"
        return wanted_log(opened.system, self._folder, plan, opened.types, gate=gate, told=told)

    def _open(self, text: bytes | None) -> LoadedProject:
        opened = open_project(self._folder, text)
        for problem in opened.problems:
            if problem.severity == "error":
                raise ReloadError(f"the project has errors; the first: {problem}", hint="run: studio check")
        return opened

    def _check(self, system: System, name: str, mode: str) -> None:
        known = {source.name: source for source in system.sources}
        if name not in known:
            raise ReloadError(f"there is no source {name}", hint=did_you_mean(name, known))
        if mode not in SOURCE_MODES:
            raise ReloadError(f"{mode!r} is not a kind of source", hint=did_you_mean(mode, SOURCE_MODES))
        if known[name].provider(mode) is None:
            raise ReloadError(
                f"the source {name} has no {mode} provider", hint=f"it has {', '.join(known[name].modes)}"
            )

    def _plan(self, opened: LoadedProject, modes: Mapping[str, SourceMode]) -> Plan:
        for source in list(opened.system.sources):
            opened.system.replace_node(_in_mode(source, modes[source.name]))
        recording = self._session.plan.recording
        record = Path(recording.file) if recording else None
        return plan_of(opened.system, opened.registry, project=self._folder, record=record)


def _in_mode(source: Source, mode: SourceMode) -> Source:
    if mode not in source.modes:
        raise ReloadError(f"the source {source.name} has no {mode} provider any more")
    return replace(source, mode=mode)


def _told(change: PlanChange) -> dict[str, Any]:
    before, after = change.before.by_name, change.after.by_name
    linked = {end.partition(".")[0] for end in _ends(change.before) ^ _ends(change.after)}
    return {
        "added": [name for name in after if name not in before],
        "removed": [name for name in before if name not in after],
        "changed": [
            name for name in after if name in before and (name in linked or _differ(before[name], after[name]))
        ],
        "restarted": sorted(change.restarted),
    }


def _ends(plan: Plan) -> set[str]:
    """Parameters that follow others, with those: `filter.cutoff_hz < signal.frequency_hz`."""
    return {f"{end} < {start}" for start, ends in plan.links.items() for end in ends}


def _differ(before: Any, after: Any) -> bool:
    return bool(replace(before, place=0) != replace(after, place=0))
