"""What makes a noted turn hard to believe: for a page that asks "are you sure?" before it accepts one.

A turn as people tell it is a turn total with the dice left, or a farkle of so many dice. What rolls can bring about is
worked out backwards from the points that are still to come: which dice a turn can be left with once it has gained
exactly so much, and the highest chance of gaining at least so much. Points are counted in steps of the score table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from typing import NamedTuple

from farkel.facts import counted
from farkel.game import REFUSALS, Note, Phase, State, bank_needs, check, hits_target
from farkel.rules import Rules
from farkel.scoring import Kept, Scored, score_table

NEAR = 40
"""So many steps away it is looked for points that would be possible."""
UNLIKELY = 1e-4
"""A turn that even a player who aims at nothing else has less often than this is doubted."""
NEGLIGIBLE = 1e-5
"""Below this nobody asks how unlikely exactly."""
MOST_HOT = 8
"""Hot dice in one turn that are told apart where they multiply points; more of them count as the last of these."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """One reason to ask again. ``code`` is stable, ``sentence`` is for people."""

    code: str
    sentence: str


def doubts(state: State, note: Note) -> tuple[Doubt, ...]:
    """What speaks against a noted turn; empty where nothing does, and for a seat that is passed over.

    ``turn_unit``: points that are no sum of scores. ``turn_total``: points and dice left that no rolls lead to from
    here. ``below_entry``, ``below_minimum``, ``must_roll_hot_dice``: the rules forbid that bank. ``farkle_dice``: so
    many dice cannot have farkled, or it is not said how many where that matters. ``unlikely``: even who aims at nothing
    else comes so far in fewer than one of 10,000 turns. Raises `IllegalEvent` for what cannot be noted at all.
    """
    check(state, note)
    if note.passes:
        return ()
    turn = _asked(_first_roll_due(state), note)
    found = _farkle_doubts(turn) if note.farkle else _bank_doubts(turn)
    return (*found, *_unlikely(turn))


# What is asked, and what is doubted ----------------------------------------------------------------------------------


class _Asked(NamedTuple):
    """A noted turn, and what can come of the turn from here."""

    state: State
    """Within the turn, with the seat's score as it will be once a stake has come back."""
    note: Note
    step: int
    """Points of one step."""
    gain: int
    """Steps from what is set aside or taken over already to the noted points, rounded up; below zero if they are fewer.
    """
    off: int
    """Points by which that misses the steps."""
    at: Callable[[int], _Row]
    """What can be, once so many steps have been gained."""
    dice: Callable[[], int]
    """Bits of the dice that may come to be rolled, whatever has been gained."""


def _first_roll_due(state: State) -> State:
    """The state within the turn: on an offer the note says what came after all dice were thrown."""
    rules, seat = state.rules, state.seats[state.seat]
    if state.phase is Phase.OFFER:
        return state._replace(phase=Phase.ROLL, dice=rules.dice, offer=None)
    if not (state.taking and rules.take_over.stake):
        return state
    back = seat._replace(score=seat.score + rules.take_over.stake)
    return state._replace(seats=(*state.seats[: state.seat], back, *state.seats[state.seat + 1 :]))


def _asked(state: State, note: Note) -> _Asked:
    rules, step = state.rules, _step(state.rules)
    gain, off = divmod(note.points - state.points, step)
    gain += off > 0
    hand = _Hand(state.dice, state.idle, min(state.hot, MOST_HOT))
    fresh = _Hand(rules.dice, 0, 0)
    start = fresh if hand in _hands(rules, fresh) else hand
    turns = _turns(rules, start, *_above(state, state.points + gain * step))
    if state.phase is not Phase.KEEP:
        return _Asked(state, note, step, gain, off, lambda n: turns.of_hand(hand, n), lambda: turns.dice_from([hand]))
    choice = _choice(rules, hand, score_table(rules)[state.roll], 1.0)
    thens = [option.then for option in choice.options]
    return _Asked(state, note, step, gain, off, lambda n: turns.of_choice(choice, n), lambda: turns.dice_from(thens))


def _above(state: State, total: int) -> tuple[int | None, int | None]:
    """How far the total is above what a bank needs, and above an exact target, in steps, where that restricts a turn.

    It does where something must be banked as soon as it may: a three of a kind (D5), or dice that were bought (O17).
    """
    rules, step, needs = state.rules, _step(state.rules), bank_needs(state)
    if state.points >= needs or not (rules.triple_ends_turn or state.idle):
        return None, None
    hit, off = divmod(total - (rules.target - state.seats[state.seat].score), step)
    exact = rules.finish in ("exact", "welfare") and off == 0
    return (total - needs) // step, hit if exact else None


