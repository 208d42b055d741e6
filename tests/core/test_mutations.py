"""Every number that the law reads of the rules matters: where one is wrong, the referee notices it in a few games."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

import pytest

from farkel.game.law.terms import Terms
from farkel.game.numbered import _last, _numbered, number_with, numbered
from farkel.rules import Rules
from named_rules import rules_of
from referee import Disagreement, followed

GAMES = 60
BOUND = 300


class Case(NamedTuple):
    """Rules under which a field matters, and people at the table."""

    spec: str
    people: tuple[int, ...] = (1, 1)
    times: int = 0
    """The number is multiplied; 0: ``step`` is added to it, and a truth is denied."""
    step: int = 1


LIVES = "lives.each=3, lives.farkle=1, lives.farkle_all_dice=2"
STANDING = f"minimal(target=5000, {LIVES}, lives.round_points=50)"

ZONES = (
    "minimal(target=1000, penalties.below_zero=false, "
    "zones='100-250 leave; 300-400 never; 500 zero; 600-950 barrel tries 2 fine 100 times 2')"
)

FORESIGHT = {"risks", "keeps_win"}
"""Fields that change no event, but only what the law says about the chance to win: see `test_players`."""
CASES: dict[str, tuple[Case, ...]] = {
    "dice": (Case("minimal"),),
    "target": (Case("minimal(target=500)"),),
    "finish": (
        Case("minimal(target=500)"),
        Case("minimal(target=500, finish=last_turns)", (1, 1, 1)),
        Case("minimal(target=500, finish=exact)"),
        Case("minimal(target=500, finish=welfare)", (1, 1, 1)),
    ),
    "fewest": (
        Case("minimal(target=500, finish=fewest_rounds)", (1, 1, 1)),
        Case("minimal(target=500, finish=equal_turns)", (1, 1, 1)),
    ),
    "hot_wins": (Case("minimal(target=500)"), Case("minimal(target=500, dice=5, hot_dice_to_win=true)")),
    "last_roll": (Case("minimal(target=500, finish=last_turns)", (1, 1, 1)),),
    "again": (
        Case("minimal(target=500, finish=last_turns)", (1, 1, 1)),
        Case("minimal(target=500, finish=last_turns, last_turns_again=passed)", (1, 1, 1)),
        Case("minimal(target=500, finish=last_turns, last_turns_again=beaten)", (1, 1, 1)),
        Case("minimal(target=500, finish=last_turns, last_turns_again=tied)", (1, 1, 1)),
    ),
    "ties": (
        Case("minimal(target=0, rounds=2)", (1, 1, 1)),
        Case("minimal(target=0, rounds=2, ties=play_off)", (1, 1, 1)),
        Case("minimal(target=500, finish=equal_turns, ties=first)", (1, 1, 1), step=-1),
    ),
    "exact": (Case("minimal(target=500, finish=exact)"), Case("minimal(target=500)")),
    "hit_round": (
        Case("minimal(target=300, finish=exact)", (1, 1, 1)),
        Case("minimal(target=300, finish=exact, exact_hit=round)", (1, 1, 1)),
    ),
    "missed": (Case("minimal(target=500, finish=exact, missed_target=700)", step=50),),
    "cancels": (Case("minimal(target=300, finish=exact)"), Case("minimal(target=300, finish=exact, cancel_win=true)")),
    "turns_in_row": (Case("minimal(turns_in_row=3)"), Case("minimal")),
    "rounds": (Case("minimal(rounds=2)"),),
    "start": (
        Case("minimal"),
        Case("minimal(start=highest_die)", (1, 1, 1)),
        Case("minimal(start=highest_total)", (1, 1, 1), step=-3),
    ),
    "pips": (Case("minimal(start=first_six)"),),
    "entry": (Case("minimal(entry=100)"),),
    "stays_from": (
        Case("minimal(target=1000, entry=200, entry_again=at_zero, penalties.farkle=100)", step=-1),
        Case("minimal(target=1000, entry=200, entry_again=below_entry, penalties.farkle=100)", step=100),
    ),
    "minimum": (Case("minimal(minimum=100)"),),
    "multiple": (Case("minimal(bank_multiple=150)"),),
    "entry_by": (Case("minimal(entry=300, entry_by=triple)", step=-2),),
    "beat_previous": (Case("minimal(beat_previous=true)"), Case("minimal")),
    "bank_left": (Case("minimal(bank_left=3)"), Case("minimal")),
    "least_rolls": (Case("minimal(least_rolls=2)"), Case("minimal")),
    "most_rolls": (Case("minimal(most_rolls=2, minimum=200)"),),
    "tries": (Case("minimal(last_die_tries=2)", times=0, step=1),),
    "entry_rolls": (Case("minimal(entry=300, entry_rolls=2)"),),
    "roll_from": (Case("minimal(roll_from=200)", step=100),),
    "counts_rolls": (Case("minimal(least_rolls=2)", times=0, step=-1),),
    "entry_each": (Case("minimal(entry=300, entry_each=true, teams=partners)", (2, 1)),),
    "partners": (Case("minimal(teams=partners)", (2, 1)), Case("minimal", (2, 1))),
    "forced": (Case("minimal(hot_dice=forced, dice=5)"), Case("minimal(dice=5)")),
    "most_hot": (Case("minimal(dice=5, most_hot_dice=1)"), Case("minimal(dice=4, most_hot_dice=2)")),
    "multiplier": (
        Case("minimal(hot_dice_multiplier=true, dice=5)"),
        Case("minimal(take_over.price=free, take_over.heavy=true, dice=5)"),
    ),
    "counts_hot": (
        Case("minimal(hot_dice_multiplier=true, dice=5)", times=0, step=-(1 << 30)),
        Case("minimal(dice=4, most_hot_dice=2)", step=-1),
    ),
    "heavy": (Case("minimal(take_over.price=free, take_over.heavy=true, dice=5)"),),
    "take_enters": (Case("minimal(take_over.price=free, entry=200)"),),
    "take_on_board": (Case("minimal(take_over.price=free, entry=200)"),),
    "take_from_score": (Case("minimal(take_over.price=free)", step=300),),
    "take_points": (Case("minimal(take_over.price=free)"),),
    "take_bonus": (Case("minimal(take_over.price=free)"),),
    "zones": (Case(ZONES, step=-1),),
    "zone_first": (Case(ZONES, step=50),),
    "zone_last": (Case(ZONES, step=-50),),
    "zone_kind": (Case(ZONES),),
    "zone_tries": (Case(ZONES),),
    "zone_fine": (Case(ZONES, step=50),),
    "zone_times": (Case(ZONES),),
    "opens": (Case("minimal(entry=200, entry_by=roll)"), Case("minimal(entry=300, entry_by=triple)")),
    "price": (
        Case("minimal"),
        Case("minimal(take_over.price=stake, take_over.stake=50)"),
        Case(f"minimal(take_over.price=stake, take_over.stake=50, {LIVES})"),
    ),
    "stake": (Case("minimal(take_over.price=stake, take_over.stake=50)"),),
    "choose_dice": (Case("minimal(take_over.price=free)"),),
    "after_farkle": (Case("minimal(take_over.price=free)"), Case("minimal(take_over.price=free, dice=5)")),
    "after_hot_dice": (Case("minimal(take_over.price=free, dice=5)"),),
    "lives": (Case(STANDING),),
    "lives_farkle": (Case(STANDING),),
    "lives_all": (Case(STANDING),),
    "standing_wins": (Case(STANDING),),
    "round_points": (Case(STANDING, times=2),),
    "target_points": (Case(STANDING),),
    "unit": (Case(STANDING),),
    "in_row": (Case("minimal(penalties.farkles_in_row=2, penalties.farkles_in_row_points=50)"),),
    "in_row_points": (Case("minimal(penalties.farkles_in_row=2, penalties.farkles_in_row_points=50)"),),
    "all_dice_points": (Case("minimal"),),
    "farkle_points": (Case("minimal"),),
    "first_roll_points": (Case("minimal"),),
    "not_beaten_points": (Case("minimal(beat_previous=true)"),),
    "all_again": (Case("minimal(bank_left=1)"),),
    "whole_wins": (Case("minimal(target=500, keep=all_to_win)"),),
    "part": (Case("minimal(target=500, keep=all_to_win)"),),
    "turn_total": (
        Case("minimal"),
        Case("minimal(penalties.turn_total=subtracted)"),
        Case("minimal(penalties.turn_total=kept)"),
    ),
    "catches_up": (Case("minimal(target=500, catching_up.overtaken=50)"),),
    "landed_on": (
        Case("minimal(target=1000, catching_up.overtaken=50)", (1, 1, 1)),
        Case("minimal(target=1000, catching_up.landed_on=to_zero)", (1, 1, 1)),
        Case("minimal(target=1000, catching_up.landed_on=back)", (1, 1, 1)),
        Case("minimal(target=1000, catching_up.landed_on=swap)", (1, 1, 1), step=-1),
    ),
    "overtaken": (Case("minimal(target=500, catching_up.overtaken=50)"),),
    "fines_turn": (Case("minimal(rolled.222=-300, penalties.fines_from=turn)"), Case("minimal(rolled.222=-300)")),
    "below_zero": (Case("minimal(rolled.222=-300)"),),
    "fine": (Case("minimal(rolled.222=-300)"),),
    "hot_bonus": (Case("minimal(dice=5)"),),
    "hot_reward": (Case("minimal(dice=5)"),),
    "confirms": (Case('minimal(scoring.5={points=50, then="roll"})'),),
    "firsts": (Case('minimal(scoring.5={points=50, when="first_roll"})'),),
    "as_first": (Case('minimal(scoring.5={points=50, when="first_roll"})'),),
    "strikes": (Case("minimal(rolled.22=50)"),),
    "outcome": (
        Case("minimal(rolled.22=lose)"),
        Case("minimal(rolled.22=again)"),
        Case("minimal(rolled.22=zero)"),
        Case("minimal(rolled.2222=win)"),
    ),
    "owes": (Case('minimal(scoring.5={points=50, then="roll"})'),),
    "closes": (Case('minimal(scoring.5={points=50, then="bank"})'), Case("minimal(scoring.22=win)"), Case("minimal")),
    "binds": (Case("minimal(rolled.aaa=bank)"), Case("minimal")),
    "first_keep": (Case("minimal"),),
    "worth": (Case("minimal"),),
    "extends": (Case("standard(extend=each, extend_points=100)"),),
    "doubling": (Case("standard(extend=double)", step=-10_000_000),),
    "doubles": (Case("standard(extend=double)"),),
    "shift": (Case("standard(extend=each, extend_points=100)"),),
    "sets": (Case("standard(extend=each, extend_points=100)"),),
    "left": (Case("minimal"),),
    "hot": (Case("minimal(take_over.price=free, dice=5)"), Case("minimal(hot_dice=forced, dice=5)")),
}


def changed(value: Any, times: int, step: int = 1) -> Any:
    """Another value of the same kind."""
    if isinstance(value, Sequence):
        return [changed(one, times, step) for one in value]
    if isinstance(value, bool):
        return not value
    return value * times if times else value + step


def noticed(rules: Rules, people: tuple[int, ...], games: int = GAMES) -> bool:
    """Whether the referee disagrees in some of the games."""
    try:
        for number in range(games):
            for _ in followed(rules, people, random.Random(number), BOUND):
                pass
    except Disagreement:
        return True
    return False


def test_every_field_of_the_terms_has_its_case() -> None:
    assert set(CASES) | FORESIGHT == {field.name for field in fields(Terms)}, "say under which rules the field matters"


@pytest.fixture
def forgetting() -> Iterator[None]:
    """Rules that were numbered wrong are not used by the tests after this one."""
    yield
    forget()


def forget() -> None:
    """Forget how rules are numbered."""
    _numbered.cache_clear()
    _last.clear()


@pytest.mark.parametrize("case", sorted({case for cases in CASES.values() for case in cases}), ids=str)
def test_fair_dice_are_not_suspected(case: Case) -> None:
    assert not noticed(rules_of(case.spec), case.people, games=5)


@pytest.mark.parametrize(("field", "case"), [(field, case) for field, cases in CASES.items() for case in cases])
@pytest.mark.usefixtures("forgetting")
def test_a_wrong_field_is_noticed(field: str, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_of(case.spec)
    book = numbered(rules)
    wrong = replace(book.terms, **{field: changed(getattr(book.terms, field), case.times, case.step)})
    forget()
    monkeypatch.setattr("farkel.game.numbered.number_with", lambda rules, _: number_with(rules, wrong))
    assert noticed(rules, case.people)
