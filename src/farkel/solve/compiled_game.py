"""Two sides compiled for the solver: the state of a seat besides its score, and when turns and games end.

A *mode* is everything about a seat but its score: lives, farkles in a row, which of its people have made the entry
score and whose turn it is. A *stage* is what both share: rounds left and whose the round is. Scores are indices: steps
of ``rules.unit`` from the lowest score that is distinguished.

The ends of a turn, and what they lead to, are found by asking the law about rows of two seats.

Without a target (fixed rounds) only the lead matters. Then a score is the lead over the other seat, counted from the
largest deficit that is distinguished, and the other seat's score is always 0: the board is *relative*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from itertools import pairwise, product
from math import prod
from typing import Any, NamedTuple

from farkel.errors import SolveError
from farkel.game import Seat, State, law, new_game
from farkel.game.law.terms import Price
from farkel.kernels.arrays import Array, Numbers, Truths, Values, array, full, shaped, zeros
from farkel.rules import AnyRules, Rules, as_rules
from farkel.solve.compiled_turn import (
    FIRST_ROLL,
    LEAST_LEAD,
    PLENTY,
    Program,
    bankable,
    farkle_costs,
    longest_lead,
    program,
    taken_over,
    takes_all,
    two_seats,
    units,
)
from farkel.solve.fields import blame, check

FALL = 7
"""Penalties that a score is followed down from nothing; below that it stays (see `_Table.lowest`)."""
TALL = 1 << 14
"""More units than a turn ever brings."""


class Beyond(IntEnum):
    """The result of a bank that takes a seat to the target or beyond."""

    WINS = 0
    CHASED = 1
    """The other seat has one more turn."""
    NOTHING = 2
    """Exactly the target wins. Beyond it nothing counts."""
    GIVEN = 3
    """As `NOTHING`, and the points beyond are given to the other seat if they fit."""


class Mode(NamedTuple):
    """A seat apart from its score."""

    lives: int
    farkles: int
    person: int
    entered: int
    """As `farkel.game.Seat.entered`: bits of the people, -1 for all."""


class Stage(NamedTuple):
    """The stage of a turn: rounds left (0: no limit), and whether the seat to move is second in the round."""

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
    capped: bool
    """It shares the win however far beyond the target the two are."""
    over: Values
    """A seat's share in the win when turns are over: with the lower score, with equal ones, and with the higher one."""
    pairs: bool
    """Values are pairs: the game may end without a winner."""
    far: bool
    """No turn total is so high that banking is sure to be best: offers, or dice that never farkle or must be rolled."""
    stops_at_zero: bool
    """A penalty brings no score below nothing."""
    price: int
    """A `farkel.game.law.terms.Price`."""
    stake: int
    affords: Truths
    """[entering, score]: a seat with enough lives may take over."""
    carries: int
    """1 if the points on offer count for the taker, else 0 (T4)."""
    bonus: int
    """The bonus for a take-over whose first roll scores (T5)."""
    longest: int
    """The largest turn total that may be left by a farkle (D15) and is distinguished."""
    need: Numbers
    """[entering]: the turn total from which on all may be banked, and below which none."""
    closed: Truths
    """[score, score with the turn total]: no bank leads from one to the other (Z1, Z2). Empty if none is closed."""
    entering: Numbers
    """[mode]: 1 if the seat is not on the board yet."""
    told_by_score: bool
    """A seat with a score of nothing is not on the board yet, whatever its mode."""
    after_bank: Numbers
    """Mode after a bank."""
    after_over: Numbers
    """Mode after a bank that went over an exact target and added nothing."""
    after_farkle: Numbers
    """[mode, hand]: mode after a farkle with this many dice; -1: out of the game."""
    penalty: Numbers
    """[mode, hand]: points that the farkle costs."""
    paid: Numbers
    """[mode, dice]: mode after this many dice are taken over; -1: it may not take them."""
    next_stage: Numbers
    ends: Truths
    """The game is over after the turn, by its rounds."""
    rounds: Numbers
    farkle_fine: Numbers
    """By kind of farkle, as the program numbers them."""
    farkle_hand: Numbers
    farkle_dice: Numbers
    """Dice that the farkle leaves to the next seat (D15)."""
    take: Numbers
    """[entering, dice taken, dice on offer]: the rolling; -1 if there is none."""
    standing: Numbers
    """Rounds that a seat alone has, by its score (O20)."""
    alone: Values
    """[rounds left, rounds standing, mode, score]: chance of a seat alone to reach the target."""
    chase: Values
    """[0, score, need, x, rolling]: chance of reaching x more points in this turn; [1, ...]: where one less is half a
    win. The score, counted from zero, and the turn total that is still needed to bank are distinguished only if they
    matter (the last one of each stands for all above it), and x then begins with less than none; elsewhere x is the
    larger of both. See `farkel.solve.turn_ends.surpasses`."""


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
        return (self.stage(self.rules.rounds, False), self.start, self.start, *self.met(0, 0))

    def mode(self, seat: Seat) -> int:
        """Return the index of the mode of a seat."""
        return mode_of(self.modes, self.people, seat)

    def staked(self, state: State) -> int:
        """Return points that the seat to move gets back if the first roll of its take-over scores (L7)."""
        return self.board.stake * self.rules.unit if state.taking else 0

    def stage(self, rounds: int, second: bool) -> int:
        """Return the index of the stage with N rounds left, for the seat that is first or second in the round."""
        return self.stages.index(Stage(rounds, second)) if len(self.stages) > 1 else 0

    @property
    def stage_of(self) -> Numbers:
        """[rounds left, whether the seat to move is second in the round]: index of the stage."""
        found = zeros((self.rules.rounds + 1, 2), "int64")
        for index, stage in enumerate(self.stages):
            found[stage.rounds, int(stage.second)] = index
        return found

    @property
    def lowers(self) -> bool:
        """Whether scores may fall."""
        board = self.board
        return bool(board.penalty.any() or board.farkle_fine.any() or self.program.arrays.fines.size > 1 or board.stake)

    @property
    def tells_entered(self) -> bool:
        """Whether modes tell seats with and without the entry score apart."""
        return len({mode.entered for mode in self.modes}) > 1

    def score(self, points: int) -> int:
        """Return the index of a score."""
        return (points - self.lowest) // self.rules.unit

    def met(self, mine: int, others: int) -> tuple[int, int]:
        """Return the indices of two scores that meet, in points: (score, other's score) as the kernels take them."""
        if not self.board.relative:
            return self.score(mine), self.score(others)
        lead = self.board.zero + (mine - others) // self.rules.unit
        return min(max(0, lead), self.board.scores - 1), 0

    def between(self, mine: int, others: int) -> tuple[int, int]:
        """Return where the value of a position is kept, by two scores in steps of the unit from the lowest one."""
        if not self.board.relative:
            return mine, others
        return self.kept(min(max(0, self.board.zero + mine - others), self.board.scores - 1), 0)

    def kept(self, score: int, others: int) -> tuple[int, int]:
        """Return where the value of a position is kept in `farkel.solve.turn_ends.Solved`."""
        return (0, self.board.scores - 1 - score) if self.board.relative else (score, others)

    def points(self, score: int) -> int:
        """Return points of a score index."""
        return self.lowest + score * self.rules.unit


