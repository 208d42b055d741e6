"""A turn compiled for the solver: everything a rule set says about one turn, as flat arrays.

Two facts make it small. The faces do not matter, only the *choices* that they leave: pairs of points and
dice left. Equal sets of choices are one class, and 6**6 throws of six dice become some 130 classes. And if several
keeps of a class leave the same dice, only the best landing place counts: such sets of points recur in many classes and
are compared once, as a *node*.

Points are counted in steps of ``rules.unit`` throughout.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Sized
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, chain, product
from math import ceil, exp, inf, isclose, isfinite, log
from typing import NamedTuple

from farkel.errors import SolveError
from farkel.game import State, law
from farkel.game.choices import Choice, KeepOption, Rolling, choice, put, rolling_of, start_of, tried
from farkel.game.law.terms import Outcome, Terms, terms, up
from farkel.game.numbered import numbered
from farkel.game.scoring import open_sets, score_table
from farkel.kernels.arrays import Indices, Numbers, Truths, Values, array, shaped
from farkel.rules import Rules
from farkel.solve.fields import check

FREE, ROLL, MUST, BANK, LOST = range(5)
"""Kinds of landing: bank or roll on; roll on only; bank wherever that is allowed, else roll on; bank only; a farkle."""


MOST_HOT = 12
"""Hot dice in a row that are distinguished: one turn in some 10**11 has more."""
NEGLIGIBLE = 1e-11
"""A chance that does not matter."""
HUGE = 1e4
ROUNDS = 60
MOST_FINES = 1024
"""Different sums of fines that a turn may cost. Rules of people stay far below: see `fines`."""
MOST_ROLLINGS = 512
"""A rolling: the dice about to be rolled, and all that matters about them."""
RATES = [0.001 * 200 ** (step / 11) for step in range(12)]
"""Rates of Chernoff's bound that are tried, per unit."""


class Landing(NamedTuple):
    """Where a keep leads, apart from the turn total."""

    fine: int
    """The cost of the roll to the banked score (D6)."""
    kind: int
    offer: int
    """Dice left to the next seat by a bank; 0 if nothing is left or may be taken. Of `LOST`, the farkle's number."""
    then: Rolling


FIRST_ROLL = 0
"""In place of the dice of a farkle: all of them, in the first roll of a turn, if that costs something else (F3)."""


class Farkle(NamedTuple):
    """One way in which a roll can farkle."""

    fine: int
    hand: int
    """The smallest number of dice that costs as much when it farkles, which stands for all that do; or `FIRST_ROLL`."""
    offer: int
    """Dice left to the next seat if a farkled turn total may be taken up (D15); else 0."""
    end: int = 0
    """`WIN` or `LOSE` for a result other than a farkle that ends the game for the seat (P16, P17)."""


WIN, LOSE = int(Outcome.WIN), int(Outcome.LOSE)
WON, BEATEN = Farkle(0, 1, 0, WIN), Farkle(0, 1, 0, LOSE)


class Brief(NamedTuple):
    """The program where a higher turn total is never worth less and a landing may be banked or rolled on.

    Of the points that leave the same dice only the most count then. It is told for each number of landings, ``sure``,
    that are sure to be banked, in their order: they are as one, and the first stands for all of them.
    """

    counts: Indices
    """[sure * rollings + rolling, n]: how many classes choose from n + 1 landings, in the order of that."""
    class_first: Indices
    """[sure * rollings + rolling]"""
    ref_first: Indices
    weight: Values
    refs: Indices
    """points * landings + landing, relative to the row of the turn total."""


