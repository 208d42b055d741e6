"""Doubts about noted turns: none about what dice can do, and one about each thing that they cannot."""

from __future__ import annotations

import random
import sys
from fractions import Fraction
from functools import cache, partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_notes import played_turns

from farkel.coach import Doubt, doubts
from farkel.coach.fields import IN_A_TURN
from farkel.coach.fields import UNDERSTOOD as COACHED
from farkel.coach.noted_turns import UNLIKELY, _asked, _first_roll_due, _PossibleTurns, _Row, _Ways
from farkel.game import (
    IllegalEvent,
    Keep,
    Note,
    Phase,
    State,
    TakeOver,
    Throw,
    apply,
    chance_outcomes,
    is_legal,
    legal_actions,
)
from farkel.game.scoring import score_table
from farkel.rules import Rules
from games_in_words import event_of, go, left_lying, offered, on_turn, play
from named_rules import SPAN, known_to, rules_of
from random_rules import examples, rule_sets

IMPOSSIBLE = {"turn_unit", "turn_total", "below_entry", "below_minimum", "must_roll_hot_dice", "farkle_dice"}


def doubted(state: State, words: str) -> list[str]:
    """The codes of the doubts about a note in words."""
    note = event_of(words)
    assert isinstance(note, Note)
    return [doubt.code for doubt in doubts(state, note)]


def said(state: State, words: str) -> str:
    """The only doubt as a sentence."""
    note = event_of(words)
    assert isinstance(note, Note)
    (doubt,) = doubts(state, note)
    return doubt.sentence


# What dice can do is not doubted -------------------------------------------------------------------------------------


def assert_play_is_possible(rules: Rules, chance: random.Random, bound: int) -> None:
    for turn in played_turns(rules, chance, bound):
        for state in turn.within:
            found = {doubt.code for doubt in doubts(state, turn.note)}
            assert not found & IMPOSSIBLE, (state, turn.note)


@pytest.mark.parametrize("name", SPAN)
def test_no_turn_that_was_played_is_impossible(name: str) -> None:
    assert_play_is_possible(rules_of(name), random.Random(name), bound=400)


@given(rule_sets().map(partial(known_to, COACHED | IN_A_TURN)), st.integers(0, 9_999))
@settings(max_examples=examples(30))
def test_no_turn_that_was_played_is_impossible_under_any_rules(rules: Rules, seed: int) -> None:
    assert_play_is_possible(rules, random.Random(seed), bound=40)


# What it cannot do is ------------------------------------------------------------------------------------------------

MOST = 700
ODD = {
    "plain": "minimal(dice=5, scoring.1=150, scoring.5=100)",
    "triple ends": "minimal(dice=5, rolled.aaa=bank, minimum=300)",
    "forced": "minimal(dice=5, hot_dice=forced, rolled.aaa=bank)",
    "multiplied": "minimal(dice=5, hot_dice_multiplier=true, scoring.1=150, scoring.5=150)",
    "exact": "minimal(dice=5, rolled.aaa=bank, minimum=400, finish=exact)",
    "bought": "original(dice=5, scoring.123456=0, scoring.aabbcc=0, minimum=3000)",
}


def every_end(state: State, most: int) -> tuple[set[Note], set[Note]]:
    """Every bank and every farkle that the engine allows from here, with turn totals up to ``most``."""
    banks: set[Note] = set()
    lost: set[Note] = set()
    met, todo = {state}, [state]
    while todo:
        now = todo.pop()
        actions = [throw for throw, _ in chance_outcomes(now)] if now.phase is Phase.ROLL else legal_actions(now)
        for action in actions:
            if isinstance(action, Throw) and score_table(now.rules)[action.faces].farkle:
                lost.add(Note(now.points, now.dice, farkle=True))
            elif isinstance(action, Keep) and action.then == "bank":
                kept = score_table(now.rules)[now.roll].keeps[action.dice]
                total = now.points + kept.points * (1 + now.hot)
                if total <= most:
                    banks.add(Note(total, left_lying(now, kept)))
            else:
                after = apply(now, action)
                if after.points <= most and after not in met:
                    met.add(after)
                    todo.append(after)
    return banks, lost


def positions(name: str) -> list[State]:
    """The start of a turn, and places within one."""
    rules, unit = rules_of(ODD[name]), rules_of(ODD[name]).unit
    start = on_turn(rules, rules.target - 6 * unit if name == "exact" else 0, 0)
    if name == "bought":
        bought = apply(offered(rules, unit, 4, 20_000, 0), TakeOver(2))
        return [start, bought, go(bought, "15"), go(bought, "15", "1 roll")]
    return [start, go(start, "12346"), go(start, "12346", "1 roll"), go(start, "11234", "11 roll", "156")]