def compile_board(rules: Rules, people: int = 1) -> Compiled:
    """Return the board of two sides with N people each, but for ``alone`` and ``chase``: see `farkel.solve.last_turns`.

    Raises `SolveError` for rules that it is not made for.
    """
    return _Compiler(_Table(rules, people)).compile()


def positions(rules: AnyRules, people: int = 1, enough: int | None = None) -> int:
    """Return how many positions at the start of a turn there are to solve, without compiling the rules.

    If they are more than ``enough``, it may be fewer than there are. Raises `SolveError` as `compile_board`.
    """
    rules = as_rules(rules)
    table = _Table(rules, people)
    each = len(table.stages()) * prod(map(len, table.seats())) ** 2
    if not table.relative:
        return int(each * table.scores() ** 2)
    least = each * (2 * LEAST_LEAD + 1)
    return least if enough is not None and least > enough else each * (2 * table.lead() + 1)


def deciding(rules: Rules, people: int) -> int:
    """Return how many people of a team matter: 1 unless a bank leaves the partner to get on the board (L5)."""
    table = units(rules)
    seats, now = two_seats(rules)
    seats[0][law.SCORE], seats[0][law.PEOPLE] = -PLENTY, 2
    law.bank_total(table, seats, now, 1, 0)
    return 1 if law.on_board(seats[0]) else people


