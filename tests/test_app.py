"""The application as people use it: keys and clicks at 80x24, whole games to the end, and what is on the screen."""

from __future__ import annotations

import errno
import os
import random
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from textwrap import wrap
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from farkel.dice import faces_text
from farkel.errors import SolveError
from farkel.facts import ending
from farkel.game import Keep, Leave, Phase, TakeOver, Throw, bank_needs, dice_due, is_legal, turn_total
from farkel.match import Match, Setup
from farkel.players import known
from farkel.record import DiceKind, Seating, read, verify
from farkel.rules import load
from farkel.terminal import hints
from farkel.terminal.app import play as play_module
from farkel.terminal.app import words
from farkel.terminal.app.app import FarkelApp
from farkel.terminal.app.dialogs import AskName, Question, Reading, TooSmall
from farkel.terminal.app.game_over import GameOver
from farkel.terminal.app.hinting import HintScreen
from farkel.terminal.app.play import GameScreen
from farkel.terminal.app.setting_up import SetupScreen
from farkel.terminal.app.widgets import RollInput
from farkel.terminal.app.working import Working
from farkel.terminal.setup import parse_players

Snap = Callable[..., bool]
NOW = datetime(2026, 11, 21, 14, 3)


STARTED: list[Match] = []


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A known user in an empty folder with colours, and a pilot that looks more often whether the app is idle."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "NO_MOTION", "FARKEL_NO_ANIMATION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LOGNAME", "ann")
    monkeypatch.setattr("textual._wait.SLEEP_GRANULARITY", 1 / 200)
    monkeypatch.setattr("textual._wait.SLEEP_IDLE", 1 / 4000)
    yield
    while STARTED:
        STARTED.pop().close()


def new_match(
    rules: str = "extended",
    players: str = "Ann,bot:cautious",
    seed: str = "1",
    teams: str = "",
    dice: DiceKind = "seeded",
) -> Match:
    setup = Setup(load(rules), parse_players(players, teams), dice, seed)
    STARTED.append(Match.start(setup, Path("games/game.farkel"), NOW))
    return STARTED[-1]


@asynccontextmanager
async def running(match: Match | None = None, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[int]]:
    app = FarkelApp(match, folder=Path("games"), animate=False)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield pilot
    app.close_record()


def table(pilot: Pilot[int]) -> GameScreen:
    assert isinstance(pilot.app.screen, GameScreen)
    return pilot.app.screen


def shows(pilot: Pilot[int], kind: type[Screen[Any]]) -> bool:
    return isinstance(pilot.app.screen, kind)


def text(pilot: Pilot[int]) -> str:
    """What is on the screen."""
    return "\n".join(strip.text.rstrip() for strip in pilot.app.screen._compositor.render_strips())


async def seen(pilot: Pilot[int], *wanted: str) -> None:
    """Wait until these words are on the screen, whatever the line breaks."""
    for _ in range(100):
        screen = flat(text(pilot))
        if all(words in screen for words in wanted):
            return
        await pilot.pause()
    raise AssertionError(f"{wanted} is not on the screen:\n{text(pilot)}")


def said(pilot: Pilot[int], name: str = "hint") -> str:
    return str(pilot.app.screen.query_one(f"#{name}", Static).content)


def flat(told: str) -> str:
    return " ".join(told.split())


async def play_to_end(
    pilot: Pilot[int], match: Match, bank_at: int = 300, takes: int = 0, most: int = 2_000
) -> dict[str, int]:
    """Play for all people by the keys: keep the best, bank at so many points, take over so many dice where offered."""
    pressed: dict[str, int] = {}
    generator = random.Random("typed")

    async def press(*keys: str) -> None:
        for key in keys:
            pressed[key] = pressed.get(key, 0) + 1
        await pilot.press(*keys)

    for _ in range(most):
        state = match.state
        if state.over:
            break
        if dice_due(state) and match.manual:
            await press(*(str(generator.randint(1, 6)) for _ in range(dice_due(state))), "enter")
        elif dice_due(state):
            await press("r")
        elif state.phase is Phase.OFFER:
            take = is_legal(state, TakeOver(min(takes, state.offer.dice))) if takes and state.offer else False
            if not take:
                await press("f")
            elif len(words.take_overs(state)) > 1 and state.offer:
                await press("t", str(min(takes, state.offer.dice)))
            else:
                await press("t")
        else:
            await press("a")
            dice = table(pilot).dice
            enough = turn_total(state, dice) >= max(bank_at, bank_needs(state)) or not is_legal(
                state, Keep(dice, "roll")
            )
            await press("b" if enough and is_legal(state, Keep(dice, "bank")) else "r")
        for _ in range(100):
            if match.state != state:
                break
            await pilot.pause()
        else:
            raise AssertionError(f"nothing came of the keys:\n{text(pilot)}")
    assert match.state.over
    await seen(pilot, ending(match.state, match.names))
    assert shows(pilot, GameOver)
    verify(read(match.path))
    return pressed


