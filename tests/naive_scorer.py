"""A second way to score dice: every pattern against every roll, and every way to part the dice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import Any, NamedTuple

from farkel.dice import FACES, Roll
from farkel.rules import Effect, Rules


class Worth(NamedTuple):
    """What dice are good for that are kept together: the larger one counts of several ways to part them (C3, P16)."""

    wins: int
    """Combinations that win the game."""
    points: int
    must_bank: int
    """Combinations after which one must bank, below zero."""
    confirm: int
    """Points that must follow before the bank, below zero."""
    doubles: int = 0
    """Dice that double the turn total (K8)."""

    def beside(self, other: Worth) -> Worth:
        return Worth(
            self.wins + other.wins,
            self.points + other.points,
            self.must_bank + other.must_bank,
            min(self.confirm, other.confirm),
            self.doubles + other.doubles,
        )


NO_WORTH = Worth(0, 0, 0, 0)


class Naive(NamedTuple):
    """A roll scored by `NaiveScorer`."""

    keeps: Mapping[Roll, Worth]
    """Every set of dice that may be kept, and what it is good for."""
    fine: int
    binds: bool
    """It must be banked."""
    ends: str = ""
    """How it ends the turn, whatever it shows."""


def naive_applies(when: str, first: bool, all_dice: bool, after_set: bool) -> bool:
    """Whether an entry counts at the first roll of a turn, or in a roll of all the dice (P15)."""
    return {"": True, "first_roll": first, "all_dice": all_dice, "after_set": after_set}[when]


def naive_combination(
    rules: Rules, together: Roll, first: bool = False, all_dice: bool = False, after_set: bool = False
) -> Worth:
    """What exactly these dice are worth as one combination, by every pattern of the rules; nothing if they are none."""
    return naive_pattern(rules, together, first, all_dice, after_set)[0]


def naive_pattern(
    rules: Rules, together: Roll, first: bool = False, all_dice: bool = False, after_set: bool = False
) -> tuple[Worth, int]:
    """What exactly these dice are worth as one combination, and how many of them a roll may lack (P19)."""
    found: dict[int, list[tuple[Worth, int]]] = {}
    for text, entry in rules.scoring.plain.items():
        whole: dict[str, Any] = entry if isinstance(entry, dict) else {"points": entry}
        whole = {"then": "win"} if entry == "win" else whole
        if not naive_applies(whole.get("when", ""), first, all_dice, after_set):
            continue
        paid, then, confirm = whole.get("points", 0), whole.get("then", ""), whole.get("confirm", 0)
        letters = sorted({sign for sign in text if sign.isalpha()})
        for faces in permutations([face for face in FACES if str(face) not in text], len(letters)):
            shown = dict(zip(letters, faces, strict=True))
            if sorted(shown.get(sign, sign if sign.isalpha() else int(sign)) for sign in text) == list(together):
                worth = paid if isinstance(paid, int) else int(paid[:-1]) * shown[paid[-1]]
                follows = 1 if then == "roll" else confirm
                found.setdefault(len(letters), []).append(
                    (Worth(int(then == "win"), worth, -int(then == "bank"), -follows), whole.get("missing", 0))
                )
    best, missing = max(found[min(found)]) if found else (NO_WORTH, 0)
    return (best, missing) if best.points or best.wins else (NO_WORTH, 0)


def naive_held(text: str) -> set[Roll]:
    """All dice that fit a pattern, by trying every roll of that many."""
    found = set()
    letters = sorted({sign for sign in text if sign.isalpha()})
    for roll in product(FACES, repeat=len(text)):
        if tuple(sorted(roll)) != roll:
            continue
        for faces in permutations(FACES, len(letters)):
            shown = {letter: str(face) for letter, face in zip(letters, faces, strict=True)}
            said = "".join(shown.get(sign, sign) for sign in text)
            if sorted(said) == [str(face) for face in roll] and not set(shown.values()) & set(text):
                found.add(roll)
    return found


class NaiveRolled:
    """What rolls do under one rule set: every pattern against every roll."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.dice = {text: naive_held(text) for text in rules.rolled if text != "nothing"}

    def fines(self, roll: Roll, first: bool, after_set: bool = False) -> dict[Roll, int]:
        """Dice that the roll is fined for, or paid for, and points, below zero for those that are paid."""
        held = {
            dice: -points
            for dice, points in self._says(roll, lambda one: one.points, first, after_set).items()
            if points
        }
        return {
            dice: points for dice, points in held.items() if not any(Counter(dice) < Counter(other) for other in held)
        }

    def must_bank(self, roll: Roll, first: bool, after_set: bool) -> bool:
        return any(self._says(roll, lambda effect: -int(effect.then == "bank"), first, after_set).values())

    def ends(self, roll: Roll, first: bool, after_set: bool = False) -> str:
        """P10, P17, P18: a win counts before a loss, that before the loss of the score, and that before a farkle."""
        words = ("", "again", "farkle", "zero", "lose", "win")
        ranks = {word: -rank for rank, word in enumerate(words)} | {"bank": 0}
        return words[-min(self._says(roll, lambda effect: ranks[effect.then], first, after_set).values(), default=0)]

    def _says(self, roll: Roll, what: Callable[[Effect], int], first: bool, after_set: bool) -> dict[Roll, int]:
        """What the patterns with the fewest letters say of dice in the roll; those without any effect say nothing."""
        best: dict[Roll, tuple[int, int]] = {}
        for text, several in self.dice.items():
            effect = self.rules.rolled[text]
            if not naive_applies(effect.when, first, len(roll) == self.rules.dice, after_set):
                continue
            if not what(effect) and (effect.points or effect.then):
                continue
            for dice in several:
                if Counter(dice) <= Counter(roll):
                    said = len({sign for sign in text if sign.isalpha()}), what(effect)
                    best[dice] = min(best.get(dice, said), said)
        return {dice: said for dice, (_, said) in best.items()}


