"""Whole games in machine code: the law is played, and table players decide as their classes do.

A game is a function of the rules, the players, the seed and its number. Decisions of quiet turns, in which
only the turn total and the dice matter, are remembered in tables that all games share, with what the law did: a
*quiet* decision is then one look-up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from farkel.dice.simulated import DECISIONS, DICE
from farkel.game import law
from farkel.game.law.terms import Terms
from farkel.kernels import draws
from farkel.kernels.arrays import Numbers
from farkel.kernels.draws import Draw
from farkel.kernels.law import CompiledRules, rolled_by
from farkel.kernels.words import int64, uint32, uint64
from farkel.players.decisions import (
    ANY,
    FALLS,
    KIND,
    NEVER,
    THUMB,
    copied,
    find_keeps,
    find_takes,
    thumb_keep,
    thumb_take,
)
from farkel.simulation.bots.chances import Chances
from farkel.simulation.bots.exact import likeliest_keep, likeliest_take
from farkel.simulation.bots.race import field_keep, field_take
from farkel.simulation.bots.tables import (
    ALL,
    BRINGS_AT,
    ENDS,
    HAND_AT,
    HEATS,
    KEEP_AT,
    KNOWN,
    MOST_BROUGHT,
    MOST_KEEPS,
    POINTS,
    STEPS,
    Memo,
    PointsTables,
    Policies,
)
from farkel.simulation.bots.turn import best_keep, best_take
from farkel.simulation.bots.workspace import (
    ASKS,
    FRESH_EVENT,
    KEEP_EVENT,
    MADE,
    NOTED,
    OF_TURN,
    TAKE_EVENT,
    THROW_EVENT,
    Among,
    Before,
    Desk,
    compiled,
    inlined,
    part,
    traced,
)
from farkel.simulation.tally import (
    BANKS,
    ENDLESS,
    FARKLES,
    FIELDS,
    HOT_DICE,
    LOST,
    MOST_THROWS,
    MOST_TURNS,
    OFFERS,
    POINTS_BANKED,
    SQUARES,
    TAKEN,
    THROWS,
    Counters,
)

FARKLED = -1
"""The bank of a turn that banked nothing."""


class SeatedPlayers(NamedTuple):
    """Who plays: player number ``(seat + game) % seats`` sits in each seat."""

    policy: Numbers
    """[player]"""
    people: Numbers
    """[player]"""


class Keys(NamedTuple):
    """Where the streams of a game begin."""

    dice: Draw
    decisions: Draw


class Far(NamedTuple):
    """How far a game has come."""

    throws: int
    events: int
    choices: int
    """Decisions that were left to chance."""


class TurnUnderWay(NamedTuple):
    """A turn under way."""

    number: int
    thumb: Sequence[int]
    """The nature of the seat to move: a row of `Policies.thumbs`."""
    starts: Numbers
    """[hand]: where its quiet decisions are: see `Memo.starts`."""


# Decisions ------------------------------------------------------------------------------------------------------------


@inlined
def decided_keep(
    terms: Terms,
    points: PointsTables,
    chances: Chances | None,
    field: Among | None,
    desk: Desk,
    turn: TurnUnderWay,
    quiet: int,
    count: int,
    draw: Draw,
) -> int:
    """Return the keep of the seat to move, a place in `Desk.options`; `ASKS` if a table is missing."""
    kind = turn.thumb[KIND]
    if kind == ANY:
        return desk.options[int(int64(draws.below(draw, uint64(count))))]
    if kind == THUMB:
        return thumb_keep(terms, turn.thumb, desk, count)
    if kind == POINTS:
        return best_keep(terms, points, desk, count, quiet)
    if chances is not None:
        return likeliest_keep(terms, points, chances, desk, count)
    if field is not None:
        return field_keep(terms, desk, field, turn.number, count)
    return ASKS


@inlined
def decided_take(
    terms: Terms,
    points: PointsTables,
    chances: Chances | None,
    field: Among | None,
    desk: Desk,
    turn: TurnUnderWay,
    draw: Draw,
) -> int:
    """Return how many dice the seat to move takes over: 0 to start fresh; `ASKS` if a table is missing."""
    kind = turn.thumb[KIND]
    if kind == THUMB:
        return thumb_take(terms, turn.thumb, desk)
    count = find_takes(terms, desk)
    if kind == ANY:
        return desk.options[int(int64(draws.below(draw, uint64(count))))]
    if count == 1:
        return 0
    if kind == POINTS:
        return best_take(terms, points, desk, count)
    if chances is not None:
        return likeliest_take(terms, points, chances, desk, count)
    if field is not None:
        return field_take(terms, desk, field, turn.number, count)
    return ASKS


@inlined
def place_in(memo: Memo, turn: TurnUnderWay, hand: int, total: int, rolled: int, quiet: int) -> int:
    """Return where a decision on that roll is remembered; 0 if it is not."""
    brings = memo.most[uint64(rolled)]
    # A keep that may reach ``quiet`` is decided by more than the turn total and the roll.
    if total >= memo.rows or brings == 0 or total + brings >= quiet:
        return 0
    dice = uint64(hand)
    return int(turn.starts[dice] + total * memo.rolls[dice] + rolled)


@inlined
def keep_of(entry: int) -> int:
    """Return the keep that is remembered, counted from the first one of the roll."""
    return entry >> KEEP_AT & MOST_KEEPS - 1


@inlined
def remembered(terms: Terms, before: Before, mine: law.Read, now: law.Read, rolled: int, choice: int) -> int:
    """Return what to remember of a decision, with the rows ``before`` the roll and after the decision."""
    keep, brings = (choice >> 1) - terms.first_keep[rolled], now[law.POINTS] - before.now[law.POINTS]
    if keep >= MOST_KEEPS:
        return 0
    entry = KNOWN | keep << KEEP_AT | (HEATS if terms.hot[choice >> 1] else 0)
    if choice & 1:
        return entry | ENDS
    # Adding points and rolling another hand is repeated from memory. Whatever else changes is left to the law.
    for place in range(law.SEAT_ROW):
        if mine[place] != before.mine[place]:
            return entry
    for place in range(law.PHASE, law.NOW):
        if now[place] != before.now[place] and place != law.POINTS and place != law.HAND:
            return entry
    return entry if brings >= MOST_BROUGHT else entry | STEPS | now[law.HAND] << HAND_AT | brings << BRINGS_AT


# A turn ---------------------------------------------------------------------------------------------------------------


@inlined
def has_a_past(terms: Terms, mine: law.Read, now: law.Read) -> bool:
    """Return whether what may be kept or banked depends on more of the turn so far than its total."""
    past = now[law.IDLE] or now[law.HOT] or now[law.SETS] or now[law.ROLLS] or now[law.OWING] or mine[law.TAKEN]
    told = terms.hot_wins or terms.whole_wins or (terms.firsts and now[law.POINTS] == 0)
    return bool(past or told or (terms.last_roll and now[law.CLOSER] >= 0))


@inlined
def quiet_below(terms: Terms, thumb: Sequence[int], memo: Memo, mine: law.Read, now: law.Read) -> int:
    """Return below which turn total a decision depends on it and the roll alone: if no keep reaches so
    much, it is *quiet*.
    """
    # Of turns in a row not each is the seat's last one before the game may end (F29).
    if has_a_past(terms, mine, now) or terms.turns_in_row > 1:
        return -NEVER
    score = mine[law.SCORE]
    short = law.goal(terms, mine) - score if terms.target else NEVER
    if thumb[KIND] == ANY:
        return -NEVER if terms.exact else NEVER
    if thumb[KIND] == THUMB:
        # Who began the last turns has reached the target: in them whatever stays below it loses.
        ending = law.is_last_turn(now) and now[law.CLOSER] < 0
        return -NEVER if ending or (thumb[FALLS] and score < 0) else short
    if thumb[KIND] != POINTS or terms.exact or law.is_last_turn(now):
        return -NEVER
    return NEVER if memo.stays_open else short


@inlined
def thrown_for_start(table: CompiledRules, desk: Desk, trace: Numbers, key: Draw) -> int:
    """Find out who starts. Returns the throws that it took."""
    throws = 0
    while desk.game.now[law.PHASE] == law.START and throws < MOST_THROWS:
        rolled = rolled_by(table.throws, law.start_dice(table.terms), draws.draw(key, uint64(throws)))
        traced(trace, throws, THROW_EVENT + 4 * rolled)
        law.start_throw(table.terms, desk.game.seats[: desk.seats], desk.game.now, rolled)
        throws += 1
    return throws


@inlined
def answered_offer(
    terms: Terms,
    offers: int | None,
    points: PointsTables,
    chances: Chances | None,
    field: Among | None,
    desk: Desk,
    trace: Numbers,
    turn: TurnUnderWay,
    event: int,
    draw: Draw,
) -> None:
    """Take over or start fresh; neither if a table is missing."""
    if offers is not None:
        now = desk.game.now
        mine, counts = desk.game.seats[now[law.SEAT]], desk.counts[now[law.SEAT]]
        hand = decided_take(terms, points, chances, field, desk, turn, draw)
        if hand < 0:
            return
        counts[OFFERS] += 1
        if hand == 0:
            traced(trace, event, FRESH_EVENT)
            law.start_fresh(terms, now)
            return
        traced(trace, event, TAKE_EVENT + 4 * hand)
        counts[TAKEN] += 1
        counts[LOST] += mine[law.SCORE]
        law.take_over(terms, mine, now, hand)
        counts[LOST] -= mine[law.SCORE]


@inlined
def roll_quietly(
    table: CompiledRules, memo: Memo, desk: Desk, trace: Numbers, turn: TurnUnderWay, quiet: int, keys: Keys, far: Far
) -> tuple[Far, int, int]:
    """Roll, and continue as long as the law's answer is remembered.

    Returns how far the game is with the first roll of which this is not known, that roll, and where it is remembered.
    The roll is -1 if there were `MOST_THROWS` before.
    """
    now, counts = desk.game.now, desk.counts[desk.game.now[law.SEAT]]
    # What the next throw waits for is not read from the row, where it would have to be written first.
    hand, total, shift = now[law.HAND], now[law.POINTS], law.as_open(table.terms, now, 0)
    # The first roll of a take-over earns points and gives a stake back, and a try is counted (L7, T5, K10).
    known = not (now[law.TAKING] or now[law.TRIED])
    throws, events, rolled, at = far.throws, far.events, -1, 0
    while throws < MOST_THROWS:
        rolled = shift + rolled_by(table.throws, hand, draws.draw(keys.dice, uint64(throws)))
        traced(trace, events, THROW_EVENT + 4 * rolled)
        throws += 1
        events += 1
        at = place_in(memo, turn, hand, total, rolled, quiet)
        entry = int(int64(memo.entries[uint64(at)]))
        if not (known and entry & STEPS):
            break
        if events < trace.size:
            traced(trace, events, KEEP_EVENT + 8 * (table.terms.first_keep[rolled] + keep_of(entry)))
        events += 1
        counts[HOT_DICE] += entry // HEATS & 1
        total += entry >> BRINGS_AT
        hand, rolled = entry >> HAND_AT & (1 << KEEP_AT - HAND_AT) - 1, -1
    now[law.POINTS], now[law.HAND] = total, hand
    return Far(throws, events, far.choices), rolled, at


@inlined
def choice_of(
    terms: Terms,
    policies: Policies,
    chances: Chances | None,
    field: Among | None,
    desk: Desk,
    turn: TurnUnderWay,
    quiet: int,
    at: int,
    draw: Draw,
) -> int:
    """Return the decision of the seat to move, remembered or new; `ASKS` if a table is missing."""
    rolled, memo = desk.game.now[law.ROLLED], policies.memo
    first, entry = terms.first_keep[rolled], int(int64(memo.entries[uint64(at)]))
    every = 2 * (terms.first_keep[rolled + 1] - first)
    # Every keep may be banked or rolled on from: the options are consecutive numbers and need not be listed.
    if entry == ALL:
        return int(2 * first + int64(draws.below(draw, uint64(every))))
    if entry:
        return 2 * (first + keep_of(entry)) + (entry // ENDS & 1)
    count = find_keeps(terms, desk)
    if at and turn.thumb[KIND] == ANY and count == every:
        memo.entries[at] = uint32(ALL)
    return decided_keep(terms, policies.points, chances, field, desk, turn, quiet, count, draw)


@inlined
def turn_under_way(memo: Memo, desk: Desk, number: int) -> TurnUnderWay:
    """Return the turn of the seat to move."""
    now = desk.game.now
    seat = now[law.SEAT]
    mine, last = desk.game.seats[seat], 1 if now[law.CLOSER] >= 0 else 0
    starts = memo.starts[desk.policy[seat], 1 - law.on_board(mine), mine[law.FARKLES], last]
    return TurnUnderWay(number, desk.thumbs[seat], starts)


@inlined
def fall(terms: Terms, seats: law.Seats, desk: Desk, rolled: int, score: int) -> tuple[bool, int]:
    """Let the law say what the roll does. Returns whether that ends the turn, and what the turn has banked then.

    score: that of the seat as long as no roll has moved it.
    """
    now = desk.game.now
    mine, counts = seats[now[law.SEAT]], desk.counts[now[law.SEAT]]
    ended, kept = law.roll(terms, seats, now, rolled), 0
    if mine[law.SCORE] != score:
        if now[law.PHASE] != law.KEEP and mine[law.SCORE] > score:  # a farkle that keeps its turn total (F5)
            kept = mine[law.SCORE] - score
        counts[LOST] += score - mine[law.SCORE] + kept
    if not ended:
        return False, 0
    # Dice that win the game end the turn without a bank, but not in a farkle (P17).
    won = now[law.PHASE] == law.OVER and now[law.REASON] == law.Reason.DICE
    return True, kept or (0 if won else FARKLED)


@inlined
def end_turn(desk: Desk, number: int, seat: int, throws: int, points: int) -> None:
    """Note a turn that has ended, with what it has banked."""
    desk.counts[seat][THROWS] += throws
    desk.turn_points[number] = points


@inlined
def play_turn(
    table: CompiledRules,
    offers: int | None,
    policies: Policies,
    chances: Chances | None,
    field: Among | None,
    desk: Desk,
    trace: Numbers,
    number: int,
    keys: Keys,
    far: Far,
) -> tuple[Far, bool]:
    """Play a turn. Returns how far the game is then, and whether the turn has ended: not if it is given up."""
    terms, memo, before = table.terms, policies.memo, desk.before
    seats, now = desk.game.seats[: desk.seats], desk.game.now
    seat, begun = now[law.SEAT], far.throws
    mine, turn = seats[seat], turn_under_way(memo, desk, number)
    # Only players that leave something to chance draw, as in the engine, which plays the same games.
    chooses = 1 if turn.thumb[KIND] == ANY else 0
    desk.turn_seat[number] = seat
    if now[law.PHASE] == law.OFFER:
        draw = draws.draw(keys.decisions, uint64(far.choices))
        answered_offer(terms, offers, policies.points, chances, field, desk, trace, turn, far.events, draw)
        if now[law.PHASE] == law.OFFER:
            return far, False
        far = Far(far.throws, far.events + 1, far.choices + chooses)
    score = mine[law.SCORE]
    while far.throws < MOST_THROWS:
        quiet = quiet_below(terms, turn.thumb, memo, mine, now)
        far, rolled, at = roll_quietly(table, memo, desk, trace, turn, quiet, keys, far)
        if rolled < 0:
            break
        new = at and not memo.entries[at]
        if new:
            copied(now, before.now)
            copied(mine, before.mine)
        ended, points = fall(terms, seats, desk, rolled, score)
        if ended:
            end_turn(desk, number, seat, far.throws - begun, points)
            return far, True
        if mine[law.SCORE] != score:
            # The roll itself has moved the score (D6, P17), which no decision that is remembered does.
            score, at, new = mine[law.SCORE], 0, False
            quiet = quiet_below(terms, turn.thumb, memo, mine, now)
        if now[law.PHASE] != law.KEEP:  # the same dice again, or all of them after the roll that has cancelled a win
            turn = turn_under_way(memo, desk, number)
            continue
        draw = draws.draw(keys.decisions, uint64(far.choices))
        choice = choice_of(terms, policies, chances, field, desk, turn, quiet, at, draw)
        if choice < 0:
            return far, False
        traced(trace, far.events, KEEP_EVENT + 4 * choice)
        far = Far(far.throws, far.events + 1, far.choices + chooses)
        keep = choice >> 1
        desk.counts[seat][HOT_DICE] += 1 if terms.hot[keep] else 0
        if not choice & 1:
            if law.roll_on(terms, seats, now, keep):
                end_turn(desk, number, seat, far.throws - begun, mine[law.SCORE] - score)
                return far, True
            # Points that have gone to the score are safe: they are no part of what the turn banks (K5).
            if terms.hot_reward:
                desk.counts[seat][LOST] += score - mine[law.SCORE]
                score = mine[law.SCORE]
        # Threads share this table and do not wait for each other: of one place they all remember the same.
        if new and not chooses:
            memo.entries[at] = uint32(remembered(terms, before, mine, now, rolled, choice))
        if choice & 1:
            law.bank(terms, seats, now, keep)
            end_turn(desk, number, seat, far.throws - begun, mine[law.SCORE] - score)
            return far, True
    return far, False


# Games ----------------------------------------------------------------------------------------------------------------


@inlined
def play_game(
    table: CompiledRules,
    offers: int | None,
    policies: Policies,
    chances: Chances | None,
    field: Among | None,
    desk: Desk,
    trace: Numbers,
    keys: Keys,
) -> tuple[Far, int]:
    """Play a game. Returns how far it went, and its turns. If a table is missing, `Desk.asks` says which."""
    now, counts = desk.game.now, desk.counts
    law.deal(table.terms, desk.game.seats[: desk.seats], now, desk.people)
    for seat in range(desk.seats):
        for count in range(FIELDS):
            counts[seat][count] = 0
    desk.asks[0] = 0
    throws = thrown_for_start(table, desk, trace, keys.dice)
    far, turns, ended = Far(throws, throws, 0), 0, True
    while ended and now[law.PHASE] != law.OVER and turns < MOST_TURNS:
        far, ended = play_turn(table, offers, policies, chances, field, desk, trace, turns, keys, far)
        turns += ended
    return far, turns


@inlined
def sit_down(desk: Desk, seating: SeatedPlayers, thumbs: Numbers, shift: int) -> None:
    """Give all players their seats."""
    player = shift
    for seat in range(desk.seats):
        desk.policy[seat], desk.people[seat] = seating.policy[player], seating.people[player]
        copied(thumbs[seating.policy[player]], desk.thumbs[seat])
        player = player + 1 if player + 1 < desk.seats else 0


@inlined
def count_turns(desk: Desk, out: Counters, shift: int, turns: int) -> None:
    """Add the turns of a game to the tally."""
    seats, bins = desk.seats, out.turns.shape[1]
    for turn in range(uint64(turns)):
        player, points = int(desk.turn_seat[turn]) + shift, desk.turn_points[turn]
        player = player if player < seats else player - seats
        counts = out.counts[player]
        if points == FARKLED:
            counts[FARKLES] += 1
            points = 0
        else:
            counts[BANKS] += 1
            counts[POINTS_BANKED] += points
            counts[SQUARES] += points * points
        out.turns[player, min(points, bins - 1)] += 1


@inlined
def count_game(desk: Desk, out: Counters, shift: int, turns: int) -> None:
    """Add a game that has ended, or was given up, to the tally."""
    now, seats = desk.game.now, desk.seats
    winners, sharers = now[law.WINNERS], 0
    for seat in range(seats):
        sharers += winners >> seat & 1
    for seat in range(seats):
        player = (seat + shift) % seats
        if winners >> seat & 1:
            out.wins[player, sharers - 1] += 1
            out.order[(seat - now[law.FIRST]) % seats, sharers - 1] += 1
        for field in range(FIELDS):
            out.counts[player, field] += desk.counts[seat][field]
    out.reasons[reason_of(now)] += 1
    out.lengths[min(turns, out.lengths.size - 1)] += 1
    out.games[0] += 1
    out.games[1] += turns
    count_turns(desk, out, shift, turns)


@inlined
def reason_of(now: law.Read) -> int:
    """Return how a game ended."""
    return now[law.REASON] if now[law.PHASE] == law.OVER else ENDLESS


@inlined
def write_raw(desk: Desk, row: Numbers, shift: int, turns: int, throws: int, unit: int) -> None:
    """Write a game down as `Counters.raw` has it."""
    now, seats, winners = desk.game.now, desk.seats, 0
    for seat in range(seats):
        player = (seat + shift) % seats
        winners |= (now[law.WINNERS] >> seat & 1) << player
        row[5 + player] = desk.game.seats[seat][law.SCORE] * unit
    row[0], row[1], row[2] = winners, reason_of(now), (now[law.FIRST] + shift) % seats
    row[3], row[4] = turns, throws


@part
def games_played(
    table: CompiledRules,
    offers: int | None,
    policies: Policies,
    chances: Chances | None,
    field: Among | None,
    desk: Desk,
    trace: Numbers,
    seating: SeatedPlayers,
    seed: Draw,
    first_game: Draw,
    games: int,
    out: Counters,
    row: int,
) -> int:
    """Play games number first_game, first_game + 1, ... Returns how many: fewer than asked if a table is missing.

    row: where among the raw games the first one belongs. If nothing is ever on offer, and if no player needs
    ``chances`` or ``field``, these are None, and what reads them is not even compiled.
    """
    for played in range(games):
        game = uint64(first_game) + uint64(played)
        shift = int(int64(game % uint64(desk.seats)))
        sit_down(desk, seating, policies.thumbs, shift)
        keys = Keys(draws.key(seed, game, uint64(DICE)), draws.key(seed, game, uint64(DECISIONS)))
        if field is not None:
            field.made[MADE] = 0
        far, turns = play_game(table, offers, policies, chances, field, desk, trace, keys)
        if desk.asks[0]:
            return played
        if field is not None:
            field.made[NOTED], field.made[OF_TURN] = 0, -1
        count_game(desk, out, shift, turns)
        if row + played < len(out.raw):
            write_raw(desk, out.raw[row + played], shift, turns, far.throws, table.terms.unit)
        out.events[0] = far.events
    return games


play_games = compiled(games_played)
"""`games_played`, for Python."""
