"""A game in the browser as a value of its events: those of the record, and those around it.

A `Table` takes row after row and never looks anywhere else, so that every process that has read the same rows shows the
same game. Possible next rows are calculated here; the service stores them.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple

from pydantic import ValidationError

from farkel.dice import ChanceDice, DerivedDice, Dice, commitment
from farkel.dice.chance import SYSTEM, Chance
from farkel.errors import FarkelError, RecordError
from farkel.game import Event, Fresh, Keep, Leave, Note, Phase, State, TakeOver, Throw, apply, is_legal
from farkel.play.match import fallen
from farkel.records import (
    Header,
    Move,
    Record,
    check_seats,
    event_text,
    fall_text,
    naming,
    parse_record,
    record_text,
    take,
)
from farkel.rules import Rules
from farkel.support.bounds import MOST_SEATS, clipped
from farkel.web.game.setup import FAR, Allowed, GamePlan, SeatPlan
from farkel.web.store.values import Game, Reseated, Row
from farkel.web.tokens import Key, hashed

KINDS = ("move", "word", "start", "away", "back", "allow", "link", "again", "plan")
"""Kinds of rows. ``move``: the text of a line of the record. The others are JSON: ``word`` that a seat mixes into the
dice; ``start``, with the header of a ``record`` if one was opened; ``away``: a bot sits in for a seat (``by``: a bot,
or ``pass``); ``back``: its owner plays again; ``allow``: the host's changes of `Allowed`; ``link``: a seat has a new
link, which makes it one that is far away; ``again``: the same seats play once more, in the game of that name; ``plan``:
the ``rules`` or the ``seats`` are others before the start, said as a whole. If seats come or go, those before the
``first`` stay as they were, and the ``tokens`` are of those from there on that are far away."""

UNHELD = ""
"""In place of a token's hash: the seat is kept for its former owner, who has not sat down yet."""

RECENT = 32
"""Rows kept at hand for pages that follow the game."""


class TableError(FarkelError):
    """An action that is impossible at a table now; ``code`` is stable."""


MADE_UP = "Player "
"""How the name of a free seat begins."""


class Presence(NamedTuple):
    """Who is at a table and who is not."""

    away: Mapping[int, float] = {}
    """Seats whose page is not open, and for how many seconds; those that never came are away since for ever."""
    free: frozenset[int] = frozenset()
    """Seats that the invitation opens."""
    left: float | None = None
    """Seconds until a bot sits in for the absent player on turn, or the turn is skipped; None for neither."""


class Draft(NamedTuple):
    """Rows about to be stored."""

    rows: tuple[tuple[str, str], ...]
    """Kind and body of each."""
    after: State | None = None
    """The game after them; None if nothing was played."""
    turn: int = 0
    """Number of the turn that is on after them; 0 if they change nothing about it."""
    plan: GamePlan | None = None
    """The plan after them, if they change it."""
    renewed: tuple[int, str] | None = None
    """A seat, and the hash of its new token."""
    reseated: Reseated | None = None


