"""What ``farkel exploit`` and ``farkel regret`` print."""

from __future__ import annotations

import json
from collections.abc import Sequence

from farkel.coach.kinds import KINDS, STAGES
from farkel.coach.regret import Regret
from farkel.rules import Rules
from farkel.solve.evaluation import Reply
from farkel.terminal.progress import table


def exploit_json(rules: Rules, player: str, reply: Reply) -> str:
    """Return how often the best reply wins."""
    return json.dumps(
        {"rules": str(rules), "player": player, "wins": reply.wins, "first": reply.first, "second": reply.second}
    )


def exploit_text(rules: Rules, player: str, reply: Reply) -> str:
    """Return how often the best reply wins, by seat."""
    rows = [
        ["the best reply begins", f"{reply.first:.6f}"],
        [f"{player} begins", f"{reply.second:.6f}"],
        ["both seats equally", f"{reply.wins:.6f}"],
    ]
    return f"What wins most often against {player} under {rules}, exactly\n\n{table(rows, '<>')}"


def regret_json(found: Sequence[Regret]) -> str:
    """Return what players give away."""
    return json.dumps(
        {
            "rules": str(found[0].rules),
            "players": [
                {
                    "player": one.player,
                    "exact": one.games == 0,
                    "games": one.games,
                    "wins": one.wins,
                    "given_away": one.total,
                    "interval": [one.total - one.error, one.total + one.error],
                    "by": [
                        {"stage": stage, "kind": kind, "given_away": given}
                        for (stage, kind), given in one.given.items()
                    ],
                }
                for one in found
            ],
        }
    )


def regret_text(found: Sequence[Regret]) -> str:
    """Return a table for each player: stages of the game by kinds of decisions."""
    parts = []
    for one in found:
        how = f"in {one.games:,} games, ±{one.error:.2%} (95%)" if one.games else "exactly"
        kinds = [kind for kind in KINDS if any(one.given[stage, kind] for stage in STAGES)]
        rows = [["", *kinds, "all"]]
        for stage in STAGES:
            given = [one.given[stage, kind] for kind in kinds]
            rows.append([stage, *(f"{each:.3%}" for each in given), f"{sum(given):.3%}"])
        sums = [sum(one.given[stage, kind] for stage in STAGES) for kind in kinds]
        rows.append(["all", *(f"{each:.3%}" for each in sums), f"{one.total:.3%}"])
        parts.append(
            f"{one.player} under {one.rules} wins {one.wins:.2%} against perfect play and gives away, {how}:\n\n"
            f"{table(rows, '<' + '>' * (len(kinds) + 1))}"
        )
    parts.append("Winning chance per game, both seats counted equally. end: a score of 80% of the target or more.")
    return "\n\n".join(parts)
