"""`Match`: one game being played by people and players, with its dice and its record.

Store, then show: every event is on the disk before `act` returns, so that a program killed at any moment has shown
nothing that is lost. The terminal and every other front end play through this one class.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from farkel.dice import SECRET, ChanceDice, DerivedDice, Dice, commitment, mixed_words, seeded
from farkel.dice.chance import SYSTEM, Chance
from farkel.errors import FarkelError, PlayerError, RecordError
from farkel.game import Action, Event, IllegalEvent, Note, Phase, State, Throw, apply
from farkel.game.story import Fact, facts
from farkel.players import Player, Thinker, make_player
from farkel.players.own import failure, load_player, player_file
from farkel.players.protocol import check_player
from farkel.records import (
    DiceKind,
    DiceSpec,
    Header,
    Move,
    Record,
    RecordWriter,
    Seating,
    check_seats,
    event_text,
    fall_text,
)
from farkel.rules import AnyRules, Rules, as_rules
from farkel.support.progress import Progress, Steps
from farkel.support.system import sync, sync_folder

OBJECT = "python:"
"""A record's mark before the class of a player that was given as an object."""


@dataclass(frozen=True, slots=True, init=False)
class Setup:
    """Everything a game needs before it starts."""

    rules: Rules
    seats: tuple[Seating, ...]
    dice: DiceKind
    seed: str
    words: tuple[str, ...]

    def __init__(
        self,
        rules: AnyRules,
        seats: Sequence[Seating],
        dice: DiceKind = "system",
        seed: str = "",
        words: Sequence[str] = (),
    ) -> None:
        given = {"rules": as_rules(rules), "seats": tuple(seats), "dice": dice, "seed": seed, "words": tuple(words)}
        for name, value in given.items():
            object.__setattr__(self, name, value)


class Bots:
    """The players of a table: by seat, None for people.

    Some have to work something out before their first decision, once for all games under the same rules.
    """

    def __init__(self, rules: AnyRules, seats: Sequence[Seating], own: Mapping[str, Player] | None = None) -> None:
        """Make the bots. Raises `PlayerError` for a player that does not exist.

        ``own`` are players of one's own, by the name of their seat. Nothing is loaded from a file here, because seats
        may come from strangers; see `own_players`.
        """
        self.players: tuple[Player | None, ...] = tuple(_player(seat, own or {}) for seat in seats)
        self._thinkers = {
            seat.player: player for seat, player in zip(seats, self.players, strict=True) if isinstance(player, Thinker)
        }
        self._table = as_rules(rules), [len(seat.people) for seat in seats]

    def check(self) -> None:
        """Raise `PlayerError` for a player that cannot play such a game, or only after much work."""
        for player in self._thinkers.values():
            player.check(*self._table)

    @property
    def ready(self) -> bool:
        """Whether every player decides without delay."""
        return all(player.ready(*self._table) for player in self._thinkers.values())

    def prepare(self, progress: Progress) -> None:
        """Check, and calculate the tables that are needed.

        Raises `PlayerError`, `SolveError` if that fails, and what ``progress`` raises to stop it.
        """
        self.check()
        waited = {
            f"Preparing {name}": player for name, player in self._thinkers.items() if not player.ready(*self._table)
        }
        steps = Steps(progress, dict.fromkeys(waited, 1.0))
        for what, player in waited.items():
            step = steps.begin(what)
            player.prepare(*self._table, step)
            step(1.0, 1.0)


def own_players(seats: Iterable[Seating]) -> dict[str, Player]:
    """Load the players that are classes in Python files, by the name of their seat; this runs those files.

    Raises `PlayerError` as `farkel.players.own.load_player` does.
    """
    specs = {seat.name: seat.player.removeprefix("bot:") for seat in seats if not seat.human}
    return {name: load_player(spec) for name, spec in specs.items() if player_file(spec) is not None}


