"""The house: every module has its line in the architecture, and no name stands for two things."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

import farkel
from farkel.support.lazy import homes

ROOT = Path(farkel.__file__).parent
ARCHITECTURE = Path(__file__).parents[2] / "docs" / "architecture.md"
PACKAGES = sorted(path.parent.relative_to(ROOT) for path in ROOT.rglob("__init__.py") if path.parent != ROOT)


def modules(package: Path) -> set[str]:
    return {path.stem for path in (ROOT / package).glob("*.py")} - {"__init__"}


def described() -> dict[str, list[str]]:
    """The modules that each section of the architecture has a line for."""
    found: dict[str, list[str]] = {}
    where = ""
    for line in ARCHITECTURE.read_text("utf-8").splitlines():
        if line.startswith("## "):
            where = line.removeprefix("## ")
        elif start := re.match(r"In `([a-z_/]+)`", line):
            where = start[1]
        elif module := re.fullmatch(r"    ([a-z_0-9]+) {2,}(\S.*)", line):
            found.setdefault(where, []).append(module[1])
    return found


@pytest.mark.skipif(not ARCHITECTURE.exists(), reason="the documentation is not here")
@pytest.mark.parametrize(
    "package", [one for one in PACKAGES if modules(one) and "migrations" not in one.parts], ids=str
)
def test_every_module_has_a_line_in_the_architecture(package: Path) -> None:
    assert sorted(described()[str(package)]) == sorted(modules(package))


@pytest.mark.skipif(not ARCHITECTURE.exists(), reason="the documentation is not here")
def test_what_builds_the_package_has_its_lines_too() -> None:
    assert sorted(described()["building"]) == sorted(path.stem for path in (ROOT.parents[1] / "building").glob("*.py"))


@pytest.mark.parametrize("package", [Path(), *PACKAGES], ids=str)
def test_no_module_has_the_name_of_something_that_its_package_offers(package: Path) -> None:
    """``import farkel.x.y`` would put the module in the place of what ``farkel.x`` offers by that name."""
    tree = ast.parse((ROOT / package / "__init__.py").read_text("utf-8"))
    imported = [name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for name in node.names]
    offered = {name.asname or name.name for name in imported}
    folders = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
    shadowed = offered & (modules(package) | folders)
    assert not shadowed


@pytest.mark.parametrize("package", ["dice", "rules", "players", "solve", "coach", "simulation"])
def test_a_package_that_loads_when_asked_offers_all_that_it_says(package: str) -> None:
    module = importlib.import_module(f"farkel.{package}")
    for name in module.__all__:
        getattr(module, name)
    assert set(homes(module.__name__)) <= set(module.__all__)
    with pytest.raises(AttributeError, match=f"module 'farkel.{package}' has no attribute 'nothing'; it has "):
        _ = module.nothing


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_a_folder_can_be_taken_in_at_a_glance(package: Path) -> None:
    assert len(modules(package)) <= 20
