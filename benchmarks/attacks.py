"""What one hostile program can do to a server and to those who play on it: latency of moves and pages, and memory.

A real server, and a game between two browsers of another address. Meanwhile the attacker, from one address, sends rules
that are made to be hard to read, asks for calculations, opens connections and sends next to nothing, or has webhooks
that never answer; or asks for the pages that cost most, from one address and from ten, or opens games from 345. A room
of phones behind one address is none, and must not be taken for one: all of its answers are 200. Nothing leaves this
machine but questions for names that do not exist: the attacker is 127.0.0.1 and others, the players are at 127.0.0.2.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import ssl
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import combinations_with_replacement, count
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from typing import Any

import httpx

from servers import family, memory, site

PLAYERS, ATTACKER = "127.0.0.2", "127.0.0.1"
BETWEEN = 0.2
"""Seconds that the players take for a decision: three requests each time are within the limit of their address."""
SENDERS = 60
"""Requests that the attacker has under way at once."""
TEN = [f"127.0.3.{number}" for number in range(1, 11)]
MANY = [f"127.0.{4 + number // 250}.{1 + number % 250}" for number in range(345)]
"""Addresses of those who have more than one."""
PLACES = 1_000
"""Games that may be open while places are attacked: with the 10,000 of a server that would take longer."""
PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For all clients, which need none: to make one takes longer than to send a request."""
ROOM, PHONES = "127.0.8.1", 30
HALF_SENT, HALF_OPEN = 1_300, 3_000
"""Connections that the attacker opens: with half a request, and with nothing."""
DESCRIPTORS = 1_024
"""Files and connections that the server may have open when it is started."""
PATIENCE = 15.0
"""Seconds that the attacker waits for an answer."""
LOOKS = 0.1
"""Seconds between two looks at the server's memory."""
MIB = 1 << 20


@dataclass
class Figures:
    """What was measured during one attack."""

    attack: str
    moves: list[float] = field(default_factory=list)
    """Seconds until each move of the players was acknowledged."""
    pages: list[float] = field(default_factory=list)
    """Seconds until each page of theirs was there."""
    notices: list[float] = field(default_factory=list)
    """Seconds until a webhook of the players was told of something, if the attack is about webhooks."""
    memory: int = 0
    """Most bytes resident of the server's processes together."""
    answers: Counter[str] = field(default_factory=Counter)
    """What the attacker was answered: the status, with the code of a refusal."""

    def summary(self) -> dict[str, Any]:
        return {
            "attack": self.attack,
            "moves": len(self.moves),
            "moves_p50_ms": round(1_000 * percentile(self.moves, 0.5), 1),
            "moves_p99_ms": round(1_000 * percentile(self.moves, 0.99), 1),
            "moves_worst_ms": round(1_000 * max(self.moves), 1),
            "pages_p99_ms": round(1_000 * percentile(self.pages, 0.99), 1),
            **({"notices_worst_ms": round(1_000 * max(self.notices), 1)} if self.notices else {}),
            "memory_mib": self.memory // MIB,
            "answers": dict(self.answers.most_common()),
        }


