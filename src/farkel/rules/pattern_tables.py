"""Tables of patterns: what combinations of dice pay, and what rolls do.

Where dice fit several patterns of a table, the one with the fewest letters counts, and among those the one that pays
most.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeVar, get_args

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from farkel.dice import MOST_DICE, Roll, roll_of
from farkel.errors import RulesError
from farkel.rules.patterns import LETTERS, MOST_NAME, PatternError, digits_name, pattern_of, read
from farkel.support.bounds import clipped, quoted

MOST_PATTERNS = 200
"""Patterns of a table."""
MOST_POINTS = 10_000_000
MOST_TIMES = 1_000_000
"""Points for each pip of a face."""
NOTHING = "nothing"
"""What stands in `Rolled` in place of a pattern: all the dice rolled together, and none scores."""

Plain = int | str | dict[str, int | str]
"""An entry of a table as files have it."""


When = Literal["first_roll", "all_dice", "after_set"]
"""The only rolls that an entry is for: the first one of a turn, those of all the dice, or those after three or more
of a kind were kept from one roll of the turn."""
WHENS: tuple[When, ...] = get_args(When)
PayThen = Literal["roll", "bank", "win"]
"""The effect of a combination: another roll must score before the bank, it must be banked, or it wins the game."""
PAY_THENS: tuple[PayThen, ...] = get_args(PayThen)


W = TypeVar("W", bound=str)


def known(word: W, words: Container[str], reader: str) -> W:
    """Return a word of an entry. Raises `RulesError` ``unknown_word`` if its reader does not know it.

    So a new word is nowhere taken for another one: see "Adding a rule" in ``docs/architecture.md``.
    """
    if word not in words:
        raise RulesError("unknown_word", f'{reader} does not know what "{word}" means')
    return word


def _words(words: Iterable[str]) -> str:
    return ", ".join(f'"{word}"' for word in words)


class Moment(NamedTuple):
    """What about a roll decides which entries count, besides its dice."""

    first: bool
    """It is the first roll of the turn."""
    all_dice: bool
    after_set: bool = False
    """A set is open (K1)."""

    def counts(self, when: When | Literal[""]) -> bool:
        """Return whether an entry with that condition counts."""
        holds = {"": True, "first_roll": self.first, "all_dice": self.all_dice, "after_set": self.after_set}
        return holds[known(when, holds, "the score table")]


MOMENTS = (Moment(False, False), Moment(False, True), Moment(True, True), Moment(False, False, True))
"""Every moment: the first roll of a turn is one of all the dice, and after a set some of them lie aside."""
FIRST_ROLL, AFTER_SET = MOMENTS[2:]


@dataclass(frozen=True, slots=True)
class Pays:
    """The points of a combination: a number, or a number times the face of a letter. 0 switches it off."""

    points: int
    letter: str = ""
    """The letter whose face the points are multiplied with."""
    name: str = ""
    """The name of the combination; "" for the name that follows from its pattern."""
    when: When | Literal[""] = ""
    then: PayThen | Literal[""] = ""
    confirm: int = 0
    """Points that must be set aside after it before the turn may be banked."""
    missing: int = 0
    """Dice that a roll may lack of it: the next roll must bring them."""

    @property
    def scores(self) -> bool:
        """Whether the combination may be kept for itself."""
        return self.points > 0 or self.then == "win"

    @property
    def owes(self) -> int:
        """Points that must be set aside later in the turn before the bank: any number if another roll must score."""
        return 1 if self.then == "roll" else self.confirm

    @property
    def amount(self) -> int | str:
        """The points as files have them: ``1500``, or ``"200a"``."""
        return f"{self.points}{self.letter}" if self.letter else self.points

    @property
    def game(self) -> Plain:
        """The entry as files have it, without its name."""
        points: dict[str, int | str] = {} if self.then == "win" else {"points": self.amount}
        extras: dict[str, int | str] = {"when": self.when, "then": self.then}
        extras |= {"confirm": self.confirm, "missing": self.missing}
        extras = {key: value for key, value in extras.items() if value}
        if extras == {"then": "win"}:
            return "win"
        return points | extras if extras else self.amount

    @property
    def plain(self) -> Plain:
        """The entry as files have it."""
        if not self.name:
            return self.game
        game = {"then": self.game} if self.game == "win" else self.game
        return {**(game if isinstance(game, dict) else {"points": game}), "name": self.name}

    def at(self, faces: Roll) -> int:
        """Return points with these faces as letters."""
        return self.points * faces[LETTERS.index(self.letter)] if self.letter else self.points


Then = Literal["bank", "again", "farkle", "zero", "lose", "win"]
"""The effect of a roll: it must be banked, its dice are rolled again, it is a farkle, it is a farkle that loses the
whole banked score as well, it puts the player out of the game, or it wins the game."""
THENS: tuple[Then, ...] = get_args(Then)
ENDS = tuple(word for word in THENS if word != "bank")
"""Those of which nothing may be kept, of which a roll has one: if its dice say several, the last of these."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a roll with a pattern, whatever is kept of it. Without points or a word it does nothing."""

    points: int = 0
    """Added to the banked score at once, below zero a penalty; for `NOTHING` what its dice pay if they are kept."""
    then: Then | Literal[""] = ""
    when: When | Literal[""] = ""

    @property
    def idle(self) -> bool:
        """Whether it does nothing, but for the exceptions that it makes."""
        return not self.points and not self.then

    @property
    def plain(self) -> Plain:
        """The entry as files have it."""
        if not self.when and not (self.points and self.then):
            return self.then or self.points
        points: dict[str, int | str] = {"points": self.points} if self.points or not self.then else {}
        extras: dict[str, int | str] = {"then": self.then, "when": self.when}
        return points | {key: value for key, value in extras.items() if value}


