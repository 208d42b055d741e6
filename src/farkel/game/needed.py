"""What the player on turn needs to win: the law is asked, one turn total after the other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from farkel.game import law
from farkel.game.engine import apply
from farkel.game.events import Note
from farkel.game.law import Phase
from farkel.game.numbered import numbered
from farkel.game.state import State

MOST_TRIED = 200
"""Turn totals that are tried: those that the rules forbid are passed over."""


class Needed(NamedTuple):
    """A turn total, and what it brings once it is banked."""

    total: int
    """The least one that brings it."""
    brings: Literal["win", "lead", "target"]
    """The game; the lead, while others still have a turn; or the target, which does not end the game by itself."""
    exactly: bool
    """Whether more would not do."""


@lru_cache(maxsize=1024)
def needed(state: State) -> Needed | None:
    """Return the least turn total with which the player on turn wins, or else leads in a last turn, or reaches the
    target; None if none does, or if none is needed for that.
    """
    if state.phase in (Phase.START, Phase.OVER) or state.may_cancel:
        return None
    terms, seat = numbered(state.rules).terms, state.seat
    last = is_last_turn(state)
    if last and law.winners(terms, state.seats, state.row) == 1 << seat:
        return None
    for total in _totals(state, last):
        if law.why_not_total(terms, state.mine, total):
            continue
        after = apply(state, Note(total, 0))
        if after.result and seat in after.result.winners:
            return Needed(total, "win", terms.exact)
        if last and law.winners(terms, after.seats, after.row) == 1 << seat:
            return Needed(total, "lead", terms.exact)
        if not last and not after.over and law.reaches(terms, state.mine, total):
            return Needed(total, "target", terms.exact)
    return None


def is_last_turn(state: State) -> bool:
    """Return whether the player on turn may have no other one, so that the highest score counts and not the target."""
    return law.is_last_turn(state.row) and not state.standing


def _totals(state: State, last: bool) -> Iterator[int]:
    """Yield turn totals that may do, in ascending order: they are multiples of the smallest score of the rules."""
    unit, score = state.rules.unit, state.mine.score
    if last:
        rivals = [one.score for seat, one in enumerate(state.seats) if seat != state.seat and one.status == "in"]
        short = max(rivals, default=0) - score
    else:
        short = state.goal - score
    if last or state.goal:
        first = max(1, -(-short // unit))
        yield from range(first * unit, (first + MOST_TRIED) * unit, unit)
