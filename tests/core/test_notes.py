"""Turns that people only tell: a note leads where the turn itself would have led, and is told and counted alike."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_record import NOON, machine, person, recheck

from farkel.errors import CannotUndo
from farkel.game import (
    Fresh,
    IllegalEvent,
    Keep,
    Note,
    Phase,
    State,
    TakeOver,
    Throw,
    apply,
    legal_actions,
    new_game,
)
from farkel.game.story import facts, tell
from farkel.play.match import Match, Setup
from farkel.records import DiceKind, Move, Seating, parse_record, read, verify
from farkel.records.figures import summarise, turns
from farkel.rules import Rules, named
from games_in_words import event_of, go, left_lying, on_turn
from named_rules import SPAN, rules_of
from random_play import random_event, random_people
from random_rules import examples, rule_sets


class Played(NamedTuple):
    """A turn that was thrown, and the note that tells it."""

    within: list[State]
    """Every state from which the note may be given: an offer that is declined, and each throw and decision."""
    last: Throw | Keep
    note: Note
    after: State


def played_turns(rules: Rules, chance: random.Random, bound: int) -> Iterator[Played]:
    """The turns of a game of random decisions that a note can tell: those without fines for triples."""
    if tells_more_than_notes(rules):
        return
    state, within, fined = new_game(rules, random_people(rules, chance)), list[State](), False
    for _ in range(bound):
        if state.over:
            return
        event = random_event(state, chance)
        after = apply(state, event)
        if state.phase is not Phase.START and not isinstance(event, TakeOver):
            within.append(state)
        if isinstance(event, Throw) and state.phase is Phase.ROLL:
            fined |= state.scored_as(event.faces).fine > 0
        note = told(state, event)
        if note is not None and isinstance(event, Throw | Keep):
            if not fined and not unknown(within[0], state, note):
                yield Played(within, event, note, after)
            within, fined = [], False
        state = after


def tells_more_than_notes(rules: Rules) -> bool:
    """Whether rolls and keeps do more to the score or the game than a note tells."""
    rolls = any(effect.then in ("win", "lose", "zero", "again") for effect in rules.rolled.values())
    rolls = rolls or bool(rules.rolled.bonuses) or rules.extend == "again" or rules.cancel_win
    keeps = any(pays.then == "win" for pays in rules.scoring.values()) or rules.hot_dice_bonus_to == "score"
    proves = rules.penalties.turn_total == "kept" and (
        rules.entry_by != "turn" or any(pays.owes or pays.missing for pays in rules.scoring.values())
    )
    return bool(rolls or keeps or proves)


def told(state: State, event: object) -> Note | None:
    """The note for the turn that ends with this event."""
    if isinstance(event, Throw) and state.phase is Phase.ROLL and apply(state, event).phase is not Phase.KEEP:
        return None if state.rolls_again(event.faces) else Note(state.points, state.dice, farkle=True)
    if isinstance(event, Keep) and event.then == "bank":
        assert state.scored is not None
        heavy = state.rules.take_over.heavy and state.hot
        left = 0 if heavy else left_lying(state, state.scored.keeps[event.dice])
        return Note(state.turn_total(event.dice), left)
    return None


def unknown(first: State, last: State, note: Note) -> bool:
    """Whether dice seem to lie there: those not bought but rolled later (D12), or those of a heavy turn (T1)."""
    idle = first.idle > last.idle and note.dice <= first.dice
    rules = last.rules
    heavy = rules.take_over.heavy and rules.take_over.after_farkle and last.hot and note.dice < rules.dice
    return note.farkle and bool(idle or heavy)


def assert_notes_lead_to_the_same(rules: Rules, chance: random.Random, bound: int) -> None:
    for turn in played_turns(rules, chance, bound):
        for state in turn.within:
            assert apply(state, turn.note) == turn.after
        before = turn.within[-1]
        thrown = facts(before, turn.last, turn.after)
        dice = {"rolled", "kept", "hot_dice", "owing"}
        assert facts(before, turn.note, turn.after) == tuple(fact for fact in thrown if fact.kind not in dice)


@pytest.mark.parametrize("name", SPAN)
def test_D24_a_note_leads_to_the_same_state_as_the_turn(name: str) -> None:
    for seed in range(4):
        assert_notes_lead_to_the_same(rules_of(name), random.Random(seed), bound=300)


@given(rule_sets(), st.integers(0, 9_999))
@settings(max_examples=examples(60))
def test_D24_a_note_leads_to_the_same_state_as_the_turn_under_any_rules(rules: Rules, seed: int) -> None:
    assert_notes_lead_to_the_same(rules, random.Random(seed), bound=120)


@pytest.mark.parametrize("name", SPAN)
def test_a_note_is_not_a_decision(name: str) -> None:
    chance = random.Random(name)
    for turn in played_turns(rules_of(name), chance, 60):
        assert not any(isinstance(action, Note) for state in turn.within for action in legal_actions(state))


# Told and counted ----------------------------------------------------------------------------------------------------


def moves_of(state: State, *events: str) -> list[Move]:
    found: list[Move] = []
    for number, words in enumerate(events, 1):
        after = go(state, words)
        found.append(Move(number, event_of(words), state, after))
        state = after
    return found


def said(moves: list[Move]) -> list[list[str]]:
    happened = [(facts(move.before, move.event, move.after), move.after) for move in moves]
    return [[tell(fact, ("Ann", "Ben"), after) for fact in found] for found, after in happened]


def test_a_noted_turn_is_reported_like_any_other() -> None:
    assert said(moves_of(on_turn("build-on", 600, 700), "note 450 2", "pass", "note 300 3 farkle")) == [
        ["Ann banks 450 and has 1,050.", "Ann leaves 2 dice and 450 points to take over."],
        ["Ben's turn is skipped."],
        ["Bust! Ann loses the turn total of 300."],
    ]


def test_a_noted_turn_on_an_offer_leaves_an_offer_of_its_own() -> None:
    moves = moves_of(on_turn("build-on", 600, 700), "note 450 2", "note 250 4")
    assert said(moves)[1] == ["Ben banks 250 and has 950.", "Ben leaves 4 dice and 250 points to take over."]


def test_the_fate_of_a_stake_is_reported() -> None:
    state = on_turn("high-stakes(take_over.price=stake, take_over.stake=500, take_over.after_farkle=true)", 800, 700)
    for words, expected in {
        "note 650 1": ["Ben gets the stake of 500 back.", "Ben banks 650 and has 1,350."],
        "note 650 1 farkle": ["Ben gets the stake of 500 back.", "Farkle! Ben loses the turn total of 650."],
        "note 450 2 farkle": ["Farkle! Ben scores nothing.", "Ben loses the stake of 500."],
        "note 0 0 farkle": ["Farkle! Ben scores nothing.", "Ben loses the stake of 500."],
    }.items():
        told_of = said(moves_of(state, "note 450 2", "take 2", words))
        assert told_of[2][: len(expected)] == expected


def test_noted_turns_count_and_a_seat_passed_over_has_none() -> None:
    moves = moves_of(on_turn("standard", 0, 0), "note 450 2", "note 0 6 farkle", "pass", "note 150 0", "note 50 5")
    assert [(turn.seat, turn.points, turn.score, turn.farkle) for turn in turns(moves)] == [
        (0, 450, 450, False),
        (1, 0, 0, True),
        (1, 150, 150, False),
        (0, 50, 500, False),
    ]
    ann, ben = summarise(moves, 2)
    assert (ann.turns, ann.farkles, ann.best, ann.mean, ann.scores) == (2, 0, 450, 250, (450, 500))
    assert (ben.turns, ben.farkles, ben.best, ben.mean, ben.scores) == (2, 1, 150, 75, (0, 150))


def test_a_returned_stake_is_not_part_of_a_noted_turn() -> None:
    state = on_turn("high-stakes(take_over.price=stake, take_over.stake=500)", 800, 700)
    assert [turn.points for turn in turns(moves_of(state, "note 450 2", "take 2", "note 650 1"))] == [450, 650]


# Recorded ------------------------------------------------------------------------------------------------------------


def table(path: Path, rules: str = "build-on", dice: DiceKind = "manual", other: Seating | None = None) -> Match:
    return Match.start(Setup(named(rules), (person("Ann"), other or person("Ben")), dice, "1"), path, NOON)


def test_notes_in_a_record(tmp_path: Path) -> None:
    match = table(tmp_path / "game.farkel")
    for words in ("note 1200 2", "take 2", "note 1250 1", "note 300 3 farkle", "pass", "note 0 0 farkle", "note 500 0"):
        match.act(event_of(words))
    match.close()
    text = (tmp_path / "game.farkel").read_text()
    for line in (
        "   1  Ann: notes 1,200, 2 dice left ; +1,200 = 1,200, on board ",
        "   3  Ben: notes 1,250, 1 die left ; +1,250 = 1,250, on board ",
        "   4  Ann: notes 300, farkle with 3 dice ; farkle, -300 ",
        "   5  Ben: is passed over ",
        "   6  Ann: notes 0, farkle ; farkle ",
        "   7  Ben: notes 500, 0 dice left ; +500 = 1,750 ",
    ):
        assert line in text
    record = read(tmp_path / "game.farkel")
    assert record.problem is None
    assert (record.state, [move.event for move in record.moves]) == (match.state, [move.event for move in match.moves])
    assert "5 turns entered by people, which nothing can check" in verify(record)


@given(rule_sets(), st.integers(0, 9_999))
@settings(max_examples=examples(20))
def test_records_of_notes_read_back_under_any_rules(rules: Rules, seed: int) -> None:
    chance = random.Random(seed)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "game.farkel"
        match = Match.start(Setup(rules, (person("Ann"),), "manual"), path)
        while not match.state.over and len(match.moves) < 40:
            noted = chance.random() < 0.5 and match.state.phase is not Phase.START
            number, lost = chance.randrange(rules.dice), chance.random() < 0.4
            note = Note(chance.choice((0, 50, 450, 1_200, 1_000_000)), number, lost)
            match.act(note if noted else random_event(match.state, chance))
        match.close()
        record = read(path)
        assert record.problem is None
        assert [move.event for move in record.moves] == [move.event for move in match.moves]


@pytest.mark.parametrize("dice", ["system", "seeded", "committed"])
def test_the_machine_s_dice_are_not_noted_but_a_seat_may_be_passed_over(dice: DiceKind, tmp_path: Path) -> None:
    match = table(tmp_path / "game.farkel", dice=dice)
    with pytest.raises(IllegalEvent) as refused:
        match.act(Note(450, 2))
    assert refused.value.code == "machine_dice"
    assert not match.moves
    match.act(Note(0, 0))
    match.throw()
    match.close()
    assert "1  Ann: is passed over " in (tmp_path / "game.farkel").read_text()
    record = read(tmp_path / "game.farkel")
    assert record.problem is None
    assert not any("noted" in line for line in verify(record))


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("dice: manual", "dice: system", "illegal"),
        ("notes 450, 2 dice left", "notes 450, 6 dice left", "illegal"),
        ("notes 450, 2 dice left", "notes 9,999,999, 2 dice left", "illegal"),
        ("notes 450, 2 dice left ; +450 = 450", "notes 0450, 2 dice left ; +450 = 450", "wrong_note"),
        ("notes 450, 2 dice left ; +450 = 450", "notes 0, 0 dice left", "wrong_note"),
        ("notes 450, 2 dice left ; +450 = 450", "notes 450, 2 dice left ; +450 = 500", "wrong_note"),
        ("notes 450, 2 dice left", "notes 450", "malformed"),
        ("notes 450, 2 dice left", "notes -450, 2 dice left", "malformed"),
        ("notes 450, 2 dice left", "notes 450, 12 dice left", "malformed"),
    ],
)
def test_an_impossible_forged_note_is_refused(old: str, new: str, code: str, tmp_path: Path) -> None:
    match = table(tmp_path / "game.farkel", "minimal")
    match.act(Note(450, 2))
    match.close()
    text = (tmp_path / "game.farkel").read_text()
    assert old in text
    problem = parse_record(recheck(text.replace(old, new)).encode()).problem
    assert problem is not None
    assert (problem.code, problem.line is not None) == (code, True)


def test_a_note_is_taken_back_whosever_turn_it_tells(tmp_path: Path) -> None:
    match = table(tmp_path / "game.farkel", other=machine("Bo", "bold"))
    before = match.state
    match.act(Note(450, 2))
    noted = match.state
    match.act(Note(300, 3))
    assert [move.event for move in match.undo()] == [Note(300, 3)]
    assert match.state == noted
    match.act(Fresh())
    assert [move.event for move in match.undo()] == [Note(450, 2), Fresh()]
    assert match.state == before
    match.close()


def test_a_seat_passed_over_is_taken_back_until_the_machine_has_thrown(tmp_path: Path) -> None:
    match = table(tmp_path / "game.farkel", "minimal", "seeded")
    match.act(Note(0, 0))
    assert [move.event for move in match.undo()] == [Note(0, 0)]
    match.act(Note(0, 0))
    match.throw()
    with pytest.raises(CannotUndo):
        match.undo()
    match.close()
    assert read(tmp_path / "game.farkel").problem is None
