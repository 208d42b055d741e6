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
from itertools import accumulate, product
from typing import Any, NamedTuple, Protocol

from farkel.errors import SolveError
from farkel.game.choices import Rolling
from farkel.kernels.arrays import Numbers, Values, array, full, shaped, zeros
from farkel.kernels.registry import SOLVE
from farkel.kernels.spaces import Space, open_space
from farkel.rules import Rules
from farkel.rules.settings import SPECIAL, declared, unknown
from farkel.solve.compiled_game import Beyond, Compiled, compile_board
from farkel.solve.compiled_turn import Program, choices
from farkel.solve.farkle_circles import STEEPEST
from farkel.solve.last_turns import complete
from farkel.solve.policy_turns import (
    Ends,
    Moves,
    Style,
    choose,
    choose_best,
    choose_by_class,
    push,
    push_best,
    reply_banks,
    weigh,
)
from farkel.solve.solution import Duel
from farkel.solve.turn_ends import Position, Sides, Solved, enters, solve_turns, work
from farkel.solve.turn_sweep import LANES, NEVER
from farkel.support.notebooks import table as html
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
        chases = Beyond.CHASED in board.beyond.tolist()
        self.leads = board.chase.shape[3] if chases else 1
        """Leads that are distinguished in last turns; a larger one is never caught up."""
        self.rows = self.n + self.leads + self.program.arrays.most + board.need.max() + 1
        """Turn totals that are distinguished."""
        self._needs: list[int] = [board.need[enters(board, 0, score)] for score in range(self.n)]
        self._entering = [bool(enters(board, 0, score)) for score in range(self.n)]
        self._wins: list[bool] = [each == Beyond.WINS for each in board.beyond.tolist()]
        self.landings: list[PolicyLanding] = []
        self.options: list[tuple[tuple[int, int], ...]] = []
        """Of each class: (points, landing) of its options, with the most points first."""
        self.space = open_space(SOLVE)
        self.moves = self.space.place(self._moves(self.program))
        self.room = zeros((self.rows, len(self.program.rollings)))
        self.row = zeros(self.rows)

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
            array(firsts, "int64"),
            array(weights),
            array(accumulate(map(len, self.options), initial=0), "int64"),
            array(points, "int64"),
            array(landing, "int64"),
            array((program.place[each.then] for each in self.landings), "int64"),
            array(farkles),
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

    def style(self, bank: Callable[[int, PolicyLanding], bool]) -> Style:
        """Return the style that keeps the most points, and banks those totals after which it leaves that landing."""
        banks = array(([bank(total, each) for each in self.landings] for total in range(self.rows)), "bool")
        found = self._style()
        self.space.run(choose, self.moves, banks, found)
        return found

    def best_style(self, rolling: Values, bank: Values) -> Style:
        """Return the style that takes the highest value: ``rolling[turn total, rolling]``, or ``bank[turn total]``."""
        found = self._style()
        self.space.run(choose_best, self.moves, rolling, bank, found)
        return found

    def style_by_class(self, told: Sequence[tuple[int, int, int]]) -> Style:
        """Return the style that banks by the turn total, with everything that scores, alone.

        told: of each class the least total that is banked, the option banked, and the one kept to roll on.
        """
        found = self._style()
        self.space.run(choose_by_class, self.moves, array(told, "int64"), found)
        return found

    def _style(self) -> Style:
        shape = self.rows, len(self.options)
        return Style(zeros(shape, "int64"), zeros(shape, "int64"))

    def followed(self, style: Style, plan: TurnPlan) -> tuple[Values, float]:
        """Return how often a turn ends with each total, and with a farkle."""
        farkle = self.space.run(push, self.moves, style, *plan.limits, self.room, self.row)
        return self.row, farkle


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
        size = max((total + 1 for total, chance in enumerate(row) if chance), default=0)
        self.at.append(self.room)
        self.size.append(size)
        self.farkle.append(farkle)
        self.banks.append(row[:size].copy())
        self.room += size
        return len(self.at) - 1

    def ends(self, case: Numbers, chase: Values) -> Ends:
        banks = zeros(max(1, self.room))
        for at, each in zip(self.at, self.banks, strict=True):
            banks.flat[at : at + each.size] = each.flat
        return Ends(case, array(self.at, "int64"), array(self.size, "int64"), banks, array(self.farkle), chase)


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
        self.ends = cases.ends(shaped(number, (stages, n, n), "int64"), self._chase() if chase is None else chase)

    def _chase(self) -> Values:
        """Return `Ends.chase`."""
        table, known = self.table, dict[TurnPlan, list[float]]()
        found = zeros((table.n, table.leads))
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