def _bank_doubts(turn: _Asked) -> Iterator[Doubt]:
    state, note = turn.state, turn.note
    if turn.off and note.points > state.points:
        yield _off_steps(turn)
    else:
        ends = turn.at(turn.gain).ends
        forced = note.dice == 0 and bool(ends & _bit(FORCED))
        if not (ends & _bit(note.dice) or forced):
            yield Doubt("turn_total", _impossible(turn, _left))
        elif not ends & _bit(note.dice):
            yield Doubt("must_roll_hot_dice", REFUSALS["must_roll_hot_dice"])
    needs = bank_needs(state)
    if note.points < needs and not hits_target(state, note.points):
        code = "below_minimum" if state.seats[state.seat].on_board else "below_entry"
        sentence = REFUSALS[code].format(total=f"{note.points:,}", needs=f"{needs:,}")
        yield Doubt(code, sentence.removesuffix("; roll on"))


def _farkle_doubts(turn: _Asked) -> Iterator[Doubt]:
    rules, note = turn.state.rules, turn.note
    known = note.points > 0
    if turn.off and note.points > turn.state.points:
        yield _off_steps(turn)
        return
    possible = _farkles(rules, turn.at(turn.gain).dice if known else turn.dice())
    if known and not possible:
        yield Doubt("turn_total", _impossible(turn, lambda row: _farkles(rules, row.dice)))
    elif note.dice and not possible & _bit(note.dice):
        lost = f" with {note.points:,} points set aside" if known else ""
        yield Doubt("farkle_dice", f"{_dice([note.dice])} cannot have farkled{lost}: {_dice(_bits(possible))} can")
    elif not note.dice and _dice_matter(rules, note):
        yield Doubt("farkle_dice", "with how many dice it was matters under these rules: say how many farkled")


def _unlikely(turn: _Asked) -> Iterator[Doubt]:
    chance = turn.at(turn.gain).chance
    if turn.note.points and chance < UNLIKELY:
        least = f"about one turn in {_rounded(1 / chance):,}" if chance >= NEGLIGIBLE else "less than one in 100,000"
        points = f"{turn.note.points:,} points"
        yield Doubt("unlikely", f"{points} are rare: {least} comes so far, even if nothing else is aimed at")


def _off_steps(turn: _Asked) -> Doubt:
    above = turn.state.points + turn.gain * turn.step
    right = f"{above - turn.step:,} or {above:,}"
    return Doubt("turn_unit", f"{turn.note.points:,} points cannot be: they come in steps of {turn.step} ({right})")


def _impossible(turn: _Asked, found: Callable[[_Row], int]) -> str:
    """That no rolls lead to such an end, and which ones are near."""
    state, points = turn.state, turn.note.points
    if points < state.points:
        return f"a turn total of {points:,} cannot be: {state.points:,} points stand already"
    here = found(turn.at(turn.gain))
    if here:
        return f"a turn of {points:,} points never leaves {_dice([turn.note.dice])}: it leaves {_dice(_bits(here))}"
    near = [n for n in range(max(0, turn.gain - NEAR), turn.gain + NEAR + 1) if found(turn.at(n))]
    near = sorted(sorted(near, key=lambda n: abs(n - turn.gain))[:2])
    right = " and ".join(f"{state.points + n * turn.step:,}" for n in near)
    return f"no rolls come to a turn of {points:,} points from here" + (f"; the nearest are {right}" if near else "")


def _left(row: _Row) -> int:
    """The dice that may be left, hot dice that must be rolled again included."""
    return (row.ends | bool(row.ends & _bit(FORCED))) & ~_bit(FORCED)


def _farkles(rules: Rules, dice: int) -> int:
    """Those of the numbers of dice that can farkle."""
    table = score_table(rules)
    return sum(_bit(number) for number in range(1, rules.dice + 1) if dice & _bit(number) and table.farkles(number))


def _dice_matter(rules: Rules, note: Note) -> bool:
    """Whether it matters with how many dice somebody farkled."""
    told_apart = rules.lives.farkle_all_dice not in (0, rules.lives.farkle) or rules.penalties.farkle_all_dice > 0
    return told_apart or (rules.take_over.after_farkle and note.points > 0)


def _bit(number: int) -> int:
    return 1 << number


def _bits(mask: int) -> list[int]:
    return [number for number in range(mask.bit_length()) if mask >> number & 1]


