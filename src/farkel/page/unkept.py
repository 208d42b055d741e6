"""A database that keeps nothing: for the build of the folder, and for what a browser prepares for its next visit."""

from __future__ import annotations

import json
from typing import Any


class Unkept:
    """A `farkel.page.store.Database` that lives as long as the program."""

    def __init__(self) -> None:
        self._games: dict[str, Any] = {}
        self._events: dict[str, list[Any]] = {}
        self._things: dict[str, bytes] = {}

    async def heads(self) -> str:
        return json.dumps([*self._games.values()])

    async def events(self, game: str, number: int, /) -> str:
        rows = [row for row in self._events.get(game, []) if row[0] > number]
        return json.dumps({"there": game in self._games, "rows": rows})

    async def counts(self) -> str:
        return json.dumps({game: len(rows) for game, rows in self._events.items()})

    async def write(self, text: str, /) -> bool:
        said = json.loads(text)
        for game in said["drop"]:
            self._games.pop(game, None)
            self._events.pop(game, None)
        self._games |= {head["game"]: head for head in (*said["add"], *said["put"])}
        for game, *row in said["events"]:
            self._events.setdefault(game, []).append(row)
        return True

    async def names(self) -> str:
        return json.dumps([*self._things])

    async def thing(self, name: str, /) -> bytes | None:
        return self._things.get(name)

    async def keep(self, name: str, value: bytes, /) -> None:
        self._things[name] = value

    async def forget(self, name: str, /) -> None:
        self._things.pop(name, None)
