"""Patterns of dice in words: in which rolls they count, and which dice are exceptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from farkel.dice import Roll, faces_text
from farkel.rules.model import Rules
from farkel.rules.pattern_tables import AFTER_SET, FIRST_ROLL, MOMENTS, NOTHING, Effect, Moment, Pays
from farkel.rules.patterns import Pattern, pattern_of
from farkel.rules.sheets.phrases import all_dice, number_word
from farkel.rules.sheets.rows import MOST_NAMED, moments, outdone, spared
from farkel.support.words import listed

AFTER = "after you kept three or more of a kind from one roll of the turn"


def which_rolls(rules: Rules, dice: int, at: Sequence[Moment]) -> str:
    """Return the rolls that something said of this many dice is about, to follow them; "" if they are all."""
    every = moments(rules, dice)
    others = [moment for moment in every if moment not in at]
    if not others:
        return ""
    first, whole = [FIRST_ROLL], [moment for moment in every if moment.all_dice]
    if list(at) in (first, whole):
        return f", {'first roll' if list(at) == first else all_dice(rules)} only"
    if others in (first, whole):
        return f", {'not in the first roll' if others == first else f'of fewer than {number_word(rules.dice)} dice'}"
    said = {MOMENTS[0]: "in any other roll", MOMENTS[1]: f"in later rolls of {all_dice(rules)}"}
    said |= {FIRST_ROLL: "first roll", AFTER_SET: f"only {AFTER}"}
    return f", {' or '.join(said[moment] for moment in reversed(at))}"


def combination_name(form: str, pays: Pays) -> str:
    """Return the name that the rules give to a combination, or that of its pattern."""
    return pays.name or pattern_of(form).name


def but_not(
    dice: Sequence[tuple[Roll, str]],
    name: Callable[[Pattern], str] = lambda pattern: pattern.name,
    more: Sequence[str] = (),
) -> str:
    """Return exceptions from a pattern, to follow its name; "" if there are none."""
    names = [*(name(pattern_of(faces_text(each))) + when for each, when in dice), *more]
    if len(names) > MOST_NAMED:
        return " (unless those dice count otherwise)"
    return f" (but not {listed(names, 'or')})" if names else ""


def _held(pattern: Pattern, dice: int) -> str:
    """Return a pattern as part of a roll that may hold more dice."""
    faces = len(set(pattern.digits)) + len(pattern.letters)
    if faces > 1 or pattern.text == "a":
        return pattern.name
    if dice == 1:
        return f"a {pattern.text}"
    number = f"{number_word(pattern.dice)} or more" if pattern.dice < dice else number_word(dice)
    return f"{number} {pattern.digits[0]}s" if pattern.digits else f"{number} of a kind"


def held_but(rules: Rules, form: str, kind: str) -> str:
    """Return the dice that a roll must hold for an effect, and those that are exceptions."""

    def held(pattern: Pattern) -> str:
        return _held(pattern, rules.dice)

    others = [(dice, which_rolls(rules, len(dice), at)) for dice, at in spared(rules, form, kind)]
    larger = [(pattern_of(other), _when_larger(rules, rules.rolled[other])) for other in outdone(rules, form, kind)]
    return held(pattern_of(form)) + but_not(others, held, [held(pattern) + when for pattern, when in larger])


def _when_larger(rules: Rules, effect: Effect) -> str:
    return f", {in_one_roll(rules, effect).removeprefix('in one roll, ')}" if effect.when else ""


def patterns_rolled(rules: Rules) -> list[tuple[str, Effect]]:
    """Return the patterns of rolls that do something, with what they do."""
    return [
        (form, effect)
        for form, effect in rules.rolled.items()
        if form != NOTHING and not effect.idle and moments(rules, len(form))
    ]


def in_one_roll(rules: Rules, effect: Effect) -> str:
    """Return the rolls that an effect is of."""
    rolls = {"": "in one roll", "first_roll": "in one roll, the first of a turn"}
    rolls["all_dice"] = f"in one roll of {all_dice(rules)}"
    rolls["after_set"] = f"in one roll, {AFTER}"
    return rolls[effect.when]
