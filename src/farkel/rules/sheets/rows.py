"""What dice pay and what rolls cost, as values: a rule sheet before it is words.

A row says what all dice pay that fit a pattern, but for its exceptions, which have rows of their own.
`farkel.game.scoring` compiles every roll; a sheet names a few, and a test compares all that it says with that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from farkel.dice import Roll, faces_text
from farkel.rules.model import Rules
from farkel.rules.pattern_tables import (
    AFTER_SET,
    KINDS,
    MOMENTS,
    NOTHING,
    Combination,
    Effect,
    Moment,
    SplitWorth,
    Then,
    contains,
    told_apart,
    without,
)
from farkel.rules.patterns import LETTERS, pattern_of

SET = 3
"""Dice that lie aside at least in a roll after a set."""


class DiceWorth(NamedTuple):
    """What dice are good for if they are rolled and all of them kept."""

    points: int = 0
    wins: bool = False
    costs: int = 0
    """Points that every roll costs that holds them: they may not be kept."""
    ends: Then | Literal[""] = ""
    """What every roll does that holds them: nothing of it may be kept."""


class SheetRow(NamedTuple):
    """Dice that pay alike: a line of the scoring table before it is words."""

    form: str
    """The pattern that they fit."""
    worth: DiceWorth
    """What they pay; points for each pip of the letter, if there is one."""
    letter: str
    dice: tuple[Roll, ...]
    moments: tuple[Moment, ...]
    """The rolls that it is about."""
    exceptions: tuple[Roll, ...] = ()
    """Dice that fit the pattern and pay otherwise, in rows of their own."""
    unnamed: tuple[Roll, ...] = ()
    """Those of them that have none, as they would be too many."""

    def of(self, dice: Roll) -> DiceWorth:
        """Return what some of its dice pay."""
        return self.worth._replace(points=self.worth.points * _pips(self.form, dice, self.letter))


MOST_NAMED = 12
"""Exceptions from a pattern that have rows of their own."""


def rows(rules: Rules) -> tuple[SheetRow, ...]:
    """Return the rows of the scoring table: of each pattern first its exceptions, then all other dice."""
    made = [row for form in rules.scoring if len(form) <= rules.dice for row in _row(rules, form)]
    told = {(dice, moment) for row in made for dice in row.dice for moment in row.moments}
    found: list[SheetRow] = []
    for row in made:
        left = {dice: [moment for moment in row.moments if (dice, moment) not in told] for dice in row.exceptions}
        left = {dice: moments for dice, moments in left.items() if moments}
        if len(left) > MOST_NAMED:
            found.append(row._replace(unnamed=tuple(left)))
            continue
        for dice, moments in left.items():
            found += rows_of(rules, dice, moments)
            told |= {(dice, moment) for moment in moments}
        found += [row] if row.dice else []
    return tuple(found)


def rows_of(rules: Rules, dice: Roll, moments: Iterable[Moment]) -> Iterator[SheetRow]:
    """Yield what exactly these dice pay: a row for all moments at which that is the same."""
    by_worth: dict[DiceWorth, list[Moment]] = {}
    for moment in moments:
        by_worth.setdefault(worth_of(rules, dice, moment), []).append(moment)
    for worth, several in by_worth.items():
        yield SheetRow(faces_text(dice), worth, "", (dice,), tuple(several))


def moments(rules: Rules, dice: int) -> tuple[Moment, ...]:
    """Return the moments, of those that the rules tell apart, at which this many dice may fall."""
    told = told_apart(entry.when for table in (rules.scoring, rules.rolled) for entry in table.values())
    every = dice == rules.dice and MOMENTS[1] in told
    return tuple(
        moment
        for moment in told
        if not (moment == MOMENTS[0] and every) and not (moment == AFTER_SET and dice > rules.dice - SET)
    )


def worth_of(rules: Rules, dice: Roll, moment: Moment) -> DiceWorth:
    """Return what dice are good for if they are rolled and all of them kept."""
    does = rules.rolled.does(dice, moment)
    if does.ends:
        return DiceWorth(ends=does.ends)
    if not does.fined.isdisjoint(dice):
        return DiceWorth(costs=does.fine)
    split, nothing = best_split(rules, dice, moment), rules.rolled.nothing
    if split:
        return DiceWorth(wins=True) if split.wins else DiceWorth(split.points)
    if (
        len(dice) == rules.dice
        and not nothing.idle
        and _falls(nothing, moment)
        and _splits(rules, moment).none_score(dice)
    ):
        return DiceWorth(nothing.points, ends=nothing.then if nothing.then != "bank" else "")
    return DiceWorth()


def _falls(nothing: Effect, moment: Moment) -> bool:
    """Return whether all the dice of which none scores do something if they are rolled at a moment."""
    return nothing.when in ("", "all_dice") or (nothing.when == "first_roll" and moment.first)


def best_split(rules: Rules, dice: Roll, moment: Moment) -> SplitWorth | None:
    """Return the best split of exactly these dice into combinations that count at a moment; None if there is none."""
    return _splits(rules, moment).best(dice)


class _Splits:
    """The best splits of dice at a moment, as they are asked for."""

    def __init__(self, rules: Rules, moment: Moment) -> None:
        self._combined: dict[int, list[Combination]] = {}
        for one in rules.combinations_at(moment):
            self._combined.setdefault(one.dice[0], []).append(one)
        self._known: dict[Roll, SplitWorth | None] = {(): SplitWorth()}

    def best(self, dice: Roll) -> SplitWorth | None:
        """Return the best split: it has one combination that holds the lowest face."""
        if dice not in self._known:
            parts = [one for one in self._combined.get(dice[0], ()) if contains(dice, one.dice)]
            rests = [(one, self.best(without(dice, one.dice))) for one in parts]
            self._known[dice] = max((rest.plus(one) for one, rest in rests if rest is not None), default=None)
        return self._known[dice]

    def none_score(self, dice: Roll) -> bool:
        """Return whether nothing scores of the dice."""
        return not any(contains(dice, one.dice) for several in self._combined.values() for one in several)


_splits = lru_cache(maxsize=256)(_Splits)


def _pips(form: str, dice: Roll, letter: str) -> int:
    """Return the face of a letter of a pattern that dice fit, the highest of several; 1 without a letter."""
    place = LETTERS.index(letter) if letter else 0
    return max(fit.faces[place] for fit in pattern_of(form).fits if fit.dice == dice) if letter else 1


def _row(rules: Rules, form: str) -> Iterator[SheetRow]:
    """Yield the row of a pattern with all the dice of which it is true, and those of which it is not."""
    pays, pattern = rules.scoring[form], pattern_of(form)
    at = tuple(moment for moment in moments(rules, pattern.dice) if moment.counts(pays.when))
    found = {dice: {worth_of(rules, dice, moment) for moment in at} for dice in sorted(pattern.rolls)}
    row = SheetRow(form, DiceWorth(pays.points, pays.then == "win"), pays.letter, (), at)
    true = tuple(dice for dice, worths in found.items() if worths == {row.of(dice)})
    every = set().union(*found.values())
    if at and not true and len(every) == 1:  # all pay the same, though it is not what the pattern pays
        yield row._replace(worth=every.pop(), letter="", dice=tuple(found))
    elif at:
        yield row._replace(dice=true, exceptions=tuple(dice for dice in found if dice not in true))


# What rolls do, and what combinations ask for -------------------------------------------------------------------------


def spared(rules: Rules, form: str, kind: str) -> tuple[tuple[Roll, tuple[Moment, ...]], ...]:
    """Return the dice that fit a pattern of `Rolled` and do something else than its effect of that kind, and when."""
    effect = rules.rolled[form]
    found = []
    for dice in sorted(pattern_of(form).rolls):
        at = [moment for moment in moments(rules, len(dice)) if moment.counts(effect.when)]
        at = [moment for moment in at if rules.rolled.says(kind, moment).get(dice, 0) != KINDS[kind](effect)]
        found += [(dice, tuple(at))] if at else []
    return tuple(found)


def outdone(rules: Rules, form: str, kind: str) -> tuple[str, ...]:
    """Return the patterns of `Rolled` whose points count instead of those of dice within them (P12)."""
    return tuple(
        other
        for other, effect in rules.rolled.items()
        if kind == "points" and effect.points and other != NOTHING and len(form) < len(other) <= rules.dice
        if any(contains(outer, inner) for outer in pattern_of(other).rolls for inner in pattern_of(form).rolls)
    )


def exempt(rules: Rules, form: str) -> tuple[tuple[Roll, tuple[Moment, ...]], ...]:
    """Return the dice that fit a combination and ask for something else if they are kept, and when.

    They have an entry of their own, or score more in another split.
    """
    pays = rules.scoring[form]

    def otherwise(dice: Roll, moment: Moment) -> bool:
        worth, split = worth_of(rules, dice, moment), best_split(rules, dice, moment)
        asks = split is not None and (-split.clear >= pays.owes > 0 or (pays.then == "bank" and split.free < 0))
        return worth.wins or not asks or worth.ends != "" or worth.costs > 0

    found = []
    for dice in sorted(pattern_of(form).rolls):
        at = [moment for moment in moments(rules, len(dice)) if moment.counts(pays.when)]
        at = [moment for moment in at if otherwise(dice, moment)]
        found += [(dice, tuple(at))] if at else []
    return tuple(found)
