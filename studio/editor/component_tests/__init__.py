"""Tests of a component, run in the window."""