class TurnArrays(NamedTuple):
    """The program as the kernels read it. Ranges are given by their first index, the next one's first ending them."""

    kind: Numbers
    """Of each landing that is computed here."""
    offer: Numbers
    then: Numbers
    """Index of the rolling."""
    lost: Numbers
    """Of `LOST`, the kind of farkle. It is that of a turn total of one unit less, as keeps bring a unit at least."""
    landings: int
    """All landings, those after a fine included: the width of a row of landing values."""
    fines: Numbers
    """Possible costs of the rolls of a turn to the banked score (D6), ascending from 0; a turn is solved for each,
    from the last one to the first."""
    unfined: Numbers
    """Of each landing after a fine, the same landing once the fine is paid."""
    fined: Numbers
    """[fines, landing]: index of the fines with that of the landing; -1 if they do not matter any more."""
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
    ends: Numbers
    """[kind]: `Farkle.end`."""
    leaves: bool
    """A farkle may leave its turn total to the next seat (D15), so that its value changes with that."""
    most: int
    """Most points of one keep."""
    brief: Brief
    """Empty if landings differ in more than the dice to roll: in fines, dice on offer, or legal actions."""


class Program(NamedTuple):
    """`TurnArrays` and what their indices mean."""

    arrays: TurnArrays
    rollings: tuple[Rolling, ...]
    landings: tuple[Landing, ...]
    farkles: tuple[Farkle, ...]
    chances: tuple[float, ...]
    """Of a farkle, by rolling."""
    forces: bool
    """Some keeps may not be banked, whatever the turn total, or are lost if they may not be."""

    rules: Rules
    place: Mapping[Rolling, int]
    """Of each rolling, its index."""

    def rolling(self, dice: int) -> int:
        """Return the index of this many dice, rolled within a turn."""
        return self.place[within(self.rules, dice)]

    def banks(self, dice: int) -> set[int]:
        """Return the kinds of the landings that leave this many dice, as far as the law lets them be banked."""
        asked = within(self.rules, dice)
        left = [
            one for one in self.landings if (one.then.dice, one.then.idle, one.then.rolls) == (dice, 0, asked.rolls)
        ]
        return {one.kind for one in left} - {ROLL, LOST}

    def rolled_by(self, state: State) -> int:
        """Return the index of the state's next rolling; hot dice beyond those distinguished count as
        the last of them.
        """
        book, now = numbered(self.rules).terms, state.row
        rolling = rolling_of(book, now)
        owing = up(law.still_owing(book, state.mine, now), self.rules.unit)
        if rolling.owing != owing:
            rolling = rolling._replace(owing=owing)
        return self.place[_told(rolling, self.rollings[-1].hot)]


@lru_cache(maxsize=32)
def program(rules: Rules, rows: int = 0) -> Program:
    """Return the program of the rules; ``rows`` is the largest turn total that matters, to limit hot-dice multipliers.

    Raises `SolveError` ``too_many_fines``, or for a field that is understood neither in turns nor in games; who
    asks has checked which of them it may be.
    """
    check(rules, in_a_turn=None)
    return _Compiler(rules, rows).compile()


def longest_lead(rules: Rules, turns: int) -> int:
    """Return a lead that is not gained in this many turns but with a chance that does not matter.

    A turn total G, even if no farkle ever took it away, has a mean of exp(t G) of at most m(t) whatever is kept, so
    that n turns gain x with a chance of at most m(t)**n exp(-t x): Chernoff's bound, the best of some t.

    Raises `SolveError` ``no_lead`` if there is no such lead for any t, as a turn may bring this many units.
    """
    growth: list[float] = [log(mean) if mean < inf else inf for mean in _growth(rules)]
    found: float = min((turns * grows - log(NEGLIGIBLE)) / rate for grows, rate in zip(growth, RATES, strict=True))
    if not isfinite(found):
        raise SolveError(
            "no_lead",
            f"{rules.name} pays so much in steps of {rules.unit} that every lead may be gained: without a target it is "
            "not solved; set target=10000, or use points that are multiples of a larger number",
        )
    return ceil(found)


LEAST_LEAD = ceil(min(-log(NEGLIGIBLE) / rate for rate in RATES))
"""No `longest_lead` is less."""


