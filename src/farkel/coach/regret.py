"""The regret of a player's decisions, by kind of decision and stage of the game.

Summed over a game, regret is the difference between the player's winning chance and that of perfect play. For players
whose choices are known for every position it is exact; others play games against perfect play, and it is a mean.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import sqrt
from operator import add
from typing import Any, NamedTuple

from farkel.coach.advice import Evaluator, chances
from farkel.coach.kinds import KINDS, STAGES
from farkel.coach.policies import is_policy, policy_of
from farkel.dice import Dice, RandomDice
from farkel.errors import SolveError
from farkel.game import Action, Keep, Phase, State, Throw, apply, legal_actions, new_game
from farkel.kernels.arrays import Values, array, zeros
from farkel.players.best_play import Exact, likeliest
from farkel.players.knowledge import solution, turn
from farkel.players.own import listed_players, load_player
from farkel.players.protocol import Player
from farkel.rules import AnyRules, Rules, as_rules
from farkel.solve import Duel
from farkel.solve.evaluation import FollowedPolicy, Perfect, PolicyRules, check, match, table
from farkel.solve.policy_turns import judge, last_turns, visit
from farkel.solve.turn_sweep import LANES, NEVER
from farkel.support.frames import Tabular
from farkel.support.progress import Progress, Steps, silent

OPENING, END = 0.4, 0.8
"""Parts of the target that the higher score has reached by the end of the opening, and at the beginning of the end."""
RARE = 1e-12
"""A turn that comes up less often gives nothing away that counts."""
SIGMA = 1.96


@dataclass(frozen=True, slots=True)
class Regret(Tabular):
    """A player's regret per game against perfect play, as winning chance, with both seats counted equally."""

    player: str
    rules: Rules
    games: int
    """Games that were played to measure it; 0 if it is exact."""
    given: dict[tuple[str, str], float]
    """By stage and kind."""
    wins: float
    """How often the player wins."""
    error: float
    """Half of the 95% interval of the total; 0 if it is exact."""

    def __str__(self) -> str:
        return f"{self.rules}: {self.player} wins {self.wins:.1%} against perfect play and gives away {self.total:.1%}"

    @property
    def total(self) -> float:
        """All that is given away in a game."""
        return sum(self.given.values())

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each stage of the game and kind of decision."""
        return [
            {"player": self.player, "stage": stage, "kind": kind, "given": given}
            for (stage, kind), given in self.given.items()
        ]


def stage_of(score: int, other: int, target: int) -> int:
    """Return the index of the stage of the game with these scores."""
    higher = max(score, other)
    return 0 if higher < OPENING * target else 1 if higher < END * target else 2


def regrets(
    rules: AnyRules, players: Sequence[str | Player], games: int, seed: int, progress: Progress = silent
) -> list[Regret]:
    """Return what players give away: exactly if their choices are known and can be followed, else in this many games.

    Players are names, files or objects. Raises `PlayerError` as `farkel.players.own.load_player`, and `SolveError` if
    the rules cannot be solved.
    """
    rules, judged = as_rules(rules), [load_player(player) for player in listed_players(players)]
    names = [f"Judging {player.name}" for player in judged]
    steps = Steps(progress, {"Solving the game": 1.0} | dict.fromkeys(["Following best play", *names], 4.0))
    solved, found, perfect = solution(rules, steps.begin("Solving the game")), list[Regret](), None
    for player, name in zip(judged, names, strict=True):
        if isinstance(player, Exact):
            found.append(Regret(player.name, rules, 0, dict.fromkeys(product(STAGES, KINDS), 0.0), 0.5, 0.0))
        elif is_policy(player) and _can_follow(rules):
            told = table(rules)
            perfect = perfect or Perfect(told, solved, steps.begin("Following best play"))
            policy = FollowedPolicy(told, policy_of(player, rules, steps.begin(name)))
            found.append(exact_regret(told, solved, perfect, policy, steps.begin(name)))
        else:
            found.append(played_regret(rules, solved, player, games, seed, steps.begin(name)))
    return found


def _can_follow(rules: Rules) -> bool:
    try:
        check(rules)
    except SolveError:
        return False
    return True


def exact_regret(
    told: PolicyRules, solved: Duel, perfect: Perfect, player: FollowedPolicy, progress: Progress
) -> Regret:
    """Return a policy's regret, without playing."""
    own, their = _visits(told, player, perfect)
    given, lost, n = zeros((len(STAGES), len(KINDS))), zeros(3), told.n
    stages = own.shape[0]
    for stage, other in product(range(stages), range(n)):
        progress(stage * n + other, stages * n)
        for block in range(0, n, LANES):
            often = [own[stage, score, other] for score in range(block, min(block + LANES, n))]
            if max(often) < RARE:
                continue
            scores = [min(block + lane, n - 1) for lane in range(LANES)]
            begun = solved.begun(stage, 0, 0, scores, other, told.rows)
            for lane, each in enumerate(often):
                if each < RARE:
                    continue
                plan = player.policy.plan(told, stage, block + lane, other)
                values = begun.rolls(lane), begun.bare_banks(lane)
                told.space.run(judge, told.moves, *values, player.styles[plan.style], *plan.limits, told.room, lost)
                _give(given, stage_of(block + lane, other, n), each, lost)
    often_last, ends = zeros(perfect.ends.chase.shape), told.board.beyond.tolist()
    told.space.run(last_turns, perfect.ends, their, array((each == 1 for each in ends), "bool"), often_last)
    _last(told, player, often_last, given)
    named = dict(zip(product(STAGES, KINDS), given.flat, strict=True))
    return Regret(player.policy.name, told.rules, 0, named, match(told, player.ends, perfect.ends).wins, 0.0)


