"""Games through the engine itself, with any players: slower than the kernel, with the same dice and the same counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from farkel.dice.simulated import ArenaDice, ArenaRandom
from farkel.game import (
    Action,
    Event,
    Keep,
    Leave,
    Phase,
    State,
    TakeOver,
    Throw,
    apply,
    ends_turn,
    new_game,
)
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

Decides = Callable[[Player, State, ArenaRandom], tuple[Action, State]]
"""A player's decision in a state, and the state after it."""
Watches = Callable[[State, Event, State], None]


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


def simply(player: Player, state: State, generator: ArenaRandom) -> tuple[Action, State]:
    """Return the player's decision, unguarded."""
    action = player.decide(state, generator)
    return action, apply(state, action)


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
    ``watches`` is called with the state before, the event and the state after. Raises `IllegalEvent` if an unguarded
    player makes an illegal decision.
    """
    n = len(players)
    seated = [players[(seat + game) % n] for seat in range(n)]
    sizes = people or [1] * n
    state = new_game(rules, [sizes[(seat + game) % n] for seat in range(n)])
    dice, chance = ArenaDice(seed, game), ArenaRandom(seed, game)
    events: list[Event] = []
    forfeits: list[Forfeit] = []
    throws = turns = 0
    while not state.over and turns < MOST_TURNS:
        due = state.dice_due
        event: Event
        if due:
            if throws >= MOST_THROWS:
                break
            event = Throw(dice.throw(throws, due))
            after = apply(state, event)
            throws += 1
        else:
            try:
                event, after = decides(seated[state.seat], state, chance)
            except Broken as broken:
                event = Leave(state.seat)
                after = apply(state, event)
                forfeits.append(Forfeit(game, (state.seat + game) % n, broken.code, broken.reason))
        turns += ends_turn(state, event, after)
        if watches:
            watches(state, event, after)
        events.append(event)
        state = after
    return PlayedGame(events, state, forfeits)


class Count:
    """Counts one game while it is played, as the kernel does."""

    def __init__(self, found: Counters, rules: Rules, game: int) -> None:
        self._found = found
        self._unit = rules.unit
        self._game = game
        self._seats = found.wins.shape[0]
        self._counts = [[0] * FIELDS for _ in range(self._seats)]
        """Of this game: lists count faster than arrays."""
        self._banked: list[tuple[int, int]] = []
        """Player and units of each turn."""
        self._throws = 0
        self._in_turn = 0

    def player(self, seat: int) -> int:
        """Return who sits there."""
        return int((seat + self._game) % self._seats)

    def watch(self, before: State, event: Event, after: State) -> None:
        """Count an event."""
        counts = self._counts[self.player(before.seat)]
        change = (after.seats[before.seat].score - before.mine.score) // self._unit
        if isinstance(event, Throw):
            self._throws += 1
            ends = ends_turn(before, event, after)
            self._in_turn += before.phase is Phase.ROLL
            if ends and change > 0:  # a farkle that keeps its turn total (F5)
                self._turn(before.seat, BANKS, change)
                return
            counts[LOST] -= change
            if ends:
                won = after.result is not None and after.result.reason == "dice"
                self._turn(before.seat, BANKS if won else FARKLES, 0)
        elif isinstance(event, Keep):
            counts[HOT_DICE] += before.scored is not None and before.scored.keeps[event.dice].hot
            if event.then == "bank" or after.over:
                self._turn(before.seat, BANKS, change)
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
        player = self.player(seat)
        counts = self._counts[player]
        counts[how] += 1
        counts[THROWS] += self._in_turn
        counts[POINTS_BANKED] += points
        counts[SQUARES] += points * points
        self._banked.append((player, points))
        self._in_turn = 0

    def finish(self, state: State, row: int) -> None:
        """Count the end; ``row`` is that of the game among the raw ones."""
        found, n, result = self._found, self._seats, state.result
        winners = result.winners if result else ()
        turns = len(self._banked)
        for player, counts in enumerate(self._counts):
            for field, count in enumerate(counts):
                found.counts[player, field] += count
        for player, points in self._banked:
            found.turns[player, min(points, BINS - 1)] += 1
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
