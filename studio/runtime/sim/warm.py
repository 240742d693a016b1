"""Imports MuJoCo and the simulator, which takes two seconds on a busy machine: for processes that are forked from here.

Nothing is made here: neither a model nor a picture of one, which would not survive a fork.
"""

from __future__ import annotations

import mujoco  # noqa: F401

import studio.runtime.sim.simulator  # noqa: F401
