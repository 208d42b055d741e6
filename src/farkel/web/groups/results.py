"""The results of a group's games: who beat whom, who was lucky, and the ladder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

from pydantic import ValidationError

from farkel.records import record_text
from farkel.web.game.setup import GamePlan
from farkel.web.game.table import Table
from farkel.web.groups.store import Played
from farkel.web.http.validation import Strict
from farkel.web.store.values import Game


class Finished(NamedTuple):
    """A game that is over."""

    names: tuple[str, ...]
    ranks: tuple[int, ...]
    """0 for the winners, then by score; equal for a tie."""
    scores: tuple[int, ...]
    luck: tuple[float, ...]
    """Of each seat, in winning chance; () if it is unknown, or not known yet."""

    def wins(self, seat: int) -> float:
        """Return the seat's share of the win: 1, a part of it if it was shared, or 0."""
        return (self.ranks[seat] == 0) / max(1, self.ranks.count(0))


class MemberOut(Strict):
    """A member, and their results."""

    name: str
    rating: float | None
    """OpenSkill's careful estimate; null before the first game among members."""
    games: int
    wins: float
    luck_known: int
    """Games whose luck is known."""
    luck: float
    """The luck of these games, in wins."""
    wins_without_luck: float
    """Wins in these games minus the luck."""
    beat: dict[str, int]
    """How often they finished before each other member."""


def finished(games: Sequence[Played]) -> dict[str, Finished]:
    """Return the finished games among these, by name."""
    found = {}
    for game in games:
        if game.result is None:
            continue
        said: dict[str, Any] = json.loads(game.result)
        luck = tuple(json.loads(game.luck)) if game.luck else ()
        found[game.game] = Finished(names_of(game.plan), tuple(said["ranks"]), tuple(said["scores"]), luck)
    return found


def names_of(plan: str) -> tuple[str, ...]:
    """Return the names of a plan's seats, without reading its rules."""
    return tuple(str(seat["name"]) for seat in json.loads(plan)["seats"])


def results(members: Sequence[str], games: Sequence[Finished]) -> tuple[MemberOut, ...]:
    """Return the results of these members, best rating first, from the games in the order in which they were played.

    Seats belong to the member whose name they have. Others count for luck and wins, but not on the ladder.
    """
    rated, beat = _ladder(members, games), _beat(members, games)
    rows = []
    for member in members:
        mine = [(game, game.names.index(member)) for game in games if member in game.names]
        known = [(game, seat) for game, seat in mine if game.luck]
        luck = sum(game.luck[seat] for game, seat in known)
        rows.append(
            MemberOut(
                name=member,
                rating=rated.get(member),
                games=len(mine),
                wins=sum(game.wins(seat) for game, seat in mine),
                luck_known=len(known),
                luck=luck,
                wins_without_luck=sum(game.wins(seat) for game, seat in known) - luck,
                beat=beat[member],
            )
        )
    return tuple(sorted(rows, key=lambda row: (row.rating is None, -(row.rating or 0.0))))


def _beat(members: Sequence[str], games: Sequence[Finished]) -> dict[str, dict[str, int]]:
    """Return how often each member finished before each other one."""
    beat = {one: {two: 0 for two in members if one != two} for one in members}
    for game in games:
        for one, two in combinations([seat for seat, name in enumerate(game.names) if name in members], 2):
            if game.ranks[one] != game.ranks[two]:
                first, last = sorted((one, two), key=lambda seat: game.ranks[seat])
                beat[game.names[first]][game.names[last]] += 1
    return beat


def _ladder(members: Sequence[str], games: Sequence[Finished]) -> dict[str, float]:
    """Return OpenSkill's careful estimate of each member's strength, from the games of two or more of them."""
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    ratings = {member: model.rating(name=member) for member in members}
    played = set()
    for game in games:
        seats = [seat for seat, name in enumerate(game.names) if name in ratings]
        if len(seats) < 2:
            continue
        teams = [[ratings[game.names[seat]]] for seat in seats]
        rated = model.rate(teams, ranks=[float(game.ranks[seat]) for seat in seats])
        for seat, (rating,) in zip(seats, rated, strict=True):
            ratings[game.names[seat]] = rating
            played.add(game.names[seat])
    return {member: rating.ordinal() for member, rating in ratings.items() if member in played}


def record_of(game: Game) -> str:
    """Return the record of a game as a file, or "" for a game that has not started or that this version cannot read."""
    start = next((json.loads(row.body) for row in game.rows if row.kind == "start"), None)
    if start is None:
        return ""
    try:
        plan = GamePlan.model_validate_json(game.plan)
    except ValidationError:
        return ""
    header = Table(game.game, plan, game.secret).header(start)
    return record_text(header, (row.body for row in game.rows if row.kind == "move"))
