"""The command line: the list of its commands. Heavy parts are imported when a command runs: ``--help`` is quick."""

from __future__ import annotations

import io
import sys

import click

from farkel import __version__
from farkel.terminal.command import Farkel
from farkel.terminal.commands.advise import advise
from farkel.terminal.commands.bench import bench
from farkel.terminal.commands.bot import bot
from farkel.terminal.commands.chart import chart
from farkel.terminal.commands.dice import dice
from farkel.terminal.commands.exploit import exploit
from farkel.terminal.commands.games import games
from farkel.terminal.commands.help import completion, help_
from farkel.terminal.commands.mcp import mcp
from farkel.terminal.commands.odds import odds
from farkel.terminal.commands.play import play
from farkel.terminal.commands.race import race
from farkel.terminal.commands.regret import regret
from farkel.terminal.commands.replay import replay
from farkel.terminal.commands.review import review
from farkel.terminal.commands.rules import rules
from farkel.terminal.commands.score import score
from farkel.terminal.commands.serve import serve
from farkel.terminal.commands.simulate import simulate
from farkel.terminal.commands.solve import solve
from farkel.terminal.commands.tournament import tournament
from farkel.terminal.commands.turn import turn
from farkel.terminal.commands.verify import verify
from farkel.terminal.commands.watch import watch

COMMANDS: dict[str, tuple[click.Command, ...]] = {
    "play": (play, games, watch, replay, verify),
    "rules": (rules, score),
    "learn": (advise, review, chart, odds, turn, race, solve),
    "measure": (simulate, tournament, bench, regret, exploit, dice),
    "serve": (serve, bot, mcp),
    "help": (help_, completion),
}
"""The commands by what people come for."""


@click.group(cls=Farkel, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="farkel", message="%(prog)s %(version)s")
def main() -> None:
    """Farkel: the dice game Farkle in all its forms, under any house rules.

    Start with: farkel play

    Exit status: 0 done, 1 failed, 2 wrong usage, 130 stopped from the keyboard, 141 nothing reads the output.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a name that the terminal cannot write stops no game
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # typed bytes that are no text are refused as what they are


for group in COMMANDS.values():
    for command in group:
        main.add_command(command)
