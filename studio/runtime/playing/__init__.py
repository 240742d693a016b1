"""Logs as sources of a running system: players, their cursors, and what they send."""
