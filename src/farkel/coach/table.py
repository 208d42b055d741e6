"""A position as people say it at the table, made into a `State`: scores, turn total, roll, offer, lives.

What cannot occur in a game under the rules is refused with a code, saying what was wrong and what would be right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from farkel.dice import FACES, Roll, faces_text, roll_of
from farkel.errors import FarkelError
from farkel.facts import counted
from farkel.game import Keep, Offer, Phase, Seat, State, Throw, apply, new_game
from farkel.rules import Rules
from farkel.scoring import Kept, score_table


class PositionError(FarkelError):
    """A position that cannot occur under the rules, or in which nothing is to be decided."""


def position(
    rules: Rules,
    *,
    scores: Sequence[int],
    turn: int = 0,
    roll: Iterable[int] | None = None,
    dice: int | None = None,
    offer: Offer | None = None,
    idle: int = 0,
    hot: int = 0,
    lives: Sequence[int] | None = None,
    on_board: Sequence[bool] | None = None,
    farkles: Sequence[int] | None = None,
    last_turn: bool = False,
    first: int | None = None,
    rounds_left: int | None = None,
) -> State:
    """The state in which the first seat of ``scores`` is about to decide; the others follow in the order of play.

    ``turn`` points are set aside already, and ``roll`` has just fallen; or so many ``dice`` are left and the question
    is whether to roll them; or there is an ``offer`` to take over. ``idle`` dice of an offer were not bought, and
    ``hot`` counts the hot dice of this turn where they multiply points. Lives that are not given are all there, a seat
    with points is on the board, no farkles in a row are counted, and the seat that moves started the game, unless
    somebody has reached the target. A fine that the roll costs is not yet taken from the score.

    Raises `PositionError`, or `PlayerError` ``bad_seats`` for a number of seats that the rules do not know.
    """
    seats = _seats(rules, scores, lives, on_board, farkles)
    state = _under_way(rules, seats, last_turn, first, rounds_left)
    if offer is not None:
        if turn or roll is not None or dice is not None:
            raise PositionError(
                "offer_and_turn",
                "an offer is decided on before anything is rolled: give the offer, or what was rolled and set aside",
            )
        return _offered(state, offer)
    faces = None if roll is None else _faces(rules, roll, dice)
    state = _in_turn(state, turn, dice if faces is None else len(faces), idle, hot)
    return state if faces is None else _rolled(state, faces)


def leading_to(state: State) -> tuple[State, Keep]:
    """A decision that leads to this `Phase.ROLL`, in which ``state.points`` are set aside: a state and its keep.

    It answers "roll on or bank?" where nobody says what was kept. Raises `PositionError` ``nothing_to_decide`` at the
    start of a turn.
    """
    if state.phase is not Phase.ROLL or state.taking or not state.points:
        raise PositionError(
            "nothing_to_decide",
            "nothing is to be decided here: give a roll, an offer, or a turn total with the dice that are left",
        )
    rules = state.rules
    uncounted = rules.hot_dice_multiplier and not state.hot
    idle = state.idle
    roll, kept = _keep_that_leaves(rules, state.dice, bool(idle))
    if kept.hot and uncounted:
        if not rules.take_over.choose_dice:
            raise PositionError("hot", f"all {state.dice} dice are rolled again: say how often there were hot dice")
        # Only some of the dice on offer were taken over; when all of those are kept, that is no hot dice to count.
        roll, kept = _keep_that_leaves(rules, state.dice, False, rules.dice - 1)
        idle = rules.dice - len(roll)
    hot = state.hot - (kept.hot and rules.hot_dice_multiplier and not uncounted)
    points = state.points - kept.points * (1 + hot)
    before = state._replace(phase=Phase.KEEP, points=points, dice=len(roll), idle=idle, roll=roll, hot=hot)
    return before, Keep(kept.dice, "roll")


@lru_cache(maxsize=256)
def _keep_that_leaves(rules: Rules, left: int, some_idle: bool, most: int = 6) -> tuple[Roll, Kept]:
    """A roll and a keep of it that leaves that many dice; one without three of a kind and for few points, if possible.

    most: dice of the roll.
    """
    found = [
        (scored.triple, kept.points, scored.roll, kept)
        for scored in score_table(rules)
        if len(scored.roll) <= most
        for kept in scored.keeps.values()
        if kept.left == left and not (kept.hot and some_idle)
    ]
    if not found:
        raise PositionError("turn_total", f"no keep leaves {counted(left, 'die', 'dice')} under these rules")
    _, _, roll, kept = min(found)
    return roll, kept


def totals(rules: Rules, dice: int, hot: int, most: int) -> tuple[int, ...]:
    """The turn totals up to ``most`` with which so many dice can be left, after so many hot dice that multiply."""
    bits = _totals(rules, most // rules.unit).get((hot, dice), 0)
    return tuple(units * rules.unit for units in range(bits.bit_length()) if bits >> units & 1)


# Seats ---------------------------------------------------------------------------------------------------------------


def _seats(
    rules: Rules,
    scores: Sequence[int],
    lives: Sequence[int] | None,
    on_board: Sequence[bool] | None,
    farkles: Sequence[int] | None,
) -> tuple[Seat, ...]:
    seats = list(new_game(rules, (1,) * len(scores)).seats)
    for name, given in (("lives", lives), ("on_board", on_board), ("farkles", farkles)):
        if given is not None and len(given) != len(scores):
            raise PositionError(
                "wrong_number", f"{name}: {len(given)} given for {counted(len(scores), 'score', 'scores')}; one each"
            )
    for number, score in enumerate(scores):
        _check_score(rules, number, score)
        seats[number] = seats[number]._replace(
            score=score, entered=_entered(rules, number, score, None if on_board is None else on_board[number])
        )
    if lives is not None:
        seats = [_with_lives(rules, number, seat, lives[number]) for number, seat in enumerate(seats)]
    if farkles is not None:
        seats = [seat._replace(farkles=_in_row(rules, farkles[number])) for number, seat in enumerate(seats)]
    return tuple(seats)


def check_unit(rules: Rules, number: int, score: int) -> None:
    """Raise `PositionError` ``score_unit`` for a score that no points add up to."""
    if score % rules.unit:
        below = score - score % rules.unit
        raise PositionError(
            "score_unit",
            f"the score {score:,} of seat {number + 1} cannot be: scores move in steps of {rules.unit} "
            f"({below:,} or {below + rules.unit:,})",
        )


def _check_score(rules: Rules, number: int, score: int) -> None:
    check_unit(rules, number, score)
    who = f"the score {score:,} of seat {number + 1}"
    if score < 0 and not (rules.penalties.below_zero and _fines(rules)):
        raise PositionError("score_below_zero", f"{who} cannot be: nothing brings a score below zero in {rules.name}")
    first = max(rules.entry, rules.minimum)
    if 0 < score < first and not _loses_points(rules) and rules.finish != "welfare":
        raise PositionError(
            "score_below_entry",
            f"{who} cannot be: the first bank brings at least {first:,}, so it is 0, or {first:,} and more",
        )


def _entered(rules: Rules, number: int, score: int, on_board: bool | None) -> int:
    """The bits of `Seat.entered`: everybody is on the board who has points, unless somebody knows better."""
    if on_board is None:
        return -1 if rules.entry == 0 or score > 0 else 0
    if rules.entry == 0:
        raise PositionError("no_entry", f"nobody has to get on the board in {rules.name}: it has no entry score")
    if on_board and score == 0 and not _loses_points(rules):
        raise PositionError("on_board", f"seat {number + 1} has 0 points and cannot be on the board")
    if not on_board and score > 0 and not (rules.finish == "welfare" or rules.entry_each):
        raise PositionError("on_board", f"seat {number + 1} has {score:,} points and must be on the board")
    return -1 if on_board else 0


def _with_lives(rules: Rules, number: int, seat: Seat, lives: int) -> Seat:
    if not rules.lives.each:
        raise PositionError("no_lives", f"there are no lives in {rules.name}")
    if not 0 <= lives <= rules.lives.each:
        raise PositionError("lives", f"seat {number + 1} has {lives} lives: 0 to {rules.lives.each} are possible")
    if number == 0 and lives == 0:
        raise PositionError("lives", "the seat that moves has no life left: it is out of the game")
    return seat._replace(lives=lives, status="in" if lives else "out")


def _in_row(rules: Rules, farkles: int) -> int:
    most = rules.penalties.farkles_in_row
    if not most:
        raise PositionError("no_farkle_fine", f"farkles in a row do not count in {rules.name}")
    if not 0 <= farkles < most:
        raise PositionError(
            "farkles", f"{farkles} farkles in a row: 0 to {most - 1} are possible, then the count starts anew"
        )
    return farkles


def _fines(rules: Rules) -> bool:
    """Whether anything takes banked points as a penalty."""
    fines = rules.penalties
    return bool(fines.farkles_in_row or fines.farkle_all_dice or min(rules.scoring.triples) < 0)


def _loses_points(rules: Rules) -> bool:
    return _fines(rules) or rules.take_over.price == "stake"


# Where the game stands -----------------------------------------------------------------------------------------------


def _under_way(
    rules: Rules, seats: tuple[Seat, ...], last_turn: bool, first: int | None, rounds_left: int | None
) -> State:
    """The state at the start of the first seat's turn."""
    if first is not None and not 0 <= first < len(seats):
        raise PositionError("first_seat", f"there is no seat {first + 1} that could have started: 1 to {len(seats)}")
    reached = [number for number, seat in enumerate(seats) if rules.target and seat.score >= rules.target]
    closer = -1
    if reached:
        first, closer = _closer(rules, seats, reached, first)
    elif last_turn:
        raise PositionError(
            "last_turn",
            f"nobody has reached {rules.target:,}, so that this is no last turn"
            if rules.finish in ("last_turns", "equal_turns") and rules.target
            else f"there are no last turns in {rules.name}",
        )
    state = State(rules, seats, Phase.ROLL, dice=rules.dice, first=first or 0, closer=closer)
    alone = len(seats) > 1 and all(seat.status != "in" for seat in seats[1:])
    if alone:
        return state._replace(standing=_standing(rules, seats[0], rounds_left), rounds_left=rules.rounds)
    if rounds_left is None and rules.rounds and closer < 0:
        raise PositionError(
            "rounds_left", f"{rules.name} ends after {rules.rounds} rounds: say how many are left, this one included"
        )
    if rounds_left is not None and not 1 <= rounds_left <= rules.rounds:
        raise PositionError(
            "rounds_left",
            f"{rounds_left} rounds cannot be left: 1 to {rules.rounds}"
            if rules.rounds
            else f"the number of rounds is not limited in {rules.name}",
        )
    return state._replace(rounds_left=rounds_left or min(rules.rounds, 1))


