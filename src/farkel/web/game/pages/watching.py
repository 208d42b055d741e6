"""Watching a game again, move by move: one that is over, or a record that is opened from a file."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from starlette.datastructures import UploadFile

from farkel.errors import RecordError
from farkel.game import Phase
from farkel.game.story import tell
from farkel.support.bounds import clipped
from farkel.support.words import listed
from farkel.web.event_loop import off_loop
from farkel.web.game.access import GameName, Number, ServiceDep, may_open
from farkel.web.game.dice_tray import in_brief, tray_of
from farkel.web.game.pages.board import drawn
from farkel.web.game.service import GameService
from farkel.web.game.table import Table
from farkel.web.game.views import TurnView, sheet
from farkel.web.http.addresses import only_here, record_link
from farkel.web.http.requests import BoundedRoute
from farkel.web.pages.rendering import page, partial
from farkel.web.tokens import Key

router = APIRouter(route_class=BoundedRoute)


class Watched(NamedTuple):
    """A place in a game that is watched again. Events have the numbers that they have in the record."""

    back: int
    """The event before; 0 is the start."""
    on: int
    """The event after, or the last one."""
    last: int
    told: str
    """What the event tells; how the game ended is beside it."""
    brief: str
    """The same in two lines of a phone."""
    place: str
    """Where that is, in a few words."""
    turns: tuple[TurnView, ...]
    """Of the whole game."""
    over: bool
    """Whether the game is over in the end."""


@router.get("/watch")
async def choose() -> Response:
    """Return the form that opens a record."""
    return page("game/open_record.html", wrong="", typed="")


@router.post("/watch")
async def open_record(request: Request, service: ServiceDep) -> Response:
    """Open a record, from a file or as text, and go to its first event."""
    async with request.form() as form:
        file, typed = form.get("record"), str(form.get("text", ""))
        name, data = "", f"{typed.strip()}\n".encode(errors="replace")
        if isinstance(file, UploadFile) and file.filename:
            name, data = f'"{clipped(file.filename)}": ', await file.read()
    if not name and not typed.strip():
        return page("game/open_record.html", 422, wrong="choose a record file, or paste the text of one", typed="")
    may_open(request)
    try:
        game = await service.open_record(data)
    except RecordError as error:
        return page("game/open_record.html", 422, wrong=f"{name}{error.message}", typed="" if name else typed)
    return RedirectResponse(f"/g/{game}/watch", 303)


@router.get("/g/{game}/show")
async def show(request: Request, service: ServiceDep, game: GameName) -> Response:
    """Return the link with which a finished game is shown to somebody, or why there is none."""
    table = await service.table(game)
    told = table.over or table.opened
    link = await off_loop(record_link, request, table.text(await service.rows(game, 0))) if told else ""
    context: dict[str, Any] = {
        "link": link,
        "only_here": only_here(request),
        "game": game,
        "part": "game/show.html",
        "names": table.names,
    }
    return page("game/show.html" if partial(request) else "game/show_page.html", **context)


@router.get("/g/{game}/watch")
async def watch(
    request: Request,
    service: ServiceDep,
    game: GameName,
    at: Annotated[Number, Query(description="The event of the record after which the table is shown")] = 0,
) -> Response:
    """Return the table as it stood after an event, for a game that is over or a record that was opened."""
    table = await service.table(game)
    if not (table.over or table.opened):
        return RedirectResponse(f"/g/{game}", 303)
    return await off_loop(_as_of, request, service, table, at)


def _as_of(request: Request, service: GameService, table: Table, at: int) -> Response:
    """Return the table as it stood after an event. Nothing happens there any more, so another thread may read it."""
    then = table.as_of(at)
    shown = drawn(request, service, then, Key())
    shown |= {"tray": tray_of(then.playing, shown["view"]), "watched": watched(table, then)}
    return page("game/watch_board.html" if partial(request) else "game/watch.html", **shown)


def watched(table: Table, then: Table) -> Watched:
    """Return where a table ``then`` stands in its whole game."""
    moves, names = table.playing.moves, table.names
    numbers = [0, *(move.number for move in moves)]
    shown = then.playing.moves
    place, turns = len(shown), sheet(table.playing)
    if shown:
        last = shown[-1]
        facts = [fact for fact in last.facts if fact.kind != "over"]
        told = " ".join(tell(fact, names, last.after) for fact in facts)
        brief = in_brief(facts, names, last.after)
    else:
        play = "play" if len(names) > 1 else "plays"
        told = brief = f"{table.playing.header.date}: {listed(names, 'and')} {play} {table.plan.rules.called}."
    return Watched(
        numbers[max(0, place - 1)],
        numbers[min(place + 1, len(moves))],
        numbers[-1],
        told,
        brief,
        _place(turns, then),
        turns,
        table.over,
    )


def _place(turns: tuple[TurnView, ...], then: Table) -> str:
    moves = then.playing.moves
    if not moves:
        return "Before the first roll"
    if moves[-1].before.phase is Phase.START:
        return "Who starts"
    turn = 1 + sum(one.number < moves[-1].number for one in turns)
    return f"Turn {turn} of {max(turn, len(turns))}"
