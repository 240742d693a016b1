"""Vehicles in a world: their ports, their drive, what they sense of themselves."""
