"""The tray: the dice in the order and the places in which they fell, and the last event.

A record keeps rolls in ascending order. The order and places shown are drawn from the number of the event, so that all
pages, and a page that is loaded again, show the same picture.
"""

from __future__ import annotations

import random
import textwrap
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from farkel.game import Keep, Phase, State, TakeOver, Throw
from farkel.game.needed import is_last_turn, needed
from farkel.game.scoring import score_table
from farkel.game.story import SENTENCES, Fact, Kind, holding, tell
from farkel.records import Move, Record
from farkel.support.words import capital, counted, counted_dice
from farkel.web.game.table import under_way
from farkel.web.game.views import TableView

POSES = 12
"""Ways in which a die can be off centre and turned; the style sheet has them."""
PLACES = {1: (1, 4), 2: (0, 2, 4), 3: (0, 1, 2, 3, 4, 5)}
"""For one to three dice, the cells of the tray that they may lie in."""
QUIET: tuple[Kind, ...] = ("rolled", "kept", "threw", "farkle", "kept_total")
"""Facts that the tray shows itself."""
FIRST: tuple[Kind, ...] = (
    *("last_turns", "last_round", "another_turn", "turns_again", "exact_hit", "knocked_out"),
    *("turns_off", "play_off", "standing", "over"),
    *("target_moved", "win_waits", "win_cancelled", "out", "sent_back", "overtaken", "off_board", "went_over"),
    "offer",
)
"""Facts to tell before others if there is no room for all: they change the game for more than the seat on turn."""
NEWS: Mapping[Kind, str] = {
    **SENTENCES,
    "lives_paid": "{lives} paid; {points} left.",
    "out": "{who} is out.",
    "penalty": "Penalty: {who} loses {points}.",
    "tries": "The next roll must complete {faces}.",
    "banked": "{who} banks {points}.",
    "sent_back": "{who} drops to {score}.",
    "overtaken": "{who} loses {points}.",
    "off_board": "{who} is off the board.",
    "went_over": "{who} overshoots by {points}: no score.",
    "target_moved": "The target is now {points}.",
    "win_waits": "{who} hits {points}. A score with the {dice} cancels it.",
    "took_over": "{who} takes over {points} with {dice}.",
    "staked": "The stake: {points}.",
    "offer": "On offer: {points} with {dice}.",
    "last_turns": "Last {turn} for everyone else.",
    "last_round": "This is the last round.",
    "another_turn": "{who} has another turn.",
    "turns_again": "Another turn for everyone else.",
    "exact_hit": "{who} is at {target}. One more turn for all others.",
    "turns_off": "The game goes on to {target}.",
    "play_off": "A play-off of {players}, one turn each.",
    "standing": "Last player standing: {who}, {rounds}.",
}
"""Facts in as few words as the news line has room for: two lines of a phone. Scores are in the strip."""
NEAR = 4
"""The part of the target that is left when it is said how much."""
LINE = 38
"""Letters that a line of news holds on the narrowest phone; the style sheet gives it two lines."""


class TrayDie(NamedTuple):
    """A die in a cell of the tray."""

    face: int
    pose: int
    seat: int = -1
    """Whose it is in the throw for the start."""


class FarkleShown(NamedTuple):
    """A farkle that is still to be seen."""

    title: str
    said: str
    lost: int
    """The turn total that is struck through."""
    chance: float
    seat: int


class Tray(NamedTuple):
    """The contents of the tray."""

    number: int
    """Of the throw: dice with the same number are the same dice."""
    cells: tuple[TrayDie | None, ...]
    moment: FarkleShown | None
    news: str
    """What happened last, in two lines of a phone."""
    holds: str
    """What holds beyond this decision: last turns and the score to beat, an offer, lives paid; "" for nothing."""
    needs: str
    """The turn total with which the player on turn wins, and that it does; "" as long as it is far away."""
    risk: float
    """The chance that the next roll is a farkle; 0 if none is due."""
    fresh: float
    """The chance that the first roll of a fresh turn is a farkle."""
    stays: bool
    """Whether a farkle now keeps the turn total."""


def tray_of(record: Record, view: TableView) -> Tray:
    """Return the tray of a game that has started."""
    state = record.state
    thrown = next((move for move in reversed(record.moves) if isinstance(move.event, Throw)), None)
    cells: tuple[TrayDie | None, ...] = ()
    moment = None
    if state.phase is Phase.START:
        cells = scattered(thrown, view.game) if thrown and state.dice_due > 1 else _start(record)
    elif thrown is not None and (state.phase is Phase.KEEP or view.farkled):
        cells = scattered(thrown, view.game)
        ended = view.farkled and state.phase is not Phase.KEEP and not thrown.before.rolls_again(view.farkled)
        moment = _moment(thrown, record.header.names, len(view.farkled)) if ended else None
    elif thrown is not None and state.phase is Phase.OFFER:
        cells = _left(thrown, record.moves[-1], view.game)
    due = view.dice_due if state.phase is Phase.ROLL else 0
    table = score_table(state.rules)
    risk = float(table.farkles(due, first=True, tried=state.tried)) if due else 0.0
    fresh = float(table.farkles(state.rules.dice, first=True))
    number = thrown.number if thrown else 0
    stays = state.keeps_total(state.points)
    return Tray(number, cells, moment, news(record), holds(record), needs(state), risk, fresh, stays)


