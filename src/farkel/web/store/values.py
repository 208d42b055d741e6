"""What is stored of a game, as plain values, and what a store of games does: `GameStore` of a database is one.

Times are milliseconds since 1970.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol


class StoreError(Exception):
    """The store does not do what it is asked; ``code`` is stable, ``message`` is for players, the text for the log."""

    def __init__(self, code: str, message: str, said: str = "") -> None:
        super().__init__(said)
        self.code = code
        self.message = message


class AlreadyStored(StoreError):
    """What was to be stored is there already."""


UNREACHABLE = "no_database", "the server can't reach its database just now; your game is safe. Try again in a moment"
"""The code and the words of a store that does not answer."""


class Row(NamedTuple):
    """One event of a game. See `farkel.web.store.schema.events`."""

    number: int
    at: int
    kind: str
    body: str
    request: str | None = None


class NewGame(NamedTuple):
    """A game about to be opened."""

    game: str
    opened: int
    plan: str
    secret: bytes
    host: str
    tokens: tuple[tuple[int, str], ...]
    """The seats that are far away, each with the hash of its token."""
    group: str = ""
    """The group whose game it is; "" for none, or for that of the game ``before``."""
    before: str = ""
    """The game of the same seats that this one follows."""
    code: str | None = None
    """Invites to its free seats."""
    opened_before: int = 0
    """Games that its opener's address had opened shortly before: those of the ones who opened most go first."""


class Game(NamedTuple):
    """A game as it is stored."""

    game: str
    plan: str
    secret: bytes
    host: str
    tokens: dict[int, str]
    rows: tuple[Row, ...]
    code: str = ""


class Reseated(NamedTuple):
    """Seats that were added or dropped before the start."""

    first: int
    """The first seat that is another one now."""
    tokens: tuple[tuple[int, str], ...]
    """The hashes of the tokens of all remote seats from there on; no page has opened them yet."""


class TurnBegun(NamedTuple):
    """A turn that begins, for a webhook's notice."""

    turn: int
    """Its number in the game, counted from 1."""
    seat: int
    said: str
    """Its notice, as JSON."""


class Append(NamedTuple):
    """Events to be added to a game, all or none; and the server's next work after them, and when."""

    game: str
    rows: tuple[Row, ...]
    due: int | None
    over: bool
    renew: tuple[int, str] | None = None
    """A seat, and the hash of its new token."""
    begun: TurnBegun | None = None
    """The turn that begins with the last of them."""
    result: str | None = None
    """What came of the game if it is over now, "" if it was over before; None if neither."""
    plan: str | None = None
    """The plan as it is from now on, if it is another one."""
    reseated: Reseated | None = None


class Seen(NamedTuple):
    """That the pages of these seats are open, or were closed: ``at`` as in `farkel.web.store.schema.seats`."""

    game: str
    seats: tuple[int, ...]
    at: int


class PutOff(NamedTuple):
    """When the server has to look at a game again that was claimed until then, if nothing has happened since."""

    game: str
    claimed: int
    due: int | None


class Dropped(NamedTuple):
    """A game that is removed with all that belongs to it."""

    game: str


Write = NewGame | Append | Seen | PutOff | Dropped
"""What can be written."""


class Store(Protocol):
    """A store of games. Every method is all or nothing, and raises `StoreError` if the store cannot do it."""

    @property
    def shared(self) -> bool:
        """Whether several processes may serve the same games."""

    async def load(self, game: str) -> Game | None:
        """Return the whole game; None if there is none of that name."""

    async def rows(self, game: str, after: int) -> tuple[Row, ...]:
        """Return the events of a game after that number."""

    async def write(self, write: Write) -> bool:
        """Store it; whether it was stored. It is safe when this returns.

        Events are not stored where another event has their number, or another submission their name (``request``):
        then another process was first. A game that was taken up or continued in the meantime is not put off.
        """

    async def tell(self, game: str, message: dict[str, object]) -> None:
        """Tell the other processes something that is not kept."""

    async def find_seat(self, token: str) -> tuple[str, int] | None:
        """Return the game and the seat of a token's hash."""

    async def find_code(self, code: str) -> str | None:
        """Return the game that a code invites to."""

    async def seen(self, game: str) -> dict[int, int]:
        """Return when the page of each remote seat was last known to be open; negative if it was closed."""

    async def claim(self, at: int, until: int) -> tuple[str, ...]:
        """Return games for which something is due, put off until then so that no other process takes them too."""

    async def answers(self, *, write: bool = False) -> None:
        """Read something; with ``write``, write something that nothing is left of."""

    async def open_games(self, since: int) -> int:
        """Return how many games are not over and were touched since then."""

    async def unplayed(self, since: int, opened_before: int) -> tuple[str, ...]:
        """Return some of these games that nobody has come back to a minute after they were opened: those whose openers
        had opened that many others or more, most first.
        """
