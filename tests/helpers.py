"""What the tests share: games written as words, a second way to score dice, and random rules and games.

A game in words is a list of events: ``"134446"`` dice fall, ``"444 roll"`` and ``"15 bank"`` keep dice and go on,
``"fresh"`` starts with all dice, ``"take 2"`` takes over two dice, ``"leave 0"`` gives up seat 0, ``"pass"`` passes a
seat over, ``"note 450 2"`` notes a turn of 450 points with two dice left, ``"note 450 2 farkle"`` one that lost them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import Any, NamedTuple, get_args

from annotated_types import Le
from hypothesis import reject, settings
from hypothesis import strategies as st
from pydantic.fields import FieldInfo

from farkel.dice import FACES, Roll, roll_of
from farkel.errors import RulesError, SolveError
from farkel.game import (
    Event,
    Fresh,
    Keep,
    Leave,
    Note,
    Phase,
    State,
    TakeOver,
    Then,
    Throw,
    apply,
    legal_actions,
    new_game,
    refusal,
)
from farkel.game.numbered import numbered
from farkel.game.scoring import Kept, score_table
from farkel.rules import Effect, PatternError, Rules, load, names, pattern_of, validated
from farkel.rules.model import MOST_POINTS
from farkel.rules.settings import ASIDE, READ, special, unknown
from farkel.rules.settings import settings as fields

CATALOGUE = (
    "original",
    "standard",
    "extended",
    "build-on",
    "guts-and-luck",
    "high-stakes",
    "renaissance",
    "cardgames",
    "facebook",
    "kcd",
    "minimal",
    "patch",
    "ten-thousand",
    "zilch",
)
"""The sets that rules and scores are tested with; what costs next to nothing is tested with all `names`."""
LABEL = st.characters(exclude_categories=("Cc", "Cs"))
"""Letters of titles: no control characters, and no halves of characters."""
SPAN = ("original", "high-stakes", "zilch")
"""Three that set nearly every field that these set. The referee follows random games of all: see `test_invariants`."""
assert set(SPAN) < set(CATALOGUE) <= set(names())
SMALL = {
    "original": "original(target=10000, lives.each=3)",
    "facebook": "facebook(target=500, penalties.farkles_in_row_points=50)",
    "zilch": "zilch(target=300, penalties.farkles_in_row_points=50)",
}
"""Sets that are solved in seconds where the target alone does not make them small."""
NEAR = 1e-9
"""All forms of kernels calculate the same values within this. The tolerance of solving is 1e-10."""
ENTRY = ("extended", "build-on", "guts-and-luck", "high-stakes", "patch")


def examples(number: int) -> int:
    """This many examples under the default profile of Hypothesis, more under a thorough one."""
    return -(-number * settings().max_examples // 50)


# Games in words ------------------------------------------------------------------------------------------------------


@cache
def rules_of(spec: str) -> Rules:
    """The rules of a notation, such as ``standard(target=5000)``, made once."""
    return load(spec)


def small(name: str) -> Rules:
    """The rule set with so low a target that it is solved at once."""
    return rules_of(SMALL.get(name) or f"{name}(target=1000{', entry=200' if name in ENTRY else ''})")


def rules_from(spec: Rules | str) -> Rules:
    return rules_of(spec) if isinstance(spec, str) else spec


def dice(text: str) -> Roll:
    """The faces in the text, in ascending order."""
    return roll_of(int(face) for face in text)


def kept(faces: str, then: Then) -> Keep:
    return Keep(dice(faces), then)


def event_of(text: str | Event) -> Event:
    """The event that the words stand for; an event stands for itself."""
    if not isinstance(text, str):
        return text
    head, _, tail = text.partition(" ")
    if head == "fresh":
        return Fresh()
    if head == "take":
        return TakeOver(int(tail))
    if head == "leave":
        return Leave(int(tail))
    if head == "note":
        points, number, *farkle = tail.split()
        return Note(int(points), int(number), bool(farkle))
    if head == "pass":
        return Note(0, 0)
    if tail:
        return kept(head, "roll" if tail == "roll" else "bank")
    return Throw(dice(head))


def words(event: Event) -> str:
    """The words for an event: `event_of` the other way round."""
    if isinstance(event, Keep):
        return f"{''.join(map(str, event.dice))} {event.then}"
    if isinstance(event, Throw):
        return "".join(map(str, event.faces))
    if isinstance(event, TakeOver):
        return f"take {event.dice}"
    if isinstance(event, Note):
        return "pass" if event.passes else f"note {event.points} {event.dice}{' farkle' if event.farkle else ''}"
    return "fresh" if isinstance(event, Fresh) else f"leave {event.seat}"


def go(state: State, *events: str | Event) -> State:
    """The state after these events."""
    for event in events:
        state = apply(state, event_of(event))
    return state


def play(spec: Rules | str, people: int | Sequence[int], *events: str | Event) -> State:
    """A game from its beginning; a number of people is that many seats of one."""
    return go(new_game(rules_from(spec), (1,) * people if isinstance(people, int) else people), *events)


def on_turn(
    spec: Rules | str,
    *scores: int,
    seat: int = 0,
    lives: Sequence[int] | None = None,
    people: Sequence[int] | None = None,
    entered: bool = True,
) -> State:
    """A game under way, about to throw all dice: these scores are banked, and ``seat`` has the dice."""
    rules = rules_from(spec)
    fresh = new_game(rules, people or (1,) * len(scores))
    lives = lives or (rules.lives.each,) * len(scores)
    seats = tuple(
        one._replace(score=score, lives=left, entered=-1 if entered else one.entered)
        for one, score, left in zip(fresh.seats, scores, lives, strict=True)
    )
    return fresh._replace(phase=Phase.ROLL, seats=seats, seat=seat, first=0, dice=rules.dice)


def deciding(state: State, roll: Roll, **changes: Any) -> State:
    """The state with other numbers, in which that roll has fallen."""
    return state._replace(phase=Phase.KEEP, rolled=numbered(state.rules).number[roll], **changes)


def offered(spec: Rules | str, points: int, left: int, *scores: int, seat: int = 1, lives: Sequence[int] = ()) -> State:
    """As `on_turn`, but the seat before has banked ``points`` and left this many dice."""
    state = on_turn(spec, *scores, seat=seat, lives=lives or None)
    return state._replace(phase=Phase.OFFER, dice=0, offer_points=points, offer_dice=left)


def options(state: State) -> set[str]:
    """The legal decisions in words."""
    return {words(action) for action in legal_actions(state)}


def refused(state: State, event: str | Event) -> str | None:
    """The code with which the event is refused, or None."""
    return refusal(state, event_of(event))


def scores(state: State) -> tuple[int, ...]:
    return tuple(seat.score for seat in state.seats)


def lives(state: State) -> tuple[int, ...]:
    return tuple(seat.lives for seat in state.seats)


def turn(state: State) -> tuple[Phase, int, int, int]:
    """What the state waits for, whose turn it is, the turn total and the dice."""
    return state.phase, state.seat, state.points, state.dice


def points(spec: Rules | str, faces: str) -> int:
    """What exactly these dice are worth when all of them are kept; 0 where that is not allowed."""
    roll = dice(faces)
    keep = score_table(rules_from(spec))[roll].keeps.get(roll)
    return keep.points if keep else 0


def best(spec: Rules | str, faces: str) -> int:
    """The most points that the roll offers; 0 on a farkle."""
    keep = score_table(rules_from(spec))[dice(faces)].best
    return keep.points if keep else 0


def is_farkle(spec: Rules | str, faces: str) -> bool:
    return score_table(rules_from(spec))[dice(faces)].farkle


# Scoring a second time -----------------------------------------------------------------------------------------------


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


# Random rules and games ----------------------------------------------------------------------------------------------


def _multiples(most: int) -> st.SearchStrategy[int]:
    """A number of points in steps of 50, or nothing."""
    return st.one_of(st.just(0), st.integers(1, most // 50).map(lambda steps: steps * 50))


@st.composite
def losses(draw: st.DrawFn, in_row: bool) -> dict[str, dict[str, Any]]:
    """What few rules have: fines of whole scores and of first rolls, turn totals that count, and catching up."""
    fine = st.sampled_from([0, 0, 50, 200, "all"])
    penalties = {
        "farkle": draw(fine),
        "farkle_all_dice": draw(fine),
        "farkle_first_roll": draw(fine),
        "turn_total": draw(st.sampled_from(["lost", "lost", "subtracted", "kept"])),
    }
    return {
        "penalties": penalties | ({"farkles_in_row_points": draw(st.sampled_from([50, "all"]))} if in_row else {}),
        "catching_up": {
            "landed_on": draw(st.sampled_from(["stays", "to_zero", "back", "swap"])),
            "overtaken": draw(st.sampled_from([0, 0, 50, 100])),
        },
    }


def patterns(dice: int) -> st.SearchStrategy[str]:
    """Any pattern of two dice up to this many, in its one form; common ones more often."""
    known = ["aa", "aaa", "aaaa", "aaaaa", "aaaabb", "aaabb", "aaabbb", "aabbcc", "aabb", "111", "333", "12345"]
    known += ["123456", "1123456", "aaaaaaa", "aaaabbb"]
    short = [text for text in known if len(text) <= dice]
    texts = st.one_of(st.sampled_from(short), st.text("123456aaabbc", min_size=2, max_size=dice))
    return texts.filter(lambda text: len(text) <= dice and is_pattern(text)).map(lambda text: pattern_of(text).text)


def is_pattern(text: str) -> bool:
    try:
        return bool(pattern_of(text))
    except PatternError:
        return False


@st.composite
def scoring_tables(draw: st.DrawFn, dice: int) -> dict[str, Any]:
    """What combinations pay: single 1s and 5s, three of a kind, and any others."""
    table: dict[str, Any] = {"1": draw(_multiples(200)), "5": draw(_multiples(200))}
    if dice >= 3:
        table["aaa"] = draw(_multiples(1_000))
    for pattern in draw(st.lists(patterns(dice), max_size=8, unique=True)) if dice > 1 else ():
        letters = sorted({sign for sign in pattern if sign.isalpha()})
        points: st.SearchStrategy[int | str] = _multiples(2_500)
        if letters:
            times = st.integers(1, 8).map(lambda steps: steps * 50)
            points = st.one_of(
                points, st.builds(lambda each, letter: f"{each}{letter}", times, st.sampled_from(letters))
            )
        entry: dict[str, Any] = {"points": draw(points)}
        rarely = st.sampled_from([False] * 5 + [True])
        if draw(rarely):
            entry["name"] = draw(st.text("ab c", max_size=6))
        if draw(rarely):
            entry["when"] = draw(st.sampled_from(["first_roll", "all_dice", "after_set"]))
        if entry["points"] and draw(rarely):
            follows = draw(FOLLOWS)
            if "missing" not in follows or (len(pattern) > 1 and "when" not in entry):
                entry |= follows
        if len(pattern) > 2 and draw(st.sampled_from([False] * 19 + [True])):
            entry = {"then": "win"} | {key: value for key, value in entry.items() if key in ("name", "when")}
        table[pattern] = entry if len(entry) > 1 or "points" not in entry else entry["points"]
    return table


FOLLOWS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{"then": "roll"}, {"confirm": 50}, {"confirm": 350}, {"then": "bank"}, {"missing": 1}, {"missing": 1}]
)
"""What combinations ask for."""


@st.composite
def rolled_tables(draw: st.DrawFn, dice: int) -> dict[str, Any]:
    """What rolls do: mostly little, so that games go on."""
    nothing: dict[str, Any] = {"points": draw(_multiples(500))}
    rarely = st.sampled_from([False] * 5 + [True])
    if draw(rarely):
        nothing["when"] = "first_roll"
    if nothing["points"] and draw(rarely):
        nothing["then"] = "bank"
    table: dict[str, Any] = {"nothing": nothing if len(nothing) > 1 else nothing["points"]}
    if draw(st.sampled_from([False] * 19 + [True])):
        table["nothing"] = draw(st.sampled_from(["win", "lose", "zero", "again"]))
    if dice >= 3 and draw(st.booleans()):
        table["aaa"] = "bank"
    if dice >= 4 and draw(st.booleans()):
        table["2222"] = "farkle"
    fine = st.sampled_from([-300, -50])
    effect = st.one_of(
        fine, st.sampled_from(["farkle", "bank", 0]), st.fixed_dictionaries({"points": fine, "then": st.just("bank")})
    )
    for pattern in draw(st.lists(patterns(dice), max_size=3, unique=True)) if dice > 2 else ():
        if len(pattern) > 2:
            table[pattern] = draw(effect)
            if draw(rarely):
                table[pattern] = draw(st.sampled_from([100, "zero", {"points": 50, "then": "bank"}]))
            if len(pattern) > 3 and draw(rarely):
                table[pattern] = draw(st.sampled_from(["win", "lose", "again"]))
            if draw(rarely):
                said = table[pattern]
                whole = (
                    {"then": said} if isinstance(said, str) else said if isinstance(said, dict) else {"points": said}
                )
                table[pattern] = whole | {"when": draw(st.sampled_from(["first_roll", "all_dice", "after_set"]))}
    return table


@st.composite
def take_overs(draw: st.DrawFn, price: str, entry: int, target: int, minimum: int) -> dict[str, Any]:
    """What may be taken over, by whom and what it counts for."""
    if price == "none":
        return {}
    found = {field: draw(st.booleans()) for field in ("choose_dice", "after_farkle")}
    seldom = st.sampled_from([False, False, False, True])
    after = draw(st.sampled_from(["nothing", "hot dice", "heavy"]))
    return {
        **found,
        "after_hot_dice": after == "hot dice",
        "heavy": after == "heavy",
        "on_board": entry > 0 and draw(seldom),
        "from_score": min(target or 1_000, draw(st.sampled_from([0, 0, 50, 150]))),
        "toward_entry": not (0 < entry >= minimum and draw(st.booleans())),
        "points": not draw(seldom),
        "bonus": draw(_multiples(300)) if draw(seldom) else 0,
    }


@st.composite
def banks(draw: st.DrawFn, price: str, entry: int) -> dict[str, Any]:
    """What may be banked besides a minimum and an entry score: mostly anything."""
    least = draw(st.sampled_from([0] * 6 + [2, 3]))
    return {
        "bank_left": draw(st.sampled_from([9] * 6 + [0, 1, 3])),
        "beat_previous": draw(st.sampled_from([False] * 5 + [True])),
        "least_rolls": least,
        "most_rolls": draw(st.sampled_from([0] * 6 + [max(1 if price == "none" else 2, least), 3, 5])),
        "entry_by": draw(st.sampled_from(["turn"] * 4 + ["roll", "triple"])) if entry else "turn",
    }


@st.composite
def zones(draw: st.DrawFn, target: int) -> str:
    """Scores where no player may rest: mostly none."""
    parts = list[str]()
    score = draw(st.sampled_from([target or 1_000] * 4 + [50]))
    while score < (target or 1_000) - 50 and len(parts) < 4:
        last = draw(st.integers(score // 50, (target or 1_000) // 50 - 1)) * 50 + draw(st.sampled_from([0, 0, 49]))
        first = draw(st.sampled_from([score, last]))
        kind = draw(st.sampled_from(["leave", "never", "zero", "barrel"]))
        barrel = f" tries {draw(st.integers(1, 3))} fine {draw(st.integers(1, 4)) * 50}"
        times = draw(st.sampled_from(["", " times 1", " times 2"]))
        parts.append(f"{first}-{last} {kind}{barrel + times if kind == 'barrel' else ''}")
        score = last // 50 * 50 + 100
    return ", ".join(parts)


def any_value(field: FieldInfo) -> st.SearchStrategy[Any]:
    """What a field of the rules may say: a word, a truth, a few or some points; mostly its default."""
    points = any(isinstance(limit, Le) and limit.le == MOST_POINTS for limit in field.metadata)
    numbers = range(0, 400, 50) if points else range(4)
    values = get_args(field.annotation) or ((False, True) if field.annotation is bool else numbers)
    return st.sampled_from([field.default] * 3 * len(values) + [*values])


@st.composite
def rule_sets(draw: st.DrawFn) -> Rules:
    """Any rules without a contradiction, small enough that their games end."""
    dice_in_turn = draw(st.sampled_from([6, 6, 6, 6, 5, 5, 4, 3, 2, 1, 7]))
    scoring = draw(scoring_tables(dice_in_turn))
    rolled = draw(rolled_tables(dice_in_turn))

    extend = draw(st.sampled_from(["no"] * 4 + ["each", "higher", "double", "again"])) if dice_in_turn > 3 else "no"
    completes = "missing" in str(scoring)
    if completes and (extend != "no" or "after_set" in f"{scoring} {rolled}"):
        for entry in scoring.values():
            if isinstance(entry, dict):
                entry.pop("missing", None)
    finish = draw(st.sampled_from(["at_once", "last_turns", "equal_turns", "exact", "welfare"]))
    if finish in ("exact", "welfare") or not scoring["1"]:
        # Scores that move in steps of 50 hit any target that is a multiple of 50.
        scoring["5"] = 50
    has_target = finish in ("exact", "welfare") or draw(st.integers(0, 4)) > 0
    target = draw(st.integers(4, 60)) * 50 if has_target else 0
    most = target or 1_000
    partners = draw(st.booleans())
    entry = min(most, draw(_multiples(500)))
    minimum = min(most, draw(_multiples(400)))
    price = draw(st.sampled_from(["none", "free", "stake", "lives"]))
    each = draw(st.integers(1, 12)) if price == "lives" else draw(st.sampled_from([0, 0, 3]))
    in_row = draw(st.sampled_from([0, 0, 2, 3]))
    bank = draw(banks(price, entry))
    if completes and bank["entry_by"] == "triple":
        bank["entry_by"] = "turn"
    tree: dict[str, Any] = {
        "name": draw(st.from_regex(r"[a-z0-9][a-z0-9-]{0,39}", fullmatch=True)),
        "title": draw(st.text(LABEL, max_size=12)),
        "source": draw(st.text(LABEL, max_size=12)),
        "about": draw(st.text(LABEL, max_size=12)),
        "dice": dice_in_turn,
        "target": target,
        "finish": finish,
        "rounds": draw(st.sampled_from([0, 0, 1, 3, 10])) if target else draw(st.integers(1, 10)),
        "fallen": draw(st.sampled_from(["again", "again", "farkle"])),
        "start": draw(
            st.sampled_from(["first_seat", "highest_die", "first_six", "lowest_die", "highest_total", "youngest"])
        ),
        "entry": entry,
        "entry_each": partners and entry > 0 and draw(st.booleans()),
        "minimum": minimum,
        **bank,
        "zones": draw(zones(target)),
        "bank_multiple": min(most, draw(st.sampled_from([0] * 9 + [100, 150, 500]))),
        "hot_dice": draw(st.sampled_from(["optional", "forced"] if dice_in_turn > 1 else ["optional"])),
        "last_die_tries": draw(st.sampled_from([1, 1, 1, 2, 3])),
        "hot_dice_multiplier": draw(st.booleans()),
        "hot_dice_bonus": (bonus := draw(st.sampled_from([0, 0, 0, 50, 500]))),
        "hot_dice_bonus_to": draw(st.sampled_from(["turn", "score"])) if bonus else "turn",
        "keep": draw(st.sampled_from(["any", "any", "all", "all_to_win"] if target else ["any", "any", "all"])),
        "extend": extend,
        "extend_points": draw(st.sampled_from([50, 100])) if extend == "each" else 0,
        "teams": "partners" if partners else "together",
        "team_size": draw(st.integers(1, 8)),
        "most_seats": draw(st.one_of(st.integers(1, 8), st.integers(9, 20))),
        "scoring": scoring,
        "rolled": rolled,
        "take_over": {
            "price": price,
            "stake": draw(st.integers(1, 10)) * 50 if price == "stake" else 0,
            **draw(take_overs(price, entry, target, minimum)),
            **({"toward_entry": True} if extend == "double" else {}),
        },
        "lives": {
            "each": each,
            "farkle": draw(st.integers(1, 2)) if each else 0,
            "farkle_all_dice": draw(st.integers(0, 3)) if each else 0,
            "last_standing": draw(st.sampled_from(["rounds", "wins"])) if target else "wins",
            "round_points": draw(st.integers(1, 20)) * 50,
        },
        "penalties": {
            "farkles_in_row": in_row,
            "farkles_in_row_points": draw(st.integers(1, 10)) * 50 if in_row else 0,
            "farkle_all_dice": draw(_multiples(300)),
            "farkle": draw(st.sampled_from([0, 0, 0, 50, 100])),
            "fines_from": draw(st.sampled_from(["score", "turn"])) if "-" in str(rolled) else "score",
            "below_zero": draw(st.booleans()),
            "not_beaten": draw(st.sampled_from([50, 200, "all"])) if bank["beat_previous"] else 0,
        },
        "catching_up": {},
        "cancel_win": False,
        "missed_target": 0,
        "last_turns": "turn",
        "last_turns_again": "no",
        "ties": "shared",
    }
    if finish == "last_turns" and target:
        tree["last_turns_again"] = draw(st.sampled_from(["no"] * 6 + ["passed", "beaten", "tied"]))
        tree["last_turns"] = draw(st.sampled_from(["turn", "turn", "roll"])) if tree["least_rolls"] < 2 else "turn"
    if finish == "exact" and not tree["rounds"] and draw(st.booleans()):
        tree["cancel_win"] = True
    if finish == "exact":
        tree["missed_target"] = draw(st.sampled_from([0, 0, target + 50, target + 400]))
    if tree["hot_dice"] == "forced" and not tree["most_rolls"]:
        tree["bank_left"] = tree["bank_left"] or 1
    # Random players hardly ever hit a target with hot dice.
    plain = price == "none" and extend == "no" and tree["bank_left"] == 9
    plain = plain and not completes and not tree["cancel_win"] and "after_set" not in f"{scoring} {rolled}"
    tree["next_roll"] = draw(st.sampled_from(["rest"] * 5 + ["all"])) if plain else "rest"
    tree["hot_dice_to_win"] = (
        target > 0 and finish not in ("exact", "welfare") and draw(st.sampled_from([False] * 6 + [True]))
    )
    if draw(st.sampled_from([False] * 5 + [True])):
        if target and draw(st.sampled_from([False] * 3 + [True])):
            tree |= {"finish": "fewest_rounds", "last_turns": "turn", "last_turns_again": "no", "missed_target": 0}
            tree["cancel_win"] = False
        elif tree["rounds"] or finish == "equal_turns" or tree["last_turns_again"] == "tied":
            first = ["first"] if finish == "equal_turns" and target else []
            tree["ties"] = draw(st.sampled_from(["shared", "play_off", *first]))
        lost = draw(losses(in_row > 0))
        tree |= {"penalties": tree["penalties"] | lost["penalties"], "catching_up": lost["catching_up"]}
    others = {name: draw(any_value(field)) for name, field in Rules.model_fields.items() if name not in tree}
    if tree["finish"] == "exact" and draw(st.booleans()):  # which contradicts most of the others
        others = {"exact_hit": "round"}
    # They contradict others, no roll is worth so much, there is no triple, or no turn is worth so much.
    for mended in (others, {}, {"entry_by": "turn"}, {"entry_by": "turn", "most_rolls": 0}):
        with suppress(RulesError):
            return validated(tree | mended, "drawn by a test")
    return reject()


@st.composite
def tables(draw: st.DrawFn, rules: Rules) -> tuple[int, ...]:
    """People at the table: as many seats and people in a team as the rules allow."""
    return tuple(draw(st.lists(st.integers(1, rules.team_size), min_size=1, max_size=rules.most_seats)))


@cache
def _throw(faces: Roll) -> Throw:
    return Throw(faces)


def random_event(state: State, chance: random.Random) -> Event:
    """Dice that fall at random, or any legal decision."""
    due = state.dice_due
    if due:
        return _throw(tuple(sorted(chance.choices(FACES, k=due))))
    return chance.choice(legal_actions(state))


def random_game(start: State, chance: random.Random, bound: int) -> tuple[State, list[Event]]:
    """Play at random until the game is over, or for ``bound`` events; the last state and the events."""
    state = start
    events: list[Event] = []
    while not state.over and len(events) < bound:
        event = random_event(state, chance)
        state = apply(state, event)
        events.append(event)
    return state, events


def random_people(rules: Rules, chance: random.Random, usual: Sequence[int] = (1, 1, 2, 2, 3)) -> tuple[int, ...]:
    """Seats for a random game, mostly as ``usual``, at times as many as the rules allow; teams of all sizes."""
    seats = chance.choice(usual) if chance.random() < 0.95 else chance.randint(1, rules.most_seats)
    seats = min(seats, rules.most_seats)
    return tuple(chance.choice((1, chance.randint(1, rules.team_size))) for _ in range(seats))


def random_states(rules: Rules, seed: int, number: int, people: Sequence[int] | None = None) -> Iterable[State]:
    """States met in random games under the rules, one after another."""
    chance = random.Random(seed)
    state = new_game(rules, people or random_people(rules, chance))
    for _ in range(number):
        yield state
        state = (
            new_game(rules, people or random_people(rules, chance))
            if state.over
            else apply(state, random_event(state, chance))
        )
    yield state


def left_lying(state: State, kept: Kept) -> int:
    """Dice that lie there when the keep is banked: those not set aside, and those of an offer never taken (O18)."""
    return (0 if kept.hot or state.rules.next_roll == "all" else kept.left) + state.idle


def known_to(understood: frozenset[str], rules: Rules, values: Mapping[str, tuple[str, ...]] | None = None) -> Rules:
    """The rules with every field at its default, and without every table entry, that an interpreter does not know.

    values: those of other fields that are not known either; for the whole score as a fine there are 50 points.
    """
    tree = rules.model_dump()
    for name, value, default in fields(rules):
        strange, known = value in (values or {}).get(name, ()), name in understood | READ | ASIDE
        if strange or not known:
            *path, last = name.split(".")
            branch = tree
            for step in path:
                branch = branch[step]
            branch[last] = 50 if known and value == "all" else default
    for name, entry, _ in special(rules):
        if name not in understood:
            table, form = name.partition(".")[0], entry.partition(" = ")[0]
            tree[table].pop(form, None)
    left = Rules(**tree)
    assert unknown(left, understood) is None
    return left


def has_best_turn(rules: Rules) -> bool:
    """Whether the best turn can be calculated: not where fines add up to too many sums or a field is refused."""
    from farkel.solve import best_turn

    try:
        best_turn(rules)
    except SolveError as error:
        if error.code not in ("too_large", "too_many_fines") and error.code.split(".")[0] not in Rules.model_fields:
            raise
        return False
    return True
