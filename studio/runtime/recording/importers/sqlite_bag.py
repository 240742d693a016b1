"""A file of a ROS 2 bag in SQLite, with the words of rosbags.

Not by the reader of rosbags: it refuses a whole bag for one definition of an unknown encoding, and that is how the
recorder of ROS 2 stores what it has not found, such as the events of services.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rosbags.interfaces import Connection, ConnectionExtRosbag2, MessageDefinition, MessageDefinitionFormat

from studio.runtime.recording.format.errors import LogError

_FORMATS = {"ros2msg": MessageDefinitionFormat.MSG, "ros2idl": MessageDefinitionFormat.IDL}
_NONE = MessageDefinition(MessageDefinitionFormat.NONE, "")


class SqliteBag:
    """Raises LogError and the errors of sqlite3."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database: sqlite3.Connection | None = None
        self.connections: list[Connection] = []
        self.start_time = 0
        self.orphans: dict[Any, int] = {}
        """Messages of topics that the table of topics does not have."""

    def open(self) -> None:
        uri = f"file:{quote(str(self._path.resolve()))}?immutable=1"
        self._database = sqlite3.connect(uri, uri=True)
        try:
            self._read_topics()
        except BaseException:
            self.close()
            raise

    def _read_topics(self) -> None:
        tables = {row[0] for row in self._rows("SELECT name FROM sqlite_master WHERE type='table'")}
        if not {"topics", "messages"} <= tables:
            raise LogError("it has no tables of topics and messages")
        definitions = dict(self._definitions()) if "message_definitions" in tables else {}
        counts = dict(self._rows("SELECT topic_id, COUNT(*) FROM messages GROUP BY topic_id"))
        self.connections = [
            Connection(
                number, topic, kind, definitions.get(kind, _NONE), "", counts.get(number, 0),
                ConnectionExtRosbag2(form, []), self,
            )
            for number, topic, kind, form in self._rows(
                "SELECT id, name, type, serialization_format FROM topics ORDER BY id"
            )
        ]  # fmt: skip
        known = {connection.id for connection in self.connections}
        self.orphans = {number: count for number, count in counts.items() if number not in known}
        ((first,),) = self._rows("SELECT MIN(timestamp) FROM messages WHERE typeof(timestamp) = 'integer'")
        self.start_time = int(first or 0)

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def messages(self, wanted: Collection[Connection]) -> Iterator[tuple[Connection, int, bytes]]:
        """In the order of time; those of one time in the order in which they were recorded."""
        by_number = {connection.id: connection for connection in wanted}
        places = ", ".join("?" * len(by_number))
        query = f"SELECT topic_id, timestamp, data FROM messages WHERE topic_id IN ({places}) ORDER BY timestamp, id"  # noqa: S608
        for number, time_ns, data in self._rows(query, tuple(by_number)):
            yield by_number[number], time_ns, data

    def first_of(self, connection: Connection, count: int) -> list[bytes]:
        query = "SELECT data FROM messages WHERE topic_id = ? AND typeof(data) = 'blob' ORDER BY id LIMIT ?"
        return [data for (data,) in self._rows(query, (connection.id, count))]

    def _definitions(self) -> Iterator[tuple[str, MessageDefinition]]:
        query = "SELECT topic_type, encoding, encoded_message_definition FROM message_definitions"
        for kind, encoding, text in self._rows(query):
            if encoding in _FORMATS:
                yield kind, MessageDefinition(_FORMATS[encoding], text)

    def _rows(self, query: str, values: tuple[Any, ...] = ()) -> Iterator[Any]:
        assert self._database is not None
        return iter(self._database.execute(query, values))