def percentile(values: Sequence[float], part: float) -> float:
    """The value below which that part of them lies."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


# Those who play ------------------------------------------------------------------------------------------------------


async def play(url: str, figures: Figures) -> None:
    """Play one game after the other, with a page before every move."""
    transport = httpx.AsyncHTTPTransport(local_address=PLAYERS)
    async with httpx.AsyncClient(transport=transport, timeout=300.0, base_url=url) as client:
        while True:
            await play_game(client, figures)


async def play_game(client: httpx.AsyncClient, figures: Figures) -> None:
    """Play one game; `figures` are kept of all of it but the opening."""
    seats = [{"name": name, "who": "far"} for name in ("Ann", "Ben")]
    opened = (await client.post("/api/v1/games", json={"rules": "extended(start=first_seat)", "seats": seats})).json()
    path = f"/api/v1/games/{opened['game']}"

    async def submit(token: str, move: dict[str, Any]) -> None:
        answer = await client.post(f"{path}/moves", json={"move": move}, headers={"authorization": f"Bearer {token}"})
        answer.raise_for_status()

    await submit(opened["host"], {"do": "start"})
    while True:
        view = (await client.get(path)).json()
        if view["over"]:
            return
        begun = time.perf_counter()
        (await client.get(f"/g/{opened['game']}")).raise_for_status()
        figures.pages.append(time.perf_counter() - begun)
        await asyncio.sleep(BETWEEN)
        begun = time.perf_counter()
        await submit(opened["seats"][str(view["seat"])], move_of(view))
        figures.moves.append(time.perf_counter() - begun)


def move_of(view: dict[str, Any]) -> dict[str, Any]:
    """Roll; keep what scores most and bank as soon as that is possible."""
    if view["phase"] != "keep":
        return {"do": "roll"}
    keep = max(view["keeps"], key=lambda keep: (not keep["bank"], keep["total"]))
    return {"do": "keep", "dice": keep["dice"], "then": "roll" if keep["bank"] else "bank"}


async def be_told(url: str, figures: Figures) -> None:
    """Add a webhook again and again, and wait for its first notice."""
    arrived = asyncio.Event()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        arrived.set()
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        writer.close()

    receiver = await asyncio.start_server(take, PLAYERS, 0)
    port = receiver.sockets[0].getsockname()[1]
    transport = httpx.AsyncHTTPTransport(local_address=PLAYERS)
    async with receiver, httpx.AsyncClient(transport=transport, timeout=300.0, base_url=url) as client:
        seats = [{"name": name, "who": "far"} for name in ("Cleo", "Dan")]
        opened = (await client.post("/api/v1/games", json={"rules": "standard", "seats": seats})).json()
        hooks, bearer = f"/api/v1/games/{opened['game']}/hooks", {"authorization": f"Bearer {opened['seats']['0']}"}
        while True:
            arrived.clear()
            begun = time.perf_counter()
            answer = await client.post(hooks, json={"seat": 0, "url": f"http://{PLAYERS}:{port}/"}, headers=bearer)
            answer.raise_for_status()
            await arrived.wait()
            figures.notices.append(time.perf_counter() - begun)
            (await client.delete(f"{hooks}/{answer.json()['hook']}", headers=bearer)).raise_for_status()
            await asyncio.sleep(BETWEEN)


# The attacker --------------------------------------------------------------------------------------------------------

Answers = Counter[str]
"""What the attacker was answered: the status, with the code of a refusal."""
Request = tuple[str, dict[str, Any]]
"""Where it is posted, or if it has nothing to post what is looked at, and what."""


def hard_to_read() -> Iterator[Request]:
    """Rules that are made to be hard to read."""
    dotted = ".".join("a" * 32_000) + " = 1"
    nested = f"standard(target={{{'.'.join('a' * 1_000)} = 1}})"
    while True:
        yield "/api/v1/rules/read", {"json": {"toml": dotted}}
        yield "/rules/file", {"files": {"file": ("ours.toml", dotted.encode())}}
        yield "/api/v1/rules/read", {"json": {"rules": nested}}
        yield "/rules/sheet", {"params": {"rules": nested}}
        yield "/api/v1/rules/read", {"json": {"toml": "a = " + "[" * 60_000}}
        yield "/api/v1/rules/read", {"content": b'{"rules": ' + b"[" * 60_000}
        yield "/api/v1/rules/read", {"json": {"rules": {f"field{number}": number for number in range(4_000)}}}
        yield "/rules/edit", {"data": {f"field{number}": "1" for number in range(4_000)}}
        yield "/api/v1/games", {"json": {"rules": nested, "seats": [{"name": "Ann"}]}}
        yield "/rules/sheet", {"params": {"rules": f"standard({'target=5000,' * 1_500})"}}


def hard_to_calculate() -> Iterator[Request]:
    """House rules whose values take long, each different from all others, and reviews of what they are worth."""
    for number in count():
        target = 20_000 + 50 * number
        yield "/api/v1/rules/value", {"json": {"rules": f"zilch(target={target})"}}
        yield "/api/v1/rules/value", {"json": {"rules": f"original(target={target * 10})"}}
        yield "/api/v1/rules/value", {"json": {"rules": f"facebook(target={target}, minimum=300)"}}
        yield "/rules/edit", {"data": {"base": "zilch", "target": str(target), "do": "value"}}
        yield "/api/v1/rules/read", {"json": {"rules": f"extended(target={target})"}}
        yield "/api/v1/rules/value", {"json": {"rules": f"minimal(target={2_000 + 50 * number})"}}


def costly() -> Iterator[Request]:
    """Pages that cost most."""
    rolls = ["".join(roll) for dice in (3, 4) for roll in combinations_with_replacement("123456", dice)][:100]
    for number in count(100):
        patterns = ", ".join(f"{roll}={number + place}" for place, roll in enumerate(rolls))
        rules = {"rules": f"standard(scoring={{{patterns}}})"}
        yield "/rules/edit", {"params": rules}
        yield "/rules/sheet", {"params": rules}
        yield "/rules/edit", {"params": {}}
        yield "/new", {"params": rules}
        yield "/rules/card", {"params": {}}
        yield "/rules", {"params": {}}


def games() -> Iterator[Request]:
    """Games that nobody plays."""
    while True:
        yield "/api/v1/games", {"json": {"rules": "standard", "seats": [{"name": "Eve", "who": "far"}]}}


async def send(client: httpx.AsyncClient, requests: Iterator[Request], answers: Answers) -> None:
    """Send one request after the other."""
    for path, sent in requests:
        try:
            answer = await client.request("GET" if "params" in sent else "POST", path, **sent)
        except httpx.TransportError as error:
            answers[type(error).__name__] += 1
            await asyncio.sleep(0.1)
        else:
            answers[told(answer.status_code, answer.content)] += 1
            if answer.status_code == 429:
                await asyncio.sleep(0.05)


def told(status: int, body: bytes) -> str:
    """An answer as it is counted."""
    with suppress(ValueError, TypeError, KeyError):
        return f"{status} {json.loads(body)['code']}"
    return str(status)


async def send_all(
    url: str, requests: Iterator[Request], answers: Answers, address: str = ATTACKER, senders: int = SENDERS
) -> None:
    """Send as many at once as the attacker does."""
    limits = httpx.Limits(max_connections=senders)
    transport = httpx.AsyncHTTPTransport(verify=PLAIN, local_address=address, limits=limits)
    headers = {"accept": "application/json"}
    async with httpx.AsyncClient(transport=transport, timeout=PATIENCE, base_url=url, headers=headers) as client:
        await asyncio.gather(*(send(client, requests, answers) for _ in range(senders)))


async def send_from(
    addresses: Sequence[str], url: str, requests: Iterator[Request], answers: Answers, senders: int
) -> None:
    """Send as many at once from each of these addresses."""
    await asyncio.gather(*(send_all(url, requests, answers, address, senders) for address in addresses))


async def open_tables(url: str, answers: Answers) -> None:
    """Let a room full of phones open tables within seconds, each with its style, scripts and stream, and stay there."""
    transport = httpx.AsyncHTTPTransport(local_address=ROOM)
    async with httpx.AsyncClient(transport=transport, timeout=PATIENCE, base_url=url) as client:
        seats = [{"name": f"Phone {seat}", "who": "far"} for seat in range(6)]
        tables = [
            (await client.post("/api/v1/games", json={"rules": "standard", "seats": seats})).json()
            for _ in range(PHONES // 6)
        ]
    phones = [(table["game"], token) for table in tables for token in table["seats"].values()]
    await asyncio.gather(*(be_a_phone(url, game, token, answers) for game, token in phones))


async def be_a_phone(url: str, game: str, token: str, answers: Answers) -> None:
    """Open the start page, and the table with all that it loads; look at the board every two seconds."""
    transport = httpx.AsyncHTTPTransport(verify=PLAIN, local_address=ROOM, limits=httpx.Limits(max_connections=6))
    async with httpx.AsyncClient(transport=transport, timeout=PATIENCE, base_url=url, follow_redirects=True) as client:

        async def get(path: str) -> str:
            answer = await client.get(path)
            answers[told(answer.status_code, answer.content)] += 1
            return answer.text

        taken = await client.post(f"/s/{token}")
        answers[told(taken.status_code, taken.content)] += 1
        pages = [await get("/"), taken.text]
        files = {part.split('"')[0] for page in pages for part in page.split('"/static/')[1:]}
        await asyncio.gather(*(get(f"/static/{file}") for file in files))
        async with client.stream("GET", f"/g/{game}/stream") as stream:
            answers[str(stream.status_code)] += 1
            while True:
                await asyncio.sleep(2.0)
                await get(f"/g/{game}/board")


async def hold(url: str, sent: bytes, answers: Answers) -> None:
    """Open a connection again and again, send what is half a request, and wait."""
    port = int(url.rpartition(":")[2])
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(ATTACKER, 0))
            try:
                writer.write(sent)
                answer = await reader.read()
                head, _, body = answer.partition(b"\r\n\r\n")
                answers[told(int(head.split()[1]), body) if head else "closed"] += 1
            finally:
                writer.close()
        await asyncio.sleep(0.5)


async def hold_all(url: str, answers: Answers) -> None:
    """Hold as many connections as the attacker can get."""
    half = b"POST /api/v1/games HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n"
    sent = [half] * HALF_SENT + [b""] * HALF_OPEN
    await asyncio.gather(*(hold(url, each, answers) for each in sent))


async def stall_all(url: str, answers: Answers) -> None:
    """Register webhooks whose receivers never answer, or whose names do not resolve, for as many games as may be
    opened, and play these on.
    """
    held: list[object] = []
    receiver = await asyncio.start_server(lambda *streams: held.append(streams), ATTACKER, 0)
    stalls = f"http://{ATTACKER}:{receiver.sockets[0].getsockname()[1]}/"
    transport = httpx.AsyncHTTPTransport(local_address=ATTACKER)
    async with receiver, httpx.AsyncClient(transport=transport, timeout=PATIENCE, base_url=url) as client:
        for number in count():
            seats = [{"name": f"Eve {seat}", "who": "far"} for seat in range(8)]
            opened = await client.post("/api/v1/games", json={"rules": "standard", "seats": seats})
            answers[told(opened.status_code, opened.content)] += 1
            if opened.status_code != 201:
                await asyncio.sleep(1.0)
                continue
            path = f"/api/v1/games/{opened.json()['game']}"
            for seat, token in opened.json()["seats"].items():
                for hook in (stalls, stalls, f"http://{number}-{seat}.farkel.invalid/"):
                    given = {"seat": int(seat), "url": hook}
                    bearer = {"authorization": f"Bearer {token}"}
                    answer = await client.post(f"{path}/hooks", json=given, headers=bearer)
                    answers[told(answer.status_code, answer.content)] += 1


ATTACKS: dict[str, Callable[[str, Answers], Awaitable[None]]] = {
    "none": lambda url, answers: asyncio.sleep(1e6),
    "rules": lambda url, answers: send_all(url, hard_to_read(), answers),
    "calculations": lambda url, answers: send_all(url, hard_to_calculate(), answers),
    "connections": hold_all,
    "webhooks": stall_all,
    "pages": lambda url, answers: send_all(url, costly(), answers),
    "addresses": lambda url, answers: send_from(TEN, url, costly(), answers, SENDERS // len(TEN)),
    "places": lambda url, answers: send_from(MANY, url, games(), answers, 1),
    "room": open_tables,
}
SETTINGS: dict[str, dict[str, Any]] = {"webhooks": {"private_hooks": True}, "places": {"most_open": PLACES}}


def attack(name: str, url: str, seconds: float, result: Connection) -> None:
    """Attack for that long, in a process of its own, and send what was answered."""
    answers: Answers = Counter()

    async def run() -> None:
        async with meanwhile(ATTACKS[name](url, answers)):
            await asyncio.sleep(seconds)

    asyncio.run(run())
    result.send(answers)


# What is measured ----------------------------------------------------------------------------------------------------


async def watch(server: int, figures: Figures) -> None:
    """Look at the server's memory again and again."""
    while True:
        figures.memory = max(figures.memory, sum(memory(pid) for pid in family(server)))
        await asyncio.sleep(LOOKS)


