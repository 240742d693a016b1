"""Devices for the test bench: they speak the published protocols on pseudo-terminals, as if they were hardware.

They share no code with the drivers in components/, so that a misreading of a protocol shows.
"""
