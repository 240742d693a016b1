"""Automatic layout in layers: data flows from left to right, with few crossings. Plain Python, no Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

COLUMN_GAP = 96.0
ROW_GAP = 40.0
GRID = 16.0
_SWEEPS = 6

Sizes = Mapping[str, tuple[float, float]]


def arrange(
    sizes: Sizes, wires: Iterable[tuple[str, str]], services: Iterable[tuple[str, str]] = ()
) -> dict[str, tuple[float, float]]:
    """Upper left corners. `wires` are (from, to); who only answers `services` (caller, server) stands by its caller."""
    edges = _acyclic(list(sizes), [(a, b) for a, b in wires if a != b and a in sizes and b in sizes])
    layer_of = _layers(list(sizes), edges)
    wired = {name for edge in edges for name in edge}
    for caller, server in services:
        if server in sizes and server not in wired and caller in sizes:
            layer_of[server] = layer_of[caller]
    columns = _columns(layer_of)
    _reduce_crossings(columns, edges)
    return _coordinates(columns, sizes, edges)


def _acyclic(names: list[str], edges: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Without the edges that lead back: those would pull everything into one long line."""
    after: dict[str, list[str]] = {name: [] for name in names}
    for start, end in edges:
        after[start].append(end)
    entered: set[str] = set()
    kept: list[tuple[str, str]] = []
    has_input = {end for _, end in edges}
    for root in sorted(names, key=lambda name: name in has_input):
        if root in entered:
            continue
        entered.add(root)
        open_now = {root}
        stack = [(root, iter(after[root]))]
        while stack:
            name, children = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                open_now.discard(name)
            elif child not in open_now:
                kept.append((name, child))
                if child not in entered:
                    entered.add(child)
                    open_now.add(child)
                    stack.append((child, iter(after[child])))
    return list(dict.fromkeys(kept))


def _layers(names: list[str], edges: list[tuple[str, str]]) -> dict[str, int]:
    """The longest way from a start decides, so that every wire goes to the right."""
    before: dict[str, list[str]] = {name: [] for name in names}
    after: dict[str, list[str]] = {name: [] for name in names}
    for start, end in edges:
        before[end].append(start)
        after[start].append(end)
    waiting = {name: len(before[name]) for name in names}
    ready = [name for name in names if not waiting[name]]
    layer = dict.fromkeys(names, 0)
    for name in ready:
        for child in after[name]:
            layer[child] = max(layer[child], layer[name] + 1)
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    for name in reversed(ready):  # a start whose only receiver is far away moves next to it
        if not before[name] and after[name]:
            layer[name] = min(layer[child] for child in after[name]) - 1
    return layer


def _columns(layer_of: dict[str, int]) -> list[list[str]]:
    columns: list[list[str]] = [[] for _ in range(max(layer_of.values(), default=-1) + 1)]
    for name, layer in layer_of.items():
        columns[layer].append(name)
    return [column for column in columns if column]


def _reduce_crossings(columns: list[list[str]], edges: list[tuple[str, str]]) -> None:
    """Each card towards the middle of its neighbours in the column before, then after, and again."""
    near: dict[str, list[str]] = {}
    for start, end in edges:
        near.setdefault(start, []).append(end)
        near.setdefault(end, []).append(start)
    for sweep in range(_SWEEPS):
        ordered = columns[1:] if sweep % 2 == 0 else list(reversed(columns[:-1]))
        for column in ordered:
            place = {name: index for other in columns for index, name in enumerate(other)}
            inside = set(column)

            def middle(name: str, place: dict[str, int] = place, inside: set[str] = inside) -> float:
                others = [place[other] for other in near.get(name, ()) if other not in inside]
                return sum(others) / len(others) if others else place[name]

            column.sort(key=middle)


def _coordinates(
    columns: list[list[str]], sizes: Sizes, edges: list[tuple[str, str]]
) -> dict[str, tuple[float, float]]:
    before: dict[str, list[str]] = {}
    for start, end in edges:
        before.setdefault(end, []).append(start)
    at: dict[str, tuple[float, float]] = {}
    x = 0.0
    for column in columns:
        wanted = []
        for name in column:
            centres = [at[other][1] + sizes[other][1] / 2 for other in before.get(name, ()) if other in at]
            wanted.append(sum(centres) / len(centres) - sizes[name][1] / 2 if centres else None)
        for name, y in zip(column, _stacked(column, wanted, sizes), strict=True):
            at[name] = (x, y)
        x = _up(x + max(sizes[name][0] for name in column) + COLUMN_GAP)
    if not at:
        return {}
    top = min(y for _, y in at.values())
    return {name: (left, _up(y - top)) for name, (left, y) in at.items()}


def _stacked(column: list[str], wanted: list[float | None], sizes: Sizes) -> list[float]:
    """As near to where each wants to be as the gaps allow, as one block."""
    ys: list[float] = []
    for name, want in zip(column, wanted, strict=True):
        del name
        least = ys[-1] + sizes[column[len(ys) - 1]][1] + ROW_GAP if ys else None
        ys.append(
            max(least, want)
            if least is not None and want is not None
            else (least if least is not None else want or 0.0)
        )
    offsets = [want - y for want, y in zip(wanted, ys, strict=True) if want is not None]
    shift = sum(offsets) / len(offsets) if offsets else 0.0
    return [y + shift for y in ys]


def _up(value: float) -> float:
    return round(value / GRID) * GRID
