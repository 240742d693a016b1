"""The parts of the benchmark of playing."""