def _dice(numbers: Sequence[int]) -> str:
    """``no dice``, ``1 die``, ``1, 2 or 3 dice``."""
    if len(numbers) < 2:
        return counted(numbers[0], "die", "dice") if numbers and numbers[0] else "no dice"
    words = [str(number) if number else "no" for number in numbers]
    return f"{', '.join(words[:-1])} or {words[-1]} dice"


def _rounded(number: float) -> int:
    """Two digits are enough to wonder."""
    return int(float(f"{number:.1e}"))


# What rolls can bring about ------------------------------------------------------------------------------------------

FORCED = 7
"""Beside the numbers of dice that may be left: none, but hot dice must be rolled again."""


class _Hand(NamedTuple):
    """What is about to be rolled: so many dice, with dice lying idle (O17), after so many hot dice (D16)."""

    dice: int
    idle: int
    hot: int


class _Option(NamedTuple):
    """One keep."""

    points: int
    end: int
    """Dice left lying after a bank, or `FORCED`."""
    then: _Hand
    bought: bool
    """All the bought dice are set aside: it is banked where it may be (O17)."""


class _Choice(NamedTuple):
    """What a roll leaves to choose from."""

    chance: float
    triple: bool
    """The turn ends with this roll wherever one of the options may be banked (D5)."""
    options: frozenset[_Option]


class _Ways(NamedTuple):
    """What the choices of one roll amount to."""

    reach: tuple[tuple[float, int, tuple[int, ...]], ...]
    """Chance, the most points of a keep, and the moves with the most points for each hand, by their index."""
    moves: tuple[tuple[int, _Hand], ...]
    """Points and what may be rolled after them."""
    ends: dict[int, int]
    """Bits of the ends, by points."""


class _Row(NamedTuple):
    """What a turn can come to when so many steps are still to be gained."""

    chance: float
    """The highest chance to gain at least so many."""
    ends: int
    """Bits of the dice that it may be left with, having gained exactly so many."""
    dice: int
    """Bits of the dice that may be rolled next, having gained exactly so many."""


GAINED = _Row(1.0, 0, 0)
NOTHING = _Row(0.0, 0, 0)
ANYTHING = (1 << FORCED + 1) - 1
"""So far away it is only said that it is unlikely."""


class _Turns:
    """All turns from one hand on, by the steps that are to be gained; worked out as far as somebody asks.

    ``above_needs`` and ``above_target`` are those of `_above`. Turns that may bank already are the same for all totals.
    """

    def __init__(self, rules: Rules, start: _Hand, above_needs: int | None, above_target: int | None) -> None:
        self._hands = _hands(rules, start)
        self._above = above_needs, above_target
        self._free = None if above_needs is None else _turns(rules, start, None, None)
        self._first = 0 if above_needs is None else max(0, above_needs + 1)
        self._ways = {} if self._free else {hand: _ways(choices, 0, None) for hand, choices in self._hands.items()}
        self._rows: dict[_Hand, list[_Row]] = {hand: [] for hand in self._hands}
        """By the gain, from the first one on at which a bank still needs something."""

    def of_hand(self, hand: _Hand, gain: int) -> _Row:
        """What may be gained from the roll of this hand on."""
        if gain < 0:
            return GAINED
        if self._free is not None:
            return self._at(hand, gain)
        rows = self._rows[hand]
        while len(rows) <= gain and not (rows and rows[-1].chance < NEGLIGIBLE):
            self._at(hand, len(rows))
        if gain < len(rows):
            return rows[gain]
        far = rows[-1].chance
        return _Row(far, ANYTHING, ANYTHING) if far else NOTHING

    def of_choice(self, choice: _Choice, gain: int) -> _Row:
        """What may be gained from one roll on that has fallen already."""
        return GAINED if gain < 0 else self._row(self._restricted((choice,), gain), gain, self.of_hand)

    def dice_from(self, hands: Iterable[_Hand]) -> int:
        """Bits of all the dice that may come to be rolled from these hands on."""
        found, todo = set[_Hand](), list(hands)
        while todo:
            hand = todo.pop()
            if hand not in found:
                found.add(hand)
                todo += {option.then for choice in self._hands[hand] for option in choice.options}
        return sum({_bit(hand.dice) for hand in found})

    def _at(self, hand: _Hand, gain: int) -> _Row:
        """As `of_hand`, however far it is. Rows are made in order, so that this calls itself once a hand at most."""
        if self._free is not None and gain < self._first:
            return self._free.of_hand(hand, gain)
        rows = self._rows[hand]
        while len(rows) <= gain - self._first:
            due = self._first + len(rows)
            ways = self._ways[hand] if self._free is None else self._restricted(self._hands[hand], due)
            rows.append(self._row(ways, due, self._at) if due else _Row(1.0, 0, _bit(hand.dice)))
        return rows[gain - self._first]

    def _restricted(self, choices: Iterable[_Choice], gain: int) -> _Ways:
        """The ways on where so much is to be gained: with it, what a bank still needs is known."""
        needs, target = self._above
        return _ways(choices, 0 if needs is None else gain - needs, None if target is None else gain - target)

    @staticmethod
    def _row(ways: _Ways, gain: int, then_at: Callable[[_Hand, int], _Row]) -> _Row:
        after = [then_at(then, gain - points) if points <= gain else GAINED for points, then in ways.moves]
        ends, dice = ways.ends.get(gain, 0), 0
        for row in after:
            ends |= row.ends
            dice |= row.dice
        best = [row.chance for row in after]
        chance = 0.0
        for part, most, ons in ways.reach:
            if most >= gain:
                chance += part
            elif ons:
                chance += part * max([best[on] for on in ons])
        return _Row(chance, ends, dice)


