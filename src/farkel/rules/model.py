"""`Rules`: one frozen value that describes a game of Farkle completely.

Clause numbers (C, O, S, B, L, R, D, X) are those of ``docs/rules.md``. Every field explains itself in its
description; the rule sheet, the commented TOML and the error messages are all made from them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import combinations, product
from math import comb, gcd
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

from farkel.bounds import MOST_SEATS
from farkel.dice import FACES, MOST_DICE, Roll, all_rolls, faces_text
from farkel.rules.legacy import translated
from farkel.rules.patterns import NUMBERS, pattern_of
from farkel.rules.tables import AFTER_SET, FIRST_ROLL, MOMENTS, NOTHING, Combined, Rolled, Scoring, contains
from farkel.rules.winnable import most_of_a_roll, unwinnable
from farkel.rules.zones import read_zones, zones_text

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

TRIPLE = 3
"""Dice of the smallest combination that is a triple or better."""
FEW = 3
"""Something must score of this many dice or fewer."""
DICE_FEW = ("", "one die", "one or two dice", "one, two or three dice")

STANDARD = Scoring({"1": 100, "5": 50, "111": 1000, "aaa": "100a"})
"""What scores in the plainest game (S2)."""

Count = Annotated[int, Field(ge=0, le=1_000)]


class Part(BaseModel):
    """What every part of the rules shares: frozen, strict in its types, and without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class TakeOver(Part):
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


class Lives(Part):
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


class Penalties(Part):
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


class CatchingUp(Part):
    """The effect of a bank on the players whose scores it meets or passes."""

    landed_on: Literal["stays", "to_zero", "back"] = Field(
        default="stays",
        description='A player on whose score a bank lands exactly "stays" there, falls "to_zero" (F7), or goes "back" '
        "to the score before the last bank (F8)",
    )
    overtaken: Points = Field(default=0, description="What every player who is overtaken by a bank loses (F9)")


class Rules(Part):
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
    ties: Literal["shared", "play_off"] = Field(
        default="shared", description='Equal highest scores share the win, "shared" (D10), or play it off (F14)'
    )
    rounds: Count = Field(default=0, description="The highest score wins after this many rounds; 0 sets no limit (X)")
    start: Literal["first_seat", "highest_die", "first_six", "lowest_die", "youngest", "oldest", "chosen"] = Field(
        default="first_seat",
        description='Who starts: "first_seat", the "highest_die" of one throw each (S5, R1), the "first_six" thrown '
        'in turn (O12), the "lowest_die" (F20); the "youngest", the "oldest" or a "chosen" player, who is entered '
        "first (F21)",
    )
    entry: Points = Field(default=0, description="Turn total needed to bank for the first time (S6)")
    entry_each: bool = Field(default=False, description="Each partner of a team makes the entry score himself (L5)")
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
    take_over: TakeOver = TakeOver()
    lives: Lives = Lives()
    penalties: Penalties = Penalties()
    catching_up: CatchingUp = CatchingUp()

    @model_validator(mode="before")
    @classmethod
    def _translated(cls, tree: Any) -> Any:
        return translated(tree) if isinstance(tree, Mapping) else tree

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
        """Return a copy with some fields changed, checked as all rules are. Raises pydantic's `ValidationError`."""
        return Rules.model_validate({field: getattr(self, field) for field in Rules.model_fields} | dict(update or {}))

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
    def combinations(self) -> tuple[Combined, ...]:
        """All dice that may score together: those that this many dice can show, and that no roll is fined for."""
        return tuple(one for one in self.scoring.combinations if may_keep(self, one.dice))

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


def may_keep(rules: Rules, dice: Roll) -> bool:
    """Return whether there are this many dice, and no roll that holds them is fined for them."""
    return len(dice) <= rules.dice and not any(contains(dice, fined) for fined in rules.rolled.fined)


def may_tie(rules: Rules) -> bool:
    """Return whether equal scores may share a win (D10, F12)."""
    return rules.rounds > 0 or rules.finish == "equal_turns" or rules.last_turns_again == "tied"


MOST_HELD = 200
"""Dice that may be set aside for the next roll to complete, ..."""
MOST_COMPLETING = 30_000
"""... and rolls that may complete them, those for each taken together."""


def completed(rules: Rules) -> frozenset[Roll]:
    """Return all dice that may be set aside for the next roll to complete (P19)."""
    return frozenset(
        held
        for one in rules.combinations
        for size in range(max(1, len(one.dice) - one.missing), len(one.dice))
        for held in combinations(one.dice, size)
    )


