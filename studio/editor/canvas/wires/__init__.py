"""Wires and their ways."""
