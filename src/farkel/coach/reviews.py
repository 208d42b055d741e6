"""A whole game looked over: every decision graded in winning chance, every roll as luck.

For each seat, exactly: its result minus its chance at the start is its luck, minus its own errors, plus the gain from
others' errors gave it. Luck is the chance after a roll minus the mean over all rolls that might have fallen; an error
is the chance of the best action minus that of the one taken. Some events cannot be judged: seats that left,
and turns that were noted as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from farkel.coach.advice import Chances, Evaluator, chances, is_exact
from farkel.coach.positions import check_unit
from farkel.dice import faces_text
from farkel.errors import PositionError
from farkel.game import Action, Keep, Leave, Note, Phase, State, Throw, apply, chance_outcomes, legal_actions
from farkel.records import Move, Record
from farkel.support.frames import Tabular
from farkel.support.progress import Progress
from farkel.support.words import counted, percent, signed_percent

Grade = Literal["good", "inaccuracy", "mistake", "blunder"]

INACCURACY = 0.005
"""An action that gives away so much winning chance is an inaccuracy."""
MISTAKE = 0.02
BLUNDER = 0.05

WRONG: dict[Grade, str] = {"inaccuracy": "inaccuracies", "mistake": "mistakes", "blunder": "blunders"}
"""Grades below good, and several of them in a word."""

TIE = 1e-12
"""Chances closer than this are alike."""

TURNING_POINTS = 5
"""The number of largest swings in a summary."""


@dataclass(frozen=True, slots=True)
class Decision:
    """An action taken where others were legal too."""

    move: Move
    taken: Action
    best: Action
    """The chosen action itself, if none is better."""
    chance: float
    """The chance to win after the action taken."""
    best_chance: float
    grade: Grade

    def __str__(self) -> str:
        return "; ".join(filter(None, (f"{self.done}, {self.grade}", self.better)))

    @property
    def done(self) -> str:
        """The action taken, with its winning chance: ``115: keep 1-1, bank (41.0%)``."""
        roll = f"{''.join(map(str, self.move.before.roll))}: " if isinstance(self.taken, Keep) else ""
        return f"{roll}{self.taken} ({percent(self.chance)})"

    @property
    def better(self) -> str:
        """The best action, with its winning chance; "" if the one taken was good."""
        return "" if self.grade == "good" else f"better: {self.best} ({percent(self.best_chance)})"

    @property
    def error(self) -> float:
        """The winning chance given away; never below zero."""
        return max(0.0, self.best_chance - self.chance)


@dataclass(frozen=True, slots=True)
class Step:
    """One move, and its effect on the chances."""

    move: Move
    before: Chances
    after: Chances
    luck: Chances = ()
    """For a throw, what each seat gained by it."""
    given: Chances = ()
    """For an action, what each seat gained by its not being the best one: the own error as a negative number."""
    decision: Decision | None = None
    """None for a throw, and if only one action was legal."""

    def __str__(self) -> str:
        before, after = (" : ".join(map(percent, chances)) for chances in (self.before, self.after))
        return f"{self.move} Winning chances: {before} → {after}"

    @property
    def swing(self) -> float:
        """How far the chance of any seat has moved."""
        return max(abs(after - before) for before, after in zip(self.before, self.after, strict=True))


@dataclass(frozen=True, slots=True)
class Account:
    """One seat's game in winning chance: ``end == start + luck - errors + from_others + left + noted + rest``."""

    start: float
    luck: float
    errors: float
    from_others: float
    """What it gained from the others' errors, or lost by them if three or more play."""
    left: float
    """What seats that left the table gave or took."""
    noted: float
    """What turns that were noted as a whole gave or took, and seats that were passed over: luck and errors in one."""
    rest: float
    """The inconsistency of an approximate evaluator; 0 if it is exact."""
    end: float
    """1 for a win, or the chance after the last move of a game that is not over."""
    decisions: int
    grades: Counter[Grade]

    def __str__(self) -> str:
        happened = (f"{name} {signed_percent(part)}" for name, part in self.parts.items() if part)
        counts = (counted(self.grades[one], one, many) for one, many in WRONG.items())
        sums = ", ".join([f"start {percent(self.start)}", *happened, f"end {percent(self.end)}"])
        return f"{sums}; {counted(self.decisions, 'decision', 'decisions')}, {', '.join(counts)}"

    @property
    def parts(self) -> dict[str, float]:
        """What is added to the chance at the start to get the one at the end, by its name."""
        return {
            "luck": self.luck,
            "own errors": -self.errors,
            "others' errors": self.from_others,
            "players who left": self.left,
            "entered turns": self.noted,
            "left open": self.rest,
        }


