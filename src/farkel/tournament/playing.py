"""A tournament played from its plan, game by game into its file, until all are there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

from farkel.simulation.matches import Source, locally
from farkel.support.frames import Library, frame
from farkel.support.notebooks import table
from farkel.support.progress import shown
from farkel.tournament.plan import TournamentPlan, read_plan
from farkel.tournament.standings import (
    Cell,
    Standing,
    by_match,
    cross,
    rate,
    rated_each,
    standings,
    swiss_round,
    wins_of,
)
from farkel.tournament.store import Games, Lost, MatchOutcome

FORFEITS_KEPT = 100

Progress = Callable[[int, int], None]


def play_tournament(games: Games, plan: TournamentPlan, folder: Path, source: Source, progress: Progress) -> None:
    """Play the missing games. Games are stored as they end, so stopping and starting again loses nothing.

    ``progress`` gets the number of games there are and of all. Files of players are found from the folder.
    """
    done, of = games.count(), plan.matches * plan.games
    progress(done, of)
    for number in range(1, plan.rounds + 1):
        if plan.kind == "round-robin":
            games.add(plan.everybody())
        elif all(match.round != number for match in games.matches().values()):
            games.add(swiss_round(plan, number, games.outcomes()))
        matches, jobs = [], []
        for match in games.matches().values():
            if match.round == number:
                for first, size in games.missing(match, plan.games):
                    matches.append(match)
                    jobs.append(plan.job(match, folder).part(first, size))
        with closing(source(jobs, True)) as found:
            for place, batch in found:
                games.keep(matches[place], batch)
                done += batch.games
                progress(done, of)


def run(file: Path | str, store: Path | str | None = None, threads: int = 0) -> Report:
    """Play the tournament of a file, or the rest of it, and return its results, as `farkel tournament` does.

    store: the file of its games, by default beside the other one, with ``.sqlite``. threads: as `simulate`. Ctrl-C ends
    it early, and the next call continues. Raises what `read_plan` and `Games.open` raise.
    """
    file = Path(file)
    with Games.open(Path(store or file.with_suffix(".sqlite")), read_plan(file)) as games:
        with shown("games") as progress, suppress(KeyboardInterrupt):
            play_tournament(games, games.plan, file.parent, locally(threads), progress)
        return report(games)


class Report(NamedTuple):
    """The state of a tournament."""

    plan: TournamentPlan
    played: int
    of: int
    standings: list[Standing]
    """Best first."""
    by_rules: list[list[Standing]]
    """Under each of the rules alone."""
    outcomes: list[MatchOutcome]
    forfeits: list[Lost]
    """The first ones of each player in a match."""
    forfeited: dict[str, int]

    def __str__(self) -> str:
        order = ", ".join(f"{place}. {one.player} ({one.rate:.1%})" for place, one in enumerate(self.standings, 1))
        title = f"{self.plan.title}: " if self.plan.title else ""
        return f"{title}{self.played:,} of {self.of:,} games played: {order}"

    def _repr_html_(self) -> str:
        return table(str(self), self.rows())

    @property
    def complete(self) -> bool:
        return self.played == self.of

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each player under each rule set."""
        return [
            {
                "rules": rules.label,
                "place": place,
                "player": one.player,
                "games": one.games,
                "wins": one.wins,
                "win_rate": one.rate,
                "low": one.interval.low,
                "high": one.interval.high,
                "points": one.points,
                "rating": None if one.rating is None else one.rating.mean,
            }
            for rules, found in zip(self.plan.rules, self.by_rules, strict=True)
            for place, one in enumerate(found, 1)
        ]

    def to_frame(self, library: Library | None = None) -> Any:
        """Return `rows` as a data frame of pandas or polars; raise `FarkelError` as `frame` does."""
        return frame(self.rows(), library)

    def data(self) -> dict[str, Any]:
        """Return plain data, for JSON."""
        plan = self.plan
        labels = {one.notation: one.label for one in plan.rules}
        return {
            "title": plan.title,
            "kind": plan.kind,
            "complete": self.complete,
            "games": self.played,
            "of": self.of,
            "rules": [one._asdict() for one in plan.rules],
            "players": list(plan.players),
            "people": plan.people,
            "seed": plan.seed,
            "standings": [_standing_data(one) for one in self.standings],
            "standings_by_rules": {
                rules.label: [_standing_data(one) for one in found]
                for rules, found in zip(plan.rules, self.by_rules, strict=True)
            },
            "cross": _cross_data(plan, cross(self.outcomes)),
            "cross_by_rules": {
                rules.label: _cross_data(plan, cross(self.outcomes, rules.notation)) for rules in plan.rules
            },
            "matches": [
                {
                    "round": match.round,
                    "rules": labels.get(match.rules, match.rules),
                    "players": list(match.players),
                    "seed": match.seed,
                    "games": sum(one.games for one in found),
                    "wins": list(wins_of(found).values()),
                }
                for match, found in by_match(self.outcomes).items()
            ],
            "forfeits": self.forfeited,
            "forfeited": [
                {"rules": labels.get(lost.match.rules, lost.match.rules), "seed": lost.match.seed}
                | lost.forfeit._asdict()
                | {"player": lost.match.players[lost.forfeit.player]}
                for lost in self.forfeits
            ],
        }


def report(games: Games) -> Report:
    """Return the standings, from the games alone. Raises `ArenaError` ``not_installed``."""
    plan, outcomes = games.plan, games.outcomes()
    results = list(games.results(rated_each(plan.matches)))
    overall = standings(plan, outcomes, rate(plan.players, results))
    by_rules = [overall]
    if len(plan.rules) > 1:
        by_rules = [
            standings(
                plan,
                [outcome for outcome in outcomes if outcome.match.rules == rules.notation],
                rate(plan.players, (one for one in results if one[0].rules == rules.notation)),
            )
            for rules in plan.rules
        ]
    return Report(
        plan,
        games.count(),
        plan.matches * plan.games,
        overall,
        by_rules,
        outcomes,
        games.forfeits(FORFEITS_KEPT),
        games.forfeited(),
    )


def _standing_data(one: Standing) -> dict[str, Any]:
    found = one._asdict() | {"rate": one.rate, "interval": list(one.interval)}
    return found | {"rating": None if one.rating is None else one.rating._asdict()}


def _cross_data(plan: TournamentPlan, cells: Mapping[tuple[str, str], Cell]) -> list[list[Any]]:
    """Return [player][other]: the games and the wins of the player; null against itself."""
    nothing = Cell(0, 0.0)
    return [
        [None if one == two else cells.get((one, two), nothing)._asdict() for two in plan.players]
        for one in plan.players
    ]
