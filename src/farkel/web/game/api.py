"""The JSON interface: everything that the pages do, for other programs. Documented at ``/api/docs`` by OpenAPI."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import PlainTextResponse
from fastapi.sse import format_sse_event
from pydantic import Field

from farkel.dice import MOST_DICE, roll_of
from farkel.errors import FarkelError
from farkel.support.bounds import MOST_SEATS
from farkel.web import metrics
from farkel.web.event_loop import off_loop
from farkel.web.game.access import (
    GameName,
    KeyDep,
    Number,
    ServiceDep,
    bearer,
    limits_of,
    may_open,
    tokens_shown,
    trying_code,
)
from farkel.web.game.service import GameService, NextGame, Opened
from farkel.web.game.setup import SeatPlan
from farkel.web.game.submissions import NewGameIn, RulesIn, Submission, drafted, rules_of
from farkel.web.game.table import TableError, shown
from farkel.web.game.views import TableView, table_view
from farkel.web.http.addresses import base_url
from farkel.web.http.event_streams import EventStream
from farkel.web.http.limits import Full, Held
from farkel.web.http.problems import AT_TABLE, POSTED, problems, problems_of_text
from farkel.web.http.requests import ApiRoute
from farkel.web.http.security import address_of
from farkel.web.http.validation import Strict, Whole
from farkel.web.store.news import Message
from farkel.web.store.values import StoreError
from farkel.web.tokens import Key

log = logging.getLogger(__name__)
router = APIRouter(prefix="/api/v1", route_class=ApiRoute)


class OpenedOut(Strict):
    """A new game. The tokens are shown only here: anyone who has one can play its seat."""

    game: str
    host: str
    """Token of the host; "" for others."""
    seats: dict[int, str]
    """Token of each seat that is far away."""
    links: dict[int, str]
    """The same as links."""
    watch: str
    """A link for watching."""


class JoinIn(Strict):
    """A player who was invited."""

    code: Annotated[str, Field(max_length=20, description="Of the invitation, such as 7K2-P9Q")]
    name: Annotated[
        str, Field(max_length=20, description="What to be called; once the game has started seats keep their names")
    ] = ""


class AddedOut(Strict):
    """A seat that was added."""

    seat: int
    """Counted from 0."""
    token: str
    """Holds the seat if it is far away; "" for a bot and on the host's device."""
    link: str


class JoinedOut(Strict):
    """A seat that was taken."""

    game: str
    seat: int
    token: str
    """Holds the seat. It is shown this once."""
    link: str
    """The same as a link."""


class Accepted(Strict):
    """A submission that was stored."""

    number: int
    """Of the last event of the game now."""
    repeated: bool
    """Whether it had been accepted before under the same name."""
    events: tuple[dict[str, Any], ...]


class SeatOut(Strict):
    """The seat that a token opens."""

    game: str
    seat: int
    """Counted from 0."""


class Reaction(Strict):
    """Something said with one tap."""

    what: Literal["clap", "laugh", "wow", "ouch", "luck", "hurry"]
    seat: Annotated[Whole | None, Field(ge=0, lt=MOST_SEATS)] = None


class Choosing(Strict):
    """The dice of the roll that a player is about to keep."""

    dice: Annotated[tuple[Annotated[Whole, Field(ge=1, le=6)], ...], Field(max_length=MOST_DICE)]
    """Faces, in any order; none once they are put back."""
    seen: Number
    """The last event that the sender has seen."""


# Games ---------------------------------------------------------------------------------------------------------------


@router.post("/games", tags=["games"], status_code=201, responses=problems(*POSTED, 404))
async def open_game(request: Request, service: ServiceDep, given: NewGameIn) -> OpenedOut:
    """Open a game."""
    may_open(request)
    return opened_out(request, await service.open(await off_loop(lambda: given.plan)))


def opened_out(request: Request, opened: Opened) -> OpenedOut:
    """Return the answer about a new game."""
    return OpenedOut(
        game=opened.game,
        host=opened.host,
        seats=opened.seats,
        links={seat: f"{base_url(request)}/s/{token}" for seat, token in opened.seats.items()},
        watch=f"{base_url(request)}/g/{opened.game}",
    )


@router.get("/seat", tags=["games"], responses=problems(401, 404))
async def get_seat(
    service: ServiceDep, authorization: Annotated[str, Header(description="Bearer TOKEN, of a seat")] = ""
) -> SeatOut:
    """Return the game and the seat of a token, for programs that were given no more than the link of a seat."""
    game, seat = await service.seat_of(bearer(authorization, "seat"))
    return SeatOut(game=game, seat=seat)