@pytest.fixture
def disk() -> Iterator[dict[str, bool]]:
    """A disk that is full while ``full`` is true."""
    state = {"full": False}
    real = os.fsync

    def fsync(handle: int) -> None:
        if state["full"]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("farkel.record.os.fsync", fsync)
        yield state


# Whole games ----------------------------------------------------------------------------------------------------------


async def test_extended_against_a_bot() -> None:
    match = new_match("extended(target=3000)")
    async with running(match) as pilot:
        assert "Ann: throw for the start" in said(pilot, "banner")
        await play_to_end(pilot, match)
        await seen(pilot, "best turn", "A Ann C Cautious", "games/game.farkel", "N Play again")


async def test_original_with_two_teams_that_buy_points() -> None:
    match = new_match("original(target=30000)", "", "3", "Reds=Ann+Ben,Blues=Cy+Di")
    async with running(match) as pilot:
        assert "Reds (Ann and Ben)" in said(pilot, "banner")
        assert "||||| ||" in said(pilot, "sheet") or "||||| |||||" in said(pilot, "sheet")
        pressed = await play_to_end(pilot, match, bank_at=2_000, takes=2)
        assert pressed["t"] > 2
    taken = [move.event.dice for move in match.moves if isinstance(move.event, TakeOver)]
    assert 2 in taken


async def test_build_on_by_taking_over() -> None:
    match = new_match("build-on(target=3000)", "Ann,Ben,bot:bold", "5")
    async with running(match) as pilot:
        pressed = await play_to_end(pilot, match, bank_at=300, takes=6)
        assert pressed["t"] > 0
    assert any(isinstance(move.event, TakeOver) and move.before.seat != 2 for move in match.moves)


async def test_renaissance_and_three_people() -> None:
    match = new_match("renaissance(target=1500)", "Ann,Ben,Cy", "2")
    async with running(match) as pilot:
        await play_to_end(pilot, match, takes=6)


async def test_partners_take_turns() -> None:
    match = new_match("guts-and-luck(target=1500)", "", "4", "Reds=Ann+Ben,Blues=Cy+Di")
    assert match.rules.teams == "partners"
    async with running(match) as pilot:
        await pilot.press(*"rr" if match.state.phase is Phase.START else ())
        assert f"{match.seating.name} ({match.person})" in said(pilot, "banner")
        await play_to_end(pilot, match)


async def test_real_dice_with_a_bot() -> None:
    match = new_match("standard(target=2000)", dice="manual")
    async with running(match) as pilot:
        await play_to_end(pilot, match)


async def test_bots_alone_play_to_the_end() -> None:
    match = new_match("kcd", "bot:bold,bot:cautious")
    async with running(match) as pilot:
        await pilot.pause()
        assert shows(pilot, GameOver)


# Deciding -------------------------------------------------------------------------------------------------------------


def thrown(match: Match, faces: str) -> None:
    match.act(Throw(tuple(int(face) for face in faces)))


async def test_what_a_keep_is_worth_and_what_is_at_risk() -> None:
    match = new_match("standard", "Ann,Ben")
    thrown(match, "5") if match.state.phase is Phase.START else None
    while match.state.phase is Phase.START:
        match.throw()
    thrown(match, "112345")
    async with running(match) as pilot:
        assert "1-1-5 for 250" in said(pilot, "panel")
        await pilot.press("1", "6")
        assert "Keep 1-5: +150" in said(pilot, "panel")
        assert "Bank: score 150" in said(pilot, "panel")
        assert "4 dice, 15.7 % to farkle and lose 150" in said(pilot, "panel")
        await seen(pilot, "[1] ✓")
        await seen(pilot, "╔═════╗")
        await pilot.press("1")
        assert table(pilot).dice == (5,)
        await pilot.press("escape")
        assert table(pilot).dice == ()
        await pilot.press("enter")
        assert table(pilot).dice == (1, 1, 5)
        await seen(pilot, "B Bank 250")
        await pilot.press("b")
        assert match.state.seats[match.moves[-1].before.seat].score == 250


async def test_clicks_do_what_keys_do() -> None:
    match = new_match("standard", "Ann,Ben")
    while match.state.phase is Phase.START:
        match.throw()
    thrown(match, "112345")
    seat = match.state.seat
    async with running(match) as pilot:
        await pilot.click("#die-1")
        await pilot.click("#die-6")
        assert table(pilot).dice == (1, 5)
        bank = next(button for button in pilot.app.screen.query("ChoiceButton") if button.key == "B")  # type: ignore[attr-defined]
        await pilot.click(bank)
        assert match.state.seats[seat].score == 150


