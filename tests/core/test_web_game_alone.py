"""The game of the web and its pages without a database, without processes, and without what calculates."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx

from farkel.game import legal_actions
from farkel.web.app import make_app
from farkel.web.game.table import Table
from farkel.web.store.values import Game
from memory_store import Memory
from seeded import Seeded
from web_helpers import EVERYTHING, Hands, settings_of

BLOCKED = (
    *("sqlalchemy", "alembic", "psycopg", "sqlite3", "numpy", "numba", "textual"),
    *("httpx", "uvicorn", "prometheus_client", "multiprocessing"),
)
IMPORTS = f"""
import importlib, pkgutil, sys

sys.modules.update(dict.fromkeys({BLOCKED}))
importlib.import_module("farkel.web.app")
for name in ("farkel.web.game", "farkel.web.pages", "farkel.page"):
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, f"{{name}}."):
        importlib.import_module(module.name)
"""
PLAYED = f"""
import asyncio, json, sys, threading

sys.modules.update(dict.fromkeys({BLOCKED}))
from farkel.web.app import make_app
from farkel.web.settings import Settings
from memory_store import Memory
from seeded import Seeded

def refuse(thread):
    raise RuntimeError("can't start new thread")

sys.platform, threading.Thread.start = "emscripten", refuse
app = make_app(Settings("", alone=True), chance=Seeded(), store=Memory())

async def ask(method, path, token="", body=None):
    headers = [(b"content-type", b"application/json"), (b"authorization", f"Bearer {{token}}".encode())]
    sent = []
    async def receive():
        return {{"type": "http.request", "body": json.dumps(body).encode() if body else b""}}
    async def send(message):
        sent.append(message)
    asked = {{"method": method, "path": path, "query_string": b"", "headers": headers[: 1 + bool(token)]}}
    where = {{"type": "http", "scheme": "http", "server": ("here", 80), "root_path": ""}}
    await app({{**asked, **where}}, receive, send)
    assert sent[0]["status"] < 300, sent
    return b"".join(message.get("body", b"") for message in sent)

async def play():
    async with app.router.lifespan_context(app):
        seats = [{{"name": "Ann"}}, {{"name": "Cora", "who": "bot:cautious"}}]
        new = {{"rules": "standard(start=first_seat)", "seats": seats}}
        opened = json.loads(await ask("POST", "/api/v1/games", body=new))
        game, host = opened["game"], opened["host"]
        for move in ("start", "roll"):
            await ask("POST", f"/api/v1/games/{{game}}/moves", host, {{"move": {{"do": move}}}})
        view = json.loads(await ask("GET", f"/api/v1/games/{{game}}", host))
        page = await ask("GET", f"/g/{{game}}", host)
        assert len(view["roll"]) == 6 and b"Ann" in page
        for path in ("", "new", "rules", "rules/sheet", "rules/edit", "rules/file", "watch", "manifest.webmanifest"):
            await ask("GET", f"/{{path}}")
        for path in ("board", "screen", "standing", "statistics", "hint"):
            await ask("GET", f"/g/{{game}}/{{path}}")

asyncio.run(play())
"""
TESTS = Path(__file__).parents[1]


def done(program: str) -> None:
    """Run a program that may import what tests share."""
    ran = subprocess.run([sys.executable, "-c", program], cwd=TESTS, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_the_game_and_its_pages_import_without_databases_numpy_or_processes() -> None:
    done(IMPORTS)


def test_an_application_over_a_store_of_its_own_plays_without_threads_and_without_what_a_server_needs() -> None:
    done(PLAYED)


async def test_a_game_is_played_over_a_store_in_memory() -> None:
    store = Memory()
    app = make_app(settings_of(""), Hands(), Seeded(), store=store)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://here") as client,
    ):
        service = app.state.service
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
