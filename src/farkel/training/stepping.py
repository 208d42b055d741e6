"""Many games side by side in machine code: dice, observations and rewards. The law says the rest.

Dice are those of `farkel.dice.simulated`: throw number n of a game is the same whatever was decided before it.
"""

from __future__ import annotations

from typing import NamedTuple

from farkel.game import law
from farkel.game.law import Row, Seats
from farkel.game.law.terms import Terms
from farkel.kernels import draws
from farkel.kernels.arrays import Numbers
from farkel.kernels.draws import Draw
from farkel.kernels.law import Throws, rolled_by
from farkel.kernels.registry import STEPS, parts
from farkel.kernels.words import uint64
from farkel.training import episode
from farkel.training.arrays import (
    HELD,
    PER_POINT,
    PER_TURN,
    TOLD_SCORE,
    TOLD_TURNS,
    TURNS,
    GameArrays,
    Mask,
    StepResults,
    StepTables,
)
from farkel.training.observations import PARTS, Choices, write_seen

# Nothing here makes an array, so that none has to be counted: that is twenty times as fast as counting. Nor does
# anything call a function that is not inlined: rules have a hundred arguments.
compiled = STEPS
inlined = parts(error_model="numpy", _nrt=False, forceinline=True)


class GameRows(NamedTuple):
    """The rows of one game."""

    now: Row
    seats: Seats
    own: Row


# Observations ---------------------------------------------------------------------------------------------------------


@inlined
def write_mask(terms: Terms, choices: Choices, mine: Row, now: Row, mask: Mask) -> None:
    """Mark the legal actions of a game that waits for a decision."""
    for action in range(mask.size):
        mask[action] = 0
    if now[law.PHASE] == law.KEEP:
        rolled = now[law.ROLLED]
        must = law.must_bank(terms, mine, now)
        for keep in range(terms.first_keep[rolled], terms.first_keep[rolled + 1]):
            may = law.why_not_bank(terms, mine, now, keep) == law.MAY
            rolls = 2 * choices.slot[keep]
            mask[rolls] = law.why_not_roll(terms, mine, now, keep, may, must) == law.MAY
            mask[rolls + 1] = may
    elif now[law.PHASE] == law.OFFER:
        fresh = 2 * choices.keep.shape[1]
        mask[fresh] = 1
        for hand in range(1, now[law.OFFER_HAND] + 1):
            mask[fresh + hand] = law.why_not_take(terms, mine, now, hand) == law.MAY


for _part in PARTS:
    inlined(_part)


# Rewards --------------------------------------------------------------------------------------------------------------


share_out = inlined(episode.share_out)


@inlined
def points_made(score: int, unit: int, own: Row) -> float:
    """Return the points of the only seat since the step before."""
    points = score - own[TOLD_SCORE]
    own[TOLD_SCORE] = score
    return float(points * unit)


@inlined
def turns_spent(now: Row, own: Row, most_turns: int) -> float:
    """Return the turns that the only seat has spent since the step before: all that were left if it can
    reach no target.
    """
    reached = now[law.REASON] == law.Reason.TARGET or now[law.REASON] == law.Reason.EXACT
    lost = now[law.PHASE] == law.OVER and not reached
    return float((most_turns if lost else own[TURNS]) - own[TOLD_TURNS])


# Stepping -------------------------------------------------------------------------------------------------------------


@inlined
def legal(mask: Mask, action: int) -> int:
    """Return the action, or the lowest legal one if it is not legal."""
    # One wrong action must not stop thousands of games: `Arrays.replaced` tells which.
    if 0 <= action < mask.size and mask[action]:
        return action
    action = 0
    while mask[action] == 0:
        action += 1
    return action


@inlined
def act(terms: Terms, choices: Choices, game: GameRows, action: int) -> None:
    """Follow a legal action."""
    now, seats = game.now, game.seats
    fresh = 2 * choices.keep.shape[1]
    if action < fresh:
        keep = choices.keep[now[law.ROLLED], action >> 1]
        if action & 1:
            game.own[TURNS] += 1
            law.bank(terms, seats, now, keep)
        else:
            game.own[TURNS] += law.roll_on(terms, seats, now, keep)
    elif action == fresh:
        law.start_fresh(terms, now)
    else:
        law.take_over(terms, seats[now[law.SEAT]], now, action - fresh)


