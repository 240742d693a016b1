"""Side-by-side benchmarks: every module here has a DESCRIPTION and a `run(rounds)`; `studio bench NAME` calls it."""
