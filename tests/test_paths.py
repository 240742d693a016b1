"""Where components, models and projects are looked for, and in which order."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from studio import paths


def make(*folders: Path) -> None:
    for folder in folders:
        folder.mkdir(parents=True)


@pytest.fixture(autouse=True)
def no_studio_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STUDIO_PATH", raising=False)


def test_studio_path_is_searched_in_order_before_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "a" / "components", tmp_path / "b" / "components", tmp_path / "checkout" / "studio")
    make(tmp_path / "checkout" / "components", tmp_path / "checkout" / "studio" / "share" / "components")
    (tmp_path / "checkout" / "pyproject.toml").touch()
    monkeypatch.setenv("STUDIO_PATH", os.pathsep.join([str(tmp_path / "b"), "", str(tmp_path / "a")]))
    assert paths.share_roots(tmp_path / "checkout" / "studio") == [
        tmp_path / "b",
        tmp_path / "a",
        tmp_path / "checkout",
        tmp_path / "checkout" / "studio" / "share",
    ]
    assert paths.component_roots()[:2] == [tmp_path / "b" / "components", tmp_path / "a" / "components"]


def test_an_installed_package_does_not_take_site_packages_for_a_checkout(tmp_path: Path) -> None:
    make(tmp_path / "site-packages" / "studio", tmp_path / "site-packages" / "components")
    package = tmp_path / "site-packages" / "studio"
    assert paths.share_roots(package) == [package / "share"]


def test_a_projects_own_components_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "root" / "components", tmp_path / "cart" / "components", tmp_path / "cart" / "models")
    monkeypatch.setenv("STUDIO_PATH", str(tmp_path / "root"))
    assert paths.component_roots(tmp_path / "cart")[:2] == [
        tmp_path / "cart" / "components",
        tmp_path / "root" / "components",
    ]
    assert paths.model_roots(tmp_path / "cart")[0] == tmp_path / "cart" / "models"
    assert tmp_path / "cart" / "components" not in paths.component_roots()


def test_only_existing_folders_are_returned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "root" / "projects")
    monkeypatch.setenv("STUDIO_PATH", str(tmp_path / "root"))
    assert paths.project_roots()[0] == tmp_path / "root" / "projects"
    assert all(folder.is_dir() for folder in paths.component_roots() + paths.model_roots() + paths.project_roots())


def test_the_same_folder_under_two_names_is_searched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "root" / "components")
    (tmp_path / "alias").symlink_to(tmp_path / "root")
    monkeypatch.setenv("STUDIO_PATH", os.pathsep.join([str(tmp_path / "root"), str(tmp_path / "alias")]))
    mine = [folder for folder in paths.component_roots() if tmp_path in folder.parents]
    assert mine == [tmp_path / "root" / "components"]


def test_relative_entries_and_the_home_folder_become_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "here" / "models", tmp_path / "home" / "mine" / "models")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("STUDIO_PATH", os.pathsep.join(["here", "~/mine"]))
    assert paths.model_roots()[:2] == [tmp_path / "here" / "models", tmp_path / "home" / "mine" / "models"]


def test_a_mistyped_entry_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "right")
    monkeypatch.setenv("STUDIO_PATH", os.pathsep.join([str(tmp_path / "right"), str(tmp_path / "wrogn")]))
    (problem,) = paths.path_problems()
    assert "wrogn" in problem.message
    assert problem.severity == "warning"


def test_this_checkout_offers_its_own_components() -> None:
    checkout = Path(paths.__file__).resolve().parent.parent
    if not (checkout / "components").is_dir():
        pytest.skip("no components in this checkout")
    assert checkout / "components" in paths.component_roots()


def test_examples_are_told_from_projects_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, own = tmp_path / "checkout" / "studio", tmp_path / "own"
    monkeypatch.setattr(paths, "EXAMPLES", frozenset("abc"))
    make(package / "share" / "projects" / "a", tmp_path / "checkout" / "projects" / "b", own / "projects" / "c")
    (tmp_path / "checkout" / "pyproject.toml").touch()
    monkeypatch.setenv("STUDIO_PATH", str(own))
    shipped = (package / "share" / "projects" / "a", tmp_path / "checkout" / "projects" / "b")
    assert all(paths.came_with_studio(folder, package) for folder in shipped)
    mine = tmp_path / "checkout" / "projects" / "mine"
    others = (own / "projects" / "c", mine, mine / "a", tmp_path / "checkout" / "projects", tmp_path / "elsewhere")
    assert not any(paths.came_with_studio(folder, package) for folder in others)


def test_every_project_that_is_delivered_is_known_as_an_example() -> None:
    checkout = Path(paths.__file__).resolve().parent.parent
    listed = subprocess.run(
        ["git", "ls-files", "projects/*/system.xml"], cwd=checkout, capture_output=True, text=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("this checkout has no history")
    assert {Path(line).parent.name for line in listed.stdout.splitlines()} == paths.EXAMPLES
