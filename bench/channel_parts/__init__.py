"""The processes that `bench.channel` measures: components of ours, and the peers."""