async def test_why_a_thing_cannot_be_done() -> None:
    match = new_match("extended", "Ann,Ben")
    while match.state.phase is Phase.START:
        match.throw()
    async with running(match) as pilot:
        for key, answer in {
            "1": "Roll first",
            "b": "nothing to bank",
            "a": "Roll first",
            "t": "Nothing is on offer",
            "f": "6 dice are to be thrown before anything is decided",
        }.items():
            await pilot.press(key)
            assert answer in flat(said(pilot)), key
        thrown(match, "123446")
        table(pilot).show()
        for key in "rb":
            await pilot.press(key)
            assert "keep at least one scoring die: A selects 1 for 100" in flat(said(pilot))
        await pilot.press("2")
        assert "2 cannot be kept: 2 does not score; of 1-2-3-4-4-6 the best is 1 for 100." in flat(said(pilot))
        await seen(pilot, "✗ R Roll on")
        await pilot.press("2", "1")
        assert "the first bank needs 500 in one turn" in flat(said(pilot))
        await seen(pilot, "✗ B Bank")
        await pilot.press("b")
        assert "the first bank needs 500 in one turn" in flat(said(pilot))
        assert "seat 1" not in text(pilot)
        await pilot.press("t", "f", "r")
        assert Keep((1,), "roll") in [move.event for move in match.moves]


async def test_there_is_no_such_die() -> None:
    match = new_match("standard", "Ann")
    thrown(match, "112345")
    match.act(Keep((1, 1), "roll"))
    thrown(match, "1234")
    async with running(match) as pilot:
        await pilot.press("6")
        assert "There is no die 6: only 4 dice were rolled." in said(pilot)
        assert "Set aside 200: 1-1" in said(pilot, "aside")


def offered() -> Match:
    match = new_match("original", "Ann,Ben")
    while match.state.phase is Phase.START:
        match.throw()
    thrown(match, "123446")
    match.act(Keep((1,), "bank"))
    return match


async def test_an_offer_shows_points_dice_and_price() -> None:
    match = offered()
    buyer = match.state.seat
    async with running(match) as pilot:
        assert "On offer: 1,000 points and 5 dice." in said(pilot, "panel")
        assert "Each die costs a life: you have 12, keep one." in said(pilot, "panel")
        assert "1 die 66.7 %" in said(pilot, "panel")
        await pilot.press("r")
        assert "F starts fresh" in said(pilot)
        await pilot.press("3")
        assert "Press T" in said(pilot)
        await pilot.press("b", "a", "t")
        assert "Press 1 to 5" in said(pilot)
        await pilot.press("6")
        assert "6 dice cannot be taken over" in said(pilot)
        await pilot.press("t", "escape", "t", "3")
    assert TakeOver(3) in [move.event for move in match.moves]
    assert match.record.moves[-1].before.seat == buyer
    assert match.state.seats[buyer].lives in (8, 9)


async def test_starting_fresh_rolls_all_dice_at_once() -> None:
    match = offered()
    async with running(match) as pilot:
        await pilot.press("f")
    assert isinstance(match.moves[-1].event, Throw)
    assert len(match.moves[-1].event.faces) == 6


async def test_undo_until_the_dice_fall() -> None:
    match = offered()
    async with running(match) as pilot:
        await pilot.press("u")
        assert match.state.phase is Phase.KEEP
        assert "Taken back." in said(pilot)
        await pilot.press("u")
        assert "dice have fallen" in said(pilot)


# Real dice ------------------------------------------------------------------------------------------------------------


async def test_typed_dice_are_checked_as_they_are_typed() -> None:
    match = new_match("standard", "Ann,bot:cautious", dice="manual")
    async with running(match) as pilot:
        while match.state.phase is Phase.START:
            await pilot.press("6" if match.state.seat == 0 else "1", "enter")
        assert "Throw 6 dice for Ann and type what fell" in flat(said(pilot))
        await pilot.press("1", "1", "7")
        assert "has the face 7; a die shows 1 to 6" in flat(said(pilot))
        await pilot.press("enter")
        assert "has the face 7" in flat(said(pilot))
        await pilot.press("backspace", "2")
        assert "3 more of 6 dice." in said(pilot)
        await pilot.press("enter")
        assert "3 dice were thrown, but 6 dice are to be thrown" in flat(said(pilot))
        await pilot.press("3", "4", "5", "6")
        assert "has 7 dice; there are at most 6" in said(pilot)
        await pilot.press("backspace")
        assert "Enter: that is what fell." in said(pilot)
        await pilot.press("d")
        assert match.record.fallen == 1
        assert "Throw all 6 dice of this roll again" in flat(said(pilot))
        assert pilot.app.screen.query_one(RollInput).value == ""
        await pilot.press("enter", "r")
        assert "type what fell" in flat(said(pilot))
        await pilot.press("1", "1", "2", "3", "4", "6", "enter")
        assert match.state.roll == (1, 1, 2, 3, 4, 6)
        await pilot.press("d")
        assert "U takes it back" in said(pilot)
        await pilot.press("u")
        assert match.state.phase is Phase.ROLL
        await pilot.press("1", "5", "2", "3", "4", "6", "enter", "a", "b")
        assert match.state.seats[0].score == 150
        assert "for Cautious" in flat(said(pilot))
        await pilot.press(*"222346", "enter")
        assert match.state.seats[1].score or match.state.points
        await pilot.press("u")
        assert match.state.seats[1].score == 0


