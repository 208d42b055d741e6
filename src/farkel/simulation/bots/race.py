"""What players decide that go by the model of a game of many, in machine code: as `race` does in Python."""

from __future__ import annotations

from farkel.game import law
from farkel.game.law.terms import Price, Terms
from farkel.kernels import turn_rows
from farkel.players.decisions import as_if_banked, as_if_rolled_on, as_if_started
from farkel.simulation.bots.tables import FIELD
from farkel.simulation.bots.turn import place_of
from farkel.simulation.bots.workspace import ASKS, MADE, NOTED, OF_SCORE, OF_TURN, Among, Desk, inlined, part


@inlined
def noted(field: Among) -> int:
    """Return the decision made here when the game was played up to here before; `ASKS` if it was not."""
    number = int(field.made[MADE])
    field.made[MADE] = number + 1
    return int(field.notes[number]) if number < field.made[NOTED] else ASKS


@inlined
def note(field: Among, decision: int) -> int:
    """Remember the decision until the game has ended."""
    field.notes[field.made[NOTED]] = decision
    field.made[NOTED] += 1
    return decision


@part
def turn_slot(terms: Terms, desk: Desk, field: Among, turn: int, lives: int) -> int:
    """Return where in ``field`` the turn of the seat to move is with this many lives; `ASKS` if it is not."""
    now, seats, made, told = desk.game.now, desk.game.seats, field.made, field.told
    seat = now[law.SEAT]
    slot = lives if terms.price == Price.LIVES else 0
    if made[OF_TURN] != turn or made[OF_SCORE] != seats[seat][law.SCORE]:
        made[OF_TURN], made[OF_SCORE] = turn, seats[seat][law.SCORE]
        for each in range(len(field.rows)):
            field.rows[each, turn_rows.SWEPT] = 0
    if field.rows[slot, turn_rows.SWEPT]:
        return slot
    bits = told.mode_of.shape[3] - 1
    for other in range(desk.seats):
        its = seats[other]
        left = lives if other == seat else its[law.LIVES]
        field.seats[other, turn_rows.IN] = its[law.GONE] == law.IN
        field.seats[other, turn_rows.MODE] = told.mode_of[left, its[law.FARKLES], 0, its[law.ENTERED] & bits]
        field.seats[other, turn_rows.SCORE] = its[law.SCORE] + told.lowest
    begun = field.now
    begun[turn_rows.SEATS], begun[turn_rows.SEAT], begun[turn_rows.SLOT] = desk.seats, seat, slot
    begun[turn_rows.FIRST], begun[turn_rows.CLOSER] = now[law.FIRST], now[law.CLOSER]
    begun[turn_rows.ROUNDS_LEFT], begun[turn_rows.ENTERING] = now[law.ROUNDS], 0 if law.on_board(seats[seat]) else 1
    desk.asks[0] = FIELD
    return ASKS


@inlined
def field_rolls(terms: Terms, field: Among, slot: int, mine: law.Read, now: law.Read) -> float:
    """Return the model's winning chance of the seat to move if it rolls in the game as it would be ``now``."""
    row = min(now[law.POINTS], int(field.rows[slot, turn_rows.SWEPT]) - 1)
    return float(field.rolling[slot, row * field.told.rollings + place_of(terms, field.told.place, mine, now)])


@inlined
def field_banks(terms: Terms, desk: Desk, field: Among, slot: int, keep: int) -> float:
    """Return the model's winning chance after banking the keep: exact if that ends the game."""
    now, after = desk.game.now, desk.spare.now
    total = law.total_with(terms, now, keep)
    as_if_banked(terms, desk, keep)
    if after[law.PHASE] == law.OVER:
        sharers = 0
        for seat in range(desk.seats):
            sharers += after[law.WINNERS] >> seat & 1
        return 1.0 / sharers if after[law.WINNERS] >> now[law.SEAT] & 1 else 0.0
    left = law.offered(terms, law.left_lying(terms, now, keep), now[law.HOT])
    row = min(total, int(field.rows[slot, turn_rows.BANKED]) - 1)
    return float(field.bank[slot, row * field.told.offers + left])


@part
def field_keep(terms: Terms, desk: Desk, field: Among, turn: int, count: int) -> int:
    """Return the option that wins most often by the model of many, the first of equal ones; `ASKS` for a turn to solve.

    In Python it is `farkel.players.best_play.Race`.
    """
    decided = noted(field)
    if decided >= 0:
        return decided
    now = desk.game.now
    slot = turn_slot(terms, desk, field, turn, desk.game.seats[now[law.SEAT]][law.LIVES])
    if slot < 0:
        return ASKS
    found, most = ASKS, 0.0
    for option in range(count):
        choice = desk.options[option]
        if choice & 1:
            chance = field_banks(terms, desk, field, slot, choice >> 1)
        else:
            as_if_rolled_on(terms, desk, choice >> 1)
            chance = field_rolls(terms, field, slot, desk.game.seats[now[law.SEAT]], desk.spare.now)
        if found < 0 or chance > most:
            found, most = choice, chance
    return note(field, found)


@part
def field_take(terms: Terms, desk: Desk, field: Among, turn: int, count: int) -> int:
    """Return how many dice to take over to win most often by the model, 0 for a fresh start; `ASKS` for a turn."""
    decided = noted(field)
    if decided >= 0:
        return decided
    seat, after = desk.game.now[law.SEAT], desk.spare
    found, most = ASKS, 0.0
    for option in range(count):
        as_if_started(terms, desk, desk.options[option])
        slot = turn_slot(terms, desk, field, turn, after.seats[seat][law.LIVES])
        if slot < 0:
            return ASKS
        chance = field_rolls(terms, field, slot, after.seats[seat], after.now)
        if found < 0 or chance > most:
            found, most = desk.options[option], chance
    return note(field, found)