Sets = tuple[tuple[int, int], ...]
"""Sets of a kind: the face and the number of dice of each."""


class NaiveScorer:
    """Scores rolls under one rule set by trying every set of their dice, and every way to part those."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.rolled = NaiveRolled(rules)
        self._alone: dict[tuple[Roll, bool, bool, Sets], Worth] = {}
        self._worth: dict[tuple[Roll, bool, bool, Sets, Roll], Worth | None] = {}
        self._lacking: dict[Roll, list[tuple[Roll, Worth]]] = {}

    def score(self, roll: Roll, first: bool = False, sets: Sets = (), held: Roll = ()) -> Naive:
        """What the roll scores, with sets of a kind that were kept earlier in the turn: face and dice of each.

        held: dice that it must complete (P19).
        """
        rules, fines = self.rules, self.rolled.fines(roll, first, bool(sets))
        fined = {face for dice, points in fines.items() for face in dice if points > 0}
        all_dice, nothing = len(roll) == rules.dice, rules.rolled.nothing
        ends, binds = self.rolled.ends(roll, first, bool(sets)), self.rolled.must_bank(roll, first, bool(sets))
        if rules.extend == "again" and any(face in roll for face, _ in sets):
            ends = ends or "again"  # K9
        keeps: dict[Roll, Worth] = {}
        if not ends:
            free = [face for face in roll if face not in fined]
            for part in {part for size in range(1, len(free) + 1) for part in combinations(free, size)}:
                worth = self.completed(part, held) if held else self.worth(part, first, all_dice, sets)
                if worth is not None:
                    keeps[part] = worth
            if not keeps and not fined and all_dice and naive_applies(nothing.when, first, all_dice, bool(sets)):
                if nothing.points:
                    keeps[roll] = Worth(0, nothing.points, 0, 0)
                binds = binds or nothing.then == "bank"
                ends = nothing.then if nothing.then != "bank" else ""
        if rules.keep == "all":
            keeps = {
                part: worth
                for part, worth in keeps.items()
                if not any(Counter(part) < Counter(other) for other in keeps)
            }
        if not ends and not held and any(pays.missing for pays in rules.scoring.values()):
            free = [face for face in roll if face not in fined]
            for part in {part for size in range(1, len(roll)) for part in combinations(free, size)} - keeps.keys():
                if self.worth(part, False, False) is None and self.may_try(part, roll):
                    keeps[part] = Worth(0, 0, 0, -1)
        return Naive(keeps, sum(fines.values()), binds, ends)

    def lacking(self, held: Roll, most: int) -> Iterator[tuple[Roll, Worth]]:
        """Dice that complete a combination of which these are held, and what that is worth (P19)."""
        if held not in self._lacking:
            found = self._lacking[held] = []
            for number in range(1, max(pays.missing for pays in self.rules.scoring.values()) + 1):
                for dice in combinations_with_replacement(FACES, number):
                    worth, missing = naive_pattern(self.rules, tuple(sorted((*held, *dice))))
                    if number <= missing and not self.is_fined((*held, *dice)):
                        found.append((dice, worth))
        return ((dice, worth) for dice, worth in self._lacking[held] if len(dice) <= most)

    def is_fined(self, dice: Roll) -> bool:
        """Whether every roll is fined for these dice."""
        always = {text: held for text, held in self.rolled.dice.items() if not self.rules.rolled[text].when}
        exact = {text for text, held in always.items() if any(Counter(one) <= Counter(dice) for one in held)}
        return any(self.rules.rolled[text].points < 0 for text in exact)

    def may_try(self, held: Roll, roll: Roll) -> bool:
        rest = Counter(roll) - Counter(held)
        lacking = self.lacking(held, len(roll) - len(held))
        return any(not Counter(dice) <= rest for dice, _ in lacking)

    def completed(self, part: Roll, held: Roll) -> Worth | None:
        """The best way to split dice of which some complete a held combination."""
        found = list[Worth]()
        for dice, worth in self.lacking(held, len(part)):
            rest = Counter(part) - Counter(dice)
            beside = self.worth(tuple(sorted(rest.elements()))) if Counter(dice) <= Counter(part) else None
            if beside is not None:
                found.append(worth.beside(beside))
        return max(found, default=None)

    def worth(
        self, faces: Roll, first: bool = False, all_dice: bool = False, sets: Sets = (), raised: Roll = ()
    ) -> Worth | None:
        """The best way to part the dice into combinations, trying every one that the first die may stand in.

        Dice of one face raise an open set all at once, so those of a face in ``raised`` do not do it again (K3).
        """
        if not faces:
            return NO_WORTH
        key = faces, first, all_dice, sets, raised
        if key not in self._worth:
            found: list[Worth] = []
            for size in range(len(faces)):
                for others in combinations(range(1, len(faces)), size):
                    together = faces[0], *(faces[index] for index in others)
                    rest = tuple(face for index, face in enumerate(faces) if index and index not in others)
                    ways = [(self.alone(together, first, all_dice, sets), raised)]
                    if set(together).isdisjoint(raised):
                        ways.append((self.extended(together, sets), (*raised, faces[0])))
                    for alone, then in ways:
                        with_rest = self.worth(
                            rest, first, all_dice, sets, then if self.rules.extend == "higher" else ()
                        )
                        if alone != NO_WORTH and with_rest is not None:
                            found.append(alone.beside(with_rest))
            self._worth[key] = max(found, default=None)
        return self._worth[key]

    def alone(self, together: Roll, first: bool = False, all_dice: bool = False, sets: Sets = ()) -> Worth:
        """What the dice are worth as one combination."""
        key = together, first, all_dice, sets
        if key not in self._alone and self.rules.extend == "double" and {face for face, _ in sets} & set(together):
            self._alone[key] = Worth(0, 0, 0, 0, 1) if len(together) == 1 else NO_WORTH
        if key not in self._alone:
            self._alone[key] = naive_combination(self.rules, together, first, all_dice, bool(sets))
        return self._alone[key]

    def extended(self, together: Roll, sets: Sets) -> Worth:
        """What the dice are worth as dice that extend a set (K2, K3)."""
        more = [self.extending(*one, len(together)) for one in sets if {one[0]} == set(together)]
        return max((Worth(0, points, 0, 0) for points in more if points > 0), default=NO_WORTH)

    def extending(self, face: int, number: int, more: int) -> int:
        """The points of this many more dice of the face beside a set of that number (K2, K3)."""
        if self.rules.extend == "each":
            return self.rules.extend_points if more == 1 else 0
        if self.rules.extend != "higher":
            return 0
        before, after = self.of_a_kind(face, number), self.of_a_kind(face, number + more)
        return after - before if before and after else 0

    def of_a_kind(self, face: int, number: int) -> int:
        """The points for this many of a kind, if they can be rolled and are not fined."""
        dice = (face,) * number
        if number > self.rules.dice or self.rolled.fines(dice, False):
            return 0
        return naive_combination(self.rules, dice, False, False).points

    def sets_after(self, sets: Sets, kept: Roll) -> Sets:
        """The sets that later dice extend, once these dice have been kept too (K1, K3)."""
        found = dict(sets)
        for face in FACES:
            number = kept.count(face)
            if face in found and self.rules.extend == "higher" and self.of_a_kind(face, found[face] + number):
                found[face] += number
            elif face not in found and number >= 3 and (self.rules.extend != "higher" or self.of_a_kind(face, number)):
                found[face] = number
        return tuple(sorted(found.items()))
