"""A position as people say it at the table, made into a `State`: scores, turn total, roll, offer, lives.

A position that cannot occur under the rules is refused with a code that says what was wrong and what would be right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import count
from math import gcd

from farkel.coach.fields import strange
from farkel.coach.possible_turns import OFF_BOARD, ON_BOARD, hands, may_bank, reached, refused
from farkel.dice import FACES, Roll, faces_text, roll_of
from farkel.errors import PositionError
from farkel.game import Keep, Offer, Phase, Seat, State, Throw, apply, law, new_game
from farkel.game.choices import Rolling, choice
from farkel.game.numbered import numbered
from farkel.game.scoring import score_table
from farkel.rules import AnyRules, Rules, as_rules
from farkel.support.words import counted, counted_dice


def position(
    rules: AnyRules,
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
    """Return the state in which the first seat of ``scores`` is about to decide; the others follow in the
    order of play.

    ``turn`` points are set aside already, and ``roll`` has just fallen; or this many ``dice`` are left and the question
    is whether to roll them; or there is an ``offer`` to take over. ``idle`` dice of an offer were not bought, and
    ``hot`` counts the hot dice of this turn if they multiply points. Points that were
    taken over and do not count toward the entry score (T3) cannot be given: the turn total of a seat that is not on the
    board was rolled. Lives that are not given are all there, a seat with points is on the board, no farkles in a row
    are counted, and the seat that moves started the game, unless a seat has reached the target. A fine that the roll
    costs is not yet taken from the score.

    Raises `PositionError`, or `PlayerError` ``bad_seats`` for a number of seats that the rules do not know.
    """
    rules = as_rules(rules)
    check_understood(rules)
    seats = _seats(rules, scores, lives, on_board, farkles)
    state = _under_way(rules, seats, last_turn, first, rounds_left)
    if offer is not None:
        if turn or roll is not None or dice is not None:
            raise PositionError(
                "offer_and_turn",
                "you decide on an offer before you roll: give the offer, or the roll and the kept dice",
            )
        return _offered(state, offer)
    faces = None if roll is None else _faces(rules, roll, dice)
    state = _in_turn(state, turn, dice if faces is None else len(faces), idle, hot)
    return state if faces is None else _rolled(state, faces)


def check_understood(rules: Rules) -> None:
    """Raise `PositionError`, with the name of a field as its code, for rules whose positions cannot be described."""
    if (found := strange(rules)) is not None:
        raise PositionError(found.name, f"{found.written} is not known to the coach: leave it out")


def leading_to(state: State) -> tuple[State, Keep]:
    """Return a decision that leads to this `Phase.ROLL`, in which ``state.points`` are set aside: a state and its keep.

    It answers "roll on or bank?" if the kept dice are not given. Raises `PositionError` ``nothing_to_decide`` at the
    start of a turn.
    """
    if state.phase is not Phase.ROLL or state.taking or not state.points:
        raise PositionError(
            "nothing_to_decide",
            "no decision to make: give a roll, an offer, or a turn total with the dice that are left",
        )
    rules, then = state.rules, Rolling(state.dice, state.idle, state.hot, sets=state.sets)
    found = _keep_that_leads_to(rules, then)
    if found is None:
        if _keep_that_leads_to(rules, then._replace(hot=state.hot + 1)):
            raise PositionError("hot", f"all {state.dice} dice are rolled again: say how often there were hot dice")
        raise PositionError("turn_total", f"no keep leaves {counted_dice(state.dice)} under these rules")
    before, rolled, points, dice = found
    left = state.points - points
    leads = state._replace(
        phase=Phase.KEEP,
        points=left,
        dice=before.dice,
        idle=before.idle,
        hot=before.hot,
        sets=before.sets,
        rolled=rolled,
    )
    return leads, Keep(dice, "roll")


@lru_cache(maxsize=256)
def _keep_that_leads_to(rules: Rules, then: Rolling) -> tuple[Rolling, int, int, Roll] | None:
    """Return the roll, its number, and points and dice of the keep that leads to this.

    If possible it need not be banked, and is of few points of a roll that does not end the turn.
    """
    book = numbered(rules)
    found = [
        ((option.must_bank, what.ends, option.points, scored.roll), before, rolled, option)
        for before in hands(rules, then.hot)
        for scored in score_table(rules, before.sets).rolls(before.dice)
        for rolled in [book.number[scored.roll] + book.terms.shift[before.sets]]
        for what in [choice(book.terms, before, rolled)]
        for option in what.options
        if option.then == then
    ]
    if not found:
        return None
    _, before, rolled, option = min(found)
    return before, rolled, option.points, book.thens[option.keep][0].dice


def totals(rules: Rules, dice: int, hot: int, most: int) -> tuple[int, ...]:
    """Return the turn totals up to ``most`` with which this many dice can be left, after this many hot dice
    that multiply.
    """
    return _points(rules, reached(rules, most // rules.unit).totals.get(Rolling(dice, 0, hot), 0))


def offers(rules: Rules, dice: int, most: int) -> tuple[int, ...]:
    """Return the points up to ``most`` that can be on offer with this many dice."""
    return _points(rules, reached(rules, most // rules.unit).offers.get(dice, 0))


def _points(rules: Rules, bits: int) -> tuple[int, ...]:
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


def check_unit(rules: Rules, number: int, score: int, unit: int = 0) -> None:
    """Raise `PositionError` ``score_unit`` for a score that no points add up to."""
    unit = unit or rules.unit
    if score % unit:
        below = score - score % unit
        raise PositionError(
            "score_unit",
            f"the score {score:,} of seat {number + 1} cannot be: scores move in steps of {unit} "
            f"({below:,} or {below + unit:,})",
        )


def _check_score(rules: Rules, number: int, score: int) -> None:
    check_unit(rules, number, score, _score_unit(rules))
    who = f"the score {score:,} of seat {number + 1}"
    if score < 0 and not _falls_below_zero(rules):
        raise PositionError("score_below_zero", f"{who} cannot be: nothing brings a score below zero in {rules.name}")
    first = first_bank(rules)
    if 0 < score < first and not _loses_points(rules) and rules.finish != "welfare":
        raise PositionError(
            "score_below_entry",
            f"{who} cannot be: the first bank brings at least {first:,}, so it is 0, or {first:,} and more",
        )


def first_bank(rules: Rules, seat: Seat = OFF_BOARD) -> int:
    """Return the least turn total that the seat may bank; the first of a game if no other is given."""
    terms = numbered(rules).terms
    return next(total for total in count(rules.unit, rules.unit) if not law.why_not_total(terms, seat, total))


@lru_cache(maxsize=64)
def _score_unit(rules: Rules) -> int:
    """Return the number that all scores are multiples of: banks, losses, and points beyond a target given away."""
    units = 2 * first_bank(rules, ON_BOARD) // rules.unit + 1
    banks = _points(rules, may_bank(rules, ON_BOARD, units))
    return gcd(*banks, *_fines(rules), rules.take_over.stake, rules.target if rules.finish == "welfare" else 0)


def _entered(rules: Rules, number: int, score: int, on_board: bool | None) -> int:
    """Return the bits of `Seat.entered`: every seat with points is on the board, unless ``entered`` says otherwise."""
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
        raise PositionError("lives", "the player to move has no lives left and is out")
    return seat._replace(lives=lives, gone=law.IN if lives else law.OUT)


def _in_row(rules: Rules, farkles: int) -> int:
    most = rules.penalties.farkles_in_row
    if not most:
        raise PositionError("no_farkle_fine", f"farkles in a row do not count in {rules.name}")
    if not 0 <= farkles < most:
        raise PositionError(
            "farkles", f"{farkles} farkles in a row: 0 to {most - 1} are possible, then the count starts again"
        )
    return farkles


@lru_cache(maxsize=64)
def _fines(rules: Rules) -> frozenset[int]:
    """Return all banked points that penalties take together."""
    terms = numbered(rules).terms
    rows = [Seat(farkles=farkles) for farkles in range(max(1, terms.in_row))]
    hands = range(1, terms.dice + 1)
    costs = {law.farkle_cost(terms, row, dice, first=False, total=0)[1] for row in rows for dice in hands}
    return frozenset({*terms.fine, *costs} - {0})


def _falls_below_zero(rules: Rules) -> bool:
    return any(law.fined(numbered(rules).terms, 0, fine) < 0 for fine in _fines(rules))


def _loses_points(rules: Rules) -> bool:
    return bool(_fines(rules)) or rules.take_over.costs_points


# Where the game stands -----------------------------------------------------------------------------------------------


def _under_way(
    rules: Rules, seats: tuple[Seat, ...], last_turn: bool, first: int | None, rounds_left: int | None
) -> State:
    """Return the state at the start of the first seat's turn."""
    if first is not None and not 0 <= first < len(seats):
        raise PositionError("first_seat", f"there is no seat {first + 1} that could have started: 1 to {len(seats)}")
    reached = [number for number, seat in enumerate(seats) if rules.target and seat.score >= rules.target]
    closer = -1
    if reached:
        first, closer = _closer(rules, seats, reached, first)
    elif last_turn:
        raise PositionError(
            "last_turn",
            f"nobody has reached {rules.target:,}, so these are not the last turns"
            if rules.finish in ("last_turns", "equal_turns") and rules.target
            else f"there are no last turns in {rules.name}",
        )
    state = State(rules, seats, Phase.ROLL, dice=rules.dice, first=first or 0, closer=closer)
    alone = len(seats) > 1 and all(seat.status != "in" for seat in seats[1:])
    if alone:
        return state._replace(standing=_standing(rules, seats[0], rounds_left), rounds_left=rules.rounds)
    _check_rounds(rules, rounds_left, closer)
    return state._replace(rounds_left=rounds_left or min(rules.rounds, 1))


