"""Fast simulation: any rule set, 1 to 20 seats, players that are tables or Python, the same games everywhere.

Games of table players (all that Farkel knows by name) are played in machine code; all others by the engine, in
processes that are watched. Results are functions of the seed alone. Numba is imported when the first game is played.
"""

from typing import TYPE_CHECKING

from farkel.support.lazy import offers

if TYPE_CHECKING:
    from farkel.dice.simulated import ArenaDice, ArenaRandom
    from farkel.errors import ArenaError
    from farkel.players.own import load_player
    from farkel.simulation.bots.tables import is_table
    from farkel.simulation.jobs import Batch, Forfeit, Job, Stop, check_job
    from farkel.simulation.matches import SimulationResult, batches, raw_games, run, simulate
    from farkel.simulation.python_games import PlayedGame, play
    from farkel.simulation.tally import REASONS, Interval, Tally, total, wilson
else:
    __getattr__, __dir__ = offers(__name__)

__all__ = [
    "REASONS",
    "ArenaDice",
    "ArenaError",
    "ArenaRandom",
    "Batch",
    "Forfeit",
    "Interval",
    "Job",
    "PlayedGame",
    "SimulationResult",
    "Stop",
    "Tally",
    "batches",
    "check_job",
    "is_table",
    "load_player",
    "play",
    "raw_games",
    "run",
    "simulate",
    "total",
    "wilson",
]
