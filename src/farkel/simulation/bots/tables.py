"""Players written as tables, so that whole games can be played in machine code.

Five kinds: any legal action (``random``); a rule of thumb (``cautious``, ``bold``, ``threshold:N``); the most points
(``turn``); the likeliest win of two (``exact``, and ``race`` if the solution is of just that game) and among many
(``race``). A test holds each to its class in `farkel.players`: same position, same decision.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from farkel.dice import all_rolls
from farkel.errors import PlayerError
from farkel.game import law
from farkel.game.law.terms import Price, terms
from farkel.game.scoring import every_scored
from farkel.kernels.arrays import Numbers, Values, array, full, shaped, zeros
from farkel.kernels.law import CompiledRules, table
from farkel.kernels.registry import GAMES
from farkel.kernels.spaces import Lease, open_space
from farkel.players import knowledge
from farkel.players.decisions import ANY, COLUMNS, THUMB
from farkel.players.protocol import Player, built_in
from farkel.players.rules_of_thumb import Threshold, Thumb, columns
from farkel.rules import AnyRules, Rules, as_rules
from farkel.rules.settings import declared, unknown
from farkel.simulation.bots.chances import Chances, Known, Told, of_many, of_two, places

if TYPE_CHECKING:
    from farkel.kernels.spaces import Space
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
    entries: Numbers
    """Bits, as `KNOWN` and others say; 0 if nothing is remembered yet, and always first."""
    starts: Numbers
    """[policy, on the way to the entry score, farkles in a row, last turns, hand]: where those of turn total 0 and of
    roll number 0 would be."""
    rolls: Numbers
    """[hand]: how many there are."""
    most: Numbers
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
        people = people or [1] * len(players)
        for player in players:
            if not is_table(player, rules, people):
                raise PlayerError(
                    "no_table", f"{player.name} is no table here: its games are played by the engine, not by the kernel"
                )
        sorts = [_sort(player, rules, people) for player in players]
        distinct = list(dict.fromkeys(sorts))
        self.policy: Numbers = array((distinct.index(sort) for sort in sorts), "int64")
        """Of each player."""
        self._lock = threading.Lock()
        self._below = 0
        """How much of `PointsTables.below` is filled."""
        self.offers: int | None = None if terms(rules, rules.unit).price == Price.NONE else 1
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
        self.space = self.field.space if self.field else self._known.space if self._known else open_space(GAMES)
        """Where games are played."""
        self._lease = Lease(self.space)
        self.table: CompiledRules = self._lease.place(table(rules))
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
        at, below = points.below_at, points.below
        begin, end = self._below, self._below + found.size
        grows = end > below.size
        if grows:  # twice as much each time: a game may ask for thousands
            below = zeros(max(2 * below.size, end))
            below[:begin] = points.below[:begin]
        if grows or missing >= at.shape[1]:  # another thread that plays on with the old ones finds no more in them
            at = full((2, max(at.shape[1], 2 * missing + 64)), -1, "int64")
            for row in range(2):
                at[row, : points.below_at.shape[1]] = points.below_at[row]
        below.flat[begin:end] = found.flat
        at[entering, missing], self._below = begin, end
        learned = points._replace(below_at=at, below=below, below_width=found.shape[1])
        before, self.policies = self.policies, self._lease.place(self.policies._replace(points=learned))
        self._lease.drop(before)

    def _policies(self, players: Sequence[tuple[int, Player]], rows: int) -> Policies:
        """Return ``players``: the kind and a player of each policy."""
        rules = self.rules
        wanted = any(kind in (POINTS, CHANCES) for kind, _ in players)
        thumbs = [
            columns(player, rules, rules.unit) if isinstance(player, Thumb) else [kind, *[0] * (COLUMNS - 1)]
            for kind, player in players
        ]
        remembering = [kind in (ANY, THUMB, POINTS) for kind, _ in players]
        memo = _memo(rules, remembering, self.policy.size, rows, self.space)
        points = _points(rules) if wanted else NO_POINTS
        return self._lease.place(Policies(array(thumbs, "int64"), memo, points))


def is_table(player: Player, rules: AnyRules, people: Sequence[int]) -> bool:
    """Return whether games of the player can be played by the kernel at such a table."""
    name = built_in(player)
    return knowledge.solved_as_two(as_rules(rules), people) if name == "exact" else name not in ("", "card")


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


def _memo(rules: Rules, remembering: Sequence[bool], seats: int, rows: int, space: Space) -> Memo:
    """Return a memo in which nothing is remembered yet, with room for those policies that remember."""
    rolls = [0, *(len(all_rolls(hand)) for hand in range(1, rules.dice + 1))]
    contexts = (2 if rules.entry else 1, max(1, rules.penalties.farkles_in_row), 2)
    each = prod(contexts)
    every = each * sum(rolls) * sum(remembering)
    rows = max(1, min(rows, MOST_MEMORY // max(1, 4 * every)))
    rows = rows if unknown(rules, REMEMBERED) is None else 0
    before, starts, room = [0, *accumulate(rolls)], list[int](), 1
    for remembers in remembering:
        for hand in [*range(len(rolls))] * each:
            starts.append(room - before[hand])
            room += rolls[hand] * rows if remembers else 0
    kept = [[one.points for one in scored.keeps.values()] for scored in every_scored(rules)]
    bonus = rules.hot_dice_bonus if rules.hot_dice_bonus_to == "turn" else 0
    best = [(max(points) + bonus) // rules.unit if points else 0 for points in kept]
    return Memo(
        rows=rows,
        entries=space.zeros((1 + every * rows,), "uint32"),
        starts=shaped(starts, (len(remembering), *contexts, len(rolls)), "int64"),
        rolls=array(rolls, "int64"),
        most=array((brings if brings < 1 << 15 else 0 for brings in best), "int16"),
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
    values=zeros((1, 1, 2, 1)),
    place=zeros((1,) * 7, "int64"),
    farkles=zeros(1),
    expected=0.0,
    below_at=full((2, 1), -1, "int64"),
    below=zeros(0),
    below_width=1,
)
"""For a table where no player plays for points."""


def _points(rules: Rules) -> PointsTables:
    """Return the expected points of the best turn."""
    turn = knowledge.turn(rules)
    contexts = (True, False) if rules.entry else (True,)
    values = zeros((len(contexts), *turn.values[True].shape))
    for place, on_board in enumerate(contexts):
        values[place] = turn.values[on_board]
    return NO_POINTS._replace(
        unit=float(rules.unit),
        values=values,
        place=places(turn.program),
        farkles=array(turn.program.chances),
        expected=turn.expected_points,
    )
