"""The results of a tournament: standings, cross tables, ratings, and the pairings of a Swiss round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from farkel.errors import ArenaError
from farkel.simulation.tally import Interval, Z, wilson
from farkel.support.extras import needs
from farkel.support.words import counted
from farkel.tournament.pairing import NOBODY, Pair, Round, paired
from farkel.tournament.plan import Fixture, TournamentPlan
from farkel.tournament.store import MatchOutcome

RATED = 100_000
"""Games that ratings rest on at most."""


class Rating(NamedTuple):
    """How strong a player is: OpenSkill's mean, 25 for an average player, and standard deviation."""

    mean: float
    deviation: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {Z * self.deviation:.2f}"


class Standing(NamedTuple):
    """A player's results."""

    player: str
    games: int
    wins: float
    """One shared by k counts 1/k."""
    outright: int
    shared: int
    points: float
    """Of a Swiss tournament: 1 for each match won, 1/2 for one drawn; a bye counts as a match won under all rules."""
    rating: Rating | None = None

    def __str__(self) -> str:
        games = counted(self.games, "game", "games")
        return f"{self.player} wins {self.rate:.1%} ({self.interval}) of {games}"

    @property
    def rate(self) -> float:
        """`wins` by games; 0 before the first."""
        return self.wins / self.games if self.games else 0.0

    @property
    def interval(self) -> Interval:
        """95 % confidence of `rate`."""
        return wilson(self.wins, self.games)


class Cell(NamedTuple):
    """One player against another, in games that both were in."""

    games: int
    wins: float

    @property
    def rate(self) -> float | None:
        """None before the first game."""
        return self.wins / self.games if self.games else None


def standings(
    plan: TournamentPlan, outcomes: Sequence[MatchOutcome], ratings: Mapping[str, Rating] | None = None
) -> list[Standing]:
    """Return the players, best first: by points in a Swiss tournament, then by their win rate."""
    games: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    shared: Counter[str] = Counter()
    for outcome in outcomes:
        winners = _winners(outcome)
        games.update(dict.fromkeys(outcome.match.players, outcome.games))
        (alone if len(winners) == 1 else shared).update(dict.fromkeys(winners, outcome.games))
    wins = dict.fromkeys(plan.players, 0.0) | wins_of(outcomes)
    points = swiss_points(plan, outcomes) if plan.kind == "swiss" else {}
    found = [
        Standing(
            player,
            games[player],
            wins[player],
            alone[player],
            shared[player],
            points.get(player, 0.0),
            (ratings or {}).get(player),
        )
        for player in plan.players
    ]
    return sorted(found, key=lambda one: (-one.points, -one.rate))


def cross(outcomes: Sequence[MatchOutcome], rules: str | None = None) -> dict[tuple[str, str], Cell]:
    """Return, by two players, the wins of the first against the second, under those rules or under all.

    If more than two play, a game counts for the two if one of them won it, or both.
    """
    games: Counter[tuple[str, str]] = Counter()
    wins: dict[tuple[str, str], float] = {}
    for outcome in outcomes:
        if rules is not None and outcome.match.rules != rules:
            continue
        winners = _winners(outcome)
        for one, two in combinations(outcome.match.players, 2):
            if len(outcome.match.players) > 2 and one not in winners and two not in winners:
                continue
            for pair in ((one, two), (two, one)):
                share = float(pair[0] in winners) / (1 + (pair[1] in winners))
                games[pair] += outcome.games
                wins[pair] = wins.get(pair, 0.0) + outcome.games * share
    return {pair: Cell(number, wins[pair]) for pair, number in games.items()}


def wins_of(outcomes: Iterable[MatchOutcome]) -> dict[str, float]:
    """Return the games won by each player, in the order in which they are met; one shared by k counts 1/k."""
    wins: dict[str, float] = {}
    for outcome in outcomes:
        winners = _winners(outcome)
        for player in outcome.match.players:
            wins[player] = wins.get(player, 0.0) + (outcome.games / len(winners) if player in winners else 0.0)
    return wins


def by_match(outcomes: Iterable[MatchOutcome]) -> dict[Fixture, list[MatchOutcome]]:
    """Return the outcomes of each match."""
    found: dict[Fixture, list[MatchOutcome]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.match, []).append(outcome)
    return found


def _winners(outcome: MatchOutcome) -> list[str]:
    return [player for place, player in enumerate(outcome.match.players) if outcome.winners >> place & 1]


# Ratings -------------------------------------------------------------------------------------------------------------


def rated_each(matches: int) -> int:
    """Return how many games of each match ratings rest on."""
    return max(1, RATED // max(1, matches))


def rate(players: Iterable[str], results: Iterable[tuple[Fixture, int]]) -> dict[str, Rating]:
    """Return OpenSkill's ratings (Plackett and Luce) after these games, in their order; no player changes.

    A game without a winner is a draw. Raises `ArenaError` ``not_installed``.
    """
    needs("ratings", "a rating", ArenaError)
    from openskill.models import PlackettLuce

    model = PlackettLuce(tau=0.0)
    found = {player: model.rating(name=player) for player in players}
    for match, winners in results:
        ranks = [float(not winners >> place & 1) for place in range(len(match.players))]
        rated = model.rate([[found[player]] for player in match.players], ranks=ranks)
        for player, (rating,) in zip(match.players, rated, strict=True):
            found[player] = rating
    return {player: Rating(rating.mu, rating.sigma) for player, rating in found.items()}


# Swiss ---------------------------------------------------------------------------------------------------------------


def swiss_points(plan: TournamentPlan, outcomes: Sequence[MatchOutcome]) -> dict[str, float]:
    """Return points of each player from all matches that are over."""
    points, matches = dict.fromkeys(plan.players, 0.0), by_match(outcomes)
    for played in matches.values():
        if sum(one.games for one in played) < plan.games:
            continue
        (first, some), (second, other) = wins_of(played).items()
        points[first] += 0.5 + 0.5 * ((some > other) - (some < other))
        points[second] += 0.5 + 0.5 * ((other > some) - (other < some))
    for player in byes(plan, matches):
        points[player] += len(plan.rules)
    return points


def byes(plan: TournamentPlan, matches: Iterable[Fixture]) -> list[str]:
    """Return who had a bye, in the order of the rounds."""
    paired = (pair for pairs in rounds_before(plan, matches) for pair in pairs)
    return [player for pair in paired if NOBODY in pair for player in pair - {NOBODY}]


def rounds_before(plan: TournamentPlan, matches: Iterable[Fixture]) -> list[Round]:
    """Return the pairs of each round so far, with its bye, if there is one."""
    found: dict[int, set[Pair]] = {}
    for match in matches:
        found.setdefault(match.round, set()).add(frozenset(match.players))
    for pairs in found.values():
        pairs |= {frozenset((player, NOBODY)) for player in {*plan.players}.difference(*pairs)}
    return [frozenset(found[number]) for number in sorted(found)]


def swiss_round(plan: TournamentPlan, number: int, outcomes: Sequence[MatchOutcome]) -> list[Fixture]:
    """Return the matches of a round, from the outcomes of all rounds before it: see `farkel.tournament.pairing`."""
    order = [standing.player for standing in standings(plan, outcomes)]
    pairs = paired(order, rounds_before(plan, (outcome.match for outcome in outcomes)))
    return [plan.match(number, rules, pair) for rules in plan.rules for pair in pairs]
