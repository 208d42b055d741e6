"""Optional packages: advice about them fits how this installation was made."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from farkel.errors import FarkelError
from farkel.support import extras
from farkel.support.extras import MODULES, advice, needs
from farkel.terminal.cli import main
from farkel.terminal.command import Command

NAMES = {"prometheus-client": "prometheus_client", "python-multipart": "python_multipart"}
"""Packages that are imported by another name."""
DEVELOPMENT = {"test"}
"""Extras for work on Farkel itself, which no command needs."""
PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def commands(group: click.Group, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Command]]:
    """Return every command of a group with the words that call it."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*above, name))
        else:
            assert isinstance(command, Command), name
            yield (*above, name), command


COMMANDS = list(commands(main))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Any:
    """An installation of some origin, in some environment."""

    def install(origin: dict[str, Any] | None, prefix: str = "/home/ann/venv", pip: bool = True) -> None:
        class Distribution:
            def read_text(self, name: str) -> str | None:
                return json.dumps(origin) if name == "direct_url.json" and origin is not None else None

        monkeypatch.setattr(extras, "distribution", lambda name: Distribution())
        monkeypatch.setattr(extras, "find_spec", lambda name: object() if pip else None)
        monkeypatch.setattr(sys, "prefix", prefix)
        monkeypatch.setattr(sys, "executable", f"{prefix}/bin/python")

    return install


def test_advice_fits_how_it_was_installed(made: Any) -> None:
    pip = "/home/ann/venv/bin/python -m pip install"
    made(None)
    assert advice("charts") == f"{pip} 'farkel[charts]'"
    made({"url": "file:///home/ann/my%20games", "dir_info": {}})
    assert advice("web") == f"{pip} '/home/ann/my games[web]'"
    made({"url": "file:///home/ann/farkel", "dir_info": {"editable": True}})
    assert advice("web") == f"{pip} -e '/home/ann/farkel[web]'"
    made({"url": "file:///home/ann/farkel-0.1.0-py3-none-any.whl", "archive_info": {}})
    assert advice("train") == f"{pip} '/home/ann/farkel-0.1.0-py3-none-any.whl[train]'"
    made({"url": "https://example.org/farkel", "vcs_info": {"vcs": "git", "commit_id": "abc"}})
    assert advice("charts") == f"{pip} 'farkel[charts] @ git+https://example.org/farkel'"
    made({"url": "https://example.org/farkel.whl", "archive_info": {}})
    assert advice("charts") == f"{pip} 'farkel[charts] @ https://example.org/farkel.whl'"


def test_advice_is_for_the_tool_that_installed_it(made: Any) -> None:
    made(None, "/home/ann/.local/share/pipx/venvs/farkel")
    assert advice("charts") == "pipx install --force 'farkel[charts]'"
    made(None, "/home/ann/.local/share/uv/tools/farkel")
    assert advice("charts") == "uv tool install --force 'farkel[charts]'"
    made(None, "/home/ann/.cache/uv/archive-v0/3xYz")
    assert advice("charts") == "uvx --from 'farkel[charts]' farkel"
    made(None, "/home/ann/.cache/pipx/1e14cc47cbf1eef")
    assert advice("charts") == "pipx run --spec 'farkel[charts]' farkel"
    made(None, pip=False)
    assert advice("charts") == "uv pip install --python /home/ann/venv/bin/python 'farkel[charts]'"


def test_an_environment_within_the_working_folder_is_named_from_it(
    made: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    made({"url": tmp_path.as_uri(), "dir_info": {"editable": True}}, str(tmp_path / ".venv"))
    assert advice("charts") == ".venv/bin/python -m pip install -e '.[charts]'"


@pytest.mark.parametrize("text", ["", "[]", "{", "null"])
def test_an_unreadable_origin_is_ignored(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Distribution:
        def read_text(self, name: str) -> str:
            return text

    monkeypatch.setattr(extras, "distribution", lambda name: Distribution())
    assert advice("charts").endswith("'farkel[charts]'")


def test_a_program_that_was_never_installed_gets_advice_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(extras, "distribution", missing)
    assert advice("charts").endswith("'farkel[charts]'")


def test_every_extra_of_the_project_is_known_with_its_modules() -> None:
    if not PROJECT.exists():
        pytest.skip("there is no pyproject.toml here")
    declared = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]
    assert sorted(MODULES) == sorted(set(declared) - DEVELOPMENT)
    for extra, requirements in declared.items():
        if extra in DEVELOPMENT:
            continue
        for requirement in requirements:
            name = requirement.split(">")[0].split(";")[0].split("[")[0]
            if name not in ("farkel", "uvloop"):
                assert NAMES.get(name, name) in MODULES[extra], (extra, requirement)


def test_commands_name_extras_that_there_are() -> None:
    assert {command.needs for _, command in COMMANDS} <= {"", *MODULES}


def test_the_documentation_says_which_command_needs_what() -> None:
    page = PROJECT.parent / "docs" / "install.md"
    if not page.exists():
        pytest.skip("there is no documentation here")
    extras_table = next(part for part in page.read_text().split("\n\n") if part.startswith("| extra"))
    rows = [line.split("|")[1:4] for line in extras_table.splitlines()][1:]
    table = {extra.strip().strip("`"): commands for extra, _, commands in rows if "---" not in extra}
    assert sorted(set(table) - {"none"}) == sorted(MODULES)
    for names, command in COMMANDS:
        name = " ".join(names) if command.needs else names[0]
        assert re.search(rf"\b{name}`", table[command.needs or "none"]), name


def test_a_command_names_its_extra_before_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    for names, command in COMMANDS:
        if command.needs:
            required = [parameter for parameter in command.params if parameter.required]
            words = [
                word for one in required for word in ([one.opts[0], "1"] if one.opts[0].startswith("-") else ["x"])
            ]
            result = CliRunner().invoke(main, [*names, *words])
            assert (names, result.exit_code) == (names, 1)
            assert result.output.startswith(f"Error: farkel {names[-1]} needs "), result.output


def test_a_missing_extra_is_an_error_with_a_code(monkeypatch: pytest.MonkeyPatch) -> None:
    needs("charts")
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(FarkelError, match=r"^a picture needs matplotlib: ") as caught:
        needs("charts", "a picture")
    assert caught.value.code == "not_installed"


def test_a_large_extra_is_named_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(FarkelError, match=r"^this needs numba \(about 250 MB\): .*\[native\]"):
        needs("native")
