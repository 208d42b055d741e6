"""The fields of the rules that the solver understands. It refuses all others, if they are not at their defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel

from farkel.errors import RulesError, SolveError
from farkel.rules import Rules, changed

UNDERSTOOD = frozenset(
    (
        "dice",
        "target",
        "finish",
        "rounds",
        "start",
        "entry",
        "entry_each",
        "minimum",
        "hot_dice",
        "hot_dice_multiplier",
        "teams",
        "take_over.price",
        "take_over.stake",
        "take_over.choose_dice",
        "take_over.after_farkle",
        "take_over.after_hot_dice",
        "lives.each",
        "lives.farkle",
        "lives.farkle_all_dice",
        "lives.last_standing",
        "lives.round_points",
        "penalties.farkles_in_row",
        "penalties.farkles_in_row_points",
        "penalties.farkle_all_dice",
        "penalties.below_zero",
    )
)
"""Fields of play, each of which the law is asked about or a shortcut is made for."""
IN_A_TURN = frozenset(("bank_multiple",))
"""Fields that only the best turn understands: games are solved if whatever may be banked may be banked with more."""
READ = frozenset(("scoring", "rolled"))
"""Tables that are read off the score table, whatever they say."""
ASIDE = frozenset(("name", "title", "source", "about", "team_size", "most_seats"))
"""What a game of two is the same without."""


def fields(part: BaseModel, before: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Every field with its value and its default."""
    for name, field in type(part).model_fields.items():
        value = getattr(part, name)
        if isinstance(value, BaseModel):
            yield from fields(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value, field.default


def understood(name: str, in_a_turn: bool = False) -> bool:
    """Whether the solver knows what to make of a field, in whole games or only in a turn."""
    return name in UNDERSTOOD or name in ASIDE or name in READ or (in_a_turn and name in IN_A_TURN)


def check(rules: Rules, in_a_turn: bool = False) -> None:
    """Raise `SolveError` with the name of a field as its code, if the solver does not understand it.

    in_a_turn: only a turn is to be solved, not a whole game.
    """
    for name, value, default in fields(rules):
        if value != default and not understood(name, in_a_turn):
            raise SolveError(name, f"{name} = {value!r} is not solved: set {name}={default}")


def cause(rules: Rules, fails: Callable[[Rules], bool]) -> str:
    """The name of the field without which the rules would not fail; "rules" if there is no single one."""
    for name, value, default in fields(rules):
        if value != default and name not in ASIDE:
            text = str(default).lower() if isinstance(default, bool) else str(default)
            try:
                if not fails(changed(rules, f"{name}={text}")):
                    return name
            except RulesError:
                continue
    return "rules"
