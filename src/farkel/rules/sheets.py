"""A rule sheet made from the rules: something to read aloud at the table, never written by hand beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from math import comb

from farkel.dice import FACES, Roll, faces_text, ways
from farkel.rules.entries import entry, farkle_word, names
from farkel.rules.model import Rules
from farkel.rules.pattern_tables import AFTER_SET, FIRST_ROLL, MOMENTS, NOTHING, Effect, Moment, Pays, known
from farkel.rules.patterns import LETTERS, NUMBERS, Pattern, pattern_of
from farkel.rules.sheet_rows import (
    MOST_NAMED,
    DiceWorth,
    SheetRow,
    exempt,
    moments,
    outdone,
    rows,
    rows_of,
    spared,
)
from farkel.rules.writing import AnyRules, as_rules, named, variations
from farkel.rules.zones import Zone, read_zones
from farkel.support.bounds import MOST_SEATS
from farkel.support.notebooks import table
from farkel.support.words import capital, several

MOST_PEOPLE = 8
"""Limits of `Rules` that are not worth a sentence."""
HINTED = 3
"""Dice of one face that a hint card lists one by one."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, with sentences or with rows of a table (dice, points) below it."""

    heading: str
    sentences: tuple[str, ...] = ()
    rows: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole rule sheet."""

    title: str
    notation: str
    """The rules by name, with what differs from the set of that name: ``standard(target=5000)``."""
    source: str
    sections: tuple[Section, ...]

    def _repr_html_(self) -> str:
        parts = [f"<h3>{escape(self.title)}</h3><p><code>{escape(self.notation)}</code></p>"]
        for section in self.sections:
            parts.append(f"<h4>{escape(section.heading)}</h4>")
            if section.sentences:
                parts.append(f"<ul>{''.join(f'<li>{escape(one)}</li>' for one in section.sentences)}</ul>")
            if section.rows:
                parts.append(
                    table(section.heading, ({"dice": dice, "points": points} for dice, points in section.rows))
                )
        return "".join(parts)

    def text(self, width: int = 78) -> str:
        """Return the sheet as plain lines of at most ``width`` columns."""
        import textwrap

        lines = textwrap.wrap(self.title, width)
        lines.append("=" * max(map(len, lines)))
        lines += textwrap.wrap(f"Rules: {self.notation}", width, break_on_hyphens=False)
        if self.source:
            lines += textwrap.wrap(f"From: {self.source}", width)
        for section in self.sections:
            lines += ["", section.heading, "-" * len(section.heading)]
            for sentence in section.sentences:
                lines += textwrap.wrap(sentence, width, initial_indent="* ", subsequent_indent="  ")
            lines += _columns(section.rows, width)
        return "\n".join(lines) + "\n"


def _columns(rows: tuple[tuple[str, str], ...], width: int) -> list[str]:
    """Return rows as lines in two columns; a text too long for the first continues in lines of its own."""
    import textwrap

    numbers = max(7, *(len(points) for _, points in rows), 0)
    widest = min(max((len(dice) for dice, _ in rows), default=0), max(12, width - numbers - 4))
    lines = []
    for dice, points in rows:
        *before, last = textwrap.wrap(dice, widest, break_on_hyphens=False) or [""]
        lines += [*(f"  {line}" for line in before), f"  {last:<{widest}}  {points:>7}"]
    return lines


def sheet(rules: AnyRules, file: str = "") -> Sheet:
    """Return the rule sheet of the rules; ``file`` is the name of the file that they are from, if they are from one."""
    rules = as_rules(rules)
    sections = (
        Section("The aim", _aim(rules)),
        Section("What dice are worth", rows=scoring_rows(rules)),
        Section("Hint card", rows=hint_rows(rules) if entry(rules.name).hint_card else ()),
        Section("Your turn", _turn(rules)),
        Section("When you may bank", _bank(rules)),
        Section("Taking over", _take_over(rules)),
        Section("Lives", _lives(rules)),
        Section("Penalties", _penalties(rules)),
        Section("Catching up", _catching_up(rules)),
        Section("Who starts, and teams" if rules.team_size > 1 else "Who starts", _table(rules)),
        Section("The end", _end(rules)),
        Section("Variations", _variations(rules)),
    )
    kept = tuple(section for section in sections if section.sentences or section.rows)
    return Sheet(" ".join(rules.title.split()) or rules.name, str(rules), _source(rules, file), kept)


def _source(rules: Rules, file: str) -> str:
    """Return where the rules come from: not from the source of a set of the catalogue, if they differ from it."""
    source = rules.source
    if source and "(" in str(rules):
        known = rules.name if rules.name in names() else next((n for n in names() if named(n).source == source), "")
        if known and named(known).source == source and named(known).digest != rules.digest:
            source += ", with changes"
    return ": ".join(filter(None, (file, source)))


def _variations(rules: Rules) -> tuple[str, ...]:
    """Return the variations of a catalogue set, as they are asked for by name; none of rules that differ from it."""
    if str(rules) != rules.name:
        return ()
    return tuple(f"{rules.name}:{variation.name} - {variation.about}." for variation in variations(rules.name))


def scoring_rows(rules: AnyRules) -> tuple[tuple[str, str], ...]:
    """Return the scoring table: combinations and their points."""
    rules = as_rules(rules)
    found = [_in_words(rules, row) for row in rows(rules)]
    nothing = rules.rolled.nothing
    if nothing.points and nothing.when != "after_set":
        only = ", first roll only" if nothing.when == "first_roll" else ""
        costs = " or costs points" if rules.rolled.fines else ""
        found.append((f"{_all(rules)} and nothing scores{costs}{only}", f"{nothing.points:,}"))
    return tuple(found)


MOST_SAID = 8
"""Sentences with which a game can be begun."""
MOST_PAID = 6
"""Combinations that are named then."""


@dataclass(frozen=True, slots=True)
class Minute:
    """As much of a rule sheet as it takes to begin: what can be read in a minute."""

    sentences: tuple[str, ...]
    rows: tuple[tuple[str, str], ...]
    """The combinations that bring the most points in a game, in the order of the sheet."""
    more: int
    """Combinations that are not among them."""


def in_a_minute(rules: Rules) -> Minute:
    """Return the sentences of the sheet that a player needs first, the combinations that bring most, and what is
    unusual.
    """
    said = [*_end(rules)[:1], *_turn(rules)[:2], _nothing(rules)]
    if rules.most_rolls != 1:
        said.append(_hot_dice(rules))
    bank = _bank(rules)
    parts = (_take_over(rules), _lives(rules), _penalties(rules), _catching_up(rules), _effects(rules))
    unusual = [part[0] for part in parts if part]
    said += [*bank[:1], *unusual, *bank[1:], *_table(rules)[:1]][: MOST_SAID - len(said)]
    every = rows(rules)
    most = sorted(range(len(every)), key=lambda place: -_brings(rules, every[place]))[:MOST_PAID]
    return Minute(tuple(said), tuple(_in_words(rules, every[place]) for place in sorted(most)), len(every) - len(most))


def _brings(rules: Rules, row: SheetRow) -> float:
    """Return how much the dice of a row bring, or cost, in one roll of all the dice: about, as it ranks rows only."""
    dice = len(row.form)
    chance = comb(rules.dice, dice) / float(len(FACES)) ** dice
    worths = ((ways(each), row.of(each)) for each in row.dice)
    return sum(chance * number * (worth.points + worth.costs + rules.target * worth.wins) for number, worth in worths)


def hint_rows(rules: Rules) -> tuple[tuple[str, str], ...]:
    """Return the hint card: up to three dice of each face with their points, also those that score nothing,
    and the rest.
    """
    nothing, few, sets = [], [], []
    for face in FACES:
        alike = [_of_a_kind(rules, face, dice) for dice in range(1, min(HINTED, rules.dice) + 1)]
        if all(points == NO_POINTS for row in alike[: HINTED - 1] for _, points in row):
            nothing.append((" or ".join(name for row in alike[: HINTED - 1] for name, _ in row), NO_POINTS))
        else:
            few += [one for row in alike[: HINTED - 1] for one in row]
        sets += [one for row in alike[HINTED - 1 :] for one in row]
    others = (_in_words(rules, row) for row in rows(rules) if len(row.form) > HINTED)
    return (*nothing, *few, *sets, *others)


NO_POINTS = "0"
"""Dice that score nothing on a hint card."""


def _of_a_kind(rules: Rules, face: int, dice: int) -> list[tuple[str, str]]:
    """Return what this many dice of a face pay, on a hint card."""
    found = rows_of(rules, (face,) * dice, moments(rules, dice))
    names = faces_text((face,) * dice, "-")
    return [
        (names + _when(rules, dice, row.moments), _paid(row) if row.worth != DiceWorth() else NO_POINTS)
        for row in found
    ]


def _in_words(rules: Rules, row: SheetRow) -> tuple[str, str]:
    """Return a row as people read it."""
    label = _label(row.form, rules.scoring.get(row.form)) + _when(rules, len(row.form), row.moments)
    if row.unnamed:
        label += ", unless its dice count otherwise"
    elif row.exceptions:
        label = f"any other {label}"
    return label, _paid(row)


def _when(rules: Rules, dice: int, at: Sequence[Moment]) -> str:
    """Return the rolls that something said of this many dice is about, to follow them; "" if they are all."""
    every = moments(rules, dice)
    others = [moment for moment in every if moment not in at]
    if not others:
        return ""
    first, all_dice = [FIRST_ROLL], [moment for moment in every if moment.all_dice]
    if list(at) in (first, all_dice):
        return f", {'first roll' if list(at) == first else _all(rules)} only"
    if others in (first, all_dice):
        return f", {'not in the first roll' if others == first else f'of fewer than {_number(rules.dice)} dice'}"
    said = {MOMENTS[0]: "in any other roll", MOMENTS[1]: f"in later rolls of {_all(rules)}", FIRST_ROLL: "first roll"}
    said[AFTER_SET] = f"only {AFTER}"
    return f", {' or '.join(said[moment] for moment in reversed(at))}"


AFTER = "after you kept three or more of a kind from one roll of the turn"


def _label(form: str, pays: Pays | None) -> str:
    """Return the name of a combination on the sheet."""
    pattern = pattern_of(form)
    if pays is not None and pays.name:
        return pays.name
    if pattern.dice == 1:
        return f"each {pattern.text}" if pattern.digits else "each die"
    if pattern.name.endswith("straight"):
        return f"{pattern.name} {faces_text(pattern.digits, '-')}"
    return re.sub(r"^(two|three) (pairs|triplets)$", r"\1 different \2", pattern.name)


def _paid(row: SheetRow) -> str:
    """Return the points of a row, as people say them."""
    worth, letters = row.worth, pattern_of(row.form).letters
    if worth.wins or worth.costs:
        return "wins" if worth.wins else f"costs {worth.costs:,}"
    if worth.ends:
        return ENDED[known(worth.ends, ENDED, "the sheet")]
    if not row.letter:
        return f"{worth.points:,}" if worth.points else "nothing"
    several = letters[LETTERS.index(row.letter)]
    higher = "higher " if letters.count(several) > 1 else ""
    which = {1: "die" if higher else "other die", 2: "pair"}.get(several, NUMBERS[several])
    return f"{worth.points:,} × the face{f' of the {higher}{which}' if len(letters) > 1 else ''}"


ENDED = {"farkle": "a farkle", "zero": "a farkle", "win": "wins", "lose": "loses", "again": "roll again"}
"""What stands for the points of dice of which nothing may be kept, by what a roll of them does."""


def _aim(rules: Rules) -> tuple[str, ...]:
    dice = f"with {_dice(rules.dice)}"
    if not rules.target:
        return (f"Have the most points after {_rounds(rules.rounds)}, {dice}.",)
    if rules.exact_hit == "round":
        return (f"Bank exactly {rules.target:,} points, {dice}, and stay there for a round.",)
    exactly = "exactly " if rules.exact else ""
    if rules.finish == "fewest_rounds":
        return (f"Reach {rules.target:,} points in the fewest rounds, {dice}.",)
    if rules.finish in ("last_turns", "equal_turns"):
        return (f"Reach {rules.target:,} points, {dice}, and finish with the highest score.",)
    return (f"Be the first to bank {exactly}{rules.target:,} points, {dice}.",)


def _turn(rules: Rules) -> tuple[str, ...]:
    every, once = _all(rules), rules.most_rolls == 1
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
    lines += ["Count the dice that you keep in the combinations that score most, each die once.", _nothing(rules)]
    if not once:
        lines.append(_hot_dice(rules))
    lines += [*_most_rolls(rules), *_hot_dice_pay(rules), *_effects(rules)]
    then = "roll all dice of that roll again" if rules.fallen == "again" else "you farkle"
    lines.append(f"If a die falls off the table or leans, {then}.")
    return tuple(lines)


def _most_rolls(rules: Rules) -> list[str]:
    """Return how many rolls a turn has at most, if it may have several."""
    most, entering = rules.most_rolls, rules.entry_rolls
    limit = "one roll" if entering == 1 else f"{_number(entering)} rolls"
    if most > 1:
        says = (
            f"Your turn has at most {_number(most)} rolls{f' ({limit} until you are on the board)' if entering else ''}"
        )
    elif entering:
        says = f"Until you are on the board, your turn has at most {limit}"
    else:
        return []
    return [f"{says}, those after hot dice included. After the last one, bank{_or_farkle(rules)}."]


def _hot_dice(rules: Rules) -> str:
    """Return what follows if all dice are kept, and rolls are left."""
    every, called = _all(rules), entry(rules.name).words.hot_dice
    again = {1: "it", 2: "both"}.get(rules.dice, "all of them")
    hot = f"{capital(called)} (hot dice)" if called else "Hot dice"
    all_kept = every.removesuffix(" dice")
    kept = f"once you have kept {all_kept}" if rules.next_roll == "rest" else f"if you keep {every} of one roll"
    ends = ["your roll must be banked"] if rules.rolled.banks else []
    limited = rules.most_rolls or rules.entry_rolls or rules.last_turns == "roll"
    ends += ["your turn has no roll left"] if limited else []
    unless = f"unless {_listed(ends)}" if ends else ""
    must_bank = f"you must bank{f' (if you may not bank yet, roll {again} again)' if _bank(rules) else ''}"
    if rules.most_hot_dice == 1:
        return f"{hot}: {kept}, {must_bank}."
    limit = f"; the {_nth(rules.most_hot_dice)} time in a turn {must_bank}" if rules.most_hot_dice else ""
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
        lines.append(f"For keeping {_all(rules)} you get {rules.hot_dice_bonus:,} points {where}.")
    return lines


def _or_farkle(rules: Rules) -> str:
    """Return what follows if a last roll may not be banked; "" if all may be."""
    return " (if you may not, you farkle)" if _bank(rules) else ""


def _roll_from(rules: Rules) -> str:
    """Return the turn total that another roll needs, as a sentence of its own; "" if any will do."""
    if not rules.roll_from:
        return ""
    unless = " (if you may not bank yet, keep rolling)" if _bank(rules) else ""
    return (
        f" You may roll again only with a turn total of at least {rules.roll_from:,}: with less you must bank{unless}."
    )


def _next(rules: Rules) -> str:
    """Return the dice rolled after a keep."""
    return "the remaining dice" if rules.next_roll == "rest" else f"{_all(rules)} again, also those you kept"


def _nothing(rules: Rules) -> str:
    """Return what follows if nothing in a roll scores."""
    nothing, called = rules.rolled.nothing, entry(rules.name).words.farkle
    farkle = f"it is {_a(called)} (a farkle)" if called else "you farkle"
    if rules.last_die_tries > 1:
        left = "" if rules.dice == 1 else "with one die left, "
        farkle += f" ({left}only once {_number(rules.last_die_tries)} tries to score with it have failed)"
    first = nothing.when == "first_roll"
    fresh = " that you start fresh" if rules.take_over.allowed else ""
    where = f"the first roll of a turn{fresh}" if first else f"a roll of {_all(rules)}"
    where += " if it costs nothing" if rules.rolled.fines else ""
    if nothing.idle or nothing.when == "after_set" or nothing.then == "zero":
        more = f" In {where}, you lose your whole banked score as well." if nothing.then == "zero" else ""
        return f"If nothing in a roll scores, {farkle}: your turn ends{_after_farkle(rules)}{more}"
    if nothing.points:
        then = f"then the dice are worth {nothing.points:,} points together, and you keep them all"
        then += ". Then bank and pass the dice, if you may bank" if nothing.then == "bank" else ""
    else:
        thens = {"win": "that wins the game", "lose": _out(rules), "again": "roll the same dice again"}
        then = thens[known(nothing.then, thens, "the sheet")]
    ends = f"{capital(_a(called or 'farkle'))} ends your turn{_after_farkle(rules)}"
    return f"If nothing in a roll scores, {farkle}, but not in {where}: {then}. {ends}"


def _out(rules: Rules) -> str:
    last = rules.lives.each and rules.lives.last_standing == "rounds"
    return f"you are out of the game{'' if last else ', and the last player left wins'}"


def _may_not_count(rules: Rules) -> bool:
    """Return whether some turn totals may not be banked, wherever the dice lie (F5)."""
    owing = any(pays.owes for pays in rules.scoring.values())
    return bool(rules.entry or rules.minimum or rules.bank_multiple or rules.beat_previous or rules.zones or owing)


def _after_farkle(rules: Rules) -> str:
    """Return what becomes of the turn total and the score, to follow "your turn ends"."""
    if rules.penalties.turn_total != "kept":
        return f" and you lose your turn total. Banked points stay yours{_but(rules)}."
    free = " and the farkle costs nothing" if rules.lives.each or any(rules.penalties.points) else ""
    if _may_not_count(rules):
        return f". If you could have banked your turn total before that roll, it is banked{free}; if not, you lose it."
    return f", but your turn total is banked{free}."


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
            name = _called(form, pays) + _names([(dice, "") for dice in others], _plainly)
            may.setdefault(pays.missing, []).append(name)
    return [
        f"A second chance: if a roll lacks {'one die' if dice == 1 else f'up to {_number(dice)} dice'} of a "
        "combination, you may set aside those that you have, though they score nothing yet, and roll the rest once. "
        f"Complete it, or you farkle. This goes for: {', '.join(names)}."
        for dice, names in may.items()
    ]


ROLLED = {
    "farkle": "a farkle, whatever else you rolled",
    "win": "you win the game at once",
    "zero": "a farkle, and you lose your whole banked score as well",
    "again": "keep nothing and roll the same dice again",
}
"""What a roll does, by its effect."""
COUNTS_FIRST = {
    "win": "you win",
    "lose": "you are out",
    "zero": "you lose your score",
    "farkle": "you farkle",
    "again": "you roll again",
}
"""What ends a roll, the strongest first."""


def _effects(rules: Rules) -> list[str]:
    """Return what rolls do, but for penalties."""
    lines, ends = [], set[str]()
    for form, effect in _patterns(rules):
        if effect.then == "bank":
            after = {"": "", "first_roll": ", the first of a turn,", "all_dice": f", one of {_all(rules)},"}
            after["after_set"] = f", one {AFTER},"
            unless = " If you may not bank yet, roll on." if _bank(rules) and rules.most_rolls != 1 else ""
            held = _held_but(rules, form, "bank")
            lines.append(f"After a roll with {held}{after[effect.when]} you must bank and pass the dice.{unless}")
        elif effect.then:
            ends.add(effect.then)
            then = _out(rules) if effect.then == "lose" else ROLLED[known(effect.then, ROLLED, "the sheet")]
            lines.append(f"{capital(_held_but(rules, form, 'ends'))} {_where(rules, effect)}: {then}.")
        if effect.points > 0:
            lines.append(
                f"{capital(_held_but(rules, form, 'points'))} {_where(rules, effect)}: {effect.points:,} points for "
                "your banked score immediately, whatever you keep."
            )
    if len(ends) > 1:
        order = ", ".join(says for end, says in COUNTS_FIRST.items() if end in ends)
        lines.append(f"If several of these are in one roll, the first of these counts: {order}.")
    return lines


def _patterns(rules: Rules) -> list[tuple[str, Effect]]:
    """Return the patterns of rolls that do something, with what they do."""
    return [
        (form, effect)
        for form, effect in rules.rolled.items()
        if form != NOTHING and not effect.idle and moments(rules, len(form))
    ]


def _where(rules: Rules, effect: Effect) -> str:
    """Return the rolls that an effect is of."""
    rolls = {"": "in one roll", "first_roll": "in one roll, the first of a turn"}
    rolls["all_dice"] = f"in one roll of {_all(rules)}"
    rolls["after_set"] = f"in one roll, {AFTER}"
    return rolls[effect.when]


def _held_but(rules: Rules, form: str, kind: str) -> str:
    """Return the dice that a roll must hold for an effect, and those that are exceptions."""

    def held(pattern: Pattern) -> str:
        return _held(pattern, rules.dice)

    others = [(dice, _when(rules, len(dice), at)) for dice, at in spared(rules, form, kind)]
    larger = [(pattern_of(other), _when_larger(rules, rules.rolled[other])) for other in outdone(rules, form, kind)]
    return held(pattern_of(form)) + _names(others, held, [held(pattern) + when for pattern, when in larger])


def _when_larger(rules: Rules, effect: Effect) -> str:
    return f", {_where(rules, effect).removeprefix('in one roll, ')}" if effect.when else ""


def _followed(rules: Rules) -> list[str]:
    """Return the demands of combinations, grouped by demand."""
    asked: dict[str, list[str]] = {}
    for form, pays in rules.scoring.items():
        if len(form) > rules.dice or not pays.scores:
            continue
        if pays.owes and rules.most_rolls == 1:
            says = "No roll follows, so you may not bank after: {}."
        elif pays.owes == 1:
            says = "Score in another roll before you bank after: {}."
        elif pays.owes:
            says = f"Keep {pays.confirm:,} more points in later rolls of the turn before you bank after: {{}}."
        elif pays.then == "bank":
            says = "Bank and pass the dice, if you may bank, after: {}."
        else:
            continue
        others = exempt(rules, form)
        counts = tuple(moment for moment in moments(rules, len(form)) if moment.counts(pays.when))
        if any((dice, counts) not in others for dice in pattern_of(form).rolls):
            exceptions = [(dice, _when(rules, len(dice), at) if at != counts else "") for dice, at in others]
            name = _called(form, pays) + _when(rules, len(form), counts) + _names(exceptions, _plainly)
            asked.setdefault(says, []).append(name)
    return [says.format(", ".join(names)) for says, names in asked.items()]


def _called(form: str, pays: Pays) -> str:
    return pays.name or pattern_of(form).name


def _plainly(pattern: Pattern) -> str:
    return pattern.name


def _names(dice: Sequence[tuple[Roll, str]], name: Callable[[Pattern], str], more: Sequence[str] = ()) -> str:
    """Return exceptions from a pattern, to follow its name; "" if there are none."""
    names = [*(name(pattern_of(faces_text(each))) + when for each, when in dice), *more]
    if len(names) > MOST_NAMED:
        return " (unless those dice count otherwise)"
    return f" (but not {_listed(names)})" if names else ""


def _listed(names: Sequence[str], word: str = "or") -> str:
    *before, last = names
    return f"{', '.join(before)} {word} {last}" if before else last


def _held(pattern: Pattern, dice: int) -> str:
    """Return a pattern as part of a roll that may hold more dice."""
    faces = len(set(pattern.digits)) + len(pattern.letters)
    if faces > 1 or pattern.text == "a":
        return pattern.name
    if dice == 1:
        return f"a {pattern.text}"
    number = f"{_number(pattern.dice)} or more" if pattern.dice < dice else _number(dice)
    return f"{number} {pattern.digits[0]}s" if pattern.digits else f"{number} of a kind"


def _but(rules: Rules) -> str:
    """Return what can take banked points, if anything can."""
    exceptions = ["a stake that you lose"] if rules.take_over.stake else []
    exceptions += ["the penalties below"] if _score_penalties(rules) else []
    exceptions += ["rolls that lose them"] if any(effect.then == "zero" for effect in rules.rolled.values()) else []
    return f", except for {_listed(exceptions, 'and')}" if exceptions else ""


def _bank(rules: Rules) -> tuple[str, ...]:
    lines = []
    exactly = rules.exact
    hit, unless = (", or to hit the target exactly", ", unless you hit the target exactly") if exactly else ("", "")
    rolled = "" if rules.take_over.toward_entry else ", not counting points that you take over"
    if rules.entry:
        each = " (in a team, each partner needs them)" if rules.entry_each and rules.team_size > 1 else ""
        needs = f"{rules.entry:,} points in one turn{each}{rolled}{hit}"
        until = "" if rules.entry_rolls == 1 else _until(rules)
        lines.append(f"To get on the board you need at least {needs}.{until}{_entry_again(rules)}")
    if rules.minimum:
        after = "After that you" if lines else "You"
        lines.append(f"{after} need at least {rules.minimum:,} points in a turn to bank{hit}.{_until(rules)}")
    if rules.bank_multiple:
        other = "" if rules.most_rolls == 1 else " With any other total, keep rolling."
        lines.append(f"You may bank only a multiple of {rules.bank_multiple:,} points{unless}.{other}")
    if rules.entry_by == "roll":
        lines.append(
            f"To get on the board, the dice you keep of one roll must be worth {rules.entry:,} by themselves{unless}."
        )
    elif rules.entry_by == "triple":
        lines.append(
            f"To get on the board, you also need a three of a kind or a larger combination in that turn{unless}."
        )
    if rules.beat_previous:
        nothing = f"{unless} or that player banked nothing" if unless else ", unless that player banked nothing"
        lines.append(f"You must bank more than the player before you has just banked{nothing}.")
    lines += _followed(rules)
    lines += [_zone(zone) for zone in read_zones(rules.zones)]
    if rules.bank_left == 0:
        lines.append("You may bank only when you have kept all the dice.")
    elif rules.bank_left < rules.dice - 1:
        lines.append(f"You may bank only with at most {_dice(rules.bank_left)} left.")
    if rules.least_rolls > 1:
        lines.append(f"You may bank only after at least {_number(rules.least_rolls)} rolls of your turn.")
    return tuple(lines)


def _entry_again(rules: Rules) -> str:
    """Return who has to make the entry score again, as a sentence of its own."""
    fallen = {"no": "", "at_zero": "zero or below", "below_entry": f"less than {rules.entry:,}"}[rules.entry_again]
    return (
        fallen and f" If your score has fallen to {fallen} when a turn ends, you are off the board and need them again."
    )


def _until(rules: Rules) -> str:
    return "" if rules.most_rolls == 1 else " Until then, keep rolling."


def _zone(zone: Zone) -> str:
    """Return the meaning of a zone, as people say it."""
    scores = f"anything from {zone.first:,} to {zone.last:,}" if zone.last > zone.first else f"{zone.first:,}"
    if zone.kind == "leave":
        return f"If your score is {scores}, you may bank only what brings it above {zone.last:,}."
    if zone.kind == "never":
        return f"You may not bank what would bring your score to {scores}."
    if zone.kind == "zero":
        return f"A bank that brings your score to {scores} sets it to zero."
    zero = f" The {_nth(zone.times)} time, your score is set to zero." if zone.times else ""
    tries = "one turn" if zone.tries == 1 else f"{_number(zone.tries)} turns"
    return (
        f"Barrel: a bank that brings your score to {scores} puts you at {zone.first:,}. From there, bank only what "
        f"brings you above {zone.last:,}. After {tries} without that you fall off and lose {zone.fine:,} points.{zero}"
    )


def _nth(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")


def _take_over(rules: Rules) -> tuple[str, ...]:
    take, called = rules.take_over, entry(rules.name).words.take_over
    if not take.allowed:
        return ()
    name = f"{capital(called)}: when" if called else "When"
    lines = [
        f"{name} the player before you banks, you may start fresh or take over: roll the dice that were not kept, "
        "however few."
    ]
    if take.points:
        lines.append(
            "If your first roll scores, the points just banked count for you as well, and you play on from there. The "
            "other player keeps them too. If it does not score, you farkle."
        )
    else:
        lines.append(
            "You take over only the dice: the points just banked do not count for you. If your first roll does not "
            "score, you farkle."
        )
    if take.bonus:
        lines.append(f"If your first roll scores, add a bonus of {take.bonus:,} points to your turn total.")
    who = [
        *(["on the board"] if take.on_board else []),
        *([f"with at least {take.from_score:,} banked points"] if take.from_score else []),
    ]
    if who:
        lines.append(f"Only players {' and '.join(who)} may take over.")
    lines.append(_price(rules))
    if take.choose_dice:
        unless = " (if you may not bank yet, roll all the dice)" if _bank(rules) else ""
        lines.append(
            "Choose how many of the dice to take over; you may not roll the others. If you keep every die you took "
            f"while others lie unused, you must bank{unless}. What you leave, with the unused dice, is on offer to the "
            "next player."
        )
    if rules.keep != "all":
        lines.append(
            "You may keep fewer dice than score before you bank: it changes what you leave to the next player."
        )
    lines += _turns_on_offer(rules)
    if (rules.entry or rules.minimum) and take.toward_entry:
        lines.append("Points that you take over count toward what you need to bank.")
    if rules.target and (rules.finish == "last_turns" or rules.exact_hit == "round"):
        lines.append("You may take over in a last turn too.")
    return tuple(lines)


def _price(rules: Rules) -> str:
    """Return what it costs to take over."""
    take = rules.take_over
    if take.costs_lives:
        return "Each die that you take over costs one life, paid before you roll. You must keep at least one life."
    if take.costs_points:
        return (
            f"To try, put up {take.stake:,} of your banked points: you get them back if your first roll scores. If it "
            "does not, they are lost, and nobody gets them."
        )
    return "It costs nothing."


def _turns_on_offer(rules: Rules) -> list[str]:
    """Return which turns leave something to take over."""
    take = rules.take_over
    hot = "If the player before you banked with all dice kept, there is nothing to take over."
    if take.heavy:
        hot = (
            f"Once a player has kept {_all(rules)} in a turn, nothing of that turn may be taken over, "
            "however many dice are left."
        )
    elif take.after_hot_dice:
        hot = "After banked hot dice you may take over with all the dice."
    farkle = "After a farkle you start fresh."
    if take.after_farkle:
        farkle = "A turn total lost in a farkle may be taken over too, with the dice that farkled."
    return [hot, farkle]


def _lives(rules: Rules) -> tuple[str, ...]:
    lives, words = rules.lives, entry(rules.name).words
    if not lives.each:
        return ()
    each = f"{lives.each} {'life' if lives.each == 1 else 'lives'}"
    costs = f"{capital(_a(farkle_word(rules.name)))} costs {_lives_text(lives.farkle)}"
    if lives.farkle_all_dice not in (0, lives.farkle):
        named = f", {_a(words.farkle_all_dice)}," if words.farkle_all_dice else ""
        costs += f", but one on {_all(rules)}{named} costs {_lives_text(lives.farkle_all_dice)}"
    lines = [f"Everyone starts with {each}. {costs}."]
    lines.append("Without a life you are out of the game.")
    if lives.last_standing == "wins":
        lines.append("The last player with a life wins.")
    else:
        lines.append(
            f"The last player with a life plays one more round for every {lives.round_points:,} points, or part of "
            f"them, short of {rules.target:,}. It is possible that nobody wins."
        )
    return tuple(lines)


def _penalties(rules: Rules) -> tuple[str, ...]:
    of_turns = _fined_rolls(rules) if rules.penalties.fines_from == "turn" else ()
    return (*of_turns, *_score_penalties(rules))


def _fined_rolls(rules: Rules) -> tuple[str, ...]:
    """Return the rolls that cost points, and where from."""
    banked = rules.penalties.fines_from == "score"
    of = "banked points immediately" if banked else "points of your turn total, or all of it if it is smaller"
    return tuple(
        f"{capital(_held_but(rules, form, 'points'))} {_where(rules, effect)}: you lose {-effect.points:,} {of}. Dice "
        "of these faces do not score then and may not be kept; if nothing else scores, you farkle."
        for form, effect in _patterns(rules)
        if effect.points < 0
    )


def _score_penalties(rules: Rules) -> tuple[str, ...]:
    """Return what costs banked points."""
    fines, called = rules.penalties, farkle_word(rules.name)
    lines = [*(_fined_rolls(rules) if fines.fines_from == "score" else ())]
    if fines.farkle:
        lines.append(f"Every {called} costs {_fine(fines.farkle)}.")
    if fines.farkles_in_row == 1:
        lines.append(f"Every {called} costs {_fine(fines.farkles_in_row_points)}.")
    elif fines.farkles_in_row:
        lines.append(
            f"{_number(fines.farkles_in_row).capitalize()} {several(called)} in a row cost "
            f"{_fine(fines.farkles_in_row_points)}; then the count starts again."
        )
    if fines.farkle_all_dice:
        lines.append(f"{capital(_a(called))} on {_all(rules)} costs {_fine(fines.farkle_all_dice)}.")
    if fines.farkle_first_roll:
        lines.append(f"{capital(_a(called))} on the first roll of a turn costs {_fine(fines.farkle_first_roll)}.")
    if fines.not_beaten:
        lines.append(
            f"If you {called if called == 'farkle' else f'roll {_a(called)}'} when you have to beat the player before "
            f"you, it costs {_fine(fines.not_beaten)}."
        )
    if fines.turn_total == "subtracted":
        lines.append("If you farkle, your turn total is also subtracted from your score.")
    if sum(map(bool, fines.points)) + (fines.turn_total == "subtracted") > 1:
        most = ", but no more than your whole score" if "all" in fines.points else ""
        lines.append(f"If several of these apply to one farkle, you pay all of them{most}.")
    if rules.catching_up.overtaken:
        lines.append(
            f"If you bank and pass players who were ahead of you, each of them loses {rules.catching_up.overtaken:,} "
            "points."
        )
    if lines:
        lines.append(f"A score {'may' if fines.below_zero else 'cannot'} fall below zero.")
    return tuple(lines)


def _fine(points: int | str) -> str:
    """Return the cost of a penalty."""
    return "your whole score" if points == "all" else f"{points:,} banked points"


def _catching_up(rules: Rules) -> tuple[str, ...]:
    sent = {
        "stays": "",
        "to_zero": "that player falls to zero.",
        "back": "that player goes back to the score before their last bank.",
        "swap": "that player falls to the score that you had before.",
    }[rules.catching_up.landed_on]
    return (f"If your bank makes your score exactly equal to another player's, {sent}",) if sent else ()


def _table(rules: Rules) -> tuple[str, ...]:
    start = {
        "first_seat": "The first player starts.",
        "highest_die": "Everyone rolls one die; the highest starts. Ties roll again.",
        "first_six": "Roll one die in turn; the first to roll a 6 starts.",
        "lowest_die": "Everyone rolls one die; the lowest starts. Ties roll again.",
        "highest_total": f"Everyone rolls {_all(rules)}; the highest total starts. Ties roll again.",
        "youngest": "The youngest player starts.",
        "oldest": "The oldest player starts.",
        "chosen": "Choose among yourselves who starts.",
    }[rules.start]
    lines = [start, _passing(rules)]
    size = f"up to {_number(rules.team_size)} people" if rules.team_size < MOST_PEOPLE else "several people"
    if rules.team_size > 1 and rules.teams == "together":
        lines.append(f"Instead of one player, a team of {size} may play and decide together.")
    elif rules.team_size > 1:
        lines.append(f"Instead of one player, a team of {size} may play: partners share one score and alternate turns.")
    if rules.most_seats == 1:
        lines.append("You play alone.")
    elif rules.most_seats < MOST_SEATS:
        teams = " or teams" if rules.team_size > 1 else ""
        lines.append(f"At most {_number(rules.most_seats)} players{teams} take part.")
    return tuple(lines)


def _passing(rules: Rules) -> str:
    """Return when the dice pass on, and what else follows from turns in a row."""
    if rules.turns_in_row == 1:
        return "The dice pass to the left."
    said = f"Everyone takes {_number(rules.turns_in_row)} turns in a row, then the dice pass to the left."
    if rules.take_over.allowed:
        said += " You may take over only in the first of them, and only the last one leaves anything to take over."
    if rules.target and rules.finish in ("last_turns", "fewest_rounds"):
        said += f" A bank that reaches {rules.target:,} ends your row of turns."
    return said


def _end(rules: Rules) -> tuple[str, ...]:
    target = f"{rules.target:,}"
    offers = rules.take_over.allowed
    over = f"A bank that would go over adds nothing{' and leaves nothing to take over' if offers else ''}"
    over += ", and does not put you on the board" if rules.entry else ""
    lines = []
    if rules.target:
        lines.append(
            {
                "at_once": f"The first to bank {target} or more wins immediately.",
                "last_turns": _last_turns(rules),
                "equal_turns": f"When someone has banked {target} or more, the round is finished. The highest score "
                f"wins; {_first_of_ties(rules)}.",
                "fewest_rounds": f"When someone has banked {target} or more, the round is finished. Everyone who has "
                "reached it by then wins; if there are several, they share the win.",
                "exact": f"{_hit(rules)} {_missed(rules) or over}.",
                "welfare": f"Whoever banks exactly {target} wins immediately. {over}, and what goes over is given to "
                "the lowest other score, unless that score would go over as well.",
            }[rules.finish]
        )
    if rules.cancel_win:
        lines.append(
            f"If the bank that hits {target} leaves dice, the next player rolls them once before you have won. If any "
            "of them scores, your bank does not count, and that player's own turn begins."
        )
    if rules.hot_dice_to_win:
        lines.append(
            f"Only a turn with hot dice may reach {target}: until you have kept all the dice once in the turn, keep "
            "rolling."
        )
    if rules.rounds:
        after = f"After {_rounds(rules.rounds)}" + (" without that" if rules.target else "")
        lines.append(f"{after} the highest score wins; {_ties(rules)}.")
    return tuple(lines)


def _hit(rules: Rules) -> str:
    """Return what follows if the target is hit exactly."""
    if rules.exact_hit == "wins":
        return f"Whoever banks exactly {rules.target:,} wins immediately."
    return (
        f"When someone has banked exactly {rules.target:,}, {_others(rules)} has one more turn. Whoever hits it in "
        "that turn knocks out the player who stands there, who falls back to the score before that hit. After these "
        f"turns the player at {rules.target:,} wins."
    )


def _last(rules: Rules) -> str:
    return "one last turn" if rules.turns_in_row == 1 else f"{_number(rules.turns_in_row)} last turns"


def _others(rules: Rules) -> str:
    return "every other player or team" if rules.team_size > 1 else "every other player"


def _missed(rules: Rules) -> str:
    """Return what becomes of a missed target, if it moves on."""
    if not rules.missed_target:
        return ""
    return (
        f"Once a bank goes over {rules.target:,}, it counts, and everyone has to bank exactly {rules.missed_target:,} "
        "instead; a bank that would go over that adds nothing"
    )


def first_entered(rules: Rules) -> str:
    """Return the player to enter first when a game is set up, in a sentence; "" if that does not matter (F21)."""
    who = {"youngest": "The youngest player", "oldest": "The oldest player", "chosen": "The player you choose"}
    return f"{who[rules.start]} starts: enter that player first." if rules.start in who else ""


def _last_turns(rules: Rules) -> str:
    other = _others(rules)
    start = f"When someone has banked {rules.target:,} or more, {other} has {_last(rules)}"
    start += " of a single roll" if rules.last_turns == "roll" else ""
    return {
        "no": f"{start}. The highest score wins; {FIRST_WINS}.",
        "passed": f"{start} to pass that score. A leader who is passed has another turn; whoever fails to pass the "
        f"leader has no more turns. When nobody has a turn left, the highest score wins; {FIRST_WINS}.",
        "beaten": f"{start}. Whenever the leading score is beaten, {other} has another turn. When "
        f"all of these are played, the highest score wins; {FIRST_WINS}.",
        "tied": f"{start}. Whenever the leading score is beaten or tied, {other} has another turn. "
        f"When all of these are played, the highest score wins; {_ties(rules)}.",
    }[rules.last_turns_again]


def _ties(rules: Rules) -> str:
    """Return what becomes of equal highest scores, if nobody was the first to reach the target."""
    if rules.ties == "play_off":
        return "players with equal scores have one more turn each, until one of them is ahead"
    return "equal scores share the win"


def _first_of_ties(rules: Rules) -> str:
    """Return what becomes of equal highest scores once the target is reached."""
    return FIRST_WINS if rules.ties == "first" else _ties(rules)


FIRST_WINS = "ties go to the player who got there first"


def _rounds(rounds: int) -> str:
    return f"{rounds} {'round' if rounds == 1 else 'rounds'}"


def _lives_text(lives: int) -> str:
    return {0: "no life", 1: "one life"}.get(lives, f"{_number(lives)} lives")


def _all(rules: Rules) -> str:
    """Return all the dice of a turn, in words."""
    return {1: "the die", 2: "both dice"}.get(rules.dice, f"all {_number(rules.dice)} dice")


def _dice(dice: int) -> str:
    return f"{_number(dice)} {'die' if dice == 1 else 'dice'}"


def _a(noun: str) -> str:
    """Return the noun with its article."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def _number(number: int) -> str:
    return "zero" if number == 0 else NUMBERS[number] if number < len(NUMBERS) else str(number)
