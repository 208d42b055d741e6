"""The application as people use it: keys and clicks at 80x24, whole games to the end, and the screens."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from textual.pilot import Pilot

from app_helpers import flat, new_match, offered, running, said, seen, shows, table, text, thrown, wait
from farkel.dice import faces_text
from farkel.game import Keep, Leave, Phase, State, TakeOver, Throw, is_legal
from farkel.game.story import ending
from farkel.play.match import Match
from farkel.records import read, verify
from farkel.rules import names
from farkel.terminal.app import table_text
from farkel.terminal.app.app import FarkelApp
from farkel.terminal.app.dialogs import Question, Reading
from farkel.terminal.app.game_over_screen import GameOver
from farkel.terminal.app.game_screen import GameScreen
from farkel.terminal.app.setup_screen import SetupScreen
from farkel.terminal.app.widgets import Picker, RollInput
from farkel.terminal.sentences import take_overs

pytestmark = pytest.mark.usefixtures("surroundings")
Snap = Callable[..., bool]


async def play_to_end(
    pilot: Pilot[int], match: Match, bank_at: int = 300, takes: int = 0, most: int = 2_000
) -> dict[str, int]:
    """Play for all people by the keys: keep the best, bank at this many points, take over this many dice if offered."""
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
        if state.dice_due and match.manual:
            await press(*(str(generator.randint(1, 6)) for _ in range(state.dice_due)), "enter")
        elif state.dice_due:
            await press("r")
        elif state.phase is Phase.OFFER:
            take = is_legal(state, TakeOver(min(takes, state.offer.dice))) if takes and state.offer else False
            if not take:
                await press("f")
            elif len(take_overs(state)) > 1 and state.offer:
                await press("t", str(min(takes, state.offer.dice)))
            else:
                await press("t")
        else:
            await press("a")
            dice = table(pilot).dice
            enough = state.turn_total(dice) >= max(bank_at, state.bank_needs) or not is_legal(state, Keep(dice, "roll"))
            await press("b" if enough and is_legal(state, Keep(dice, "bank")) else "r")
        await wait(pilot, partial(moved_on, match, state), "what the keys do")
    assert match.state.over
    await seen(pilot, ending(match.state, match.names))
    assert shows(pilot, GameOver)
    verify(read(match.path))
    return pressed


def moved_on(match: Match, before: State) -> bool:
    return match.state != before


# Whole games ----------------------------------------------------------------------------------------------------------


async def test_extended_against_a_bot() -> None:
    match = new_match("extended(target=3000)")
    async with running(match) as pilot:
        assert "Ann: roll for the start" in said(pilot, "banner")
        await play_to_end(pilot, match)
        await seen(pilot, "best turn", "A Ann C Cautious", "games/game.farkel", "Enter Play again")


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


async def test_a_keep_shows_points_and_risk() -> None:
    match = new_match("standard", "Ann,Ben")
    thrown(match, "5") if match.state.phase is Phase.START else None
    while match.state.phase is Phase.START:
        match.throw()
    thrown(match, "112345")
    async with running(match) as pilot:
        assert "Most points now: 1-1-5 for 250." in said(pilot, "panel")
        assert "A takes the most points." in flat(said(pilot))
        await pilot.press("1", "6")
        assert "Keep 1-5: +150" in said(pilot, "panel")
        assert "Bank: score 150" in said(pilot, "panel")
        assert "4 dice, 15.7% farkle: lose 150" in said(pilot, "panel")
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


async def test_clicks_act_like_keys() -> None:
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


async def test_disabled_actions_give_reasons() -> None:
    match = new_match("extended", "Ann,Ben")
    while match.state.phase is Phase.START:
        match.throw()
    async with running(match) as pilot:
        for key, answer in {
            "1": "Roll first",
            "b": "can't bank yet",
            "a": "Roll first",
            "t": "Nothing is on offer",
            "f": "t isn't time to decide: 6 dice are to be rolled first",
        }.items():
            await pilot.press(key)
            assert answer in flat(said(pilot)), key
        thrown(match, "123446")
        table(pilot).show()
        for key in "rb":
            await pilot.press(key)
            assert "keep at least one scoring die: A takes 1 for 100" in flat(said(pilot))
        await pilot.press("2")
        assert "2 can't be kept: 2 doesn't score; the most that scores in 1-2-3-4-4-6 is 1 for 100." in flat(
            said(pilot)
        )
        await seen(pilot, "✗ R Roll on")
        await pilot.press("2", "1")
        assert "the first bank needs 500 in one turn" in flat(said(pilot))
        await seen(pilot, "✗ B Bank")
        await pilot.press("b")
        assert "the first bank needs 500 in one turn" in flat(said(pilot))
        assert "seat 1" not in text(pilot)
        await pilot.press("t", "f", "r")
        assert Keep((1,), "roll") in [move.event for move in match.moves]


async def test_impossible_dice_are_refused() -> None:
    match = new_match("standard", "Ann")
    thrown(match, "112345")
    match.act(Keep((1, 1), "roll"))
    thrown(match, "1234")
    async with running(match) as pilot:
        await pilot.press("6")
        assert "There is no die 6: only 4 dice were rolled." in said(pilot)
        assert "Kept 200: 1-1" in said(pilot, "aside")


async def test_an_offer_shows_points_dice_and_price() -> None:
    match = offered()
    buyer = match.state.seat
    async with running(match) as pilot:
        assert "On offer: 1,000 points, 5 dice. Your lives: 12." in said(pilot, "panel")
        assert "A die costs a life, a failed first roll 1 more." in said(pilot, "panel")
        assert "1 die 66.7%" in said(pilot, "panel")
        await pilot.press("r")
        assert "Press F to start fresh" in said(pilot)
        await pilot.press("3")
        assert "Press T" in said(pilot)
        await pilot.press("b", "a", "t")
        assert "Press 1 to 5" in said(pilot)
        assert "Lives left (after a Farkel Out): 1: 11 (10), 2: 10 (9), 3: 9 (8), 4: 8 (7), 5: 7 (6)." in said(pilot)
        await pilot.press("6")
        assert "You can't take over 6 dice" in said(pilot)
        await pilot.press("t", "escape", "t", "3")
    assert TakeOver(3) in [move.event for move in match.moves]
    assert match.record.moves[-1].before.seat == buyer
    assert match.state.seats[buyer].lives in (8, 9)


async def test_starting_fresh_rolls_all_dice_together() -> None:
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
        assert "Undone." in said(pilot)
        await pilot.press("u")
        assert "dice have been rolled" in said(pilot)


# Real dice ------------------------------------------------------------------------------------------------------------


async def test_typed_dice_are_checked_as_they_are_typed() -> None:
    match = new_match("standard", "Ann,bot:cautious", dice="manual")
    async with running(match) as pilot:
        while match.state.phase is Phase.START:
            await pilot.press("6" if match.state.seat == 0 else "1", "enter")
        assert "Ann, roll 6 dice and type the result" in flat(said(pilot))
        await pilot.press("1", "1", "7")
        assert "has the face 7; a die shows 1 to 6" in flat(said(pilot))
        await pilot.press("enter")
        assert "has the face 7" in flat(said(pilot))
        await pilot.press("backspace", "2")
        assert "3 dice still to type, of 6." in said(pilot)
        await pilot.press("enter")
        assert "The roll has 3 dice, but 6 dice are to be rolled" in flat(said(pilot))
        await pilot.press("3", "4", "5", "6")
        assert "That's 7 dice, but you roll only 6 now." in flat(said(pilot))
        await pilot.press("backspace")
        assert "Press Enter to confirm this roll." in said(pilot)
        await pilot.press("d")
        assert match.record.fallen == 1
        assert "Roll all 6 dice of this roll again" in flat(said(pilot))
        assert pilot.app.screen.query_one(RollInput).value == ""
        await pilot.press("enter", "r")
        assert "type the result" in flat(said(pilot))
        await pilot.press("1", "1", "2", "3", "4", "6", "enter")
        assert match.state.roll == (1, 1, 2, 3, 4, 6)
        await pilot.press("d")
        assert "Press U to undo it" in said(pilot)
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
        await seen(pilot, "rolls a")
        await pilot.press("escape", "m")
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
        await pilot.press("q", "q")
    assert pilot.app.return_value == 0
    async with running(None) as pilot:
        await seen(pilot, "Press G to resume your last game: 2026-11-21 14:03, extended: Ann 0, Cautious")
        await pilot.press("g", "enter")
        assert table(pilot).match.state == before
        await pilot.press("r" if before.dice_due else "a")
        assert table(pilot).match.state != before or table(pilot).dice


async def test_a_seat_gives_up() -> None:
    match = new_match("standard", "Ann,Ben,Cy")
    async with running(match) as pilot:
        await pilot.press("q", "2", "escape")
        assert not match.moves
        await pilot.press("q", "2")
        await seen(pilot, "Ben leaves this game for good.")
        await pilot.press("y")
        assert Leave(1) in [move.event for move in match.moves]
        await pilot.press("q")
        assert "Ben gives up" not in text(pilot)
        await pilot.click("KeyLine")
    assert pilot.app.return_value == 0


async def test_any_of_twenty_players_is_chosen_with_arrows_and_enter() -> None:
    match = new_match("standard", ",".join(f"Player {letter}" for letter in "ABCDEFGHIJKLMNOPQRST"))
    async with running(match) as pilot:
        await pilot.press("q")
        await seen(pilot, "Leave the game?", "▸ Esc Keep playing")
        await pilot.press("enter")
        assert shows(pilot, GameScreen)
        await pilot.press("q", *["down"] * 11)
        await seen(pilot, "▸ Player K gives up", "9 Player I gives up")
        await pilot.press("enter")
        await seen(pilot, "Player K leaves this game for good.")
        await pilot.press("up", "enter")
        assert Leave(10) in [move.event for move in match.moves]


async def test_playing_again_taking_back_and_quitting_at_the_end() -> None:
    match = new_match("standard", "Ann,Ben")
    match.act(Leave(0))
    async with running(match) as pilot:
        await pilot.pause()
        await seen(pilot, "Ben wins: everyone else has left the table.")
        await pilot.press("question_mark", "escape", "l", "escape", "u")
        assert shows(pilot, GameScreen)
        await pilot.press("q", "1", "y")
        assert shows(pilot, GameOver)
        await pilot.press("enter")
        other = table(pilot).match
        assert other.path != match.path
        assert other.record.header.dice.value != match.record.header.dice.value
        other.act(Leave(1))
        table(pilot).go_on()
        await pilot.pause()
        await pilot.press("escape")
        assert shows(pilot, SetupScreen)
        await pilot.press("q")
    assert pilot.app.return_value == 0


async def test_a_finished_verifiable_game_cannot_be_undone(disk: dict[str, bool]) -> None:
    match = new_match("standard", "Ann,Ben", dice="committed")
    match.act(Leave(0))
    async with running(match) as pilot:
        await seen(pilot, "Ben wins")
        await pilot.press("u")
        await seen(pilot, "so you can't undo")
        disk["full"] = True
        await pilot.press("enter")
        await seen(pilot, "cannot be written")
        assert shows(pilot, GameOver)


# Pictures -------------------------------------------------------------------------------------------------------------


async def still(pilot: Pilot[int]) -> None:
    await pilot.pause()


def test_picture_of_the_set_up(snap_compare: Snap) -> None:
    assert snap_compare(FarkelApp(folder=Path("games"), animate=False), terminal_size=(80, 24), run_before=still)


def test_picture_of_a_decision(snap_compare: Snap) -> None:
    match = new_match("standard", "Ann,bot:cautious")
    while match.state.phase is Phase.START or not match.seating.human:
        match.throw() if match.state.dice_due else match.act(match.decide() or Leave(9))
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
    assert table_text.numbers_of((1, 1, 5), (1, 1, 1, 3, 5, 5)) == {1, 2, 5}


async def test_E12_variations_are_ticked_by_name_in_the_set_up() -> None:
    async with running() as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, SetupScreen)
        screen.query_one("#rules", Picker)._choose([each.name for each in screen.sets].index("renaissance"))
        await pilot.press("space")
        await pilot.pause()
        assert "2 [ ] Five dice, to 5,000" in text(pilot)
        await pilot.press("2", "4", "enter")
        await pilot.pause()
        assert str(screen.rules) == "renaissance:five-dice,exact"
        assert "Variations: Five dice, to 5,000; The target must be hit exactly." in text(pilot)
        await pilot.press("space", "2", "escape")
        await pilot.pause()
        assert str(screen.rules) == "renaissance:five-dice,exact"
        screen.query_one("#rules", Picker)._choose([each.name for each in screen.sets].index("minimal"))
        await pilot.press("space")
        await pilot.pause()
        assert str(screen.rules) == "minimal"
        assert shows(pilot, SetupScreen)


async def test_variations_without_a_number_are_ticked_with_space() -> None:
    async with running() as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, SetupScreen)
        screen.query_one("#rules", Picker)._choose([each.name for each in screen.sets].index("standard"))
        await pilot.press("space")
        await pilot.pause()
        assert "3 [ ] Four of a kind are 1,000" in text(pilot)
        await pilot.press("3", *["down"] * 7, "space", "down", "down")
        await seen(pilot, "▸ [ ] The first player starts")
        await pilot.press("space", "enter")
        await pilot.pause()
        assert str(screen.rules) == "standard:four-of-a-kind,entry,first-player-starts"


async def test_rule_sets_are_found_in_the_set_up() -> None:
    async with running() as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, SetupScreen)
        await pilot.press("slash", *"lives", "enter")
        await pilot.pause()
        assert str(screen.rules) == "original"
        assert [each.name for each in screen.sets] == ["original"]
        assert "One rule set fits" in text(pilot)
        await pilot.press("slash", *"qqq", "enter")
        await pilot.pause()
        assert 'No rule set fits "qqq"' in text(pilot)
        await pilot.press("slash", "enter")
        await pilot.pause()
        assert [each.name for each in screen.sets] == list(names())
        assert str(screen.rules) == "original"