class Value(Protocol):
    """The value of a pattern."""

    @property
    def plain(self) -> Plain: ...


V = TypeVar("V", bound=Value)


class PatternTable(Mapping[str, V]):
    """Patterns in their one form and in order, each with its value. Equal tables mean the same.

    Redundant entries are left out: 0 for dice that score nothing anyway, and values that a longer pattern gives
    already. Raises `PatternError` with a line for each fault.
    """

    field: ClassVar[str]
    """Its name in the rules."""
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
        """Return a pattern in its one form, and its value. Raises `PatternError`."""

    @abstractmethod
    def _needed(self, entries: dict[str, V]) -> dict[str, V]:
        """Return the entries in order, without those that change nothing."""

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
        """The entries as files have them, by pattern."""
        return {form: good_for.plain for form, good_for in self._entries.items()}

    def within(self, dice: int) -> dict[str, Plain]:
        """Return the entries that this many dice can show."""
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


class PatternClaim(NamedTuple):
    """A pattern that dice fit. The first of several in ascending order counts."""

    letters: int
    loses: bool
    """It does not win the game."""
    cost: int
    """Points, below zero for a gain."""
    form: str


class Combination(NamedTuple):
    """Dice that score together, with their points."""

    dice: Roll
    points: int
    name: str
    owes: int = 0
    """Points that must be set aside after it before the turn may be banked (P16)."""
    ends: bool = False
    """It must be banked if it may be (P16)."""
    wins: bool = False
    """It wins the game (P16)."""
    missing: int = 0
    """Dice that a roll may lack of it (P19)."""
    doubles: bool = False
    """It doubles the turn total (K8)."""

    def __str__(self) -> str:
        return f"{self.name} for {self.points:,}"

    def lacks(self, held: Roll) -> bool:
        """Return whether the dice are this many of its own that the next roll may bring the others (P19)."""
        return 0 < len(self.dice) - len(held) <= self.missing and contains(self.dice, held)


class SplitWorth(NamedTuple):
    """What a split of some dice into combinations is worth: the larger one of two is the better split (C3, P16)."""

    wins: int = 0
    """Combinations that win the game."""
    points: int = 0
    free: int = 0
    """Combinations that must be banked, below zero."""
    clear: int = 0
    """The most points that one of them must be followed by before the bank, below zero."""
    doubles: int = 0
    """Dice that double the turn total: all splits have the same ones."""

    def plus(self, one: Combination) -> SplitWorth:
        """Return it with one more combination."""
        return SplitWorth(
            self.wins + one.wins,
            self.points + one.points,
            self.free - one.ends,
            min(self.clear, -one.owes),
            self.doubles + one.doubles,
        )