def _player(seat: Seating, own: Mapping[str, Player]) -> Player | None:
    spec = seat.player.removeprefix("bot:")
    if seat.human or seat.name in own:
        return own.get(seat.name)
    if _is_own(seat):
        raise PlayerError("own_player", f"{seat.name} is played by {spec.removeprefix(OBJECT)}, which was not given")
    return make_player(spec)


def _seated(seats: Sequence[Seating], own: Mapping[str, Player]) -> tuple[Seating, ...]:
    """Return the seats with players of one's own in them.

    Raises `PlayerError` for an invalid player, or one without a seat.
    """
    missing = [name for name in own if name not in (seat.name for seat in seats)]
    if missing:
        raise PlayerError("bad_player", f'"{missing[0]}" has no seat: {", ".join(seat.name for seat in seats)}')
    return tuple(seat._replace(player=_spec(seat, own[seat.name])) if seat.name in own else seat for seat in seats)


def _spec(seat: Seating, player: Player) -> str:
    """Return a custom player's name in the record: its file and class, or only its class."""
    kind = type(check_player(player, seat.name, seat.name))
    if player_file(seat.player.removeprefix("bot:")) is not None:
        return seat.player
    return f"bot:{OBJECT}{kind.__module__}.{kind.__qualname__}"


class Match:
    """A game being played. Make one with `start` or `resume`."""

    def __init__(
        self, record: Record, writer: RecordWriter, secret: bytes, own: Mapping[str, Player] | None, chance: Chance
    ) -> None:
        self.record = record
        self._writer = writer
        self._dice = _source(record.header.dice, secret, chance)
        self._chance = chance
        self.bots = Bots(record.header.rules, record.header.seats, own)

    def __str__(self) -> str:
        return str(self.record)

    def _repr_html_(self) -> str:
        return self.record._repr_html_()

    @classmethod
    def start(
        cls,
        setup: Setup,
        path: Path | str,
        now: datetime | None = None,
        own: Mapping[str, Player] | None = None,
        chance: Chance = SYSTEM,
    ) -> Match:
        """Begin a game and its record. Raises `RecordError`, `PlayerError` or `DiceError` before anything is played.

        ``own`` are players of one's own, by the name of their seat; those that seats name as classes in Python files
        are loaded. Bots that think should be prepared before the first decision: ``match.bots.prepare(progress)``.
        """
        check_seats(setup.seats)
        path, seats = Path(path), _seated(setup.seats, own or {})
        own = own_players(seat for seat in seats if seat.name not in (own or {})) | dict(own or {})
        secret = chance.draw(SECRET, "secret") if setup.dice == "committed" else b""
        value = {"committed": commitment(secret), "seeded": setup.seed}.get(setup.dice, "")
        words = mixed_words(setup.words) if secret else ()
        spec = DiceSpec(setup.dice, value, words)
        header = Header(setup.rules, seats, spec, f"{now or datetime.now():%Y-%m-%d %H:%M}")
        header.new_game()
        Bots(setup.rules, seats, own).check()
        writer = RecordWriter.create(path, header)
        if secret:
            try:
                _keep_secret(secret_path(path), secret)
            except RecordError:
                writer.discard()
                raise
        return cls(Record(header), writer, secret, own, chance)

    @classmethod
    def resume(
        cls, path: Path | str, own: Mapping[str, Player] | None = None, files: bool = False, chance: Chance = SYSTEM
    ) -> Match:
        """Resume a recorded game. Raises `RecordError` if it cannot be trusted or written to, and `PlayerError`.

        ``own`` are players of one's own, by the name of their seat. ``files`` says whether to run the Python files
        that the record names for its players: only for a record that you trust.
        """
        path = Path(path)
        writer, record = RecordWriter.reopen(path)
        spec = record.header.dice
        secret = record.secret or b""
        try:
            if spec.kind == "committed" and not secret:
                secret = _kept_secret(secret_path(path), spec)
            match = cls(record, writer, secret, _returning(record.header.seats, own or {}, files), chance)
            match._reveal()
        except FarkelError:
            writer.close()
            raise
        return match

    @property
    def path(self) -> Path:
        """The file that the game is recorded in."""
        return self._writer.path

    @property
    def rules(self) -> Rules:
        return self.record.header.rules

    @property
    def state(self) -> State:
        return self.record.state

    @property
    def moves(self) -> Sequence[Move]:
        """The moves played and not undone."""
        return self.record.moves

    @property
    def names(self) -> tuple[str, ...]:
        return self.record.header.names

    @property
    def people(self) -> tuple[int, ...]:
        """How many people each seat has."""
        return self.record.header.people

    @property
    def seating(self) -> Seating:
        """Who throws or decides now."""
        return self.record.header.seats[self.state.seat]

    @property
    def person(self) -> str:
        """The name of the person whose turn it is, in a team of partners; else the seat's name."""
        seating, seat = self.seating, self.state.mine
        return seating.people[seat.person] if self.rules.teams == "partners" else seating.name

    @property
    def manual(self) -> bool:
        """Whether people throw real dice and type what fell."""
        return self._dice is None

    @property
    def player(self) -> Player | None:
        """The player that decides for the seat whose turn it is; None for people."""
        return self.bots.players[self.state.seat]

    def act(self, event: Event) -> tuple[Fact, ...]:
        """Play an event: check it, store it, and only then return what followed.

        Raises `IllegalEvent` if the rules do not allow it, and ``machine_dice`` for a turn that is noted if the
        machine throws; a seat may be passed over with any dice.
        """
        before = self.state
        if isinstance(event, Note) and not (self.manual or event.passes):
            sentence = "a turn can be entered only with real dice: the program rolls these"
            raise IllegalEvent("machine_dice", sentence, before, event)
        after = apply(before, event)
        number = self._store(event_text(event, before, after, self.names))
        self.record.moves.append(Move(number, event, before, after))
        with suppress(RecordError):  # the event is stored; the secret is safe in its file and is revealed on closing
            self._reveal()
        return facts(before, event, after)

    def throw(self) -> tuple[Fact, ...]:
        """Roll the dice. Real dice are rolled by people: play a `Throw` of the typed faces instead."""
        if self._dice is None:
            raise IllegalEvent(
                "manual_dice", "these are real dice: roll them and enter the result", self.state, Throw(())
            )
        return self.act(Throw(self._dice.throw(self.record.throws, self.state.dice_due)))

    def decide(self) -> Action | None:
        """Ask the player whose turn it is for a decision; None for people, and if there is nothing to decide.

        Raises `PlayerError` ``player_failed`` if the player raises, or decides something that the rules do not allow.
        Nothing is stored then, so that the game can be resumed.
        """
        player, state = self.player, self.state
        if player is None or state.over or state.dice_due:
            return None
        name = self.seating.name
        try:
            action: object = player.decide(state, self._generator())
        except (Exception, SystemExit) as error:
            raise PlayerError("player_failed", f"{name} failed to decide: {failure(error)}") from error
        if not isinstance(action, Action):
            raise PlayerError(
                "player_failed", f"{name} returned {action!r:.100}; a decision is a Keep, Fresh or TakeOver"
            )
        try:
            apply(state, action)
        except Exception as error:  # also an action that is made of the wrong things
            why = error.message if isinstance(error, IllegalEvent) else failure(error)
            raise PlayerError("player_failed", f"{name} broke the rules with {action!r:.100}: {why}") from error
        return action

    def dice_fell(self) -> tuple[Fact, ...]:
        """Record that a die left the table or leaned; returns what followed.

        All dice of the roll are rolled again, and nothing follows (C9); or it is a farkle, which is noted (F6).
        """
        farkle = fallen(self.state)
        if farkle is not None:
            return self.act(farkle)
        self.record.falls.append(self._store(fall_text(self.names[self.state.seat])))
        return ()

    def undo(self) -> tuple[Move, ...]:
        """Take back the last thing that people did and what bots decided after it; returns the moves taken back.

        These are none if the last thing was that dice fell. Raises `CannotUndo` if the machine has rolled since, or if
        nothing was played.
        """
        number = self.record.undo_to()
        gone = tuple(move for move in self.record.moves if move.number > number)
        self._store(f"back to {number}")
        self.record.go_back(number)
        return gone

    def close(self) -> None:
        """Close the record; the game can be resumed from it."""
        with suppress(RecordError, ValueError):  # a full disk, or closed before: resuming reveals the secret as well
            self._reveal()
        self._writer.close()

    def _store(self, text: str) -> int:
        """Store a line of the record and return its number. Raises `RecordError` if it cannot be stored."""
        self.record.number = self._writer.append(text)
        return self.record.number

    def _generator(self) -> random.Random:
        """Return a generator for a player's decision: repeatable with a seed, even after an interruption."""
        spec = self.record.header.dice
        if spec.kind == "seeded":
            return random.Random(f"{spec.value} {len(self.record.moves)}")
        return self._chance.generator("decide", self.record.number)

    def _reveal(self) -> None:
        """Write the secret of committed dice into the record once the game is over, and forget its file."""
        if not (self.state.over and isinstance(self._dice, DerivedDice)):
            return
        if self.record.header.dice.kind == "committed" and self.record.secret is None:
            self._store(f"secret {self._dice.key.hex()}")
            self.record.secret = self._dice.key
            with suppress(OSError):  # it is in the record now: its file can stay
                secret_path(self._writer.path).unlink(missing_ok=True)


