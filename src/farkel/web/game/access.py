"""What a request may do: the service that answers it, the key that its tokens are, and the limits of its address."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from typing import Annotated

from fastapi import Depends, Header, Path, Request
from pydantic import Field

from farkel.web.game.held_tables import NoGame
from farkel.web.game.service import GameService
from farkel.web.game.submissions import MOST_NUMBER
from farkel.web.game.table import TableError
from farkel.web.http.cookies import tokens_of
from farkel.web.http.limits import OPENED, Full, Limits, Rate, networks
from farkel.web.http.security import address_of
from farkel.web.http.validation import NAME, Whole
from farkel.web.tokens import Key, bearer_token


async def service_of(request: Request) -> GameService:
    """Return the service that answers. A coroutine, as FastAPI runs other functions in a thread each time."""
    service: GameService = request.app.state.service
    return service


ServiceDep = Annotated[GameService, Depends(service_of)]
Number = Annotated[Whole, Field(ge=0, le=MOST_NUMBER)]
GameName = Annotated[str, Path(pattern=NAME, description="The name of a game")]


async def key_of(
    request: Request,
    service: ServiceDep,
    game: GameName,
    authorization: Annotated[str | None, Header(description="Bearer TOKEN, of the host or of a seat")] = None,
) -> Key:
    """Return the sender's permissions; without a token, to watch. Raises `TableError` for an unknown token."""
    if authorization is not None:
        key = await service.key(game, bearer_token(authorization))
        if key.watches:
            raise TableError(
                "bad_token", "this token belongs to no seat of this table; a newer one may have replaced it"
            )
        return key
    return await service.key(game, *tokens_of(request))


KeyDep = Annotated[Key, Depends(key_of)]


def tokens_shown(request: Request) -> list[str]:
    """Return the tokens that the sender shows: the one in the header, or those that a browser has kept for the game."""
    said = request.headers.get("authorization")
    return tokens_of(request) if said is None else [bearer_token(said)]


def bearer(authorization: str, whose: str) -> str:
    """Return the token of a header. Raises `TableError` for a header that has none."""
    token = bearer_token(authorization)
    if not token:
        raise TableError("bad_token", f"say whose {whose}: send the header Authorization: Bearer TOKEN")
    return token


def limits_of(request: Request) -> Limits:
    """Return the limits that the server keeps."""
    limits: Limits = request.app.state.limits
    return limits


def number_of(request: Request) -> int:
    """Return the number under which the sender's address is counted, of IPv6 the widest network around it."""
    widest, _ = networks(address_of(request.scope))[-1]
    return limits_of(request).place(widest)


@contextmanager
def trying_code(request: Request) -> Iterator[None]:
    """Try a code of an invitation. Raises `Full` if the address has tried too many that were wrong."""
    _count(request, Rate.CODES, "too_many_codes", "too many codes were tried")
    wrong = False
    try:
        yield
    except NoGame:
        wrong = True
        raise
    finally:
        if not wrong:
            limits_of(request).count(Rate.CODES, address_of(request.scope), -1.0)


def may_open(request: Request) -> None:
    """Raise `Full` if the address has opened too many games."""
    OPENED.set(round(limits_of(request).done(Rate.OPENINGS, address_of(request.scope))))
    _count(request, Rate.OPENINGS, "too_many_opened", "too many games were opened")


def _count(request: Request, rate: Rate, code: str, what: str) -> None:
    if wait := limits_of(request).wait(rate, address_of(request.scope)):
        raise Full(code, f"{what} from your address; try again in {ceil(wait)} s", wait)