def _visits(told: PolicyRules, player: FollowedPolicy, perfect: Perfect) -> tuple[Values, Values]:
    """Return how often the player, and perfect play against it, begin a turn at each position, with both
    seats equally.
    """
    own, their = zeros(player.ends.case.shape), zeros(player.ends.case.shape)
    stage, _, _, score, other = told.compiled.first
    for first, second in ((own, their), (their, own)):
        begun, answered = zeros(own.shape), zeros(own.shape)
        begun[stage, score, other] = 0.5
        mine, its = (player.ends, perfect.ends) if first is own else (perfect.ends, player.ends)
        told.space.run(visit, told.board.next_stage, mine, its, begun, answered)
        for total, part in ((first, begun), (second, answered)):
            total.flat[:] = array(map(add, total.flat, part.flat)).flat
    return own, their


def _last(told: PolicyRules, player: FollowedPolicy, often: Values, given: Values) -> None:
    """Add the player's regret in last turns, which come up so often: [score, lead]."""
    board, lost = told.board, zeros(3)
    most = board.chase.shape[3] - 1
    # By what is short, from most to nothing; then what has nothing short: each turn reads its part of these rows.
    short = [
        array([*(chase[0, 0, left] for left in range(most, -1, -1)), *[chase[0, 0, 0]] * told.rows])
        for chase in board.chase
    ]
    for score, lead in product(range(told.n), range(1, told.leads - 1)):
        if often[score, lead] <= RARE:
            continue
        need, goal = told.need(score), max(lead + 1, told.need(score))
        tie = 1 if board.shares and lead >= need else 0
        bank = _closing(told.rows, need, lead, 0.5 * tie)
        rolling = short[tie][most - goal : most - goal + told.rows]
        plan = player.policy.last(told, score, lead)
        told.space.run(judge, told.moves, rolling, bank, player.styles[plan.style], *plan.limits, told.room, lost)
        _give(given, 3, often[score, lead], lost)


def _closing(rows: int, need: int, lead: int, tied: float) -> Values:
    """Return what a bank of each turn total is worth in a last turn."""
    found = [0.0] * lead + [tied] + [1.0] * (rows - lead)
    found[:need] = [NEVER] * need
    return array(found[:rows])


def _give(given: Values, stage: int, often: float, lost: Values) -> None:
    """Add what is given away in a turn that comes up so often."""
    for kind, chance in enumerate(lost):
        given[stage, kind] += often * chance


