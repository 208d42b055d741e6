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
from farkel.terminal.commands.settings import settings

COMMANDS: dict[str, dict[click.Command, str]] = {
    "Play": {
        play: "Play a game",
        games: "List and resume games",
        watch: "Watch a saved game",
        replay: "Read a saved game",
        verify: "Check a record's dice",
    },
    "Rules": {
        rules: "Read rule sets",
        score: "Score a roll",
    },
    "Learn": {
        advise: "Ask for the best move",
        review: "Find your mistakes",
        chart: "Print a card to play by",
        odds: "Chances of a roll",
        turn: "Best play for points",
        race: "Fewest turns to win",
    },
    "Study": {
        solve: "Solve a game exactly",
        simulate: "Play many games",
        tournament: "Let bots compete",
        bench: "Grade your own agent",
        regret: "See what bots give away",
        exploit: "Beat a bot you know",
        dice: "Test dice for fairness",
    },
    "Serve": {
        serve: "Play in browsers",
        page: "Make a page of the game",
        bot: "Seat a bot on a server",
        mcp: "Seat an AI assistant",
    },
    "Help": {
        settings: "Your defaults and files",
        help_: "Explain a command",
        completion: "Finish words with Tab",
    },
}
"""The commands by what people come for, and a short line for each."""


@click.group(
    cls=Farkel,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="farkel", message="%(prog)s %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Farkel: the dice game Farkle, under any house rules.

    Start with: farkel play
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a name that the terminal cannot write stops no game
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # typed bytes that are no text are refused as what they are
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


main.add_groups(COMMANDS)
