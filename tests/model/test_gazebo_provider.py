"""A source that is simulated by a Gazebo server instead: the same wires, another simulator."""

from __future__ import annotations

import pytest

from studio.model.changes import ModelError
from studio.model.gazebo_provider import choice_of, choices_of, choose, gazebo_provider, is_on_gazebo
from studio.model.loaded_project import open_project
from studio.model.parts import Endpoint
from studio.model.sources import explain_differences
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("project", "source"),
    [("raptor_blocks_world", "platform"), ("pioneer_obstacle_avoidance", "pioneer"), ("carmen_mapping", "")],
)
def test_each_simulated_vehicle_that_ships_has_one(project: str, source: str) -> None:
    opened = open_project(ROOT / "projects" / project)
    if not source:
        with pytest.raises(ModelError, match="has no simulat"):
            gazebo_provider(next(iter(opened.system.sources)), opened.registry)
        return
    before = opened.system.source(source)
    assert not is_on_gazebo(before, opened.registry)
    after = before.with_provider("simulated", gazebo_provider(before, opened.registry))
    assert is_on_gazebo(after, opened.registry)
    assert explain_differences(after, opened.registry) == []
    assert before.simulated is not None and after.simulated is not None
    assert after.simulated.binds == before.simulated.binds
    assert after.simulated.components[0].parameters == before.simulated.components[0].parameters
    assert gazebo_provider(after, opened.registry) == after.simulated, "once more changes nothing"


def test_a_port_that_no_gazebo_component_has_is_refused_in_words() -> None:
    opened = open_project(ROOT / "projects" / "raptor_blocks_world")
    source = opened.system.source("platform")
    assert source.simulated is not None
    binds = {**source.simulated.binds, "pose": Endpoint("simulator", "nothing")}
    odd = source.with_provider("simulated", type(source.simulated)(source.simulated.components, binds))
    made = gazebo_provider(odd, opened.registry)  # neither simulator has it, so the check of the project tells it
    assert made.components[0].type == "raptor_gazebo"
    with pytest.raises(ModelError, match="has no simulated provider"):
        gazebo_provider(source.with_provider("simulated", None), opened.registry)


def test_what_can_be_chosen_and_the_way_back() -> None:
    opened = open_project(ROOT / "projects" / "raptor_blocks_world")
    source, specs = opened.system.source("platform"), opened.registry
    assert choices_of(source, specs) == ("real", "logged", "simulated", "gazebo")
    assert choice_of(source, specs) == "simulated"
    choose(source, "gazebo", specs, "127.0.0.1:11345").apply(opened.system)
    after = opened.system.source("platform")
    assert choice_of(after, specs) == "gazebo"
    assert after.simulated is not None and after.simulated.components[0].parameters["server"] == "127.0.0.1:11345"
    assert choices_of(after, specs) == choices_of(source, specs)
    choose(after, "real", specs).apply(opened.system)
    assert choice_of(opened.system.source("platform"), specs) == "real"
    choose(opened.system.source("platform"), "simulated", specs).apply(opened.system)
    assert opened.system.source("platform") == source
    bench = open_project(ROOT / "projects" / "real_bench")
    assert all("gazebo" not in choices_of(each, bench.registry) for each in bench.system.sources)
