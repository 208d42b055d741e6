"""The documentation is run: its commands print what it says, its Python works, its record is a record."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from gymnasium.utils import seeding
from mypy import api

import farkel
from farkel.game import REFUSALS
from farkel.records import parse_record
from farkel.rules import fields
from farkel.support.lazy import homes
from home import environment
from make_architecture import PICTURE, picture
from make_library import MOVED
from make_library import pages as library

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


CONSOLE = [(page.stem, block) for page in PAGES for block in blocks(page, "console")]
PYTHON = [(page.stem, block) for page in PAGES for block in blocks(page, "python")]


@pytest.mark.parametrize(("page", "block"), CONSOLE, ids=[f"{page}-{n}" for n, (page, _) in enumerate(CONSOLE)])
def test_the_page_shows_real_output(page: str, block: str, tmp_path: Path) -> None:
    """``$ command`` lines of a block run one after the other in an empty folder; ``...`` stands for any lines."""
    farkel = f"{sys.executable} -m farkel"
    for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", block, re.MULTILINE):
        done = subprocess.run(
            re.sub(r"\bfarkel (?=[a-z-])", f"{farkel} ", command),
            shell=True,
            cwd=tmp_path,
            env=environment(XDG_CACHE_HOME=str(tmp_path), XDG_DATA_HOME=str(tmp_path), HOME=str(tmp_path)),
            capture_output=True,
            text=True,
            check=False,
        )
        pattern = re.escape(expected.strip()).replace(re.escape("..."), r"[\s\S]*")
        said = [line for line in done.stderr.splitlines() if not line.startswith("Compiling ")]  # once, if at all
        printed = "\n".join([done.stdout, *said]).strip()
        if expected.strip():
            assert re.fullmatch(pattern, "\n".join(line.rstrip() for line in printed.splitlines())), printed
        else:
            assert done.returncode == 0, printed


WRONG = {
    "farkel.names(7)": 'Too many arguments for "names"',
    "farkel.best_turn(7)": 'Argument 1 to "best_turn" has incompatible type "int"',
    "farkel.best_turn().bank_at": 'Missing positional argument "rules" in call to "best_turn"',
}


def test_the_lines_of_the_readme_pass_strict_types(tmp_path: Path) -> None:
    lines = blocks(ROOT / "README.md", "python")
    assert lines
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text("\n".join(lines), "utf-8")
    wrong.write_text("\n".join(["import farkel", *WRONG]), "utf-8")
    said, _, status = api.run(["--strict", "--no-error-summary", "--cache-dir", str(tmp_path), str(right)])
    assert (said, status) == ("", 0)
    said, _, _ = api.run(["--strict", "--no-error-summary", "--cache-dir", str(tmp_path), str(wrong)])
    for line, sentence in zip(said.splitlines(), WRONG.values(), strict=True):
        assert sentence in line


@pytest.mark.parametrize(("page", "block"), PYTHON, ids=[f"{page}-{n}" for n, (page, _) in enumerate(PYTHON)])
def test_python_runs(page: str, block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(
        seeding, "np_random", lambda seed=None, made=seeding.np_random: made(1 if seed is None else seed)
    )
    exec(compile(block, page, "exec"), {"__name__": page})


def test_the_record_on_the_page_is_a_record() -> None:
    (text,) = blocks(ROOT / "docs/notation.md", "text")
    record = parse_record(text.encode())
    assert record.problem is None
    assert record.number > 4


def test_every_rule_field_cites_a_clause_of_the_rules_page() -> None:
    page = (ROOT / "docs/rules.md").read_text()
    clauses = set(re.findall(r"\*\*([A-Z]\d+)\*\*", page)) | {"X"}
    for name, info in fields().items():
        if name in ("name", "title", "source", "about"):
            continue
        cited = set(re.findall(r"\b([A-Z]\d+|X)\b", info.description or ""))
        assert cited, f"{name} cites no clause"
        assert cited <= clauses, f"{name} cites {cited - clauses}"


def test_every_refusal_is_documented() -> None:
    page = (ROOT / "docs/api.md").read_text()
    for code in REFUSALS:
        assert f"`{code}`" in page


ADDED = {ROOT / "docs" / path for path, _ in library()} | {ROOT / "docs" / path for path in MOVED}
"""Pages that are only on the site."""
DOCUMENTS = [*PAGES, *sorted(ROOT.glob("[A-Z]*.md")), *sorted(ROOT.glob("*/README.md"))]


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in links."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", sorted({*DOCUMENTS}), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if target in ADDED:
            continue  # whether its anchors are there is for the builder of the site to say
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_picture_of_the_architecture_shows_the_imports_as_they_are() -> None:
    assert PICTURE.read_text("utf-8") == picture(), "draw it again: python tests/make_architecture.py"


def test_the_reference_lists_every_name_of_the_package() -> None:
    page = (ROOT / "docs/reference/farkel.md").read_text("utf-8")
    for name in homes("farkel"):
        assert f"[`{name}`][farkel." in page, name


def test_all_files_name_the_same_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (cited,) = re.findall(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    newest = re.findall(r"^## ([\d.]+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[0]
    assert project["version"] == farkel.__version__ == cited == newest