def _closer(rules: Rules, seats: tuple[Seat, ...], reached: list[int], first: int | None) -> tuple[int, int]:
    """Who started, and whose bank began the last turns, where somebody has reached the target."""
    highest = max(seats[number].score for number in reached)
    if rules.finish not in ("last_turns", "equal_turns"):
        over = f", and {rules.target:,} is never passed" if rules.finish in ("exact", "welfare") else ""
        raise PositionError(
            "game_over", f"a score of {highest:,} has ended the game: the target is {rules.target:,}{over}"
        )
    if 0 in reached:
        raise PositionError(
            "game_over",
            f"the seat that moves has {highest:,} and has reached {rules.target:,}: it has no turn any more",
        )
    out = next((number for number in reached if seats[number].status != "in"), None)
    if out is not None:
        raise PositionError("lives", f"seat {out + 1} has reached {rules.target:,} and cannot be out of lives")
    if rules.finish == "last_turns":
        return first or 0, reached[0]
    if first is None:
        if len(seats) > 2:
            raise PositionError("first_seat", "the round is finished first: say which seat started the game")
        first = 1
    if first == 0 or reached[0] < first:
        raise PositionError(
            "game_over",
            f"seat {reached[0] + 1} has reached {rules.target:,} and that round is over: seat {first + 1} started it",
        )
    return first, reached[0]


