"""Parts of the benchmark of replays."""
