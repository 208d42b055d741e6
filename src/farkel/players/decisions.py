"""How bots by a rule of thumb decide, and what every bot minds about the end of the game.

Plain functions over the rows of a game, as the law: the players call them, and simulated games run the same functions
in machine code, with points in units of the rules.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence, Sequence
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple, Protocol, cast

from farkel.dice import MOST_DICE
from farkel.game import Action, Fresh, Keep, Phase, State, TakeOver, law, legal_actions
from farkel.game.law.terms import Terms
from farkel.game.numbered import numbered

WINS, OPEN, OVER, FURTHER, LOSES = range(5)
ANY, THUMB = range(2)
"""Kinds of players: any legal action, and a rule of thumb. Simulated games know more of them."""
NEVER = 1 << 40
"""More points than any turn brings."""
EVEN = 1e-9
"""Winning chances closer than this are the same: the solver's tolerance."""
KIND, FALLS, ENOUGH = range(3)
WANTS = ENOUGH + MOST_DICE + 1
COLUMNS = WANTS + MOST_DICE + 1
"""Columns of a rule of thumb: the kind; whether it banks below zero whatever it may; from ENOUGH + dice left on the
turn total from which on it banks; from WANTS + dice on the points from which on it takes over this many dice."""

Ints = MutableSequence[int]


class Ending(IntEnum):
    """What an action does about the end of the game, from the best to the worst."""

    WINS = WINS
    OPEN = OPEN
    OVER = OVER
    """A bank that goes over a target that must be hit."""
    FURTHER = FURTHER
    """Rolling on with more than that."""
    LOSES = LOSES
    """A bank after which the seat cannot win any more, whatever the others do."""


ENDINGS = tuple(Ending)


class Rows(NamedTuple):
    """A game as `farkel.game.law` has it."""

    seats: Sequence[law.Row]
    """[seat][place], in simulated games with room for unused seats."""
    now: law.Row


class Space(Protocol):
    """A game, and room to see what actions would do."""

    @property
    def seats(self) -> int:
        """How many there are."""

    @property
    def game(self) -> Rows: ...

    @property
    def spare(self) -> Rows:
        """Where the law shows what an action would do."""

    @property
    def options(self) -> Ints:
        """Legal decisions: 2 * keep, and one more to bank it; or the dice to take over, 0 to start fresh."""


# By states ------------------------------------------------------------------------------------------------------------


class StateSpace:
    """The `Space` of a state."""

    def __init__(self, state: State, keeps: Sequence[Action] = ()) -> None:
        number = numbered(state.rules).keeps[state.rolled]
        self.seats = len(state.seats)
        self.game = Rows([list[Any](seat) for seat in state.seats], cast("law.Row", state))  # only read, but its seats
        self.options = [2 * number[keep.dice] + (keep.then == "bank") for keep in keeps if isinstance(keep, Keep)]

    @cached_property
    def spare(self) -> Rows:
        """Rows of its own, made if something is tried."""
        seats, now = self.game
        return Rows([list[Any](seat) for seat in seats], list[Any](now))


def by_thumb(state: State, thumb: Sequence[int]) -> Action:
    """Return the decision of a rule of thumb, its columns in points."""
    terms, keeps = numbered(state.rules).terms, legal_actions(state)
    if state.phase is Phase.OFFER:
        hand = thumb_take(terms, thumb, StateSpace(state))
        return TakeOver(hand) if hand else Fresh()
    space = StateSpace(state, keeps)
    return keeps[space.options.index(thumb_keep(terms, thumb, space, len(keeps)))]


def minded(state: State, keeps: Sequence[Keep], chosen: Keep) -> Keep:
    """Return the chosen one of the legal keeps, but a bank that wins if there is one, and none that loses while rolling
    is allowed.
    """
    space = StateSpace(state, keeps)
    option = space.options[keeps.index(chosen)]
    return keeps[space.options.index(minding_the_end(numbered(state.rules).terms, space, len(keeps), option))]


def ending_of(state: State, bank: Keep) -> Ending:
    """Return what a bank does about the end of the game."""
    book = numbered(state.rules)
    keep = book.keeps[state.rolled][bank.dice]
    if not law.may_end(book.terms, state.mine, state.row, keep):  # most banks: no rows need to be made for them
        return Ending.OPEN
    return ENDINGS[bank_ending(book.terms, StateSpace(state), keep)]


# By rows --------------------------------------------------------------------------------------------------------------


def find_keeps(terms: Terms, space: Space) -> int:
    """Write the legal actions after the roll, as `farkel.game.legal_actions` has them, and return their number."""
    now, options = space.game.now, space.options
    mine, rolled, found = space.game.seats[now[law.SEAT]], now[law.ROLLED], 0
    must = law.must_bank(terms, mine, now)
    for keep in range(terms.first_keep[rolled], terms.first_keep[rolled + 1]):
        may_bank = law.why_not_bank(terms, mine, now, keep) == law.MAY
        if law.why_not_roll(terms, mine, now, keep, may_bank, must) == law.MAY:
            options[found] = 2 * keep
            found += 1
        if may_bank:
            options[found] = 2 * keep + 1
            found += 1
    return found


def find_takes(terms: Terms, space: Space) -> int:
    """Write the legal answers to the offer, 0 for a fresh start and numbers of dice, and return how many there are."""
    now, options = space.game.now, space.options
    mine, found = space.game.seats[now[law.SEAT]], 1
    options[0] = 0
    for hand in range(1, now[law.OFFER_HAND] + 1):
        if law.why_not_take(terms, mine, now, hand) == law.MAY:
            options[found] = hand
            found += 1
    return found


def copied(row: Sequence[int], spare: Ints) -> None:
    """Copy a row."""
    for place in range(len(spare)):
        spare[place] = row[place]


