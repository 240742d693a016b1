"""Panels of the geometry editor: tree, properties, text, measure, checks and library."""
