"""The layout of `--help`: as wide as the terminal, sentences and words beside examples wrapped, headings in bold."""

from __future__ import annotations

import argparse
import re
import textwrap

from studio.cli.shared.colours import BOLD, paint

EXAMPLES = ("examples:", "keys on a terminal:", "actions:")
NARROWEST = 24
"""What is said beside an example goes below it where there is less room."""
BELOW = 6
_EXAMPLE = re.compile(r"(\s*\S.*?)( {2,})(\S.*)")


class HelpText(argparse.HelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Examples can be copied into a shell, everything else is wrapped."""
        if not text.startswith(EXAMPLES):
            return textwrap.fill(" ".join(text.split()), width, initial_indent=indent, subsequent_indent=indent)
        lines = text.splitlines()
        return "\n".join(paint(line, BOLD) if line in EXAMPLES else _example(line, width) for line in lines)

    def start_section(self, heading: str | None) -> None:
        names = {"positional arguments": "arguments"}
        super().start_section(paint(names.get(heading or "", heading or ""), BOLD) if heading else heading)


def _example(line: str, width: int) -> str:
    parts = _EXAMPLE.fullmatch(line)
    if len(line) <= width:
        return line
    if parts is None:
        return _continued(line, width)
    command, gap, words = parts.groups()
    column = len(command + gap)
    if width - column >= NARROWEST:
        return textwrap.fill(words, width, initial_indent=command + gap, subsequent_indent=" " * column)
    below = " " * BELOW
    return f"{_continued(command, width)}\n{textwrap.fill(words, width, initial_indent=below, subsequent_indent=below)}"


def _continued(command: str, width: int) -> str:
    """Broken before options, as a shell takes it."""
    lines = [""]
    for part in re.split(r"(?= --)", command):
        if lines[-1] and len(lines[-1] + part) > width - len(" \\"):
            lines[-1] += " \\"
            lines.append(" " * (BELOW - 1))
        lines[-1] += part
    return "\n".join(lines)
