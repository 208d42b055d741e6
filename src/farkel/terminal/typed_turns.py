"""Whole turns with real dice, as people type them: ``350``, ``350 2`` with two dice left, ``farkle``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from farkel.coach.noted_turns import TURN, whole_turn
from farkel.errors import PositionError
from farkel.game import Note, Phase, State
from farkel.rules import farkle_word

if TYPE_CHECKING:
    from farkel.play.match import Match

BANKED = re.compile(
    r"(?P<sure>(?:turn )?\+?)(?P<points>\d{1,9}|\d{1,3}(?:[,.']\d{3})+)(?P<named> ?(?:points|p))?"
    r"(?:,? (?P<dice>\d{1,2})(?: (?:dice|die))?(?: left)?)?"
)
FARKLED = r"(?:farkle|{})(?: (?:with )?(?P<dice>\d{{1,2}})(?: (?:dice|die))?)?"


class TypedTurn(NamedTuple):
    """A whole turn that was typed."""

    points: int
    dice: int | None
    """Dice left, or those that farkled; None if that was not said."""
    farkle: bool

    def note(self, state: State) -> Note:
        """Return the turn as the game has it.

        After rolls that were typed, a farkle is one of the roll that is due. Raises `PositionError` if the dice left
        have to be said.
        """
        if self.farkle and self.dice is None and state.phase is Phase.ROLL and state.points and not state.taking:
            return Note(state.points, state.dice, farkle=True)
        try:
            return whole_turn(state, self.points, self.dice, self.farkle)
        except PositionError as error:
            raise PositionError(error.code, f"{error.message}: {self.points} 2") from None


def turn_may_be_typed(match: Match) -> bool:
    """Return whether a whole turn may be entered now: with real dice, in the turn of people."""
    return match.manual and match.seating.human and match.state.phase in TURN


def typed_turn(text: str, state: State) -> TypedTurn | None:
    """Return the turn that a text means; None for a roll, or something else.

    A number that could be faces of dice is a roll, unless it says what it is: ``+155`` or ``155 points``.
    """
    said = text.strip().lower()
    if farkled := re.fullmatch(FARKLED.format(re.escape(farkle_word(state.rules.name).lower())), said):
        return TypedTurn(0, _number(farkled["dice"]), farkle=True)
    banked = BANKED.fullmatch(said)
    if banked is None:
        return None
    points = int(re.sub(r"\D", "", banked["points"]))
    if not (banked["sure"] or banked["named"]) and _faces(said, points, state):
        return None
    return TypedTurn(points, _number(banked["dice"]), farkle=points == 0)


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _faces(text: str, points: int, state: State) -> bool:
    """Return whether people may mean the faces of a roll, if with a slip: there is no 0, and none but faces, or as
    many as there are dice due, or points that do not come in the steps of these rules.
    """
    faces = re.sub(r"[\s,-]", "", text)
    slip = len(faces) == state.dice_due or points % state.rules.unit != 0
    return "0" not in faces and (slip or set(faces) <= set("123456"))
