"""`Rules`: one frozen value that describes a game of Farkle completely.

Clause numbers (C, O, S, B, L, R, D, X) are those of ``docs/rules.md``. Every field explains itself in its
description; the rule sheet, the commented TOML and the error messages are all made from them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from itertools import combinations
from math import gcd
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from farkel.dice import MOST_DICE, Roll
from farkel.rules.clashes import contradictions
from farkel.rules.pattern_tables import AFTER_SET, Combination, Moment, Rolled, Scoring, contains
from farkel.rules.zones import read_zones, zones_text
from farkel.support.bounds import MOST_SEATS

MOST_POINTS = 10_000_000
Points = Annotated[int, Field(ge=0, le=MOST_POINTS)]
LINE, LINES = r"^[^\x00-\x1f\x7f-\x9f]*$", r"^(?:[^\x00-\x08\x0b-\x1f\x7f-\x9f]|\r\n)*$"
"""Texts without control characters, which a terminal would obey; ``LINES`` may have ends of lines and tabs."""
"""A whole number of points; 0 switches it off."""


def _one_error(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    """Tell one fault of a fine, and not one of each kind that it might have been."""
    try:
        return validate(value)
    except ValidationError:
        raise PydanticCustomError("fine", "neither points nor the whole score") from None


FINE = Points | Literal["all"]
Fine = Annotated[Points | Literal["all"], WrapValidator(_one_error)]
"""Points that a penalty takes of a score, or the whole of it."""

STANDARD = Scoring({"1": 100, "5": 50, "111": 1000, "aaa": "100a"})
"""What scores in the plainest game (S2)."""

Count = Annotated[int, Field(ge=0, le=1_000)]


class RulesPart(BaseModel):
    """What every part of the rules shares: frozen, strict in its types, and without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class TakingOver(RulesPart):
    """Starting a turn from the offer of the player before: building on, piggybacking, high stakes, buying."""

    price: Literal["none", "free", "stake", "lives"] = Field(
        default="none",
        description='Whether an offer may be taken over and for what: "none" not at all, "free" (B4, L6, R5), '
        '"stake" some banked points (L7), "lives" one life a die (O13)',
    )
    stake: Points = Field(default=0, description="Banked points put up to try; lost if the first roll farkles (L7)")
    choose_dice: bool = Field(
        default=False, description="The taker chooses how many of the dice to roll, 1 up to all (O13)"
    )
    after_farkle: bool = Field(
        default=False, description="A farkled turn total may be taken up too, with the dice that farkled (X)"
    )
    after_hot_dice: bool = Field(default=False, description="Banked hot dice may be taken over with all the dice (X)")
    heavy: bool = Field(
        default=False,
        description="After hot dice the table stays heavy: the turn leaves nothing to take over, however many dice are "
        "left (R6, T1)",
    )
    on_board: bool = Field(default=False, description="Only players on the board may take over (T2)")
    from_score: Points = Field(default=0, description="Only players with at least this score may take over (T2)")
    toward_entry: bool = Field(
        default=True, description="Points taken over count toward the entry score (D2); false: only rolled points (T3)"
    )
    points: bool = Field(
        default=True, description="The points on offer count for the taker too; false: only the dice are taken (T4)"
    )
    bonus: Points = Field(default=0, description="Points for a take-over whose first roll scores (T5)")

    @property
    def allowed(self) -> bool:
        """Whether dice that are left may be taken over."""
        return self.price != "none"

    @property
    def costs_lives(self) -> bool:
        return self.price == "lives"

    @property
    def costs_points(self) -> bool:
        """Whether points are staked to take over."""
        return self.price == "stake"


class Lives(RulesPart):
    """Lives: a farkle costs some, and a seat without any is out of the game (O8-O11)."""

    each: Count = Field(default=0, description="Lives that every seat starts with; 0 plays without lives (O8)")
    farkle: Count = Field(default=0, description="Lives that a farkle costs (O9)")
    farkle_all_dice: Count = Field(
        default=0, description="Lives that a farkle on all the dice costs; 0: as any other (O10)"
    )
    last_standing: Literal["rounds", "wins"] = Field(
        default="rounds",
        description='When one seat is left: "rounds" gives it one round for every round_points or part of it that '
        'it is short of the target (O20), "wins" ends the game in its favour',
    )
    round_points: Points = Field(
        default=10_000, description="Points short of the target that earn one last round (O20)"
    )