def rolls_of(dice: int) -> int:
    """Return how many rolls there are of this many dice or fewer."""
    return comb(dice + 6, 6) - 1


def always_again(rules: Rules) -> int:
    """Return a number of dice of which every roll would be rolled again (P18); 0 if there is none."""
    if not any(effect.then == "again" for effect in rules.rolled.values()):
        return 0
    for dice in range(1, rules.dice + 1):
        moments = [MOMENTS[1], FIRST_ROLL] if dice == rules.dice else [MOMENTS[0], AFTER_SET]
        for moment in moments:
            if all(rules.rolled.does(roll, moment).ends == "again" for roll in all_rolls(dice)):
                return dice
    return 0


def won_and_lost(rules: Rules) -> Iterator[str]:
    """Yield a sentence for dice with which a game is said to be won and something else at the same time (P13, P16)."""
    for one in rules.combinations:
        ends = rules.rolled.does(one.dice, MOMENTS[0]).ends
        if one.wins and ends not in ("", "win"):
            yield (
                f'scoring says "win" for {faces_text(one.dice)} and rolled says "{ends}" for rolls that hold these '
                "dice, so that they never win; leave out one of the two"
            )
    said = {word: [form for form, effect in rules.rolled.items() if effect.then == word] for word in ("win", "lose")}
    for win, lose in product(said["win"], said["lose"]):
        if NOTHING not in (win, lose) and rules.rolled[win].when == rules.rolled[lose].when:
            winning, losing = pattern_of(win), pattern_of(lose)
            narrower = (pattern_of(form) for form in rules.rolled if form != NOTHING)
            told = {dice for each in narrower if len(each.letters) < len(winning.letters) for dice in each.rolls}
            both = sorted((winning.rolls & losing.rolls) - told)
            if both and len(winning.letters) == len(losing.letters):
                yield (
                    f'rolled.{win} = "win" and rolled.{lose} = "lose" are both for {faces_text(both[0])}; say with a '
                    f'pattern for these dice what they do, such as rolled.{faces_text(both[0])} = "win"'
                )


