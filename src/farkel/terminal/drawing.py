"""Pictures made of text: dice with pips, strokes for lives, the score sheet, and the scores as a plot.

Pure functions of their arguments. Nothing here depends on colour: shapes alone show the marks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import ceil
from textwrap import wrap

from rich.cells import cell_len, set_cell_size

from farkel.game import Seat
from farkel.play.match import Match
from farkel.records.figures import TurnFigures, turns
from farkel.rules import farkle_word
from farkel.support.words import counted, several

LEFT, MIDDLE, RIGHT, BOTH, NONE = "●    ", "  ●  ", "    ●", "●   ●", "     "

PIPS: Mapping[int, tuple[str, str, str]] = {
    0: (NONE, NONE, NONE),
    1: (NONE, MIDDLE, NONE),
    2: (LEFT, NONE, RIGHT),
    3: (LEFT, MIDDLE, RIGHT),
    4: (BOTH, NONE, BOTH),
    5: (BOTH, MIDDLE, BOTH),
    6: (BOTH, BOTH, BOTH),
}
"""The three lines inside a die; 0 is a die that has not been thrown."""

SHOWN_LIVES = 20
"""More lives than this are shown as a number: too many strokes to count."""

SHEET_WIDTH = 31
"""The room for the sheet beside six dice in a terminal of 80 columns."""
NOT_ON_BOARD = " not on board"
MIN_COLUMN, MOST_COLUMN = 7, 14
"""A column is wide enough for 100,000, and no wider than this or the longest name."""
ROW_SCORES = 22
"""Cells for the score and the details in a row, beside the name."""
FRAME = 3
"""Lines of a column beside its head and scores: two rules, and the total."""
HEAD_HEIGHT = 11
"""Lines above and below the scores of a column, at most."""


# Dice ----------------------------------------------------------------------------------------------------------------


def die_art(face: int, marked: bool = False) -> list[str]:
    """Return one die in five lines of seven; a marked one has a double border. Face 0 is a die not thrown yet."""
    top, side, bottom = ("╔═════╗", "║", "╚═════╝") if marked else ("╭─────╮", "│", "╰─────╯")
    return [top, *(f"{side}{pips}{side}" for pips in PIPS[face]), bottom]


def small_die_art(face: int, marked: bool = False) -> list[str]:
    """Return one die in three lines of three; a marked one has a double border."""
    top, side, bottom = ("╔═╗", "║", "╚═╝") if marked else ("╭─╮", "│", "╰─╯")
    return [top, f"{side}{face or ' '}{side}", bottom]


# Lives ---------------------------------------------------------------------------------------------------------------


def lives_strokes(lives: int) -> str:
    """Return lives as strokes in groups of five, as they are kept on paper: ``||||| ||``."""
    return " ".join("|" * min(5, lives - done) for done in range(0, lives, 5))


# The score sheet -----------------------------------------------------------------------------------------------------


def score_sheet(match: Match, height: int, width: int = SHEET_WIDTH) -> list[str]:
    """Return the score sheet as text for this room, with an arrow at the player whose turn it is.

    Each player has a column with the latest scores below each other and the total last. If the names do not fit above
    columns, each player has rows instead.
    """
    played = turns(match.moves)
    seats = range(len(match.names))
    if _columns_fit(match, width) and _least_head(match) + FRAME <= height:
        column = min(max(MOST_COLUMN, _longest(match)), (width + 1) // len(seats) - 1)
        return _band(match, seats, played, height, column)[:height]
    return _rows(match, played, height, width)


def sheet_width(match: Match, room: int) -> int:
    """Return the columns of the terminal that the sheet makes use of, at most ``room``."""
    seats = len(match.names)
    wanted = seats * (max(MOST_COLUMN, _longest(match)) + 1) - 1
    if _columns_fit(match, room):
        return min(room, max(SHEET_WIDTH, wanted))
    return min(room, max(SHEET_WIDTH, _longest(match) + ROW_SCORES))


def whole_sheet(match: Match, width: int) -> list[str]:
    """Return the score sheet with the scores of all turns, however high that is: players side by side, in bands."""
    played = turns(match.moves)
    seats = len(match.names)
    most = max(sum(turn.seat == seat for turn in played) for seat in range(seats))
    named = max(_least_column(match), _longest(match))
    across = min(seats, max(1, (width + 1) // (named + 1)))
    across = ceil(seats / ceil(seats / across))
    column = min(max(MOST_COLUMN, named), (width + 1) // across - 1)
    lines: list[str] = []
    for first in range(0, seats, across):
        lines += _band(match, range(first, min(seats, first + across)), played, HEAD_HEIGHT + most, column)
    return [line.rstrip() for line in lines if line.strip(" │")]


def _longest(match: Match) -> int:
    """Return the cells of the longest name, with the arrow before it."""
    return max(map(cell_len, match.names)) + 1


def _columns_fit(match: Match, width: int) -> bool:
    """Check whether a column for each player is wide enough for its name and scores."""
    column = (width + 1) // len(match.names) - 1
    return column >= max(_least_column(match), _longest(match))


def _least_column(match: Match) -> int:
    """Return the least width of a column: nothing in it is cut."""
    return max(MIN_COLUMN, len(NOT_ON_BOARD)) if match.state.rules.entry else MIN_COLUMN


def _rows(match: Match, played: Sequence[TurnFigures], height: int, width: int) -> list[str]:
    """Return a line for each player, and a second one with details and the latest turns if there is room for it."""
    seats: Sequence[int] = range(len(match.names))
    detailed, apart = 2 * len(seats) <= height, 3 * len(seats) <= height + 1
    if len(seats) > height:  # those who play next
        around = [*seats[match.state.seat :], *seats[: match.state.seat]]
        more = len(seats) - height + 1
        return [_row(match, seat, width) for seat in around[:-more]] + [f" and {more} more: press S"]
    lines: list[str] = []
    for seat in seats:
        lines += [""] * (apart and seat > 0)
        lines.append(_row(match, seat, width, not detailed))
        if detailed:
            lines.append(_details(match, seat, played, width))
    return lines[:height]


def _row(match: Match, seat: int, width: int, told: bool = True) -> str:
    """Return the name and the score of a player, and if it is told and fits, the place in the game between them."""
    total = f"{match.state.seats[seat].score:,}"
    room = width - len(total) - 1
    name = f"{_arrow(match, seat)}{_cut(match.names[seat], room - 1)}"
    for standing in ("".join(_place(match, seat)), _standing(match, seat)):
        if told and cell_len(name) + len(standing) <= room:
            return f"{set_cell_size(name + standing, room)} {total}"
    return f"{set_cell_size(name, room)} {total}"


def _details(match: Match, seat: int, played: Sequence[TurnFigures], width: int) -> str:
    """Return a player's state, and as many of the latest turns as there is room for: points, or – for nothing."""
    state = match.state
    each, lives = state.rules.lives.each, state.seats[seat].lives
    strokes = lives_strokes(lives) if each <= SHOWN_LIVES else ""
    about = [*([f"{strokes} {_lives(lives)}"] if each else []), *_place(match, seat)]
    standing = " ".join(part.strip() for part in about if part.strip())
    shown = ""
    for turn in reversed([turn for turn in played if turn.seat == seat]):
        points = f"+{turn.points:,}" if turn.points else "–"
        if len(standing) + len(shown) + len(points) + 4 > width:
            break
        shown = f"{points} {shown}".strip()
    line = f"  {standing}"
    gap = width - len(line) - len(shown)
    return f"{line}{' ' * gap}{shown}"[:width] if state.seats[seat].status == "in" else line[:width]