def fines(rules: Rules) -> list[int]:
    """Return all that the fines of one turn may add up to, in units, but for more of them than ever happen.

    Raises `SolveError` ``too_many_fines`` if they are too many to distinguish.
    """
    each = set(units(rules).fine) - {0}
    found = {0}
    if each:
        again = _fined_again(rules)
        often = 1.0 if units(rules).firsts else again
        while often > NEGLIGIBLE:
            found |= {paid + fine for paid in found for fine in each}
            often *= again
            if len(found) > MOST_FINES:
                raise SolveError(
                    "too_many_fines",
                    f"the fines for rolls of {rules.name} add up to more than {MOST_FINES:,} different sums in one "
                    "turn: make them multiples of one number",
                )
    return sorted(found)


PLENTY = 1 << 40
"""Points and lives of a seat that wants for nothing."""


@lru_cache(maxsize=64)
def units(rules: Rules) -> Terms:
    """Return the rules in steps of their unit, as the solver counts points."""
    found = terms(rules, rules.unit)
    # What a seat that takes over must roll before its first bank is kept as its debt (T3).
    return replace(found, confirms=found.confirms or not found.take_enters)


def choices(rules: Rules, rolling: Rolling) -> list[tuple[Choice, int]]:
    """Return what each roll of a rolling leaves to choose from, and in how many ways it falls.

    Those that are rolled again change nothing (P18), so that the others are all that there are.
    """
    fall = list[tuple[Choice, int, bool]]()
    for number, one in enumerate(score_table(rules, rolling.sets), units(rules).shift[rolling.sets]):
        if len(one.roll) == rolling.dice:
            chosen = choice(units(rules), rolling, number)
            if chosen.outcome != Outcome.AGAIN:
                fall.append((chosen, one.ways, not chosen.options))
    return tried(units(rules), rolling, fall)


@lru_cache(maxsize=4096)
def ways_of(rules: Rules, rolling: Rolling) -> int:
    """Return in how many ways the rolls of a rolling fall that are not rolled again."""
    return sum(ways for _, ways in choices(rules, rolling))


def within(rules: Rules, dice: int) -> Rolling:
    """Return this many dice, rolled within a turn: after the first roll that may be banked, if rolls are counted."""
    return Rolling(dice, rolls=min(max(1, rules.least_rolls), units(rules).counts_rolls))


def two_seats(rules: Rules) -> tuple[list[list[int]], list[int]]:
    """Return rows of a game of two in its first turn, to be asked about by the law. The seats want for nothing."""
    seats, now = [[0] * law.SEAT_ROW for _ in range(2)], [0] * law.NOW
    law.deal(units(rules), seats, now, (1, 1))
    law.begin(units(rules), seats, now, 0)
    for mine in seats:
        mine[law.SCORE] = mine[law.LIVES] = PLENTY
    return seats, now


def bankable(rules: Rules, totals: int) -> Truths:
    """Return [entering, turn total]: whether this many points may be banked by a seat on the board and by one
    that is not yet.

    A target that must be hit exactly is not counted.
    """
    mine, found = two_seats(rules)[0][0], []
    for entered in (-1, 0):
        mine[law.ENTERED] = entered
        found.append([law.why_not_total(units(rules), mine, total) == law.MAY for total in range(totals)])
    return array(found, "bool")


def farkle_costs(rules: Rules, hand: int) -> list[tuple[int, int]]:
    """Return lives and points that a farkle with this many dice costs, by the farkles in a row before it.

    hand: `FIRST_ROLL` for that of the first roll of a turn (F3).
    """
    mine, found = two_seats(rules)[0][0], []
    for farkles in range(max(1, units(rules).in_row)):
        mine[law.FARKLES] = farkles
        found.append(law.farkle_cost(units(rules), mine, hand or rules.dice, first=hand == FIRST_ROLL, total=0))
    return found


def takes_all(rules: Rules) -> bool:
    """Return whether something takes the whole score (D6, P17)."""
    costs = (points for hand in range(FIRST_ROLL, rules.dice + 1) for _, points in farkle_costs(rules, hand))
    return Outcome.ZERO in units(rules).outcome or any(points >= PLENTY for points in costs)


