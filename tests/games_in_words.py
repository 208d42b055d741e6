"""Games written as words.

A game in words is a list of events: ``"134446"`` dice fall, ``"444 roll"`` and ``"15 bank"`` keep dice and go on,
``"fresh"`` starts with all dice, ``"take 2"`` takes over two dice, ``"leave 0"`` gives up seat 0, ``"pass"`` passes a
seat over, ``"note 450 2"`` notes a turn of 450 points with two dice left, ``"note 450 2 farkle"`` one that lost them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from farkel.dice import Roll, roll_of
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
from farkel.rules import Rules
from named_rules import rules_from


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


def left_lying(state: State, kept: Kept) -> int:
    """Dice that lie there when the keep is banked: those not set aside, and those of an offer never taken (O18)."""
    return (0 if kept.hot or state.rules.next_roll == "all" else kept.left) + state.idle