def _refuse(rules: Rules) -> None:
    check(rules)
    fines, staked = rules.penalties, rules.take_over.costs_points
    fined = bool(rules.rolled.fines)
    if rules.target == 0 and (staked or not fines.below_zero):
        raise SolveError(
            "no_target",
            "a game of rounds without a target is solved by the lead alone, which a stake or penalties that stop at "
            "zero forbid: give it a target (--set target=10000), or do without these",
        )
    if not rules.take_over.toward_entry and rules.exact:
        raise SolveError(
            "toward_entry",
            "points taken over that do not count toward the entry score are not solved together with a target that "
            "must be hit exactly: set take_over.toward_entry=true or finish=last_turns",
        )
    if fines.farkle_first_roll and rules.take_over.allowed:
        raise SolveError(
            "penalties.farkle_first_roll",
            "a penalty for a farkle on the first roll is not solved together with take-overs, whose first rolls cost "
            "it too: set penalties.farkle_first_roll=0 or take_over.price=none",
        )
    if rules.finish == "fewest_rounds" and rules.take_over.allowed:
        raise SolveError(
            "finish",
            'finish = "fewest_rounds" is not solved together with take-overs: set take_over.price=none or '
            "finish=equal_turns",
        )
    if rules.zones and (rules.target == 0 or rules.finish not in ("at_once", "exact", "welfare")):
        raise SolveError(
            "zones",
            "scores at which no bank may end are not solved together with turns after the target is reached, or "
            "without a target: set finish=at_once or finish=exact, or leave zones out",
        )
    if fined and staked and not fines.below_zero:
        raise SolveError(
            "fined_stake",
            "fines for rolls that stop at zero are not solved together with a stake: set penalties.below_zero=true",
        )
    if rules.take_over.after_farkle and rules.lives.each and rules.lives.last_standing == "rounds":
        raise SolveError(
            "after_farkle",
            "farkled turn totals that may be taken up are not solved together with rounds of the last one standing: "
            "set lives.last_standing=wins or take_over.after_farkle=false",
        )


