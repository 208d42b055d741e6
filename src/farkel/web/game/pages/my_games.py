"""The games of a device on the start page: the browser keeps their names, and asks for them one by one."""

from __future__ import annotations

from fastapi import APIRouter

from farkel.web.game.access import GameName, KeyDep, ServiceDep
from farkel.web.http.requests import BoundedRoute
from farkel.web.http.validation import Strict

router = APIRouter(route_class=BoundedRoute)


class MyGame(Strict):
    """The state of a game, for the owner of a seat."""

    title: str
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


@router.get("/g/{game}/standing")
async def standing(service: ServiceDep, game: GameName, key: KeyDep) -> MyGame:
    """Return the state of the game, in short."""
    table = await service.table(game)
    state, rules, names = table.state, table.plan.rules, table.names
    return MyGame(
        title=rules.called,
        names=names,
        scores=tuple(seat.score for seat in state.seats),
        started=table.started,
        over=table.over,
        yours=table.started and not table.over and table.plays(state.seat) == "human" and table.may(key, state.seat),
        turn=names[state.seat],
        winners=tuple(names[seat] for seat in state.result.winners) if state.result else (),
        moved=table.moved,
    )
