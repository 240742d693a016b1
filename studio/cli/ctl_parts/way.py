"""A request that may take long: a terminal shows how far it is, and Ctrl-C cancels it."""

from __future__ import annotations

import sys
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from studio.runtime.client.attach import Attachment

LOOK_EVERY_S = 0.2
CLEAR_LINE = "\r\x1b[K"


def ask_long(attachment: Attachment, do: str, **fields: Any) -> dict[str, Any]:
    """The reply, however long it takes. Cancelled, the system stays where it has come to, and the reply says so."""
    is_shown = sys.stderr.isatty()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(attachment.ask, do, timeout_s=None, **fields)
        try:
            while not _is_there(attachment, asked):
                if is_shown:
                    print(f"{CLEAR_LINE}{way_words(attachment.state)}", end="", file=sys.stderr, flush=True)
        finally:
            if is_shown:
                print(CLEAR_LINE, end="", file=sys.stderr, flush=True)
        return asked.result()


def _is_there(attachment: Attachment, asked: Future[dict[str, Any]]) -> bool:
    try:
        return bool(wait([asked], LOOK_EVERY_S).done)
    except KeyboardInterrupt:
        attachment.ask("cancel")
        return False


def way_words(state: dict[str, Any]) -> str:
    """`Reloading filter: 42 % (Ctrl-C cancels)`; nothing where no long way is under way."""
    way = (state.get("stepping") or {}).get("way")
    if not way:
        return ""
    part = "" if way["part"] is None else f": {100 * way['part']:.0f} %"
    return f"{way['words']}{part} (Ctrl-C cancels)"
