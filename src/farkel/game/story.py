"""What followed from an event: facts for programs, and the same facts in words for people.

The engine changes states; this module compares the state before with the state after, so that a farkle, a lost life or
the last turns are told in the same words by the terminal, the record and all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from farkel.dice import Roll, faces_text
from farkel.game import (
    Event,
    Fresh,
    Keep,
    Note,
    Offer,
    Phase,
    Seat,
    State,
    TakeOver,
    Throw,
)
from farkel.rules import entry, farkle_word
from farkel.rules.pattern_tables import known
from farkel.support.words import capital, counted, counted_dice

Kind = Literal[
    "threw",
    "starts",
    "rolled",
    "fined",
    "turn_fined",
    "farkle",
    "lives_paid",
    "lives_lost",
    "penalty",
    "out",
    "kept",
    "tries",
    "hot_dice",
    "owing",
    "rewarded",
    "again",
    "try_again",
    "winning_roll",
    "winning_keep",
    "losing_roll",
    "score_lost",
    "kept_total",
    "banked",
    "sent_back",
    "overtaken",
    "on_board",
    "off_board",
    "went_over",
    "target_moved",
    "win_waits",
    "win_cancelled",
    "gift",
    "fresh",
    "took_over",
    "staked",
    "stake_back",
    "stake_lost",
    "passed_over",
    "left",
    "offer",
    "last_turns",
    "last_round",
    "another_turn",
    "turns_again",
    "exact_hit",
    "knocked_out",
    "more_turns",
    "turns_off",
    "play_off",
    "standing",
    "over",
]


SENTENCES: Mapping[Kind, str] = {
    # The start, and the roll
    "threw": "{who} rolls a {faces} for the start.",
    "starts": "{who} starts.",
    "rolled": "{who} rolls {faces}.",
    "fined": "This roll costs {who} {points} banked points.",
    "turn_fined": "This roll costs {who} {points} points of the turn total.",
    # A farkle and its price
    "farkle": "{farkle}! {who} loses the turn total of {points}.",
    "lives_paid": "{who} pays {lives}; {points} left.",
    "lives_lost": "{who} loses {lives}; {points} left.",
    "kept_total": "{farkle}! {who} keeps the turn total of {points}.",
    "penalty": "{who} loses {points} banked points as a penalty.",
    "out": "{who} has no lives left and is out.",
    "losing_roll": "{faces} is a losing roll: {who} is out.",
    "score_lost": "This roll costs {who} the whole score of {points}.",
    "again": "{who} rolls these dice again.",
    "try_again": "{who} may roll the last die {times} more.",
    "winning_roll": "{faces} is a winning roll.",
    "rewarded": "{who} gets {points} bonus points.",
    # A keep and a bank
    "kept": "{who} keeps {faces} for {points}.",
    "tries": "{who} sets {faces} aside: the next roll must complete them.",
    "hot_dice": "{hot}: all dice are kept.",
    "winning_keep": "{faces} wins the game.",
    "owing": "{who} needs {points} more points before banking.",
    "banked": "{who} banks {points} and has {score}.",
    "sent_back": "{who} is sent back to {score}.",
    "overtaken": "{who} is overtaken and loses {points} points.",
    "on_board": "{who} is on the board.",
    "off_board": "{who} is off the board and has to make the entry score again.",
    "went_over": "{who} overshoots {target} by {points} and scores nothing.",
    "target_moved": "{who} passes {score}: the target is now {points} for everyone.",
    "win_waits": "{who} hits {points} and leaves {dice}: if the next player scores with them, that does not count.",
    "win_cancelled": "{who} does not win: the bank of {points} is cancelled.",
    "gift": "{who} gets {points}.",
    # Take-overs
    "fresh": "{who} starts fresh with all dice.",
    "took_over": "{who} takes over {points} points with {dice}.",
    "staked": "{who} stakes {points} points.",
    "stake_back": "{who} gets the stake of {points} back.",
    "stake_lost": "{who} loses the stake of {points}.",
    "offer": "{who} leaves {dice} and {points} points to take over.",
    # Seats, and the end
    "passed_over": "{who}'s turn is skipped.",
    "left": "{who} leaves the table.",
    "last_turns": "{who} has reached {target}: everyone else has {last}.",
    "last_round": "{who} has reached {target}: the round is played to its end, then the highest score wins.",
    "another_turn": "{who} is passed and has another turn.",
    "turns_again": "{who} leads now: everyone else has another turn.",
    "exact_hit": "{who} is at {target}: everyone else has one more turn to hit it too.",
    "knocked_out": "{who} is at {target} now.",
    "more_turns": "{who} has {turns}.",
    "turns_off": "Nobody who is still here has reached {target}: the game goes on.",
    "play_off": "Equal scores: {tied} play off, one turn each.",
    "standing": "{who} is the last player standing and gets {rounds}.",
}
"""The sentence for each kind of fact; for a farkle, if it loses points. The end has many sentences: `ending`."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that happened to one seat. ``points``, ``count`` and ``dice`` mean what the kind says."""

    kind: Kind
    seat: int
    points: int = 0
    count: int = 0
    dice: Roll = ()