class Scoring(PatternTable[Pays]):
    """What dice pay that are kept together, always within one roll (C4)."""

    field = "scoring"
    about = (
        'a whole number from 0 to 10,000,000, or times the face of a letter, such as "200a", or "win"; or all that it '
        'is, such as { points = 1500, when = "first_roll", then = "roll" }'
    )

    @property
    def amounts(self) -> dict[str, Plain]:
        """What each pattern pays, whatever it is called."""
        return {form: pays.game for form, pays in self.items()}

    @cached_property
    def moments(self) -> tuple[Moment, ...]:
        """The distinguished moments, the last one that of the first roll if it is one of them."""
        return told_apart(pays.when for pays in self.values())

    @cached_property
    def combinations(self) -> tuple[Combination, ...]:
        """All dice that score together at any moment: singles first, then several of a kind, then the others."""
        return tuple(dict.fromkeys(one for moment in self.moments for one in self.at(moment)))

    def at(self, moment: Moment) -> tuple[Combination, ...]:
        """Return all dice that score together at a moment, with their points."""
        return self._at[moment_of(moment, self.moments)]

    @cached_property
    def _at(self) -> dict[Moment, tuple[Combination, ...]]:
        found: dict[Moment, list[Combination]] = {moment: [] for moment in self.moments}
        for (moment, dice), several in _claims(self._entries).items():
            best = min(several)
            pays = self[best.form]
            if pays.scores:
                known(pays.then, ("", "roll", "bank", "win"), "the score table")
                name = pays.name or (digits_name(dice) if len(set(dice)) == 1 else pattern_of(best.form).name)
                ends, wins = pays.then == "bank", pays.then == "win"
                found[moment].append(Combination(dice, -best.cost, name, pays.owes, ends, wins, pays.missing))
        return {moment: tuple(sorted(several, key=_sheet_order)) for moment, several in found.items()}

    def worth(self, dice: Iterable[int]) -> int:
        """Return points of these dice as one combination in any roll that holds them; 0 if they are none."""
        return self._worth.get(roll_of(dice), 0)

    @cached_property
    def _worth(self) -> dict[Roll, int]:
        return {one.dice: one.points for one in self.at(MOMENTS[0])}

    def _entry(self, text: str, value: Any) -> tuple[str, Pays]:
        pattern_of(text)
        pays = _pays(value, self.about)
        pattern, called = read(text, pays.letter)
        if pays.letter and pays.letter not in text:
            has = f"has {', '.join(sorted(set(re.sub('[^a-f]', '', text))))}" if pattern.letters else "has no letter"
            raise PatternError(f"the points are times the letter {pays.letter}, but the pattern {has}; write {NUMBER}")
        if pays.missing >= pattern.dice:
            dice = "only die" if pattern.dice == 1 else f"{pattern.dice} dice"
            raise PatternError(f"missing = {pays.missing} leaves none of its {dice}; write fewer")
        name = "" if pays.name == pattern.name else pays.name
        letter = called.get(pays.letter, "")
        if letter.isdigit():
            return pattern.text, replace(pays, points=pays.points * int(letter), letter="", name=name)
        return pattern.text, replace(pays, letter=letter if pays.points else "", name=name)

    def _needed(self, entries: dict[str, Pays]) -> dict[str, Pays]:
        claims, moments = _claims(entries), told_apart(pays.when for pays in entries.values())
        kept = dict(sorted(entries.items(), key=lambda entry: (len(pattern_of(entry[0]).letters), entry[0])))
        before = -1
        while len(kept) != before:  # leaving one out may make an exception from it redundant
            before = len(kept)
            for idle in list(kept):
                dice = pattern_of(idle).rolls
                fitting = [place for place in product(moments, dice) if place in claims]
                if not _changes(idle, fitting, claims, entries):
                    del kept[idle]
                    for place in fitting:
                        claims[place] = [claim for claim in claims[place] if claim.form != idle]
        return {form: kept[form] for form in sorted(kept, key=lambda form: pattern_of(form).place)}


NUMBER = "a whole number of points, or times a letter that it has"


class Does(NamedTuple):
    """The effect of a roll, whatever is kept of it."""

    fine: int
    """Points that it costs the score immediately, below zero for a gain."""
    fined: frozenset[int]
    """Faces that it is fined for: they may not be kept."""
    ends: Then | Literal[""]
    """One of `ENDS` if nothing may be kept of it."""
    bank: bool