_turns = lru_cache(maxsize=64)(_Turns)


def _ways(choices: Iterable[_Choice], owed: int, target: int | None) -> _Ways:
    """The ways on where a bank still needs so many steps, or exactly so many to hit the target."""
    goes_on = [(choice, _rolled_on(choice, owed, target)) for choice in choices]
    moves = tuple({(option.points, option.then): None for _, options in goes_on for option in options})
    number = {move: index for index, move in enumerate(moves)}
    chances: dict[tuple[int, tuple[int, ...]], float] = {}
    ends: dict[int, int] = {}
    for choice, options in goes_on:
        most: dict[_Hand, int] = {}
        for option in options:
            most[option.then] = max(most.get(option.then, 0), option.points)
        key = (
            max(option.points for option in choice.options),
            tuple(sorted(number[points, then] for then, points in most.items())),
        )
        chances[key] = chances.get(key, 0.0) + choice.chance
        for option in choice.options:
            ends[option.points] = ends.get(option.points, 0) | _bit(option.end)
    return _Ways(tuple((chance, *key) for key, chance in chances.items()), moves, ends)


def _rolled_on(choice: _Choice, owed: int, target: int | None) -> list[_Option]:
    """The options after which the turn may go on (D5, O17)."""
    banks = {option for option in choice.options if option.points >= owed or option.points == target}
    if choice.triple and banks:
        return []
    return [option for option in choice.options if not (option.bought and option in banks)]


@lru_cache(maxsize=64)
def _hands(rules: Rules, start: _Hand) -> dict[_Hand, tuple[_Choice, ...]]:
    """Every hand that a turn may come to, with what its rolls leave to choose from."""
    found: dict[_Hand, tuple[_Choice, ...]] = {}
    todo = [start]
    while todo:
        hand = todo.pop()
        if hand not in found:
            found[hand] = tuple(_choices(rules, hand))
            todo += {option.then for choice in found[hand] for option in choice.options}
    return found


def _choices(rules: Rules, hand: _Hand) -> Iterator[_Choice]:
    """The rolls of a hand, those that leave the same choice together."""
    found: Counter[tuple[bool, frozenset[_Option]]] = Counter()
    for scored in score_table(rules).rolls(hand.dice):
        _, triple, options = _choice(rules, hand, scored, 1.0)
        found[triple, options] += scored.ways
    return (_Choice(ways / 6**hand.dice, *key) for key, ways in found.items() if key[1])


def _choice(rules: Rules, hand: _Hand, scored: Scored, chance: float) -> _Choice:
    triple = rules.triple_ends_turn and scored.triple
    return _Choice(chance, triple, frozenset(_option(rules, hand, kept, triple) for kept in scored.keeps.values()))


def _option(rules: Rules, hand: _Hand, kept: Kept, triple: bool) -> _Option:
    points = kept.points // _step(rules) * (1 + hand.hot)
    if not kept.hot:
        return _Option(points, kept.left + hand.idle, hand._replace(dice=kept.left), bought=False)
    if hand.idle:
        return _Option(points, hand.idle, _Hand(rules.dice, 0, hand.hot), bought=True)
    hot = min(hand.hot + rules.hot_dice_multiplier, MOST_HOT)
    forced = rules.hot_dice == "forced" and not triple
    return _Option(points, FORCED if forced else 0, _Hand(rules.dice, 0, hot), bought=False)


@lru_cache(maxsize=64)
def _step(rules: Rules) -> int:
    """What all points of keeps are multiples of."""
    return gcd(*(kept.points for scored in score_table(rules) for kept in scored.keeps.values()))