def facts(before: State, event: Event, after: State) -> tuple[Fact, ...]:
    """Return the facts of an event, in the order in which a person would tell them.

    ``after`` is ``apply(before, event)``.
    """
    seat = before.seat
    if isinstance(event, Throw):
        happened = _started(before, event, after) if before.phase is Phase.START else _rolled(before, event, after)
    elif isinstance(event, Keep):
        happened = _kept(before, event, after)
    elif isinstance(event, TakeOver):
        happened = _took(before, event)
    elif isinstance(event, Fresh):
        happened = [Fact("fresh", seat)]
    elif isinstance(event, Note):
        happened = _noted(before, event, after)
    else:
        happened = [Fact("left", event.seat)]
    return (*happened, *_turned(before, event, after))


def farkled(before: State, event: Event) -> bool:
    """Return whether the event is a roll in which nothing scores."""
    if not isinstance(event, Throw) or before.phase is not Phase.ROLL or before.rolls_again(event.faces):
        return False
    return before.scored_as(event.faces).farkle


def _started(before: State, event: Throw, after: State) -> list[Fact]:
    found = [Fact("threw", before.seat, dice=event.faces)]
    if after.phase is Phase.ROLL:
        found.append(Fact("starts", after.seat))
    return found


TOLD = ("", "farkle", "zero", "lose", "win", "again")
"""The effects of rolls that are told."""


def _rolled(before: State, event: Throw, after: State) -> list[Fact]:
    rules, seat = before.rules, before.seat
    scored = before.scored_as(event.faces)
    found = [Fact("rolled", seat, dice=event.faces)]
    if before.may_cancel:
        return [*found, *_cancelled(before, after)]
    score, total = before.seats[seat].score, before.points
    if scored.fine > 0 and rules.penalties.fines_from == "turn":
        fine = min(total, scored.fine)
        found += [Fact("turn_fined", seat, fine)] if fine else []
        total -= fine
    elif scored.fine < 0:
        found += _rewarded(before, score, -scored.fine)
        score += sum(fact.points for fact in found)
    elif scored.fine:
        fine = score - before.fined(score, scored.fine)
        found += [Fact("fined", seat, fine)] if fine else []
        score -= fine
    ends = known(scored.ends, TOLD, "the log")
    if ends == "again":
        return [*found, Fact("again", seat)]
    if ends == "win":
        return [*found, Fact("winning_roll", seat, dice=event.faces)]
    if before.rolls_again(event.faces):
        return [*found, Fact("try_again", seat, count=before.tries_left - 1)]
    stake = rules.take_over.stake if before.taking else 0
    if after.phase is Phase.KEEP:
        return [*found, Fact("stake_back", seat, stake)] if stake else found
    if ends == "lose":
        found.append(Fact("losing_roll", seat, dice=event.faces))
        return [*found, Fact("stake_lost", seat, stake)] if stake else found
    lost = 0 if before.taking else total
    if ends == "zero" and score > 0:
        found.append(Fact("score_lost", seat, score))
        score = 0
    paid = before if score == before.seats[seat].score else before._replace(seats=_with_score(before, score))
    return [*found, *_farkled(paid, after, lost, len(event.faces), stake, score)]


def _rewarded(before: State, score: int, points: int) -> list[Fact]:
    """Return immediate points for the banked score, if they do not pass an exact target."""
    passes = before.rules.exact and score + points > before.goal
    return [] if passes else [Fact("rewarded", before.seat, points)]