class Rolled(PatternTable[Effect]):
    """The effect of a roll that contains a pattern, whatever is kept of it."""

    field = "rolled"
    about = (
        f"{_words(THENS)}, or points for the banked score from -10,000,000 to "
        '10,000,000; or all that it is, such as { points = -300, then = "bank" }'
    )

    @property
    def nothing(self) -> Effect:
        """What all the dice do if they are rolled together and none scores; its points are paid if they are kept."""
        return self[NOTHING] if NOTHING in self else Effect()

    @property
    def fines(self) -> tuple[int, ...]:
        """Points that each fined pattern costs, above zero."""
        return tuple(-effect.points for effect in self.values() if effect.points < 0)

    @property
    def banks(self) -> bool:
        """Whether some rolls must be banked."""
        return any(effect.then == "bank" for effect in self.values())

    @property
    def bonuses(self) -> tuple[int, ...]:
        """Points that each pattern earns that pays the banked score."""
        return tuple(effect.points for form, effect in self.items() if effect.points > 0 and form != NOTHING)

    @cached_property
    def moments(self) -> tuple[Moment, ...]:
        """The distinguished moments, the last one that of the first roll if it is one of them."""
        return told_apart(effect.when for effect in self.values())

    @cached_property
    def fined(self) -> tuple[Roll, ...]:
        """Dice that every roll is fined for that contains them."""
        points = [self._moves[moment][0] for moment in self.moments]
        return tuple(dice for dice in points[0] if all(each.get(dice, 0) > 0 for each in points))

    def does(self, roll: Roll, moment: Moment) -> Does:
        """Return the effect of a roll. Of patterns within each other only the largest costs or earns points."""
        told = moment_of(moment, self.moments)
        moves, points = self._moves[told]
        largest = points.largest(roll)
        return Does(
            sum(moves[dice] for dice in largest),
            frozenset(face for dice in largest if moves[dice] > 0 for face in dice),
            next((end for end, held in self._ends[told].items() if held.largest(roll)), ""),
            bool(self._banking[told].largest(roll)),
        )

    @cached_property
    def _moves(self) -> dict[Moment, tuple[dict[Roll, int], PatternHeld]]:
        """At each moment, dice that cost or earn points, and how many."""
        found = {moment: self.says("points", moment) for moment in self.moments}
        return {moment: (moves, PatternHeld(moves)) for moment, moves in found.items()}

    @cached_property
    def _ends(self) -> dict[Moment, dict[Then, PatternHeld]]:
        """At each moment, dice that end the turn, by their effect, the strongest first."""
        return {
            moment: {
                end: PatternHeld(dice for dice, rank in ranks.items() if rank == number)
                for number, end in reversed(list(enumerate(ENDS, 1)))
            }
            for moment, ranks in ((moment, self.says("ends", moment)) for moment in self.moments)
        }

    @cached_property
    def _banking(self) -> dict[Moment, PatternHeld]:
        return {moment: PatternHeld(self.says("bank", moment)) for moment in self.moments}

    def says(self, kind: str, moment: Moment) -> dict[Roll, int]:
        """Return all dice that a kind of effect is said of, one of `KINDS`, and how much of it."""
        claims: dict[Roll, list[PatternClaim]] = {}
        for form, effect in self._entries.items():
            if form == NOTHING or not moment.counts(effect.when):
                continue
            says = KINDS[kind](effect)
            if says or effect.idle:
                pattern = pattern_of(form)
                for dice in pattern.rolls:
                    claims.setdefault(dice, []).append(PatternClaim(len(pattern.letters), False, -says, form))
        return {dice: -best.cost for dice, several in claims.items() if (best := min(several)).cost}

    def _entry(self, text: str, value: Any) -> tuple[str, Effect]:
        if text != NOTHING:
            return pattern_of(text).text, _effect(value, self.about)
        others = _words(word for word in ENDS if word != "farkle")
        about = f"a whole number from 0 to {MOST_POINTS:,}, or one of {others}"
        effect = _effect(value, about)
        if effect.points < 0:
            raise PatternError(f"what dice do of which none scores is {about}")
        if effect.then == "farkle":
            raise PatternError(f"dice of which none scores are a farkle anyway; write {about}")
        if effect.then == "bank" and not effect.points:
            raise PatternError('dice that pay nothing cannot be banked; write { points = 500, then = "bank" }')
        return NOTHING, effect

    def _needed(self, entries: dict[str, Effect]) -> dict[str, Effect]:
        """Return a pattern that does nothing is only needed if it is the exception from another."""
        kept = dict(entries)
        for form, effect in entries.items():
            exception = form != NOTHING and any(
                other not in (form, NOTHING) and not kept.get(other, effect).idle and _overlap(form, other)
                for other in entries
            )
            if effect.idle and not exception:
                del kept[form]
        return {
            form: kept[form]
            for form in sorted(kept, key=lambda form: (1,) if form == NOTHING else (0, *pattern_of(form).place))
        }