# Keys that are always there -------------------------------------------------------------------------------------------


async def test_rule_sheet_log_motion_and_help() -> None:
    match = new_match("extended", "Ann,Ben")
    async with running(match) as pilot:
        await pilot.press("question_mark")
        assert shows(pilot, Reading)
        await seen(pilot, "The aim")
        await pilot.press("pagedown", "down", "up", "pageup", "escape")
        assert shows(pilot, GameScreen)
        await pilot.press("r", "l")
        await seen(pilot, "throws a")
        await pilot.press("l", "m")
        assert "Dice roll and bots pause" in said(pilot)
        await pilot.press("m")
        assert "stay still" in said(pilot)
        await pilot.press("B", "R", "T", "F", "A", "U")
        assert shows(pilot, GameScreen)


async def test_leaving_for_later_and_going_on() -> None:
    match = new_match("extended", "Ann,bot:cautious")
    async with running(match) as pilot:
        await pilot.press("r", "r", "q")
        assert shows(pilot, Question)
        await seen(pilot, "farkel play --resume")
        await pilot.press("escape")
        assert shows(pilot, GameScreen)
        before = match.state
        await pilot.press("q", "l")
    assert pilot.app.return_value == 0
    async with running(None) as pilot:
        await seen(pilot, "G goes on with the last unfinished game: extended, Ann 0, Cautious")
        await pilot.press("g")
        assert table(pilot).match.state == before
        await pilot.press("r" if dice_due(before) else "a")
        assert table(pilot).match.state != before or table(pilot).dice


async def test_a_seat_gives_up() -> None:
    match = new_match("standard", "Ann,Ben,Cy")
    async with running(match) as pilot:
        await pilot.press("q", "2")
        assert Leave(1) in [move.event for move in match.moves]
        await pilot.press("q")
        assert "Ben gives up" not in text(pilot)
        await pilot.click("Answer")
    assert pilot.app.return_value == 0


async def test_playing_again_taking_back_and_quitting_at_the_end() -> None:
    match = new_match("standard", "Ann,Ben")
    match.act(Leave(0))
    async with running(match) as pilot:
        await pilot.pause()
        await seen(pilot, "Ben wins: everyone else has left the table.")
        await pilot.press("question_mark", "escape", "l", "escape", "u")
        assert shows(pilot, GameScreen)
        await pilot.press("q", "1")
        assert shows(pilot, GameOver)
        await pilot.press("n")
        other = table(pilot).match
        assert other.path != match.path
        assert other.record.header.dice.value != match.record.header.dice.value
        other.act(Leave(1))
        table(pilot).go_on()
        await pilot.pause()
        await pilot.press("s")
        assert shows(pilot, SetupScreen)
        await pilot.press("q")
    assert pilot.app.return_value == 0


async def test_what_is_over_and_checkable_is_not_taken_back(disk: dict[str, bool]) -> None:
    match = new_match("standard", "Ann,Ben", dice="committed")
    match.act(Leave(0))
    async with running(match) as pilot:
        await seen(pilot, "Ben wins")
        await pilot.press("u")
        await seen(pilot, "nothing can be taken back")
        disk["full"] = True
        await pilot.press("n")
        await seen(pilot, "cannot be written")
        assert shows(pilot, GameOver)


# The terminal ---------------------------------------------------------------------------------------------------------


async def test_a_terminal_that_is_too_small() -> None:
    match = new_match("standard", "Ann,Ben")
    async with running(match, size=(70, 20)) as pilot:
        assert shows(pilot, TooSmall)
        await seen(pilot, "80 columns and 24 rows. This terminal has 70 and 20.")
        await pilot.press("r")
        assert not match.moves
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert shows(pilot, GameScreen)
        await pilot.press("r")
        assert match.moves
        await pilot.resize_terminal(79, 24)
        await pilot.pause()
        assert shows(pilot, TooSmall)
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        await seen(pilot, "Ann")


