"""Output that fits the terminal: no line is wider, no word is cut, no number is lost, and what is long is paged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from farkel.terminal import output
from farkel.terminal.cli import main
from farkel.terminal.fitting import fitted
from farkel.terminal.output import show, table

SMALL = ("--rules", "minimal(target=1000)")
COMMANDS = [
    ("rules",),
    ("rules", "original"),
    ("rules", "standard"),
    ("rules", "--search", "lives"),
    ("odds",),
    ("score", "112345"),
    ("turn", "--rules", "original"),
    ("race", *SMALL),
    ("advise", *SMALL, "--scores", "450,600", "--turn", "350", "--roll", "152233"),
    ("exploit", "cautious", *SMALL),
    ("dice", "--source", "seeded", "--seed", "7", "--rolls", "1000"),
    ("replay", "1"),
    ("review", "1"),
    ("games",),
    ("games", "statistics"),
    ("verify", "1"),
]
TIMED = [("solve", *SMALL), ("simulate", "--players", "bold,cautious,turn,random", "--games", "50", "--seed", "1")]
"""Commands that print how long they took."""


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home with one game, of players with long names."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    players = ("--players", "Bartholomew Smith,Maximiliane Jones", "--seed", "5")
    printed("play", "--plain", *SMALL, *players, said="\nb\nr\n" * 200)


def printed(*words: str, said: str | None = None) -> str:
    """Return what a command prints as its result, without its progress."""
    result = CliRunner().invoke(main, words, input=said)
    assert result.exit_code == 0, result.output
    return result.stdout


def words(text: str) -> set[str]:
    return {word for word in text.split() if not re.fullmatch("[=-]+", word)}


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_results_fit_the_terminal_word_by_word(command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = printed(*command)
    for width in (60, 80):
        monkeypatch.setenv("COLUMNS", str(width))
        narrow = printed(*command)
        fits(narrow, width)
        assert words(narrow) == words(whole)


@pytest.mark.parametrize("command", TIMED, ids=" ".join)
@pytest.mark.parametrize("width", [60, 80])
def test_results_of_measurements_fit(command: tuple[str, ...], width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    fits(printed(*command), width)


def fits(text: str, width: int) -> None:
    """Check that lines are no wider than this, unless they are one word, such as a path."""
    assert not [line for line in text.splitlines() if len(line) > width and len(line.split()) > 1]


def test_the_help_of_every_command_fits_60_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    for name in main.commands:
        fits(printed(name, "--help"), 60)


def test_an_error_fits_60_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    told = CliRunner().invoke(main, ["score", "112345", "--rules", "standard", "--set", "target=much"]).output
    assert len(told.splitlines()) > 1
    fits(told, 60)
    assert "Error: " in told


@pytest.mark.parametrize("options", [(), ("--public-url", "https://farkle.example"), ("--host", "127.0.0.1")])
@pytest.mark.parametrize("room", ["192.168.100.100", ""])
def test_what_serve_prints_fits(options: tuple[str, ...], room: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.web.serve.address_in_the_room", lambda: room)
    monkeypatch.setattr("farkel.web.serve.serve", lambda *settings: None)
    command = ("serve", "--port", "0", "--database", "sqlite:///games.sqlite", *options)
    whole = printed(*command)
    for width in (60, 80):
        monkeypatch.setenv("COLUMNS", str(width))
        narrow = printed(*command)
        fits(narrow, width)
        assert len(words(narrow)) == len(words(whole))
    assert {len(line) <= 80 or "games.sqlite" in line for line in whole.splitlines()} == {True}


def test_serve_draws_no_code_that_is_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.web.serve.serve", lambda *settings: None)
    monkeypatch.setattr("farkel.terminal.commands.serve.serve._draws", lambda: True)
    address = f"https://farkle.example/{'games/' * 40}"
    command = ("serve", "--port", "0", "--database", "sqlite:///games.sqlite", "--public-url", address)
    drawn = {}
    for width in ("60", "80"):
        monkeypatch.setenv("COLUMNS", width)
        drawn[width] = "▀" in printed(*command)
    assert drawn == {"60": False, "80": True}


def test_a_file_or_a_pipe_gets_whole_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert max(map(len, printed("review", "1").splitlines())) > 80


def test_a_whole_game_is_played_in_plain_lines_of_60_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    rules = ("--rules", "build-on", "--set", "target=1500", "--seed", "3")
    said = "?\ns\nlog\n" + "\nf\nb\nr\n" * 300
    told = printed("play", "--plain", *rules, "--players", "Ann,bot:cautious", said=said)
    fits(told, 60)
    assert re.search(r"wins? with [\d,]+", told)


# The parts ------------------------------------------------------------------------------------------------------------

ROWS = [["", "games", "", "points per turn", "last"], ["Ann", "1,000", "50.0%", "432", "1"], ["Ben", "1", "", "5", "0"]]


def test_a_table_first_wraps_its_heads() -> None:
    assert table(ROWS, "<>>>>", 60).splitlines()[0] == "     games         points per turn  last"
    assert table(ROWS, "<>>>>", 36).splitlines() == [
        "     games          points per  last",
        "                          turn",
        "Ann  1,000  50.0%          432     1",
        "Ben      1                   5     0",
    ]


def test_a_table_without_room_goes_on_below_beside_its_first_column() -> None:
    assert table(ROWS, "<>>>>", 20).splitlines() == [
        "     games",
        "Ann  1,000  50.0%",
        "Ben      1",
        "",
        "        points  last",
        "      per turn",
        "Ann        432     1",
        "Ben          5     0",
    ]


def test_texts_in_a_table_wrap_between_words() -> None:
    rows = [["1", "Ann", "keeps two 1s and banks 200 points"], ["2", "Ben", "farkles"]]
    assert table(rows, "><<", 30).splitlines() == [
        "1  Ann  keeps two 1s and banks",
        "        200 points",
        "2  Ben  farkles",
    ]


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("short", ["short"]),
        ("a sentence that is too long", ["a sentence that is", "too long"]),
        ("  11  keeps two dice of six", ["  11  keeps two dice", "      of six"]),
        ("/a/path/without/any/space/in/it", ["/a/path/without/any/space/in/it"]),
    ],
)
def test_a_long_line_is_continued_below_its_text(line: str, lines: list[str]) -> None:
    assert fitted(line, 20).split("\n") == lines


@pytest.mark.parametrize(("lines", "screen", "paged"), [(24, True, True), (23, True, False), (99, False, False)])
def test_what_is_longer_than_the_screen_is_paged(
    lines: int, screen: bool, paged: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(output, "on_a_screen", lambda: screen)
    monkeypatch.setattr("click.echo_via_pager", seen.append)
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("COLUMNS", "80")
    text = "\n".join(map(str, range(lines)))
    show(text)
    assert (seen == [f"{text}\n"], capsys.readouterr().out == f"{text}\n") == (paged, not paged)
