"""Viewers as docks: which kinds there are, and which open by themselves."""
