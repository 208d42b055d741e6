"""A strategy card: from which turn total on to bank, and which offers to take over, calculated for two sides.

The card is tables of numbers; `farkel.terminal.commands.learn.chart` draws them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from farkel.coach.advice import EVEN, Evaluator, chances
from farkel.coach.positions import check_understood, first_bank, leading_to, offers, position, totals
from farkel.game import Fresh, Keep, Offer, State, TakeOver, apply, is_legal, legal_actions
from farkel.rules import AnyRules, Rules, as_rules
from farkel.support.columns import aligned
from farkel.support.notebooks import listing, page, table
from farkel.support.progress import Progress
from farkel.support.words import counted, counted_dice

if TYPE_CHECKING:
    from farkel.solve import DiceOdds, Turn

GRID = (0, 20, 40, 60, 80, 90, 95)
"""Scores of the grids, in hundredths of the target."""
GRID_DICE = (1, 2, 3, 4)
OFFERS = (1, 2, 4, 6, 8, 10, 15, 20, 30)
"""Points on offer if lives buy dice, in hundredths of the target."""
LARGEST = 60
"""Units of the largest offer that is looked at where all the dice are taken over."""
BEYOND = 20
"""Units of turn totals that are looked at beyond the target."""
ENOUGH = 6
"""Exceptions for fewer turn totals in a row are left out."""

Cell = int | str | None
"""A number of points or dice, ``400–2,400``, ``roll``, ``goal`` or ``fresh``; None if there is nothing to say."""


class ChartTable(NamedTuple):
    """Numbers in rows and columns, with their headings."""

    name: str
    """``odds``, ``bank``, ``grid`` or ``take``: how it is drawn."""
    title: str
    note: str
    corner: str
    columns: tuple[str, ...]
    labels: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]

    def __str__(self) -> str:
        rows = [[self.corner, *self.columns]]
        rows += [[label, *map(cell_text, row)] for label, row in zip(self.labels, self.cells, strict=True)]
        return f"{self.heading}\n{aligned(rows, '<' + '>' * len(self.columns))}"

    def _repr_html_(self) -> str:
        return table(self.heading, self.rows())

    @property
    def heading(self) -> str:
        """The title, with the note."""
        return f"{self.title}. {self.note}" if self.note else self.title

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each label, with a column for each heading."""
        return [
            {self.corner: label} | dict(zip(self.columns, row, strict=True))
            for label, row in zip(self.labels, self.cells, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Chart:
    """The strategy card of some rules."""

    rules: Rules
    first_player_wins: float
    expected_points: float
    tables: tuple[ChartTable, ...]

    def __str__(self) -> str:
        return "\n\n".join([f"{self.title}\n{self.wins}", *map(str, self.tables), "\n".join(self.notes)])

    def _repr_html_(self) -> str:
        shown = (one._repr_html_() for one in self.tables)
        return page(self.title, f"<p>{escape(self.wins)}</p>", *shown, listing(self.notes))

    @property
    def title(self) -> str:
        return f"Best play under {self.rules}"

    @property
    def wins(self) -> str:
        """Who wins, in words."""
        return f"Exact for two sides that both play their best: the one that starts wins {self.first_player_wins:.2%}."

    @property
    def fresh(self) -> str:
        """The meaning of ``fresh`` in a table of offers."""
        return f"fresh: start fresh, for up to {LARGEST * self.rules.unit:,} on offer."

    @property
    def notes(self) -> list[str]:
        """The meanings of cells that are not plain numbers."""
        banks = [one for one in self.tables if one.name in ("bank", "grid")]
        offers = any(cell == "fresh" for one in self.tables for row in one.cells for cell in row)
        return [*legend(banks), *([self.fresh] if offers else [])]


def cell_text(cell: Cell) -> str:
    """Return a cell as people read it."""
    return "–" if cell is None else f"{cell:,}" if isinstance(cell, int) else cell


def legend(tables: Sequence[ChartTable]) -> list[str]:
    """Return the meanings of cells that are not plain numbers."""
    cells = {cell for table in tables for row in table.cells for cell in row if not isinstance(cell, int)}
    words = {"roll": "roll: never bank.", "goal": "goal: only to reach the target.", None: "–: cannot be."}
    found = [text for cell, text in words.items() if cell in cells]
    if any(cell is not None and "–" in cell for cell in cells):
        found.append("400–900: from 400 on, but not above 900.")
    return [*found, "Exceptions of a few totals are left out."]


class Situation(NamedTuple):
    """Two scores, and the lives if there are any."""

    label: str
    own: int
    other: int
    lives: tuple[int, int] | None = None
    on_board: bool = True


def make_card(
    rules: AnyRules,
    evaluator: Evaluator,
    turn: Turn,
    odds: Mapping[int, DiceOdds],
    progress: Progress | None = None,
) -> Chart:
    """Return the card for two sides, from winning chances that are exact. The rules have a target.

    Raises `PositionError` for rules that have a field that the coach does not know.
    """
    rules = as_rules(rules)
    check_understood(rules)
    start = chances(evaluator, _state(rules, Situation("", 0, 0, on_board=False)))
    jobs: list[Callable[[], ChartTable]] = [
        partial(_odds_table, rules, odds),
        partial(_bank_table, rules, evaluator, turn),
    ]
    jobs += [partial(_grid, rules, evaluator, dice) for dice in GRID_DICE]
    if rules.take_over.choose_dice:
        jobs += [partial(_dice_table, rules, evaluator, lives) for lives in _lives(rules)]
    elif rules.take_over.allowed:
        jobs.append(partial(_offer_table, rules, evaluator))
    made = []
    for number, job in enumerate(jobs, 1):
        made.append(job())
        if progress is not None:
            progress(number, len(jobs))
    return Chart(rules, start[0], turn.expected_points, tuple(made))


def banks_from(evaluator: Evaluator, state: State, dice: int) -> tuple[int, int | None] | None:
    """Return from which turn total on, and to which, banking is right with N dice left, in the turn that begins.

    The last is None if it is right for all that follow; None if it never is. Exceptions for fewer than `ENOUGH`
    turn totals in a row are passed over.
    """
    rules = state.rules
    hot = _hot(rules, dice)
    return _first_run(
        (total, _bank_is_right(evaluator, state._replace(points=total, dice=dice, hot=hot)))
        for total in _possible(state, dice)
    )


def _hot(rules: Rules, dice: int) -> int:
    """Return hot dice in the turn, if they multiply: as few as there can be with this many dice left."""
    return int(rules.hot_dice_multiplier and dice == rules.dice)


def _possible(state: State, dice: int) -> list[int]:
    """Return turn totals with which this many dice can be left, as far as it matters: not those beyond an
    exact target.
    """
    rules, hot = state.rules, _hot(state.rules, dice)
    most = rules.target - state.mine.score
    if not rules.exact:
        most += BEYOND * rules.unit
    return [total for total in totals(rules, dice, hot, most) if total]


def _first_run(found: Iterable[tuple[int, bool]]) -> tuple[int, int | None] | None:
    """Return the first stretch of points for which something is right: where it begins, and its last unless
    it has no end.
    """
    runs = [(right, [points for points, _ in run]) for right, run in groupby(found, key=lambda one: one[1])]
    first: int | None = None
    last = 0
    for place, (right, points) in enumerate(runs):
        if right and (first is not None or len(points) >= ENOUGH or place == len(runs) - 1):
            first, last = points[0] if first is None else first, points[-1]
        elif not right and first is not None and len(points) >= ENOUGH:
            return first, last
    if first is None:
        return None
    return first, None if runs[-1][0] else last


def _bank_is_right(evaluator: Evaluator, state: State) -> bool:
    before, keep = leading_to(state)
    bank = Keep(keep.dice, "bank")
    if not is_legal(before, bank):
        return False
    return chances(evaluator, apply(before, bank))[state.seat] >= chances(evaluator, state)[state.seat] - EVEN


def _state(rules: Rules, situation: Situation, offer: Offer | None = None) -> State:
    """Return the beginning of a turn in the situation."""
    lives = situation.lives or (rules.lives.each,) * 2
    return position(
        rules,
        scores=(situation.own, situation.other),
        offer=offer,
        lives=lives if rules.lives.each else None,
        rounds_left=rules.rounds or None,
    )


def _threshold(evaluator: Evaluator, state: State, dice: int, to: bool = True) -> Cell:
    """Return where to bank, in a cell, with or without the turn total up to which."""
    if not _possible(state, dice):
        return None
    found = banks_from(evaluator, state, dice)
    if found is None:
        return "roll"
    first, last = found
    if first >= state.rules.target - state.mine.score:
        return "goal"
    return first if last is None or not to else f"{first:,}–{last:,}"


# Tables --------------------------------------------------------------------------------------------------------------


def _odds_table(rules: Rules, odds: Mapping[int, DiceOdds]) -> ChartTable:
    dice = range(1, rules.dice + 1)
    return ChartTable(
        "odds",
        "One roll",
        "",
        "dice",
        tuple(map(str, dice)),
        ("farkle", "hot dice", "average points"),
        (
            tuple(f"{float(odds[number].farkle):.1%}" for number in dice),
            tuple(f"{float(odds[number].hot_dice):.1%}" for number in dice),
            tuple(f"{float(odds[number].mean_best):,.0f}" for number in dice),
        ),
    )


def _bank_table(rules: Rules, evaluator: Evaluator, turn: Turn) -> ChartTable:
    dice = range(1, rules.dice + 1)
    situations = list(_situations(rules))
    rows = [tuple(_threshold(evaluator, _state(rules, each), number) for number in dice) for each in situations]
    alone = tuple("roll" if turn.bank_at[number] is None else turn.bank_at[number] for number in dice)
    return ChartTable(
        "bank",
        "When to bank",
        "Bank once your turn total reaches this number; until then, keep rolling.",
        "dice left",
        tuple(map(str, dice)),
        (*(each.label for each in situations), f"for points ({turn.expected_points:,.0f} a turn)"),
        (*rows, alone),
    )


def _grid(rules: Rules, evaluator: Evaluator, dice: int) -> ChartTable:
    scores = tuple(dict.fromkeys(_rounded(rules, part) for part in GRID))
    cells = tuple(
        tuple(_threshold(evaluator, _state(rules, Situation("", own, other)), dice, to=False) for other in scores)
        for own in scores
    )
    shown = tuple(f"{score:,}" for score in scores)
    return ChartTable("grid", f"{counted_dice(dice)} left: bank from", "", "you \\ they", shown, shown, cells)


def _offer_table(rules: Rules, evaluator: Evaluator) -> ChartTable:
    """Return where all the dice on offer are taken or none: from how many points on, by dice and situation."""
    dice = range(1, rules.dice + rules.take_over.after_hot_dice)
    situations = [each for each in _situations(rules) if each.on_board and each.other >= 20 * rules.target // 100]
    return ChartTable(
        "take",
        "When to take over",
        "Take over if at least this many points are on offer; otherwise start fresh.",
        "dice on offer",
        tuple(map(str, dice)),
        tuple(each.label for each in situations),
        tuple(tuple(_least_offer(rules, evaluator, each, number) for number in dice) for each in situations),
    )


def _least_offer(rules: Rules, evaluator: Evaluator, situation: Situation, dice: int) -> Cell:
    """Return the smallest offer from which on taking over is right."""
    found = _first_run(
        (points, _dice_to_take(evaluator, _state(rules, situation, Offer(points, dice))) > 0)
        for points in offers(rules, dice, min(situation.other, LARGEST * rules.unit))
    )
    if found is None:
        return "fresh"
    first, last = found
    return first if last is None else f"{first:,}–{last:,}"


def _lives(rules: Rules) -> tuple[int, ...]:
    """Return numbers of lives that the tables of bought dice are made for."""
    each = rules.lives.each
    return (each, max(2, each // 3)) if rules.take_over.costs_lives and each > 2 else (each,)


def _dice_table(rules: Rules, evaluator: Evaluator, lives: int) -> ChartTable:
    """Return where the taker chooses the number of dice: how many to take, by points and dice on offer."""
    half = _rounded(rules, 50)
    situation = Situation("", half, half, (lives, lives) if lives else None)
    offered = [points for points in (_rounded(rules, part) for part in OFFERS) if points]
    dice = range(1, rules.dice)
    return ChartTable(
        "take",
        "How many dice to buy" if rules.take_over.costs_lives else "How many dice to take over",
        f"Both at {half:,}"
        + (f" with {counted(lives, 'life', 'lives')}" if lives else "")
        + ". 0: start fresh; –: cannot be.",
        "on offer",
        tuple(counted_dice(number) for number in dice),
        tuple(f"{points:,}" for points in offered),
        tuple(
            tuple(_dice_to_buy(rules, evaluator, situation, Offer(points, number)) for number in dice)
            for points in offered
        ),
    )


def _dice_to_buy(rules: Rules, evaluator: Evaluator, situation: Situation, offer: Offer) -> Cell:
    if offer.points not in offers(rules, offer.dice, offer.points):
        return None
    return _dice_to_take(evaluator, _state(rules, situation, offer))


def _dice_to_take(evaluator: Evaluator, state: State) -> int:
    """Return how many dice of the offer to take over; 0 to start fresh, also if that is as good."""
    fresh = chances(evaluator, apply(state, Fresh()))[state.seat]
    best, most = 0, fresh + EVEN
    for action in legal_actions(state):
        if isinstance(action, TakeOver):
            chance = chances(evaluator, apply(state, action))[state.seat]
            if chance > most:
                best, most = action.dice, chance
    return best


# Situations ----------------------------------------------------------------------------------------------------------


def _situations(rules: Rules) -> Iterator[Situation]:
    """Yield the rows of the card: two scores each, as parts of the target."""
    if rules.entry:
        yield Situation("getting on the board", 0, 0, on_board=False)
    for label, own, other in (
        ("early, level", 10, 10),
        ("half-way, level", 50, 50),
        ("late, level", 85, 85),
        ("behind", 50, 80),
        ("far behind", 40, 95),
        ("ahead", 80, 50),
    ):
        mine, theirs = _rounded(rules, own), _rounded(rules, other)
        yield Situation(f"{label}, {mine:,} : {theirs:,}", mine, theirs)
    if rules.lives.each:
        half, few = _rounded(rules, 50), max(1, rules.lives.each // 4)
        label = f"level, you with {counted(few, 'life', 'lives')} left"
        yield Situation(label, half, half, (few, rules.lives.each))


def _rounded(rules: Rules, part: int) -> int:
    """Return this many hundredths of the target, in the unit of the rules and no less than a first bank brings."""
    score = part * rules.target // 100
    score -= score % rules.unit
    return max(score, first_bank(rules)) if score else 0
