"""The rules under which agents are measured: sets of the catalogue, and house rules drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from farkel.errors import FarkelError, RulesError
from farkel.players.knowledge import too_long
from farkel.rules import Rules, load, names
from farkel.support.words import counted

DERIVATION = "farkel-bench-1"
"""Names how rules are drawn; raised when it changes, because the same seed then draws other rules."""
MOST_TRIES = 1_000
TWO = (1, 1)


class Course(NamedTuple):
    """Rule sets that are summed up together."""

    name: str
    rules: tuple[Rules, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    """Rule sets that cannot be solved in seconds, and why."""
    sample: bool = False
    """Whether the rules are drawn from many, so that the interval is for the others as well."""

    def __str__(self) -> str:
        return f"{self.name}: {counted(len(self.rules), 'rule set', 'rule sets')}"


def catalogue() -> Course:
    """Return the sets of the catalogue whose games of two are solved in seconds, or were solved before."""
    found, left = list[Rules](), list[tuple[str, str]]()
    for name in names():
        rules = load(name)
        why = _obstacle(rules)
        if why:
            left.append((name, why))
        else:
            found.append(rules)
    return Course("catalogue", tuple(found), tuple(left))


def named(specs: Sequence[str]) -> Course:
    """Return the rule sets of these names, files or notations. Raises `FarkelError` if one cannot be solved."""
    found = []
    for spec in specs:
        rules = load(spec)
        why = _obstacle(rules)
        if why:
            raise FarkelError("not_solved", f"no regret can be measured under {spec}: {why}")
        found.append(rules)
    return Course("chosen", tuple(found))


def drawn(number: int, seed: int) -> Course:
    """Return that many house rules, drawn from the seed."""
    return Course(f"drawn, seed {seed}", tuple(drawn_rules(seed, place) for place in range(number)), sample=True)


def drawn_rules(seed: int, place: int) -> Rules:
    """Return house rules that follow from a seed and their place among those of the seed, solved in seconds."""
    chance = random.Random(f"{DERIVATION}/{seed}/{place}")
    for _ in range(MOST_TRIES):
        fields = [*_fields(chance), *_scoring(chance)]
        try:
            rules = load(f"standard({', '.join(fields)})")
        except RulesError:
            continue
        if not _obstacle(rules):
            return rules
    raise FarkelError("no_rules", f"{MOST_TRIES:,} draws gave no rules that can be solved; take another seed")


def _obstacle(rules: Rules) -> str:
    """Return why the game of two is not solved in seconds; "" if it is."""
    try:
        return too_long(rules, TWO, rounded=False)
    except FarkelError as error:
        return error.message


def _fields(chance: random.Random) -> list[str]:
    """Return how the game is played."""
    pick = chance.choice
    target = pick((2000, 3000, 4000, 5000))
    choices = {
        "dice": pick((5, 6, 6, 6)),
        "target": target,
        "finish": pick(("at_once", "last_turns", "last_turns", "equal_turns", "exact")),
        "entry": pick((0, 0, 300, 500)),
        "minimum": pick((0, 0, 0, 200, 300)),
        "hot_dice": pick(("optional", "optional", "forced")),
        "hot_dice_bonus": pick((0, 0, 0, 500)),
        "keep": pick(("any", "any", "any", "all")),
        "take_over.price": pick(("none", "none", "free")),
        "penalties.farkle": pick((0, 0, 0, 50, 100)),
        "start": "first_seat",
    }
    return [f"{name}={value}" for name, value in choices.items()]


def _scoring(chance: random.Random) -> list[str]:
    """Return what dice are worth: singles, three and more of a kind, straights and pairs."""
    pick = chance.choice
    worth: dict[str, int | str] = {
        "1": pick((50, 100, 100, 100, 150)),
        "5": pick((0, 50, 50, 50, 100)),
        "111": pick((300, 500, 1000, 1000, 2000)),
        "aaa": pick(("100a", "100a", "50a", "150a")),
        "aaaa": pick((0, 0, 1000, "200a")),
        "aaaaa": pick((0, 0, 2000, "400a")),
        "aaaaaa": pick((0, 0, 3000, "800a")),
        "123456": pick((0, 1000, 1500, 2500)),
        "12345": pick((0, 0, 500, 750)),
        "aabbcc": pick((0, 500, 750, 1500)),
        "aaabbb": pick((0, 0, 2500)),
    }
    return [f"scoring.{form}={points}" for form, points in worth.items()]