def _with_score(state: State, score: int) -> tuple[Seat, ...]:
    """Return the seats, that of the seat to move with another score."""
    mine = state.mine._replace(score=score)
    return (*state.seats[: state.seat], mine, *state.seats[state.seat + 1 :])


def _farkled(before: State, after: State, lost: int, dice: int, stake: int, score: int) -> list[Fact]:
    """Return a farkle that loses this many points, with this many dice, and the stake; and its cost for a seat
    at ``score``.
    """
    seat = before.seat
    if before.keeps_total(lost):
        return [Fact("kept_total", seat, lost, dice), *_banked(before, after, lost, score)]
    found = [Fact("farkle", seat, lost, dice)]
    if stake:
        found.append(Fact("stake_lost", seat, stake))
    was, now = before.seats[seat], after.seats[seat]
    if score > now.score:
        found.append(Fact("penalty", seat, score - now.score))
    if was.lives > now.lives:
        found.append(Fact("lives_lost", seat, now.lives, was.lives - now.lives))
    if now.status == "out":
        found.append(Fact("out", seat))
    return found


def _kept(before: State, event: Keep, after: State) -> list[Fact]:
    seat = before.seat
    scored, rules, score = before.scored, before.rules, before.seats[seat].score
    kept = scored.keeps[event.dice] if scored else None
    total = before.turn_total(event.dice)
    if kept is not None and kept.tries:
        return [Fact("tries", seat, dice=event.dice)]
    found = [Fact("kept", seat, total - before.points, dice=event.dice)]
    if kept is None or kept.wins:
        return [*found, Fact("winning_keep", seat, dice=event.dice)]
    if kept.hot and not before.idle:
        if event.then == "roll" or rules.hot_dice_bonus:  # whoever banks has no use for them
            found.append(Fact("hot_dice", seat))
        if rules.hot_dice_bonus_to == "score":
            rewards = _rewarded(before, score, rules.hot_dice_bonus)
            found += rewards
            score += sum(fact.points for fact in rewards)
    owing = before.owing_after(event.dice)
    if event.then == "roll":
        return [*found, Fact("owing", seat, owing)] if owing else found
    if before.closer < 0 and before.goal <= score > before.seats[seat].score and _reached(after):
        return found
    return [*found, *_banked(before, after, total, score)]


def _reached(after: State) -> bool:
    """Return whether the game has ended because a player reached the target."""
    return after.result is not None and after.result.reason in ("target", "exact")


def _cancelled(before: State, after: State) -> list[Fact]:
    """Return the fate of a winning bank that waited."""
    short = before.goal - before.seats[before.closer].score
    return [] if after.over else [Fact("win_cancelled", before.closer, short)]


def _banked(before: State, after: State, total: int, score: int) -> list[Fact]:
    """Return a bank of the turn total by the seat to move, at ``score`` until then."""
    rules, seat = before.rules, before.seat
    if rules.exact and score + total > after.goal:
        gifts = [
            Fact("gift", index, other.score - earlier.score)
            for index, (earlier, other) in enumerate(zip(before.seats, after.seats, strict=True))
            if index != seat and other.score > earlier.score
        ]
        return [Fact("went_over", seat, score + total - after.goal), *gifts]
    if after.may_cancel and after.closer == seat:
        return [Fact("win_waits", seat, after.goal, after.dice)]
    found = [Fact("banked", seat, total, after.seats[seat].score), *_caught_up(before, after, score + total)]
    if after.seats[seat].moved and not before.seats[seat].moved:
        found.append(Fact("target_moved", seat, rules.missed_target, rules.target))
    if not before.seats[seat].on_board and after.seats[seat].entered != before.seats[seat].entered:
        found.append(Fact("on_board", seat))
    return found


def _caught_up(before: State, after: State, reached: int) -> list[Fact]:
    """Return the cost of a bank that reached that score for the others."""
    found: list[Fact] = []
    for index, (earlier, other) in enumerate(zip(before.seats, after.seats, strict=True)):
        lost = earlier.score - other.score
        if lost > 0 and index != before.seat:
            sent = earlier.score == reached
            found.append(Fact("sent_back" if sent else "overtaken", index, lost, other.score))
    return found


