"""Replays of logs, and comparisons of what came out."""