@dataclass(slots=True)
class Table:
    """One game and everything around it, after some of its rows."""

    game: str
    plan: GamePlan
    secret: bytes
    number: int = 0
    """Of the last row taken."""
    record: Record | None = None
    """None until the game has started."""
    turn: int = 0
    """Number of the current turn, counted from 1; 0 before the game. Undone turns are not counted."""
    words: dict[int, str] = field(default_factory=dict)
    away: dict[int, str] = field(default_factory=dict)
    """Absent seats, and what plays for each: a bot, or ``pass``."""
    allowed: Allowed = field(default_factory=Allowed)
    requests: dict[str, int] = field(default_factory=dict)
    """Submissions that were accepted, by their names, with the number of their first row."""
    tokens: dict[int, str] = field(default_factory=dict)
    """Hashes of the tokens of seats that are far away."""
    linked: dict[int, int] = field(default_factory=dict)
    """Seats with a new link, and the number of the event that says so."""
    recent: deque[Row] = field(default_factory=lambda: deque(maxlen=RECENT))
    """The latest rows."""
    moved: int = 0
    """When the last row was stored, in milliseconds since 1970."""
    next: str = ""
    """The game that the same seats play next; "" if the host has opened none."""
    host: str = ""
    """Hash of the host's token."""
    code: str = ""
    """Invites to the free seats; "" if nothing does."""
    opened: bool = False
    """Whether it is a record that was opened: it is watched, and nobody plays it."""
    chance: Chance = field(default=SYSTEM, compare=False, repr=False)
    """Where dice come from that are not committed to."""

    @classmethod
    def of(cls, game: Game, chance: Chance = SYSTEM) -> Table:
        """Return the table of a game as it is stored."""
        try:
            plan = GamePlan.model_validate_json(game.plan)
        except ValidationError as error:
            finding = error.errors()[0]
            if finding["type"] == "json_invalid":
                raise RecordError("malformed", f"what was chosen before game {game.game} can't be read") from None
            raise _newer(game.game, ".".join(str(step) for step in finding["loc"])) from None
        plan = plan.model_copy(update={"rules": _one(plan.rules)})
        table = cls(
            game.game,
            plan,
            game.secret,
            allowed=plan.allowed,
            tokens=dict(game.tokens),
            host=game.host,
            code=game.code,
            chance=chance,
        )
        table.take(game.rows)
        return table

    def take(self, rows: Iterable[Row]) -> None:
        """Take the rows that follow; those known already are passed over."""
        for row in rows:
            if row.number <= self.number:
                continue
            if row.number != self.number + 1:
                raise RecordError("malformed", f"event {row.number} of {self.game} follows event {self.number}")
            try:
                self._take(row)
            except (KeyError, TypeError, ValueError):  # something else has written it, or a disk has failed
                raise RecordError("malformed", f"event {row.number} of game {self.game} can't be read") from None
            self.number = row.number
            self.moved = row.at
            self.recent.append(row)
            if row.request is not None:
                self.requests[row.request] = row.number

    def _take(self, row: Row) -> None:
        if row.kind == "move":
            self._take_move(row.body)
            return
        body = json.loads(row.body)
        match row.kind:
            case "word":
                self.words[body["seat"]] = body["word"]
            case "start":
                self.record = Record(self.header(body))
                self.turn = 1
                self.opened = "record" in body
            case "away":
                self.away[body["seat"]] = body["by"]
            case "back":
                self.away.pop(body["seat"], None)
            case "allow":
                self.allowed = Allowed.model_validate(body)
            case "link":
                self.tokens[body["seat"]] = body["token"]
                self.linked[body["seat"]] = row.number
            case "again":
                self.next = body["game"]
            case "plan":
                self._take_plan(**body)
            case _:
                raise _newer(self.game, f"an event of the kind {row.kind}")

    def _take_move(self, text: str) -> None:
        record = self.playing
        known = len(record.moves)
        take(record, text)
        if len(record.moves) > known:
            self.turn += closes(record.moves[-1])
        elif len(record.moves) < known:
            self.turn = turns_begun(record.moves)

    def _take_plan(self, first: int = MOST_SEATS, tokens: Mapping[str, str] = {}, **changes: Any) -> None:
        """Take other rules, or other seats from the ``first`` on."""
        self.plan = _replanned(self.plan, changes)
        kept = {seat: token for seat, token in self.tokens.items() if seat < first}
        self.tokens = kept | {int(seat): token for seat, token in tokens.items()}
        self.words = {seat: word for seat, word in self.words.items() if seat < first}

    def header(self, start: Mapping[str, Any]) -> Header:
        """Return the head of the record of a game that was started by a row with this body."""
        if "record" in start:
            return parse_record(start["record"].encode()).header
        return self.plan.header(tuple(start["words"]), self.commitment, datetime.fromisoformat(start["date"]))

    def as_of(self, number: int) -> Table:
        """Return the table as it stood after the record's event of that number: those after it are not there yet."""
        record = self.playing
        moves = [move for move in record.moves if move.number <= number]
        last = moves[-1].number if moves else 0
        falls = [fall for fall in record.falls if fall <= number]
        then = Record(record.header, moves, last, falls, record.secret if moves == record.moves else None)
        return replace(self, record=then, number=last, turn=turns_begun(moves), away={}, recent=deque())

    # The record ------------------------------------------------------------------------------------------------------

    @property
    def playing(self) -> Record:
        """The record. Raises `TableError` ``not_started`` before the game."""
        if self.record is None:
            raise TableError("not_started", "the game has not started yet; the host starts it")
        return self.record

    @property
    def started(self) -> bool:
        return self.record is not None

    @property
    def so_far(self) -> Record:
        """The record; before the game starts, one without moves."""
        return self.record or Record(self.plan.header((), self.commitment))

    @property
    def state(self) -> State:
        """The state of the game; before it starts, the one that it will start with."""
        return self.so_far.state

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(seat.name for seat in self.plan.seats)

    @property
    def manual(self) -> bool:
        """Whether real dice are thrown on a table."""
        return self.plan.dice == "manual"

    @property
    def commitment(self) -> str:
        """The published fingerprint of the secret before the game."""
        return self.playing.header.dice.value if self.opened else commitment(self.secret)

    @property
    def far(self) -> frozenset[int]:
        """The seats that have a link of their own."""
        return frozenset(self.tokens)

    @property
    def mixed(self) -> tuple[str, ...]:
        """The words of all seats, in the order of the table."""
        return tuple(self.words[seat] for seat in sorted(self.words))

    @property
    def over(self) -> bool:
        return self.record is not None and self.record.state.over

    @property
    def replayed(self) -> GamePlan:
        """The plan of the next game of the same seats: its permissions and remote seats are the present ones."""
        seats = tuple(
            seat.model_copy(update={"who": FAR}) if index in self.far else seat
            for index, seat in enumerate(self.plan.seats)
        )
        return self.plan.model_copy(update={"seats": seats, "allowed": self.allowed})

    def text(self, rows: Iterable[Row]) -> str:
        """Return the record as a file, from all rows of the game."""
        return record_text(self.playing.header, (row.body for row in rows if row.kind == "move"))

    def key(self, *tokens: str) -> Key:
        """Return what these tokens open together; those that are not of this table open nothing."""
        found = {hashed(token) for token in tokens}
        host = self.host in found
        seats = {seat for seat, held in self.tokens.items() if held in found}
        return Key(host, frozenset(seats | (self.plan.here - self.far if host else set())), self.number)

    def plays(self, seat: int) -> str:
        """Return who decides for the seat now: ``human``, a bot, or ``pass`` if it is passed over."""
        player = self.plan.seats[seat].seating.player
        return self.away.get(seat, player) if player == "human" else player

    @property
    def goes_on(self) -> bool:
        """Whether the server can play for the seat on turn, without the people at the table.

        If every seat is skipped, the game rests until a player is back.
        """
        if self.record is None or self.over or self.opened:
            return False
        state = self.state
        by = self.plays(state.seat)
        if by == "pass":
            seats = [index for index, seat in enumerate(state.seats) if seat.status == "in"]
            if all(self.plays(seat) == "pass" for seat in seats):
                return False
            return not (self.manual and state.phase is Phase.START)
        return by != "human" and not (self.manual and state.dice_due)

    # Possible next rows -----------------------------------------------------------------------------------------------

    def word(self, key: Key, seat: int, word: str) -> Draft:
        """Give a seat a word of its own, mixed into the dice, before the game starts."""
        self.check_mine(key, seat)
        if self.started:
            raise TableError("started", "the game has started, so its dice are already fixed")
        word = " ".join(word.split())
        if not (1 <= len(word) <= 40 and word.isprintable()):
            raise TableError("bad_word", "a word has 1 to 40 characters that can be printed")
        return _around("word", seat=seat, word=word)

    def start(self, key: Key, now: datetime) -> Draft:
        """Start the game: words are fixed."""
        self._host(key)
        if self.started:
            raise TableError("started", "the game has started already")
        return _around("start", date=now.strftime("%Y-%m-%d %H:%M"), words=self.mixed)._replace(turn=1)

    def allow(self, key: Key, allowed: Allowed) -> Draft:
        """Change the host's permissions."""
        self._host(key)
        return _around("allow", **allowed.model_dump())

    def link(self, key: Key, seat: int, token: str) -> Draft:
        """Give a person's seat a new link, whose token has this hash."""
        self._host(key)
        self._seat(seat)
        if not self.plan.seats[seat].seating.human:
            raise TableError("a_bot", f"{self.names[seat]} is played by a bot, which needs no link")
        return self._holds(seat, token)

    def sits_down(self, seat: int, token: str) -> Draft:
        """Let the seat's owner in the game before take it, with a token that has this hash."""
        if self.tokens.get(seat) != UNHELD:
            raise TableError("newer_link", f"{self.names[seat]} has a newer link here; ask the host of the game for it")
        return self._holds(seat, token)

    def free(self, seen: Mapping[int, int]) -> list[int]:
        """Return the seats that an invitation opens: never opened (``seen``, by seat), and without a link to them."""
        return [
            seat
            for seat, token in sorted(self.tokens.items())
            if token != UNHELD and seat not in self.linked and seat not in self.words and not seen.get(seat)
        ]

    def joins(self, seat: int, name: str, token: str) -> Draft:
        """Let an invited player take the seat by this name, with a token that has this hash.

        Once the game has started a seat keeps its name. Raises `TableError`, or `PlayerError` for the name.
        """
        if self.over:
            raise TableError("over", "this game is over; ask the host for the next one")
        if token in self.tokens.values():
            raise TableError("joined", "you have a seat at this table already")
        if seat in self.linked:
            raise TableError("taken", f"somebody else has just taken the seat of {self.names[seat]}")
        taken = self._holds(seat, token)
        if self.started or name in ("", self.names[seat]):
            return taken
        seats = list(self.plan.seats)
        seats[seat] = seats[seat].model_copy(update={"name": name})
        named = self._replans(seats=seats)
        return named._replace(rows=(*named.rows, *taken.rows), renewed=taken.renewed)

    def adds(self, key: Key, seat: SeatPlan, token: str) -> Draft:
        """Add a seat at the end of the table, which a token with this hash opens if it is far away.

        Without a name it is called "Player 3", or by another number that is free. Raises `TableError`, or
        `PlayerError`.
        """
        self._arranging(key)
        if not seat.name:
            numbers = range(len(self.plan.seats) + 1, 2 * MOST_SEATS + 2)
            name = naming.unused((f"{MADE_UP}{number}" for number in numbers), self.names)
            seat = seat.model_copy(update={"name": name})
        last = len(self.plan.seats)
        if last == MOST_SEATS:
            raise TableError("too_many_seats", f"a table has room for {MOST_SEATS} seats")
        return self._reseats(last, (*self.plan.seats, seat), {last: token} if seat.who == FAR else {})

    def drops(self, key: Key, seat: int, free: Container[int]) -> Draft:
        """Remove a bot's seat, a ``free`` one, or one on the host's device. Those after it move up.

        So all of these must be such seats, and give their words again.
        """
        self._arranging(key)
        self._seat(seat)
        if seat < self.loose(free):
            raise TableError(
                "seat_taken", f"the seat of {self.names[seat]} stays: somebody far away has it or a later one"
            )
        moved = {held - 1: token for held, token in sorted(self.tokens.items()) if held > seat}
        return self._reseats(seat, (*self.plan.seats[:seat], *self.plan.seats[seat + 1 :]), moved)

    def loose(self, free: Container[int]) -> int:
        """Return the first of the last seats that no remote player has, so that each of them can go; the
        first seat stays.
        """
        return max((1, *(seat + 1 for seat in self.tokens if seat not in free)))

    def plays_by(self, key: Key, rules: Rules) -> Draft:
        """Change the rules."""
        self._arranging(key)
        return self._replans(rules=rules)

    def again(self, game: str) -> Draft:
        """Let the same seats play once more, in the game of that name."""
        if not self.over:
            raise TableError("not_over", "the next game can start when this one is over")
        return _around("again", game=game)

    def sits_in(self, seat: int, by: str) -> Draft:
        """Let a bot sit in for an absent seat."""
        return _around("away", seat=seat, by=by)

    def returns(self, seat: int) -> Draft:
        """Let the owner of a seat play again."""
        if seat not in self.away:
            raise TableError("not_away", f"nobody sits in for {self.names[seat]}")
        return _around("back", seat=seat)

    def returning(self, key: Key, draft: Draft) -> Draft:
        """Return the draft, with the return of those before it whose seats the key holds."""
        back = (self.returns(seat).rows for seat in sorted(key.seats & self.away.keys()))
        return draft._replace(rows=(*(row for rows in back for row in rows), *draft.rows))

    def play(self, key: Key, event: Event) -> Draft:
        """Play an event of a seat that the key holds. Raises `TableError` or `IllegalEvent`.

        Dice of the server fall with the decision that asks for them; dice are only chosen at a real table.
        """
        record = self.playing
        if isinstance(event, Throw) and not self.manual:
            raise TableError("not_your_dice", "the server rolls the dice of this game: ask for a roll")
        if isinstance(event, Note) and not self.manual:
            raise TableError("not_your_dice", "turns can be entered only in games with real dice")
        if not record.state.over:
            self.check_mine(key, event.seat if isinstance(event, Leave) else record.state.seat)
        return self._played(event)

    def roll(self, key: Key) -> Draft:
        """Roll the dice that are due."""
        record = self.playing
        if self.manual:
            raise TableError("manual_dice", "this game uses real dice: enter what fell")
        if not record.state.over:
            self.check_mine(key, record.state.seat)
        return self._played(None)

    def serve(self, event: Event | None) -> Draft:
        """Do the server's own moves, for a bot or an absent player. None rolls the dice."""
        return self._played(event)

    def fell(self, key: Key) -> Draft:
        """Take a die off the table, or one that leans: the roll is thrown again (C9), or it is a farkle (F6)."""
        record = self.playing
        if not self.manual:
            raise TableError("not_your_dice", "only real dice can fall off the table")
        if not record.state.dice_due:
            raise TableError("no_throw_due", "no roll is due now")
        self.check_mine(key, record.state.seat)
        farkle = fallen(record.state)
        if farkle is not None:
            return self._played(farkle)
        return Draft((("move", fall_text(self.names[record.state.seat])),), record.state)

    def undo(self, key: Key) -> Draft:
        """Take back the last thing that a person did, if no dice have fallen since; see `Record.undo_to`."""
        record = self.playing
        number = record.undo_to()
        before = next((move.before for move in record.moves if move.number > number), record.state)
        self.check_mine(key, before.seat)
        turn = turns_begun([move for move in record.moves if move.number <= number])
        return Draft((("move", f"back to {number}"),), before, turn)

    def correct(self, key: Key, turn: int, event: Event, *, dropping: bool) -> Draft:
        """Put another entry in the place of a whole turn, the one in which the move of that number was made.

        Later entries are played again as they are. If that is impossible, as the game ends earlier now,
        `TableError` ``would_drop`` says what would be lost, unless ``dropping`` accepts it.
        """
        if not self.manual:
            raise TableError("not_your_dice", "only turns entered with real dice can be corrected")
        record = self.playing
        old = turn_of(record, turn)
        self.check_mine(key, old.seat)
        lines = _Lines(self.names, record.moves[old.first].before, turns_begun(record.moves[: old.first]))
        lines.texts.append(f"back to {record.moves[old.first - 1].number if old.first else 0}")
        for one in (*old.begun, event):
            lines.add(one)
        later = record.moves[old.after :]
        for place, move in enumerate(later):
            # A turn stays with the seat that had it: another may be on turn now, as one is out of lives, or is not.
            fits = isinstance(move.event, Leave) or lines.state.seat == move.before.seat
            for one in _entered_again(lines.state, move.event):
                fits = fits and is_legal(lines.state, one)
                if fits:
                    lines.add(one)
            if not fits:
                if not dropping:
                    lost = len(later) - place
                    raise TableError(
                        "would_drop", f"with this entry {lost} of the later entries no longer fit and would be lost"
                    )
                break
        return lines.draft

    def _played(self, event: Event | None) -> Draft:
        """Return the event, if there is one, and the dice of the server that it asks for; without one, a roll."""
        record = self.playing
        lines = _Lines(self.names, record.state, self.turn)
        if event is not None:
            lines.add(event)
        if not self.manual and (event is None or _asks_for_dice(event)):
            lines.add(self._throw(lines.state, record.throws))
        if lines.state.over and self.plan.dice == "committed":
            lines.texts.append(f"secret {self.secret.hex()}")
        return lines.draft

    def _holds(self, seat: int, token: str) -> Draft:
        """Let a token with this hash open the seat from now on."""
        return _around("link", seat=seat, token=token)._replace(renewed=(seat, token))

    def _reseats(self, first: int, seats: Sequence[SeatPlan], tokens: Mapping[int, str]) -> Draft:
        """Change the seats from ``first`` on, if these tokens open those that are far away."""
        made = self._replans(seats=seats, first=first, tokens=tokens)
        return made._replace(reseated=Reseated(first, tuple(tokens.items())))

    def _replans(self, **changes: Any) -> Draft:
        """Change rules or seats before the start. Raises `PlayerError` if the seats do not go together."""
        plan = _replanned(self.plan, {name: changes[name] for name in ("rules", "seats") if name in changes})
        check_seats(plan.seatings)
        said = plan.model_dump(mode="json", include={"rules", "seats"} & changes.keys())
        return _around("plan", **(changes | said))._replace(plan=plan)

    def _throw(self, state: State, index: int) -> Throw:
        dice: Dice = ChanceDice(self.chance, self.game, self.number)
        if self.plan.dice == "committed":
            dice = DerivedDice(self.secret, self.mixed)
        return Throw(dice.throw(index, state.dice_due))

    def may(self, key: Key, seat: int) -> bool:
        """Return whether the key's owner may act for the seat."""
        # The keeper of a real table's sheet enters every player's dice.
        return (seat in key.seats and self.linked.get(seat, 0) <= key.at) or (self.manual and key.host)

    def check_mine(self, key: Key, seat: int) -> None:
        """Raise `TableError` if the key may not act for the seat."""
        self._seat(seat)
        if not self.may(key, seat):
            name = self.names[seat]
            raise TableError("not_yours", f"it is for {name} to do that, and this link is not for the seat of {name}")

    def _seat(self, seat: int) -> None:
        if not 0 <= seat < len(self.plan.seats):
            raise TableError("no_such_seat", f"there is no seat {seat + 1}: seats are 1 to {len(self.plan.seats)}")

    def _arranging(self, key: Key) -> None:
        self._host(key)
        if self.started:
            raise TableError("started", "the game has started, so its rules and seats stay as they are")

    def _host(self, key: Key) -> None:
        if not key.host:
            raise TableError("not_the_host", "only the host of the game can do that")


