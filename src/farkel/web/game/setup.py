"""The choices before a game: rules, seats, dice, and the host's permissions."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, field_validator

from farkel.errors import PlayerError
from farkel.game.scoring import score_table
from farkel.play.match import Bots
from farkel.records import DiceSpec, Header, Seating, check_seats
from farkel.rules import Rules
from farkel.support.bounds import MOST_SEATS
from farkel.web.http.validation import Strict, Whole

HERE, FAR = "here", "far"
BOT = r"bot:[a-z]+(:\d{1,7})?"
"""How a bot is written."""
MOST_WHO = 40
MOST_PATIENCE = 24 * 60 * 60

DiceOf = Literal["committed", "system", "manual"]
Speed = Literal["slow", "steady", "fast"]
PAUSES: dict[Speed, float] = {"slow": 2.5, "steady": 1.0, "fast": 1 / 3}
"""How long a bot waits before each thing that it does, in times of `Settings.pace`."""
Absent = Literal["wait", "pass", "bot:cautious", "bot:bold", "bot:turn"]


class SeatPlan(Strict):
    """One seat of a game about to be opened."""

    name: Annotated[str, Field(max_length=20, description="Name of the column; every seat needs its own")]
    people: Annotated[
        tuple[Annotated[str, Field(max_length=20)], ...],
        Field(max_length=8, description="People of a team; nobody named: the seat is one person"),
    ] = ()
    who: Annotated[
        str,
        Field(
            max_length=MOST_WHO,
            description='"here": on the device of the host; "far": on a device of its own, by a link; or a bot: '
            '"bot:cautious", "bot:bold", "bot:threshold:500", "bot:random", "bot:turn", "bot:exact", "bot:race"',
        ),
    ] = HERE

    @field_validator("name")
    @classmethod
    def _spaces(cls, name: str) -> str:
        return " ".join(name.split())

    @field_validator("who")
    @classmethod
    def _known(cls, who: str) -> str:
        if who in (HERE, FAR) or re.fullmatch(BOT, who):
            return who
        raise ValueError(f'"{who}" is no player: write "here", "far", or a bot such as "bot:cautious"')

    @property
    def seating(self) -> Seating:
        """The seat as a record has it."""
        return Seating(self.name, self.people or (self.name,), self.who if self.who.startswith("bot:") else "human")


class Allowed(Strict):
    """Permissions that the host may change at any time."""

    hints: Annotated[bool, Field(description="Whether players may ask for hints")] = False
    chances: Annotated[bool, Field(description="Whether winning chances are shown")] = False
    patience: Annotated[
        Whole, Field(ge=5, le=MOST_PATIENCE, description="Seconds that a seat may be away when it is its turn")
    ] = 120
    absent: Annotated[
        Absent, Field(description='After that: "wait", "pass" to skip its turns, or a bot that plays for it')
    ] = "wait"
    speed: Annotated[Speed, Field(description="How fast bots play")] = "steady"


class GamePlan(Strict):
    """A game about to be opened."""

    rules: Rules
    seats: Annotated[tuple[SeatPlan, ...], Field(min_length=1, max_length=MOST_SEATS)]
    dice: Annotated[
        DiceOf,
        Field(
            description='"committed": rolled by the server, and anyone can check them afterwards; "system": thrown by '
            'the server; "manual": real dice on the table, the page is the score sheet'
        ),
    ] = "committed"
    allowed: Allowed = Allowed()

    def check(self) -> None:
        """Raise `PlayerError` for seats that cannot play it, and for players that there are not.

        Whether players that calculate can play it is for `farkel.web.game.bots.check` to say.
        """
        seatings = self.seatings
        check_seats(seatings)
        Bots(self.rules, seatings)
        self.header((), "").new_game()
        score_table(self.rules)  # compiled here, so that no move has to wait for it
        if all(not seating.human for seating in seatings) and self.dice == "manual":
            raise PlayerError("no_people", "real dice need people to roll them: at least one player must be a person")

    @property
    def seatings(self) -> tuple[Seating, ...]:
        return tuple(seat.seating for seat in self.seats)

    @property
    def playing(self) -> tuple[object, ...]:
        """What `check` looks at, apart from the names."""
        return self.rules, self.dice, tuple((seat.who, len(seat.people)) for seat in self.seats)

    @property
    def here(self) -> frozenset[int]:
        """The seats that play on the host's device."""
        return frozenset(index for index, seat in enumerate(self.seats) if seat.who == HERE)

    @property
    def far(self) -> frozenset[int]:
        """The seats that have a link of their own."""
        return frozenset(index for index, seat in enumerate(self.seats) if seat.who == FAR)

    def header(self, words: tuple[str, ...], commitment: str, now: datetime | None = None) -> Header:
        """Return the head of the game's record."""
        committed = self.dice == "committed"
        dice = DiceSpec(self.dice, commitment if committed else "", words if committed else ())
        return Header(self.rules, self.seatings, dice, f"{now or datetime.now():%Y-%m-%d %H:%M}")
