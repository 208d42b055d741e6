"""Farkel: the dice game Farkle in all its forms, under any house rules.

What most programs start with is here, and loaded when it is asked for, so that ``import farkel`` loads nothing heavy:
rules (`Rules`, `load`, `names`), scoring (`score`, `score_table`), the game (`new_game`, `apply`, `legal_actions`,
`State` and the events), players (`make_player`), records (`read`), many games (`simulate`), and the best play
(`best_turn`, `duel`). The rest is in the packages, and ``farkel.client`` plays on a server.
"""

from typing import TYPE_CHECKING

from farkel.support.lazy import offers

if TYPE_CHECKING:
    from farkel.errors import FarkelError as FarkelError
    from farkel.game import Fresh as Fresh
    from farkel.game import Keep as Keep
    from farkel.game import State as State
    from farkel.game import TakeOver as TakeOver
    from farkel.game import Throw as Throw
    from farkel.game import apply as apply
    from farkel.game import legal_actions as legal_actions
    from farkel.game import new_game as new_game
    from farkel.game.scoring import score as score
    from farkel.game.scoring import score_table as score_table
    from farkel.players import make_player as make_player
    from farkel.records import read as read
    from farkel.rules import Rules as Rules
    from farkel.rules import load as load
    from farkel.rules import names as names
    from farkel.simulation.matches import simulate as simulate
    from farkel.solve import best_turn as best_turn
    from farkel.solve import duel as duel
else:
    __getattr__, __dir__ = offers(__name__)

__version__ = "0.1.0"
