"""Tables of patterns in the rule editor: a row for each pattern, as it was typed, and empty ones to fill in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from farkel.dice import all_rolls, ways
from farkel.rules import PatternError, Rules, pattern_of
from farkel.rules.pattern_tables import MOST_PATTERNS, NOTHING, Plain, contains, known
from farkel.support.words import counted_dice

TABLES = {"scoring": "What dice are worth", "rolled": "What a roll does"}
"""Fields that are tables of patterns, with their headings."""
EXPLAINED = {
    "scoring": "A row for all dice that score together. Write the dice: a digit for that face, a letter for any face, "
    "equal letters for equal faces: 111, aaa, aabbcc. Points are a number, or a number times the face of a letter: "
    "200a. If dice fit several rows, the one with the fewest letters counts. 0 pays nothing. Under Conditions you can "
    "say when a row counts and what must follow.",
    "rolled": "A row for dice that do something if they are rolled, whatever is kept. Choose what happens, or enter "
    "points: they are added to the banked score, and a number below zero is a penalty. Write nothing in place of dice "
    "for a roll of all the dice in which none scores; its number is what that pays.",
}
WHENS = {
    "": "in every roll",
    "first_roll": "only in the first roll of a turn",
    "all_dice": "only in a roll of all the dice",
    "after_set": "only after three of a kind were kept in this turn",
}
"""When a row may count, in words."""
THENS = {
    "scoring": {
        "": "nothing more",
        "roll": "another roll must score before the bank",
        "bank": "you must bank",
        "win": "you win the game",
    },
    "rolled": {
        "": "nothing more",
        "farkle": "you farkle",
        "bank": "you must bank",
        "again": "the same dice are rolled again",
        "zero": "you farkle and lose your whole score",
        "lose": "you are out of the game",
        "win": "you win the game",
    },
}
"""The effects that rows of each table may have, in words."""
BLANK = 2
"""Empty rows at the end of a table."""
FIELD = re.compile(r"(scoring|rolled)\.(\d{1,3})\.(pattern|worth|called|when|then|confirm|missing)")
DIGITS = r"(?:\d{1,12}|\d{1,3}(?:[ ,.'\u00a0\u202f]\d{3}){1,3})"
"""A whole number as people type it: 10000, 10 000 or 10,000."""
NUMBER = re.compile(f"-?{DIGITS}")
TYPED = "|".join(sorted({word for thens in THENS.values() for word in thens if word}))
SAID = re.compile(
    rf"(?P<points>-?{DIGITS}(?:\s*[a-f](?![a-z]))?)?"
    rf"(?:[\s,;]*\b(?P<then>{TYPED})\b)?"
    rf"(?:[\s,;]*\bconfirm\s*(?P<confirm>{DIGITS}))?"
    r"(?:[\s,;]*\bmissing\s*(?P<missing>\d))?"
    r"(?:[\s,;]*\b(?P<when>first[\s_]+roll|all[\s_]+dice|after[\s_]+set)(?:\s+only)?)?"
)
"""The typed value of a pattern: points, effect, and condition."""


def _number(text: str | None) -> int | str | None:
    """Return points as they were typed: a number, or a number and a letter."""
    if text is None:
        return None
    bare = re.sub(r"[^-\da-f]", "", text)
    return bare if bare[-1:].isalpha() else int(bare)


def _count(text: str | None) -> int | str | None:
    """Return a number as it was typed; a text that is none stays a text."""
    if not text:
        return None
    return int(re.sub(r"\D", "", text)) if NUMBER.fullmatch(text) else text


class PatternRow(NamedTuple):
    """One row as it was typed."""

    pattern: str = ""
    worth: str = ""
    """Points; what follows may be typed here too."""
    called: str = ""
    when: str = ""
    then: str = ""
    confirm: str = ""
    missing: str = ""

    @property
    def form(self) -> str:
        """The pattern in its one form; as typed if it is invalid, and "" in an empty row."""
        text = re.sub(r"[\s-]", "", self.pattern).lower()
        try:
            return pattern_of(text).text
        except PatternError:
            return text or ("?" if any(self[1:]) else "")

    @property
    def conditions(self) -> bool:
        """Whether it says more than points and a name."""
        return any(self[3:])

    @property
    def said(self) -> str:
        """All that it says besides its dice and its name."""
        points = f"{int(self.worth):,}" if NUMBER.fullmatch(self.worth) else self.worth
        confirm, missing = self.confirm and f"confirm {self.confirm}", self.missing and f"missing {self.missing}"
        return " ".join(filter(None, (points, self.then, confirm, missing, self.when.replace("_", " "))))

    @property
    def entry(self) -> Any:
        """The value of the pattern; an invalid text stays a text, which is then found to be wrong."""
        said = SAID.fullmatch(self.worth.strip().lower())
        if said is None or not (said[0] or self.conditions):
            text = re.sub(r"\s", "", self.worth).lower()
            return {"points": text, "name": self.called} if self.called else text
        when = self.when or said["when"]
        found = {
            "points": _number(said["points"]),
            "when": when and re.sub(r"\s+", "_", when),
            "then": self.then or said["then"],
            "confirm": _count(self.confirm or said["confirm"]),
            "missing": _count(self.missing or said["missing"]),
            "name": self.called,
        }
        entry = {key: value for key, value in found.items() if value not in (None, "")}
        if len(entry) == 1 and ("points" in entry or "then" in entry):
            return next(iter(entry.values()))
        return entry or ""


Rows = Mapping[str, tuple[PatternRow, ...]]
"""The rows of each table."""


class PatternLine(NamedTuple):
    """One row as the editor shows it."""

    id: str
    row: PatternRow
    name: str
    """The pattern's name, and its chance."""
    base: str | None
    """Its value in the set that the rules started from; None if it is the same."""
    defects: tuple[str, ...]