class PatternHeld:
    """Which of some sets of dice rolls contain: of those within each other only the largest."""

    def __init__(self, sets: Iterable[Roll]) -> None:
        self._sets = frozenset(sets)
        self._known: dict[Roll, frozenset[Roll]] = {(): frozenset()}

    def largest(self, roll: Roll) -> frozenset[Roll]:
        """Return the largest sets that the roll contains, found from those of the rolls with a die less."""
        if not self._sets:
            return self._sets
        found = self._known.get(roll)
        if found is None:
            found = self._known[roll] = frozenset((roll,)) if roll in self._sets else self._of_fewer(roll)
        return found

    def _of_fewer(self, roll: Roll) -> frozenset[Roll]:
        """Return those sets that are among the largest in every roll with a die less that contains them."""
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
    """Return whether the dice are among those of the roll."""
    return len(dice) <= len(roll) and all(roll.count(face) >= dice.count(face) for face in set(dice))


def without(roll: Roll, dice: Roll) -> Roll:
    """Return the other dice of a roll that contains these."""
    left = list(roll)
    for face in dice:
        left.remove(face)
    return tuple(left)


def _overlap(exception: str, other: str) -> bool:
    """Return whether a pattern takes dice out of one with more letters."""
    one, two = pattern_of(exception), pattern_of(other)
    if len(one.letters) >= len(two.letters) or one.dice != two.dice:
        return False
    return not one.rolls.isdisjoint(two.rolls)


KINDS: Mapping[str, Callable[[Effect], int]] = {
    "points": lambda effect: -effect.points,
    "ends": lambda effect: 1 + ENDS.index(effect.then) if effect.then in ENDS else 0,
    "bank": lambda effect: int(effect.then == "bank"),
}
"""Each effect a roll may have, and its amount: of patterns with as many letters the most counts."""


def told_apart(whens: Iterable[When | Literal[""]]) -> tuple[Moment, ...]:
    """Return the moments at which entries with these conditions count differently, each in place of those before it."""
    met = set(whens)
    found = [MOMENTS[0]]
    if "all_dice" in met:
        found.append(MOMENTS[1])
    if "after_set" in met:
        found.append(AFTER_SET)
    if "first_roll" in met:
        found.append(FIRST_ROLL)
    return tuple(found)


def moment_of(moment: Moment, told: tuple[Moment, ...]) -> Moment:
    """Return the distinguished moment that a moment belongs to."""
    if moment in told:
        return moment
    return MOMENTS[1] if moment.all_dice and MOMENTS[1] in told else MOMENTS[0]


Place = tuple[Moment, Roll]
"""Dice at a moment."""


def _claims(entries: Mapping[str, Pays]) -> dict[Place, list[PatternClaim]]:
    """Return the patterns that dice fit, for all that fit any. Of several ways to fit one, the best counts."""
    claims: dict[Place, list[PatternClaim]] = {}
    moments = told_apart(pays.when for pays in entries.values())
    for form, pays in entries.items():
        pattern = pattern_of(form)
        best: dict[Roll, int] = {}
        for fit in pattern.fits:
            best[fit.dice] = max(best.get(fit.dice, 0), pays.at(fit.faces))
        for moment in moments:
            if moment.counts(pays.when):
                for dice, points in best.items():
                    claim = PatternClaim(len(pattern.letters), pays.then != "win", -points, form)
                    claims.setdefault((moment, dice), []).append(claim)
    return claims


def _changes(
    form: str, places: Iterable[Place], claims: Mapping[Place, list[PatternClaim]], entries: Mapping[str, Pays]
) -> bool:
    """Return whether any dice would pay something else, or be called otherwise, without the pattern."""
    for place in places:
        others = [claim for claim in claims[place] if claim.form != form]
        if _counting(claims[place], entries) != _counting(others, entries):
            return True
    return False


def _counting(claims: list[PatternClaim], entries: Mapping[str, Pays]) -> tuple[object, ...]:
    """Return all that counts about dice with these claims; nothing if they do not score."""
    best = min(claims, default=None)
    if best is None or not entries[best.form].scores:
        return ()
    pays = entries[best.form]
    return best.cost, pays.name, pays.then, pays.confirm, pays.missing


def _sheet_order(one: Combination) -> tuple[object, ...]:
    faces = set(one.dice)
    if len(one.dice) == 1 or len(faces) > 1:
        return len(one.dice) > 1, len(faces) > 1, len(one.dice), one.dice
    return True, False, one.dice[0], len(one.dice)


def _plain(value: object) -> object:
    return value.plain if isinstance(value, Pays | Effect) else value


