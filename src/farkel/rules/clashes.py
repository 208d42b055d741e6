"""Contradictions between fields: a row for each, with what is wrong and what would be right."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from math import comb
from typing import TYPE_CHECKING, NamedTuple

from farkel.dice import FACES, all_rolls, faces_text
from farkel.rules.pattern_tables import AFTER_SET, FIRST_ROLL, MOMENTS, NOTHING
from farkel.rules.patterns import NUMBERS, TRIPLE, pattern_of
from farkel.rules.winnable import most_of_a_roll, unwinnable
from farkel.rules.zones import read_zones

if TYPE_CHECKING:
    from farkel.rules.model import Rules

FEW = 3
"""Something must score of this many dice or fewer."""
DICE_FEW = ("", "one die", "one or two dice", "one, two or three dice")
MOST_HELD = 200
"""Dice that may be set aside for the next roll to complete, ..."""
MOST_COMPLETING = 30_000
"""... and rolls that may complete them, those for each taken together."""


class Clash(NamedTuple):
    """Fields that cannot be played together."""

    when: Callable[[Rules], bool]
    sentence: str
    """What is wrong and what would be right, with fields of the rules in braces."""


def contradictions(rules: Rules) -> tuple[str, ...]:
    """Return one sentence for each contradiction between fields; empty if there is none."""
    found: list[str] = []
    for row in CONTRADICTIONS:
        if not isinstance(row, Clash):
            found += row(rules)
        elif row.when(rules):
            found.append(row.sentence.format(**dict(rules) | {"unit": rules.unit}))
    return tuple(found or unwinnable(rules))


def may_tie(rules: Rules) -> bool:
    """Return whether equal scores may share a win (D10, F12)."""
    return rules.rounds > 0 or rules.finish == "equal_turns" or rules.last_turns_again == "tied"


def too_much_to_complete(rules: Rules) -> bool:
    """Return whether dice that are held for the next roll to complete (P19) are too many to be told apart."""
    held = rules.completed
    rolls = (comb(rules.dice - len(dice) + len(FACES), len(FACES)) - 1 for dice in held)
    return len(held) > MOST_HELD or sum(rolls) > MOST_COMPLETING


def _too_few_dice(rules: Rules) -> Iterator[str]:
    for field, table in (("scoring", rules.scoring), ("rolled", rules.rolled)):
        for form, entry in table.plain.items():
            if form != NOTHING and len(form) > rules.dice and entry != 0:
                yield (
                    f"{field}.{form} = {json.dumps(entry)} needs {NUMBERS[len(form)]} dice, but dice = {rules.dice}; "
                    f"set {field}.{form} = 0 or dice = {len(form)}"
                )


def _nothing_scores(rules: Rules) -> Iterator[str]:
    if any(len(one.dice) <= FEW for one in rules.combinations_at(MOMENTS[0])):
        return
    singles = [f"scoring.{face} = {points}" for face, points in ((1, 100), (5, 50)) if rules.may_keep((face,))]
    triples = ['scoring.aaa = "100a"'] if all(rules.may_keep((face,) * TRIPLE) for face in FACES) else []
    usual = " or ".join([*singles[:1], *triples])
    yield (
        f"scoring: nothing scores of {DICE_FEW[min(rules.dice, FEW)]}, so that most rolls are farkles; "
        + (f"let some pay, such as {usual}" if usual else "leave out a fine of rolled")
    )


def _thrown_again_for_ever(rules: Rules) -> Iterator[str]:
    for dice in range(1, rules.dice + 1) if any(effect.then == "again" for effect in rules.rolled.values()) else ():
        for moment in [MOMENTS[1], FIRST_ROLL] if dice == rules.dice else [MOMENTS[0], AFTER_SET]:
            if all(rules.rolled.does(roll, moment).ends == "again" for roll in all_rolls(dice)):
                yield (
                    f"rolled: every roll of {'one die' if dice == 1 else f'{dice} dice'} would be rolled again for "
                    'ever; leave out an entry that says "again"'
                )
                return


def _about_dice_that_are_left(rules: Rules) -> Iterator[str]:
    for field, default in (("bank_left", 9), ("extend", "no")) if rules.next_roll == "all" else ():
        if (value := getattr(rules, field)) != default:
            yield (
                f'next_roll = "all" leaves no dice lying, and {field} = {json.dumps(value)} is about dice that are '
                f"left; set {field} = {json.dumps(default)}"
            )


def _about_who_stands_on_the_target(rules: Rules) -> Iterator[str]:
    others = {
        "cancel_win": ("false", "what follows a hit"),
        "missed_target": ("0", "where the target is after a hit"),
        "catching_up.landed_on": ('"stays"', "where the player falls who is knocked out"),
    }
    if rules.exact_hit == "wins":
        return
    for field, (default, both) in others.items():
        value = json.dumps(rules.catching_up.landed_on if "." in field else getattr(rules, field))
        if value != default:
            yield f'exact_hit = "round" and {field} = {value} both say {both}; set {field} = {default}'
    if rules.rolled.bonuses or rules.hot_dice_bonus_to == "score":
        yield (
            'exact_hit = "round" is not played together with points that dice add to the score at once, as a turn '
            'would go on after the hit; set hot_dice_bonus_to = "turn" and leave out what rolled pays'
        )


def _turns_of_their_own(rules: Rules) -> Iterator[str]:
    """What gives single turns or rolls, and so contradicts turns in a row."""
    usual = {"last_turns": "turn", "last_turns_again": "no", "exact_hit": "wins", "cancel_win": False, "ties": "shared"}
    for field, default in usual.items() if rules.turns_in_row > 1 else ():
        value = getattr(rules, field)
        if value not in (default, "first"):
            yield (
                f"turns_in_row = {rules.turns_in_row} and {field} = {json.dumps(value)} are not played together: how "
                f"many turns that gives is not said; set turns_in_row = 1 or {field} = {json.dumps(default)}"
            )


def _fined_again(rules: Rules) -> bool:
    """Return whether a roll may cost points and be made again."""
    return bool(rules.rolled.fines) and any(effect.then == "again" for effect in rules.rolled.values())


def _not_beaten(rules: Rules) -> Iterator[str]:
    if rules.penalties.not_beaten != 0 and not rules.beat_previous:
        fine = json.dumps(rules.penalties.not_beaten)
        yield f"penalties.not_beaten = {fine} needs beat_previous = true; it is false"


def _without_take_overs(rules: Rules) -> Iterator[str]:
    take = rules.take_over
    if take.allowed:
        return
    for field in type(take).model_fields:
        if field not in ("price", "stake") and (value := getattr(take, field)) != getattr(type(take)(), field):
            yield f'take_over.{field} = {json.dumps(value)} needs a take-over; take_over.price is "none"'


def _zones_at_the_target(rules: Rules) -> Iterator[str]:
    for zone in read_zones(rules.zones):
        if 0 < rules.target <= zone.last:
            shorter = f'let it end below, as in "{zone.first}-{rules.target - 1} {zone.kind}"'
            right = shorter if zone.first < rules.target else "leave it out: no turn begins from there"
            yield f"zones: {zone.scores} reaches target = {rules.target}; {right}"


def _entry_of_a_roll(rules: Rules) -> Iterator[str]:
    if rules.entry_by == "roll" and rules.entry > (most := most_of_a_roll(rules)):
        yield f'entry_by = "roll", but no roll is worth entry = {rules.entry}: the most is {most}'


def _keeps_that_never_win(rules: Rules) -> Iterator[str]:
    """Dice with which a game is said to be won and something else at the same time (P13, P16)."""
    for one in rules.combinations:
        ends = rules.rolled.does(one.dice, MOMENTS[0]).ends
        if one.wins and ends not in ("", "win"):
            yield (
                f'scoring says "win" for {faces_text(one.dice)} and rolled says "{ends}" for rolls that hold these '
                "dice, so that they never win; leave out one of the two"
            )


def _rolls_that_win_and_lose(rules: Rules) -> Iterator[str]:
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


CONTRADICTIONS: tuple[Clash | Callable[[Rules], Iterable[str]], ...] = (
    Clash(
        lambda rules: rules.target == 0 and rules.rounds == 0,
        "target = 0 and rounds = 0: the game would never end; give a target or a number of rounds",
    ),
    Clash(
        lambda rules: rules.target == 0 and rules.exact,
        'finish = "{finish}" needs a target above 0; target is 0',
    ),
    Clash(
        lambda rules: 0 < rules.target < rules.entry,
        "entry = {entry} is above target = {target}; an entry score is at most the target",
    ),
    Clash(
        lambda rules: 0 < rules.target < rules.minimum,
        "minimum = {minimum} is above target = {target}; a minimum is at most the target",
    ),
    Clash(
        lambda rules: 0 < rules.target < rules.bank_multiple,
        "bank_multiple = {bank_multiple} is above target = {target}; a bank would have to pass the target",
    ),
    Clash(
        lambda rules: rules.entry_each and (rules.teams != "partners" or rules.entry == 0),
        'entry_each = true needs teams = "partners" and an entry score; teams is "{teams}", entry is {entry}',
    ),
    _too_few_dice,
    _nothing_scores,
    _thrown_again_for_ever,
    Clash(
        lambda rules: (rules.extend == "each") != (rules.extend_points > 0),
        'extend = "{extend}" and extend_points = {extend_points} belong together: set extend = "each" and the points '
        "of each die (100 is usual), or neither",
    ),
    Clash(
        lambda rules: rules.extend != "no" and rules.dice <= 3,
        'extend = "{extend}" needs four dice or more, so that a die is left after three of a kind; dice = {dice}',
    ),
    Clash(
        lambda rules: (
            rules.hot_dice == "forced"
            and not (rules.rolled.banks or rules.most_hot_dice)
            and all(len(one.dice) == rules.dice for one in rules.combinations)
        ),
        'hot_dice = "forced" with dice = {dice}: only all dice together score, so that every keep is hot dice that '
        'must be rolled, and nothing can ever be banked; set hot_dice = "optional"',
    ),
    Clash(
        lambda rules: (
            rules.hot_dice == "forced"
            and rules.bank_left == 0
            and not (rules.rolled.banks or rules.most_rolls or rules.most_hot_dice)
        ),
        'hot_dice = "forced" and bank_left = 0: hot dice must be rolled and other dice must not be left, so that '
        'nothing can ever be banked; set hot_dice = "optional" or bank_left = 1',
    ),
    Clash(
        lambda rules: rules.hot_dice == "forced" and rules.most_hot_dice == 1,
        'hot_dice = "forced" and most_hot_dice = 1 contradict each other: hot dice must be rolled, and must be banked; '
        'set hot_dice = "optional" or most_hot_dice = 2',
    ),
    Clash(
        lambda rules: rules.extend == "double" and not rules.take_over.toward_entry,
        'extend = "double" doubles points taken over and rolled alike, so that nobody can tell which count toward the '
        "entry; set take_over.toward_entry = true",
    ),
    _about_dice_that_are_left,
    Clash(
        lambda rules: rules.next_roll == "all" and rules.extend == "no" and rules.opens_sets,
        'next_roll = "all" leaves no dice lying, and when = "after_set" is about rolls of those that are left; leave '
        "out the entries that say so",
    ),
    Clash(
        lambda rules: rules.completes and rules.opens_sets,
        "scoring: combinations that may lack dice (missing) are not played together with dice that extend a set or "
        'count after one; leave out missing, or set extend = "no"',
    ),
    Clash(
        lambda rules: rules.completes and rules.entry_by == "triple",
        'entry_by = "triple": whether a triple opens that two rolls have made is not said; leave out missing, or set '
        'entry_by = "turn"',
    ),
    Clash(
        lambda rules: rules.completes and rules.next_roll == "all",
        'next_roll = "all" leaves no dice lying that the next roll could complete; leave out missing, or set '
        'next_roll = "rest"',
    ),
    Clash(
        too_much_to_complete,
        "scoring: combinations may lack so many dice that too much has to be told apart; make missing smaller",
    ),
    Clash(
        lambda rules: rules.next_roll == "all" and rules.take_over.allowed,
        'next_roll = "all" leaves no dice lying, so that nothing can be taken over, but take_over.price is '
        '"{take_over.price}"; set it to "none"',
    ),
    Clash(
        lambda rules: rules.keep == "all_to_win" and rules.target == 0,
        'keep = "all_to_win" needs a target above 0; target is 0',
    ),
    _not_beaten,
    Clash(
        lambda rules: rules.penalties.fines_from == "turn" and not rules.rolled.fines,
        'penalties.fines_from = "turn" needs a roll that costs points, such as rolled.333 = -300; set it to "score"',
    ),
    Clash(
        lambda rules: rules.penalties.fines_from == "turn" and (rules.last_die_tries > 1 or _fined_again(rules)),
        'penalties.fines_from = "turn" is not played together with rolls that are made again: whether they would cost '
        'points each time is not said; set last_die_tries = 1, and leave out what costs points and says "again"',
    ),
    Clash(
        lambda rules: rules.hot_dice_bonus_to == "score" and rules.hot_dice_bonus == 0,
        'hot_dice_bonus_to = "score" needs hot_dice_bonus above 0; it is 0',
    ),
    Clash(
        lambda rules: rules.target == 0 and rules.finish == "fewest_rounds",
        'finish = "fewest_rounds" needs a target above 0; target is 0',
    ),
    Clash(
        lambda rules: rules.ties == "first" and (rules.finish != "equal_turns" or rules.target == 0),
        'ties = "first" needs finish = "equal_turns" and a target to be the first at; finish is "{finish}", target is '
        "{target}",
    ),
    Clash(
        lambda rules: rules.ties == "play_off" and rules.finish == "fewest_rounds",
        'ties = "play_off" compares scores, and with finish = "fewest_rounds" they do not count; set ties = "shared"',
    ),
    Clash(
        lambda rules: rules.hot_dice_to_win and rules.target == 0,
        "hot_dice_to_win = true needs a target above 0; target is 0",
    ),
    Clash(
        lambda rules: rules.last_turns == "roll" and (rules.finish != "last_turns" or rules.target == 0),
        'last_turns = "roll" needs finish = "last_turns" and a target; finish is "{finish}", target is {target}',
    ),
    Clash(
        lambda rules: rules.last_turns == "roll" and rules.least_rolls > 1,
        'last_turns = "roll" and least_rolls = {least_rolls}: nobody could bank in a last turn; set last_turns = '
        '"turn"',
    ),
    Clash(
        lambda rules: rules.last_turns_again != "no" and (rules.finish != "last_turns" or rules.target == 0),
        'last_turns_again = "{last_turns_again}" needs finish = "last_turns" and a target; finish is "{finish}", '
        "target is {target}",
    ),
    Clash(
        lambda rules: rules.ties == "play_off" and not may_tie(rules),
        'ties = "play_off", but no scores can tie: set a number of rounds, finish = "equal_turns" or last_turns_again '
        '= "tied"; or set ties = "shared"',
    ),
    Clash(
        lambda rules: rules.exact and rules.target % rules.unit != 0,
        'target = {target} cannot be hit exactly (finish = "{finish}"): scores move in steps of {unit}',
    ),
    Clash(
        lambda rules: rules.missed_target > 0 and rules.finish != "exact",
        'missed_target = {missed_target} needs finish = "exact"; finish is "{finish}"',
    ),
    Clash(
        lambda rules: rules.exact_hit == "round" and rules.finish != "exact",
        'exact_hit = "round" needs finish = "exact"; finish is "{finish}"',
    ),
    _about_who_stands_on_the_target,
    _turns_of_their_own,
    Clash(
        lambda rules: rules.cancel_win and rules.finish != "exact",
        'cancel_win = true needs finish = "exact"; finish is "{finish}"',
    ),
    Clash(
        lambda rules: rules.cancel_win and rules.rounds > 0,
        "cancel_win = true and rounds = {rounds} are not played together: the last round would leave nobody to roll; "
        "set rounds = 0",
    ),
    Clash(
        lambda rules: rules.cancel_win and rules.next_roll == "all",
        'cancel_win = true needs dice that are left, and next_roll = "all" leaves none; set next_roll = "rest"',
    ),
    Clash(
        lambda rules: 0 < rules.missed_target <= rules.target,
        "missed_target = {missed_target} is not above target = {target}; the target moves on to a higher score",
    ),
    Clash(
        lambda rules: rules.missed_target % rules.unit != 0,
        "missed_target = {missed_target} cannot be hit exactly: scores move in steps of {unit}",
    ),
    Clash(
        lambda rules: rules.take_over.costs_points and rules.take_over.stake == 0,
        'take_over.price = "stake" needs take_over.stake above 0; it is 0',
    ),
    Clash(
        lambda rules: not rules.take_over.costs_points and rules.take_over.stake > 0,
        'take_over.stake = {take_over.stake} needs take_over.price = "stake"; it is "{take_over.price}"',
    ),
    Clash(
        lambda rules: rules.take_over.costs_lives and rules.lives.each == 0,
        'take_over.price = "lives" needs lives.each above 0; the game has no lives',
    ),
    _without_take_overs,
    Clash(
        lambda rules: rules.take_over.heavy and rules.take_over.after_hot_dice,
        "take_over.heavy = true and take_over.after_hot_dice = true contradict each other: a heavy table leaves "
        "nothing to take over; set one of them to false",
    ),
    Clash(
        lambda rules: rules.take_over.on_board and rules.entry == 0,
        "take_over.on_board = true needs an entry score, but entry = 0: everyone is on the board; set an entry, or "
        "take_over.from_score",
    ),
    Clash(
        lambda rules: 0 < rules.target < rules.take_over.from_score,
        "take_over.from_score = {take_over.from_score} is above target = {target}; nobody would ever take over",
    ),
    Clash(
        lambda rules: not rules.take_over.toward_entry and rules.entry == 0,
        "take_over.toward_entry = false needs an entry score, but entry = 0; set an entry such as 500, or "
        "take_over.toward_entry = true",
    ),
    Clash(
        lambda rules: not rules.take_over.toward_entry and rules.entry < rules.minimum,
        "take_over.toward_entry = false needs an entry score that is at least the minimum; entry is {entry}, minimum "
        "is {minimum}",
    ),
    _zones_at_the_target,
    Clash(
        lambda rules: 0 < rules.most_rolls < rules.least_rolls,
        "least_rolls = {least_rolls} is above most_rolls = {most_rolls}; nobody could ever bank",
    ),
    Clash(
        lambda rules: rules.entry_again != "no" and rules.entry == 0,
        'entry_again = "{entry_again}" needs an entry score, but entry = 0; set an entry such as 500',
    ),
    Clash(
        lambda rules: rules.entry_rolls > 0 and rules.entry == 0,
        "entry_rolls = {entry_rolls} needs an entry score, but entry = 0; set an entry such as 500",
    ),
    Clash(
        lambda rules: 0 < rules.most_rolls <= rules.entry_rolls,
        "entry_rolls = {entry_rolls} is not below most_rolls = {most_rolls}, which holds for every turn; set "
        "entry_rolls = 0 or most_rolls = 0",
    ),
    Clash(
        lambda rules: 0 < rules.entry_rolls < rules.least_rolls,
        "least_rolls = {least_rolls} is above entry_rolls = {entry_rolls}; nobody could ever get on the board",
    ),
    Clash(
        lambda rules: rules.entry_rolls == 1 and rules.take_over.allowed and not rules.take_over.on_board,
        'entry_rolls = 1 and take_over.price = "{take_over.price}" are not played together: a turn of one roll cannot '
        "start from an offer; set take_over.on_board = true or entry_rolls = 2",
    ),
    Clash(
        lambda rules: rules.most_rolls == 1 and rules.roll_from > 0,
        "roll_from = {roll_from} is about rolling again, and most_rolls = 1 allows no other roll; set roll_from = 0",
    ),
    Clash(
        lambda rules: rules.most_rolls == 1 and rules.take_over.allowed,
        'most_rolls = 1 and take_over.price = "{take_over.price}" are not played together: a turn of one roll cannot '
        'start from an offer; set take_over.price = "none" or most_rolls = 2',
    ),
    Clash(
        lambda rules: rules.entry_by != "turn" and rules.entry == 0,
        'entry_by = "{entry_by}" needs an entry score, but entry = 0; set an entry such as 500',
    ),
    _entry_of_a_roll,
    Clash(
        lambda rules: rules.entry_by == "triple" and not any(len(one.dice) >= TRIPLE for one in rules.combinations),
        'entry_by = "triple", but no combination of three or more dice scores; let some pay, such as scoring.aaa = '
        '"100a"',
    ),
    Clash(
        lambda rules: (
            rules.lives.each > 0
            and rules.lives.farkle == 0
            and rules.lives.farkle_all_dice == 0
            and not rules.take_over.costs_lives
        ),
        "lives.each = {lives.each}, but nothing costs a life; set lives.farkle (1 is usual) or lives.each = 0",
    ),
    Clash(
        lambda rules: rules.lives.each == 0 and (rules.lives.farkle > 0 or rules.lives.farkle_all_dice > 0),
        "lives.farkle = {lives.farkle} and lives.farkle_all_dice = {lives.farkle_all_dice} need lives.each above 0; "
        "it is 0",
    ),
    Clash(
        lambda rules: (
            rules.lives.each > 0
            and rules.lives.last_standing == "rounds"
            and (rules.lives.round_points == 0 or rules.target == 0)
        ),
        'lives.last_standing = "rounds" needs a target and lives.round_points above 0; target is {target}, '
        "round_points is {lives.round_points}",
    ),
    Clash(
        lambda rules: (rules.penalties.farkles_in_row == 0) != (rules.penalties.farkles_in_row_points == 0),
        "penalties.farkles_in_row = {penalties.farkles_in_row} and penalties.farkles_in_row_points = "
        "{penalties.farkles_in_row_points} belong together: both above 0, or both 0",
    ),
    _keeps_that_never_win,
    _rolls_that_win_and_lose,
)
