"""Two sides compiled for the solver: what a seat is besides its score, and when turns and games end.

A *mode* is everything about a seat but its score: lives, farkles in a row, which of its people have made the entry
score and whose turn it is. A *stage* is what is common: rounds left and whose the round is. Scores are indices: steps
of ``rules.unit`` from the lowest score that is told apart.

Without a target (fixed rounds) only the lead matters. Then a score is the lead over the other seat, counted from the
largest deficit that is told apart, and the other seat's score is always 0: the board is *relative*.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from farkel.errors import SolveError
from farkel.game import Seat, new_game
from farkel.rules import Rules
from farkel.solve.program import LEAST_LEAD, Numbers, Program, Values, longest_lead, program

AT_ONCE, LAST_TURNS, EQUAL_TURNS, EXACT, WELFARE = range(5)
OPEN = (LAST_TURNS, EQUAL_TURNS)
"""Ends where a bank beyond the target may still be surpassed."""
FINISHES = ("at_once", "last_turns", "equal_turns", "exact", "welfare")
FREE, STAKE, LIVES = 1, 2, 3
PRICES = ("none", "free", "stake", "lives")

FALL = 7
"""Penalties that a score is followed down from nothing; below that it stays (see `lowest`)."""


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
    finish: int
    pairs: bool
    """Values are pairs: the game may end without a winner."""
    far: bool
    """No turn total is so high that banking is sure to be best: offers, or dice that never farkle or must be rolled."""
    stops_at_zero: bool
    """A penalty brings no score below nothing."""
    price: int
    stake: int
    longest: int
    """The largest turn total that may be left by a farkle (D15) and is told apart."""
    start_needs: int
    """What a seat with a score of nothing needs to bank, where that tells that it has not made the entry score."""
    need: Numbers
    """Turn total that a seat needs to bank, by mode."""
    after_bank: Numbers
    """Mode after a bank."""
    after_over: Numbers
    """Mode after a bank that went over an exact target and added nothing."""
    after_farkle: Numbers
    """[mode, all dice]: mode after a farkle; -1: out of the game."""
    penalty: Numbers
    """[mode, all dice]: points that the farkle costs."""
    paid: Numbers
    """[mode, dice]: mode after so many lives are paid; -1: it may not pay them."""
    next_stage: Numbers
    ends: NDArray[np.bool_]
    """The game is over after the turn, by its rounds."""
    second: NDArray[np.bool_]
    rounds: Numbers
    farkle_fine: Numbers
    """By kind of farkle, as the program numbers them."""
    farkle_all: Numbers
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
        told = bool(self.rules.rounds) or self.rules.finish == "equal_turns"
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
    return max(fines.farkles_in_row_points + fines.farkle_all_dice, -min(0, *rules.scoring.triples))


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
    fines, staked = rules.penalties, rules.take_over.price == "stake"
    fined = min(rules.scoring.triples) < 0
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
        self.rules = rules
        self.unit = rules.unit
        self.relative = _relative(rules)
        self.lowest = _lowest(rules)
        self.program = program(rules, -(-(rules.target - self.lowest) // self.unit) + 1024)
        if self.relative:
            self.zero = _lead(rules)
            self.scores = 2 * self.zero + 1
        else:
            self.scores = _scores(rules)
            self.zero = -self.lowest // self.unit
        self.people = _deciding(rules, people)
        self.told_by_score = _told_by_score(rules, self.people)
        self.modes = tuple(Mode(*seat) for seat in product(*_seats(rules, self.people)))

    def compile(self) -> Compiled:
        rules, take = self.rules, self.rules.take_over
        compiled = self.program
        farkles = compiled.farkles
        stages = _stages(rules)
        second = np.array([stage.second for stage in stages])
        numbered = {mode: index for index, mode in enumerate(self.modes)}
        width = compiled.arrays.offers
        standing_wins = rules.lives.last_standing == "wins" or rules.lives.each == 0
        board = Board(
            scores=self.scores,
            zero=self.zero,
            relative=self.relative,
            finish=LAST_TURNS if self.relative else FINISHES.index(rules.finish),
            pairs=not standing_wins,
            far=take.price != "none" or rules.hot_dice == "forced" or min(compiled.chances) == 0.0,
            stops_at_zero=not rules.penalties.below_zero,
            price=PRICES.index(take.price),
            stake=take.stake // self.unit,
            longest=0,
            start_needs=self._up(max(rules.entry, rules.minimum)) if self.told_by_score else 0,
            need=np.array([self._need(mode) for mode in self.modes]),
            after_bank=np.array([numbered[self._banked(mode)] for mode in self.modes]),
            after_over=np.array([numbered[self._passed(mode)] for mode in self.modes]),
            after_farkle=np.array(
                [
                    [
                        -1 if (after := self._farkled(mode, every)) is None else numbered[after]
                        for every in (False, True)
                    ]
                    for mode in self.modes
                ]
            ),
            penalty=np.array([[self._penalty(mode, every) for every in (False, True)] for mode in self.modes]),
            paid=np.array(
                [
                    [numbered.get(mode._replace(lives=mode.lives - dice), -1) if dice else -1 for dice in range(width)]
                    for mode in self.modes
                ]
            ),
            next_stage=np.array(
                [stages.index(self._next(stage)) if self._next(stage) in stages else 0 for stage in stages]
            ),
            ends=np.array([stage.rounds == 1 and stage.second for stage in stages]),
            second=second,
            rounds=np.array([stage.rounds for stage in stages]),
            farkle_fine=np.array([farkle.fine for farkle in farkles]),
            farkle_all=np.array([int(farkle.all_dice) for farkle in farkles]),
            farkle_dice=np.array([farkle.offer for farkle in farkles]),
            take=np.array([[self._take(compiled, taken, offer) for offer in range(width)] for taken in range(width)]),
            standing_wins=standing_wins,
            standing=np.array([self._standing(score) for score in range(self.scores)]),
            alone=np.zeros((1, 1, 1, 1)),
            chase=np.zeros((1, 1, 1, 1, 1)),
        )
        return Compiled(rules, self.people, board, compiled, self.modes, stages, self.lowest)

    def _up(self, points: int) -> int:
        return -(-points // self.unit)

    def _next(self, stage: Stage) -> Stage:
        """The stage of the other seat's turn after this one."""
        if stage.rounds:
            return Stage(stage.rounds - 1, False) if stage.second else Stage(stage.rounds, True)
        return Stage(0, not stage.second) if self.rules.finish == "equal_turns" else stage

    def _need(self, mode: Mode) -> int:
        rules = self.rules
        on_board = bool(mode.entered >> mode.person & 1)
        return self._up(rules.minimum if on_board or not rules.entry else max(rules.entry, rules.minimum))

    def _passed(self, mode: Mode) -> Mode:
        return mode._replace(farkles=0, person=(mode.person + 1) % self.people)

    def _banked(self, mode: Mode) -> Mode:
        bits = -1
        if self.rules.entry_each and not self.told_by_score and self.rules.entry:
            bits = mode.entered | 1 << mode.person
        return self._passed(mode)._replace(entered=bits)

    def _farkled(self, mode: Mode, all_dice: bool) -> Mode | None:
        lives, in_row = self.rules.lives, self.rules.penalties.farkles_in_row
        cost = (lives.farkle_all_dice if all_dice else 0) or lives.farkle
        if lives.each and mode.lives <= cost:
            return None
        return self._passed(mode)._replace(
            lives=mode.lives - cost if lives.each else 0, farkles=(mode.farkles + 1) % in_row if in_row else 0
        )

    def _penalty(self, mode: Mode, all_dice: bool) -> int:
        fines = self.rules.penalties
        points = fines.farkle_all_dice if all_dice else 0
        if fines.farkles_in_row and mode.farkles + 1 == fines.farkles_in_row:
            points += fines.farkles_in_row_points
        return points // self.unit

    def _take(self, compiled: Program, taken: int, offer: int) -> int:
        take = self.rules.take_over
        if not 1 <= taken <= offer or (taken != offer and not take.choose_dice):
            return -1
        return compiled.rolling(taken, offer - taken)

    def _standing(self, score: int) -> int:
        """Rounds of a seat alone (O20)."""
        short = self.rules.target - (self.lowest + score * self.unit)
        return -(-short // self.rules.lives.round_points) if self.rules.lives.round_points else 0