def farkle_leaves(rules: Rules, rolling: Rolling) -> int:
    """Return dice that a farkle leaves to the next seat if there was a turn total (D15)."""
    seats, now = two_seats(rules)
    put(now, rolling)
    now[law.POINTS] = 1
    law.farkle(units(rules), seats, now, first=False)
    return now[law.OFFER_HAND]


def taken_over(rules: Rules) -> dict[tuple[bool, int, int], Rolling]:
    """Return the first rolling of a seat that takes this many dice of this many on offer, if the rules let the
    richest seat do so.

    By whether the seat is still to get on the board.
    """
    dice = range(1, rules.dice + 1)
    offers = {law.offered(units(rules), left, 0) for left in range(rules.dice)}
    offers |= {farkle_leaves(rules, Rolling(hand)) for hand in dice}
    found = {}
    for entering, taken, offer in product((False, True), dice, offers):
        seats, now = two_seats(rules)
        seats[0][law.ENTERED] = 0 if entering else -1
        now[law.PHASE], now[law.OFFER_POINTS], now[law.OFFER_HAND] = law.OFFER, 1, offer
        if law.why_not_take(units(rules), seats[0], now, taken) == law.MAY:
            law.take_over(units(rules), seats[0], now, taken)
            owing = law.still_owing(units(rules), seats[0], now)
            found[entering, taken, offer] = Rolling(now[law.HAND], now[law.IDLE], owing=owing)
    return found


def _fined_again(rules: Rules) -> float:
    """Return the chance that a turn meets a fine, if it is played for that."""
    fined = [0.0] * (rules.dice + 1)
    rolls: list[list[tuple[float, list[int]]]] = [[]]
    for dice in range(1, rules.dice + 1):
        merged: Counter[tuple[int, ...]] = Counter()
        for chosen, ways in choices(rules, Rolling(dice)):
            if chosen.fine:
                fined[dice] += ways / ways_of(rules, Rolling(dice))
            elif chosen.options:
                merged[tuple(sorted({option.then.dice for option in chosen.options}))] += ways
        rolls.append([(ways / ways_of(rules, Rolling(dice)), list(left)) for left, ways in merged.items()])
    chance = fined
    for _ in range(ROUNDS):
        again = [sum(part * max(chance[dice] for dice in left) for part, left in each) for each in rolls]
        chance = [one + more for one, more in zip(fined, again, strict=True)]
    return min(0.9, max(chance))


class _Rolls(NamedTuple):
    """The choices after the rolls of a rolling: the most points for each rolling after it."""

    farkle: float
    weight: list[float]
    """[class]"""
    choices: list[tuple[tuple[int, int], ...]]
    """[class]: (index of a rolling, points) of each choice."""


def _growth(rules: Rules) -> list[float]:
    """Return the mean of exp(rate * turn total) before the turn farkles, of whichever keeps make it
    largest, for `RATES`.
    """
    most = _hot_most(rules, 4096)
    begins = start_of(units(rules))
    rollings = [
        Rolling(dice, 0, hot, sets=sets)
        for hot in range(most + 1)
        for sets in range(len(open_sets(rules)))
        for dice in range(1, score_table(rules, sets).dice + 1)
    ]
    rollings = list(dict.fromkeys([begins, *rollings]))
    rolls = [_rolls(rules, rolling, rollings) for rolling in rollings]
    return [_grown(rolls, rollings.index(begins), rate) for rate in RATES]


def _grown(rolls: list[_Rolls], start: int, rate: float) -> float:
    """Return the mean of exp(rate * turn total) of a turn that begins with that rolling."""
    gains = [[[(then, _exp(rate * points)) for then, points in each] for each in one.choices] for one in rolls]
    means = [1.0] * len(rolls)
    before = means
    for _ in range(ROUNDS):
        before, means = means, []
        worth = [max(1.0, mean) for mean in before]
        for one, choices in zip(rolls, gains, strict=True):
            best = [max(gain * worth[then] for then, gain in each) for each in choices]
            found = one.farkle + sum(weight * most for weight, most in zip(one.weight, best, strict=True))
            means.append(inf if found > HUGE else found)
        if means == before:
            break
    return means[start] if isclose(means[start], before[start], rel_tol=1e-4, abs_tol=1e-8) else inf


