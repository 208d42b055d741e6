"""``farkel simulate``: many games of players, summed up."""

from __future__ import annotations

import json
import signal
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import accumulate, pairwise
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from farkel.support.progress import Progress
from farkel.support.words import counted
from farkel.terminal.command import Command
from farkel.terminal.fitting import prose
from farkel.terminal.options import (
    chosen_rules,
    json_option,
    limit_option,
    machines_options,
    numbers,
    plot_option,
    rules_options,
)
from farkel.terminal.output import result_only, show, table, whole
from farkel.terminal.plots import DASHES, check_picture, draw, label, titled_page
from farkel.terminal.progress import working
from farkel.terminal.streams import STOPPED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from farkel.rules import Rules
    from farkel.simulation import Batch, Forfeit, Interval, Job, SimulationResult, Tally
    from farkel.simulation.matches import Source

    Sink = Callable[[Batch], None]

ROWS = 12
"""About as many lines show how the points of a turn are spread."""
MOST = 0.995
"""Turns that these lines show one by one; the rest is in the last line."""
GROUP = 1 << 16
"""Games of a row group of a Parquet file, at least."""
OF_A_TURN = ("turns", "points_mean", "points_error", "farkle_rate", "throws_mean", "hot_dice_rate", "lost_mean")
"""What a tally says of the turns of a player, as `Tally` calls it."""
FORFEITS_SHOWN = 5


@click.command(cls=Command)
@rules_options
@click.option(
    "--players", metavar="LIST", required=True, help="Players, such as turn,cautious or ./mine.py:Greedy,turn."
)
@click.option(
    "--games", metavar="N", type=click.IntRange(min=1), default=10_000, show_default=True, help="Number of games."
)
@click.option("--seed", metavar="N", type=click.IntRange(0, 2**64 - 1), help="Seed that repeats the same games.")
@click.option("--people", metavar="LIST", help="Number of people in each player's team: 2,2 (default: one).")
@limit_option("players in Python files")
@plot_option("the result")
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
    """
    from secrets import randbits

    chosen = chosen_rules(rules, changes)
    check_picture(plot)
    from farkel.simulation import Job, check_job

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
            sinks.append(stack.enter_context(_parquet(stack.enter_context(whole(parquet)), chosen, job)))
        with working("Playing games") as progress, source(threads, cluster) as machines:
            result = simulated(chosen, job, machines, progress, sinks)
        if drawn is not None:
            draw(_figure(result), drawn)
    show(_content(result, games) if as_json else _text(result, games))
    if not result.complete:
        sys.exit(STOPPED)


# Playing -------------------------------------------------------------------------------------------------------------


@contextmanager
def source(threads: int | None, cluster: str | None) -> Iterator[Source]:
    """Yield where games are played: here, or on a cluster."""
    from farkel.simulation.matches import locally

    if cluster is None:
        yield locally(threads or 0)
        return
    from farkel.simulation.cluster import connected

    with connected(cluster, lambda text: print(text, file=sys.stderr)) as machines:  # noqa: T201
        yield machines


def simulated(
    rules: Rules, job: Job, machines: Source, progress: Progress, sinks: Sequence[Sink] = ()
) -> SimulationResult:
    """Return the results of the job's games; sinks get them raw.

    Ctrl-C ends it early: then every sink has the games of the result, and no more.
    """
    from farkel.simulation.matches import summed_up

    def take(batch: Batch) -> None:
        for sink in sinks:
            sink(batch)

    with closing(machines([job], bool(sinks))) as found:
        batches = (batch for _, batch in found)
        return summed_up(rules, job, batches, take, lambda tally: progress(tally.games, job.games), _undisturbed)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let Ctrl-C wait for the end of the block."""
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


# For people ----------------------------------------------------------------------------------------------------------