class _Lines:
    """Events about to be stored as lines of the record, and the game and the turn after them."""

    def __init__(self, names: tuple[str, ...], state: State, turn: int) -> None:
        self.names, self.state, self.turn = names, state, turn
        self.texts: list[str] = []

    def add(self, event: Event) -> None:
        """Play an event. Raises `IllegalEvent`."""
        before, self.state = self.state, apply(self.state, event)
        self.turn += closes(Move(0, event, before, self.state))
        self.texts.append(event_text(event, before, self.state, self.names))

    @property
    def draft(self) -> Draft:
        return Draft(tuple(("move", text) for text in self.texts), self.state, self.turn)


def _entered_again(state: State, event: Event) -> tuple[Event, ...]:
    """Return an event as it is entered if there may be an offer now that was not there, or none that was."""
    if isinstance(event, Fresh) and state.phase is Phase.ROLL:
        return ()
    if isinstance(event, Throw) and state.phase is Phase.OFFER:
        return (Fresh(), event)
    return (event,)


def _asks_for_dice(event: Event) -> bool:
    """Return whether a decision is one to roll."""
    return isinstance(event, Fresh | TakeOver) or (isinstance(event, Keep) and event.then == "roll")


class EnteredTurn(NamedTuple):
    """A turn of a record, as it is corrected."""

    seat: int
    first: int
    """Place of its first move."""
    after: int
    """Place of the move after it."""
    begun: tuple[Event, ...]
    """The parts of it that do not depend on the dice: decisions on an offer, and other seats that left."""
    state: State
    """The state after these."""