@pytest.mark.parametrize("name", ODD)
def test_exactly_illegal_turns_are_doubted(name: str) -> None:
    """Every note of a few hundred points, against all that the engine allows."""
    for state in positions(name):
        rules = state.rules
        most = MOST if rules.unit == 50 else 14_000
        banks, lost = every_end(state, most)
        for points in range(rules.unit, most + 1, rules.unit):
            for dice in range(rules.dice):
                note = Note(points, dice)
                found = {doubt.code for doubt in doubts(state, note)} & IMPOSSIBLE
                assert bool(found) == (note not in banks), (state, note, found)
            for dice in range(1, rules.dice + 1):
                note = Note(points, dice, farkle=True)
                found = {doubt.code for doubt in doubts(state, note)} & IMPOSSIBLE
                assert bool(found) == (note not in lost), (state, note, found)


@pytest.mark.parametrize("name", ODD)
def test_rolls_come_to_the_points_named_as_near(name: str) -> None:
    for state in positions(name):
        for steps in range(1, 40, 3):
            for doubt in doubts(state, Note(steps * state.rules.unit, 0)):
                _, _, near = doubt.sentence.partition("; the nearest are ")
                for points in near.replace(",", "").split(" and ") if near else ():
                    notes = [Note(int(points), dice) for dice in range(state.rules.dice)]
                    assert any("turn_total" not in {one.code for one in doubts(state, note)} for note in notes)


@pytest.mark.parametrize(
    ("state", "words", "code", "sentence"),
    [
        (
            on_turn("standard", 0, 0),
            "note 475 2",
            "turn_unit",
            "475 points are impossible: they come in steps of 50 (450 or 500)",
        ),
        (
            on_turn("standard", 0, 0),
            "note 50 2",
            "turn_total",
            "a turn of 50 points never leaves 2 dice: it leaves 5 dice",
        ),
        (
            on_turn("original", 0, 0),
            "note 0 5",
            "turn_total",
            "no rolls come to a turn of 0 points from here; the nearest are 500 and 1,000",
        ),
        (
            go(on_turn("standard", 0, 0), "123446", "1 roll", "12346", "1 roll"),
            "note 150 3",
            "turn_total",
            "a turn total of 150 cannot be: 200 points stand already",
        ),
        (
            go(on_turn("standard", 0, 0), "123446", "1 roll"),
            "note 150 5",
            "turn_total",
            "a turn of 150 points never leaves 5 dice: it leaves 4 dice",
        ),
        (
            go(on_turn("renaissance", 0, 0), "123456", "123456 roll"),
            "note 1600 5",
            "turn_total",
            "a turn of 1,600 points never leaves 5 dice: it leaves no dice",
        ),
        (
            go(on_turn("minimal(extend=each, extend_points=100)", 0, 0), "222346", "222 roll"),
            "note 300 0",
            "turn_total",
            "a turn of 300 points never leaves no dice: it leaves 1 or 2 dice",
        ),
        (
            on_turn("extended", 0, 0, entered=False),
            "note 450 2",
            "below_entry",
            "450 points aren't enough to get on the board: the first bank needs 500 in one turn",
        ),
        (
            on_turn("zilch", 2_000, 0),
            "note 250 3",
            "below_minimum",
            "250 points aren't enough to bank: every turn needs 300",
        ),
        (
            on_turn("standard(hot_dice=forced)", 0, 0),
            "note 600 0",
            "must_roll_hot_dice",
            "you kept all dice: hot dice must be rolled at least once more",
        ),
        (
            on_turn("zilch", 0, 0),
            "note 0 6 farkle",
            "farkle_dice",
            "a zilch with 6 dice is impossible; it can be with 1, 2, 3, 4 or 5 dice",
        ),
        (
            on_turn("standard", 0, 0),
            "note 100 3 farkle",
            "farkle_dice",
            "a farkle with 3 dice is impossible with 100 points set aside; it can be with 4 or 5 dice",
        ),
        (
            on_turn("original", 0, 0),
            "note 0 0 farkle",
            "farkle_dice",
            "under these rules it matters with how many dice it was: say how many",
        ),
        (
            on_turn("extended", 0, 0),
            "note 10000 0",
            "unlikely",
            "10,000 points are rare: about one turn in 50,000 gets that far, even when trying for nothing else",
        ),
        (
            on_turn("standard", 0, 0),
            "note 1000000 2",
            "unlikely",
            "1,000,000 points are rare: less than one in 100,000 gets that far, even when trying for nothing else",
        ),
    ],
)
def test_every_doubt_names_the_fault_and_the_remedy(state: State, words: str, code: str, sentence: str) -> None:
    assert doubts(state, event_of(words)) == (Doubt(code, sentence),)  # type: ignore[arg-type]


