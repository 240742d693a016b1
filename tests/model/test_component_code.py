"""What can be said of a component's code without running it."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.model.component_code import CodeError, check_code
from studio.model.spec import ComponentSpec, PythonEntry

BOMB = "import os\nos._exit(9)\n"


def look(folder: Path, code: str | bytes, module: str = "thing", name: str = "Thing") -> None:
    file = folder.joinpath(*module.split(".")).with_suffix(".py")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(code if isinstance(code, bytes) else code.encode())
    check_code(ComponentSpec("thing", "sensor", PythonEntry(module, name), folder=folder), 3)


@pytest.mark.parametrize(
    "code",
    [
        "class Thing: pass",
        "if True:\n    class Thing: pass",
        "try:\n    from fast import Thing\nexcept ImportError:\n    Thing = None",
        "from .inner import Other as Thing",
        "from .inner import *",
        "Thing: type = make()",
        "def __getattr__(name): ...",
        r"class Thing: '\d'",
        "# -*- coding: latin-1 -*-\nclass Thing: 'é'".encode("latin-1"),
    ],
)
def test_a_class_may_come_about_in_many_ways(tmp_path: Path, code: str | bytes) -> None:
    look(tmp_path, code)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def make():\n    class Thing: pass", "thing.py defines no Thing (write"),
        ("class Outer:\n    class Thing: pass", "defines no Thing"),
        ("class Thingy: pass", "did you mean Thingy?"),
        ("x = Thing", "defines no Thing"),
        ("class Thing(:", "thing.py:1: Syntax error: "),
        ("class Thing: pass\n\0", "thing.py"),
        (b"'\xff'", "thing.py:1: Syntax error: "),
        ("(" * 5000, "thing.py"),
        ("-" * 200_000 + "1", "thing.py"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, code: str | bytes, told: str) -> None:
    with pytest.raises(CodeError) as caught:
        look(tmp_path, code)
    assert told in str(caught.value)


def test_nothing_is_run(tmp_path: Path) -> None:
    look(tmp_path, BOMB + "class Thing: pass")


def test_a_module_may_lie_deeper_or_be_a_package(tmp_path: Path) -> None:
    look(tmp_path, "class Thing: pass", "parts.thing")
    (tmp_path / "package").mkdir()
    (tmp_path / "package/__init__.py").write_text("class Thing: pass")
    check_code(ComponentSpec("thing", "sensor", PythonEntry("package", "Thing"), folder=tmp_path))


def test_an_installed_module_is_looked_up_but_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site/installed_here").mkdir(parents=True)
    (tmp_path / "site/installed_here/__init__.py").write_text(BOMB)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    check_code(ComponentSpec("thing", "sensor", PythonEntry("installed_here.inner", "Thing"), folder=tmp_path))
    with pytest.raises(CodeError, match=r"component\.xml: there is no module not_installed_here\.inner"):
        check_code(ComponentSpec("thing", "sensor", PythonEntry("not_installed_here.inner", "Thing"), folder=tmp_path))
