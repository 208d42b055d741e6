"""The sentences about rolls that do something, whatever they score."""

from __future__ import annotations

from farkel.rules.model import Rules
from farkel.rules.pattern_tables import known
from farkel.rules.sheets.banking import when_to_bank
from farkel.rules.sheets.pattern_words import AFTER, held_but, in_one_roll, patterns_rolled
from farkel.rules.sheets.phrases import all_dice
from farkel.support.words import capital

ROLLED = {
    "farkle": "a farkle, whatever else you rolled",
    "win": "you win the game at once",
    "zero": "a farkle, and you lose your whole banked score as well",
    "again": "keep nothing and roll the same dice again",
}
"""What a roll does, by its effect."""
COUNTS_FIRST = {
    "win": "you win",
    "lose": "you are out",
    "zero": "you lose your score",
    "farkle": "you farkle",
    "again": "you roll again",
}
"""What ends a roll, the strongest first."""


def effects(rules: Rules) -> list[str]:
    """Return what rolls do, but for penalties."""
    lines, ends = [], set[str]()
    for form, effect in patterns_rolled(rules):
        if effect.then == "bank":
            after = {"": "", "first_roll": ", the first of a turn,", "all_dice": f", one of {all_dice(rules)},"}
            after["after_set"] = f", one {AFTER},"
            unless = " If you may not bank yet, roll on." if when_to_bank(rules) and rules.most_rolls != 1 else ""
            held = held_but(rules, form, "bank")
            lines.append(f"After a roll with {held}{after[effect.when]} you must bank and pass the dice.{unless}")
        elif effect.then:
            ends.add(effect.then)
            then = out_of_the_game(rules) if effect.then == "lose" else ROLLED[known(effect.then, ROLLED, "the sheet")]
            lines.append(f"{capital(held_but(rules, form, 'ends'))} {in_one_roll(rules, effect)}: {then}.")
        if effect.points > 0:
            lines.append(
                f"{capital(held_but(rules, form, 'points'))} {in_one_roll(rules, effect)}: {effect.points:,} points "
                "for your banked score immediately, whatever you keep."
            )
    if len(ends) > 1:
        order = ", ".join(says for end, says in COUNTS_FIRST.items() if end in ends)
        lines.append(f"If several of these are in one roll, the first of these counts: {order}.")
    return lines


def out_of_the_game(rules: Rules) -> str:
    """Return what follows if a player loses the game, to follow other words."""
    last = rules.lives.each and rules.lives.last_standing == "rounds"
    return f"you are out of the game{'' if last else ', and the last player left wins'}"
