"""Emulated devices, started from the window: for projects that know real devices and have none at hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QCoreApplication, QObject, QProcess, QTimer, pyqtSignal

from studio.editor.base.own_process import own_process
from studio.model.sources import LiveProvider
from studio.model.system import System
from studio.runtime.emulators import FOLDER

NO_DEVICES = "no devices"
"""What a question about them is about."""
ENDS_WITHIN_MS = 3000


def emulated_ports(system: System, folder: Path = FOLDER) -> list[Path]:
    """The ports of emulators that real sources of a system name."""
    ports = []
    for source in system.sources:
        provider = source.provider(source.mode)
        if source.mode == "real" and isinstance(provider, LiveProvider):
            texts = (value for component in provider.components for value in component.parameters.values())
            ports += [Path(text) for text in texts if Path(str(text)).parent == folder]
    return ports


class EmulatorController(QObject):
    """They are the window's own and end with it; a system that runs on finds them gone."""

    changed = pyqtSignal()

    def __init__(
        self,
        say: Callable[[str], object],
        complain: Callable[[str], object],
        parent: QObject | None = None,
        folder: Path = FOLDER,
    ) -> None:
        super().__init__(parent)
        self._say, self._complain, self._folder = say, complain, folder
        self._process: QProcess | None = None
        self._is_ending = self._starts_again = False
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self._finish)

    @property
    def is_running(self) -> bool:
        return self._process is not None and not self._is_ending

    def is_missed_by(self, system: System) -> bool:
        return not self.is_running and any(not port.exists() for port in emulated_ports(system, self._folder))

    def toggle(self) -> None:
        self.stop() if self.is_running else self.start()

    def start(self) -> None:
        if self._process is not None:
            self._starts_again = self._is_ending  # the ports are free when the old ones have ended
            return
        process = own_process(self, "studio.runtime.emulators", "--folder", str(self._folder))
        # Methods, not lambdas: Qt forgets them with this object, and a process that dies with it calls nobody.
        process.finished.connect(self._ended)
        process.readyReadStandardOutput.connect(self._started)
        self._process = process
        process.start()
        self.changed.emit()

    def stop(self) -> None:
        """They end in a moment; nobody waits for that."""
        self._starts_again = False
        if self._process is not None and not self._is_ending:
            self._is_ending = True
            self._process.terminate()
            patience = QTimer(self._process)
            patience.setSingleShot(True)
            patience.timeout.connect(self._process.kill)
            patience.start(ENDS_WITHIN_MS)
            self.changed.emit()

    def _finish(self) -> None:
        """All windows are closed: give them the time to remove their ports."""
        self.stop()
        if self._process is not None and not self._process.waitForFinished(ENDS_WITHIN_MS):
            self._process.kill()
            self._process.waitForFinished()

    def _started(self) -> None:
        if self._process is not None:
            self._process.readAllStandardOutput()
        self._say(f"Emulators of four devices run in {self._folder}")

    def _ended(self, status: int) -> None:
        process = self._process
        if process is None:
            return
        said = bytes(process.readAllStandardError().data()).decode(errors="replace").strip()
        process.deleteLater()
        was_ending, starts_again = self._is_ending, self._starts_again
        self._process, self._is_ending, self._starts_again = None, False, False
        if was_ending:
            self._say("The emulators have stopped")
        else:
            self._complain(f"The emulators have ended: {said.splitlines()[-1] if said else f'status {status}'}")
        self.changed.emit()
        if starts_again:
            self.start()
