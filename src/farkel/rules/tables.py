"""Tables of patterns: what combinations of dice pay, and what rolls do.

Where dice fit several patterns of a table, the one with the fewest letters counts, and among those the one that pays
most.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeVar, get_args

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from farkel.bounds import clipped, quoted
from farkel.dice import Roll, roll_of
from farkel.rules.patterns import LETTERS, MOST_NAME, PatternError, digits_name, pattern_of, read

MOST_PATTERNS = 200
"""Patterns of a table."""
MOST_POINTS = 10_000_000
MOST_TIMES = 1_000_000
"""Points for each pip of a face."""
NOTHING = "nothing"
"""What stands in `Rolled` in place of a pattern: all the dice rolled together, and none scores."""

Plain = int | str | dict[str, int | str]
"""An entry of a table as files have it."""


@dataclass(frozen=True, slots=True)
class Pays:
    """What a combination pays: so many points, or so many times the face of a letter. 0 switches it off."""

    points: int
    letter: str = ""
    """The letter whose face the points are multiplied with."""
    name: str = ""
    """What people call the combination; "" for the name that follows from its pattern."""

    @property
    def amount(self) -> int | str:
        """The points as files have them: ``1500``, or ``"200a"``."""
        return f"{self.points}{self.letter}" if self.letter else self.points

    @property
    def plain(self) -> Plain:
        """As files have it."""
        return {"points": self.amount, "name": self.name} if self.name else self.amount

    def at(self, faces: Roll) -> int:
        """Points with these faces as letters."""
        return self.points * faces[LETTERS.index(self.letter)] if self.letter else self.points


Then = Literal["farkle", "bank"]
"""What a roll leads to: it is a farkle, or it must be banked."""
THENS: tuple[Then, ...] = get_args(Then)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a roll does that contains a pattern, whatever is kept of it. Without points or a word it does nothing."""

    points: int = 0
    """Below zero a fine, paid from the banked score at once; only `NOTHING` earns points."""
    then: Then | Literal[""] = ""

    @property
    def plain(self) -> Plain:
        """As files have it."""
        if self.points and self.then:
            return {"points": self.points, "then": self.then}
        return self.then or self.points


class Value(Protocol):
    """What a pattern is good for."""

    @property
    def plain(self) -> Plain: ...


V = TypeVar("V", bound=Value)


