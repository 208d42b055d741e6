"""Any policy against any other, exactly: how often it wins, what beats it most, and what its decisions give away.

A policy is a choice for each roll, turn total and pair of scores. With the choice fixed a turn has nothing left to
maximise: it is followed from its first roll, and what counts is how often it ends with each total. Two such policies
are then weighed position by position, in the order in which the solver solves them.

This is for games whose only circle is a farkle answered by a farkle; other rules are refused by the name of a field.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from farkel.errors import SolveError
from farkel.game.choices import Rolling
from farkel.rules import Rules
from farkel.rules.settings import SPECIAL, declared, unknown
from farkel.solve.compiled_game import Beyond, Compiled, compile_board
from farkel.solve.compiled_turn import Numbers, Program, Values, choices
from farkel.solve.farkle_circles import STEEPEST
from farkel.solve.last_turns import complete
from farkel.solve.policy_turns import Ends, Moves, push, push_best, weigh
from farkel.solve.solution import Duel
from farkel.solve.turn_ends import Position, Sides, Solved, enters, solve_turns, work
from farkel.solve.turn_sweep import LANES, NEVER
from farkel.support.progress import Progress, silent

FOLLOWED = declared({"": "dice target finish start entry entry_each minimum teams"}) | {
    name for name in SPECIAL if name.startswith("scoring.")
}
"""Fields that policies are followed under."""
FINISHES = ("at_once", "last_turns", "equal_turns")
SETTLED = 1e-12
ROUNDS = 60


class PolicyLanding(NamedTuple):
    """The dice and points after a keep."""

    then: Rolling
    left: int
    """Dice that are left to roll if it is banked; 0 after hot dice."""


class Style(NamedTuple):
    """How a turn is played, whatever the scores but for when it is over."""

    bank: Numbers
    """[turn total, class]: the option that is banked, counted from the first; -1 for none."""
    roll: Numbers
    """[turn total, class]: the option that is kept to roll on."""


class TurnPlan(NamedTuple):
    """A style, and its changes by the scores."""

    style: int
    floor: int = 0
    """No total below is banked."""
    sure: int = 1 << 40
    """From this total on everything is banked at once."""
    hole: int = 0
    """No total is banked from this one"""
    over: int = 0
    """up to this one."""

    @property
    def limits(self) -> tuple[int, int, int, int]:
        """``floor``, ``sure``, ``hole`` and ``over``, as `farkel.solve.policy_turns` takes them."""
        return self.floor, self.sure, self.hole, self.over


class Policy(Protocol):
    """Chooses a plan for each turn. Totals and scores are counted in steps of ``rules.unit``."""

    name: str

    def styles(self, table: PolicyRules) -> Sequence[Style]:
        """Return the styles that plans refer to."""

    def plan(self, table: PolicyRules, stage: int, score: int, other: int) -> TurnPlan:
        """Return how to play a turn with these scores."""

    def last(self, table: PolicyRules, score: int, lead: int) -> TurnPlan:
        """Return how to play a last turn against a seat that leads by so much and has reached the target."""


def check(rules: Rules) -> None:
    """Raise `SolveError` with the name of a field as its code, if policies are not evaluated under it."""
    if found := unknown(rules, FOLLOWED, read=frozenset(("scoring",))):
        raise SolveError(found.name, f"policies are not evaluated exactly under {rules}: it sets {found.name}")
    if rules.finish not in FINISHES or not rules.target:
        name = "finish" if rules.target else "target"
        raise SolveError(
            name,
            f"policies are not evaluated exactly with {name} = {getattr(rules, name)!r}: they need a target, and a "
            f"finish of {', '.join(FINISHES)}",
        )


class PolicyRules:
    """Rules laid out for following policies. Make one with `table`."""

    def __init__(self, rules: Rules) -> None:
        check(rules)
        self.rules = rules
        self.compiled: Compiled = complete(compile_board(rules))
        self.board, self.program = self.compiled.board, self.compiled.program
        board = self.board
        p = self.program.arrays
        plain = len(self.compiled.modes) == 1 and not (board.ends.any() or self.compiled.lowers or board.far)
        plain = plain and not (p.splits or p.ends.any())
        if not plain or board.price or board.pairs or board.zero or board.closed.size:
            raise SolveError("rules", f"policies are not evaluated exactly under {rules}")
        self.n = board.scores
        chases = Beyond.CHASED in board.beyond
        self.leads = board.chase.shape[3] if chases else 1
        """Leads that are distinguished in last turns; a larger one is never caught up."""
        self.rows = self.n + self.leads + self.program.arrays.most + int(board.need.max()) + 1
        """Turn totals that are distinguished."""
        self._needs = [int(board.need[enters(board, 0, score)]) for score in range(self.n)]
        self._entering = [bool(enters(board, 0, score)) for score in range(self.n)]
        self._wins: list[bool] = [each == Beyond.WINS for each in board.beyond.tolist()]
        self.landings: list[PolicyLanding] = []
        self.options: list[tuple[tuple[int, int], ...]] = []
        """Of each class: (points, landing) of its options, with the most points first."""
        self.moves = self._moves(self.program)
        self.room = np.zeros((self.rows, len(self.program.rollings)))
        self.row = np.zeros(self.rows)

    def _moves(self, program: Program) -> Moves:
        """Return the choices of all rolls, from the law."""
        firsts, weights, farkles = [0], [], []
        for rolling in program.rollings:
            met: Counter[tuple[tuple[int, int], ...]] = Counter()
            for chosen, ways in choices(self.rules, rolling):
                found = {(o.points, self._landing(o.then, o.left)): None for o in chosen.options}
                order = sorted(found, key=lambda each: (-each[0], -self.landings[each[1]].left))
                met[tuple(order)] += ways
            every = met.total()
            farkles.append(met.pop((), 0) / every)
            for options, ways in met.items():
                self.options.append(options)
                weights.append(ways / every)
            firsts.append(len(weights))
        points = [each[0] for options in self.options for each in options]
        landing = [each[1] for options in self.options for each in options]
        return Moves(
            np.array(firsts),
            np.array(weights),
            np.cumsum([0, *map(len, self.options)]),
            np.array(points),
            np.array(landing),
            np.array([program.rollings.index(each.then) for each in self.landings]),
            np.array(farkles),
        )

    def _landing(self, then: Rolling, left: int) -> int:
        landing = PolicyLanding(then, left)
        if landing not in self.landings:
            self.landings.append(landing)
        return self.landings.index(landing)

    def ends_game(self, stage: int) -> bool:
        """Return whether a bank that reaches the target wins at once."""
        return self._wins[stage]

    def need(self, score: int) -> int:
        """Return the least total that a seat with that score may bank."""
        return self._needs[score]

    def entering(self, score: int) -> bool:
        """Return whether a seat with that score has yet to get on the board."""
        return self._entering[score]

    def style(self, bank: Callable[[NDArray[np.int64], PolicyLanding], NDArray[np.bool_]]) -> Style:
        """Return the style that keeps the most points, and banks those totals after which it leaves that landing."""
        keeps = np.zeros((self.rows, len(self.options)), np.int64)
        return self._chosen(keeps, np.stack([bank(np.arange(self.rows), each) for each in self.landings], axis=1))

    def _chosen(self, keeps: Numbers, banks: NDArray[np.bool_]) -> Style:
        """Return the style of options taken, and of those banked: banks[turn total, landing]."""
        option = self.moves.first[:-1] + keeps
        after = np.minimum(np.arange(self.rows)[:, None] + self.moves.points[option], self.rows - 1)
        return Style(np.where(banks[after, self.moves.landing[option]], keeps, -1), keeps)

    def best_style(self, rolling: Values, bank: Values) -> Style:
        """Return the style that takes the highest value: ``rolling[turn total, rolling]``, or ``bank[turn total]``."""
        moves, totals = self.moves, np.arange(self.rows)
        keeps = np.zeros((self.rows, len(self.options)), np.int64)
        for number, options in enumerate(self.options):
            if len(options) > 1:
                afters = [np.minimum(totals + points, self.rows - 1) for points, _ in options]
                worth = [
                    np.maximum(bank[after], rolling[after, moves.then[landing]])
                    for after, (_, landing) in zip(afters, options, strict=True)
                ]
                keeps[:, number] = np.argmax(worth, axis=0)
        banks = np.stack([bank > rolling[:, then] for then in moves.then], axis=1)
        return self._chosen(keeps, banks)

    def followed(self, style: Style, plan: TurnPlan) -> tuple[Values, float]:
        """Return how often a turn ends with each total, and with a farkle."""
        farkle = push(self.moves, style.bank, style.roll, *plan.limits, self.room, self.row)
        return self.row, float(farkle)


@lru_cache(maxsize=8)
def table(rules: Rules) -> PolicyRules:
    """Return the rules laid out for following policies.

    Raises `SolveError` with the name of a field that is in the way.
    """
    return PolicyRules(rules)


@dataclass
class _Cases:
    """Ends of turns, collected."""

    at: list[int] = field(default_factory=list)
    size: list[int] = field(default_factory=list)
    farkle: list[float] = field(default_factory=list)
    banks: list[Values] = field(default_factory=list)
    room: int = 0

    def add(self, row: Values, farkle: float) -> int:
        size = int(np.flatnonzero(row)[-1]) + 1 if row.any() else 0
        self.at.append(self.room)
        self.size.append(size)
        self.farkle.append(farkle)
        self.banks.append(row[:size].copy())
        self.room += size
        return len(self.at) - 1

    def ends(self, case: Numbers, chase: Values) -> Ends:
        banks = np.concatenate(self.banks) if self.banks else np.zeros(1)
        return Ends(case, np.array(self.at), np.array(self.size), banks, np.array(self.farkle), chase)


class FollowedPolicy:
    """A policy under some rules: how its turns end, and what its plans are."""

    def __init__(self, table: PolicyRules, policy: Policy, chase: Values | None = None) -> None:
        """chase: `Ends.chase` of a policy that plays last turns in the same way, to save the time it takes."""
        self.table, self.policy = table, policy
        self.styles = list(policy.styles(table))
        n, cases, met = table.n, _Cases(), dict[TurnPlan, int]()
        self.plans: list[TurnPlan] = []
        stages = len(table.compiled.stages)
        number = []
        for place in product(range(stages), range(n), range(n)):
            plan = policy.plan(table, *place)
            found = met.get(plan)
            if found is None:
                found = met[plan] = cases.add(*table.followed(self.styles[plan.style], plan))
                self.plans.append(plan)
            number.append(found)
        self.ends = cases.ends(np.array(number).reshape(stages, n, n), self._chase() if chase is None else chase)

    def _chase(self) -> Values:
        """Return `Ends.chase`."""
        table, known = self.table, dict[TurnPlan, Values]()
        found = np.zeros((table.n, table.leads))
        if table.leads == 1:
            return found
        for score in range(table.n):
            for lead in range(1, table.leads):
                plan = self.policy.last(table, score, lead)
                if plan not in known:
                    known[plan] = _reaching(table.followed(self.styles[plan.style], plan)[0])
                found[score, lead] = _wins(known[plan], lead, self.tied(score, lead))
        return found

    def tied(self, score: int, lead: int) -> float:
        """Return what coming up to the lead in a last turn is worth."""
        return 0.5 if self.table.board.shares and lead >= self.table.need(score) else 0.0


def _reaching(row: Values) -> Values:
    """Return the chance to bank at least each total."""
    return np.append(np.cumsum(row[::-1])[::-1], 0.0)


def _wins(reaching: Values, lead: int, tied: float) -> float:
    last = reaching.size - 1
    more, equal = float(reaching[min(lead + 1, last)]), float(reaching[min(lead, last)])
    return more + tied * (equal - more)


class Perfect:
    """Best play of both sides, as a policy whose turns are followed."""

    name = "exact"

    def __init__(self, table: PolicyRules, duel: Duel, progress: Progress = silent) -> None:
        self.table, self.duel = table, duel
        n, cases = table.n, _Cases()
        stages = len(table.compiled.stages)
        case = np.zeros((stages, n, n), np.int64)
        for stage in range(stages):
            for other in range(n):
                progress(stage * n + other, stages * n)
                for block in range(0, n, LANES):
                    scores = [min(block + lane, n - 1) for lane in range(LANES)]
                    begun = duel.begun(stage, 0, 0, scores, other, 0)
                    for lane in range(min(LANES, n - block)):
                        bank = np.ascontiguousarray(begun.bank[lane, :, 0])
                        rolling = np.ascontiguousarray(begun.rolling[lane])
                        farkle = push_best(table.moves, rolling, bank, table.room, table.row)
                        case[stage, block + lane, other] = cases.add(table.row, float(farkle))
        self.ends = cases.ends(case, _best_chase(table))


def _best_chase(table: PolicyRules) -> Values:
    """Return `Ends.chase` of a seat that plays the last turn as well as possible."""
    board, found = table.board, np.zeros((table.n, table.leads))
    for score in range(table.n if table.leads > 1 else 0):
        need = table.need(score)
        for lead in range(1, table.leads - 1):
            tie = 1 if board.shares and lead >= need else 0
            short = max(need, lead + 1)
            found[score, lead] = board.chase[tie, 0, 0, short, 0] if short < table.leads else 0.0
    return found


class PolicyMatch(NamedTuple):
    """The results of two policies."""

    first: float
    """The chance of the first one to win if it begins."""
    second: float
    """The same if the other one begins."""
    own: Values
    """[stage, score, other's score]: of the first one about to move."""
    their: Values
    """The same of the other one."""

    @property
    def wins(self) -> float:
        """The chance of the first one, with both seats counted equally."""
        return (self.first + self.second) / 2


def match(table: PolicyRules, mine: Ends, theirs: Ends) -> PolicyMatch:
    """Weigh a policy against another."""
    stages = len(table.compiled.stages)
    own, their = np.zeros((stages, table.n, table.n)), np.zeros((stages, table.n, table.n))
    weigh(table.board.next_stage, table.board.beyond, mine, theirs, own, their)
    stage, _, _, score, other = table.compiled.first
    return PolicyMatch(float(own[stage, score, other]), 1.0 - float(their[stage, score, other]), own, their)


class Reply(NamedTuple):
    """The best reply to a policy."""

    first: float
    """Its chance to win if it begins."""
    second: float
    """The same if the policy begins."""
    own: Values
    """[stage, score, other's score]: its chance, about to move."""
    theirs: Values
    """The policy's chance, about to move."""

    @property
    def wins(self) -> float:
        """The chance of the reply, with both seats counted equally."""
        return (self.first + self.second) / 2


def best_reply(table: PolicyRules, policy: Ends, progress: Progress = silent) -> Reply:
    """Return what wins most against the policy: the sweep of the solver, with the other side's choices fixed."""
    board, n, stages = table.board, table.n, len(table.compiled.stages)
    own = np.full((stages, 1, 1, n, n), 0.5)
    theirs = np.full((stages, 1, 1, n, n), 0.5)
    chases = board.chase
    if table.leads > 1:
        shifted = np.zeros((board.chase.shape[0], n, 1, table.leads, len(table.program.rollings)))
        shifted[:, :, 0, 1:, :] = policy.chase[None, :, :-1, None]
        chases = shifted
    nothing = np.full(board_slots(table), -1, np.int64)
    take = np.full((1, 1), NEVER)
    solved = Solved(theirs, np.zeros((1, 1, 1, 1, 1)), take, nothing, np.zeros((1, 1), np.int64), np.zeros(n, np.int64))
    space = work(table.program.arrays, 3 * n + table.leads + int(board.need.max()) + 2, False)
    least = min(table.program.chances)
    sides = Sides(board._replace(chase=chases), table.program.arrays, solved, space, least)
    optimal = _best_chase(table)
    for level in range(2 * n - 2, -1, -1):
        progress(2 * n - 2 - level, 2 * n - 1)
        low, high = max(0, level - n + 1), min(n - 1, level)
        for stage in range(stages):
            then = int(board.next_stage[stage])
            for block in range(low, high + 1, LANES):
                mine = np.minimum(np.arange(block, block + LANES), high)
                lanes = np.stack([mine, level - mine], axis=1)
                banked = _banked(table, policy, own[stage, 0, 0], optimal, then, level - mine, mine)
                farkle = policy.farkle[policy.case[then, level - mine, mine]]
                found = _settled(sides, stage, lanes, banked, farkle, theirs[then, 0, 0])
                own[stage, 0, 0, mine, level - mine] = found
    stage, _, _, score, other = table.compiled.first
    return Reply(
        float(own[stage, 0, 0, score, other]),
        1.0 - float(theirs[stage, 0, 0, score, other]),
        own[:, 0, 0],
        theirs[:, 0, 0],
    )


def board_slots(table: PolicyRules) -> tuple[int, int, int]:
    """Return the shape of `Solved.slot`."""
    return len(table.compiled.stages), 1, 1


def _banked(
    table: PolicyRules, policy: Ends, after: Values, chase: Values, stage: int, scores: Numbers, others: Numbers
) -> Values:
    """Return the policy's chance to win by banking, with ``after`` the values of the best reply about to move."""
    n, found = table.n, np.zeros(scores.size)
    for lane, (score, other) in enumerate(zip(scores.tolist(), others.tolist(), strict=True)):
        case = policy.case[stage, score, other]
        first, size = int(policy.at[case]), int(policy.size[case])
        banks, below = policy.banks[first : first + size], min(size, n - score)
        found[lane] = banks[:below] @ (1.0 - after[other, score : score + below])
        left = banks[below:]
        if left.size:
            lost = 0.0
            if table.board.beyond[stage] == Beyond.CHASED:
                leads = np.minimum(score + np.arange(below, size) - other, chase.shape[1] - 1)
                lost = chase[other, leads]
            found[lane] += float(np.sum(left * (1.0 - lost)))
    return found


def _settled(sides: Sides, stage: int, lanes: Numbers, banked: Values, farkle: Values, theirs: Values) -> Values:
    """Return the best reply's values of eight positions; the policy's after a farkle are banked + farkle *
    (1 - reply's).
    """
    here = Position(stage, 0, 0, int(lanes[0, 0]), int(lanes[0, 1]))
    guess, slope, off = np.full(LANES, 0.6), np.full(LANES, 0.1), np.full(LANES, 2.0)
    before, found = guess, guess
    for number in range(ROUNDS):
        theirs[lanes[:, 1], lanes[:, 0]] = banked + farkle * (1.0 - guess)
        solve_turns(sides, here, lanes, 1, False)
        after, found = found, sides.work.rolling[0].copy()
        if np.abs(found - guess).max() < SETTLED:
            break
        moved, least = guess - before, off
        off = np.abs(found - guess)
        if number:
            safe = np.abs(moved) > 1e-11
            slope = np.where(safe, np.clip((found - after) / np.where(safe, moved, 1.0), 0.0, STEEPEST), 0.0)
        # Both turns together are a contraction: without a slope the guess is sure to come closer.
        slope = np.where(off > least / 2, 0.0, slope)
        before, guess = guess, np.clip(guess + (found - guess) / (1.0 - slope), 0.0, 1.0)
    theirs[lanes[:, 1], lanes[:, 0]] = banked + farkle * (1.0 - found)
    return found
