"""Side-by-side benchmarks: each module has a `run(rounds)` that returns a Report; `studio bench NAME` calls it."""

import os

# Every contender starts as it does for users: with what Python has compiled before, also where a machine forbids that.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
