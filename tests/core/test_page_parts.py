"""What making the folder needs: said with what to install, and checked before anything is made of it."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from farkel.page.building import parts
from farkel.page.building.folder import make
from farkel.page.building.parts import PageError


def program(folder: Path, name: str, does: str) -> None:
    """Put a program into a folder."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)


@pytest.fixture
def only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which programs are found."""
    found = tmp_path / "programs"
    found.mkdir()
    monkeypatch.setenv("PATH", str(found))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return found


def refused(folder: Path) -> PageError:
    """How a folder is refused."""
    with pytest.raises(PageError) as found:
        make(folder)
    return found.value


def test_without_node_it_says_what_to_install(only: Path, tmp_path: Path) -> None:
    error = refused(tmp_path / "page")
    assert error.code == "no_node"
    assert "needs Node 20 or later, which is not here" in error.message
    assert "in the package nodejs" in error.message


def test_an_old_node_is_named(only: Path, tmp_path: Path) -> None:
    program(only, "node", "echo v18.20.4")
    assert "here is v18.20.4" in refused(tmp_path / "page").message


def test_without_npm_it_says_what_to_install(only: Path, tmp_path: Path) -> None:
    program(only, "node", "echo v20.1.0")
    assert refused(tmp_path / "page").code == "no_npm"


def test_what_is_not_as_published_is_not_used(only: Path, tmp_path: Path) -> None:
    program(only, "node", "echo v20.1.0")
    with tarfile.open(tmp_path / "pyodide.tgz", "w:gz") as archive:
        archive.add(__file__, "package/pyodide.mjs")
    program(only, "npm", f'/bin/cp "{tmp_path / "pyodide.tgz"}" .')
    assert refused(tmp_path / "page").code == "other_pyodide"
    assert not list((tmp_path / "cache").rglob("*.mjs"))


def test_what_cannot_be_fetched_says_why(only: Path, tmp_path: Path) -> None:
    program(only, "node", "echo v20.1.0")
    program(only, "npm", "echo no network >&2; exit 1")
    assert refused(tmp_path / "page").message == "pyodide cannot be fetched with npm: no network"


def test_a_folder_with_other_files_and_a_file_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ann")
    assert refused(tmp_path).code == "not_empty"
    assert refused(tmp_path / "letter.txt").code == "not_a_folder"
    assert (tmp_path / "letter.txt").read_text() == "Dear Ann"


def test_pins_have_digests() -> None:
    lines = [line for line in parts.WHEELS.read_text("utf-8").splitlines() if not line.startswith("#")]
    assert lines
    assert all("==" in line and "--hash=sha256:" in line for line in lines)
