"""In what the runs differ that two compared maps come from: one line for the bar, all of it for its tooltip."""

from __future__ import annotations

from typing import Any

from studio.runtime.recording.facts.run_facts import RunDifference, RunFacts, run_differences


def facts_of_run(state: dict[str, Any]) -> RunFacts:
    """Of the running system: its parameters, which are what a person changes while it runs."""
    components = state.get("components", {})
    return RunFacts(parameters={name: dict(each.get("parameters", {})) for name, each in components.items()})


def differences_between(a: RunFacts, b: RunFacts) -> list[RunDifference]:
    """Without components that only one of them has: a replay leaves out the sources, and that is no news."""
    return [each for each in run_differences(a, b) if each.kind != "component"]


def in_one_line(differences: list[RunDifference]) -> str:
    if not differences:
        return ""
    more = f" and {len(differences) - 1} more" if len(differences) > 1 else ""
    return f"Runs differ: {differences[0]}{more}"


def in_full(differences: list[RunDifference]) -> str:
    return "\n".join(["The two runs differ in (A → B):", *map(str, differences)]) if differences else ""
