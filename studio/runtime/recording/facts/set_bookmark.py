"""Sets a bookmark in a running system: it goes through the channel, and the recorder writes it down."""

from __future__ import annotations

from pathlib import Path

import zmq

from studio.messages import Bookmark, encode
from studio.runtime.recording.format.bookmarks import BOOKMARK_TOPIC
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import Kind, pack

LINGER_MS = 500


def set_bookmark(run: Path, text: str, stamp_ns: int) -> None:
    """`stamp_ns` is system time. Without a recorder nobody keeps it."""
    with zmq.Context() as context, context.socket(zmq.PUSH) as push:
        push.linger = LINGER_MS
        push.connect(addresses.into(run))
        push.send(pack(BOOKMARK_TOPIC, Kind.LOG, 0, encode(Bookmark(stamp_ns=stamp_ns, text=text))))
