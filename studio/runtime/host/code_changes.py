"""Two versions of a module, function by function: which bodies differ, where nothing else does.

Only these can be exchanged in a process that runs. Everything that is computed when the module is imported (classes,
decorators, defaults, imports, constants) counts as changed from the start.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType
from typing import NamedTuple

CALLED_AS_WRITTEN = {"property", "staticmethod", "classmethod", "override", "abstractmethod", "setter"}
"""Decorators whose functions the interpreter itself runs. Others may have compiled, read or kept what they decorate."""
COMPILERS = {"numba", "jit", "njit", "cython", "jax", "torch", "taichi", "triton"}
"""They run functions that were never called."""
_IS_FUNCTION = 0x1
"""Of co_flags, CO_OPTIMIZED: neither a module nor the body of a class."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


class CannotExchange(Exception):
    """Why the new code needs a new process."""


class FunctionPair(NamedTuple):
    name: str
    before: CodeType
    after: CodeType
    differs: bool
    """In more than its line numbers."""


def function_pairs(
    before: bytes, code: CodeType, after: bytes, *, compiles: bool
) -> tuple[CodeType, list[FunctionPair]]:
    """All outermost functions of a module whose source was `before`, with those of `after`; and the code of `after`.

    `compiles`: a module beside it uses a compiler. Raises CannotExchange if more than bodies of functions differs.
    """
    file = code.co_filename
    old, new = ast.parse(before, file), ast.parse(after, file)
    olds, news = list(_functions(old)), list(_functions(new))
    if _frame(old) != _frame(new):
        raise CannotExchange(f"{file}: more than the bodies of functions has changed")
    new_code = compile(after, file, "exec", dont_inherit=True)
    old_codes, new_codes = _codes(code), _codes(new_code)
    pairs = []
    for one, other in zip(olds, news, strict=True):
        differs = ast.dump(ast.Module(one.body, [])) != ast.dump(ast.Module(other.body, []))
        pair = FunctionPair(one.name, _code_of(one, old_codes), _code_of(other, new_codes), differs)
        if differs:
            _refuse_special(one, pair, compiles)
        pairs.append(pair)
    return new_code, pairs


def _refuse_special(function: Function, pair: FunctionPair, compiles: bool) -> None:
    name = pair.before.co_qualname
    if any(_last_name(each) not in CALLED_AS_WRITTEN for each in function.decorator_list):
        raise CannotExchange(f"{name} has changed, and a decorator may have replaced it")
    if compiles and name == function.name:
        raise CannotExchange(f"{name} has changed, and may have been compiled")
    if pair.before.co_freevars != pair.after.co_freevars:
        raise CannotExchange(f"{name} uses other variables from outside")


def _last_name(decorator: ast.expr) -> str:
    return decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")


def _functions(tree: ast.AST) -> Iterator[Function]:
    """The outermost ones, in the order of the source."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, Function):
            yield child
        elif not isinstance(child, ast.Lambda):
            yield from _functions(child)


def _frame(tree: ast.Module) -> str:
    """All of a module but the bodies of its functions."""
    bodies = [(function, function.body) for function in _functions(tree)]
    for function, _ in bodies:
        function.body = []
    try:
        return ast.dump(tree)
    finally:
        for function, body in bodies:
            function.body = body


def uses_compiler(source: bytes) -> bool:
    """Whether it may run functions in another way than the interpreter does."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names):
                found = {alias.name.partition(".")[0] for alias in names}
            case ast.ImportFrom(module=str(module)):
                found = {module.partition(".")[0]}
            case ast.Name(name) | ast.Attribute(attr=name):
                found = {name}
            case _:
                continue
        if not COMPILERS.isdisjoint(found):
            return True
    return False


def _codes(code: CodeType) -> dict[tuple[str, int], CodeType | None]:
    """Name and first line -> code of an outermost function; None where several share these."""
    found: dict[tuple[str, int], CodeType | None] = {}
    for each in code.co_consts:
        if isinstance(each, CodeType) and each.co_flags & _IS_FUNCTION:
            key = (each.co_name, each.co_firstlineno)
            found[key] = None if key in found else each
        elif isinstance(each, CodeType):
            found |= {key: None if key in found else inner for key, inner in _codes(each).items()}
    return found


def _code_of(function: Function, codes: dict[tuple[str, int], CodeType | None]) -> CodeType:
    first = min([function.lineno, *(each.lineno for each in function.decorator_list)])
    found = codes.get((function.name, first))
    if found is None:
        raise CannotExchange(f"line {first}: its code cannot be distinguished from other code")
    return found
