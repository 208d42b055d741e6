"""Finding saved games: quickly among thousands of records, by the ends of the files, as reading them whole would."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from farkel.game import Keep, Leave, Throw
from farkel.play.match import Match, Setup
from farkel.records import finished, person_decided, read
from farkel.rules import load
from farkel.terminal import saved_games
from farkel.terminal.saved_games import unfinished
from farkel.terminal.setup import parse_players


@pytest.fixture
def started(tmp_path: Path) -> Callable[..., Match]:
    def start(name: str, age: int, players: str = "Ann,Ben", teams: str = "", rules: str = "minimal") -> Match:
        match = Match.start(Setup(load(rules), parse_players(players, teams), "manual"), tmp_path / f"{name}.farkel")
        os.utime(match.path, (1e9 - age, 1e9 - age))
        return match

    return start


def played(match: Match, age: int) -> Path:
    match.act(Throw((1, 1, 1, 2, 3, 4)))
    match.act(Keep((1, 1, 1), "bank"))
    return closed(match, age)


def closed(match: Match, age: int) -> Path:
    match.close()
    os.utime(match.path, (1e9 - age, 1e9 - age))
    return match.path


def names(folder: Path) -> list[str]:
    return [game.path.stem for game in unfinished(folder)]


def test_games_that_were_played_come_before_those_only_begun(started: Callable[..., Match], tmp_path: Path) -> None:
    played(started("older", 9), 9)
    played(started("old", 8), 8)
    rolled = started("rolled", 2)
    rolled.act(Throw((1, 1, 1, 2, 3, 4)))
    closed(rolled, 2)
    closed(started("begun", 1), 1)
    assert names(tmp_path) == ["old", "older", "begun", "rolled"]
    assert str(unfinished(tmp_path)[0]).endswith("minimal: Ann 1,000, Ben 0")


@pytest.mark.parametrize("other", [lambda data: b"\xef\xbb\xbf" + data, lambda data: data.replace(b"\n", b"\r\n")])
def test_a_game_copied_by_another_system_is_found_and_continues(
    other: Callable[[bytes], bytes], started: Callable[..., Match], tmp_path: Path
) -> None:
    played(started("older", 9), 9)
    path = played(started("newest", 1), 1)
    path.write_bytes(other(path.read_bytes()))
    os.utime(path, (1e9 - 1, 1e9 - 1))
    assert names(tmp_path) == ["newest", "older"]
    match = Match.resume(path)
    match.act(Throw((1, 1, 1, 2, 3, 4)))
    match.close()
    record = read(path)
    assert (record.problem, len(record.moves)) == (None, 3)


def test_finished_damaged_or_other_files_are_skipped(started: Callable[..., Match], tmp_path: Path) -> None:
    over = started("over", 1)
    over.act(Leave(0))
    closed(over, 1)
    damaged = played(started("damaged", 2), 2)
    damaged.write_bytes(damaged.read_bytes().replace(b"1,000", b"2,000"))
    (tmp_path / "empty.farkel").touch()
    (tmp_path / "else.farkel").write_bytes(os.urandom(9_000))
    (tmp_path / "folder.farkel").mkdir()
    torn = played(started("torn", 4), 4)
    with torn.open("ab") as file:
        file.write(b"   3  Ben: ro")
    assert names(tmp_path) == ["torn"]
    assert names(tmp_path / "nowhere") == []


def test_only_people_decide_and_teams_by_their_name(started: Callable[..., Match]) -> None:
    match = started("bots", 0, "bot:bold,Ann", rules="minimal(start=first_seat)")
    match.act(Throw((1, 1, 1, 2, 3, 4)))
    match.act(Keep((1, 1, 1), "bank"))
    match.close()
    assert not person_decided(match.path)
    assert person_decided(
        played(started("team", 0, "", "Reds=Ann+Ben,Blues=Cy+Di", rules="original(start=first_seat)"), 0)
    )


def test_the_end_of_a_record_agrees_with_the_whole(started: Callable[..., Match]) -> None:
    match = started("game", 0)
    match.act(Throw((1, 1, 1, 2, 3, 4)))
    assert not finished(match.path)
    match.act(Leave(0))
    assert finished(match.path)
    match.undo()
    assert not finished(match.path)
    match.act(Leave(1))
    match.close()
    assert finished(match.path) == read(match.path).state.over


def test_finished_with_a_secret_after_the_last_event(tmp_path: Path) -> None:
    setup = Setup(load("minimal"), parse_players("Ann,Ben"), "committed")
    match = Match.start(setup, tmp_path / "game.farkel")
    match.act(Leave(0))
    match.close()
    assert b"secret" in match.path.read_bytes()
    assert finished(match.path)


def test_thousands_of_finished_records_are_not_read(
    started: Callable[..., Match], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = started("over", 1)
    over.act(Leave(0))
    closed(over, 1)
    for number in range(200):
        shutil.copy2(over.path, tmp_path / f"over-{number}.farkel")
    played(started("real", 9), 9)
    opened: list[Path] = []

    def counted(path: Path) -> object:
        opened.append(path)
        return read(path)

    monkeypatch.setattr(saved_games, "read", counted)
    assert names(tmp_path) == ["real"]
    assert opened == [tmp_path / "real.farkel"]


def test_no_more_games_are_read_than_are_shown(started: Callable[..., Match], tmp_path: Path) -> None:
    for number in range(12):
        played(started(f"game-{number:02}", number), number)
    closed(started("begun", 0), 0)
    assert names(tmp_path) == [f"game-{number:02}" for number in range(9)]
