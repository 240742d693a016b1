"""The methods of a component that Studio calls by name: one that is misspelt would never be called, so it is refused.

A class without ports and services is a base for others: what it handles is checked in the classes that declare them.
Names that a base outside the components knows (a callback of some library) are that library's business.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from types import FunctionType

from studio.model.close_matches import did_you_mean
from studio.model.spec import SpecError

HANDLER = "on_"
SERVICE = "serve_"


def check_handlers(cls: type, root: type, in_ports: Collection[str], provided: Collection[str]) -> None:
    """Refuse what `cls`, a component class under `root`, cannot mean."""
    hooks = [name for name in vars(root) if name.startswith(HANDLER)]
    _refuse_ports_like_hooks(cls, in_ports, hooks)
    handlers = [*(HANDLER + port for port in in_ports), *hooks]
    servers = [SERVICE + service for service in provided]
    for name, function in _methods(cls, root):
        if name.startswith(HANDLER) and name not in handlers:
            raise _stray(cls, name, function, "it has no in port", did_you_mean(name, handlers))
        if name.startswith(SERVICE) and name not in servers:
            hint = did_you_mean(name, servers) or f"declare it: {name.removeprefix(SERVICE)} = ProvidedService(...)"
            raise _stray(cls, name, function, "it provides no service", hint)
    for server in servers:
        if not callable(getattr(cls, server, None)):
            message = f"{cls.__name__} provides {server.removeprefix(SERVICE)}, but has no {server}"
            raise SpecError(message, hint=f"write: def {server}(self, request)")


def _refuse_ports_like_hooks(cls: type, in_ports: Collection[str], hooks: Collection[str]) -> None:
    for port in in_ports:
        if HANDLER + port in hooks:
            message = (
                f"{cls.__name__}: an in port cannot be called {port}: {HANDLER}{port} is reserved for something else"
            )
            raise SpecError(message, hint=f"e.g. {port}_in")


def _methods(cls: type, root: type) -> Iterator[tuple[str, FunctionType]]:
    """Methods of `cls` and its bases under `root`, but for those that override one of another base."""
    foreign = {name for base in cls.__mro__ if not issubclass(base, root) or base is root for name in vars(base)}
    for base in cls.__mro__:
        if issubclass(base, root) and base is not root:
            for name, value in vars(base).items():
                function = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
                if name not in foreign and isinstance(function, FunctionType):
                    yield name, function


def _stray(cls: type, name: str, function: FunctionType, lacks: str, hint: str) -> SpecError:
    what = name.partition("_")[2]
    code = function.__code__
    message = f"{cls.__name__}.{name} is never called: {lacks} {what}"
    return SpecError(message, file=code.co_filename, line=code.co_firstlineno, hint=hint)