def _text(result: SimulationResult, games: int) -> str:
    """Return wins, turns and lengths in tables; ``games``: as many were asked for."""
    from farkel.simulation.tally import FORFEITS

    tally = result.tally
    head = f"{' against '.join(result.players)} under {result.rules}, seed {result.seed}"
    speed = f"in {result.seconds:,.1f} s, {result.games_per_second:,.0f} a second"
    if not result.complete:
        played = f"Stopped after {tally.games:,} of {games:,} games {speed}"
    else:
        played = f"{counted(tally.games, 'game', 'games')} {speed}"
    if not tally.games:
        return f"{head}\nStopped before the first game was over."
    parts = [f"{head}\n{played}", _wins_text(result), _turns_text(result), _spread_text(result), _lengths_text(tally)]
    forfeits = [tally.count(player, FORFEITS) for player in range(tally.players)]
    if any(forfeits):
        parts.append("\n".join(forfeit_lines(result.players, forfeits, result.forfeits)))
    return "\n\n".join(parts)


def _wins_text(result: SimulationResult) -> str:
    tally, games = result.tally, result.tally.games
    shared = any(tally.shared)
    rows = [["", "wins", "", "95%", *(["shared"] if shared else [])]]
    for name, wins, rate, interval, both in zip(
        result.players, tally.wins, tally.win_rates, tally.intervals, tally.shared, strict=True
    ):
        number = f"{wins:,.0f}" if wins == int(wins) else f"{wins:,.2f}"
        rows.append([name, number, f"{rate:.2%}", _interval(interval), *([f"{both:,}"] if shared else [])])
    if tally.nobody:
        rows.append(["nobody", f"{tally.nobody:,}", f"{tally.nobody / games:.2%}", *([""] * (len(rows[0]) - 3))])
    lines = [table(rows, "<>>>>"[: len(rows[0])])]
    if len(result.players) > 1:
        started = f"{tally.order_rates[0]:.2%} ({_interval(tally.order_intervals[0])})"
        even = "Players change seats from game to game, so nobody gains by going first."
        lines += ["", fill(f"{even} The player who started won {started}.", prose())]
    return "\n".join(lines)


def _turns_text(result: SimulationResult) -> str:
    from farkel.simulation.tally import LOST, OFFERS, TAKEN, Z

    tally = result.tally
    players = range(tally.players)
    columns = {
        "per turn": list(result.players),
        "points, 95%": [f"{tally.points_mean(p):,.1f} ± {Z * tally.points_error(p):,.1f}" for p in players],
        "farkles": [f"{tally.farkle_rate(p):.2%}" for p in players],
        "rolls": [f"{tally.throws_mean(p):.2f}" for p in players],
        "hot dice": [f"{tally.hot_dice_rate(p):.2%}" for p in players],
    }
    if any(tally.count(p, LOST) for p in players):
        columns["points lost"] = [f"{tally.lost_mean(p):,.1f}" for p in players]
    if any(tally.count(p, OFFERS) for p in players):
        columns["offers taken"] = [_part(tally.count(p, TAKEN), tally.count(p, OFFERS)) for p in players]
    return table([list(columns), *zip(*columns.values(), strict=True)], "<" + ">" * (len(columns) - 1))


def _spread_text(result: SimulationResult) -> str:
    """Return how the points of a turn are spread: a line a range, a column a player."""
    from farkel.simulation.tally import BINS

    tally = result.tally
    found = _shares(tally.turn_points)
    step = _step(tally.turn_points)
    edges = [0, *range(1, _enough(tally.turn_points) + 1, step)]
    rows = [["points per turn", *result.players]]
    for low, high in zip(edges, [*edges[1:], BINS], strict=True):
        last = high == BINS
        first, end = low * tally.unit, (high - 1) * tally.unit
        label = "nothing" if not low else f"{first:,} or more" if last else f"{first:,}"
        label = label if last or first == end else f"{first:,} to {end:,}"
        rows.append([label, *(f"{sum(share[low:high]):.2%}" for share in found)])
    return table(rows, "<" + ">" * tally.players)


def _lengths_text(tally: Tally) -> str:
    low, quarter, middle, three, high = (_quantile(tally.lengths, part) for part in (0.05, 0.25, 0.5, 0.75, 0.95))
    ends = ", ".join(f"{name.replace('_', ' ')} {number / tally.games:.2%}" for name, number in tally.reasons.items())
    return (
        f"Turns per game, all players: {tally.turns_mean:,.2f} on average, median {middle}; "
        f"half of the games take {quarter} to {three}, nine in ten {low} to {high}.\nHow games ended: {ends}."
    )