def contradictions(rules: Rules) -> tuple[str, ...]:
    """Return one sentence for each contradiction between fields; empty if there is none."""
    take, lives, fines = rules.take_over, rules.lives, rules.penalties
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

    for field, table in (("scoring", rules.scoring), ("rolled", rules.rolled)):
        for form, entry in table.plain.items():
            clash(
                form != NOTHING and len(form) > rules.dice and entry != 0,
                f"{field}.{form} = {json.dumps(entry)} needs {NUMBERS[len(form)]} dice, but dice = {rules.dice}; set "
                f"{field}.{form} = 0 or dice = {len(form)}",
            )
    singles = [f"scoring.{face} = {points}" for face, points in ((1, 100), (5, 50)) if may_keep(rules, (face,))]
    triples = ['scoring.aaa = "100a"'] if all(may_keep(rules, (face,) * TRIPLE) for face in FACES) else []
    usual = [*singles[:1], *triples]
    clash(
        not any(len(one.dice) <= FEW and may_keep(rules, one.dice) for one in rules.scoring.at(MOMENTS[0])),
        f"scoring: nothing scores of {DICE_FEW[min(rules.dice, FEW)]}, so that most rolls are farkles; "
        + (f"let some pay, such as {' or '.join(usual)}" if usual else "leave out a fine of rolled"),
    )
    endless = always_again(rules)
    clash(
        endless > 0,
        f"rolled: every roll of {'one die' if endless == 1 else f'{endless} dice'} would be rolled again for ever; "
        'leave out an entry that says "again"',
    )
    clash(
        (rules.extend == "each") != (rules.extend_points > 0),
        f'extend = "{rules.extend}" and extend_points = {rules.extend_points} belong together: set extend = "each" and '
        "the points of each die (100 is usual), or neither",
    )
    clash(
        rules.extend != "no" and rules.dice <= 3,
        f'extend = "{rules.extend}" needs four dice or more, so that a die is left after three of a kind; dice = '
        f"{rules.dice}",
    )
    clash(
        rules.hot_dice == "forced"
        and not rules.rolled.banks
        and all(len(one.dice) == rules.dice for one in rules.combinations),
        f'hot_dice = "forced" with dice = {rules.dice}: only all dice together score, so that every keep is hot dice '
        'that must be rolled, and nothing can ever be banked; set hot_dice = "optional"',
    )
    clash(
        rules.hot_dice == "forced" and rules.bank_left == 0 and not (rules.rolled.banks or rules.most_rolls),
        'hot_dice = "forced" and bank_left = 0: hot dice must be rolled and other dice must not be left, so that '
        'nothing can ever be banked; set hot_dice = "optional" or bank_left = 1',
    )
    clash(
        rules.extend == "double" and not take.toward_entry,
        'extend = "double" doubles points taken over and rolled alike, so that nobody can tell which count toward the '
        "entry; set take_over.toward_entry = true",
    )
    for field, default in (("bank_left", 9), ("extend", "no")):
        clash(
            rules.next_roll == "all" and getattr(rules, field) != default,
            f'next_roll = "all" leaves no dice lying, and {field} = {json.dumps(getattr(rules, field))} is about dice '
            f"that are left; set {field} = {json.dumps(default)}",
        )
    clash(
        rules.next_roll == "all" and rules.extend == "no" and rules.opens_sets,
        'next_roll = "all" leaves no dice lying, and when = "after_set" is about rolls of those that are left; leave '
        "out the entries that say so",
    )
    clash(
        rules.completes and rules.opens_sets,
        "scoring: combinations that may lack dice (missing) are not played together with dice that extend a set or "
        'count after one; leave out missing, or set extend = "no"',
    )
    clash(
        rules.completes and rules.entry_by == "triple",
        'entry_by = "triple": whether a triple opens that two rolls have made is not said; leave out missing, or set '
        'entry_by = "turn"',
    )
    clash(
        rules.completes and rules.next_roll == "all",
        'next_roll = "all" leaves no dice lying that the next roll could complete; leave out missing, or set '
        'next_roll = "rest"',
    )
    held = completed(rules)
    clash(
        len(held) > MOST_HELD or sum(rolls_of(rules.dice - len(dice)) for dice in held) > MOST_COMPLETING,
        "scoring: combinations may lack so many dice that too much has to be told apart; make missing smaller",
    )
    clash(
        rules.next_roll == "all" and take.price != "none",
        f'next_roll = "all" leaves no dice lying, so that nothing can be taken over, but take_over.price is '
        f'"{take.price}"; set it to "none"',
    )
    clash(
        rules.keep == "all_to_win" and rules.target == 0,
        'keep = "all_to_win" needs a target above 0; target is 0',
    )
    clash(
        fines.not_beaten != 0 and not rules.beat_previous,
        f"penalties.not_beaten = {json.dumps(fines.not_beaten)} needs beat_previous = true; it is false",
    )
    clash(
        rules.hot_dice_bonus_to == "score" and rules.hot_dice_bonus == 0,
        'hot_dice_bonus_to = "score" needs hot_dice_bonus above 0; it is 0',
    )
    clash(
        rules.target == 0 and rules.finish == "fewest_rounds",
        'finish = "fewest_rounds" needs a target above 0; target is 0',
    )
    clash(
        rules.ties == "play_off" and rules.finish == "fewest_rounds",
        'ties = "play_off" compares scores, and with finish = "fewest_rounds" they do not count; set ties = "shared"',
    )
    clash(
        rules.hot_dice_to_win and rules.target == 0,
        "hot_dice_to_win = true needs a target above 0; target is 0",
    )
    clash(
        rules.last_turns == "roll" and (rules.finish != "last_turns" or rules.target == 0),
        f'last_turns = "roll" needs finish = "last_turns" and a target; finish is "{rules.finish}", target is '
        f"{rules.target}",
    )
    clash(
        rules.last_turns == "roll" and rules.least_rolls > 1,
        f'last_turns = "roll" and least_rolls = {rules.least_rolls}: nobody could bank in a last turn; set '
        'last_turns = "turn"',
    )
    clash(
        rules.last_turns_again != "no" and (rules.finish != "last_turns" or rules.target == 0),
        f'last_turns_again = "{rules.last_turns_again}" needs finish = "last_turns" and a target; finish is '
        f'"{rules.finish}", target is {rules.target}',
    )
    clash(
        rules.ties == "play_off" and not may_tie(rules),
        'ties = "play_off", but no scores can tie: set a number of rounds, finish = "equal_turns" or '
        'last_turns_again = "tied"; or set ties = "shared"',
    )
    clash(
        rules.finish in ("exact", "welfare") and rules.target % rules.unit != 0,
        f'target = {rules.target} cannot be hit exactly (finish = "{rules.finish}"): '
        f"scores move in steps of {rules.unit}",
    )

    clash(
        rules.missed_target > 0 and rules.finish != "exact",
        f'missed_target = {rules.missed_target} needs finish = "exact"; finish is "{rules.finish}"',
    )
    clash(
        rules.cancel_win and rules.finish != "exact",
        f'cancel_win = true needs finish = "exact"; finish is "{rules.finish}"',
    )
    clash(
        rules.cancel_win and rules.rounds > 0,
        f"cancel_win = true and rounds = {rules.rounds} are not played together: the last round would leave nobody to "
        "roll; set rounds = 0",
    )
    clash(
        rules.cancel_win and rules.next_roll == "all",
        'cancel_win = true needs dice that are left, and next_roll = "all" leaves none; set next_roll = "rest"',
    )
    clash(
        0 < rules.missed_target <= rules.target,
        f"missed_target = {rules.missed_target} is not above target = {rules.target}; the target moves on to a higher "
        "score",
    )
    clash(
        rules.missed_target % rules.unit != 0,
        f"missed_target = {rules.missed_target} cannot be hit exactly: scores move in steps of {rules.unit}",
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
    for option in ("choose_dice", "after_farkle", "after_hot_dice", "heavy", "on_board"):
        clash(
            take.price == "none" and getattr(take, option),
            f'take_over.{option} = true needs a take-over; take_over.price is "none"',
        )
    for option in ("toward_entry", "points"):
        clash(
            take.price == "none" and not getattr(take, option),
            f'take_over.{option} = false needs a take-over; take_over.price is "none"',
        )
    for option in ("from_score", "bonus"):
        clash(
            take.price == "none" and getattr(take, option) > 0,
            f'take_over.{option} = {getattr(take, option)} needs a take-over; take_over.price is "none"',
        )
    clash(
        take.heavy and take.after_hot_dice,
        "take_over.heavy = true and take_over.after_hot_dice = true contradict each other: a heavy table leaves "
        "nothing to take over; set one of them to false",
    )
    clash(
        take.on_board and rules.entry == 0,
        "take_over.on_board = true needs an entry score, but entry = 0: everyone is on the board; set an entry, or "
        "take_over.from_score",
    )
    clash(
        0 < rules.target < take.from_score,
        f"take_over.from_score = {take.from_score} is above target = {rules.target}; nobody would ever take over",
    )
    clash(
        not take.toward_entry and rules.entry == 0,
        "take_over.toward_entry = false needs an entry score, but entry = 0; set an entry such as 500, or "
        "take_over.toward_entry = true",
    )
    clash(
        not take.toward_entry and rules.entry < rules.minimum,
        f"take_over.toward_entry = false needs an entry score that is at least the minimum; entry is {rules.entry}, "
        f"minimum is {rules.minimum}",
    )
    for zone in read_zones(rules.zones):
        clash(
            0 < rules.target <= zone.last,
            f"zones: {zone.scores} reaches target = {rules.target}; "
            + (
                f'let it end below, as in "{zone.first}-{rules.target - 1} {zone.kind}"'
                if zone.first < rules.target
                else "leave it out: no turn begins from there"
            ),
        )
    clash(
        0 < rules.most_rolls < rules.least_rolls,
        f"least_rolls = {rules.least_rolls} is above most_rolls = {rules.most_rolls}; nobody could ever bank",
    )
    clash(
        rules.most_rolls == 1 and take.price != "none",
        f'most_rolls = 1 and take_over.price = "{take.price}" are not played together: a turn of one roll '
        'cannot start from an offer; set take_over.price = "none" or most_rolls = 2',
    )
    clash(
        rules.entry_by != "turn" and rules.entry == 0,
        f'entry_by = "{rules.entry_by}" needs an entry score, but entry = 0; set an entry such as 500',
    )
    clash(
        rules.entry_by == "roll" and rules.entry > most_of_a_roll(rules),
        f'entry_by = "roll", but no roll is worth entry = {rules.entry}: the most is {most_of_a_roll(rules)}',
    )
    clash(
        rules.entry_by == "triple" and not any(len(one.dice) >= TRIPLE for one in rules.combinations),
        'entry_by = "triple", but no combination of three or more dice scores; let some pay, such as '
        'scoring.aaa = "100a"',
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
    found += won_and_lost(rules)
    return tuple(found or unwinnable(rules))
