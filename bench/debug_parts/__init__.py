"""The components that `bench.debug` measures."""
