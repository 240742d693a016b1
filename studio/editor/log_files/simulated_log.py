"""A log for a project that has none: a Pioneer drives through the simulator, and its drive is written as a CARMEN log.

Two commands do it that anybody could type: `studio run … --record`, then `studio convert … --to carmen`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QObject, QProcess, pyqtSignal

from studio.model.document import SYSTEM_FILE
from studio.model.sources import Source
from studio.recordings import unused

SECONDS = 45
FROM_CARMEN = "/carmen/"
DRIVE = """<system name="pioneer_drive" version="1">
  <doc>A Pioneer drives through a maze; its laser and odometry are recorded.</doc>
  <geometry assembly="pioneer_3at"/>
  <source name="pioneer" mode="simulated">
    <port name="laser" direction="out" type="Range3d"/>
    <port name="odometry" direction="out" type="Odometry"/>
    <port name="twist" direction="in" type="Twist"/>
    <port name="true_pose" direction="out" type="PoseTransform" truth="true"/>
    <simulated>
      <component name="simulator" type="pioneer_3at_simulator">
        <parameter name="world" value="maze"/>
      </component>
      <bind port="laser" to="simulator.laser"/>
      <bind port="odometry" to="simulator.odometry"/>
      <bind port="twist" to="simulator.twist"/>
      <bind port="true_pose" to="simulator.true_pose"/>
    </simulated>
  </source>
  <component name="avoid" type="laser_obstacle_avoid"/>
  <wire from="pioneer.laser" to="avoid.scan"/>
  <wire from="avoid.motion" to="pioneer.twist"/>
</system>
"""


def takes_carmen(source: Source) -> bool:
    """Whether what a source plays was a CARMEN log before it was imported."""
    topics = source.logged.topics.values() if source.logged is not None else ()
    return bool(topics) and all(topic.startswith(FROM_CARMEN) for topic in topics)


class SimulatedLog(QObject):
    """Makes one log and is done."""

    made = pyqtSignal(object)
    """The CARMEN log."""
    failed = pyqtSignal(str)

    def __init__(
        self,
        studio: Callable[..., QProcess],
        folder: Path,
        parent: QObject | None = None,
        *,
        seconds: float = SECONDS,
    ) -> None:
        """`studio`: a process for a command of ours; `folder`: where the log goes."""
        super().__init__(parent)
        self._studio = studio
        self._folder = folder
        self._seconds = seconds
        self._home = tempfile.TemporaryDirectory(prefix="studio-drive-")
        self._process: QProcess | None = None

    def start(self) -> None:
        project = Path(self._home.name) / "pioneer_drive"
        project.mkdir()
        (project / SYSTEM_FILE).write_text(DRIVE, encoding="utf-8")
        words = ("run", str(project), "--for", f"{self._seconds:g}", "--rate", "0", "--json", "--record")
        self._run(lambda: self._write(), *words, str(self._recording), "--topics", "/pioneer/*")

    def cancel(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.finished.disconnect()
            process.terminate()
            process.finished.connect(lambda *_: self._home.cleanup())

    @property
    def _recording(self) -> Path:
        return Path(self._home.name) / "drive.mcap"

    def _write(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        log = unused(self._folder / "simulated_pioneer.log")
        self._run(lambda: self._have(log), "convert", str(self._recording), str(log), "--to", "carmen")

    def _have(self, log: Path) -> None:
        self._home.cleanup()
        self.made.emit(log)

    def _run(self, then: Callable[[], None], *words: str) -> None:
        process = self._process = self._studio(*words)

        def ended(status: int, _: QProcess.ExitStatus) -> None:
            self._process = None
            said = bytes(process.readAllStandardError().data()).decode(errors="replace").strip()
            process.deleteLater()
            if status == 0:
                then()
            else:
                self._home.cleanup()
                self.failed.emit(said or f"studio {words[0]} ended with status {status}")

        process.finished.connect(ended)
        process.start()