def _exp(x: float) -> float:
    return exp(x) if x < 700 else inf


def _rolls(rules: Rules, rolling: Rolling, rollings: list[Rolling]) -> _Rolls:
    classes: Counter[tuple[tuple[int, int], ...]] = Counter()
    for chosen, ways in choices(rules, rolling):
        most: dict[int, int] = {}
        for option in chosen.options:
            then = rollings.index(_told(option.then, rollings[-1].hot)._replace(owing=0, rolls=0))
            most[then] = max(most.get(then, 0), option.points)
        classes[tuple(sorted(most.items()))] += ways
    farkle, every = classes.pop((), 0), ways_of(rules, rolling)
    return _Rolls(farkle / every, [ways / every for ways in classes.values()], list(classes))


def _hot_most(rules: Rules, rows: int) -> int:
    """Return hot dice that can be distinguished: with more the turn total is past ``rows`` anyway."""
    if not units(rules).multiplier:
        return units(rules).counts_hot
    # The first roll of a turn may bring hot dice for fewer points.
    hot, total = 1, 0 if units(rules).firsts else _least(rules, 0)
    while hot < MOST_HOT and total < rows:
        total += _least(rules, hot)
        hot += 1
    return hot


def _least(rules: Rules, hot: int) -> int:
    """Return the fewest points, and at least 1, that the next hot dice come with after this many."""
    least: dict[int, int] = {}
    for dice in range(1, rules.dice + 1):
        options = [option for chosen, _ in choices(rules, Rolling(dice, 0, hot)) for option in chosen.options]
        ends = [option.points + (0 if option.then.hot > hot else least.get(option.then.dice, 0)) for option in options]
        if ends:
            least[dice] = min(ends)
    return max(1, least[rules.dice])


def _told(rolling: Rolling, most: int) -> Rolling:
    """Return the rolling that stands for it: hot dice beyond ``most`` are not distinguished."""
    return rolling if rolling.hot <= most else rolling._replace(hot=most)


# Compiling ------------------------------------------------------------------------------------------------------------

Node = tuple[Landing, tuple[int, ...]]
"""A landing and the points that lead to it."""
Class = tuple[tuple[Node, ...], tuple[Node, ...]]
"""Nodes to choose from, and those for when none of these is allowed."""
Classes = Counter[Class]
"""How many throws leave which choices."""


