"""How the state of a connection looks: colour, icon and word."""

from __future__ import annotations

from collections.abc import Mapping

from studio.editor.live.state import Look
from studio.runtime.gazebo.connections.connections import AVAILABLE
from studio.runtime.gazebo.connections.link import Phase

LOOKS: Mapping[str, Look] = {
    Phase.CONNECTED: Look("Connected", "mdi6.link-variant", "fine", 0),
    Phase.CONNECTING: Look("Connecting…", "mdi6.sync", "inactive", 1),
    AVAILABLE: Look("Available", "fa6s.circle", "inactive", 2),
    Phase.RECONNECTING: Look("Reconnecting", "mdi6.sync", "warning", 3),
    Phase.LOST: Look("Lost", "mdi6.link-variant-off", "error", 4),
}