@inlined
def throw(terms: Terms, throws: Throws, game: GameRows, draw: Draw) -> None:
    """Let the dice fall that are due: those for the start, or those in hand."""
    now, seats = game.now, game.seats
    starting = now[law.PHASE] == law.START
    rolled = rolled_by(throws, law.start_dice(terms) if starting else now[law.HAND], draw)
    if starting:
        law.start_throw(terms, seats, now, rolled)
    else:
        game.own[TURNS] += law.roll(terms, seats, now, law.as_open(terms, now, rolled))


@inlined
def settle(terms: Terms, throws: Throws, game: GameRows, most_turns: int, key: Draw, thrown: Draw) -> Draw:
    """Roll until there is a decision to make, the game is over or cut off; gives the number of throws so far."""
    now = game.now
    while game.own[TURNS] < most_turns and (now[law.PHASE] == law.ROLL or now[law.PHASE] == law.START):
        throw(terms, throws, game, draws.draw(key, thrown))
        thrown += uint64(1)
    return thrown


@inlined
def tell(tables: StepTables, game: GameRows, seat: int, turns: int, given: StepResults, i: int) -> None:
    """Write what became of the decision of a seat, after this many turns."""
    now, own, shares = game.now, game.own, given.shares[i]
    over = now[law.PHASE] == law.OVER
    given.terminated[i], given.truncated[i] = over, not over and own[TURNS] >= tables.most_turns
    given.ended[i], given.turns[i] = own[TURNS] > turns, own[TURNS] - own[TOLD_TURNS]
    for each in range(shares.size):
        shares[each] = 0.0
    if over:
        share_out(now[law.WINNERS], shares)
    if tables.reward == PER_POINT:
        given.rewards[i] = points_made(game.seats[seat][law.SCORE], tables.terms.unit, own)
    elif tables.reward == PER_TURN:
        given.rewards[i] = -turns_spent(now, own, tables.most_turns)
    else:
        given.rewards[i] = shares[seat]
    own[TOLD_TURNS] = own[TURNS]


@inlined
def tell_nothing(given: StepResults, i: int) -> None:
    """Write that nothing became of a game that is held."""
    given.terminated[i] = given.truncated[i] = given.ended[i] = given.replaced[i] = False
    given.turns[i] = 0
    given.rewards[i] = 0.0
    for each in range(given.shares.shape[1]):
        given.shares[i, each] = 0.0


@compiled
def step_all(
    tables: StepTables, games: GameArrays, actions: Numbers, given: StepResults, first: int, last: int
) -> None:
    """Step the games ``first`` to ``last`` - 1: decide, throw, and deal those that are over.

    ``given`` is of the step before, whose masks say what is legal; it is written over. Games that are over before the
    step are dealt without a decision. Those that end before anybody decides are dealt again.
    """
    terms, most_turns = tables.terms, tables.most_turns
    for i in range(first, last):
        game = GameRows(games.now[i], games.seats[i], games.own[i])
        now, own, mask = game.now, game.own, given.masks[i]
        if own[HELD]:
            tell_nothing(given, i)
            continue
        seat, turns = now[law.SEAT], own[TURNS]
        if now[law.PHASE] != law.OVER:
            action = legal(mask, actions[i])
            given.replaced[i] = action != actions[i]
            act(terms, tables.choices, game, action)
        told = False
        while True:
            games.thrown[i] = settle(terms, tables.throws, game, most_turns, games.keys[i], games.thrown[i])
            if not told:
                tell(tables, game, seat, turns, given, i)
            done = now[law.PHASE] == law.OVER or own[TURNS] >= most_turns
            last_seen = done and not told
            # The last observation is for the seat that acted, as the reward is.
            observer = seat if last_seen else now[law.SEAT]
            seen = given.final[i] if last_seen else given.seen[i]
            write_seen(terms, tables.choices, tables.scales, now, game.seats, observer, seen)
            if not done:
                break
            told = True
            own[TURNS] = own[TOLD_TURNS] = own[TOLD_SCORE] = 0
            # Throws are counted on, so that each game that is dealt here has dice of its own.
            law.deal(terms, game.seats, now, tables.people)
        given.seats[i] = now[law.SEAT]
        write_mask(terms, tables.choices, game.seats[now[law.SEAT]], now, mask)