def _place(match: Match, number: int) -> list[str]:
    """Return the entry score and farkles in a row of a seat, if the rules count them, and its place in the game."""
    rules, seat = match.state.rules, match.state.seats[number]
    lines = [_entry(seat, rules.entry_each)] if rules.entry else []
    if rules.penalties.farkles_in_row:
        word = farkle_word(rules.name)
        lines.append(f" {counted(seat.farkles, word, several(word))}" if seat.farkles else "")
    return [*lines, _standing(match, number)]


def _arrow(match: Match, number: int) -> str:
    return "▶" if number == match.state.seat and not match.state.over else " "


def _cut(text: str, width: int) -> str:
    """Return the text, cut with an ellipsis if it is wider."""
    return text if cell_len(text) <= width else f"{set_cell_size(text, max(0, width - 1)).rstrip()}…"


def _band(match: Match, seats: Iterable[int], played: Sequence[TurnFigures], height: int, width: int) -> list[str]:
    """Return some columns of the sheet: heads of equal height, then as many scores as there is room for,
    then the totals.
    """
    seats = list(seats)
    heads = [_head(match, seat, width) for seat in seats]
    if len(heads[0]) + FRAME > height:
        heads = [_head(match, seat, width, strokes=False) for seat in seats]
    tall = len(heads[0])
    room = max(0, height - tall - FRAME)
    columns = []
    for seat, head in zip(seats, heads, strict=True):
        after = (0, *(turn.score for turn in played if turn.seat == seat))
        scores = [f"{now:,}" if now != was else "–" for was, now in pairwise(after)]
        shown = scores[len(scores) - room :] if len(scores) > room else scores
        total = f"{match.state.seats[seat].score:,}"
        cells = [*_padded(head, tall), "─" * width, *_padded(shown, room), "─" * width, total]
        columns.append([" " * (width - cell_len(cell)) + cell for cell in cells])
    return ["│".join(cells).replace("─│─", "─┼─") for cells in zip(*columns, strict=True)]


def _head(match: Match, number: int, width: int, strokes: bool = True) -> list[str]:
    """Return the head of a seat's column: its name, its lives and its place in the game."""
    state, seat = match.state, match.state.seats[number]
    lines = [f"{_arrow(match, number)}{_cut(match.names[number], width - 1)}"]
    each = state.rules.lives.each
    if each:
        lines.append(f" {_lives(seat.lives)}")
    if each and strokes and each <= SHOWN_LIVES:
        lines += _wrapped_strokes(seat.lives, each, width)
    lines += _place(match, number)
    return [set_cell_size(line, width) for line in lines]


