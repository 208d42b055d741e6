"""How fast the web server is: moves a second, the time until the other browser hears of one, memory of idle games.

A real server in processes of its own; this process is all the players. Two browsers sit at each game, each with its
event stream open, on a server process of its own where there are two. A game's next move is posted when the other
browser has heard of the last one, as people play. Players and server share the machine's cores.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import re
import resource
import sys
import tempfile
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, cast

import uvloop

from farkel.game import Keep
from farkel.players import make_player
from farkel.records import DiceSpec, Header, Record, Seating, take
from farkel.rules import named
from servers import Server, Site, site

RULES = named("extended")
NAMES = ("Ann", "Ben")
SETUPS = (("SQLite", 1), ("PostgreSQL", 1), ("PostgreSQL", 2))
LIVE = (1, 100, 1_000)
AT_ONCE = 64
"""Moves on their way at saturation, over all games."""
SATURATED, STEADY = 6.0, 10.0
"""Seconds of each measurement."""
PACE = 100
"""Moves a second where the time until the other browser hears is measured."""
IDLE_GAMES, IDLE_MOVES, WARM_UP = 1_000, 20, 100
LET_GO_AFTER = 1.0
"""Seconds without a move after which the server lets go of a game, where that is measured."""

UNLIMITED: dict[str, Any] = {
    "most_open": 10**6,
    "opened_an_hour": 10**9,
    "work_a_minute": 10**9,
    "most_at_once": 10**6,
    "most_streams": 10**6,
    "most_connections": 10**6,
    "most_tables": 10**6,
}


# Browsers ------------------------------------------------------------------------------------------------------------


class Line(asyncio.Protocol):
    """A connection that is kept for request after request."""

    def __init__(self) -> None:
        self._got = b""
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._got += data
        head, end, body = self._got.partition(b"\r\n\r\n")
        if not end or self._answer is None:
            return
        length = re.search(rb"(?i)content-length: (\d+)", head)
        if length and len(body) >= int(length[1]):
            self._got = b""
            self._answer.set_result((int(head[9:12]), body))

    def connection_lost(self, error: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error or ConnectionError("the server closed the connection"))

    async def ask(self, method: str, path: str, token: str = "", body: Any = None) -> Any:
        """Send a request; what the answer holds."""
        sent = b"" if body is None else json.dumps(body).encode()
        who = f"authorization: Bearer {token}\r\n" if token else ""
        head = f"{method} /api/v1{path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{who}"
        self._answer = asyncio.get_running_loop().create_future()
        self.transport.write(f"{head}content-length: {len(sent)}\r\n\r\n".encode() + sent)
        status, answer = await self._answer
        if status >= 400:
            raise RuntimeError(f"{method} {path}: {status} {answer.decode()}")
        return json.loads(answer)


class Stream(asyncio.Protocol):
    """An event stream that is open."""

    def __init__(self, path: str, token: str) -> None:
        self._request = f"GET /api/v1{path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\r\n"
        self._rest = b""
        self._waits: tuple[int, asyncio.Future[float]] | None = None
        self.number = 0
        self.at = 0.0
        self.open: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(self._request.encode())

    def data_received(self, data: bytes) -> None:
        lines, _, self._rest = (self._rest + data).rpartition(b"\n")
        if not self.open.done() and b": farkel" in lines:
            self.open.set_result(None)
        found = re.findall(rb"^id: (\d+)", lines, re.MULTILINE)
        if found:
            self.number, self.at = int(found[-1]), time.perf_counter()
            if self._waits is not None and self._waits[0] <= self.number:
                self._waits[1].set_result(self.at)
                self._waits = None

    async def hears(self, number: int) -> float:
        """When the event of that number had come."""
        if self.number < number:
            heard: asyncio.Future[float] = asyncio.get_running_loop().create_future()
            self._waits = number, heard
            return await asyncio.wait_for(heard, 30)
        return self.at


@dataclass
class Live:
    """A game with a browser at each seat, and its record as far as it was played."""

    game: str
    tokens: tuple[str, str]
    record: Record
    number: int
    streams: list[Stream] = field(default_factory=list)

    def move(self) -> dict[str, Any]:
        """What the seat on turn does: as the player ``cautious`` decides."""
        state = self.record.state
        if state.dice_due:
            return {"do": "roll"}
        action = CAUTIOUS.decide(state, random)  # type: ignore[arg-type]
        assert isinstance(action, Keep)
        return {"do": "keep", "dice": action.dice, "then": action.then}

    def close(self) -> None:
        for stream in self.streams:
            stream.transport.close()


CAUTIOUS = make_player("cautious")


class Players:
    """Everybody who plays, on connections of their own to each server process."""

    def __init__(self, ports: list[int]) -> None:
        self._ports = ports
        self._lines: dict[int, list[Line]] = {port: [] for port in ports}
        self._requests = 0

    async def ask(self, seat: int, method: str, path: str, token: str = "", body: Any = None) -> Any:
        """A request of the seat's browser, on a connection that is free."""
        port = self._ports[seat % len(self._ports)]
        free = self._lines[port]
        if free:
            line = free.pop()
        else:
            _, line = await asyncio.get_running_loop().create_connection(Line, "127.0.0.1", port)
        answer = await line.ask(method, path, token, body)
        free.append(line)
        return answer

    async def open(self, *, streams: bool = True) -> Live:
        """A new game, started, with its browsers."""
        seats = [{"name": name, "who": "far"} for name in NAMES]
        opened = await self.ask(0, "POST", "/games", body={"rules": RULES.name, "seats": seats})
        started = await self.ask(0, "POST", f"/games/{opened['game']}/moves", opened["host"], {"move": {"do": "start"}})
        header = Header(RULES, tuple(Seating(name, (name,)) for name in NAMES), DiceSpec("committed"), "")
        live = Live(opened["game"], (opened["seats"]["0"], opened["seats"]["1"]), Record(header), started["number"])
        if streams:
            await self.look(live)
        return live

    async def look(self, live: Live) -> None:
        """Both browsers open their event streams."""
        for seat, token in enumerate(live.tokens):
            _, stream = await asyncio.get_running_loop().create_connection(
                lambda token=token: Stream(f"/games/{live.game}/stream", token),  # type: ignore[misc]
                "127.0.0.1",
                self._ports[seat % len(self._ports)],
            )
            live.streams.append(stream)
        await asyncio.gather(*(stream.open for stream in live.streams))

    async def play(self, live: Live) -> float:
        """One move; seconds from its post until the browser of the other seat had heard of all of it."""
        seat = live.record.state.seat
        self._requests += 1
        body = {"move": live.move(), "seen": live.number, "request": f"request-{self._requests}"}
        begin = time.perf_counter()
        answer = await self.ask(seat, "POST", f"/games/{live.game}/moves", live.tokens[seat], body)
        live.number = answer["number"]
        for event in answer["events"]:
            take(live.record, event["text"])
        return await live.streams[1 - seat].hears(live.number) - begin if live.streams else 0.0