@lru_cache(maxsize=1024)
def _one(rules: Rules) -> Rules:
    """Return one object for equal rules: one for each table would be most of what an idle game takes."""
    return rules


def turn_of(record: Record, number: int) -> EnteredTurn:
    """Return the turn in which the move of that number was made. Raises `TableError` ``no_such_turn``."""
    place = next((place for place, move in enumerate(record.moves) if move.number == number), None)
    if place is None or record.moves[place].before.phase is Phase.START:
        raise TableError("no_such_turn", f"no turn on the score sheet has the event {number}")
    first, after = next(span for span in turn_spans(record.moves) if span[0] <= place < span[1])
    state = record.moves[first].before
    seat, begun = state.seat, []
    for move in record.moves[first:after]:
        left = isinstance(move.event, Leave) and move.event.seat != seat
        if left or isinstance(move.event, Fresh | TakeOver):
            begun.append(move.event)
            state = apply(state, move.event)
    return EnteredTurn(seat, first, after, tuple(begun), state)


def turn_spans(moves: list[Move]) -> Iterator[tuple[int, int]]:
    """Yield the places of each turn's first move, and of the one after it; throws for the start stand alone."""
    first = 0
    for place, move in enumerate(moves):
        if closes(move) or place == len(moves) - 1:
            yield first, place + 1
            first = place + 1


