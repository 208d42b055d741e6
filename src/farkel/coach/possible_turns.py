"""The possible turns under the rules, found by asking the law: for doubts and for positions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import gcd
from typing import NamedTuple

from farkel.game import Note, State, law
from farkel.game.choices import Choice, KeepOption, Rolling, put, rolling_of, tried
from farkel.game.choices import choice as choice_of
from farkel.game.law.terms import Terms
from farkel.game.legality import CODES
from farkel.game.numbered import numbered
from farkel.game.refusals import illegal
from farkel.game.scoring import score_table
from farkel.game.state import Seat
from farkel.rules import Rules

PLENTY = 1 << 40
"""More points and lives than anything takes."""
ON_BOARD = Seat(entered=-1)
OFF_BOARD = Seat()


class RollsAlike(NamedTuple):
    """The rolls of a hand that leave the same choice."""

    chance: float
    choice: Choice


class Reached(NamedTuple):
    """Turn totals that can occur, as bits: the number of a bit is the total in units."""

    totals: dict[Rolling, int]
    """By the next rolling."""
    offers: dict[int, int]
    """By the dice that are on offer."""


@lru_cache(maxsize=64)
def step_of(rules: Rules) -> int:
    """Return what all points of keeps are multiples of."""
    terms = numbered(rules).terms
    return gcd(*terms.worth, terms.hot_bonus)


def choice(rules: Rules, hand: Rolling, rolled: int) -> Choice:
    """Return the choices after the roll with that number, in steps: equal options count once."""
    step, found = step_of(rules), choice_of(numbered(rules).terms, hand, rolled)
    alike = {one._replace(keep=0, points=one.points // step) for one in found.options}
    return Choice(tuple(sorted(alike)), found.ends, fine=0, outcome=0, last=found.last)


@lru_cache(maxsize=512)
def parts(rules: Rules, hand: Rolling) -> tuple[RollsAlike, ...]:
    """Return the rolls of a hand that score, those that leave the same choice together."""
    number, terms, found = numbered(rules).number, numbered(rules).terms, Counter[Choice]()
    rolls = score_table(rules, hand.sets).rolls(hand.dice)
    chosen = [choice(rules, hand, number[scored.roll] + terms.shift[hand.sets]) for scored in rolls]
    fall = ((one, scored.ways, not one.options) for one, scored in zip(chosen, rolls, strict=True))
    for one, ways in tried(terms, hand, fall):
        found[one] += ways
    return tuple(RollsAlike(ways / found.total(), one) for one, ways in found.items() if one.options)


@lru_cache(maxsize=512)
def options(rules: Rules, hand: Rolling) -> frozenset[KeepOption]:
    """Return all keeps of all rolls of a hand, in steps."""
    return frozenset(option for part in parts(rules, hand) for option in part.choice.options)


@lru_cache(maxsize=64)
def hands(rules: Rules, hot: int) -> frozenset[Rolling]:
    """Return every possible rolling, after at most this many hot dice that multiply."""
    terms = numbered(rules).terms
    offers = range(1, terms.dice + 1) if law.offered(terms, 1, 0) else ()
    taken = [start for left in offers for start in starts(terms, left)]
    return frozenset(onward(rules, [Rolling(terms.dice), *taken], hot))


def onward(rules: Rules, first: Iterable[Rolling], hot: int) -> set[Rolling]:
    """Return every possible rolling from these hands on, after at most this many hot dice that
    multiply.
    """
    found, todo = set[Rolling](), list(first)
    while todo:
        hand = todo.pop()
        if hand not in found and hand.hot <= hot:
            found.add(hand)
            todo += [option.then for option in options(rules, hand)]
    return found


def starts(terms: Terms, left: int) -> Iterator[Rolling]:
    """Yield the possible first rollings after taking over an offer of this many dice, whatever that costs."""
    for hand in range(1, left + 1):
        (mine, _), now = _under_way()
        now[law.OFFER_HAND] = left
        if not law.why_not_take(terms, mine, now, hand):
            law.take_over(terms, mine, now, hand)
            yield rolling_of(terms, now)


def left_by_farkle(terms: Terms, hand: Rolling) -> int:
    """Return dice on offer after a farkle of the hand, if a turn total is lost."""
    seats, now = _under_way()
    put(now, hand)
    now[law.POINTS] = 1
    law.farkle(terms, seats, now, first=False)
    return now[law.OFFER_HAND]


def _under_way() -> tuple[list[list[int]], list[int]]:
    """Return rows of a game of two."""
    now = [0] * law.NOW
    now[law.CLOSER] = -1
    return [list(ON_BOARD._replace(score=PLENTY, lives=PLENTY)) for _ in range(2)], now


def may_bank(rules: Rules, seat: Seat, most: int) -> int:
    """Return the turn totals up to this many units that the seat may bank, as bits."""
    terms = numbered(rules).terms
    return sum(1 << n for n in range(1, most + 1) if not law.why_not_total(terms, seat, n * rules.unit))


@lru_cache(maxsize=16)
def reached(rules: Rules, most: int) -> Reached:
    """Return turn totals up to this many units that can occur. Not asked is which seat would have banked them."""
    terms, per_step = numbered(rules).terms, step_of(rules) // rules.unit
    mask = (1 << most + 1) - 1
    # A seat that has taken points over may have to roll on with any total (T3).
    banked, owed = may_bank(rules, ON_BOARD, most), ~may_bank(rules, OFF_BOARD, most) if terms.take_enters else mask
    totals, offers = dict[Rolling, int](), dict[int, int]()
    todo = set[Rolling]()

    def roll(hand: Rolling, bits: int) -> None:
        if bits & ~totals.get(hand, 0):
            totals[hand] = totals.get(hand, 0) | bits
            todo.add(hand)

    def offer(left: int, bits: int) -> None:
        if left and bits & ~offers.get(left, 0):
            offers[left] = offers.get(left, 0) | bits
            for start in starts(terms, left):
                roll(start, bits)

    roll(Rolling(terms.dice), 1)
    while todo:
        hand = todo.pop()
        bits = totals[hand]
        for option in options(rules, hand):
            gained = bits << option.points * per_step & mask
            roll(option.then, gained & owed if option.must_bank else gained)
            if not option.must_roll:
                offer(option.offer, gained & banked)
        if score_table(rules, hand.sets).farkles(hand.dice):
            offer(left_by_farkle(terms, hand), bits & ~1)
    return Reached(totals, offers)


def refused(state: State, why: int, total: int) -> tuple[str, str]:
    """Return the code and the sentence with which the rules refuse that the seat banks so much."""
    code = CODES[why] or ""
    return code, illegal(code, state, Note(total, 0)).reason.removesuffix("; keep rolling")
