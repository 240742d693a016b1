"""Robot Systems Studio: wire, run, freeze, step and replay robot systems."""

__version__ = "0.1.0"