async def test_without_colour_everything_is_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    match = new_match("standard", "Ann")
    thrown(match, "112345")
    async with running(match) as pilot:
        await pilot.press("1")
        colours = {
            colour.name
            for strip in pilot.app.screen._compositor.render_strips()
            for segment in strip.apply_filter(pilot.app._filters[-1], pilot.app.background_colors[0])
            if segment.style
            for colour in (segment.style.color, segment.style.bgcolor)
            if colour
        }
        assert colours <= {"default"}
        await seen(pilot, "[1] ✓")
        assert "✗ T" not in text(pilot)


@pytest.mark.parametrize("name", ["NO_MOTION", "FARKEL_NO_ANIMATION"])
def test_the_environment_stops_motion(name: str) -> None:
    assert FarkelApp(environment={}).motion
    assert not FarkelApp(environment={name: "1"}).motion
    assert not FarkelApp(animate=False, environment={}).motion


async def test_dice_tumble_and_bots_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    match = new_match("standard(target=1000)", "Ann,bot:cautious")
    app = FarkelApp(match, environment={})
    async with app.run_test(size=(80, 24)) as pilot:
        screen = table(pilot)
        await pilot.press("r")
        assert tumbles(screen)
        await pilot.press("r")
        assert not tumbles(screen)
        assert screen._next_step is not None
        await pilot.press("b")
        assert "Cautious is playing." in said(pilot)
        for name in ("BOT_PAUSE", "FARKLE_PAUSE", "TUMBLE"):
            monkeypatch.setattr(play_module, name, 0.001)
        await pilot.press("m", "m")
        for _ in range(400):
            await pilot.pause()
            if match.state.over:
                break
            if match.seating.human and not tumbles(screen):
                state = match.state
                await pilot.press("r" if dice_due(state) else "a", *(() if dice_due(state) else ("b",)))
        for _ in range(20):
            await pilot.pause()
        assert shows(pilot, GameOver)
    app.close_record()


def tumbles(screen: GameScreen) -> bool:
    return screen._tumbling is not None


@pytest.mark.parametrize(
    ("rules", "seats"),
    [("original", "A,B,C,D,E"), ("extended", "Maximilian,Bob,Cy,Di,Ed,Fay,Gus,Hugo"), ("facebook", "Ann")],
)
async def test_everything_fits_in_80_by_24(rules: str, seats: str) -> None:
    match = new_match(rules, seats)
    async with running(match) as pilot:
        for _ in range(20):
            for name in ("banner", "aside", "panel", "hint", "sheet", "log"):
                widget = pilot.app.screen.query_one(f"#{name}")
                width = widget.content_size.width
                lines = [part for line in said(pilot, name).splitlines() for part in wrap(line, width) or [""]]
                assert len(lines) <= widget.content_size.height, name
            assert all(len(line) <= 80 for line in text(pilot).splitlines())
            assert text(pilot).splitlines()[-1].strip().startswith("?")
            keys = {Phase.OFFER: ("f",), Phase.KEEP: ("a", "b")}.get(match.state.phase, ("r",))
            before = match.state
            await pilot.press(*keys)
            if match.state == before:
                await pilot.press("r")


# Hints ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def nothing_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A program that has just started, on a machine that has solved nothing."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for kept in ("_turns", "_duels", "_fields"):
        monkeypatch.setattr(known, kept, {})


def dialog(pilot: Pilot[int]) -> str:
    """What the dialog over the table says."""
    return flat(" ".join(str(part.content) for part in pilot.app.screen.query(".dialog Static").results(Static)))


async def until(pilot: Pilot[int], kind: type[Screen[Any]], words: str = "") -> None:
    """Wait until such a screen is shown and says these words: work in another thread takes its time."""
    for _ in range(3_000):
        if shows(pilot, kind) and words in flat(f"{dialog(pilot)} {text(pilot)}"):
            return
        await pilot.pause(0.02)
    raise AssertionError(f"{kind.__name__} with {words} does not come:\n{text(pilot)}")


def deciding(rules: str, players: str, faces: str, **others: Any) -> Match:
    """A game in which the first person has thrown these dice."""
    match = new_match(rules, players, **others)
    while match.state.phase is Phase.START or not match.seating.human:
        match.throw() if dice_due(match.state) else match.act(match.decide() or Leave(9))
    thrown(match, faces)
    return match


