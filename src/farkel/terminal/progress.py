"""The output of commands that know the best play, and their progress: tables for people, JSON for programs."""

from __future__ import annotations

import json
import logging
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from farkel.coach import Advice, Option, PositionError, action_text, leading_to, reason
from farkel.coach.chart import Card
from farkel.dice import Roll, faces_text, parse_roll
from farkel.errors import FarkelError
from farkel.game import Fresh, Keep, Offer, Phase, State, TakeOver
from farkel.game.story import counted
from farkel.rules import Rules
from farkel.terminal.streams import STOPPED, if_stopped

if TYPE_CHECKING:
    from farkel.solve import DiceOdds, Duel, Progress, Race, Trio, Turn

PICTURES = (".svg", ".png", ".pdf")
LATE = 1.0
"""Seconds after which a bar shows how far something is."""
LINES = 10.0
"""Seconds between two lines on a pipe that say so."""
LEAST = 0.01
"""The part of the work that must be done before they say how long the rest takes."""


# Waiting -------------------------------------------------------------------------------------------------------------


@contextmanager
def working(doing: str) -> Iterator[Progress]:
    """Yield a bar on standard error for work that takes longer than a second; on a pipe a line now and then.

    Stopped from the keyboard, the program says so in one line and ends.
    """
    try:
        with (
            telling(),
            _noticed() as pressed,
            _bar(doing) if sys.stderr is not None and sys.stderr.isatty() else _piped(doing) as progress,
        ):

            def told(done: float, of: float) -> None:
                if pressed.is_set():
                    raise KeyboardInterrupt
                progress(done, of)

            yield told
    except KeyboardInterrupt:
        _stop()


@contextmanager
def telling() -> Iterator[None]:
    """Print messages about long work on standard error, also on a pipe: that the program compiles, or waits."""
    log, lines = logging.getLogger("farkel"), _Lines()
    before = log.level
    log.addHandler(lines)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.setLevel(before)
        log.removeHandler(lines)


class _Lines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        if sys.stderr is not None:
            sys.stderr.write(f"{record.getMessage()}\n")
            sys.stderr.flush()


@contextmanager
def _noticed() -> Iterator[threading.Event]:
    """Return whether Ctrl-C was pressed: what that raises may be swallowed on its way through a compiler
    and its callbacks.
    """
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        pressed.set()
        (before if callable(before) else signal.default_int_handler)(number, frame)

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _piped(doing: str) -> Iterator[Progress]:
    began = told = time.monotonic()

    def line(done: float, of: float) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told < LINES or not LEAST * of <= done < of or sys.stderr is None:
            return
        told = now
        left = round((now - began) * (of - done) / done)
        sys.stderr.write(f"{doing}: {done / of:.0%} done, about {left:,} s left\n")
        sys.stderr.flush()

    yield line


