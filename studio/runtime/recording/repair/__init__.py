"""Damaged logs made whole."""
