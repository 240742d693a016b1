"""The opened project under its old name, for the verbs."""

from __future__ import annotations

from studio.model.opened import Opened, open_project

__all__ = ["Opened", "open_project"]
