"""How a bank bears on the end of the game, as the law says: what players of every kind mind besides points."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from farkel.game import Keep, State, apply, law
from farkel.game.numbered import numbered


class Ending(IntEnum):
    """What an action does about the end of the game, from the best to the worst."""

    WINS = 0
    OPEN = 1
    OVER = 2
    """A bank that goes over a target that must be hit."""
    FURTHER = 3
    """Rolling on with more than that."""
    LOSES = 4
    """A bank after which the seat cannot win any more, whatever the others do."""


def bank_ending(state: State, bank: Keep) -> Ending:
    """Return what a bank does about the end of the game."""
    book, now, seat = numbered(state.rules), list[Any](state), state.seat
    terms, mine, keep = book.terms, state.seats[seat], book.keeps[state.rolled][bank.dice]
    if not law.may_end(terms, mine, now, keep):
        return Ending.OPEN
    after = apply(state, bank)
    if after.result is not None:
        if after.result.winners == (seat,):
            return Ending.WINS
        return Ending.OPEN if seat in after.result.winners else Ending.LOSES
    if terms.exact and mine.score + law.total_with(terms, now, keep) > terms.target:
        return Ending.OVER
    lost = law.is_lost(terms, [list(each) for each in after.seats], list[Any](after), seat)
    return Ending.LOSES if lost else Ending.OPEN


def minding_the_end(state: State, keeps: Sequence[Keep], chosen: Keep) -> Keep:
    """Return the chosen one of the legal keeps, but a bank that wins if there is one, and none that loses while rolling
    is allowed.
    """
    for keep in keeps:
        if keep.then == "bank" and bank_ending(state, keep) is Ending.WINS:
            return keep
    if chosen.then == "bank" and bank_ending(state, chosen) is Ending.LOSES:
        return next((keep for keep in keeps if keep.then == "roll"), chosen)
    return chosen
