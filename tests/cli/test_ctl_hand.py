"""`studio ctl call`, `send`, `link`, `destroy` and `host` on a system that really runs, records, and is replayed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from studio.cli import main
from studio.messages import ServiceCall, String, decode
from studio.runtime.recording import LogReader
from tests.cli.running import Studio
from tests.cli.test_ctl import process
from tests.waiting import await_true

SYSTEM = """<system name="hands" version="1">
  <!-- Kept. -->
  <host name="all"/>
  <component name="filter" type="low_pass" host="all"/>
  <component name="vault" type="vault" host="all"/>
  <component name="other" type="low_pass"/>
  <component name="sink" type="signal_sink" host="all"/>
  <wire from="filter.smooth" to="vault.raw"/>
  <wire from="vault.kept" to="sink.value"/>
</system>
"""
VAULT = '''
from studio.messages import Float64, String
from studio.runtime.component import Component, InPort, OutPort, ProvidedService, ServiceError


class Vault(Component):
    """Keeps a number, and opens for those who know the word."""

    raw = InPort(Float64)
    kept = OutPort(Float64)
    open = ProvidedService(String, Float64)

    def on_activate(self) -> None:
        self._kept = Float64(0.0)

    def on_raw(self, message: Float64) -> None:
        self._kept = message
        self.kept.publish(message)

    def serve_open(self, request: String) -> Float64:
        if request.data != "sesame":
            raise ServiceError(f"{request.data!r} is not the word")
        return self._kept
'''


@pytest.fixture(scope="module")
def hands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A running project; its folder."""
    base = tmp_path_factory.mktemp("h")
    runs, folder = base / "r", base / "hands"
    runs.mkdir()
    (folder / "components" / "vault").mkdir(parents=True)
    (folder / "components" / "vault" / "vault.py").write_text(VAULT)
    (folder / "components" / "vault" / "README.md").write_text("# vault\n")
    (folder / "system.xml").write_text(SYSTEM)
    assert main(["profile", str(folder / "components" / "vault")]) == 0
    started = process(runs, "run", folder, "--detach", "--record", folder / "log.mcap", "--json")
    assert started.status == 0, started.err
    yield folder
    if list(runs.iterdir()):  # the last test stops it, if all went well
        process(runs, "stop")