def _check_rounds(rules: Rules, rounds_left: int | None, closer: int) -> None:
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


def _closer(rules: Rules, seats: tuple[Seat, ...], reached: list[int], first: int | None) -> tuple[int, int]:
    """Return who started, and whose bank began the last turns, if a seat has reached the target."""
    closer = reached[0]
    if first is None and rules.finish == "equal_turns" and closer and len(seats) > 2:
        raise PositionError("first_seat", "the round is finished first: say which seat started the game")
    first = first if first is not None else int(rules.finish == "equal_turns" and len(seats) > 1)
    now = _played_on(rules, seats, closer, first)
    highest = max(seats[number].score for number in reached)
    if now[law.CLOSER] < 0:
        over = f", and {rules.target:,} is never passed" if rules.exact else ""
        raise PositionError(
            "game_over", f"a score of {highest:,} has ended the game: the target is {rules.target:,}{over}"
        )
    if closer == 0:
        raise PositionError(
            "game_over",
            f"the player to move has {highest:,} and has reached {rules.target:,}: it has no more turns",
        )
    out = next((number for number in reached if seats[number].status != "in"), None)
    if out is not None:
        raise PositionError("lives", f"seat {out + 1} has reached {rules.target:,} and cannot be out of lives")
    if now[law.PHASE] == law.OVER:
        raise PositionError(
            "game_over",
            f"seat {closer + 1} has reached {rules.target:,} and that round is over: seat {first + 1} started it",
        )
    return first, closer