class _Compiler:
    def __init__(self, rules: Rules, rows: int) -> None:
        self.rules = rules
        self.hot_most = _hot_most(rules, rows)
        self.choices: dict[Rolling, list[tuple[Choice, int]]] = {}
        self.ways: dict[Rolling, int] = {}
        self.rollings = self._reachable()
        self.farkles = {rolling: self._farkles(rolling) for rolling in self.rollings}
        lost = {self._farkle(rolling) for rolling in self.rollings if self._may_be_lost(rolling)}
        lost |= {WON} if law.WINS in units(rules).closes else set()
        self.kinds = sorted(lost.union(*self.farkles.values())) or [Farkle(0, 1, 0)]
        self.classes = {rolling: self._classes(rolling) for rolling in self.rollings}
        choices = (chosen for each in self.classes.values() for chosen in each)
        self.nodes = sorted(
            {node for chosen in choices for group in chosen for node in group}, key=lambda node: (len(node[1]), node)
        )
        met = {landing for landing, _ in self.nodes}
        self.landings = sorted(met | {landing._replace(fine=0) for landing in met})

    # Possible turns -------- ----------------------------------------------------------------------

    def _reachable(self) -> list[Rolling]:
        """Return every rolling of a turn, those of a take-over included; the start of a turn is the first."""
        # So many dice are asked about one by one, even if no keep leaves them.
        hands = [within(self.rules, dice) for dice in range(self.rules.dice, 0, -1)]
        found = list(dict.fromkeys([start_of(units(self.rules)), *hands, *taken_over(self.rules).values()]))
        for rolling in found:
            self.choices[rolling] = choices(self.rules, rolling)
            self.ways[rolling] = sum(ways for _, ways in self.choices[rolling])
            thens = {option.then for chosen, _ in self.choices[rolling] for option in chosen.options}
            if rolling.dice == 1:  # no keep leads to a try after the first, but players ask for its value
                thens |= {rolling._replace(tried=failed) for failed in range(self.rules.last_die_tries)}
            found += {_told(then, self.hot_most) for then in thens} - set(found)
            if len(found) > MOST_ROLLINGS:
                raise SolveError(
                    "scoring.confirm",
                    f"{self.rules.name} asks for so many points before a bank that too much has to be told apart: make "
                    "confirm smaller, or points multiples of a larger number",
                )

        def order(one: Rolling) -> tuple[int, ...]:
            return one.hot, one.owing, one.rolls, one.idle, one.dice, one.sets, -one.tried

        return [found[0], *sorted(found[1:], key=order)]

    def _classes(self, rolling: Rolling) -> Classes:
        found: Classes = Counter()
        for chosen, ways in self.choices[rolling]:
            banks = _bankable(chosen)
            if any(option.wins for option in chosen.options):
                found[((Landing(chosen.fine, LOST, self.kinds.index(WON), self.rollings[0]), (1,)),), ()] += ways
            elif banks and chosen.last:
                lost = Landing(chosen.fine, LOST, self.kinds.index(self._farkle(rolling)), self.rollings[0])
                found[self._nodes(chosen._replace(options=banks), BANK), ((lost, (1,)),)] += ways
            elif chosen.last:
                continue
            elif banks and chosen.ends:
                found[self._nodes(chosen._replace(options=banks), BANK), self._nodes(chosen, ROLL)] += ways
            elif chosen.options:
                found[self._nodes(chosen, ROLL if chosen.ends else None), ()] += ways
        return found

    def _nodes(self, chosen: Choice, kind: int | None) -> tuple[Node, ...]:
        places: dict[Landing, set[int]] = {}
        for option in chosen.options:
            landing = Landing(
                chosen.fine,
                _kind(option) if kind is None else kind,
                option.offer,
                _told(option.then, self.hot_most),
            )
            places.setdefault(landing, set()).add(option.points)
        return tuple(sorted((landing, tuple(sorted(points))) for landing, points in places.items()))

    def _farkles(self, rolling: Rolling) -> Counter[Farkle]:
        found: Counter[Farkle] = Counter()
        for chosen, ways in self.choices[rolling]:
            if chosen.outcome in (WIN, LOSE):
                found[WON if chosen.outcome == WIN else BEATEN] += ways
            elif chosen.outcome == Outcome.ZERO:
                found[self._farkle(rolling, PLENTY)] += ways
            elif not chosen.options or (chosen.last and not _bankable(chosen)):
                found[self._farkle(rolling, chosen.fine)] += ways
        return found

    def _farkle(self, rolling: Rolling, fine: int = 0) -> Farkle:
        """Return the farkle of a rolling."""
        if rolling.first and self.rules.penalties.farkle_first_roll:
            return Farkle(fine, FIRST_ROLL, 0)
        costs = [farkle_costs(self.rules, hand) for hand in range(rolling.dice + 1)]
        return Farkle(fine, costs.index(costs[-1], 1), farkle_leaves(self.rules, rolling))

    def _may_be_lost(self, rolling: Rolling) -> bool:
        """Return whether a roll that scores is lost as a farkle if no turn total after it may be banked (M4)."""
        return any(chosen.last and _bankable(chosen) for chosen, _ in self.choices[rolling])

    # As arrays ------------------------------------------------------------------------------------

    def compile(self) -> Program:
        own = [landing for landing in self.landings if landing.fine == 0]
        _, kind, offer, then = zip(*own, strict=True)
        lost = [each.offer if each.kind == LOST else 0 for each in own]
        offer = tuple(0 if each.kind == LOST else each.offer for each in own)
        paid, unfined, fined = self._fines(own)
        node_first, node_at, node_counts = self._node_arrays()
        class_first, class_counts, weight, ref_first, alt_first, refs = self._class_arrays()
        farkle_first, farkle_weight, farkle_kind = self._farkle_arrays()
        arrays = TurnArrays(
            kind=array(kind, "int64"),
            offer=array(offer, "int64"),
            then=array(map(self.rollings.index, then), "int64"),
            lost=array(lost, "int64"),
            landings=len(self.landings),
            fines=paid,
            unfined=unfined,
            fined=fined,
            rollings=len(self.rollings),
            offers=1 + max([*offer, *(farkle.offer for farkle in self.kinds)]),
            node_first=node_first,
            node_at=node_at,
            node_counts=node_counts,
            class_first=class_first,
            class_counts=class_counts,
            splits=any(second for each in self.classes.values() for _, second in each),
            weight=weight,
            ref_first=ref_first,
            alt_first=alt_first,
            refs=refs,
            farkle_first=farkle_first,
            farkle_weight=farkle_weight,
            farkle_kind=farkle_kind,
            farkles=len(self.kinds),
            ends=array((kind.end for kind in self.kinds), "int64"),
            leaves=any(kind.offer for kind in self.kinds),
            most=max(points for _, each in self.nodes for points in each),
            brief=_brief(self.rollings, self.landings, self.classes, self.ways),
        )
        chances = tuple((each.total() - each[WON]) / self.ways[rolling] for rolling, each in self.farkles.items())
        return Program(
            arrays,
            rollings=tuple(self.rollings),
            landings=tuple(self.landings),
            farkles=tuple(self.kinds),
            chances=chances,
            forces=self._forces(),
            rules=self.rules,
            place={rolling: place for place, rolling in enumerate(self.rollings)},
        )

    def _forces(self) -> bool:
        """Return `Program.forces`."""
        chosen = (each for some in self.classes.values() for each in some)
        forced = any(landing.kind == ROLL for first, _ in chosen for landing, _ in first)
        return forced or any(landing.kind == LOST for landing in self.landings)

    def _fines(self, own: list[Landing]) -> tuple[Numbers, Numbers, Numbers]:
        """Return `TurnArrays.fines`, ``unfined`` and ``fined``, with the landings that no fine leads to."""
        paid, landings = fines(self.rules), self.landings[len(own) :]
        number = {points: index for index, points in enumerate(paid)}
        unfined = [own.index(each._replace(fine=0)) for each in landings]
        fined = [[number.get(before + each.fine, -1) for each in landings] for before in paid]
        each = shaped(list(chain(*fined)), (len(paid), len(landings)), "int64")
        return array(paid, "int64"), array(unfined, "int64"), each

    def _node_arrays(self) -> tuple[Indices, Indices, Indices]:
        """Return `TurnArrays.node_first`, ``node_at`` and ``node_counts``."""
        at = [[points * len(self.landings) + self.landings.index(each) for points in some] for each, some in self.nodes]
        return _firsts(at), _narrow(at), _counts([at], fewest=4)[0]

    def _class_arrays(self) -> tuple[Indices, Indices, Values, Indices, Indices, Indices]:
        """Return `TurnArrays.class_first`, ``class_counts``, ``weight``, ``ref_first``, ``alt_first`` and ``refs``."""
        number = {node: index for index, node in enumerate(self.nodes)}
        # As the kernels go through them: by how many nodes they choose from.
        ordered = [
            sorted(self.classes[rolling], key=lambda each: (len(each[0]), len(each[1]), each))
            for rolling in self.rollings
        ]
        met = [(rolling, *each) for rolling, some in zip(self.rollings, ordered, strict=True) for each in some]
        weight = [self.classes[rolling][first, second] / self.ways[rolling] for rolling, first, second in met]
        refs = [[number[node] for node in (*first, *second)] for _, first, second in met]
        ref_first = _firsts(refs)
        alt_first = array((at + len(first) for at, (_, first, _) in zip(ref_first, met, strict=False)), "uint64")
        counts = _counts([[first for first, _ in some] for some in ordered], fewest=4)
        return _firsts(ordered), counts, array(weight), ref_first, alt_first, _narrow(refs)

    def _farkle_arrays(self) -> tuple[Indices, Values, Indices]:
        """Return `TurnArrays.farkle_first`, ``farkle_weight`` and ``farkle_kind``."""
        farkles = [sorted(self.farkles[rolling].items()) for rolling in self.rollings]
        met = [(rolling, *each) for rolling, some in zip(self.rollings, farkles, strict=True) for each in some]
        weight = [ways / self.ways[rolling] for rolling, _, ways in met]
        kind = [self.kinds.index(farkle) for _, farkle, _ in met]
        return _firsts(farkles), array(weight), array(kind, "uint64")


