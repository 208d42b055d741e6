"""`Rules`: one frozen value that describes a game of Farkle completely.

Clause numbers (C, O, S, B, L, R, D, X) are those of ``docs/rules.md``. Every field explains itself in its
description; the rule sheet, the commented TOML and the error messages are all made from them.
"""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from math import gcd
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Points = Annotated[int, Field(ge=0, le=10_000_000)]
"""A whole number of points; 0 switches off what it pays for."""

TriplePoints = Annotated[int, Field(ge=-10_000_000, le=10_000_000)]
"""As `Points`, but a negative number is a fine (D6)."""

Count = Annotated[int, Field(ge=0, le=1_000)]


class Part(BaseModel):
    """What every part of the rules shares: frozen, strict in its types, and without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Scoring(Part):
    """What dice are worth, always within one roll (C4). 0 means that a combination does not score."""

    one: Points = Field(100, description="Each single 1 (S2)")
    five: Points = Field(50, description="Each single 5 (S2)")
    three_ones: TriplePoints = Field(1000, description="Three 1s (S2); a negative number of any triple is a fine (D6)")
    three_twos: TriplePoints = Field(200, description="Three 2s (S2)")
    three_threes: TriplePoints = Field(300, description="Three 3s (S2); -300 makes them cost 300 (R7, D6)")
    three_fours: TriplePoints = Field(400, description="Three 4s (S2)")
    three_fives: TriplePoints = Field(500, description="Three 5s (S2)")
    three_sixes: TriplePoints = Field(600, description="Three 6s (S2)")
    more_alike: Literal["points", "double", "add"] = Field(
        "points",
        description='Four, five and six alike: "points" as in the next three fields, "double" the triple for each '
        'further die, or "add" the triple again for each further die (X)',
    )
    four_alike: Points = Field(0, description="Four of a kind (S4)")
    five_alike: Points = Field(0, description="Five of a kind (S4)")
    six_alike: Points = Field(0, description="Six of a kind (S4)")
    straight: Points = Field(0, description="Straight 1-2-3-4-5-6 (S4)")
    low_straight: Points = Field(0, description="Low straight 1-2-3-4-5 (R3)")
    high_straight: Points = Field(0, description="High straight 2-3-4-5-6 (R3)")
    three_pairs: Points = Field(0, description="Three different pairs (S4, O6)")
    four_and_pair: Points = Field(0, description="Four of a kind and a pair together (S4, L12)")
    two_triplets: Points = Field(0, description="Two different three-of-a-kinds together (S4)")
    nothing: Points = Field(0, description="All the dice thrown together and none scores: points and hot dice (X)")

    @property
    def triples(self) -> tuple[int, int, int, int, int, int]:
        """Points of three 1s, 2s, ... 6s."""
        return (
            self.three_ones,
            self.three_twos,
            self.three_threes,
            self.three_fours,
            self.three_fives,
            self.three_sixes,
        )


class TakeOver(Part):
    """Starting a turn from what the player before left: building on, piggybacking, high stakes, buying."""

    price: Literal["none", "free", "stake", "lives"] = Field(
        "none",
        description='Whether an offer may be taken over and for what: "none" not at all, "free" (B4, L6, R5), '
        '"stake" some banked points (L7), "lives" one life a die (O13)',
    )
    stake: Points = Field(0, description="Banked points put up to try; lost if the first roll farkles (L7)")
    choose_dice: bool = Field(False, description="The taker chooses how many of the dice to roll, 1 up to all (O13)")
    after_farkle: bool = Field(
        False, description="A farkled turn total may be taken up too, with the dice that farkled (X)"
    )
    after_hot_dice: bool = Field(False, description="Banked hot dice may be taken over with all the dice (X)")


class Lives(Part):
    """Lives: a farkle costs some, and a seat without any is out of the game (O8-O11)."""

    each: Count = Field(0, description="Lives that every seat starts with; 0 plays without lives (O8)")
    farkle: Count = Field(0, description="Lives that a farkle costs (O9)")
    farkle_all_dice: Count = Field(0, description="Lives that a farkle on all the dice costs; 0: as any other (O10)")
    last_standing: Literal["rounds", "wins"] = Field(
        "rounds",
        description='When one seat is left: "rounds" gives it one round for every round_points or part of it that '
        'it is short of the target (O20), "wins" ends the game in its favour',
    )
    round_points: Points = Field(10_000, description="Points short of the target that earn one last round (O20)")


class Penalties(Part):
    """Points taken from the banked score. Fines for triples are negative points in the scoring (D6)."""

    farkles_in_row: Count = Field(0, description="So many farkles in a row cost points; the count starts anew (X)")
    farkles_in_row_points: Points = Field(0, description="What that many farkles in a row cost (X)")
    farkle_all_dice: Points = Field(0, description="What a farkle on all the dice costs (X)")
    below_zero: bool = Field(True, description="Whether a penalty may bring a score below zero (D6)")


class Rules(Part):
    """A complete set of house rules.

    Made from data by `farkel.rules.load`, `parse` and `changed`; equal values describe the same game under the same
    name, and `digest` names the game itself. Contradictory fields are refused when the value is made.
    """

    name: str = Field("ours", min_length=1, max_length=40, pattern=r"^[a-z0-9][a-z0-9-]*$", description="Short name")
    title: str = Field("", max_length=80, description="Name for people")
    source: str = Field("", max_length=1000, description="Where these rules come from")
    about: str = Field("", max_length=1000, description="What is special about them, in a sentence")

    dice: Annotated[int, Field(ge=5, le=6)] = Field(6, description="Dice in a turn (C1, R7)")
    target: Points = Field(10_000, description="Score to reach; 0 plays without a target, for a number of rounds (S1)")
    finish: Literal["at_once", "last_turns", "equal_turns", "exact", "welfare"] = Field(
        "last_turns",
        description='When the target is reached: "at_once" wins (O2), "last_turns" gives everyone else one more turn '
        '(S3), "equal_turns" finishes the round (X), "exact" must be hit exactly (R7, D4), "welfare" is exact and '
        "what goes over is given to the lowest score (X)",
    )
    rounds: Count = Field(0, description="The highest score wins after so many rounds; 0 sets no limit (X)")
    start: Literal["first_seat", "highest_die", "first_six"] = Field(
        "first_seat",
        description='Who starts: "first_seat", the "highest_die" of one throw each (S5, R1), the "first_six" thrown '
        "in turn (O12)",
    )
    entry: Points = Field(0, description="Turn total needed to bank for the first time (S6)")
    entry_each: bool = Field(False, description="Each partner of a team makes the entry score himself (L5)")
    minimum: Points = Field(0, description="Turn total needed to bank in every turn (R7)")
    bank_multiple: Points = Field(0, description="Every bank must be a multiple of so many points; 0: any may be (D25)")
    hot_dice: Literal["optional", "forced"] = Field(
        "optional", description='With all dice set aside rolling on is "optional" (C7) or "forced" (S7)'
    )
    hot_dice_multiplier: bool = Field(
        False, description="After hot dice points count twice, after the next hot dice three times, ... (X)"
    )
    triple_ends_turn: bool = Field(
        False, description="After a roll with three or more alike the player must bank (R7, D5)"
    )
    toxic_twos: bool = Field(False, description="Four or more 2s in a roll end the turn with nothing, as a farkle (X)")
    teams: Literal["together", "partners"] = Field(
        "together", description='People of one team decide "together" (O1) or take its turns as "partners" in turn (L5)'
    )
    team_size: Annotated[int, Field(ge=1, le=8)] = Field(8, description="Most people in a team (O1)")
    most_seats: Annotated[int, Field(ge=1, le=8)] = Field(8, description="Most seats at the table (O1)")

    scoring: Scoring = Scoring()
    take_over: TakeOver = TakeOver()
    lives: Lives = Lives()
    penalties: Penalties = Penalties()

    @model_validator(mode="after")
    def _consistent(self) -> Rules:
        defects = contradictions(self)
        if defects:
            raise ValueError("\n".join(defects))
        return self

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits that name the game itself.

        SHA-256 of the fields that differ from their defaults, without name, title, source and about, so that a field
        added later leaves the digests of older rules alone.
        """
        game = self.model_dump(exclude={"name", "title", "source", "about"}, exclude_defaults=True)
        return hashlib.sha256(json.dumps(game, sort_keys=True).encode()).hexdigest()[:16]

    @cached_property
    def unit(self) -> int:
        """Greatest common divisor of all points that can move a score (50 in most sets, 500 in `original`)."""
        alike = (
            (self.scoring.four_alike, self.scoring.five_alike, self.scoring.six_alike)
            if self.scoring.more_alike == "points"
            else ()
        )
        singles = (self.scoring.one, self.scoring.five, *self.scoring.triples, *alike)
        groups = (
            self.scoring.straight,
            self.scoring.low_straight,
            self.scoring.high_straight,
            self.scoring.three_pairs,
            self.scoring.four_and_pair,
            self.scoring.two_triplets,
            self.scoring.nothing,
        )
        fines = (self.take_over.stake, self.penalties.farkles_in_row_points, self.penalties.farkle_all_dice)
        return gcd(*singles, *groups, *fines)

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


