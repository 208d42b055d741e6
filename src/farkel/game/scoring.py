"""Rules compiled into one score table: for every roll, the legal keeps, their points and the dice that remain.

Everything that scores dice reads this table; nothing scores them a second time or in a second way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import pairwise, product
from types import MappingProxyType
from typing import Literal, NamedTuple

from farkel.dice import FACES, Roll, all_rolls, faces_text, parse_roll, roll_of, ways
from farkel.errors import DiceError
from farkel.rules import DEFAULT, AnyRules, Rules, as_rules
from farkel.rules.pattern_tables import (
    FIRST_ROLL,
    MOMENTS,
    Combination,
    Does,
    Moment,
    SplitWorth,
    Then,
    contains,
    known,
    moment_of,
    told_apart,
    without,
)
from farkel.support.bounds import quoted
from farkel.support.notebooks import table
from farkel.support.words import percent

COLUMN = 5
"""Bits that the dice of a face take in the number of a set of dice. It holds more than there are dice, so that taking
away dice that are not in the set never gives the number of another set."""


class Kept(NamedTuple):
    """One legal keep, its points, and the dice left to roll (all of them again with hot dice)."""

    dice: Roll
    points: int
    left: int

    hot: bool
    """All dice in hand are set aside, so that the dice left are all of them again."""
    sets: int = 0
    """Which sets later dice extend then: a place in `open_sets`."""

    owes: int = 0
    """Points that must be set aside after it before the turn may be banked (P16)."""

    ends: bool = False
    """It must be banked if it may be (P16)."""

    wins: bool = False
    """It wins the game (P16)."""

    part: bool = False
    """Other scoring dice of the roll are left, if only a keep of all of them may reach the target (K7)."""

    doubles: int = 0
    """How often it doubles the turn total, before its points are added (K8)."""

    tries: str = ""
    """Its dice score nothing: the combination that the next roll must complete with them (P19)."""

    def __str__(self) -> str:
        return f"{faces_text(self.dice, '-')} for {self.points:,}{' (hot dice)' if self.hot else ''}"


class RollEnding(NamedTuple):
    """What a word says about a roll of which nothing may be kept."""

    farkle: bool
    counts: bool = True
    """No other roll takes its place."""


ENDINGS: Mapping[str, RollEnding] = {
    "": RollEnding(farkle=True),
    "farkle": RollEnding(farkle=True),
    "zero": RollEnding(farkle=True),
    "lose": RollEnding(farkle=True),
    "win": RollEnding(farkle=False),
    "again": RollEnding(farkle=False, counts=False),
}
"""The words that the score table knows; "" for a roll in which nothing scores."""


class Scored(NamedTuple):
    """One roll under one rule set."""

    roll: Roll
    ways: int
    """In how many of the 6**n throws it falls."""
    keeps: Mapping[Roll, Kept]
    """Every legal keep, by its dice: most points first, then fewest dice. Empty on a farkle."""
    fine: int
    """Points that the roll costs the score at once (D6), below zero for those that it earns (P17)."""
    fined: frozenset[int]
    """Faces that it costs these points for: they may not be kept."""
    binds: bool
    """The roll must be banked if any keep of it may be (D5)."""
    ends: Then | Literal[""] = ""
    """How it ends the turn, whatever it shows (P10, P17)."""
    first: bool = False
    """It is scored as the first roll of a turn."""

    @property
    def farkle(self) -> bool:
        """Whether nothing may be kept and the roll does not win the game."""
        return not self.keeps and ENDINGS[self.ends].farkle

    @property
    def counts(self) -> bool:
        """Whether the roll counts: if not, the same dice are rolled again (P18)."""
        return ENDINGS[self.ends].counts

    def __str__(self) -> str:
        name = faces_text(self.roll, "-")
        if not self.keeps:
            return f"{name}: {'a farkle' if self.farkle else 'wins the game' if self.counts else 'rolled again'}"
        return f"{name}: keep {', '.join(map(str, self.keeps.values()))}"

    def _repr_html_(self) -> str:
        kept = ({"keep": faces_text(one.dice, "-"), "points": one.points} for one in self.keeps.values())
        return table(str(self) if not self.keeps else faces_text(self.roll, "-"), kept)

    @property
    def best(self) -> Kept | None:
        """The keep with the most points and, among those, the fewest dice; None on a farkle."""
        return next(iter(self.keeps.values()), None)


Open = tuple[tuple[int, int], ...]
"""Sets that later dice extend in a turn: the face and the dice of each. Dice are only counted if they matter."""


class ScoreTable:
    """All rolls of 1..n dice under one rule set. Indexed by the roll; made once per rules by `score_table`.

    sets: which sets kept earlier in the turn the dice may extend, a place in `open_sets`.
    """

    def __init__(self, rules: Rules, sets: int = 0) -> None:
        self.rules = rules
        places = open_sets(rules)
        self.sets = places[sets] if sets < len(places) else ()
        self.held = held_dice(rules)[sets - len(places)] if sets >= len(places) else ()
        """Dice that the roll must complete (P19)."""
        self.dice = rules.dice - sum(dice for _, dice in self.sets) - len(self.held)
        """The most dice that can be rolled."""
        more = tuple(_each_extends(rules, self.sets))
        self._higher = tuple(tuple(_higher(rules, *one, self.dice)) for one in self.sets)
        """Of each open set: how the dice of a keep may raise it, all of them together (K3)."""
        self._combinations = {moment: (*self._paying(moment), *more) for moment in rules.scoring.moments}
        self._beside = {moment: _best_splits(each, self.dice) for moment, each in self._combinations.items()}
        """What dice are worth that raise and complete nothing."""
        self._worth = {moment: _raised(each, self._higher, self.dice) for moment, each in self._beside.items()}
        if self.held:
            self._worth = {moment: self._completing(moment) for moment in self._worth}
        self._rolls = {scored.roll: scored for scored in self._scored(range(1, self.dice + 1), first=False)}
        moments = {*rules.scoring.moments, *rules.rolled.moments, *told_apart([rules.rolled.nothing.when])}
        first = FIRST_ROLL in moments and not (self.sets or self.held)
        self._first = {scored.roll: scored for scored in self._scored((rules.dice,), first=True)} if first else {}
        self.numbered = (*self._rolls.values(), *self._first.values())
        """Every roll, and again those that the first roll of a turn may be, if that makes a difference."""

    def __str__(self) -> str:
        farkles = (f"{dice}: {percent(self.farkles(dice))}" for dice in range(1, self.dice + 1))
        return f"{self.rules}: chance of a farkle, by number of dice: {', '.join(farkles)}"

    def _repr_html_(self) -> str:
        dice = range(1, self.dice + 1)
        return table(str(self), ({"dice": each, "chance of a farkle": self.farkles(each)} for each in dice))

    def __getitem__(self, roll: Roll) -> Scored:
        """Return a roll, given in any order of its faces. Raises `DiceError` ``not_a_roll``."""
        try:
            found = self._rolls[roll]
        except (KeyError, TypeError):
            return self._sorted(roll)
        return self._sorted(roll) if bool in map(type, roll) else found  # Python takes True for 1

    def _sorted(self, roll: Iterable[int]) -> Scored:
        found = None
        if isinstance(roll, Sequence) and all(type(face) is int for face in roll):
            found = self._rolls.get(roll_of(roll))
        if found is None:
            most = self.rules.dice
            raise DiceError(
                "not_a_roll",
                f"{quoted(roll)} is no roll of 1 to {most} dice: a roll is that many faces from 1 to 6, such as "
                f"table[{', '.join('1155366666'[:most])}{',' if most == 1 else ''}]",
            )
        return found

    def __contains__(self, roll: object) -> bool:
        return roll in self._rolls

    def __iter__(self) -> Iterator[Scored]:
        return iter(self._rolls.values())

    def __len__(self) -> int:
        return len(self._rolls)

    def first(self, roll: Roll) -> Scored:
        """Return the roll as the first one of a turn."""
        return self._first.get(roll, self._rolls[roll])

    def rolls(self, dice: int) -> tuple[Scored, ...]:
        """Return every distinct roll of that many dice, ascending; their ways add up to 6**dice."""
        return tuple(self._rolls[roll] for roll in all_rolls(dice))

    def farkles(self, dice: int, first: bool = False, tried: int = 0) -> Fraction:
        """Return the exact chance that this many dice farkle; ``first``: as the first roll of a turn.

        Rolls that are rolled again do not count (P18). A single die farkles if none of its tries scores (K10), of which
        this many are ``tried``.
        """
        rolls = [self.first(scored.roll) if first else scored for scored in self.rolls(dice)]
        counting = sum(scored.ways for scored in rolls if scored.counts)
        chance = Fraction(sum(scored.ways for scored in rolls if scored.farkle), counting)
        return chance ** (self.rules.last_die_tries - tried) if dice == 1 else chance

    def split(self, dice: Roll, scored: Scored | None = None) -> tuple[Combination, ...]:
        """Return the best split of exactly these dice of a roll into combinations (C3); empty if there is none."""
        moment = self._moment(len(scored.roll), scored.first) if scored else MOMENTS[0]
        worth, number = self._worth[moment], _number(dice)
        if number not in worth:
            return ()
        found: list[Combination] = []
        beside, key = self._beside[moment], worth[number].key
        for together in self._together(moment):
            # The tables hold the best keys alone. Any dice that lead from one key to the next belong to a best split.
            rest = beside.get(number - sum(_number(one.dice) for one in together))
            if rest is not None and reduce(SplitWorth.plus, together, rest.key) == key:
                found, worth, number = list(together), beside, _number(rest.dice)
                break
        while number:
            for combination in self._combinations[moment]:
                rest = worth.get(number - _number(combination.dice))
                if rest is not None and rest.key.plus(combination) == worth[number].key:
                    found.append(combination)
                    number = _number(rest.dice)
                    break
        return tuple(sorted(found, key=lambda combination: (-combination.points, combination.name)))

    def _paying(self, moment: Moment) -> Iterator[Combination]:
        """Return the combinations that score by themselves, beside the sets that are open."""
        # A die that doubles the turn total scores nothing of its own and is part of no combination (K8).
        doubling = {face for face, _ in self.sets} if self.rules.extend == "double" else set[int]()
        return (one for one in self.rules.combinations_at(moment) if doubling.isdisjoint(one.dice))

    def _together(self, moment: Moment) -> Iterator[tuple[Combination, ...]]:
        """Yield what dice may complete or raise, beside what other dice of the same keep are worth."""
        if self.held:
            yield from ((one,) for one in completions(self._combinations[moment], self.held))
        else:
            yield from (tuple(filter(None, each)) for each in product(*((None, *one) for one in self._higher)))

    def _completing(self, moment: Moment) -> dict[int, _Worth]:
        """Return the best split of each set of dice that completes a combination, by its number."""
        found: dict[int, _Worth] = {}
        for one in completions(self._combinations[moment], self.held):
            number = _number(one.dice)
            for beside, rest in self._beside[moment].items():
                worth = _Worth(rest.key.plus(one), roll_of((*one.dice, *rest.dice)))
                if len(worth.dice) <= self.dice and (beside + number not in found or worth > found[beside + number]):
                    found[beside + number] = worth
        return found

    def _trying(self, roll: Roll, found: Sequence[Kept], fined: frozenset[int]) -> Iterator[Kept]:
        """Yield the dice of a roll that score nothing, and that may be set aside for the next roll to complete."""
        places, scoring = len(open_sets(self.rules)), {kept.dice for kept in found}
        for place, held in enumerate(held_dice(self.rules), places):
            # Dice that may be kept for points are kept for these (P19).
            if len(held) < len(roll) and held not in scoring and fined.isdisjoint(held) and contains(roll, held):
                names = [
                    one.name
                    for one in self._combinations[MOMENTS[0]]
                    if one.lacks(held) and len(one.dice) <= len(roll) and not contains(roll, one.dice)
                ]
                if names:
                    tries = ", ".join(dict.fromkeys(names))
                    yield Kept(held, 0, len(roll) - len(held), hot=False, sets=place, owes=1, tries=tries)

    def _moment(self, dice: int, first: bool) -> Moment:
        """Return the moment of a roll of that many dice, of those that combinations distinguish."""
        return moment_of(Moment(first, dice == self.rules.dice, bool(self.sets)), self.rules.scoring.moments)

    def _scored(self, sizes: Sequence[int], first: bool) -> Iterator[Scored]:
        """Yield every roll of these numbers of dice: dice that split completely, and others beside them."""
        every, rolled = self.rules.dice, self.rules.rolled
        by_size = [all_rolls(dice) for dice in range(self.dice + 1)]
        beside = [[_number(roll) for roll in rolls] for rolls in by_size]
        for dice in sizes:
            keeps: dict[int, list[Kept]] = {number: [] for number in beside[dice]}
            for number, worth in self._worth[self._moment(dice, first)].items():
                left = dice - len(worth.dice)
                # Dice that split completely may be kept of every roll in which any others lie beside them.
                if number and left >= 0:
                    # Hot dice close all sets (K1).
                    sets = open_after(self.rules, self.sets, worth.dice) if left else 0
                    then = every if self.rules.next_roll == "all" else left
                    kept = worth.kept(then or every, hot=not left, sets=sets)
                    for rest in beside[left]:
                        keeps[number + rest].append(kept)
            moment = Moment(first, dice == every, bool(self.sets))
            for roll, number in zip(by_size[dice], beside[dice], strict=True):
                does = rolled.does(roll, moment)
                yield self._one(roll, keeps[number], does, moment)

    def _one(self, roll: Roll, keeps: list[Kept], does: Does, moment: Moment) -> Scored:
        """Return one roll with its legal keeps and its effects."""
        # Of several words for one roll this one counts least (P18).
        ends = does.ends or ("again" if self._shows_a_set_again(roll) else "")
        bank, nothing = does.bank, self.rules.rolled.nothing
        found = [] if ends else [kept for kept in keeps if does.fined.isdisjoint(kept.dice)]
        if not (found or ends or does.fined) and moment.all_dice and moment.counts(nothing.when):
            if nothing.points:
                found = [Kept(roll, nothing.points, self.rules.dice, hot=True)]
            ends, bank = nothing.then if nothing.then != "bank" else ends, bank or nothing.then == "bank"
        known(ends, ENDINGS, "the score table")
        found = self._parted(found)
        if not (ends or self.held):
            found += self._trying(roll, found, does.fined)
        found.sort(key=_best_first)
        by_dice = MappingProxyType({kept.dice: kept for kept in found})
        return Scored(roll, ways(roll), by_dice, does.fine, does.fined, bank, ends, moment.first)

    def _shows_a_set_again(self, roll: Roll) -> bool:
        """Return whether the roll does not count, as it shows the face of an open set (K9)."""
        return self.rules.extend == "again" and any(face in roll for face, _ in self.sets)

    def _parted(self, found: list[Kept]) -> list[Kept]:
        """Return the keeps without those that are part of another one, or with a mark on these, as the rules say."""
        if self.rules.keep == "any":
            return found
        parts = [one for one in found if any(one is not other and _within(one, other) for other in found)]
        if self.rules.keep == "all":
            return [one for one in found if one not in parts]
        return [one._replace(part=one in parts) for one in found]


def score(dice: str | Iterable[int], rules: AnyRules = DEFAULT) -> Scored:
    """Return the score of a roll under the rules: its keeps, the one with the most points, and whether it is a farkle.

    dice: faces in any order, or a text such as "1-2-3-3-5". Raises `DiceError` and `RulesError`.
    """
    table = score_table(rules)
    return table[parse_roll(dice) if isinstance(dice, str) else tuple(dice)]


def score_table(rules: AnyRules, sets: int = 0) -> ScoreTable:
    """Return the score table of the rules, compiled on first use. sets: which sets dice may extend, as `State.sets`."""
    rules = as_rules(rules)
    return _tables(rules, sets) if sets else _table(rules)


@lru_cache(maxsize=64)
def _table(rules: Rules) -> ScoreTable:
    return ScoreTable(rules)


@lru_cache(maxsize=512)
def _tables(rules: Rules, sets: int) -> ScoreTable:
    return ScoreTable(rules, sets)


def every_scored(rules: Rules) -> Iterator[Scored]:
    """Return every roll for all open sets, as the law numbers them, first those with nothing open."""
    for sets in range(states(rules)):
        yield from score_table(rules, sets).numbered


def states(rules: Rules) -> int:
    """Return how many score tables the rules have: one for all that earlier rolls of a turn may change about a roll."""
    return len(open_sets(rules)) + len(held_dice(rules))


# Combinations that the next roll completes ----------------------------------------------------------------------------


@lru_cache(maxsize=64)
def held_dice(rules: Rules) -> tuple[Roll, ...]:
    """Return all dice that may be set aside for the next roll to complete: those that do not score anyway (P19)."""
    scoring = _best_splits(rules.combinations_at(MOMENTS[0]), rules.dice)
    return tuple(sorted(held for held in rules.completed if _number(held) not in scoring))


def completions(combinations: Iterable[Combination], held: Roll) -> Iterator[Combination]:
    """Yield the completions of kept dice: the missing dice, with the points of all."""
    for one in combinations:
        if one.lacks(held):
            yield one._replace(dice=without(one.dice, held), missing=0)


# Sets that later dice extend ------------------------------------------------------------------------------------------

SET = 3
"""Dice of one face, kept from one roll, that later dice extend."""


@lru_cache(maxsize=64)
def open_sets(rules: AnyRules) -> tuple[Open, ...]:
    """Return all sets that may be open together while there are dice to roll, first none."""
    rules = as_rules(rules)
    if not rules.opens_sets:
        return ((),)
    dice = range(SET, rules.dice) if rules.extend == "higher" else range(SET, min(SET + 1, rules.dice))
    each = [(face, number) for face in FACES for number in dice if _opens(rules, face, number)]
    found = [
        sets
        for many in range(rules.dice // SET + 1)
        for sets in product(each, repeat=many)
        if all(one[0] < other[0] for one, other in pairwise(sets)) and sum(number for _, number in sets) < rules.dice
    ]
    return tuple(found)


@lru_cache(maxsize=64)
def _places(rules: Rules) -> dict[Open, int]:
    return {sets: place for place, sets in enumerate(open_sets(rules))}


def _opens(rules: Rules, face: int, number: int) -> bool:
    """Return whether that many of a kind are a set: three or more are, and any that pay if later dice extend them."""
    return rules.extend != "higher" or _alike(rules, face, number) > 0


def _alike(rules: Rules, face: int, number: int) -> int:
    """Return the points of that many of a kind."""
    dice = (face,) * number
    return rules.scoring.worth(dice) if rules.may_keep(dice) else 0


def open_after(rules: Rules, before: Open, kept: Roll) -> int:
    """Return the sets that are open after these dice are kept, as a place in `open_sets`."""
    if not rules.opens_sets:
        return 0
    sets, counts = dict(before), Counter(kept)
    for face, number in counts.items():
        if face in sets:
            if rules.extend == "higher" and _opens(rules, face, sets[face] + number):
                sets[face] += number
        elif number >= SET and _opens(rules, face, number):
            sets[face] = number if rules.extend == "higher" else SET
    return _places(rules).get(tuple(sorted(sets.items())), 0)


def _each_extends(rules: Rules, sets: Open) -> Iterator[Combination]:
    """Yield the dice that extend open sets one by one."""
    for face, _ in sets:
        if rules.extend == "double":
            yield Combination((face,), 0, f"another {face}, doubling the turn total", doubles=True)
        elif rules.extend == "each":
            yield Combination((face,), rules.extend_points, f"another {face}")


def _higher(rules: Rules, face: int, number: int, most: int) -> Iterator[Combination]:
    """Yield the dice that raise an open set to a higher number of a kind, with what that pays more (K3)."""
    for more in range(1, most + 1) if rules.extend == "higher" else ():
        points = _alike(rules, face, number + more) - _alike(rules, face, number)
        if points > 0:
            yield Combination((face,) * more, points, f"another {face}" if more == 1 else f"{more} more {face}s")


class _Worth(NamedTuple):
    """The best split of some dice."""

    key: SplitWorth
    dice: Roll

    def kept(self, left: int, hot: bool, sets: int) -> Kept:
        """Return the dice as a keep that leaves that many to roll, with these sets open."""
        wins, points, free, clear, doubles = self.key
        return Kept(self.dice, points, left, hot, sets, -clear, free < 0, wins > 0, doubles=doubles)


def _best_first(kept: Kept) -> tuple[bool, int, int, int, Roll]:
    return not kept.wins, -kept.doubles, -kept.points, len(kept.dice), kept.dice


def _within(one: Kept, other: Kept) -> bool:
    """Return whether a keep is part of another one."""
    return contains(other.dice, one.dice)


def _number(dice: Iterable[int]) -> int:
    """Return dice as one number, with a column of bits for each face."""
    return sum(1 << COLUMN * (face - 1) for face in dice)


def _best_splits(combinations: tuple[Combination, ...], most: int) -> dict[int, _Worth]:
    """Return the best split of each set of dice that splits completely into combinations (C2, C3), by its number.

    The sets are met in order of their size, and each is built from a smaller one and a combination that holds its
    lowest face: every complete split has one such combination.
    """
    by_lowest: dict[int, list[tuple[int, Combination]]] = {face: [] for face in range(1, 7)}
    for combination in combinations:
        by_lowest[combination.dice[0]].append((_number(combination.dice), combination))
    worth = {0: _Worth(SplitWorth(), ())}
    for dice in range(1, most + 1):
        for roll in all_rolls(dice):
            number = _number(roll)
            options = [worth[number - part].key.plus(one) for part, one in by_lowest[roll[0]] if number - part in worth]
            if options:
                worth[number] = _Worth(max(options), roll)
    return worth


def _raised(worth: dict[int, _Worth], higher: Iterable[Iterable[Combination]], most: int) -> dict[int, _Worth]:
    """Return the best split of each set of dice, some of which may raise each open set once."""
    for each in higher:
        # From ``worth`` to ``found``, so that no set is raised twice in one keep (K3).
        found = dict(worth)
        for one in each:
            for number, rest in worth.items():
                better = _Worth(rest.key.plus(one), roll_of((*rest.dice, *one.dice)))
                there = number + _number(one.dice)
                if len(better.dice) <= most and (there not in found or better > found[there]):
                    found[there] = better
        worth = found
    return worth
