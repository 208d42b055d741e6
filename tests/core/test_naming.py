"""What players may be called, and how names are written where signs have a meaning."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from farkel.errors import PlayerError
from farkel.game import Keep, Leave, Note, Throw, apply
from farkel.records import (
    DiceSpec,
    Header,
    Seating,
    check_seats,
    event_text,
    fall_text,
    finished,
    header_lines,
    naming,
    parse_record,
    person_decided,
    read,
    record_text,
)
from farkel.rules import named
from farkel.terminal.app.setup_screen import seats_of
from farkel.terminal.setup import parse_players

NAMES = st.text(max_size=24)
ODD = st.text(alphabet="aB 1,:;()~\"'\\+=", min_size=1, max_size=20)


@given(NAMES)
def test_a_name_is_possible_or_refused_with_its_reason(name: str) -> None:
    why = naming.fault(name)
    if not why:
        check_seats([Seating(name, (name,))])
        return
    with pytest.raises(PlayerError) as refused:
        check_seats([Seating(name, (name,))])
    assert refused.value.message.endswith(f"is not a valid name: {why}")
    assert refused.value.message.isprintable() or "\u200c" in name or "\u200d" in name


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("a\u202eb", "its character 2 (U+202E) is invisible, or changes the text around it"),
        ("Ann\t", "its character 4 (U+0009) is a control character"),
        ("\u2800", "its character 1 (U+2800) shows nothing"),
        ("Ann\u200d", "its character 4 (U+200D) is invisible, and stands between no two letters"),
        ("x" * 21, "it has 21 characters, and at most 20 are allowed"),
        ("", "it has no visible character"),
        (" Ann", "it begins or ends with a space"),
    ],
)
def test_the_reason_names_the_character(name: str, why: str) -> None:
    assert naming.fault(name) == why


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ann", "Anna"), ("Ali", "All"), ("Zoë", "Zoe"), ("Анна", "Anna"), ("Bo 1", "Bo 2"), ("李", "王"), ("👍", "👎")],
)
def test_names_that_differ_are_different(one: str, other: str) -> None:
    assert not naming.alike(one, other)
    check_seats([Seating(name, (name,)) for name in (one, other)])


@given(ODD.filter(lambda name: not naming.fault(name)))
def test_any_name_is_typed_and_read(name: str) -> None:
    typed = naming.typed(name)
    assert naming.parts(f"{typed}, human:{typed}", ",") == [typed, f"human:{typed}"]
    assert naming.unquoted(typed) == name
    assert parse_players(f"human:{typed}") == (Seating(name, (name,)),)
    if naming.QUOTED.fullmatch(typed):
        assert parse_players(typed) == (Seating(name, (name,)),)


def test_players_in_words() -> None:
    def names(text: str, teams: str = "") -> list[tuple[str, tuple[str, ...]]]:
        return [(seat.name, seat.people) for seat in parse_players(text, teams)]

    assert [name for name, _ in names("O'Brien,Ann (mum)")] == ["O'Brien", "Ann (mum)"]
    assert [name for name, _ in names('"Cy, the Great",human:"Dr: No"')] == ["Cy, the Great", "Dr: No"]
    assert [name for name, _ in names('Bob "Bo" Lee,5" Ann')] == ['Bob "Bo" Lee', '5" Ann']
    assert names("", '"Red, hot"="A+B"+C,D') == [("Red, hot", ("A+B", "C")), ("D", ("D",))]
    assert seats_of('"A+B"') == (Seating("A+B", ("A+B",)),)


@given(ODD.filter(lambda name: not naming.fault(name) and not naming.alike(name, "Bo")))
def test_any_name_is_written_and_read_in_records(name: str) -> None:
    seats = (Seating(name, ("Cy", name)), Seating("Bo", ("Bo",)))
    header = Header(named("minimal"), seats, DiceSpec("manual"), "2026-01-01 12:00")
    state, lines = header.new_game(), []
    for event in (Throw((1, 2, 3, 4, 6, 6)), Keep((1,), "bank"), Note(300, 2), Leave(0)):
        after = apply(state, event)
        lines.append(event_text(event, state, after, header.names))
        state = after
    found = parse_record(record_text(header, [fall_text(name), *lines]).encode())
    assert found.problem is None
    assert found.header == header
    assert found.fallen == 1
    assert found.state == state


@pytest.mark.parametrize("name", ["x: a ; game over, ", "Ann (mum)", 'a": human', "Ann"])
def test_a_name_is_not_taken_for_what_it_says(name: str, tmp_path: Path) -> None:
    seats = (Seating(name.strip(), (name.strip(),)), Seating("Bold", ("Bold",), "bot:bold"))
    header = Header(named("minimal"), seats, DiceSpec("manual"), "2026-01-01 12:00")
    path, who = tmp_path / "game.farkel", seats[0].name
    before = header.new_game()
    rolled = apply(before, Throw((1, 2, 3, 4, 6, 6)))
    lines = [event_text(Throw((1, 2, 3, 4, 6, 6)), before, rolled, header.names)]
    path.write_text(record_text(header, lines), "utf-8")
    assert (finished(path), person_decided(path)) == (False, False)
    kept = apply(rolled, Keep((1,), "bank"))
    lines += [event_text(Keep((1,), "bank"), rolled, kept, header.names)]
    path.write_text(record_text(header, lines), "utf-8")
    assert (finished(path), person_decided(path)) == (False, True)
    lines += [event_text(Leave(0), kept, apply(kept, Leave(0)), header.names)]
    path.write_text(record_text(header, lines), "utf-8")
    assert finished(path)
    assert who in read(path).header.names


def test_partners_are_told_apart_too() -> None:
    check_seats([Seating("Ann", ("Ann", "Ben")), Seating("Reds", ("Ann", "Cy"))])
    with pytest.raises(PlayerError, match='"Ann" and "ANN" look alike'):
        check_seats([Seating("Reds", ("Ann", "ANN"))])


def test_names_without_signs_are_written_as_before() -> None:
    header = Header(
        named("minimal"), (Seating("Zoë +=", ("Cy", "Di")), Seating("O'Brien", ("O'Brien",))), DiceSpec(), "now"
    )
    assert header_lines(header)[-3:-1] == ["    Zoë += (Cy, Di): human", '    "O\'Brien": human']


def test_records_with_names_that_are_not_given_any_more_are_read() -> None:
    seats = tuple(Seating(name, (name,)) for name in ("Ann", "ann", "\u0410nn", "\u2800", "Zoë", "Zoe\u0308"))
    header = Header(named("minimal"), seats, DiceSpec("manual"), "2026-01-01 12:00")
    assert header_lines(header)[-7:-1] == [f"    {seat.name}: human" for seat in seats]
    assert parse_record(record_text(header, ["Ann: rolls 2 2 3 3 4 6 ; farkle"]).encode()).header == header
    for some, said in (seats[:2], "look alike"), (seats[3:4], "shows nothing"):
        with pytest.raises(PlayerError, match=said):
            check_seats(some)
