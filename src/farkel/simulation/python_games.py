"""Games through the engine itself, with any players: slower than the kernel, with the same dice and the same counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from farkel.dice.simulated import ArenaDice, ArenaRandom
from farkel.game import (
    Action,
    Event,
    Keep,
    Leave,
    State,
    TakeOver,
    Throw,
    follow,
    new_game,
)
from farkel.game.engine import advance
from farkel.game.law import OVER, ROLL
from farkel.game.numbered import numbered
from farkel.players import Player
from farkel.rules import AnyRules, Rules
from farkel.simulation.jobs import Forfeit
from farkel.simulation.tally import (
    BANKS,
    BINS,
    ENDLESS,
    FARKLES,
    FIELDS,
    FORFEITS,
    HOT_DICE,
    LENGTHS,
    LOST,
    MOST_THROWS,
    MOST_TURNS,
    OFFERS,
    POINTS_BANKED,
    REASONS,
    SQUARES,
    TAKEN,
    THROWS,
    Counters,
)

Decides = Callable[[Player, State, ArenaRandom], tuple[Action, State, bool]]
"""A player's decision in a state, the state after it, and whether it ends the turn."""
Watches = Callable[[State, Event, State, bool], None]


class Broken(Exception):
    """A player cannot continue a game."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class PlayedGame(NamedTuple):
    """A game that was played, or given up as endless."""

    events: list[Event]
    state: State
    forfeits: list[Forfeit]


def simply(player: Player, state: State, generator: ArenaRandom) -> tuple[Action, State, bool]:
    """Return the player's decision, unguarded."""
    action = player.decide(state, generator)
    return action, *follow(state, action)


def play(
    rules: AnyRules,
    players: Sequence[Player],
    seed: int,
    game: int,
    people: Sequence[int] = (),
    decides: Decides = simply,
    watches: Watches | None = None,
) -> PlayedGame:
    """Return the game with that number: player ``(seat + game) % seats`` sits in each seat.

    ``decides`` asks a player, and raises `Broken` when it loses the game by that: its seat leaves the table.
    ``watches`` is called with the state before, the event, the state after, and whether that ended the turn. Raises
    `IllegalEvent` if an unguarded player makes an illegal decision.
    """
    n = len(players)
    seated = [players[(seat + game) % n] for seat in range(n)]
    sizes = people or [1] * n
    state = new_game(rules, [sizes[(seat + game) % n] for seat in range(n)])
    dice, chance = ArenaDice(seed, game), ArenaRandom(seed, game)
    events: list[Event] = []
    forfeits: list[Forfeit] = []
    throws = turns = 0
    while (phase := state.phase) is not OVER and turns < MOST_TURNS:
        due = state.dice if phase is ROLL else state.dice_due
        event: Event
        if due:
            if throws >= MOST_THROWS:
                break
            event = Throw(dice.throw(throws, due))
            after, ends = advance(state, event)
            throws += 1
        else:
            try:
                event, after, ends = decides(seated[state.seat], state, chance)
            except Broken as broken:
                event = Leave(state.seat)
                after, ends = follow(state, event)
                forfeits.append(Forfeit(game, (state.seat + game) % n, broken.code, broken.reason))
        turns += ends
        if watches:
            watches(state, event, after, ends)
        events.append(event)
        state = after
    return PlayedGame(events, state, forfeits)


class Count:
    """Counts games while they are played, as the kernel does."""

    def __init__(self, players: int, rules: Rules) -> None:
        self._unit = rules.unit
        self._scored = numbered(rules).scored
        self._players = players
        self._counts = [[0] * FIELDS for _ in range(players)]
        """Of all games: lists count faster than arrays."""
        self._turns: Counter[tuple[int, int]] = Counter()
        """How many turns of a player banked so many units."""
        self.begin(0)

    def begin(self, game: int) -> None:
        """Begin a game."""
        self._game = game
        self._seated = [self._counts[self.player(seat)] for seat in range(self._players)]
        self._length = 0
        self._throws = 0
        self._in_turn = 0

    def player(self, seat: int) -> int:
        """Return who sits there."""
        return (seat + self._game) % self._players

    def watch(self, before: State, event: Event, after: State, ends: bool) -> None:
        """Count an event."""
        seat = before.seat
        same = after.seats is before.seats
        change = 0 if same else (after.seats[seat].score - before.seats[seat].score) // self._unit
        if isinstance(event, Throw):
            self._throws += 1
            self._in_turn += before.phase is ROLL
            if ends and change > 0:  # a farkle that keeps its turn total (F5)
                self._turn(seat, BANKS, change)
                return
            if change:
                self._seated[seat][LOST] -= change
            if ends:
                won = after.result is not None and after.result.reason == "dice"
                self._turn(seat, BANKS if won else FARKLES, 0)
            return
        counts = self._seated[seat]
        if isinstance(event, Keep):
            counts[HOT_DICE] += self._scored[before.rolled].keeps[event.dice].hot
            if event.then == "bank" or after.over:
                self._turn(seat, BANKS, change)
            else:
                counts[LOST] -= change
        elif isinstance(event, Leave):
            self._in_turn = 0
            counts[FORFEITS] += 1
        else:
            counts[OFFERS] += 1
            counts[LOST] -= change
            counts[TAKEN] += isinstance(event, TakeOver)

    def _turn(self, seat: int, how: int, points: int) -> None:
        counts = self._seated[seat]
        counts[how] += 1
        counts[THROWS] += self._in_turn
        counts[POINTS_BANKED] += points
        counts[SQUARES] += points * points
        self._turns[self.player(seat), min(points, BINS - 1)] += 1
        self._length += 1
        self._in_turn = 0

    def end(self, state: State, found: Counters, row: int) -> None:
        """Count the end of the game; ``row`` is its place among the raw ones."""
        n, result, turns = self._players, state.result, self._length
        winners = result.winners if result else ()
        reason = REASONS.index(result.reason) if result else ENDLESS
        for seat in winners:
            found.wins[self.player(seat), len(winners) - 1] += 1
            found.order[(seat - state.first) % n, len(winners) - 1] += 1
        found.reasons[reason] += 1
        found.lengths[min(turns, LENGTHS - 1)] += 1
        found.games[0] += 1
        found.games[1] += turns
        if row < found.raw.shape[0]:
            won = sum(1 << self.player(seat) for seat in winners)
            found.raw[row, :5] = won, reason, self.player(state.first), turns, self._throws
            for seat, one in enumerate(state.seats):
                found.raw[row, 5 + self.player(seat)] = one.score

    def add(self, found: Counters) -> None:
        """Add the turns of all games, once they have been played."""
        for player, counts in enumerate(self._counts):
            for field, count in enumerate(counts):
                found.counts[player, field] += count
        for place, number in self._turns.items():
            found.turns[place] += number
