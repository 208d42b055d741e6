"""The command line. Heavy parts are imported by the command that needs them, so that ``farkel --help`` is quick."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from farkel import __version__
from farkel.errors import FarkelError
from farkel.terminal import streams
from farkel.terminal.command import Group
from farkel.terminal.commands.bench import bench
from farkel.terminal.commands.dice import dice
from farkel.terminal.commands.games import games
from farkel.terminal.commands.help import completion, help_
from farkel.terminal.commands.mcp import mcp
from farkel.terminal.commands.play import play
from farkel.terminal.commands.serve import bot, serve
from farkel.terminal.commands.watch import watch
from farkel.terminal.options import (
    GAME,
    chosen_rules,
    complete_rules,
    json_option,
    limit_option,
    machines_options,
    rules_options,
)
from farkel.terminal.streams import STOPPED


class Farkel(Group):
    """A group whose commands report user errors in one message, without a traceback."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        run: Callable[..., Any] = partial(super().main, standalone_mode=False)
        return streams.ended(lambda: run(*args, **extra)) if standalone_mode else run(*args, **extra)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with streams.told_if_unread():  # --help is printed here
            return super().make_context(*args, **extra)

    def invoke(self, context: click.Context) -> Any:
        try:
            with streams.told_if_unread():
                return super().invoke(context)
        except FarkelError as error:
            raise click.ClickException(error.message) from None


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


@main.command()
@click.argument("name", required=False, shell_complete=complete_rules)
@click.option(
    "--set", "changes", metavar="FIELD=VALUE", multiple=True, help="Change one field: target=5000. Repeatable."
)
@click.option(
    "--search",
    "asked",
    metavar="WORDS",
    help='List only matching sets: a name, game, language or rule, such as "lives" or "German five dice".',
)
@click.option(
    "--toml", "as_toml", is_flag=True, help="Print every field as TOML with explanations, to start your own rules from."
)
@click.option("--json", "as_json", is_flag=True, help="Print every field as JSON.")
def rules(name: str | None, changes: tuple[str, ...], asked: str | None, as_toml: bool, as_json: bool) -> None:
    """List the rule sets, or print one as a sheet to read aloud at the table."""
    from farkel.rules import is_file, sheet, to_json, to_toml
    from farkel.terminal.commands.rules import listed, listed_json

    if as_toml and as_json:
        raise click.UsageError("--toml or --json, not both")
    if asked is not None and (name is not None or changes or as_toml):
        raise click.UsageError("--search lists rule sets: leave out NAME, --set and --toml")
    if name is None and not changes and not as_toml:
        click.echo(listed_json(asked) if as_json else listed(asked))
        return
    chosen = chosen_rules(name, changes)
    if as_toml:
        click.echo(to_toml(chosen), nl=False)
    elif as_json:
        click.echo(to_json(chosen))
    else:
        file = Path(name).name if name is not None and is_file(name) else ""
        click.echo(sheet(chosen, file).text(), nl=False)


@main.command()
@click.argument("roll", nargs=-1)
@rules_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per roll.")
@click.option("--all", "every", is_flag=True, help="Print every distinct roll, from one die to all dice.")
def score(roll: tuple[str, ...], rules: str | None, changes: tuple[str, ...], as_json: bool, every: bool) -> None:
    """Show the score of a roll and every legal keep: farkel score 112345"""
    from farkel.dice import parse_roll
    from farkel.game.scoring import score_table
    from farkel.terminal.commands.score import roll_json, roll_line, roll_text

    if bool(roll) == every:
        raise click.UsageError("give a roll, such as 112345, or --all")
    chosen = chosen_rules(rules, changes)
    if every:
        for scored in score_table(chosen):
            click.echo((roll_json if as_json else roll_line)(chosen, scored.roll))
        return
    faces = parse_roll("".join(roll), chosen.dice)
    if not faces:
        raise click.UsageError("a roll has at least one die, such as 112345")
    click.echo((roll_json if as_json else roll_text)(chosen, faces))


