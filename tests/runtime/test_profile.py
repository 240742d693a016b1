"""Profiles of Python components: generated from the class, told apart from stale ones, and classes imported by them."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from studio.errors import StudioError
from studio.messages import Float64, String
from studio.model.component_xml import read_profile, write_profile
from studio.model.spec import (
    CommandEntry,
    ComponentSpec,
    Delivery,
    ParameterSpec,
    PortSpec,
    PythonEntry,
    ServicePortSpec,
)
from studio.runtime.component import Component, InPort, OutPort, Parameter, ProvidedService, RequiredService
from studio.runtime.host.profile import generate, import_component, load_class, spec_of, stale, write_profile_of

CHECKOUT = Path(__file__).resolve().parents[2]

LOW_PASS = '''\
from studio.messages import Float64
from studio.runtime.component import Component, InPort, OutPort, Parameter


class LowPass(Component):
    """Smooths a signal."""

    raw = InPort(Float64)
    smooth = OutPort(Float64)
    cutoff_hz = Parameter(2.0, minimum=0.01, maximum=1000.0, unit="Hz")
'''


def folder_with(root: Path, name: str, code: str, **others: str) -> Path:
    folder = root / name
    folder.mkdir(parents=True)
    (folder / f"{name}.py").write_text(code)
    for other, text in others.items():
        (folder / f"{other}.py").write_text(text)
    return folder


@pytest.fixture
def low_pass(tmp_path: Path) -> Path:
    folder = folder_with(tmp_path, "low_pass", LOW_PASS)
    write_profile_of(folder)
    return folder


class Filter(Component):
    """Filters.

    In long:
        with an indented line
    """

    category = "processor"
    icon = "mdi6.sine-wave"
    tags = ("signal",)
    activations = ("periodic", "event")
    period_s = 0.5
    parameter_sets = {"slow": {"cutoff_hz": 1, "weights": [1, 2]}}  # noqa: RUF012

    raw = InPort(Float64, keep=3, doc="what to filter")
    newest = InPort(String, keep="latest", optional=True)
    smooth = OutPort(Float64)
    query = ProvidedService(Float64, String, doc="asks")
    planner = RequiredService(String, Float64)
    cutoff_hz = Parameter(2.0, minimum=0, maximum=10, unit="Hz", doc="how fast")
    method = Parameter("fast", choices=("fast", "good"))
    weights = Parameter((1.0, 0.5))
    mount = Parameter("Cart:Top", kind="frame")

    def serve_query(self, request: Float64) -> String:
        return String(str(request.data))


def test_a_class_becomes_a_spec() -> None:
    spec = spec_of(Filter)
    assert spec == ComponentSpec(
        type=spec.type,
        category="processor",
        entry=PythonEntry(Filter.__module__, "Filter"),
        ports=(
            PortSpec("raw", "in", "Float64", Delivery("queue", 3), "what to filter"),
            PortSpec("newest", "in", "String", Delivery("latest"), optional=True),
            PortSpec("smooth", "out", "Float64"),
        ),
        services=(
            ServicePortSpec("query", "provided", "Float64", "String", "asks"),
            ServicePortSpec("planner", "required", "String", "Float64"),
        ),
        parameters=(
            ParameterSpec("cutoff_hz", "float", 2.0, 0.0, 10.0, (), "Hz", "how fast"),
            ParameterSpec("method", "string", "fast", choices=("fast", "good")),
            ParameterSpec("weights", "floats", (1.0, 0.5)),
            ParameterSpec("mount", "frame", "Cart:Top"),
        ),
        parameter_sets={"slow": {"cutoff_hz": 1.0, "weights": (1.0, 2.0)}},
        activations=("periodic", "event"),
        period_s=0.5,
        icon="mdi6.sine-wave",
        tags=("signal",),
        doc="Filters.\n\nIn long:\n    with an indented line",
    )


class TextForTags(Component):
    tags = "signal"  # type: ignore[assignment]


class NotAMessage(Component):
    count = InPort(int)


class NoPeriod(Component):
    activations = ("periodic",)
    period_s = 0.0


class UnknownMode(Component):
    activations = ("often",)  # type: ignore[assignment]


class UnknownCategory(Component):
    category = "processr"  # type: ignore[assignment]


class StrangeSet(Component):
    gain = Parameter(1.0)
    parameter_sets = {"slow": {"gian": 0.5}}  # noqa: RUF012


class SetOutOfRange(Component):
    gain = Parameter(1.0, maximum=2.0)
    parameter_sets = {"loud": {"gain": 5.0}}  # noqa: RUF012


@pytest.mark.parametrize(
    ("cls", "message", "hint"),
    [
        (TextForTags, "tags", '("signal",)'),
        (NotAMessage, "count", "Float64"),
        (NoPeriod, "period_s", "0.1"),
        (UnknownMode, "often", "event"),
        (UnknownCategory, "processr", "processor"),
        (StrangeSet, "gian", "gain"),
        (SetOutOfRange, "gain", ""),
    ],
)
def test_a_wrong_declaration_is_told_with_its_place(cls: type[Component], message: str, hint: str) -> None:
    with pytest.raises(StudioError) as caught:
        spec_of(cls)
    assert cls.__name__ in caught.value.message
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.file == __file__
    assert caught.value.line is not None
    assert f"class {cls.__name__}" in Path(__file__).read_text().splitlines()[caught.value.line - 1]


def test_a_generated_profile_is_read_back_as_the_class(low_pass: Path) -> None:
    spec = read_profile(low_pass / "component.xml")
    assert (spec.type, spec.entry, spec.doc) == ("low_pass", PythonEntry("low_pass", "LowPass"), "Smooths a signal.")
    assert [port.name for port in spec.ports] == ["raw", "smooth"]
    assert (low_pass / "component.xml").read_bytes() == generate(low_pass)
    assert stale(low_pass) is None


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        (
            "InPort(Float64)",
            'InPort(Float64, keep="latest")',
            "port raw: delivery is lossless in the file and latest in the class",
        ),
        (
            "InPort(Float64)",
            "InPort(Float64, optional=True)",
            "port raw: optional is false in the file and true in the class",
        ),
        ("2.0,", "3.0,", "parameter cutoff_hz: default is 2.0 in the file and 3.0 in the class"),
        ("    smooth = OutPort(Float64)\n", "", "port smooth is not in the class"),
        ("    smooth", "    extra = OutPort(Float64)\n    smooth", "port extra is not in the file"),
        ("Smooths a signal.", "Smooths.", "doc is 'Smooths a signal.' in the file and 'Smooths.' in the class"),
        ('unit="Hz"', 'unit=""', "unit is 'Hz' in the file and nothing in the class"),
        ("class LowPass", "class Smoother", "entry is low_pass:LowPass in the file and low_pass:Smoother in the class"),
        (
            "    raw",
            '    category = "sensor"\n    raw',
            "category is 'processor' in the file and 'sensor' in the class",
        ),
        (
            "    raw",
            '    parameter_sets = {"slow": {"cutoff_hz": 0.5}}\n    raw',
            "parameter set slow is not in the file",
        ),
    ],
)
def test_a_changed_class_makes_the_profile_stale(low_pass: Path, right: str, wrong: str, told: str) -> None:
    assert right in LOW_PASS
    (low_pass / "low_pass.py").write_text(LOW_PASS.replace(right, wrong, 1))
    explanation = stale(low_pass)
    assert explanation is not None
    assert told in explanation
    assert f"studio profile {low_pass}" in explanation
    assert write_profile_of(low_pass) is True
    assert stale(low_pass) is None


def test_another_order_of_ports_is_stale(low_pass: Path) -> None:
    raw, smooth = "    raw = InPort(Float64)\n", "    smooth = OutPort(Float64)\n"
    (low_pass / "low_pass.py").write_text(LOW_PASS.replace(raw + smooth, smooth + raw))
    assert "the ports are in another order" in str(stale(low_pass))


def test_a_missing_or_broken_profile_is_stale_and_can_be_made_anew(low_pass: Path) -> None:
    (low_pass / "component.xml").unlink()
    assert "missing" in str(stale(low_pass))
    (low_pass / "component.xml").write_text("<component")
    assert "component.xml" in str(stale(low_pass))
    write_profile_of(low_pass)
    assert stale(low_pass) is None


def test_a_current_profile_is_left_alone_with_its_comments(low_pass: Path) -> None:
    path = low_pass / "component.xml"
    commented = path.read_bytes().replace(b"  <entry", b"  <!-- ours -->\n  <entry")
    path.write_bytes(commented)
    assert write_profile_of(low_pass) is False
    assert path.read_bytes() == commented


def test_the_profile_of_a_program_is_written_by_hand(tmp_path: Path) -> None:
    spec = ComponentSpec("c_filter", "processor", CommandEntry(("./c_filter",)))
    (tmp_path / "c_filter").mkdir()
    (tmp_path / "c_filter" / "component.xml").write_bytes(write_profile(spec))
    assert stale(tmp_path / "c_filter") is None
    with pytest.raises(StudioError, match="by hand"):
        generate(tmp_path / "c_filter")
    with pytest.raises(StudioError, match="program"):
        import_component(read_profile(tmp_path / "c_filter" / "component.xml"))


def test_an_installed_class_needs_only_its_profile_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder_with(tmp_path / "site", "installed_filters", LOW_PASS)
    monkeypatch.syspath_prepend(tmp_path / "site" / "installed_filters")
    spec = ComponentSpec("smoother", "processor", PythonEntry("installed_filters", "LowPass"))
    (tmp_path / "smoother").mkdir()
    (tmp_path / "smoother" / "component.xml").write_bytes(write_profile(spec))
    write_profile_of(tmp_path / "smoother")
    written = read_profile(tmp_path / "smoother" / "component.xml")
    assert (written.type, written.entry) == ("smoother", PythonEntry("installed_filters", "LowPass"))
    assert import_component(written).__module__ == "installed_filters"
    sys.modules.pop("installed_filters")


def test_equally_named_modules_of_two_components_do_not_clash(tmp_path: Path) -> None:
    code = LOW_PASS.replace("from studio", "from .helper import WHO\nfrom studio", 1) + "    who = WHO\n"
    first = folder_with(tmp_path, "first_filter", code, helper="WHO = 'first'\n")
    second = folder_with(tmp_path, "second_filter", code, helper="WHO = 'second'\n")
    path_before = list(sys.path)
    assert [vars(load_class(folder))["who"] for folder in (first, second)] == ["first", "second"]
    assert sys.path == path_before
    assert "helper" not in sys.modules


def test_the_same_type_in_two_folders_gives_two_classes(tmp_path: Path) -> None:
    old = folder_with(tmp_path / "old", "low_pass", LOW_PASS)
    new = folder_with(tmp_path / "new", "low_pass", LOW_PASS.replace("2.0,", "3.0,"))
    assert load_class(old).__parameters__["cutoff_hz"].spec.default == 2.0
    assert load_class(new).__parameters__["cutoff_hz"].spec.default == 3.0
    assert load_class(new) is load_class(new)


def test_of_several_classes_the_one_named_like_the_folder_is_the_component(tmp_path: Path) -> None:
    code = LOW_PASS.replace("class LowPass", "class Base") + "\n\nclass LowPass(Base):\n    pass\n"
    assert load_class(folder_with(tmp_path, "low_pass", code)).__name__ == "LowPass"


IMPORT_FAULTS = {
    "exception at import": ("\n1 / 0\n", 2, "ZeroDivisionError: division by zero", ""),
    "exit at import": ("import sys\nsys.exit(3)\n", 2, "SystemExit: 3", ""),
    "not Python": ("def (:\n", 1, "SyntaxError", ""),
    "missing library": ("import no_such_library_here\n", 1, "no_such_library_here", "install no_such_library_here"),
    "sibling imported absolutely": ("import helper_of_low_pass\n", 1, "helper_of_low_pass", "from . import"),
    "bad declaration": (LOW_PASS.replace("2.0,", "2000.0,"), 5, "above its maximum", ""),
    "no class": ("x = 1\n", None, "no component class", "class LowPass(Component)"),
    "a class that is no component": (
        "class LowPass:\n    pass\n",
        None,
        "no component class",
        "class LowPass(Component)",
    ),
}


@pytest.mark.parametrize("fault", IMPORT_FAULTS)
def test_code_that_cannot_be_imported_is_told_with_its_place(fault: str, tmp_path: Path) -> None:
    code, line, message, hint = IMPORT_FAULTS[fault]
    folder = folder_with(tmp_path, "low_pass", code, helper_of_low_pass="")
    with pytest.raises(StudioError) as caught:
        load_class(folder)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.file == str(folder / "low_pass.py")
    assert caught.value.line == line


def test_entries_that_lead_nowhere_are_told(low_pass: Path) -> None:
    spec = read_profile(low_pass / "component.xml")
    with pytest.raises(StudioError, match="there is no module nothing_here") as caught:
        import_component(replace(spec, entry=PythonEntry("nothing_here", "LowPass")))
    assert caught.value.file == str(low_pass / "component.xml")
    with pytest.raises(StudioError, match="did you mean LowPass"):
        import_component(replace(spec, entry=PythonEntry("low_pass", "LowPas")))
    with pytest.raises(StudioError, match="does not define a Component named Float64"):
        import_component(replace(spec, entry=PythonEntry("low_pass", "Float64")))


def test_a_component_that_failed_can_be_imported_once_it_is_corrected(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "low_pass", "from .helper import X\n" + LOW_PASS, helper="Y = 1\n")
    with pytest.raises(StudioError):
        load_class(folder)
    (folder / "helper.py").write_text("X = 'corrected'\n")
    assert load_class(folder).__name__ == "LowPass"


def components_of(checkout: Path) -> list[Path]:
    """The folders of a checkout's components, also those of its projects, found by their files and not by a list."""
    places = [*checkout.glob("components/*"), *checkout.glob("projects/*/components/*")]
    return sorted(one for one in places if (one / "component.xml").is_file() or (one / f"{one.name}.py").is_file())


@pytest.mark.parametrize("folder", components_of(CHECKOUT), ids=lambda folder: folder.name)
def test_every_shipped_profile_is_current(folder: Path) -> None:
    assert stale(folder) is None


def test_the_test_above_would_find_what_is_stale_or_missing(tmp_path: Path) -> None:
    current = folder_with(tmp_path / "components", "current", LOW_PASS)
    write_profile_of(current)
    missing = folder_with(tmp_path / "components", "missing", LOW_PASS)
    changed = folder_with(tmp_path / "projects" / "cart" / "components", "changed", LOW_PASS)
    write_profile_of(changed)
    (changed / "changed.py").write_text(LOW_PASS.replace("2.0,", "3.0,"))
    assert [folder for folder in components_of(tmp_path) if stale(folder)] == [missing, changed]
    assert current in components_of(tmp_path)
