"""The state of a game, and its possible events, as values."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, cast

from farkel.dice import Roll, faces_text, roll_of
from farkel.game import law
from farkel.game.events import Keep, Note
from farkel.game.law import KEEP, OFFER, OVER, ROLL, START, Phase
from farkel.game.numbered import numbered
from farkel.game.scoring import Scored
from farkel.rules.model import Rules
from farkel.support.notebooks import table
from farkel.support.words import counted, counted_dice

Reason = Literal[
    "target",
    "exact",
    "last_turns",
    "equal_turns",
    "rounds",
    "standing",
    "left",
    "nobody",
    "fewest_rounds",
    "play_off",
    "dice",
]


REASONS: tuple[Any, ...] = ("", *(reason.name.lower() for reason in law.Reason))
"""`Reason` by its number in the law."""
STATUSES: tuple[Literal["in"], Literal["out"], Literal["left"]] = "in", "out", "left"


class Seat(NamedTuple):
    """One column of the score sheet: a player or a team."""

    score: int = 0
    """Points banked."""
    lives: int = 0
    people: int = 1
    person: int = 0
    """Whose turn it is within the team, 0-based; moves only if partners take turns (L5)."""
    entered: int = 0
    """Bits of the people who have made the entry score; -1 (all) if there is none to make."""
    farkles: int = 0
    """Farkles in a row, counted only if they are fined."""
    gone: int = 0
    """`status` as a number: 0 in the game, 1 out of it, 2 left."""
    thrown: int = 0
    """In ``Phase.START`` by the highest or lowest: the sum of the seat's roll, 0 before it, -1 no longer in it."""
    before: int = 0
    """The score before the last bank, if a bank of another seat may send it back there (F8)."""
    taken: int = 0
    """Points taken over in this turn that do not count toward the entry score (T3)."""
    beat: int = 0
    """The bank of the seat before, if this turn has to beat it (M2); else 0."""
    tries: int = 0
    """Turns that have failed on a barrel (Z5)."""
    falls: int = 0
    """How often the seat was thrown off a barrel, if that is counted (Z5)."""
    moved: int = 0
    """1: a player has missed the target, which has moved on for everyone (F22)."""

    def __str__(self) -> str:
        parts = [counted(self.score, "point", "points")]
        parts += [counted(self.lives, "life", "lives")] if self.lives else []
        parts += [] if self.on_board else ["not on the board"]
        return ", ".join(parts + ([] if self.status == "in" else [self.status]))

    @property
    def status(self) -> Literal["in", "out", "left"]:
        """``out`` of the game by its rules (O11, P17), or ``left`` the table."""
        return STATUSES[self.gone]

    @property
    def on_board(self) -> bool:
        """Whether the person whose turn it is may bank less than the entry score (S6, L5)."""
        return law.on_board(self)


class Offer(NamedTuple):
    """The offer of the seat before: its turn total and the dice that it did not keep (D9)."""

    points: int
    dice: int

    def __str__(self) -> str:
        return f"{counted(self.points, 'point', 'points')} and {counted_dice(self.dice)}"


class Result(NamedTuple):
    """How a game ended: the winning seats (none, one, or several with equal scores) and why."""

    winners: tuple[int, ...]
    reason: Reason

    def __str__(self) -> str:
        return f"won by {' and '.join(f'seat {seat + 1}' for seat in self.winners) or 'nobody'}"


