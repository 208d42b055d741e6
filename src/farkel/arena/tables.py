"""Players written as tables, so that whole games can be played in machine code.

Four kinds: any legal action (``random``); a rule of thumb (``cautious``, ``bold``, ``threshold:N``); the most points
(``turn``). A test holds each to its class in `farkel.players`: same position, same decision.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from farkel.arena.compiled import HOT, ROLLS, Bits, Compiled, Numbers, Values, compile_rules, up
from farkel.errors import PlayerError
from farkel.players import known
from farkel.players.base import Player
from farkel.players.exact import Best
from farkel.players.simple import Bold, Cautious, Random, Threshold
from farkel.rules import Rules

ANY, THUMB, POINTS = range(3)
NEVER = 1 << 40
"""More points than any turn brings, in units."""
ROWS = 512
"""Turn totals, in units, whose quiet decisions are remembered."""
MOST_MEMORY = 1 << 28
"""Bytes for what is remembered: fewer turn totals where that would be more. Only what is met takes real memory."""


KIND, FALLS, ENOUGH, WANTS = 0, 1, 2, 9
"""Columns of `Policies.thumbs`: the kind; whether it banks below zero whatever it may; from ENOUGH + dice left on the
turn total from which on it banks; from WANTS + dice on the points from which on it takes over so many dice."""


class Policies(NamedTuple):
    """Players as the kernel reads them. Players that decide alike share one policy. Points are in units."""

    thumbs: Numbers
    """[policy, column]"""
    rows: int
    """Turn totals whose decisions are remembered."""
    memo: Bits
    """Quiet decisions, 0 where there is none yet: see `farkel.arena.kernel`. The first place is always 0."""
    memo_at: Numbers
    """[policy, context, rolling]: where those begin, of turn total 0 and the first roll. The context is
    (on the way to the entry score) * (farkles in a row that are fined) + farkles so far."""
    unit: float
    values: Values
    """[on the way to the entry score, farkles, turn total, rolling of the solver]: expected units of a turn that
    rolls, as `farkel.solve.Turn` has them."""
    value_of: Numbers
    """[rolling]: that of the solver; -1 where no turn has it."""
    farkles: Values
    """[rolling]: the chance of a farkle."""
    expected: float
    """Expected points of a turn."""
    below_at: Numbers
    """[on the way to the entry score, missing to an exact target]: where in ``below``; -1: not known yet."""
    below: Values
    """Expected points of turns where none count that go over, by turn total and rolling of the solver."""
    below_width: int


class Tables:
    """The players of a table for the kernel, by index; and what they work out while games are played."""

    def __init__(self, rules: Rules, players: Sequence[Player], rows: int = ROWS) -> None:
        """Raises `PlayerError` ``no_table`` for a player that is none. ``rows``: turn totals to be remembered."""
        self.rules = rules
        self.compiled: Compiled = compile_rules(rules)
        for player in players:
            if not is_table(player):
                raise PlayerError(
                    "no_table", f"{player.name} is no table: its games are played by the engine, not by the kernel"
                )
        distinct = list(dict.fromkeys(map(_sort, players)))
        self.policy: Numbers = np.array([distinct.index(_sort(player)) for player in players], np.int64)
        """Of each player."""
        self._lock = threading.Lock()
        self.policies = self._policies(
            [players[self.policy.tolist().index(index)] for index in range(len(distinct))], rows
        )

    def learn(self, entering: int, missing: int) -> None:
        """Add the table of a turn that is missing so many units to an exact target."""
        with self._lock:
            q, rules = self.policies, self.rules
            if missing < q.below_at.shape[1] and q.below_at[entering, missing] >= 0:
                return
            needs = max(rules.entry, rules.minimum) if entering else rules.minimum
            found = known.below(rules, missing * rules.unit, needs).values
            more = max(0, 2 * missing + 64 - q.below_at.shape[1]) if missing >= q.below_at.shape[1] else 0
            at = np.pad(q.below_at, ((0, 0), (0, more)), constant_values=-1)
            at[entering, missing] = q.below.size
            self.policies = q._replace(
                below_at=at, below=np.concatenate([q.below, found.ravel()]), below_width=found.shape[1]
            )

    def _policies(self, players: Sequence[Player], rows: int) -> Policies:
        rules, sheet = self.rules, self.compiled.sheet
        contexts = (2 if rules.entry else 1) * max(1, rules.penalties.farkles_in_row)
        widths = sheet.rollings[:, ROLLS]
        remembering = [not isinstance(player, Random) for player in players]
        each = int(widths.sum()) * contexts * max(1, sum(remembering)) * 4
        rows = max(1, min(rows, MOST_MEMORY // each))
        memo_at = np.zeros((len(players), contexts, widths.size), np.int64)
        size = 1
        for policy, remembers in enumerate(remembering):
            if remembers:
                starts = np.cumsum(np.tile(widths * rows, contexts)).reshape(contexts, -1)
                memo_at[policy] = size + starts - widths * rows
                size += int(starts[-1, -1])
        policies = Policies(
            thumbs=np.array(
                [
                    [_kind(player), isinstance(player, Threshold), *_enough(rules, player), *_wants(rules, player)]
                    for player in players
                ],
                np.int64,
            ),
            rows=rows,
            memo=np.zeros(size, np.uint32),
            memo_at=memo_at,
            unit=float(rules.unit),
            values=np.zeros((1, 1, 2, 1)),
            value_of=np.zeros(widths.size, np.int64),
            farkles=np.zeros(widths.size),
            expected=0.0,
            below_at=np.full((2, 1), -1, np.int64),
            below=np.zeros(0),
            below_width=1,
        )
        return _with_values(policies, self.compiled, rules) if any(isinstance(p, Best) for p in players) else policies


def is_table(player: Player) -> bool:
    """Whether games of the player can be played by the kernel."""
    return type(player) in (Random, Cautious, Bold, Threshold, Best)


def _sort(player: Player) -> tuple[type, int]:
    """Equal for players that decide alike."""
    return type(player), player.points if isinstance(player, Threshold) else 0


def _kind(player: Player) -> int:
    return ANY if isinstance(player, Random) else POINTS if isinstance(player, Best) else THUMB


def _enough(rules: Rules, player: Player) -> list[int]:
    """[dice left]: the turn total from which on a rule of thumb banks."""
    five, unit = _five(rules), rules.unit
    if isinstance(player, Threshold):
        return [up(player.points, unit)] * 7
    if isinstance(player, Cautious):
        return [0 if left <= 2 else up(6 * five, unit) for left in range(7)]
    return [up((10 if left == 1 else 20) * five, unit) for left in range(7)]


def _wants(rules: Rules, player: Player) -> list[int]:
    """[dice]: the points on offer from which on a rule of thumb takes over."""
    five, unit = _five(rules), rules.unit
    if isinstance(player, Cautious) and rules.take_over.price == "free":
        return [0 if dice >= 4 else NEVER for dice in range(7)]
    if isinstance(player, Bold):
        return [up(10 * five, unit) if dice >= 3 else up(20 * five, unit) if dice == 2 else NEVER for dice in range(7)]
    return [NEVER] * 7


def _five(rules: Rules) -> int:
    """What rules of thumb are measured in: a single 5."""
    return rules.scoring.five or rules.scoring.one // 2 or 50


def _with_values(policies: Policies, compiled: Compiled, rules: Rules) -> Policies:
    """With the values of turns that are played for the most points."""
    turn = known.turn(rules)
    program, sheet = turn._program, compiled.sheet
    value_of = np.full(len(sheet.rollings), -1, np.int64)
    for number, (dice, idle, hot) in enumerate(sheet.rollings[:, : HOT + 1].tolist()):
        if any((one.dice, one.idle) == (dice, idle) for one in program.rollings):
            value_of[number] = program.rolling(dice, idle, hot)
    contexts = (True, False) if rules.entry else (True,)
    return policies._replace(
        values=np.ascontiguousarray(np.stack([turn._rolling[on_board] for on_board in contexts])),
        value_of=value_of,
        farkles=np.array([program.chances[place] if place >= 0 else 0.0 for place in value_of]),
        expected=turn.expected_points,
    )
