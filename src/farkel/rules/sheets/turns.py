"""The sentences about a turn: rolls and keeps, hot dice, and farkles."""

from __future__ import annotations

from farkel.rules.catalogue_files import entry
from farkel.rules.model import Rules
from farkel.rules.pattern_tables import known
from farkel.rules.patterns import pattern_of
from farkel.rules.sheets.banking import when_to_bank
from farkel.rules.sheets.effects import effects, out_of_the_game
from farkel.rules.sheets.losing import score_penalties
from farkel.rules.sheets.pattern_words import but_not, combination_name
from farkel.rules.sheets.phrases import a_or_an, all_dice, nth, number_word
from farkel.support.words import capital, listed


def turn(rules: Rules) -> tuple[str, ...]:
    """Return the sentences below ``Your turn``."""
    every, once = all_dice(rules), rules.most_rolls == 1
    keep = "keep at least one scoring die or combination: set it aside. You choose which."
    if rules.keep == "all":
        keep = "you must keep every die that scores: set them all aside."
    elif rules.keep == "all_to_win":
        keep = f"{keep[:-1]}, but to reach {rules.target:,} you must keep every die that scores in your last roll."
    total = "end your turn and add your turn total to your score."
    if once:
        lines = [f"Roll {every}, once. {capital(keep)}", f"Then bank{_or_farkle(rules)}: {total}"]
    else:
        lines = [
            f"Roll {every}. After each roll, {keep}",
            f"Then roll {'it again' if rules.dice == 1 else _next(rules)}, or bank: {total}{_roll_from(rules)}",
            f"A combination counts only within one roll: dice kept earlier never join a later one{_but_later(rules)}.",
        ]
    lines += ["Count the dice that you keep in the combinations that score most, each die once.", nothing_scores(rules)]
    if not once:
        lines.append(hot_dice(rules))
    lines += [*_most_rolls(rules), *_hot_dice_pay(rules), *effects(rules)]
    then = "roll all dice of that roll again" if rules.fallen == "again" else "you farkle"
    lines.append(f"If a die falls off the table or leans, {then}.")
    return tuple(lines)


def _most_rolls(rules: Rules) -> list[str]:
    """Return how many rolls a turn has at most, if it may have several."""
    most, entering = rules.most_rolls, rules.entry_rolls
    limit = "one roll" if entering == 1 else f"{number_word(entering)} rolls"
    if most > 1:
        until = f" ({limit} until you are on the board)" if entering else ""
        says = f"Your turn has at most {number_word(most)} rolls{until}"
    elif entering:
        says = f"Until you are on the board, your turn has at most {limit}"
    else:
        return []
    return [f"{says}, those after hot dice included. After the last one, bank{_or_farkle(rules)}."]


def _roll_from(rules: Rules) -> str:
    """Return the turn total that another roll needs, as a sentence of its own; "" if any will do."""
    if not rules.roll_from:
        return ""
    unless = " (if you may not bank yet, keep rolling)" if when_to_bank(rules) else ""
    return (
        f" You may roll again only with a turn total of at least {rules.roll_from:,}: with less you must bank{unless}."
    )


def _next(rules: Rules) -> str:
    """Return the dice rolled after a keep."""
    return "the remaining dice" if rules.next_roll == "rest" else f"{all_dice(rules)} again, also those you kept"


def _or_farkle(rules: Rules) -> str:
    """Return what follows if a last roll may not be banked; "" if all may be."""
    return " (if you may not, you farkle)" if when_to_bank(rules) else ""


def _but_later(rules: Rules) -> str:
    """Return how later dice extend sets, or complete combinations."""
    if rules.extend == "no":
        return f", with one exception. {' '.join(said)[:-1]}" if (said := _completed(rules)) else ""
    says = {
        "each": f"each later die of that face scores {rules.extend_points:,}",
        "higher": "later dice of that face count as the higher number of a kind: add the difference",
        "again": "a later roll that shows that face does not count: roll the same dice again",
        "double": "each later die of that face doubles your turn total, before the other dice of its roll are added",
    }[rules.extend]
    return (
        f", with one exception. Once you have kept three or more of a kind from one roll, {says}. That lasts until "
        "your turn ends or you have hot dice"
    )


def _completed(rules: Rules) -> list[str]:
    """Return which combinations the next roll may complete, those that may lack as many dice together."""
    lacks = {one.dice: one.missing for one in rules.combinations}
    may: dict[int, list[str]] = {}
    for form, pays in rules.scoring.items():
        fits = [dice for dice in sorted(pattern_of(form).rolls) if dice in lacks]
        if pays.missing and (others := [dice for dice in fits if lacks[dice] != pays.missing]) != fits:
            name = combination_name(form, pays) + but_not([(dice, "") for dice in others])
            may.setdefault(pays.missing, []).append(name)
    return [
        f"A second chance: if a roll lacks {'one die' if dice == 1 else f'up to {number_word(dice)} dice'} of a "
        "combination, you may set aside those that you have, though they score nothing yet, and roll the rest once. "
        f"Complete it, or you farkle. This goes for: {', '.join(names)}."
        for dice, names in may.items()
    ]


