"""Metadata with a checksum. MCAP protects messages and attachments by a CRC of their own, but not these texts."""

from __future__ import annotations

from collections.abc import Mapping

from studio.runtime.recording.format.checksums import crc32
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.mcap_records import text, text_map

SEAL = "crc32"
STOPPED = "stopped"
"""The name of the metadata by which a log tells that it ends before its run did, and why."""

IMPORTED = "studio.import"
"""The name of the metadata by which a log from elsewhere tells what it was and how it was read."""


def import_notes(metadata: Mapping[str, Mapping[str, str]]) -> list[str]:
    """What an importer decided about a log from elsewhere, one sentence each; empty for a log of Studio itself."""
    return [note for note in metadata.get(IMPORTED, {}).get("notes", "").split("\n") if note]


def sealed(name: str, values: Mapping[str, str]) -> dict[str, str]:
    return {**values, SEAL: _seal(name, values)}


def opened(name: str, values: Mapping[str, str], *, must_be_sealed: bool) -> dict[str, str]:
    """Without the seal, once it has been checked. Metadata of others has none; ours without one has a damaged one."""
    content = {key: value for key, value in values.items() if key != SEAL}
    if (must_be_sealed or SEAL in values) and values.get(SEAL) != _seal(name, content):
        raise LogError(f"metadata {name!r} is damaged: its checksum is not that of its content")
    return content


def _seal(name: str, values: Mapping[str, str]) -> str:
    return f"{crc32(text(name) + text_map(values)):08x}"
