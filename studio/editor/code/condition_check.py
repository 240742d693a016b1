"""Conditions of breakpoints, checked while they are typed: their syntax, and names that the code does not have. No Qt.

Only what can be known for certain is said: a class with a base from elsewhere may have any attribute.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import studio.messages
from studio.editor.code.breakpoint_book import Breakpoint
from studio.messages.field_paths import shown_by
from studio.messages.message import Message
from studio.model.close_matches import did_you_mean
from studio.runtime.actuator import Actuator
from studio.runtime.component import Component

BASES = {"Component": Component, "Actuator": Actuator}
_HITS = re.compile(r"\s*(==|<=|>=|<|>|%)?\s*\d+\s*")
_TYPED = re.compile(r"[A-Za-z_][\w.]*$")
_NAMED = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Scope:
    """What a condition in a line of a file can use."""

    names: set[str] = field(default_factory=set)
    """Of the function first of all."""
    others: set[str] = field(default_factory=set)
    """Of the file."""
    attributes: dict[str, set[str]] = field(default_factory=dict)
    """Of `self`, and of messages: all there are."""
    fields: dict[str, list[str]] = field(default_factory=dict)
    """Of messages: what is worth naming of their attributes."""
    types: dict[str, str] = field(default_factory=dict)
    is_known: bool = True
    """Whether there can be no other names."""

    def completions(self, before: str) -> tuple[str, list[str]]:
        """The word that is being typed at the end of `before`, and what it may become."""
        found = _TYPED.search(before)
        if found is None:
            return "", []
        owner, dot, word = found[0].rpartition(".")
        names = self.of(owner) if dot else [*sorted(self.names), *sorted(self.others - self.names)]
        is_private = word.startswith("_")
        fitting = [name for name in names if name.lower().startswith(word.lower()) and name != word]
        return word, [name for name in fitting if is_private or not name.startswith("_")]

    def of(self, owner: str) -> list[str]:
        """The attributes of a name, as far as they are known."""
        return self.fields.get(owner) or sorted(self.attributes.get(owner, ()))


def scope_at(text: str, line: int) -> Scope:
    """Of a line of Python; a file that cannot be read has a scope of which nothing is known."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return Scope(is_known=False)
    scope = Scope(others=_bound(tree.body, _of_file))
    scope.is_known = "*" not in scope.others
    inside: ast.ClassDef | None = None
    for node in _around(tree, line):
        if isinstance(node, ast.ClassDef):
            inside = node
        elif isinstance(node, Function):
            scope.names |= _bound([node.args, *node.body])
            if inside is not None and node.args.args and node.args.args[0].arg == "self":
                _add_self(scope, tree, inside)
                _add_messages(scope, tree, inside, node)
                inside = None
    return scope


def condition_problem(text: str, scope: Scope) -> str:
    """What is wrong with a condition; nothing if it is fine, as far as that is known."""
    if not text.strip():
        return ""
    if syntax := syntax_problem(text):
        return syntax
    tree = ast.parse(text.strip(), mode="eval")
    own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    known = scope.names | scope.others | own
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and scope.is_known and node.id not in known and not hasattr(builtins, node.id):
            return _nothing_called(node.id, f"There is no {node.id} here", sorted(scope.names))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = node.value.id
            if owner in scope.attributes and owner not in own and node.attr not in scope.attributes[owner]:
                what = scope.types.get(owner, owner)
                public = [name for name in scope.of(owner) if not name.startswith("_")]
                return _nothing_called(node.attr, f"{what} has no {node.attr}", public)
    return ""


def syntax_problem(text: str) -> str:
    """Of an expression."""
    try:
        ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError) as error:
        words = error.msg if isinstance(error, SyntaxError) else str(error)
        return f"Syntax error: {words}"
    return ""


def hits_problem(text: str) -> str:
    return "" if not text.strip() or _HITS.fullmatch(text) else "A hit count is a number: 5, >= 5, or % 10"


def log_problem(text: str, scope: Scope | None = None) -> str:
    """Of what a log point says, with expressions in braces."""
    depth, begin = 0, 0
    for place, letter in enumerate(text):
        if letter == "{":
            depth += 1
            begin = place + 1 if depth == 1 else begin
        elif letter == "}" and depth:
            depth -= 1
            if not depth:
                inner = text[begin:place]
                problem = condition_problem(inner, scope or Scope(is_known=False)) if inner.strip() else ""
                if problem:
                    return problem
    return "Syntax error: '{' was never closed" if depth else ""