class _Table:
    """A table of two at which the law is asked what there is to distinguish."""

    def __init__(self, rules: Rules, people: int) -> None:
        _refuse(rules)
        self.rules, self.units = rules, units(rules)
        self.relative = self.units.target == 0
        self.people = deciding(rules, people)
        self.opening = Stage(self.units.rounds, second=False)
        """The first turn of a game. It is not the last one, so it shows what a turn leads to."""

    def rows(self, stage: Stage) -> tuple[list[list[int]], list[int], list[int]]:
        """Return rows of a game of two in a turn of that stage, and among them that of the seat to move."""
        seats, now = two_seats(self.rules)
        now[law.SEAT], now[law.ROUNDS] = int(stage.second), stage.rounds
        return seats, now, seats[now[law.SEAT]]

    def after(self, stage: Stage) -> Stage | None:
        """Return the other seat's turn after one of that stage, if there is one."""
        seats, now, _ = self.rows(stage)
        law.pass_on(self.units, seats, now, 0, 0)
        return None if now[law.PHASE] == law.OVER else Stage(now[law.ROUNDS], bool(now[law.SEAT]))

    def stages(self) -> list[Stage]:
        """Return every stage that is distinguished: the last turn first if turns are counted."""
        found = [self.opening]
        after = self.after(self.opening)
        while after is not None and after not in found:
            found.append(after)
            after = self.after(after)
        if after is None:
            return found[::-1]
        return found if len(set(map(self.beyond, found))) > 1 else [self.opening]

    def beyond(self, stage: Stage) -> Beyond:
        """Return the result of a bank beyond the target."""
        if self.relative:
            return Beyond.CHASED
        seats, now, mine = self.rows(stage)
        other = seats[1 - now[law.SEAT]]
        mine[law.SCORE] = other[law.SCORE] = 0
        law.bank_total(self.units, seats, now, self.units.target + 1, 0)
        if mine[law.SCORE] == 0:  # nothing counts, even if the rounds are over with it
            return Beyond.GIVEN if other[law.SCORE] > 0 else Beyond.NOTHING
        return Beyond.WINS if now[law.PHASE] == law.OVER else Beyond.CHASED

    def stake(self) -> int:
        """Return points that a take-over costs until it scores (L7)."""
        _, now, mine = self.rows(self.opening)
        now[law.PHASE], now[law.OFFER_POINTS], now[law.OFFER_HAND] = law.OFFER, 1, 1
        law.take_over(self.units, mine, now, 1)
        return PLENTY - mine[law.SCORE]

    def dearest(self) -> int:
        """Return the most units that a farkle, or a triple with a fine, costs at once."""
        farkles = (
            points for hand in range(FIRST_ROLL, self.rules.dice + 1) for _, points in farkle_costs(self.rules, hand)
        )
        finite = (points for points in farkles if points < PLENTY)
        return max(0, *finite, max(self.rules.rolled.fines, default=0) // self.rules.unit)

    def enters(self) -> bool:
        """Return whether a seat has to get on the board."""
        return not law.on_board(two_seats(self.rules)[0][0])

    def told_by_score(self) -> bool:
        """Return whether a score above nothing tells that the entry was made, as nothing takes points away
        or gives them.
        """
        moves = self.dearest() or takes_all(self.rules) or self.stake() or self.relative
        return self.enters() and self.people == 1 and not moves and self.beyond(self.opening) < Beyond.NOTHING

    def seats(self) -> tuple[Sequence[int], ...]:
        """Return the ranges of the fields of a `Mode`: a space of indices, within which the law leads from
        one to another.
        """
        entered: Sequence[int] = (-1,)
        if self.enters() and not self.told_by_score():
            entered = (*range((1 << self.people) - 1), -1)
        lives = range(1, self.units.lives + 1) if self.units.lives else range(1)
        return lives, range(max(1, self.units.in_row)), range(self.people), entered

    def lowest(self) -> int:
        """Return points of score index 0."""
        falls = law.fined(self.units, 0, 1) < 0 and not self.relative
        return -FALL * self.dearest() * self.rules.unit if falls else 0

    def scores(self) -> int:
        """Return scores below the target that are distinguished."""
        return -(-(self.rules.target - self.lowest()) // self.rules.unit)

    def lead(self) -> int:
        """Return the largest lead that is distinguished if there is no target: offers bring points of two
        turns at once.
        """
        offers = law.offered(self.units, 1, 0) > 0
        earned = self.units.rounds * self.units.take_bonus if offers else 0
        return longest_lead(self.rules, self.units.rounds * (2 if offers else 1)) + earned


class _Compiler:
    """Asks the law about each mode, stage and score of a table."""

    def __init__(self, table: _Table) -> None:
        self.table, self.rules, self.units = table, table.rules, table.units
        self.lowest = table.lowest()
        if takes_all(self.rules) and (table.relative or self.lowest):
            raise SolveError(
                "penalties",
                "losing the whole score is not solved without a target, or if other penalties may bring a score below "
                "zero: set a target and penalties.below_zero=false",
            )
        self.program = program(self.rules, -(-(self.rules.target - self.lowest) // self.rules.unit) + 1024)
        self.zero = table.lead() if table.relative else -self.lowest // self.rules.unit
        self.scores = 2 * self.zero + 1 if table.relative else table.scores()
        self.modes = tuple(Mode(*seat) for seat in product(*table.seats()))
        self.stages = tuple(table.stages())

    def compile(self) -> Compiled:
        p, table = self.program.arrays, self.table
        beyond = [table.beyond(stage) for stage in self.stages]
        pairs, hands = not self._rest_wins(), range(self.rules.dice + 1)
        farkle_fine, farkle_hand, farkle_dice = zip(*(kind[:3] for kind in self.program.farkles), strict=True)
        board = Board(
            scores=self.scores,
            zero=self.zero,
            relative=table.relative,
            beyond=array(beyond, "int64"),
            open=Beyond.CHASED in beyond,
            hits=self._hits(),
            shares=self._shares(0),
            capped=self._shares(1),
            over=_asked(self._over, (-1, 0, 1), kind="float64"),
            pairs=pairs,
            far=self.units.price != Price.NONE or self.program.forces or min(self.program.chances) == 0.0,
            stops_at_zero=law.fined(self.units, 0, 1) == 0,
            price=int(self.units.price),
            stake=table.stake(),
            affords=_asked(self._affords, (-1, 0), range(self.scores), kind="bool"),
            carries=self._carries(),
            bonus=self._bonus(),
            longest=0,
            need=self._needs(),
            closed=self._closed(),
            entering=_asked(lambda mode: int(not law.on_board(self._rows(mode)[2])), self.modes),
            told_by_score=table.told_by_score(),
            after_bank=_asked(lambda mode: self._banked(mode, -PLENTY), self.modes),
            after_over=_asked(lambda mode: self._banked(mode, self.units.target), self.modes),
            after_farkle=_asked(lambda *about: self._mode(self._farkled(*about)), self.modes, hands),
            penalty=_asked(lambda *about: PLENTY - self._farkled(*about)[law.SCORE], self.modes, hands),
            paid=_asked(self._paid, self.modes, range(p.offers)),
            next_stage=_asked(self._next, self.stages),
            ends=_asked(lambda stage: table.after(stage) is None, self.stages, kind="bool"),
            rounds=array((stage.rounds for stage in self.stages), "int64"),
            farkle_fine=array(farkle_fine, "int64"),
            farkle_hand=array(farkle_hand, "int64"),
            farkle_dice=array(farkle_dice, "int64"),
            take=self._take(),
            standing=_asked(self._standing if pairs else lambda _: 0, range(self.scores)),
            alone=zeros((1, 1, 1, 1)),
            chase=zeros((1, 1, 1, 1, 1)),
        )
        return Compiled(self.rules, table.people, board, self.program, self.modes, self.stages, self.lowest)

    def _rows(self, mode: Mode) -> tuple[list[list[int]], list[int], list[int]]:
        """Return the rows of the first turn, with a seat to move of that mode and as many points as it may need."""
        seats, now, mine = self.table.rows(self.table.opening)
        mine[law.LIVES], mine[law.FARKLES], mine[law.PERSON], mine[law.ENTERED] = mode
        mine[law.PEOPLE] = self.table.people
        return seats, now, mine

    def _mode(self, mine: law.Read) -> int:
        """Return the mode of a row; -1 if the seat is out of the game."""
        return mode_of(self.modes, self.table.people, mine) if mine[law.GONE] == law.IN else -1

    # A turn ends ------------------------------------------------------------------------------------

    def _needs(self) -> Numbers:
        """Return `Board.need`. Raises `SolveError` if higher totals may be refused if lower ones are not."""
        p = self.program.arrays
        found = bankable(self.rules, 3 * self.scores + 2 * p.most + (TALL if p.leaves else 0))
        if _falls(found):
            field, words = blame(self.rules, lambda rules: _falls(bankable(rules, found.shape[1])))
            raise SolveError(
                field,
                f"{words}: winning chances are not solved where a turn total may be banked and a higher one may not; "
                "farkel turn says what brings the most points",
            )
        return array((row.tolist().count(False) for row in found), "int64")

    def _closed(self) -> Truths:
        """Return `Board.closed`."""
        if not self.units.zones:
            return zeros((0, 0), "bool")
        mine, found = self._rows(self.modes[0])[2], zeros((self.scores, self.scores), "bool")
        for score in range(self.scores):
            mine[law.SCORE] = score - self.zero
            for there in range(score, self.scores):
                found[score, there] = law.why_not_there(self.units, mine, there - score) != law.MAY
        return found

    def _banked(self, mode: Mode, score: int) -> int:
        """Return the mode after a bank on top of that score, whether that counts or not."""
        seats, now, mine = self._rows(mode)
        mine[law.SCORE] = score
        law.bank_total(self.units, seats, now, 1, 0)
        return self._mode(mine)

    def _hits(self) -> int:
        """Return `Board.hits`."""
        mine = self._rows(self.modes[0])[2]
        mine[law.SCORE] = 0
        return self.scores if law.hits_target(self.units, mine, self.units.target) else -1

    def _shares(self, more: int) -> bool:
        """Return whether who gets so much beyond the target shares the win with a seat that is there."""
        if self.table.relative:
            return False
        seats, now, mine = self.table.rows(Stage(0, second=True))
        seats[0][law.SCORE] = self.units.target
        mine[law.SCORE], now[law.CLOSER] = 0, 0
        law.bank_total(self.units, seats, now, self.units.target + more, 0)
        return now[law.WINNERS] == 0b11

    def _over(self, lead: int) -> float:
        """Return the share of a seat with that lead in the win when turns are over."""
        seats, now, mine = self.table.rows(self.table.opening)
        mine[law.SCORE] += lead
        winners = law.winners(self.units, seats, now)
        return (winners & 1) / winners.bit_count()

    def _farkled(self, mode: Mode, hand: int) -> list[int]:
        """Return the row of a seat after a farkle with this many dice, or on the first roll of a turn."""
        seats, now, mine = self._rows(mode)
        now[law.HAND] = hand or self.rules.dice
        law.farkle(self.units, seats, now, first=hand == FIRST_ROLL)
        return mine

    def _next(self, stage: Stage) -> int:
        after = self.table.after(stage)
        return self.stages.index(after) if after in self.stages else 0

    # Take-overs -------------------------------------------------------------------------------------

    def _paid(self, mode: Mode, dice: int) -> int:
        """Return the mode after this many dice are taken over; -1 if they may not be."""
        _, now, mine = self._rows(mode)
        now[law.PHASE], now[law.OFFER_POINTS], now[law.OFFER_HAND] = law.OFFER, 1, dice
        if law.why_not_take(self.units, mine, now, dice) != law.MAY:
            return -1
        law.take_over(self.units, mine, now, dice)
        return self._mode(mine)

    def _affords(self, entered: int, score: int) -> bool:
        _, now, mine = self.table.rows(self.table.opening)
        now[law.PHASE], now[law.OFFER_POINTS], now[law.OFFER_HAND] = law.OFFER, 1, 1
        mine[law.SCORE], mine[law.ENTERED] = score - self.zero, entered
        return law.why_not_take(self.units, mine, now, 1) == law.MAY

    def _carries(self) -> int:
        _, now, mine = self.table.rows(self.table.opening)
        now[law.PHASE], now[law.OFFER_POINTS], now[law.OFFER_HAND] = law.OFFER, 1, 1
        law.take_over(self.units, mine, now, 1)
        return now[law.POINTS]

    def _bonus(self) -> int:
        _, now, mine = self.table.rows(self.table.opening)
        law.take_scored(self.units, mine, now)
        return now[law.POINTS]

    def _take(self) -> Numbers:
        """Return `Board.take`."""
        offers = self.program.arrays.offers
        found = full((2, offers, offers), -1, "int64")
        for (entering, taken, offer), rolling in taken_over(self.rules).items():
            if offer < offers:
                found[int(entering), taken, offer] = self.program.place[rolling]
        return found

    # The last one standing --------------------------------------------------------------------------

    def _rest_wins(self) -> bool:
        """Return whether the other seat wins at once if one of two is out of lives, or there are none."""
        seats, now, mine = self.table.rows(self.table.opening)
        mine[law.GONE], seats[1][law.SCORE] = law.OUT, 0
        law.pass_on(self.units, seats, now, 0, 0)
        return self.units.lives == 0 or now[law.WINNERS] == 0b10

    def _standing(self, score: int) -> int:
        """Return the rounds of a seat alone (O20)."""
        _, now, mine = self.table.rows(self.table.opening)
        mine[law.SCORE] = score - self.zero
        return law.rounds_standing(self.units, mine, now)


def mode_of(modes: Sequence[Mode], people: int, mine: law.Read) -> int:
    """Return the index of the mode of a seat's row. Raises `SolveError` ``no_such_position``."""
    entered = mine[law.ENTERED] & (1 << people) - 1
    for known in (entered, -1):
        mode = Mode(mine[law.LIVES], mine[law.FARKLES], mine[law.PERSON] % people, known)
        if mode in modes:
            return modes.index(mode)
    raise SolveError("no_such_position", f"no seat of this game is {mine}: check its lives, farkles and people")


def _asked(ask: Callable[..., float], *about: Sequence[Any], kind: str = "int64") -> Array[Any]:
    """Return the answers to a question about each of these, and each pair of these and those."""
    return shaped([ask(*each) for each in product(*about)], tuple(map(len, about)), kind)


def _falls(banks: Truths) -> bool:
    """Return whether some turn total may be banked and a higher one may not."""
    return any(may and not more for row in banks for may, more in pairwise(row))
