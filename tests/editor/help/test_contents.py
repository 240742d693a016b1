"""The table of contents of the guide, and what a search finds in it."""

from __future__ import annotations

from pathlib import Path

from studio.editor.help.contents import FIRST, pages_of, search, slug


def test_the_contents_are_every_page_of_the_guide_and_first_steps_come_first(checkout: Path) -> None:
    pages = pages_of(checkout / "docs")
    assert pages[0].file == checkout / "docs" / FIRST and pages[0].title == "First steps"
    assert {page.file for page in pages} >= set((checkout / "docs/guide").glob("*.md"))
    assert all(page.about for page in pages)


def test_a_search_finds_pages_with_all_words_and_titles_first(tmp_path: Path) -> None:
    rows = "".join(f"| [{name}]({name}.md) | about {name} |\n" for name in ("a", "b", "c"))
    (tmp_path / "README.md").write_text(f"# Docs\n\n| page | for |\n|---|---|\n{rows}")
    (tmp_path / "a.md").write_text("# Logs\n\nA checkpoint here, a Checkpoint there.\n")
    (tmp_path / "b.md").write_text("# Checkpoints\n\nOf a system.\n")
    (tmp_path / "c.md").write_text("# Maps\n\nOf the ground.\n")
    pages = pages_of(tmp_path)
    assert [page.title for page in search(pages, "checkpoint")] == ["Checkpoints", "Logs"]
    assert [page.title for page in search(pages, "of GROUND")] == ["Maps"]
    assert search(pages, "nothing of the kind") == [] and search(pages, "") == pages


def test_without_documentation_there_are_no_pages(tmp_path: Path) -> None:
    assert pages_of(tmp_path) == []


def test_headings_are_named_as_on_github() -> None:
    assert slug("1. Check it: `studio check`") == "1-check-it-studio-check"
