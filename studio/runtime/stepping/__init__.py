"""One event forwards, one back: control of the gate, checkpoints and the way between two events."""
