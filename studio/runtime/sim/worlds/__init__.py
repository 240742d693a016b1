"""Worlds: read, checked, made and written."""
