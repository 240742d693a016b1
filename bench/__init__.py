"""Side-by-side benchmarks: each module has a `run(rounds)` that returns a Report; `studio bench NAME` calls it."""