class Penalties(RulesPart):
    """Points taken from the banked score. Fines for rolls are in the table of what rolls do (D6)."""

    farkles_in_row: Count = Field(
        default=0, description="So many farkles in a row cost points; the count starts anew (X)"
    )
    farkles_in_row_points: Fine = Field(
        default=0, description='What that many farkles in a row cost; "all": the whole score (X, F1)'
    )
    farkle_all_dice: Fine = Field(
        default=0, description='What a farkle on all the dice costs; "all": the whole score (X, F1)'
    )
    farkle: Fine = Field(default=0, description='What every farkle costs; "all": the whole score (F2)')
    farkle_first_roll: Fine = Field(
        default=0, description='What a farkle on the first roll of a turn costs; "all": the whole score (F3)'
    )
    not_beaten: Fine = Field(
        default=0,
        description='What a farkle costs in a turn that has to beat the player before; "all": the whole score (F17)',
    )
    turn_total: Literal["lost", "subtracted", "kept"] = Field(
        default="lost",
        description='After a farkle the turn total is "lost" (C6), "subtracted" from the score (F4), or "kept": banked '
        "as if the player had stopped before that roll (F5)",
    )
    fines_from: Literal["score", "turn"] = Field(
        default="score",
        description='Rolls that cost points take them from the "score" at once (D6), or from the "turn" total (F28)',
    )
    below_zero: bool = Field(default=True, description="Whether a penalty may bring a score below zero (D6)")

    @property
    def points(self) -> tuple[int | Literal["all"], ...]:
        """What farkles cost, each penalty by itself."""
        return (
            self.farkles_in_row_points,
            self.farkle_all_dice,
            self.farkle,
            self.farkle_first_roll,
            self.not_beaten,
        )


class CatchingUp(RulesPart):
    """The effect of a bank on the players whose scores it meets or passes."""

    landed_on: Literal["stays", "to_zero", "back", "swap"] = Field(
        default="stays",
        description='A player on whose score a bank lands exactly "stays" there, falls "to_zero" (F7), goes "back" '
        'to the score before the last bank (F8), or to the banker\'s score before this one, a "swap" (F26)',
    )
    overtaken: Points = Field(default=0, description="What every player who is overtaken by a bank loses (F9)")


