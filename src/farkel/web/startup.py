"""What a server has over its database: the service of the games, groups, webhooks, and figures for its operator."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

from farkel.dice.chance import SYSTEM, Chance
from farkel.errors import FarkelError
from farkel.rules import named, names
from farkel.web import operations
from farkel.web.coaching import calculations, preparation
from farkel.web.coaching.calculator import ProcessCalculator
from farkel.web.game.given import Calculator, Clock, now
from farkel.web.game.pages.start import FIRST
from farkel.web.game.service import GameService
from farkel.web.groups import api as groups_api
from farkel.web.groups import pages as groups_pages
from farkel.web.groups.groups import Groups
from farkel.web.groups.store import GroupStore
from farkel.web.http.limits import Limits
from farkel.web.settings import Settings
from farkel.web.store.database import connect, disconnect
from farkel.web.store.games import GameStore
from farkel.web.store.news import News
from farkel.web.store.postgres_news import PostgresNews
from farkel.web.tokens import new_token
from farkel.web.webhooks import api as webhooks_api
from farkel.web.webhooks import pages as webhooks_pages
from farkel.web.webhooks.messenger import Messenger
from farkel.web.webhooks.store import HookStore

API = webhooks_api.router, groups_api.router
PAGES = webhooks_pages.router, groups_pages.router, operations.router
"""What a server has beside the games and the rules."""
UNDISTURBED = 5.0
"""Seconds after the start in which nothing is prepared: pages and moves come first."""
LOOKS = 1.0
"""Seconds between two looks at whether all is prepared."""


class Services(NamedTuple):
    """What serves the requests of one process."""

    games: GameService
    groups: Groups
    webhooks: Messenger


@asynccontextmanager
async def opened(
    settings: Settings, clock: Clock = now, chance: Chance = SYSTEM, limits: Limits | None = None
) -> AsyncIterator[Services]:
    """Open the services with their database. ``clock`` gives milliseconds since 1970. Raises `DatabaseError`."""
    engine = await asyncio.to_thread(connect, settings.database)
    me = new_token(chance, "process", os.getpid())
    store = GameStore(engine, me)
    news = PostgresNews(settings.database, me) if store.shared else News()
    webhooks = Messenger(settings, HookStore(engine), clock, chance)
    service = GameService(settings, store, news, ProcessCalculator(limits or Limits(settings)), webhooks, clock, chance)
    if not store.shared:  # alone on this database: no other process does what was put off
        await store.wake(clock())
    await news.start(service.tables.hear)
    telling = asyncio.create_task(webhooks.run(service.closing))
    preparing = asyncio.create_task(prepare(service.calculator, service.closing)) if settings.prepares else None
    try:
        async with service.running():
            yield Services(service, Groups(GroupStore(engine), service), webhooks)
    finally:
        webhooks.wake()
        await telling
        if preparing is not None:
            with suppress(asyncio.CancelledError):  # what it had asked for was given up
                await preparing
        await webhooks.close()
        await news.stop()
        await store.close()
        disconnect(engine)


async def prepare(calculator: Calculator, closing: asyncio.Event) -> None:
    """Let bots be ready for the sets of the catalogue, those of the start page first, until the server closes.

    In the end the process that calculates reads what was found for these, each in a moment.
    """
    if await _closes(closing, UNDISTURBED):
        return
    sets = *FIRST, *(name for name in names() if name not in FIRST)
    child = await asyncio.to_thread(preparation.begin, sets)
    try:
        while child.is_alive():
            if await _closes(closing, LOOKS):
                return
    finally:
        child.kill()
    for name in FIRST:
        with suppress(FarkelError):
            await calculator.ask(("prepare", name), calculations.prepare, named(name), bounded=False)


async def _closes(closing: asyncio.Event, seconds: float) -> bool:
    """Return whether the server closes within that time."""
    with suppress(TimeoutError):
        await asyncio.wait_for(closing.wait(), seconds)
    return closing.is_set()
