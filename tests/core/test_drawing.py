"""Pictures made of text: marks are shapes, columns align, and the plot has a plain stand-in."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

import pytest
from rich.cells import cell_len

from farkel.game import Fresh, Keep, Leave, Phase, Throw, is_legal
from farkel.play.match import Match, Setup
from farkel.records.figures import turns
from farkel.rules import load
from farkel.terminal import drawing
from farkel.terminal.drawing import die_art, lives_strokes, score_sheet, scores_plot, whole_sheet
from farkel.terminal.setup import parse_players

MADE: list[Match] = []


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield
    while MADE:
        MADE.pop().close()


def new_match(rules: str, players: str, teams: str = "") -> Match:
    setup = Setup(load(rules), parse_players(players, teams), "seeded", "1")
    MADE.append(Match.start(setup, Path(f"{len(MADE)}.farkel"), datetime(2026, 11, 21)))
    return MADE[-1]


def bots(match: Match, steps: int = 10_000) -> Match:
    """Let the bots play this many steps."""
    for _ in range(steps):
        if match.state.over:
            break
        action = match.decide()
        match.throw() if action is None else match.act(action)
    return match


def turn(match: Match, *events: Throw | Keep | Fresh) -> None:
    while match.state.phase is Phase.START:
        match.throw()
    for event in events:
        match.act(event)


def roll(faces: str) -> Throw:
    return Throw(tuple(map(int, faces)))


# Dice and lives -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("face", range(7))
def test_a_die_has_as_many_pips_as_its_face(face: int) -> None:
    for marked in (False, True):
        art = die_art(face, marked)
        assert "".join(art).count("●") == face
        assert len(art) == 5
        assert {len(line) for line in art} == {7}


def test_marked_dice_differ_by_their_shape() -> None:
    assert [die_art(1, marked)[0] for marked in (True, False)] == ["╔═════╗", "╭─────╮"]
    assert [die_art(1, marked)[2] for marked in (True, False)] == ["║  ●  ║", "│  ●  │"]


@pytest.mark.parametrize(("lives", "strokes"), [(0, ""), (1, "|"), (5, "|||||"), (12, "||||| ||||| ||")])
def test_lives_are_strokes_in_fives(lives: int, strokes: str) -> None:
    assert lives_strokes(lives) == strokes


# The score sheet ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", range(1, 9))
@pytest.mark.parametrize("height", [10, 22, 40])
def test_the_sheet_fits_and_its_columns_align(seats: int, height: int) -> None:
    players = ",".join(["bot:bold", *["bot:cautious"] * (seats - 1)])
    match = bots(new_match("standard", players), 150)
    lines = score_sheet(match, height)
    assert len(lines) <= height
    assert all(len(line) <= drawing.SHEET_WIDTH for line in lines)
    widths = {len(line) for line in lines if line}
    assert len(widths) <= 2
    if height > 10:
        for name, seat in zip(match.names, match.state.seats, strict=True):
            assert name[:6] in "\n".join(lines)
            assert f"{seat.score:,}" in "\n".join(lines)


def test_the_latest_scores_are_shown_below_each_other() -> None:
    match = new_match("standard(start=first_seat)", "Ann,Ben")
    turn(match, roll("112346"), Keep((1, 1), "bank"), roll("223446"), roll("112346"), Keep((1,), "bank"))
    columns = [[cell.strip() for cell in line.split("│")] for line in score_sheet(match, 12) if "│" in line]
    assert columns[2:5] == [["200", "–"], ["300", ""], ["", ""]]
    assert columns[-1] == ["300", "0"]
    assert [line.split("│")[0].strip() for line in score_sheet(match, 6)][-3:-1] == ["300", "─" * 14 + "┼" + "─" * 14]


@pytest.mark.parametrize("seats", [8, 20])
@pytest.mark.parametrize("width", [31, 71])
def test_long_names_are_whole_in_the_room_at_80_columns(seats: int, width: int) -> None:
    names = [f"Bartholomew Smith {number:02}" for number in range(1, seats + 1)]
    match = new_match("standard(start=first_seat, most_seats=20)", ",".join(names))
    turn(match, roll("112346"), Keep((1, 1), "bank"), roll("223446"))
    lines = score_sheet(match, 22, width)
    assert len(lines) <= 22
    assert {cell_len(line) for line in lines if line} == {width}
    assert all(any(name in line for line in lines) for name in names)
    assert lines[0].endswith("200")
    if seats == 8:
        assert [line.strip() for line in lines[1:4:2]] == ["starts" + " " * (width - 12) + "+200", "–"]


def test_the_sheet_takes_the_room_that_names_need() -> None:
    four = new_match("standard", "Bartholomew Smith,Maximilian Jones,Ann,Ben")
    assert drawing.sheet_width(four, 31) == 31
    assert drawing.sheet_width(four, 100) == 4 * 19 - 1
    assert "Bartholomew Smith│ Maximilian Jones" in score_sheet(four, 22, 75)[0]
    assert drawing.sheet_width(new_match("standard", "Ann,Ben"), 100) == 31


def heads(match: Match, rows: int = 8) -> str:
    return "\n".join(score_sheet(match, 22)[:rows])


def test_the_head_shows_the_turn_the_starter_and_players_on_the_board() -> None:
    match = new_match("build-on", "Ann,Ben")
    turn(match)
    assert "▶" + match.names[match.state.seat] in heads(match)
    assert "starts" in heads(match)
    assert heads(match).count("not on") == 2
    turn(match, roll("111146"), Keep((1, 1, 1, 1), "bank"))
    assert heads(match).count("not on") == 1


def test_partners_on_the_board_are_counted() -> None:
    match = new_match("guts-and-luck", "", "Reds=Ann+Ben,Blues=Cy+Di")
    assert match.rules.entry_each
    assert heads(match).count("0/2 on") == 2


def test_O22_lives_are_strokes_above_a_column_of_progressive_scores() -> None:
    match = new_match('original(start="first_seat")', "Ann,Ben")
    turn(
        match, roll("111234"), Keep((1, 1, 1), "bank"), Fresh(), roll("223446"), roll("234445"), Keep((4, 4, 4), "bank")
    )
    lines = [re.split("[│┼]", line) for line in score_sheet(match, 20)]
    sheet, ben = ([line[column].strip() for line in lines] for column in (0, 1))
    strokes, first, second = sheet.index("||||| |||||"), sheet.index("10,000"), sheet.index("14,000")
    assert strokes < first < second
    assert ben[strokes] == "||||| |||||"
    assert ben[first - 1 : second].count("–") == 1


def test_lives_stand_above_the_scores() -> None:
    match = new_match("original", "A,B,C")
    assert heads(match).count("|||||") == 6
    assert heads(new_match("original", "A,B,C,D,E"), 20).count("||||| ||||| ||") == 5
    few = new_match("original(lives.each=30)", "A,B")
    assert heads(few).count("30 lives") == 2


def test_farkles_in_a_row_stand_above_the_scores() -> None:
    rules = "standard(start=first_seat, penalties.farkles_in_row=3, penalties.farkles_in_row_points=500)"
    match = new_match(rules, "Ann,Ben")
    turn(match, roll("223446"), roll("112346"), Keep((1,), "bank"), roll("223446"))
    assert "2 farkles" in heads(match)


def test_the_whole_sheet_has_the_scores_of_all_turns() -> None:
    match = bots(new_match("standard", "bot:bold,bot:cautious"), 400)
    lines = whole_sheet(match, 79)
    column = {line.split("│")[0].strip() for line in lines}
    after = [move.score for move in turns(match.moves) if move.seat == 0]
    assert len(after) > 10
    assert {f"{score:,}" for score in after if score} <= column
    assert lines == [line.rstrip() for line in lines]


def test_seats_that_are_gone_and_the_winner() -> None:
    match = new_match("standard", "Ann,Ben,Cy")
    match.act(Leave(1))
    assert "left" in heads(match)
    match.act(Leave(0))
    assert "wins" in heads(match)


def test_last_turns_are_marked() -> None:
    match = new_match("standard(target=1000, start=first_seat)", "Ann,Ben,Cy")
    turn(match, roll("111246"), Keep((1, 1, 1), "bank"))
    assert heads(match).count("last") == 2
    assert "beat me" in heads(match)
    turn(match, roll("223446"))
    assert "done" in heads(match)
    equal = new_match("standard(target=1000, start=first_seat, finish=equal_turns)", "Ann,Ben,Cy")
    turn(equal, roll("223446"), roll("111246"), Keep((1, 1, 1), "bank"))
    assert "leads" in heads(equal)
    assert heads(equal).count("last") == 1


# The plot -------------------------------------------------------------------------------------------------------------


def played() -> Match:
    return bots(new_match("standard", "bot:bold,bot:cautious"))


def test_the_plot_tells_lines_apart_by_letters() -> None:
    drawn = scores_plot(played(), 60, 12, color=False).splitlines()
    assert drawn[0] == "B Bold  C Cautious"
    assert len(drawn) == 12
    assert all(len(line) <= 60 for line in drawn)
    assert "\033" not in "".join(drawn)
    assert "B" in "".join(drawn[1:])
    assert "C" in "".join(drawn[1:])


def test_the_plot_in_colour_shows_the_same() -> None:
    match = played()
    assert "\033[" in scores_plot(match, 60, 12, color=True)


def test_names_that_begin_alike_get_other_letters() -> None:
    match = bots(new_match("standard", "bot:bold,bot:bold"))
    assert scores_plot(match, 60, 12, color=False).startswith("A Bold  B Bold 2")


@pytest.mark.parametrize("seats", [["bot:bold"], ["bot:bold", "bot:cautious"]])
def test_without_plotext_there_are_bars(monkeypatch: pytest.MonkeyPatch, seats: Sequence[str]) -> None:
    match = bots(new_match("standard", ",".join(seats)))
    monkeypatch.setitem(sys.modules, "plotext", None)
    drawn = scores_plot(match, 60, 12, color=True).splitlines()
    assert len(drawn) == len(seats)
    assert all("█" in line and len(line) <= 60 for line in drawn)


def test_a_game_that_has_hardly_begun_has_bars() -> None:
    match = new_match("standard", "Ann,Ben")
    assert scores_plot(match, 60, 12, color=False).splitlines() == ["Ann  0", "Ben  0"]


def test_a_penalty_shows_in_the_column() -> None:
    match = new_match("zilch(minimum=0)", "Ann,Ben")
    turn(match, roll("111234"), Keep((1, 1, 1), "bank"))
    for _ in range(6):
        turn(match, roll("112346"), Keep((1, 1), "roll"), roll("2346"))
    column = [line.split("│")[0].strip() for line in score_sheet(match, 20)]
    first = column.index("1,000")
    assert column[first : first + 4] == ["1,000", "–", "–", "500"]


def test_wide_characters_keep_the_columns_aligned() -> None:
    match = new_match("standard", "日本語日本語日本語日本語,Ann,Bartholomäus,E,bot:bold")
    for line in score_sheet(match, 20):
        assert cell_len(line) <= drawing.SHEET_WIDTH
    assert {cell_len(line) for line in score_sheet(match, 20) if line} == {drawing.SHEET_WIDTH}


def test_scores_below_zero_are_plotted() -> None:
    match = new_match("standard(rolled.333=-300, start=first_seat)", "Ann,Ben")
    for _ in range(3):
        turn(match, roll("223334"), roll("223446"))
    assert match.state.seats[0].score == -900
    assert "-900" in scores_plot(match, 60, 12, color=False)
    assert match.state.dice_due
    assert is_legal(match.state, roll("112346"))