def under_way(moves: Sequence[Move]) -> list[Move]:
    """Return the moves of the turn that is being played, the latest first."""
    return list(takewhile(lambda move: not closes(move), reversed(moves)))


def turns_begun(moves: list[Move]) -> int:
    """Return the number of the turn that is on after these moves; each throw for the start counts as one."""
    return 1 + sum(map(closes, moves))


def closes(move: Move) -> bool:
    """Return whether another turn is counted after the move: it ends one, or is a throw for the start."""
    return move.before.phase is Phase.START or move.ends_turn


def _newer(game: str, what: str) -> RecordError:
    """Return the error for a stored game that this version cannot read."""
    return RecordError(
        "version",
        f"game {game} was written by a newer version of Farkel, which has {clipped(what)}; update Farkel here",
    )


def _replanned(plan: GamePlan, changes: Mapping[str, Any]) -> GamePlan:
    """Return the plan with other rules or other seats."""
    changed = GamePlan.model_validate({"rules": plan.rules, "seats": plan.seats} | dict(changes))
    return plan.model_copy(update={"rules": _one(changed.rules), "seats": changed.seats})


def opening(record: str, header: Header) -> Draft:
    """Return the start of a game that is a record which was opened: the text of its header, and what that says."""
    return _around("start", date=header.date, words=header.dice.words, record=record)


def _around(kind: str, **body: Any) -> Draft:
    return Draft(((kind, json.dumps(body, separators=(",", ":"), ensure_ascii=False)),))


def stored(draft: Draft, number: int, at: int, request: str | None) -> tuple[Row, ...]:
    """Return the rows of a draft, numbered after ``number``; the first one bears the name of the submission."""
    return tuple(
        Row(number + place, at, kind, body, request if place == 1 else None)
        for place, (kind, body) in enumerate(draft.rows, 1)
    )


def shown(row: Row) -> Mapping[str, Any]:
    """Return a row as clients see it: hashes of tokens are left out, and a word is secret until
    the game starts.
    """
    body = {"text": row.body} if row.kind == "move" else json.loads(row.body)
    for hidden in ("token", "tokens", "word"):
        body.pop(hidden, None)
    return {"number": row.number, "at": row.at, "kind": row.kind, **body}