async def together(work: Callable[[], Awaitable[Any]], times: int, at_once: int = 16) -> list[Any]:
    """What the work gives, done so many times, some of them at once."""
    left = iter(range(times))
    found = []

    async def one() -> None:
        for _ in left:
            found.append(await work())  # noqa: PERF401

    await asyncio.gather(*(one() for _ in range(min(at_once, times))))
    return found


# Measuring -----------------------------------------------------------------------------------------------------------


class Figures(NamedTuple):
    """What was measured of moves over some seconds."""

    rate: float
    """Moves a second."""
    times: list[float]
    """Seconds from post to the other browser, of each move, sorted."""
    server: float
    """Seconds of CPU a move, of all server processes."""
    database: float
    players: float

    def percentile(self, part: int) -> float:
        """Milliseconds within which so many in a hundred other browsers had heard."""
        return 1000 * self.times[min(len(self.times) - 1, len(self.times) * part // 100)]


class Room:
    """Live games of which any that waits for a move may be chosen."""

    def __init__(self, players: Players, games: list[Live]) -> None:
        self._players = players
        self._waiting = deque(games)
        self.times: list[float] = []

    async def move(self) -> None:
        """One move in the game that has waited longest. Where a game ends the next is opened in its place."""
        live = self._waiting.popleft()
        self.times.append(await self._players.play(live))
        if live.record.state.over:
            live.close()
            live = await self._players.open()
        self._waiting.append(live)

    async def saturate(self, seconds: float) -> None:
        """As many moves as can be made."""
        end = time.perf_counter() + seconds

        async def one() -> None:
            while time.perf_counter() < end:
                await self.move()

        await asyncio.gather(*(one() for _ in range(min(AT_ONCE, len(self._waiting)))))

    async def keep_pace(self, seconds: float) -> None:
        """So many moves a second, evenly; where no game waits for a move there is none."""
        begin, tasks = time.perf_counter(), []
        for number in range(int(seconds * PACE)):
            await asyncio.sleep(max(0.0, begin + number / PACE - time.perf_counter()))
            if self._waiting:
                tasks.append(asyncio.create_task(self.move()))
        await asyncio.gather(*tasks)


async def measured(site: Site, room: Room, work: Callable[[float], Awaitable[None]], seconds: float) -> Figures:
    """Do the work for some seconds."""
    room.times.clear()
    gc.collect()
    gc.freeze()  # a pause of the players' own is no time of the server's
    used, mine, begin = site.busy, own_cpu(), time.perf_counter()
    await work(seconds)
    took, moves = time.perf_counter() - begin, len(room.times)
    server, database = (after - before for before, after in zip(used, site.busy, strict=True))
    return Figures(moves / took, sorted(room.times), server / moves, database / moves, (own_cpu() - mine) / moves)


def own_cpu() -> float:
    """Seconds of CPU of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def speed(site: Site, games: int) -> tuple[Figures, Figures]:
    """Moves at saturation, and at a pace."""
    players = Players([server.port for server in site.servers])
    room = Room(players, await together(players.open, games))
    await room.saturate(1.0)  # caches are filled
    return await measured(site, room, room.saturate, SATURATED), await measured(site, room, room.keep_pace, STEADY)


def run_speed(setups: list[tuple[str, int]], live: list[int], profiled: bool) -> None:
    """Print the table of speeds."""
    print(
        f"Moves of {RULES.name}. CPU is milliseconds a move, at saturation; times are milliseconds from the post of a"
    )
    print("move until the other browser has heard of it.\n")
    print(f"{'':23}{'at saturation':^46}{f'at {PACE} moves/s':^32}")
    print(
        f"{'database':10}{'servers':>8}{'games':>7}{'moves/s':>9}{'each':>6}{'CPU: server':>13}{'database':>10}"
        f"{'players':>9}{'moves/s':>9}{'50%':>7}{'99%':>7}{'longest':>9}"
    )
    for database, processes in setups:
        for games in live:
            with site(database, processes, profiled=profiled, **UNLIMITED) as running:
                full, steady = uvloop.run(speed(running, games))
            print(
                f"{database:10}{processes:8}{games:7,}{full.rate:9,.0f}{full.rate / processes:6,.0f}"
                f"{1000 * full.server:13.2f}{1000 * full.database:10.2f}{1000 * full.players:9.2f}{steady.rate:9.0f}"
                f"{steady.percentile(50):7.1f}{steady.percentile(99):7.1f}{1000 * steady.times[-1]:9.1f}",
                flush=True,
            )
    print(f"{'mark':34}{500:6}{'':32}{PACE:9}{'':7}{100:7}\n")


async def memory(site: Site, games: int) -> None:
    """Print what idle games take while they are held, and their event streams."""
    (server,) = site.servers
    players = Players([server.port])
    await together(partial(played, players), WARM_UP)
    before = told(server, f"after {WARM_UP} games, to warm up")
    found = await together(partial(played, players), games)
    held = told(server, f"{games:,} games more, each {IDLE_MOVES} moves old and idle", before, games, mark="50")
    looked = iter(found)

    async def look() -> None:
        await players.look(next(looked))

    await together(look, games)
    told(server, "two event streams open for each of them", held, games)
    for live in found:
        live.close()


async def let_go(site: Site, games: int) -> None:
    """Print what is left of games that the server has let go of."""
    (server,) = site.servers
    players = Players([server.port])
    await together(partial(played, players), WARM_UP)
    before = told(server, f"another server, after {WARM_UP} games, to warm up")
    await together(partial(played, players), games)
    told(server, f"{games:,} games more, let go of {LET_GO_AFTER:.0f} s after their last move", before, games)


async def played(players: Players) -> Live:
    """A game some moves old that nobody looks at."""
    live = await players.open(streams=False)
    for _ in range(IDLE_MOVES):
        await players.play(live)
    return live


def told(server: Server, what: str, before: int = 0, games: int = 0, mark: str = "") -> int:
    """Print how much memory the server takes, and how much more it is for each game; return it."""
    now = server.memory
    each = f"{(now - before) / 1024 / games:.1f}" if games else ""
    print(f"{what:66}{now / 2**20:8.1f}{each:>12}{mark:>6}", flush=True)
    return now


def run_memory(games: int) -> None:
    """Print the table of memory."""
    print(f"{'memory of one server process on SQLite':66}{'MiB':>8}{'KiB a game':>12}{'mark':>6}")
    with site("SQLite", 1, **UNLIMITED, idle=3600.0) as running:
        uvloop.run(memory(running, games))
    with site("SQLite", 1, **UNLIMITED, idle=LET_GO_AFTER) as running:
        uvloop.run(let_go(running, games // 3))


def machine() -> None:
    """Print what the machine itself is like just now: how late a sleeper wakes, how long a disk takes."""
    late, disk = [], []
    with tempfile.TemporaryFile(buffering=0) as file:
        for _ in range(200):
            begin = time.perf_counter()
            time.sleep(0.005)
            woken = time.perf_counter()
            file.write(bytes(4096))
            os.fsync(file.fileno())
            late.append(woken - begin - 0.005)
            disk.append(time.perf_counter() - woken)
    cores = len(os.sched_getaffinity(0))
    print(f"Python {sys.version.split()[0]}, {cores} cores shared by server, database and players")
    for what, times in (("a sleeper wakes late by", late), ("4 KiB are on the disk after", disk)):
        times.sort()
        print(f"{what:28} 50%: {1000 * times[100]:5.1f} ms   99%: {1000 * times[198]:5.1f} ms")
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=("all", "speed", "memory"), default="all")
    parser.add_argument("--database", choices=("SQLite", "PostgreSQL"), help="only this one")
    parser.add_argument("--processes", type=int, choices=(1, 2), help="only so many server processes")
    parser.add_argument("--live", type=int, nargs="+", default=LIVE, help="live games (default: 1 100 1000)")
    parser.add_argument("--idle-games", type=int, default=IDLE_GAMES, help=f"for memory (default: {IDLE_GAMES})")
    parser.add_argument("--profile", action="store_true", help="profile the server; figures are then of no worth")
    chosen = parser.parse_args()
    # Two processes need PostgreSQL: only there do they hear of each other.
    setups = [
        (database, processes)
        for database, processes in SETUPS
        if chosen.database in (None, database) and chosen.processes in (None, processes)
    ]
    machine()
    if chosen.part in ("all", "speed"):
        run_speed(setups, list(chosen.live), chosen.profile)
    if chosen.part in ("all", "memory"):
        run_memory(chosen.idle_games)


if __name__ == "__main__":
    main()
