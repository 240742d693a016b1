"""All servers that a person deals with: found, kept under a name, connected."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from studio.runtime.base.clock import SECOND_NS, monotonic_ns, wall_ns
from studio.runtime.gazebo.connections.address import Address, Family, ProfileBook
from studio.runtime.gazebo.connections.finding import Finder, Found
from studio.runtime.gazebo.connections.link import MOST_LINES, Line, Link, Phase
from studio.runtime.gazebo.gz_transport.node import Node

AVAILABLE = "Available"
MOST_SILENT_S = 1.5
"""A heartbeat comes every second; later it is worth being told."""


@dataclass(frozen=True)
class Row:
    """A server in the list."""

    address: Address
    name: str
    phase: str
    """A `Phase`, or AVAILABLE."""
    facts: str
    """What it is and where."""
    words: str
    """What is the matter, or what it has."""
    is_kept: bool


class Connections:
    def __init__(self, book: ProfileBook, node: Callable[[], Node] = Node) -> None:
        self.book = book
        self.links: dict[Address, Link] = {}
        self._by_hand: list[Address] = []
        self._lines: deque[Line] = deque(maxlen=MOST_LINES)
        self.finder = Finder(self._known, lambda address: address in self.links, node)
        if book.trouble:
            self._lines.append(Line(wall_ns(), "saved servers", book.trouble, is_trouble=True))

    # ---- connecting

    def add(self, address: Address) -> None:
        """Entered by hand; it is looked at from now on."""
        if address not in self._by_hand:
            self._by_hand.append(address)
        self.finder.look_now()

    def connect(self, address: Address) -> Link:
        """Raises StudioError where it cannot even be tried. A server that is away is tried until `disconnect`."""
        link = self.links.get(address)
        if link is None:
            link = self.links[address] = Link(address, self._lines.append, self.name_of(address))
        return link

    def disconnect(self, address: Address) -> None:
        link = self.links.pop(address, None)
        if link is not None:
            link.close()
            self._lines.append(Line(wall_ns(), link.name, "disconnected"))
            self.finder.look_now()

    def keep(self, name: str, address: Address) -> None:
        self.book.keep(name, address)
        if address in self.links:
            self.links[address].name = name
        self.finder.look_now()

    def forget(self, address: Address) -> None:
        """It is no longer kept, nor known by hand; a connection stays."""
        self._by_hand = [each for each in self._by_hand if each != address]
        if self.book.named(address):
            self.book.forget(address)

    def say(self, subject: str, words: str, *, is_trouble: bool = False) -> None:
        self._lines.append(Line(wall_ns(), subject, words, is_trouble))

    def close(self) -> None:
        for link in self.links.values():
            link.close()
        self.links.clear()
        self.finder.close()

    # ---- what is shown

    def lines(self) -> list[Line]:
        """The oldest first."""
        return list(self._lines)

    def rows(self) -> list[Row]:
        """Kept ones after those that were found."""
        found = self.finder.found()
        now_ns = monotonic_ns()
        here = [address for address, each in found.items() if not each.why_not]
        addresses = dict.fromkeys([*here, *self.links, *self._known()])
        rows = [self._row(each, found.get(each), now_ns) for each in addresses]
        return sorted(rows, key=lambda row: (row.is_kept, row.address.family, row.name, row.address))

    def name_of(self, address: Address) -> str:
        if name := self.book.named(address):
            return name
        if address.family is Family.MODERN:
            return address.world
        link = self.links.get(address)
        if link is not None and link.name != str(address):
            return link.name
        known = self.finder.found().get(address)
        worlds = known.worlds if known is not None else ()
        return worlds[0] if worlds else str(address)

    def _known(self) -> list[Address]:
        return [*self._by_hand, *(each.address for each in self.book.all())]

    def _row(self, address: Address, found: Found | None, now_ns: int) -> Row:
        link = self.links.get(address)
        version = f" {found.version}" if found is not None and address.family is Family.CLASSIC else ""
        facts = address.words.replace("classic", f"classic{version}".rstrip(), 1)
        name, is_kept = self.name_of(address), bool(self.book.named(address))
        if link is not None:
            return Row(address, name, link.state.phase, facts, _link_words(link, now_ns), is_kept)
        if found is None or found.why_not:
            why = found.why_not if found is not None else _unseen(address)
            return Row(address, name, Phase.LOST, facts, why, is_kept)
        return Row(address, name, AVAILABLE, facts, _found_words(found, now_ns), is_kept)


def _unseen(address: Address) -> str:
    return "not seen by discovery" if address.family is Family.MODERN else "not checked yet"


def _found_words(found: Found, now_ns: int) -> str:
    if found.twins > 1:
        return f"{found.twins} servers answer: give each its own GZ_PARTITION"
    world = f"world {', '.join(found.worlds)}" if found.worlds else "no world yet"
    silent_s = (now_ns - found.heard_ns) / SECOND_NS
    late = found.address.family is Family.MODERN and silent_s > MOST_SILENT_S
    return f"no heartbeat for {silent_s:.0f} s" if late else world


def _link_words(link: Link, now_ns: int) -> str:
    state = link.state
    if state.phase is Phase.CONNECTED:
        return f"world {', '.join(link.worlds())} · {len(link.topics())} topics"
    if state.phase is Phase.CONNECTING:
        return "connecting…"
    away_s = (now_ns - state.since_ns) / SECOND_NS
    seconds = link.next_try_s()
    soon = "" if seconds is None else f", trying again in {seconds:.0f} s" if seconds >= 0.5 else ", trying again"
    return f"{state.reason}, for {away_s:.0f} s{soon}" if state.phase is Phase.RECONNECTING else f"{state.reason}{soon}"
