"""The best numbers for a card, searched for with exact chances, and kept."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from farkel.errors import SolveError
from farkel.players import knowledge
from farkel.players.card_numbers import LEAST_DICE, NEVER, Numbers, choice, dares, group, groups, only_wins
from farkel.rules import Rules
from farkel.support.progress import Progress, Steps

if TYPE_CHECKING:
    from pathlib import Path

    from farkel.kernels.arrays import Values
    from farkel.solve import Progress
    from farkel.solve.evaluation import PolicyRules, TurnPlan
    from farkel.solve.policy_turns import Style

VERSION = 3
"""Of the numbers that are kept: a card that says something else has another one."""
SCALES = (4, 2, 1)
"""Steps of the search, from coarse to fine."""
ROUNDS = 3
"""Times that all numbers are looked at with the same step."""
GAIN = 2e-5
"""A change that wins less is none."""
TYPICAL = 100
"""About as many cards are tried: for the progress."""
SOLVE = "Solving the game"
FOLLOW = "Following best play"
TRY = "Trying cards"
STEPS = {SOLVE: 2.0, FOLLOW: 12.0, TRY: 46.0}
"""What a search takes, with the seconds of each step for the standard rules."""

MORE = 50
"""Hundredths that are added to the numbers, half as much again or as much: there are words for no others."""
SENTENCES = ("single", "most", "both")
"""Numbers whose sentences are left out if they win nothing."""

MOST_BYTES = 1000
"""Of a file with the numbers."""

_cards: dict[str, Numbers] = {}
_working = threading.RLock()


class CardPolicy:
    """A card, evaluated without playing."""

    name = "card"

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers

    def styles(self, table: PolicyRules) -> Sequence[Style]:
        return [self._style(table, *how) for how in ((False, False), (False, True), (True, True))]

    def _style(self, table: PolicyRules, daring: bool, bound: bool) -> Style:
        unit, dice, classes = table.rules.unit, table.rules.dice, list[tuple[int, int, int]]()
        for options in table.options:
            told = [(points * unit, table.landings[landing].then.dice) for points, landing in options]
            order = sorted(range(len(told)), key=lambda each: (-told[each][0], -told[each][1]))
            found = choice(self.numbers, dice, [told[each] for each in order], daring, bound)
            classes.append((-(-found.least // unit), order[0], order[found.rolled]))
        return table.style_by_class(classes)

    def plan(self, table: PolicyRules, stage: int, score: int, other: int) -> TurnPlan:
        from farkel.solve.evaluation import TurnPlan

        numbers, rules, unit = self.numbers, table.rules, table.rules.unit
        need, goal = table.need(score), table.n - score
        style = 2 if dares(numbers, rules, score * unit, other * unit) else int(table.entering(score))
        if rules.finish == "at_once":
            sure = max(goal, need)
            return TurnPlan(style, sure if only_wins(numbers, rules, score * unit, other * unit) else need, sure)
        if table.ends_game(stage):
            return TurnPlan(style, need, max(goal, need))
        over = other - score - -numbers.end // unit
        return TurnPlan(style, need, hole=goal, over=over) if over > goal else TurnPlan(style, need)

    def last(self, table: PolicyRules, score: int, lead: int) -> TurnPlan:
        from farkel.solve.evaluation import TurnPlan

        goal = max(lead + 1, table.need(score))
        return TurnPlan(1, goal, goal)


def check(rules: Rules) -> None:
    """Raise `SolveError` with the name of a field as its code, if there is no card for the rules."""
    from farkel.solve.evaluation import check as followed

    try:
        followed(rules)
    except SolveError as error:
        raise SolveError(error.code, f"there is no card for {rules}: {error.message}") from None
    if rules.dice < LEAST_DICE:
        raise SolveError("dice", f"there is no card for {rules}: it needs at least {LEAST_DICE} dice")


def has_card(rules: Rules) -> bool:
    """Return whether the numbers are known here or kept."""
    if rules.digest not in _cards and (found := _read(_path(rules), rules)) is not None:
        _cards[rules.digest] = found
    return rules.digest in _cards


def numbers_of(rules: Rules, progress: Progress) -> Numbers:
    """Return the numbers of the card of these rules. Raises `SolveError` as `check`."""
    if has_card(rules):
        return _cards[rules.digest]
    with _working:
        if not has_card(rules):
            found = tuned(rules, progress)
            _cards[rules.digest] = found
            _keep(_path(rules), found)
        return _cards[rules.digest]


def tuned(rules: Rules, progress: Progress) -> Numbers:
    """Search for the best numbers, one after the other, by their winning chance against perfect play."""
    from farkel.solve.evaluation import FollowedPolicy, Perfect, match, table

    check(rules)
    steps = Steps(progress, STEPS)
    solved, told = knowledge.solution(rules, steps.begin(SOLVE)), table(rules)
    perfect, trying = Perfect(told, solved, steps.begin(FOLLOW)).ends, steps.begin(TRY)
    tried: dict[Numbers, float] = {}
    chases: dict[tuple[int, int], Values] = {}

    def wins(numbers: Numbers) -> float:
        if numbers not in tried:
            trying(min(len(tried), TYPICAL - 1), TYPICAL)
            alike = numbers.die, numbers.single
            ends = FollowedPolicy(told, CardPolicy(numbers), chases.get(alike)).ends
            chases[alike] = ends.chase
            tried[numbers] = match(told, ends, perfect).wins
        return tried[numbers]

    best = max(starts(rules), key=wins)
    for scale in SCALES:
        for _ in range(ROUNDS):
            before = best
            for step in _steps(rules, scale):
                best = _climbed(best, step, wins)
            if best == before:
                break
    for name in SENTENCES:
        best = max(best, _without(best, name), key=wins)
    return best


def _without(numbers: Numbers, name: str) -> Numbers:
    return Numbers(**{**numbers._asdict(), name: 0})


def starts(rules: Rules) -> Iterator[Numbers]:
    """Return cards to begin with: thresholds of the best turn, and usual ones."""
    turn, five = knowledge.turn(rules), _five(rules)
    best = [turn.bank_at[left] for left in (1, 3, 4)]
    both = 28 * five if rules.finish == "at_once" else 0
    for bank in ([each or 20 * five for each in best], [5 * five, 7 * five, 20 * five]):
        for end in (8 * five, 12 * five):
            low = tuple(_rounded(each, five) for each in bank[: groups(rules.dice)])
            yield Numbers(low, 3 * five, 5 * five, 30 * five, 100, end, both, 1)


def _steps(rules: Rules, scale: int) -> Iterator[tuple[str, int, int]]:
    """Return numbers that are changed, by their names and places, and by how much."""
    five = _five(rules)
    for place in range(groups(rules.dice)):
        yield "bank", place, scale * five * (1 if place < group(4) else 2)
    yield "die", 0, scale * five
    yield "few", 0, scale * five
    yield "most", 0, scale * five * 2
    yield "end", 0, scale * five * 2
    if rules.finish == "at_once":
        yield "both", 0, scale * five * 2
    yield "behind", 0, MORE


def _climbed(best: Numbers, step: tuple[str, int, int], wins: Callable[[Numbers], float]) -> Numbers:
    """Return the card with a number changed as long as it wins more."""
    for way in (1, -1):
        while True:
            found = _changed(best, step, way)
            if found == best or wins(found) < wins(best) + GAIN:
                break
            best = found
    return best


def _changed(numbers: Numbers, step: tuple[str, int, int], way: int) -> Numbers:
    name, place, by = step
    if name == "bank":
        bank = list(numbers.bank)
        bank[place] = max(by, bank[place] + way * by)
        return numbers._replace(bank=tuple(bank))
    most = 2 * MORE if name == "behind" else NEVER
    return numbers._replace(**{name: min(max(0, getattr(numbers, name) + way * by), most)})


def _five(rules: Rules) -> int:
    """Return the step of the numbers: the points of a single 5."""
    return rules.scoring.worth((5,)) or rules.scoring.worth((1,)) // 2 or rules.unit


def _rounded(points: int, step: int) -> int:
    return max(1, round(points / step)) * step


# Storage --------------------------------------------------------------------------------------------------------------


def _path(rules: Rules) -> Path:
    from farkel.solve import stored

    return stored(rules).with_name(f"{rules.digest[:16]}.{VERSION}.card")


def _keep(path: Path, numbers: Numbers) -> None:
    """Keep the numbers; if that fails they are searched for again the next time."""
    part = path.with_suffix(f".{os.getpid()}.new")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(numbers._asdict()), "utf-8")
        part.replace(path)


def _read(path: Path, rules: Rules) -> Numbers | None:
    """Return the numbers that are kept; None if there are none, or they are damaged."""
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(MOST_BYTES))
        numbers = Numbers(**{**found, "bank": tuple(found["bank"])})
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    whole = all(type(each) is int and 0 <= each < NEVER for each in (*numbers.bank, *numbers[1:]))
    return numbers if whole and len(numbers.bank) == groups(rules.dice) else None