def _least_head(match: Match) -> int:
    """Return the lines of a head without strokes for lives."""
    return 1 + bool(match.state.rules.lives.each) + len(_place(match, 0))


def _lives(lives: int) -> str:
    return counted(lives, "life", "lives")


def _wrapped_strokes(lives: int, each: int, width: int) -> list[str]:
    """Return strokes for lives in groups of five, wrapped to the column; always as many lines: columns align."""
    across = max(1, width // 6)
    strokes = lives_strokes(lives).split()
    lines = [" " + " ".join(strokes[start : start + across]) for start in range(0, len(strokes), across)]
    return _padded(lines, ceil(ceil(each / 5) / across))


def _entry(seat: Seat, each_person: bool) -> str:
    """Return whether the entry score is made; for partners who each make it, how many of them have."""
    if not each_person or seat.people == 1:
        return " on board" if seat.on_board else NOT_ON_BOARD
    made = seat.people if seat.entered < 0 else seat.entered.bit_count()
    return f" {made}/{seat.people} on"


def _standing(match: Match, number: int) -> str:
    """Return one word, if the game has one for the seat: gone, the score to beat, a last turn, who started."""
    state, seat = match.state, match.state.seats[number]
    if seat.status != "in":
        return f" {seat.status}"
    if state.result is not None:
        return " wins" if number in state.result.winners else ""
    if state.tied:
        return " ties" if state.tied >> number & 1 else " done"
    if state.may_cancel:
        return " waits" if number == state.closer else ""
    if number == state.closer:
        return " beat me" if state.rules.finish == "last_turns" else " leads"
    if state.closer >= 0:
        return " last" if _still_to_play(match, number) else " done"
    return " starts" if not state.throws and len(state.seats) > 1 and number == state.first else ""


def _still_to_play(match: Match, number: int) -> bool:
    """Return whether a seat still has its last turn, or is in it: play ends at the closer, or where the round began."""
    state = match.state
    if state.owed:
        return bool(state.owed >> number & 1)
    stop = state.closer if state.rules.finish == "last_turns" else state.first
    seats = len(state.seats)
    return (number - state.seat) % seats < ((stop - state.seat) % seats or seats)


def _padded(lines: Sequence[str], height: int) -> list[str]:
    return [*lines, *[""] * (height - len(lines))]


# The plot ------------------------------------------------------------------------------------------------------------


def scores_plot(match: Match, width: int, height: int, color: bool) -> str:
    """Return the scores round by round as a plot in text; as plain bars if plotext cannot draw or the
    game is too short.
    """
    played = turns(match.moves)
    lines = [[0, *(turn.score for turn in played if turn.seat == seat)] for seat in range(len(match.names))]
    if max(map(len, lines)) < 3:
        return _bars(match, width)
    try:
        return _plotted(lines, _letters(match.names), match.names, width, height, color)
    except (ImportError, OSError):
        return _bars(match, width)


def _plotted(
    lines: Sequence[Sequence[int]],
    letters: Sequence[str],
    names: Sequence[str],
    width: int,
    height: int,
    color: bool,
) -> str:
    import plotext

    plotext.terminal.limit(False, False)
    figure = plotext.figure
    figure.clear()
    named = "  ".join(f"{letter}\xa0{name}" for letter, name in zip(letters, names, strict=True))
    legend = wrap(named, width, break_long_words=False)
    figure.plot_size(width, height - len(legend))
    figure.theme("simple")
    figure.legend(False)
    rounds = max(map(len, lines)) - 1
    step = max(1, ceil(rounds / max(1, width // 8)))
    figure.ruler("x").ticks(list(range(0, rounds + 1, step)), [str(tick) for tick in range(0, rounds + 1, step)])
    top, bottom = max(map(max, lines)), min(map(min, lines))
    ticks = sorted({bottom, 0, top // 2, top})
    figure.ruler("y").ticks(ticks, [f"{tick:,}" for tick in ticks])
    for line, letter in zip(lines, letters, strict=True):
        figure.draw(figure.signal(list(range(len(line))), list(line), marker=letter).lines())
    drawn: str = figure.build().string(colorless=not color)
    return "\n".join([*legend, drawn.rstrip()]).replace("\xa0", " ")


def _letters(names: Sequence[str]) -> list[str]:
    """Return a letter for each line of the plot: the first of its name if those differ, else A, B, C, ..."""
    first = [name[0].upper() for name in names]
    return first if len(set(first)) == len(first) else [chr(ord("A") + index) for index in range(len(names))]


def _bars(match: Match, width: int) -> str:
    """Return the scores as bars: what can be drawn anywhere."""
    scores = [seat.score for seat in match.state.seats]
    widest = max(map(len, match.names))
    room = max(1, width - widest - 10)
    most = max(1, *scores)
    return "\n".join(
        f"{name:<{widest}} {'█' * max(0, room * score // most)} {score:,}"
        for name, score in zip(match.names, scores, strict=True)
    )
