"""Everything that is wrong is told once, with its line and a remedy."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

import pytest

from studio.model import system_check, wiring
from studio.model.spec import PortSpec
from studio.model.system_check import check
from studio.model.system_xml import read_system
from tests.model.examples import BIG_PROFILES, MESSAGE_TYPES, PROFILES, Profiles, big_system, example, spec


def all_problems(inside: str) -> list[str]:
    system = read_system(f'<system name="a">\n{inside}\n</system>'.encode(), "f")
    return [str(problem) for problem in check(system, PROFILES, MESSAGE_TYPES)]


def problems(inside: str) -> list[str]:
    """But for in ports without a wire: the systems here are too short to wire them all."""
    return [problem for problem in all_problems(inside) if "nothing is wired to" not in problem]


def test_the_example_is_sound_but_for_the_type_that_is_not_installed() -> None:
    found = check(example(), PROFILES, MESSAGE_TYPES)
    assert [(problem.line, problem.message) for problem in found] == [
        (36, "mystery is of an unknown type not_installed")
    ]
    assert found[0].subject == "mystery"


FILTER = '<component name="f" type="low_pass"/>'
PLANNER = '<component name="p" type="planner"/><component name="m" type="model_server"/>'
ANSWERED = '<service from="p.model" to="m.model"/>'
CASES = {
    '<component name="f" type="low_pas"/>': [
        "f:2: error: f is of an unknown type low_pas (did you mean low_pass?)",
    ],
    '<component name="f" type="low_pass">\n<parameter name="cutof_hz" value="1"/></component>': [
        "f:3: error: low_pass has no parameter cutof_hz (did you mean cutoff_hz?)",
    ],
    '<component name="f" type="low_pass">\n\n<parameter name="cutoff_hz" value="low"/></component>': [
        "f:4: error: f: cutoff_hz: 'low' is not a float (e.g. 0.25)",
    ],
    '<component name="f" type="low_pass"><parameter name="cutoff_hz" value="-1"/></component>': [
        "f:2: error: f: cutoff_hz = -1 is below its minimum 0.01",
    ],
    '<component name="f" type="low_pass" parameters="slwo"/>': [
        "f:2: error: low_pass has no parameter set slwo (did you mean slow?)",
    ],
    '<component name="f" type="low_pass" mode="trigger"/>': [
        "f:2: error: f cannot run in mode trigger (one of event, periodic)",
    ],
    '<component name="f" type="low_pass" period_s="1"/>': [
        'f:2: warning: the period of f has no effect (add mode="periodic" or remove it)',
    ],
    '<host name="signals"/>\n<component name="f" type="low_pass" host="signlas"/>': [
        "f:3: warning: the host signlas of f is not declared (did you mean signals?)",
    ],
    '<host name="h"/><component name="c" type="c_filter" host="h"/>': [
        'f:2: error: c is a program of its own and cannot run in the host h (remove host="h")',
    ],
    FILTER + '\n<wire from="f.smooth" to="g.raw"/>': [
        "f:3: error: wire f.smooth → g.raw: there is no component or source g (known: f)",
    ],
    FILTER + '\n<wire from="f.smooth" to="f.row"/>': [
        "f:3: error: wire f.smooth → f.row: f (low_pass) has no in port row (did you mean raw?)",
    ],
    FILTER + '\n<component name="t" type="terrain_map"/>\n<wire from="t.terrain" to="f.raw"/>': [
        "f:4: error: wire t.terrain → f.raw: t.terrain sends Map, but f.raw takes Float64",
    ],
    PLANNER: [
        (
            "f:2: warning: no component answers the service p.model (String -> Map) "
            '(wire it to a component that provides it: <service from="p.model" to="..."/>)'
        )
    ],
    PLANNER + '<component name="n" type="model_server"/>' + ANSWERED + '\n<service from="p.model" to="n.model"/>': [
        "f:3: error: p.model is answered twice (keep one)",
    ],
    PLANNER + ANSWERED + FILTER + '<link from="f.smooth" to="p.gain"/>\n<link from="f.cutoff_hz" to="p.gain"/>': [
        "f:3: error: p.gain is linked to two things (keep one)",
    ],
    FILTER + '\n<link from="f.smooth" to="f.gain"/>': [
        "f:3: error: link f.smooth → f.gain: f (low_pass) has no parameter gain (known: cutoff_hz, window)",
    ],
    '<source name="s" mode="real"/>': [
        "f:2: error: the source s is set to real, but has no real provider (it has no provider)",
    ],
    '<source name="s" mode="real">\n<port name="x" direction="out" type="Rang3d"/>'
    '<logged log="a"><bind port="x" topic="/y"/></logged></source>': [
        "f:2: error: the source s is set to real, but has no real provider (it has logged)",
        "f:3: error: s.x is of an unknown message type Rang3d (did you mean Range3d?)",
    ],
    '<source name="s" mode="real"><port name="x" direction="out" type="Range3d"/>\n<real>'
    '<component name="f" type="sick_lms200"/>\n<bind port="x" to="f.ranges"/></real></source>' + FILTER: [
        "f:3: error: the name f in the source s is also used in the system (e.g. f_2)",
    ],
    FILTER + '\n<record>\n<topic pattern="/f/*"/>\n<exclude pattern="/f/smoth"/></record>': [
        "f:5: warning: the recording pattern /f/smoth matches no topic (did you mean /f/smooth?)",
    ],
}


@pytest.mark.parametrize(("inside", "expected"), CASES.items(), ids=[found[0][:50] for found in CASES.values()])
def test_a_fault_is_found(inside: str, expected: list[str]) -> None:
    assert problems(inside) == expected


def test_an_in_port_without_a_wire_is_missed() -> None:
    hint = 'wire an out port of type Float64 to it: <wire from="..." to="f.raw"/>'
    assert all_problems(FILTER + '\n<component name="g" type="low_pass"/><wire from="f.smooth" to="g.raw"/>') == [
        f"f:2: warning: nothing is wired to f.raw ({hint})"
    ]


def test_an_optional_in_port_needs_no_wire() -> None:
    optional = Profiles(spec("low_pass", PortSpec("raw", "in", "Float64", optional=True)))
    system = read_system(f'<system name="a">{FILTER}</system>'.encode())
    assert check(system, optional, MESSAGE_TYPES) == []


def test_a_wire_that_misses_its_port_is_one_finding() -> None:
    (found,) = all_problems(FILTER + '<wire from="f.smooth" to="f.row"/>')
    assert "f (low_pass) has no in port row (did you mean raw?)" in found


def test_two_producers_of_a_topic_are_found() -> None:
    sources = "".join(
        f'<source name="{name}" mode="real"><real><component name="sick" type="sick_lms200"/></real></source>'
        for name in ("one", "two")
    )
    assert problems(sources)[-1] == (
        "f: error: /sick/ranges has two producers in mode real: one (sick) and two (sick) "
        "(rename one of the components)"
    )


def test_a_message_type_that_a_profile_needs_is_missed() -> None:
    system = read_system(f'<system name="a">{FILTER}</system>'.encode())
    found = check(system, PROFILES, ["Float32"])
    assert [problem.message for problem in found if problem.severity == "error"] == [
        "the port raw of low_pass is of an unknown message type Float64",
        "the port smooth of low_pass is of an unknown message type Float64",
    ]


def test_a_component_that_is_gone_is_missed_by_each_of_its_wires() -> None:
    data = big_system(300, 900)
    assert check(read_system(data), BIG_PROFILES, ["Float64"]) == []
    cut = data.replace(b'<component name="c100"', b'<component name="other"')
    found = [each for each in check(read_system(cut), BIG_PROFILES, ["Float64"]) if each.severity == "error"]
    assert len(found) == 6
    assert all("there is no component or source c100" in problem.message for problem in found)


def test_in_a_large_system_only_the_first_missing_names_are_compared_with_all(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[str] = []

    def compared(word: str, known: Iterable[str]) -> str:
        looks.append(word)
        return f"like {next(iter(known))}"

    for module in (system_check, wiring):
        monkeypatch.setattr(module, "did_you_mean", compared)
    count = system_check.MANY_NAMES + 1
    hosts = "".join(f'<host name="h{n}"/>' for n in range(count))
    filters = "".join(f'<component name="f{n}" type="low_pass" host="i{n}"/>' for n in range(count))
    wires = "".join(f'<wire from="g{n}.smooth" to="f{n}.raw"/>' for n in range(count))
    patterns = "".join(f'<topic pattern="/k{n}/*"/>' for n in range(count))
    found = problems(f"{hosts}{filters}{wires}<record>{patterns}</record>")
    assert len([each for each in found if "there is no component or source g" in each]) == count
    assert len([each for each in found if "is not declared" in each]) == count
    assert len([each for each in found if "matches no topic" in each]) == count
    assert len(looks) == system_check.MOST_LOOKS and len([each for each in found if "like h0" in each]) == len(looks)


def test_a_recording_pattern_is_compared_with_the_topics_that_begin_like_it(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def counted(name: str, pattern: str) -> bool:
        compared.append(name)
        return fnmatchcase(name, pattern)

    monkeypatch.setattr(system_check, "fnmatchcase", counted)
    filters = "".join(f'<component name="f{n}" type="low_pass"/>' for n in range(100))
    patterns = "".join(f'<topic pattern="{each}"/>' for each in ("/f1/*", "/f9?/smooth", "/g/*"))
    found = problems(f"{filters}<record>{patterns}</record>")
    assert [each.partition(" (")[0] for each in found if "pattern" in each] == [
        "f:2: warning: the recording pattern /g/* matches no topic"
    ]
    assert len(compared) < 100