def _standing(rules: Rules, seat: Seat, rounds_left: int | None) -> int:
    """Rounds of the last team standing: those given, or as many as its score would earn it now (O20)."""
    if rules.lives.last_standing == "wins":
        raise PositionError("game_over", "all others are out of lives: the one that is left has won")
    earned = -((seat.score - rules.target) // rules.lives.round_points)
    most = max(earned, -(-rules.target // rules.lives.round_points))
    if rounds_left is not None and not 1 <= rounds_left <= most:
        raise PositionError("rounds_left", f"{rounds_left} rounds cannot be left to the last one: 1 to {most}")
    return rounds_left or earned


# The turn ------------------------------------------------------------------------------------------------------------


def _faces(rules: Rules, roll: Iterable[int], dice: int | None) -> Roll:
    faces = roll_of(roll)
    wrong = [face for face in faces if face not in FACES]
    if wrong:
        raise PositionError("bad_face", f"the roll has the face {wrong[0]}; a die shows 1 to 6")
    if not 1 <= len(faces) <= rules.dice:
        raise PositionError("too_many_dice", f"the roll has {len(faces)} dice; a roll has 1 to {rules.dice}")
    if dice is not None and dice != len(faces):
        raise PositionError(
            "dice_differ", f"{faces_text(faces, '-')} is a roll of {len(faces)}, but {dice} dice are said to be rolled"
        )
    return faces


def _in_turn(state: State, turn: int, dice: int | None, idle: int, hot: int) -> State:
    """The state in which so many dice are about to be rolled, with that turn total."""
    rules = state.rules
    if dice is None:
        if turn:
            raise PositionError(
                "no_dice", f"{turn:,} points are set aside: say what was rolled, or how many dice are left"
            )
        dice = rules.dice
    if not 1 <= dice <= rules.dice:
        raise PositionError("too_many_dice", f"{counted(dice, 'die', 'dice')}: there are 1 to {rules.dice}")
    if idle and not rules.take_over.choose_dice:
        raise PositionError("idle", f"no dice lie idle in {rules.name}: a take-over is of all the dice")
    if not 0 <= idle <= rules.dice - dice:
        raise PositionError("idle", f"{idle} idle dice and {dice} to roll: there are {rules.dice} in all")
    if hot < 0 or (hot and not rules.hot_dice_multiplier):
        raise PositionError("hot", f"hot dice multiply nothing in {rules.name}: leave their number out")
    _check_total(rules, turn, dice + idle, hot, "a turn total")
    return state._replace(points=turn, dice=dice, idle=idle, hot=hot)


def _rolled(state: State, faces: Roll) -> State:
    after = apply(state, Throw(faces))
    if after.phase is not Phase.KEEP:
        raise PositionError(
            "farkle", f"nothing of {faces_text(faces, '-')} scores: it is a farkle, and nothing is to be decided"
        )
    return after


def _offered(state: State, offer: Offer) -> State:
    rules, take = state.rules, state.rules.take_over
    alive = [number for number, seat in enumerate(state.seats) if seat.status == "in"]
    if take.price == "none":
        raise PositionError("no_take_over", f"nothing is ever on offer in {rules.name}: it has no take-over")
    if len(alive) == 1 and not (take.after_farkle and len(state.seats) > 1):  # who has just gone out may leave an offer
        raise PositionError("no_offer", "nobody takes over from himself: a seat that is alone has no offers")
    if offer.points <= 0:
        farkle = "a farkle on the first roll of a turn" if take.after_farkle else "a farkle"
        raise PositionError(
            "no_offer", f"an offer of {offer.points:,} points cannot be: {farkle} leaves nothing to take"
        )
    if not 1 <= offer.dice <= rules.dice:
        raise PositionError("offer_dice", f"{offer.dice} dice cannot be on offer: 1 to {rules.dice}")
    if offer.dice == rules.dice and not (take.after_hot_dice or take.after_farkle):
        raise PositionError(
            "offer_dice", f"{offer.dice} dice cannot be on offer: at least one was set aside, and hot dice leave none"
        )
    _check_total(rules, offer.points, offer.dice, 0, "an offer")
    if not take.after_farkle:
        _check_banked(rules, state.seats[alive[-1]], alive[-1], offer.points)
    return state._replace(phase=Phase.OFFER, dice=0, offer=offer)


def _check_banked(rules: Rules, seat: Seat, number: int, points: int) -> None:
    """Refuse an offer that the seat before cannot have banked."""
    before = seat.score - points
    if before < 0 and not (rules.penalties.below_zero and _fines(rules)):
        raise PositionError(
            "offer", f"seat {number + 1} cannot have banked {points:,}: it has {seat.score:,}, with these points in it"
        )
    needs = max(rules.entry if before == 0 and not _loses_points(rules) else 0, rules.minimum)
    if points < needs and rules.finish != "welfare":
        raise PositionError("offer", f"an offer of {points:,} cannot be: that bank needed {needs:,} points")


def _check_total(rules: Rules, total: int, dice: int, hot: int, what: str) -> None:
    """Refuse a turn total that no turn comes to with so many dice left."""
    if total < 0 or total % rules.unit:
        below = max(0, total - total % rules.unit)
        raise PositionError(
            "turn_unit",
            f"{what} of {total:,} cannot be: points come in steps of {rules.unit} "
            f"({below:,} or {below + rules.unit:,})",
        )
    most = total + 100 * rules.unit
    possible = totals(rules, dice, hot, most)
    if total in possible:
        return
    nearest = sorted(possible, key=lambda each: abs(each - total))[:3]
    right = [f"{each:,}" for each in sorted(nearest)]
    after = f" after hot dice ({counted(hot, 'time', 'times')})" if hot else ""
    raise PositionError(
        "turn_total",
        f"{what} of {total:,} with {counted(dice, 'die', 'dice')} left{after} cannot be"
        + (f"; the nearest are {', '.join(right)}" if right else ""),
    )


@lru_cache(maxsize=16)
def _totals(rules: Rules, most: int) -> dict[tuple[int, int], int]:
    """Turn totals up to ``most`` units that can occur, as bits, by the hot dice that multiply and the dice left.

    Building on an offer is going on with the turn before, in which no hot dice multiply any more. Bought dice that are
    all set aside, while others lie idle and the bank is refused, give all the dice (D12).
    """
    steps = {
        dice: {
            (kept.points // rules.unit, kept.left, kept.hot)
            for scored in score_table(rules).rolls(dice)
            for kept in scored.keeps.values()
        }
        for dice in range(1, rules.dice + 1)
    }
    if rules.take_over.choose_dice and (rules.entry or rules.minimum):
        for dice in range(rules.dice, 1, -1):
            for fewer in range(1, dice):
                steps[dice] |= {step for step in steps[fewer] if step[2]}
    mask = (1 << most + 1) - 1
    found = {(0, rules.dice): 1}
    todo = {(0, rules.dice)}

    def add(key: tuple[int, int], bits: int) -> None:
        if bits & ~found.get(key, 0):
            found[key] = found.get(key, 0) | bits
            todo.add(key)

    while todo:
        hot, dice = todo.pop()
        bits = found[hot, dice]
        if rules.take_over.price != "none":
            add((0, dice), bits)
        for points, left, is_hot in steps[dice]:
            heat = hot + 1 if is_hot and rules.hot_dice_multiplier else hot
            add((heat, left), bits << points * (1 + hot) & mask)
    return found
