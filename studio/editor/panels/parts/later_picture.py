"""Words for a picture that is newer than the position of a log that was taken back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from studio.editor.views.timeline.timeline_paint import clock_words


def later_words(
    player: Mapping[str, Any] | None, stamps_ns: Iterable[int], clock: Mapping[str, Any] | None = None
) -> str:
    """Nothing if what is shown is of now, or if the log plays: then it soon is. `stamps_ns`: of what is shown.

    `clock`: of the system. In a free run it stands behind the last event of the log, and who publishes by himself may
    have done so in between.
    """
    if not player or player.get("playing"):
        return ""
    start_ns, end_ns = int(player["start_ns"]), int(player["end_ns"])
    # Beside real sources events of a log have new stamps, of which nothing can be told.
    newest_ns = max((stamp for stamp in stamps_ns if start_ns <= stamp <= end_ns), default=start_ns)
    stands_ns = int(clock["base_ns"]) if clock and clock["kind"] == "log" and not clock["rate"] else start_ns
    log_ns = max(int(player["time_ns"]), stands_ns)
    if newest_ns <= log_ns:
        return ""
    return f"Shows {clock_words(newest_ns - start_ns)}. The log is at {clock_words(log_ns - start_ns)}"
