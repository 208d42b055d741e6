"""The database of a page in memory: what `farkel/page/shell/database.mjs` does, with faults for tests."""

from __future__ import annotations

import json
from http.cookies import SimpleCookie
from typing import Any


class Failure(Exception):
    """What the database raises; ``name`` says why."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class PageDatabase:
    """A browser's database that lives as long as the test, and fails when the test says so."""

    def __init__(self) -> None:
        self.games: dict[str, Any] = {}
        self.lines: dict[tuple[str, int], Any] = {}
        self.kept: dict[str, bytes] = {}
        self.failing: str = ""
        """The name of the failure that everything has now."""
        self.fails_at: dict[int, str] = {}
        """Failures of writes, by the number of the write; the first one is 1."""
        self.writes = 0

    def clear(self) -> None:
        """Lose everything, as if the user had deleted the data of the site."""
        self.games, self.lines, self.kept = {}, {}, {}

    def _ask(self) -> None:
        if self.failing:
            raise Failure(self.failing)

    async def heads(self) -> str:
        self._ask()
        return json.dumps([*self.games.values()])

    async def events(self, game: str, number: int) -> str:
        self._ask()
        rows = [one for (of, place), one in sorted(self.lines.items()) if of == game and place > number]
        return json.dumps({"there": game in self.games, "rows": rows})

    async def counts(self) -> str:
        self._ask()
        games = [game for game, _ in self.lines]
        return json.dumps({game: games.count(game) for game in games})

    async def write(self, text: str) -> bool:
        self._ask()
        self.writes += 1
        if failure := self.fails_at.get(self.writes):
            raise Failure(failure)
        said = json.loads(text)
        games = {game: head for game, head in self.games.items() if game not in said["drop"]}
        lines = {place: one for place, one in self.lines.items() if place[0] not in said["drop"]}
        for head in said["add"]:
            if head["game"] in games:
                return False
            games[head["game"]] = head
        for head in said["put"]:
            before = games.get(head["game"])
            if before is None:
                raise Failure("cleared")
            if before["number"] != head["number"] - sum(one[0] == head["game"] for one in said["events"]):
                return False
            games[head["game"]] = head
        requests = {(game, one[4]) for (game, _), one in lines.items() if one and one[4] is not None}
        for game, *row in said["events"]:
            if (game, row[0]) in lines or (game, row[4]) in requests:
                return False
            lines[game, row[0]] = row
            requests |= {(game, row[4])} if row[4] is not None else set()
        self.games, self.lines = games, lines
        return True

    async def names(self) -> str:
        self._ask()
        return json.dumps([*self.kept])

    async def thing(self, name: str) -> bytes | None:
        self._ask()
        return self.kept.get(name)

    async def keep(self, name: str, value: bytes) -> None:
        self._ask()
        self.kept[name] = value

    async def forget(self, name: str) -> None:
        self._ask()
        self.kept.pop(name, None)


class Jar:
    """The cookies of a page's only browser."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    def as_kept(self) -> dict[str, str]:
        return dict(self.values)

    def take(self, header: str) -> None:
        for name, morsel in SimpleCookie(header).items():
            place = f"{morsel['path']} {name}"
            if morsel["max-age"] == "0":
                self.values.pop(place, None)
            else:
                self.values[place] = morsel.value
