"""Recordings go to a folder of the user's own, also those of examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.recordings import (
    choose_folder,
    log_of,
    new_recording,
    recordings_folder,
    recordings_of,
    size_words,
    where_logs_are,
)

MOMENT_NS = 1_763_450_000 * 1_000_000_000


def test_the_folder_is_named_chosen_or_among_the_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_DOCUMENTS_DIR", str(tmp_path / "Documents"))
    monkeypatch.delenv("STUDIO_RECORDINGS")
    assert recordings_folder() == tmp_path / "data" / "robot-systems-studio" / "recordings", "without documents"
    (tmp_path / "Documents").mkdir()
    assert recordings_folder() == tmp_path / "Documents" / "Robot Systems Studio" / "recordings"
    choose_folder(str(tmp_path / "big_disk"))
    assert recordings_folder() == tmp_path / "big_disk"
    monkeypatch.setenv("STUDIO_RECORDINGS", str(tmp_path / "ci"))
    assert recordings_folder() == tmp_path / "ci"
    monkeypatch.delenv("STUDIO_RECORDINGS")
    choose_folder("")
    assert recordings_folder().is_relative_to(tmp_path / "Documents")


def test_no_recording_takes_the_place_of_another(tmp_path: Path) -> None:
    first = new_recording(tmp_path, "rover", MOMENT_NS)
    assert first.parent == tmp_path and first.name.startswith("rover_2025-11-18_")
    first.touch()
    assert new_recording(tmp_path, "rover", MOMENT_NS) == first.with_name(f"{first.stem}_2.mcap")


def test_the_log_of_an_example_lies_among_the_recordings(checkout: Path, tmp_path: Path) -> None:
    """Nothing is written into an example; whoever recorded for it once finds that again."""
    example = checkout / "projects" / "raptor_blocks_world"
    assert log_of(example, "logs/drive.mcap") == recordings_of(example) / "drive.mcap"
    assert log_of(tmp_path / "mine", "logs/drive.mcap") == tmp_path / "mine" / "logs" / "drive.mcap"
    assert log_of(example, "/data/other.mcap") == Path("/data/other.mcap")


def test_a_log_is_looked_for_where_the_recordings_of_the_project_are(tmp_path: Path) -> None:
    """The dialog began in the folder of the project, where no recording ever is."""
    project = tmp_path / "rover"
    assert where_logs_are(project) == project, "it has no recordings"
    recordings_of(project).mkdir(parents=True)
    assert where_logs_are(project) == recordings_of(project)
    assert where_logs_are(None) == recordings_folder()


def test_sizes_are_told_in_the_unit_that_fits() -> None:
    """Logs of 50 kB had 0.0 MB."""
    sizes = [size_words(count) for count in (12, 49_551, 4_700_000, 2_500_000_000)]
    assert sizes == ["12 B", "50 kB", "4.7 MB", "2.50 GB"]
