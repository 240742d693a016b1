"""Which pages the guide has, in the order of its table of contents, and those that speak of some words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_ROW = re.compile(r"^\| \[[^\]]*\]\((?P<link>[^)]+\.md)\) \| (?P<about>.*?) \|$")
_HEADING = re.compile(r"^#+ ", re.MULTILINE)
FIRST = "guide/first_steps.md"


@dataclass(frozen=True)
class Page:
    file: Path
    about: str

    @cached_property
    def text(self) -> str:
        return self.file.read_text(encoding="utf-8", errors="replace")

    @property
    def title(self) -> str:
        return title_of(self.text) or self.file.stem

    @cached_property
    def headings(self) -> str:
        lines = self.text.splitlines()
        return "\n".join(line for line in lines if _HEADING.match(line)).casefold()


def title_of(text: str) -> str:
    """The first heading of a page in Markdown."""
    return next((line.lstrip("# ").strip() for line in text.splitlines() if line.startswith("# ")), "")


def pages_of(docs: Path) -> list[Page]:
    """As docs/README.md lists them; none where the documentation is not installed."""
    try:
        lines = (docs / "README.md").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    rows = [match for line in lines if (match := _ROW.match(line.strip()))]
    pages = [Page((docs / row["link"]).resolve(), row["about"].replace("`", "")) for row in rows]
    return [page for page in pages if page.file.is_file()]


def search(pages: list[Page], words: str) -> list[Page]:
    """Pages with all of the words, those that have them in their title or headings first."""
    wanted = words.casefold().split()
    found = [page for page in pages if all(word in f"{page.text} {page.about}".casefold() for word in wanted)]

    def rank(page: Page) -> tuple[int, int, int]:
        title, text = page.title.casefold(), page.text.casefold()
        return (
            -sum(word in title for word in wanted),
            -sum(word in page.headings for word in wanted),
            -sum(text.count(word) for word in wanted),
        )

    return sorted(found, key=rank) if wanted else pages


def slug(heading: str) -> str:
    """What a link names a heading, as on GitHub."""
    return re.sub(r"[^\w\- ]", "", heading.strip().casefold()).replace(" ", "-")
