"""A rule sheet made from the rules: something to read aloud at the table, never written by hand beside them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from farkel.bounds import MOST_SEATS
from farkel.dice import FACES, faces_text
from farkel.rules.entries import entry
from farkel.rules.model import Rules, may_keep
from farkel.rules.notation import variations
from farkel.rules.patterns import LETTERS, NUMBERS, Pattern, pattern_of
from farkel.rules.tables import NOTHING, Effect, Pays, Scoring
from farkel.rules.zones import Zone, read_zones

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


def sheet(rules: Rules) -> Sheet:
    """Return the rule sheet of the rules."""
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
        Section("Who starts, and teams", _table(rules)),
        Section("The end", _end(rules)),
        Section("Variations", _variations(rules)),
    )
    kept = tuple(section for section in sections if section.sentences or section.rows)
    return Sheet(" ".join(rules.title.split()) or rules.name, str(rules), rules.source, kept)


def _variations(rules: Rules) -> tuple[str, ...]:
    """Return the variations of a catalogue set, as they are asked for by name; none of rules that differ from it."""
    if str(rules) != rules.name:
        return ()
    return tuple(f"{rules.name}:{variation.name} - {variation.about}." for variation in variations(rules.name))


def scoring_rows(rules: Rules) -> tuple[tuple[str, str], ...]:
    """Return the scoring table: combinations and their points."""
    rows = []
    for form, pays in rules.scoring.items():
        pattern = pattern_of(form)
        if pattern.dice <= rules.dice and any(may_keep(rules, dice) for dice in pattern.rolls):
            singles = _as_singles(rules.scoring, pattern)
            others = "any other " if singles or _has_exceptions(rules.scoring, pattern, pays) else ""
            label = others + _label(pattern, pays) + _only(rules, pays.when)
            rows += [*singles, (label, _paid(rules.scoring, pattern, pays))]
    nothing = rules.rolled.nothing
    if nothing.points:
        only = _only(rules, nothing.when if nothing.when == "first_roll" else "")
        rows.append((f"{_all(rules)} and nothing scores{only}", f"{nothing.points:,}"))
    return tuple(rows)


def _only(rules: Rules, when: str) -> str:
    """Return the rolls that an entry of a table is for, in a few words."""
    only = {"first_roll": "first roll only", "all_dice": f"{_all(rules)} only"}
    only["after_set"] = "only after you kept three or more of a kind from one roll of the turn"
    return f", {only[when]}" if when else ""


def hint_rows(rules: Rules) -> tuple[tuple[str, str], ...]:
    """Return the hint card: up to three dice of each face with their points, also those that score nothing,
    and the rest.
    """
    worth = rules.scoring.worth
    nothing, rows, sets = [], [], []
    for face in FACES:
        one, three = worth((face,)), max(worth((face,) * 3), 3 * worth((face,)))
        if one:
            rows += [(faces_text((face,) * dice, "-"), f"{dice * one:,}") for dice in (1, 2)]
        else:
            nothing.append((f"{face} or {face}-{face}", "0"))
        sets.append((faces_text((face,) * 3, "-"), f"{three:,}"))
    others = [
        (_label(pattern_of(form), pays), _paid(rules.scoring, pattern_of(form), pays))
        for form, pays in rules.scoring.items()
        if len(form) > HINTED and len(form) <= rules.dice
    ]
    return (*nothing, *rows, *sets, *others)


def _label(pattern: Pattern, pays: Pays) -> str:
    """Return the name of a combination on the sheet."""
    if pays.name:
        return pays.name
    if pattern.dice == 1:
        return f"each {pattern.text}" if pattern.digits else "each die"
    if pattern.name.endswith("straight"):
        return f"{pattern.name} {faces_text(pattern.digits, '-')}"
    return re.sub(r"^(two|three) (pairs|triplets)$", r"\1 different \2", pattern.name)


def _has_exceptions(scoring: Scoring, pattern: Pattern, pays: Pays) -> bool:
    """Return whether some face pays something else for this many of a kind."""
    alike = len(pattern.letters) == 1 and not pattern.digits and not pays.name
    return alike and any(str(face) * pattern.dice in scoring for face in FACES)


def _paid(scoring: Scoring, pattern: Pattern, pays: Pays) -> str:
    """Return the points of a combination, as people say them."""
    if pays.then == "win":
        return "wins"
    if not pays.letter:
        singles = sum(scoring.worth((face,)) for face in pattern.digits) if len(set(pattern.digits)) == 1 else 0
        points = max(pays.points, singles if not pattern.letters else 0)
        return f"{points:,}" if points else "nothing"
    several = pattern.letters[LETTERS.index(pays.letter)]
    higher = "higher " if pattern.letters.count(several) > 1 else ""
    which = {1: "die" if higher else "other die", 2: "pair"}.get(several, NUMBERS[several])
    return f"{pays.points:,} × the face{f' of the {higher}{which}' if len(pattern.letters) > 1 else ''}"


def _as_singles(scoring: Scoring, pattern: Pattern) -> list[tuple[str, str]]:
    """Return dice of one face that are worth more one by one than a pattern that is for any face pays (C3)."""
    if pattern.digits or len(pattern.letters) != 1 or pattern.dice == 1:
        return []
    worth = {(face,) * pattern.dice: pattern.dice * scoring.worth((face,)) for face in FACES}
    more = {dice: points for dice, points in worth.items() if points > scoring.worth(dice)}
    return [
        (pattern_of(faces_text(dice)).name, f"{points:,}")
        for dice, points in more.items()
        if scoring.worth(dice) and faces_text(dice) not in scoring
    ]


def _aim(rules: Rules) -> tuple[str, ...]:
    dice = f"with {_dice(rules.dice)}"
    if not rules.target:
        return (f"Have the most points after {_rounds(rules.rounds)}, {dice}.",)
    exactly = "exactly " if rules.finish in ("exact", "welfare") else ""
    if rules.finish == "fewest_rounds":
        return (f"Reach {rules.target:,} points in the fewest rounds, {dice}.",)
    if rules.finish in ("last_turns", "equal_turns"):
        return (f"Reach {rules.target:,} points, {dice}, and finish with the highest score.",)
    return (f"Be the first to bank {exactly}{rules.target:,} points, {dice}.",)


def _turn(rules: Rules) -> tuple[str, ...]:
    every, words = _all(rules), entry(rules.name).words
    again = {1: "it", 2: "both"}.get(rules.dice, "all of them")
    nothing = f"it is {_a(words.farkle)} (a farkle)" if words.farkle else "you farkle"
    hot = f"{_capital(words.hot_dice)} (hot dice)" if words.hot_dice else "Hot dice"
    lines = [
        f"Roll {every}. After each roll, keep at least one scoring die or combination: set it aside. You choose which."
        if rules.keep != "all"
        else f"Roll {every}. After each roll you must keep every die that scores: set them all aside.",
        f"Then roll {'it again' if rules.dice == 1 else _next(rules)}, or bank: end your turn and add your "
        "turn total to your score.",
        f"A combination counts only within one roll: dice kept earlier never join a later one{_but_sets(rules)}.",
        *_completed(rules),
        f"If nothing in a roll scores, {nothing}: your turn ends{_after_farkle(rules)}",
    ]
    if rules.keep == "all_to_win":
        lines.append(f"To reach {rules.target:,} you must keep every die that scores in your last roll.")
    if rules.last_die_tries > 1:
        lines.append(
            f"With one die left, you have {_number(rules.last_die_tries)} tries to score with it: you farkle only if "
            "all of them fail."
        )
    all_kept = every.removesuffix(" dice")
    if rules.hot_dice == "forced":
        unless = " unless your roll must be banked" if rules.rolled.banks else ""
        lines.append(f"{hot}: once you have kept {all_kept}, you can't bank{unless}. Roll {again} again.")
    else:
        lines.append(f"{hot}: once you have kept {all_kept}, you may roll {again} again and add to your turn total.")
    if rules.most_rolls:
        rolls = "one roll" if rules.most_rolls == 1 else f"{_number(rules.most_rolls)} rolls"
        lines.append(
            f"Your turn has at most {rolls}, those after hot dice included. After the last one, bank; if you may not, "
            "you farkle."
        )
    if rules.hot_dice_multiplier:
        lines.append(
            "After hot dice points count twice for the rest of the turn, after the next hot dice three times, and so "
            "on."
        )
    if rules.hot_dice_bonus:
        where = {
            "turn": "more for your turn total",
            "score": "for your banked score immediately; no farkle takes them away",
        }[rules.hot_dice_bonus_to]
        lines.append(f"For keeping {every} you get {rules.hot_dice_bonus:,} points {where}.")
    for rolled, where, effect in _effects(rules):
        unless = " If you may not bank yet, roll on." if _may_have_to_roll(rules) else ""
        shown = f"{_capital(rolled)} {where}"
        if effect.then == "bank":
            lines.append(f"After a roll with {rolled}{where[11:]} you must bank and pass the dice.{unless}")
        elif effect.then or not effect.points:
            lines.append(f"{shown}: {ROLLED[effect.then]}")
        if effect.points > 0:
            lines.append(f"{shown}: {effect.points:,} points for your banked score immediately, whatever you keep.")
    then = "roll all dice of that roll again" if rules.fallen == "again" else "you farkle"
    lines.append(f"If a die falls off the table or leans, {then}.")
    return tuple(lines)


def _next(rules: Rules) -> str:
    """Return the dice rolled after a keep."""
    return "the remaining dice" if rules.next_roll == "rest" else f"{_all(rules)} again, also those you kept"


def _may_have_to_roll(rules: Rules) -> bool:
    """Return whether a player may be kept from banking with something to keep (D3)."""
    return bool(
        rules.entry or rules.minimum or rules.bank_multiple or any(pays.owes for pays in rules.scoring.values())
    )


def _after_farkle(rules: Rules) -> str:
    """Return what becomes of the turn total and the score, to follow "your turn ends"."""
    if rules.penalties.turn_total != "kept":
        return f" and you lose your turn total. Banked points stay yours{_but(rules)}."
    if _may_have_to_roll(rules):
        return ". If you could have banked your turn total before that roll, it is banked; if not, you lose it."
    return ", but your turn total is banked."


def _but_sets(rules: Rules) -> str:
    """Return how later dice extend sets."""
    if rules.extend == "no":
        return ""
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


ROLLED = {
    "farkle": "a farkle, whatever else you rolled.",
    "win": "you win the game at once.",
    "lose": "you are out of the game. The last player left wins.",
    "zero": "a farkle, and you lose your whole banked score as well.",
    "again": "keep nothing and roll the same dice again.",
    "": "an exception, which does nothing special.",
}
"""The sentence for a roll, by its effect."""


def _effects(rules: Rules) -> list[tuple[str, str, Effect]]:
    """Return what rolls do, each with the dice in words that a roll must hold, and in which rolls."""
    rolls = {"": "in one roll", "first_roll": "in one roll, the first of a turn"}
    rolls["all_dice"] = f"in one roll of {_all(rules)}"
    rolls["after_set"] = "in one roll, after you kept three or more of a kind from one roll of the turn"
    found = [
        (_held(pattern_of(form), rules.dice), rolls[effect.when], effect)
        for form, effect in rules.rolled.items()
        if form != NOTHING
    ]
    nothing = rules.rolled.nothing
    if nothing.then:
        rolled = f"{_all(rules)}, of which none scores,"
        found.append((rolled, rolls[nothing.when], Effect(then=nothing.then)))
    return found


def _followed(rules: Rules) -> list[str]:
    """Return the demands of combinations, grouped by demand."""
    asked: dict[str, list[str]] = {}
    for form, pays in rules.scoring.items():
        pattern = pattern_of(form)
        if pattern.dice > rules.dice or not pays.scores:
            continue
        if pays.owes == 1:
            says = "Score in another roll before you bank after: {}."
        elif pays.owes:
            says = f"Keep {pays.confirm:,} more points in later rolls of the turn before you bank after: {{}}."
        elif pays.then == "bank":
            says = "Bank and pass the dice, if you may bank, after: {}."
        else:
            continue
        asked.setdefault(says, []).append(pays.name or pattern.name)
    return [says.format(", ".join(names)) for says, names in asked.items()]


def _completed(rules: Rules) -> list[str]:
    """Return which combinations the next roll may complete, those that may lack as many dice together."""
    may: dict[int, list[str]] = {}
    for form, pays in rules.scoring.items():
        if pays.missing and pattern_of(form).dice <= rules.dice:
            may.setdefault(pays.missing, []).append(pays.name or pattern_of(form).name)
    return [
        f"A second chance: if a roll lacks {'one die' if dice == 1 else f'up to {_number(dice)} dice'} of a "
        "combination, you may set aside those that you have, though they score nothing yet, and roll the rest once. "
        f"Complete it, or you farkle. This goes for: {', '.join(names)}."
        for dice, names in may.items()
    ]


def _held(pattern: Pattern, dice: int) -> str:
    """Return a pattern as part of a roll that may hold more dice."""
    faces = len(set(pattern.digits)) + len(pattern.letters)
    if faces > 1 or pattern.dice == 1:
        return pattern.name
    number = f"{_number(pattern.dice)} or more" if pattern.dice < dice else _number(dice)
    return f"{number} {pattern.digits[0]}s" if pattern.digits else f"{number} of a kind"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _but(rules: Rules) -> str:
    """Return what can take banked points, if anything can."""
    exceptions = ["a stake that you lose"] if rules.take_over.stake else []
    exceptions += ["the penalties below"] if _penalties(rules) else []
    exceptions += ["rolls that lose them"] if any(effect.then == "zero" for effect in rules.rolled.values()) else []
    *before, last = exceptions or [""]
    return f", except for {', '.join(before)}{' and ' if before else ''}{last}" if exceptions else ""


def _bank(rules: Rules) -> tuple[str, ...]:
    lines = []
    if rules.entry:
        who = "each partner needs" if rules.entry_each else "you need"
        lines.append(
            f"To get on the board {who} at least {rules.entry:,} points in one turn. Until then, keep rolling."
        )
    if rules.minimum:
        after = "After that you" if lines else "You"
        lines.append(f"{after} need at least {rules.minimum:,} points in a turn to bank. Until then, keep rolling.")
    if rules.bank_multiple:
        lines.append(
            f"You may bank only a multiple of {rules.bank_multiple:,} points. With any other total, keep rolling."
        )
    if rules.entry_by == "roll":
        lines.append(f"To get on the board, the dice you keep of one roll must be worth {rules.entry:,} by themselves.")
    elif rules.entry_by == "triple":
        lines.append("To get on the board, you also need a three of a kind or a larger combination in that turn.")
    if rules.beat_previous:
        lines.append(
            "You must bank more than the player before you has just banked, unless that player banked nothing."
        )
    lines += _followed(rules)
    if lines and rules.finish in ("exact", "welfare"):
        but = ", but not with hot dice" if rules.hot_dice == "forced" else ""
        lines.append(f"You may always bank what hits the target exactly{but}.")
    lines += [_zone(zone) for zone in read_zones(rules.zones)]
    if rules.bank_left == 0:
        lines.append("You may bank only when you have kept all the dice.")
    elif rules.bank_left < rules.dice - 1:
        lines.append(f"You may bank only with at most {_dice(rules.bank_left)} left.")
    if rules.least_rolls > 1:
        lines.append(f"You may bank only after at least {_number(rules.least_rolls)} rolls of your turn.")
    return tuple(lines)


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
    if take.price == "none":
        return ()
    name = f"{_capital(called)}: when" if called else "When"
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
    if not take.toward_entry:
        lines.append("Only points that you roll yourself count toward what you need to get on the board.")
    if take.price == "lives":
        lines.append(
            "Each die that you take over costs one life, paid before you roll. You must keep at least one life."
        )
    elif take.price == "stake":
        lines.append(
            f"To try, put up {take.stake:,} of your banked points: you get them back if your first roll scores. If it "
            "does not, they are lost, and nobody gets them."
        )
    else:
        lines.append("It costs nothing.")
    if take.choose_dice:
        unless = " (if you may not bank yet, roll all the dice)" if rules.entry or rules.minimum else ""
        lines.append(
            "Choose how many of the dice to take over; you may not roll the others. If you keep every die you took "
            f"while others lie unused, you must bank{unless}. What you leave, with the unused dice, is on offer to the "
            "next player."
        )
    lines.append("You may keep fewer dice than score before you bank: it changes what you leave to the next player.")
    if take.heavy:
        lines.append(
            f"Once a player has kept {_all(rules)} in a turn, nothing of that turn may be taken over, "
            "however many dice are left."
        )
    elif take.after_hot_dice:
        lines.append("After banked hot dice you may take over with all the dice.")
    else:
        lines.append("If the player before you banked with all dice kept, there is nothing to take over.")
    if take.after_farkle:
        lines.append("A turn total lost in a farkle may be taken over too, with the dice that farkled.")
    else:
        lines.append("After a farkle you start fresh.")
    if (rules.entry or rules.minimum) and take.toward_entry:
        lines.append("Points that you take over count toward what you need to bank.")
    if rules.target and rules.finish == "last_turns":
        lines.append("You may take over in a last turn too.")
    return tuple(lines)


def _lives(rules: Rules) -> tuple[str, ...]:
    lives, words = rules.lives, entry(rules.name).words
    if not lives.each:
        return ()
    each = f"{lives.each} {'life' if lives.each == 1 else 'lives'}"
    lines = [f"Everyone starts with {each}. A {words.farkle or 'farkle'} costs {_lives_text(lives.farkle)}."]
    if lives.farkle_all_dice not in (0, lives.farkle):
        named = f", {_a(words.farkle_all_dice)}," if words.farkle_all_dice else ""
        lines.append(f"A farkle on {_all(rules)}{named} costs {_lives_text(lives.farkle_all_dice)}.")
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
    fines, lines = rules.penalties, []
    called = entry(rules.name).words.farkle or "farkle"
    for rolled, where, effect in _effects(rules):
        if effect.points < 0:
            lines.append(
                f"{_capital(rolled)} {where} cost {-effect.points:,} of your banked points immediately; dice of "
                "these faces do not score then and may not be kept."
            )
    if fines.farkle:
        lines.append(f"Every {called} costs {_fine(fines.farkle)}.")
    if fines.farkles_in_row == 1:
        lines.append(f"Every {called} costs {_fine(fines.farkles_in_row_points)}.")
    elif fines.farkles_in_row:
        lines.append(
            f"{_number(fines.farkles_in_row).capitalize()} {_several(called)} in a row cost "
            f"{_fine(fines.farkles_in_row_points)}; then the count starts again."
        )
    if fines.farkle_all_dice:
        lines.append(f"{_capital(_a(called))} on {_all(rules)} costs {_fine(fines.farkle_all_dice)}.")
    if fines.farkle_first_roll:
        lines.append(f"{_capital(_a(called))} on the first roll of a turn costs {_fine(fines.farkle_first_roll)}.")
    if fines.not_beaten:
        lines.append(
            f"If you {called if called == 'farkle' else f'roll {_a(called)}'} when you have to beat the player before "
            f"you, it costs {_fine(fines.not_beaten)}."
        )
    if fines.turn_total == "subtracted":
        lines.append("If you farkle, your turn total is also subtracted from your score.")
    if sum(map(bool, fines.points)) + (fines.turn_total == "subtracted") > 1:
        lines.append("If several of these apply to one farkle, you pay all of them.")
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
    }[rules.catching_up.landed_on]
    return (f"If your bank makes your score exactly equal to another player's, {sent}",) if sent else ()


def _table(rules: Rules) -> tuple[str, ...]:
    start = {
        "first_seat": "The first player starts.",
        "highest_die": "Everyone rolls one die; the highest starts. Ties roll again.",
        "first_six": "Roll one die in turn; the first to roll a 6 starts.",
        "lowest_die": "Everyone rolls one die; the lowest starts. Ties roll again.",
        "youngest": "The youngest player starts.",
        "oldest": "The oldest player starts.",
        "chosen": "Choose among yourselves who starts.",
    }[rules.start]
    lines = [start, "The dice pass to the left."]
    size = f"up to {_number(rules.team_size)} people" if rules.team_size < MOST_PEOPLE else "several people"
    if rules.team_size > 1 and rules.teams == "together":
        lines.append(f"Instead of one player, a team of {size} may play and decide together.")
    elif rules.team_size > 1:
        lines.append(f"Instead of one player, a team of {size} may play: partners share one score and alternate turns.")
    if rules.most_seats < MOST_SEATS:
        lines.append(f"At most {_number(rules.most_seats)} players or teams take part.")
    return tuple(lines)


def _end(rules: Rules) -> tuple[str, ...]:
    target = f"{rules.target:,}"
    offers = rules.take_over.price != "none"
    over = f"A bank that would go over adds nothing{' and leaves nothing to take over' if offers else ''}"
    over += ", and does not put you on the board" if rules.entry else ""
    lines = []
    if rules.target:
        lines.append(
            {
                "at_once": f"The first to bank {target} or more wins immediately.",
                "last_turns": _last_turns(rules),
                "equal_turns": f"When someone has banked {target} or more, the round is finished. The highest score "
                f"wins; {_ties(rules)}.",
                "fewest_rounds": f"When someone has banked {target} or more, the round is finished. Everyone who has "
                "reached it by then wins; if there are several, they share the win.",
                "exact": f"Whoever banks exactly {target} wins immediately. {_missed(rules) or over}.",
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
    start = f"When someone has banked {rules.target:,} or more, every other player or team has one last turn"
    start += " of a single roll" if rules.last_turns == "roll" else ""
    first = "ties go to the player who got there first"
    return {
        "no": f"{start}. The highest score wins; {first}.",
        "passed": f"{start} to pass that score. A leader who is passed has another turn; whoever fails to pass the "
        f"leader has no more turns. When nobody has a turn left, the highest score wins; {first}.",
        "beaten": f"{start}. Whenever the leading score is beaten, every other player or team has another turn. When "
        f"all of these are played, the highest score wins; {first}.",
        "tied": f"{start}. Whenever the leading score is beaten or tied, every other player or team has another turn. "
        f"When all of these are played, the highest score wins; {_ties(rules)}.",
    }[rules.last_turns_again]


def _ties(rules: Rules) -> str:
    """Return what becomes of equal highest scores."""
    if rules.ties == "shared":
        return "equal scores share the win"
    return "players with equal scores have one more turn each, until one of them is ahead"


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


def _several(noun: str) -> str:
    """Return the noun in the plural."""
    return noun + ("es" if noun.endswith(("ch", "s", "sh", "x")) else "s")


def _number(number: int) -> str:
    return "zero" if number == 0 else NUMBERS[number] if number < len(NUMBERS) else str(number)