def nothing_scores(rules: Rules) -> str:
    """Return what follows if nothing in a roll scores."""
    nothing, called = rules.rolled.nothing, entry(rules.name).words.farkle
    farkle = f"it is {a_or_an(called)} (a farkle)" if called else "you farkle"
    if rules.last_die_tries > 1:
        left = "" if rules.dice == 1 else "with one die left, "
        farkle += f" ({left}only once {number_word(rules.last_die_tries)} tries to score with it have failed)"
    first = nothing.when == "first_roll"
    fresh = " that you start fresh" if rules.take_over.allowed else ""
    where = f"the first roll of a turn{fresh}" if first else f"a roll of {all_dice(rules)}"
    where += " if it costs nothing" if rules.rolled.fines else ""
    if nothing.idle or nothing.when == "after_set" or nothing.then == "zero":
        more = f" In {where}, you lose your whole banked score as well." if nothing.then == "zero" else ""
        return f"If nothing in a roll scores, {farkle}: your turn ends{_after_farkle(rules)}{more}"
    if nothing.points:
        then = f"then the dice are worth {nothing.points:,} points together, and you keep them all"
        then += ". Then bank and pass the dice, if you may bank" if nothing.then == "bank" else ""
    else:
        thens = {"win": "that wins the game", "lose": out_of_the_game(rules), "again": "roll the same dice again"}
        then = thens[known(nothing.then, thens, "the sheet")]
    ends = f"{capital(a_or_an(called or 'farkle'))} ends your turn{_after_farkle(rules)}"
    return f"If nothing in a roll scores, {farkle}, but not in {where}: {then}. {ends}"


def _after_farkle(rules: Rules) -> str:
    """Return what becomes of the turn total and the score, to follow "your turn ends"."""
    if rules.penalties.turn_total != "kept":
        return f" and you lose your turn total. Banked points stay yours{_but(rules)}."
    free = " and the farkle costs nothing" if rules.lives.each or any(rules.penalties.points) else ""
    if _may_not_count(rules):
        return f". If you could have banked your turn total before that roll, it is banked{free}; if not, you lose it."
    return f", but your turn total is banked{free}."


def _may_not_count(rules: Rules) -> bool:
    """Return whether some turn totals may not be banked, wherever the dice lie (F5)."""
    owing = any(pays.owes for pays in rules.scoring.values())
    return bool(rules.entry or rules.minimum or rules.bank_multiple or rules.beat_previous or rules.zones or owing)


def _but(rules: Rules) -> str:
    """Return what can take banked points, if anything can."""
    exceptions = ["a stake that you lose"] if rules.take_over.stake else []
    exceptions += ["the penalties below"] if score_penalties(rules) else []
    exceptions += ["rolls that lose them"] if any(effect.then == "zero" for effect in rules.rolled.values()) else []
    return f", except for {listed(exceptions, 'and')}" if exceptions else ""


def hot_dice(rules: Rules) -> str:
    """Return what follows if all dice are kept, and rolls are left."""
    every, called = all_dice(rules), entry(rules.name).words.hot_dice
    again = {1: "it", 2: "both"}.get(rules.dice, "all of them")
    hot = f"{capital(called)} (hot dice)" if called else "Hot dice"
    all_kept = every.removesuffix(" dice")
    kept = f"once you have kept {all_kept}" if rules.next_roll == "rest" else f"if you keep {every} of one roll"
    ends = ["your roll must be banked"] if rules.rolled.banks else []
    limited = rules.most_rolls or rules.entry_rolls or rules.last_turns == "roll"
    ends += ["your turn has no roll left"] if limited else []
    unless = f"unless {listed(ends, 'or')}" if ends else ""
    must_bank = f"you must bank{f' (if you may not bank yet, roll {again} again)' if when_to_bank(rules) else ''}"
    if rules.most_hot_dice == 1:
        return f"{hot}: {kept}, {must_bank}."
    limit = f"; the {nth(rules.most_hot_dice)} time in a turn {must_bank}" if rules.most_hot_dice else ""
    if rules.hot_dice == "forced":
        return f"{hot}: {kept}, you can't bank{unless and f' {unless}'}. Roll {again} again{limit}."
    return f"{hot}: {kept}, you may roll {again} again and add to your turn total{unless and f', {unless}'}{limit}."


def _hot_dice_pay(rules: Rules) -> list[str]:
    """Return what hot dice are good for, besides all the dice."""
    lines = []
    if rules.hot_dice_multiplier and rules.most_rolls != 1:
        lines.append(
            "After hot dice points count twice for the rest of the turn, after the next hot dice three times, and so "
            "on."
        )
    if rules.hot_dice_bonus:
        where = {
            "turn": "more for your turn total",
            "score": "for your banked score immediately; no farkle takes them away",
        }[rules.hot_dice_bonus_to]
        lines.append(f"For keeping {all_dice(rules)} you get {rules.hot_dice_bonus:,} points {where}.")
    return lines
