"""The sentences about the aim and the end of the game."""

from __future__ import annotations

from farkel.rules.model import Rules
from farkel.rules.sheets.phrases import number_word, some_dice


def aim(rules: Rules) -> tuple[str, ...]:
    """Return the sentences below ``The aim``."""
    dice = f"with {some_dice(rules.dice)}"
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


def end(rules: Rules) -> tuple[str, ...]:
    """Return the sentences below ``The end``."""
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


def _missed(rules: Rules) -> str:
    """Return what becomes of a missed target, if it moves on."""
    if not rules.missed_target:
        return ""
    return (
        f"Once a bank goes over {rules.target:,}, it counts, and everyone has to bank exactly {rules.missed_target:,} "
        "instead; a bank that would go over that adds nothing"
    )


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


def _last(rules: Rules) -> str:
    return "one last turn" if rules.turns_in_row == 1 else f"{number_word(rules.turns_in_row)} last turns"


def _others(rules: Rules) -> str:
    return "every other player or team" if rules.team_size > 1 else "every other player"


FIRST_WINS = "ties go to the player who got there first"


def _first_of_ties(rules: Rules) -> str:
    """Return what becomes of equal highest scores once the target is reached."""
    return FIRST_WINS if rules.ties == "first" else _ties(rules)


def _ties(rules: Rules) -> str:
    """Return what becomes of equal highest scores, if nobody was the first to reach the target."""
    if rules.ties == "play_off":
        return "players with equal scores have one more turn each, until one of them is ahead"
    return "equal scores share the win"


def _rounds(rounds: int) -> str:
    return f"{rounds} {'round' if rounds == 1 else 'rounds'}"
