"""``farkel bench``: what agents give away against perfect play, under many rule sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from farkel.support.progress import Steps
from farkel.terminal.command import Command
from farkel.terminal.options import json_option, limit_option
from farkel.terminal.output import show, table, whole
from farkel.terminal.progress import working

if TYPE_CHECKING:
    from farkel.bench import Course, JudgedGame, Score, Summary
    from farkel.coach.skill import Estimate
    from farkel.rules import Rules

    Sink = Callable[[str, JudgedGame], None]

SITES = ("http://", "https://")
DRAWN = 10


@click.command(cls=Command)
@click.argument("agents", nargs=-1, required=True, metavar="AGENT...")
@click.option("--rules", metavar="LIST", help="Rule sets, with semicolons between them (default: the catalogue).")
@click.option(
    "--drawn",
    metavar="N",
    type=click.IntRange(0, 1000),
    help=f"House rules to draw (default: {DRAWN}; 0 with --rules).",
)
@click.option(
    "--games",
    metavar="N",
    type=click.IntRange(2, 1_000_000),
    default=20,
    show_default=True,
    help="Games under each rule set.",
)
@click.option(
    "--seed", metavar="N", type=click.IntRange(0, 2**63), default=0, show_default=True, help="Seed of rules and dice."
)
@limit_option("programs and players in Python files")
@click.option("--each", is_flag=True, help="Print every rule set as well.")
@click.option("--decisions", metavar="FILE", type=click.Path(path_type=Path), help="Export every decision: .parquet.")
@json_option
def bench(
    agents: tuple[str, ...],
    rules: str | None,
    drawn: int | None,
    games: int,
    seed: int,
    limit: float,
    each: bool,
    decisions: Path | None,
    as_json: bool,
) -> None:
    """Measure the decisions of agents against perfect play, under the catalogue and under house rules drawn at random.

    AGENT is a bot such as turn or bot:card, a class in a Python file of your own, run:COMMAND for a program that
    speaks JSON lines (docs/training.md), or the address of a Farkel server, on which you let an agent play the seats
    whose links are printed.

    \b
    farkel bench turn ./mine.py:Greedy
    farkel bench "run:node agent.js" --drawn 50 --seed 7
    farkel bench exact --rules extended --games 1000 --decisions exact.parquet
    farkel bench http://127.0.0.1:8000 --rules extended --games 4

    Regret is the winning chance that decisions give away per game. Rule sets that are not solved in seconds are left
    out unless you have solved them with farkel solve.
    """
    from farkel.bench import catalogue, named
    from farkel.bench import drawn as draw

    if decisions is not None and decisions.suffix != ".parquet":
        raise click.UsageError(f"--decisions {decisions}: the file name must end in .parquet")
    courses = []
    with working("Choosing rules"):
        courses.append(catalogue() if rules is None else named([one.strip() for one in rules.split(";")]))
        number = drawn if drawn is not None else DRAWN if rules is None else 0
        if number:
            courses.append(draw(number, seed))
    scores: list[Score] = []
    with _sink(decisions, seed) as sink, working("Playing games") as progress:
        steps = Steps(progress, {_step(agent, course): len(course.rules) for agent in agents for course in courses})
        for agent in agents:
            scores += _measured(agent, courses, games, seed, limit, steps, sink, {one.agent for one in scores})
    found = _summaries(scores, courses)
    show(_content(scores, found, courses, seed) if as_json else _text(scores, found, courses, each))


def _measured(
    spec: str,
    courses: Sequence[Course],
    games: int,
    seed: int,
    limit: float,
    steps: Steps,
    sink: Sink,
    taken: set[str],
) -> list[Score]:
    from farkel.bench import agent_of, measure

    if spec.startswith(SITES):
        from farkel.bench.site import measure_site
        from farkel.support.extras import needs

        needs("web", "farkel bench with a server")
        say = partial(click.echo, err=True)
        return [one for course in courses for one in measure_site(spec, course, games, say, sink)]
    agent = agent_of(spec, limit)
    agent.name = spec if agent.name in taken else agent.name
    try:
        return [
            one
            for course in courses
            for one in measure(agent, course, games, seed, steps.begin(_step(spec, course)), sink)
        ]
    finally:
        agent.close()


def _step(agent: str, course: Course) -> str:
    """Return what is being done while an agent plays a course."""
    return f"{agent}, {course.name}"


@contextmanager
def _sink(path: Path | None, seed: int) -> Iterator[Sink]:
    if path is None:
        yield lambda agent, game: None
        return
    from farkel.bench.data import decisions_file

    with whole(path) as part, decisions_file(part, seed) as take:
        yield take


def _summaries(scores: Sequence[Score], courses: Sequence[Course]) -> list[Summary]:
    from farkel.bench import summary

    found = []
    for agent in dict.fromkeys(one.agent for one in scores):
        for course in courses:
            those = [one for one in scores if (one.agent, one.course) == (agent, course.name)]
            found.append(summary(those, course.sample))
    return found


def _text(scores: Sequence[Score], found: Sequence[Summary], courses: Sequence[Course], each: bool) -> str:
    """Return a table of agents for each course, the best first."""
    parts = []
    for course in courses:
        rows = [["", "regret/game", "95%", "per decision", "best moves", "wins", "forfeits"]]
        those = sorted((one for one in found if one.course == course.name), key=lambda one: one.regret.mean)
        rows += [
            [
                one.agent,
                f"{one.regret.mean:.2%}",
                f"±{one.regret.margin:.2%}",
                f"{one.per_decision:.3%}" if one.decisions else "–",
                f"{one.best:.1%}",
                f"{one.wins:.1%}",
                f"{one.forfeits:,}",
            ]
            for one in those
        ]
        head = f"{course}, {those[0].games:,} games per agent"
        parts.append(f"{head}\n\n{table(rows, '<>>>>>>')}")
        if each:
            parts += [_each(rules, [one for one in scores if one.rules == rules]) for rules in course.rules]
    parts.append(
        "Regret: winning chance given away against perfect play; wins: games won against it, in which equals win 50%."
    )
    parts += _forfeits(scores)
    left = [one for course in courses for one in course.left_out]
    if left:
        parts.append(f"Not solved in seconds, and left out: {', '.join(name for name, _ in left)}")
    return "\n\n".join(parts)


def _each(rules: Rules, scores: Sequence[Score]) -> str:
    """Return what agents come to under one rule set."""
    rows = []
    for one in sorted(scores, key=lambda one: one.regret.mean):
        share = f"{one.best / one.decisions:.1%}" if one.decisions else "–"
        rows.append(["", one.agent, f"{one.regret.mean:.2%}", f"±{one.regret.margin:.2%}", share, f"{one.wins:.1%}"])
    return f"{rules}\n{table(rows, '<<>>>>')}"


def _forfeits(scores: Sequence[Score]) -> list[str]:
    """Return the first reasons of each agent that forfeited games."""
    found = []
    for agent in dict.fromkeys(one.agent for one in scores if one.forfeits):
        why = dict.fromkeys(reason for one in scores if one.agent == agent for reason in one.why)
        found.append("\n".join(["Forfeits:", *(f"  {reason}" for reason in list(why)[:3])]))
    return found


def _content(scores: Sequence[Score], found: Sequence[Summary], courses: Sequence[Course], seed: int) -> dict[str, Any]:
    """Return all scores."""
    return {
        "seed": seed,
        "summaries": [
            {
                "agent": one.agent,
                "course": one.course,
                **_regret(one.regret),
                "games": one.games,
                "decisions": one.decisions,
                "per_decision": one.per_decision if one.decisions else None,
                "best": one.best,
                "wins": one.wins,
                "forfeits": one.forfeits,
            }
            for one in found
        ],
        "scores": [
            {
                "agent": one.agent,
                "course": one.course,
                "rules": str(one.rules),
                **_regret(one.regret),
                "games": one.regret.games,
                "decisions": one.decisions,
                "best": one.best,
                "wins": one.wins,
                "by": [{"stage": stage, "kind": kind, "regret": given} for (stage, kind), given in one.given.items()],
                "forfeits": one.forfeits,
                "why": list(one.why),
            }
            for one in scores
        ],
        "left_out": [{"rules": name, "why": why} for course in courses for name, why in course.left_out],
    }


def _regret(one: Estimate) -> dict[str, Any]:
    return {"regret": one.mean, "error": one.error, "interval": [one.mean - one.margin, one.mean + one.margin]}
