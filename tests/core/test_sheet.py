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
    "beaten": load("standard", ["beat_previous=true"]),
    "sets": load("standard", ["extend=each", "extend_points=100"]),
    "five dice": load("minimal", ["dice=5", "scoring.12345=500", "scoring.aaaaa=700"]),
    "survivor": load("original", ["lives.last_standing=wins"]),
    "rounds": load("standard", ["target=0", "rounds=10"]),
    "bonus": load("standard", ["hot_dice_bonus=500"]),
    "exact": load("standard", ["finish=exact"]),
}

OTHERS = {
    "scoring": ("{1=100, 5=50}", '{1=100, aaa="50a", aaabb={points=250, name="boat"}}'),
    "rolled": ('{2222="farkle"}', '{aaa="bank"}', "{aabb=-250}", "{nothing=250}"),
    "take_over.price": ("none", "free"),
    "lives.last_standing": ("rounds", "wins"),
    "finish": ("at_once", "last_turns", "equal_turns", "exact", "welfare", "fewest_rounds"),
    "last_turns": ("turn", "roll"),
    "last_turns_again": ("no", "passed", "beaten", "tied"),
    "ties": ("shared", "play_off"),
    "fallen": ("again", "farkle"),
    "keep": ("any", "all", "all_to_win"),
    "next_roll": ("rest", "all"),
    "hot_dice_bonus_to": ("turn", "score"),
    "missed_target": ("13000",),
    "start": ("first_seat", "highest_die", "first_six", "lowest_die", "youngest", "oldest", "chosen"),
    "penalties.turn_total": ("lost", "subtracted", "kept"),
    "catching_up.landed_on": ("stays", "to_zero", "back"),
    "zones": ("200-300 leave", "500 zero"),
    "entry_by": ("turn", "roll", "triple"),
    "hot_dice": ("optional", "forced"),
    "extend": ("no", "higher", "double"),
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
    points += [*rules.rolled.fines, *rules.rolled.bonuses, rules.rolled.nothing.points]
    points += [rules.target, rules.entry, rules.minimum, rules.take_over.stake, rules.catching_up.overtaken]
    points += [cost for cost in rules.penalties.points if cost != "all"]
    points += [rules.lives.each, rules.hot_dice_bonus]
    whole = "all" in rules.penalties.points or any(effect.then == "zero" for effect in rules.rolled.values())
    assert any(words in " ".join(text.split()) for words in ("whole score", "whole banked score")) == whole
    for number in filter(None, points):
        assert f"{number:,}" in text


@given(rule_sets())
def test_the_sheet_fits_its_width_and_names_the_rules(rules: Rules) -> None:
    page = sheet(rules)
    assert all(len(line) <= 60 for line in page.text(60).splitlines() if len(line.split()) > 2)
    assert page.sections[0].heading == "The aim"
    assert page.notation == str(rules)


def said(spec: str) -> str:
    return " ".join(sentence for section in sheet(load(spec)).sections for sentence in section.sentences)


def test_D2_the_sheet_says_that_a_take_over_counts_toward_the_entry_and_in_last_turns() -> None:
    assert "Points that you take over count toward what you need to bank." in said("build-on")
    assert "You may take over in a last turn too." in said("build-on")
    assert "last turn too" not in said("original")
    assert "count toward" not in said("renaissance")


def test_D5_the_sheet_says_when_a_roll_that_must_be_banked_is_rolled_on() -> None:
    assert "If you may not bank yet, roll on." in said("renaissance:must-bank-triples,minimum")
    assert "If you may not bank yet" not in said("renaissance:must-bank-triples")


def test_D12_the_sheet_covers_a_buyer_who_may_not_bank() -> None:
    assert "you must bank (if you may not bank yet, roll all the dice)." in said("original(minimum=2000)")
    assert "lie unused, you must bank." in said("original")


def test_S7_forced_hot_dice_do_not_contradict_that_one_may_bank() -> None:
    assert "once you have kept all six, you can't bank. Roll all of them again." in said("standard:forced-hot-dice")
    assert "can't bank unless your roll must be banked" in said('standard:forced-hot-dice(rolled.aaa="bank")')


def test_O13_each_die_taken_over_costs_a_life_and_not_each_roll() -> None:
    assert "Each die that you take over costs one life" in said("original")


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (1, "Every farkle costs 50 banked points."),
        (2, "Two farkles in a row cost 50 banked points; then the count starts again."),
    ],
)
def test_farkles_in_a_row_are_counted_in_plain_words(row: int, sentence: str) -> None:
    assert sentence in said(f"standard(penalties.farkles_in_row={row}, penalties.farkles_in_row_points=50)")


def test_the_sheet_of_a_set_uses_the_words_of_its_text() -> None:
    for spec, word in (
        ("original", "it is a Farkel Out (a farkle)"),
        ("original(target=50000)", "a Fanny Farkel, costs two lives"),
        ("original", "Buying points: when the player before you banks"),
        ("build-on", "Rolling out (hot dice)"),
        ("renaissance:five-dice", "Heavy table (hot dice): once you have kept all five"),
        ("renaissance", "Piggybacking: when"),
        ("zilch", "Three zilches in a row cost 500"),
    ):
        assert word in said(spec)
    assert "Hot dice: once you have kept" in said("standard")
    assert "Heavy" not in said('renaissance(name="ours")')


def test_the_hint_card_of_renaissance_has_its_rows() -> None:
    (card,) = [section for section in sheet(load("renaissance")).sections if section.heading == "Hint card"]
    assert card.rows == (
        ("2 or 2-2", "0"),
        ("3 or 3-3", "0"),
        ("4 or 4-4", "0"),
        ("6 or 6-6", "0"),
        ("1", "100"),
        ("1-1", "200"),
        ("5", "50"),
        ("5-5", "100"),
        ("1-1-1", "1,000"),
        ("2-2-2", "200"),
        ("3-3-3", "300"),
        ("4-4-4", "400"),
        ("5-5-5", "500"),
        ("6-6-6", "600"),
        ("low straight 1-2-3-4-5", "750"),
        ("high straight 2-3-4-5-6", "1,000"),
        ("straight 1-2-3-4-5-6", "1,500"),
    )
    assert all(section.heading != "Hint card" for section in sheet(load("standard")).sections)


def test_E7_E8_the_sheet_covers_overshoots_and_losses() -> None:
    assert "nobody gets them" in said("high-stakes:stake")
    assert "adds nothing and leaves nothing to take over, and does not put you on the board." in said(
        "renaissance:exact,minimum"
    )
