"""What makes a noted turn hard to believe: for a page that asks "are you sure?" before it accepts one.

A turn as people tell it is a turn total with the dice left, or a farkle of N dice. What rolls can bring about is
calculated backwards from the points still to come: the dice a turn can be left with once it has gained
exactly so much, and the highest chance of gaining at least so much. Points are counted in steps of the score table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from farkel.coach.fields import strange
from farkel.coach.possible_turns import RollsAlike, onward, options, refused, step_of
from farkel.coach.possible_turns import choice as choice_of
from farkel.coach.possible_turns import parts as parts_of
from farkel.dice import MOST_DICE
from farkel.errors import PositionError
from farkel.game import Fresh, Note, Phase, State, apply, check, law
from farkel.game.choices import Choice, KeepOption, Rolling
from farkel.game.numbered import numbered
from farkel.game.scoring import score_table
from farkel.game.state import Seat
from farkel.rules import Rules, farkle_word
from farkel.support.words import counted_dice, listed

NEAR = 40
"""So many steps away it is looked for points that would be possible."""
UNLIKELY = 1e-4
"""A turn that even a player who aims at nothing else has less often than this is doubted."""
NEGLIGIBLE = 1e-5
"""Smaller probabilities are not told exactly."""
TURN = (Phase.OFFER, Phase.ROLL, Phase.KEEP)
"""Phases in which a whole turn can be entered."""
MOST_HOT = 8
"""Hot dice in one turn that are distinguished if they multiply points; more of them count as the last of these,
and their points are not doubted."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """One reason to ask again. ``code`` is stable, ``sentence`` is for people."""

    code: str
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def doubts(state: State, note: Note) -> tuple[Doubt, ...]:
    """Return what speaks against a noted turn; empty if nothing does, and for a seat that is passed over.

    ``turn_unit``: points that are not a sum of scores. ``turn_total``: points and dice left that no rolls lead to from
    here. ``below_entry``, ``below_minimum``, ``must_roll_hot_dice``: the rules forbid that bank. ``farkle_dice``: so
    many dice cannot have farkled, or it is not said how many if that matters. ``unlikely``: it is possible, but even
    who aims at nothing else comes so far in fewer than one of 10,000 turns. ``not_known``: the rules have a field that
    the coach does not know. Raises `IllegalEvent` if the turn may not be noted.
    """
    check(state, note)
    if note.passes:
        return ()
    if (field := strange(state.rules, in_a_turn=True)) is not None:
        return (Doubt("not_known", f"with {field.name} = {field.value!r} nobody can tell whether dice do that"),)
    turn = _asked(_first_roll_due(state), note)
    found = tuple(_farkle_doubts(turn) if note.farkle else _bank_doubts(turn))
    impossible = any(doubt.code in ("turn_unit", "turn_total") for doubt in found)
    return found if impossible else (*found, *_unlikely(turn))


def whole_turn(state: State, points: int, dice: int | None = None, farkle: bool = False) -> Note:
    """Return a turn as people enter it; without the dice left, if they were not said and nobody can take them over.

    Raises `PositionError` ``no_dice`` if they have to be said, and `IllegalEvent` if the turn may not be noted.
    """
    if dice is None and not farkle:
        if state.rules.take_over.allowed:
            raise PositionError("no_dice", "enter how many dice were left on the table, 0 for none")
        dice = dice_left(state, points) if state.phase in TURN else 0
    return Note(points, dice or 0, farkle)


def dice_left(state: State, points: int) -> int:
    """Return how many dice a bank of this many points may have left, if that was not entered: the first number that
    is doubted least.

    Raises `IllegalEvent` if the turn may not be noted.
    """
    numbers: tuple[int, ...] = (*range(1, state.rules.dice), 0)
    return min(numbers, key=lambda dice: len(doubts(state, Note(points, dice))))


# Questions and doubts -------------------------------------------------------------------------------------------------


class _Asked(NamedTuple):
    """A noted turn, and what can come of the turn from here."""

    state: State
    """Within the turn, and once a stake has come back."""
    note: Note
    step: int
    """Points of one step."""
    gain: int
    """Steps from the points kept or taken over already to the noted points, rounded up; below zero if they are fewer.
    """
    off: int
    """Points by which that misses the steps."""
    at: Callable[[int], _Row]
    """What can be, once this many steps have been gained."""
    dice: int
    """Bits of the dice that may be rolled, whatever has been gained."""


def _first_roll_due(state: State) -> State:
    """Return the state within the turn: on an offer the note says what came after all dice were thrown."""
    if state.phase is Phase.OFFER:
        return apply(state, Fresh())
    if not state.taking:
        return state
    mine = list(state.mine)
    law.take_scored(numbered(state.rules).terms, mine, [0] * law.NOW)
    return state._replace(seats=(*state.seats[: state.seat], Seat(*mine), *state.seats[state.seat + 1 :]))


def _asked(state: State, note: Note) -> _Asked:
    rules, step = state.rules, step_of(state.rules)
    gain, off = divmod(note.points - state.points, step)
    gain += off > 0
    hand = Rolling(state.dice, state.idle, min(state.hot, MOST_HOT), sets=state.sets)
    choice = _capped(choice_of(rules, hand, state.rolled)) if state.phase is Phase.KEEP else None
    due = [option.then for option in choice.options] if choice else [hand]
    restricted = (choice is not None and _binds(choice)) or any(_restricted(rules, each) for each in due)

    def at(gained: int) -> _Row:
        total = state.points + gained * step
        turns = _turns(rules, state.mine, total) if restricted else _turns(rules)
        return _open(hand, turns.of_hand(hand, gained) if choice is None else turns.of_choice(choice, gained))

    dice = sum({1 << each.dice for each in onward(rules, due, MOST_HOT)})
    return _Asked(state, note, step, gain, off, at, dice)


def _bank_doubts(turn: _Asked) -> Iterator[Doubt]:
    state, note = turn.state, turn.note
    if turn.off and note.points > state.points:
        yield _off_steps(turn)
    else:
        ends = turn.at(turn.gain).ends
        forced = note.dice == 0 and bool(ends >> FORCED & 1)
        if not (ends >> note.dice & 1 or forced):
            yield Doubt("turn_total", _impossible(turn, _left))
        elif not ends >> note.dice & 1:
            yield Doubt(*refused(state, law.Why.MUST_ROLL_HOT_DICE, note.points))
    why = law.why_not_total(numbered(state.rules).terms, state.mine, note.points)
    if why:
        yield Doubt(*refused(state, why, note.points))


def _farkle_doubts(turn: _Asked) -> Iterator[Doubt]:
    rules, note = turn.state.rules, turn.note
    known = note.points > 0
    if turn.off and note.points > turn.state.points:
        yield _off_steps(turn)
        return
    possible = _farkles(rules, turn.at(turn.gain).dice if known else turn.dice)
    if known and not possible:
        yield Doubt("turn_total", _impossible(turn, lambda row: _farkles(rules, row.dice)))
    elif note.dice and not possible >> note.dice & 1:
        lost = f" with {note.points:,} points set aside" if known else ""
        farkle = farkle_word(rules.name)
        right = _dice(_bits(possible))
        yield Doubt("farkle_dice", f"a {farkle} with {_dice([note.dice])} is impossible{lost}; it can be with {right}")
    elif not note.dice and _dice_matter(turn, possible):
        yield Doubt("farkle_dice", "under these rules it matters with how many dice it was: say how many")


def _unlikely(turn: _Asked) -> Iterator[Doubt]:
    chance = turn.at(turn.gain).chance
    if turn.note.points and chance < UNLIKELY:
        least = f"about one turn in {_rounded(1 / chance):,}" if chance >= NEGLIGIBLE else "less than one in 100,000"
        points = f"{turn.note.points:,} points"
        yield Doubt("unlikely", f"{points} are rare: {least} gets that far, even when trying for nothing else")


def _off_steps(turn: _Asked) -> Doubt:
    above = turn.state.points + turn.gain * turn.step
    right = f"{above - turn.step:,} or {above:,}"
    return Doubt(
        "turn_unit", f"{turn.note.points:,} points are impossible: they come in steps of {turn.step} ({right})"
    )


def _impossible(turn: _Asked, found: Callable[[_Row], int]) -> str:
    """Return that no rolls lead to such an end, and which ones are near."""
    state, points = turn.state, turn.note.points
    if points < state.points:
        return f"a turn total of {points:,} cannot be: {state.points:,} points stand already"
    here = found(turn.at(turn.gain))
    if here:
        return f"a turn of {points:,} points never leaves {_dice([turn.note.dice])}: it leaves {_dice(_bits(here))}"
    near = sorted(islice((n for n in _around(turn.gain) if found(turn.at(n))), 2))
    right = " and ".join(f"{state.points + n * turn.step:,}" for n in near)
    return f"no rolls come to a turn of {points:,} points from here" + (f"; the nearest are {right}" if near else "")


def _around(gain: int) -> Iterator[int]:
    """Yield the numbers of steps that are near, nearest first."""
    return (n for far in range(1, NEAR + 1) for n in (gain - far, gain + far) if n >= 0)


def _left(row: _Row) -> int:
    """Return the dice that may be left, hot dice that must be rolled again included."""
    return (row.ends | bool(row.ends >> FORCED & 1)) & ~(1 << FORCED)


def _farkles(rules: Rules, dice: int) -> int:
    """Return those of the numbers of dice that can farkle."""
    table = score_table(rules)
    return sum(1 << number for number in range(1, rules.dice + 1) if dice >> number & 1 and table.farkles(number))


def _dice_matter(turn: _Asked, possible: int) -> bool:
    """Return whether it matters with how many dice a player farkled."""
    state, note = turn.state, turn.note
    return any(apply(state, replace(note, dice=dice)) != apply(state, note) for dice in _bits(possible))


def _bits(mask: int) -> list[int]:
    return [number for number in range(mask.bit_length()) if mask >> number & 1]


def _dice(numbers: Sequence[int]) -> str:
    """Return ``no dice``, ``1 die``, ``1, 2 or 3 dice``."""
    if len(numbers) < 2:
        return counted_dice(numbers[0]) if numbers and numbers[0] else "no dice"
    words = [str(number) if number else "no" for number in numbers]
    return f"{listed(words, 'or')} dice"


def _rounded(number: float) -> int:
    """Return a number with two digits, which are enough to wonder."""
    return int(float(f"{number:.1e}"))


# What rolls can bring about ------------------------------------------------------------------------------------------

FORCED = MOST_DICE + 1
"""Beside the numbers of dice that may be left: none, but hot dice must be rolled again."""


class _Ways(NamedTuple):
    """The choices of one roll, summarised."""

    reach: tuple[tuple[float, int, tuple[int, ...]], ...]
    """Chance, the most points of a keep, and the moves with the most points for each hand, by their index."""
    moves: tuple[tuple[int, Rolling], ...]
    """Points and the next rolling."""
    ends: dict[int, int]
    """Bits of the ends, by points."""


class _Row(NamedTuple):
    """The possible ends of a turn with this many steps still to gain."""

    chance: float
    """The highest chance to gain at least this many."""
    ends: int
    """Bits of the dice that it may be left with, having gained exactly this many."""
    dice: int
    """Bits of the dice that may be rolled next, having gained exactly this many."""


GAINED = _Row(1.0, 0, 0)
NOTHING = _Row(0.0, 0, 0)
ANYTHING = (1 << FORCED + 1) - 1
"""So far away it is only said that it is unlikely."""


def _open(hand: Rolling, row: _Row) -> _Row:
    """Return the row, with any end after more hot dice than are distinguished."""
    return row if hand.hot < MOST_HOT else row._replace(ends=ANYTHING, dice=ANYTHING)


class _PossibleTurns:
    """All turns, by the steps still to gain; calculated as far as they are asked for.

    If something must be banked as soon as it may, a three of a kind (D5) or dice that were bought (O17), what can come
    of a turn depends on the seat and the total in points that the steps lead to. Without a seat nothing must.
    """

    def __init__(self, rules: Rules, seat: Seat | None = None, total: int = 0) -> None:
        self._rules, self._seat, self._total = rules, seat, total
        self._loose = None if seat is None else _turns(rules)
        """No turn is likelier than one in which nothing must be banked."""
        self._ways: dict[tuple[Rolling, frozenset[int]], _Ways] = {}
        self._rows: defaultdict[Rolling, list[_Row]] = defaultdict(list)
        """By the gain."""

    def of_hand(self, hand: Rolling, gain: int) -> _Row:
        """Return the possible gains from the roll of this hand on."""
        if gain < 0:
            return GAINED
        loose = self._loose or self
        rows = loose._rows[hand]
        while len(rows) <= gain and not (rows and rows[-1].chance < NEGLIGIBLE):
            loose._at(hand, len(rows))
        if gain < len(rows):
            return self._at(hand, gain)
        far = rows[-1].chance
        return _Row(far, ANYTHING, ANYTHING) if far else NOTHING

    def of_choice(self, choice: Choice, gain: int) -> _Row:
        """Return the possible gains after a given roll."""
        if gain < 0:
            return GAINED
        banked = self._banked((one.points for one in choice.options), gain)
        return self._row(_ways([RollsAlike(1.0, choice)], banked, self._rules.take_over.heavy), gain)

    def _at(self, hand: Rolling, gain: int) -> _Row:
        """Return the possible gains from the roll of this hand on, however large the gain is.

        Rows are made in order, so that this calls itself once per hand at most.
        """
        rows = self._rows[hand]
        while len(rows) <= gain:
            due = len(rows)
            after = self._row(self._ways_on(hand, due), due) if due else _Row(1.0, 0, 1 << hand.dice)
            rows.append(_open(hand, after))
        return rows[gain]

    def _ways_on(self, hand: Rolling, gain: int) -> _Ways:
        key = hand, self._banked(_points(self._rules, hand), gain)
        if key not in self._ways:
            same = (RollsAlike(part.chance, _capped(part.choice)) for part in parts_of(self._rules, hand))
            self._ways[key] = _ways(same, key[1], self._rules.take_over.heavy)
        return self._ways[key]

    def _banked(self, points: Iterable[int], gain: int) -> frozenset[int]:
        """Return those of the points of keeps that may be banked when so much is to be gained."""
        seat = self._seat
        if seat is None:
            return frozenset()
        terms, step = numbered(self._rules).terms, step_of(self._rules)
        return frozenset(one for one in points if not law.why_not_total(terms, seat, self._total + (one - gain) * step))

    def _row(self, ways: _Ways, gain: int) -> _Row:
        after = [self._at(then, gain - points) if points <= gain else GAINED for points, then in ways.moves]
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


_turns = lru_cache(maxsize=64)(_PossibleTurns)


def _ways(parts: Iterable[RollsAlike], banked: Container[int], heavy: bool) -> _Ways:
    """Return the ways on, if keeps with these points may be banked.

    heavy: a turn in which all dice were kept is noted with no dice left, as it leaves nothing on offer (T1).
    """
    goes_on = [(*part, _rolled_on(part.choice, banked)) for part in parts]
    moves = tuple({(option.points, option.then): None for *_, rolled_on in goes_on for option in rolled_on})
    number = {move: index for index, move in enumerate(moves)}
    chances: dict[tuple[int, tuple[int, ...]], float] = {}
    ends: dict[int, int] = {}
    for chance, choice, rolled_on in goes_on:
        most: dict[Rolling, int] = {}
        for option in rolled_on:
            most[option.then] = max(most.get(option.then, 0), option.points)
        key = (
            max(option.points for option in choice.options),
            tuple(sorted(number[points, then] for then, points in most.items())),
        )
        chances[key] = chances.get(key, 0.0) + chance
        for option in choice.options:
            left = option.offer if heavy else option.left
            ends[option.points] = ends.get(option.points, 0) | 1 << (FORCED if option.must_roll else left)
    return _Ways(tuple((chance, *key) for key, chance in chances.items()), moves, ends)


def _rolled_on(choice: Choice, banked: Container[int]) -> list[KeepOption]:
    """Return the options after which the turn may continue."""
    banks = [option.points in banked and not option.must_roll for option in choice.options]
    if choice.ends and any(banks):
        return []
    return [one for one, may_bank in zip(choice.options, banks, strict=True) if not (one.must_bank and may_bank)]


@lru_cache(maxsize=512)
def _points(rules: Rules, hand: Rolling) -> frozenset[int]:
    return frozenset(option.points for option in options(rules, hand))


@lru_cache(maxsize=256)
def _restricted(rules: Rules, hand: Rolling) -> bool:
    """Return whether anything must be banked as soon as it may, from this hand on."""
    return any(_binds(part.choice) for each in onward(rules, [hand], MOST_HOT) for part in parts_of(rules, each))


def _binds(choice: Choice) -> bool:
    return choice.ends or any(option.must_bank for option in choice.options)


def _capped(choice: Choice) -> Choice:
    """Return the choice with no more hot dice distinguished than matter."""
    fewer = (one._replace(then=one.then._replace(hot=min(one.then.hot, MOST_HOT))) for one in choice.options)
    return choice._replace(options=tuple(fewer))
