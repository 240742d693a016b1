"""A receiving host as a process: reads handles from standard input, checks payloads, keeps some views for a while."""

from __future__ import annotations

import hashlib
import random
import sys
from collections import deque
from pathlib import Path

import numpy as np

from studio.runtime.channel.payloads import Leases

folder, index, most_kept = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
leases = Leases(folder, index)
chance = random.Random(index)
kept: deque[tuple[np.ndarray, str]] = deque()
print("ready", flush=True)


def check(array: np.ndarray, digest: str) -> None:
    if hashlib.blake2b(array).hexdigest() != digest:
        sys.exit(f"receiver {index}: wrong bytes")


seen = 0
for line in sys.stdin:
    if line == "sweep\n":
        leases.sweep("camera", 1 << 62)
        continue
    handle, digest = line.split()
    kept.append((np.frombuffer(leases.open(bytes.fromhex(handle)), np.uint8), digest))
    check(*kept[-1])
    seen += 1
    # Those that were kept must still be what they were when they are let go.
    while len(kept) > chance.randint(0, most_kept):
        check(*kept.popleft())
print(seen, flush=True)
