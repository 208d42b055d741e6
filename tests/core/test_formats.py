"""Formats over time and under attack: what newer and older versions write, and what no version has written."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from test_record import bots, manual, person, play_out, recheck

from farkel import __version__
from farkel.dice import mixed_words
from farkel.errors import DiceError, PlayerError, RecordError, RulesError
from farkel.game import Note
from farkel.play.match import Match, Setup
from farkel.records import (
    MOST_BYTES,
    MOST_LINE,
    MOST_LINES,
    check_seats,
    parse_record,
    read,
    record,
    verify,
)
from farkel.rules import from_toml, load, named, to_toml
from farkel.web.game.setup import GamePlan
from farkel.web.game.table import Table
from farkel.web.store.values import Game, Row
from named_rules import SPAN
from web_helpers import Sheet, plan_of

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("formats") / "game.farkel"
    match = bots("original", "committed", path)
    play_out(match)
    match.close()
    return path.read_text()


# Newer versions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "named_in_it"),
    [
        ("farkel record 1\n", "farkel record 2\n", '"farkel record 2"'),
        ("\nseats:", "\nclock: 30 s\nseats:", '"clock:"'),
        ("\nseats:", "\nclock:\n    30 s\nseats:", '"clock:"'),
        ("    target = 100000", "    goal = 100000", "goal"),
        ("    target = 100000", "    scoring.runs_of_four = 100", "scoring.runs_of_four"),
        ('start = "first_six"', 'start = "by_vote"', 'start = "by_vote"'),
    ],
)
def test_a_record_of_a_newer_version_is_named_as_one(
    finished: str, tmp_path: Path, old: str, new: str, named_in_it: str
) -> None:
    assert finished.count(old) == 1
    path = tmp_path / "theirs.farkel"
    path.write_text(recheck(finished.replace(old, new)))
    for act in (read, Match.resume):
        with pytest.raises(RecordError, match="written by a newer version of Farkel") as refused:
            act(path)
        assert refused.value.code == "version"
        assert all(said in refused.value.message for said in (str(path), named_in_it, "update Farkel"))


@pytest.mark.parametrize("said", ["seats:", "dice: system", "date: today"])
def test_a_header_says_nothing_twice(finished: str, said: str) -> None:
    with pytest.raises(RecordError, match="twice") as refused:
        parse_record(recheck(finished.replace("\nevents:", f"{said}\n\nevents:", 1)).encode())
    assert refused.value.code == "malformed"


@pytest.mark.parametrize(
    ("line", "code"),
    [("colour = 1", "version"), ('finish = "by_vote"', "version"), ("target = {", "version"), ("target = 5000", None)],
)
def test_a_rules_file_of_a_newer_version_is_named_as_one(tmp_path: Path, line: str, code: str | None) -> None:
    assert to_toml(named("minimal")).startswith(f"# Rules of Farkel {__version__}\n")
    path = tmp_path / "theirs.toml"
    path.write_text(f"# Rules of Farkel 99.0\n{line}\n")
    if code is None:
        assert load(path).target == 5_000
        return
    with pytest.raises(RulesError, match=r"newer version of Farkel \(99.0") as refused:
        load(path)
    assert refused.value.code == code
    assert all(said in refused.value.message for said in (str(path), __version__, "update Farkel"))


@pytest.mark.parametrize(
    "mark", ["", f"# Rules of Farkel {__version__}\n", "# Rules of Farkel 0.0.9\n", "# Our rules\n"]
)
def test_a_fault_of_ones_own_is_not_blamed_on_a_newer_version(mark: str) -> None:
    with pytest.raises(RulesError, match="there is no field") as refused:
        from_toml(f"{mark}colour = 1")
    assert refused.value.code == "bad_rules"
    assert refused.value.unknown == ("colour",)


def test_a_stored_game_of_a_newer_version_is_named_as_one() -> None:
    sheet = Sheet(plan_of("minimal", "here", "here"))
    plan = sheet.table.plan.model_dump_json()
    newer = [
        (plan.replace('"target":', '"runs_of_four":100,"target":', 1), ()),
        (plan, (Row(1, 5, "vote", "{}"),)),
    ]
    for text, rows in newer:
        with pytest.raises(RecordError, match=r"game aaa was written by a newer version of Farkel") as refused:
            Table.of(Game("aaa", text, bytes(32), "host", {}, rows))
        assert refused.value.code == "version"
    assert Table.of(Game("aaa", plan, bytes(32), "host", {}, ())).plan == sheet.table.plan
    assert isinstance(sheet.table.plan, GamePlan)


# Notes ---------------------------------------------------------------------------------------------------------------

WORDS = st.lists(st.text(st.characters(exclude_categories=("Cc", "Cs", "Nd"), exclude_characters="~,"), max_size=9))


def noted(text: str, note: Callable[[re.Match[str]], str]) -> str:
    """A record with other notes, and checks that fit."""
    return recheck(re.sub(r" ; (.*?)(?= *~[0-9a-f]{8}$)", note, text, flags=re.MULTILINE))


@given(words=WORDS)
@example(["farkle! Ann loses everything", "game over"])
@example(["", "", ""])
def test_the_words_of_notes_may_change(finished: str, words: list[str]) -> None:
    """Whatever a version says of an event, another one reads the same game."""
    other = noted(finished, lambda _: f" ; a {', '.join(words)}".rstrip())
    found = parse_record(other.encode())
    assert found.problem is None
    assert [move.event for move in found.moves] == [move.event for move in parse_record(finished.encode()).moves]
    assert verify(found)


@pytest.mark.parametrize("rules", SPAN)
def test_records_are_read_whatever_is_written_today(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.records.lines._note", lambda *_: "in words of tomorrow, -7 and +1 = 2")
    assert verify(read(GOLDEN / rules / "game.farkel"))


def test_a_record_without_notes_is_read(finished: str) -> None:
    found = parse_record(noted(finished, lambda _: "").encode())
    assert found.problem is None
    assert found.state == parse_record(finished.encode()).state


@pytest.mark.parametrize(
    "figure",
    [
        r"(?<= ; )[0-9,]+(?= *~)",
        r"(?<= ; \+)[0-9,]+(?= =)",
        r"(?<=[0-9] = )[0-9,]+(?= *~)",
        r"(?<=farkle, -)[0-9,]*[0-9]",
    ],
)
def test_the_figures_of_notes_are_checked(finished: str, figure: str) -> None:
    places = [match.start() for match in re.finditer(figure, finished, re.MULTILINE)]
    assert places
    other = recheck(re.sub(figure, "77,777", finished, count=1, flags=re.MULTILINE))
    problem = parse_record(other.encode()).problem
    assert problem is not None
    assert (problem.code, problem.line) == ("wrong_note", finished[: places[0]].count("\n") + 1)


# What no version has written -----------------------------------------------------------------------------------------

HEAD = "farkel record 1\ndate: 2026-01-01 12:00\n"
HUGE: dict[str, tuple[bytes, str]] = {
    "bytes": (b"x" * (MOST_BYTES + 1), "too_large"),
    "lines": (HEAD.encode() + b"\n" * (MOST_LINES + 1), "too_large"),
    "a line of the header": ((HEAD + "x" * (MOST_LINE + 1)).encode(), "too_large"),
    "a header": ((HEAD + "word: hop\n" * 100_000).encode(), "cut_off_header"),
    "a version": (b"farkel record " + b"9" * 5_000, "not_a_record"),
    "dots": ((HEAD + "rules: 0\n    " + "a." * 4_000 + "a = 1\nseats:\n\nevents: ~0").encode(), "malformed"),
    "tables": ((HEAD + "rules: 0\n" + "    x = {a = {a = 1}}\n" * 900 + "seats:\n\nevents: ~0").encode(), "malformed"),
}


@pytest.mark.parametrize(("data", "code"), HUGE.values(), ids=HUGE)
def test_a_file_larger_than_any_record_is_refused(data: bytes, code: str, tmp_path: Path) -> None:
    path = tmp_path / "theirs.farkel"
    text = data.decode()
    path.write_bytes(recheck(text).encode() if text.endswith("events: ~0") else data)
    with pytest.raises(RecordError) as refused:
        read(path)
    assert refused.value.code == code
    assert str(path) in refused.value.message
    assert len(refused.value.message) < 1_000


def test_a_record_without_an_end_is_read_no_further(tmp_path: Path) -> None:
    (tmp_path / "game.farkel").symlink_to("/dev/zero")
    with pytest.raises(RecordError) as refused:
        read(tmp_path / "game.farkel")
    assert refused.value.code == "too_large"


@pytest.mark.parametrize(
    "text",
    [
        "back to " + "9" * 5_000,
        "Ann: takes over " + "9" * 5_000,
        "Ann: takes over ٣",
        "Ann: notes ٣, 2 dice left",
        "Ann: notes ,,,,, 2 dice left",
        "Ann: keeps " + "1 " * 2_000 + ", banks",
        "Ann: " + "x" * 8_000,
        " " * 8_000,
        "~" * 8_000,
        "x" * 100_000,
    ],
    ids=lambda text: text[:20],
)
def test_no_line_is_read_beyond_its_bounds(text: str, tmp_path: Path) -> None:
    match = manual(tmp_path / "game.farkel")
    match.act(Note(0, 0))
    match.close()
    lines = (tmp_path / "game.farkel").read_text()
    found = parse_record(recheck(f"{lines}   2  {text} ~00000000\n").encode())
    assert found.problem is not None
    assert found.problem.code in ("malformed", "illegal", "wrong_note", "too_large")
    assert found.problem.line == lines.count("\n") + 1
    assert found.number == 1
    numbered = parse_record(f"{lines}{'9' * 5_000}  Ann: starts fresh ~00000000\n".encode())
    assert numbered.problem is not None


def test_a_record_never_outgrows_the_reading_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match = manual(tmp_path / "game.farkel")
    match.act(Note(0, 0))
    monkeypatch.setattr("farkel.records.writing.MOST_BYTES", (tmp_path / "game.farkel").stat().st_size + 100)
    match.act(Note(0, 0))
    with pytest.raises(RecordError, match="is full") as refused:
        match.act(Note(0, 0))
    assert refused.value.code == "too_large"
    match.close()
    assert len(read(tmp_path / "game.farkel").moves) == 2


# Names and words -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "Zoë",
        "Zoe\u0308",
        "Nguyễn Thị Ánh",
        "Ngu\u0079e\u0302\u0303n",
        "שָׁלוֹם",
        "प्रिया",
        "ประเสริฐ",
        "李小龍",
        "O’Neill",
        "O'Brien",
        "Ann (mum)",
        "Ann, the Great",
        "Dr: No; yes",
        'Bob "Bo" Lee',
        '"',
        "\\",
        "a ; b: c",
        "A~B",
        "علی\u200cرضا",
        "👨\u200d👩\u200d👧",
        "🏳️\u200d🌈 Kim",
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "क्\u200dष",
        "Игорь",
        "👍🏽",
        "1️⃣",
        "Ω",
    ],
)
def test_names_of_people_are_taken(name: str, tmp_path: Path) -> None:
    match = Match.start(Setup(named("minimal"), (person(name), person("Ben")), "manual"), tmp_path / "game.farkel")
    match.close()
    assert read(tmp_path / "game.farkel").header.names == (name, "Ben")


@pytest.mark.parametrize(
    "names",
    [
        ("Z\u0351\u0352\u0353\u0354\u0355algo",),
        ("a\u202eb",),
        ("a\u2066b",),
        ("a\x07",),
        ("\ud800",),
        ("x" * 100_000,),
        ("",),
        ("\u2800",),
        ("\u3164",),
        ("Ann\u2800",),
        ("\u0301",),
        ("Ann\u200d",),
        ("A\u200b\u200bnn",),
        ("Ann\u00a0Lee",),
        ("Ann", "Ann"),
        ("Zoë", "Zoe\u0308"),
        ("Ann", "ann"),
        ("Ann", "\u0410nn"),  # a Cyrillic A
        ("ANN", "\u0410\u039d\u039d"),  # and Greek Ns
        ("Ann", "\uff21nn"),  # a wide A
        ("Ann", "An\u200cn"),
        ("Ann Lee", "Ann  Lee"),
        ("Ian", "lan"),
        ("Player 1", "Player l"),
    ],
    ids=lambda names: ascii(names)[:30],
)
def test_impossible_names_are_refused_briefly(names: tuple[str, ...]) -> None:
    with pytest.raises(PlayerError) as refused:
        check_seats([person(name) for name in names])
    assert refused.value.code == "bad_name"
    assert len(refused.value.message) < 300


@pytest.mark.parametrize("words", [["x" * 201], ["hop"] * 51, ["a\x00b"], ["\u202e" * 9_000]], ids=lambda _: "")
def test_words_are_bounded(words: list[str]) -> None:
    with pytest.raises(DiceError) as refused:
        mixed_words(words)
    assert refused.value.code == "bad_word"
    assert len(refused.value.message) < 1_500
    assert mixed_words(["x" * 200] * 50)


def test_every_header_that_is_written_is_read(tmp_path: Path) -> None:
    """The longest of everything: rules with every character escaped, teams, words."""
    rules = load("minimal", ['title="t"']).model_copy(update={"about": "\\" * 1_000, "source": "🎲" * 1_000})
    people = tuple("🎲" * 19 + str(number) for number in range(8))
    seats = tuple(record.Seating(f"{number}" + "🎲" * 19, people) for number in range(8))
    words = tuple("🎲" * 200 for _ in range(50))
    match = Match.start(Setup(rules, seats, "committed", words=words), tmp_path / "game.farkel")
    match.throw()
    match.close()
    found = read(tmp_path / "game.farkel")
    assert found.problem is None
    assert found.header.rules == rules
    assert found.header.seats == seats
    assert found.header.dice.words == words
