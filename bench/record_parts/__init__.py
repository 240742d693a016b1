"""The systems that `bench.record` records, and the tests of the recorder's load with it."""
