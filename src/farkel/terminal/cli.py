"""The command line: the list of its commands. Heavy parts are imported when a command runs: ``--help`` is quick."""

from __future__ import annotations

import io
import sys

import click

from farkel import __version__
from farkel.terminal.command import Farkel
from farkel.terminal.commands.help import completion, help_
from farkel.terminal.commands.learn.advise import advise
from farkel.terminal.commands.learn.chart import chart
from farkel.terminal.commands.learn.odds import odds
from farkel.terminal.commands.learn.race import race
from farkel.terminal.commands.learn.review import review
from farkel.terminal.commands.learn.solve import solve
from farkel.terminal.commands.learn.turn import turn
from farkel.terminal.commands.measure.bench import bench
from farkel.terminal.commands.measure.dice import dice
from farkel.terminal.commands.measure.exploit import exploit
from farkel.terminal.commands.measure.regret import regret
from farkel.terminal.commands.measure.simulate import simulate
from farkel.terminal.commands.measure.tournament import tournament
from farkel.terminal.commands.play.games import games
from farkel.terminal.commands.play.play import play
from farkel.terminal.commands.play.replay import replay
from farkel.terminal.commands.play.verify import verify
from farkel.terminal.commands.play.watch import watch
from farkel.terminal.commands.rules.rules import rules
from farkel.terminal.commands.rules.score import score
from farkel.terminal.commands.serve.bot import bot
from farkel.terminal.commands.serve.mcp import mcp
from farkel.terminal.commands.serve.page import page
from farkel.terminal.commands.serve.serve import serve

COMMANDS: dict[str, tuple[click.Command, ...]] = {
    "play": (play, games, watch, replay, verify),
    "rules": (rules, score),
    "learn": (advise, review, chart, odds, turn, race, solve),
    "measure": (simulate, tournament, bench, regret, exploit, dice),
    "serve": (serve, page, bot, mcp),
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
