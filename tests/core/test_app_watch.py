"""Saved games in the app: the list of them, and a game watched again on the table."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from app_helpers import new_match, running, said, seen, shows, table, text, until
from farkel.game import Leave
from farkel.play.match import Match
from farkel.players import make_player
from farkel.records import read
from farkel.terminal.app import games_screen, watch_screen
from farkel.terminal.app.app import FarkelApp
from farkel.terminal.app.dialogs import Question, Reading
from farkel.terminal.app.game_over_screen import GameOver
from farkel.terminal.app.game_screen import GameScreen
from farkel.terminal.app.games_screen import GamesScreen
from farkel.terminal.app.setup_screen import SetupScreen
from farkel.terminal.app.watch_screen import WatchScreen
from farkel.terminal.cli import main

pytestmark = pytest.mark.usefixtures("surroundings")


def random_game(rules: str = "minimal(target=1500)", players: str = "Ann,bot:bold", moves: int = 500) -> Match:
    """Return a game of random decisions, which has mistakes."""
    match, player = new_match(rules, players), make_player("random")
    while not match.state.over and len(match.moves) < moves:
        if match.state.dice_due:
            match.throw()
        else:
            match.act(player.decide(match.state, random.Random(len(match.moves))))
    return match


async def test_a_saved_game_is_watched_with_its_chances_and_mistakes() -> None:
    match = random_game()
    match.close()
    app = FarkelApp(watched=read(match.path), animate=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, WatchScreen, "Winning chances:")
        screen = pilot.app.screen
        assert isinstance(screen, WatchScreen)
        assert screen.review is not None
        await seen(pilot, f"move 0 of {len(match.moves)}", "58.8%")
        await pilot.press("pagedown")
        wrong = screen.review.errors[0]
        assert screen.review.steps[screen.at - 1].decision == wrong
        assert f"{wrong.grade.capitalize()}: costs {wrong.error:.1%}. Better: keep" in said(pilot, "told")
        await seen(pilot, "✓")
        await pilot.press("end", "pagedown")
        await seen(pilot, "100.0%")
        assert "wins with" in said(pilot, "told")
        assert "No mistake after this move" in said(pilot, "told")
        await pilot.press("pageup")
        assert screen.review.steps[screen.at - 1].decision == screen.review.errors[-1]
        await pilot.press("home", "right", "right", "left")
        assert screen.at == 1
        await pilot.press("down")
        assert match.moves[screen.at - 1].ends_turn
        await pilot.press("up")
        assert screen.at == 0
        await pilot.press("question_mark")
        assert shows(pilot, Reading)
        await pilot.press("escape", "q")
        assert app.return_value == 0


async def test_a_game_plays_by_itself_and_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_screen, "PACE", 0.01)
    match = random_game("original", "Ann", 12)
    match.close()
    async with FarkelApp(watched=read(match.path), animate=False).run_test(size=(80, 24)) as pilot:
        await until(pilot, WatchScreen, "There are no winning chances")
        screen = pilot.app.screen
        assert isinstance(screen, WatchScreen)
        await pilot.press("space")
        await until(pilot, WatchScreen, "move 12 of 12")
        monkeypatch.setattr(watch_screen, "PACE", 3600)
        await pilot.press("space")
        await seen(pilot, "move 0 of 12")
        await pilot.press("space", "right")
        await seen(pilot, "move 1 of 12")
        assert said(pilot, "chances").startswith("There are no winning chances")


async def test_a_finished_game_is_watched_and_reviewed_from_its_end() -> None:
    match = new_match("minimal(target=1500)", "Ann,Ben")
    match.act(Leave(1))
    async with running(match) as pilot:
        assert shows(pilot, GameOver)
        await pilot.press("w")
        await until(pilot, WatchScreen, "Winning chances:")
        await pilot.press("end")
        await seen(pilot, "Ben leaves the table.")
        await pilot.press("escape")
        assert shows(pilot, GameOver)
        await pilot.press("v")
        await until(pilot, Reading, "Turning points")


async def test_my_games_are_resumed_watched_and_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    for path, moves in (("over", 500), ("open", 9)):
        match = random_game("minimal(target=1500)", "Ann,Ben", moves)
        match.close()
        match.path.rename(f"games/{path}.farkel")
    Path("games/broken.farkel").write_text("nothing")
    monkeypatch.setattr(games_screen, "FEW", -1)
    async with running() as pilot:
        assert shows(pilot, SetupScreen)
        await pilot.press("g")
        await until(pilot, GamesScreen, "3 games, 1 unfinished")
        await seen(pilot, "broken.farkel: damaged", "(unfinished)", "won)")
        lines = [line.strip(" ┃▸") for line in text(pilot).splitlines() if "┃" in line]
        await pilot.press("home", *["down"] * next(at for at, line in enumerate(lines) if "broken" in line))
        await pilot.press("w")
        await seen(pilot, "games/broken.farkel")
        assert shows(pilot, GamesScreen)
        await pilot.press("x", "escape")
        assert Path("games/broken.farkel").exists()
        await pilot.press("x")
        assert shows(pilot, Question)
        await pilot.press("y")
        await seen(pilot, "2 games, 1 unfinished", "farkel games restore broken")
        assert Path("games/trash/broken.farkel").exists()
        await pilot.press("home", *["down"] * next(at for at, line in enumerate(lines) if "won)" in line), "enter")
        await pilot.press("end", "slash", "home")
        assert "won)" not in text(pilot)
        await pilot.press("enter")
        assert shows(pilot, GameScreen)
        assert len(table(pilot).match.moves) == 9


async def test_a_key_shows_the_card_or_says_why_there_is_none() -> None:
    match = new_match("original", "Ann,Ben")
    async with running(match) as pilot:
        await pilot.press("c")
        await until(pilot, GameScreen, "there is no card")


def test_watching_without_a_terminal_names_the_command_that_prints() -> None:
    match = random_game(moves=3)
    match.close()
    result = CliRunner().invoke(main, ["watch", str(match.path)])
    assert result.exit_code == 1
    assert "print the game with: farkel replay games/game.farkel" in result.output
