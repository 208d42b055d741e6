"""What a player gives away against the equilibrium of three seats: python benchmarks/three.py [--rules R] [--games N].

Three of the player play games on their own; each of their decisions is compared with the best one. What it gives away
is the winning chance of the seat that decides, if all play the equilibrium afterwards.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Sequence

from farkel.game import Phase, State, apply, chance_outcomes, legal_actions, new_game
from farkel.players import Player, Thinker, make_player
from farkel.rules import load
from farkel.solve import Trio, trio
from farkel.support.progress import silent

SEATS = (1, 1, 1)


def given_away(solved: Trio, state: State, player: Player, chance: random.Random) -> tuple[float, State]:
    """The winning chance that a decision of the player gives away, and the state after it."""
    best = max(solved.chances(apply(state, action))[state.seat] for action in legal_actions(state))
    after = apply(state, player.decide(state, chance))
    return best - solved.chances(after)[state.seat], after


def regret(solved: Trio, player: Player, seed: int) -> float:
    """What a seat of a game gives away on average, if all three are the player."""
    state, chance, found = new_game(solved.rules, SEATS), random.Random(seed), 0.0
    while not state.over:
        throws = chance_outcomes(state)
        if throws:
            state = apply(state, chance.choices([throw for throw, _ in throws], [ways for _, ways in throws])[0])
        elif state.phase in (Phase.KEEP, Phase.OFFER):
            lost, state = given_away(solved, state, player, chance)
            found += lost
    return found / len(SEATS)


def measured(spec: str, names: Sequence[str], games: int) -> None:
    """Print what each player gives away, with its standard error."""
    rules = load(spec)
    solved = trio(rules)
    print(f"{rules}: wins {', '.join(f'{chance:.4%}' for chance in solved.wins)}")
    for name in names:
        player = make_player(name)
        if isinstance(player, Thinker):
            player.check(rules, SEATS)
            player.prepare(rules, SEATS, silent)
        each = [regret(solved, player, seed) for seed in range(games)]
        error = statistics.stdev(each) / games**0.5
        print(
            f"bot:{name} gives away {100 * statistics.mean(each):.3f} percentage points per game, +-{100 * error:.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="minimal(target=2000)")
    parser.add_argument("--players", default="exact,race,turn,cautious,bold")
    parser.add_argument("--games", type=int, default=200)
    given = parser.parse_args()
    measured(given.rules, given.players.split(","), given.games)


if __name__ == "__main__":
    main()
