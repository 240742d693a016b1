"""Logs read: what is in them, where, and what is missing."""