def _noted(before: State, event: Note, after: State) -> list[Fact]:
    seat = before.seat
    if event.passes:
        return [Fact("passed_over", seat)]
    if before.may_cancel:
        banked = [] if event.farkle or after.over else _banked(before, after, event.points, before.seats[seat].score)
        return [*_cancelled(before, after), *banked] if not event.farkle else [Fact("farkle", seat, 0, event.dice)]
    stake = before.rules.take_over.stake if before.taking else 0
    score, found = before.seats[seat].score, []
    lost = 0 if before.taking else event.points
    if before.first_roll_scored(event):
        found = [Fact("stake_back", seat, stake)] if stake else []
        score, stake, lost = score + stake, 0, event.points
    if event.farkle:
        return [*found, *_farkled(before, after, lost, event.dice, stake, score)]
    return [*found, *_banked(before, after, event.points, score)]


def _took(before: State, event: TakeOver) -> list[Fact]:
    offer, take, seat = before.offer or Offer(0, 0), before.rules.take_over, before.seat
    found = [Fact("took_over", seat, offer.points, event.dice)]
    if take.costs_lives:
        found.append(Fact("lives_paid", seat, before.seats[seat].lives - event.dice, event.dice))
    if take.costs_points:
        found.append(Fact("staked", seat, take.stake))
    return found


def _turned(before: State, event: Event, after: State) -> list[Fact]:
    """Return the facts that follow from the end of a turn."""
    seats = enumerate(zip(before.seats, after.seats, strict=True))
    fell = [index for index, (was, now) in seats if was.entered and not now.entered and now.status == "in"]
    found = [Fact("off_board", index) for index in fell]
    if after.offer is not None and after.seat != before.seat:
        found.append(Fact("offer", before.seat, after.offer.points, after.offer.dice))
    if after.closer != before.closer and not after.over and not after.rules.cancel_win:
        found.append(_last_turns(before, after))
    if after.more < before.more and not after.over and after.seat == before.seat:
        found.append(Fact("more_turns", after.seat, count=after.more + 1))
    if after.owed & after.tied == after.tied != 0:
        found.append(Fact("play_off", after.seat))
    if after.standing and not before.standing:
        last = next(index for index, seat in enumerate(after.seats) if seat.status == "in")
        found.append(Fact("standing", last, count=after.standing))
    if before.may_cancel and after.over:
        winner, score = before.closer, after.seats[before.closer].score
        found.append(Fact("banked", winner, score - before.seats[winner].score, score))
    if after.over:
        found.append(Fact("over", before.seat))
    return found


def _last_turns(before: State, after: State) -> Fact:
    """Return what has become of the last turns."""
    if after.rules.exact_hit == "round" and after.closer >= 0:
        return Fact("exact_hit" if before.closer < 0 else "knocked_out", after.closer)
    if before.closer < 0:
        return Fact("last_turns" if after.rules.finish == "last_turns" else "last_round", after.closer)
    if after.closer < 0:
        return Fact("turns_off", before.closer)
    passed = after.rules.last_turns_again == "passed"
    return Fact("another_turn", before.closer) if passed else Fact("turns_again", after.closer)


def tell(fact: Fact, names: Sequence[str], state: State, sentences: Mapping[Kind, str] = SENTENCES) -> str:
    """Return the fact as a sentence. ``names`` are the seats' names, ``state`` is the one after the event."""
    if fact.kind == "over":
        return ending(state, names)
    words, count, in_row = entry(state.rules.name).words, fact.count, state.rules.turns_in_row
    farkle = (words.farkle_all_dice if count == state.rules.dice else "") or farkle_word(state.rules.name)
    if fact.kind == "farkle" and not fact.points:
        return f"{capital(farkle)}! {names[fact.seat]} scores nothing."
    if fact.kind == "threw" and len(fact.dice) > 1:
        faces = faces_text(fact.dice, "-")
        return f"{names[fact.seat]} rolls {faces} for the start, {sum(fact.dice)} in total."
    tied = [name for seat, name in enumerate(names) if state.tied >> seat & 1]
    if fact.kind == "owing" and fact.points == 1:
        return f"{names[fact.seat]} must score in another roll before banking."
    return sentences[fact.kind].format(
        who=names[fact.seat],
        farkle=capital(farkle),
        hot=capital(words.hot_dice or "hot dice"),
        points=f"{fact.points:,}",
        faces=faces_text(fact.dice, "-"),
        score=f"{count:,}",
        lives=counted(count, "life", "lives"),
        dice=counted_dice(count),
        rounds=counted(count, "more round", "more rounds"),
        turns=counted(count, "more turn", "more turns"),
        last="one last turn" if in_row == 1 else f"{in_row} last turns",
        turn="turn" if in_row == 1 else f"{in_row} turns",
        times={1: "once", 2: "twice"}.get(count, f"{count} times"),
        tied=" and ".join(tied),
        players=counted(len(tied), "player", "players"),
        target=f"{state.goal:,}",
    )