@main.command()
@click.argument("record", type=GAME)
def replay(record: Path) -> None:
    """Show a recorded game, as far as the record is intact."""
    from farkel.records import read
    from farkel.terminal.commands.score import game_text

    game = read(record)
    click.echo(game_text(game), nl=False)
    if game.problem is not None:
        raise click.ClickException(f"{record}: {game.problem.message}")


@main.command()
@click.argument("record", type=GAME)
def verify(record: Path) -> None:
    """Check every event of a record against the rules, and its dice against the revealed secret."""
    from farkel.game.story import ending
    from farkel.records import read
    from farkel.records import verify as check

    game = read(record)
    try:
        for said in check(game):
            click.echo(f"ok  {said}")
    except FarkelError as error:
        raise click.ClickException(f"{record}: {error.message}") from None
    if game.state.over:
        click.echo(f"ok  {ending(game.state, game.header.names)}")
    else:
        click.echo("ok  The game is not over; go on with: farkel play --resume " + str(record))


@main.command(needs="know")
@rules_options
@json_option
def odds(rules: str | None, changes: tuple[str, ...], as_json: bool) -> None:
    """Show the exact chances of one roll.

    For each number of dice: the chances of a farkle and of hot dice, and the average points if you take the most. A
    farkle counts as 0.
    """
    from farkel.terminal.progress import odds_json, odds_text

    chosen = chosen_rules(rules, changes)
    from farkel.solve import odds as chances

    found = chances(chosen)
    click.echo(odds_json(found) if as_json else odds_text(chosen, found))


@main.command(needs="know")
@rules_options
@json_option
def turn(rules: str | None, changes: tuple[str, ...], as_json: bool) -> None:
    """Show the best play for points.

    Prints the average points of the best turn and, for each number of dice left, the turn total from which to bank.
    """
    from farkel.terminal.progress import turn_json, turn_text, working

    chosen = chosen_rules(rules, changes)
    with working("turn"):
        from farkel.solve import best_turn

        found = best_turn(chosen)
    click.echo(turn_json(found) if as_json else turn_text(chosen, found))


@main.command(needs="know")
@rules_options
@json_option
def race(rules: str | None, changes: tuple[str, ...], as_json: bool) -> None:
    """Calculate the fewest turns to the target for one player."""
    from farkel.terminal.progress import race_json, race_text, working

    chosen = chosen_rules(rules, changes)
    with working("race") as progress:
        from farkel.solve import best_race

        found = best_race(chosen, progress)
    click.echo(race_json(found) if as_json else race_text(chosen, found))


@main.command(needs="know")
@rules_options
@json_option
@click.option("--seats", type=click.IntRange(2, 3), default=2, help="Number of players: 2 (default) or 3.")
@click.option("--fresh", is_flag=True, help="Solve again, even if a solution is stored.")
def solve(rules: str | None, changes: tuple[str, ...], as_json: bool, seats: int, fresh: bool) -> None:
    """Solve the game of two or three players.

    Prints each player's chance of winning if all play perfectly. With three players each maximises their own chance,
    and the result is an equilibrium. The solution is stored, so that everything that needs it later is quick. A long
    calculation that you stop continues the next time.
    """
    from farkel.terminal.progress import solve_json, solve_text, trio_json, trio_text, working

    chosen = chosen_rules(rules, changes)
    if seats == 3:
        with working("solving") as progress:
            from farkel.solve import trio

            three = trio(chosen, progress, fresh=fresh)
        click.echo(trio_json(three) if as_json else trio_text(three))
        return
    with working("solving") as progress:
        from farkel.solve import duel

        found = duel(chosen, progress, fresh=fresh)
    click.echo(solve_json(found) if as_json else solve_text(found))


