"""The sentences about what may be banked: entry, minimum, demands of combinations, zones."""

from __future__ import annotations

from farkel.rules.model import Rules
from farkel.rules.patterns import pattern_of
from farkel.rules.sheets.pattern_words import but_not, combination_name, which_rolls
from farkel.rules.sheets.phrases import nth, number_word, some_dice
from farkel.rules.sheets.rows import exempt, moments
from farkel.rules.zones import Zone, read_zones


def when_to_bank(rules: Rules) -> tuple[str, ...]:
    """Return the sentences below ``When you may bank``."""
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
        lines.append(f"You may bank only with at most {some_dice(rules.bank_left)} left.")
    if rules.least_rolls > 1:
        lines.append(f"You may bank only after at least {number_word(rules.least_rolls)} rolls of your turn.")
    return tuple(lines)


def _entry_again(rules: Rules) -> str:
    """Return who has to make the entry score again, as a sentence of its own."""
    fallen = {"no": "", "at_zero": "zero or below", "below_entry": f"less than {rules.entry:,}"}[rules.entry_again]
    return (
        fallen and f" If your score has fallen to {fallen} when a turn ends, you are off the board and need them again."
    )


def _until(rules: Rules) -> str:
    return "" if rules.most_rolls == 1 else " Until then, keep rolling."


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
            exceptions = [(dice, which_rolls(rules, len(dice), at) if at != counts else "") for dice, at in others]
            name = combination_name(form, pays) + which_rolls(rules, len(form), counts) + but_not(exceptions)
            asked.setdefault(says, []).append(name)
    return [says.format(", ".join(names)) for says, names in asked.items()]


def _zone(zone: Zone) -> str:
    """Return the meaning of a zone, as people say it."""
    scores = f"anything from {zone.first:,} to {zone.last:,}" if zone.last > zone.first else f"{zone.first:,}"
    if zone.kind == "leave":
        return f"If your score is {scores}, you may bank only what brings it above {zone.last:,}."
    if zone.kind == "never":
        return f"You may not bank what would bring your score to {scores}."
    if zone.kind == "zero":
        return f"A bank that brings your score to {scores} sets it to zero."
    zero = f" The {nth(zone.times)} time, your score is set to zero." if zone.times else ""
    tries = "one turn" if zone.tries == 1 else f"{number_word(zone.tries)} turns"
    return (
        f"Barrel: a bank that brings your score to {scores} puts you at {zone.first:,}. From there, bank only what "
        f"brings you above {zone.last:,}. After {tries} without that you fall off and lose {zone.fine:,} points.{zero}"
    )
