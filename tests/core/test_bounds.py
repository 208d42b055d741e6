"""Text from outside is bounded before it is parsed: rules as TOML, JSON and notation."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from farkel.errors import RulesError
from farkel.rules import Rules, changed, from_json, from_toml, load, named, parse, validated
from farkel.support.bounds import (
    MOST_FIELDS,
    MOST_NESTING,
    MOST_TEXT,
    clipped,
    json_excess,
    json_value,
    quoted,
    toml_excess,
)

READERS: dict[str, Callable[[str], Rules]] = {
    "TOML": from_toml,
    "JSON": from_json,
    "notation": parse,
    "change": lambda text: changed(named("standard"), text),
    "value": lambda text: parse(f"standard(target={text})"),
}
PIECES = [*"a.[]{}=\"'\\\n,#:() 9", '"""', "'''", "\\u", "target", "scoring", "standard(", "0x", "inf", "a.a.a.a.a.a."]
texts = st.one_of(st.text(max_size=300), st.lists(st.sampled_from(PIECES), max_size=200).map("".join))


def refusal(read: Callable[[str], Rules], text: str) -> RulesError | None:
    """The error with which the text is refused; None where it is rules."""
    try:
        assert isinstance(read(text), Rules)
    except RulesError as error:
        return error
    return None


@pytest.mark.parametrize("reader", READERS)
@given(text=texts)
@example("standard(target={" + "a." * 1_000 + "a = 1})")
@example("{" + "a." * 1_000 + "a = 1}")
@example("0x" + "f" * 20_000)
@example('{"target":' + "[" * 900 + "]" * 900 + "}")
def test_any_text_is_rules_or_is_refused_with_a_code(reader: str, text: str) -> None:
    refused = refusal(READERS[reader], text)
    assert refused is None or (refused.code and len(refused.message) < 15_000)


FULL = {
    "dots in a key": "a." * 30_000 + "a = 1",
    "dots in a table": "[" + "a." * 30_000 + "a]",
    "dots within": "target = {" + "a." * 30_000 + "a = 1}",
    "brackets": "target = " + "[" * 60_000,
    "objects": '{"a":' * 10_000,
    "keys": "\n".join(f"k{number} = 1" for number in range(6_000)),
    "tables": "\n".join(f"[k{number}]" for number in range(6_000)),
    "members": "{" + ",".join(f'"k{number}":1' for number in range(5_000)) + "}",
    "changes": "standard(" + ",".join(["target=5000"] * 5_000) + ")",
    "a long name": "x" * 60_000,
    "a long field": "standard(" + "x" * 60_000 + "=1)",
    "spaces": "a" + " " * 60_000 + "x",
    "quotation marks": 'standard("' + '\\"' * 30_000,
    "an open text": 'target = """' + '\\"' * 25_000,
}


@pytest.mark.parametrize("text", FULL.values(), ids=FULL)
def test_oversized_input_is_refused_before_parsing(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is the parsers' own work, which is linear in the accepted input."""
    seen: list[str] = []
    loads = tomllib.loads

    def spied(text: str) -> Any:
        seen.append(text)
        return loads(text)

    named("standard")
    monkeypatch.setattr(tomllib, "loads", spied)
    assert len(text) <= MOST_TEXT
    for read in READERS.values():
        assert refusal(read, text) is not None
    for one in seen:
        assert max(line.count(".") for line in one.splitlines()) < MOST_NESTING
        assert sum(one.count(sign) for sign in "=[{") <= MOST_FIELDS + 1


@pytest.mark.parametrize("reader", READERS)
def test_a_text_that_is_too_long_is_refused_unread(reader: str) -> None:
    with pytest.raises(RulesError, match=f"at most {MOST_TEXT:,} characters") as refused:
        READERS[reader]("x" * (MOST_TEXT + 1))
    assert refused.value.code == "too_large"


NESTED: dict[str, Callable[[int], str]] = {
    "key": lambda depth: ".".join("a" * depth) + " = 1",
    "table": lambda depth: f"[{'.'.join('a' * (depth - 1))}]\n" if depth > 1 else "a = 1",
    "list": lambda depth: f"a = {'[' * (depth - 1)}{']' * (depth - 1)}",
    "inline": lambda depth: "a = " + "{a = " * (depth - 1) + "1" + "}" * (depth - 1),
}
DECOYS = [
    'b1 = "#"',
    "b2 = '\"'",
    'b3 = """"x"""""',
    "# it's \" '''",
    "b4 = '''\"'''''",
    'b5 = "\\""',
    'b6 = """\\""" """',
    'b7 = "\\\\"',
    "b8 = '\\'",
    'b9 = """\n# " \'\'\'\n"""',
    '"b\'" = 1',
    "'b\"#' = 1",
    "ba = 1.5 # [",
    'bb = ""',
    "bc = ''",
]


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("decoys", [*product(DECOYS, repeat=1), *product(DECOYS[:6], DECOYS[6:])], ids=lambda _: "")
def test_strings_and_comments_do_not_hide_nesting(kind: str, decoys: tuple[str, ...]) -> None:
    before = "\n".join((*decoys, ""))
    tomllib.loads(before)
    inside = before + NESTED[kind](MOST_NESTING)
    tomllib.loads(inside)
    assert toml_excess(inside) is None
    excess = toml_excess(before + NESTED[kind](MOST_NESTING + 2))
    assert excess is not None
    assert excess.code == "too_deep"


@pytest.mark.parametrize("quote", ['"', "'", '"""', "'''"])
def test_brackets_in_strings_do_not_count(quote: str) -> None:
    text = "a.b [c] {d} = , # : " * 400
    assert toml_excess(f"about = {quote}{text}{quote}\ntarget = 5000") is None
    assert toml_excess(f"target = 5000 # {text}{quote}") is None
    assert json_excess(f'{{"about": "{text}", "target": 5000}}') is None


def depth(tree: Any) -> int:
    inside = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return 1 + max((depth(one) for one in inside), default=0)


@given(
    st.recursive(st.integers() | st.text(max_size=9), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
def test_json_within_bounds_is_let_pass_and_reads_the_same(tree: Any) -> None:
    for text in (json.dumps(tree), json.dumps(tree, ensure_ascii=False, indent=1)):
        if json_excess(text) is None:
            assert json_value(text) == tree
        else:
            assert depth(tree) > MOST_NESTING or text.count(":") + text.count("[") + text.count("{") > MOST_FIELDS


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, "a": 2}', '"a" is given twice'),
        ('{"a": NaN}', "NaN is not a number"),
        ('{"a": -Infinity}', "-Infinity is not a number"),
        ('{"a": "\\ud800"}', "half of a character"),
        ('{"\\udfff": 1}', "half of a character"),
        ("9" * 5_000, "Exceeds the limit"),
    ],
)
def test_json_is_read_strictly(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        json_value(text)
    assert json_value('{"a": "\\ud83c\\udfb2"}') == {"a": "🎲"}


def test_room_is_left_for_richer_rules() -> None:
    """A table of some dozens of patterns, each a table of its own, with a text of a thousand characters."""
    patterns = "\n".join(f"[scoring.pattern.p{n}]\ndice = [1, 2, 3, 3]\npoints = {n}" for n in range(100))
    assert toml_excess(f'about = "{"a.b[c] " * 140}"\n{patterns}') is None


def test_an_error_lists_and_quotes_no_more_than_helps() -> None:
    tree = {f"x{number}": "y" * 5_000 for number in range(400)} | {"title": "z" * 50_000, "dice": 10**6_000}
    with pytest.raises(RulesError) as refused:
        validated(tree, "ours.toml")
    assert len(refused.value.defects) == 20
    assert "and 382 more" in refused.value.message
    assert len(refused.value.message) < 15_000
    assert clipped("x" * 101) == "x" * 100 + "…"
    assert quoted(10**6_000) == "int too large to show"


def test_a_file_without_an_end_is_read_no_further(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").symlink_to("/dev/zero")
    with pytest.raises(RulesError) as refused:
        load(tmp_path / "ours.toml")
    assert refused.value.code == "too_large"


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text("target = 5000", "utf-8-sig")
    assert load(tmp_path / "ours.toml").target == 5_000


def test_a_text_that_is_never_closed_is_refused() -> None:
    with pytest.raises(RulesError, match="second quotation mark") as refused:
        parse('standard(title="ours)')
    assert refused.value.code == "bad_change"


ATTACK = """
import sys
from farkel.errors import RulesError
from farkel.rules import changed, from_json, from_toml, named, parse
for text in sys.stdin.read().split("====="):
    for read in (
        from_toml,
        from_json,
        parse,
        lambda text: changed(named("standard"), text),
        lambda text: parse(f"standard({text})"),
        lambda text: parse(f"standard(target={{{text}}})"),
    ):
        try:
            read(text)
            sys.exit(f"it was taken: {text[:40]}")
        except RulesError:
            pass
"""


def test_attacks_on_the_parsers_end_quickly() -> None:
    """Each took up to 36 s and 4 GB: now all of them, in a process that has 20 s of a processor and half a gigabyte."""
    import resource  # pages have none

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (512 * 2**20,) * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))

    done = subprocess.run(
        [sys.executable, "-c", ATTACK],
        preexec_fn=limited,
        input="=====".join(FULL.values()),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
