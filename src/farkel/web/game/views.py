"""A table as clients see it: values with nothing in them that a watcher may not know. Pages are made from them too."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from farkel.dice import roll_of
from farkel.errors import FarkelError
from farkel.game import Event, IllegalEvent, Keep, Note, Offer, Phase, State, TakeOver, apply, check
from farkel.game.scoring import score_table
from farkel.game.story import ending
from farkel.records import Record
from farkel.records.figures import TurnFigures, turns
from farkel.rules import Rules
from farkel.support.words import sentence
from farkel.web.game.setup import Allowed, DiceOf
from farkel.web.game.table import Presence, Table, turn_spans, under_way
from farkel.web.http.validation import Strict
from farkel.web.tokens import Key, code_text

LAST = 8
"""Sentences of the latest events that a view has."""


class KeepView(Strict):
    """Dice that may be kept now, their points, and the choices after them."""

    dice: tuple[int, ...]
    adds: int
    """Points that they add to the turn total."""
    total: int
    """The turn total with them."""
    next_dice: int
    """Dice that are rolled if the turn continues."""
    farkle: float
    """The chance that this roll is a farkle."""
    roll: str
    """Why the turn may not continue after them; "" if it may."""
    bank: str
    """Why the turn total may not be banked with them; "" if it may."""
    roll_code: str
    """The stable code of `roll`; "" if the turn may continue."""
    bank_code: str
    """The stable code of `bank`; "" if banking is legal."""
    banked: int
    """The score after banking; the score as it is if banking is not legal."""
    hot: bool
    """Whether all dice are set aside with it."""
    tries: str
    """The combination that the next roll must complete with these dice, which score nothing; "" if they score."""


class KeptView(Strict):
    """A part of the turn total."""

    kind: Literal["dice", "hot", "taken"]
    """Dice of one roll, everything up to the latest hot dice, or points that were taken over."""
    dice: tuple[int, ...]
    points: int


class TakeView(Strict):
    """What may be taken over, and why not."""

    dice: int
    farkle: float
    refused: str
    code: str
    """The stable code of `refused`."""


class SeatView(Strict):
    """One seat of the table."""

    name: str
    people: tuple[str, ...]
    person: str
    """Whose turn it is in a team of partners; else the name of the seat."""
    who: str
    """``here``, ``far`` or a bot."""
    score: int
    lives: int
    on_board: bool
    farkles: int
    """Farkles in a row, if they are fined."""
    status: Literal["in", "out", "left"]
    sits_in: str
    """What plays for an absent seat: a bot, or ``pass``; "" for a seat that is not absent."""
    away: bool
    """Whether no page of the seat is open; never for a seat on the host's device, nor for a bot."""
    free: bool
    """Whether the invitation opens it, as it has not been opened yet."""
    word: str
    """Its word for the dice, once the game has started; before that "" or ``given``."""
    yours: bool


class TurnView(Strict):
    """One place of the score sheet."""

    number: int
    """Names the turn, to correct it."""
    round: int
    """Its line, counted from 1: rounds begin with the seat that started the game."""
    seat: int
    points: int
    score: int
    farkle: bool
    passed: bool
    """The seat was passed over: it had no turn in this round."""
    lives: int


class TableView(Strict):
    """Everything that a page or a program shows of a game."""

    game: str
    number: int
    """Of the last event."""
    turn: int
    """Number of the current turn, counted from 1; undone turns are not counted. 0 before the game."""
    rules: str
    title: str
    target: int
    dice: DiceOf
    commitment: str
    """SHA-256 of the secret that the dice follow from; "" for other dice."""
    started: bool
    over: bool
    allowed: Allowed
    host: bool
    """Whether this is the host's view."""
    code: str
    """The code that invites to the free seats, in the host's view; "" in others, and if nothing does."""
    seats: tuple[SeatView, ...]
    phase: Literal["start", "offer", "roll", "keep", "over"]
    seat: int
    """On turn."""
    yours: bool
    """Whether this view may act for the seat on turn."""
    points: int
    """Turn total."""
    dice_due: int
    roll: tuple[int, ...]
    aside: tuple[int, ...]
    """Kept dice of this turn since the last hot dice, roll by roll."""
    kept: tuple[KeptView, ...]
    """The parts of the turn total, oldest first."""
    offer_points: int
    offer_dice: int
    needs: int
    """The turn total that banking needs; 0 if it needs none."""
    keeps: tuple[KeepView, ...]
    takes: tuple[TakeView, ...]
    fresh: bool
    undo: bool
    last: tuple[str, ...]
    """The latest events in sentences, the latest last."""
    farkled: tuple[int, ...]
    """The roll that was a farkle, as long as nothing was thrown after it."""
    ending: str
    winners: tuple[int, ...]
    again: str
    """The game that the same seats play next; "" if the host has opened none."""
    sheet: tuple[TurnView, ...]


