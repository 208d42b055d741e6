"""The fields of the rules that the solver understands. It refuses all others, if they are not at their defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from farkel.errors import RulesError, SolveError
from farkel.game.scoring import score_table
from farkel.rules import Rules, changed
from farkel.rules.settings import ASIDE, READ, Setting, declared, literal, settings, unknown
from farkel.rules.winnable import scores_at_first
from farkel.rules.zones import read_zones

UNDERSTOOD = declared(
    {
        "": "dice target finish rounds start entry entry_each minimum bank_left least_rolls most_rolls hot_dice "
        "most_hot_dice "
        "last_die_tries hot_dice_multiplier hot_dice_bonus keep next_roll fallen extend extend_points teams zones ties",
        "scoring.": "first_roll roll confirm bank",
        "rolled.": "first_roll again",
        "take_over.": "price stake choose_dice after_farkle after_hot_dice heavy on_board from_score points bonus "
        "toward_entry",
        "lives.": "each farkle farkle_all_dice last_standing round_points",
        "penalties.": "farkles_in_row farkles_in_row_points farkle_all_dice farkle farkle_first_roll below_zero",
    }
)
"""Fields of play, each of which the law is asked about or a shortcut is made for."""
IN_A_GAME = declared({"scoring.": "win", "rolled.": "win lose zero"})
"""Fields that only whole games understand: their effect is not in points."""
IN_A_TURN = declared(
    {
        "": "turns_in_row bank_multiple entry_again exact_hit hot_dice_to_win last_turns last_turns_again",
        "catching_up.": "landed_on overtaken",
    }
)
"""Fields that only the best turn understands: games are solved if whatever may be banked may be banked with more, what
a seat does costs the others nothing, and no seat has a turn after the last one."""
VALUES = {"extend": ("double",)}
"""Values of other fields that are not solved: the points of a keep depend on the turn total."""
WHOLE = {
    "penalties.farkle": ("all",),
    "penalties.farkle_all_dice": ("all",),
    "penalties.farkle_first_roll": ("all",),
    "penalties.farkles_in_row_points": ("all",),
}
"""Fields that only whole games understand: their cost depends on the score."""
MOVING = {"zero", "barrel"}
"""Kinds of zones that move a score, which a bank or a turn without points may then lower."""
ENDS = {"keep": ("all_to_win",), "ties": ("play_off",)}
"""Those that only the best turn does not mind."""


def check(rules: Rules, in_a_turn: bool | None = False) -> None:
    """Raise `SolveError` with the name of a field as its code, if the solver does not understand it.

    in_a_turn: only a turn is to be solved, not a whole game; None: one of the two.
    """
    turn, game = in_a_turn is not False, not in_a_turn
    understood = UNDERSTOOD | (IN_A_TURN if turn else set()) | (IN_A_GAME if game else set())
    found = unknown(rules, understood, {**VALUES, **({} if turn else ENDS), **({} if game else WHOLE)})
    if rules.extend != "no" and (rules.hot_dice_multiplier or rules.rolled.fines):
        raise SolveError(
            "extend",
            f'extend = "{rules.extend}" is not solved with hot dice that multiply or fines for rolls: set extend=no',
        )
    if rules.last_die_tries > 1 and any(one.fine or one.ends for one in score_table(rules).rolls(1)):
        raise SolveError(
            "last_die_tries",
            f"last_die_tries = {rules.last_die_tries} is not solved with rolls of one die that do something: set "
            "last_die_tries=1",
        )
    if not scores_at_first(rules):
        raise SolveError("rolled", "nothing may be kept of any roll of all the dice, so there is nothing to solve")
    moving = sorted({zone.kind for zone in read_zones(rules.zones)} & MOVING)
    if moving:
        raise SolveError("zones", f'zones that say "{moving[0]}" are not solved, only "leave" and "never": set zones=')
    if found:
        table, _, word = found.name.partition(".")
        if table in READ:
            raise SolveError(found.name, f"{found.written} is not solved: leave out what says {word}")
        default = found.default if isinstance(found.default, str) else literal(found.default)
        raise SolveError(found.name, f"{found.written} is not solved: set {found.name}={default}")


class Blame(NamedTuple):
    """What the rules say without which they would not be refused."""

    code: str
    """The name of the first field; "rules" if no single one is to blame."""
    words: str
    """What may be left out, as people write it: any of it is enough."""


def blame(rules: Rules, fails: Callable[[Rules], bool]) -> Blame:
    """Return each field and entry without which alone the rules would not fail.

    A field that the others of its table contradict is left out together with them.
    """
    found: dict[tuple[str, ...], tuple[str, str]] = {}
    for name, words, ways in _without(rules):
        way = next((way for way in ways if _helps(rules, way, fails)), None)
        if way is not None:
            found.setdefault(way, (name, words))
    blamed = [*found.values()]
    return Blame(
        blamed[0][0] if blamed else "rules", " together with ".join(words for _, words in blamed) or "these rules"
    )


def _without(rules: Rules) -> Iterator[tuple[str, str, list[tuple[str, ...]]]]:
    """Yield what the rules say beside the defaults: its field, how it is written, and changes that leave it out."""
    differing = [one for one in settings(rules) if one.value != one.default and one.name not in ASIDE]
    for one in differing:
        if one.name in READ:
            for form, entry in one.value.plain.items():
                usual = one.default.plain.get(form, 0)
                if entry != usual:
                    name = f"{one.name}.{form}"
                    yield name, f"{name} = {literal(entry)}", [(f"{name}={literal(usual)}",)]
            continue
        table, dot, _ = one.name.partition(".")
        beside = [other for other in differing if dot and other.name.startswith(f"{table}.")]
        yield (
            one.name,
            one.written,
            [_defaults([one]), _defaults(beside)],
        )


def _defaults(several: Iterable[Setting]) -> tuple[str, ...]:
    return tuple(f"{one.name}={literal(one.default)}" for one in several)


def _helps(rules: Rules, changes: Sequence[str], fails: Callable[[Rules], bool]) -> bool:
    try:
        return not fails(changed(rules, *changes))
    except (RulesError, SolveError):  # what is left is refused for another reason
        return False
