"""Panels of the debugger: stack, variables, breakpoints, events at the gate."""
