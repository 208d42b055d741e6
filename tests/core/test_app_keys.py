"""Keys that arrive together, as from a paste or over a slow line: every screen, and every answer given once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from textual.binding import Binding
from textual.events import Key
from textual.pilot import Pilot
from textual.screen import Screen

from app_helpers import new_match, offered, running, shows, table, thrown, wait
from farkel.game import Keep, Leave, Phase, Throw
from farkel.play.hints import Hint, Knowledge
from farkel.play.match import Match
from farkel.records import read
from farkel.rules import load
from farkel.terminal.app.dialogs import (
    AskName,
    Choosing,
    Help,
    HintScreen,
    Marking,
    Question,
    Reading,
    TooSmall,
    leave_question,
)
from farkel.terminal.app.fields_screen import FieldsScreen
from farkel.terminal.app.game_over_screen import GameOver
from farkel.terminal.app.game_screen import GameScreen
from farkel.terminal.app.games_screen import GamesScreen
from farkel.terminal.app.progress_screen import Working
from farkel.terminal.app.screens import Dialog, FarkelScreen, Overlay, TableScreen
from farkel.terminal.app.setup_screen import SetupScreen
from farkel.terminal.app.watch_screen import WatchScreen
from farkel.terminal.app.widgets import RollInput

if TYPE_CHECKING:
    from farkel.solve import Turn

pytestmark = pytest.mark.usefixtures("surroundings")

HINT = Hint(Keep((1,), "bank"), "It is enough.", ("bank 100  61.0%", "roll on  58.0%"))
KNOWN = Knowledge(cast("Turn", None), None, "Winning chances are missing.", True)
OVERLAYS: dict[type[Overlay[Any]], Callable[[], Overlay[Any]]] = {
    Reading: lambda: Reading("The rules", "\n".join(map(str, range(99)))),
    Help: lambda: Help(TooSmall()),
    Question: lambda: leave_question(Path("game.farkel"), ["Ann", "Ben"]),
    AskName: lambda: AskName("Who else plays?", "Cy"),
    Marking: lambda: Marking("Variations", [("a", "Twice the points"), ("b", "No bonus")], ("b",)),
    HintScreen: lambda: HintScreen(HINT, KNOWN),
    GamesScreen: lambda: GamesScreen(Path("none")),
    FieldsScreen: lambda: FieldsScreen(load("standard")),
    Working: lambda: Working("Calculating", lambda progress: None),
}
"""How each screen that is put over another is made."""
OTHERS: set[type[Screen[Any]]] = {SetupScreen, GameScreen, GameOver, TooSmall, WatchScreen}
"""Screens that are not answered."""


def together(pilot: Pilot[int], keys: Sequence[str]) -> None:
    """Press keys without waiting for what each of them does."""
    for key in keys:
        pilot.app.post_message(Key(key, key if len(key) == 1 else None))


def keys_of(screen: Screen[Any]) -> list[str]:
    """A key for everything that can be done there."""
    bound = [one.key.split(",")[0] for one in type(screen).__dict__.get("BINDINGS", ()) if isinstance(one, Binding)]
    answers = [key for key, _ in screen._answers] if isinstance(screen, Question) else []
    return [*dict.fromkeys([*bound, *answers, "escape", "enter", "1"])]


def answered_or_there(overlay: Overlay[Any], answers: list[Any]) -> bool:
    return overlay.is_active != bool(answers)


def screens(kind: type[Screen[Any]]) -> Iterator[type[Screen[Any]]]:
    for each in kind.__subclasses__():
        yield each
        yield from screens(each)


def test_no_screen_is_forgotten_here() -> None:
    ours = {each for each in screens(Screen) if each.__module__.startswith("farkel.")}
    assert ours == {Overlay, Choosing, Dialog, FarkelScreen, TableScreen, *OVERLAYS, *OTHERS}


async def test_keys_together_answer_once_and_leave_the_screen_beneath_alone() -> None:
    match = new_match("standard", "Ann,Ben")
    while match.state.phase is Phase.START:
        match.throw()
    async with running(match) as pilot:
        beneath, number = list(pilot.app.screen_stack), match.record.number
        for make in OVERLAYS.values():
            overlay, answers = make(), list[Any]()
            every = keys_of(overlay)
            for keys in (*([key] * 3 for key in every), every):
                if not overlay.is_active:
                    overlay, answers = make(), []
                    await pilot.app.push_screen(overlay, answers.append)
                together(pilot, keys)
                await wait(pilot, partial(answered_or_there, overlay, answers))
                assert pilot.app.screen_stack[: len(beneath)] == beneath, (overlay, keys)
                assert len(answers) <= 1, (overlay, keys)
                assert pilot.app.return_value is None, (overlay, keys)
                assert match.record.number == number, (overlay, keys)
            assert not overlay.is_active


@pytest.mark.parametrize("keys", ["qql", "q11", "lqq"])
async def test_in_a_game_nothing_happens_that_was_not_asked_for(keys: str) -> None:
    match = new_match("standard", "Ann,Ben,Cy")
    async with running(match) as pilot:
        together(pilot, keys)
        await pilot.pause()
        assert not match.moves
        assert pilot.app.return_value is None
        assert isinstance(pilot.app.screen_stack[1], GameScreen)


async def test_two_enters_seat_a_player_once_and_do_not_start_the_game() -> None:
    async with running() as pilot:
        await pilot.press("n", "n", *"Ben")
        together(pilot, ["enter"] * 3)
        setup = pilot.app.screen_stack[1]
        assert isinstance(setup, SetupScreen)
        await wait(pilot, lambda: len(setup.seats) > 2)
        assert shows(pilot, SetupScreen)
        assert [seat.name for seat in setup.seats] == ["Ann", "Cautious", "Ben"]


async def test_enters_together_start_one_game_and_roll_nothing() -> None:
    async with running() as pilot:
        together(pilot, ["enter"] * 3)
        await wait(pilot, lambda: shows(pilot, GameScreen))
        assert not table(pilot).match.moves
        assert len(list(Path("games").iterdir())) == 1


async def test_nothing_begins_after_quitting() -> None:
    async with running() as pilot:
        together(pilot, ["q", "enter", "s"])
        await wait(pilot, lambda: pilot.app.return_value == 0)
        assert not Path("games").exists()


async def test_a_roll_that_is_entered_twice_counts_once() -> None:
    """A farkle: the next player has six dice to roll as well."""
    match = new_match("minimal", "Ann,Ben", dice="manual")
    async with running(match) as pilot:
        await pilot.press(*"223346")
        together(pilot, ["enter"] * 3)
        await wait(pilot, lambda: bool(match.moves))
        assert [move.event for move in match.moves] == [Throw((2, 2, 3, 3, 4, 6))]
        assert pilot.app.screen.query_one(RollInput).value == ""


async def test_backspace_takes_away_the_digit_before_it() -> None:
    match = new_match("minimal(start=first_seat)", "Ann,Ben", dice="manual")
    async with running(match) as pilot:
        together(pilot, [*"11234", "backspace", *"665", "backspace", "backspace", "4", "enter"])
        await wait(pilot, lambda: bool(match.moves))
        assert match.state.roll == (1, 1, 2, 3, 4, 6)


async def test_a_digit_after_enter_is_no_part_of_the_roll() -> None:
    match = new_match("minimal(start=first_seat)", "Ann,Ben", dice="manual")
    async with running(match) as pilot:
        together(pilot, [*"11234", "enter", "6"])
        await wait(pilot, lambda: pilot.app.screen.query_one(RollInput).value == "112346")
        assert not match.moves
        await pilot.press("enter")
        assert match.state.roll == (1, 1, 2, 3, 4, 6)


async def test_keys_together_at_the_end_begin_one_game() -> None:
    match = new_match("standard", "Ann,Ben")
    match.act(Leave(0))
    async with running(match) as pilot:
        await wait(pilot, lambda: shows(pilot, GameOver))
        together(pilot, ["enter", "enter", "r", "b"])
        await wait(pilot, lambda: shows(pilot, GameScreen))
        assert not table(pilot).match.moves
        assert len(list(Path("games").iterdir())) == 2


@pytest.mark.parametrize("letters", ["кигь", "قﻻعة", "ρβθμ", "רנוצ"])
async def test_letters_of_other_alphabets_count_by_their_places(letters: str) -> None:
    """R, B, U and M."""
    match = new_match("minimal(start=first_seat)", "Ann,Ben", "1", dice="manual")
    async with running(match) as pilot:
        roll, bank, undo, motion = list(letters)
        await pilot.press(*"١١2346", "enter", "1", "2", bank)
        assert match.moves[-1].event == Keep((1, 1), "bank")
        await pilot.press(undo)
        await pilot.press("1", "2", roll.upper())
        assert match.moves[-1].event == Keep((1, 1), "roll")
        moved = pilot.app.motion  # type: ignore[attr-defined]
        await pilot.press(motion)
        assert pilot.app.motion != moved  # type: ignore[attr-defined]


async def test_a_name_is_typed_in_any_alphabet() -> None:
    async with running() as pilot:
        await pilot.press("т", "т")
        await wait(pilot, lambda: shows(pilot, AskName))
        await pilot.press(*"Кира", "enter")
        await wait(pilot, lambda: shows(pilot, SetupScreen))
        assert "Кира" in [seat.name for seat in pilot.app.screen.seats]  # type: ignore[attr-defined]


def started(rules: str, dice: str) -> Match:
    match = new_match(rules, "Ann,Ben", dice="manual" if dice else "seeded")
    while dice and match.state.phase is Phase.START:
        match.act(Throw((6,) if match.state.seat == 0 else (1,)))
    if len(dice) > 1:
        thrown(match, dice)
    return match


async def test_a_screen_that_has_gone_draws_nothing() -> None:
    """A resize asks for a drawing after the next refresh, and the screen may be replaced before that."""
    match = new_match("standard", "Ann,Ben")
    async with running(match, size=(59, 20)) as pilot:
        small = pilot.app.screen
        assert isinstance(small, TooSmall)
        await pilot.resize_terminal(80, 24)
        await wait(pilot, lambda: shows(pilot, GameScreen))
        game = table(pilot)
        game.play(Leave(0))
        await wait(pilot, lambda: shows(pilot, GameOver))
        over = pilot.app.screen
        assert isinstance(over, GameOver)
        await pilot.press("escape")
        await wait(pilot, lambda: not (small.children or game.children or over.children))
        small.tell()
        game.show()
        over.plot()


GAMES: dict[str, Callable[[], Match | None]] = {
    "set-up": lambda: None,
    "start": lambda: started("standard(start=highest_die)", ""),
    "roll": lambda: started("standard", ""),
    "keep": lambda: started("standard", "112345"),
    "typing": lambda: started("standard", "1"),
    "offer": offered,
}


@pytest.mark.parametrize(("where", "order"), [*((where, 1) for where in GAMES), ("keep", -1)])
async def test_every_key_three_times_and_all_together_do_no_harm(where: str, order: int) -> None:
    """Whatever is pressed together, the program runs on and its record can be read."""
    match = GAMES[where]()
    async with running(match) as pilot:
        keys = [key for key in keys_of(pilot.app.screen) for _ in range(3)]
        together(pilot, keys[::order])
        await pilot.pause()
        assert pilot.app._exception is None
    if match is not None:
        match.close()
        assert read(match.path).problem is None
