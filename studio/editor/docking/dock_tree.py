"""Where panels are, as a plain value: splits, areas of tabs, sizes. Several changes to it become one of the window.

The docking library writes the places of all panels as XML and reads them again. Each panel that it moves is styled and
laid out anew, several times, so a layout that moves a dozen panels one by one halts the window. Here they are moved in
the XML, which costs nothing, and the library is given the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lxml import etree

from studio.model.xml_file import FileError, parse_hardened

ROOT, AREA, SPLIT, PANEL, SIZES = "QtAdvancedDockingSystem", "Area", "Splitter", "Widget", "Sizes"
ROWS, COLUMNS = "-", "|"
SIDES = {"left": (COLUMNS, 0), "right": (COLUMNS, 1), "top": (ROWS, 0), "bottom": (ROWS, 1)}
"""How a split goes, and whether the new part comes before the other or behind it."""
TAB = "tab"
FIRST_KEEPS = 0.58
"""Of two that share a place, what was there first keeps the larger part."""


class DockTree:
    def __init__(self, state: bytes) -> None:
        """Of what the library has saved, not compressed; ValueError if it is nothing of the kind."""
        try:
            self.root = parse_hardened(state)
        except FileError as error:
            raise ValueError(str(error)) from error
        if self.root.tag != ROOT or self.root.find(f".//{AREA}") is None:
            raise ValueError("not a layout of panels")

    def to_bytes(self) -> bytes:
        return etree.tostring(self.root, xml_declaration=True, encoding="UTF-8").replace(b"'", b'"', 6)

    # ---- what there is

    def names(self) -> list[str]:
        return [str(panel.get("Name")) for panel in self.root.iter(PANEL)]

    def has(self, name: str) -> bool:
        return self._panel(name) is not None

    def is_closed(self, name: str) -> bool:
        panel = self._panel(name)
        return panel is None or _is_closed(panel)

    def is_in_front(self, name: str) -> bool:
        return not self.is_closed(name) and self._area(name).get("Current") == name

    # ---- changes

    def place(self, name: str, side: str, *, beside: str) -> None:
        """Open a panel at a side of another, or as a tab in front of it."""
        target = self._area(beside)
        panel = self._take(name, but_not=target)
        area = target if side == TAB else self._new_area(target, side)
        area.append(panel)
        area.set("Tabs", str(len(area)))
        self.show(name)

    def show(self, name: str) -> None:
        """Open a panel, in front of those that share its place."""
        panel = self._panel(name)
        assert panel is not None, f"no panel {name}"
        panel.set("Closed", "0")
        self._area(name).set("Current", name)

    def front_beside(self, name: str) -> str:
        """The panel in front of those that share this one's place."""
        return self._area(name).get("Current") or name

    def open(self, name: str) -> None:
        """Open a panel; one that lies over it stays there."""
        if self.is_closed(name):
            self.show(name)

    def hide(self, name: str) -> None:
        panel = self._panel(name)
        if panel is None:
            return
        panel.set("Closed", "1")
        area = self._area(name)
        if area.get("Current") == name:
            area.set("Current", next((str(tab.get("Name")) for tab in area if not _is_closed(tab)), ""))

    def keep_closed(self, name: str, *, beside: str) -> None:
        """A panel that has no place yet gets one, in which it is opened when it is wanted."""
        area = self._area(beside)
        etree.SubElement(area, PANEL, {"Name": name, "Closed": "1"})
        area.set("Tabs", str(len(area)))

    # ---- sizes

    def set_sizes(self, name: str, sizes: Sequence[int]) -> None:
        """Of the parts of the split around a panel, if it has as many."""
        split = self._split(self._area(name))
        if split is not None and len(sizes) == len(_parts(split)):
            _write_sizes(split, sizes)

    def set_shares(self, name: str, shares: Sequence[int]) -> None:
        """Of the split around a panel, for those of its parts that can be seen; the others keep nothing."""
        split = self._split(self._area(name))
        if split is None:
            return
        whole, wanted = max(1000, sum(_sizes(split))), iter(shares)
        parts = [next(wanted, 0) if _is_seen(part) else 0 for part in _parts(split)]
        _write_sizes(split, [whole * part // max(1, sum(parts)) for part in parts])

    def set_columns(self, name: str, left: int, right: int, width: int) -> None:
        """Of the outermost split around a panel, if three of its parts can be seen."""
        split, outer = None, self._split(self._area(name))
        while outer is not None:
            split, outer = outer, self._split(outer)
        parts = _parts(split) if split is not None else []
        if split is None or sum(map(_is_seen, parts)) != 3:
            return
        wanted = iter((left, max(1, width - left - right), right))
        _write_sizes(split, [next(wanted) if _is_seen(part) else 0 for part in parts])

    # ---- inside

    def _panel(self, name: str) -> etree._Element | None:
        return next((panel for panel in self.root.iter(PANEL) if panel.get("Name") == name), None)

    def _area(self, name: str) -> etree._Element:
        panel = self._panel(name)
        area = panel.getparent() if panel is not None else None
        assert area is not None, f"no panel {name}"
        return area

    def _split(self, part: etree._Element) -> etree._Element | None:
        parent = part.getparent()
        return parent if parent is not None and parent.tag == SPLIT else None

    def _take(self, name: str, *, but_not: etree._Element) -> etree._Element:
        """Out of its area, which goes with the last panel in it unless it is needed."""
        panel = self._panel(name)
        if panel is None:
            return etree.Element(PANEL, {"Name": name, "Closed": "0"})
        area = self._area(name)
        self.hide(name)
        area.remove(panel)
        area.set("Tabs", str(len(area)))
        if not len(area) and area is not but_not:
            self._remove(area)
        return panel

    def _remove(self, part: etree._Element) -> None:
        """A split with one part left is no split any more, except for the outermost."""
        split = self._split(part)
        if split is None:
            return
        sizes = _sizes(split)
        place = _parts(split).index(part)
        split.remove(part)
        gone = sizes.pop(place) if place < len(sizes) else 0
        if sizes:
            sizes[max(0, place - 1)] += gone
        _write_sizes(split, sizes)
        around = self._split(split)
        if len(_parts(split)) == 1 and around is not None:
            around.replace(split, _parts(split)[0])
            self._join(around)

    def _join(self, split: etree._Element) -> None:
        """A split that has come directly into one of the same kind is a part of it."""
        for place, part in enumerate(_parts(split)):
            if part.tag == SPLIT and part.get("Orientation") == split.get("Orientation"):
                sizes, own = _sizes(split), _sizes(part)
                room = sizes[place] if place < len(sizes) else sum(own)
                own = [size * room // max(1, sum(own)) for size in own]
                for inner in reversed(_parts(part)):
                    split.insert(place + 1, inner)
                split.remove(part)
                _write_sizes(split, [*sizes[:place], *own, *sizes[place + 1 :]])
                return

    def _new_area(self, target: etree._Element, side: str) -> etree._Element:
        way, offset = SIDES[side]
        area = etree.Element(AREA, {"Tabs": "0", "Current": ""})
        split = self._split(target)
        assert split is not None, "the outermost part is a split"
        if len(_parts(split)) == 1:
            split.set("Orientation", way)
        if split.get("Orientation") != way:
            split = _split_around(target, split, way)
        sizes, place = _sizes(split), _parts(split).index(target)
        room = sizes[place] if place < len(sizes) else 1000
        shared = [round(room * FIRST_KEEPS), room - round(room * FIRST_KEEPS)]
        split.insert(place + offset, area)
        _write_sizes(split, [*sizes[:place], *(shared if offset else shared[::-1]), *sizes[place + 1 :]])
        return area


def _split_around(target: etree._Element, split: etree._Element, way: str) -> etree._Element:
    """A split in the place of a part, with that part in it."""
    inner = etree.Element(SPLIT, {"Orientation": way, "Count": "1"})
    split.replace(target, inner)
    inner.append(target)
    _write_sizes(inner, [1000])
    return inner


def _parts(split: etree._Element) -> list[etree._Element]:
    return [part for part in split if part.tag != SIZES]


def _sizes(split: etree._Element) -> list[int]:
    return [int(word) for word in (split.findtext(SIZES) or "").split()]


def _write_sizes(split: etree._Element, sizes: Sequence[int]) -> None:
    """They come last; how many parts there are is told with them."""
    for old in split.findall(SIZES):
        split.remove(old)
    etree.SubElement(split, SIZES).text = "".join(f"{size} " for size in sizes)
    split.set("Count", str(len(_parts(split))))


def _is_closed(panel: etree._Element) -> bool:
    return panel.get("Closed") == "1"


def _is_seen(part: etree._Element) -> bool:
    return any(not _is_closed(panel) for panel in _panels(part))


def _panels(part: etree._Element) -> Iterator[etree._Element]:
    return part.iter(PANEL)
