"""Votes of several behaviours become one: which arcs are allowed, how good and how fast each is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.messages import Vote

Floats = NDArray[np.float64]
UNLIMITED_M_S = 1e6
"""Instead of infinity, which cannot be interpolated."""
SAME_PER_M = 1e-9
NEAR = np.array([0.25, 0.5, 0.25])
"""An arc counts with its neighbours: the middle of a wide gap is better than its border, and one vote that
flickers does not turn the wheel."""


@dataclass(frozen=True)
class Ballot:
    """The combined vote of all behaviours for each arc."""

    arcs_per_m: Floats
    score: Floats
    speed_m_s: Floats
    vetoed: NDArray[np.bool_]
    vetoed_by: tuple[str, ...]
    """Behaviours with at least one veto."""


def counted(votes: Mapping[str, Vote], arcs_per_m: Floats) -> Ballot:
    """The mean of the votes, weighted by confidence; the lowest of the speeds; a veto of anybody."""
    weight, total = np.zeros(len(arcs_per_m)), np.zeros(len(arcs_per_m))
    speed = np.full(len(arcs_per_m), UNLIMITED_M_S)
    vetoed = np.zeros(len(arcs_per_m), np.bool_)
    vetoed_by = []
    for name, vote in votes.items():
        if not len(vote):
            continue
        at = _places(vote, arcs_per_m)
        confidence = np.maximum(_between(at, np.nan_to_num(vote.confidence)), 0.0)
        total += confidence * _between(at, np.nan_to_num(vote.vote))
        weight += confidence
        limit = np.nan_to_num(vote.max_speed_m_s, nan=0.0, posinf=UNLIMITED_M_S, neginf=0.0)
        # No arc lies so near to a slow one that it could be much faster than that.
        speed = np.minimum(speed, np.minimum(limit[at.left], limit[at.right]))
        veto = vote.veto[at.left] | vote.veto[at.right]
        vetoed |= veto
        if veto.any():
            vetoed_by.append(name)
    score = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0.0)
    return Ballot(arcs_per_m, score, np.maximum(speed, 0.0), vetoed, tuple(vetoed_by))


def best(ballot: Ballot, now_per_m: float, loyalty: float) -> int | None:
    """The arc to drive, None if nothing is allowed. `loyalty` is what a vote may be worse before the wheel is turned
    from one side to the other."""
    if ballot.vetoed.all():
        return None
    worst = np.min(ballot.score)
    padded = np.pad(np.where(ballot.vetoed, worst, ballot.score), 1, mode="edge")
    smooth = np.convolve(padded, NEAR, mode="valid")
    span = max(float(ballot.arcs_per_m[-1] - ballot.arcs_per_m[0]), SAME_PER_M)
    away = np.abs(ballot.arcs_per_m - now_per_m) / span
    smooth = np.where(ballot.vetoed, -math.inf, smooth - loyalty * away)
    return int(np.argmax(smooth))


@dataclass(frozen=True)
class _Places:
    """For each of our arcs the two of a behaviour around it, and the share of the right one."""

    left: NDArray[np.intp]
    right: NDArray[np.intp]
    share: Floats


def _places(vote: Vote, arcs_per_m: Floats) -> _Places:
    """Beyond the outermost arc of a behaviour that one counts."""
    theirs = vote.curvature_per_m
    if len(theirs) == len(arcs_per_m) and np.allclose(theirs, arcs_per_m, rtol=0.0, atol=SAME_PER_M):
        same = np.arange(len(arcs_per_m))
        return _Places(same, same, np.zeros(len(arcs_per_m)))
    order = np.argsort(theirs, kind="stable")
    right = np.clip(np.searchsorted(theirs[order], arcs_per_m), 0, len(theirs) - 1)
    left = np.where(arcs_per_m < theirs[order][right] - SAME_PER_M, np.maximum(right - 1, 0), right)
    gap = theirs[order][right] - theirs[order][left]
    share = np.divide(arcs_per_m - theirs[order][left], gap, out=np.zeros(len(arcs_per_m)), where=gap > SAME_PER_M)
    return _Places(order[left], order[right], share)


def _between(at: _Places, column: Floats) -> Floats:
    return column[at.left] * (1.0 - at.share) + column[at.right] * at.share