@router.get("/games/{game}", tags=["games"], responses=problems(*AT_TABLE))
async def get_game(
    service: ServiceDep,
    game: GameName,
    key: KeyDep,
    since: Annotated[Number, Query(description="The answer is at least as new as this event")] = 0,
) -> TableView:
    """Return the game as the sender may see it."""
    table = await service.table(game, since or None)
    return table_view(table, key, await service.presence(game))


@router.post("/games/{game}/moves", tags=["games"], responses=problems(*POSTED, *AT_TABLE, 409))
async def submit(service: ServiceDep, game: GameName, key: KeyDep, given: Submission) -> Accepted:
    """Do something. It is stored before this answers."""
    try:
        outcome = await service.submit(
            game, drafted(key, given.move, service.today), seen=given.seen, request=given.request
        )
    except FarkelError:
        await service.give_back(game, key.seats)  # a refused move also shows that its player is back
        raise
    return Accepted(
        number=outcome.number, repeated=outcome.repeated, events=tuple(dict(shown(row)) for row in outcome.rows)
    )


@router.get("/games/{game}/events", tags=["games"], responses=problems(404))
async def get_events(service: ServiceDep, game: GameName, after: Number = 0) -> list[dict[str, Any]]:
    """Return the events of a game after that number.

    Each has ``number``, ``at`` (milliseconds since 1970, UTC) and ``kind``: a ``move`` has ``text``, as it stands in
    the record; ``word``, ``link``, ``away`` and ``back`` have the ``seat`` (counted from 0), ``away`` also who sits in
    (``by``); ``plan`` has the ``seats`` or the ``rules`` that are others before the start; ``start`` has the ``date``
    and the ``words``, and the header of the ``record`` if one was opened; ``allow`` has what the host allows now;
    ``again`` has the ``game`` that the same seats play next.
    """
    await service.table(game)
    return [dict(shown(row)) for row in await service.rows(game, after)]


@router.get("/games/{game}/stream", tags=["games"], response_class=EventStream, responses=problems_of_text(*AT_TABLE))
async def stream(
    request: Request,
    service: ServiceDep,
    game: GameName,
    key: KeyDep,
    after: Annotated[Number | None, Query(description="Begin after this event; none: with what comes next")] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> EventStream:
    """Return what happens, as it happens: server-sent events ``move`` (ids are event numbers) and ``passing``.

    The stream of a seat ends when the seat has a new link.
    """
    limits, address = limits_of(request), address_of(request.scope)
    refusal = Full("too_many_streams", "too many event streams are open from your address; close one first", 5)
    if limits.full(Held.STREAMS, address):
        raise refusal
    if last_event_id is not None and re.fullmatch(r"[0-9]{1,10}", last_event_id):
        after = int(last_event_id)
    number = (await service.table(game)).number
    return EventStream(
        told(service, game, key, number if after is None else after, limits.holding(Held.STREAMS, address, refusal))
    )


async def told(
    service: GameService, game: str, key: Key, sent: int, counted: AbstractContextManager[None]
) -> AsyncGenerator[bytes]:
    """Yield the news for a page that has the events up to that number."""
    # It listens before anything is read, so that nothing is missed.
    with counted, metrics.STREAMS.track_inprogress(), service.news.listen(game) as news, _ending(game):
        async with service.page(game, key.seats) as there:
            yield format_sse_event(comment="farkel", retry=1_000)
            number = (await service.table(game)).number
            while not service.closing.is_set():
                if number > sent:
                    for row in await service.rows(game, sent):
                        event = shown(row)
                        yield format_sse_event(data_str=_json(event), event="move", id=str(row.number))
                        sent = row.number
                        if row.kind == "link" and event["seat"] in key.seats:
                            return
                lost = news.full()
                message = await _next(news, service.settings.heartbeat, sent)
                if message is None:
                    await there()
                    yield format_sse_event(comment="here")
                    message = Message(None)
                if message.passing is not None:
                    yield format_sse_event(data_str=_json(message.passing), event="passing")
                if lost or message.passing is None:
                    number = (await service.table(game, None if lost else message.number)).number


@contextmanager
def _ending(game: str) -> Iterator[None]:
    """End a stream if the database does not answer: the page asks again, and begins where it ended."""
    try:
        yield
    except StoreError as error:
        log.warning("game %s: a stream ends, as the database does not answer: %s", game, error)


async def _next(news: asyncio.Queue[Message], within: float, sent: int) -> Message | None:
    """Return the next news for a page that has the events up to that number; None after N seconds without any."""
    try:
        async with asyncio.timeout(within):
            while (message := await news.get()).number is not None and message.number <= sent:
                continue
            return message
    except TimeoutError:
        return None


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))


