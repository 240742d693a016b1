"""Logs written, so that they survive."""