def _bankable(chosen: Choice) -> tuple[KeepOption, ...]:
    """Return the options that may be banked, if the turn total may."""
    return tuple(option for option in chosen.options if not option.must_roll)


def _kind(option: KeepOption) -> int:
    """Return the legal actions after a keep, if no other keep of the roll counts."""
    if option.must_roll:
        return ROLL
    return MUST if option.must_bank else FREE


def _brief(
    rollings: list[Rolling], landings: list[Landing], classes: dict[Rolling, Classes], all_ways: dict[Rolling, int]
) -> Brief:
    plain = all(landing == Landing(0, FREE, 0, Rolling(landing.then.dice)) for landing in landings)
    sures = range(len(landings) + 1 if plain else 0)
    found = [(rolling, _banked(classes[rolling], landings, sure)) for sure in sures for rolling in rollings]
    lists = [[places for places, _ in each] for _, each in found]
    refs = [places for each in lists for places in each]
    class_first, ref_first = _firsts(lists), _firsts(refs)
    return Brief(
        counts=_counts(lists, fewest=max(4, len(landings))),
        class_first=class_first,
        ref_first=array((ref_first[first] for first in class_first), "uint64"),
        weight=array(ways / all_ways[rolling] for rolling, each in found for _, ways in each),
        refs=_narrow(refs),
    )


