"""What the window offers to parts that know code and debuggers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from studio.editor.code.controller import CodeController
    from studio.editor.code.debug_control import DebugControl
    from studio.editor.code.documents import CodeDocuments


class WithCode(Protocol):
    @property
    def code(self) -> CodeDocuments: ...


class WithCodeController(Protocol):
    @property
    def code_controller(self) -> CodeController: ...


class WithDebug(Protocol):
    @property
    def debug(self) -> DebugControl: ...