@pytest.mark.usefixtures("nothing_known")
async def test_a_hint_in_points_and_then_in_winning_chances() -> None:
    match = deciding("kcd(target=2000)", "Ann,Ben", "112346")
    async with running(match) as pilot:
        await pilot.press("h")
        await until(pilot, HintScreen, "Esc: back")
        assert "Hint: Keep 1 and roll on." in dialog(pilot)
        assert "points on average; banking brings 200." in dialog(pilot)
        assert "S: winning chances" in dialog(pilot)
        assert "wins" not in said(pilot, "rows")
        await pilot.press("s")
        await until(pilot, HintScreen, "wins points farkle")
        assert "and still wins 5" in dialog(pilot)
        assert "S: winning" not in dialog(pilot)
        await pilot.press("s")
        assert shows(pilot, HintScreen)
        await pilot.press("enter")
        assert table(pilot).dice == (1,)
        await pilot.press("escape", "h")
        await until(pilot, HintScreen, "Esc: back")
        await pilot.press("escape")
        assert table(pilot).dice == ()
        await pilot.press("h")
        await until(pilot, HintScreen, "Esc: back")
        await pilot.press("h")
        assert shows(pilot, GameScreen)


@pytest.mark.usefixtures("nothing_known")
async def test_a_hint_for_an_offer() -> None:
    match = deciding("build-on(target=1000, entry=200)", "Ann,Ben", "112346")
    match.act(Keep((1, 1), "bank"))
    async with running(match) as pilot:
        await pilot.press("h")
        await until(pilot, HintScreen, "Esc: back")
        assert "starting fresh brings" in dialog(pilot)
        assert "Enter: select" not in dialog(pilot)
        await pilot.press("enter")
        assert shows(pilot, GameScreen)


@pytest.mark.usefixtures("nothing_known")
async def test_a_hint_for_many_is_about_right() -> None:
    match = deciding("minimal(target=1000)", "Ann,Ben,bot:race", "112346")
    known.duel(match.rules)
    async with running(match) as pilot:
        await until(pilot, GameScreen)
        await pilot.press("h")
        await until(pilot, HintScreen, "Esc: back")
        assert "wins about 4" in dialog(pilot)


@pytest.mark.parametrize(
    ("rules", "players", "told"),
    [
        ("original", "Ann,Ben", "5,760,000 positions"),
        (
            "guts-and-luck(target=0, rounds=5, take_over.price=stake, take_over.stake=500)",
            "Ann,Ben",
            "There are no winning chances: a game of rounds without a target",
        ),
        ("minimal", "Ann", "keep 1, roll"),
    ],
)
@pytest.mark.usefixtures("nothing_known")
async def test_why_a_hint_has_no_winning_chances(rules: str, players: str, told: str) -> None:
    async with running(deciding(rules, players, "112346")) as pilot:
        await pilot.press("h")
        await until(pilot, HintScreen, "Esc: back")
        assert told in dialog(pilot)
        assert "S: winning chances" not in dialog(pilot)
        assert all(len(line) <= 80 for line in text(pilot).splitlines())
        await pilot.press("s", "escape")
        assert shows(pilot, GameScreen)


async def test_no_hint_where_nothing_is_to_be_decided() -> None:
    match = new_match("minimal", "Ann,Ben")
    async with running(match) as pilot:
        await pilot.press("h")
        assert "Roll first" in said(pilot)
    STARTED.pop().path.unlink()
    match = new_match("minimal", "Ann,bot:cautious", dice="manual")
    async with running(match) as pilot:
        await pilot.press("h")
        assert "type what fell" in flat(said(pilot))
        last = text(pilot).splitlines()[-1]
        assert all(key in last for key in ("? Rules", "H Hint", "D A die fell off", "Q Leave"))


async def test_no_hint_without_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.players.base.find_spec", lambda name: None)
    async with running(deciding("minimal", "Ann,Ben", "112346")) as pilot:
        await pilot.press("h")
        await until(pilot, GameScreen)
        for _ in range(100):
            await pilot.pause(0.02)
            if said(pilot).startswith("A hint"):
                break
        assert said(pilot) == 'A hint needs NumPy and Numba: pip install "farkel[know]".'


@pytest.mark.usefixtures("nothing_known")
async def test_work_that_is_stopped_leaves_everything_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    let_go = threading.Event()

    def slow(match: Match) -> hints.Knowledge:
        let_go.wait(30)
        return consult(match)

    consult = hints.consult
    monkeypatch.setattr(hints, "consult", slow)
    match = deciding("kcd(target=2000)", "Ann,Ben", "112346")
    async with running(match) as pilot:
        await pilot.press("h")
        await until(pilot, Working, "Esc: stop")
        await seen(pilot, "Looking for the best play.", "0 seconds", "Esc: stop")
        await pilot.resize_terminal(79, 24)
        await pilot.pause()
        assert shows(pilot, TooSmall)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        await pilot.press("escape")
        assert shows(pilot, GameScreen)
        let_go.set()
        await pilot.press("h")
        await until(pilot, HintScreen, "Esc: back")


