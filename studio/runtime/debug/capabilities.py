"""What the proxy tells a debug client that it can do."""

from __future__ import annotations

from typing import Any

NOT_OFFERED = {"supportsTerminateRequest": False, "supportTerminateDebuggee": False, "supportsRestartRequest": False}
"""A debug client never ends a component: the system does."""
ABILITIES = """
supportsConfigurationDoneRequest supportsConditionalBreakpoints supportsHitConditionalBreakpoints supportsSetVariable
supportsEvaluateForHovers supportsCompletionsRequest supportsExceptionInfoRequest supportsLogPoints
supportsSetExpression supportsDelayedStackTraceLoading
"""
BEFORE_THE_HOST: dict[str, Any] = {
    **dict.fromkeys(ABILITIES.split(), True),
    "exceptionBreakpointFilters": [
        {"filter": "raised", "label": "Raised Exceptions", "default": False},
        {"filter": "uncaught", "label": "Uncaught Exceptions", "default": True},
        {"filter": "userUnhandled", "label": "User Uncaught Exceptions", "default": False},
    ],
}
"""What debugpy can do, for a client that comes before the host does."""


def capabilities(of_the_host: dict[str, Any] | None) -> dict[str, Any]:
    return {**(of_the_host or BEFORE_THE_HOST), **NOT_OFFERED}