def contradictions(rules: Rules) -> tuple[str, ...]:
    """Return one sentence for each contradiction between fields; empty where there is none."""
    score, take, lives, fines = rules.scoring, rules.take_over, rules.lives, rules.penalties
    found: list[str] = []

    def clash(when: bool, sentence: str) -> None:
        if when:
            found.append(sentence)

    clash(
        rules.target == 0 and rules.rounds == 0,
        "target = 0 and rounds = 0: the game would never end; give a target or a number of rounds",
    )
    clash(
        rules.target == 0 and rules.finish in ("exact", "welfare"),
        f'finish = "{rules.finish}" needs a target above 0; target is 0',
    )
    clash(
        0 < rules.target < rules.entry,
        f"entry = {rules.entry} is above target = {rules.target}; an entry score is at most the target",
    )
    clash(
        0 < rules.target < rules.minimum,
        f"minimum = {rules.minimum} is above target = {rules.target}; a minimum is at most the target",
    )
    clash(
        0 < rules.target < rules.bank_multiple,
        f"bank_multiple = {rules.bank_multiple} is above target = {rules.target}; a bank would have to pass the target",
    )
    clash(
        rules.entry_each and (rules.teams != "partners" or rules.entry == 0),
        f'entry_each = true needs teams = "partners" and an entry score; teams is "{rules.teams}", '
        f"entry is {rules.entry}",
    )

    if rules.dice == 5:
        for field in ("straight", "three_pairs", "four_and_pair", "two_triplets", "six_alike"):
            points = getattr(score, field)
            clash(
                points != 0,
                f"scoring.{field} = {points} needs six dice, but dice = 5; set scoring.{field} = 0 or dice = 6",
            )
    if score.more_alike != "points":
        for field in ("four_alike", "five_alike", "six_alike"):
            points = getattr(score, field)
            clash(
                points != 0,
                f'scoring.{field} = {points} is never used with scoring.more_alike = "{score.more_alike}"; set it to 0 '
                'or more_alike to "points"',
            )
    clash(
        max(score.one, score.five, *score.triples) <= 0,
        "scoring: neither a single die nor a triple scores, so that most rolls are farkles; "
        "give at least one of them points",
    )
    clash(
        rules.finish in ("exact", "welfare") and rules.unit > 0 and rules.target % rules.unit != 0,
        f'target = {rules.target} cannot be hit exactly (finish = "{rules.finish}"): '
        f"scores move in steps of {rules.unit}",
    )

    clash(
        take.price == "stake" and take.stake == 0,
        'take_over.price = "stake" needs take_over.stake above 0; it is 0',
    )
    clash(
        take.price != "stake" and take.stake > 0,
        f'take_over.stake = {take.stake} needs take_over.price = "stake"; it is "{take.price}"',
    )
    clash(
        take.price == "lives" and lives.each == 0,
        'take_over.price = "lives" needs lives.each above 0; the game has no lives',
    )
    for option in ("choose_dice", "after_farkle", "after_hot_dice"):
        clash(
            take.price == "none" and getattr(take, option),
            f'take_over.{option} = true needs a take-over; take_over.price is "none"',
        )

    clash(
        lives.each > 0 and lives.farkle == 0 and lives.farkle_all_dice == 0 and take.price != "lives",
        f"lives.each = {lives.each}, but nothing costs a life; set lives.farkle (1 is usual) or lives.each = 0",
    )
    clash(
        lives.each == 0 and (lives.farkle > 0 or lives.farkle_all_dice > 0),
        f"lives.farkle = {lives.farkle} and lives.farkle_all_dice = {lives.farkle_all_dice} need lives.each above 0; "
        "it is 0",
    )
    clash(
        lives.each > 0 and lives.last_standing == "rounds" and (lives.round_points == 0 or rules.target == 0),
        f'lives.last_standing = "rounds" needs a target and lives.round_points above 0; target is {rules.target}, '
        f"round_points is {lives.round_points}",
    )

    clash(
        (fines.farkles_in_row == 0) != (fines.farkles_in_row_points == 0),
        f"penalties.farkles_in_row = {fines.farkles_in_row} and penalties.farkles_in_row_points = "
        f"{fines.farkles_in_row_points} belong together: both above 0, or both 0",
    )
    return tuple(found)
