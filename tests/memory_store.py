"""A store of games without a database, for applications that have none."""

from __future__ import annotations

from farkel.web.store.values import Append, Dropped, Game, NewGame, PutOff, Row, Seen, Write


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
            case Dropped():
                del self.games[write.game]
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

    async def answers(self, *, write: bool = False) -> None:
        pass

    async def open_games(self, since: int) -> int:
        return len(self.games)

    async def unplayed(self, since: int, opened_before: int) -> tuple[str, ...]:
        return ()
