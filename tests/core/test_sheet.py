"""The rule sheet is made from the rules: whatever changes the game changes the sheet."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal, get_args, get_origin

import pytest
from hypothesis import given

from farkel.dice import Roll, all_rolls, roll_of
from farkel.errors import RulesError
from farkel.game.scoring import Scored, open_sets, score_table
from farkel.rules import Rules, changed, fields, load, named, names, parse, pattern_of, scoring_rows, sheet, variations
from farkel.rules.pattern_tables import Moment
from farkel.rules.sheets.rows import SheetRow, exempt, moments, rows
from random_rules import rule_sets

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
    "missed_target": ("13000",),
    "zones": ("200-300 leave", "500 zero"),
    "dice": ("5", "6"),
    "team_size": ("1", "2", "3"),
    "most_seats": ("4", "6"),
}
"""Values of fields that are no choice among words, where "true" and usual numbers are none."""


def without_names(rules: Rules) -> str:
    return "\n".join(line for line in sheet(rules).text().splitlines() if not line.startswith(("Rules:", "From:")))


@pytest.mark.parametrize("field", [name for name in fields() if name not in ("name", "title", "source", "about")])
def test_every_field_shows_on_the_sheet(field: str) -> None:
    """In at least one rule set where the field counts, another value gives another sheet."""
    shown, annotation = 0, fields()[field].annotation
    usual = get_args(annotation) if get_origin(annotation) is Literal else ("true", "false", "2", "350", "450")
    for rules in WITH.values():
        for value in OTHERS.get(field, usual):
            try:
                other = changed(rules, f"{field}={value}")
            except RulesError:
                continue
            shown += other.digest != rules.digest and without_names(other) != without_names(rules)
    assert shown


@given(rule_sets())
def test_every_number_of_points_is_on_the_sheet(rules: Rules) -> None:
    text = without_names(rules)
    points = [row.worth.points for row in rows(rules)]
    points += [*rules.rolled.fines, *rules.rolled.bonuses, rules.rolled.nothing.points]
    points += [rules.target, rules.entry, rules.minimum, rules.take_over.stake, rules.catching_up.overtaken]
    points += [cost for cost in rules.penalties.points if cost != "all"]
    points += [rules.lives.each, rules.hot_dice_bonus]
    whole = "all" in rules.penalties.points or any(effect.then == "zero" for effect in rules.rolled.values())
    assert any(words in " ".join(text.split()) for words in ("whole score", "whole banked score")) == whole
    for number in filter(None, points):
        assert f"{number:,}" in text


# What the sheet says, and what is scored ------------------------------------------------------------------------------


def rolled(rules: Rules, dice: Roll, moment: Moment) -> Iterator[Scored]:
    """Rolls that hold the dice at a moment, the one of just these dice first if there is one."""
    if moment.after_set:
        table = score_table(rules)
        sets = [number for number, held in enumerate(open_sets(rules)) if len(held) == 1 and held[0][0] not in dice]
        yield from (table[dice] for table in (score_table(rules, number) for number in sets[:1]) if dice in table)
    elif moment.all_dice:
        table, rests = score_table(rules), all_rolls(rules.dice - len(dice))
        for rest in rests[:: max(1, len(rests) // 8)]:
            roll = roll_of((*dice, *rest))
            yield table.first(roll) if moment.first else table[roll]
    else:
        yield score_table(rules)[dice]


def assert_scored(rules: Rules, row: SheetRow, dice: Roll, moment: Moment) -> None:
    """Dice pay in a roll what their row says."""
    says = row.of(dice)
    for scored in rolled(rules, dice, moment):
        kept = scored.keeps.get(dice)
        if kept is not None:
            assert kept.wins == says.wins
            assert kept.wins or kept.points == says.points
        elif scored.roll == dice:
            assert (scored.ends or "farkle") == (says.ends or "farkle")
            assert (says.points, says.wins, max(0, scored.fine) if says.costs else 0) == (0, False, says.costs)


def printed_points(text: str, form: str, dice: Roll) -> int:
    """The points that a row prints for some of its dice, read as people read it."""
    if text in ("nothing", "wins", "loses", "a farkle", "roll again") or text.startswith("costs "):
        return 0
    number, times, of = text.replace(",", "").partition(" × the face")
    if not times:
        return int(number)
    free = Counter(dice) - Counter(pattern_of(form).digits)
    size = {"": max(free.values()), "die": 1, "pair": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
    which = re.sub(r"^ of the (higher |other )?", "", of)
    return int(number) * max(face for face, count in free.items() if count == size[which])


def assert_the_sheet_is_what_is_scored(rules: Rules) -> None:
    found = rows(rules)
    for row, (_, text) in zip(found, scoring_rows(rules), strict=False):
        for dice in row.dice:
            assert printed_points(text, row.form, dice) == row.of(dice).points
            for moment in row.moments:
                assert_scored(rules, row, dice, moment)
        named = [other.dice for other in found if other is not row]
        assert all(any(dice in each for each in named) for dice in set(row.exceptions) - set(row.unnamed))
    every = {(dice, moment) for row in found for dice in (*row.dice, *row.unnamed) for moment in row.moments}
    for form, pays in rules.scoring.items():
        for dice in pattern_of(form).rolls:
            at = [moment for moment in moments(rules, len(form)) if moment.counts(pays.when)]
            assert len(form) > rules.dice or all((dice, moment) in every for moment in at)


@pytest.mark.parametrize("name", names())
def test_every_row_of_the_catalogue_prints_what_its_dice_score(name: str) -> None:
    for spec in (name, *(f"{name}:{one.name}" for one in variations(name))):
        assert_the_sheet_is_what_is_scored(load(spec))


@given(rule_sets())
def test_every_row_of_any_rules_prints_what_its_dice_score(rules: Rules) -> None:
    assert_the_sheet_is_what_is_scored(rules)


@given(rule_sets())
def test_what_combinations_ask_for_is_what_is_asked(rules: Rules) -> None:
    for form, pays in rules.scoring.items():
        if len(form) > rules.dice or not (pays.owes or pays.then == "bank"):
            continue
        others = dict(exempt(rules, form))
        for dice in pattern_of(form).rolls:
            for moment in moments(rules, len(form)):
                if moment.counts(pays.when):
                    kept = [scored.keeps[dice] for scored in rolled(rules, dice, moment) if dice in scored.keeps][:1]
                    asked = [
                        one.ends if pays.then == "bank" else one.owes >= pays.owes for one in kept if not one.tries
                    ]
                    assert not any(one == (moment in others.get(dice, ())) for one in asked if not kept[0].wins)


def worths(spec: str) -> dict[str, str]:
    return dict(scoring_rows(load(spec)))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("extended", {"four 1s": "1,100", "any other four of a kind": "1,000"}),
        ("cardgames", {"four 1s": "1,100", "any other four of a kind": "1,000"}),
        ('extended(scoring.aaaa="200a")', {"four 1s": "1,100", "any other four of a kind": "200 × the face"}),
        ("zilch", {"1-1-1-1-5-5": "2,100", "any other four of a kind and a pair": "1,500"}),
        ("dollar-greed", {"six 1s": "1,200", "six 2s": "1,200", "any other six of a kind": "1,000"}),
        ("build-on", {"three 1s": "300", "any other three of a kind": "100 × the face"}),
        ("renaissance:costly-threes", {"three 3s": "costs 300", "any other three of a kind": "100 × the face"}),
        ("extended(rolled.2222=farkle)", {"four 2s": "a farkle", "2-2-2-2-3-3": "a farkle"}),
        ("standard(scoring.333=0)", {"three 3s": "nothing"}),
        (
            'standard(scoring.111={points=2000, when="first_roll"})',
            {"three 1s, first roll only": "2,000", "three 1s, not in the first roll": "300"},
        ),
        (
            'standard(rolled.nothing={points=500, when="first_roll"}, rolled.333=-300)',
            {"all six dice and nothing scores or costs points, first roll only": "500"},
        ),
    ],
)
def test_exceptions_stand_before_the_rows_that_they_are_exceptions_to(spec: str, said: dict[str, str]) -> None:
    assert said.items() <= worths(spec).items()
    labels = list(worths(spec))
    assert [label for label in labels if label in said] == list(said)


def test_too_many_exceptions_are_not_listed() -> None:
    spec = "standard(dice=7, scoring.aabbcc=10, scoring.2=100, scoring.3=100, scoring.4=100, scoring.6=100)"
    assert worths(spec)["three different pairs, unless its dice count otherwise"] == "10"
    assert "any other three different pairs" not in worths(spec)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("zilch", "it is a zilch (a farkle), but not in a roll of all six dice: then the dice are worth 500 points"),
        (
            'standard(rolled.nothing={points=500, when="first_roll"})',
            "you farkle, but not in the first roll of a turn:",
        ),
        ("standard(rolled.nothing=again)", "but not in a roll of all six dice: roll the same dice again."),
        ("standard(rolled.nothing=500, rolled.333=-300)", "but not in a roll of all six dice if it costs nothing:"),
        ("standard(last_die_tries=3)", "(with one die left, only once three tries to score with it have failed)"),
        (
            'standard(scoring.aaa={points="100a", then="roll"})',
            "before you bank after: three of a kind (but not three 1s).",
        ),
        ("standard(rolled.aaa=bank, rolled.111=0)", "three or more of a kind (but not three or more 1s) you must bank"),
        (
            "standard(rolled.333=-300, rolled.3333=-400)",
            "Three or more 3s (but not four or more 3s) in one roll: you lose 300 banked",
        ),
        ("renaissance:costly-threes", "may not be kept; if nothing else scores, you farkle."),
        ("standard(rolled.222=win, rolled.666=farkle)", "the first of these counts: you win, you farkle."),
        ("guts-and-luck", "you need at least 500 points in one turn (in a team, each partner needs them)."),
        ("guts-and-luck(team_size=1)", "you need at least 500 points in one turn. Until then"),
        ("high-stakes", "each partner needs them), not counting points that you take over."),
        (
            "standard(most_rolls=1)",
            "Roll all six dice, once. Keep at least one scoring die or combination: set it aside.",
        ),
        ("standard(most_rolls=1)", "Then bank: end your turn and add your turn total to your score."),
        ("standard(hot_dice=forced, most_rolls=3)", "you can't bank unless your turn has no roll left. Roll all"),
        ("renaissance:must-bank-triples", "add to your turn total, unless your roll must be banked."),
        ("renaissance:exact,minimum", "at least 450 points in one turn, or to hit the target exactly."),
        ("standard(keep=all_to_win)", "You choose which, but to reach 10,000 you must keep every die that scores in"),
        (
            "standard(scoring.123456={points=1500, missing=1})",
            "never join a later one, with one exception. A second chance:",
        ),
        ("original", "A Farkel Out costs one life, but one on all six dice, a Fanny Farkel, costs two lives."),
        ("standard", "Count the dice that you keep in the combinations that score most, each die once."),
        (
            "standard(entry=500, entry_rolls=3)",
            "Until you are on the board, your turn has at most three rolls, those after hot dice included. After the "
            "last one, bank (if you may not, you farkle).",
        ),
        (
            "standard(entry=500, entry_rolls=1, most_rolls=4)",
            "Your turn has at most four rolls (one roll until you are on the board), those after hot dice included.",
        ),
        (
            "standard(entry=500, entry_again=at_zero)",
            "Until then, keep rolling. If your score has fallen to zero or below when a turn ends, you are off the "
            "board and need them again.",
        ),
        ("standard(entry=500, entry_again=below_entry)", "If your score has fallen to less than 500 when a turn ends,"),
        (
            "standard(roll_from=300)",
            "add your turn total to your score. You may roll again only with a turn total of at least 300: with less "
            "you must bank.",
        ),
        ("standard(roll_from=300, minimum=200)", "with less you must bank (if you may not bank yet, keep rolling)."),
        ("standard(most_hot_dice=1)", "Hot dice: once you have kept all six, you must bank."),
        (
            "standard(most_hot_dice=2, entry=500)",
            "roll all of them again and add to your turn total; the second time in a turn you must bank (if you may "
            "not bank yet, roll all of them again).",
        ),
    ],
)
def test_an_exception_is_in_the_sentence_that_it_is_an_exception_to(spec: str, sentence: str) -> None:
    assert sentence in said(spec)


@pytest.mark.parametrize(
    ("spec", "never"),
    [
        ("standard(most_rolls=1)", ("or bank", "Hot dice", "you may roll", "at most one roll", "later")),
        ("standard(most_rolls=1, minimum=300)", ("keep rolling",)),
        ("standard(entry_rolls=1, entry=300)", ("keep rolling",)),
        ('standard(most_rolls=1, scoring.123456={points=1500, then="roll"})', ("Score in another roll",)),
        ("standard(rolled.aaa=bank, rolled.111=0)", ("an exception, which does nothing",)),
        ("build-on(keep=all)", ("keep fewer dice",)),
        ('standard(finish=exact, scoring.123456={points=1500, then="roll"})', ("always bank",)),
    ],
)
def test_the_sheet_does_not_contradict_itself(spec: str, never: tuple[str, ...]) -> None:
    assert [words for words in never if words in said(spec)] == []


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
    (costly,) = [
        section for section in sheet(load("renaissance:costly-threes")).sections if section.heading == "Hint card"
    ]
    assert ("3-3-3", "costs 300") in costly.rows
    assert ("3-3-3", "300") not in costly.rows


def test_E7_E8_the_sheet_covers_overshoots_and_losses() -> None:
    assert "nobody gets them" in said("high-stakes:stake")
    assert "adds nothing and leaves nothing to take over, and does not put you on the board." in said(
        "renaissance:exact,minimum"
    )


def test_the_sheet_names_the_file_and_no_source_of_other_rules() -> None:
    ours = load("standard(target=5000)")
    assert "From: Standard Farkle as adapted from Wikipedia" in sheet(named("standard")).text()
    assert sheet(ours).source == f"{named('standard').source}, with changes"
    assert sheet(ours, "ours.toml").source == f"ours.toml: {named('standard').source}, with changes"
    assert sheet(changed(ours, 'source="Grandma"'), "ours.toml").source == "ours.toml: Grandma"
    assert sheet(changed(ours, "name=ours")).source == f"{named('standard').source}, with changes"
    assert sheet(load({"target": 5000}), "ours.toml").source == "ours.toml"
    assert sheet(parse("renaissance:five-dice")).source == named("renaissance").source