class Rules(RulesPart):
    """A complete set of house rules.

    Made from data by `farkel.rules.load`, `parse` and `changed`; equal values describe the same game under the same
    name, and `digest` names the game itself. Contradictory fields are refused when the value is made.
    """

    name: str = Field(
        default="ours", min_length=1, max_length=40, pattern=r"^[a-z0-9][a-z0-9-]*$", description="Short name"
    )
    title: str = Field(default="", max_length=80, pattern=LINE, description="Name for people")
    source: str = Field(default="", max_length=1000, pattern=LINES, description="Where these rules come from")
    about: str = Field(
        default="", max_length=1000, pattern=LINES, description="What is special about them, in a sentence"
    )

    dice: Annotated[int, Field(ge=1, le=MOST_DICE)] = Field(default=6, description="Dice in a turn, 1 to 10 (C1, R7)")
    target: Points = Field(
        default=10_000, description="Score to reach; 0 plays without a target, for a number of rounds (S1)"
    )
    finish: Literal["at_once", "last_turns", "equal_turns", "exact", "welfare", "fewest_rounds"] = Field(
        default="last_turns",
        description='When the target is reached: "at_once" wins (O2), "last_turns" gives everyone else one more turn '
        '(S3), "equal_turns" finishes the round (X), "exact" must be hit exactly (R7, D4), "welfare" is exact and '
        'what goes over is given to the lowest score (X), "fewest_rounds" finishes the round, and whoever has reached '
        "the target wins (F13)",
    )
    exact_hit: Literal["wins", "round"] = Field(
        default="wins",
        description='With finish = "exact": a bank that hits the target "wins" (D4), or everyone else has one more '
        'turn, a "round" in which another hit knocks out the first (F27)',
    )
    missed_target: Points = Field(
        default=0,
        description='With finish = "exact": a bank that passes the target counts, and the target moves on to this '
        "score for everyone; 0: it adds nothing (F22)",
    )
    cancel_win: bool = Field(
        default=False,
        description='With finish = "exact": if the winning bank leaves dice, the next player rolls them once, and '
        "cancels the bank if they score (F23)",
    )
    hot_dice_to_win: bool = Field(
        default=False, description="Only a turn in which all dice were set aside may reach the target (F16)"
    )
    last_turns: Literal["turn", "roll"] = Field(
        default="turn", description='In last turns everyone has a whole "turn" (S3) or only one "roll" (F15)'
    )
    last_turns_again: Literal["no", "passed", "beaten", "tied"] = Field(
        default="no",
        description='Last turns begin again: "no", for a leader who is "passed" (F10), or for everyone whenever the '
        'leading score is "beaten" (F11), or even "tied" (F12)',
    )
    ties: Literal["shared", "play_off", "first"] = Field(
        default="shared",
        description='Equal highest scores share the win, "shared" (D10), play it off (F14), or the "first" of them to '
        'reach the target wins, with finish = "equal_turns" (F24)',
    )
    rounds: Count = Field(default=0, description="The highest score wins after this many rounds; 0 sets no limit (X)")
    turns_in_row: Annotated[int, Field(ge=1, le=20)] = Field(
        default=1, description="Turns that a player takes one after another before the dice pass on (F29)"
    )
    start: Literal[
        "first_seat", "highest_die", "first_six", "lowest_die", "highest_total", "youngest", "oldest", "chosen"
    ] = Field(
        default="first_seat",
        description='Who starts: "first_seat", the "highest_die" of one throw each (S5, R1), the "first_six" thrown '
        'in turn (O12), the "lowest_die" (F20), the "highest_total" of all the dice (F25); the "youngest", the '
        '"oldest" or a "chosen" player, who is entered first (F21)',
    )
    entry: Points = Field(default=0, description="Turn total needed to bank for the first time (S6)")
    entry_again: Literal["no", "at_zero", "below_entry"] = Field(
        default="no",
        description='Whether a player who falls must make the entry score again: "no", with a score of zero or below, '
        '"at_zero", or with less than the entry score, "below_entry" (M9)',
    )
    entry_each: bool = Field(default=False, description="Each partner of a team makes the entry score himself (L5)")
    entry_rolls: Count = Field(
        default=0, description="Rolls at most of a turn of a player who is not on the board; 0: as any other (M8)"
    )
    minimum: Points = Field(default=0, description="Turn total needed to bank in every turn (R7)")
    bank_multiple: Points = Field(
        default=0, description="Every bank must be a multiple of this many points; 0: any may be (D25)"
    )
    bank_left: Annotated[int, Field(ge=0, le=9)] = Field(
        default=9, description="Dice that may be left at most when you bank; 0: only with all dice set aside (M1)"
    )
    beat_previous: bool = Field(
        default=False, description="A bank must bring more than the player before has just banked (M2)"
    )
    zones: str = Field(
        default="",
        max_length=400,
        description='Scores where nobody may rest: "200-300 leave" in one turn, "400-499 never" banked, "555 zero" '
        'loses all, "880-999 barrel tries 3 fine 100 times 3" (Z1-Z5)',
    )
    least_rolls: Count = Field(default=0, description="Rolls that a turn needs before you may bank (M3)")
    most_rolls: Count = Field(default=0, description="Rolls of a turn at most; 0: any number (M4)")
    roll_from: Points = Field(
        default=0, description="Turn total from which on you may roll again; with less you must bank, if you may (M7)"
    )
    entry_by: Literal["turn", "roll", "triple"] = Field(
        default="turn",
        description='How the entry score is made: in one "turn" (S6), in one "roll", or with a "triple" or better '
        "among the kept dice (M5)",
    )
    last_die_tries: Annotated[int, Field(ge=1, le=20)] = Field(
        default=1, description="Rolls that a single last die has to score; it farkles with the last of them (K10)"
    )
    hot_dice: Literal["optional", "forced"] = Field(
        default="optional", description='With all dice set aside rolling on is "optional" (C7) or "forced" (S7)'
    )
    most_hot_dice: Annotated[int, Field(ge=0, le=8)] = Field(
        default=0, description="Hot dice of a turn at most: the last of them must be banked; 0: any number (M6)"
    )
    extend: Literal["no", "each", "higher", "double", "again"] = Field(
        default="no",
        description="Whether later dice extend three or more of a kind that were kept from one roll of the turn: "
        '"each" die of the face scores extend_points, they raise it to the "higher" number of a kind (K1-K3), they '
        '"double" the turn total (K8), or the roll is rolled "again" (K9)',
    )
    extend_points: Points = Field(
        default=0, description='What each die scores that extends a set, with extend = "each" (K2)'
    )
    hot_dice_multiplier: bool = Field(
        default=False, description="After hot dice points count twice, after the next hot dice three times, ... (X)"
    )
    hot_dice_bonus: Points = Field(default=0, description="Points for setting all dice aside (K5)")
    hot_dice_bonus_to: Literal["turn", "score"] = Field(
        default="turn",
        description='The hot-dice bonus goes to the "turn" total, or to the banked "score" at once, where no farkle '
        "takes it (K5)",
    )
    keep: Literal["any", "all", "all_to_win"] = Field(
        default="any",
        description='Of the scoring dice of a roll you keep "any" that you like (C2), or must keep "all" (K4); with '
        '"all_to_win" only a keep of all of them may reach the target (K7)',
    )
    next_roll: Literal["rest", "all"] = Field(
        default="rest",
        description='You roll on with the "rest" of the dice (C2), or with "all" of them, kept dice included (K6)',
    )
    fallen: Literal["again", "farkle"] = Field(
        default="again",
        description='If a die falls off the table or leans, the dice of that roll are rolled "again" (C9), or it is a '
        '"farkle" (F6)',
    )
    teams: Literal["together", "partners"] = Field(
        default="together",
        description='People of one team decide "together" (O1) or take its turns as "partners" in turn (L5)',
    )
    team_size: Annotated[int, Field(ge=1, le=8)] = Field(default=8, description="Most people in a team (O1)")
    most_seats: Annotated[int, Field(ge=1, le=MOST_SEATS)] = Field(
        default=MOST_SEATS, description="Most seats at the table, 1 to 20 (O1)"
    )

    scoring: Scoring = Field(
        default=STANDARD,
        description='What dice pay: 1 = 100 each 1, aaa = "100a" three of any face, 111 before aaa, 0 nothing (P1-P8)',
    )
    rolled: Rolled = Field(
        default=Rolled({}),
        description='What a roll does: 2222 = "farkle", aaa = "bank", 333 = -300; nothing = 500 pays (P9-P14)',
    )
    take_over: TakingOver = TakingOver()
    lives: Lives = Lives()
    penalties: Penalties = Penalties()
    catching_up: CatchingUp = CatchingUp()

    @field_validator("zones")
    @classmethod
    def _read(cls, zones: str) -> str:
        return zones_text(read_zones(zones))

    @model_validator(mode="after")
    def _consistent(self) -> Rules:
        defects = contradictions(self)
        if defects:
            raise ValueError("\n".join(defects))
        return self

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Rules:
        """Return a copy with some fields changed, checked as all rules are. Raises `RulesError`."""
        return Rules(**{field: getattr(self, field) for field in Rules.model_fields} | dict(update or {}))

    @property
    def exact(self) -> bool:
        """Whether the target must be hit exactly: nothing that passes it counts (R7, D4)."""
        return self.finish in ("exact", "welfare")

    @property
    def called(self) -> str:
        """The title, or the name of rules without one."""
        return self.title or self.name

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits that name the game itself.

        SHA-256 of the fields that differ from their defaults, without their descriptions, so that a field
        added later leaves the digests of older rules alone.
        """
        game = self.model_dump(exclude={"name", "title", "source", "about"}, exclude_defaults=True)
        if "scoring" in game and self.scoring.amounts == STANDARD.amounts:
            del game["scoring"]
        elif "scoring" in game:
            game["scoring"] = self.scoring.amounts
        return hashlib.sha256(json.dumps(game, sort_keys=True).encode()).hexdigest()[:16]

    @cached_property
    def unit(self) -> int:
        """Greatest common divisor of all points that can move a score (50 in most sets, 500 in `original`).

        If none can, as dice only win the game, it is that of the targets.
        """
        costs = (points for points in self.penalties.points if points != "all")
        paid = (one.points for one in self.combinations)
        moved = (self.rolled.nothing.points, self.hot_dice_bonus, *self.rolled.fines, *self.rolled.bonuses)
        others = (self.extend_points, self.take_over.stake, self.take_over.bonus, self.catching_up.overtaken)
        zoned = (points for one in read_zones(self.zones) if one.fine for points in (one.first, one.fine))
        return gcd(*paid, *moved, *costs, *others, *zoned) or gcd(self.target, self.missed_target) or 1

    @cached_property
    def opens_sets(self) -> bool:
        """Whether it matters that three or more of a kind were kept from one roll of the turn (K1)."""
        return self.extend != "no" or AFTER_SET in (*self.scoring.moments, *self.rolled.moments)

    @cached_property
    def completes(self) -> bool:
        """Whether a roll may complete a combination that the roll before it lacked dice of (P19)."""
        return any(pays.missing for pays in self.scoring.values())

    @cached_property
    def combinations(self) -> tuple[Combination, ...]:
        """All dice that may score together: those that this many dice can show, and that no roll is fined for."""
        return tuple(one for one in self.scoring.combinations if self.may_keep(one.dice))

    def combinations_at(self, moment: Moment) -> tuple[Combination, ...]:
        """Return those that count in a roll at a moment, in the order of the score sheet."""
        return tuple(one for one in self.scoring.at(moment) if self.may_keep(one.dice))

    @property
    def completed(self) -> frozenset[Roll]:
        """All dice that may be set aside for the next roll to complete (P19)."""
        return frozenset(
            held
            for one in self.combinations
            for size in range(max(1, len(one.dice) - one.missing), len(one.dice))
            for held in combinations(one.dice, size)
        )

    def may_keep(self, dice: Roll) -> bool:
        """Return whether there are this many dice, and no roll that holds them is fined for them."""
        return len(dice) <= self.dice and not any(contains(dice, fined) for fined in self.rolled.fined)

    def __hash__(self) -> int:
        return hash(self.digest)

    @cached_property
    def canonical(self) -> str:
        """All fields as one line of JSON: equal rules have equal text."""
        return self.model_dump_json()

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Rules) and self.canonical == other.canonical)

    def __repr_args__(self) -> Any:
        return [(None, str(self))]
