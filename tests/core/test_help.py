"""Help: nothing cut, every command in the man page, words that are completed, exit statuses that are documented."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from test_cli import printed, refused

from farkel.terminal.cli import main
from farkel.terminal.options import GameFile
from farkel.terminal.streams import STATUSES

INSTALL = Path(__file__).parents[2] / "docs" / "install.md"


def commands(group: click.Group = main, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        yield (*before, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*before, name))


@pytest.mark.parametrize("words", [(), *commands()], ids=" ".join)
def test_help_at_80_columns_cuts_no_sentence(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = printed(*words, "--help").splitlines()
    assert max(map(len, lines)) <= 80
    told = [line for line in lines if not line.startswith("Usage:")]
    cut = [line for line in told if re.search(r"[a-z,]\.\.\.$", line.rstrip())]
    assert cut == []


def needing(group: click.Group = main, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the commands that need an option or argument."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from needing(command, (*before, name))
        elif any(param.required for param in command.params):
            yield (*before, name)


@pytest.mark.parametrize("words", needing(), ids=" ".join)
def test_what_is_missing_is_named_with_an_example_that_is_understood(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = refused(*words)
    assert "\nError: give " in told
    example = told.partition("For example: farkel ")[2].strip()
    assert example.startswith(" ".join(words))
    monkeypatch.setattr(GameFile, "convert", lambda self, value, *param: Path(value))
    command: click.Command = main
    for word in words:
        assert isinstance(command, click.Group)
        command = command.commands[word]
    assert command.make_context(words[-1], shlex.split(example)[len(words) :])


@pytest.mark.parametrize("rules", ["standard", "standard(target=500)"])
def test_rules_in_the_place_of_an_argument_are_told_their_option(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    told = f"Error: {rules} has no place there; give rules like this: farkel odds --rules {shlex.quote(rules)}"
    assert refused("odds", rules).endswith(f"{told}\n")
    assert "unexpected extra argument" in refused("rules", "standard", rules)
    assert "unexpected extra arguments" in refused("odds", rules, rules)


def test_the_list_of_commands_fits_a_small_terminal() -> None:
    wide, narrow = (main.get_help(click.Context(main, terminal_width=width - 2)) for width in (80, 60))
    assert wide.count("\n") < 23
    assert max(map(len, wide.splitlines())) < 80
    assert max(map(len, narrow.splitlines())) < 60
    assert re.search(r"^Play +Study$", wide, flags=re.MULTILINE)
    assert re.search(r"^Study$", narrow, flags=re.MULTILINE)
    for name, command in main.commands.items():
        for told in (wide, narrow):
            assert re.search(rf"  {name} +{re.escape(command.short_help or '')}( |$)", told, flags=re.MULTILINE), name


def test_no_command_at_all_shows_the_list() -> None:
    assert printed() == printed("--help")


def test_help_names_a_command_as_it_is_typed() -> None:
    assert printed("help") == printed("--help")
    assert printed("help", "score") == printed("score", "--help")
    assert printed("help", "games", "delete") == printed("games", "delete", "--help")
    assert 'there is no command "games sell"' in refused("help", "games", "sell")
    assert "leave out COMMAND" in refused("help", "score", "--man")


def test_the_man_page_has_every_command_option_and_exit_status() -> None:
    page = printed("help", "--man").replace("\\-", "-")
    for words in commands():
        assert f".SS farkel {' '.join(words)}\n" in page
    for option in ("--rules NAME|FILE", "--resume [GAME]", "--dice [system|manual|committed]", "--scores LIST"):
        assert f".B {option}" in page
    for status, meaning in STATUSES.items():
        assert f".TP\n.B {status}\n{meaning}\n" in page.replace("\\(aq", "'")


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_the_man_page_renders_without_a_warning() -> None:
    page = printed("help", "--man").encode()
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, check=True)
    assert done.stderr == b""
    assert b"farkel play --players" in done.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_options_and_rule_sets(tmp_path: Path) -> None:
    (tmp_path / "farkel").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m farkel "$@"\n')
    (tmp_path / "farkel").chmod(0o755)
    ask = 'COMP_WORDS=({}); COMP_CWORD={}; COMPREPLY=(); _farkel_completion farkel; echo "${{COMPREPLY[@]}}"'
    script = [
        'eval "$(farkel completion bash)"',
        ask.format("farkel sim", 1),
        ask.format("farkel play --resu", 2),
        ask.format("farkel rules kc", 2),
    ]
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", "; ".join(script)], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["simulate", "--resume", "kcd"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_their_scripts(shell: str) -> None:
    script = printed("completion", shell)
    assert f"_FARKEL_COMPLETE={shell}_complete" in script
    assert f"farkel completion {shell}" in INSTALL.read_text()
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script.encode(), check=True)


def test_every_exit_status_is_documented() -> None:
    told = INSTALL.read_text().partition("xit status")[2]
    for status in STATUSES:
        assert re.search(rf"\b{status}\b", told), status
