"""A running system as one value: start, change, switch, stop."""
