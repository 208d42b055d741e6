"""The review of whole games."""

from __future__ import annotations

import random

import pytest

from farkel.coach import (
    PositionError,
    advise,
    chances,
    grade,
    review,
)
from farkel.coach.advice import EVEN
from farkel.dice import FACES
from farkel.game import (
    Keep,
    Note,
    Phase,
    State,
    Throw,
    apply,
    chance_outcomes,
    legal_actions,
    new_game,
)
from farkel.game.scoring import score_table
from farkel.records import DiceSpec, Header, Move, Record, Seating
from farkel.rules import Rules
from named_rules import rules_of
from random_rules import examples
from small_games import GAMES, Gain, Whole, modest_event, small, solved


def random_record(rules: Rules, chance: random.Random, bound: int, leaves: bool = False) -> Record:
    """A game of random decisions, as far as it gets in this many moves."""
    header = Header(rules, (Seating("Ann", ("Ann",)), Seating("Ben", ("Ben",))), DiceSpec(), "2026-11-21 14:03")
    record = Record(header)
    while not record.state.over and len(record.moves) < bound:
        before = record.state
        event = modest_event(before, chance, leaves)
        record.moves.append(Move(len(record.moves) + 1, event, before, apply(before, event)))
    return record


@pytest.mark.parametrize("game", GAMES)
def test_result_minus_start_is_luck_minus_errors(game: str) -> None:
    """The identity of DESIGN.md, for each seat, in whole and in unfinished games, and with seats that leave."""
    rules, evaluator, chance = small(game), solved(game), random.Random(game)
    for number in range(examples(12)):
        record = random_record(rules, chance, bound=chance.choice((0, 1, 7, 200)), leaves=number % 3 == 0)
        found = review(evaluator, record)
        result = chances(evaluator, record.state)
        for seat, account in enumerate(found.seats):
            assert account.start == chances(evaluator, new_game(rules))[seat]
            assert account.end == result[seat]
            assert account.errors >= 0
            assert account.rest == pytest.approx(0, abs=1e-9)
            explained = account.luck - account.errors + account.from_others + account.left
            assert account.end - account.start == pytest.approx(explained, abs=1e-9)
        assert len(found.curve) == len(record.moves) + 1
        assert found.curve[-1] == result


class Loose:
    """An evaluator that does not say that it is exact: nothing it says is taken for granted."""

    exact = False

    def __init__(self, evaluator: Whole) -> None:
        self.chances = evaluator.chances


@pytest.mark.parametrize("game", GAMES)
def test_the_mean_over_all_rolls_is_the_chance_before_them(game: str) -> None:
    """What a review of exact chances relies on; the sums are the same where each roll is averaged over."""
    rules, evaluator, chance = small(game), solved(game), random.Random(f"{game} loose")
    record = random_record(rules, chance, bound=60)
    one, other = review(evaluator, record), review(Loose(evaluator), record)
    assert (one.exact, other.exact) == (True, False)
    for account, same in zip(one.seats, other.seats, strict=True):
        assert same.luck == pytest.approx(account.luck, abs=1e-9)
        assert same.rest == pytest.approx(0, abs=1e-9)
        assert (same.errors, same.from_others) == (account.errors, account.from_others)


@pytest.mark.parametrize("game", GAMES)
def test_luck_and_errors_match_their_definition(game: str) -> None:
    rules, evaluator, chance = small(game), solved(game), random.Random(f"{game} again")
    record = random_record(rules, chance, bound=120)
    for step in review(evaluator, record).steps:
        before, event, after = step.move.before, step.move.event, step.move.after
        if isinstance(event, Throw):
            ways = {throw.faces: ways for throw, ways in chance_outcomes(before)}
            for seat in (0, 1):
                mean = sum(
                    count * chances(evaluator, apply(before, Throw(faces)))[seat] for faces, count in ways.items()
                ) / sum(ways.values())
                assert step.luck[seat] == pytest.approx(chances(evaluator, after)[seat] - mean, abs=1e-12)
            assert step.decision is None
            continue
        worth = [chances(evaluator, apply(before, action))[before.seat] for action in legal_actions(before)]
        if len(worth) == 1:
            assert step.decision is None
            continue
        assert step.decision is not None
        error = max(worth) - chances(evaluator, after)[before.seat]
        assert step.decision.error == pytest.approx(error, abs=1e-9)
        assert step.decision.error >= 0
        assert step.decision.grade == grade(error)
        assert step.given[before.seat] == pytest.approx(-error, abs=1e-9)
        assert chances(evaluator, apply(before, step.decision.best))[before.seat] >= max(worth) - EVEN


def with_notes(record: Record, chance: random.Random) -> Record:
    """The same game with some of its turns only noted, as far as a note leads where the turn led."""
    noted = Record(record.header)
    began: State | None = None
    for move in record.moves:
        before = move.before
        if before.phase is Phase.ROLL and before.dice == before.rules.dice and not before.points:
            began, mark = before, len(noted.moves)
        noted.moves.append(move)
        note = note_of(move)
        if began is not None and note is not None and apply(began, note) == move.after and chance.random() < 0.5:
            noted.moves[mark:] = [Move(move.number, note, began, move.after)]
        if note is not None:
            began = None
    return noted


