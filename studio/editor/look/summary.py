"""The first paragraph of a documentation, as one line: what fits beside a name."""

from __future__ import annotations


def summary(doc: str) -> str:
    return " ".join(doc.strip().partition("\n\n")[0].split())
