"""What a turn can bring at most: rules under which nobody could ever win are refused.

Everything here is a bound that no game passes, so no game that can be won is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from farkel.dice import all_rolls
from farkel.rules.pattern_tables import FIRST_ROLL, contains
from farkel.rules.zones import read_zones

if TYPE_CHECKING:
    from farkel.rules.model import Rules


def most_of_a_roll(rules: Rules) -> int:
    """Return the most points that one roll can bring."""
    best = [0] * (rules.dice + 1)
    for dice in range(1, rules.dice + 1):
        best[dice] = max(
            [best[dice - 1]]
            + [one.points + best[dice - len(one.dice)] for one in rules.combinations if len(one.dice) <= dice]
        )
    return max(best[-1], rules.rolled.nothing.points)


def fewest_left(rules: Rules) -> int:
    """Return the fewest dice that a turn can leave when they are first all set aside or banked; 0: hot dice."""
    left = {rules.dice}
    for dice in range(rules.dice, 0, -1):
        if dice in left:
            left |= {dice - len(one.dice) for one in rules.combinations if len(one.dice) <= dice}
    grows = rules.extend != "no" or rules.completes or rules.rolled.nothing.points > 0
    return 0 if grows else min(left)


def most_rolls_at_first(rules: Rules) -> int:
    """Return the rolls at most of the turn in which a player has the first bank; 0: any number (M4, M8)."""
    return rules.entry_rolls or rules.most_rolls


def most_at_first(rules: Rules) -> int | None:
    """Return the most points that such a turn can bring; None if there is no limit, or it is not known."""
    bonus = rules.hot_dice_bonus if rules.hot_dice_bonus_to == "turn" else 0
    if rules.extend != "no" or rules.take_over.after_farkle:
        return None
    if most := most_rolls_at_first(rules):
        rolls = range(1, most + 1)
        return sum(most_of_a_roll(rules) * (roll if rules.hot_dice_multiplier else 1) + bonus for roll in rolls)
    return most_of_a_roll(rules) if fewest_left(rules) and rules.next_roll == "rest" else None


def scores_at_first(rules: Rules) -> bool:
    """Return whether anything may be kept of some first roll of a turn."""
    paid = rules.scoring.at(FIRST_ROLL)
    for roll in all_rolls(rules.dice):
        does = rules.rolled.does(roll, FIRST_ROLL)
        held = (one for one in paid if contains(roll, one.dice) and does.fined.isdisjoint(one.dice))
        if not does.ends and any(True for _ in held):
            return True
    return rules.completes or rules.rolled.nothing.points > 0


NEITHER = ("", "roll", "bank", "again", "farkle", "zero", "lose")
"""Words of entries that win no game by themselves."""


def wins_otherwise(rules: Rules) -> bool:
    """Return whether a game may be won although nobody ever banks."""
    says = {effect.then for effect in rules.rolled.values()} | {pays.then for pays in rules.scoring.values()}
    standing = rules.lives.last_standing == "wins" if rules.lives.each else "lose" in says
    earns = bool(rules.rolled.bonuses) or (rules.hot_dice_bonus_to == "score" and rules.hot_dice_bonus > 0)
    return not says.issubset(NEITHER) or standing or earns or rules.rounds > 0


def unwinnable(rules: Rules) -> list[str]:
    """Return why nobody could ever win, one sentence for each reason."""
    if wins_otherwise(rules):
        return []
    if not scores_at_first(rules):
        return ["rolled: nothing may be kept of any roll of all the dice, so nobody could ever win; leave out an entry"]
    found, most, rolls = [], most_at_first(rules), most_rolls_at_first(rules)
    if most is not None:
        turn = "roll" if rolls == 1 else "turn"
        longer = f", or {'entry_rolls' if rules.entry_rolls else 'most_rolls'} = 0" if rolls else ""
        found += [
            f"{field} = {getattr(rules, field)}: a {turn} brings {most:,} points at most, so nobody could ever bank; "
            f"set {field} = {most} or less{longer}"
            for field in ("entry", "minimum", "bank_multiple")
            if getattr(rules, field) > most
        ]
        found += [
            f'zones: "{zone.text}": a {turn} brings {most:,} points at most, so nobody could ever pass these scores'
            for zone in read_zones(rules.zones)
            if zone.kind in ("never", "zero") and zone.first <= rules.unit and most <= zone.last
        ]
    left = fewest_left(rules)
    if rules.next_roll == "all" or rules.penalties.turn_total == "kept":  # no dice are left, or a farkle banks too
        return found
    if left > rules.bank_left:
        found.append(
            f"bank_left = {rules.bank_left}: a turn always leaves {left} dice or more, so nobody could ever bank; set "
            f"bank_left = {left}"
        )
    if rules.hot_dice_to_win and left:
        found.append(
            "hot_dice_to_win = true: a turn never sets all dice aside, so nobody could ever win; set it to false"
        )
    return found