def unreadable(condition: str, hits: str, log: str) -> str:
    """Why a breakpoint with these can never stop or say anything."""
    return (syntax_problem(condition) if condition.strip() else "") or hits_problem(hits) or log_problem(log)


def names_problem(point: Breakpoint) -> str:
    """What a breakpoint names that its file does not have, as far as that is known: it would never stop."""
    file = Path(point.file)
    if not (point.condition or point.log) or file.suffix != ".py":
        return ""
    try:
        scope = _scope_in(file, file.stat().st_mtime_ns, point.line)
    except OSError:
        return ""
    return condition_problem(point.condition, scope) or log_problem(point.log, scope)


@lru_cache(maxsize=64)
def _scope_in(file: Path, _saved_ns: int, line: int) -> Scope:
    return scope_at(file.read_text(encoding="utf-8", errors="replace"), line)


def _nothing_called(name: str, words: str, known: Iterable[str]) -> str:
    hint = did_you_mean(name, known)
    return f"{words}: {hint}" if hint else words


# ---- reading code


def _around(node: ast.AST, line: int) -> Iterator[ast.AST]:
    """Classes and functions around a line, the outermost first."""
    for child in ast.iter_child_nodes(node):
        first, last = getattr(child, "lineno", 0), getattr(child, "end_lineno", 0) or 0
        if first <= line <= last:
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield child
            yield from _around(child, line)


def _bound(nodes: Iterable[ast.AST], walk: Callable[[ast.AST], Iterable[ast.AST]] | None = None) -> set[str]:
    """Names that get a value somewhere within, also in functions within: rather one too many than one missing."""
    found: set[str] = set()
    for node in (each for top in nodes for each in (walk or ast.walk)(top)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, _NAMED) and node.name:
            found.add(node.name)
    return found


def _of_file(node: ast.AST) -> Iterator[ast.AST]:
    """Without what is within functions and classes."""
    yield node
    if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        for child in ast.iter_child_nodes(node):
            yield from _of_file(child)


def _add_self(scope: Scope, tree: ast.Module, owner: ast.ClassDef) -> None:
    """All attributes of `self`, if all its bases are known."""
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    found: set[str] = set()
    waiting = [owner]
    while waiting:
        node = waiting.pop()
        found |= _attributes(node)
        for base in node.bases:
            name = base.id if isinstance(base, ast.Name) else ""
            if name in classes and classes[name] is not node:
                waiting.append(classes[name])
            elif name in BASES:
                found |= {*dir(BASES[name]), *BASES[name].__annotations__, *Component.__annotations__}
            else:
                return
    scope.attributes["self"] = found


def _attributes(owner: ast.ClassDef) -> set[str]:
    found = set()
    for node in owner.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        else:
            found |= _bound([node])
    for each in ast.walk(owner):
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "self":
            found.add(each.attr)
    return found


def _add_messages(scope: Scope, tree: ast.Module, owner: ast.ClassDef, function: Function) -> None:
    """Arguments that are messages of Studio, by their annotation or by the port that the handler is of."""
    ports = _ports(owner)
    own = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    for place, argument in enumerate(function.args.args[1:]):
        name = argument.annotation.id if isinstance(argument.annotation, ast.Name) else ""
        if not name and place == 0 and argument.annotation is None:
            name = ports.get(function.name.removeprefix("on_"), "")
        kind = getattr(studio.messages, name, None) if name and name not in own else None
        if isinstance(kind, type) and issubclass(kind, Message):
            scope.attributes[argument.arg] = {*dir(kind), *shown_by(kind)}
            scope.fields[argument.arg] = list(shown_by(kind))
            scope.types[argument.arg] = name


def _ports(owner: ast.ClassDef) -> dict[str, str]:
    found = {}
    for node in owner.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Call):
            function, arguments = node.value.func, node.value.args
            if isinstance(function, ast.Name) and function.id == "InPort" and arguments:
                found[node.targets[0].id] = arguments[0].id if isinstance(arguments[0], ast.Name) else ""
    return found