class State(NamedTuple):
    """A whole game at one moment. Equal states are equal and hash alike; history is the list of events.

    It is the row of numbers that the law reads as ``now``, but for its first two places.
    """

    rules: Rules
    seats: tuple[Seat, ...]
    phase: Phase
    seat: int = 0
    """Index of the seat that throws or decides."""
    points: int = 0
    """Turn total: set aside and not banked. Before the first roll of a take-over: the points on offer."""
    dice: int = 0
    """Dice to roll now, or in the roll to decide on."""
    idle: int = 0
    """Dice of the offer that were not taken, which this seat may not roll (O17)."""
    taking: bool = False
    """The next roll is the first one of a take-over."""
    hot: int = 0
    """Hot dice so far in this turn, counted only if they multiply points, or up to 1 if they make the turn heavy."""
    first: int = 0
    """The seat that started the game: rounds begin with it."""
    closer: int = -1
    """The seat whose bank began the last turns or the last round, or waits to be cancelled (F23); -1 before that."""
    rounds_left: int = 0
    """Rounds still to play, this one included, if their number is fixed; else 0."""
    standing: int = 0
    """Rounds left to the last team standing, this one included (O20); 0 before that."""
    rolled: int = 0
    """The number of ``roll``: its place in the score table."""
    offer_points: int = 0
    offer_dice: int = 0
    winners: int = 0
    """As bits of seats, once the game is over."""
    reason: int = 0
    """Of `farkel.game.law.Reason`, once the game is over."""
    rolls: int = 0
    """Rolls so far in this turn, counted only as far as the rules ask for them."""
    opened: bool = False
    """Kept in this turn: the dice that the entry score requires (M5)."""
    owed: int = 0
    """As bits of seats: those that still have a turn if last turns are for passed players (F10), or in a play-off."""
    tied: int = 0
    """As bits of seats: who plays off (F14)."""
    sets: int = 0
    """Which sets dice may extend (K1), or what they must complete (P19): a place in `farkel.game.scoring.open_sets`, or
    beyond them in `farkel.game.scoring.held_dice`."""
    owing: int = 0
    """Points that must still be set aside before the turn may be banked (P16)."""
    tried: int = 0
    """Rolls of a single last die that have not scored (K10)."""
    more: int = 0
    """Turns that the seat has after this one before the dice pass on (F29)."""

    def __str__(self) -> str:
        scores = " : ".join(f"{seat.score:,}" for seat in self.seats)
        if self.result is not None:
            return f"{self.rules}, {scores}: game over, {self.result}"
        if self.roll:
            what = f"decides on {faces_text(self.roll, '-')}"
        elif self.offer is not None:
            what = f"is offered {self.offer}"
        else:
            what = f"rolls {counted_dice(self.dice_due)}"
        return f"{self.rules}, {scores}: seat {self.seat + 1} {what}, turn total {self.points:,}"

    def _repr_html_(self) -> str:
        return table(str(self), ({"seat": seat, "score": one.score} for seat, one in enumerate(self.seats, 1)))

    @property
    def over(self) -> bool:
        return self.phase is OVER

    @property
    def throws(self) -> tuple[int, ...]:
        """In ``Phase.START`` the sum of what each seat has rolled: see `Seat.thrown`."""
        return tuple([seat.thrown for seat in self.seats]) if self.phase is START else ()

    @property
    def roll(self) -> Roll:
        """The dice to decide on; none if there is no keep to decide."""
        return numbered(self.rules).scored[self.rolled].roll if self.phase is KEEP else ()

    @property
    def scored(self) -> Scored | None:
        """The dice to decide on and their legal keeps; None if there is no keep to decide."""
        return numbered(self.rules).scored[self.rolled] if self.phase is KEEP else None

    @property
    def offer(self) -> Offer | None:
        """The offer to decide on, if there is one."""
        return Offer(self.offer_points, self.offer_dice) if self.phase is OFFER else None

    @property
    def result(self) -> Result | None:
        """How the game ended, once it is over."""
        if self.phase is not OVER:
            return None
        winners = tuple([seat for seat in range(len(self.seats)) if self.winners >> seat & 1])
        return Result(winners, REASONS[self.reason])

    @property
    def row(self) -> law.Read:
        """The numbers as the law reads them: `farkel.game.law` names their places."""
        return cast("law.Read", self)

    @property
    def mine(self) -> Seat:
        """The seat that throws or decides."""
        return self.seats[self.seat]

    @property
    def people(self) -> tuple[int, ...]:
        """How many people each seat has."""
        return tuple(seat.people for seat in self.seats)

    @property
    def dice_due(self) -> int:
        """How many dice must be rolled now; 0 if a decision is next."""
        if self.phase is ROLL:
            return self.dice
        return law.start_dice(numbered(self.rules).terms) if self.phase is START else 0

    @property
    def goal(self) -> int:
        """The score that the seat has to reach: the target, or the one it has moved to (F22); 0 if there is none."""
        return law.goal(numbered(self.rules).terms, self.mine)

    @property
    def bank_needs(self) -> int:
        """The turn total that the seat needs to bank (S6, R7); 0 if any will do."""
        return law.bank_needs(numbered(self.rules).terms, self.mine)

    @property
    def most_rolls(self) -> int:
        """How many rolls the turn has at most; 0: any number (M4, M8)."""
        return law.most_rolls(numbered(self.rules).terms, self.mine)

    @property
    def may_cancel(self) -> bool:
        """Whether the next roll may cancel a winning bank (F23)."""
        return self.rules.cancel_win and self.closer >= 0

    @property
    def tries_left(self) -> int:
        """How many rolls the dice that are due have to score: one, unless a single die is left (K10)."""
        return law.tries_left(numbered(self.rules).terms, self.row)

    @property
    def sure_total(self) -> int:
        """The turn total that the next keep adds to, with the bonus of a take-over if its first roll scores (T5)."""
        return self.points + (self.rules.take_over.bonus if self.taking else 0)

    def scored_as(self, roll: Roll) -> Scored:
        """Return the roll with its effects and its legal keeps, if it is rolled now."""
        book, now = numbered(self.rules), self.row
        return book.scored[law.read_as(book.terms, now, law.as_open(book.terms, now, book.number[roll]))]

    def rolls_again(self, roll: Roll) -> bool:
        """Return whether nothing comes of the roll, if it falls now, but that the dice are rolled again (P18, K10)."""
        book, now = numbered(self.rules), self.row
        return self.phase is ROLL and law.rolls_again(book.terms, now, law.as_open(book.terms, now, book.number[roll]))

    def hits_target(self, total: int) -> bool:
        """Return whether banking the total hits a target that must be hit exactly (D4, D11)."""
        return law.hits_target(numbered(self.rules).terms, self.mine, total)

    def turn_total(self, kept: Keep | Roll) -> int:
        """Return the turn total with a keep, or with dice of the roll in any order; 0 if they may not be kept."""
        book = numbered(self.rules)
        dice = kept.dice if isinstance(kept, Keep) else roll_of(kept)
        keep = book.keeps[self.rolled].get(dice) if self.phase is KEEP else None
        return 0 if keep is None else law.total_with(book.terms, self.row, keep)

    def owing_after(self, dice: Roll) -> int:
        """Return the points that must still be kept after these dice of the roll before a bank (P16)."""
        book = numbered(self.rules)
        keep = book.keeps[self.rolled].get(dice) if self.phase is KEEP else None
        return 0 if keep is None else law.owing_after(book.terms, self.row, keep)

    def first_roll_scored(self, note: Note) -> bool:
        """Return whether a noted turn is a take-over whose first roll scored: banked, or farkled with more points."""
        return self.taking and law.first_roll_scored(self.row, note.points, note.farkle)

    def farkle_cost(self, dice: int, total: int) -> tuple[int, int]:
        """Return the lives and banked points that a farkle with that many dice costs, besides the turn total."""
        terms, own = numbered(self.rules).terms, 0 if self.taking else total
        kept = law.keeps_total(terms, self.mine, self.row, own)
        return (0, 0) if kept else law.farkle_cost(terms, self.mine, dice, own == 0, own)

    def keeps_total(self, total: int) -> bool:
        """Return whether a farkle would leave that turn total to the seat (F5)."""
        return not self.taking and law.keeps_total(numbered(self.rules).terms, self.mine, self.row, total)

    def fined(self, score: int, points: int) -> int:
        """Return the score after a penalty, which stops at zero if the rules say so (D6)."""
        return law.fined(numbered(self.rules).terms, score, points)
