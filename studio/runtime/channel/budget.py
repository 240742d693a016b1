"""How much memory may lie waiting for one receiver before it counts as one that cannot keep up."""

from __future__ import annotations

import os

BUDGET_MB = 256
"""STUDIO_BUDGET_MB in the environment of a process sets another limit."""


def host_budget_bytes() -> int:
    return int(os.environ.get("STUDIO_BUDGET_MB", BUDGET_MB)) * 2**20
