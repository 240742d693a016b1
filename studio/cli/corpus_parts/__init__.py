"""Trials of files from elsewhere, one file at a time: what is found, how it is tried, what came of it."""
