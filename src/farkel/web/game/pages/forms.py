"""The forms of a game, as moves."""

from __future__ import annotations

import re
from typing import Any

from pydantic import TypeAdapter, ValidationError
from starlette.datastructures import FormData

from farkel.dice import parse_roll
from farkel.errors import FarkelError
from farkel.support.bounds import quoted
from farkel.web.game.pages.start import allowed_of
from farkel.web.game.submissions import Move
from farkel.web.http import validation

_moves: TypeAdapter[Move] = TypeAdapter(Move)
WITHOUT_SEEING = ("word", "start", "allow", "leave")
"""Moves that are valid whatever has happened since the page was made."""
WHOLE = re.compile(r"[0-9]{1,9}|[0-9]{1,3}([.,'\u066c ])[0-9]{3}(?:\1[0-9]{3}){0,2}")
"""Whole numbers, with or without a sign between their thousands."""
WRITTEN = {
    **{zero + digit: str(digit) for zero in (0x660, 0x6F0, 0x966, 0xFF10) for digit in range(10)},
    **dict.fromkeys((0xA0, 0x2009, 0x202F), " "),
    0x2019: "'",
}
"""Arabic, Persian, Devanagari and wide digits as others, and one space and one apostrophe for all."""
KEPT = ("do", "points", "dice", "farkle", "turn")
"""Fields of an entry that is asked about, and may be sent once more."""


class Unclear(FarkelError):
    """A form that says nothing that could be done."""


def move_of(form: FormData) -> Move:
    """Return the move that a form means. Raises `Unclear`, or `DiceError` for faces that are none."""
    said: dict[str, Any] = {"do": form.get("do", "")}
    match said["do"]:
        case "throw":
            said["faces"] = parse_roll(str(form.get("faces", "")))
            if not said["faces"]:
                raise Unclear("no_dice", "enter the faces that fell, such as 112345")
        case "keep":
            said["dice"] = form.getlist("dice")
            said["then"] = form.get("then", "")
            if not said["dice"]:
                raise Unclear("no_dice", "choose the dice to keep first")
        case "take_over":
            said["dice"] = form.get("dice", "")
        case "leave":
            said["seat"] = form.get("seat", "")
        case "word":
            said |= {"seat": form.get("seat", ""), "word": str(form.get("word", "")).strip()}
            if not said["word"]:
                raise Unclear("bad_word", "write a word of 1 to 40 characters")
        case "note" | "correct":
            said |= _turn(form)
        case "allow":
            said |= _allowed(form)
    try:
        return _moves.validate_python(said)
    except ValidationError as error:
        findings = [{**finding, "loc": finding["loc"][1:]} for finding in error.errors()]  # without the kind of move
        raise Unclear("malformed", validation.said(findings, "the form")) from None


def seen_of(form: FormData) -> int | None:
    """Return the number of the last event that the sender had seen, if it matters."""
    seen = str(form.get("seen", ""))
    return int(seen) if re.fullmatch(r"[0-9]{1,10}", seen) and form.get("do") not in WITHOUT_SEEING else None


def request_of(form: FormData) -> str | None:
    """Return the name of the submission."""
    name = str(form.get("request", ""))
    return name if re.fullmatch(validation.REQUEST, name) else None


def _turn(form: FormData) -> dict[str, Any]:
    farkle = form.get("farkle") == "on"
    points, dice = str(form.get("points", "")).strip(), str(form.get("dice", "")).strip()
    if not farkle and not points:
        raise Unclear("no_points", "enter the points you banked, or press the button for a turn that scored nothing")
    said: dict[str, Any] = {
        "points": points_of(points) if points else 0,
        "dice": dice or None,
        "farkle": farkle,
        "sure": form.get("sure") == "on",
    }
    if form.get("do") == "correct":
        said["turn"] = form.get("turn", "")
    return said


def points_of(text: str) -> int:
    """Return typed points: a sign before exactly three digits groups thousands, as people write in some country.

    Raises `Unclear` for anything else, such as 1.5. It is the rule of ``Typed.number`` on the page.
    """
    said = text.strip().translate(WRITTEN)
    if not WHOLE.fullmatch(said):
        raise Unclear("unclear_points", f"{quoted(text)} is unclear: type the points with digits alone, such as 1500")
    return int(re.sub(r"\D", "", said))


def _allowed(form: FormData) -> dict[str, Any]:
    try:
        return allowed_of(form).model_dump()
    except ValidationError as error:
        raise Unclear("malformed", validation.said(error.errors(), "the form")) from None
