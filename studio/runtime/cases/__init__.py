"""Test cases of a project: how a system is run or fed, and what has to be true of the events that come out."""
