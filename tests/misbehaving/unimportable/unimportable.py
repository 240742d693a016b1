from __future__ import annotations

import a_library_that_nobody_has  # noqa: F401

from studio.runtime.component import Component


class Unimportable(Component):
    """Cannot even be imported."""
