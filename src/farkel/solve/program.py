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

from farkel.rules import Rules
from farkel.scoring import Kept, Scored, score_table

Indices = NDArray[np.unsignedinteger[Any]]
Numbers = NDArray[np.int64]
Values = NDArray[np.float64]

FREE, ROLL, MUST, BANK = range(4)
"""Kinds of landing: bank or roll on; roll on only; bank wherever that is allowed, else roll on; bank only."""


MOST_HOT = 12
"""Hot dice in a row that are told apart: one turn in some 10**11 has more."""


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


class Arrays(NamedTuple):
    """The program as the kernels read it. Ranges are given by their first index, the next one's first ending them."""

    kind: Numbers
    """Of each landing that is computed here."""
    offer: Numbers
    then: Numbers
    """Index of the rolling."""
    landings: int
    """All landings, those of other scores (after a fine) included: the width of a row of landing values."""
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
    most: int
    """Most points of one keep."""


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
        landings = sorted({landing for landing, _ in nodes})
        own = [landing for landing in landings if landing.fine == 0]
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
            rollings=len(rollings),
            offers=1 + max((landing.offer for landing in landings), default=0),
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
            most=max(points for _, each in nodes for points in each),
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

    def _classes(self, rolling: Rolling) -> Counter[tuple[tuple[tuple[Landing, tuple[int, ...]], ...], ...]]:
        """How many throws leave which choices: nodes to choose from, and those for when none of these is allowed."""
        found: Counter[tuple[tuple[tuple[Landing, tuple[int, ...]], ...], ...]] = Counter()
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


def _counts(lengths: list[list[int]], fewest: int) -> Indices:
    """[list, n]: how many of its lengths are n + 1."""
    longest = max([fewest, *(length for each in lengths for length in each)])
    return np.array([[each.count(n + 1) for n in range(longest)] for each in lengths], np.uint64)


def _narrow(places: list[int]) -> Indices:
    """As few bytes as will do: the loop over turn totals lives in the fastest cache."""
    return np.array(places, np.uint16 if max(places, default=0) < 1 << 16 else np.uint32)


def _firsts(lists: list[list[int]]) -> Indices:
    return np.cumsum([0, *map(len, lists)]).astype(np.uint64)