def _reaching(row: Values) -> list[float]:
    """Return the chance to bank at least each total."""
    return [*accumulate(reversed(row.tolist()), initial=0.0)][::-1]


def _wins(reaching: list[float], lead: int, tied: float) -> float:
    last = len(reaching) - 1
    more, equal = reaching[min(lead + 1, last)], reaching[min(lead, last)]
    return more + tied * (equal - more)


class Perfect:
    """Best play of both sides, as a policy whose turns are followed."""

    name = "exact"

    def __init__(self, table: PolicyRules, duel: Duel, progress: Progress = silent) -> None:
        self.table, self.duel = table, duel
        n, cases = table.n, _Cases()
        stages = len(table.compiled.stages)
        case = zeros((stages, n, n), "int64")
        for stage in range(stages):
            for other in range(n):
                progress(stage * n + other, stages * n)
                for block in range(0, n, LANES):
                    scores = [min(block + lane, n - 1) for lane in range(LANES)]
                    begun = duel.begun(stage, 0, 0, scores, other, 0)
                    for lane in range(min(LANES, n - block)):
                        values = begun.rolls(lane), begun.bare_banks(lane)
                        farkle = table.space.run(push_best, table.moves, *values, table.room, table.row)
                        case[stage, block + lane, other] = cases.add(table.row, farkle)
        self.ends = cases.ends(case, _best_chase(table))