@contextmanager
def _bar(doing: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(doing, total=None)
    late = threading.Timer(LATE, bar.start)
    late.daemon = True
    late.start()
    try:
        with if_stopped(bar.stop):
            yield lambda done, of: bar.update(task, completed=done, total=of)
    finally:
        late.cancel()
        late.join()
        bar.stop()


def _stop() -> NoReturn:
    sys.stderr.write("Stopped.\n")
    sys.exit(STOPPED)


# Input ----------------------------------------------------------------------------------------------------------------


def numbers(text: str, what: str) -> tuple[int, ...]:
    """Return the numbers of ``4500,6200``. Raises `PositionError` ``not_numbers``."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise PositionError(
            "not_numbers", f'{what}: "{text}" is not a list of numbers; separate them with commas: 4500,6200'
        ) from None


def answers(text: str, what: str) -> tuple[bool, ...]:
    """Return the answers of ``yes,no``. Raises `PositionError` ``not_answers``."""
    known = {"yes": True, "y": True, "no": False, "n": False}
    parts = [part.strip().lower() for part in text.split(",")]
    if not all(part in known for part in parts):
        raise PositionError(
            "not_answers", f'{what}: "{text}" is not a list of yes and no; separate them with commas: yes,no'
        )
    return tuple(known[part] for part in parts)


def faces(text: str) -> Roll:
    """Return the roll of ``152233``. Raises `DiceError`; how many dice there can be is for the rules to say."""
    return parse_roll(text, most=len(text))


def offer(text: str) -> Offer:
    """Return the offer of ``350:2``: points, and dice. Raises `PositionError` ``bad_offer``."""
    points, _, dice = text.partition(":")
    try:
        return Offer(int(points), int(dice))
    except ValueError:
        raise PositionError(
            "bad_offer", f'"{text}" is not an offer; write the points and the dice on offer: 350:2'
        ) from None


def picture(path: Path) -> Path:
    """Return the path, if a picture can be drawn there. Raises `FarkelError` before any work is done."""
    if path.suffix.lower() not in PICTURES:
        raise FarkelError("bad_picture", f"cannot write {path}: the file name must end in .svg, .png or .pdf")
    if not path.absolute().parent.is_dir():
        raise FarkelError("unwritable", f"{path} cannot be written: there is no folder {path.parent}")
    return path


# odds, turn, race, solve ---------------------------------------------------------------------------------------------


def odds_json(odds: Mapping[int, DiceOdds]) -> str:
    """Return exact fractions, by the number of dice."""
    return _json(
        {
            "dice": {
                str(dice): {
                    "farkle": str(one.farkle),
                    "hot_dice": str(one.hot_dice),
                    "mean_best": str(one.mean_best),
                }
                for dice, one in odds.items()
            }
        }
    )


def odds_text(rules: Rules, odds: Mapping[int, DiceOdds]) -> str:
    """Return a line for each number of dice."""
    rows = [["dice", "farkle", "", "hot dice", "", "average points", ""]]
    for dice, one in odds.items():
        rows.append(
            [
                str(dice),
                f"{float(one.farkle):.2%}",
                str(one.farkle),
                f"{float(one.hot_dice):.2%}",
                str(one.hot_dice),
                f"{float(one.mean_best):,.2f}",
                str(one.mean_best),
            ]
        )
    return f"One roll under {rules}\n\n{table(rows, '>>>>>>>')}"


def turn_json(turn: Turn) -> str:
    """Return the points of a turn, and the totals to bank from, by the dice left; null is never."""
    return _json(
        {
            "expected_points": turn.expected_points,
            "bank_at": {str(dice): points for dice, points in turn.bank_at.items()},
        }
    )


def turn_text(rules: Rules, turn: Turn) -> str:
    """Return the average of the best turn, and the totals to bank from."""
    dice = sorted(turn.bank_at)
    totals = ((each in turn.may_bank, turn.bank_at[each]) for each in dice)
    cells = ("–" if not may else "never" if total is None else f"{total:,}" for may, total in totals)
    rows = [["dice left", *map(str, dice)], ["bank from", *cells]]
    long_run = " in the long run" if rules.penalties.farkles_in_row else ""
    return (
        f"Best play for points under {rules}: {turn.expected_points:,.4f} points per turn{long_run}\n\n"
        f"{table(rows, '<' + '>' * len(dice))}\n\n"
        "Bank once your turn total reaches this number; until then, keep rolling."
        + ("\n–: the rules allow no bank that leaves this many dice." if len(turn.may_bank) < len(dice) else "")
        + (
            f"\nThe entry score of {rules.entry:,} is needed only once; these numbers leave it out."
            if rules.entry
            else ""
        )
        + ("\nThese numbers also leave out the scores where nobody may rest." if rules.zones else "")
    )


def race_json(race: Race) -> str:
    """Return the turns of a player alone; with lives also the chance to reach the target before they run out."""
    content = {"expected_turns": race.expected_turns}
    return _json(content | ({"reaches": race.reaches} if race.rules.lives.each else {}))


def race_text(rules: Rules, race: Race) -> str:
    """Return the turns of a player alone, in a sentence."""
    if rules.lives.each:
        return (
            f"Alone to {rules.target:,} under {rules}: reached with a chance of {race.reaches:.6f} at best, "
            f"in {race.expected_turns:.6f} turns on average until then or until no life is left"
        )
    return f"Alone to {rules.target:,} under {rules}: {race.expected_turns:.6f} turns at best, on average"


def solve_json(duel: Duel) -> str:
    """Return the chances and how they were found; ``nobody_wins`` only if the rules know such an end."""
    from farkel.solve import head_start, life_lost

    content: dict[str, Any] = {"first_player_wins": duel.first_player_wins}
    if duel.nobody_wins is not None:
        content["nobody_wins"] = duel.nobody_wins
    fair, life = head_start(duel), life_lost(duel)
    content["head_start"] = fair._asdict()
    if life is not None:
        content["life_lost"] = life
    content |= {"states": duel.states, "residual": duel.residual, "seconds": duel.seconds}
    return _json(content | {"rules": str(duel.rules), "digest": duel.rules.digest})


def solve_text(duel: Duel) -> str:
    """Return the chances of both sides, and how they were found."""
    from farkel.solve import head_start, life_lost

    nobody = duel.nobody_wins or 0.0
    rows = [
        ["the first player wins", f"{duel.first_player_wins:.8f}"],
        ["the second player wins", f"{1 - nobody - duel.first_player_wins:.8f}"],
    ]
    rows += [["nobody wins", f"{nobody:.8f}"]] if duel.nobody_wins is not None else []
    fair, life = head_start(duel), life_lost(duel)
    rows += [["fairest head start", f"{fair.points:,}"]]
    rows += [["a life less costs", f"{life:.4f}"]] if life is not None else []
    rows += [
        ["states", f"{duel.states:,}"],
        ["residual", f"{duel.residual:.1e}"],
        ["seconds", f"{duel.seconds:,.1f}"],
    ]
    return f"Best play of two players under {duel.rules}\n\n{table(rows, '<>')}" + (
        f"\n\nKept in {duel.path}" if duel.path else ""
    )


def trio_json(trio: Trio) -> str:
    """Return the chances of three seats, and how they were found."""
    return _json(
        {"wins": list(trio.wins), "states": trio.states, "residual": trio.residual, "mixed": trio.mixed}
        | {"seconds": trio.seconds, "rules": str(trio.rules), "digest": trio.rules.digest}
    )


def trio_text(trio: Trio) -> str:
    """Return the chances of three seats, and how they were found."""
    rows = [
        [f"the {which} player wins", f"{chance:.8f}"]
        for which, chance in zip(("first", "second", "third"), trio.wins, strict=True)
    ]
    rows += [
        ["states", f"{trio.states:,}"],
        ["residual", f"{trio.residual:.1e}"],
        ["mixed circles", f"{trio.mixed:,}"],
        ["seconds", f"{trio.seconds:,.1f}"],
    ]
    kept = f"\n\nKept in {trio.path}" if trio.path else ""
    return f"An equilibrium of three players under {trio.rules}\n\n{table(rows, '<>')}{kept}"


# advise --------------------------------------------------------------------------------------------------------------


def decidable(state: State) -> None:
    """Raise `PositionError` ``nothing_to_decide`` if the turn begins with a roll."""
    if state.phase is Phase.ROLL:
        leading_to(state)


def advise_json(advice: Advice) -> str:
    """Return every legal action, best first."""
    state = advice.state
    return _json(
        {
            "rules": str(state.rules),
            "exact": advice.exact,
            "wins": advice.chance(advice.best),
            "reason": reason(advice),
            "actions": [
                {
                    **action_json(option.action),
                    "wins": advice.chance(option),
                    "cost": option.cost,
                    "turn_total": option.total,
                    "expected_points": option.points,
                    "rolls": option.dice,
                    "farkle": str(option.farkle),
                }
                for option in advice.options
            ],
        }
    )


def action_json(action: object) -> dict[str, Any]:
    """Return an action as ``action`` (``roll``, ``bank``, ``fresh``, ``take_over``), the ``dice`` kept and
    those taken.
    """
    match action:
        case Keep(dice, then):
            return {"action": then, "keep": dice}
        case TakeOver(dice):
            return {"action": "take_over", "take": dice}
        case Fresh():
            return {"action": "fresh"}
    return {}


def advise_text(advice: Advice) -> str:
    """Return the position, the best action and why, and every legal action from the best to the worst."""
    rows = [["", "", "turn total", "wins", "costs", "points", "farkles"]]
    met: dict[State, int] = {}
    for number, option in enumerate(advice.options, 1):
        same = option.after in met
        met.setdefault(option.after, number)
        rows.append(["=" if same else f"{number}", *_option_row(advice, option)])
    lines = [position_text(advice.state), "", f"Best: {action_text(advice.best.action)}.", reason(advice), ""]
    lines.append(table(rows, "><>>>>>"))
    lines += ["", "wins: winning chance with best play from then on" + ("." if advice.exact else " (approximate).")]
    lines.append("costs: winning chance given away. points: average of this turn. farkles: chance on the next roll.")
    if "=" in (row[0] for row in rows):
        lines.append("=: leads to the same position as the line above.")
    return "\n".join(lines)


def _option_row(advice: Advice, option: Option) -> list[str]:
    return [
        action_text(option.action),
        f"{option.total:,}",
        f"{advice.chance(option):.2%}",
        f"{option.cost:.2%}",
        f"{option.points:,.1f}",
        f"{float(option.farkle):.1%}" if option.dice else "–",
    ]


def position_text(state: State) -> str:
    """Return everything that is taken to be so: the seats from the one that moves on, and the turn."""
    rules, seats = state.rules, len(state.seats)
    names = ["you", "the other"] if seats == 2 else ["you", *(f"seat {number}" for number in range(2, seats + 1))]
    rows = []
    for step, name in enumerate(names):
        number = (state.seat + step) % seats
        seat = state.seats[number]
        notes = [] if seat.on_board else ["not on the board"]
        notes += [counted(seat.lives, "life", "lives")] if rules.lives.each else []
        notes += [f"{counted(seat.farkles, 'farkle', 'farkles')} in a row"] if seat.farkles else []
        notes += ["out"] if seat.status != "in" else []
        notes += ["began the last turns"] if number == state.closer and rules.finish == "last_turns" else []
        notes += ["has reached the target"] if number == state.closer and rules.finish != "last_turns" else []
        rows.append([f"{name}:", f"{seat.score:,}", ", ".join(notes)])
    lines = [f"Under {rules}", table(rows, "<><")]
    if state.offer is not None:
        lines.append(f"On offer: {state.offer.points:,} points with {counted(state.offer.dice, 'die', 'dice')}.")
    else:
        roll = f"rolled {faces_text(state.roll, '-')}" if state.phase is Phase.KEEP else f"{_dice(state.dice)} left"
        idle = f", {_dice(state.idle)} not bought" if state.idle else ""
        lines.append(f"Turn total {state.points:,}, {roll}{idle}.")
    if state.standing:
        lines.append(f"You are the last player standing, with {counted(state.standing, 'round', 'rounds')} left.")
    elif state.rounds_left and state.closer < 0:
        lines.append(f"{_sentence(counted(state.rounds_left, 'round', 'rounds'))} left, including this one")
    return "\n".join(lines)


# chart ---------------------------------------------------------------------------------------------------------------


def card_json(card: Card) -> str:
    """Return the tables of a strategy card, row by row."""
    return _json(
        {
            "rules": str(card.rules),
            "first_player_wins": card.first_player_wins,
            "expected_points": card.expected_points,
            "tables": [
                {
                    "title": one.title,
                    "note": one.note,
                    "columns": one.columns,
                    "rows": [
                        {"label": label, "cells": cells} for label, cells in zip(one.labels, one.cells, strict=True)
                    ],
                }
                for one in card.tables
            ],
        }
    )


# Small things --------------------------------------------------------------------------------------------------------


def table(rows: Sequence[Sequence[str]], align: str) -> str:
    """Return the rows with their columns aligned: ``<`` left, ``>`` right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(align))]
    return "\n".join(
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(row, align, widths, strict=True)).rstrip()
        for row in rows
    )


def _dice(dice: int) -> str:
    return counted(dice, "die", "dice")


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _json(content: object) -> str:
    return json.dumps(content, ensure_ascii=False)