@main.command(needs="know")
@rules_options
@click.option("--scores", metavar="LIST", required=True, help="Banked points, yours first, in the order of play.")
@click.option(
    "--turn",
    "total",
    metavar="POINTS",
    type=int,
    default=0,
    help="Turn total: points kept in this turn and not banked.",
)
@click.option("--roll", metavar="FACES", help="Your roll: 152233.")
@click.option("--dice", metavar="N", type=int, help="Dice left, to ask whether to roll or bank (without --roll).")
@click.option("--offer", metavar="POINTS:DICE", help="Points and dice on offer from the player before you: 350:2.")
@click.option("--idle", metavar="N", type=int, default=0, help="Unused dice: dice on offer that you did not buy.")
@click.option("--lives", metavar="LIST", help="Lives left, in the order of --scores (default: all).")
@click.option("--on-board", metavar="LIST", help="Who is on the board: yes,no (default: players with points).")
@click.option("--farkles", metavar="LIST", help="Farkles in a row so far, if they cost a penalty: 1,0.")
@click.option("--last-turn", is_flag=True, help="These are the last turns (known if a score is at the target).")
@click.option(
    "--first", metavar="N", type=int, help="Number of the score that started the game, if rounds are counted."
)
@click.option("--rounds-left", metavar="N", type=int, help="Rounds left, including this one, if they are counted.")
@click.option("--hot", metavar="N", type=int, default=0, help="Hot dice so far in this turn, if they multiply.")
@json_option
def advise(
    rules: str | None,
    changes: tuple[str, ...],
    scores: str,
    total: int,
    roll: str | None,
    dice: int | None,
    offer: str | None,
    idle: int,
    lives: str | None,
    on_board: str | None,
    farkles: str | None,
    last_turn: bool,
    first: int | None,
    rounds_left: int | None,
    hot: int,
    as_json: bool,
) -> None:
    """Rank every legal decision by winning chance.

    \b
    farkel advise --scores 4500,6200 --turn 350 --roll 152233
    farkel advise --scores 4500,6200 --turn 300 --dice 3
    farkel advise --rules build-on --scores 4500,6200 --offer 350:2
    farkel advise --rules original --scores 45000,62000 --offer 17000:2
    """  # noqa: D301  click reads the character, not its escape
    from farkel.coach import advise as advice
    from farkel.coach import position
    from farkel.terminal import progress as know

    chosen = chosen_rules(rules, changes)
    state = position(
        chosen,
        scores=know.numbers(scores, "--scores"),
        turn=total,
        roll=None if roll is None else know.faces(roll),
        dice=dice,
        offer=None if offer is None else know.offer(offer),
        idle=idle,
        hot=hot,
        lives=None if lives is None else know.numbers(lives, "--lives"),
        on_board=None if on_board is None else know.answers(on_board, "--on-board"),
        farkles=None if farkles is None else know.numbers(farkles, "--farkles"),
        last_turn=last_turn,
        first=None if first is None else first - 1,
        rounds_left=rounds_left,
    )
    know.decidable(state)
    with know.working("solving") as progress:
        from farkel.solve import best_turn, evaluator

        found = advice(evaluator(chosen, [seat.people for seat in state.seats], progress), best_turn(chosen), state)
    click.echo(know.advise_json(found) if as_json else know.advise_text(found))


@main.command(needs="know")
@click.argument("record", type=GAME)
@click.option("--all", "every", is_flag=True, help="List every decision, not only mistakes.")
@click.option(
    "--plot", metavar="FILE", type=click.Path(path_type=Path), help="Draw the winning chances: .svg, .png or .pdf."
)
@json_option
def review(record: Path, every: bool, plot: Path | None, as_json: bool) -> None:
    """Review a recorded game: mistakes, and luck apart from skill.

    A decision is graded by the winning chance that it gives away: an inaccuracy from 0.5 percentage points, a mistake
    from 2, a blunder from 5. If RECORD is a folder, the results of each player in its games, corrected for luck.
    """
    from farkel.terminal.review_text import print_review

    print_review(record, every, plot, as_json)


@main.command(needs="know")
@click.argument("player")
@rules_options
@json_option
def exploit(player: str, rules: str | None, changes: tuple[str, ...], as_json: bool) -> None:
    """Find the play that wins most often against a player, exactly.

    PLAYER is one whose choices are known for every position: turn, cautious, bold, threshold:N or exact.
    """
    from farkel.players import make_player
    from farkel.terminal import progress as know
    from farkel.terminal.commands import regret

    chosen = chosen_rules(rules, changes)
    with know.working("solving") as progress:
        from farkel.coach.policies import followed
        from farkel.solve.evaluation import best_reply, table

        told = table(chosen)
        ends = followed(told, make_player(player), progress).ends
    with know.working("finding the best reply") as progress:
        found = best_reply(told, ends, progress)
    text = regret.exploit_json if as_json else regret.exploit_text
    click.echo(text(chosen, player, found))


