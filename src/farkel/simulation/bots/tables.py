"""Players written as tables, so that whole games can be played in machine code.

Five kinds: any legal action (``random``); a rule of thumb (``cautious``, ``bold``, ``threshold:N``); the most points
(``turn``); the likeliest win of two (``exact``, and ``race`` if the solution is of just that game) and among many
(``race``). A test holds each to its class in `farkel.players`: same position, same decision.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from farkel.dice import all_rolls
from farkel.errors import PlayerError
from farkel.game import law
from farkel.game.law.terms import Price, terms
from farkel.game.scoring import every_scored
from farkel.kernels.law import CompiledRules, Numbers, Values, table
from farkel.players import knowledge
from farkel.players.decisions import ANY, COLUMNS, THUMB
from farkel.players.protocol import Player, built_in
from farkel.players.rules_of_thumb import Threshold, Thumb, columns
from farkel.rules import Rules
from farkel.rules.settings import declared, unknown
from farkel.simulation.bots.chances import Chances, Known, Told, of_many, of_two, places

if TYPE_CHECKING:
    from farkel.solve import Field

FIELD, POINTS, CHANCES = range(2, 5)
"""Kinds of players besides those of `farkel.players.decisions`."""
BELOW = -1
"""The third kind of request, besides `CHANCES` and a turn of `FIELD`: a table of turns below a target."""
ROWS = 512
"""Turn totals, in units, whose quiet decisions are remembered."""
KNOWN, STEPS, ENDS, HEATS = 1, 2, 4, 8
HAND_AT, KEEP_AT, BRINGS_AT = 4, 8, 18
MOST_KEEPS, MOST_BROUGHT = 1 << BRINGS_AT - KEEP_AT, 1 << 32 - BRINGS_AT
"""Bits of a remembered decision: that there is one; whether all that the law does is to add points to the
turn total and to roll another hand; whether it banks; whether all dice are set aside; from `HAND_AT` on the hand, from
`KEEP_AT` on the keep, counted from the first one of the roll, and from `BRINGS_AT` on what it brings."""
ALL = HEATS
"""Instead, for those that do anything: every keep may be banked or rolled on from."""
MOST_MEMORY = 1 << 28
"""Bytes for remembered decisions: fewer turn totals if that would be more. Only pages in use take real memory."""


class Memo(NamedTuple):
    """Quiet decisions: those that depend on the turn total and the roll alone. Points are in units."""

    rows: int
    """Turn totals whose decisions are remembered."""
    entries: NDArray[np.uint32]
    """Bits, as `KNOWN` and others say; 0 if nothing is remembered yet, and always first."""
    starts: Numbers
    """[policy, on the way to the entry score, farkles in a row, last turns, hand]: where those of turn total 0 and of
    roll number 0 would be."""
    rolls: Numbers
    """[hand]: how many there are."""
    most: NDArray[np.int16]
    """[roll]: no keep of it brings more; 0 for a farkle, and for more than fits here."""
    stays_open: bool
    """A bank that reaches the target ends no game, before last turns."""


class PointsTables(NamedTuple):
    """What players know that play for points, as `farkel.solve.Turn` has it. Turn totals are in units."""

    unit: float
    values: Values
    """[on the way to the entry score, farkles in a row, turn total, rolling]: expected units of a turn that rolls."""
    place: Numbers
    """As `farkel.simulation.bots.chances.places`."""
    farkles: Values
    """[rolling]: the chance of a farkle."""
    expected: float
    """Expected points of a turn."""
    below_at: Numbers
    """[on the way to the entry score, missing to an exact target]: where in ``below``; -1: not known yet."""
    below: Values
    """Expected points of turns if none count that go over, by turn total and rolling."""
    below_width: int


class Policies(NamedTuple):
    """Players as the kernel reads them. Players that decide alike share one policy."""

    thumbs: Numbers
    """[policy, column]"""
    memo: Memo
    points: PointsTables


class BotTables:
    """The players of a table for the kernel, by index, with the tables that they calculate while games are played."""

    def __init__(self, rules: Rules, players: Sequence[Player], rows: int = ROWS, people: Sequence[int] = ()) -> None:
        """Raises `PlayerError` ``no_table`` for a player that is none, and `SolveError` if chances are wanted that
        cannot be known. ``rows``: turn totals to be remembered; ``people``: in the team of each, one if not given.
        """
        self.rules = rules
        self.table: CompiledRules = table(rules)
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
        self._below = 0
        """How much of `PointsTables.below` is filled."""
        self.offers: int | None = None if self.table.terms.price == Price.NONE else 1
        """None if nothing is ever on offer: then the kernel is compiled without what takes over."""
        self._known: Known | None = None
        self.field: Field | None = None
        """The key of turns of players among many, if there are any."""
        self.told: Told | None = None
        kinds = {kind for kind, _ in distinct}
        if CHANCES in kinds:
            self._known = of_two(rules, knowledge.team(rules, people))
        if FIELD in kinds:
            self.field = knowledge.field(rules, len(players))
            self.told = of_many(self.field.compiled)
        self.policies = self._policies([(kind, players[sorts.index((kind, sort))]) for kind, sort in distinct], rows)

    @property
    def chances(self) -> Chances | None:
        """Winning chances of a game of two, if they are known."""
        return self._known.chances if self._known else None

    def learn(self, what: int, first: int, second: int) -> None:
        """Answer the request of a decision: the chances of a position (`CHANCES`) with a turn total, or the turns of a
        seat (`BELOW`) that is, or is not, on the way to the entry score, and missing N units to an exact target.
        """
        with self._lock:
            if what == BELOW:
                self._learn_below(first, second)
            elif self._known is not None:
                self._known.learn(first, second)

    def _learn_below(self, entering: int, missing: int) -> None:
        points, rules = self.policies.points, self.rules
        if missing < points.below_at.shape[1] and points.below_at[entering, missing] >= 0:
            return
        found = knowledge.below(rules, missing * rules.unit, not entering).values
        more = max(0, 2 * missing + 64 - points.below_at.shape[1]) if missing >= points.below_at.shape[1] else 0
        at = np.pad(points.below_at, ((0, 0), (0, more)), constant_values=-1)
        begin, end = self._below, self._below + found.size
        below = points.below
        if end > below.size:  # twice as much each time: a game may ask for thousands
            below = np.empty(max(2 * below.size, end))
            below[:begin] = points.below[:begin]
        below[begin:end] = found.ravel()
        at[entering, missing], self._below = begin, end
        learned = points._replace(below_at=at, below=below, below_width=found.shape[1])
        self.policies = self.policies._replace(points=learned)

    def _policies(self, players: Sequence[tuple[int, Player]], rows: int) -> Policies:
        """Return ``players``: the kind and a player of each policy."""
        rules = self.rules
        wanted = any(kind in (POINTS, CHANCES) for kind, _ in players)
        return Policies(
            thumbs=np.array(
                [
                    columns(player, rules, rules.unit) if isinstance(player, Thumb) else [kind, *[0] * (COLUMNS - 1)]
                    for kind, player in players
                ],
                np.int64,
            ),
            memo=_memo(rules, [kind in (ANY, THUMB, POINTS) for kind, _ in players], self.policy.size, rows),
            points=_points(rules) if wanted else NO_POINTS,
        )


def is_table(player: Player, rules: Rules, people: Sequence[int]) -> bool:
    """Return whether games of the player can be played by the kernel at such a table."""
    name = built_in(player)
    return knowledge.solved_as_two(rules, people) if name == "exact" else name not in ("", "card")


def _sort(player: Player, rules: Rules, people: Sequence[int]) -> tuple[int, Player | type | int]:
    """Return the kind of player, and a key that is equal for players that decide alike."""
    name = built_in(player)
    if name == "random":
        return ANY, 0
    if isinstance(player, Thumb):
        return THUMB, player.points if isinstance(player, Threshold) else type(player)
    if name == "turn" or len(people) == 1:
        return POINTS, 0
    return (CHANCES if knowledge.solved_as_two(rules, people) else FIELD), 0


REMEMBERED = declared(
    {
        "": "dice target finish rounds start entry entry_each minimum bank_multiple bank_left hot_dice "
        "hot_dice_multiplier teams",
        "take_over.": "price stake choose_dice after_farkle after_hot_dice heavy on_board from_score points bonus",
        "lives.": "each farkle farkle_all_dice last_standing round_points",
        "penalties.": "farkles_in_row farkles_in_row_points farkle_all_dice below_zero",
    }
)
"""Fields with which decisions of quiet turns depend on the turn total and the roll alone; with others none is quiet."""


def _memo(rules: Rules, remembering: Sequence[bool], seats: int, rows: int) -> Memo:
    """Return a memo in which nothing is remembered yet, with room for those policies that remember."""
    dice = rules.dice
    rolls = np.array([0, *(len(all_rolls(hand)) for hand in range(1, dice + 1))], np.int64)
    contexts = (2 if rules.entry else 1, max(1, rules.penalties.farkles_in_row), 2)
    shape = (len(remembering), *contexts, dice + 1)
    widths = np.array(remembering, np.int64).reshape(-1, 1, 1, 1, 1) * np.broadcast_to(rolls, shape)
    rows = max(1, min(rows, MOST_MEMORY // max(1, 4 * int(widths.sum()))))
    rows = rows if unknown(rules, REMEMBERED) is None else 0
    ends = np.cumsum(widths * rows).reshape(shape)
    kept = [[one.points for one in scored.keeps.values()] for scored in every_scored(rules)]
    bonus = rules.hot_dice_bonus if rules.hot_dice_bonus_to == "turn" else 0
    best = [(max(points) + bonus) // rules.unit if points else 0 for points in kept]
    return Memo(
        rows=rows,
        entries=np.zeros(1 + int(widths.sum()) * rows, np.uint32),
        starts=1 + ends - widths * rows - (np.cumsum(rolls) - rolls),
        rolls=rolls,
        most=np.array([brings if brings < 1 << 15 else 0 for brings in best], np.int16),
        stays_open=_stays_open(rules, seats),
    )


def _stays_open(rules: Rules, seats: int) -> bool:
    """Return whether the game continues after a player reaches the target first, whoever began it."""
    numbers = terms(rules, rules.unit)
    for first in range(seats):
        for seat in range(seats):
            score, now = [[0] * law.SEAT_ROW for _ in range(seats)], [0] * law.NOW
            law.deal(numbers, score, now, [1] * seats)
            law.begin(numbers, score, now, first)
            law.next_turn(numbers, now, seat)
            law.bank_total(numbers, score, now, numbers.target, 0)
            if now[law.PHASE] == law.OVER:
                return False
    return True


NO_POINTS = PointsTables(
    unit=1.0,
    values=np.zeros((1, 1, 2, 1)),
    place=np.zeros((1,) * 7, np.int64),
    farkles=np.zeros(1),
    expected=0.0,
    below_at=np.full((2, 1), -1, np.int64),
    below=np.zeros(0),
    below_width=1,
)
"""For a table where no player plays for points."""


def _points(rules: Rules) -> PointsTables:
    """Return the expected points of the best turn."""
    turn = knowledge.turn(rules)
    contexts = (True, False) if rules.entry else (True,)
    return NO_POINTS._replace(
        unit=float(rules.unit),
        values=np.ascontiguousarray(np.stack([turn.values[on_board] for on_board in contexts])),
        place=places(turn.program),
        farkles=np.array(turn.program.chances),
        expected=turn.expected_points,
    )
