"""Time lines, states and causes over time, painted."""