async def test_how_far_it_is_and_a_fault() -> None:
    steps = iter(range(1, 40))

    def work(progress: Any) -> None:
        for step in steps:
            progress(step, 40)
            time.sleep(0.02)
        raise ZeroDivisionError

    async def count() -> None:
        async with running(new_match("minimal", "Ann,Ben")) as pilot:
            pilot.app.push_screen(Working("Counting.", work))
            await until(pilot, Working, "Esc: stop")
            await seen(pilot, "█", "%")
            for _ in range(500):
                await pilot.pause(0.02)

    with pytest.raises(ZeroDivisionError):
        await count()


# Setting up -----------------------------------------------------------------------------------------------------------


async def test_enter_starts_a_game_from_nothing() -> None:
    async with running() as pilot:
        assert shows(pilot, SetupScreen)
        await pilot.press("enter")
        match = table(pilot).match
        assert match.rules.name == "extended"
        assert match.names == ("Ann", "Cautious")
        assert match.record.header.dice.kind == "system"
        assert match.path.parent == Path("games")


async def test_every_key_of_the_set_up() -> None:
    async with running() as pilot:
        await pilot.press("up", "up")
        assert "lives" in said(pilot, "about")
        await pilot.press("question_mark")
        assert shows(pilot, Reading)
        await pilot.press("escape", "p")
        assert shows(pilot, AskName)
        await pilot.press(*"Reds=Cy+Di", "enter")
        await pilot.press("b", "2")
        await pilot.press("tab", "home", "down", "x")
        assert [seat.name for seat in screen_of(pilot).seats] == ["Ann", "Reds", "Bold"]
        await pilot.press("home", "e", *["backspace"] * 3, *"Eve", "enter")
        await pilot.press("p", "escape", "b", "escape", "g")
        await pilot.press("p", *"Eve", "enter")
        assert 'the name "Eve" is given twice' in flat(said(pilot, "problem"))
        await pilot.press("tab", "end")
        await pilot.press("enter")
        match = table(pilot).match
        assert match.rules.name == "original"
        assert match.names == ("Eve", "Reds", "Bold")
        assert match.record.header.seats[1].people == ("Cy", "Di")
        assert match.manual


def screen_of(pilot: Pilot[int]) -> SetupScreen:
    assert isinstance(pilot.app.screen, SetupScreen)
    return pilot.app.screen


async def test_clicks_choose_rules_and_dice() -> None:
    async with running() as pilot:
        await pilot.click("#rules", offset=(4, 2))
        assert screen_of(pilot).rules.name == "standard"
        await pilot.click("#kinds", offset=(6, 2))
        await pilot.press("enter")
        match = table(pilot).match
        assert match.record.header.dice.kind == "committed"
        await pilot.press("l")
        await seen(pilot, "committed to")


async def test_seats_that_do_not_fit_the_rules_are_refused() -> None:
    async with running() as pilot:
        await pilot.press("tab", "x", "x", "x", "enter")
        assert said(pilot, "problem")
        assert shows(pilot, SetupScreen)
        await pilot.press("e", "b", "9", "escape")