def as_if_rolled_on(terms: Terms, space: Space, keep: int) -> None:
    """Let the spare game be as it would be after rolling on with the keep, apart from the seats."""
    copied(space.game.now, space.spare.now)
    law.roll_on(terms, space.spare.seats[: space.seats], space.spare.now, keep)


def as_if_started(terms: Terms, space: Space, hand: int) -> None:
    """Let the spare game, and its seat to move, be as after taking over that many dice, or a fresh start with 0."""
    now, seat = space.spare.now, space.game.now[law.SEAT]
    copied(space.game.now, now)
    copied(space.game.seats[seat], space.spare.seats[seat])
    if hand:
        law.take_over(terms, space.spare.seats[seat], now, hand)
        law.gain_taken(terms, space.spare.seats[seat], now, terms.take_bonus)
    else:
        law.start_fresh(terms, now)


def as_if_banked(terms: Terms, space: Space, keep: int) -> None:
    """Let the spare game, with all its seats, be as it would be after banking the keep."""
    copied(space.game.now, space.spare.now)
    seats = space.spare.seats[: space.seats]
    for seat in range(len(seats)):
        copied(space.game.seats[seat], seats[seat])
    law.bank(terms, seats, space.spare.now, keep)


def bank_ending(terms: Terms, space: Space, keep: int) -> int:
    """Return what banking the keep does about the end of the game: `WINS`, `OPEN`, `OVER` or `LOSES`."""
    now, seat = space.game.now, space.game.now[law.SEAT]
    mine = space.game.seats[seat]
    if not law.may_end(terms, mine, now, keep):
        return OPEN
    if law.is_last_turn(now) and law.only_adds(terms):  # what the law shows below, in a tenth of the time
        total = law.total_with(terms, now, keep)
        if law.is_behind(terms, space.game.seats[: space.seats], now, total):
            return LOSES
    as_if_banked(terms, space, keep)
    after = space.spare.now
    if after[law.PHASE] == law.OVER:
        winners = after[law.WINNERS]
        if winners == 1 << seat:
            return WINS
        return OPEN if winners >> seat & 1 else LOSES
    if terms.exact and mine[law.SCORE] + law.total_with(terms, now, keep) > terms.target:
        return OVER
    return LOSES if law.is_lost(terms, space.spare.seats[: space.seats], after, seat) else OPEN


def thumb_keep(terms: Terms, thumb: Sequence[int], space: Space, count: int) -> int:
    """Return the option of a player by a rule of thumb: it hits an exact target, or keeps the most points.

    It banks these if they are enough, with an eye on the end of the game.
    """
    now, options = space.game.now, space.options
    mine = space.game.seats[now[law.SEAT]]
    if terms.exact:
        for option in range(count):
            total = law.total_with(terms, now, options[option] >> 1)
            if options[option] & 1 and law.hits_target(terms, mine, total):
                return options[option]
    chosen = enough_keep(terms, thumb, space, count)
    return minding_the_end(terms, space, count, chosen) if end_matters(terms, space, count) else chosen


def enough_keep(terms: Terms, thumb: Sequence[int], space: Space, count: int) -> int:
    """Return the keep with the most points, banked if that is enough."""
    now, options = space.game.now, space.options
    mine, keep = space.game.seats[now[law.SEAT]], options[0] >> 1
    if count == 1 or options[1] >> 1 != keep:
        return options[0]
    total, score = law.total_with(terms, now, keep), mine[law.SCORE]
    enough = total >= thumb[ENOUGH + terms.left[keep]] or (terms.target and score + total >= law.goal(terms, mine))
    return options[1] if enough or (thumb[FALLS] and score < 0) else options[0]


def end_matters(terms: Terms, space: Space, count: int) -> bool:
    """Return whether `minding_the_end` may change a choice.

    Not before a last turn if the keep with the most points may be banked, and more points are always as good: it is
    banked if it reaches the target, and no bank loses.
    """
    options = space.options
    banks = options[0] & 1 or (count > 1 and options[1] == options[0] + 1)
    return not (banks and more_is_as_good(terms)) or law.is_last_turn(space.game.now)


def more_is_as_good(terms: Terms) -> bool:
    """Return whether no bank wins or may be made if not the one of more points, too."""
    return law.rises(terms) and not (terms.keeps_win or terms.hot_reward)


def minding_the_end(terms: Terms, space: Space, count: int, chosen: int) -> int:
    """Return the chosen option, but a bank that wins if there is one, and none that loses while rolling is allowed."""
    options = space.options
    for option in range(count):
        if options[option] & 1:
            if bank_ending(terms, space, options[option] >> 1) == WINS:
                return options[option]
            if more_is_as_good(terms):
                break
    if chosen & 1 and bank_ending(terms, space, chosen >> 1) == LOSES:
        for option in range(count):
            if not options[option] & 1:
                return options[option]
    return chosen


def thumb_take(terms: Terms, thumb: Sequence[int], space: Space) -> int:
    """Return how many dice a rule of thumb takes over: as many as it may if the points are worth it, else 0."""
    now = space.game.now
    for hand in range(now[law.OFFER_HAND], 0, -1):
        if law.why_not_take(terms, space.game.seats[now[law.SEAT]], now, hand) == law.MAY:
            return hand if now[law.OFFER_POINTS] >= thumb[WANTS + hand] else 0
    return 0


SMALL: tuple[Callable[..., Any], ...] = (
    find_keeps,
    find_takes,
    copied,
    as_if_rolled_on,
    as_if_started,
    thumb_keep,
    enough_keep,
    end_matters,
    more_is_as_good,
    thumb_take,
)
LARGE: tuple[Callable[..., Any], ...] = as_if_banked, bank_ending, minding_the_end
"""All of these; machine code has the small ones in their callers."""