class Gone(NamedTuple):
    """A pattern that the base has and the table lacks."""

    field: str
    said: str


def rows_of(rules: Rules) -> Rows:
    """Return what would have to be typed for the tables of these rules."""
    return {
        table: tuple(_row(table, form, entry) for form, entry in getattr(rules, table).plain.items())
        for table in TABLES
    }


def rows_of_form(sent: Mapping[str, str], base: Rules) -> Rows:
    """Return the rows that were posted, in their order; a table of which nothing was sent is as in the base."""
    found: dict[str, dict[int, dict[str, str]]] = {table: {} for table in TABLES}
    for name, text in sent.items():
        if place := FIELD.fullmatch(name):
            found[place[1]].setdefault(int(place[2]), {})[place[3]] = text.strip()
    rows = {table: tuple(PatternRow(**typed) for _, typed in sorted(places.items())) for table, places in found.items()}
    return {**rows_of(base), **{table: several[: MOST_PATTERNS + BLANK] for table, several in rows.items() if several}}


def tree_of(rows: Sequence[PatternRow]) -> dict[str, Any]:
    """Return a table as rules have it, of rows without doubles."""
    return {row.form: row.entry for row in rows if row.form}


def doubles(table: str, rows: Sequence[PatternRow]) -> Iterator[str]:
    """Yield a sentence for each row whose pattern another row has."""
    seen: set[str] = set()
    for row in rows:
        if row.form and row.form in seen:
            yield f"{table}.{row.form} is there twice; give these dice one row"
        seen.add(row.form)


def place_of(defect: str, rows: Rows) -> str:
    """Return the id of the row that a defect is about, the last of several; "" for none."""
    place = re.match(r"(scoring|rolled)(?:\.(\S*))?", defect)
    if place is None:
        return ""
    several = rows[place[1]]
    about = [number for number, row in enumerate(several) if place[2] is not None and row.form == place[2].rstrip(":")]
    return f"{place[1]}.{about[-1] if about else 0}"


def lines_of(table: str, rows: Rows, base: Rules, defects: Sequence[tuple[str, str]]) -> tuple[PatternLine, ...]:
    """Return the rows of a table as the editor shows them, with empty ones at the end."""
    before = {row.form: row for row in rows_of(base)[table]}
    typed = rows[table]
    while typed and not typed[-1].form:
        typed = typed[:-1]
    found = []
    for number, row in enumerate((*typed, *[PatternRow()] * BLANK)):
        place = f"{table}.{number}"
        was = before.get(row.form)
        same = not row.form or (was is not None and was.entry == row.entry)
        said = None if same else "nothing for it" if was is None else was.said
        about = tuple(defect for where, defect in defects if where == place)
        found.append(PatternLine(place.replace(".", "-"), row, _about(row, base), said, about))
    return tuple(found)


def gone(table: str, rows: Rows, base: Rules) -> tuple[Gone, ...]:
    """Return the patterns of the base that the table lacks."""
    typed = {row.form for row in rows[table]}
    return tuple(
        Gone(f"{table}.{row.form}", f"{_called(row)} {row.said}")
        for row in rows_of(base)[table]
        if row.form not in typed
    )


def reset(field: str, rows: Rows, base: Rules) -> Rows | None:
    """Return the rows with one pattern as it is in the base, or without it; None for an unknown pattern."""
    table, _, form = field.partition(".")
    if table not in TABLES or not form:
        return None
    back = [row for row in rows_of(base)[table] if row.form == form]
    kept = [row for row in rows[table] if row.form]
    places = [number for number, row in enumerate(kept) if row.form == form]
    place = places[0] if places else len(kept)
    others = [row for row in kept if row.form != form]
    return {**rows, table: (*others[:place], *back, *others[place:])}


def differing(rows: Rows, base: Rules) -> int:
    """Return how many patterns are not as they are in the base."""
    count = 0
    for table, before in rows_of(base).items():
        was = {row.form: row.entry for row in before}
        now = {row.form: row.entry for row in rows[table] if row.form}
        count += sum(was.get(form) != now.get(form) for form in was | now)
    return count


def _row(table: str, form: str, entry: Plain) -> PatternRow:
    whole = entry if isinstance(entry, dict) else {"then": entry} if _is_word(entry) else {"points": entry}
    said = {key: str(whole.get(key, "")) for key in ("when", "then", "confirm", "missing")}
    known(said["then"], THENS[table], "the editor")
    known(said["when"], WHENS, "the editor")
    return PatternRow(form, str(whole.get("points", "")), str(whole.get("name", "")), **said)


def _is_word(entry: object) -> bool:
    return isinstance(entry, str) and any(entry in thens for thens in THENS.values())


def _called(row: PatternRow) -> str:
    if row.form == NOTHING:
        return NOTHING
    return row.called or pattern_of(row.form).name


def _about(row: PatternRow, base: Rules) -> str:
    """Return the name of a pattern, and its chance."""
    try:
        pattern = pattern_of(row.form)
    except PatternError:
        return "no die scores" if row.form == NOTHING else ""
    if pattern.dice > base.dice:
        return pattern.name
    return f"{pattern.name}, in 1 of {_one_in(pattern.text, base.dice)} rolls of {counted_dice(base.dice)}"


@lru_cache(maxsize=512)
def _one_in(form: str, dice: int) -> str:
    """Return in how many rolls of this many dice one holds the pattern."""
    rolls = pattern_of(form).rolls
    held = sum(ways(roll) for roll in all_rolls(dice) if any(contains(roll, part) for part in rolls))
    rare = 6**dice / held
    return f"{rare:,.1f}" if rare < 100 else f"{rare:,.0f}"