class Table(Mapping[str, V]):
    """Patterns in their one form and in order, each with what it is good for. Equal tables mean the same.

    What changes nothing is left out: 0 for dice that score nothing anyway, and what a pattern with more letters says
    already. Raises `PatternError` with a line for each fault.
    """

    field: ClassVar[str]
    """What it is called in the rules."""
    about: ClassVar[str]
    """What an entry may be, in words."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        if len(entries) > MOST_PATTERNS:
            raise PatternError(f"{self.field} has {len(entries)} patterns: {MOST_PATTERNS} at most are read")
        found: dict[str, tuple[str, V]] = {}
        faults: list[str] = []
        unheard: list[str] = []
        for given, value in entries.items():
            text = str(given)
            try:
                form, good_for = self._entry(text, value)
            except PatternError as error:
                faults.append(f"{self.field}.{clipped(text)} = {quoted(_plain(value))} is not allowed: {error}")
                unheard += [f"{self.field}.{clipped(text)}"] if error.unheard else []
                continue
            if form in found:
                faults.append(
                    f"{self.field}.{text} and {self.field}.{found[form][0]} are the same dice; give one of them"
                )
            else:
                found[form] = text, good_for
        if faults:
            raise PatternError("\n".join(faults), unheard)
        every = {form: good_for for form, (_, good_for) in found.items()}
        self._entries = self._needed(every)

    @abstractmethod
    def _entry(self, text: str, value: Any) -> tuple[str, V]:
        """A pattern in its one form, and what it is good for. Raises `PatternError`."""

    @abstractmethod
    def _needed(self, entries: dict[str, V]) -> dict[str, V]:
        """The entries in order, without those that change nothing."""

    def __getitem__(self, text: str) -> V:
        return self._entries[text]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __hash__(self) -> int:
        return hash(tuple(self._entries.items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.plain!r})"

    @property
    def plain(self) -> dict[str, Plain]:
        """As files have it."""
        return {form: good_for.plain for form, good_for in self._entries.items()}

    def within(self, dice: int) -> dict[str, Plain]:
        """The entries that so many dice can show."""
        return {form: entry for form, entry in self.plain.items() if form == NOTHING or len(form) <= dice}

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls._validated,
            serialization=core_schema.plain_serializer_function_ser_schema(lambda table: table.plain),
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        entry = {"type": ["integer", "string", "object"], "description": cls.about}
        return {"type": "object", "maxProperties": MOST_PATTERNS, "additionalProperties": entry}

    @classmethod
    def _validated(cls, given: Any) -> Self:
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise PydanticCustomError("no_table", "not a table of patterns")
        return cls(given)


class Claim(NamedTuple):
    """A pattern that dice fit. The first of several in ascending order counts."""

    letters: int
    cost: int
    """Points, below zero for what is paid to the player."""
    form: str


class Combined(NamedTuple):
    """Dice that score together."""

    dice: Roll
    points: int
    name: str


class Scoring(Table[Pays]):
    """What dice pay that are kept together, always within one roll (C4)."""

    field = "scoring"
    about = 'a whole number from 0 to 10,000,000, or times the face of a letter, such as "200a"'

    @property
    def amounts(self) -> dict[str, int | str]:
        """What each pattern pays, whatever it is called."""
        return {form: pays.amount for form, pays in self.items()}

    @cached_property
    def combinations(self) -> tuple[Combined, ...]:
        """All dice that score together, with their points: singles first, then several of a kind, then the others."""
        claims = _claims(self._entries)
        found = []
        for dice, several in claims.items():
            best = min(several)
            if best.cost:
                name = self[best.form].name or (
                    digits_name(dice) if len(set(dice)) == 1 else pattern_of(best.form).name
                )
                found.append(Combined(dice, -best.cost, name))
        return tuple(sorted(found, key=_sheet_order))

    def worth(self, dice: Iterable[int]) -> int:
        """Points of these dice as one combination; 0 where they are none."""
        return self._worth.get(roll_of(dice), 0)

    @cached_property
    def _worth(self) -> dict[Roll, int]:
        return {one.dice: one.points for one in self.combinations}

    def _entry(self, text: str, value: Any) -> tuple[str, Pays]:
        pattern_of(text)
        pays = _pays(value, self.about)
        pattern, called = read(text, pays.letter)
        if pays.letter and pays.letter not in text:
            has = f"has {', '.join(sorted(set(re.sub('[^a-f]', '', text))))}" if pattern.letters else "has no letter"
            raise PatternError(f"the points are times the letter {pays.letter}, but the pattern {has}; write {NUMBER}")
        name = "" if pays.name == pattern.name else pays.name
        letter = called.get(pays.letter, "")
        if letter.isdigit():
            return pattern.text, Pays(pays.points * int(letter), "", name)
        return pattern.text, Pays(pays.points, letter if pays.points else "", name)

    def _needed(self, entries: dict[str, Pays]) -> dict[str, Pays]:
        claims = _claims(entries)
        kept = dict(sorted(entries.items(), key=lambda entry: (len(pattern_of(entry[0]).letters), entry[0])))
        before = -1
        while len(kept) != before:  # what is left out may leave an exception from it idle
            before = len(kept)
            for idle in list(kept):
                if not _changes(idle, claims, entries):
                    del kept[idle]
                    for dice in pattern_of(idle).rolls:
                        claims[dice] = [claim for claim in claims[dice] if claim.form != idle]
        return {form: kept[form] for form in sorted(kept, key=lambda form: pattern_of(form).place)}


NUMBER = "a whole number of points, or times a letter that it has"


class Does(NamedTuple):
    """What a roll does, whatever is kept of it."""

    fine: int
    """Points that it costs the score at once."""
    fined: frozenset[int]
    """Faces that it is fined for: they may not be kept."""
    farkle: bool
    bank: bool


class Rolled(Table[Effect]):
    """What a roll does that contains a pattern, whatever is kept of it."""

    field = "rolled"
    about = '"farkle", "bank", or a fine: a whole number from -10,000,000 to 0'

    @property
    def nothing(self) -> int:
        """Points of all the dice rolled together of which none scores."""
        return self[NOTHING].points if NOTHING in self else 0

    @property
    def fines(self) -> tuple[int, ...]:
        """Points that each fined pattern costs, above zero."""
        return tuple(-effect.points for effect in self.values() if effect.points < 0)

    @cached_property
    def fined(self) -> Mapping[Roll, int]:
        """Dice that a roll is fined for if it contains them, and points."""
        return {dice: cost for dice, cost in self._kind("fine").items() if cost}

    @cached_property
    def farkles(self) -> tuple[Roll, ...]:
        """Dice that make a roll a farkle if it contains them."""
        return tuple(dice for dice, so in self._kind("farkle").items() if so)

    @cached_property
    def banks(self) -> tuple[Roll, ...]:
        """Dice that make that a roll must be banked if it contains them."""
        return tuple(dice for dice, so in self._kind("bank").items() if so)

    def does(self, roll: Roll) -> Does:
        """What a roll does. Of fined patterns within each other only the largest costs something."""
        largest = self._fining.largest(roll)
        return Does(
            sum(self.fined[dice] for dice in largest),
            frozenset(face for dice in largest for face in dice),
            bool(self._farkling.largest(roll)),
            bool(self._banking.largest(roll)),
        )

    @cached_property
    def _fining(self) -> Held:
        return Held(self.fined)

    @cached_property
    def _farkling(self) -> Held:
        return Held(self.farkles)

    @cached_property
    def _banking(self) -> Held:
        return Held(self.banks)

    def _kind(self, kind: str) -> dict[Roll, int]:
        """All dice that a kind of effect is said of, and how much of it."""
        claims: dict[Roll, list[Claim]] = {}
        for form, effect in self._entries.items():
            if form == NOTHING:
                continue
            says = -effect.points if kind == "fine" else effect.then == kind
            if says or effect == Effect():
                pattern = pattern_of(form)
                for dice in pattern.rolls:
                    claims.setdefault(dice, []).append(Claim(len(pattern.letters), -int(says), form))
        return {dice: -min(several).cost for dice, several in claims.items()}

    def _entry(self, text: str, value: Any) -> tuple[str, Effect]:
        if text == NOTHING:
            if not isinstance(value, Effect) and (
                isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_POINTS
            ):
                raise PatternError(f"points for nothing are a whole number from 0 to {MOST_POINTS:,}")
            return NOTHING, value if isinstance(value, Effect) else Effect(value)
        return pattern_of(text).text, _effect(value, self.about)

    def _needed(self, entries: dict[str, Effect]) -> dict[str, Effect]:
        """A pattern that does nothing is only needed where it is the exception from another."""
        kept = dict(entries)
        for form, effect in entries.items():
            exception = form != NOTHING and any(
                other != form and other != NOTHING and kept.get(other, effect) != Effect() and _overlap(form, other)
                for other in entries
            )
            if effect == Effect() and not exception:
                del kept[form]
        return {
            form: kept[form]
            for form in sorted(kept, key=lambda form: (1,) if form == NOTHING else (0, *pattern_of(form).place))
        }


class Held:
    """Which of some sets of dice rolls contain: of those within each other only the largest."""

    def __init__(self, sets: Iterable[Roll]) -> None:
        self._sets = frozenset(sets)
        self._known: dict[Roll, frozenset[Roll]] = {(): frozenset()}

    def largest(self, roll: Roll) -> frozenset[Roll]:
        """The largest sets that the roll contains, found from those of the rolls with a die less."""
        if not self._sets:
            return self._sets
        found = self._known.get(roll)
        if found is None:
            found = self._known[roll] = frozenset((roll,)) if roll in self._sets else self._of_fewer(roll)
        return found

    def _of_fewer(self, roll: Roll) -> frozenset[Roll]:
        """A set is one of the largest if it is so in every roll with a die less that contains it."""
        without = {face: roll.index(face) for face in roll}
        fewer = {face: self.largest(roll[:at] + roll[at + 1 :]) for face, at in without.items()}
        first, *others = fewer.values()
        if all(first == other for other in others):
            return first
        return frozenset(
            dice
            for dice in first.union(*others)
            if all(dice in sets or dice.count(face) == roll.count(face) for face, sets in fewer.items())
        )


def contains(roll: Roll, dice: Roll) -> bool:
    """Whether the dice are among those of the roll."""
    return len(dice) <= len(roll) and all(roll.count(face) >= dice.count(face) for face in set(dice))


def _overlap(exception: str, other: str) -> bool:
    """Whether a pattern takes dice out of one with more letters."""
    one, two = pattern_of(exception), pattern_of(other)
    if len(one.letters) >= len(two.letters) or one.dice != two.dice:
        return False
    return not one.rolls.isdisjoint(two.rolls)


def _claims(entries: Mapping[str, Pays]) -> dict[Roll, list[Claim]]:
    """For all dice that fit any pattern, those that they fit. Of several ways to fit one, the best counts."""
    claims: dict[Roll, list[Claim]] = {}
    for form, pays in entries.items():
        pattern = pattern_of(form)
        best: dict[Roll, int] = {}
        for fit in pattern.fits:
            best[fit.dice] = max(best.get(fit.dice, 0), pays.at(fit.faces))
        for dice, points in best.items():
            claims.setdefault(dice, []).append(Claim(len(pattern.letters), -points, form))
    return claims


def _changes(form: str, claims: Mapping[Roll, list[Claim]], entries: Mapping[str, Pays]) -> bool:
    """Whether any dice would pay something else, or be called otherwise, without the pattern."""
    for dice in pattern_of(form).rolls:
        others = [claim for claim in claims[dice] if claim.form != form]
        if _counting(claims[dice], entries) != _counting(others, entries):
            return True
    return False


def _counting(claims: list[Claim], entries: Mapping[str, Pays]) -> tuple[int, str]:
    """Points of dice with these claims, and the name that was given to them; neither where they do not score."""
    best = min(claims, default=None)
    return (best.cost, entries[best.form].name) if best is not None and best.cost else (0, "")


def _sheet_order(one: Combined) -> tuple[object, ...]:
    faces = set(one.dice)
    if len(one.dice) == 1 or len(faces) > 1:
        return len(one.dice) > 1, len(faces) > 1, len(one.dice), one.dice
    return True, False, one.dice[0], len(one.dice)


def _plain(value: object) -> object:
    return value.plain if isinstance(value, Pays | Effect) else value


def _pays(value: Any, about: str) -> Pays:
    if isinstance(value, Pays):
        return value
    if isinstance(value, Mapping):
        unheard = sorted(str(key) for key in value if key not in ("points", "name"))
        if unheard:
            raise PatternError(f'a combination has "points" and a "name", not "{clipped(unheard[0])}"', unheard)
        name = value.get("name", "")
        if not isinstance(name, str) or len(name) > MOST_NAME or not name.isprintable():
            raise PatternError(f"a name is a line of at most {MOST_NAME} characters")
        if "points" not in value:
            raise PatternError("it lacks its points")
        if not isinstance(value["points"], int | str):
            raise PatternError(f"points are {about}")
        pays = _pays(value["points"], about)
        return Pays(pays.points, pays.letter, " ".join(name.split()))
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_POINTS:
        return Pays(value)
    if (
        isinstance(value, str)
        and (times := re.fullmatch(r"([0-9]{1,7})([a-f])", value))
        and int(times[1]) <= MOST_TIMES
    ):
        return Pays(int(times[1]), times[2])
    raise PatternError(f"points are {about}")


def _effect(value: Any, about: str) -> Effect:
    if isinstance(value, Effect):
        return value
    if isinstance(value, Mapping):
        unheard = sorted(str(key) for key in value if key not in ("points", "then"))
        if unheard:
            raise PatternError(f'a roll has "points" and "then", not "{clipped(unheard[0])}"', unheard)
        return Effect(_fine(value.get("points", 0), about), _then(value.get("then", ""), about))
    if isinstance(value, str):
        return Effect(0, _then(value or "nothing", about))
    return Effect(_fine(value, about))


def _fine(value: Any, about: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and -MOST_POINTS <= value <= 0:
        return value
    raise PatternError(f"what a roll does is {about}")


def _then(value: Any, about: str) -> Then | Literal[""]:
    words: tuple[Then | Literal[""], ...] = ("", *THENS)
    for word in words:
        if value == word:
            return word
    raise PatternError(f"what a roll does is {about}")
