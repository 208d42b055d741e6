"""Numbers of dice in words."""

from __future__ import annotations

from farkel.rules.model import Rules
from farkel.rules.patterns import NUMBERS


def all_dice(rules: Rules) -> str:
    """Return all the dice of a turn, in words."""
    return {1: "the die", 2: "both dice"}.get(rules.dice, f"all {number_word(rules.dice)} dice")


def some_dice(dice: int) -> str:
    """Return a number of dice: ``one die``, ``six dice``."""
    return f"{number_word(dice)} {'die' if dice == 1 else 'dice'}"


def a_or_an(noun: str) -> str:
    """Return the noun with its article."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def number_word(number: int) -> str:
    """Return a number in words, if it has a short one."""
    return "zero" if number == 0 else NUMBERS[number] if number < len(NUMBERS) else str(number)


def nth(number: int) -> str:
    """Return ``first``, ``second``, ``4th``."""
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")