def _played_on(rules: Rules, seats: tuple[Seat, ...], closer: int, first: int) -> list[int]:
    """Return the row of the game in which that seat banks the target, and no other does anything up to the
    one that moves.
    """
    terms, rows, now = numbered(rules).terms, [list(seat) for seat in seats], [0] * law.NOW
    rows[closer][law.SCORE] = 0
    now[law.SEAT], now[law.FIRST], now[law.CLOSER] = closer, first, -1
    law.bank_total(terms, rows, now, seats[closer].score, 0)
    while now[law.SEAT] != 0 and now[law.PHASE] != law.OVER:
        law.pass_on(terms, rows, now, 0, 0)
    return now


def _standing(rules: Rules, seat: Seat, rounds_left: int | None) -> int:
    """Return the rounds of the last team standing: those given, or as many as its score would earn it now (O20)."""
    terms, now = numbered(rules).terms, [0] * law.NOW
    if terms.standing_wins:
        raise PositionError("game_over", "all others are out: the last player standing has won")
    earned = law.rounds_standing(terms, seat, now)
    most = max(earned, law.rounds_standing(terms, seat._replace(score=0), now))
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
            "dice_differ",
            f"{faces_text(faces, '-')} is a roll of {len(faces)}, but {counted_dice(dice)} had to be rolled",
        )
    return faces


