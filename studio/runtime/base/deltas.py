"""The difference of two snapshots, and how a client applies it: lists of [path, value]; a path is keys from the top."""

from __future__ import annotations

from typing import Any

Snapshot = dict[str, Any]
Delta = dict[str, Any]


def difference(old: Snapshot, new: Snapshot) -> Delta:
    """What makes `new` of `old`; empty if they are equal. Lists and plain values are taken as a whole."""
    changed: list[list[Any]] = []
    removed: list[list[str]] = []
    _compare((), old, new, changed, removed)
    return {"changed": changed, "removed": removed} if changed or removed else {}


def _compare(path: tuple[str, ...], old: Any, new: Any, changed: list[Any], removed: list[Any]) -> None:
    if isinstance(old, dict) and isinstance(new, dict):
        removed.extend([*path, key] for key in old.keys() - new.keys())
        for key, value in new.items():
            if key in old:
                _compare((*path, key), old[key], value, changed, removed)
            else:
                changed.append([[*path, key], value])
    elif old != new:
        changed.append([list(path), new])


def apply(snapshot: Snapshot, delta: Delta) -> None:
    """Bring `snapshot` up to date, in place."""
    for path in delta.get("removed", ()):
        *above, last = path
        _at(snapshot, above).pop(last, None)
    for path, value in delta.get("changed", ()):
        *above, last = path
        _at(snapshot, above)[last] = value


def _at(snapshot: Snapshot, path: list[str]) -> Snapshot:
    for key in path:
        snapshot = snapshot[key]
    return snapshot
