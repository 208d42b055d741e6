"""Servers in processes of their own: two on one PostgreSQL, and servers that are killed while people play."""

from __future__ import annotations

import asyncio
import os
import random
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import count
from typing import Any

import httpx
import pytest

from farkel.game import Fresh, Keep, TakeOver, legal_actions
from farkel.records import Record, parse_record, take, verify
from farkel.web.game.setup import GamePlan
from farkel.web.game.table import Table, shown
from farkel.web.store.database import connect
from farkel.web.store.games import GameStore
from farkel.web.store.values import Row
from named_rules import rules_of
from serving import HANG, LONG, patiently
from web_helpers import NAMES, Server, bearer, event_of_block, serving

pytestmark = pytest.mark.slow

RULES = "standard(start=first_seat, target=400)"
LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=60)


class Player:
    """One who plays a game through the interface: knows the rules, follows the events, and never gives up asking."""

    def __init__(self, client: httpx.AsyncClient, opened: dict[str, Any], plan: GamePlan) -> None:
        self._client = client
        self.game: str = opened["game"]
        self.tokens: dict[int, str] = {int(seat): token for seat, token in opened["seats"].items()}
        self.host: str = opened["host"]
        self.record = Record(plan.header((), ""))
        self.number = 0
        self.acknowledged: list[dict[str, Any]] = []
        """Every event that the server said it has stored."""

    @classmethod
    async def opens(cls, client: httpx.AsyncClient, server: Server, called: str, *who: str) -> Player:
        """``called`` is part of the seats' names: games that differ are the same ones, whichever is opened first."""
        seats = [{"name": f"{name} {called}", "who": one} for name, one in zip(NAMES, who, strict=False)]
        given = {"rules": RULES, "seats": seats, "dice": "system"}
        plan = GamePlan.model_validate({**given, "rules": rules_of(RULES)})
        answer = await persistently(lambda: client.post(f"{server.url}/api/v1/games", json=given))
        assert answer.status_code == 201, answer.text
        player = cls(client, answer.json(), plan)
        started = await player.post(server, player.host, {"do": "start"}, uuid.uuid4().hex)
        assert started.status_code == 200, started.text
        await player.look(server)
        return player

    @property
    def over(self) -> bool:
        return self.record.state.over

    @property
    def token(self) -> str:
        """Of the seat on turn."""
        return self.tokens[self.record.state.seat]

    def chosen(self, chance: random.Random) -> dict[str, Any]:
        state = self.record.state
        if state.dice_due:
            return {"do": "roll"}
        actions = legal_actions(state)
        action = chance.choice([one for one in actions if isinstance(one, Keep) and one.then == "bank"] or actions)
        match action:
            case Keep(dice, then):
                return {"do": "keep", "dice": list(dice), "then": then}
            case TakeOver(number):
                return {"do": "take_over", "dice": number}
            case Fresh():
                return {"do": "fresh"}

    async def post(self, server: Server, token: str, move: dict[str, Any], request: str) -> httpx.Response:
        """Submit, and again under the same name until there is an answer."""
        body = {"move": move, "seen": self.number or None, "request": request}
        url = f"{server.url}/api/v1/games/{self.game}/moves"
        answer = await persistently(lambda: self._client.post(url, json=body, headers=bearer(token)))
        if answer.status_code == 200:
            self.acknowledged += answer.json()["events"]
        return answer

    async def look(self, server: Server) -> None:
        """Take the news."""
        url = f"{server.url}/api/v1/games/{self.game}/events"
        answer = await persistently(lambda: self._client.get(url, params={"after": self.number}))
        assert answer.status_code == 200, answer.text
        self.take(answer.json())

    def take(self, events: Sequence[dict[str, Any]]) -> None:
        for event in events:
            if event["number"] <= self.number:
                continue
            assert event["number"] == self.number + 1
            self.number = event["number"]
            if event["kind"] == "move":
                take(self.record, event["text"])


