"""A new process comes to the state of the one before it, with other code: it handles again what that one has handled.
A process that has taken other code itself (code_exchange.py) does so from a checkpoint on.

As long as it publishes the same, nobody else notices, and it has checkpoints at the same places under the same numbers.
At the first difference it stops: from the last checkpoint before that on, the others have to compute too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from studio.runtime.base.clock import monotonic_ns
from studio.runtime.host.input_journal import BIRTH, EVENT, CheckpointRecord, JournalError, Record, WrittenJournal
from studio.runtime.plan.plan import Plan

if TYPE_CHECKING:
    from studio.runtime.host.executor import Executor

NEAR = 8
"""The last checkpoints are kept, all of them: going back from the end is quick."""
RARER = 10
"""So many times as long as keeping one took, it works before it keeps the next."""
_BEGINS_WITH = ("parameters", "activation", "period_ns")


def birth_of(plan: Plan, host: str) -> dict[str, Any]:
    """What decides, besides their code, how the components of a host begin."""
    return {each.name: {name: getattr(each, name) for name in _BEGINS_WITH} for each in plan.on_host(host)}


class CatchingUp:
    """Used by the executor, in pieces: whoever waits wants to know how far it is, and may give it up."""

    def __init__(self, executor: Executor, after: int | None = None) -> None:
        """`after`: the checkpoint where this process is now, with other code. None: a new process, from its birth."""
        if executor.journal is None:
            raise JournalError("its inputs are not known")
        self._executor = executor
        self._journal = executor.journal
        self._end = 0
        self._ends: dict[int, int] = {}
        if after is not None:
            self._end, self._ends = self._journal.way_after(after)
        self._written = WrittenJournal(self._journal.file, self._end)
        self._done = self._journal.events
        self._reached = [number for number in self._ends if executor.checkpoints.has(number)]
        """The checkpoints that were come by before anything differed, and are kept."""
        self._differs = False
        self._last_live = frozenset(sorted(self._written.live)[-NEAR:])
        self._kept_ns = self._keeping_ns = 0
        """When a checkpoint was last kept, and how long that took."""

    def go_on(self, for_ms: int) -> dict[str, Any]:
        """For so long; 0: it is given up. `ended` where there is nothing more to do, or it was given up."""
        executor = self._executor
        traces = {name: runner.trace for name, runner in executor.runners.items()}
        for runner in executor.runners.values():
            runner.trace = None
        end_ns = monotonic_ns() + for_ms * 1_000_000
        more = for_ms > 0
        try:
            while more and monotonic_ns() < end_ns:
                more = self._take_next()
        except BaseException:
            self._written.close()
            raise
        finally:
            for name, runner in executor.runners.items():
                runner.trace = traces.get(name, executor.trace.note)
                runner.forget_trace()
        if not more:
            self._written.close()
            self._journal.made.clear()
            self._journal.go_on_after(self._end, self._ends)
        return {
            "done": self._done,
            "total": self._written.events,
            "ended": not more,
            "differs": self._differs,
            "checkpoints": self._reached,
        }

    def _take_next(self) -> bool:
        record = self._written.next()
        if record is None:
            return False
        if record.kind == EVENT:
            self._handle(record)
        elif record.kind == BIRTH:
            self._be_born(record)
        else:
            self._keep(record)
        self._end = record.end
        # What differs before the first checkpoint is gone on with up to there, so that all can go back to it.
        return not (self._differs and self._ends)

    def _handle(self, record: Record) -> None:
        journal, made = self._journal, self._journal.made
        made.clear()
        journal.is_handling = True
        self._executor.handle_again(record.body)
        journal.is_handling = False
        self._done += 1
        journal.events = self._done
        if made != record.made:
            self._differs = True

    def _keep(self, record: Record) -> None:
        told = CheckpointRecord.of(record)
        self._ends[told.number] = record.end
        self._journal.events_at[told.number] = self._done
        if self._is_worth_keeping(told.number):
            start_ns = monotonic_ns()
            self._executor.checkpoints.keep(told.number)
            self._kept_ns = monotonic_ns()
            self._keeping_ns = self._kept_ns - start_ns
            if not self._differs:
                self._reached.append(told.number)

    def _is_worth_keeping(self, number: int) -> bool:
        """The first, and the last ones, from which one steps back; of those between as many as cost little."""
        if len(self._ends) == 1 or number in self._last_live:
            return True
        return number in self._written.live and monotonic_ns() - self._kept_ns >= RARER * self._keeping_ns

    def _be_born(self, record: Record) -> None:
        """With the parameters that the process before it began with: what was changed since then is an event."""
        executor, journal = self._executor, self._journal
        birth = record.json()
        if birth == journal.birth:
            return
        runners, executor.runners = executor.runners, {}
        for name, runner in runners.items():
            runner.obey("finalize")
            begins_with = birth.get(name, {})
            planned = executor.plan.by_name[name]
            known = {key: value for key, value in begins_with["parameters"].items() if key in planned.parameters}
            parameters = {**planned.parameters, **known}
            executor.renew(replace(planned, **{**begins_with, "parameters": parameters}))
            executor.runners[name].trace = None
        executor.make_routes()