def table_view(table: Table, key: Key, presence: Presence = Presence()) -> TableView:  # noqa: B008 (an immutable value)
    """Return the table for the holder of the key."""
    record, rules = table.so_far, table.plan.rules
    state, kept = record.state, kept_views(record)
    offer = state.offer or Offer(0, 0)
    return TableView(
        game=table.game,
        number=table.number,
        code=_invitation(table, key, presence),
        turn=table.turn,
        rules=notation(rules),
        title=rules.called,
        target=state.goal,
        dice=table.plan.dice,
        commitment=table.commitment if table.plan.dice == "committed" else "",
        started=table.started,
        over=state.over,
        allowed=table.allowed,
        host=key.host,
        seats=tuple(_seat(table, state, key, index, presence) for index in range(len(state.seats))),
        phase=state.phase.name.lower(),
        seat=state.seat,
        yours=table.started and not state.over and table.may(key, state.seat),
        points=state.points,
        dice_due=state.dice_due if table.started else 0,
        roll=state.roll,
        aside=tuple(die for part in kept for die in part.dice),
        kept=kept,
        offer_points=offer.points,
        offer_dice=offer.dice,
        needs=0 if state.over else state.bank_needs,
        keeps=keep_views(state) if state.phase is Phase.KEEP else (),
        takes=_takes(state),
        fresh=state.phase is Phase.OFFER,
        undo=_can_undo(table, key),
        last=sentences(record, LAST),
        farkled=_farkled(record),
        ending=ending(state, table.names) if state.over else "",
        winners=state.result.winners if state.result else (),
        again=table.next,
        sheet=sheet(record),
    )


def _invitation(table: Table, key: Key, presence: Presence) -> str:
    """Return the code with which the host may invite players; "" if it opens nothing."""
    return code_text(table.code) if key.host and table.code and presence.free and not table.over else ""


@lru_cache(maxsize=1024)
def notation(rules: Rules) -> str:
    """Return the rules in one line, which takes a look through the catalogue to make."""
    return str(rules)


@lru_cache(maxsize=4096)
def keep_views(state: State) -> tuple[KeepView, ...]:
    """Return every keep of the roll, the most points first, with what may follow and why not."""
    found = []
    for kept in state.scored.keeps.values() if state.scored else ():
        left = state.rules.dice if kept.hot else kept.left
        onward, bank = Keep(kept.dice, "roll"), Keep(kept.dice, "bank")
        (roll_why, roll_code), (bank_why, bank_code) = _why_not(state, onward), _why_not(state, bank)
        found.append(
            KeepView(
                dice=kept.dice,
                adds=state.turn_total(kept.dice) - state.points,
                total=state.turn_total(kept.dice),
                next_dice=left,
                farkle=float(score_table(state.rules, kept.sets).farkles(left)),
                roll=roll_why,
                bank=bank_why,
                roll_code=roll_code,
                bank_code=bank_code,
                banked=(state if bank_code else apply(state, bank)).seats[state.seat].score,
                hot=kept.hot,
                tries=kept.tries,
            )
        )
    return tuple(sorted(found, key=lambda keep: (-keep.adds, len(keep.dice))))


def why_not_kept(state: State, dice: tuple[int, ...]) -> str:
    """Return why these dice may not be set aside, in a sentence; "" if they may."""
    return _why_not(state, Keep(roll_of(dice), "roll"))[0] if state.phase is Phase.KEEP else ""


