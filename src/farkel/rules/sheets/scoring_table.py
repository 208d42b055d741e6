"""What dice are worth, in words: the scoring table, and the hint card."""

from __future__ import annotations

import re

from farkel.dice import FACES, faces_text
from farkel.rules.as_text import AnyRules, as_rules
from farkel.rules.model import Rules
from farkel.rules.pattern_tables import Pays, known
from farkel.rules.patterns import LETTERS, NUMBERS, pattern_of
from farkel.rules.sheets.pattern_words import which_rolls
from farkel.rules.sheets.phrases import all_dice
from farkel.rules.sheets.rows import DiceWorth, SheetRow, moments, rows, rows_of

HINTED = 3
"""Dice of one face that a hint card lists one by one."""
NO_POINTS = "0"
"""Dice that score nothing on a hint card."""


def scoring_rows(rules: AnyRules) -> tuple[tuple[str, str], ...]:
    """Return the scoring table: combinations and their points."""
    rules = as_rules(rules)
    found = [in_words(rules, row) for row in rows(rules)]
    nothing = rules.rolled.nothing
    if nothing.points and nothing.when != "after_set":
        only = ", first roll only" if nothing.when == "first_roll" else ""
        costs = " or costs points" if rules.rolled.fines else ""
        found.append((f"{all_dice(rules)} and nothing scores{costs}{only}", f"{nothing.points:,}"))
    return tuple(found)


def hint_rows(rules: Rules) -> tuple[tuple[str, str], ...]:
    """Return the hint card: up to three dice of each face with their points, also those that score nothing,
    and the rest.
    """
    nothing, few, sets = [], [], []
    for face in FACES:
        alike = [_of_a_kind(rules, face, dice) for dice in range(1, min(HINTED, rules.dice) + 1)]
        if all(points == NO_POINTS for row in alike[: HINTED - 1] for _, points in row):
            nothing.append((" or ".join(name for row in alike[: HINTED - 1] for name, _ in row), NO_POINTS))
        else:
            few += [one for row in alike[: HINTED - 1] for one in row]
        sets += [one for row in alike[HINTED - 1 :] for one in row]
    others = (in_words(rules, row) for row in rows(rules) if len(row.form) > HINTED)
    return (*nothing, *few, *sets, *others)


def _of_a_kind(rules: Rules, face: int, dice: int) -> list[tuple[str, str]]:
    """Return what this many dice of a face pay, on a hint card."""
    found = rows_of(rules, (face,) * dice, moments(rules, dice))
    names = faces_text((face,) * dice, "-")
    return [
        (names + which_rolls(rules, dice, row.moments), _paid(row) if row.worth != DiceWorth() else NO_POINTS)
        for row in found
    ]


def in_words(rules: Rules, row: SheetRow) -> tuple[str, str]:
    """Return a row as people read it."""
    label = _label(row.form, rules.scoring.get(row.form)) + which_rolls(rules, len(row.form), row.moments)
    if row.unnamed:
        label += ", unless its dice count otherwise"
    elif row.exceptions:
        label = f"any other {label}"
    return label, _paid(row)


def _label(form: str, pays: Pays | None) -> str:
    """Return the name of a combination on the sheet."""
    pattern = pattern_of(form)
    if pays is not None and pays.name:
        return pays.name
    if pattern.dice == 1:
        return f"each {pattern.text}" if pattern.digits else "each die"
    if pattern.name.endswith("straight"):
        return f"{pattern.name} {faces_text(pattern.digits, '-')}"
    return re.sub(r"^(two|three) (pairs|triplets)$", r"\1 different \2", pattern.name)


ENDED = {"farkle": "a farkle", "zero": "a farkle", "win": "wins", "lose": "loses", "again": "roll again"}
"""What stands for the points of dice of which nothing may be kept, by what a roll of them does."""


def _paid(row: SheetRow) -> str:
    """Return the points of a row, as people say them."""
    worth, letters = row.worth, pattern_of(row.form).letters
    if worth.wins or worth.costs:
        return "wins" if worth.wins else f"costs {worth.costs:,}"
    if worth.ends:
        return ENDED[known(worth.ends, ENDED, "the sheet")]
    if not row.letter:
        return f"{worth.points:,}" if worth.points else "nothing"
    several = letters[LETTERS.index(row.letter)]
    higher = "higher " if letters.count(several) > 1 else ""
    which = {1: "die" if higher else "other die", 2: "pair"}.get(several, NUMBERS[several])
    return f"{worth.points:,} × the face{f' of the {higher}{which}' if len(letters) > 1 else ''}"
