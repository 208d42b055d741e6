"""What agents give away, over games and over rule sets, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import nan, sqrt
from typing import NamedTuple

from farkel.bench.agents import Agent
from farkel.bench.courses import Course
from farkel.bench.games import JudgedGame, play_game
from farkel.coach.kinds import KINDS, STAGES
from farkel.coach.skill import Estimate, estimate
from farkel.players.knowledge import solution
from farkel.rules import Rules
from farkel.support.progress import Progress
from farkel.support.words import counted

BEST = 1e-9
"""A decision that gives away less is a best one: the solver's tolerance."""
FORFEITS_KEPT = 3


class Score(NamedTuple):
    """An agent's decisions under one rule set."""

    agent: str
    course: str
    rules: Rules
    regret: Estimate
    """Winning chance given away per game."""
    decisions: int
    best: int
    """Decisions that gave nothing away."""
    wins: float
    given: dict[tuple[str, str], float]
    """Winning chance given away per game, by stage and kind; without forfeits."""
    forfeits: int
    why: tuple[str, ...]
    """Why the first games were forfeited."""

    def __str__(self) -> str:
        games = counted(self.regret.games, "game", "games")
        return f"{self.agent} under {self.rules} gives away {self.regret} per game in {games}, and wins {self.wins:.1%}"


class Summary(NamedTuple):
    """An agent's scores under the rule sets of a course."""

    agent: str
    course: str
    regret: Estimate
    """The mean over rule sets. If these are a sample, its error is for rules that were not drawn as well."""
    games: int
    best: float
    """Share of the decisions that gave nothing away."""
    decisions: int
    wins: float
    forfeits: int

    def __str__(self) -> str:
        games = counted(self.games, "game", "games")
        return f"{self.agent}, {self.course}: gives away {self.regret} per game in {games}, and wins {self.wins:.1%}"

    @property
    def per_decision(self) -> float:
        """Winning chance given away per decision, of all games together."""
        return self.regret.mean * self.games / self.decisions if self.decisions else nan


def measure(
    agent: Agent, course: Course, games: int, seed: int, progress: Progress, sink: Callable[[str, JudgedGame], None]
) -> list[Score]:
    """Let the agent play that many games under each rule set; ``sink`` gets its name and every game."""
    found, total = list[Score](), games * len(course.rules)
    for place, rules in enumerate(course.rules):
        solved, played = solution(rules), list[JudgedGame]()
        for number in range(games):
            progress(place * games + number, total)
            played.append(play_game(rules, solved, agent, seed, number))
            sink(agent.name, played[-1])
        found.append(score(agent.name, course.name, rules, played))
    return found


def score(agent: str, course: str, rules: Rules, played: Sequence[JudgedGame]) -> Score:
    """Return the results of an agent's games under one rule set."""
    given = dict.fromkeys(product(STAGES, KINDS), 0.0)
    decisions = [each for game in played for each in game.decisions]
    for each in decisions:
        for kind, chance in each.given:
            given[each.stage, kind] += chance / len(played)
    lost = [game.forfeit for game in played if game.forfeit]
    return Score(
        agent,
        course,
        rules,
        estimate([game.regret for game in played]),
        len(decisions),
        sum(each.regret < BEST for each in decisions),
        sum(game.won for game in played) / len(played),
        given,
        len(lost),
        tuple(dict.fromkeys(lost))[:FORFEITS_KEPT],
    )


def summary(scores: Sequence[Score], sample: bool) -> Summary:
    """Return the mean of an agent's scores under the rule sets of one course.

    The games of each set are a sample. If the rule sets are one as well, their differences say how sure the mean is.
    """
    sets = len(scores)
    means, games = [one.regret.mean for one in scores], sum(one.regret.games for one in scores)
    regret = Estimate(sum(means) / sets, sqrt(sum(one.regret.error**2 for one in scores)) / sets, games)
    if sample and sets > 1 and (spread := estimate(means)).margin > regret.margin:
        regret = spread
    decisions = sum(one.decisions for one in scores)
    return Summary(
        scores[0].agent,
        scores[0].course,
        regret,
        games,
        sum(one.best for one in scores) / decisions if decisions else 0.0,
        decisions,
        sum(one.wins for one in scores) / sets,
        sum(one.forfeits for one in scores),
    )