def sentences(record: Record, most: int) -> tuple[str, ...]:
    """Return what happened last, in sentences."""
    told: list[str] = []
    for move in reversed(record.moves):
        if len(told) >= most:
            break
        told = [*move.told(record.header.names), *told]
    return tuple(told[-most:])


def sheet(record: Record) -> tuple[TurnView, ...]:
    """Return the score sheet, turn by turn; a seat that is passed over has its place on it."""
    found = []
    number, place = 0, len(record.header.seats)
    for first, after in turn_spans(record.moves):
        state, last = record.moves[first].before, record.moves[after - 1]
        if state.phase is Phase.START:
            continue
        before, place = place, (state.seat - state.first) % len(state.seats)
        number += place <= before and state.more == state.rules.turns_in_row - 1
        passed = isinstance(last.event, Note) and last.event.passes
        turn = next(iter(turns(record.moves[first:after])), _passed_over(state) if passed else None)
        if turn is None:
            continue
        found.append(
            TurnView(
                number=last.number,
                round=number,
                seat=turn.seat,
                points=turn.points,
                score=turn.score,
                farkle=turn.farkle,
                passed=passed,
                lives=last.after.seats[turn.seat].lives,
            )
        )
    return tuple(found)


def _passed_over(state: State) -> TurnFigures:
    """Return the note on the sheet for a seat on turn that is skipped."""
    seat = state.mine
    return TurnFigures(state.seat, seat.person, 0, seat.score, farkle=False)


def _seat(table: Table, state: State, key: Key, index: int, presence: Presence) -> SeatView:
    seat, plan = state.seats[index], table.plan.seats[index]
    people = plan.seating.people
    partners = table.plan.rules.teams == "partners" and len(people) > 1
    word = table.words.get(index, "")
    return SeatView(
        name=plan.name,
        people=people,
        person=people[seat.person] if partners else plan.name,
        who="far" if index in table.far else plan.who,
        score=seat.score,
        lives=seat.lives,
        on_board=seat.on_board,
        farkles=seat.farkles,
        status=seat.status,
        sits_in=table.away.get(index, ""),
        away=index in presence.away,
        free=index in presence.free,
        word=word if table.started else "given" if word else "",
        yours=index in key.seats,
    )


def _takes(state: State) -> tuple[TakeView, ...]:
    if state.phase is not Phase.OFFER or state.offer is None:
        return ()
    table = score_table(state.rules)
    return tuple(
        TakeView(dice=dice, farkle=float(table.farkles(dice)), refused=why, code=code)
        for dice in range(1, state.offer.dice + 1)
        if state.rules.take_over.choose_dice or dice == state.offer.dice
        for why, code in [_why_not(state, TakeOver(dice))]
    )


def _can_undo(table: Table, key: Key) -> bool:
    try:
        table.undo(key)
    except FarkelError:
        return False
    return True


def kept_views(record: Record) -> tuple[KeptView, ...]:
    """Return the parts of the turn total in the turn that is being played."""
    kept: list[KeptView] = []
    for move in reversed(under_way(record.moves)):
        event, before = move.event, move.before
        if isinstance(event, TakeOver) and before.offer is not None:
            kept = [KeptView(kind="taken", dice=(), points=before.offer.points)]
        elif isinstance(event, Keep):
            total = before.turn_total(event.dice)
            hot = before.scored is not None and before.scored.keeps[event.dice].hot
            part = KeptView(kind="dice", dice=event.dice, points=total - before.points)
            kept = [KeptView(kind="hot", dice=(), points=total)] if hot else [*kept, part]
    return tuple(kept)


def _farkled(record: Record) -> tuple[int, ...]:
    """Return the last roll if it was a farkle, and nothing was thrown since."""
    for move in reversed(record.moves):
        found = [fact.dice for fact in move.facts if fact.kind == "rolled"]
        if found:
            return found[0] if move.after.phase is not Phase.KEEP else ()
        if isinstance(move.event, Keep):
            return ()
    return ()


def _why_not(state: State, event: Event) -> tuple[str, str]:
    """Return why an event is illegal, in a sentence and as its stable code; "" and "" if it is legal."""
    try:
        check(state, event)
    except IllegalEvent as error:
        return sentence(error.reason), error.code
    return "", ""
