"""Players written as tables, so that whole games can be played in machine code.

Five kinds: any legal action (``random``); a rule of thumb (``cautious``, ``bold``, ``threshold:N``); the most points
(``turn``); the likeliest win of two (``exact``, and ``race`` where the solution is of just that game) and among many
(``race``). A test holds each to its class in `farkel.players`: same position, same decision.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from farkel.arena.chances import Chances, Known, nothing, of_many, of_two, rollings_of
from farkel.arena.compiled import ROLLS, Bits, Compiled, Numbers, Values, compile_rules, up
from farkel.errors import PlayerError
from farkel.players import known
from farkel.players.base import Player
from farkel.players.exact import EVEN as EVEN
from farkel.players.exact import Best, Exact, Race
from farkel.players.simple import Bold, Cautious, Random, Threshold, Thumb
from farkel.rules import Rules

if TYPE_CHECKING:
    from farkel.solve import Field

ANY, THUMB, FIELD, POINTS, CHANCES = range(5)
BELOW = -1
"""What is asked for besides `CHANCES` and a turn of `FIELD`: a table of turns that are below a target."""
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
    chances: Chances


class Tables:
    """The players of a table for the kernel, by index; and what they work out while games are played."""

    def __init__(self, rules: Rules, players: Sequence[Player], rows: int = ROWS, people: Sequence[int] = ()) -> None:
        """Raises `PlayerError` ``no_table`` for a player that is none, and `SolveError` where chances are wanted that
        cannot be known. ``rows``: turn totals to be remembered; ``people``: in the team of each, one where not given.
        """
        self.rules = rules
        self.compiled: Compiled = compile_rules(rules)
        people = people or [1] * len(players)
        for player in players:
            if not is_table(player, rules, people):
                raise PlayerError(
                    "no_table", f"{player.name} is no table here: its games are played by the engine, not by the kernel"
                )
        sorts = [_sort(player, rules, people) for player in players]
        distinct = list(dict.fromkeys(sorts))
        self.policy: Numbers = np.array([distinct.index(sort) for sort in sorts], np.int64)
        """Of each player."""
        self._lock = threading.Lock()
        self._known: Known | None = None
        self.field: Field | None = None
        """What tells the turns of those that play among many, where there are any."""
        kinds = {kind for kind, _ in distinct}
        if CHANCES in kinds:
            self._known = of_two(rules, known.team(rules, people))
        if FIELD in kinds:
            self.field = known.field(rules, len(players))
        self.policies = self._policies([(kind, players[sorts.index((kind, sort))]) for kind, sort in distinct], rows)

    def learn(self, what: int, first: int, second: int) -> None:
        """Work out what a decision asks for: the chances of a position (`CHANCES`) with a turn total, or the turns of a
        seat (`BELOW`) that is, or is not, on the way to the entry score, and missing so many units to an exact target.
        """
        with self._lock:
            if what == BELOW:
                self._learn_below(first, second)
            elif self._known is not None:
                self._known.learn(first, second)
                self.policies = self.policies._replace(chances=self._known.chances)

    def _learn_below(self, entering: int, missing: int) -> None:
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

    def _chances(self) -> Chances:
        if self._known is not None:
            return self._known.chances
        return nothing() if self.field is None else of_many(self.field.compiled, self.compiled)

    def _policies(self, players: Sequence[tuple[int, Player]], rows: int) -> Policies:
        """``players``: the kind and a player of each policy."""
        rules, sheet = self.rules, self.compiled.sheet
        contexts = (2 if rules.entry else 1) * max(1, rules.penalties.farkles_in_row)
        widths = sheet.rollings[:, ROLLS]
        remembering = [kind in (THUMB, POINTS) for kind, _ in players]
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
                    [kind, *(_thumb(rules, player) if isinstance(player, Thumb) else [0] * (WANTS + 6))]
                    for kind, player in players
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
            chances=self._chances(),
        )
        wanted = any(kind in (POINTS, CHANCES) for kind, _ in players)
        return _with_values(policies, self.compiled, rules) if wanted else policies


def is_table(player: Player, rules: Rules, people: Sequence[int]) -> bool:
    """Whether games of the player can be played by the kernel at such a table."""
    if type(player) is Exact:
        return known.solved_as_two(rules, people)
    return type(player) in (Random, Cautious, Bold, Threshold, Best, Race)


def _sort(player: Player, rules: Rules, people: Sequence[int]) -> tuple[int, Player | type | int]:
    """The kind of player, and what is equal for players that decide alike."""
    if isinstance(player, Random):
        return ANY, 0
    if isinstance(player, Thumb):
        return THUMB, player.points if isinstance(player, Threshold) else type(player)
    if isinstance(player, Best) or len(people) == 1:
        return POINTS, 0
    return (CHANCES if known.solved_as_two(rules, people) else FIELD), 0


def _thumb(rules: Rules, player: Thumb) -> list[int]:
    """The columns of a rule of thumb."""
    wants = [player.wants(rules, dice) for dice in range(7)]
    return [
        int(player.falls),
        *(up(player.enough(rules, left), rules.unit) for left in range(7)),
        *(NEVER if points is None else up(points, rules.unit) for points in wants),
    ]


def _with_values(policies: Policies, compiled: Compiled, rules: Rules) -> Policies:
    """With the values of turns that are played for the most points."""
    turn = known.turn(rules)
    value_of = rollings_of(compiled, turn.program)
    contexts = (True, False) if rules.entry else (True,)
    return policies._replace(
        values=np.ascontiguousarray(np.stack([turn.values[on_board] for on_board in contexts])),
        value_of=value_of,
        farkles=np.array([turn.program.chances[place] if place >= 0 else 0.0 for place in value_of]),
        expected=turn.expected_points,
    )
