"""The game of the web and its pages without a database, without processes, and without what calculates."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Hashable
from contextlib import AsyncExitStack
from typing import Any, TypeVar

import httpx
from fastapi import FastAPI

from farkel.game import legal_actions
from farkel.web.game.api import router as api
from farkel.web.game.pages import board, lobby, start
from farkel.web.game.service import GameService
from farkel.web.game.table import Table
from farkel.web.http.limits import Limits
from farkel.web.store.news import News
from farkel.web.store.values import Append, Game, NewGame, PutOff, Row, Seen, Write
from seeded import Seeded
from web_helpers import EVERYTHING, Hands, settings_of

T = TypeVar("T")

BLOCKED = ("sqlalchemy", "alembic", "psycopg", "sqlite3", "numpy", "numba", "textual", "httpx", "multiprocessing")
IMPORTS = f"""
import importlib, pkgutil, sys

sys.modules.update(dict.fromkeys({BLOCKED}))
importlib.import_module("farkel.web.errors")
for name in ("farkel.web.game", "farkel.web.pages"):
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, f"{{name}}."):
        importlib.import_module(module.name)
"""


def test_the_game_and_its_pages_import_without_databases_numpy_or_processes() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


class Memory:
    """A store of games that keeps them in memory."""

    shared = False

    def __init__(self) -> None:
        self.games: dict[str, NewGame] = {}
        self.events: dict[str, list[Row]] = {}
        self.seats: dict[str, dict[int, int]] = {}

    async def load(self, game: str) -> Game | None:
        new = self.games.get(game)
        if new is None:
            return None
        return Game(game, new.plan, new.secret, new.host, dict(new.tokens), tuple(self.events[game]), new.code or "")

    async def rows(self, game: str, after: int) -> tuple[Row, ...]:
        return tuple(self.events[game][after:])

    async def write(self, write: Write) -> bool:
        match write:
            case NewGame():
                self.games[write.game], self.events[write.game] = write, []
                self.seats[write.game] = dict.fromkeys(dict(write.tokens), 0)
            case Append():
                if write.rows[0].number != len(self.events[write.game]) + 1:
                    return False
                self.events[write.game] += write.rows
            case Seen():
                self.seats[write.game] |= dict.fromkeys(write.seats, write.at)
            case PutOff():
                return False
        return True

    async def tell(self, game: str, message: dict[str, object]) -> None:
        raise AssertionError("there are no other processes")

    async def find_seat(self, token: str) -> tuple[str, int] | None:
        return next(
            ((one, seat) for one, new in self.games.items() for seat, held in new.tokens if held == token), None
        )

    async def find_code(self, code: str) -> str | None:
        return next((one for one, new in self.games.items() if new.code == code), None)

    async def seen(self, game: str) -> dict[int, int]:
        return self.seats[game]

    async def claim(self, at: int, until: int) -> tuple[str, ...]:
        return ()

    async def answers(self) -> None:
        pass

    async def open_games(self, since: int) -> int:
        return len(self.games)


class Inline:
    """Calculates where it stands."""

    async def ask(self, about: Hashable, function: Callable[..., T], *arguments: Any, bounded: bool = True) -> T:
        return function(*arguments)

    async def close(self) -> None:
        pass


class Silent:
    """Tells nobody."""

    def wake(self) -> None:
        pass

    async def follow(self, game: str, following: str) -> None:
        pass


async def test_a_game_is_played_over_a_store_in_memory() -> None:
    store, settings = Memory(), settings_of("")
    service = GameService(settings, store, News(), Inline(), Silent(), Hands(), Seeded())
    app = FastAPI()
    app.state.service, app.state.settings, app.state.limits = service, settings, Limits(settings)
    for router in (api, start.router, board.router, lobby.router):
        app.include_router(router)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(service.close)
        client = await stack.enter_async_context(
            httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://here")
        )
        form = {"rules": "minimal(target=300)", "name-0": "Ann", "name-1": "Cora", "who-1": "bot:cautious", "now": "on"}
        opened = await client.post("/", data=form)
        assert opened.status_code == 303
        game = opened.headers["location"].partition("#")[0].removeprefix("/g/")
        while not (table := await service.table(game)).over:
            await service.settled()
            if not table.over and not table.goes_on:
                await service.submit(game, _anything)
        page = await client.get(f"/g/{game}")
        assert page.status_code == 200
        assert "won" in page.text or "wins" in page.text
        again = Table.of((await store.load(game)) or _missing())
        assert again.record == table.record
        view = (await client.get(f"/api/v1/games/{game}")).json()
        assert view["over"]
        assert view["number"] == len(store.events[game])


def _anything(table: Table) -> Any:
    if table.state.dice_due:
        return table.roll(EVERYTHING)
    return table.play(EVERYTHING, legal_actions(table.state)[-1])


def _missing() -> Game:
    raise AssertionError("the game is not stored")
