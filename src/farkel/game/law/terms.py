"""Rules as plain numbers for the law, once for points and once for any other unit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import accumulate
from typing import Any, Literal

from farkel.game.scoring import Kept, Scored, every_scored, score_table, states
from farkel.rules.model import MOST_POINTS, Rules
from farkel.rules.pattern_tables import contains, known
from farkel.rules.patterns import TRIPLE
from farkel.rules.zones import MOST_ZONES, read_zones


class Finish(IntEnum):
    """`Rules.finish`."""

    AT_ONCE = 0
    LAST_TURNS = 1
    EQUAL_TURNS = 2
    EXACT = 3
    WELFARE = 4


class Again(IntEnum):
    """`Rules.last_turns_again`."""

    NO = 0
    PASSED = 1
    BEATEN = 2
    TIED = 3


class Ties(IntEnum):
    """`Rules.ties`."""

    SHARED = 0
    PLAY_OFF = 1
    FIRST = 2


class Start(IntEnum):
    """`Rules.start`."""

    FIRST_SEAT = 0
    HIGHEST_DIE = 1
    FIRST_SIX = 2
    LOWEST_DIE = 3
    HIGHEST_TOTAL = 4


class Price(IntEnum):
    """`TakingOver.price`."""

    NONE = 0
    FREE = 1
    STAKE = 2
    LIVES = 3


class Outcome(IntEnum):
    """The effects of a roll besides a farkle (P17)."""

    NONE = 0
    WIN = 1
    LOSE = 2
    ZERO = 3
    AGAIN = 4


OUTCOMES = {"": Outcome.NONE, "farkle": Outcome.NONE} | {each.name.lower(): each for each in Outcome if each}
"""The words that the law knows: `farkel.game.law.strike` says what each outcome does."""


class Close(IntEnum):
    """The effects of a keep, whatever its player likes (P16)."""

    NONE = 0
    ENDS = 1
    """It must be banked if it may be."""
    WINS = 2


class EntryBy(IntEnum):
    """`Rules.entry_by`."""

    TURN = 0
    ROLL = 1
    TRIPLE = 2


class TurnTotal(IntEnum):
    """`Penalties.turn_total`."""

    LOST = 0
    SUBTRACTED = 1
    KEPT = 2


class LandedOn(IntEnum):
    """`CatchingUp.landed_on`."""

    STAYS = 0
    TO_ZERO = 1
    BACK = 2
    SWAP = 3


ALL = 1 << 40
"""A fine of the whole score: more than anybody ever has."""


class ZoneKind(IntEnum):
    """`farkel.rules.zones.Kind`."""

    LEAVE = 1
    NEVER = 2
    ZERO = 3
    BARREL = 4


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Terms:
    """The rules, as numbers. Points are in units; truth is 0 or 1, or a `bool`.

    Rolls are numbered in the order of the score table, and keeps too: those of one roll lie together. Python reads
    slots in half the time of the places of a named tuple.
    """

    dice: int
    """The hand that a turn begins with. A hand is the dice to roll: this many."""
    target: int
    """0: none."""
    finish: int
    fewest: bool
    """All players who have reached the target share the win, however far beyond it."""
    hot_wins: bool
    """Only a turn with hot dice may reach the target."""
    whole_wins: bool
    """Only a keep of all scoring dice may reach the target (K7)."""
    last_roll: bool
    """Last turns are of one roll."""
    again: int
    """Whether last turns begin again."""
    ties: int
    exact: bool
    """The target must be hit exactly: nothing that passes it counts."""
    hit_round: bool
    """A hit of it gives all others one more turn, in which another hit knocks out the first (F27)."""
    missed: int
    """The target after it is missed (F22); 0: it stays."""
    cancels: bool
    """A winning bank that leaves dice is cancelled if the next seat scores with them (F23)."""
    turns_in_row: int
    rounds: int
    start: int
    entry: int
    """The turn total that a seat needs to bank that is not on the board; 0 if there is no entry score."""
    stays_from: int
    """The score without which a seat is off the board again when a turn has ended; 0: it stays on the board."""
    minimum: int
    multiple: int
    """A bank must be a multiple of this, in points whatever the unit; 0: of nothing."""
    entry_by: int
    beat_previous: bool
    bank_left: int
    """-1: any number of dice."""
    all_again: bool
    """The next roll is of all the dice, those set aside included."""
    least_rolls: int
    most_rolls: int
    """0: any number."""
    entry_rolls: int
    """The same for a seat that is not on the board; 0: as any other."""
    roll_from: int
    """The turn total without which a bank that is allowed must be made."""
    counts_rolls: int
    """The number of rolls of a turn that are distinguished; 0: none."""
    entry_each: bool
    partners: bool
    tries: int
    """Rolls that a single die has to score (K10)."""
    forced: bool
    """Hot dice must be rolled."""
    most_hot: int
    """0: any number."""
    multiplier: bool
    counts_hot: int
    """The number of hot dice of a turn that are distinguished; 0: none."""
    price: int
    stake: int
    choose_dice: bool
    after_farkle: bool
    after_hot_dice: bool
    heavy: bool
    take_enters: bool
    """Points taken over count toward the entry score."""
    take_on_board: bool
    take_from_score: int
    take_points: bool
    take_bonus: int
    lives: int
    lives_farkle: int
    lives_all: int
    """The penalty for a farkle on all the dice."""
    standing_wins: bool
    round_points: int
    """In points, whatever the unit."""
    target_points: int
    unit: int
    """Points of a unit."""
    in_row: int
    in_row_points: int
    all_dice_points: int
    farkle_points: int
    first_roll_points: int
    not_beaten_points: int
    """The penalty for a farkle with a bank to beat (F17)."""
    turn_total: int
    """The effect of a farkle on it."""
    fines_turn: bool
    """Rolls take what they cost from the turn total (F28)."""
    below_zero: bool
    hot_bonus: int
    """What setting all dice aside adds to the turn total (K5)."""
    hot_reward: int
    """The points it adds to the banked score (K5)."""
    confirms: bool
    """Some keeps must be followed by points before the bank (P16)."""
    keeps_win: bool
    """Some keeps win the game (P16)."""
    firsts: bool
    """The first roll of a turn is another one than later ones with the same dice (P15)."""
    pips: Sequence[int]
    """[roll]: the sum of its faces."""
    as_first: Sequence[int]
    """[roll]: its number as the first roll of a turn."""
    strikes: Sequence[bool]
    """[roll]: it moves the score at once, or ends more than the turn: see ``fine`` and ``outcome``."""
    outcome: Sequence[int]
    """[roll]: an `Outcome`."""
    zones: int
    """How many there are; the lists below have room for more."""
    zone_first: Sequence[int]
    """[zone]: its lowest score."""
    zone_last: Sequence[int]
    zone_kind: Sequence[int]
    zone_tries: Sequence[int]
    zone_fine: Sequence[int]
    zone_times: Sequence[int]
    risks: bool
    """A turn may cost its player points banked before, or put it out of the game."""
    catches_up: bool
    """A bank may cost others something."""
    landed_on: int
    overtaken: int
    extends: bool
    """Later dice may extend sets that were kept (K1), or complete combinations (P19): what is open counts."""
    doubling: int
    """From this turn total on, dice no longer double it (K8); 0: dice never double it."""
    doubles: Sequence[int]
    """[keep]: how often it doubles the turn total, if any may."""
    shift: Sequence[int]
    """[open]: how much higher the numbers of rolls are than if nothing were open."""
    sets: Sequence[int]
    """[keep]: what is open after it, if anything may ever be."""
    fine: Sequence[int]
    """[roll]: what it costs the score at once (D6), below zero for what it earns (P17)."""
    binds: Sequence[bool]
    """[roll]: it must be banked if any keep of it may be (D5)."""
    first_keep: Sequence[int]
    """[roll]: its first keep; the next roll's ends them."""
    worth: Sequence[int]
    """[keep]"""
    left: Sequence[int]
    """[keep]: the hand after it, all the dice on hot dice."""
    hot: Sequence[bool]
    """[keep]: it is of all dice of its roll."""
    part: Sequence[bool]
    """[keep]: other scoring dice of the roll are left, if that matters (K7)."""
    owes: Sequence[int]
    """[keep]: points that must be set aside after it before the bank (P16)."""
    closes: Sequence[int]
    """[keep]: a `Close`."""
    opens: Sequence[bool]
    """[keep]: with it a seat may get on the board (M5)."""


