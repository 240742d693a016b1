"""Bring XML text to what a model says, touching nothing else.

`reconcile(written, wanted, rule)` is a pure function: from the bytes as they were read and the records that should be
in them it makes the bytes to save. Comments, unknown elements and attributes, quotes, indentation and order stay; what
did not change is not rewritten, so that no change gives the same bytes and a one-line change a one-line diff.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest

from studio.model.xml_text import (
    Span,
    attribute,
    edit_start_tag,
    escape_text,
    last_line,
    parse_spans,
    same,
    split_line,
)
from studio.model.xml_tree import XmlNode

_SPACE = b" \t\r\n"


@dataclass(frozen=True)
class Rule:
    """What is known about an element. Everything that no rule mentions is kept as it is."""

    tag: str
    key: tuple[str, ...] = ()
    """The attributes that tell siblings apart, for records not read from an element; none if there is only one."""
    attributes: Mapping[str, Callable[[str], object]] = field(default_factory=dict)
    """In the order in which they are written, with how to compare them: `str`, `float`, ..."""
    children: tuple[Rule, ...] = ()
    """In the order in which the first of each is put into a file."""
    group: str = ""
    """Siblings of one group keep the order of the records; between groups the order of the file is left alone."""
    text: bool = False
    meaning: Callable[[str], object] = str
    """How to compare two texts: by the numbers in them, for example."""

    @cached_property
    def by_tag(self) -> dict[str, Rule]:
        return {rule.tag: rule for rule in self.children}

    @cached_property
    def groups(self) -> list[str]:
        return list(dict.fromkeys(rule.order for rule in self.children))

    @property
    def order(self) -> str:
        return self.group or self.tag


def reconcile(written: bytes, wanted: XmlNode, rule: Rule) -> bytes:
    """`written` with the known parts of its root element as `wanted`."""
    spans = parse_spans(written)
    root = spans[0]
    editor = _Editor(written, spans)
    return written[: root.start] + editor.rewrite(root, wanted, rule, b"") + written[root.end :]


@dataclass
class _Entry:
    """A child element in the making, with what stands before it."""

    rule: Rule | None
    lead: bytes
    body: bytes
    followers: list[_Entry] = field(default_factory=list)
    """New and moved elements that go right behind it."""


class _Editor:
    def __init__(self, data: bytes, spans: list[Span]) -> None:
        self.data = data
        self.spans = spans
        end = data.find(b"\n")
        self.newline = b"\r\n" if end > 0 and data[end - 1 : end] == b"\r" else b"\n"
        self.unit = self._indentation_of_first_child() or b"  "

    def _indentation_of_first_child(self) -> bytes:
        root = self.spans[0]
        if not root.children:
            return b""
        return (last_line(self.data[root.inner_start : root.children[0].start]) or b"").strip(b"\r\n")

    def rewrite(self, span: Span, wanted: XmlNode, rule: Rule, indent: bytes) -> bytes:
        """The bytes of `span` as `wanted`. `indent` is that of its own line."""
        tag = self.data[span.start : span.inner_start]
        new_tag = edit_start_tag(tag, span.attributes, wanted.attributes, rule.attributes)
        content = self.data[span.inner_start : span.inner_end]
        if rule.text:
            new_content = self._text(span, content, wanted.text, rule.meaning)
        elif not rule.children:
            new_content = content
        else:
            new_content = self._children(span, wanted, rule, indent)
        if new_content == content:
            return new_tag + self.data[span.inner_start : span.end]
        return self._join(span, new_tag, new_content)

    def _join(self, span: Span, tag: bytes, content: bytes) -> bytes:
        """An element that has lost all its content closes itself; one that gets its first is opened."""
        is_closed = tag.endswith(b"/>")
        if not content.strip(_SPACE):
            return tag if is_closed else tag[:-1] + b"/>"
        if not is_closed:
            return tag + content + self.data[span.inner_end : span.end]
        name = tag[1:].split(None, 1)[0].rstrip(b"/>")
        return tag[:-2].rstrip(_SPACE) + b">" + content + b"</" + name + b">"

    def _text(self, span: Span, content: bytes, text: str, meaning: Callable[[str], object]) -> bytes:
        """White space around the old text, which has no meaning, stays around the new one."""
        if same(span.text.strip(" \t\r\n"), text.strip(" \t\r\n"), meaning):
            return content
        before = content[: len(content) - len(content.lstrip(_SPACE))]
        after = content[len(content.rstrip(_SPACE)) :] if content.strip(_SPACE) else b""
        return before + escape_text(text, self.newline) + after

    # ---- children

    def _children(self, span: Span, wanted: XmlNode, rule: Rule, indent: bytes) -> bytes:
        matches = self._match(span, wanted, rule)
        stay = self._staying(span, wanted, rule, matches)
        entries, tail, by_span = self._kept_entries(span, rule, matches, stay, indent)
        if len(stay) < len(wanted.children):
            entries_of_nodes = {id(matches[start]): by_span[start] for start in stay}
            self._add_missing(wanted, rule, entries, entries_of_nodes, matches, indent)
        return self._lay_out(entries, tail, indent)

    def _match(self, span: Span, wanted: XmlNode, rule: Rule) -> dict[int, XmlNode]:
        """Start of each old child that lives on: its record. By the element it was read from, else by key."""
        known = {child.start: child for child in span.children if child.tag in rule.by_tag}
        matches: dict[int, XmlNode] = {}
        strangers = []
        for node in wanted.children:
            old = self.spans[node.element] if node.element is not None and node.element < len(self.spans) else None
            if old is not None and old.start in known and known[old.start].tag == node.tag and old.start not in matches:
                matches[old.start] = node
            else:
                strangers.append(node)
        by_key: dict[object, list[int]] = {}
        for start, child in known.items():
            if start not in matches:
                by_key.setdefault(_key(rule.by_tag[child.tag], child.tag, child.attributes), []).append(start)
        for node in strangers:
            free = by_key.get(_key(rule.by_tag[node.tag], node.tag, node.attributes))
            if free:
                matches[free.pop(0)] = node
        return matches

    def _staying(self, span: Span, wanted: XmlNode, rule: Rule, matches: Mapping[int, XmlNode]) -> set[int]:
        """Starts of the children that need not move: in each group the longest run that is in the wanted order."""
        place = {id(node): start for start, node in matches.items()}
        stay: set[int] = set()
        for group in rule.groups:
            starts = [
                place[id(node)]
                for node in wanted.children
                if id(node) in place and rule.by_tag[node.tag].order == group
            ]
            stay.update(_longest_increasing(starts))
        return stay

    def _kept_entries(
        self, span: Span, rule: Rule, matches: Mapping[int, XmlNode], stay: set[int], indent: bytes
    ) -> tuple[list[_Entry], bytes, dict[int, _Entry]]:
        """The head of the content, then the children that stay; what belongs to nobody any more goes with its line."""
        entries = [_Entry(None, b"", b"")]
        by_span: dict[int, _Entry] = {}
        place, carried = span.inner_start, b""
        for child, following in zip_longest(span.children, span.children[1:]):
            lead = carried + self.data[place : child.start]
            place, carried = child.end, b""
            child_rule = rule.by_tag.get(child.tag)
            if child_rule is not None and child.start not in stay:
                gap = self.data[child.end : following.start if following else span.inner_end]
                carried, dropped = _without_element(lead, gap, is_last=following is None)
                place += dropped
                continue
            body = self.data[child.start : child.end]
            if child_rule is not None:
                body = self.rewrite(child, matches[child.start], child_rule, self._indent_after(lead, indent))
            entries.append(_Entry(child_rule, lead, body))
            by_span[child.start] = entries[-1]
        return entries, carried + self.data[place : span.inner_end], by_span

    def _indent_after(self, lead: bytes, indent: bytes) -> bytes:
        line = last_line(lead)
        return indent if line is None else line.strip(b"\r\n")

    def _add_missing(
        self,
        wanted: XmlNode,
        rule: Rule,
        entries: list[_Entry],
        kept: dict[int, _Entry],
        matches: Mapping[int, XmlNode],
        indent: bytes,
    ) -> None:
        """Put each new or moved record behind its predecessor in the group, as a follower of an entry that stays."""
        spans = {id(node): start for start, node in matches.items()}
        old = {span.start: span for span in self.spans} if len(spans) > len(kept) else {}
        for group in rule.groups:
            nodes = [node for node in wanted.children if rule.by_tag[node.tag].order == group]
            anchor = _first_anchor(entries, rule, group, next((kept[id(n)] for n in nodes if id(n) in kept), None))
            for node in nodes:
                if id(node) in kept:
                    anchor = kept[id(node)]
                    continue
                node_rule = rule.by_tag[node.tag]
                inner_indent = self._indent_of(entries, anchor, indent)
                if id(node) in spans:
                    body = self.rewrite(old[spans[id(node)]], node, node_rule, inner_indent)
                else:
                    body = self._render(node, node_rule, inner_indent)
                anchor.followers.append(_Entry(node_rule, b"", body))

    def _indent_of(self, entries: list[_Entry], anchor: _Entry, indent: bytes) -> bytes:
        line = self._new_line(entries, anchor, indent)
        return line.strip(b"\r\n") if b"\n" in line else indent

    def _new_line(self, entries: list[_Entry], anchor: _Entry, indent: bytes) -> bytes:
        """What stands before a new element: a line break and the indentation of its neighbours, or what they have."""
        neighbours = [anchor, *entries[1:3]] if anchor.body else entries[1:3]
        for neighbour in neighbours:
            line = last_line(neighbour.lead)
            if line is not None:
                return self.newline + line.strip(b"\r\n")
        if neighbours:
            return b" " if neighbours[0].lead.strip(_SPACE) != neighbours[0].lead else b""
        return self.newline + indent + self.unit

    def _lay_out(self, entries: list[_Entry], tail: bytes, indent: bytes) -> bytes:
        pieces: list[bytes] = []
        for entry, following in zip_longest(entries, entries[1:]):
            pieces += [entry.lead, entry.body]
            if not entry.followers:
                continue
            gap = tail if following is None else following.lead
            line = self._new_line(entries, entry, indent)
            head, rest = split_line(gap) if b"\n" in line else (b"", gap)
            for new in entry.followers:
                pieces += [head, line, new.body]
                head = b""
            if following is not None:
                following.lead = rest
            else:
                tail = rest if rest.strip(b" \t") or b"\n" not in line else self.newline + indent
        return b"".join([*pieces, tail])

    def _render(self, node: XmlNode, rule: Rule, indent: bytes) -> bytes:
        """A new element, with its children on lines of their own."""
        words = [attribute(name, node.attributes[name]) for name in rule.attributes if name in node.attributes]
        opening = b" ".join([b"<" + node.tag.encode(), *words])
        closing = b"</" + node.tag.encode() + b">"
        if rule.text and node.text:
            return opening + b">" + escape_text(node.text, self.newline) + closing
        if not node.children:
            return opening + b"/>"
        line = self.newline + indent + self.unit
        inner = [line + self._render(child, rule.by_tag[child.tag], indent + self.unit) for child in node.children]
        return b"".join([opening, b">", *inner, self.newline, indent, closing])


def _key(rule: Rule, tag: str, attributes: Mapping[str, str]) -> tuple[str | None, ...]:
    return tag, *(attributes.get(name) for name in rule.key)


def _without_element(lead: bytes, gap: bytes, is_last: bool) -> tuple[bytes, int]:
    """What remains of `lead` when the element between it and `gap` goes, and how many bytes of `gap` go with it.

    Its line goes too, unless something else stands on it.
    """
    line = last_line(lead)
    if line is None:
        return lead.rstrip(b" \t"), 0
    rest = split_line(gap)[0]
    if rest.strip(_SPACE) or (rest == gap and not is_last):
        return lead, len(gap) - len(gap.lstrip(b" \t"))
    return lead[: len(lead) - len(line)], 0


def _first_anchor(entries: list[_Entry], rule: Rule, group: str, first_kept: _Entry | None) -> _Entry:
    """The entry behind which the first of `group` goes when it is new."""
    if first_kept is not None:
        return entries[next(i for i, entry in enumerate(entries) if entry is first_kept) - 1]
    earlier = set(rule.groups[: rule.groups.index(group)])
    last = [entry for entry in entries if entry.rule is not None and entry.rule.order in earlier]
    if last:
        return last[-1]
    later = [i for i, entry in enumerate(entries) if entry.rule is not None]
    return entries[later[0] - 1] if later else entries[-1]


def _longest_increasing(numbers: Iterable[int]) -> list[int]:
    ends: list[int] = []
    history: list[tuple[int, int | None]] = []
    at_length: list[int] = []
    for position, number in enumerate(numbers):
        length = bisect_left(ends, number)
        history.append((number, at_length[length - 1] if length else None))
        ends[length : length + 1] = [number]
        at_length[length : length + 1] = [position]
    chain: list[int] = []
    step: int | None = at_length[-1] if at_length else None
    while step is not None:
        number, step = history[step]
        chain.append(number)
    return chain[::-1]
