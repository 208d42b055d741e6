"""Help in the app: F1 on every screen, every key in words, and one meaning for each letter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.binding import Binding
from textual.screen import Screen

from app_helpers import flat, new_match, running, said, shows, text, until
from farkel.game import Keep, Leave
from farkel.play.hints import Hint
from farkel.rules import load
from farkel.terminal.app.app import FarkelApp
from farkel.terminal.app.dialogs import (
    AskName,
    Choosing,
    Help,
    HintScreen,
    Marking,
    Question,
    Reading,
    TooSmall,
    give_up_question,
    leave_question,
    line_dropped,
    write_failed,
)
from farkel.terminal.app.fields_screen import FieldsScreen
from farkel.terminal.app.game_over_screen import GameOver
from farkel.terminal.app.game_screen import GameScreen
from farkel.terminal.app.games_screen import GamesScreen
from farkel.terminal.app.progress_screen import Working
from farkel.terminal.app.screens import Dialog, FarkelScreen, Overlay, TableScreen
from farkel.terminal.app.setup_screen import SetupScreen
from farkel.terminal.app.watch_screen import WatchScreen

pytestmark = pytest.mark.usefixtures("surroundings")

HINT = Hint(Keep((1,), "bank"), "It is enough.", ("bank 100  61.0%",))
ABSTRACT = {Choosing, Dialog, FarkelScreen, Overlay, TableScreen}
OVERLAYS: list[tuple[Callable[[], FarkelScreen[Any]], str]] = [
    (lambda: Reading("Rules", "text"), "PgDn Space A page down."),
    (lambda: leave_question(Path("game.farkel"), ["Ann"]), "Press the key of your answer"),
    (lambda: AskName("Who else plays?"), "Esc Go back; nothing changes."),
    (lambda: Marking("Variations", [("a", "A"), ("b", "B")], ()), "Space Tick the line, or take its tick away."),
    (lambda: HintScreen(HINT, None), "Enter Keep these dice; nothing is rolled yet."),
    (lambda: GamesScreen(Path("none")), "X Delete Move the game to the trash."),
    (lambda: FieldsScreen(load("standard")), "Type a field with its value"),
    (lambda: WatchScreen(new_match("standard", "Ann,Ben").record), "PgDn The next mistake."),
    (lambda: Working("Calculating", lambda progress: None), "Esc Stop it."),
]


def screens(kind: type[Screen[Any]] = FarkelScreen) -> Iterator[type[Screen[Any]]]:
    for each in kind.__subclasses__():
        if each.__module__.startswith("farkel."):
            yield each
            yield from screens(each)


def bindings(screen: type[Screen[Any]]) -> list[Binding]:
    return [one for one in screen.__dict__.get("BINDINGS", ()) if isinstance(one, Binding)]


async def helped(pilot: Any, says: str) -> None:
    """Check that F1 opens the help, which says this, and closes it again."""
    screen = pilot.app.screen
    await pilot.press("f1")
    await until(pilot, Help, screen.ABOUT)
    page = flat(said(pilot, "text"))
    assert says in page
    assert "Ctrl+Q Leave Farkel at once" in page
    await pilot.press("f1")
    assert pilot.app.screen is screen


async def test_F1_is_help_on_every_screen() -> None:
    shown: set[type[Screen[Any]]] = set()
    async with running() as pilot:
        await helped(pilot, "Space Tick variations of the rules.")
        assert "F1 Help" in flat(text(pilot))
        shown.add(SetupScreen)
        for make, says in OVERLAYS:
            overlay = make()
            pilot.app.push_screen(overlay)
            await pilot.pause()
            if isinstance(overlay, Working):
                assert overlay.ABOUT
            else:
                await helped(pilot, says)
                overlay.dismiss()
                await pilot.pause()
            shown.add(type(overlay))
    Path("games/game.farkel").unlink()
    async with running(new_match("standard", "Ann,Ben")) as pilot:
        await helped(pilot, "R Space Roll, or roll on with the dice left.")
        await pilot.press("f1")
        assert "1 to 6 Keep this die" in flat(said(pilot, "text"))
        await pilot.press("escape")
        pilot.app.screen.play(Leave(0))  # type: ignore[attr-defined]
        await until(pilot, GameOver)
        await helped(pilot, "Esc Back to the set-up, for another game.")
    assert {*screens()} - ABSTRACT - {TooSmall, Help} == shown | {GameScreen, GameOver}


def test_every_key_has_its_words() -> None:
    for screen in screens():
        for one in bindings(screen):
            assert one.tooltip or screen is TooSmall, (screen, one.key)
        assert screen.__dict__.get("ABOUT") or screen in ABSTRACT | {TooSmall, Help}, screen


def test_a_letter_means_one_thing_on_all_screens() -> None:
    meanings: dict[str, set[str]] = {}
    for screen in (*screens(), FarkelApp):
        for one in screen.__dict__.get("BINDINGS", ()):
            for key in one.key.split(","):
                if len(key) == 1 and key.isalpha():
                    meanings.setdefault(key.lower(), set()).add(one.description.split()[0])
    questions = [leave_question(Path("x"), ["Ann"]), give_up_question("Ann"), write_failed("full"), line_dropped("x")]
    for question in questions:
        for key, label in question._answers:
            if len(key) == 1 and key.isalpha():
                meanings.setdefault(key, set()).add(label.partition(";")[0].partition(",")[0])
    assert {letter: words for letter, words in meanings.items() if len(words) > 1} == {}
    assert meanings["r"] == {"Roll"}
    assert meanings["v"] == {"Review"}
    assert meanings["u"] == {"Undo"}
    assert meanings["q"] == {"Leave"}


def test_keys_that_several_screens_have_are_written_once() -> None:
    meant: dict[tuple[str, str], set[int]] = {}
    for screen in screens():
        for one in screen.__dict__.get("BINDINGS", ()):
            if one.show and one.action in ("rules", "scores", "log", "card", "watch", "review"):
                meant.setdefault((one.key, one.action), set()).add(id(one))
    assert len(meant) == 6
    assert {len(ones) for ones in meant.values()} == {1}


async def test_the_set_up_shows_tab_arrows_space_and_the_editor_of_rules() -> None:
    async with running(size=(60, 20)) as pilot:
        keys = flat(" ".join(text(pilot).splitlines()[-3:]))
        for key in ("↑↓ Choose", "Tab Next list", "Space Variations", "E Edit", "N New player", "F1 Help"):
            assert key in keys
        await pilot.press("tab")
        await pilot.pause()
        keys = flat(" ".join(text(pilot).splitlines()[-3:]))
        assert "X Remove" in keys
        assert "Variations" not in keys
        assert "Shift+↑↓ Move" in keys


async def test_keys_for_a_list_leave_the_other_lists_alone() -> None:
    async with running() as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, SetupScreen)
        await pilot.press("x", "shift+down")
        assert [seat.name for seat in screen.seats] == ["Ann", "Cautious"]
        await pilot.press("tab", "e")
        assert shows(pilot, AskName)
        await pilot.press("escape", "tab", "e")
        assert shows(pilot, SetupScreen)
        await pilot.press("tab", "e")
        assert shows(pilot, FieldsScreen)
        await pilot.press("escape", "n")
        assert shows(pilot, Question)
