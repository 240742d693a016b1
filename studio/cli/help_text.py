"""The layout of `--help`: as wide as the terminal, sentences wrapped, examples as they are, headings in bold."""

from __future__ import annotations

import argparse
import textwrap

from studio.cli.colours import BOLD, paint

EXAMPLES = ("examples:", "keys on a terminal:")


class HelpText(argparse.HelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Examples keep their lines, everything else is wrapped."""
        if not text.startswith(EXAMPLES):
            return textwrap.fill(" ".join(text.split()), width, initial_indent=indent, subsequent_indent=indent)
        lines = text.splitlines()
        return "\n".join(paint(line, BOLD) if line in EXAMPLES else line for line in lines)

    def start_section(self, heading: str | None) -> None:
        names = {"positional arguments": "arguments"}
        super().start_section(paint(names.get(heading or "", heading or ""), BOLD) if heading else heading)