def note_of(move: Move) -> Note | None:
    """The note for the turn that ends with this move."""
    before, event = move.before, move.event
    if isinstance(event, Keep) and event.then == "bank":
        kept = score_table(before.rules)[before.roll].keeps[event.dice]
        return Note(before.turn_total(event.dice), (0 if kept.hot else kept.left) + before.idle)
    farkled = isinstance(event, Throw) and before.phase is Phase.ROLL and move.after.phase is not Phase.KEEP
    return Note(before.points, before.dice, farkle=True) if farkled else None


@pytest.mark.parametrize("game", GAMES)
def test_noted_turns_are_neither_luck_nor_errors_and_the_account_still_adds_up(game: str) -> None:
    rules, evaluator, chance = small(game), solved(game), random.Random(f"{game} noted")
    met = 0
    for _ in range(max(4, examples(8))):
        record = with_notes(random_record(rules, chance, bound=120), chance)
        if not record.state.over:
            passed = Note(0, 0)
            record.moves.append(Move(999, passed, record.state, apply(record.state, passed)))
        found = review(evaluator, record)
        for step in found.steps:
            if isinstance(step.move.event, Note):
                met += 1
                assert (step.luck, step.given, step.decision) == ((), (), None)
        for seat, account in enumerate(found.seats):
            explained = account.luck - account.errors + account.from_others + account.left + account.noted
            assert account.rest == pytest.approx(0, abs=1e-9)
            assert account.end - account.start == pytest.approx(explained, abs=1e-9)
            noted = [step for step in found.steps if isinstance(step.move.event, Note)]
            assert account.noted == pytest.approx(
                sum(step.after[seat] - step.before[seat] for step in noted), abs=1e-12
            )
    assert met


@pytest.mark.parametrize(
    ("rules", "note", "code", "right"),
    [
        (
            "minimal(target=1000)",
            Note(475, 2),
            "score_unit",
            "after event 1, a noted turn: the score 475 of seat 1 cannot be: scores move in steps of 50 (450 or 500)",
        ),
        (
            "minimal(target=1000, take_over.price=free, take_over.after_farkle=true)",
            Note(475, 2, farkle=True),
            "turn_unit",
            "after event 1, a noted turn: an offer of 475 cannot be: points come in steps of 50",
        ),
    ],
)
def test_a_noted_turn_of_impossible_points_is_not_reviewed(rules: str, note: Note, code: str, right: str) -> None:
    record = Record(Header(rules_of(rules), (Seating("Ann", ("Ann",)), Seating("Ben", ("Ben",))), DiceSpec(), ""))
    record.moves.append(Move(1, note, record.state, apply(record.state, note)))
    with pytest.raises(PositionError) as refused:
        review(solved("at once"), record)
    assert (refused.value.code, refused.value.message) == (code, right)


def test_best_play_makes_no_errors() -> None:
    rules, evaluator, chance = small("take over"), solved("take over"), random.Random(5)
    header = Header(rules, (Seating("Ann", ("Ann",)), Seating("Ben", ("Ben",))), DiceSpec(), "2026-11-21 14:03")
    record = Record(header)
    while not record.state.over:
        before = record.state
        event = (
            Throw(tuple(sorted(chance.choices(FACES, k=before.dice_due))))
            if before.dice_due
            else advise(evaluator, Gain(), before).best.action
        )
        record.moves.append(Move(len(record.moves) + 1, event, before, apply(before, event)))
    found = review(evaluator, record)
    assert found.errors == ()
    assert [account.errors for account in found.seats] == pytest.approx([0, 0], abs=1e-9)
    assert sum(account.decisions for account in found.seats) == len(found.decisions) > 0
    assert sorted(account.end for account in found.seats) == [0, 1]


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (0, "good"),
        (0.0049, "good"),
        (0.005, "inaccuracy"),
        (0.0199, "inaccuracy"),
        (0.02, "mistake"),
        (0.0499, "mistake"),
        (0.05, "blunder"),
        (1, "blunder"),
    ],
)
def test_the_words_for_errors(error: float, word: str) -> None:
    assert grade(error) == word


def test_turning_points_are_the_largest_swings_in_order() -> None:
    found = review(solved("at once"), random_record(small("at once"), random.Random(3), bound=200))
    points = found.turning_points
    assert 0 < len(points) <= 5
    assert [step.move.number for step in points] == sorted(step.move.number for step in points)
    assert min(step.swing for step in points) >= max(
        (step.swing for step in found.steps if step not in points), default=0
    )


def test_a_review_tells_how_far_it_is() -> None:
    told: list[tuple[float, float]] = []
    record = random_record(small("at once"), random.Random(3), bound=9)
    review(solved("at once"), record, lambda done, of: told.append((done, of)))
    assert told == [(number, len(record.moves)) for number in range(1, len(record.moves) + 1)]
