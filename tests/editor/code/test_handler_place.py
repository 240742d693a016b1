"""Which code gets an event, and where it is. No window."""

from __future__ import annotations

from studio.editor.code.handler_place import handlers_of, line_of

CODE = '''class Filter(Component):
    """Filters."""

    raw = InPort(Float64)
    votes = InPort(Votes, queue=4)

    def on_raw(self, message):
        """What it does."""
        self.total = message.data
'''


def test_who_gets_an_event_is_known_by_its_inputs() -> None:
    components = {
        "filter": {"inputs": {"raw": ["/signal/value"]}},
        "sink": {"inputs": {"value": ["/signal/value"], "other": ["/x", "/y"]}},
        "signal": {"inputs": {}},
    }
    assert handlers_of("/signal/value", components) == [("filter", "on_raw"), ("sink", "on_value")]
    assert handlers_of("/x", components) == handlers_of("/y", components) == [("sink", "on_other")]
    assert handlers_of("/_studio/timer/signal", components) == [("signal", "on_timer")]
    assert handlers_of("/_studio/command/signal", components) == []


def test_the_place_is_the_first_line_of_the_handler_or_the_port_or_the_class() -> None:
    assert line_of(CODE, "Filter", "on_raw") == 9
    assert line_of(CODE, "Filter", "on_votes") == 5
    assert line_of(CODE, "Filter", "on_timer") == 1
    assert line_of(CODE, "Other", "on_raw") == 0 and line_of("class (", "Filter", "on_raw") == 0
