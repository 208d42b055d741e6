"""A turn compiled for the solver: everything a rule set says about one turn, as flat arrays.

Two facts make it small. What the dice show does not matter, only the *choices* that they leave: pairs of points and
dice left. Equal sets of choices are one class, and 6**6 throws of six dice become some 130 classes. And where several
keeps of a class leave the same dice, only the best landing place counts: such sets of points recur in many classes and
are compared once, as a *node*.

Points are counted in steps of ``rules.unit`` throughout.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from farkel.errors import SolveError
from farkel.rules import Rules
from farkel.scoring import Kept, Scored, score_table

Indices = NDArray[np.unsignedinteger[Any]]
Numbers = NDArray[np.int64]
Values = NDArray[np.float64]

FREE, ROLL, MUST, BANK = range(4)
"""Kinds of landing: bank or roll on; roll on only; bank wherever that is allowed, else roll on; bank only."""


MOST_HOT = 12
"""Hot dice in a row that are told apart: one turn in some 10**11 has more."""
NEGLIGIBLE = 1e-11
"""A chance that does not matter."""
HUGE = 1e4
ROUNDS = 60
MOST_FINES = 1024
"""Different sums of fines that a turn may cost. Rules of people stay far below: see `fines`."""
RATES = np.geomspace(0.001, 0.2, 12)
"""Rates of Chernoff's bound that are tried, per unit."""


class Rolling(NamedTuple):
    """What is about to be rolled: so many dice, with dice lying idle (O17), after so many hot dice (D16)."""

    dice: int
    idle: int
    hot: int


class Landing(NamedTuple):
    """Where a keep leads, apart from the turn total."""

    fine: int
    """What the roll has cost the banked score (D6)."""
    kind: int
    offer: int
    """Dice left to the next seat by a bank; 0 where nothing is left or may be taken."""
    then: Rolling


class Farkle(NamedTuple):
    """One way in which a roll can farkle."""

    fine: int
    all_dice: bool
    offer: int
    """Dice left to the next seat where a farkled turn total may be taken up (D15); else 0."""


class Brief(NamedTuple):
    """The program where a higher turn total is never worth less and a landing may be banked or rolled on.

    Of the points that leave the same dice only the most count then. The first index is how many landings, in their
    order, are sure to be banked: they are as one, and the first stands for all of them.
    """

    counts: Indices
    """[sure, rolling, n]: how many classes choose from n + 1 landings; those of a rolling are in the order of that."""
    class_first: Indices
    """[sure, rolling]"""
    ref_first: Indices
    weight: Values
    refs: Indices
    """points * landings + landing, relative to the row of the turn total."""


class Arrays(NamedTuple):
    """The program as the kernels read it. Ranges are given by their first index, the next one's first ending them."""

    kind: Numbers
    """Of each landing that is computed here."""
    offer: Numbers
    then: Numbers
    """Index of the rolling."""
    landings: int
    """All landings, those after a fine included: the width of a row of landing values."""
    fines: Numbers
    """What the rolls of a turn may have cost the banked score (D6), ascending from nothing; a turn is solved for each,
    from the last one to the first."""
    unfined: Numbers
    """Of each landing after a fine, the same landing once the fine is paid."""
    fined: Numbers
    """[fines, landing]: index of the fines with that of the landing; -1 where they do not matter any more."""
    rollings: int
    offers: int
    """Width of a row of bank values: one for each number of dice that may be left."""
    node_first: Indices
    node_at: Indices
    """points * landings + landing, relative to the row of the turn total."""
    node_counts: Indices
    """[n]: how many nodes compare n + 1 places; nodes are in the order of that."""
    class_first: Indices
    """Of each rolling."""
    class_counts: Indices
    """[rolling, n]: how many classes choose from n + 1 nodes; classes of a rolling are in the order of that."""
    splits: bool
    """Some classes have nodes for when the first ones are not allowed."""
    weight: Values
    """Chance of each class."""
    ref_first: Indices
    alt_first: Indices
    """A class takes its best node up to here; if that is not allowed, its best one from here on (D5)."""
    refs: Indices
    farkle_first: Indices
    """Of each rolling."""
    farkle_weight: Values
    farkle_kind: Indices
    farkles: int
    leaves: bool
    """A farkle may leave its turn total to the next seat (D15), so that what it is worth changes with that."""
    most: int
    """Most points of one keep."""
    brief: Brief
    """Empty where landings differ in more than the dice to roll: in fines, dice on offer, or what may be done."""


