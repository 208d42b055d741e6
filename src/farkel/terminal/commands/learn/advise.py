"""``farkel advise``: every legal decision of a position by winning chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from farkel.dice import faces_text, parse_roll
from farkel.errors import PositionError
from farkel.support.words import counted, counted_dice
from farkel.terminal.command import Command
from farkel.terminal.options import chosen_rules, json_option, numbers, rules_options
from farkel.terminal.output import show, table
from farkel.terminal.progress import working

if TYPE_CHECKING:
    from farkel.coach import Advice, RatedAction
    from farkel.game import Action, Offer, State


@click.command(cls=Command)
@rules_options
@click.option("--scores", metavar="LIST", required=True, help="Banked points, yours first, in the order of play.")
@click.option(
    "--turn",
    "total",
    metavar="POINTS",
    type=int,
    default=0,
    help="Turn total: points kept in this turn and not banked.",
)
@click.option("--roll", metavar="FACES", help="Your roll: 152233.")
@click.option("--dice", metavar="N", type=int, help="Dice left, to ask whether to roll or bank (without --roll).")
@click.option("--offer", metavar="POINTS:DICE", help="Points and dice on offer from the player before you: 350:2.")
@click.option("--idle", metavar="N", type=int, default=0, help="Unused dice: dice on offer that you did not buy.")
@click.option("--lives", metavar="LIST", help="Lives left, in the order of --scores (default: all).")
@click.option("--on-board", metavar="LIST", help="Who is on the board: yes,no (default: players with points).")
@click.option("--farkles", metavar="LIST", help="Farkles in a row so far, if they cost a penalty: 1,0.")
@click.option("--last-turn", is_flag=True, help="These are the last turns (known if a score is at the target).")
@click.option(
    "--first", metavar="N", type=int, help="Number of the score that started the game, if rounds are counted."
)
@click.option("--rounds-left", metavar="N", type=int, help="Rounds left, including this one, if they are counted.")
@click.option("--hot", metavar="N", type=int, default=0, help="Hot dice so far in this turn, if they multiply.")
@json_option
def advise(
    rules: str | None,
    changes: tuple[str, ...],
    scores: str,
    total: int,
    roll: str | None,
    dice: int | None,
    offer: str | None,
    idle: int,
    lives: str | None,
    on_board: str | None,
    farkles: str | None,
    last_turn: bool,
    first: int | None,
    rounds_left: int | None,
    hot: int,
    as_json: bool,
) -> None:
    """Rank every legal decision by winning chance.

    \b
    farkel advise --scores 4500,6200 --turn 350 --roll 152233
    farkel advise --scores 4500,6200 --turn 300 --dice 3
    farkel advise --rules build-on --scores 4500,6200 --offer 350:2
    farkel advise --rules original --scores 45000,62000 --offer 17000:2
    """
    from farkel.coach import advise as advice
    from farkel.coach import position

    chosen = chosen_rules(rules, changes)
    state = position(
        chosen,
        scores=numbers(scores, "--scores"),
        turn=total,
        roll=None if roll is None else parse_roll(roll, most=len(roll)),  # the rules say how many there can be
        dice=dice,
        offer=None if offer is None else _offer(offer),
        idle=idle,
        hot=hot,
        lives=None if lives is None else numbers(lives, "--lives"),
        on_board=None if on_board is None else _answers(on_board, "--on-board"),
        farkles=None if farkles is None else numbers(farkles, "--farkles"),
        last_turn=last_turn,
        first=None if first is None else first - 1,
        rounds_left=rounds_left,
    )
    decidable(state)
    with working("Solving the game") as progress:
        from farkel.players.knowledge import evaluator
        from farkel.solve import best_turn

        found = advice(evaluator(chosen, state.people, progress), best_turn(chosen), state)
    show(advice_content(found) if as_json else _text(found))


def _answers(text: str, what: str) -> tuple[bool, ...]:
    """Return the answers of ``yes,no``. Raises `PositionError` ``not_answers``."""
    known = {"yes": True, "y": True, "no": False, "n": False}
    parts = [part.strip().lower() for part in text.split(",")]
    if not all(part in known for part in parts):
        raise PositionError(
            "not_answers", f'{what}: "{text}" is not a list of yes and no; separate them with commas: yes,no'
        )
    return tuple(known[part] for part in parts)


def _offer(text: str) -> Offer:
    """Return the offer of ``350:2``: points, and dice. Raises `PositionError` ``bad_offer``."""
    from farkel.game import Offer

    points, _, dice = text.partition(":")
    try:
        return Offer(int(points), int(dice))
    except ValueError:
        raise PositionError(
            "bad_offer", f'"{text}" is not an offer; write the points and the dice on offer: 350:2'
        ) from None


def decidable(state: State) -> None:
    """Raise `PositionError` ``nothing_to_decide`` if the turn begins with a roll."""
    from farkel.coach import leading_to
    from farkel.game import Phase

    if state.phase is Phase.ROLL:
        leading_to(state)


def advice_content(advice: Advice) -> dict[str, Any]:
    """Return every legal action, best first."""
    from farkel.coach import reason

    return {
        "rules": str(advice.state.rules),
        "exact": advice.exact,
        "wins": advice.chance(advice.best),
        "reason": reason(advice),
        "actions": [
            {
                **action_content(option.action),
                "wins": advice.chance(option),
                "cost": option.cost,
                "turn_total": option.total,
                "expected_points": option.points,
                "rolls": option.dice,
                "farkle": str(option.farkle),
            }
            for option in advice.options
        ],
    }


def action_content(action: Action) -> dict[str, Any]:
    """Return an action as ``action`` (``roll``, ``bank``, ``fresh``, ``take_over``), and the dice kept or taken."""
    from farkel.game import Keep, TakeOver

    if isinstance(action, Keep):
        return {"action": action.then, "keep": action.dice}
    if isinstance(action, TakeOver):
        return {"action": "take_over", "take": action.dice}
    return {"action": "fresh"}


def _text(advice: Advice) -> str:
    """Return the position, the best action and why, and every legal action from the best to the worst."""
    rows = [["", "", "turn total", "wins", "costs", "points", "farkles"]]
    met: dict[State, int] = {}
    for number, option in enumerate(advice.options, 1):
        same = option.after in met
        met.setdefault(option.after, number)
        rows.append(["=" if same else f"{number}", *_option_row(advice, option)])
    lines = [position_text(advice.state), "", str(advice), ""]
    lines.append(table(rows, "><>>>>>"))
    lines += ["", "wins: winning chance with best play from then on" + ("." if advice.exact else " (approximate).")]
    lines.append("costs: winning chance given away. points: average of this turn. farkles: chance on the next roll.")
    if "=" in (row[0] for row in rows):
        lines.append("=: leads to the same position as the line above.")
    return "\n".join(lines)


def _option_row(advice: Advice, option: RatedAction) -> list[str]:
    return [
        str(option.action),
        f"{option.total:,}",
        f"{advice.chance(option):.2%}",
        f"{option.cost:.2%}",
        f"{option.points:,.1f}",
        f"{float(option.farkle):.1%}" if option.dice else "–",
    ]


def position_text(state: State) -> str:
    """Return everything that is taken to be so: the seats from the one that moves on, and the turn."""
    from farkel.game import Phase

    seats = len(state.seats)
    names = ["you", "the other"] if seats == 2 else ["you", *(f"seat {number}" for number in range(2, seats + 1))]
    numbers = [(state.seat + step) % seats for step in range(seats)]
    rows = [
        [f"{name}:", f"{state.seats[number].score:,}", ", ".join(_notes(state, number))]
        for name, number in zip(names, numbers, strict=True)
    ]
    lines = [f"Under {state.rules}", table(rows, "<><")]
    if state.offer is not None:
        lines.append(f"On offer: {state.offer.points:,} points with {counted_dice(state.offer.dice)}.")
    else:
        left = f"{counted_dice(state.dice)} left"
        roll = f"rolled {faces_text(state.roll, '-')}" if state.phase is Phase.KEEP else left
        idle = f", {counted_dice(state.idle)} not bought" if state.idle else ""
        lines.append(f"Turn total {state.points:,}, {roll}{idle}.")
    if state.standing:
        lines.append(f"You are the last player standing, with {counted(state.standing, 'round', 'rounds')} left.")
    elif state.rounds_left and state.closer < 0:
        lines.append(f"{counted(state.rounds_left, 'round', 'rounds')} left, including this one.")
    return "\n".join(lines)


def _notes(state: State, number: int) -> list[str]:
    """Return what matters about a seat beside its score."""
    rules, seat = state.rules, state.seats[number]
    notes = [] if seat.on_board else ["not on the board"]
    notes += [counted(seat.lives, "life", "lives")] if rules.lives.each else []
    notes += [f"{counted(seat.farkles, 'farkle', 'farkles')} in a row"] if seat.farkles else []
    notes += [] if seat.status == "in" else ["out"]
    if number == state.closer:
        notes.append("began the last turns" if rules.finish == "last_turns" else "has reached the target")
    return notes
