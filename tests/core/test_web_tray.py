"""What the line of news says, and what stays to be read while it holds."""

from __future__ import annotations

import textwrap
from typing import get_args

import pytest
from test_story import GAMES, played

from farkel.game import Note, State, TakeOver, Throw, new_game
from farkel.game.story import Fact, Kind
from farkel.rules import load
from farkel.web.game.dice_tray import LINE, QUIET, holds, in_brief, news
from web_helpers import Sheet, plan_of

LONGEST = ("Annabella-Wilhelmina", "Maximiliane-Theodora", "Cleopatra Philopator")
SHORT = ("Ann", "Ben", "Cy")
SCORES: tuple[Kind, ...] = ("sent_back", "banked", "target_moved")
"""Facts whose count is a score."""
NOTHING = new_game(load("standard"), (1, 1, 1))._replace(tied=7)


def lines(text: str) -> list[str]:
    return textwrap.wrap(text, LINE)


def fact(kind: Kind, points: int = 10_050) -> Fact:
    """A fact with large numbers; ``points`` is the number of lives left, if it is about lives."""
    points = 11 if kind in ("lives_paid", "lives_lost") else points
    return Fact(kind, 0, points, points if kind in SCORES else 6, (1, 2, 3, 4, 5, 6))


@pytest.mark.parametrize("kind", sorted(set(get_args(Kind)) - {"over", *QUIET}))
def test_each_piece_of_news_is_whole_in_two_lines_with_the_longest_names(kind: Kind) -> None:
    assert len(lines(in_brief([fact(kind)], LONGEST, NOTHING))) <= 2


@pytest.mark.parametrize(
    "kinds",
    [
        ("banked", "last_turns"),
        ("banked", "last_round"),
        ("banked", "turns_again"),
        ("banked", "play_off"),
        ("banked", "offer"),
        ("banked", "on_board"),
        ("took_over", "lives_paid"),
        ("took_over", "staked"),
        ("lives_lost", "out"),
    ],
)
def test_what_was_done_and_what_follows_are_told_together(kinds: tuple[Kind, ...]) -> None:
    told = [fact(kind) for kind in kinds]
    together = in_brief(told, LONGEST, NOTHING)
    assert together == " ".join(in_brief([one], LONGEST, NOTHING) for one in told)
    assert len(lines(together)) <= 2


def test_the_news_is_told_whole_before_it_is_told_in_full() -> None:
    told = [fact("banked", 1_600), fact("offer", 1_600), fact("last_turns")]
    assert in_brief(told, SHORT, NOTHING) == (
        "Ann banks 1,600. On offer: 1,600 with 6 dice. Last turn for everyone else."
    )
    assert in_brief(told, LONGEST, NOTHING) == "On offer: 1,600 with 6 dice. Last turn for everyone else."
    assert in_brief([fact("hot_dice"), fact("went_over")], LONGEST, NOTHING) == (
        "Annabella-Wilhelmina overshoots by 10,050: no score."
    )


@pytest.mark.parametrize("name", GAMES)
def test_the_news_of_whole_games_fits_two_lines(name: str) -> None:
    events: dict[int, tuple[State, list[Fact]]] = {}
    for one, state in played(GAMES[name], 1):
        events.setdefault(id(state), (state, []))[1].append(one)
    for state, found in events.values():
        told = [one for one in found if one.kind not in QUIET]
        if told and not state.over:
            assert len(lines(in_brief(told, LONGEST, state))) <= 2


def told(rules: str, *events: object, dice: str = "manual") -> tuple[str, str]:
    """The news after these events of Ann, Bob and Cleo, and what holds."""
    sheet = Sheet.begun(plan_of(rules, "here", "here", "here", dice=dice))
    sheet.play(*events)
    record = sheet.table.record
    assert record is not None
    return news(record), holds(record)


def test_the_score_to_beat_is_that_of_the_best_of_the_others() -> None:
    rules = "standard(start=first_seat,target=1000,entry=0)"
    assert told(rules) == ("The game begins.", "")
    assert told(rules, Note(600, 2)) == ("Ann banks 600.", "")
    first = Note(1000, 2)
    assert told(rules, first) == ("Ann banks 1,000. Last turn for everyone else.", "Last turn: 1,000 to beat")
    assert told(rules, first, Note(1200, 1))[1] == "Last turn: 1,200 to beat"
    assert told(rules, first, Note(0, 6, farkle=True))[1] == "Last turn: 1,000 to beat"
    assert told("standard(start=first_seat,target=0,rounds=2)")[1] == "2 rounds left"
    ended = [Note(600, 2)] * 3
    assert told("standard(start=first_seat,target=0,rounds=2)", *ended)[1] == "Last round: 600 to beat"


def test_an_offer_holds_until_the_decision_and_lives_paid_to_the_end_of_the_turn() -> None:
    rules = "original(start=first_seat)"
    assert told(rules, Note(5000, 3)) == (
        "Ann banks 5,000. On offer: 5,000 with 3 dice.",
        "On offer: 5,000 with 3 dice",
    )
    bought = (Note(5000, 3), TakeOver(2))
    assert told(rules, *bought) == ("Bob takes over 5,000 with 2 dice. 2 lives paid; 10 left.", "2 lives paid")
    assert told(rules, *bought, Throw((1, 1)))[1] == "2 lives paid"
    assert told(rules, *bought, Note(0, 2, farkle=True))[1] == ""
