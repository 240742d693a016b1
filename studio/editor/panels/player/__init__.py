"""The player of a log: its time line and its keys."""