@asynccontextmanager
async def meanwhile(*work: Awaitable[None]) -> AsyncIterator[None]:
    """Do all of that until the end of the block. Raises what any of it raises."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        yield
        for task in tasks:
            if task.done():
                task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def attacked(name: str, url: str, server: int, seconds: float) -> Figures:
    """Play for that long while the attack is going on."""
    figures, (ours, theirs) = Figures(name), Pipe()
    attacker = get_context("spawn").Process(target=attack, args=(name, url, seconds, theirs))
    attacker.start()
    beside = [be_told(url, figures)] if name == "webhooks" else []
    async with meanwhile(play(url, figures), watch(server, figures), *beside):
        figures.answers = await asyncio.to_thread(ours.recv)
    attacker.join()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "attacks", nargs="*", metavar="ATTACK", help=f"{', '.join(ATTACKS)}; all of them if none is named"
    )
    parser.add_argument("--seconds", type=float, default=30.0, help="how long each of them lasts (default: 30)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON, one line for each attack")
    given = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    for name in given.attacks or ATTACKS:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(DESCRIPTORS, most), most))  # the server inherits it
        with site("SQLite", 1, **SETTINGS.get(name, {})) as running:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
            (server,) = running.servers
            url = f"http://127.0.0.1:{server.port}"
            found = asyncio.run(attacked(name, url, server.process.pid, given.seconds)).summary()
        if given.json:
            print(json.dumps(found), flush=True)
            continue
        print(
            f"{name}: {found['moves']} moves, half of them within {found['moves_p50_ms']} ms, 99 % within "
            f"{found['moves_p99_ms']} ms, all within {found['moves_worst_ms']} ms; 99 % of pages within "
            f"{found['pages_p99_ms']} ms; the server took {found['memory_mib']} MiB at most"
            + (f"; notices arrived within {found['notices_worst_ms']} ms" if "notices_worst_ms" in found else "")
        )
        for answer, times in found["answers"].items():
            print(f"  {times:7,}  {answer}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
