"""Why an event may not happen, in words: the error, and a sentence for every code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from string import Formatter

from farkel.dice import FACES, Roll, faces_text
from farkel.errors import FarkelError
from farkel.game.events import Action, Event, Keep, Leave, Note, TakeOver, Throw
from farkel.game.law import Phase
from farkel.game.legality import legal_actions, refusal
from farkel.game.state import State
from farkel.rules import farkle_word
from farkel.rules.zones import read_zones
from farkel.support.bounds import MOST_NOTED
from farkel.support.words import counted, counted_dice

REFUSALS = {
    "game_over": "the game is over",
    "throw_due": "it isn't time to decide: {due} to be rolled first",
    "other_decision_due": "it isn't time for that: first choose {decision}",
    "no_throw_due": "it isn't time to roll: first choose {decision}",
    "wrong_number_of_dice": "the roll has {given}, but {due} to be rolled",
    "bad_faces": "{faces} is not a valid roll: list faces from 1 to 6 in ascending order",
    "keep_nothing": "no dice kept: keep at least one scoring die of {roll}",
    "dice_not_rolled": "{faces} can't be kept: the roll is {roll}",
    "dice_are_fined": "{faces} can't be kept: dice that cost a penalty don't score",
    "must_keep_all": (
        "{faces} can't be kept alone: every scoring die must be kept; the most that scores in {roll} is {most}"
    ),
    "dice_do_not_score": "{faces} can't be kept: {dead} doesn't score; the most that scores in {roll} is {most}",
    "roll_or_bank": "after keeping dice you can only roll or bank",
    "below_entry": (
        "{total} points aren't enough to get on the board: the first bank needs {needs} in one turn; keep rolling"
    ),
    "below_minimum": "{total} points aren't enough to bank: every turn needs {needs}; keep rolling",
    "not_a_multiple": ("{total} points can't be banked: every bank must be a multiple of {multiple}; keep rolling"),
    "must_confirm": "this turn needs {owing} before you can bank; keep rolling",
    "combination_must_bank": "{faces} ends the turn: bank it",
    "wins_the_game": "{faces} wins the game: bank it",
    "not_more_than_previous": "{total} points don't beat the {beat} that the player before you banked; keep rolling",
    "too_many_dice_left": "you can bank with at most {bank_left} left; keep rolling",
    "too_few_rolls": "you can't bank before {least_rolls} in a turn; keep rolling",
    "needs_hot_dice": "you need hot dice in the turn that reaches {target}; keep rolling",
    "must_keep_all_to_win": (
        "to reach {target} you must keep every scoring die of {roll}: keep {most}, or keep rolling"
    ),
    "no_roll_left": "this turn allows at most {most_rolls}: bank",
    "entry_in_one_roll": "the first bank needs one roll worth {entry} by itself; keep rolling",
    "entry_by_triple": (
        "the first bank needs three of a kind or a larger combination among the kept dice; keep rolling"
    ),
    "forbidden_score": (
        "{total} points would bring your score to {reached}, and no bank may end from {zone}; keep rolling"
    ),
    "must_leave": (
        "{total} points would leave your score at {reached}, still from {zone}: leave that range in one "
        "turn; keep rolling"
    ),
    "must_roll_hot_dice": "you kept all dice: hot dice must be rolled at least once more",
    "too_few_to_roll": "{total} points aren't enough to roll again: that needs {roll_from} in the turn; bank",
    "hot_dice_must_bank": "you kept all dice, and these hot dice end the turn: bank",
    "triple_must_bank": "this roll ends the turn: you must bank its turn total",
    "bought_must_bank": "you kept all the dice you took over, and the others may not be rolled: you must bank",
    "nothing_on_offer": "nothing is on offer: start with all dice",
    "not_so_many_dice": "you can't take over {told}: {offered} on offer",
    "all_dice_or_none": "you can't take over {dice} of the dice: {offered} on offer, all of them or none",
    "too_few_lives": "not enough lives: {dice_cost} and one must remain, but only {lives_left} left",
    "too_few_points": "not enough points: taking over stakes {stake} banked points, but you have {score}",
    "not_on_board": (
        "only players on the board can take over: start with all dice and make the entry score of {entry}"
    ),
    "below_take_over_score": (
        "only players with {from_score} banked points can take over, and you have {score}: start with all dice"
    ),
    "bad_noted_points": "a turn of {noted} points can't be entered: enter 0 to {most_noted}",
    "bad_noted_dice": "{told} can't be entered: 0 to {noted_dice} can {noted_how}",
    "no_such_seat": "there is no seat {seat_given}: seats are 1 to {seats}",
    "seat_is_gone": "seat {seat_given} has left the game",
}
"""Every reason why an event may not happen, by its stable code."""
BRIEF = {
    "below_entry": "first bank needs {needs}",
    "below_minimum": "needs {needs}",
    "not_a_multiple": "only multiples of {multiple}",
    "must_confirm": "score once more",
    "combination_must_bank": "this ends the turn",
    "wins_the_game": "this wins: bank it",
    "not_more_than_previous": "needs {needs}",
    "too_many_dice_left": "too many dice left",
    "too_few_rolls": "too few rolls",
    "needs_hot_dice": "needs hot dice to win",
    "no_roll_left": "no roll left",
    "entry_in_one_roll": "one roll must be worth {needs}",
    "entry_by_triple": "needs three of a kind",
    "forbidden_score": "may not end there",
    "must_leave": "too few to leave",
    "must_roll_hot_dice": "hot dice must be rolled",
    "too_few_to_roll": "too few to roll again",
    "hot_dice_must_bank": "these hot dice end the turn",
    "triple_must_bank": "this roll ends the turn",
    "bought_must_bank": "all of them are kept",
    "too_few_lives": "you must keep 1 life",
    "too_few_points": "not enough points",
    "not_on_board": "get on the board first",
    "below_take_over_score": "score too low",
}
"""Refusals in as few words as a button has room for, by their codes."""


class IllegalEvent(FarkelError):
    """An event that the rules do not allow now.

    ``code`` is stable, ``reason`` is the sentence for people, ``message`` adds the position, and ``dice`` are the
    offending ones.
    """

    def __init__(self, code: str, reason: str, state: State, event: Event, dice: Roll = ()) -> None:
        super().__init__(code, f"{reason} ({position(state)})")
        self.reason = reason
        self.state = state
        self.event = event
        self.dice = dice

    @property
    def legal(self) -> tuple[Action, ...]:
        """The legal alternatives, when a decision is due."""
        return legal_actions(self.state)


def check(state: State, event: Event) -> None:
    """Raise `IllegalEvent` with a code and a sentence if the event may not happen now."""
    code = refusal(state, event)
    if code is not None:
        raise illegal(code, state, event)


def illegal(code: str, state: State, event: Event) -> IllegalEvent:
    """Return the error of an event that may not happen for the reason with that code."""
    dice = _dead(state, event) if code == "dice_do_not_score" else ()
    return IllegalEvent(code, _sentence(code, state, event), state, event, dice or _dice(event))


def position(state: State) -> str:
    """Return the state of the game in a few words, for error messages."""
    if state.phase is Phase.OVER:
        return "game over"
    where = [f"seat {state.seat + 1} at {state.mine.score:,}", f"turn total {state.points:,}"]
    if state.roll:
        where.append(f"roll {faces_text(state.roll, '-')}")
    return ", ".join(where)


def _sentence(code: str, state: State, event: Event) -> str:
    """Return the sentence for a refusal."""
    sentence = REFUSALS[code]
    names = {name for _, name, _, _ in Formatter().parse(sentence) if name}
    return sentence.format(**{name: SAID[name](state, event) for name in names})


def _dice(event: Event) -> Roll:
    """Return the dice that an event names."""
    return event.dice if isinstance(event, Keep) else event.faces if isinstance(event, Throw) else ()


def _number(event: Event) -> int:
    """Return the dice that an event counts."""
    return event.dice if isinstance(event, TakeOver | Note) else 0


def _points(state: State, event: Event) -> int:
    """Return the turn total that would be banked."""
    return event.points if isinstance(event, Note) else state.turn_total(_dice(event))


def _most(state: State) -> str:
    best = state.scored.best if state.scored else None
    return f"{faces_text(best.dice, '-')} for {best.points:,}" if best else "nothing"


def _owing(state: State, event: Event) -> str:
    owing = state.owing_after(_dice(event))
    return f"{owing:,} more points" if owing > 1 else "points from another roll"


def _zone(state: State, event: Event) -> str:
    """Return the forbidden scores that a bank would land on."""
    reached = state.mine.score + _points(state, event)
    zones = read_zones(state.rules.zones)
    return next((f"{one.first:,} to {one.last:,}" for one in zones if one.first <= reached <= one.last), "")


def _most_rolls(state: State) -> str:
    last = state.rules.last_turns == "roll" and state.closer >= 0
    return counted(1 if last else state.most_rolls, "roll", "rolls")


def _noted_dice(state: State, event: Event) -> int:
    return state.rules.dice if isinstance(event, Note) and event.farkle else state.rules.dice - 1


SAID: Mapping[str, Callable[[State, Event], object]] = {
    "due": lambda state, event: _dice_are(state.dice_due),
    "decision": lambda state, event: (
        "whether to start fresh or take over" if state.phase is Phase.OFFER else "what to keep"
    ),
    "given": lambda state, event: counted_dice(len(_dice(event))),
    "faces": lambda state, event: faces_text(_dice(event), "-"),
    "roll": lambda state, event: faces_text(state.roll, "-"),
    "dead": lambda state, event: faces_text(_dead(state, event), "-"),
    "most": lambda state, event: _most(state),
    "owing": _owing,
    "total": lambda state, event: f"{_points(state, event):,}",
    "needs": lambda state, event: f"{state.bank_needs:,}",
    "multiple": lambda state, event: f"{state.rules.bank_multiple:,}",
    "beat": lambda state, event: f"{state.mine.beat:,}",
    "reached": lambda state, event: f"{state.mine.score + _points(state, event):,}",
    "zone": _zone,
    "target": lambda state, event: f"{state.goal:,}",
    "bank_left": lambda state, event: counted_dice(state.rules.bank_left) if state.rules.bank_left else "no dice",
    "least_rolls": lambda state, event: counted(state.rules.least_rolls, "roll", "rolls"),
    "roll_from": lambda state, event: f"{state.rules.roll_from:,}",
    "most_rolls": lambda state, event: _most_rolls(state),
    "entry": lambda state, event: f"{state.rules.entry:,}",
    "from_score": lambda state, event: f"{state.rules.take_over.from_score:,}",
    "dice": lambda state, event: _number(event),
    "told": lambda state, event: counted_dice(_number(event)),
    "noted": lambda state, event: f"{_points(state, event):,}",
    "most_noted": lambda state, event: f"{MOST_NOTED:,}",
    "noted_dice": _noted_dice,
    "noted_how": lambda state, event: (
        f"be a {farkle_word(state.rules.name)}" if isinstance(event, Note) and event.farkle else "be left after a bank"
    ),
    "offered": lambda state, event: _dice_are(state.offer.dice if state.offer else 0),
    "lives_left": lambda state, event: "1 is" if state.mine.lives == 1 else f"{state.mine.lives} are",
    "dice_cost": lambda state, event: _lives_for(_number(event)),
    "stake": lambda state, event: f"{state.rules.take_over.stake:,}",
    "score": lambda state, event: f"{state.mine.score:,}",
    "seat_given": lambda state, event: event.seat + 1 if isinstance(event, Leave) else "",
    "seats": lambda state, event: len(state.seats),
}
"""What the names in `REFUSALS` stand for."""


def _dead(state: State, event: Event) -> Roll:
    """Return the dice of a keep that stand in no combination: without them the rest would score."""
    dice = _dice(event)
    keeps = state.scored.keeps if state.scored else ()
    inside = [kept for kept in keeps if all(kept.count(face) <= dice.count(face) for face in set(kept))]
    most = max(inside, key=len, default=())
    return tuple(face for face in FACES for _ in range(dice.count(face) - most.count(face)))


def _lives_for(dice: int) -> str:
    return "1 die costs a life" if dice == 1 else f"{dice} dice cost {dice} lives"


def _dice_are(dice: int) -> str:
    return "1 die is" if dice == 1 else f"{dice} dice are"
