"""The sentences about what players lose, besides turn totals: by penalties, lives, and others who catch up."""

from __future__ import annotations

from farkel.rules.catalogue_files import entry, farkle_word
from farkel.rules.model import Rules
from farkel.rules.sheets.pattern_words import held_but, in_one_roll, patterns_rolled
from farkel.rules.sheets.phrases import a_or_an, all_dice, number_word
from farkel.support.words import capital, several


def lives(rules: Rules) -> tuple[str, ...]:
    """Return the sentences below ``Lives``."""
    has, words = rules.lives, entry(rules.name).words
    if not has.each:
        return ()
    each = f"{has.each} {'life' if has.each == 1 else 'lives'}"
    costs = f"{capital(a_or_an(farkle_word(rules.name)))} costs {_lives_text(has.farkle)}"
    if has.farkle_all_dice not in (0, has.farkle):
        named = f", {a_or_an(words.farkle_all_dice)}," if words.farkle_all_dice else ""
        costs += f", but one on {all_dice(rules)}{named} costs {_lives_text(has.farkle_all_dice)}"
    lines = [f"Everyone starts with {each}. {costs}."]
    lines.append("Without a life you are out of the game.")
    if has.last_standing == "wins":
        lines.append("The last player with a life wins.")
    else:
        lines.append(
            f"The last player with a life plays one more round for every {has.round_points:,} points, or part of "
            f"them, short of {rules.target:,}. It is possible that nobody wins."
        )
    return tuple(lines)


def _lives_text(lives: int) -> str:
    return {0: "no life", 1: "one life"}.get(lives, f"{number_word(lives)} lives")


def penalties(rules: Rules) -> tuple[str, ...]:
    """Return the sentences below ``Penalties``."""
    of_turns = _fined_rolls(rules) if rules.penalties.fines_from == "turn" else ()
    return (*of_turns, *score_penalties(rules))


def _fined_rolls(rules: Rules) -> tuple[str, ...]:
    """Return the rolls that cost points, and where from."""
    banked = rules.penalties.fines_from == "score"
    of = "banked points immediately" if banked else "points of your turn total, or all of it if it is smaller"
    return tuple(
        f"{capital(held_but(rules, form, 'points'))} {in_one_roll(rules, effect)}: you lose {-effect.points:,} {of}. "
        "Dice of these faces do not score then and may not be kept; if nothing else scores, you farkle."
        for form, effect in patterns_rolled(rules)
        if effect.points < 0
    )


def score_penalties(rules: Rules) -> tuple[str, ...]:
    """Return what costs banked points."""
    fines, called = rules.penalties, farkle_word(rules.name)
    lines = [*(_fined_rolls(rules) if fines.fines_from == "score" else ())]
    if fines.farkle:
        lines.append(f"Every {called} costs {_fine(fines.farkle)}.")
    if fines.farkles_in_row == 1:
        lines.append(f"Every {called} costs {_fine(fines.farkles_in_row_points)}.")
    elif fines.farkles_in_row:
        lines.append(
            f"{number_word(fines.farkles_in_row).capitalize()} {several(called)} in a row cost "
            f"{_fine(fines.farkles_in_row_points)}; then the count starts again."
        )
    if fines.farkle_all_dice:
        lines.append(f"{capital(a_or_an(called))} on {all_dice(rules)} costs {_fine(fines.farkle_all_dice)}.")
    if fines.farkle_first_roll:
        lines.append(f"{capital(a_or_an(called))} on the first roll of a turn costs {_fine(fines.farkle_first_roll)}.")
    if fines.not_beaten:
        lines.append(
            f"If you {called if called == 'farkle' else f'roll {a_or_an(called)}'} when you have to beat the player "
            f"before you, it costs {_fine(fines.not_beaten)}."
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


def catching_up(rules: Rules) -> tuple[str, ...]:
    """Return the sentences below ``Catching up``."""
    sent = {
        "stays": "",
        "to_zero": "that player falls to zero.",
        "back": "that player goes back to the score before their last bank.",
        "swap": "that player falls to the score that you had before.",
    }[rules.catching_up.landed_on]
    return (f"If your bank makes your score exactly equal to another player's, {sent}",) if sent else ()
