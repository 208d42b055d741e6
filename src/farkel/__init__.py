"""Farkel: the dice game Farkle in all its forms, under any house rules.

What most programs start with is here, and loaded when it is asked for, so that ``import farkel`` loads nothing heavy:
rules (`Rules`, `load`, `names`), scoring (`score`, `score_table`), the game (`new_game`, `apply`, `legal_actions`,
`State` and the events), players (`make_player`), records (`read`), many games (`simulate`), and the best play
(`best_turn`, `duel`). The rest is in the packages, and ``farkel.client`` plays on a server.
"""

from typing import TYPE_CHECKING

from farkel.support.lazy import offers

if TYPE_CHECKING:
    from farkel.errors import FarkelError
    from farkel.game import Fresh, Keep, State, TakeOver, Throw, apply, legal_actions, new_game
    from farkel.game.scoring import score, score_table
    from farkel.players import make_player
    from farkel.records import read
    from farkel.rules import Rules, load, names
    from farkel.simulation.matches import simulate
    from farkel.solve import best_turn, duel
else:
    __getattr__, __dir__ = offers(__name__)

__all__ = [
    "FarkelError",
    "Fresh",
    "Keep",
    "Rules",
    "State",
    "TakeOver",
    "Throw",
    "apply",
    "best_turn",
    "duel",
    "legal_actions",
    "load",
    "make_player",
    "names",
    "new_game",
    "read",
    "score",
    "score_table",
    "simulate",
]
__version__ = "0.1.0"
