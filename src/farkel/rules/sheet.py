"""A rule sheet made from the rules: something to read aloud at the table, never written by hand beside them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from farkel.dice import FACES, faces_text
from farkel.rules.model import Rules, may_keep
from farkel.rules.notation import variations
from farkel.rules.patterns import LETTERS, NUMBERS, Pattern, pattern_of
from farkel.rules.tables import NOTHING, Effect, Pays, Scoring


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
        """The sheet as plain lines of at most ``width`` columns."""
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
    """Rows as lines in two columns; what is too long for the first goes on in lines of its own."""
    import textwrap

    numbers = max((len(points) for _, points in rows), default=0)
    widest = min(max((len(dice) for dice, _ in rows), default=0), max(12, width - numbers - 4))
    lines = []
    for dice, points in rows:
        *before, last = textwrap.wrap(dice, widest, break_on_hyphens=False) or [""]
        lines += [*(f"  {line}" for line in before), f"  {last:<{widest}}  {points:>7}"]
    return lines


def sheet(rules: Rules) -> Sheet:
    """The rule sheet of the rules."""
    sections = (
        Section("The aim", _aim(rules)),
        Section("What dice are worth", rows=scoring_rows(rules)),
        Section("Your turn", _turn(rules)),
        Section("When you may bank", _bank(rules)),
        Section("Taking over", _take_over(rules)),
        Section("Lives", _lives(rules)),
        Section("Penalties", _penalties(rules)),
        Section("Who starts, and teams", _table(rules)),
        Section("The end", _end(rules)),
        Section("Variations", _variations(rules)),
    )
    kept = tuple(section for section in sections if section.sentences or section.rows)
    return Sheet(" ".join(rules.title.split()) or rules.name, str(rules), rules.source, kept)


def _variations(rules: Rules) -> tuple[str, ...]:
    """The variations of a catalogue set, as they are asked for by name; none of rules that differ from it."""
    if str(rules) != rules.name:
        return ()
    return tuple(f"{rules.name}:{variation.name} - {variation.about}." for variation in variations(rules.name))


def scoring_rows(rules: Rules) -> tuple[tuple[str, str], ...]:
    """The scoring table: what is thrown, and its points."""
    rows = []
    for form, pays in rules.scoring.items():
        pattern = pattern_of(form)
        if pattern.dice <= rules.dice and any(may_keep(rules, dice) for dice in pattern.rolls):
            singles = _as_singles(rules.scoring, pattern)
            others = "any other " if singles or _has_exceptions(rules.scoring, pattern, pays) else ""
            rows += [*singles, (others + _label(pattern, pays), _paid(rules.scoring, pattern, pays))]
    if rules.rolled.nothing:
        rows.append((f"all {_number(rules.dice)} dice and nothing scores", f"{rules.rolled.nothing:,}"))
    return tuple(rows)


def _label(pattern: Pattern, pays: Pays) -> str:
    """What a combination is called on the sheet."""
    if pays.name:
        return pays.name
    if pattern.dice == 1:
        return f"each {pattern.text}" if pattern.digits else "each die"
    if pattern.name.endswith("straight"):
        return f"{pattern.name} {faces_text(pattern.digits, '-')}"
    return re.sub(r"^(two|three) (pairs|triplets)$", r"\1 different \2", pattern.name)


def _has_exceptions(scoring: Scoring, pattern: Pattern, pays: Pays) -> bool:
    """Whether some face pays something else for so many of a kind."""
    alike = len(pattern.letters) == 1 and not pattern.digits and not pays.name
    return alike and any(str(face) * pattern.dice in scoring for face in FACES)


def _paid(scoring: Scoring, pattern: Pattern, pays: Pays) -> str:
    """The points of a combination, as people say them."""
    if not pays.letter:
        singles = sum(scoring.worth((face,)) for face in pattern.digits) if len(set(pattern.digits)) == 1 else 0
        points = max(pays.points, singles if not pattern.letters else 0)
        return f"{points:,}" if points else "nothing"
    several = pattern.letters[LETTERS.index(pays.letter)]
    higher = "higher " if pattern.letters.count(several) > 1 else ""
    which = {1: "die" if higher else "other die", 2: "pair"}.get(several, NUMBERS[several])
    return f"{pays.points:,} × the face{f' of the {higher}{which}' if len(pattern.letters) > 1 else ''}"


def _as_singles(scoring: Scoring, pattern: Pattern) -> list[tuple[str, str]]:
    """Dice of one face that are worth more one by one than a pattern that is for any face pays (C3)."""
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
    if not rules.target:
        return (f"Have the most points after {_rounds(rules.rounds)}, with {_number(rules.dice)} dice.",)
    exactly = "exactly " if rules.finish in ("exact", "welfare") else ""
    return (f"Be the one to reach {exactly}{rules.target:,} points, with {_number(rules.dice)} dice.",)


def _turn(rules: Rules) -> tuple[str, ...]:
    dice = _number(rules.dice)
    lines = [
        f"Roll all {dice} dice. After every roll set aside a die or combination that scores, or several; you choose.",
        "Then roll the dice that are left, or bank: end your turn and add your turn total to your score.",
        "A combination counts only within one roll: dice set aside earlier never join a later one.",
        "If nothing in a roll scores, it is a farkle: your turn is over and its points are lost. "
        f"Banked points stay yours{_but(rules)}.",
    ]
    if rules.hot_dice == "forced":
        lines.append(f"Hot dice: when all {dice} are set aside you must roll all of them at least once more.")
    else:
        lines.append(
            f"Hot dice: when all {dice} are set aside you may roll all of them again and add to your turn total."
        )
    if rules.most_rolls:
        rolls = "one roll" if rules.most_rolls == 1 else f"{_number(rules.most_rolls)} rolls"
        lines.append(
            f"Your turn has at most {rolls}, those after hot dice included. After the last one, bank; if you may not, "
            "you farkle."
        )
    if rules.hot_dice_multiplier:
        lines.append(
            "After hot dice points count twice for the rest of the turn, after the next hot dice three times, ..."
        )
    for rolled, effect in _effects(rules):
        if effect.then == "bank":
            lines.append(f"After a roll with {rolled} you must bank, if you may, and pass the dice.")
        elif effect.then == "farkle":
            lines.append(f"{_capital(rolled)} in one roll: a farkle, whatever else was rolled.")
        elif not effect.points:
            lines.append(f"{_capital(rolled)} in one roll: an exception, which does nothing special.")
    lines.append("A die that falls off the table or leans: throw all dice of that roll again.")
    return tuple(lines)


def _effects(rules: Rules) -> list[tuple[str, Effect]]:
    """What rolls do, each with the dice in words that a roll must hold."""
    return [(_held(pattern_of(form)), effect) for form, effect in rules.rolled.items() if form != NOTHING]


def _held(pattern: Pattern) -> str:
    """A pattern as part of a roll that may hold more dice."""
    faces = len(set(pattern.digits)) + len(pattern.letters)
    if faces > 1 or pattern.dice == 1:
        return pattern.name
    number = f"{_number(pattern.dice)} or more"
    return f"{number} {pattern.digits[0]}s" if pattern.digits else f"{number} of a kind"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _but(rules: Rules) -> str:
    """What can take banked points, where anything can."""
    exceptions = ["a stake"] if rules.take_over.stake else []
    exceptions += ["the penalties below"] if _penalties(rules) else []
    return f", but for {' and '.join(exceptions)}" if exceptions else ""


def _bank(rules: Rules) -> tuple[str, ...]:
    lines = []
    if rules.entry:
        who = "each partner needs" if rules.entry_each else "you need"
        lines.append(f"To bank for the first time {who} {rules.entry:,} points in one turn; until then roll on.")
    if rules.minimum:
        lines.append(f"You may bank only with {rules.minimum:,} points or more in the turn; with less, roll on.")
    if rules.bank_multiple:
        lines.append(f"You may bank only a multiple of {rules.bank_multiple:,} points; with any other total, roll on.")
    if rules.entry_by == "roll":
        lines.append("For the first bank, one roll of the turn must be worth that much by itself.")
    elif rules.entry_by == "triple":
        lines.append("For the first bank, you need a three of a kind or a larger combination among your kept dice.")
    if rules.beat_previous:
        lines.append(
            "You may bank only more than the player before you has just banked. If that player banked nothing, this "
            "does not count."
        )
    if lines and rules.finish in ("exact", "welfare"):
        lines.append("A bank that hits the target exactly is always allowed.")
    if rules.bank_left == 0:
        lines.append("You may bank only if you have kept all the dice.")
    elif rules.bank_left < rules.dice - 1:
        lines.append(f"You may bank only with at most {_dice(rules.bank_left)} left.")
    if rules.least_rolls > 1:
        lines.append(f"You may bank only after {_number(rules.least_rolls)} rolls of your turn or more.")
    return tuple(lines)


def _take_over(rules: Rules) -> tuple[str, ...]:
    take = rules.take_over
    if take.price == "none":
        return ()
    lines = ["When the player before you banks, you may start fresh, or roll the dice that player did not set aside."]
    if take.points:
        lines.append(
            "If that first roll scores, the points just banked count for you as well, and you play on from there; the "
            "other player keeps them too. If it does not, you have farkled."
        )
    else:
        lines.append(
            "You take over only the dice: the points just banked do not count for you. If your first roll does not "
            "score, you have farkled."
        )
    if take.bonus:
        lines.append(f"If that first roll scores, you also get a bonus of {take.bonus:,} points in your turn total.")
    who = [
        *(["on the board"] if take.on_board else []),
        *([f"with {take.from_score:,} or more banked points"] if take.from_score else []),
    ]
    if who:
        lines.append(f"Only players {' and '.join(who)} may take over.")
    if not take.toward_entry:
        lines.append("Toward the entry score only the points count that you roll yourself.")
    if take.price == "lives":
        lines.append(
            "Each die that you roll costs you one life, paid before you roll, and you must keep at least one life."
        )
    elif take.price == "stake":
        lines.append(
            f"To try, put up {take.stake:,} banked points: lost if your first roll farkles, returned if it scores."
        )
    else:
        lines.append("It costs nothing.")
    if take.choose_dice:
        lines.append(
            "You choose how many of the dice to roll. The others you may not roll: if you set aside all you took while "
            "some lie idle, you must bank. What you leave, with the idle dice, is on offer to the next player."
        )
    if take.heavy:
        lines.append(
            "A heavy table: once a player has kept all the dice in a turn, nothing of that turn may be taken over, "
            "however many dice are left."
        )
    elif take.after_hot_dice:
        lines.append("Banked hot dice may be taken over with all the dice.")
    else:
        lines.append("After hot dice that are banked there is nothing to take over.")
    if take.after_farkle:
        lines.append("A turn total that was lost in a farkle may be taken up too, with the dice that farkled.")
    else:
        lines.append("After a farkle you start fresh.")
    return tuple(lines)


def _lives(rules: Rules) -> tuple[str, ...]:
    lives = rules.lives
    if not lives.each:
        return ()
    each = f"{lives.each} {'life' if lives.each == 1 else 'lives'}"
    lines = [f"Everyone starts with {each}. A farkle costs {_lives_text(lives.farkle)}."]
    if lives.farkle_all_dice not in (0, lives.farkle):
        lines.append(f"A farkle on all {_number(rules.dice)} dice costs {_lives_text(lives.farkle_all_dice)}.")
    lines.append("Without a life you are out of the game.")
    if lives.last_standing == "wins":
        lines.append("The last one with a life wins.")
    else:
        lines.append(
            f"The last one with a life plays one more round for every {lives.round_points:,} points, or part of them, "
            f"short of {rules.target:,}. It is possible that nobody wins."
        )
    return tuple(lines)


def _penalties(rules: Rules) -> tuple[str, ...]:
    fines, lines = rules.penalties, []
    for rolled, effect in _effects(rules):
        if effect.points:
            lines.append(
                f"{_capital(rolled)} in one roll cost {-effect.points:,} of your banked points at once; dice of these "
                "faces do not score then and cannot be set aside."
            )
    if fines.farkles_in_row:
        lines.append(
            f"{_number(fines.farkles_in_row).capitalize()} farkles in a row cost {fines.farkles_in_row_points:,} "
            "banked points; then the count starts anew."
        )
    if fines.farkle_all_dice:
        lines.append(f"A farkle on all {_number(rules.dice)} dice costs {fines.farkle_all_dice:,} banked points.")
    if lines:
        lines.append(f"A score {'may' if fines.below_zero else 'cannot'} fall below zero.")
    return tuple(lines)


def _table(rules: Rules) -> tuple[str, ...]:
    start = {
        "first_seat": "The first seat starts.",
        "highest_die": "Everyone throws one die; the highest starts. Ties throw again.",
        "first_six": "Throw one die in turn; the first to throw a 6 starts.",
    }[rules.start]
    lines = [start, "The dice pass to the left."]
    size = f"up to {rules.team_size} people" if rules.team_size < 8 else "several people"
    if rules.team_size > 1 and rules.teams == "together":
        lines.append(f"A seat may be a team of {size} who decide together.")
    elif rules.team_size > 1:
        lines.append(f"A seat may be a team of {size}: partners add their scores and take the team's turns in turn.")
    if rules.most_seats < 8:
        lines.append(f"There are at most {rules.most_seats} seats.")
    return tuple(lines)


def _end(rules: Rules) -> tuple[str, ...]:
    target = f"{rules.target:,}"
    lines = []
    if rules.target:
        lines.append(
            {
                "at_once": f"The first to bank {target} or more wins at once.",
                "last_turns": f"When someone has banked {target} or more, everyone else has one last turn. The highest "
                "score wins; an equal score does not beat the one that was there first.",
                "equal_turns": f"When someone has banked {target} or more, the round is finished. The highest score "
                "wins; equal scores share the win.",
                "exact": f"Whoever banks exactly {target} wins at once. A bank that would go over adds nothing.",
                "welfare": f"Whoever banks exactly {target} wins at once. A bank that would go over adds nothing, and "
                "what goes over is given to the lowest other score, unless it would go over as well.",
            }[rules.finish]
        )
    if rules.rounds:
        after = f"After {_rounds(rules.rounds)}" + (" without that" if rules.target else "")
        lines.append(f"{after} the highest score wins; equal scores share the win.")
    return tuple(lines)


def _rounds(rounds: int) -> str:
    return f"{rounds} {'round' if rounds == 1 else 'rounds'}"


def _lives_text(lives: int) -> str:
    return {0: "no life", 1: "one life"}.get(lives, f"{_number(lives)} lives")


def _dice(number: int) -> str:
    return "one die" if number == 1 else f"{_number(number)} dice"


def _number(number: int) -> str:
    return "zero" if number == 0 else NUMBERS[number] if number < len(NUMBERS) else str(number)
