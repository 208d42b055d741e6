"""A recorded game as a value: its header, its seats, its moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from farkel.errors import CannotUndo, PlayerError, RecordError
from farkel.game import Event, Note, State, Throw, ends_turn, new_game
from farkel.game.story import Fact, facts, tell
from farkel.records import naming
from farkel.rules import Rules
from farkel.support.bounds import quoted
from farkel.support.notebooks import table
from farkel.support.words import counted, listed

DiceKind = Literal["system", "manual", "seeded", "committed"]


class Seating(NamedTuple):
    """One seat: its name, its people, and who decides, ``human`` or ``bot:...``."""

    name: str
    people: tuple[str, ...]
    player: str = "human"

    def __str__(self) -> str:
        return self.name if self.human else f"{self.name} (bot)"

    @property
    def human(self) -> bool:
        return self.player == "human"


class DiceSpec(NamedTuple):
    """The source of a game's dice, with the seed of ``seeded`` or the fingerprint of ``committed`` dice."""

    kind: DiceKind = "system"
    value: str = ""
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind} {self.value}".rstrip()


def titled(rules: Rules, called: str = "") -> str:
    """Return the rules by their title, or as they are ``called``, and what wins."""
    exactly = "exactly " if rules.exact else ""
    aim = f"to {exactly}{rules.target:,}" if rules.target else counted(rules.rounds, "round", "rounds")
    return f"{called or rules.called}, {aim}"


@dataclass(frozen=True, slots=True)
class Header:
    """The choices made before the first event."""

    rules: Rules
    seats: tuple[Seating, ...]
    dice: DiceSpec
    date: str
    """When the game began: ``2026-11-21 14:03``."""

    def __str__(self) -> str:
        rules = self.rules
        written, inside, _ = str(rules).partition("(")
        name, _, variations = written.partition(":")
        changes = [*filter(None, variations.split(",")), *(["house rules"] if inside else [])]
        named = f"{rules.called} ({', '.join(changes)})" if changes and name == rules.name else ""
        return f"{titled(rules, named)}: {listed(list(map(str, self.seats)), 'and')}."

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(seat.name for seat in self.seats)

    @property
    def people(self) -> tuple[int, ...]:
        """How many people each seat has."""
        return tuple(len(seat.people) for seat in self.seats)

    def new_game(self) -> State:
        """Return the state before the first event."""
        return new_game(self.rules, self.people)


class Move(NamedTuple):
    """An event with the number of its line among the events, and the states around it."""

    number: int
    event: Event
    before: State
    after: State

    def __str__(self) -> str:
        return " ".join(self.told([f"Seat {seat}" for seat in range(1, len(self.after.seats) + 1)]))

    @property
    def ends_turn(self) -> bool:
        """Whether it ends the turn of the seat to move, or the game."""
        return ends_turn(self.before, self.event, self.after)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What followed from it."""
        return facts(self.before, self.event, self.after)

    def told(self, names: Sequence[str]) -> list[str]:
        """Return what followed from it, a sentence for each fact."""
        return [tell(fact, names, self.after) for fact in self.facts]


@dataclass(slots=True)
class Record:
    """A record as far as it is intact. ``problem`` says what is wrong after that, if anything."""

    header: Header
    moves: list[Move] = field(default_factory=list)
    """The lines that count, without undone ones."""
    number: int = 0
    """Number of the last intact line of events."""
    falls: list[int] = field(default_factory=list)
    """Numbers of the lines that say that dice left the table and were rolled again (C9), without those taken back."""
    secret: bytes | None = None
    problem: RecordError | None = None
    dropped: str = ""
    """Text of a last line that was cut off in writing, if resuming the game has removed one."""
    size: int = 0
    """Bytes up to the end of the last intact line."""
    chain: str = ""

    def __str__(self) -> str:
        seats = ", ".join(
            f"{name} {one.score:,}" for name, one in zip(self.header.names, self.state.seats, strict=True)
        )
        won = [self.header.names[seat] for seat in self.state.result.winners] if self.state.result else []
        end = f"won by {listed(won, 'and')}" if won else "no winner" if self.state.over else "not over"
        return f"{self.header.rules}, {self.header.date}: {seats}; {end}"

    def _repr_html_(self) -> str:
        seats = zip(self.header.names, self.state.seats, strict=True)
        return table(str(self), ({"player": name, "score": one.score} for name, one in seats))

    @property
    def state(self) -> State:
        """The state after the last move that was not undone."""
        return self.moves[-1].after if self.moves else self.header.new_game()

    def go_back(self, number: int) -> None:
        """Undo everything after the event line with that number."""
        self.moves = [move for move in self.moves if move.number <= number]
        self.falls = [fall for fall in self.falls if fall <= number]

    def undo_to(self) -> int:
        """Return the number of the event line to go back to, so that the last thing that people did is undone.

        Raises `CannotUndo` if the machine has rolled since, or if nothing was played.
        """
        fell = self.falls[-1] if self.falls else 0
        last = self.moves[-1].number if self.moves else 0
        undone = fell if fell > last else self._last_of_people().number
        standing = (*(move.number for move in self.moves), *self.falls)
        return max((number for number in standing if number < undone), default=0)

    def _last_of_people(self) -> Move:
        if self.secret is not None:
            raise CannotUndo("game_over", "The game is over and its secret is revealed, so you can't undo.")
        manual = self.header.dice.kind == "manual"
        for move in reversed(self.moves):
            if isinstance(move.event, Throw):
                if manual:
                    return move
                raise CannotUndo("dice_have_fallen", "The dice have been rolled since, so you can't undo.")
            if isinstance(move.event, Note) or self.header.seats[move.before.seat].human:
                return move
        raise CannotUndo("nothing_played", "There is nothing to undo yet.")

    @property
    def fallen(self) -> int:
        """The number of times that dice left the table and were rolled again."""
        return len(self.falls)

    @property
    def throws(self) -> int:
        """The number of throws that were not undone, which is the index of the next one."""
        return sum(isinstance(move.event, Throw) for move in self.moves)


def check_seats(seats: Sequence[Seating]) -> None:
    """Raise `PlayerError` ``bad_name`` for names that cannot be used at a new table, or that look alike there.

    A record that is there already may have them: see `check_names`. Raises `PlayerError` ``bad_player`` for a seat
    whose player is not given by name.
    """
    for seat in seats:
        player: object = seat.player
        if not isinstance(player, str):
            own = f"own={{{quoted(seat.name)}: ...}}"
            raise PlayerError(
                "bad_player", f"the player of {seat.name} is not a name: leave it out of the seat, and give it as {own}"
            )
    for name in _names(seats):
        naming.check(name)
    for names in (tuple(seat.name for seat in seats), *(seat.people for seat in seats)):
        naming.check_apart(names)


def check_names(seats: Sequence[Seating]) -> None:
    """Raise `PlayerError` ``bad_name`` if no program ever let seats have these names."""
    for name in _names(seats):
        if not naming.is_plain(name):
            naming.check(name)
    names = [seat.name for seat in seats]
    if len(set(names)) < len(names):
        naming.check_apart(names)


def _names(seats: Sequence[Seating]) -> Iterator[str]:
    for seat in seats:
        yield from (seat.name, *seat.people)