def _best_chase(table: PolicyRules) -> Values:
    """Return `Ends.chase` of a seat that plays the last turn as well as possible."""
    board, found = table.board, zeros((table.n, table.leads))
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

    def __str__(self) -> str:
        return f"the first policy wins {self.wins:.1%}: {self.first:.1%} if it begins, {self.second:.1%} if not"

    def _repr_html_(self) -> str:
        return html(str(self), self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each seat, and one for both of them together."""
        return _by_seat(self)

    @property
    def wins(self) -> float:
        """The chance of the first one, with both seats counted equally."""
        return (self.first + self.second) / 2


def _by_seat(found: PolicyMatch | Reply) -> list[dict[str, Any]]:
    wins = {"first": found.first, "second": found.second, "both equally": found.wins}
    return [{"seat": seat, "wins": chance} for seat, chance in wins.items()]


def match(table: PolicyRules, mine: Ends, theirs: Ends) -> PolicyMatch:
    """Weigh a policy against another."""
    stages = len(table.compiled.stages)
    own, their = zeros((stages, table.n, table.n)), zeros((stages, table.n, table.n))
    table.space.run(weigh, table.board.next_stage, table.board.beyond, mine, theirs, own, their)
    stage, _, _, score, other = table.compiled.first
    return PolicyMatch(own[stage, score, other], 1.0 - their[stage, score, other], own, their)


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

    def __str__(self) -> str:
        return f"the best reply wins {self.wins:.1%}: {self.first:.1%} if it begins, {self.second:.1%} if not"

    def _repr_html_(self) -> str:
        return html(str(self), self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each seat, and one for both of them together."""
        return _by_seat(self)

    @property
    def wins(self) -> float:
        """The chance of the reply, with both seats counted equally."""
        return (self.first + self.second) / 2


def best_reply(table: PolicyRules, policy: Ends, progress: Progress = silent) -> Reply:
    """Return what wins most against the policy: the sweep of the solver, with the other side's choices fixed."""
    board, n, stages = table.board, table.n, len(table.compiled.stages)
    shape, chases = (stages, 1, 1, n, n), board.chase
    if table.leads > 1:
        chases = zeros((board.chase.shape[0], n, 1, table.leads, len(table.program.rollings)))
        for tie, score, lead in product(range(chases.shape[0]), range(n), range(1, table.leads)):
            chases[tie, score, 0, lead] = policy.chase[score, lead - 1]
    nothing, none = full((stages, 1, 1), -1, "int64"), zeros((1, 1), "int64")
    solved = Solved(full(shape, 0.5), zeros((1, 1, 1, 1, 1)), full((1, 1), NEVER), nothing, none, zeros(n, "int64"))
    room = work(table.program.arrays, 3 * n + table.leads + board.need.max() + 2, False)
    least, space = min(table.program.chances), open_space(SOLVE)
    sides = space.place(Sides(board._replace(chase=chases), table.program.arrays, solved, room, least))
    policy, own, theirs = space.place(policy), full(shape, 0.5), sides.solved.own
    optimal, ends = _best_chase(table), zeros((LANES, 2))
    for level in range(2 * n - 2, -1, -1):
        progress(2 * n - 2 - level, 2 * n - 1)
        low, high = max(0, level - n + 1), min(n - 1, level)
        for stage in range(stages):
            then = board.next_stage[stage]
            for block in range(low, high + 1, LANES):
                mine = [min(score, high) for score in range(block, block + LANES)]
                lanes = array(([score, level - score] for score in mine), "int64")
                after, beyond = own[stage, 0, 0], board.beyond[then]
                space.run(reply_banks, policy, after, optimal, beyond, then, lanes, ends)
                found = _settled(space, sides, stage, lanes, ends, theirs[then, 0, 0])
                for score, value in zip(mine, found, strict=True):
                    own[stage, 0, 0, score, level - score] = value
    stage, _, _, score, other = table.compiled.first
    return Reply(
        own[stage, 0, 0, score, other],
        1.0 - theirs[stage, 0, 0, score, other],
        own.reshape(stages, n, n),
        theirs.copy().reshape(stages, n, n),
    )


def _settled(space: Space, sides: Sides, stage: int, lanes: Numbers, ends: Values, theirs: Values) -> list[float]:
    """Return the best reply's values of eight positions; the policy's after a farkle are bank + farkle *
    (1 - reply's), by `reply_banks`.
    """
    here = Position(stage, 0, 0, *lanes[0])
    guess, slope, off = [0.6] * LANES, [0.1] * LANES, [2.0] * LANES
    before, found = guess, guess

    def follow(reply: Sequence[float]) -> None:
        for lane in range(LANES):
            mine, its = lanes[lane]
            theirs[its, mine] = ends[lane, 0] + ends[lane, 1] * (1.0 - reply[lane])

    for number in range(ROUNDS):
        follow(guess)
        space.run(solve_turns, sides, here, lanes, 1, False)
        after, found = found, sides.work.rolling[0].tolist()
        if max(abs(value - start) for value, start in zip(found, guess, strict=True)) < SETTLED:
            break
        least = off
        off = [abs(value - start) for value, start in zip(found, guess, strict=True)]
        if number:
            slope = [
                min(max((value - last) / (start - earlier), 0.0), STEEPEST) if abs(start - earlier) > 1e-11 else 0.0
                for value, last, start, earlier in zip(found, after, guess, before, strict=True)
            ]
        # Both turns together are a contraction: without a slope the guess is sure to come closer.
        slope = [0.0 if now > then / 2 else each for each, now, then in zip(slope, off, least, strict=True)]
        before, guess = (
            guess,
            [
                min(max(start + (value - start) / (1.0 - each), 0.0), 1.0)
                for start, value, each in zip(guess, found, slope, strict=True)
            ],
        )
    follow(found)
    return found
