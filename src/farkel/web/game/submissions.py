"""Submissions of players, as they come over the wire, and their meaning at a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field

from farkel.coach.noted_turns import TURN, Doubt, doubts, whole_turn
from farkel.dice import MOST_DICE, roll_of
from farkel.errors import PositionError
from farkel.game import Fresh, Keep, Leave, Note, State, TakeOver, Throw
from farkel.rules import Rules, parse, validated
from farkel.support.bounds import MOST_NOTED, MOST_SEATS
from farkel.web.game.setup import Allowed, DiceOf, GamePlan, SeatPlan
from farkel.web.game.table import Draft, Table, TableError, turn_of
from farkel.web.http.validation import REQUEST, Strict, Whole
from farkel.web.tokens import Key

MOST_NUMBER = 2**31 - 1
"""No event of a game has a higher number."""

Face = Annotated[Whole, Field(ge=1, le=6)]
Faces = Annotated[tuple[Face, ...], Field(min_length=1, max_length=MOST_DICE, description="Faces, in any order")]


class Doubtful(TableError):
    """An entry that the rules make impossible or very unlikely. Send it again with ``sure`` to have it accepted."""

    def __init__(self, found: tuple[Doubt, ...]) -> None:
        first, *others = (doubt.sentence for doubt in found)
        super().__init__("doubtful", ". ".join((first, *(other[:1].upper() + other[1:] for other in others))))
        self.doubts = found


class Rolls(Strict):
    """Roll the dice that are due."""

    do: Literal["roll"]


class Threw(Strict):
    """What fell on a real table."""

    do: Literal["throw"]
    faces: Faces


class Fell(Strict):
    """A die fell off the real table, or leans: the roll is thrown again, or it is a farkle if the rules say so."""

    do: Literal["fell"]


class Keeps(Strict):
    """Keep dice of the roll, and roll on or bank."""

    do: Literal["keep"]
    dice: Faces
    then: Literal["roll", "bank"]


class TakesOver(Strict):
    """Start the turn from the offer of the seat before, with this many of its dice."""

    do: Literal["take_over"]
    dice: Annotated[Whole, Field(ge=1, le=MOST_DICE)]


class StartsFresh(Strict):
    """Start the turn with all dice."""

    do: Literal["fresh"]


class Leaves(Strict):
    """Give up a seat."""

    do: Literal["leave"]
    seat: Annotated[Whole, Field(ge=0, lt=MOST_SEATS, description="Counted from 0")]


class WholeTurn(Strict):
    """A whole turn at a real table: a bank or a farkle."""

    points: Annotated[
        Whole, Field(ge=0, le=MOST_NOTED, description="Turn total banked; for a farkle the one lost, or 0")
    ]
    dice: Annotated[
        Whole | None,
        Field(
            ge=0,
            le=MOST_DICE,
            description="Dice left on the table, or for a farkle the dice rolled, 0 if nobody knows. "
            "None: not said, which rules without take-overs allow",
        ),
    ] = None
    farkle: bool = False
    sure: Annotated[bool, Field(description="Take it even if the rules make it impossible or very unlikely")] = False

    def note(self, state: State) -> Note:
        """Return the turn as the table notes it. Raises `TableError` if the dice have to be said, and `Doubtful`."""
        try:
            noted = whole_turn(state, self.points, self.dice, self.farkle)
        except PositionError as error:
            raise TableError(error.code, error.message) from None
        if not self.sure and state.phase in TURN and (found := doubts(state, noted)):
            raise Doubtful(found)
        return noted


class Notes(WholeTurn):
    """Enter a whole turn of a real table."""

    do: Literal["note"]


class Corrects(WholeTurn):
    """Correct a turn of a real table; later scores are recalculated."""

    do: Literal["correct"]
    turn: Annotated[Whole, Field(ge=1, description="Number of the turn, as the sheet has it")]


class Undoes(Strict):
    """Undo the last move of a person, if no dice were rolled since."""

    do: Literal["undo"]


class Words(Strict):
    """A seat's own word, mixed into committed dice before the game starts."""

    do: Literal["word"]
    seat: Annotated[Whole, Field(ge=0, lt=MOST_SEATS)]
    word: Annotated[str, Field(min_length=1, max_length=40)]


class Starts(Strict):
    """The host starts the game."""

    do: Literal["start"]


class Allows(Allowed):
    """The host changes permissions."""

    do: Literal["allow"]


Move = Annotated[
    Rolls
    | Threw
    | Fell
    | Keeps
    | TakesOver
    | StartsFresh
    | Leaves
    | Notes
    | Corrects
    | Undoes
    | Words
    | Starts
    | Allows,
    Field(discriminator="do"),
]


class Submission(Strict):
    """Something that a player does."""

    move: Move
    seen: Annotated[
        Whole | None,
        Field(
            ge=0, le=MOST_NUMBER, description="Number of the last event that the sender has seen; none: whatever it is"
        ),
    ] = None
    request: Annotated[
        str | None,
        Field(
            pattern=REQUEST,
            description="A name of your own, 8 to 64 visible ASCII characters: the same one again changes nothing",
        ),
    ] = None


class RulesIn(Strict):
    """Rules in any of their forms."""

    rules: Annotated[str | dict[str, Any], "A name, a notation, or an object with the fields"]


class NewGameIn(Strict):
    """A game to be opened."""

    rules: Annotated[
        str | dict[str, Any],
        Field(description='A name or notation, such as "standard(target=5000)", or an object with the fields of rules'),
    ]
    seats: Annotated[tuple[SeatPlan, ...], Field(min_length=1, max_length=MOST_SEATS)]
    dice: DiceOf = "committed"
    allowed: Allowed = Allowed()

    @property
    def plan(self) -> GamePlan:
        """The plan. Raises `RulesError`."""
        return GamePlan(rules=rules_of(self.rules), seats=self.seats, dice=self.dice, allowed=self.allowed)


def rules_of(given: str | dict[str, Any]) -> Rules:
    """Return rules as they come over the wire: never a file of the server's. Raises `RulesError`."""
    return parse(given) if isinstance(given, str) else validated(given, "the rules")


def drafted(key: Key, move: Move, today: Callable[[], Any]) -> Callable[[Table], Draft]:
    """Return the rows that the move stores, given the table. Raises `TableError` or `IllegalEvent` when it is called.

    A player who moves is back: bots no longer sit in for the seats of the key.
    """

    def made(table: Table) -> Draft:
        match move:
            case Rolls():
                return table.roll(key)
            case Threw(faces=faces):
                return table.play(key, Throw(roll_of(faces)))
            case Fell():
                return table.fell(key)
            case Keeps(dice=dice, then=then):
                return table.play(key, Keep(roll_of(dice), then))
            case TakesOver(dice=dice):
                return table.play(key, TakeOver(dice))
            case StartsFresh():
                return table.play(key, Fresh())
            case Leaves(seat=seat):
                return table.play(key, Leave(seat))
            case Notes():
                return table.play(key, move.note(table.state))
            case Corrects(turn=turn):
                noted = move.note(turn_of(table.playing, turn).state)
                return table.correct(key, turn, noted, dropping=move.sure)
            case Undoes():
                return table.undo(key)
            case Words(seat=seat, word=word):
                return table.word(key, seat, word)
            case Starts():
                return table.start(key, today())
            case Allows():
                return table.allow(key, Allowed(**move.model_dump(exclude={"do"})))

    return lambda table: table.returning(key, made(table))
