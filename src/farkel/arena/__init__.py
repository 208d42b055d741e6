"""Fast simulation: any rule set, 1 to 20 seats, players that are tables or Python, the same games everywhere.

Games of table players (all that Farkel knows by name) are played in machine code; all others by the engine, in
processes that are watched. Results are functions of the seed alone. Numba is imported when the first game is played.
"""

from farkel.arena.engine import Forfeit, Game, play
from farkel.arena.guard import Batch, Stop
from farkel.arena.job import Job, check_job
from farkel.arena.simulate import Result, batches, raw_games, run, simulate
from farkel.arena.tables import is_table
from farkel.arena.tally import REASONS, Interval, Tally, total, wilson
from farkel.dice.simulated import ArenaDice, ArenaRandom
from farkel.errors import ArenaError
from farkel.players.own import load_player

__all__ = [
    "REASONS",
    "ArenaDice",
    "ArenaError",
    "ArenaRandom",
    "Batch",
    "Forfeit",
    "Game",
    "Interval",
    "Job",
    "Result",
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