ENDINGS: Mapping[str, str] = {
    "target": "{who} {wins} with {score}, the first to reach {target}.",
    "exact": "{who} {wins} with exactly {target}.",
    "last_turns": "{who} {wins} with {score}, the highest score after the last turns{first}.",
    "equal_turns": "{who} {wins} with {score}, the highest score after equal turns{first}.",
    "fewest_rounds": "{who} {wins}: {target} in the fewest rounds.",
    "play_off": "{who} {wins} the play-off with {score}.",
    "rounds": "{who} {wins} with {score}, the highest score after {rounds}.",
    "standing": "{who} {wins}: the last one{left}.",
    "dice": "{who} {wins} at once with winning dice.",
    "left": "{who} {wins}: everyone else has left the table.",
}
"""The sentence for each way to win a game."""


def ending(state: State, names: Sequence[str]) -> str:
    """Return who won, and why, in a sentence."""
    if state.result is None:
        return "The game is not over."
    winners = state.result.winners
    if not winners:
        return f"Nobody wins{_why_nobody(state)}."
    return ENDINGS[state.result.reason].format(
        who=" and ".join(names[index] for index in winners),
        wins="share the win" if len(winners) > 1 else "wins",
        score=f"{state.seats[winners[0]].score:,}",
        target=f"{state.goal:,}",
        rounds=counted(state.rules.rounds, "round", "rounds"),
        left=" with a life left" if state.rules.lives.each else " left in the game",
        first=", and the first to reach it" if _has_equals(state, winners) else "",
    )


def _has_equals(state: State, winners: Sequence[int]) -> bool:
    """Return whether others have the winner's score, and do not share the win (D1, F24)."""
    best = state.seats[winners[0]].score
    return sum(seat.status == "in" and seat.score == best for seat in state.seats) > len(winners)


def _why_nobody(state: State) -> str:
    if state.result is None or state.result.reason == "rounds":
        return ""
    if any(seat.status == "in" for seat in state.seats):
        return f": the last rounds are played and {state.goal:,} is not reached"
    if state.rules.lives.each:
        return f": no team has a life left, and none has reached {state.goal:,}"
    return ": everyone has left the table"


def holding(state: State, names: Sequence[str]) -> tuple[str, ...]:
    """Return what holds for the rest of the game, and the score or the rounds that matter: ``("last turn", "9,400 to
    beat")``; and which of several turns in a row it is. Nothing in an ordinary turn.
    """
    every = state.rules.turns_in_row
    row = (f"turn {every - state.more} of {every}",) if every > 1 and not state.over else ()
    return (*row, *_ending(state, names))


def _ending(state: State, names: Sequence[str]) -> tuple[str, ...]:
    """Return what holds once the end is near."""
    if state.standing:
        return "last player standing", f"{counted(state.standing, 'round', 'rounds')} left"
    rivals = [one for seat, one in enumerate(state.seats) if seat != state.seat and one.status == "in"]
    beat = f"{max((one.score for one in rivals), default=0):,} to beat"
    if state.tied:
        return "play-off", beat
    if state.may_cancel:
        return (f"score to stop {names[state.closer]}",)
    if state.closer >= 0:
        fewest = state.rules.finish == "fewest_rounds"
        if state.rules.exact:
            return "last turn", f"{state.goal:,} to hit"
        return ("last round", f"{state.goal:,} to reach") if fewest else ("last turn", beat)
    if state.rounds_left == 1:
        return "last round", beat
    return (f"{counted(state.rounds_left, 'round', 'rounds')} left",) if state.rounds_left else ()
