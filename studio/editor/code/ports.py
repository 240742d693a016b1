"""What the window offers to parts that know code and debuggers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from studio.editor.code.debug_control import DebugControl
    from studio.editor.code.desk import CodeDesk
    from studio.editor.code.documents import CodeDocuments


class WithCode(Protocol):
    @property
    def code(self) -> CodeDocuments: ...


class WithCodeDesk(Protocol):
    @property
    def code_desk(self) -> CodeDesk: ...


class WithDebug(Protocol):
    @property
    def debug(self) -> DebugControl: ...
