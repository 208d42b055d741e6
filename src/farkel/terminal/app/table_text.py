"""The app's texts, as pure functions of the match and the selected dice."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from farkel.dice import KEYS, Roll, faces_text, parse_roll
from farkel.errors import DiceError
from farkel.game import (
    Event,
    Fresh,
    IllegalEvent,
    Keep,
    Leave,
    Note,
    Phase,
    State,
    TakeOver,
    Then,
    Throw,
    apply,
    check,
)
from farkel.game.scoring import Kept, score_table
from farkel.game.story import Kind, facts, farkled, holding, tell
from farkel.play.match import Match
from farkel.records import Move
from farkel.rules import farkle_word
from farkel.support.words import capital, counted, counted_dice, percent, sentence
from farkel.terminal.sentences import NOTHING_TO_BANK, failed_roll, lives_left, opening, roll_asked, take_overs, told
from farkel.terminal.typed_turns import turn_may_be_typed, typed_turn

PANEL_WIDTH, PANEL_HEIGHT = 48, 5
"""The room for the stakes, at the least size of the terminal."""


@dataclass(frozen=True, slots=True)
class KeyChoice:
    """The action of a key: its present name, and why it is not allowed, or "" if it is."""

    key: str
    label: str
    why: str = ""


PREPARING = "The bots are calculating their strategy for these rules. This happens only once."
LOOKING = "Looking for the best play."
SOLVING = "Calculating winning chances. This happens only once."
REVIEWING = "Calculating winning chances for every move."
CARD = "Calculating the card for these rules. This happens only once."

# Small sentences -----------------------------------------------------------------------------------------------------


def friendly(error: IllegalEvent, names: Sequence[str]) -> str:
    """Return why an event is refused, for people at the table: with their names."""
    reason = error.reason
    for number, name in enumerate(names, 1):
        reason = reason.replace(f"seat {number} ", f"{name} ")
    return sentence(reason)


def why_not(match: Match, event: Event) -> str:
    """Return why the event may not happen now; "" if it may."""
    try:
        check(match.state, event)
    except IllegalEvent as error:
        return friendly(error, match.names)
    return ""


# Whose turn ----------------------------------------------------------------------------------------------------------


def banner(match: Match) -> str:
    """Return whose turn it is, and anything special about it."""
    state, seating = match.state, match.seating
    if state.over:
        return "The game is over."
    who = match.person
    if len(seating.people) > 1 and (match.rules.teams == "partners" or seating.name != " & ".join(seating.people)):
        people = match.person if match.rules.teams == "partners" else " and ".join(seating.people)
        who = f"{seating.name} ({people})"
    kind = "" if seating.human else " (bot)"
    start = ": roll for the start" if state.phase is Phase.START else ""
    held = ", ".join(holding(state, match.names))
    return f"▶ {who}{kind}{start}{': ' if held else ''}{held}"


# Past events ----------------------------------------------------------------------------------------------------------

TURN_ENDS: tuple[Kind, ...] = (
    *("threw", "starts", "farkle", "stake_lost", "lives_lost", "penalty", "out", "left", "passed_over"),
    *("kept_total", "losing_roll", "score_lost", "winning_roll", "winning_keep", "banked", "sent_back", "overtaken"),
    *("on_board", "off_board", "went_over", "target_moved", "gift", "last_turns", "last_round", "another_turn"),
    *("turns_again", "exact_hit", "knocked_out", "turns_off", "win_waits", "win_cancelled", "play_off", "standing"),
    "over",
)
"""Facts to repeat when the dice come back to a person."""


def log_tail(match: Match, width: int, height: int) -> list[str]:
    """Return the last lines of the log that fit, wrapped to the width."""
    recent = [line for move in match.moves[max(0, len(match.moves) - height) :] for line in told(move, match.names)]
    return tail(recent if len(match.moves) > height else [*opening(match.record.header), *recent], width, height)


def tail(lines: Sequence[str], width: int, height: int) -> list[str]:
    """Return the last lines that fit, wrapped to the width."""
    shown: list[str] = []
    for line in reversed(lines):
        wrapped = textwrap.wrap(line, width, subsequent_indent="  ")
        if len(shown) + len(wrapped) > height:
            break
        shown = wrapped + shown
    return shown


def recap(match: Match) -> list[str]:
    """Return how the turns ended since this seat last had the dice, its own last one included."""
    seat, lines = match.state.seat, []
    for move in reversed(match.moves):
        kinds = [fact for fact in facts(move.before, move.event, move.after) if fact.kind in TURN_ENDS]
        if not kinds:
            continue
        rolled = f"{match.names[move.before.seat]} rolls {_faces(move)}. " if farkled(move.before, move.event) else ""
        lines.append(rolled + " ".join(tell(fact, match.names, move.after) for fact in kinds))
        if move.before.seat == seat and not isinstance(move.event, Leave):
            break
    return lines[::-1]


def _faces(move: Move) -> str:
    return faces_text(move.event.faces, "-") if isinstance(move.event, Throw) else ""


def kept_so_far(match: Match) -> str:
    """Return the dice kept in this turn so far, and the points taken over."""
    state = match.state
    if state.phase not in (Phase.ROLL, Phase.KEEP):
        return ""
    parts = list(_kept_before(match.moves, state.seat))[::-1]
    text = f"Kept {state.points:,}: {' · '.join(parts)}"
    return "" if not parts else text if len(text) <= PANEL_WIDTH else f"{text[: PANEL_WIDTH - 1]}…"


def _kept_before(moves: Sequence[Move], seat: int) -> Iterator[str]:
    """Yield the keeps of the turn under way, the latest first."""
    for move in reversed(moves):
        event = move.event
        if isinstance(event, Leave) and event.seat != seat:
            continue
        if move.before.seat != seat or isinstance(event, Fresh | Leave | Note) or farkled(move.before, event):
            return
        if isinstance(event, TakeOver):
            yield f"{move.after.points:,} taken over"
            return
        if isinstance(event, Keep):
            if event.then == "bank":
                return
            yield faces_text(event.dice, "-")


# Legal actions --------------------------------------------------------------------------------------------------------


def choices(match: Match, dice: Roll) -> tuple[KeyChoice, ...]:
    """Return the actions of the keys, with reasons for those that are not allowed."""
    state = match.state
    if state.over or (not match.seating.human and not match.manual):
        return ()
    if state.phase is Phase.OFFER:
        return (KeyChoice("F", f"Fresh, {counted_dice(state.rules.dice)}"), _take(match))
    if state.phase is Phase.START:
        return (KeyChoice("R", "Roll one die" if state.dice_due == 1 else f"Roll {counted_dice(state.dice_due)}"),)
    take = () if not match.rules.take_over.allowed else (KeyChoice("T", "Take over", why_not(match, TakeOver(1))),)
    return (_roll(match, dice), _bank(match, dice), *take)


def _roll(match: Match, dice: Roll) -> KeyChoice:
    state = match.state
    if state.phase is Phase.ROLL:
        return KeyChoice("R", f"Roll {counted_dice(state.dice_due)}")
    why = why_not(match, Keep(dice, "roll"))
    kept = _kept(state, dice)
    return KeyChoice("R", f"Roll {counted_dice(kept.left)}" if kept and not why else "Roll on", why)


def _bank(match: Match, dice: Roll) -> KeyChoice:
    state = match.state
    why = why_not(match, Keep(dice, "bank"))
    if state.phase is Phase.ROLL:
        why = NOTHING_TO_BANK
    return KeyChoice("B", "Bank" if why else f"Bank {state.turn_total(dice):,}", why)


def _take(match: Match) -> KeyChoice:
    takes = take_overs(match.state)
    offer = match.state.offer
    if not takes:
        return KeyChoice("T", "Take over", why_not(match, TakeOver(offer.dice if offer else 1)))
    least, most = takes[0].dice, takes[-1].dice
    return KeyChoice("T", f"Take over, {counted_dice(most) if least == most else f'{least}-{most} dice'}")


def hint(match: Match, dice: Roll) -> str:
    """Return the key to press, or why the selection cannot be played."""
    state = match.state
    if state.over:
        return ""
    if match.manual and state.dice_due:
        whole = "; or your whole turn: 350, or farkle" if turn_may_be_typed(match) else ""
        return f"{roll_asked(match)}, such as {'1123455666'[: state.dice_due]}{whole}."
    if not match.seating.human:
        return ""
    if state.phase is Phase.OFFER:
        return next((choice.why for choice in choices(match, dice) if choice.why), "")
    if state.phase is not Phase.KEEP:
        return "Press R (or Space) to roll." if state.phase is Phase.ROLL else "Press R (or Space) to roll your die."
    return _selection_hint(match, dice)


def _selection_hint(match: Match, dice: Roll) -> str:
    """Return how to select dice to keep, or why the selected ones may not be rolled on with or banked."""
    roll = match.state.roll
    if not dice:
        keys = "1-6" if len(roll) <= 6 else f"1-{KEYS[len(roll) - 1]}"
        return f"Keep dice: press {keys} or click them. A takes the most points. Then R rolls the rest, B banks."
    refused = [choice for choice in choices(match, dice)[:2] if choice.why]
    if len({choice.why for choice in refused}) == 1 and len(refused) == 2:
        return refused[0].why
    return " ".join(f"{choice.key}: {choice.why}" for choice in refused)


# Stakes ---------------------------------------------------------------------------------------------------------------


def panel(match: Match, dice: Roll) -> list[str]:
    """Return the stakes: the numbers to know before deciding."""
    state = match.state
    if state.phase is Phase.KEEP:
        return _keeping(match, dice) if dice else _unkept(match)
    if state.phase is Phase.OFFER:
        return _offered(match)
    if state.phase is Phase.ROLL and state.points:
        return [f"Turn total {state.points:,}.", f"Rolling {_gamble(state, state.dice, state.points, state.sets)}."]
    return tail(recap(match), PANEL_WIDTH, PANEL_HEIGHT)


def _unkept(match: Match) -> list[str]:
    state = match.state
    scored = state.scored
    lines = [f"Turn total {state.points:,}, not banked yet." if state.points else "No dice kept in this turn yet."]
    if scored and scored.best:
        most = scored.best.dice
        lines.append(f"Most points now: {faces_text(most, '-')} for {state.turn_total(most) - state.points:,}.")
    needs = state.bank_needs
    if needs > state.points:
        lines.append(f"You need {needs:,} in this turn to bank.")
    if state.owing > 1:
        lines.append(f"Keep dice for {state.owing:,} more before you bank.")
    return lines


def _keeping(match: Match, dice: Roll) -> list[str]:
    state = match.state
    kept = _kept(state, dice)
    if kept is None:
        return [f"{faces_text(dice, '-')} can't be kept.", *_unkept(match)]
    total = state.turn_total(dice)
    added = total - state.points
    lines = [f"Keep {faces_text(dice, '-')}: +{added:,}{_made_of(state, kept)}"]
    if kept.tries:
        lines = [f"Set {faces_text(dice, '-')} aside: your next roll must complete {kept.tries}"]
    if state.points:
        lines.append(f"Turn total {state.points:,} + {added:,} = {total:,}")
    if not why_not(match, Keep(dice, "bank")):
        lines.append(f"Bank: {_banking(match, dice)}")
    if not why_not(match, Keep(dice, "roll")):
        hot = "hot dice! " if kept.hot else ""
        lines.append(f"Roll: {hot}{_gamble(state, kept.left, total, kept.sets)}")
    return lines


def _kept(state: State, dice: Roll) -> Kept | None:
    """Return these dice of the roll as a keep, if they may be kept."""
    return state.scored.keeps.get(dice) if state.scored else None


def _made_of(state: State, kept: Kept) -> str:
    """Return the combinations that the points come from."""
    table = score_table(state.rules, state.sets)
    made = Counter(combination.name for combination in table.split(kept.dice, state.scored))
    names = [name if times == 1 else f"{times} × {name}" for name, times in made.items()]
    return f" ({', '.join(names)})" if names else ""


def _banking(match: Match, dice: Roll) -> str:
    """Return the result of a bank, from the engine itself."""
    state = match.state
    keep = Keep(dice, "bank")
    after = apply(state, keep)
    score = after.seats[state.seat].score
    if after.result is not None:
        won = "and you win" if state.seat in after.result.winners else "and the game is over"
        return f"score {score:,} {won}!"
    if any(fact.kind == "went_over" for fact in facts(state, keep, after)):
        return f"over {state.goal:,}: adds nothing"
    if not state.rules.take_over.allowed:
        return f"score {score:,}"
    if after.offer is None:
        return f"score {score:,}, leaves no dice"
    return f"score {score:,}, leaves {counted_dice(after.offer.dice)} to {match.names[after.seat]}"


def _gamble(state: State, dice: int, points: int, sets: int) -> str:
    """Return the chance of a farkle, and its cost."""
    rules = state.rules
    lives, fine = state.farkle_cost(dice, points)
    risk = f"{counted_dice(dice)}, {percent(score_table(rules, sets).farkles(dice))} {farkle_word(rules.name)}"
    if state.keeps_total(points):
        return f"{risk}: keep {points:,}"
    stake = rules.take_over.stake if state.taking else 0
    costs = [f"{points:,}", f"a stake of {stake:,}" if stake else "", f"{fine:,} banked" if fine else ""]
    costs.append(counted(lives, "life", "lives") if lives else "")
    return f"{risk}: lose {' and '.join(filter(None, costs))}"


def _offered(match: Match) -> list[str]:
    state, rules, offer = match.state, match.rules, match.state.offer
    if offer is None:
        return []
    table, take, seat = score_table(rules), rules.take_over, state.mine
    lines = [f"On offer: {offer.points:,} points and {counted_dice(offer.dice)}."]
    if take.costs_lives:
        lines = [f"On offer: {offer.points:,} points, {counted_dice(offer.dice)}. Your lives: {seat.lives}."]
        takes = take_overs(state)
        cost = failed_roll(state, takes[-1])[1] if takes else 0
        lines.append(f"A die costs a life{f', a failed first roll {cost} more' if cost else ''}.")
    elif take.costs_points:
        lines.append(
            f"It costs a stake of {take.stake:,} from your {seat.score:,}, lost with a {farkle_word(rules.name)}."
        )
    else:
        lines.append("Taking over costs nothing.")
    options = range(1, offer.dice + 1) if take.choose_dice else [offer.dice]
    chances = [f"{counted_dice(dice)} {percent(table.farkles(dice))}" for dice in options]
    farkle = farkle_word(rules.name)
    fresh = percent(table.farkles(rules.dice, first=True))
    lines.append(f"{capital(farkle)} with {rules.dice} fresh dice: {fresh}; taking over:")
    lines += [", ".join(chances[start : start + 3]) for start in range(0, len(chances), 3)]
    return lines


def how_many(match: Match) -> str:
    """Ask how many dice to take over, with the lives left by each number."""
    takes = take_overs(match.state)
    return f"How many dice do you take over? Press 1 to {len(takes)}; Esc: back. {lives_left(match.state)}".rstrip()


def table_faces(match: Match) -> tuple[int, ...]:
    """Return the dice on the table: those to decide on, those just farkled, or blank ones (0) about to be thrown."""
    state = match.state
    if state.phase is Phase.KEEP:
        return state.roll
    event = match.moves[-1].event if match.moves else None
    if isinstance(event, Throw) and (state.phase is Phase.START or just_farkled(match)):
        return event.faces
    if state.offer is not None:
        return (0,) * state.offer.dice
    return (0,) * state.dice_due


def scoring_faces(match: Match) -> frozenset[int]:
    """Return the faces of the roll that stand in some keep."""
    state = match.state
    return frozenset(face for dice in (state.scored.keeps if state.scored else ()) for face in dice)


def other_games(number: int) -> str:
    """Return how to find other unfinished games, if there are any."""
    games = "another unfinished game" if number == 1 else f"{number} other unfinished games"
    return f"You have {games}. To choose one: farkel play, then G." if number else ""


# Keys that do nothing, and dice that are typed -----------------------------------------------------------------------

ROLL_FIRST = "Roll first: press R."


def keep_first(match: Match, then: Then) -> str:
    """Return what to do where dice must be kept before rolling on or banking."""
    state = match.state
    most = next(iter(state.scored.keeps)) if state.scored else ()
    points = state.turn_total(most) - state.points
    verb = "bank" if then == "bank" else "roll on"
    return f"Before you {verb}, keep at least one scoring die: A takes {faces_text(most, '-')} for {points:,}."


def numbers_of(dice: Roll, roll: Roll) -> set[int]:
    """Return which dice of the roll, from 1, are those: the first ones of each face."""
    numbers: set[int] = set()
    for face in dice:
        numbers.add(next(at for at, shown in enumerate(roll, 1) if shown == face and at not in numbers))
    return numbers


def typed_so_far(match: Match, text: str) -> str:
    """Return what Enter does with the typed text: a roll or a whole turn; or its fault, or the dice still missing."""
    state = match.state
    if turn_may_be_typed(match):
        turn = typed_turn(text, state)
        if turn is not None:
            what = farkle_word(match.rules.name) if turn.farkle else f"the whole turn, {turn.points:,} points"
            return f"Press Enter to confirm: {what}."
        if text[:1].isalpha():
            return "Type farkle, then Enter."
    return _rolled_so_far(text, state.dice_due)


def _rolled_so_far(text: str, due: int) -> str:
    try:
        dice = len(parse_roll(text)) if text.strip(" -,") else 0
    except DiceError as error:
        return sentence(error.message)
    if dice < due:
        return f"{counted_dice(due - dice)} still to type, of {due}."
    if dice > due:
        return f"That's {counted_dice(dice)}, but you roll only {due} now."
    return "Press Enter to confirm this roll."


def just_thrown(match: Match) -> bool:
    """Return whether the last thing that happened is that dice fell."""
    return bool(match.moves) and isinstance(match.moves[-1].event, Throw)


def just_farkled(match: Match) -> bool:
    """Return whether the last thing that happened is a farkle."""
    return bool(match.moves) and farkled(match.moves[-1].before, match.moves[-1].event)
