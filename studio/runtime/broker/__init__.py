"""The process that all events pass: gate, order, clock, feeders, checkpoints of the system."""