def _banked(classes: Classes, landings: list[Landing], sure: int) -> list[tuple[tuple[int, ...], int]]:
    """Return the choices of the classes, with the first landings sure to be banked, and their ways; the
    shortest first.
    """
    found: Counter[tuple[int, ...]] = Counter()
    for (choices, _), ways in classes.items():
        most: dict[int, int] = {}
        for landing, points in choices:
            index = landings.index(landing)
            index = index if index >= sure else 0
            most[index] = max(most.get(index, 0), *points)
        found[tuple(sorted(points * len(landings) + index for index, points in most.items()))] += ways
    return sorted(found.items(), key=lambda one: (len(one[0]), one[0]))


def _counts(lists: Sequence[Sequence[Sized]], fewest: int) -> Indices:
    """Return [list, n]: how many in it have n + 1 parts."""
    lengths = [[len(part) for part in each] for each in lists]
    longest = max([fewest, *(length for each in lengths for length in each)])
    counts = [[each.count(n + 1) for n in range(longest)] for each in lengths]
    return shaped(list(chain(*counts)), (len(counts), longest), "uint64")


def _narrow(lists: Sequence[Sequence[int]]) -> Indices:
    """Return all lists, one after the other, in few bytes: the loop over turn totals lives in the fastest cache."""
    places = [place for each in lists for place in each]
    return array(places, "uint16" if max(places, default=0) < 1 << 16 else "uint32")


def _firsts(lists: Sequence[Sized]) -> Indices:
    """Return where each of the lists begins, one after the other, and where the last one ends."""
    return array(accumulate(map(len, lists), initial=0), "uint64")
