"""Two sides compiled for the solver: what a seat is besides its score, and when turns and games end.

A *mode* is everything about a seat but its score: lives, farkles in a row, which of its people have made the entry
score and whose turn it is. A *stage* is what is common: rounds left and whose the round is. Scores are indices: steps
of ``rules.unit`` from the lowest score that is told apart.

What ends a turn, and what it leads to, is found by asking the law about rows of two seats.

Without a target (fixed rounds) only the lead matters. Then a score is the lead over the other seat, counted from the
largest deficit that is told apart, and the other seat's score is always 0: the board is *relative*.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from farkel.errors import SolveError
from farkel.game import Seat, law, new_game
from farkel.game.terms import Price
from farkel.rules import Rules
from farkel.solve.fields import cause, check
from farkel.solve.program import (
    LEAST_LEAD,
    PLENTY,
    Numbers,
    Program,
    Values,
    bankable,
    longest_lead,
    program,
    taken_over,
    two_seats,
    units,
)

FALL = 7
"""Penalties that a score is followed down from nothing; below that it stays (see `_lowest`)."""
TALL = 1 << 14
"""More units than a turn ever brings."""


class Beyond(IntEnum):
    """What a bank that takes a seat to the target or beyond leads to."""

    WINS = 0
    CHASED = 1
    """The other seat has one more turn."""
    NOTHING = 2
    """Exactly the target wins. Beyond it nothing counts."""
    GIVEN = 3
    """As `NOTHING`, and what is beyond is given to the other seat if it fits."""


class Mode(NamedTuple):
    """A seat apart from its score."""

    lives: int
    farkles: int
    person: int
    entered: int
    """As `farkel.game.Seat.entered`: bits of the people, -1 for all."""


class Stage(NamedTuple):
    """What a turn is played in: rounds left (0: no limit), and whether the seat to move is second in the round."""

    rounds: int
    second: bool


class Board(NamedTuple):
    """Everything about two sides that the kernels read. Points are indices or steps of the unit."""

    scores: int
    """Scores below the target, or leads: indices 0 to scores - 1."""
    zero: int
    """Index of a score of nothing, or of a lead of nothing."""
    relative: bool
    """Scores are leads, as there is no target."""
    beyond: Numbers
    """[stage]: a `Beyond`."""
    open: bool
    """A bank beyond the target may still be surpassed: some stage is `CHASED`, or the board is relative."""
    hits: int
    """The score index that wins, if the target must be hit exactly; else -1."""
    shares: bool
    """Who comes up to a seat that has reached the target shares the win."""
    pairs: bool
    """Values are pairs: the game may end without a winner."""
    far: bool
    """No turn total is so high that banking is sure to be best: offers, or dice that never farkle or must be rolled."""
    stops_at_zero: bool
    """A penalty brings no score below nothing."""
    price: int
    """A `farkel.game.terms.Price`."""
    stake: int
    affords: NDArray[np.bool_]
    """[score]: a seat with enough lives may take over."""
    longest: int
    """The largest turn total that may be left by a farkle (D15) and is told apart."""
    bankable: NDArray[np.bool_]
    """[entering, turn total]: whether so many points may be banked; larger totals are as the last one."""
    need: Numbers
    """[entering]: the turn total from which on all may be banked."""
    entering: Numbers
    """[mode]: 1 if the seat is not on the board yet."""
    told_by_score: bool
    """A seat with a score of nothing is not on the board yet, whatever its mode."""
    after_bank: Numbers
    """Mode after a bank."""
    after_over: Numbers
    """Mode after a bank that went over an exact target and added nothing."""
    after_farkle: Numbers
    """[mode, hand]: mode after a farkle with so many dice; -1: out of the game."""
    penalty: Numbers
    """[mode, hand]: points that the farkle costs."""
    paid: Numbers
    """[mode, dice]: mode after so many dice are taken over; -1: it may not take them."""
    next_stage: Numbers
    ends: NDArray[np.bool_]
    """The game is over after the turn, by its rounds."""
    second: NDArray[np.bool_]
    rounds: Numbers
    farkle_fine: Numbers
    """By kind of farkle, as the program numbers them."""
    farkle_hand: Numbers
    farkle_dice: Numbers
    """Dice that the farkle leaves to the next seat (D15)."""
    take: Numbers
    """[dice taken, dice on offer]: the rolling; -1 where there is none."""
    standing_wins: bool
    standing: Numbers
    """Rounds that a seat alone has, by its score (O20)."""
    alone: Values
    """[rounds left, rounds standing, mode, score]: chance of a seat alone to reach the target."""
    chase: Values
    """[0, score, need, x, rolling]: chance of reaching x more points in this turn; [1, ...]: where one less is half a
    win. The score, counted from zero, and the turn total that is still needed to bank are told apart only where they
    matter (the last one of each stands for all above it), and x then begins with less than none; elsewhere x is the
    larger of both. See `farkel.solve.boundary.surpasses`."""


class Compiled(NamedTuple):
    """A `Board` and what its indices mean."""

    rules: Rules
    people: int
    board: Board
    program: Program
    modes: tuple[Mode, ...]
    stages: tuple[Stage, ...]
    lowest: int
    """Points of score index 0."""

    @property
    def start(self) -> int:
        """The mode of a seat that has not played yet."""
        return self.mode(new_game(self.rules, (self.people,)).seats[0])

    @property
    def first(self) -> tuple[int, int, int, int, int]:
        """The position that a game begins with: stage, modes and scores."""
        stage = self.stages.index(max(self.stages, key=lambda stage: (stage.rounds, not stage.second)))
        return (stage, self.start, self.start, *self.met(0, 0))

    def mode(self, seat: Seat) -> int:
        """Index of the mode of a seat."""
        people = (1 << self.people) - 1
        for index, mode in enumerate(self.modes):
            if (mode.lives, mode.farkles, mode.person) == (seat.lives, seat.farkles, seat.person % self.people) and (
                (mode.entered ^ seat.entered) & people == 0 or not self.tells_entered
            ):
                return index
        raise SolveError("no_such_position", f"{seat} is no seat of {self.rules.name}")

    @property
    def stage_of(self) -> Numbers:
        """[rounds left, whether the seat to move is second in the round]: index of the stage."""
        found = np.zeros((self.rules.rounds + 1, 2), np.int64)
        told = len(self.stages) > 1
        for index, stage in enumerate(self.stages):
            for second in (stage.second,) if told else (False, True):
                found[stage.rounds, int(second)] = index
        return found

    @property
    def lowers(self) -> bool:
        """Whether scores may fall."""
        board = self.board
        return bool(board.penalty.any() or self.program.arrays.fines.size > 1 or board.stake)

    @property
    def tells_entered(self) -> bool:
        """Whether modes tell seats with and without the entry score apart."""
        return len({mode.entered for mode in self.modes}) > 1

    def score(self, points: int) -> int:
        """Index of a score."""
        return (points - self.lowest) // self.rules.unit

    def met(self, mine: int, others: int) -> tuple[int, int]:
        """The indices of two scores that meet, in points: (score, other's score) as the kernels take them."""
        if not self.board.relative:
            return self.score(mine), self.score(others)
        lead = self.board.zero + (mine - others) // self.rules.unit
        return min(max(0, lead), self.board.scores - 1), 0

    def between(self, mine: Any, others: Any) -> tuple[Any, Any]:
        """Where the value of a position is kept, by two scores in steps of the unit from the lowest one."""
        if not self.board.relative:
            return mine, others
        lead = np.clip(self.board.zero + mine - others, 0, self.board.scores - 1)
        return self.kept(lead, 0)

    def kept(self, score: Any, others: Any) -> tuple[Any, Any]:
        """Where the value of a position is kept in `farkel.solve.boundary.Solved`."""
        return (0 * score, self.board.scores - 1 - score) if self.board.relative else (score, others)

    def points(self, score: int) -> int:
        """Points of a score index."""
        return self.lowest + score * self.rules.unit


def compile_board(rules: Rules, people: int = 1) -> Compiled:
    """The board of two sides with so many people each, but for ``alone`` and ``chase``: see `farkel.solve.ends`.

    Raises `SolveError` for rules that it is not made for.
    """
    _refuse(rules)
    return _Compiler(rules, people).compile()


def positions(rules: Rules, people: int = 1, enough: int | None = None) -> int:
    """Return how many positions at the start of a turn there are to solve, without compiling the rules.

    If they are more than ``enough``, it may be fewer than there are. Raises `SolveError` as `compile_board`.
    """
    _refuse(rules)
    each = len(_stages(rules)) * prod(map(len, _seats(rules, _deciding(rules, people)))) ** 2
    if not _relative(rules):
        return int(each * _scores(rules) ** 2)
    least = each * (2 * LEAST_LEAD + 1)
    return least if enough is not None and least > enough else each * (2 * _lead(rules) + 1)


def _relative(rules: Rules) -> bool:
    return rules.target == 0


def _lowest(rules: Rules) -> int:
    """Points of score index 0."""
    fines = rules.penalties
    return -FALL * _fine(rules) if fines.below_zero and not _relative(rules) else 0


def _fine(rules: Rules) -> int:
    """The most points that something costs at once."""
    fines = rules.penalties
    return max(fines.farkles_in_row_points + fines.farkle_all_dice, max(rules.rolled.fines, default=0))


def _scores(rules: Rules) -> int:
    """Scores below the target that are told apart."""
    return -(-(rules.target - _lowest(rules)) // rules.unit)


def _lead(rules: Rules) -> int:
    """The largest lead that is told apart where there is no target."""
    return longest_lead(rules, rules.rounds * (2 if rules.take_over.price != "none" else 1))


def _deciding(rules: Rules, people: int) -> int:
    """People of a team, where it matters who of them plays (L5); else 1."""
    return people if rules.teams == "partners" and rules.entry_each else 1


def _told_by_score(rules: Rules, people: int) -> bool:
    """Whether a score above nothing tells that the entry was made, as nothing takes points away or gives them."""
    return (
        rules.entry > 0
        and people == 1
        and not (_fine(rules) or rules.take_over.stake)
        and not _relative(rules)
        and rules.finish not in ("exact", "welfare")
    )


def _seats(rules: Rules, people: int) -> tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[int]]:
    """What the fields of a `Mode` may be."""
    entered: Sequence[int] = (-1,)
    if rules.entry and not _told_by_score(rules, people):
        entered = range(1 << people) if rules.entry_each else (0, -1)
    lives = range(1, rules.lives.each + 1) if rules.lives.each else range(1)
    return lives, range(max(1, rules.penalties.farkles_in_row)), range(people), entered


def _stages(rules: Rules) -> tuple[Stage, ...]:
    if rules.rounds:
        return tuple(Stage(left, second) for left in range(1, rules.rounds + 1) for second in (True, False))
    if rules.finish == "equal_turns":
        return Stage(0, False), Stage(0, True)
    return (Stage(0, False),)


def _refuse(rules: Rules) -> None:
    check(rules)
    fines, staked = rules.penalties, rules.take_over.price == "stake"
    fined = bool(rules.rolled.fines)
    if rules.target == 0 and (staked or not fines.below_zero):
        raise SolveError(
            "no_target",
            "a game of rounds without a target is solved by the lead alone, which a stake or penalties that stop at "
            "zero forbid: give it a target (--set target=10000), or do without these",
        )
    if fined and staked and not fines.below_zero:
        raise SolveError(
            "fined_stake",
            "fines for triples that stop at zero are not solved together with a stake: set penalties.below_zero=true",
        )
    if rules.take_over.after_farkle and rules.lives.each and rules.lives.last_standing == "rounds":
        raise SolveError(
            "after_farkle",
            "farkled turn totals that may be taken up are not solved together with rounds of the last one standing: "
            "set lives.last_standing=wins or take_over.after_farkle=false",
        )


class _Compiler:
    def __init__(self, rules: Rules, people: int) -> None:
        self.rules, self.units = rules, units(rules)
        self.relative = _relative(rules)
        self.lowest = _lowest(rules)
        self.program = program(rules, -(-(rules.target - self.lowest) // rules.unit) + 1024)
        if self.relative:
            self.zero = _lead(rules)
            self.scores = 2 * self.zero + 1
        else:
            self.scores = _scores(rules)
            self.zero = -self.lowest // rules.unit
        self.people = _deciding(rules, people)
        self.modes = tuple(Mode(*seat) for seat in product(*_seats(rules, self.people)))
        self.numbers = {mode: index for index, mode in enumerate(self.modes)}
        self.stages = _stages(rules)

    def compile(self) -> Compiled:
        p, farkles = self.program.arrays, self.program.farkles
        banks, needs = self._banks()
        follows = [self._next(stage) for stage in self.stages]
        costs = [[self._farkled(mode, hand) for hand in range(self.rules.dice + 1)] for mode in self.modes]
        beyond = [self._beyond(stage) for stage in self.stages]
        takes = self.units.price != Price.NONE
        wins = self._standing_wins()
        board = Board(
            scores=self.scores,
            zero=self.zero,
            relative=self.relative,
            beyond=np.array(beyond),
            open=Beyond.CHASED in beyond,
            hits=self._hits(),
            shares=self._shares(),
            pairs=not wins,
            far=takes or self.program.forces or min(self.program.chances) == 0.0,
            stops_at_zero=law.fined(self.units, 0, 1) == 0,
            price=int(self.units.price),
            stake=self._stake(),
            affords=np.array([not takes or self._affords(score) for score in range(self.scores)]),
            longest=0,
            bankable=banks,
            need=needs,
            entering=np.array([int(not law.on_board(self._seat(mode))) for mode in self.modes]),
            told_by_score=_told_by_score(self.rules, self.people),
            after_bank=np.array([self._banked(mode, -PLENTY) for mode in self.modes]),
            after_over=np.array([self._banked(mode, self.units.target) for mode in self.modes]),
            after_farkle=np.array([[after for after, _ in each] for each in costs]),
            penalty=np.array([[points for _, points in each] for each in costs]),
            paid=np.array([[self._paid(mode, dice) for dice in range(p.offers)] for mode in self.modes]),
            next_stage=np.array([0 if after is None else self.stages.index(after) for after in follows]),
            ends=np.array([after is None for after in follows]),
            second=np.array([stage.second for stage in self.stages]),
            rounds=np.array([stage.rounds for stage in self.stages]),
            farkle_fine=np.array([farkle.fine for farkle in farkles]),
            farkle_hand=np.array([farkle.hand for farkle in farkles]),
            farkle_dice=np.array([farkle.offer for farkle in farkles]),
            take=self._take(),
            standing_wins=wins,
            standing=np.array([0 if wins else self._standing(score) for score in range(self.scores)]),
            alone=np.zeros((1, 1, 1, 1)),
            chase=np.zeros((1, 1, 1, 1, 1)),
        )
        return Compiled(self.rules, self.people, board, self.program, self.modes, self.stages, self.lowest)

    # What the law is asked about --------------------------------------------------------------------

    def _rows(self, stage: Stage, mode: Mode | None = None) -> tuple[list[list[int]], list[int], list[int]]:
        """Rows of a game of two in a turn of that stage, and among them that of the seat to move."""
        seats, now = two_seats(self.rules)
        now[law.SEAT], now[law.ROUNDS] = int(stage.second), stage.rounds
        mine = seats[now[law.SEAT]]
        if mode is not None:
            mine[:] = self._seat(mode)
        return seats, now, mine

    def _seat(self, mode: Mode) -> list[int]:
        """The row of a seat with as many points as it may need."""
        mine = two_seats(self.rules)[0][0]
        mine[law.LIVES], mine[law.FARKLES], mine[law.PERSON], mine[law.ENTERED] = mode
        mine[law.PEOPLE] = self.people
        return mine

    def _mode(self, mine: Sequence[int]) -> int:
        """The mode of a row; -1 if the seat is out of the game."""
        entered = mine[law.ENTERED]
        if mine[law.GONE] != law.IN:
            return -1
        for known in (entered, entered & (1 << self.people) - 1, -1):
            mode = Mode(mine[law.LIVES], mine[law.FARKLES], mine[law.PERSON], known)
            if mode in self.numbers:
                return self.numbers[mode]
        return -1

    # A turn ends ------------------------------------------------------------------------------------

    def _banks(self) -> tuple[NDArray[np.bool_], Numbers]:
        """`Board.bankable` and ``need``. Raises `SolveError` if higher totals may be refused where lower ones are not.

        Beyond the last turn total that is told apart all are the same to the kernels, so they rely on that.
        """
        p = self.program.arrays
        found = bankable(self.rules, 3 * self.scores + 2 * p.most + (TALL if p.leaves else 0))
        if _falls(found):
            field = cause(self.rules, lambda rules: _falls(bankable(rules, found.shape[1])))
            raise SolveError(
                field,
                f"{field}: winning chances are not solved where a turn total may be banked and a higher one may not; "
                "farkel turn says what brings the most points",
            )
        needs = (~found).sum(axis=1)
        return found[:, : int(needs.max()) + 1], needs

    def _banked(self, mode: Mode, score: int) -> int:
        """The mode after a bank on top of that score, whether that counts or not."""
        seats, now, mine = self._rows(self.stages[0], mode)
        mine[law.SCORE] = score
        law.bank_total(self.units, seats, now, 1, 0)
        return self._mode(mine)

    def _hits(self) -> int:
        """`Board.hits`."""
        mine = self._seat(self.modes[0])
        mine[law.SCORE] = 0
        return self.scores if law.hits_target(self.units, mine, self.units.target) else -1

    def _beyond(self, stage: Stage) -> Beyond:
        if self.relative:
            return Beyond.CHASED
        seats, now, mine = self._rows(stage)
        other = seats[1 - now[law.SEAT]]
        mine[law.SCORE] = other[law.SCORE] = 0
        law.bank_total(self.units, seats, now, self.units.target + 1, 0)
        if mine[law.SCORE] == 0:  # nothing counts, even if the rounds are over with it
            return Beyond.GIVEN if other[law.SCORE] > 0 else Beyond.NOTHING
        return Beyond.WINS if now[law.PHASE] == law.OVER else Beyond.CHASED

    def _shares(self) -> bool:
        """`Board.shares`."""
        if self.relative:
            return False
        seats, now, mine = self._rows(Stage(0, True))
        seats[0][law.SCORE] = self.units.target
        mine[law.SCORE], now[law.CLOSER] = 0, 0
        law.bank_total(self.units, seats, now, self.units.target, 0)
        return now[law.WINNERS] == 0b11

    def _farkled(self, mode: Mode, hand: int) -> tuple[int, int]:
        """The mode after a farkle with so many dice, and the points that it costs."""
        seats, now, mine = self._rows(self.stages[0], mode)
        now[law.HAND] = hand
        law.farkle(self.units, seats, now)
        return self._mode(mine), PLENTY - mine[law.SCORE]

    def _next(self, stage: Stage) -> Stage | None:
        """The stage of the other seat's turn after this one, if there is one."""
        seats, now, _ = self._rows(stage)
        law.pass_on(self.units, seats, now, 0, 0)
        if now[law.PHASE] == law.OVER:
            return None
        told = len(self.stages) > 1
        return Stage(now[law.ROUNDS], bool(now[law.SEAT]) and told)

    # Take-overs -------------------------------------------------------------------------------------

    def _offered(self, mode: Mode, dice: int) -> tuple[list[int], list[int]]:
        """Rows of the seat to move and of the game, with so many dice on offer."""
        _, now, mine = self._rows(self.stages[0], mode)
        now[law.PHASE], now[law.OFFER_POINTS], now[law.OFFER_HAND] = law.OFFER, 1, dice
        return mine, now

    def _paid(self, mode: Mode, dice: int) -> int:
        mine, now = self._offered(mode, dice)
        if law.why_not_take(self.units, mine, now, dice) != law.MAY:
            return -1
        law.take_over(self.units, mine, now, dice)
        return self._mode(mine)

    def _stake(self) -> int:
        mine, now = self._offered(self.modes[-1], 1)
        law.take_over(self.units, mine, now, 1)
        return PLENTY - mine[law.SCORE]

    def _affords(self, score: int) -> bool:
        mine, now = self._offered(self.modes[-1], 1)
        mine[law.SCORE], mine[law.LIVES] = score - self.zero, PLENTY
        return law.why_not_take(self.units, mine, now, 1) == law.MAY

    def _take(self) -> Numbers:
        """`Board.take`."""
        found = np.full((self.program.arrays.offers,) * 2, -1)
        for (taken, offer), rolling in taken_over(self.rules).items():
            if offer < len(found):
                found[taken, offer] = self.program.rollings.index(rolling)
        return found

    # The last one standing --------------------------------------------------------------------------

    def _standing_wins(self) -> bool:
        """Whether the game is over when one of two is out, as that never happens or the other one wins."""
        if not self.units.lives:
            return True
        seats, now, mine = self._rows(max(self.stages, key=lambda stage: (stage.rounds, not stage.second)))
        mine[law.GONE], seats[1 - now[law.SEAT]][law.SCORE] = law.OUT, 0
        law.pass_on(self.units, seats, now, 0, 0)
        return now[law.PHASE] == law.OVER

    def _standing(self, score: int) -> int:
        """Rounds of a seat alone (O20)."""
        _, now, mine = self._rows(self.stages[0])
        mine[law.SCORE] = score - self.zero
        return law.rounds_standing(self.units, mine, now)


def _falls(banks: NDArray[np.bool_]) -> bool:
    """Whether some turn total may be banked and a higher one may not."""
    return bool((banks[:, :-1] & ~banks[:, 1:]).any())
