"""My games: the index beside the records, and what `farkel games` does with them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from test_cli import farkel, printed, refused

from farkel.errors import RecordError
from farkel.game import Keep, Leave, Throw
from farkel.play.match import Match, Setup, secret_path
from farkel.records import DiceKind, read
from farkel.rules import load
from farkel.terminal import saved_games
from farkel.terminal.saved_games import INDEX, discard, games, restore
from farkel.terminal.setup import parse_players

SOON = 1e9


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "farkel" / "games"


@pytest.fixture
def saved(folder: Path) -> Callable[..., Path]:
    """Play and close a game: Ann has banked 1,000; if it is over, Ben has left."""

    def save(name: str, age: int, over: bool = False, dice: DiceKind = "manual", players: str = "Ann,Ben") -> Path:
        rules = load("minimal(start=first_seat)")
        match = Match.start(Setup(rules, parse_players(players), dice), folder / f"{name}.farkel")
        if dice == "manual":
            match.act(Throw((1, 1, 1, 2, 3, 4)))
            match.act(Keep((1, 1, 1), "bank"))
        if over:
            match.act(Leave(1))
        match.close()
        os.utime(match.path, (SOON - age, SOON - age))
        return match.path

    return save


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The records that were read."""
    found: list[Path] = []

    def counted(path: Path) -> object:
        found.append(path)
        return read(path)

    monkeypatch.setattr(saved_games, "read", counted)
    return found


# The index -----------------------------------------------------------------------------------------------------------


def test_a_record_is_read_once_and_again_when_it_has_changed(
    saved: Callable[..., Path], folder: Path, opened: list[Path]
) -> None:
    old, new = saved("old", 9), saved("new", 1, over=True)
    first = games(folder)
    assert [entry.name for entry in first] == ["new", "old"]
    assert first == games(folder)
    assert opened == [new, old]
    match = Match.resume(old)
    match.act(Leave(0))
    match.close()
    after = games(folder)
    assert opened == [new, old, old]
    assert [(entry.name, entry.over, entry.winners) for entry in after] == [
        ("old", True, ("Ben",)),
        ("new", True, ("Ann",)),
    ]
    new.unlink()
    assert [entry.name for entry in games(folder)] == ["old"]


def test_what_was_read_before_a_stop_is_not_read_again(
    saved: Callable[..., Path], folder: Path, opened: list[Path]
) -> None:
    old, new = saved("old", 9), saved("new", 1)

    def stop(done: float, of: float) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        games(folder, stop)
    assert len(games(folder)) == 2
    assert opened == [new, old]


def test_an_entry_shows_players_and_state(saved: Callable[..., Path], folder: Path) -> None:
    saved("game", 1)
    (entry,) = games(folder)
    ann, ben = entry.players
    assert (ann.name, ann.score, ann.turns, ann.banked, ann.best, ann.player) == ("Ann", 1000, 1, 1000, 1000, "human")
    assert (ben.score, ben.turns) == (0, 0)
    assert (entry.rules, entry.resumable, entry.decided, entry.problem) == ("minimal", True, True, "")


