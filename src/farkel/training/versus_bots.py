"""Games of one learning seat against players in machine code: the seats of the opponent play whole turns at a time.

The turns are those of simulated games, so that the opponent decides as its class does and remembers its quiet
decisions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from farkel.dice.simulated import DECISIONS, GOLDEN, key
from farkel.errors import EnvError
from farkel.game import law
from farkel.kernels import draws
from farkel.kernels.arrays import Numbers, zeros
from farkel.kernels.law import CompiledRules
from farkel.kernels.registry import STEPS, parts
from farkel.kernels.words import int64, uint64
from farkel.players import Player
from farkel.players.decisions import copied
from farkel.rules import Rules
from farkel.simulation.bots.chances import Chances
from farkel.simulation.bots.tables import BotTables as Players
from farkel.simulation.bots.tables import Policies, is_table
from farkel.simulation.bots.workspace import Desk, desks
from farkel.simulation.compiled_games import Far, Keys, play_turn
from farkel.simulation.tally import SEATS
from farkel.training.arrays import (
    BEFORE,
    CHOSEN,
    HELD,
    LEARNER,
    TOLD_SCORE,
    TOLD_TURNS,
    TURNS,
    WAITING,
    Counts,
    GameArrays,
    StepResults,
    StepTables,
)
from farkel.training.observations import write_seen
from farkel.training.stepping import GameRows, act, legal, tell, tell_nothing, throw, write_mask

NOTHING, DECIDED, DEALT = range(3)
"""The progress of a game that waits for a table of its opponent."""
ANY_SEAT = -1

compiled = STEPS
inlined = parts(error_model="numpy", _nrt=False, forceinline=True)


class Rival(NamedTuple):
    """The opponent as simulated games read it, and which seat learns: `ANY_SEAT` for one drawn each game."""

    table: CompiledRules
    offers: int | None
    policies: Policies
    chances: Chances | None
    learner: int


@inlined
def answer(
    rival: Rival, desk: Desk, trace: Numbers, game: GameRows, games: GameArrays, decisions: Counts, i: int
) -> bool:
    """Play a turn of the opponent. Returns False, with the game as it was, if a table is missing."""
    for seat in range(len(game.seats)):
        copied(game.seats[seat], desk.game.seats[seat])
    copied(game.now, desk.game.now)
    desk.asks[0] = 0
    keys = Keys(
        games.keys[i] + games.thrown[i] * uint64(GOLDEN), decisions[i] + uint64(game.own[CHOSEN]) * uint64(GOLDEN)
    )
    far, _ = play_turn(
        rival.table, rival.offers, rival.policies, rival.chances, None, desk, trace, 0, keys, Far(0, 0, 0)
    )
    if desk.asks[0]:
        return False
    for seat in range(len(game.seats)):
        copied(desk.game.seats[seat], game.seats[seat])
    copied(desk.game.now, game.now)
    games.thrown[i] += uint64(far.throws)
    game.own[CHOSEN] += far.choices
    game.own[TURNS] += 1
    return True


@inlined
def settle(
    tables: StepTables,
    rival: Rival,
    desk: Desk,
    trace: Numbers,
    game: GameRows,
    games: GameArrays,
    decisions: Counts,
    i: int,
) -> bool:
    """Let dice fall and the opponent play until the learner must decide or the game is over or cut off.

    Returns False if a table of the opponent is missing.
    """
    now, own = game.now, game.own
    while own[TURNS] < tables.most_turns and now[law.PHASE] != law.OVER:
        starting = now[law.PHASE] == law.START
        if not starting and now[law.SEAT] != own[LEARNER]:
            if not answer(rival, desk, trace, game, games, decisions, i):
                return False
            continue
        if not starting and now[law.PHASE] != law.ROLL:
            break
        throw(tables.terms, tables.throws, game, draws.draw(games.keys[i], games.thrown[i]))
        games.thrown[i] += uint64(1)
    return True


@inlined
def deal(tables: StepTables, rival: Rival, game: GameRows, decisions: Counts, i: int) -> None:
    """Begin a game, with another seat that learns when it is drawn."""
    own = game.own
    own[TURNS] = own[TOLD_TURNS] = own[TOLD_SCORE] = 0
    law.deal(tables.terms, game.seats, game.now, tables.people)
    own[LEARNER] = rival.learner
    if rival.learner == ANY_SEAT:
        drawn = draws.draw(decisions[i], uint64(own[CHOSEN]))
        own[LEARNER] = int(int64(draws.below(drawn, uint64(len(game.seats)))))
        own[CHOSEN] += 1


@compiled
def step_against(
    tables: StepTables,
    rival: Rival,
    desk: Desk,
    trace: Numbers,
    games: GameArrays,
    decisions: Counts,
    actions: Numbers,
    given: StepResults,
    first: int,
    last: int,
) -> int:
    """Step games as `farkel.training.stepping.step_all`, with answers of the opponent.

    Returns the game that misses a table of the opponent, named by ``desk.asks``; ``last`` if none does. Called again
    from that game on, with the table, it continues where it was.
    """
    for i in range(first, last):
        game = GameRows(games.now[i], games.seats[i], games.own[i])
        now, own, mask = game.now, game.own, given.masks[i]
        if own[HELD]:
            tell_nothing(given, i)
            continue
        told = own[WAITING] == DEALT
        if own[WAITING] == NOTHING:
            own[BEFORE] = own[TURNS]
            given.replaced[i] = False
            if now[law.PHASE] != law.OVER:
                action = legal(mask, actions[i])
                given.replaced[i] = action != actions[i]
                act(tables.terms, tables.choices, game, action)
        own[WAITING] = NOTHING
        while True:
            if not settle(tables, rival, desk, trace, game, games, decisions, i):
                own[WAITING] = DEALT if told else DECIDED
                return i
            if not told:
                tell(tables, game, own[LEARNER], own[BEFORE], given, i)
            done = now[law.PHASE] == law.OVER or own[TURNS] >= tables.most_turns
            seen = given.final[i] if done and not told else given.seen[i]
            write_seen(tables.terms, tables.choices, tables.scales, now, game.seats, own[LEARNER], seen)
            if not done:
                break
            told = True
            deal(tables, rival, game, decisions, i)
        given.seats[i] = now[law.SEAT]
        write_mask(tables.terms, tables.choices, game.seats[now[law.SEAT]], now, mask)
    return last


class Opponent:
    """A player that has all seats but one in many games. Raises `EnvError` if it cannot play in machine code."""

    def __init__(self, rules: Rules, player: Player, people: Sequence[int], seat: int | None, games: int) -> None:
        if len(people) < 2:
            raise EnvError("bad_option", "a game against an opponent has two seats or more: give seats=2")
        if seat is not None and not 0 <= seat < len(people):
            raise EnvError("bad_option", f"seat = {seat}: there are the seats 0 to {len(people) - 1}")
        if not is_table(player, rules, people):
            raise self._unfit(player)
        self._players = Players(rules, (player,) * len(people), people=people)
        if self._players.field is not None:
            raise self._unfit(player)
        self._people = people
        self._learner = ANY_SEAT if seat is None else seat
        self._desks: dict[int, Any] = {}
        self.space = self._players.space
        """Where games are played."""
        self._decisions: Counts = self.space.zeros((games,), "uint64")
        self._trace = zeros(0, "int64")

    @staticmethod
    def _unfit(player: Player) -> EnvError:
        return EnvError(
            "bad_option",
            f"opponent {player.name} does not play in machine code at this table: take random, cautious, bold, "
            'threshold:N or turn, or one process per game with gymnasium.make_vec(..., vectorization_mode="async")',
        )

    def deal(self, seed: int, games: Sequence[int]) -> None:
        """Begin the streams of decisions of a seed in these games."""
        for game in games:
            self._decisions[game] = key(seed, game, DECISIONS)

    def step(
        self, tables: StepTables, games: GameArrays, actions: Numbers, given: StepResults, first: int, last: int
    ) -> None:
        """Step the games ``first`` to ``last`` - 1."""
        desk: Any = self._desks.get(first)
        if desk is None:
            desk = self._desks[first] = desks(1, len(self._people))[0]
            for seat in range(SEATS):
                desk.thumbs[seat] = self._players.policies.thumbs[0]
        while True:
            known = self._players
            rival = Rival(known.table, known.offers, known.policies, known.chances, self._learner)
            played = games, self._decisions, actions, given
            first = self.space.run(step_against, tables, rival, desk, self._trace, *played, first, last)
            if first == last:
                return
            known.learn(*desk.asks)
