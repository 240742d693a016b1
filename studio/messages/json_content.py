"""Messages in JSON: what they hold, for viewers and plots. `studio.messages.field_paths` finds the values in it."""

from __future__ import annotations

import json
from typing import Any

WITHOUT_NAME = "value"
"""What a list or a number is called that is a message by itself."""


def json_content(text: str) -> dict[str, Any] | None:
    """None for what is not JSON."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else {WITHOUT_NAME: content}