class Program(NamedTuple):
    """`Arrays` and what their indices mean."""

    arrays: Arrays
    rollings: tuple[Rolling, ...]
    landings: tuple[Landing, ...]
    farkles: tuple[Farkle, ...]
    chances: tuple[float, ...]
    """Of a farkle, by rolling."""

    def rolling(self, dice: int, idle: int = 0, hot: int = 0) -> int:
        """Index of a rolling; hot dice beyond those told apart count as the last of them."""
        most = self.rollings[-1].hot
        return self.rollings.index(Rolling(dice, idle, min(hot, most)))


@lru_cache(maxsize=32)
def program(rules: Rules, rows: int = 0) -> Program:
    """The program of the rules; ``rows`` is the largest turn total that matters, to limit hot-dice multipliers."""
    return _Compiler(rules, rows).compile()


def longest_lead(rules: Rules, turns: int) -> int:
    """A lead that is not gained in so many turns but with a chance that does not matter.

    A turn total G, even if no farkle ever took it away, has a mean of exp(t G) of at most m(t) whatever is kept, so
    that n turns gain x with a chance of at most m(t)**n exp(-t x): Chernoff's bound, the best of some t.

    Raises `SolveError` ``no_lead`` if there is no such lead for any t, as a turn may bring so many units.
    """
    with np.errstate(over="ignore", divide="ignore"):
        growth = np.log(_growth(rules))
    found = np.min((turns * growth - np.log(NEGLIGIBLE)) / RATES)
    if not np.isfinite(found):
        raise SolveError(
            "no_lead",
            f"{rules.name} pays so much in steps of {rules.unit} that every lead may be gained: without a target it is "
            "not solved; set target=10000, or use points that are multiples of a larger number",
        )
    return int(np.ceil(found))


LEAST_LEAD = int(np.ceil(np.min(-np.log(NEGLIGIBLE) / RATES)))
"""No `longest_lead` is less."""