def _in_turn(state: State, turn: int, dice: int | None, idle: int, hot: int) -> State:
    """Return the state in which this many dice are about to be rolled, with that turn total."""
    rules = state.rules
    if dice is None:
        if turn:
            raise PositionError("no_dice", f"{turn:,} points are kept: give the roll, or the number of dice left")
        dice = rules.dice
    if not 1 <= dice <= rules.dice:
        raise PositionError("too_many_dice", f"{counted_dice(dice)}: there are 1 to {rules.dice}")
    if idle and not any(hand.idle for hand in hands(rules, 0)):
        raise PositionError("idle", f"no dice are left unused in {rules.name}: a take-over uses all dice")
    if not 0 <= idle <= rules.dice - dice:
        raise PositionError("idle", f"{idle} idle dice and {dice} to roll: there are {rules.dice} in all")
    if hot < 0 or (hot and not any(hand.hot for hand in hands(rules, 1))):
        raise PositionError("hot", f"hot dice multiply nothing in {rules.name}: leave their number out")
    hand, most = Rolling(dice, idle, hot), _enough(rules, turn)
    _check_total(rules, turn, reached(rules, most).totals.get(hand, 0), _what("a turn total", turn, dice + idle, hot))
    return state._replace(points=turn, dice=dice, idle=idle, hot=hot)


def _rolled(state: State, faces: Roll) -> State:
    after = apply(state, Throw(faces))
    if after.phase is not Phase.KEEP:
        raise PositionError(
            "farkle", f"nothing of {faces_text(faces, '-')} scores: it is a farkle, and there is no decision to make"
        )
    return after


def _offered(state: State, offer: Offer) -> State:
    rules, take = state.rules, state.rules.take_over
    alive = [number for number, seat in enumerate(state.seats) if seat.status == "in"]
    found = reached(rules, _enough(rules, offer.points)).offers
    if not found:
        raise PositionError("no_take_over", f"nothing is ever on offer in {rules.name}: it has no take-over")
    if len(alive) == 1 and not (take.after_farkle and len(state.seats) > 1):  # a player just out may leave an offer
        raise PositionError(
            "no_offer", "players cannot take over their own offer: with no other player left nothing is on offer"
        )
    if offer.points <= 0:
        farkle = "a farkle on the first roll of a turn" if take.after_farkle else "a farkle"
        raise PositionError(
            "no_offer", f"an offer of {offer.points:,} points cannot be: {farkle} leaves nothing to take"
        )
    if not 1 <= offer.dice <= rules.dice:
        raise PositionError("offer_dice", f"{offer.dice} dice cannot be on offer: 1 to {rules.dice}")
    if offer.dice not in found:
        offered = counted_dice(offer.dice)
        raise PositionError(
            "offer_dice", f"{offered} cannot be on offer: at least one was set aside, and hot dice leave none"
        )
    if not take.after_farkle:
        _check_banked(state, alive[-1], offer.points)
    _check_total(rules, offer.points, found[offer.dice], _what("an offer", offer.points, offer.dice))
    return state._replace(phase=Phase.OFFER, dice=0, offer_points=offer.points, offer_dice=offer.dice)


def _check_banked(state: State, number: int, points: int) -> None:
    """Refuse an offer that the seat before cannot have banked."""
    rules, score = state.rules, state.seats[number].score
    before = score - points
    if before < 0 and not _falls_below_zero(rules):
        raise PositionError(
            "offer", f"seat {number + 1} cannot have banked {points:,}: it has {score:,}, with these points in it"
        )
    new = rules.entry and before == 0 and not _loses_points(rules)
    seats = list(state.seats)
    seats[number] = (OFF_BOARD if new else ON_BOARD)._replace(score=before)
    why = law.why_not_total(numbered(rules).terms, seats[number], points)
    if why:
        _, sentence = refused(state._replace(seats=tuple(seats), seat=number), why, points)
        raise PositionError("offer", f"an offer of {points:,} cannot be: {sentence}")


def _what(what: str, total: int, dice: int, hot: int = 0) -> str:
    after = f" after hot dice ({counted(hot, 'time', 'times')})" if hot else ""
    return f"{what} of {total:,} with {counted_dice(dice)} left{after}"


def _enough(rules: Rules, total: int) -> int:
    """Return as many units as the total, and some more to find what is near it."""
    return max(0, total // rules.unit) + 100


def _check_total(rules: Rules, total: int, bits: int, what: str) -> None:
    """Refuse a turn total that is none of those that can be, as bits."""
    if total < 0 or total % rules.unit:
        below = max(0, total - total % rules.unit)
        raise PositionError(
            "turn_unit",
            f"{what} cannot be: points come in steps of {rules.unit} ({below:,} or {below + rules.unit:,})",
        )
    possible = _points(rules, bits)
    if total not in possible:
        nearest = sorted(sorted(possible, key=lambda each: abs(each - total))[:3])
        right = f"; the nearest are {', '.join(f'{each:,}' for each in nearest)}" if nearest else ""
        raise PositionError("turn_total", f"{what} cannot be{right}")
