"""Every text that a user can read, with its place: `python -m tools.user_strings --help`."""

from __future__ import annotations

import argparse
import ast
import random
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from tools.plain_words import faults

ROOT = Path(__file__).resolve().parent.parent
CODE = ("studio", "components", "projects")
NOT_SHOWN = {"compile", "match", "search", "fullmatch", "sub", "findall", "finditer", "getenv", "execute"}
"""Functions whose texts are patterns and names."""
LABELS = {
    *("setText", "setToolTip", "setStatusTip", "setWhatsThis", "setWindowTitle", "setTitle", "setPlaceholderText"),
    *("addAction", "addMenu", "addTab", "addItem", "addRow", "addButton", "setTabText", "setAccessibleName"),
    *("setLabelText", "setHeaderLabels", "QLabel", "QPushButton", "QToolButton", "QCheckBox", "QRadioButton"),
    *("QGroupBox", "QAction", "QMenu", "Action"),
}
"""Calls whose texts are shown even if they are a single word."""
PROSE = re.compile(r"[A-Za-z]{2,}[,;:.…]? +\S*[A-Za-z]")
WORD = re.compile(r"[A-Za-z]{2,}")
NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+")
"""Of an action or a file, not a text."""


@dataclass(frozen=True)
class UserString:
    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {' '.join(self.text.split())}"


def text_of(node: ast.expr) -> str | None:
    """A text as it is shown: `{}` for each value that it is given, and both branches of a choice."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join("{}" if isinstance(part, ast.FormattedValue) else str(text_of(part)) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left), text_of(node.right)
        return None if left is None and right is None else (left or "{}") + (right or "{}")
    return None


def paragraphs(whole: UserString) -> list[UserString]:
    """Of the examples of a command each line, of a longer text each paragraph."""
    parts = (
        whole.text.splitlines()
        if whole.text.lstrip().startswith(("examples:", "studio "))
        else whole.text.split("\n\n")
    )
    return [UserString(whole.file, whole.line, part) for part in parts if WORD.search(part)]


class _Collector(ast.NodeVisitor):
    def __init__(self, file: str) -> None:
        self.found: list[UserString] = []
        self._file = file
        self._shown = False
        """Inside a call that shows its text, so that one word is enough."""
        self._of_components = not file.startswith("studio/")

    def visit(self, node: ast.AST) -> None:
        text = text_of(node) if isinstance(node, ast.expr) else None
        if text is None:
            super().visit(node)
            return
        if PROSE.search(text) or (self._shown and WORD.search(text) and not NAME.fullmatch(text)):
            self.found += paragraphs(UserString(self._file, node.lineno, text))  # type: ignore[attr-defined]
        if not isinstance(node, ast.Constant):  # a value may itself be chosen from texts
            for part in ast.walk(node):
                if isinstance(part, ast.FormattedValue):
                    self.generic_visit(part)

    def visit_Expr(self, node: ast.Expr) -> None:
        """Docstrings are for those who read the code."""
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        shown = self._of_components and node.bases and not node.decorator_list
        if shown and (doc := ast.get_docstring(node)):  # the library shows it
            self.found += paragraphs(UserString(self._file, node.body[0].lineno, doc))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in NOT_SHOWN:
            return
        before, self._shown = self._shown, name in LABELS
        self.generic_visit(node)
        self._shown = before

    def visit_Compare(self, node: ast.Compare) -> None:
        """What is compared is shown elsewhere."""


def in_code(file: str, source: str) -> list[UserString]:
    collector = _Collector(file)
    collector.visit(ast.parse(source))
    return collector.found


def in_page(file: str, source: str) -> Iterator[UserString]:
    """Paragraphs as a whole, because sentences continue in the next line; each row of a table or example alone."""
    paragraph: list[str] = []
    began, fenced = 1, False
    for number, line in enumerate([*source.splitlines(), ""], 1):
        fenced ^= line.lstrip().startswith("```")
        alone = fenced or line.startswith(("|", "#", "    "))
        if paragraph and (alone or not line.strip() or re.match(r"\s*(-|\d+\.) ", line)):
            if WORD.search(whole := " ".join(paragraph)):
                yield UserString(file, began, whole)
            paragraph = []
        if alone and WORD.search(line):
            yield UserString(file, number, line.strip())
        elif line.strip() and not alone:
            began = began if paragraph else number
            paragraph.append(line.strip())


def in_xml(file: str, source: str) -> Iterator[UserString]:
    """What elements contain, and attributes that are sentences."""
    for element in ET.fromstring(source).iter():  # noqa: S314 - our own files
        for text in (element.text, element.tail, *element.attrib.values()):
            if text and PROSE.search(text):
                tidy = " ".join(text.split())
                yield UserString(file, source[: source.find(tidy.split(" ")[0])].count("\n") + 1, tidy)


def in_lines(file: str, source: str, pattern: str) -> Iterator[UserString]:
    for number, line in enumerate(source.splitlines(), 1):
        for found in re.finditer(pattern, line):
            if PROSE.search(found[1]):
                yield UserString(file, number, found[1])


def strings_of(file: str) -> Iterable[UserString]:
    path = Path(file)
    if not (ROOT / file).is_file() or path.name.startswith(("test_", "conftest")) or "corpus" in path.parts:
        return ()
    if path.suffix not in {".py", ".md", ".xml", ".c", ".h"} and path.name != "Makefile":
        return ()
    source = (ROOT / file).read_text(encoding="utf-8")
    if path.suffix == ".py":
        return in_code(file, source) if path.parts[0] in CODE else ()
    if path.suffix == ".md":
        return in_page(file, source)
    if path.suffix == ".xml":
        return in_xml(file, source)
    if path.name == "Makefile":
        return in_lines(file, source, r"## +(.*)")
    return in_lines(file, source, r'"((?:[^"\\]|\\.)*)"')


def collect(folders: Iterable[str] = ()) -> list[UserString]:
    """From what git keeps: a project may hold recordings and programs that were built."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *folders]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    shipped = [file for file in listed if not file.startswith(("tests/", "bench/", "tools/"))]
    return [each for file in shipped for each in strings_of(file)]


def main() -> None:
    parser = argparse.ArgumentParser(description="List every text that a user can read, with its place.")
    parser.add_argument("folders", nargs="*", help="only files below these folders")
    parser.add_argument("--banned", action="store_true", help="only texts with banned words")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of them, at random")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample (default: 0)")
    options = parser.parse_args()
    strings = collect(options.folders)
    if options.banned:
        strings = [each for each in strings if faults(each.text)]
    if options.sample:
        strings = random.Random(options.seed).sample(strings, min(options.sample, len(strings)))
    for each in strings:
        found = "; ".join(faults(each.text)) if options.banned else ""
        print(f"{each}  [{found}]" if found else str(each))
    print(f"{len(strings)} texts")


if __name__ == "__main__":
    main()