@pytest.mark.parametrize("harm", ["damaged", "old version", "bad entry", "no folder to write"])
def test_a_useless_index_is_rebuilt(
    harm: str, saved: Callable[..., Path], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved("game", 1)
    before = games(folder)
    index = folder / INDEX
    if harm == "damaged":
        index.write_bytes(b"no index " * 100)
    elif harm == "no folder to write":
        index.unlink()
        index.mkdir()
    else:
        content = json.loads(index.read_text("utf-8"))
        changed = {"version": 0} if harm == "old version" else {"games": {"game.farkel": [1]}}
        index.write_text(json.dumps(content | changed), "utf-8")
    assert games(folder) == before
    if harm != "no folder to write":
        assert saved_games.known(folder) == {before[0].path: before[0]}


def test_a_file_that_is_not_a_record_is_listed_as_such(saved: Callable[..., Path], folder: Path) -> None:
    damaged = saved("damaged", 2)
    damaged.write_bytes(damaged.read_bytes().replace(b"1,000", b"2,000"))
    (folder / "else.farkel").write_bytes(os.urandom(9_000))
    (folder / "folder.farkel").mkdir()
    (folder / "note.txt").touch()
    found = {entry.name: entry for entry in games(folder)}
    assert set(found) == {"damaged", "else"}
    assert "checksum does not match" in found["damaged"].problem
    assert found["else"].players == ()
    assert not any(entry.resumable for entry in found.values())
    assert games(folder / "nowhere") == ()
    assert not (folder / "nowhere").exists()


def test_ten_thousand_games_are_listed_without_opening_one(
    saved: Callable[..., Path], folder: Path, opened: list[Path]
) -> None:
    source = saved("game", 1, over=True)
    text = source.read_bytes()
    assert len(games(folder)) == 1
    content = json.loads((folder / INDEX).read_text("utf-8"))
    (_, _, *entry), rows = content["games"]["game.farkel"], content["games"]
    for name in (f"game-{number}.farkel" for number in range(10_000)):
        (folder / name).write_bytes(text)
        stat = (folder / name).stat()
        rows[name] = [stat.st_size, stat.st_mtime_ns, *entry]
    (folder / INDEX).write_text(json.dumps(content), "utf-8")
    opened.clear()
    assert len(games(folder)) == 10_001
    assert opened == []


# Deleting ------------------------------------------------------------------------------------------------------------


def test_a_deleted_game_is_in_the_trash_with_its_secret_and_comes_back(
    saved: Callable[..., Path], folder: Path
) -> None:
    path = saved("game", 1, dice="committed")
    content, secret = path.read_bytes(), secret_path(path).read_bytes()
    in_trash = discard(path)
    assert games(folder) == ()
    assert in_trash == folder / "trash" / "game.farkel"
    saved("game", 1, dice="committed")
    second = discard(folder / "game.farkel")
    assert second.name == "game-2.farkel"
    assert restore(in_trash) == path
    assert (path.read_bytes(), secret_path(path).read_bytes()) == (content, secret)
    Match.resume(path).close()


def test_a_game_that_is_being_played_is_not_deleted(saved: Callable[..., Path]) -> None:
    path = saved("game", 1)
    match = Match.resume(path)
    with pytest.raises(RecordError) as caught:
        discard(path)
    assert caught.value.code == "in_use"
    match.close()
    discard(path)
    with pytest.raises(RecordError) as caught:
        discard(path)
    assert caught.value.code == "no_file"


# The command ---------------------------------------------------------------------------------------------------------


def test_the_list_shows_players_rules_and_results(saved: Callable[..., Path], folder: Path) -> None:
    assert printed("games") == f"There are no games in {folder}.\n"
    saved("old", 9)
    saved("new", 1, over=True)
    lines = printed("games").splitlines()
    assert lines[0].split()[0] == "1"
    assert lines[0].endswith("minimal  Ann 1,000, Ben 0  Ann won")
    assert lines[1].endswith("minimal  Ann 1,000, Ben 0  unfinished")
    assert f"2 games, 1 unfinished, in {folder}" in lines
    assert printed("games", "--unfinished").startswith("2  ")
    told = json.loads(printed("games", "--json"))
    assert told["folder"] == str(folder)
    assert [(game["number"], game["name"], game["winners"]) for game in told["games"]] == [
        (1, "new", ["Ann"]),
        (2, "old", []),
    ]
    assert told["games"][0]["players"][0]["score"] == 1000


def test_only_the_last_games_are_listed_unless_all_are_wanted(saved: Callable[..., Path], folder: Path) -> None:
    source = saved("game", 0)
    for number in range(1, 25):
        shutil.copy(source, folder / f"game-{number}.farkel")
    assert "Only the last 20 are listed; see the rest with: --all" in printed("games")
    assert len([line for line in printed("games", "--all").splitlines() if "Ann 1,000" in line]) == 25


def test_a_game_is_called_by_number_name_or_file(
    saved: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved("old", 9)
    saved("new", 1, over=True)
    for game in ("2", "old", str(path)):
        assert "The game is not over" in printed("verify", game)
    assert "Ann 1,000" in printed("games", "resume", "2", "--plain", said="quit\n")
    assert "there is no game 3" in refused("replay", "3")
    assert "there is no record" in refused("replay", "else")
    monkeypatch.chdir(tmp_path)
    shutil.copy(path, "1")  # a file of that name comes first
    assert "The game is not over" in printed("verify", "1")


def test_deleting_asks_first_and_names_the_trash(saved: Callable[..., Path], folder: Path) -> None:
    path = saved("game", 1)
    said = printed("games", "delete", "1", said="n\n")
    assert "Move this game to the trash? " in said
    assert "Ann 1,000" in said
    assert path.exists()
    assert str(folder / "trash" / "game.farkel") in printed("games", "delete", "1", said="y\n")
    assert not path.exists()
    assert "Ann 1,000" in printed("games", "--trash")
    assert "there is no deleted game" in refused("games", "restore", "2")
    assert f"Restored {path}" in printed("games", "restore", "game")
    assert path.exists()
    assert f"there are no deleted games in {folder / 'trash'}" in refused("games", "restore", "game")
    printed("games", "delete", "game", "--yes")
    assert not path.exists()


def test_statistics_sum_up_all_games(saved: Callable[..., Path], folder: Path) -> None:
    assert "there are no games in" in refused("games", "statistics")
    saved("one", 3)
    saved("two", 2, over=True)
    saved("three", 1, over=True, players="Ann,bot:bold")
    lines = printed("games", "statistics", "--no-luck").splitlines()
    assert lines[0] == f"3 games, 1 unfinished, in {folder}"
    assert lines[3].split() == ["Ann", "3", "2", "2", "100.0%", "1,000", "0.0%", "1,000"]
    assert lines[4].split() == ["Ben", "2", "1", "0", "0.0%", "0"]
    told = json.loads(printed("games", "statistics", "--no-luck", "--json"))
    assert [one["name"] for one in told["totals"]] == ["Ann", "Ben", "Bold"]
    assert told["luck"] is None
    assert [repr(one["finished"]) for one in told["totals"]] == ["2", "1", "1"]


def test_options_before_a_command_of_games_are_refused() -> None:
    result = farkel("games", "--json", "statistics")
    assert result.exit_code == 2
    assert "farkel games statistics" in result.output