def _returning(seats: Sequence[Seating], own: Mapping[str, Player], files: bool) -> dict[str, Player]:
    """Return players of one's own for a game that is resumed. Raises `PlayerError` for one who did not play it."""
    theirs = {seat.name: seat for seat in seats if _is_own(seat)}
    for name, player in own.items():
        if name not in theirs:
            played = f"there: {', '.join(theirs)}" if theirs else "none did"
            raise PlayerError("bad_player", f'"{name}" did not play this game as a player of your own; {played}')
        check_player(player, name, name)
    return (own_players(seat for seat in seats if seat.name not in own) if files else {}) | dict(own)


def _is_own(seat: Seating) -> bool:
    spec = seat.player.removeprefix("bot:")
    return not seat.human and (player_file(spec) is not None or spec.startswith(OBJECT))


def fallen(state: State) -> Note | None:
    """Return the farkle that a die off the table is, or None if the dice are rolled again: always for the
    start (C9, F6).
    """
    if state.rules.fallen == "again" or state.phase is not Phase.ROLL:
        return None
    return Note(state.points, state.dice, farkle=True)


def secret_path(path: Path) -> Path:
    """Return the path of the secret of committed dice during the game."""
    return path.with_name(path.name + ".secret")


def _source(spec: DiceSpec, secret: bytes, chance: Chance) -> Dice | None:
    if spec.kind == "manual":
        return None
    if spec.kind == "seeded":
        return seeded(spec.value)
    return DerivedDice(secret, spec.words) if spec.kind == "committed" else ChanceDice(chance)


def _keep_secret(path: Path, secret: bytes) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "w") as file:
                file.write(secret.hex() + "\n")
                file.flush()
                sync(handle)
            sync_folder(path.parent)
        except OSError:
            path.unlink(missing_ok=True)  # half a secret would stand in the way of the next try
            raise
    except OSError as error:
        raise RecordError("unwritable", f"{path} cannot be written: {error.strerror or error}") from None


def _kept_secret(path: Path, spec: DiceSpec) -> bytes:
    try:
        secret = bytes.fromhex(path.read_text("utf-8").strip())
    except (OSError, ValueError) as error:
        raise RecordError(
            "no_secret", f"the game cannot be resumed: the secret of its dice is missing or damaged in {path} ({error})"
        ) from None
    if commitment(secret) != spec.value:
        raise RecordError("wrong_secret", f"the game cannot be resumed: {path} does not hold the secret of its dice")
    return secret
