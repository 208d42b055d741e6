"""Bounds on text from outside: how much of it is looked at, how deep it may nest, how much of it is quoted.

`toml_excess` and `json_excess` read a text once, from left to right, before a parser does. They see strings and
comments as the parser sees them, so brackets, dots and signs within those do not count.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import Any, NamedTuple

MOST_TEXT = 65_536
"""Characters of a text with rules, or of a JSON body."""
MOST_NESTING = 16
"""Brackets within brackets, and names in a dotted key."""
MOST_FIELDS = 500
"""Fields, lists and tables in one text."""
MOST_SEATS = 20
"""Seats of a game."""
MOST_NOTED = 1_000_000
"""More points than this are a typing error, not a turn total."""
MOST_QUOTED = 100
"""The number of characters that an error quotes of a given text."""


class Excess(NamedTuple):
    """Why a text is not parsed: a stable code, and a clause to follow the name of the text."""

    code: str
    clause: str


UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""What a file in UTF-16 begins with."""
TOO_LARGE = Excess("too_large", f"is too long: at most {MOST_TEXT:,} characters are allowed")
TOO_DEEP = Excess("too_deep", f"is nested too deeply: at most {MOST_NESTING} levels are allowed")
TOO_MANY = Excess("too_large", f"has too many fields: at most {MOST_FIELDS} are allowed")

# A text that ends within a string is one that the parser refuses, and so is whatever stands behind such a string.
TOML = re.compile(
    r'''
      """(?:[^"\\]|\\.|"(?!""))*+"{0,5}  |  \'\'\'(?:[^\']|\'(?!\'\'))*+\'{0,5}
    | "(?:[^"\\\n]|\\.)*+"?  |  \'[^\'\n]*+\'?  |  \#[^\n]*+
    | (?P<open>[\[{])  |  (?P<close>[\]}])  |  (?P<sign>=)  |  (?P<dot>\.)  |  (?P<end>[,\n]++)
    ''',
    re.DOTALL | re.VERBOSE,
)
JSON = re.compile(
    r'(?:"(?:[^"\\]|\\.)*+"?[^"\[\]{}:]*+)++ | (?P<open>[\[{]) | (?P<close>[\]}]) | (?P<sign>:)', re.DOTALL | re.VERBOSE
)


def too_long(text: str) -> Excess | None:
    """Return why the text is too long to be looked at; None if it is not."""
    return TOO_LARGE if len(text) > MOST_TEXT else None


def toml_excess(text: str) -> Excess | None:
    """Return why the text is too much to be parsed as TOML; None if it may be parsed."""
    return _excess(TOML, text)


def json_excess(text: str) -> Excess | None:
    """Return why the text is too much to be parsed as JSON; None if it may be parsed."""
    return _excess(JSON, text)


def _excess(tokens: re.Pattern[str], text: str) -> Excess | None:
    if excess := too_long(text):
        return excess
    depth = dots = fields = 0
    for token in tokens.finditer(text):
        match token.lastgroup:
            case "open":
                depth, dots, fields = depth + 1, 0, fields + 1
            case "close":
                depth, dots = max(0, depth - 1), 0
            case "sign":
                dots, fields = 0, fields + 1
            case "dot":
                dots += 1
            case "end":
                dots = 0
            case _:
                continue
        if depth > MOST_NESTING or dots >= MOST_NESTING:
            return TOO_DEEP
        if fields > MOST_FIELDS:
            return TOO_MANY
    return None


def json_value(text: str) -> Any:
    """Parse JSON that `json_excess` has let pass, strictly.

    Raises `ValueError` for text that is not JSON, a name given twice in an object, a number that is none (``NaN``) or
    too long, and half of a surrogate pair, which no UTF-8 text can hold.
    """
    value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
    if "\\u" in text:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("it holds half of a character, a lone surrogate") from None
    return value


def not_utf_8(data: bytes) -> str:
    """Return a clause for an error about bytes that are not UTF-8."""
    if data.startswith(UTF_16):
        return "it is UTF-16 text; save it as UTF-8, in PowerShell with -Encoding utf8"
    return "it is not UTF-8 text; save it as UTF-8"


def clipped(text: str, most: int = MOST_QUOTED) -> str:
    """Return the text for an error to quote: its beginning, with ``…`` in place of the rest."""
    return text if len(text) <= most else f"{text[:most]}…"


def quoted(value: object) -> str:
    """Return a value as JSON for an error to quote, clipped."""
    try:
        return clipped(json.dumps(clipped(value) if isinstance(value, str) else value, default=str), 2 * MOST_QUOTED)
    except (ValueError, RecursionError):  # a number of thousands of digits, or very deep
        return f"{type(value).__name__} too large to show"
    except TypeError:  # names that are not text
        return f"a {type(value).__name__}"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f'"{clipped(next(name for name in found if names.count(name) > 1))}" is given twice')
    return found


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not a number in JSON")