async def test_what_the_command_line_gave_is_the_default() -> None:
    app = FarkelApp(
        folder=Path("games"),
        record=Path("mine.farkel"),
        rules=load("standard(target=3000)"),
        dice="seeded",
        seed="7",
        animate=False,
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        match = table(pilot).match
        assert match.rules.target == 3_000
        assert match.record.header.dice.value == "7"
        assert match.path == Path("mine.farkel")
    app.close_record()


@pytest.mark.usefixtures("nothing_known")
async def test_bots_that_think_are_ready_before_the_game_begins() -> None:
    app = FarkelApp(folder=Path("games"), rules=load("minimal(target=1500)"), animate=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("b")
        await seen(pilot, "6 exact plays for the win, one against one", "threshold:500 banks at 500 points")
        await pilot.press("6", "b", "7", "enter")
        await until(pilot, SetupScreen, "bot:exact plays games of two; for more seats take bot:race.")
        await pilot.press("tab", "home", "x", "x", "end", "x", "p", *"Ann", "enter", "enter")
        await until(pilot, GameScreen)
        match = table(pilot).match
        assert [seat.player for seat in match.record.header.seats] == ["bot:exact", "human"]
        assert match.bots.ready
        await pilot.press("r")
        match.act(Leave(1))
        table(pilot).go_on()
        await until(pilot, GameOver)
        await pilot.press("n")
        assert table(pilot).match is not match
    app.close_record()


@pytest.mark.usefixtures("nothing_known")
async def test_a_game_from_the_command_line_waits_for_its_bots() -> None:
    match = new_match("minimal(target=1500)", "Ann,bot:exact")
    async with running(match) as pilot:
        await until(pilot, GameScreen)
        assert match.bots.ready
        await pilot.press("q", "l")


@pytest.mark.usefixtures("nothing_known")
async def test_a_game_whose_bots_cannot_be_ready_is_kept_for_later(monkeypatch: pytest.MonkeyPatch) -> None:
    match = new_match("minimal(target=1500)", "Ann,bot:exact")

    def full(progress: Any) -> None:
        raise SolveError("no_memory", "solving minimal needs 9.9 GiB of memory; 0.1 GiB are free")

    monkeypatch.setattr(match.bots, "prepare", full)
    async with running(match) as pilot:
        await until(pilot, SetupScreen)
        await seen(pilot, "solving minimal needs 9.9 GiB of memory; 0.1 GiB are free.")
        await pilot.press("g")
        await until(pilot, GameScreen)
        assert table(pilot).match.path == match.path


async def test_a_bot_that_cannot_be_made_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.players.base.find_spec", lambda name: None)
    async with running() as pilot:
        await pilot.press("b", "6")
        await seen(pilot, 'bot:exact needs NumPy and Numba: pip install "farkel[know]".')
        assert len(screen_of(pilot).seats) == 2
        screen_of(pilot).seats[1] = Seating("Exact", ("Exact",), "bot:exact")
        await pilot.press("enter")
        assert "needs NumPy" in flat(said(pilot, "problem"))


# Trouble --------------------------------------------------------------------------------------------------------------


async def test_a_full_disk_stops_the_game_and_not_the_truth(disk: dict[str, bool]) -> None:
    match = new_match("standard", "Ann,bot:cautious")
    while match.state.phase is Phase.START:
        match.throw()
    async with running(match) as pilot:
        while not (match.seating.human and match.state.phase is Phase.KEEP):
            await pilot.press("r")
        before, written = match.state, match.path.read_bytes()
        disk["full"] = True
        await pilot.press("a", "b")
        assert shows(pilot, Question)
        await seen(pilot, "has not happened")
        await seen(pilot, "No space left on device")
        assert match.state == before
        assert match.path.read_bytes() == written
        await pilot.press("r", "r", "r")
        assert match.state == before
        disk["full"] = False
        await pilot.press("b") if table(pilot).dice else await pilot.press("a", "b")
        assert match.state != before


async def test_a_full_disk_while_a_bot_plays(disk: dict[str, bool]) -> None:
    match = new_match("standard", "bot:bold,Ann")
    disk["full"] = True
    async with running(match) as pilot:
        await pilot.pause()
        assert shows(pilot, Question)
        assert not match.moves
        await pilot.press("r")
        assert shows(pilot, Question)
        disk["full"] = False
        await pilot.press("r")
        assert match.moves
        disk["full"] = True
        await pilot.press("r", "q")
    assert pilot.app.return_value == 0


async def test_a_record_that_cannot_be_made_is_told(disk: dict[str, bool]) -> None:
    async with running() as pilot:
        disk["full"] = True
        await pilot.press("enter")
        assert "cannot be written" in flat(said(pilot, "problem"))


# Pictures -------------------------------------------------------------------------------------------------------------


async def still(pilot: Pilot[int]) -> None:
    await pilot.pause()


def test_picture_of_the_set_up(snap_compare: Snap) -> None:
    assert snap_compare(FarkelApp(folder=Path("games"), animate=False), terminal_size=(80, 24), run_before=still)


def test_picture_of_a_decision(snap_compare: Snap) -> None:
    match = new_match("standard", "Ann,bot:cautious")
    while match.state.phase is Phase.START or not match.seating.human:
        match.throw() if dice_due(match.state) else match.act(match.decide() or Leave(9))
    thrown(match, "112345")
    match.act(Keep((1, 1), "roll"))
    thrown(match, "2555")

    async def selected(pilot: Pilot[int]) -> None:
        await pilot.press("2", "3", "4")

    assert snap_compare(FarkelApp(match, animate=False), terminal_size=(80, 24), run_before=selected)


def test_picture_of_an_offer(snap_compare: Snap) -> None:
    assert snap_compare(FarkelApp(offered(), animate=False), terminal_size=(80, 24), run_before=still)


def test_picture_of_the_rule_sheet(snap_compare: Snap) -> None:
    async def rules(pilot: Pilot[int]) -> None:
        await pilot.press("question_mark")

    app = FarkelApp(new_match("renaissance", "Ann,Ben"), animate=False)
    assert snap_compare(app, terminal_size=(80, 24), run_before=rules)


def test_picture_of_the_end(snap_compare: Snap) -> None:
    match = new_match("kcd", "bot:bold,bot:cautious,bot:threshold:700", "3")
    assert snap_compare(FarkelApp(match, animate=False), terminal_size=(80, 24), run_before=still)


def test_words_for_dice() -> None:
    assert faces_text((1, 5), "-") == "1-5"
    assert words.numbers_of((1, 1, 5), (1, 1, 1, 3, 5, 5)) == {1, 2, 5}
    assert words.sentence("no") == "No."
