"""Which functions of a module have other bodies, and when each was first called."""

from __future__ import annotations

import sys
from pathlib import Path
from types import CodeType

import pytest

from studio.runtime.host.code_changes import CannotExchange, FunctionPair, function_pairs, uses_compiler
from studio.runtime.host.first_calls import TOOLS, FirstCalls

BEFORE = """
LIMIT = 3

def top(a=1):
    return a + LIMIT

class Part:
    scale = 2.0

    def one(self):
        return [self.scale for _ in range(LIMIT)]

    @property
    def two(self):
        return 2

    @kept
    def three(self):
        return 3

    class Inner:
        def four(self):
            def inside():
                return 4
            return inside
"""


def compare(after: str, before: str = BEFORE, *, compiles: bool = False) -> list[FunctionPair]:
    code = compile(before, "part.py", "exec")
    return function_pairs(before.encode(), code, after.encode(), compiles=compiles)[1]


def changed(after: str) -> list[str]:
    return [pair.before.co_qualname for pair in compare(after) if pair.differs]


def test_only_bodies_that_differ_are_changed() -> None:
    assert len(compare(BEFORE)) == 5
    assert changed("# a comment\n\n" + BEFORE.replace("return 2", "return (2)  # the same")) == []
    assert changed(BEFORE.replace("return 2", "return 2.0")) == ["Part.two"]
    assert changed(BEFORE.replace("return 4", "return 5")) == ["Part.Inner.four"], "a function inside counts as its own"
    assert changed(BEFORE.replace("a + LIMIT", "a - LIMIT")) == ["top"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("scale = 2.0", "scale = 2"),
        ("a=1", "a=2"),
        ("@property", "@staticmethod"),
        ("class Part:", "class Part(object):"),
        ("def top(", "def new():\n    pass\n\ndef top("),
        ("return 3", "return 33"),
        ("def four(self):", "async def four(self):"),
        ("return 2", "return super().two"),
    ],
)
def test_what_else_may_have_had_effects_takes_a_new_process(old: str, new: str) -> None:
    with pytest.raises(CannotExchange):
        compare(BEFORE.replace(old, new))


def test_a_function_that_may_have_been_compiled_was_perhaps_never_called() -> None:
    after = BEFORE.replace("a + LIMIT", "a - LIMIT")
    with pytest.raises(CannotExchange, match="compiled"):
        compare(after, compiles=True)
    assert [pair.differs for pair in compare(BEFORE.replace("return 2", "return 5"), compiles=True)].count(True) == 1
    assert uses_compiler(b"def f():\n    import numba\n") and uses_compiler(b"from numba import njit\n")
    assert not uses_compiler(BEFORE.encode())


@pytest.mark.skipif(sys.version_info < (3, 12), reason="there is no sys.monitoring: a new process goes the whole way")
def test_first_calls_are_known_by_their_event_and_once_more_after_going_back(tmp_path: Path) -> None:
    file = tmp_path / "part.py"
    scope: dict[str, object] = {"kept": lambda function: function}
    now = -1
    calls = FirstCalls([tmp_path], lambda: now)
    try:
        exec(compile(BEFORE, str(file), "exec"), scope)
        part = scope["Part"]()  # type: ignore[operator]
        codes: dict[str, CodeType] = {name: vars(type(part))[name].__code__ for name in ("one", "three")}
        for now in range(4):
            part.one() if now == 1 else part.three() if now == 3 else None
        assert [calls.of(codes[name]) for name in ("one", "three")] == [1, 3]
        calls.forget_from(2)
        assert [calls.of(codes[name]) for name in ("one", "three")] == [1, None]
        now = 2
        part.three()
        part.one()
        assert [calls.of(codes[name]) for name in ("one", "three")] == [1, 2]
    finally:
        calls.close()


@pytest.mark.skipif(sys.version_info < (3, 12), reason="there is no sys.monitoring")
def test_where_other_tools_have_all_numbers_nothing_is_known(tmp_path: Path) -> None:
    made = [FirstCalls([tmp_path], lambda: 0) for _ in range(len(TOOLS) + 1)]
    assert [each.is_known for each in made] == [True] * len(TOOLS) + [False]
    for each in made:
        each.close()