def forfeit_lines(players: Sequence[str], each: Sequence[int], forfeits: Sequence[Forfeit]) -> list[str]:
    """Return how many games each player forfeited, and the first reasons."""
    lines = [
        f"{name} forfeited {counted(number, 'game', 'games')}."
        for name, number in zip(players, each, strict=True)
        if number
    ]
    lines += [f"  game {one.game}: {one.reason}" for one in forfeits[:FORFEITS_SHOWN]]
    return lines if len(forfeits) <= FORFEITS_SHOWN else [*lines, "  ..."]


def _interval(interval: Interval) -> str:
    return f"{interval.low:.2%} to {interval.high:.2%}"


def _part(number: int, of: int) -> str:
    return f"{number / of:.2%}" if of else "–"


def _shares(counts: list[list[int]]) -> list[list[float]]:
    """Return [player][units]: the part of the turns of each player."""
    return [[number / max(1, sum(row)) for number in row] for row in counts]


def _enough(counts: list[list[int]]) -> int:
    """Return the units that nearly all turns stay within."""
    return max(1, _quantile([*map(sum, zip(*counts, strict=True))], MOST))


def _step(counts: list[list[int]]) -> int:
    """Return units of a line, so that there are about as many as wanted."""
    wanted = _enough(counts) / ROWS
    steps: list[int] = [digit * 10**power for power in range(4) for digit in (1, 2, 5)]
    return next(step for step in steps if step >= wanted)


def _quantile(counts: list[int], part: float) -> int:
    """Return the first place up to which there is that part of all."""
    return bisect_left([*accumulate(counts)], part * sum(counts))


# For programs --------------------------------------------------------------------------------------------------------


def _content(result: SimulationResult, games: int) -> dict[str, Any]:
    """Return what `SimulationResult.data` has, and more, all in the order of the players."""
    from farkel.simulation.tally import FORFEITS, OFFERS, TAKEN

    tally = result.tally
    players = range(tally.players)
    return result.data() | {
        "complete": result.complete,
        "asked": games,
        "rules": str(result.rules),
        "digest": result.rules.digest,
        "players": list(result.players),
        "seed": result.seed,
        "win_rates": list(tally.win_rates),
        "outright": list(tally.outright),
        "shared": list(tally.shared),
        "nobody": tally.nobody,
        "order_rates": list(tally.order_rates),
        "order_intervals": [list(interval) for interval in tally.order_intervals],
        "turns": [
            {
                **{name: getattr(tally, name)(player) for name in OF_A_TURN},
                "offers": tally.count(player, OFFERS),
                "taken": tally.count(player, TAKEN),
            }
            for player in players
        ],
        "reasons": tally.reasons,
        "turn_points": {"unit": tally.unit, "turns": [_trimmed(tally.turn_points[player]) for player in players]},
        "lengths": _trimmed(tally.lengths),
        "forfeits": [tally.count(player, FORFEITS) for player in players],
        "forfeited": [one._asdict() for one in result.forfeits],
    }


def _trimmed(counts: list[int]) -> list[int]:
    """Return counts without the zeros at their end."""
    return counts[: max((place + 1 for place, number in enumerate(counts) if number), default=0)]


# A picture -----------------------------------------------------------------------------------------------------------


def _figure(result: SimulationResult) -> Figure:
    """Return wins with their intervals, the points of a turn and the lengths of games. Readable in black and white."""
    names = " against ".join(result.players if len(set(result.players)) <= 3 else ("many",))
    games = counted(result.tally.games, "game", "games")
    figure = titled_page(10, 8, f"{names}: {games} under {result.rules.name}, seed {result.seed}")
    wins, points, lengths = figure.subplots(3, 1, height_ratios=(0.4 + 0.25 * len(result.players), 2, 1.4))
    _draw_wins(wins, result)
    _draw_points(points, result)
    _draw_lengths(lengths, result.tally)
    for axes in (wins, points, lengths):
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def _draw_wins(axes: Axes, result: SimulationResult) -> None:
    tally = result.tally
    places = range(tally.players)
    rates = tally.win_rates
    errors = [
        [rate - interval.low for rate, interval in zip(rates, tally.intervals, strict=True)],
        [interval.high - rate for rate, interval in zip(rates, tally.intervals, strict=True)],
    ]
    axes.barh(places, rates, color="0.8", edgecolor="black", xerr=errors, capsize=4)
    axes.set_yticks(places, result.players)
    axes.invert_yaxis()
    axes.axvline(1 / tally.players, color="0.4", linewidth=0.8, linestyle=":")
    axes.xaxis.set_major_formatter("{x:.0%}")
    axes.set_xlabel("games won, with 95% intervals")


