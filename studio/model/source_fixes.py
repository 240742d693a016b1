"""Edits that make a provider offer what its source promises, where one is at hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches

from studio.model.parts import Endpoint
from studio.model.source_edits import SetProvider
from studio.model.sources import LiveProvider, Source, SourceMode, Specs


@dataclass(frozen=True)
class ProviderFix:
    mode: SourceMode
    port: str
    """Of the source, or one that it does not have."""
    text: str
    edit: SetProvider


def provider_fixes(source: Source, specs: Specs) -> Iterator[ProviderFix]:
    """Ports that lack somebody behind them, and binds of ports that the source does not have."""
    for mode, provider in source.live_providers():
        names = [port.name for port in source.ports]
        for name, inner in provider.binds.items():
            if name not in names:
                yield _of_strange(source, mode, provider, name, inner)
        for port in source.ports:
            if port.name in provider.binds or (port.truth and mode != "simulated"):
                continue
            end = _nearest(provider, specs, port.name, port.direction, port.type)
            if end is not None:
                binds = {**provider.binds, port.name: end}
                edit = SetProvider(source.name, mode, replace(provider, binds=binds))
                yield ProviderFix(mode, port.name, f"Bind {port.name} to {end}", edit)


def fixes_for(source: Source, mode: str, message: str, specs: Specs) -> list[ProviderFix]:
    """Those that belong to a difference as `explain_differences` tells it: they are about a port that it names."""
    words = message.replace(f"{source.name}.", "").replace(";", "").split()
    return [fix for fix in provider_fixes(source, specs) if fix.mode == mode and fix.port in words]


def _of_strange(source: Source, mode: SourceMode, provider: LiveProvider, name: str, inner: Endpoint) -> ProviderFix:
    free = [port.name for port in source.ports if port.name not in provider.binds]
    alike = get_close_matches(name, free, n=1, cutoff=0.6)
    binds = {port: end for port, end in provider.binds.items() if port != name}
    if alike:
        binds[alike[0]] = inner
    text = f"Bind {alike[0]} to {inner} instead" if alike else f"Take {name} away"
    return ProviderFix(mode, name, text, SetProvider(source.name, mode, replace(provider, binds=binds)))


def _nearest(provider: LiveProvider, specs: Specs, name: str, direction: str, type_name: str) -> Endpoint | None:
    """A port of one of its components that fits and is still free: the one that is spelt most alike."""
    taken = set(provider.binds.values())
    found: dict[str, Endpoint] = {}
    for component in provider.components:
        spec = specs.get(component.type)
        for port in spec.ports if spec is not None else ():
            end = Endpoint(component.name, port.name)
            if (port.direction, port.type) == (direction, type_name) and end not in taken:
                found[str(end)] = end
    if len(found) == 1:
        return next(iter(found.values()))
    words = {text.rpartition(".")[2]: end for text, end in found.items()}
    alike = get_close_matches(name, list(words), n=1, cutoff=0.4)
    return words[alike[0]] if alike else None
