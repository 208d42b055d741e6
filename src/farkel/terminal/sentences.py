"""The take-overs of an offer, and the lives that they leave a player."""

from __future__ import annotations

from farkel.game import State, TakeOver, apply, legal_actions


def take_overs(state: State) -> list[TakeOver]:
    """Return the take-overs that are legal now."""
    return [action for action in legal_actions(state) if isinstance(action, TakeOver)]


def failed_roll(state: State, action: TakeOver) -> tuple[int, int]:
    """Return the lives left after taking over, and the lives that a farkle in the first roll then costs."""
    after = apply(state, action)
    return after.seats[state.seat].lives, after.farkle_cost(action.dice, after.points)[0]


def lives_left(state: State) -> str:
    """Return the lives left by each number of dice, and after a farkle in the first roll: ``1: 11 (10)``.

    "" if dice do not cost lives, or none can be taken over.
    """
    left = [(action.dice, *failed_roll(state, action)) for action in take_overs(state)]
    if not state.rules.take_over.costs_lives or not left:
        return ""
    costs = any(cost for _, _, cost in left)
    told = [f"{dice}: {lives}" + (f" ({max(0, lives - cost)})" if costs else "") for dice, lives, cost in left]
    return f"Lives left{' (after a farkle)' if costs else ''}: {', '.join(told)}."