def _draw_points(axes: Axes, result: SimulationResult) -> None:
    tally = result.tally
    step, most = _step(tally.turn_points), _enough(tally.turn_points)
    edges = [0, *range(1, most + 1 + step, step)]
    for player, share in enumerate(_shares(tally.turn_points)):
        parts = [sum(share[low:high]) for low, high in pairwise(edges)]
        starts = [(edge - 1) * tally.unit if edge else -step * tally.unit for edge in edges]
        line, name = DASHES[player % len(DASHES)], label(result.players[player])
        axes.stairs(parts, starts, color="black", linestyle=line, linewidth=1.3, label=name)
    axes.legend(frameon=False)
    axes.yaxis.set_major_formatter("{x:.0%}")
    axes.set_ylabel("turns")
    axes.set_xlabel(f"points per turn, in steps of {step * tally.unit:,}; below 0: nothing, as on a farkle")


def _draw_lengths(axes: Axes, tally: Tally) -> None:
    from farkel.simulation.tally import LENGTHS

    most = min(LENGTHS - 1, _quantile(tally.lengths, MOST) + 1)
    least = _quantile(tally.lengths, 1 - MOST)
    parts = [number / max(1, tally.games) for number in tally.lengths[least : most + 1]]
    edges = [turns - 0.5 for turns in range(least, most + 2)]
    axes.stairs(parts, edges, fill=True, color="0.7")
    axes.axvline(tally.turns_mean, color="black", linewidth=1, linestyle="--")
    axes.yaxis.set_major_formatter("{x:.1%}")
    axes.set_ylabel("games")
    axes.set_xlabel(f"turns per game, all players; dashed: {tally.turns_mean:,.1f} on average")


# The games themselves ------------------------------------------------------------------------------------------------


@contextmanager
def _parquet(path: Path, rules: Rules, job: Job) -> Iterator[Sink]:
    """Return what takes batches into a Parquet file: a row a game, rules, players and seed in its metadata.

    Columns: ``game``; ``winners``, a bit for each player, the first being 1; ``reason``; ``first``, the player with
    the first turn; ``turns`` and ``throws`` of all players; ``score_0``, ``score_1``, ... in points.
    """
    from farkel.support.extras import needs

    needs("parquet", "--parquet")
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    from farkel.dice.simulated import DERIVATION
    from farkel.simulation import REASONS, raw_games

    small = {"winners": pa.uint8(), "first": pa.uint8(), "turns": pa.int32(), "throws": pa.int32()}
    names = ["game", "winners", "reason", "first", "turns", "throws", *(f"score_{p}" for p in range(len(job.players)))]
    reasons = pa.dictionary(pa.int8(), pa.string())
    types = {"game": pa.uint64(), "reason": reasons} | small
    schema = pa.schema(
        [(name, types.get(name, pa.int64())) for name in names],
        metadata={
            "rules": str(rules),
            "players": json.dumps(job.names),
            "seed": str(job.seed),
            "derivation": DERIVATION,
        },
    )
    ways = pa.array(REASONS)
    waiting: list[Any] = []

    def write(writer: Any) -> None:
        rows = np.concatenate(waiting)
        waiting.clear()
        columns = [
            pa.DictionaryArray.from_arrays(rows[name].astype(np.int8), ways)
            if name == "reason"
            else pa.array(rows[name]).cast(schema.field(name).type)
            for name in names
        ]
        writer.write_table(pa.Table.from_arrays(columns, schema=schema))

    with pq.ParquetWriter(path, schema) as writer:

        def take(batch: Batch) -> None:
            waiting.append(raw_games(batch, len(job.players)))
            if sum(map(len, waiting)) >= GROUP:
                write(writer)

        yield take
        if waiting:
            write(writer)