def test_a_note_may_be_doubted_for_several_reasons() -> None:
    assert doubted(on_turn("zilch", 0, 0), "note 75 2") == ["turn_unit", "below_minimum"]
    assert doubted(on_turn("standard", 0, 0), "note 20000 2") == ["unlikely"]
    assert doubted(on_turn("standard", 0, 0), "note 20025 2") == ["turn_unit"]  # what cannot be is not called rare, too


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (on_turn("standard", 0, 0), "pass"),
        (on_turn("standard", 0, 0), "note 0 0 farkle"),
        (on_turn("standard", 0, 0), "note 0 3 farkle"),
        (offered("build-on", 500, 2, 500, 700), "note 200 4"),
        (go(offered("build-on", 500, 2, 500, 700), "take 2"), "note 550 1"),
        (go(offered("build-on", 500, 2, 500, 700), "take 2"), "note 500 2 farkle"),
        (on_turn("standard(finish=exact, minimum=300)", 9_900, 0), "note 100 5"),
        (on_turn("standard(hot_dice=forced)", 0, 0), "note 600 4"),
        (go(on_turn("renaissance", 0, 0), "123456", "123456 roll"), "note 1600 0"),
        (go(on_turn("renaissance", 0, 0), "123456"), "note 1500 0"),
        (go(on_turn("renaissance", 0, 0), "123446"), "note 100 5"),
        (on_turn("minimal(dice=8)", 0, 0), "note 100 7"),
        (on_turn("minimal(dice=2, hot_dice_multiplier=true)", 0, 0)._replace(points=9_000, hot=12), "note 10300 1"),
        (go(on_turn("minimal(extend=each, extend_points=100)", 0, 0), "222346", "222 roll"), "note 300 2"),
        (
            go(offered("high-stakes(take_over.price=stake, finish=exact, take_over.stake=500, minimum=300)",
                       100, 2, 500, 9_800), "take 2"),
            "note 200 1",
        ),
    ],
)  # fmt: skip
def test_plausible_turns_are_not_doubted(state: State, words: str) -> None:
    assert doubted(state, words) == []


def test_an_impossible_offer_does_not_spoil_later_turns() -> None:
    state = go(on_turn("build-on", 600, 700), "note 475 2", "take 2")
    assert doubted(state, "note 525 1") == []
    assert said(state, "note 500 1") == "500 points are impossible: they come in steps of 50 (475 or 525)"


def test_impossible_notes_are_refused() -> None:
    for state, note in ((on_turn("standard", 0, 0), Note(-50, 2)), (play("standard", 2), Note(450, 2))):
        assert not is_legal(state, note)
        with pytest.raises(IllegalEvent):
            doubts(state, note)


# How unlikely it is --------------------------------------------------------------------------------------------------


def highest_chance(state: State, points: int) -> Fraction:
    """The highest chance of reaching this many points in this turn, by the engine alone."""

    @cache
    def chance(now: State) -> Fraction:
        if now.seat != state.seat:
            return Fraction(0)
        if now.points >= points:
            return Fraction(1)
        if now.phase is Phase.ROLL:
            parts: list[Fraction] = [ways * chance(apply(now, throw)) for throw, ways in chance_outcomes(now)]
            return sum(parts, Fraction(0)) / int(6**now.dice)
        best = Fraction(0)
        for action in legal_actions(now):
            assert isinstance(action, Keep)
            kept = score_table(now.rules)[now.roll].keeps[action.dice]
            if now.points + kept.points * (1 + now.hot) >= points:
                return Fraction(1)
            if action.then == "roll":
                best = max(best, chance(apply(now, action)))
        return best

    return chance(state)


@pytest.mark.parametrize("name", ODD)
def test_the_chance_is_the_highest_of_all_ways_to_play(name: str) -> None:
    for state in positions(name):
        for steps in (3, 8, 13):
            points = state.points + steps * state.rules.unit
            turn = _asked(_first_roll_due(state), Note(points, 2))
            assert turn.at(turn.gain).chance == pytest.approx(float(highest_chance(state, points)), abs=1e-12)


def test_unlikely_turns_depend_on_the_position() -> None:
    state = on_turn("standard", 0, 0)
    assert doubted(state, "note 6500 2") == ["unlikely"]
    assert doubted(state._replace(points=6_000, dice=3), "note 6500 2") == []
    assert UNLIKELY == 1e-4


@pytest.mark.parametrize("name", SPAN)
def test_doubts_are_quick_once_a_rule_set_is_known(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No roll is looked at again, and a further step of points takes one row of numbers for each hand."""
    state, made = on_turn(name, 0, 0), list[int]()
    doubts(state, Note(20 * state.rules.unit, 2))
    calculated = _PossibleTurns._row

    def row(turns: _PossibleTurns, ways: _Ways, gain: int) -> _Row:
        made.append(gain)
        return calculated(turns, ways, gain)

    monkeypatch.setattr(_PossibleTurns, "_row", row)
    monkeypatch.setattr(
        sys.modules[_PossibleTurns.__module__], "_ways", lambda *_: pytest.fail("it looks at rolls again")
    )
    for steps in range(1, 101):
        doubts(state, Note(steps * state.rules.unit, 2))
    assert len(made) <= 80 * state.rules.dice
    made.clear()
    doubts(state, Note(100 * state.rules.unit, 2))
    assert not made