def scattered(move: Move, game: str) -> tuple[TrayDie | None, ...]:
    """Return the dice of a throw, cell by cell."""
    faces = list(move.event.faces) if isinstance(move.event, Throw) else []
    draw = random.Random(f"{game} {move.number}")  # a picture, no game of chance
    draw.shuffle(faces)
    room = max(6, len(faces))
    among = PLACES.get(len(faces), tuple(range(room)))
    places = sorted(draw.sample(among, len(faces)))
    cells: list[TrayDie | None] = [None] * room
    poses = draw.sample(range(POSES), min(POSES, len(faces)))
    for place, face, pose in zip(places, faces, poses, strict=True):
        cells[place] = TrayDie(face, pose)
    return tuple(cells)


def _left(thrown: Move, last: Move, game: str) -> tuple[TrayDie | None, ...]:
    """Return the dice that a bank left lying, where they fell."""
    gone = list(last.event.dice) if isinstance(last.event, Keep) else []
    cells = list(scattered(thrown, game))
    for place, die in enumerate(cells):
        if die is not None and die.face in gone:
            gone.remove(die.face)
            cells[place] = None
    return tuple(cells)


def _start(record: Record) -> tuple[TrayDie | None, ...]:
    """Return the latest die of each seat in the throw for the start."""
    latest: dict[int, TrayDie] = {}
    for move in record.moves:
        if isinstance(move.event, Throw):
            latest[move.before.seat] = TrayDie(move.event.faces[0], move.number % POSES, move.before.seat)
    found = [latest[seat] for seat in sorted(latest)][-10:]
    return (*found, *[None] * (6 - len(found)))


def _moment(thrown: Move, names: Sequence[str], dice: int) -> FarkleShown | None:
    """Return the farkle of that many dice; None if there is nothing to say of it."""
    found = thrown.facts
    said = [tell(fact, names, thrown.after) for fact in found if fact.kind not in ("rolled", "offer", "over")]
    if not said:
        return None
    title, mark, rest = said[0].partition("! ")
    title, rest = (title, rest) if mark else ("The turn is over", said[0])
    before = thrown.before
    table = score_table(before.rules, before.sets)
    chance = float(table.farkles(dice, first=before.points == 0))
    return FarkleShown(title, " ".join([rest, *said[1:]]).strip(), before.points, chance, before.seat)


def news(record: Record) -> str:
    """Return the latest thing worth telling that the tray does not show itself."""
    for move in reversed(record.moves[-40:]):
        told = [fact for fact in move.facts if fact.kind not in QUIET]
        if told:
            return in_brief(told, record.header.names, move.after)
    return "The game begins."


def in_brief(told: Sequence[Fact], names: Sequence[str], state: State) -> str:
    """Return facts of one event in their order, as many as two lines hold: first those that concern others too, then
    the latest.
    """
    chosen: list[Fact] = []
    said, latest = "", told[::-1]
    for fact in sorted(latest, key=lambda fact: fact.kind not in FIRST):
        more = [one for one in told if one is fact or one in chosen]
        text = " ".join(tell(one, names, state, NEWS) for one in more)
        if not chosen or len(textwrap.wrap(text, LINE)) <= 2:
            chosen, said = more, text
    return said


def holds(record: Record) -> str:
    """Return what holds until the turn or the game ends, in a few words; "" for nothing."""
    state = record.state
    rules = state.rules.take_over
    if held := holding(state, record.header.names):
        return ": ".join([capital(held[0]), *held[1:]])
    if state.offer:
        return f"On offer: {state.offer.points:,} with {counted_dice(state.offer.dice)}"
    dice = sum(move.event.dice for move in under_way(record.moves) if isinstance(move.event, TakeOver))
    if dice and rules.costs_lives:
        return f"{counted(dice, 'life', 'lives')} paid"
    return f"{rules.stake:,} at stake" if state.taking and rules.costs_points else ""


def needs(state: State) -> str:
    """Return the turn total that the player on turn needs to win, in a few words: ``1,250 to win``.

    "" as long as more than a quarter of the target is left, which no turn brings.
    """
    found = needed(state)
    if found is None or (found.total * NEAR > state.goal and not is_last_turn(state)):
        return ""
    exactly = "exactly " if found.exactly else ""
    return f"{exactly}{found.total:,} {'for the target' if found.brings == 'target' else f'to {found.brings}'}"
