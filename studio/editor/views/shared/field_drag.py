"""A field of a topic on its way from one panel to another, by drag and drop or the clipboard."""

from __future__ import annotations

from dataclasses import dataclass

from PyQt6.QtCore import QMimeData

MIME = "application/x-studio-field"


@dataclass(frozen=True)
class Field:
    topic: str
    path: str

    def __str__(self) -> str:
        return f"{self.topic}/{self.path}"


def mime_of(fields: list[Field]) -> QMimeData:
    data = QMimeData()
    data.setData(MIME, "\n".join(f"{field.topic}\t{field.path}" for field in fields).encode())
    data.setText("\n".join(str(field) for field in fields))
    return data


def fields_in(data: QMimeData | None) -> list[Field]:
    if data is None or not data.hasFormat(MIME):
        return []
    lines = bytes(data.data(MIME).data()).decode(errors="replace").splitlines()
    parts = [line.partition("\t") for line in lines]
    return [Field(topic, path) for topic, tab, path in parts if tab]
