"""Farkel: the dice game Farkle in all its forms, under any house rules.

What most programs start with is here, and loaded when it is asked for, so that ``import farkel`` loads nothing heavy:
rules (`Rules`, `load`, `names`), scoring (`score`, `score_table`), the game (`new_game`, `apply`, `legal_actions`,
`State` and the events), players (`make_player`), records (`read`), and, with the extra ``know``, `simulate`,
`best_turn` and `duel`. The rest is in the packages, and ``farkel.client`` plays on a server.
"""

from importlib import import_module
from typing import TYPE_CHECKING

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

__version__ = "0.1.0"

_HOMES = {
    "simulation": ("simulate",),
    "errors": ("FarkelError",),
    "game": ("Fresh", "Keep", "State", "TakeOver", "Throw", "apply", "legal_actions", "new_game"),
    "players": ("make_player",),
    "records": ("read",),
    "rules": ("Rules", "load", "names"),
    "game.scoring": ("score", "score_table"),
    "solve": ("best_turn", "duel"),
}
_HOME = {name: f"farkel.{module}" for module, several in _HOMES.items() for name in several}


def __getattr__(name: str) -> object:
    """Load a name on first use. Raises `AttributeError` for an unknown one."""
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'farkel' has no attribute {name!r}; it has {', '.join(sorted(_HOME))}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
