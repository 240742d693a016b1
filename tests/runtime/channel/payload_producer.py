"""A producing host as a process: puts payloads of changing sizes as fast as it can and prints their handles."""

from __future__ import annotations

import hashlib
import random
import sys
from pathlib import Path

from studio.runtime.channel.payloads import Pool

folder, seed = Path(sys.argv[1]), int(sys.argv[2])
chance = random.Random(seed)
pool = Pool(folder, "camera", budget_bytes=8 << 20)
while True:
    data = chance.randbytes(1) * chance.choice((70_000, 200_000, 900_000))
    handle = pool.put(data, [0])
    if handle is not None:
        print(handle.hex(), hashlib.blake2b(data).hexdigest(), flush=True)
