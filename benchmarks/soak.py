"""Whether a server that is used for a long time stays as it was: memory and open files, minute after minute.

Tables are played without a pause by browsers that load pages, follow the event stream for a while, ask for hints and
review what they have played, with bots among them. After the first minutes memory should be flat.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from attacks import MIB, meanwhile, move_of
from servers import Server, family, memory, site

TABLES = 12
RULES = ("extended", "minimal", "kcd", "build-on", "original", "renaissance", "zilch")
TARGETS = {"original": 20_000, "kcd": 1_000}
BOTS = ("bot:cautious", "bot:turn", "bot:bold")
EACH = 30.0
"""Seconds between two lines."""


async def sit(client: httpx.AsyncClient, chance: random.Random, played: Counter[str]) -> None:
    """Play one game after the other at a table."""
    while True:
        rules = chance.choice(RULES)
        target = TARGETS.get(rules, 2_000)
        seats = [{"name": "Ann", "who": "far"}, {"name": "Bot", "who": chance.choice(BOTS)}]
        given = {"rules": f"{rules}(target={target})", "seats": seats, "allowed": {"hints": True, "chances": True}}
        answer = await client.post("/api/v1/games", json=given)
        answer.raise_for_status()
        await play(client, answer.json(), chance)
        played[rules] += 1


async def play(client: httpx.AsyncClient, opened: dict[str, Any], chance: random.Random) -> None:
    """Play a game to its end, as a browser does, and look at what it was worth."""
    game, ann, host = opened["game"], bearer(opened["seats"]["0"]), bearer(opened["host"])
    path = f"/api/v1/games/{game}"
    await client.post(f"{path}/moves", json={"move": {"do": "start"}}, headers=host)
    while True:
        await follow(client, f"{path}/stream?after=0", ann)
        view = (await client.get(path, headers=ann)).json()
        if view["over"]:
            break
        if not view["yours"]:
            await asyncio.sleep(0.02)
            continue
        await client.get(f"/g/{game}/board")
        if view["phase"] == "keep" and chance.random() < 0.1:
            await client.get(f"{path}/advice", headers=ann)
        move = {"do": "fresh"} if view["phase"] == "offer" else move_of(view)
        await client.post(f"{path}/moves", json={"move": move, "seen": view["number"]}, headers=ann)
    for part in ("statistics", "record", "review"):
        await client.get(f"{path}/{part}")


async def follow(client: httpx.AsyncClient, path: str, who: dict[str, str]) -> None:
    """Open an event stream, hear something, and close it."""
    with suppress(httpx.TransportError):
        async with client.stream("GET", path, headers=who) as answer:
            async for _ in answer.aiter_lines():
                return


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


async def look(server: Server, minutes: float, played: Counter[str]) -> list[int]:
    """Print the server's memory and open files again and again; the bytes at each look."""
    begun, found = time.monotonic(), []
    while (passed := time.monotonic() - begun) < 60 * minutes:
        await asyncio.sleep(min(EACH, 60 * minutes - passed))
        processes = family(server.process.pid)
        found.append(sum(memory(pid) for pid in processes))
        files = sum(len([*Path(f"/proc/{pid}/fd").iterdir()]) for pid in processes)
        split = " + ".join(f"{memory(pid) / MIB:.0f}" for pid in processes)
        minute = (time.monotonic() - begun) / 60
        print(f"{minute:5.1f} min  {split} MiB, {files} files open, {played.total()} games played", flush=True)
    return found


async def soak(server: Server, minutes: float) -> list[int]:
    played: Counter[str] = Counter()
    url = f"http://127.0.0.1:{server.port}"
    async with httpx.AsyncClient(base_url=url, timeout=300.0) as client:
        tables = [sit(client, random.Random(seed), played) for seed in range(TABLES)]
        async with meanwhile(*tables):
            return await look(server, minutes, played)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    given = parser.parse_args()
    unlimited: dict[str, Any] = {
        "work_a_minute": 10**9,
        "most_at_once": 10**6,
        "opened_an_hour": 10**9,
        "most_calculations": 100,
    }
    with site("SQLite", 1, **unlimited, pace=0.0, idle=20.0) as running:
        found = asyncio.run(soak(running.servers[0], given.minutes))
    half = found[len(found) // 2 :]
    print(f"in the second half: {min(half) / MIB:.0f} to {max(half) / MIB:.0f} MiB")


if __name__ == "__main__":
    main()
