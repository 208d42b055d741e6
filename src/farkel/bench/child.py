"""A player in Python as a program that speaks the protocol: ``python -m farkel.bench.child ./mine.py:Greedy``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO

from farkel.bench.protocol import read_line, rules_of, state_of, written
from farkel.dice.simulated import ArenaRandom
from farkel.errors import FarkelError
from farkel.game import legal_actions
from farkel.players import Player
from farkel.players.own import load_player
from farkel.players.protocol import prepare

TWO = (1, 1)


def serve(player: Player, lines: TextIO) -> Iterator[dict[str, Any]]:
    """Yield the player's answer to each message."""
    rules, chance = None, ArenaRandom(0, 0)
    for line in lines:
        message = read_line(line)
        if message["do"] == "game":
            new = rules_of(message)
            if new != rules:
                prepare(new, [player], TWO)
            rules, chance = new, ArenaRandom(message["seed"], 0)
            yield {"ready": True, "name": player.name}
        elif rules is not None:
            state = state_of(rules, message["state"])
            try:
                action: Any = player.decide(state, chance)
            except (Exception, SystemExit) as error:
                yield {"error": f"raised {type(error).__name__}: {error}"[:1000]}
                continue
            actions = legal_actions(state)
            legal = action in actions
            yield (
                {"choose": actions.index(action)} if legal else {"error": f"chose {action!r:.200}, which is not legal"}
            )


def main() -> None:
    """Let a player answer questions: they come on standard input. Its own prints do not count as answers."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        for answer in serve(load_player(sys.argv[1]), sys.stdin):
            out.write(written(answer))
            out.flush()
    except FarkelError as error:
        out.write(written({"refused": error.message}))
        out.flush()
        sys.exit(1)


if __name__ == "__main__":
    main()