def _unheard(value: Mapping[Any, Any], what: str, known: Sequence[str]) -> None:
    """Refuse keys that an entry does not have. Raises `PatternError`."""
    unheard = sorted(str(key) for key in value if key not in known)
    if unheard:
        raise PatternError(f'{what} has {_words(known)}, not "{clipped(unheard[0])}"', unheard)


def _word(value: Mapping[Any, Any], key: str, words: tuple[W, ...]) -> W | Literal[""]:
    """Return a word of an entry, "" if it has none. Raises `PatternError`."""
    found = value.get(key, "")
    for word in words:
        if found == word:
            return word
    if found != "":
        raise PatternError(f"{key} is one of {_words(words)}, not {quoted(found)}", [f"{key} = {quoted(found)}"])
    return ""


def _pays(value: Any, about: str) -> Pays:
    if isinstance(value, Pays):
        return value
    if isinstance(value, Mapping):
        return _agreeing(_pays_all(value, about))
    if value == "win":
        return Pays(0, then="win")
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_POINTS:
        return Pays(value)
    if (
        isinstance(value, str)
        and (times := re.fullmatch(r"([0-9]{1,7})([a-f])", value))
        and int(times[1]) <= MOST_TIMES
    ):
        return Pays(int(times[1]), times[2])
    raise PatternError(f"points are {about}")


def _pays_all(value: Mapping[Any, Any], about: str) -> Pays:
    _unheard(value, "a combination", ("points", "name", "when", "then", "confirm", "missing"))
    name, confirm, missing = value.get("name", ""), value.get("confirm", 0), value.get("missing", 0)
    if not isinstance(name, str) or len(name) > MOST_NAME or not name.isprintable():
        raise PatternError(f"a name is a line of at most {MOST_NAME} characters")
    if isinstance(confirm, bool) or not isinstance(confirm, int) or not 0 <= confirm <= MOST_POINTS:
        raise PatternError(f"confirm is a whole number of points from 0 to {MOST_POINTS:,}, not {quoted(confirm)}")
    if isinstance(missing, bool) or not isinstance(missing, int) or not 0 <= missing < MOST_DICE:
        raise PatternError(f"missing is a number of dice from 0 to {MOST_DICE - 1}, not {quoted(missing)}")
    then = _word(value, "then", PAY_THENS)
    if "points" not in value and then != "win":
        raise PatternError("it lacks its points")
    points = value.get("points", 0)
    if not isinstance(points, int | str) or points == "win":
        raise PatternError(f"points are {about}")
    pays = _pays(points, about)
    when = _word(value, "when", WHENS)
    return replace(pays, name=" ".join(name.split()), when=when, then=then, confirm=confirm, missing=missing)


def _agreeing(pays: Pays) -> Pays:
    """Return what a combination pays unless it contradicts itself. Raises `PatternError` if it does."""
    if pays.then == "win" and pays.points:
        raise PatternError('dice that win the game need no points; write "win"')
    if pays.confirm and pays.then:
        how = {
            "roll": "confirm asks for another roll anyway",
            "bank": "points that must be banked at once cannot be confirmed first",
            "win": "a game that is won needs no confirming",
        }[pays.then]
        raise PatternError(f'{how}; leave out confirm = {pays.confirm} or then = "{pays.then}"')
    if pays.missing and pays.when:
        raise PatternError(f'what the next roll may complete counts in every roll; leave out when = "{pays.when}"')
    if not pays.scores and (pays.then or pays.confirm or pays.missing):
        raise PatternError("dice that pay 0 cannot be kept, so nothing follows from them; give them points")
    return pays


def _effect(value: Any, about: str) -> Effect:
    if isinstance(value, Effect):
        return value
    if isinstance(value, Mapping):
        _unheard(value, "a roll", ("points", "then", "when"))
        effect = Effect(_moved(value.get("points", 0), about), _word(value, "then", THENS), _word(value, "when", WHENS))
        if effect.points and effect.then not in ("", "farkle", "bank"):
            what = {"win": "wins the game", "lose": "loses the game", "zero": "loses the whole score"}.get(
                effect.then, "does not count"
            )
            raise PatternError(f'a roll that {what} moves no points besides; write "{effect.then}"')
        return effect
    if isinstance(value, str):
        if value not in THENS:
            raise PatternError(f"what a roll does is {about}")
        return Effect(0, _word({"then": value}, "then", THENS))
    return Effect(_moved(value, about))


def _moved(value: Any, about: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and -MOST_POINTS <= value <= MOST_POINTS:
        return value
    raise PatternError(f"what a roll does is {about}")
