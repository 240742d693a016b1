"""Devices for the test bench: they speak the published protocols on pseudo-terminals, as if they were hardware.

They share no code with the drivers in components/, so that a misreading of a protocol shows.
"""

from pathlib import Path

FOLDER = Path("/tmp/real_bench")
"""Where their ports appear, as projects/real_bench names them."""
