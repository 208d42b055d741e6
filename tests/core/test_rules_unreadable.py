"""Text, files and values that are no rules, or that say something twice or not at all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from farkel.errors import RulesError, SolveError
from farkel.rules import Rules, changed, from_json, from_toml, load, named, parse, validated
from farkel.rules.as_text import varied
from farkel.rules.finding import search
from farkel.solve import best_turn


@pytest.mark.parametrize("text", ["", "standard(target=5000", "standard target=5000", "target=5000)", "a b"])
def test_a_notation_that_is_none(text: str) -> None:
    with pytest.raises(RulesError, match=r"name\(field=value, \.\.\.\)") as refused:
        parse(text)
    assert refused.value.code == "bad_notation"


def code_of(act: Callable[[], object]) -> tuple[str, str]:
    """The code and the message with which ``act`` fails."""
    with pytest.raises(RulesError) as refused:
        act()
    return refused.value.code, str(refused.value)


@pytest.mark.parametrize(
    "text",
    ["target = ", "target = 5000\ntarget = 6000", "[scoring", "target: 5000", "target = " + "9" * 5_000],
    ids=lambda text: text[:20],
)
def test_malformed_toml(text: str) -> None:
    code, message = code_of(lambda: from_toml(text, "ours.toml"))
    assert code == "malformed"
    assert "ours.toml is not TOML" in message


def test_malformed_toml_names_the_line() -> None:
    assert "line 2" in code_of(lambda: from_toml("target = 5000\ndice = six\n", "ours.toml"))[1]


@pytest.mark.parametrize("text", ["", "{", '{"target": }', '{"target": 5000,}', "nonsense"], ids=lambda text: text[:20])
def test_malformed_json(text: str) -> None:
    code, message = code_of(lambda: from_json(text, "ours.json"))
    assert code == "malformed"
    assert "ours.json is not JSON" in message


@pytest.mark.parametrize("text", ["[]", "5", '"standard"', "null"])
def test_json_that_is_not_an_object(text: str) -> None:
    code, message = code_of(lambda: from_json(text, "ours.json"))
    assert code == "malformed"
    assert "object" in message


def test_malformed_json_names_the_line() -> None:
    assert "line 2" in code_of(lambda: from_json('{"target": 5000,\n "dice": six}'))[1]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    code, message = code_of(lambda: load(tmp_path / "none.toml"))
    assert code == "no_file"
    assert "none.toml" in message


def test_a_directory_is_refused_as_a_file(tmp_path: Path) -> None:
    assert code_of(lambda: load(tmp_path))[0] == "unreadable"


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_bytes(b"title = \xff\xfe")
    code, message = code_of(lambda: load(file))
    assert code == "unreadable"
    assert "ours.toml cannot be read: it is not UTF-8 text; save it as UTF-8" in message
    file.write_text('title = "Ours"', "utf-16")
    assert "it is UTF-16 text; save it as UTF-8, in PowerShell with -Encoding utf8" in code_of(lambda: load(file))[1]


@pytest.mark.parametrize(
    "name",
    ["~nobody-of-that-name/ours.toml", "ours\0.toml", "x" * 5_000 + ".toml"],
    ids=["no such home", "null", "too long"],
)
def test_impossible_file_names(name: str) -> None:
    assert code_of(lambda: load(name))[0] in ("no_file", "unreadable")


@pytest.mark.parametrize("value", ["9" * 5_000, "0x" + "f" * 20_000, "[[", "[1,"], ids=["huge", "hex", "deep", "list"])
def test_unreadable_changes_to_values(value: str) -> None:
    code, message = code_of(lambda: changed(named("standard"), f"target={value}"))
    assert code == "bad_rules"
    assert "target is a whole number from 0 to 10,000,000" in message


@pytest.mark.parametrize("sign", ["\x1b[2J", "\x9b2J", "\x07", "\r", "\x7f"])
def test_a_label_holds_nothing_that_a_terminal_obeys(sign: str) -> None:
    for label in ("title", "source", "about"):
        code, message = code_of(partial(changed, named("standard"), f"{label}=A{sign}B"))
        assert code == "bad_rules"
        assert "without control characters" in message
        assert sign not in message


# Values of wrong types -----------------------------------------------------------------------------------------------

ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.text(max_size=8)
    | st.binary(max_size=4)
    | st.sampled_from(["standard", "target", "scoring", "111", "aaa", "lives", "each", "free", "100a", object(), Path]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(
            st.sampled_from([*Rules.model_fields, "base", "111", "points", "each", 1]) | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=6,
)


def _outcome(attempt: Callable[[], object]) -> str:
    try:
        return str(attempt())
    except RulesError as error:
        return error.message


@given(ODD, ODD)
def test_values_of_any_type_make_rules_or_are_refused_with_a_sentence(one: Any, other: Any) -> None:
    standard = named("standard")
    for attempt in (
        lambda: load(one),
        lambda: load(one, base=other),
        lambda: load("standard", other),
        lambda: load({"target": one}, base=other),
        lambda: load({"scoring": one, "take_over": other}, base="standard"),
        lambda: load({"base": one, "lives": other}),
        lambda: parse(one),
        lambda: changed(one, other),
        lambda: changed(standard, one),
        lambda: named(one),
        lambda: varied(standard, one),
        lambda: varied(one, "to-20000"),
        lambda: from_toml(one),
        lambda: from_json(one),
        lambda: validated(one, "here"),
        lambda: validated({"rolled": one, "name": other, "finish": one}, "here"),
        lambda: search(one),
    ):
        assert 1 <= len(_outcome(attempt)) < 10_000


def untyped(value: Any) -> Any:
    """A value of whose type nothing is known."""
    return value


@pytest.mark.parametrize(
    ("attempt", "said"),
    [
        (lambda: load(untyped(5)), "rules: 5 of type int was given; give a name, a notation or the path of a file"),
        (lambda: load(untyped(None)), "rules: null of type NoneType was given; give a name"),
        (lambda: load("standard", "target=5000"), 'give a list of changes, such as ["target=5000"]'),
        (
            lambda: load("standard", untyped([5])),
            "a change: 5 of type int was given; give a text",
        ),
        (lambda: load("standard", base="extended"), '"standard" is a whole rule set, which needs no base'),
        (lambda: parse(untyped(b"standard")), "of type bytes was given; give a text"),
        (lambda: changed(untyped(5), "target=5000"), "rules: 5 of type int was given; give a name"),
        (lambda: from_toml(untyped(b"")), 'give a text, such as "target = 5000"'),
        (lambda: validated(untyped([]), "here"), 'give a mapping of fields, such as {"target": 5000}'),
        (
            lambda: validated(untyped({5: 5}), "here"),
            "the name of a field: 5 of type int was given; give",
        ),
        (lambda: search(untyped(7)), "give a text, such as"),
    ],
)
def test_a_value_of_a_wrong_type_is_refused_with_a_remedy(attempt: Any, said: str) -> None:
    with pytest.raises(RulesError) as refused:
        attempt()
    assert said in refused.value.message


# What was accepted in silence ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "both"),
    [
        ("standard(target=5000, target=6000)", "target = 5000 and target = 6000"),
        ("standard(lives.each=3, lives.farkle=1, lives.each=4)", "lives.each = 3 and lives.each = 4"),
        ("standard(scoring.aaa=5, scoring.bbb=6)", "scoring.aaa = 5 and scoring.bbb = 6"),
        ('standard(rolled.66="win", rolled.66="lose")', 'rolled.66 = "win" and rolled.66 = "lose"'),
        ("standard(scoring.111=5, scoring={1=100})", "scoring.111 = 5 and scoring = {1=100}"),
        ("renaissance:exact,exact", 'the variation "exact" twice'),
    ],
)
def test_a_field_is_given_once(spec: str, both: str) -> None:
    code, message = code_of(lambda: parse(spec))
    assert code == "given_twice"
    assert both in message
    if "(" in spec:
        changes = spec.partition("(")[2][:-1].split(", ")
        assert code_of(lambda: changed(named("standard"), *changes))[0] == "given_twice"
    assert changed(parse("standard(target=5000)"), "target=6000").target == 6_000


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ('standard(scoring.111="win", rolled.111="lose")', 'scoring says "win" for 111 and rolled says "lose"'),
        ('standard(scoring.2222="win", rolled.222="farkle")', 'scoring says "win" for 2222 and rolled says "farkle"'),
        ('standard(rolled.1a="win", rolled.2a="lose")', 'rolled.1a = "win" and rolled.2a = "lose" are both for 12'),
    ],
)
def test_dice_do_not_win_and_lose(spec: str, said: str) -> None:
    assert said in code_of(lambda: parse(spec))[1]
    parse('standard(rolled.11="win", rolled.66="lose")')  # of two in one roll the win counts (P13)
    parse('standard(rolled.1a="win", rolled.2a="lose", rolled.12="win")')
    parse('standard(rolled.111="lose", rolled.aaa="win")')


@pytest.mark.parametrize("text", ["", "\n# nothing yet\n"])
def test_a_file_without_rules_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_text(text)
    code, message = code_of(lambda: load(file))
    assert code == "empty"
    assert "ours.toml has no rules" in message
    assert code_of(lambda: from_json("{}"))[0] == "empty"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[scoring]\n123456 = {points = 1500, when = first_roll}", 'write when = "first_roll"'),
        ("# hot_dice = forced\ntitle = 'a = b'\nhot_dice = forced", 'write hot_dice = "forced"'),
    ],
)
def test_missing_quotation_marks_are_named(text: str, said: str) -> None:
    message = code_of(lambda: from_toml(text))[1]
    assert said in message
    assert "line" in message


def test_missing_quotation_marks_are_named_in_a_notation() -> None:
    code, message = code_of(lambda: parse("standard(scoring.123456={points=1500, when=first_roll})"))
    assert code == "bad_change"
    assert 'write when = "first_roll"' in message


def test_a_refused_base_names_the_file() -> None:
    code, message = code_of(lambda: from_toml('base = "standart"', "ours.toml"))
    assert code == "unknown_rules"
    assert message.startswith('ours.toml: base: there is no rule set "standart". Did you mean "standard"?')


def test_no_refusal_recommends_what_is_refused() -> None:
    assert '"farkle"' not in code_of(lambda: parse("standard(rolled.nothing=farkle)"))[1].partition("write ")[2]
    assert "-9999" not in code_of(lambda: parse('standard(zones="10000-10050 never")'))[1]
    fined = "standard(scoring.1=0, scoring.5=0, rolled.aaa=-100)"
    assert code_of(lambda: parse(fined))[1].endswith("let some pay, such as scoring.1 = 100")
    assert "set beat_previous=false" in solve_refusal("standard(beat_previous=true)")


def solve_refusal(spec: str) -> str:
    with pytest.raises(SolveError) as refused:
        best_turn(parse(spec))
    return str(refused.value)
