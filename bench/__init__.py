"""Side-by-side benchmarks: every module here has a `run(rounds)` that returns a Report; `studio bench NAME` calls it."""
