"""The sentences about the start: who begins, how the dice pass on, and teams."""

from __future__ import annotations

from farkel.rules.model import Rules
from farkel.rules.sheets.phrases import all_dice, number_word
from farkel.support.bounds import MOST_SEATS

MOST_PEOPLE = 8
"""The limit of `Rules`, which is not worth a sentence."""


def who_starts(rules: Rules) -> tuple[str, ...]:
    """Return the sentences below ``Who starts``."""
    start = {
        "first_seat": "The first player starts.",
        "highest_die": "Everyone rolls one die; the highest starts. Ties roll again.",
        "first_six": "Roll one die in turn; the first to roll a 6 starts.",
        "lowest_die": "Everyone rolls one die; the lowest starts. Ties roll again.",
        "highest_total": f"Everyone rolls {all_dice(rules)}; the highest total starts. Ties roll again.",
        "youngest": "The youngest player starts.",
        "oldest": "The oldest player starts.",
        "chosen": "Choose among yourselves who starts.",
    }[rules.start]
    lines = [start, _passing(rules)]
    size = f"up to {number_word(rules.team_size)} people" if rules.team_size < MOST_PEOPLE else "several people"
    if rules.team_size > 1 and rules.teams == "together":
        lines.append(f"Instead of one player, a team of {size} may play and decide together.")
    elif rules.team_size > 1:
        lines.append(f"Instead of one player, a team of {size} may play: partners share one score and alternate turns.")
    if rules.most_seats == 1:
        lines.append("You play alone.")
    elif rules.most_seats < MOST_SEATS:
        teams = " or teams" if rules.team_size > 1 else ""
        lines.append(f"At most {number_word(rules.most_seats)} players{teams} take part.")
    return tuple(lines)


def _passing(rules: Rules) -> str:
    """Return when the dice pass on, and what else follows from turns in a row."""
    if rules.turns_in_row == 1:
        return "The dice pass to the left."
    said = f"Everyone takes {number_word(rules.turns_in_row)} turns in a row, then the dice pass to the left."
    if rules.take_over.allowed:
        said += " You may take over only in the first of them, and only the last one leaves anything to take over."
    if rules.target and rules.finish in ("last_turns", "fewest_rounds"):
        said += f" A bank that reaches {rules.target:,} ends your row of turns."
    return said


def first_entered(rules: Rules) -> str:
    """Return the player to enter first when a game is set up, in a sentence; "" if that does not matter (F21)."""
    who = {"youngest": "The youngest player", "oldest": "The oldest player", "chosen": "The player you choose"}
    return f"{who[rules.start]} starts: enter that player first." if rules.start in who else ""
