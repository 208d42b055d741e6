"""Calculations in which kernels meet every kind of arguments: all kinds of rules, at small targets."""

from __future__ import annotations

import random
from contextlib import suppress

from farkel import load
from farkel.errors import FarkelError
from farkel.game import Phase, State, Throw, apply, legal_actions, new_game
from farkel.rules import Rules

SOLVED = (
    "minimal(target=500)",
    "original(target=600)",
    "build-on(target=1000)",
    "minimal(target=0,rounds=2)",
    "zilch(target=1000)",
    "high-stakes(target=1000)",
    "standard(target=1000,take_over.price=stake,take_over.stake=50)",
    "extended(target=600)",
    "minimal(target=600,lives.each=2,lives.farkle=1)",
)
"""Without and with ends without a winner, lives, take-overs, fines, openings, and farkles that lead back."""
SHORT = "original(target=600)"
"""A game whose solution is kept in short numbers, as of one that is large."""
PLAYED = "minimal(target=1000)", "build-on(target=1000)", "original(target=600)", "zilch(target=1000)"
FIXED = "random", "cautious", "bold", "threshold:300"
DECISIONS = 60


def solve() -> None:
    """Solve games, and ask for all that is known of them."""
    from farkel.coach.policies import policy_of
    from farkel.coach.regret import exact_regret
    from farkel.players import make_player, tuning
    from farkel.solve import Field, best_race, best_turn, duel
    from farkel.solve import solution as solutions
    from farkel.solve.evaluation import FollowedPolicy, Perfect, Policy, best_reply, match, table
    from farkel.solve.points import turn_below

    for number, name in enumerate((*SOLVED, SHORT)):
        rules = load(name)
        if number == len(SOLVED):
            solutions.MUCH = 0
        best_turn(rules)
        turn_below(rules, 5 * rules.unit, True)
        with suppress(FarkelError):
            best_race(rules)
        solution = duel(rules, fresh=True)
        board = solution.compiled.board
        for seats, known in ((2, solution), (3, Field(solution, 3))):
            for state in _positions(rules, seats):
                known.chances(state)
        solution.begun(0, 0, 0, [0] * 8, 0, 0)
        if board.pairs and board.alone.size > 1:
            solution.alone(0, 1, 0, [0] * 8)
        with suppress(FarkelError):
            followed = table(rules)
            perfect = Perfect(followed, solution)
            policies: list[Policy] = [policy_of(make_player(player), rules) for player in ("cautious", "turn")]
            with suppress(FarkelError):
                tuning.check(rules)
                policies.append(tuning.CardPolicy(next(tuning.starts(rules))))
            for each in policies:
                policy = FollowedPolicy(followed, each)
                match(followed, policy.ends, perfect.ends)
                best_reply(followed, policy.ends)
                exact_regret(followed, solution, perfect, policy, lambda done, whole: None)


def games() -> None:
    """Play games of all bots."""
    from farkel.simulation import simulate

    for name in PLAYED:
        for bots in (
            FIXED[:2],
            FIXED[2:],
            ("cautious",),
            FIXED,
            ("turn", "cautious"),
        ):
            for raw in (None, lambda found: None):
                simulate(name, bots, 40, threads=1, raw=raw)
        for bots in (("exact", "cautious"), ("race", "bold"), ("race", "race", "turn", "bold")):
            with suppress(FarkelError):
                simulate(name, bots, 20, threads=1)


def steps() -> None:
    """Step environments, alone and against each opponent."""
    import numpy as np

    from farkel.training import VectorFarkel

    for name in PLAYED:
        for seats, opponent in ((1, None), (2, None), (2, "cautious"), (2, "turn"), (3, "threshold:300")):
            games = VectorFarkel(name, 8, seats, opponent=opponent)
            games.reset(seed=1)
            for _ in range(DECISIONS):
                games.step(np.zeros(8, np.int64))


def _positions(rules: Rules, seats: int) -> list[State]:
    """Return positions of two games, in which decisions are drawn."""
    drawn, found = random.Random(5), list[State]()
    for _ in range(2):
        state = new_game(rules, (1,) * seats)
        for _ in range(DECISIONS):
            if state.phase == Phase.OVER:
                break
            found.append(state)
            dice = state.dice_due
            roll = tuple(sorted(drawn.randint(1, 6) for _ in range(dice)))
            state = apply(state, Throw(roll)) if dice else apply(state, drawn.choice(legal_actions(state)))
    return found
