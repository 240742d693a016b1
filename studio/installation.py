"""How Studio was installed, and how what is missing gets installed."""

from __future__ import annotations

from studio.paths import PACKAGE

DISTRIBUTION = "robot-systems-studio"


def how_to_install(extra: str) -> str:
    """The command that installs the packages of an extra in pyproject.toml; "" is the base."""
    if (PACKAGE.parent / "Makefile").is_file():
        return "make setup" if extra in ("", "dev", "editor") else f'make setup EXTRAS="dev editor {extra}"'
    return f"pip install '{DISTRIBUTION}{f'[{extra}]' if extra else ''}'"