@dataclass(frozen=True, slots=True)
class Review(Tabular):
    """A game move by move, and seat by seat."""

    names: tuple[str, ...]
    start: State
    steps: tuple[Step, ...]
    seats: tuple[Account, ...]
    exact: bool

    def __str__(self) -> str:
        seats = ", ".join(
            f"{name} gave away {max(0.0, seat.errors):.1%} in {counted(seat.decisions, 'decision', 'decisions')}"
            for name, seat in zip(self.names, self.seats, strict=True)
        )
        return f"{self.start.rules}: {seats}"

    @property
    def end(self) -> State:
        """The state of the game: over, or as far as it was played."""
        return self.steps[-1].move.after if self.steps else self.start

    @property
    def curve(self) -> tuple[Chances, ...]:
        """The chances at the start and after each move."""
        start = tuple(account.start for account in self.seats)
        return (start, *(step.after for step in self.steps))

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The decisions, in order."""
        return tuple(step.decision for step in self.steps if step.decision is not None)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each decision, with its regret."""
        return [
            {
                "event": number,
                "player": self.names[step.move.before.seat],
                "roll": faces_text(step.move.before.roll),
                "taken": str(decision.taken),
                "best": str(decision.best),
                "chance": decision.chance,
                "best_chance": decision.best_chance,
                "error": decision.error,
                "grade": decision.grade,
            }
            for number, step in enumerate(self.steps, 1)
            if (decision := step.decision) is not None
        ]

    @property
    def errors(self) -> tuple[Decision, ...]:
        """The decisions that were not good."""
        return tuple(decision for decision in self.decisions if decision.grade != "good")

    @property
    def turning_points(self) -> tuple[Step, ...]:
        """The moves with the largest swings, in the order of the game."""
        largest = sorted(self.steps, key=lambda step: -step.swing)[:TURNING_POINTS]
        return tuple(sorted((step for step in largest if step.swing > 0), key=lambda step: step.move.number))


def grade(error: float) -> Grade:
    """Return the word for so much winning chance given away."""
    if error < INACCURACY:
        return "good"
    if error < MISTAKE:
        return "inaccuracy"
    return "mistake" if error < BLUNDER else "blunder"


def review(evaluator: Evaluator, record: Record, progress: Progress | None = None) -> Review:
    """Return the game of a record, as far as it was played, without undone moves.

    Raises `PositionError` ``score_unit`` or ``turn_unit`` if a noted turn has led to impossible points: nobody
    knows the chances there.
    """
    check_noted(record)
    start = record.header.new_game()
    before = first = chances(evaluator, start)
    steps: list[Step] = []
    for number, move in enumerate(record.moves, 1):
        after = chances(evaluator, move.after)
        steps.append(_step(evaluator, move, before, after))
        before = after
        if progress is not None:
            progress(number, len(record.moves))
    accounts = tuple(_account(seat, first[seat], steps) for seat in range(len(first)))
    return Review(record.header.names, start, tuple(steps), accounts, is_exact(evaluator))


def check_noted(record: Record) -> None:
    """Raise `PositionError` if a turn was noted with points that these rules cannot give."""
    for move in record.moves:
        if isinstance(move.event, Note):
            _check_noted(move)


