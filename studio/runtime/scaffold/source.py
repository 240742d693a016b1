"""The files of a new component, as text: code that runs, a test that passes, a README to fill in."""

from __future__ import annotations

import json
from collections.abc import Iterator

from studio.model.spec import format_value
from studio.runtime.scaffold.description import Description, Port, Setting


def source(new: Description) -> str:
    return "\n".join([*_head(new), *_class(new)]) + "\n"


def test_source(new: Description) -> str:
    types = sorted({port.type for port in new.inputs})
    return (
        "\n".join(
            [
                f'"""Run with: python -m pytest components/{new.name}"""',
                "",
                "from pathlib import Path",
                "",
                *_message_imports(new, types),
                "from studio.runtime.host.profile import load_class, stale",
                "from studio.runtime.trial import Trial",
                "",
                *_own_types(new, types),
                f"{new.class_name} = load_class(Path(__file__).parent)",
                "",
                "",
                *_test(new),
            ]
        )
        + "\n"
    )


def readme(new: Description) -> str:
    return "\n".join([f"# {new.name}", "", _doc(new), "", *_tables(new)]).rstrip() + "\n"


def _head(new: Description) -> Iterator[str]:
    names = ["Component"] if not _moves(new) else []
    names += [*(["InPort"] if new.inputs else []), *(["OutPort"] if new.outputs else [])]
    names += ["Parameter"] if new.settings else []
    yield from _message_imports(new, new.types)
    if _moves(new):
        yield "from studio.runtime.actuator import Actuator"
    if names:
        yield f"from studio.runtime.component import {', '.join(names)}"
    if new.own_types:
        yield from ("", *_own_types(new, new.types))
    yield from ("", "")


def _message_imports(new: Description, types: list[str]) -> Iterator[str]:
    names = [name for name in types if name not in new.own_types]
    names += ["project_types"] if len(names) < len(types) else []
    if names:
        yield f"from studio.messages import {', '.join(names)}"


def _own_types(new: Description, types: list[str]) -> Iterator[str]:
    """A project's types have no module to be imported from."""
    for name in types:
        if name in new.own_types:
            yield f'{name} = project_types(__file__).get("{name}")'


def _moves(new: Description) -> bool:
    """Whether it moves something real: such a component has a base class that checks every command."""
    return new.category == "actuator"


def _class(new: Description) -> Iterator[str]:
    yield f"class {new.class_name}({'Actuator' if _moves(new) else 'Component'}):"
    yield f'    """{_doc(new)}"""'
    if not _moves(new):
        yield ""
        yield f'    category = "{new.category}"'
    elif new.period_s is not None:
        yield ""
    if new.period_s is not None:
        modes = '("periodic",)' if not new.inputs else '("periodic", "event")'
        yield f"    activations = {modes}"
        yield f"    period_s = {new.period_s!r}"
    declared = [*map(_in_port, new.inputs), *map(_out_port, new.outputs), *map(_setting, new.settings)]
    yield from (["", *(f"    {line}" for line in declared)] if declared else [])
    yield from _handlers(new)


def _handlers(new: Description) -> Iterator[str]:
    acts_on_timer = new.period_s is not None
    for number, port in enumerate(new.inputs):
        yield ""
        yield f"    def on_{port.name}(self, message: {port.type}) -> None:"
        acts = number == 0 and not acts_on_timer and bool(new.outputs)
        called = "accepted command: real, new, and the actuator armed" if _moves(new) else f"message at {port.name}"
        yield from _acting(new, port) if acts else [f'        """Called for every {called}."""']
    if _moves(new):
        yield ""
        yield "    def halt(self) -> None:"
        yield '        """Bring it to a stop, now. Called from any thread, also when it does not move."""'
    if acts_on_timer:
        yield ""
        yield "    def on_timer(self) -> None:"
        yield from _acting(new, None) if new.outputs else ['        """Called once per period."""']


def _acting(new: Description, port: Port | None) -> Iterator[str]:
    """Something goes out for everything that comes in, so that the new component can be wired and seen working."""
    yield "        # Replace this by the computation of the component."
    for output in new.outputs:
        same = port is not None and port.type == output.type
        yield f"        self.{output.name}.publish({'message' if same else output.type + '()'})"


def _in_port(port: Port) -> str:
    keep = "" if port.keep == "all" else f", keep={port.keep if port.keep.isdecimal() else repr(port.keep)}"
    return f'{port.name} = InPort({port.type}{keep.replace(chr(39), chr(34))}, doc="")'


def _out_port(port: Port) -> str:
    return f'{port.name} = OutPort({port.type}, doc="")'


def _setting(setting: Setting) -> str:
    default = _quoted(setting.default) if isinstance(setting.default, str) else repr(setting.default)
    unit = f", unit={_quoted(setting.unit)}" if setting.unit else ""
    return f'{setting.name} = Parameter({default}{unit}, doc="")'


def _quoted(text: str) -> str:
    """As formatters want it: in double quotes, unless that needs more backslashes."""
    if '"' in text and "'" not in text:
        return repr(text)
    return json.dumps(text, ensure_ascii=False)  # JSON's notation is also Python's


def _doc(new: Description) -> str:
    text = new.doc or f"Describe {new.name} in one sentence."
    return text.replace("\\", "\\\\").replace('"""', "'''")


def _test(new: Description) -> Iterator[str]:
    timed = new.period_s is not None
    yield f"def test_{'every_period' if timed else 'every_message'}_is_handled() -> None:"
    yield f"    with Trial({new.class_name}) as trial:"
    if _moves(new):
        yield '        trial.set("armed", True)'
    for port in new.inputs:
        yield f'        trial.send("{port.name}", {port.type}())'
    if timed:
        yield "        trial.tick()"
    for port in new.outputs:
        yield f'        assert len(trial.sent("{port.name}")) == 1'
    yield from ("", "", "def test_the_profile_is_current() -> None:")
    yield from ("    difference = stale(Path(__file__).parent)", "    assert difference is None, difference")


def _tables(new: Description) -> Iterator[str]:
    ports = [(port, "in") for port in new.inputs] + [(port, "out") for port in new.outputs]
    if ports:
        yield from ("| port | direction | type | carries |", "|---|---|---|---|")
        yield from (f"| `{port.name}` | {direction} | {port.type} | |" for port, direction in ports)
        yield ""
    if new.settings:
        yield from ("| parameter | default | unit | sets |", "|---|---|---|---|")
        yield from (f"| `{each.name}` | `{format_value(each.default)}` | {each.unit} | |" for each in new.settings)
