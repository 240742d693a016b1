"""Curves, painted."""
