"""Curves of values over time."""