@router.post("/games/{game}/reactions", tags=["games"], status_code=204, responses=problems(*POSTED, *AT_TABLE))
async def react(service: ServiceDep, game: GameName, key: KeyDep, given: Reaction) -> Response:
    """Say something with one tap."""
    if key.watches or (given.seat is not None and given.seat not in key.seats and not key.host):
        raise TableError("not_yours", "only players at the table can say something, and only for their own seats")
    await service.pass_on(game, {"kind": "reaction", "what": given.what, "seat": given.seat})
    return Response(status_code=204)


@router.post("/games/{game}/choosing", tags=["games"], status_code=204, responses=problems(*POSTED, *AT_TABLE))
async def choosing(service: ServiceDep, game: GameName, key: KeyDep, given: Choosing) -> Response:
    """Show the others which dice you are about to keep, in the event ``passing``. It decides nothing."""
    await service.choosing(game, key, roll_of(given.dice), given.seen)
    return Response(status_code=204)


@router.post("/games/{game}/seats", tags=["games"], status_code=201, responses=problems(*POSTED, *AT_TABLE))
async def add_seat(request: Request, service: ServiceDep, game: GameName, given: SeatPlan, key: KeyDep) -> AddedOut:
    """Add a seat or a bot before the start. For the host."""
    seat, token = await service.add_seat(game, key, given)
    return AddedOut(seat=seat, token=token, link=f"{base_url(request)}/s/{token}" if token else "")


@router.delete("/games/{game}/seats/{seat}", tags=["games"], status_code=204, responses=problems(*POSTED, *AT_TABLE))
async def drop_seat(
    service: ServiceDep, game: GameName, seat: Annotated[int, Path(ge=0, lt=MOST_SEATS)], key: KeyDep
) -> Response:
    """Remove a seat before the start unless a remote player has it or a later one; those after it move up.

    For the host.
    """
    await service.drop_seat(game, key, seat)
    return Response(status_code=204)


@router.put("/games/{game}/rules", tags=["games"], status_code=204, responses=problems(*POSTED, *AT_TABLE))
async def change_rules(service: ServiceDep, game: GameName, given: RulesIn, key: KeyDep) -> Response:
    """Play by other rules, before the start. For the host."""
    rules = await off_loop(rules_of, given.rules)
    await service.submit(game, lambda table: table.plays_by(key, rules))
    return Response(status_code=204)


@router.post("/games/{game}/seats/{seat}/link", tags=["games"], responses=problems(*POSTED, *AT_TABLE))
async def renew_link(
    request: Request, service: ServiceDep, game: GameName, seat: Annotated[int, Path(ge=0, lt=MOST_SEATS)], key: KeyDep
) -> dict[str, str]:
    """Return a new link for a seat; the old link stops working. For the host."""
    token = await service.renew(game, key, seat)
    return {"token": token, "link": f"{base_url(request)}/s/{token}"}


@router.post("/join", tags=["games"], responses=problems(*POSTED, 404))
async def join(request: Request, service: ServiceDep, given: JoinIn) -> JoinedOut:
    """Take a free seat of the game that a code invites to."""
    with trying_code(request):
        game, seat, token = await service.join(given.code, given.name)
    return JoinedOut(game=game, seat=seat, token=token, link=f"{base_url(request)}/s/{token}")


@router.post("/games/{game}/again", tags=["games"], responses=problems(*POSTED, *AT_TABLE))
async def again(request: Request, service: ServiceDep, game: GameName, key: KeyDep) -> OpenedOut:
    """Return the next game of the same seats, once this one is over: the host opens it, and others are sent
    by ``again``.

    Owners of seats here get their tokens there, and the host the host's, so no new links are needed. However
    often it is asked for, it is the same game and the same tokens. A seat that was given another link there is left
    out.
    """
    found = await next_game(request, service, game, tokens_shown(request))
    keys = {token: await service.key(found.game, token) for token in found.tokens.values()}
    host = next((token for token, key in keys.items() if key.host), "")
    return opened_out(
        request,
        Opened(found.game, host, {seat: token for token, key in keys.items() if not key.host for seat in key.seats}),
    )


@router.get("/games/{game}/record", tags=["games"], response_class=PlainTextResponse, responses=problems_of_text(404))
async def record(service: ServiceDep, game: GameName) -> PlainTextResponse:
    """Return the game as a file for ``farkel verify``, ``replay`` and ``review``."""
    table = await service.table(game)
    text = table.text(await service.rows(game, 0))
    return PlainTextResponse(text, headers={"content-disposition": f'attachment; filename="{game}.farkel"'})


async def next_game(request: Request, service: GameService, game: str, tokens: Sequence[str]) -> NextGame:
    """Return the next game of the same seats. Raises what `GameService.again` raises, and `Full` as `may_open` does."""
    if not (await service.table(game)).next and (await service.key(game, *tokens)).host:
        may_open(request)
    return await service.again(game, *tokens)