@main.command(needs="know")
@rules_options
@click.option("--players", metavar="LIST", required=True, help="Players to measure: turn,cautious or ./mine.py:Greedy.")
@click.option(
    "--games", metavar="N", type=click.IntRange(min=2), default=100, show_default=True, help="Number of games."
)
@click.option("--seed", metavar="N", type=click.IntRange(0, 2**64 - 1), default=0, help="Seed for other games.")
@click.option("--plot", metavar="FILE", type=click.Path(path_type=Path), help="Draw the result: .svg, .png or .pdf.")
@json_option
def regret(
    rules: str | None,
    changes: tuple[str, ...],
    players: str,
    games: int,
    seed: int,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Measure what players give away against perfect play, by kind of decision and stage of the game.

    It is exact for players whose choices are known for every position, such as turn and cautious. Others play --games
    games against perfect play.
    """
    from farkel.terminal import progress as know
    from farkel.terminal.commands import regret

    if plot is not None:
        know.picture(plot)
    chosen = chosen_rules(rules, changes)
    with know.working("solving") as progress:
        from farkel.coach.regret import regrets
        from farkel.players.own import load_player

        found = regrets(chosen, [load_player(name) for name in players.split(",")], games, seed, progress)
    click.echo(regret.regret_json(found) if as_json else regret.regret_text(found))
    if plot is not None:
        from farkel.terminal.plots import regret_figure, save

        save(regret_figure(found), plot)


@main.command(needs="know")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="The same as FILE.")
@rules_options
@click.option("--full", is_flag=True, help="The sheet for analysts: thresholds of best play by scores, on one page.")
@json_option
def chart(
    file: Path | None, output: Path | None, rules: str | None, changes: tuple[str, ...], full: bool, as_json: bool
) -> None:
    """Print a card to play by, or draw it: FILE.pdf, FILE.svg or FILE.png.

    Half a page of easy numbers and sentences, found for the rules, with how often they win against perfect play:
    bot:card plays just so. The first time it takes a minute or two.

    With --full, from the exact solution for two sides: when to bank by dice left and turn total, how the scores shift
    that, and what to take over. Without FILE that is farkel-NAME.pdf in this folder.
    """
    if not full:
        from farkel.terminal.commands.chart import print_guide

        print_guide(rules, changes, file, output, as_json)
        return
    from farkel.coach.chart import make_card
    from farkel.terminal.progress import card_json, picture, working

    if file is not None and output is not None:
        raise click.UsageError("give FILE or --output, not both")
    chosen = chosen_rules(rules, changes)
    path = file or output or Path(f"farkel-{chosen.name}.pdf")
    if not as_json:
        picture(path)
    with working("solving") as progress:
        from farkel.solve import best_turn, duel
        from farkel.solve import odds as chances

        solved = duel(chosen, progress)
    with working("calculating the card") as progress:
        card = make_card(chosen, solved, best_turn(chosen), chances(chosen), progress)
    if as_json:
        click.echo(card_json(card))
        return
    from farkel.terminal.plots import card_figure, save

    save(card_figure(card), path)
    click.echo(f"The card is in {path}")


@main.command(needs="know")
@rules_options
@click.option("--players", metavar="LIST", required=True, help="Players: turn,cautious or ./mine.py:Greedy,turn.")
@click.option(
    "--games", metavar="N", type=click.IntRange(min=1), default=10_000, show_default=True, help="Number of games."
)
@click.option("--seed", metavar="N", type=click.IntRange(0, 2**64 - 1), help="Seed that repeats the same games.")
@click.option("--people", metavar="LIST", help="Number of people in each player's team: 2,2 (default: one).")
@limit_option
@click.option("--plot", metavar="FILE", type=click.Path(path_type=Path), help="Draw the result: .svg, .png or .pdf.")
@click.option("--parquet", metavar="FILE", type=click.Path(path_type=Path), help="Save every game as a row.")
@machines_options
@json_option
def simulate(
    rules: str | None,
    changes: tuple[str, ...],
    players: str,
    games: int,
    seed: int | None,
    people: str | None,
    limit: float,
    plot: Path | None,
    parquet: Path | None,
    threads: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Play many games and sum up the results.

    Players are cautious, bold, threshold:N, random, turn, exact and race, and classes in Python files of your own:
    ./mine.py:Greedy. They change seats from game to game, so nobody gains by going first. One of your own that
    raises, stalls or breaks the rules loses that game, and the reason is shown. Ctrl-C shows what there is so far.

    \b
    farkel simulate --players turn,cautious --games 1000000 --seed 7
    farkel simulate --rules kcd --players turn,bold,random --plot games.svg
    """  # noqa: D301  click reads the character, not its escape
    from contextlib import ExitStack
    from secrets import randbits

    from farkel.terminal.progress import numbers, picture, working

    chosen = chosen_rules(rules, changes)
    if plot is not None:
        picture(plot)
    from farkel.simulation import Job, check_job
    from farkel.terminal.commands import simulate
    from farkel.terminal.output import result_only, whole

    job = Job(
        str(chosen),
        tuple(name.strip() for name in players.split(",")),
        randbits(32) if seed is None else seed,
        0,
        games,
        () if people is None else numbers(people, "--people"),
        limit,
    )
    with ExitStack() as stack:
        stack.enter_context(result_only())
        check_job(job)
        drawn = None if plot is None else stack.enter_context(whole(plot))
        sinks = []
        if parquet is not None:
            sinks.append(stack.enter_context(simulate.parquet(stack.enter_context(whole(parquet)), chosen, job)))
        with working("playing") as progress, simulate.source(threads or 0, cluster) as machines:
            result = simulate.simulated(chosen, job, machines, progress, sinks)
        if drawn is not None:
            from farkel.terminal.plots import draw

            draw(simulate.simulation_figure(result), drawn)
    click.echo(simulate.simulation_json(result, games) if as_json else simulate.simulation_text(result, games))
    if not result.complete:
        sys.exit(STOPPED)


@main.command(needs="know")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--store",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="File that stores the games (default: FILE.sqlite).",
)
@click.option("--results", is_flag=True, help="Show the results so far and play nothing.")
@click.option("--plot", metavar="FILE", type=click.Path(path_type=Path), help="Draw the result: .svg, .png or .pdf.")
@machines_options
@json_option
def tournament(
    file: Path,
    store: Path | None,
    results: bool,
    plot: Path | None,
    threads: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Play a tournament: who wins against whom.

    FILE.toml says who plays, under which rules and how often, each against each or in Swiss rounds; docs/arena.md
    explains it key by key. Every game is kept in FILE.sqlite. If it stops, the same command
    continues.

    \b
    players = ["turn", "cautious", "./mine.py:Greedy"]
    rules = ["extended", "kcd(target=5000)"]
    games = 1000
    """  # noqa: D301  click reads the character, not its escape
    from farkel.terminal.progress import picture

    if plot is not None:
        picture(plot)
    from farkel.terminal.commands import tournament
    from farkel.terminal.output import result_only
    from farkel.tournament.plan import read_plan

    path = store or tournament.games_path(file)
    if results:
        found = tournament.looked(path)
    else:
        with result_only():
            found = tournament.played(path, read_plan(file), file.parent, threads or 0, cluster)
    click.echo(tournament.report_json(found) if as_json else tournament.report_text(found, path))
    if plot is not None:
        from farkel.terminal.plots import save

        save(tournament.report_figure(found), plot)
    if not (results or found.complete):
        click.echo("Stopped. The same command continues from here.", err=True)
        sys.exit(STOPPED)


main.add_command(play)
main.add_command(bench)
main.add_command(games)
main.add_command(watch)
main.add_command(help_)
main.add_command(completion)
main.add_command(dice)
main.add_command(mcp)
main.add_command(serve)
main.add_command(bot)