def fines(rules: Rules) -> list[int]:
    """All that the fines of one turn may add up to, in units, but for more of them than ever happen.

    Raises `SolveError` ``too_many_fines`` if that is too much to be told apart.
    """
    each = {scored.fine // rules.unit for scored in score_table(rules) if scored.fine}
    found = {0}
    if each:
        again = often = _fined_again(rules)
        while often > NEGLIGIBLE:
            found |= {paid + fine for paid in found for fine in each}
            often *= again
            if len(found) > MOST_FINES:
                raise SolveError(
                    "too_many_fines",
                    f"the fines for triples of {rules.name} add up to more than {MOST_FINES:,} different sums in one "
                    "turn: make them multiples of one number",
                )
    return sorted(found)


def _fined_again(rules: Rules) -> float:
    """Return the chance that a turn meets a fine, if it is played for that."""
    table, fined = score_table(rules), np.zeros(rules.dice + 1)
    rolls: list[list[tuple[float, list[int]]]] = [[]]
    for dice in range(1, rules.dice + 1):
        merged: Counter[tuple[int, ...]] = Counter()
        for scored in table.rolls(dice):
            if scored.fine:
                fined[dice] += scored.ways / 6**dice
            elif scored.keeps:
                merged[tuple(sorted({kept.left for kept in scored.keeps.values()}))] += scored.ways
        rolls.append([(ways / 6**dice, list(left)) for left, ways in merged.items()])
    chance = fined
    for _ in range(ROUNDS):
        chance = fined + np.array([sum(part * chance[left].max() for part, left in each) for each in rolls])
    return min(0.9, float(chance.max()))


class _Rolls(NamedTuple):
    """What the rolls of a number of dice leave to choose from: most points for each number of dice left."""

    farkle: float
    weight: Values
    """[class]"""
    first: Numbers
    """[class]: where its choices begin."""
    points: Values
    left: Numbers
    hot: Numbers
    """1 where all dice are kept."""


def _growth(rules: Rules) -> Values:
    """The mean of exp(rate * turn total) before the turn farkles, of whichever keeps make it largest, for `RATES`."""
    hots = _hot_most(rules, 4096) if rules.hot_dice_multiplier else 0
    rolls = [_rolls(rules, dice) for dice in range(1, rules.dice + 1)]
    gains = [[np.exp(np.outer(each.points * (1 + hot), RATES)) for each in rolls] for hot in range(hots + 1)]
    means = np.ones((hots + 1, rules.dice + 1, RATES.size))
    before = means
    for _ in range(ROUNDS):
        before, means = means, np.ones_like(means)
        worth = np.maximum(1.0, before)
        for hot in range(hots + 1):
            for dice, each in enumerate(rolls, 1):
                best = gains[hot][dice - 1] * worth[np.minimum(hot + each.hot, hots), each.left]
                found = each.farkle + each.weight @ np.maximum.reduceat(best, each.first)
                means[hot, dice] = np.where(found > HUGE, np.inf, found)
    settled = np.isclose(means[0, rules.dice], before[0, rules.dice], rtol=1e-4)
    return np.where(settled, means[0, rules.dice], np.inf)


def _rolls(rules: Rules, dice: int) -> _Rolls:
    classes: Counter[tuple[tuple[tuple[int, bool], int], ...]] = Counter()
    for scored in score_table(rules).rolls(dice):
        most: dict[tuple[int, bool], int] = {}
        for kept in scored.keeps.values():
            most[kept.left, kept.hot] = max(most.get((kept.left, kept.hot), 0), kept.points // rules.unit)
        classes[tuple(sorted(most.items()))] += scored.ways
    farkle = classes.pop((), 0)
    choices = [choice for each in classes for choice in each]
    return _Rolls(
        farkle / 6**dice,
        np.array(list(classes.values())) / 6**dice,
        np.cumsum([0, *map(len, classes)])[:-1],
        np.array([points for _, points in choices], float),
        np.array([left for (left, _), _ in choices], np.int64),
        np.array([hot for (_, hot), _ in choices], np.int64),
    )


Classes = Counter[tuple[tuple[tuple[Landing, tuple[int, ...]], ...], ...]]
"""How many throws leave which choices: nodes to choose from, and those for when none of these is allowed."""


class _Compiler:
    def __init__(self, rules: Rules, rows: int) -> None:
        self.rules = rules
        self.table = score_table(rules)
        self.takes = rules.take_over.price != "none"
        self.hot_most = _hot_most(rules, rows) if rules.hot_dice_multiplier else 0

    def compile(self) -> Program:
        rollings = self._reachable()
        classes = {rolling: self._classes(rolling) for rolling in rollings}
        nodes = sorted(
            {node for each in classes.values() for choices in each for group in choices for node in group},
            key=lambda node: (len(node[1]), node),
        )
        met = {landing for landing, _ in nodes}
        landings = sorted(met | {landing._replace(fine=0) for landing in met})
        own = [landing for landing in landings if landing.fine == 0]
        paid = fines(self.rules)
        number_paid = {points: index for index, points in enumerate(paid)}
        farkles = {rolling: self._farkles(rolling) for rolling in rollings}
        kinds = sorted({kind for each in farkles.values() for kind in each}) or [Farkle(0, False, 0)]
        number = {node: index for index, node in enumerate(nodes)}
        weight, ref_first, alt_first, refs, class_first = [], [0], [], [], [0]
        for rolling in rollings:
            ordered = sorted(classes[rolling].items(), key=lambda one: (len(one[0][0]), len(one[0][1]), one[0]))
            for (first, second), ways in ordered:
                weight.append(ways / 6**rolling.dice)
                refs += [number[node] for node in first]
                alt_first.append(len(refs))
                refs += [number[node] for node in second]
                ref_first.append(len(refs))
            class_first.append(len(weight))
        farkle_first, farkle_weight, farkle_kind = [0], [], []
        for rolling in rollings:
            for kind, ways in sorted(farkles[rolling].items()):
                farkle_weight.append(ways / 6**rolling.dice)
                farkle_kind.append(kinds.index(kind))
            farkle_first.append(len(farkle_weight))
        at = [[points * len(landings) + landings.index(landing) for points in each] for landing, each in nodes]
        arrays = Arrays(
            kind=np.array([landing.kind for landing in own], np.int64),
            offer=np.array([landing.offer for landing in own], np.int64),
            then=np.array([rollings.index(landing.then) for landing in own], np.int64),
            landings=len(landings),
            fines=np.array(paid, np.int64),
            unfined=np.array([own.index(landing._replace(fine=0)) for landing in landings[len(own) :]], np.int64),
            fined=np.array(
                [[number_paid.get(before + landing.fine, -1) for landing in landings] for before in paid],
                np.int64,
            )[:, len(own) :],
            rollings=len(rollings),
            offers=1 + max([landing.offer for landing in landings] + [kind.offer for kind in kinds]),
            node_first=_firsts(at),
            node_at=_narrow([place for each in at for place in each]),
            node_counts=_counts([[len(each) for each in at]], fewest=4)[0],
            class_first=np.array(class_first, np.uint64),
            class_counts=_counts([[len(first) for first, _ in classes[rolling]] for rolling in rollings], fewest=4),
            splits=any(second for each in classes.values() for _, second in each),
            weight=np.array(weight, np.float64),
            ref_first=np.array(ref_first, np.uint64),
            alt_first=np.array(alt_first, np.uint64),
            refs=_narrow(refs),
            farkle_first=np.array(farkle_first, np.uint64),
            farkle_weight=np.array(farkle_weight, np.float64),
            farkle_kind=np.array(farkle_kind, np.uint64),
            farkles=len(kinds),
            leaves=any(kind.offer for kind in kinds),
            most=max(points for _, each in nodes for points in each),
            brief=_brief(rollings, landings, classes),
        )
        chances = tuple(sum(each.values()) / 6**rolling.dice for rolling, each in farkles.items())
        return Program(arrays, tuple(rollings), tuple(landings), tuple(kinds), chances)

    def _reachable(self) -> list[Rolling]:
        """Every rolling of a turn, those of a take-over included; the start of a turn is the first."""
        rules, take = self.rules, self.rules.take_over
        found = [Rolling(rules.dice, 0, 0)]
        if self.takes:
            most = rules.dice if take.after_hot_dice or take.after_farkle else rules.dice - 1
            for offer in range(1, most + 1):
                for dice in range(1 if take.choose_dice else offer, offer + 1):
                    rolling = Rolling(dice, offer - dice, 0)
                    if rolling not in found:
                        found.append(rolling)
        for rolling in found:
            for scored in self.table.rolls(rolling.dice):
                for kept in scored.keeps.values():
                    then = self._then(rolling, kept)
                    if then not in found:
                        found.append(then)
        return [found[0], *sorted(found[1:], key=lambda rolling: (rolling.hot, rolling.idle, rolling.dice))]

    def _then(self, rolling: Rolling, kept: Kept) -> Rolling:
        if not kept.hot:
            return Rolling(kept.left, rolling.idle, rolling.hot)
        hot = rolling.hot if rolling.idle else min(rolling.hot + 1, self.hot_most)
        return Rolling(self.rules.dice, 0, hot)

    def _classes(self, rolling: Rolling) -> Classes:
        found: Classes = Counter()
        for scored in self.table.rolls(rolling.dice):
            if scored.farkle:
                continue
            if self.rules.triple_ends_turn and scored.triple:
                choices = (self._nodes(rolling, scored, BANK), self._nodes(rolling, scored, ROLL))
            else:
                choices = (self._nodes(rolling, scored, None), ())
            found[choices] += scored.ways
        return found

    def _nodes(self, rolling: Rolling, scored: Scored, kind: int | None) -> tuple[tuple[Landing, tuple[int, ...]], ...]:
        places: dict[Landing, set[int]] = {}
        for kept in scored.keeps.values():
            landing = Landing(
                scored.fine // self.rules.unit,
                self._kind(rolling, kept) if kind is None else kind,
                self._offer(rolling, kept),
                self._then(rolling, kept),
            )
            points = kept.points // self.rules.unit * (1 + rolling.hot)
            places.setdefault(landing, set()).add(points)
        return tuple(sorted((landing, tuple(sorted(points))) for landing, points in places.items()))

    def _kind(self, rolling: Rolling, kept: Kept) -> int:
        if kept.hot and rolling.idle:
            return MUST
        return ROLL if kept.hot and self.rules.hot_dice == "forced" else FREE

    def _offer(self, rolling: Rolling, kept: Kept) -> int:
        if not self.takes:
            return 0
        dice = (0 if kept.hot else kept.left) + rolling.idle
        return dice or (self.rules.dice if self.rules.take_over.after_hot_dice else 0)

    def _farkles(self, rolling: Rolling) -> Counter[Farkle]:
        found: Counter[Farkle] = Counter()
        fines, lives = self.rules.penalties, self.rules.lives
        told_apart = bool(fines.farkle_all_dice or lives.farkle_all_dice)
        for scored in self.table.rolls(rolling.dice):
            if scored.farkle:
                kind = Farkle(
                    scored.fine // self.rules.unit,
                    told_apart and rolling.dice == self.rules.dice,
                    rolling.dice + rolling.idle if self.rules.take_over.after_farkle else 0,
                )
                found[kind] += scored.ways
        return found


def _hot_most(rules: Rules, rows: int) -> int:
    """Hot dice that can be told apart: with more the turn total is past ``rows`` anyway."""
    table, least = score_table(rules), {0: 0}
    for dice in range(1, rules.dice + 1):
        ends = [
            kept.points + (0 if kept.hot else least.get(kept.left, 0))
            for scored in table.rolls(dice)
            for kept in scored.keeps.values()
        ]
        if ends:
            least[dice] = min(ends)
    cycle, hot = max(1, least[rules.dice] // rules.unit), 1
    while hot < MOST_HOT and cycle * hot * (hot + 1) // 2 < rows:
        hot += 1
    return hot


def _brief(rollings: list[Rolling], landings: list[Landing], classes: dict[Rolling, Classes]) -> Brief:
    plain = all(landing == Landing(0, FREE, 0, Rolling(landing.then.dice, 0, 0)) for landing in landings)
    counts, class_first, ref_first = [], [], []
    weight: list[float] = []
    refs: list[int] = []
    for sure in range(len(landings) + 1 if plain else 0):
        for rolling in rollings:
            found: Counter[tuple[int, ...]] = Counter()
            for (choices, _), ways in classes[rolling].items():
                most: dict[int, int] = {}
                for landing, points in choices:
                    index = landings.index(landing)
                    index = index if index >= sure else 0
                    most[index] = max(most.get(index, 0), *points)
                found[tuple(sorted(points * len(landings) + index for index, points in most.items()))] += ways
            ordered = sorted(found.items(), key=lambda one: (len(one[0]), one[0]))
            counts.append([len(places) for places, _ in ordered])
            class_first.append(len(weight))
            ref_first.append(len(refs))
            weight += [ways / 6**rolling.dice for _, ways in ordered]
            refs += [place for places, _ in ordered for place in places]
    shape, longest = (-1, len(rollings)), max(4, len(landings))
    return Brief(
        counts=_counts(counts, fewest=longest).reshape(*shape, longest),
        class_first=np.array(class_first, np.uint64).reshape(shape),
        ref_first=np.array(ref_first, np.uint64).reshape(shape),
        weight=np.array(weight, np.float64),
        refs=_narrow(refs),
    )


def _counts(lengths: list[list[int]], fewest: int) -> Indices:
    """[list, n]: how many of its lengths are n + 1."""
    longest = max([fewest, *(length for each in lengths for length in each)])
    return np.array([[each.count(n + 1) for n in range(longest)] for each in lengths], np.uint64)


def _narrow(places: list[int]) -> Indices:
    """As few bytes as will do: the loop over turn totals lives in the fastest cache."""
    return np.array(places, np.uint16 if max(places, default=0) < 1 << 16 else np.uint32)


def _firsts(lists: list[list[int]]) -> Indices:
    return np.cumsum([0, *map(len, lists)]).astype(np.uint64)
