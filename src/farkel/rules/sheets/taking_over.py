"""The sentences about taking over."""

from __future__ import annotations

from farkel.rules.catalogue_files import entry
from farkel.rules.model import Rules
from farkel.rules.sheets.banking import when_to_bank
from farkel.rules.sheets.phrases import all_dice
from farkel.support.words import capital


def taking_over(rules: Rules) -> tuple[str, ...]:
    """Return the sentences below ``Taking over``."""
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
        unless = " (if you may not bank yet, roll all the dice)" if when_to_bank(rules) else ""
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
            f"Once a player has kept {all_dice(rules)} in a turn, nothing of that turn may be taken over, "
            "however many dice are left."
        )
    elif take.after_hot_dice:
        hot = "After banked hot dice you may take over with all the dice."
    farkle = "After a farkle you start fresh."
    if take.after_farkle:
        farkle = "A turn total lost in a farkle may be taken over too, with the dice that farkled."
    return [hot, farkle]