@pytest.fixture(autouse=True)
def _own_runs(hands: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_RUNS", str(hands.parent / "r"))


def state(studio: Studio) -> dict[str, Any]:
    found: dict[str, Any] = studio("ctl", "list", "--json").json["systems"][0]
    return found


def test_everything_by_hand(hands: Path, studio: Studio) -> None:
    """One story, as each start of a system takes seconds."""
    # Nothing has been published yet, and a call says so.
    silent = studio("ctl", "call", "vault.get_kept")
    assert silent.status == 1 and "published nothing on kept yet" in silent.err
    # A message goes in at one component and its effects come out at the others. It is not real from here on.
    sent = studio("ctl", "send", "filter.raw", "2.5", "--json").json
    assert sent == {"to": "filter.raw", "sent": 1, "simulated": ["filter", "vault", "sink"], "effect": "now"}
    assert {name: each["origin"] for name, each in state(studio)["components"].items()} == {
        "filter": "simulated", "vault": "simulated", "other": "real", "sink": "simulated",
    }  # fmt: skip
    await_true(lambda: studio("ctl", "call", "vault.get_kept").out == "2.5\n", "what was sent has passed the filter")
    assert studio("ctl", "get", "vault.kept").out == "2.5\n", "though nothing flows"
    # A service, its reply, its error reply.
    told = studio("ctl", "call", "vault.open", "sesame", "--json").json
    assert (told["type"], told["reply"]) == ("Float64", {"data": 2.5}) and told["seconds"] < 1
    refused = studio("ctl", "call", "rdk://all/vault/open", '{"data": "please"}')
    assert refused.status == 1 and "'please' is not the word" in refused.err
    assert state(studio)["components"]["vault"]["state"] == "active"
    # In the producer's name, on its topic.
    assert studio("ctl", "send", "/vault/kept", "7", "--rate", "50", "--count", "5").status == 0
    assert studio("ctl", "call", "vault.get_kept").out == "7.0\n"
    # While it is paused a call is answered at once, and what is sent waits for its turn.
    assert studio("ctl", "pause").status == 0
    assert studio("ctl", "send", "vault.raw", "9").out == "vault.raw: sent, when the system goes on\n"
    assert studio("ctl", "call", "vault.open", "sesame").out == "2.5\n"
    assert studio("ctl", "step").out.startswith("/_studio/command/vault")
    assert studio("ctl", "call", "vault.open", "sesame").out == "9.0\n"
    assert studio("ctl", "start").status == 0
    # A new epoch begins with a clean slate.
    assert "no longer count" in studio("ctl", "switch", "real").out
    assert {each["origin"] for each in state(studio)["components"].values()} == {"real"}


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (("call", "vault"), 2, "component.service"),
        (("call", "vault.opn"), 1, "did you mean open?"),
        (("call", "valt.open"), 1, "did you mean vault?"),
        (("call", "vault.open", "{"), 2, "is not JSON"),
        (("call", "vault.open", "[1]"), 1, "needs a string"),
        (("call", "vault.open", "--deadline", "0"), 2, "above 0"),
        (("send", "filter.row", "1"), 1, "did you mean raw?"),
        (("send", "filter.raw", "much"), 1, "could not convert"),
        (("send", "filter.raw", "1", "--for", "2"), 2, "go with --rate"),
        (("link", "filter.smooth", "filter.cutof_hz"), 1, "did you mean cutoff_hz?"),
        (("unlink", "filter.cutoff_hz"), 1, "not linked"),
        (("destroy", "filtr"), 1, "did you mean filter?"),
        (("host", "filtr", "all"), 1, "did you mean filter?"),
    ],
)
def test_what_cannot_be_done_says_so_and_changes_nothing(
    studio: Studio, words: tuple[str, ...], status: int, text: str
) -> None:
    result = studio("ctl", *words)
    assert (result.status, result.out) == (status, "")
    assert text in result.err


def test_the_running_system_is_edited_and_its_file_only_by_save(hands: Path, studio: Studio) -> None:
    file = hands / "system.xml"
    before = file.read_text()
    linked = studio("ctl", "link", "filter.cutoff_hz", "other.cutoff_hz", "--json").json
    assert linked["changed"] == ["other"] and linked["restarted"] == []
    assert studio("ctl", "set", "filter.cutoff_hz", "0.7").status == 0
    await_true(lambda: state(studio)["components"]["other"]["parameters"]["cutoff_hz"] == 0.7, "it follows")
    assert studio("ctl", "unlink", "other.cutoff_hz").out == "changed: other\n"
    assert studio("ctl", "host", "other", "all").out == "changed: other\n"
    assert state(studio)["components"]["other"]["host"] == "all"
    assert studio("ctl", "destroy", "sink").out == "removed: sink\n"
    assert set(state(studio)["components"]) == {"filter", "vault", "other"}
    assert file.read_text() == before
    assert studio("ctl", "save").status == 0
    after = file.read_text()
    assert "sink" not in after and 'name="other" type="low_pass" host="all"' in after and "<!-- Kept. -->" in after
    file.write_text(before)
    assert studio("ctl", "reload").out.startswith("added: sink")


def test_what_was_done_by_hand_stands_in_the_log_and_a_replay_repeats_it(hands: Path, studio: Studio) -> None:
    studio("ctl", "call", "vault.open", "sesame")
    assert studio("stop").status == 0
    with LogReader(hands / "log.mcap") as log:
        given = [json.loads(decode(String, each.payload).data) for each in log.events(["/_studio/command/vault"])]
        calls = [each for each in given if each["do"] == "call" and each["service"] == "open"]
        answers = [decode(ServiceCall, each.payload) for each in log.events(["/_studio/reply/_hand/vault"])]
    assert calls and calls[0]["request"] == {"data": "sesame"}
    opened = [each for each in answers if each.service == "open"]
    assert (opened[0].caller, opened[0].provider, opened[0].error) == ("_hand", "vault", "")
    assert "not the word" in opened[1].error
    again = studio("replay", hands, "--log", hands / "log.mcap", "--as-recorded", "--json")
    assert again.status == 0, again.out + again.err
