"""The application: the interface for programs, the pages, and what stands around them.

With a store of one's own it imports no database and nothing that only a server needs. Raises `FarkelError`
``not_installed`` without the extra ``web``.
"""
# ruff: noqa: E402

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from farkel.support.extras import needs

needs("web", "farkel.web.app", modules=["fastapi"])

from fastapi import APIRouter, FastAPI
from starlette.types import Lifespan

from farkel import __version__
from farkel.dice.chance import SYSTEM, Chance
from farkel.rules import named, names
from farkel.web import errors
from farkel.web.coaching import api as coaching_api
from farkel.web.coaching import pages as coaching_pages
from farkel.web.event_loop import off_loop
from farkel.web.game import api as game_api
from farkel.web.game.given import Calculator, Clock, Inline, NoWebhooks, now
from farkel.web.game.pages import board, invitation, lobby, my_games, start, watching
from farkel.web.game.service import GameService
from farkel.web.http.caching import Caching
from farkel.web.http.compression import Compression
from farkel.web.http.event_streams import Streams
from farkel.web.http.limits import Limits
from farkel.web.http.middleware import Timed
from farkel.web.http.security import Guard
from farkel.web.http.turns import Turns
from farkel.web.pages import offline, static_files
from farkel.web.pages.rendering import Standing
from farkel.web.rules import api as rules_api
from farkel.web.rules import pages as rules_pages
from farkel.web.settings import Settings
from farkel.web.store.news import News
from farkel.web.store.values import Store

ABOUT = """Play Farkle under any house rules: everything that the pages do, for other programs.

A game is its events, numbered from 1. Open one, hand out the links or tokens of its seats, submit moves, and follow
the stream. Send the number of the last event that you have seen with a move (`seen`): if more has happened since, the
answer is 409 `stale` with what you missed. Give every submission a name of its own (`request`): sent twice, it counts
once.

Errors are objects with a stable `code` and a `message` for people."""

API = rules_api.router, game_api.router, coaching_api.router
PAGES = (
    start.router,
    invitation.router,
    board.router,
    coaching_pages.router,
    lobby.router,
    watching.router,
    rules_pages.router,
    my_games.router,
    offline.router,
    offline.without_network,
    static_files.router,
)
FOLDER = offline.without_network, static_files.router
"""Only a server needs these: a folder has its static files itself, and works without a network."""


def _read_catalogue() -> None:
    """Read every rule set, once, so that no request has to wait for it."""
    for name in names():
        named(name)


def make_app(
    settings: Settings,
    clock: Clock = now,
    chance: Chance = SYSTEM,
    limits: Limits | None = None,
    store: Store | None = None,
    calculator: Calculator | None = None,
    api: Sequence[APIRouter] = API,
    pages: Sequence[APIRouter] = PAGES,
) -> FastAPI:
    """Make the application. Its database is opened when it starts. ``clock`` gives milliseconds since 1970.

    ``limits``: those that hold for all processes of a server; without them the application has its own.
    ``store``: keeps the games in place of the database. Then there are no groups, webhooks and figures, nothing is
    imported that they need, and whatever is calculated is calculated by ``calculator``, or in place. ``api`` and
    ``pages``: what programs and people find besides.
    """
    limits = limits or Limits(settings)
    if store is None:
        from farkel.web import startup

        api, pages = (*api, *startup.API), (*pages, *startup.PAGES)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            if store is None:
                services = await stack.enter_async_context(startup.opened(settings, clock, chance, limits))
                app.state.service, app.state.groups, app.state.webhooks = services
            else:
                service = GameService(settings, store, News(), calculator or Inline(), NoWebhooks(), clock, chance)
                await stack.enter_async_context(service.running())
                app.state.service = service
            await off_loop(_read_catalogue)
            yield

    return answering(settings, limits, api, pages, lifespan)


def answering(
    settings: Settings,
    limits: Limits,
    api: Sequence[APIRouter],
    pages: Sequence[APIRouter],
    lifespan: Lifespan[FastAPI] | None = None,
) -> FastAPI:
    """Return what answers requests for the games of ``app.state.service``, which ``lifespan`` sets or the caller."""
    if settings.alone:
        pages = [router for router in pages if router not in FOLDER]
    app = FastAPI(
        title="Farkel",
        version=__version__,
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
    )
    app.state.settings, app.state.limits = settings, limits
    for router in api:
        app.include_router(router)
    for router in pages:
        app.include_router(router, include_in_schema=False)
    if not settings.alone:
        app.mount("/static", static_files.static)
    errors.answer_all(app)
    # From the innermost to the outermost. Event streams are never compressed: Streams sends them, outside of this.
    if not settings.alone:
        app.add_middleware(Compression)
        app.add_middleware(Turns, settings=settings, limits=limits, refuse=errors.at_the_door)
        app.add_middleware(Timed)
    app.add_middleware(Streams)
    app.add_middleware(Guard, settings=settings, refuse=errors.at_the_door)
    app.add_middleware(Caching)
    app.add_middleware(Standing, settings=settings)
    return app
