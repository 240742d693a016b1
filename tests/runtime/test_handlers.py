"""A handler that would never be called is refused when its class is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.messages import Float64, String
from studio.model.spec import SpecError
from studio.runtime.component import Component, InPort, OutPort, Parameter, ProvidedService
from studio.runtime.host.profile import load_class
from studio.runtime.trial import Trial


def test_a_misspelt_handler_names_class_method_file_and_what_was_meant() -> None:
    with pytest.raises(SpecError) as caught:

        class Limiter(Component):
            value = InPort(Float64)

            def on_valu(self, message: Float64) -> None: ...

    assert caught.value.message == "Limiter.on_valu is never called: it has no in port valu"
    assert caught.value.hint == "did you mean on_value?"
    assert caught.value.file == __file__


def test_a_misspelt_hook_is_refused() -> None:
    with pytest.raises(SpecError, match=r"Beacon\.on_timr .*did you mean on_timer"):

        class Beacon(Component):
            tick = OutPort(Float64)

            def on_timr(self) -> None: ...


def test_an_out_port_has_no_handler() -> None:
    with pytest.raises(SpecError, match=r"Talker\.on_said is never called: it has no in port said"):

        class Talker(Component):
            said = OutPort(String)

            def on_said(self, message: String) -> None: ...


def test_a_service_and_its_method_need_each_other() -> None:
    with pytest.raises(SpecError, match=r"Asker\.serve_qurey is never called.*did you mean serve_query"):

        class Asker(Component):
            query = ProvidedService(Float64, String)

            def serve_qurey(self, request: Float64) -> String: ...

    with pytest.raises(
        SpecError, match=r"Lazy provides query, but has no serve_query .*def serve_query\(self, request"
    ):

        class Lazy(Component):
            query = ProvidedService(Float64, String)

    with pytest.raises(SpecError, match=r"Secret\.serve_query is never called.*query = ProvidedService"):

        class Secret(Component):
            value = InPort(Float64)

            def serve_query(self, request: Float64) -> String: ...


@pytest.mark.parametrize("name", ["error", "timer", "parameter", "activate"])
def test_a_port_whose_handler_is_a_hook_is_refused(name: str) -> None:
    with pytest.raises(SpecError, match=f"Odd: an in port cannot be called {name}.*e.g. {name}_in"):
        type("Odd", (Component,), {name: InPort(Float64)})


class Base(Component):
    """Handles a port that its subclasses declare, each with a type of its own."""

    def on_value(self, message: Float64 | String) -> None:
        self.got = message.data


class Numbers(Base):
    value = InPort(Float64)


class Words(Base):
    value = InPort(String)


class More(Numbers):
    extra = InPort(Float64, keep="latest")


def test_a_base_may_handle_ports_that_its_subclasses_declare() -> None:
    with Trial(Words) as trial:
        trial.send("value", String("hello"))
        assert trial.component.got == "hello"  # type: ignore[attr-defined]


def test_an_inherited_port_keeps_its_handler() -> None:
    with Trial(More) as trial:
        trial.send("value", Float64(3.0))
        assert trial.component.got == 3.0  # type: ignore[attr-defined]


def test_a_base_without_the_port_is_caught_where_ports_are() -> None:
    with pytest.raises(SpecError, match=r"Wrong\.on_value is never called.*did you mean on_values"):

        class Wrong(Base):
            values = InPort(Float64)


def test_callbacks_of_other_libraries_are_left_alone() -> None:
    class FileWatcher:
        def on_created(self, path: str) -> None: ...

    class Watch(Component, FileWatcher):
        seen = OutPort(String)
        on_time = Parameter(1.0, doc="no method")

        def on_created(self, path: str) -> None: ...


def test_an_import_tells_the_line(tmp_path: Path) -> None:
    folder = tmp_path / "limiter"
    folder.mkdir()
    (folder / "limiter.py").write_text(
        "from studio.messages import Float64\n"
        "from studio.runtime.component import Component, InPort\n"
        "class Limiter(Component):\n"
        "    value = InPort(Float64)\n"
        "    def on_valu(self, message):\n"
        "        pass\n"
    )
    with pytest.raises(Exception, match=r"limiter\.py:5: .*Limiter\.on_valu .*did you mean on_value"):
        load_class(folder)
