"""The games of a device on the start page: the browser keeps their names, and asks for them one by one."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter

from farkel.records.figures import summarise
from farkel.support.words import counted, listed
from farkel.web.game.access import GameName, KeyDep, ServiceDep
from farkel.web.game.table import Table
from farkel.web.http.requests import BoundedRoute
from farkel.web.http.validation import Strict
from farkel.web.tokens import Key

router = APIRouter(route_class=BoundedRoute)

NAMED = 3
"""Players of a game that have room in its title."""


class Figures(Strict):
    """What a player made of a game that is over."""

    won: float
    """1, a part of it if the win was shared, or 0."""
    turns: int
    farkles: int
    banked: int
    """Points of all turns."""
    best: int
    """Most points banked in one turn."""


class MyGame(Strict):
    """The state of a game, for the owner of a seat."""

    title: str
    """Of the rules."""
    players: str
    """Whom it is against; all players if several of them, or none, play in this browser."""
    names: tuple[str, ...]
    scores: tuple[int, ...]
    started: bool
    over: bool
    yours: bool
    """Whether it is the turn of a seat that this browser holds."""
    turn: str
    """Whose turn it is."""
    winners: tuple[str, ...]
    moved: int
    """When something happened last, in milliseconds since 1970."""
    figures: Figures | None
    """Of the only seat of this browser, once the game is over."""


@router.get("/g/{game}/standing")
async def standing(service: ServiceDep, game: GameName, key: KeyDep) -> MyGame:
    """Return the state of the game, in short."""
    table = await service.table(game)
    state, rules, names = table.state, table.plan.rules, table.names
    return MyGame(
        title=rules.called,
        players=_players(table, key),
        names=names,
        scores=tuple(seat.score for seat in state.seats),
        started=table.started,
        over=table.over,
        yours=table.started and not table.over and table.plays(state.seat) == "human" and table.may(key, state.seat),
        turn=names[state.seat],
        winners=tuple(names[seat] for seat in state.result.winners) if state.result else (),
        moved=table.moved,
        figures=_figures(table, key),
    )


def _players(table: Table, key: Key) -> str:
    names = table.names
    others = [name for seat, name in enumerate(names) if seat not in key.seats]
    return f"Against {_some(others)}" if len(key.seats) == 1 and others else _some(names)


def _some(names: Sequence[str]) -> str:
    """Return names, as far as there is room."""
    more = len(names) - NAMED
    return listed([*names[:NAMED], *([counted(more, "other", "others")] if more > 0 else [])], "and")


def _figures(table: Table, key: Key) -> Figures | None:
    result = table.state.result
    if result is None or len(key.seats) != 1:
        return None
    (seat,) = key.seats
    mine = summarise(table.playing.moves, len(table.names))[seat]
    won = (seat in result.winners) / max(1, len(result.winners))
    return Figures(won=won, turns=mine.turns, farkles=mine.farkles, banked=mine.banked, best=mine.best)
