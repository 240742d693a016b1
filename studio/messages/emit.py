"""Lines of Python in the making: what the encoder's and the decoder's generator share."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from studio.messages.position import Position

_serial = count(1)


class Emitter:
    """Collects lines, hands out fresh names, and compiles the result. `constants` are what the lines may refer to."""

    def __init__(self, constants: dict[str, Any]) -> None:
        self.constants = dict(constants)
        self.lines: list[str] = []
        self.at = Position()
        self._depth = 1
        self._names = count(1)

    def line(self, text: str) -> None:
        self.lines.append("    " * self._depth + text)

    @contextmanager
    def indented(self) -> Iterator[None]:
        self._depth += 1
        yield
        self._depth -= 1

    def fresh(self, prefix: str) -> str:
        return f"{prefix}{next(self._names)}"

    def constant(self, value: Any, prefix: str) -> str:
        name = self.fresh(prefix)
        self.constants[name] = value
        return name

    def settle(self) -> str:
        """Put the current position into a variable and return its name (or the number, when it is known)."""
        if not self.at.base and self.at.multiple == 8:
            return str(self.at)
        name = self.fresh("p")
        self.line(f"{name} = {self.at}")
        self.at = Position(name, 0, self.at.alignment)
        return name

    def function(self, head: str, title: str) -> Callable[..., Any]:
        """Compile `def <head>:` with the collected lines. The source shows up in tracebacks and debuggers."""
        source = "\n".join([f"def {head}:", *self.lines, ""])
        file = f"<studio codec {next(_serial)}: {title}>"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        space = dict(self.constants)
        exec(compile(source, file, "exec"), space)  # noqa: S102 - names in it are checked identifiers of classes and schemas
        function: Callable[..., Any] = space[head.split("(")[0]]
        return function
