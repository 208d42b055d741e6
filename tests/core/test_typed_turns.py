"""Whole turns of real dice, typed in plain lines and in the application, mixed with typed rolls."""

from __future__ import annotations

import pytest
from test_plain import follows, played

from app_helpers import flat, new_match, running, said, seen, text
from farkel.errors import PositionError
from farkel.game import Note, Throw
from farkel.play.match import Match
from farkel.records import read
from farkel.terminal.typed_turns import typed_turn
from games_in_words import on_turn

pytestmark = pytest.mark.usefixtures("surroundings")


def noted(match: Match) -> list[Note]:
    return [move.event for move in match.moves if isinstance(move.event, Note)]


# What a text means ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "points", "dice"),
    [
        ("350", 350, None),
        ("1,050", 1_050, None),
        ("350 2", 350, 2),
        ("350, 1 die left", 350, 1),
        ("+155", 155, None),
        ("155 points", 155, None),
        ("turn 1111", 1_111, None),
    ],
)
def test_points_are_a_turn(typed: str, points: int, dice: int | None) -> None:
    found = typed_turn(typed, on_turn("minimal", 0, 0))
    assert found is not None
    assert (found.points, found.dice, found.farkle) == (points, dice, False)


@pytest.mark.parametrize("typed", ["farkle", "Farkle", "0", "farkle 3", "farkle with 3 dice"])
def test_a_farkle_is_a_turn(typed: str) -> None:
    found = typed_turn(typed, on_turn("minimal", 0, 0))
    assert found is not None
    assert found.farkle
    assert found.dice == (3 if "3" in typed else None)


def test_a_farkle_has_the_name_that_the_rules_give_it() -> None:
    found = typed_turn("zilch", on_turn("zilch", 0, 0))
    assert found is not None
    assert found.farkle


@pytest.mark.parametrize(
    "typed", ["112345", "1 1 2 3 4 5", "12345", "123789", "155", "117", "bank", "11 r", "", "1" * 50]
)
def test_faces_and_other_words_are_no_turn(typed: str) -> None:
    assert typed_turn(typed, on_turn("minimal", 0, 0)) is None


def test_points_without_a_0_are_a_turn_under_rules_with_small_steps() -> None:
    state = on_turn("minimal(scoring.5=25)", 0, 0)
    assert typed_turn("175", state) == typed_turn("+175", state)
    assert typed_turn("176", state) is None


def test_dice_left_must_be_said_where_they_can_be_taken_over() -> None:
    state = on_turn("build-on", 0, 0)
    found = typed_turn("500", state)
    assert found is not None
    with pytest.raises(PositionError, match="enter how many dice were left on the table, 0 for none: 500 2"):
        found.note(state)


# In plain lines -------------------------------------------------------------------------------------------------------

ASKED = "Ann, roll 6 dice and type the result, or the whole turn (350, farkle): "


def test_whole_turns_and_rolls_mix_in_plain_lines() -> None:
    told = played("minimal", "350", "farkle", "112346", "1 r", "600", "112346", "1 r", "farkle", "u", "log")
    assert "Ann banks 350 and has 350." in told
    assert "Farkle! Ben scores nothing." in told
    assert "Ann banks 600 and has 950." in told
    assert "Farkle! Ben loses the turn total of 100." in told
    assert "Undone: 1 event. Scores: Ann 950; Ben 0" in told


def test_a_whole_turn_takes_the_place_of_a_roll_or_an_offer_in_plain_lines() -> None:
    told = played("build-on", "500 2", "600 3", "112346", "700 1")
    assert "Ann leaves 2 dice and 500 points to take over." in told
    assert "Ben banks 600 and has 600." in told
    assert "Ann banks 700 and has 1,200." in told


def test_a_turn_that_the_rules_forbid_is_questioned_in_plain_lines() -> None:
    told = played("minimal(minimum=300)", "330", "no", "200", "no", "200", "yes", "325")
    assert follows(told, ASKED) == "330 points are impossible: they come in steps of 50 (300 or 350)."
    assert "200 points aren't enough to bank: every turn needs 300" in told
    assert told.count("Enter it anyway? Type yes to confirm: ") == 3
    assert told.count("Ann banks 200 and has 200.") == 1
    assert "The roll has 3 dice, but 6 dice are to be rolled. A turn of 325 points is typed as +325." in told


def test_bank_needs_the_points_of_a_turn_with_real_dice() -> None:
    assert follows(played("minimal", "bank"), ASKED) == "Type the points of the whole turn to bank them, such as 350."


def test_a_bot_and_a_roll_for_the_start_take_no_whole_turn() -> None:
    told = played("standard", "350", "1", "2", "350", players="Ann,bot:bold", dice=("--dice", "manual"))
    assert '"350" has the face 0; a die shows 1 to 6.' in told
    assert "Roll 6 dice for Bold and type the result: \n" in told
    assert "banks 350" not in told


def test_machine_dice_take_no_whole_turn() -> None:
    assert "does nothing now" in played("minimal", "350", dice=("--seed", "1", "--set", "start=first_seat"))


# In the application ---------------------------------------------------------------------------------------------------


async def test_whole_turns_and_rolls_mix_in_the_application() -> None:
    match = new_match("minimal", "Ann,Ben", dice="manual")
    async with running(match) as pilot:
        assert "or your whole turn: 350, or farkle." in flat(text(pilot))
        await pilot.press(*"350")
        assert said(pilot) == "Press Enter to confirm: the whole turn, 350 points."
        await pilot.press("enter", *"far")
        assert said(pilot) == "Type farkle, then Enter."
        await pilot.press(*"kle", "enter")
        await seen(pilot, "Farkle! Ben scores nothing.")
        await pilot.press(*"112346", "enter", "1", "r", *"600", "enter")
        await seen(pilot, "Ann banks 600 and has 950.")
        await pilot.press(*"112346", "enter", "1", "r", *"farkle", "enter")
        await seen(pilot, "Farkle! Ben loses the turn total of 100.")
        assert noted(match) == [Note(350, 1), Note(0, 0, True), Note(600, 1), Note(100, 5, True)]
        await pilot.press("u")
        assert match.state.points == 100
    assert [type(move.event) for move in read(match.path).moves].count(Throw) == 2


async def test_a_turn_that_the_rules_forbid_takes_a_second_enter_in_the_application() -> None:
    match = new_match("minimal(minimum=300)", "Ann,Ben", dice="manual")
    async with running(match) as pilot:
        await pilot.press(*"200", "enter")
        assert "Enter again takes it anyway. 200 points aren't enough to bank" in said(pilot)
        await pilot.press("backspace", "0", "enter")
        assert not match.moves
        await pilot.press("enter")
        assert noted(match) == [Note(200, 2)]


async def test_the_dice_left_are_asked_for_in_the_application() -> None:
    match = new_match("build-on(start=first_seat)", "Ann,Ben", dice="manual")
    async with running(match) as pilot:
        await pilot.press(*"500", "enter")
        assert said(pilot) == "Enter how many dice were left on the table, 0 for none: 500 2."
        await pilot.press(*" 2", "enter")
        assert noted(match) == [Note(500, 2)]


async def test_letters_are_still_keys_while_dice_are_typed() -> None:
    match = new_match("minimal", "Ann,Ben", dice="manual")
    async with running(match) as pilot:
        await pilot.press("l")
        await seen(pilot, "The game so far")
