"""What players may be called: any name that can be seen, and told from the others at its table.

Records and ``--players`` write a name in quotation marks if it has signs that mean something there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from unicodedata import category, normalize

from farkel.errors import PlayerError
from farkel.support.bounds import clipped

MOST = 20
"""Characters of a name."""
MOST_MARKS = 4
"""Combining marks on one letter: Vietnamese and Hebrew names need three."""
PLAIN = re.compile(r"[^\s:;,()~\"'\x00-\x1f\x7f](?:[^:;,()~\"'\x00-\x1f\x7f]{0,18}[^\s:;,()~\"'\x00-\x1f\x7f])?")
"""A name that needs no quotation marks."""
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
JOINERS = "\u200c\u200d"
"""Signs that separate or join letters, as in Persian names, or emoji; invisible by themselves."""
FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,6}\U000e007f")
"""The flag of a country such as Scotland: a black flag, and its code in invisible signs."""
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Signs that count as printable, and show nothing."""
REASONS = {
    "Cc": "is a control character",
    "Cf": "is invisible, or changes the text around it",
    "Cn": "is not a character that this program knows",
    "Co": "looks different on every device",
    "Cs": "is half of a character",
    "Zl": "starts a new line",
    "Zp": "starts a new paragraph",
    "Zs": "is a space of another kind; type an ordinary one",
}
"""Why a character is not possible, by its category."""

CAPITALS = str.maketrans(
    "АВЕЅІЈКМНОРСТУХԚԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "ABESIJKMHOPCTYXQWABEZHIKMNOPTYX",
)
"""Cyrillic and Greek capitals that look like Latin ones ..."""
LETTERS = str.maketrans("аеѕіјорсухһԁԛԝɡɑοανιρυօոս", "aesijopcyxhdqwgaoavipuonu")
"""... and small letters, with those of other scripts."""
ALIKE = str.maketrans("I|10", "lllO")
"""Signs that look alike in many typefaces."""


def check(name: str) -> None:
    """Raise `PlayerError` ``bad_name`` with the reason if nobody may be called so."""
    why = fault(name)
    if why:
        raise PlayerError("bad_name", f'"{_shown(name)}" is not a valid name: {why}')


def fault(name: str) -> str:
    """Return why nobody may be called so; "" for a name."""
    if len(name) > MOST:
        return f"it has {len(name)} characters, and at most {MOST} are allowed"
    bare = FLAG.sub("\U0001f3f4", name)
    for number, sign in enumerate(bare, 1):
        why = _impossible(bare, number - 1)
        if why:
            return f"its character {number} (U+{ord(sign):04X}) {why}"
    if name != name.strip():
        return "it begins or ends with a space"
    if not any(category(sign)[0] not in "MZC" for sign in bare):
        return "it has no visible character"
    if re.search("m" * (MOST_MARKS + 1), "".join("m" if category(sign) in ("Mn", "Me") else "." for sign in bare)):
        return f"it has too many accents in one place, and at most {MOST_MARKS} are allowed"
    return ""


def _impossible(name: str, at: int) -> str:
    """Return why a character of a name is not possible; "" if it is."""
    sign = name[at]
    if sign in JOINERS:
        between = 0 < at < len(name) - 1 and not any(one in f" {JOINERS}" for one in (name[at - 1], name[at + 1]))
        return "" if between else "is invisible, and stands between no two letters"
    if sign in BLANK:
        return "shows nothing"
    return "" if sign.isprintable() else REASONS[category(sign)]


def check_apart(names: Sequence[str]) -> None:
    """Raise `PlayerError` ``bad_name`` if two names at a table are equal, or look alike."""
    for one, other in combinations(names, 2):
        if one == other:
            raise PlayerError("bad_name", f'the name "{_shown(one)}" is used twice; every player needs their own')
        if alike(one, other):
            raise PlayerError(
                "bad_name", f'"{_shown(one)}" and "{_shown(other)}" look alike; every player needs a name of their own'
            )


def alike(one: str, other: str) -> bool:
    """Return whether two names look alike, or differ only in their capitals."""
    return not _looks(one).isdisjoint(_looks(other))


def unused(names: Iterable[str], taken: Sequence[str]) -> str:
    """Return the first of the names that looks like none of those that are taken."""
    return next(name for name in names if not any(alike(name, other) for other in taken))


def _looks(name: str) -> frozenset[str]:
    """Return what two names have in common that look alike: one of these, without capitals or in one typeface."""
    signs = (sign for sign in normalize("NFKC", name) if sign not in JOINERS and sign not in BLANK)
    seen = " ".join("".join(signs).translate(CAPITALS).translate(LETTERS).split())
    seen = re.sub("[\ufe00-\ufe0f]", "", seen)
    return frozenset((f"a{normalize('NFKC', seen.casefold())}", f"b{seen.translate(ALIKE)}"))


def _shown(name: str) -> str:
    """Return a name for an error to quote, with � for each sign that cannot be seen."""
    hidden = [sign for sign in name if sign not in JOINERS and (sign in BLANK or not sign.isprintable())]
    return clipped(name.translate({ord(sign): "\N{REPLACEMENT CHARACTER}" for sign in hidden}))


# In texts -------------------------------------------------------------------------------------------------------------


def is_plain(name: str) -> bool:
    """Return whether a name is written without quotation marks."""
    return PLAIN.fullmatch(name) is not None and name.isprintable()


def written(name: str) -> str:
    """Return a name as records have it: in quotation marks if it has other signs than `PLAIN`, with those of JSON."""
    return name if is_plain(name) else json.dumps(name, ensure_ascii=False)


def typed(name: str) -> str:
    """Return a name as ``--players`` and ``--teams`` take it, where a plus and an equals sign have a meaning too."""
    return json.dumps(name, ensure_ascii=False) if re.search("[+=]", name) else written(name)


def unquoted(text: str) -> str:
    """Return the name that a text writes, with or without quotation marks."""
    if QUOTED.fullmatch(text):
        try:
            return str(json.loads(text))
        except ValueError:
            pass
    return text


def parts(text: str, sign: str) -> list[str]:
    """Return the parts of a text between signs that are not within a name in quotation marks, without empty ones."""
    return [part for part in map(str.strip, _parts(text, sign)) if part]


def _parts(text: str, sign: str) -> Iterator[str]:
    part, at = "", 0
    while at < len(text):
        before = part.rstrip()
        quoted = QUOTED.match(text, at) if not before or before[-1] in ":=+" else None
        if quoted:
            part, at = part + quoted[0], quoted.end()
            continue
        if text[at] == sign:
            yield part
            part = ""
        else:
            part += text[at]
        at += 1
    yield part
