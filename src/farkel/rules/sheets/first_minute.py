"""As much of a rule sheet as it takes to begin a game."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from farkel.dice import FACES, ways
from farkel.rules.model import Rules
from farkel.rules.sheets.aim_and_end import end
from farkel.rules.sheets.banking import when_to_bank
from farkel.rules.sheets.effects import effects
from farkel.rules.sheets.losing import catching_up, lives, penalties
from farkel.rules.sheets.rows import SheetRow, rows
from farkel.rules.sheets.scoring_table import in_words
from farkel.rules.sheets.starting import who_starts
from farkel.rules.sheets.taking_over import taking_over
from farkel.rules.sheets.turns import hot_dice, nothing_scores, turn

MOST_SAID = 8
"""Sentences with which a game can be begun."""
MOST_PAID = 6
"""Combinations that are named then."""


@dataclass(frozen=True, slots=True)
class Minute:
    """As much of a rule sheet as it takes to begin: what can be read in a minute."""

    sentences: tuple[str, ...]
    rows: tuple[tuple[str, str], ...]
    """The combinations that bring the most points in a game, in the order of the sheet."""
    more: int
    """Combinations that are not among them."""


def in_a_minute(rules: Rules) -> Minute:
    """Return the sentences of the sheet that a player needs first, the combinations that bring most, and what is
    unusual.
    """
    said = [*end(rules)[:1], *turn(rules)[:2], nothing_scores(rules)]
    if rules.most_rolls != 1:
        said.append(hot_dice(rules))
    bank = when_to_bank(rules)
    parts = (taking_over(rules), lives(rules), penalties(rules), catching_up(rules), effects(rules))
    unusual = [part[0] for part in parts if part]
    said += [*bank[:1], *unusual, *bank[1:], *who_starts(rules)[:1]][: MOST_SAID - len(said)]
    every = rows(rules)
    most = sorted(range(len(every)), key=lambda place: -_brings(rules, every[place]))[:MOST_PAID]
    return Minute(tuple(said), tuple(in_words(rules, every[place]) for place in sorted(most)), len(every) - len(most))


def _brings(rules: Rules, row: SheetRow) -> float:
    """Return how much the dice of a row bring, or cost, in one roll of all the dice: about, as it ranks rows only."""
    dice = len(row.form)
    chance = comb(rules.dice, dice) / float(len(FACES)) ** dice
    worths = ((ways(each), row.of(each)) for each in row.dice)
    return sum(chance * number * (worth.points + worth.costs + rules.target * worth.wins) for number, worth in worths)
