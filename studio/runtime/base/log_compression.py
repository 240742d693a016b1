"""How the chunks of a log may be compressed, and how they are unless a user asks for something else.

A module of its own, without imports: the plan of every run names the compression, and few processes read or write logs.
"""

from __future__ import annotations

from typing import Literal, get_args

Compression = Literal["none", "lz4", "zstd"]
CHOICES: tuple[str, ...] = get_args(Compression)
WHEN_RECORDING: Compression = "zstd"
"""At its fastest level it makes the log of a simulated vehicle ten times smaller. Only the recorder does the work, in
its own process."""
