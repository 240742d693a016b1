"""The parts of the benchmark of logs: the workload, and how each contender writes, reads, seeks and opens."""