# Players that only play ----------------------------------------------------------------------------------------------


def played_regret(rules: AnyRules, solved: Duel, player: Player, games: int, seed: int, progress: Progress) -> Regret:
    """Return a player's regret, from games against perfect play in which it begins every other one."""
    rules = as_rules(rules)
    generator = random.Random(seed)
    given, each, wins = dict.fromkeys(product(STAGES, KINDS), 0.0), Sums(), 0.0
    for game in range(games):
        progress(game, games)
        lost, won = _game(rules, solved, player, game % 2, generator)
        for at, chance in lost.items():
            given[at] += chance / games
        each.add(sum(lost.values()))
        wins += won / games
    return Regret(player.name, rules, games, given, wins, SIGMA * each.error())


class Sums:
    """A mean and its standard error, number by number."""

    def __init__(self) -> None:
        self.count, self.total, self.squares = 0, 0.0, 0.0

    def add(self, number: float) -> None:
        """Count a number."""
        self.count, self.total, self.squares = self.count + 1, self.total + number, self.squares + number * number

    def error(self) -> float:
        """Return the standard error of the mean."""
        mean = self.total / self.count
        return sqrt(max(0.0, self.squares / self.count - mean * mean) / max(1, self.count - 1))


class JudgedTurn(NamedTuple):
    """A decision, and the winning chance after each action that was legal."""

    state: State
    action: Action
    worth: dict[Action, float]

    @property
    def regret(self) -> float:
        """Winning chance that the action gives away."""
        return max(self.worth.values()) - self.worth[self.action]

    @property
    def stage(self) -> str:
        """The stage of the game: one of `STAGES`."""
        mine, its = (seat.score for seat in self.state.seats)
        target = self.state.rules.target or max(1, mine, its)
        return STAGES[3 if self.state.closer >= 0 else stage_of(mine, its, target)]

    @property
    def given(self) -> list[tuple[str, float]]:
        """The regret of the action, by kind."""
        worth, mine = self.worth, self.worth[self.action]
        best = max(worth.values())
        if not isinstance(self.action, Keep):
            return [("take over", best - mine)]
        kept = max(chance for each, chance in worth.items() if isinstance(each, Keep) and each.dice == self.action.dice)
        return [("keep", best - kept), (self.action.then, kept - mine)]


def worths(solved: Evaluator, state: State) -> dict[Action, float]:
    """Return the winning chance after each legal action, for the seat that decides."""
    return {each: chances(solved, apply(state, each))[state.seat] for each in legal_actions(state)}


def against_perfect(rules: Rules, solved: Duel, decide: Callable[[State], Action], seat: int, dice: Dice) -> State:
    """Play a game that seat 0 begins, one seat as ``decide`` says and the other perfectly; return its end."""
    state = new_game(rules, (1, 1))
    state = state._replace(phase=Phase.ROLL, dice=rules.dice, seat=0, first=0, rounds_left=rules.rounds)
    thrown = 0
    while not state.over:
        due = state.dice_due
        if due:
            state = apply(state, Throw(dice.throw(thrown, due)))
            thrown += 1
        else:
            state = apply(state, decide(state) if state.seat == seat else likeliest(solved, turn(rules), state))
    return state


def _game(
    rules: Rules, solved: Duel, player: Player, seat: int, generator: random.Random
) -> tuple[dict[tuple[str, str], float], float]:
    """Return the player's regret in that seat in a game, and its share in the win."""
    lost = dict[tuple[str, str], float]()

    def decide(state: State) -> Action:
        found = JudgedTurn(state, player.decide(state, generator), worths(solved, state))
        for kind, chance in found.given:
            at = found.stage, kind
            lost[at] = lost.get(at, 0.0) + chance
        return found.action

    end = against_perfect(rules, solved, decide, seat, RandomDice(generator))
    return lost, share_of_win(end, seat)


def share_of_win(state: State, seat: int) -> float:
    """Return 1 for a win, equal parts of a shared one, 0 for a loss."""
    winners = state.result.winners if state.result else ()
    return 1 / len(winners) if seat in winners else 0.0