async def persistently(ask: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response:
    """Ask until the server answers something else than that it cannot do it just now."""
    for _ in patiently(LONG):
        with suppress(httpx.TransportError):
            answer = await ask()
            if answer.status_code != 503:
                break
    return answer


@contextmanager
def stored_in(database: str) -> Iterator[GameStore]:
    store = GameStore(connect(database))
    yield store
    store.engine.dispose()


async def rows_of(store: GameStore, game: str) -> tuple[Row, ...]:
    """The game as it is stored, folded without damage."""
    found = await store.load(game)
    assert found is not None
    table = Table.of(found)
    assert [row.number for row in found.rows] == list(range(1, table.number + 1))
    names = [row.request for row in found.rows if row.request is not None]
    assert len(names) == len(set(names))
    record = parse_record(table.text(found.rows).encode())
    assert record.state == table.state
    verify(record)
    return found.rows


@asynccontextmanager
async def client_of() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(limits=LIMITS, timeout=HANG) as client:
        yield client


# Two processes -------------------------------------------------------------------------------------------------------

GAMES = 100
AT_ONCE = 10


async def test_two_processes_serve_the_same_games(postgres: Any) -> None:
    """Every submission is accepted once, whichever process it comes to and however often; both tell the same."""
    database = postgres.empty()
    with (
        serving(database, most_streams=1_000) as one,
        serving(database, most_streams=1_000) as other,
        stored_in(database) as store,
    ):
        async with client_of() as client:
            left = list(range(GAMES))

            async def play() -> None:
                while left:
                    await _played_through_both(client, (one, other), left.pop(), store)

            await asyncio.gather(*(play() for _ in range(AT_ONCE)))


async def _played_through_both(
    client: httpx.AsyncClient, servers: tuple[Server, Server], number: int, store: GameStore
) -> None:
    chance = random.Random(number)
    player = await Player.opens(client, chance.choice(servers), str(number), "far", "far")
    told: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    ready = [asyncio.Event(), asyncio.Event()]
    done = [asyncio.Event(), asyncio.Event()]
    follow = [
        asyncio.create_task(_follow(client, server, player, told[index], ready[index], done[index]))
        for index, server in enumerate(servers)
    ]
    await asyncio.gather(*(one.wait() for one in ready))
    accepted: list[str] = []
    while not player.over:
        accepted += await _press(player, servers, chance)
    for index in range(2):
        while not told[index] or told[index][-1]["number"] < player.number:
            done[index].clear()
            await asyncio.wait_for(done[index].wait(), HANG)
    for task in follow:
        task.cancel()
    await asyncio.gather(*follow, return_exceptions=True)

    rows = await rows_of(store, player.game)
    stored = [dict(shown(row)) for row in rows]
    assert told[0] == told[1] == stored
    names = [row.request for row in rows if row.request is not None]
    assert sorted(accepted) == sorted(names[1:])  # the first one started the game
    views = [(await client.get(f"{server.url}/api/v1/games/{player.game}")).json() for server in servers]
    assert views[0] == views[1]


async def _press(player: Player, servers: tuple[Server, Server], chance: random.Random) -> list[str]:
    """Press buttons here and there together; the names of accepted submissions."""
    move, token = player.chosen(chance), player.token
    names = [uuid.uuid4().hex for _ in range(chance.choice([1, 1, 2]))]
    presses = [(name, server) for name in names for server in servers if name == names[0] or chance.random() < 0.6]
    presses += [(names[0], chance.choice(servers)) for _ in range(chance.choice([0, 0, 1]))]
    chance.shuffle(presses)
    answers = await asyncio.gather(*(player.post(server, token, move, name) for name, server in presses))
    fresh = {
        name
        for (name, _), answer in zip(presses, answers, strict=True)
        if answer.status_code == 200 and not answer.json()["repeated"]
    }
    took = [answer for answer in answers if answer.status_code == 200 and not answer.json()["repeated"]]
    assert len(took) == 1
    assert len(fresh) == 1
    for (name, _), answer in zip(presses, answers, strict=True):
        if name in fresh:
            assert answer.status_code == 200
        else:
            assert answer.status_code == 409, answer.text
            assert answer.json()["missed"]
    player.take(took[0].json()["events"])
    return list(fresh)


async def _follow(
    client: httpx.AsyncClient,
    server: Server,
    player: Player,
    told: list[dict[str, Any]],
    ready: asyncio.Event,
    more: asyncio.Event,
) -> None:
    """Keep what the stream of one server tells."""
    url = f"{server.url}/api/v1/games/{player.game}/stream"
    async with client.stream("GET", url, params={"after": 0}) as answer:
        assert answer.status_code == 200
        block = ""
        async for line in answer.aiter_lines():
            ready.set()
            if line:
                block += line + "\n"
                continue
            event = event_of_block(block)
            block = ""
            if event is not None and event.pop("event") == "move":
                assert event.pop("id") == str(event["number"])
                told.append(event)
                more.set()


# Killed --------------------------------------------------------------------------------------------------------------

KILLS = int(os.environ.get("FARKEL_KILLS", "5"))
KILLED_GAMES = 8


async def test_acknowledged_moves_survive_a_kill(database: str) -> None:
    """SIGKILL at random moments while games are played: nothing acknowledged is lost, and all games continue."""
    chance = random.Random(9)
    with serving(database) as server:
        async with client_of() as client:
            acknowledged = asyncio.Semaphore(0)
            players: list[Player] = []
            playing = True

            async def play(seed: int) -> None:
                for number in count():
                    if not playing:
                        break
                    called = f"{seed}.{number}"
                    own = random.Random(called)
                    player = await Player.opens(client, server, called, "far", "far")
                    players.append(player)
                    while playing and not player.over:
                        answer = await player.post(server, player.token, player.chosen(own), uuid.uuid4().hex)
                        assert answer.status_code == 200, answer.text
                        await player.look(server)
                        acknowledged.release()

            tasks = [asyncio.create_task(play(seed)) for seed in range(KILLED_GAMES)]
            for _ in range(KILLS):
                for _ in range(chance.randrange(20, 80)):
                    await _next(acknowledged, tasks)
                server.kill()
                server.start()
            for _ in range(30):
                await _next(acknowledged, tasks)
            playing = False
            await asyncio.gather(*tasks)
        assert len(players) > KILLED_GAMES
        assert sum(len(player.acknowledged) for player in players) > 20 * KILLS
        with stored_in(database) as store:
            for player in players:
                stored = {row.number: dict(shown(row)) for row in await rows_of(store, player.game)}
                for event in player.acknowledged:
                    assert stored[event["number"]] == event


async def _next(acknowledged: asyncio.Semaphore, tasks: Sequence[asyncio.Task[None]]) -> None:
    """Wait for one more acknowledgement; fail where a player fails."""
    waiting = asyncio.create_task(acknowledged.acquire())
    await asyncio.wait([waiting, *tasks], return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        if task.done():
            task.result()
    await waiting


async def test_bots_continue_after_a_kill(database: str) -> None:
    """Bots that were left in the middle of their turn play on, without anybody asking."""
    with serving(database, pace=0.02, working=1.0, look=0.1) as server:
        async with client_of() as client:
            games = [await Player.opens(client, server, str(number), "bot:bold", "bot:cautious") for number in range(5)]
            for _ in range(3):
                before = [player.number for player in games]
                for _ in patiently(LONG):
                    if all(one.over or one.number > number for one, number in zip(games, before, strict=True)):
                        break
                    for player in games:
                        await player.look(server)
                server.kill()
                server.start()
            for _ in patiently(LONG):
                if all(player.over for player in games):
                    break
                for player in games:
                    await player.look(server)
        with stored_in(database) as store:
            for player in games:
                assert len(await rows_of(store, player.game)) == player.number