MANY = 1 << 30
"""More hot dice than a turn has."""


def up(points: int, unit: int) -> int:
    """Return the number of units that are at least this many points."""
    return -(-points // unit)


def cost(points: int | Literal["all"], unit: int) -> int:
    """Return a fine in units: `ALL` for the whole score."""
    return ALL if points == "all" else points // unit


def terms(rules: Rules, unit: int) -> Terms:
    """Return the rules with points counted in units of this many. What they ask for is rounded up to whole units."""
    take, lives, fines, others = rules.take_over, rules.lives, rules.penalties, rules.catching_up
    scored = tuple(every_scored(rules))
    kept = [one for each in scored for one in each.keeps.values()]
    bonus = rules.hot_dice_bonus // unit
    return Terms(
        dice=rules.dice,
        target=up(rules.target, unit),
        finish=Finish.__members__.get(rules.finish.upper(), Finish.EQUAL_TURNS),
        fewest=rules.finish == "fewest_rounds",
        hot_wins=rules.hot_dice_to_win,
        whole_wins=rules.keep == "all_to_win",
        last_roll=rules.last_turns == "roll",
        again=Again[rules.last_turns_again.upper()],
        ties=Ties[rules.ties.upper()],
        exact=rules.exact,
        hit_round=rules.exact_hit == "round",
        missed=rules.missed_target // unit,
        cancels=rules.cancel_win,
        turns_in_row=rules.turns_in_row,
        rounds=rules.rounds,
        start=Start.__members__.get(rules.start.upper(), Start.FIRST_SEAT),
        entry=up(max(rules.entry, rules.minimum), unit) if rules.entry else 0,
        stays_from={"no": 0, "at_zero": 1, "below_entry": up(rules.entry, unit)}[rules.entry_again],
        minimum=up(rules.minimum, unit),
        multiple=rules.bank_multiple,
        entry_by=EntryBy[rules.entry_by.upper()],
        beat_previous=rules.beat_previous,
        bank_left=rules.bank_left if rules.bank_left < rules.dice - 1 else -1,
        all_again=rules.next_roll == "all",
        least_rolls=rules.least_rolls,
        most_rolls=rules.most_rolls,
        roll_from=up(rules.roll_from, unit),
        entry_rolls=rules.entry_rolls,
        counts_rolls=max(rules.least_rolls, rules.most_rolls, rules.entry_rolls),
        entry_each=rules.entry_each,
        partners=rules.teams == "partners",
        tries=rules.last_die_tries,
        forced=rules.hot_dice == "forced",
        most_hot=rules.most_hot_dice,
        multiplier=rules.hot_dice_multiplier,
        counts_hot=MANY if rules.hot_dice_multiplier else _counted_hot(rules),
        price=Price[take.price.upper()],
        stake=take.stake // unit,
        choose_dice=take.choose_dice,
        after_farkle=take.after_farkle,
        after_hot_dice=take.after_hot_dice,
        heavy=take.heavy,
        take_enters=take.toward_entry,
        take_on_board=take.on_board,
        take_from_score=up(take.from_score, unit),
        take_points=take.points,
        take_bonus=take.bonus // unit,
        lives=lives.each,
        lives_farkle=lives.farkle,
        lives_all=lives.farkle_all_dice or lives.farkle,
        standing_wins=lives.last_standing == "wins",
        round_points=max(1, lives.round_points),
        target_points=rules.target,
        unit=unit,
        in_row=fines.farkles_in_row,
        in_row_points=cost(fines.farkles_in_row_points, unit),
        all_dice_points=cost(fines.farkle_all_dice, unit),
        farkle_points=cost(fines.farkle, unit),
        first_roll_points=cost(fines.farkle_first_roll, unit),
        not_beaten_points=cost(fines.not_beaten, unit),
        turn_total=TurnTotal[fines.turn_total.upper()],
        fines_turn=fines.fines_from == "turn",
        below_zero=fines.below_zero,
        hot_bonus=bonus if rules.hot_dice_bonus_to == "turn" else 0,
        hot_reward=bonus if rules.hot_dice_bonus_to == "score" else 0,
        risks=_risks(rules) or any(one.ends in ("lose", "zero") for one in scored),
        catches_up=others.landed_on != "stays" or others.overtaken > 0,
        landed_on=LandedOn[others.landed_on.upper()],
        overtaken=others.overtaken // unit,
        extends=rules.opens_sets or rules.completes,
        doubling=up(MOST_POINTS, unit) if rules.extend == "double" else 0,
        **_zones(rules, unit),
        **_rolls(rules, unit, scored),
        **_keeps(rules, unit, kept),
    )


def _zones(rules: Rules, unit: int) -> dict[str, Any]:
    zones = read_zones(rules.zones)
    return {
        "zones": len(zones),
        "zone_first": _padded(up(zone.first, unit) for zone in zones),
        "zone_last": _padded(zone.last // unit for zone in zones),
        "zone_kind": _padded(ZoneKind[zone.kind.upper()] for zone in zones),
        "zone_tries": _padded(zone.tries for zone in zones),
        "zone_fine": _padded(zone.fine // unit for zone in zones),
        "zone_times": _padded(zone.times for zone in zones),
    }


def _rolls(rules: Rules, unit: int, scored: Sequence[Scored]) -> dict[str, Any]:
    table, number = score_table(rules), {(one.roll, one.first): roll for roll, one in enumerate(scored)}
    outcomes = [OUTCOMES[known(one.ends, OUTCOMES, "the law")] for one in scored]
    return {
        "firsts": len(table.numbered) > len(table) or rules.penalties.farkle_first_roll != 0,
        "pips": [sum(one.roll) for one in scored],
        "as_first": [number.get((one.roll, True), roll) for roll, one in enumerate(scored)],
        "strikes": [bool(one.fine or outcome) for one, outcome in zip(scored, outcomes, strict=True)],
        "outcome": [int(outcome) for outcome in outcomes],
        "shift": [0, *accumulate(len(score_table(rules, sets).numbered) for sets in range(states(rules) - 1))],
        "fine": [one.fine // unit for one in scored],
        "binds": [one.binds for one in scored],
        "first_keep": [0, *accumulate(len(one.keeps) for one in scored)],
    }


def _keeps(rules: Rules, unit: int, kept: Sequence[Kept]) -> dict[str, Any]:
    return {
        "confirms": any(one.owes for one in kept),
        "keeps_win": any(one.wins for one in kept),
        "doubles": [one.doubles for one in kept] if rules.extend == "double" else [0],
        "sets": [one.sets for one in kept] if rules.opens_sets or rules.completes else [0],
        "worth": [one.points // unit for one in kept],
        "left": [one.left for one in kept],
        "hot": [one.hot for one in kept],
        "opens": _opens(rules, kept),
        "part": [one.part for one in kept],
        "owes": [up(one.owes, unit) for one in kept],
        "closes": [int(Close.WINS if one.wins else Close.ENDS if one.ends else Close.NONE) for one in kept],
    }


def _counted_hot(rules: Rules) -> int:
    """Return how many hot dice of a turn are distinguished that multiply nothing."""
    return max(rules.most_hot_dice - 1, int(rules.take_over.heavy or rules.hot_dice_to_win))


def _risks(rules: Rules) -> bool:
    """Return whether a turn may cost points banked before, or lives, apart from dice that say so by a word."""
    fines = rules.penalties
    rolls = fines.fines_from == "score" and rules.rolled.fines
    farkles = fines.farkle, fines.farkle_all_dice, fines.farkle_first_roll, fines.not_beaten, fines.farkles_in_row
    staked = rules.take_over.costs_points
    return bool(rolls or any(farkles) or fines.turn_total == "subtracted" or rules.lives.each or rules.zones or staked)


def _padded(numbers: Iterable[int]) -> list[int]:
    """Return the numbers with room for those of as many zones as there may be."""
    found = list(numbers)
    return found + [0] * (MOST_ZONES - len(found))


def _opens(rules: Rules, every: Sequence[Kept]) -> list[bool]:
    """Return with which keeps a seat may get on the board, if it has the points for it (M5)."""
    if rules.entry_by == "roll":
        return [kept.points >= rules.entry for kept in every]
    if rules.entry_by == "triple":
        larger = [one.dice for one in rules.combinations if len(one.dice) >= TRIPLE]
        holds = {dice: any(contains(dice, one) for one in larger) for dice in {kept.dice for kept in every}}
        return [holds[kept.dice] for kept in every]
    return [True] * len(every)