def _check_noted(move: Move) -> None:
    state, unit = move.after, move.after.rules.unit
    try:
        for number, seat in enumerate(state.seats):
            check_unit(state.rules, number, seat.score)
        if state.offer is not None and state.offer.points % unit:
            raise PositionError(
                "turn_unit", f"an offer of {state.offer.points:,} cannot be: points come in steps of {unit}"
            )
    except PositionError as error:
        raise PositionError(error.code, f"after event {move.number}, a noted turn: {error.message}") from None


def _step(evaluator: Evaluator, move: Move, before: Chances, after: Chances) -> Step:
    if isinstance(move.event, Throw):
        # Exact chances before a roll are the mean over its outcomes.
        mean = before if is_exact(evaluator) else mean_chances(evaluator, move.before)
        return Step(move, before, after, luck=_less(after, mean))
    if isinstance(move.event, Leave | Note):
        return Step(move, before, after)
    options = legal_actions(move.before)
    if len(options) == 1:
        return Step(move, before, after, given=(0.0,) * len(after))
    known = {move.after: after}
    for action in options:
        state = apply(move.before, action)
        if state not in known:
            known[state] = chances(evaluator, state)
    seat = move.before.seat
    highest = max(found[seat] for found in known.values())
    # Of equal chances, the evaluator prefers those that leave the others least; the chosen action comes first.
    state = min((state for state in known if known[state][seat] >= highest - TIE), key=lambda one: sum(known[one]))
    if after[seat] >= highest - TIE and sum(after) <= sum(known[state]) + TIE:
        state = move.after
    best = move.event if state == move.after else next(one for one in options if apply(move.before, one) == state)
    decision = Decision(move, move.event, best, after[seat], known[state][seat], grade(highest - after[seat]))
    return Step(move, before, after, given=_less(after, known[state]), decision=decision)


def mean_chances(evaluator: Evaluator, state: State) -> Chances:
    """Return the mean of the chances over all throws that may fall."""
    sums = [0.0] * len(state.seats)
    total = 0
    for throw, ways in _kinds(state):
        total += ways
        for seat, chance in enumerate(chances(evaluator, apply(state, throw))):
            sums[seat] += ways * chance
    return tuple(chance / total for chance in sums)


def _kinds(state: State) -> Iterable[tuple[Throw, int]]:
    """Return one throw of each kind that may fall, with the ways of all of that kind: those that offer the
    same keeps.
    """
    if state.phase is Phase.START:
        return chance_outcomes(state)
    found: dict[Hashable, tuple[Throw, int]] = {}
    for throw, ways in chance_outcomes(state):
        scored = state.scored_as(throw.faces)
        keeps = frozenset(kept._replace(dice=()) for kept in scored.keeps.values())
        kind = scored.fine, scored.binds, scored.ends, keeps
        found[kind] = throw, found.get(kind, (throw, 0))[1] + ways
    return found.values()


def _account(seat: int, start: float, steps: Sequence[Step]) -> Account:
    luck = sum(step.luck[seat] for step in steps if step.luck)
    own = sum(step.given[seat] for step in steps if step.given and step.move.before.seat == seat)
    others = sum(step.given[seat] for step in steps if step.given and step.move.before.seat != seat)
    left, noted = (
        sum(step.after[seat] - step.before[seat] for step in steps if isinstance(step.move.event, kind))
        for kind in (Leave, Note)
    )
    end = steps[-1].after[seat] if steps else start
    decisions = [step.decision for step in steps if step.decision is not None and step.move.before.seat == seat]
    return Account(
        start=start,
        luck=luck,
        errors=-own,
        from_others=others,
        left=left,
        noted=noted,
        rest=end - start - luck - own - others - left - noted,
        end=end,
        decisions=len(decisions),
        grades=Counter(decision.grade for decision in decisions),
    )


def _less(one: Chances, other: Chances) -> Chances:
    return tuple(a - b for a, b in zip(one, other, strict=True))
