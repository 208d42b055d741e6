"""The rule sheet is made from the rules: whatever changes the game changes the sheet."""

from __future__ import annotations

import pytest
from hypothesis import given

from farkel.errors import RulesError
from farkel.rules import Rules, changed, fields, load, pattern_of, sheet
from farkel.rules.model import may_keep
from helpers import rule_sets

WITH = {
    "lives": load("original", ["take_over.after_farkle=true"]),
    "stake": load("high-stakes", ["take_over.price=stake", "take_over.stake=1000", "minimum=200", "entry=600"]),
    "fines": load("zilch", ["rolled.333=-300", "penalties.farkle_all_dice=150"]),
    "plain": load("standard"),
    "five dice": load("minimal", ["dice=5", "scoring.12345=500", "scoring.aaaaa=700"]),
    "survivor": load("original", ["lives.last_standing=wins"]),
    "rounds": load("standard", ["target=0", "rounds=10"]),
}

OTHERS = {
    "scoring": ("{1=100, 5=50}", '{1=100, aaa="50a", aaabb={points=250, name="boat"}}'),
    "rolled": ('{2222="farkle"}', '{aaa="bank"}', "{aabb=-250}", "{nothing=250}"),
    "take_over.price": ("none", "free"),
    "lives.last_standing": ("rounds", "wins"),
    "finish": ("at_once", "last_turns", "equal_turns", "exact", "welfare"),
    "start": ("first_seat", "highest_die", "first_six"),
    "entry_by": ("turn", "roll", "triple"),
    "hot_dice": ("optional", "forced"),
    "teams": ("together", "partners"),
    "dice": ("5", "6"),
    "team_size": ("1", "2", "3"),
    "most_seats": ("4", "6"),
}


def without_names(rules: Rules) -> str:
    return "\n".join(line for line in sheet(rules).text().splitlines() if not line.startswith(("Rules:", "From:")))


@pytest.mark.parametrize("field", [name for name in fields() if name not in ("name", "title", "source", "about")])
def test_every_field_shows_on_the_sheet(field: str) -> None:
    """In at least one rule set where the field counts, another value gives another sheet."""
    shown = 0
    for rules in WITH.values():
        for value in OTHERS.get(field, ("true", "false", "2", "350", "450")):
            try:
                other = changed(rules, f"{field}={value}")
            except RulesError:
                continue
            shown += other.digest != rules.digest and without_names(other) != without_names(rules)
    assert shown


def may_pay(rules: Rules, form: str) -> bool:
    """Whether a pattern ever pays its points: not if its dice are fined, or worth more one by one."""
    pattern = pattern_of(form)
    singles = sum(rules.scoring.worth((face,)) for face in pattern.digits)
    return any(may_keep(rules, dice) for dice in pattern.rolls) and rules.scoring[form].points > singles


@given(rule_sets())
def test_every_number_of_points_is_on_the_sheet(rules: Rules) -> None:
    text = without_names(rules)
    points = [pays.points for form, pays in rules.scoring.items() if may_pay(rules, form)]
    points += [*rules.rolled.fines, rules.rolled.nothing]
    points += [rules.target, rules.entry, rules.minimum, rules.take_over.stake, rules.penalties.farkle_all_dice]
    points += [rules.penalties.farkles_in_row_points, rules.lives.each]
    for number in filter(None, points):
        assert f"{number:,}" in text


@given(rule_sets())
def test_the_sheet_fits_its_width_and_names_the_rules(rules: Rules) -> None:
    page = sheet(rules)
    assert all(len(line) <= 60 for line in page.text(60).splitlines() if len(line.split()) > 2)
    assert page.sections[0].heading == "The aim"
    assert page.notation == str(rules)
