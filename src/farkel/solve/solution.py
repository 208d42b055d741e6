"""Two sides: the probability of winning under best play of both, over the whole game."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from farkel.errors import SolveError
from farkel.game import Offer, Phase, State, apply, legal_actions, new_game
from farkel.game.law.terms import Price
from farkel.game.starting import starting
from farkel.kernels.arrays import Array, Numbers, Values, array, full, shaped, zeros
from farkel.kernels.registry import SOLVE, parts
from farkel.kernels.spaces import Space, open_space
from farkel.rules import AnyRules, Rules, as_rules
from farkel.solve.compiled_game import Board, Compiled, compile_board, deciding, positions
from farkel.solve.compiled_turn import TurnArrays
from farkel.solve.files import Memory, Shelf, SolutionWriter, Stored, claim, continues, discard, most_bytes, paused
from farkel.solve.files import sweep as remove
from farkel.solve.last_turns import complete, sized
from farkel.solve.race import Alone, TurnsWorth, alone, turns_alone
from farkel.solve.solver import Cost, Offers, Solver, cost
from farkel.solve.takes import Places, Take, cut_offers, keep_taken, mark_taken, most_cut, take_over
from farkel.solve.turn_ends import (
    Position,
    Sides,
    Solved,
    enters,
    first_roll_losses,
    saturates,
    solve_turns,
    surpasses,
    work,
)
from farkel.solve.turn_sweep import LANES, TIE, compiled, inlined, making
from farkel.support.clock import clock
from farkel.support.frames import Tabular
from farkel.support.locks import Claim
from farkel.support.progress import Progress, silent

log = logging.getLogger(__name__)

GIB = 2**30
MUCH = 1 << 27
"""So many offers are stored as short numbers."""
PAUSES = 120
"""Seconds after which long work is written down, so that it can be resumed."""
LOOKS = 0.1
"""Seconds between two looks at whether another process has solved a game."""
TURNS_KEPT = 512
"""Turns whose values are kept at hand."""
_warned = set[str]()
Pair = tuple[float, float]
"""Winning chances: of the seat to move, and of the other."""
Read = Callable[[int, int, int], tuple[Values, Array[int], Array[int]] | None]
"""Returns what is kept of a (stage, mode, other's mode): the last three of `Take`; None if there are no offers."""


class Takes:
    """What taking over is worth, from the solver's memory or from the disk."""

    def __init__(self, offers: Offers, read: Read, space: Space) -> None:
        self.offers = offers
        self._space, self._read = space, read
        self._places = space.place(Places(offers.place, offers.length))
        self._known: dict[tuple[int, int, int], Take] = {}

    def of(self, stage: int, mode: int, against: int) -> Take:
        """Return what it is worth to a seat to move with that mode."""
        key = stage, mode, against
        if key not in self._known:
            found, places = self._read(*key), self._places
            if found is None:
                found = zeros((1, 2)), zeros(0, "uint8"), zeros(0, "int64")
                places = places._replace(length=zeros(places.length.shape, "int64"))
            self._known[key] = self._space.place(Take(places, *found))
        return self._known[key]


class EightTurns(NamedTuple):
    """Turns of one seat to move, a lane each, with its winning chances: room for more turn totals than there are."""

    fresh: Values
    """[lane]: before the first roll of a turn that begins afresh."""
    rolling: Values
    """[lane, turn total, rolling]"""
    bank: Values
    """[lane, turn total, dice left on offer]: of a bank; a large negative number if it is not allowed."""
    first: Values
    """As ``rolling``, for the first roll of a take-over; empty if it does not differ."""
    turn: Values
    """To work with."""


class Begun(NamedTuple):
    """Eight turns that are solved."""

    turns: EightTurns
    rows: int
    """How many turn totals there are."""
    same: bool
    """Totals beyond the last one are all as that one; if not, banking is best there, and there are as many more banks
    as a keep can lead to.
    """
    banks: int

    def rolls(self, lane: int) -> Values:
        """Return [turn total, rolling]."""
        found: Values = self.turns.rolling[lane, : self.rows]
        return found

    def bare_banks(self, lane: int) -> Values:
        """Return [turn total]: of a bank that leaves nothing."""
        bank = self.turns.bank
        return array(bank[lane, : self.banks].flat[:: bank.shape[2]])


class Duel(Tabular):
    """A solved game of two seats. Make one with `duel`.

    Each seat plays for its own winning chance, and among equal ones for the one that leaves the other seat the least. A
    win that is shared counts half for both; if no seat wins, neither has won.

    ``own`` and ``other`` hold the values as `farkel.solve.turn_ends.Solved` does, ``takes`` those of take-overs.
    """

    exact = True

    def __init__(self, compiled: Compiled, own: Values, other: Values, read: Read, file: Shelf) -> None:
        header = file.header
        self.rules = compiled.rules
        self.people = compiled.people
        self.path = file.path if isinstance(file, Stored) else None
        """Where it is kept; None if it is in memory alone."""
        self.states: int = header["states"]
        """Positions at the start of a turn."""
        self.residual: float = header["residual"]
        """By how much the last sweep changed a value, at most."""
        self.seconds: float = header["seconds"]
        """What solving took, without compiling."""
        self.compiled = compiled
        board, p = compiled.board, compiled.program.arrays
        self.space = open_space(SOLVE, 8 * (own.size + other.size))
        """Where turns are solved."""
        self._known = self.space.place(Known(board, p, own, other))
        self.own, self.other = self._known.own, self._known.other
        self.takes = Takes(Offers(compiled), read, self.space)
        self._least = min(compiled.program.chances)
        self._rows = 3 * board.scores + board.chase.shape[3] + board.need.max() + board.longest
        self._at_work = threading.Lock()
        """Held while turns are calculated in the space below: bots of several games may ask at once."""
        self._sides: Sides | None = None
        self._eight: EightTurns | None = None
        self._alone: Alone | None = None
        self._turns: OrderedDict[tuple[int, ...], Values] = OrderedDict()
        self._dice = p.offers - 1
        own_, other_ = self._fresh(*compiled.first)
        self.first_player_wins = own_
        """The chance of the seat that has the first turn."""
        self.nobody_wins = max(0.0, 1.0 - own_ - other_) if board.pairs else None
        """The chance that the game ends without a winner; None if it cannot."""

    def __str__(self) -> str:
        return f"{self.rules}: with best play of two, the first player wins {self.first_player_wins:.1%}"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each seat: how often it wins, by the order in which they begin."""
        wins = self.first_player_wins, 1.0 - self.first_player_wins - (self.nobody_wins or 0.0)
        return [{"rules": str(self.rules), "seat": seat, "wins": chance} for seat, chance in enumerate(wins, 1)]

    def chances(self, state: State) -> tuple[float, ...]:
        """Return the winning chance of each seat, in any state of a game of two.

        Raises `SolveError` for other games.
        """
        if state.rules.digest != self.rules.digest or len(state.seats) != 2:
            raise SolveError("other_game", f"this is the solution of {self.rules} for two seats, not of that game")
        if state.result is not None:
            winners = state.result.winners
            return tuple((1.0 / len(winners) if seat in winners else 0.0) for seat in (0, 1))
        with self._at_work:
            mine, others = self._start(state) if state.phase is Phase.START else self._value(state)
        return (mine, others) if state.seat == 0 else (others, mine)

    def handicapped(self, points: int = 0, lives: int = 0) -> float:
        """Return the first player's chance if the second begins with points, and the first with fewer lives.

        A player who begins with points is on the board.
        """
        compiled = self.compiled
        seat = new_game(self.rules, (self.people,)).seats[0]
        ahead = seat._replace(entered=-1) if points else seat
        stage = compiled.stage(self.rules.rounds, False)
        modes = compiled.mode(seat._replace(lives=seat.lives - lives)), compiled.mode(ahead)
        return self._fresh(stage, *modes, *compiled.met(0, points))[0]

    def _value(self, state: State) -> Pair:
        """Return the chances in a state of a turn."""
        if state.phase is Phase.OVER:
            chances = self.chances(state)
            return chances[state.seat], chances[1 - state.seat]
        if state.phase is Phase.ROLL:
            return self._roll(state)
        if state.phase is Phase.OFFER and not state.standing and state.closer < 0:
            return self._offered(state)
        best: Pair = (-1.0, 0.0)
        for action in legal_actions(state):
            after = apply(state, action)
            found = self._value(after)
            if after.seat != state.seat:
                found = found[1], found[0]
            if found[0] > best[0] + TIE or (found[0] > best[0] - TIE and found[1] < best[1]):
                best = found
        return best

    def _start(self, state: State) -> Pair:
        """Return the chances before the first turn; the starting seat has the advantage."""
        begins = starting(state)[state.seat]
        own, other = self._fresh(*self.compiled.first)
        return begins * own + (1 - begins) * other, begins * other + (1 - begins) * own

    def _roll(self, state: State) -> Pair:
        compiled, seat = self.compiled, state.mine
        rolling = compiled.program.rolled_by(state)
        total = state.sure_total // self.rules.unit
        points = seat.score + compiled.staked(state)
        if state.standing:
            return self._standing(state, total, rolling)
        if state.closer >= 0:
            return self._last_turn(state, compiled.score(points), total, rolling)
        if state.seats[1 - state.seat].status != "in":
            return 1.0, 0.0
        place = self._place(state, points)
        if rolling == 0 and total == 0 and not state.taking:
            return self._fresh(*place)
        table = self._turn(*place, total, state.taking)
        row = min(total, table.shape[0] - 1)
        own, other = table[row, rolling]
        return own + TIE * other if compiled.board.pairs else own, other

    def _offered(self, state: State) -> Pair:
        seat, offer = state.mine, state.offer or Offer(0, 0)
        place = self._place(state, seat.score)
        own, other = self._fresh(*place)
        stage, mode, against, *scores = place
        take, points = self.takes.of(stage, mode, against), offer.points // self.rules.unit
        taken = take_over(take, self.takes.offers.dice, *self.compiled.kept(*scores), points, offer.dice)
        if taken[0] > own - TIE * other:
            own, other = taken
            own += TIE * other if self.compiled.board.pairs else 0.0
        return own, other

    def _last_turn(self, state: State, score: int, total: int, rolling: int) -> Pair:
        """Return the chances that the seat to move surpasses the one that closed the game, or has lost."""
        board = self.compiled.board
        need = board.need[enters(board, self._mode(state, state.seat), score)]
        if board.capped:
            reached = surpasses(board.chase, 0, score - board.zero, need - total, board.scores - score - total, rolling)
            return 0.5 * float(reached), 1.0 - 0.5 * float(reached)
        short = self.compiled.score(state.seats[1 - state.seat].score) - score
        tie = 1 if board.shares and (short >= need or board.chase.shape[2] > 1) else 0
        chance = float(surpasses(board.chase, tie, score - board.zero, need - total, short + 1 - total, rolling))
        return chance, 1.0 - chance

    def _standing(self, state: State, total: int, rolling: int) -> Pair:
        mode, score = self._mode(state, state.seat), self.compiled.score(state.mine.score)
        seat, rows = self._solve_alone(state.rounds_left, state.standing, mode, [score])
        return seat.work.rolling[min(total, rows) * seat.program.rollings + rolling, 0], 0.0

    def _solve_alone(self, left: int, standing: int, mode: int, scores: Sequence[int]) -> tuple[Alone, int]:
        """Return the turns of the last one standing with up to eight scores, and the highest total that is
        distinguished.
        """
        known = self.compiled.board.alone
        if self._alone is None:
            then = zeros(known.shape[2:])
            worth = TurnsWorth(then, then, (1.0, 0.0), (0.0, 0.0))
            self._alone = self.space.place(alone(self.compiled, worth, False))
        self._alone.worth.own[...] = known[max(0, left - 1), standing - 1] if standing > 1 else 0.0
        return self._alone, turns_alone(self.space, self._alone, [mode], scores)

    def _fresh(self, stage: int, mode: int, against: int, score: int, others: int) -> Pair:
        score, others = self.compiled.kept(score, others)
        own = float(self.own[stage, mode, against, score, others])
        if not self.compiled.board.pairs:
            return own, 1.0 - own
        other = float(self.other[stage, mode, against, score, others])
        return own + TIE * other, other

    def _mode(self, state: State, seat: int) -> int:
        return self.compiled.mode(state.seats[seat])

    def _place(self, state: State, points: int) -> tuple[int, int, int, int, int]:
        """Return the stage, modes and score indices of the position that a turn began from with this many
        points banked.
        """
        compiled, seat = self.compiled, state.seat
        stage = compiled.stage(state.rounds_left, seat != state.first)
        score, others = compiled.met(points, state.seats[1 - seat].score)
        return stage, self._mode(state, seat), self._mode(state, 1 - seat), max(0, score), max(0, others)

    def _turn(self, stage: int, mode: int, against: int, score: int, others: int, total: int, taking: bool) -> Values:
        """Return [turn total, rolling, (own, other's)] of a turn, for totals up to ``total`` and those that matter.

        ``taking``: of rollings that are the first of a take-over from that total.
        """
        key = (stage, mode, against, score, others, taking)
        found = self._turns.get(key)
        total = min(total, self._rows)
        if found is None or not (found.shape[0] > total or saturates(self.compiled.board, stage)):
            at = Position(stage, mode, against, score, others)
            sides, rows = self._solve(at, _lanes([score] * LANES, others), total)
            found = zeros((rows, sides.program.rollings, 2))
            self.space.run(note_turn, sides, at, 0, taking and self._loses_more, found)
            self._turns[key] = found
            if len(self._turns) > TURNS_KEPT:
                self._turns.popitem(last=False)
        return found

    def begun(self, stage: int, mode: int, against: int, scores: Sequence[int], others: int, total: int) -> Begun:
        """Return eight turns with other scores and all else alike, for totals up to ``total`` and those that matter.

        Not for two threads at a time, and valid until the next call. The result for a score does not depend on the
        other scores, but for rounding.
        """
        here, lanes = Position(stage, mode, against, scores[0], others), _lanes(scores, others)
        sides, rows = self._solve(here, lanes, min(total, self._rows))
        settles, turns = saturates(sides.board, stage), self._eight
        if turns is None:
            turns = self._eight = self.space.place(_eight(sides.program, self._rows + 2, self._loses_more))
        banks = rows if settles else rows + sides.program.most + 1
        self.space.run(note_turns, sides, here, lanes, rows, banks, turns)
        return Begun(turns, rows, settles or total >= self._rows, banks)

    def alone(self, left: int, standing: int, mode: int, scores: Sequence[int]) -> Begun:
        """Return turns of the last one standing with up to eight scores and all else alike, for all totals that matter.

        left, standing: how many rounds are left, of the game and to the last one standing. Valid until the next call.
        """
        seat, rows = self._solve_alone(left, standing, mode, scores)
        turns = _eight(seat.program, rows + 1, False)
        self.space.run(note_alone, seat, rows + 1, turns)
        return Begun(turns, rows + 1, True, rows + 1)

    def _solve(self, here: Position, lanes: Numbers, total: int) -> tuple[Sides, int]:
        """Return eight turns, and how many turn totals are distinguished: ``total`` is among them.

        lanes: their scores, as `solve_turns` takes them.
        """
        board = self._known.board
        if self._sides is None:
            self._sides = self._room()
        if board.price:
            self._cut(self._sides, here, lanes)
        rows = self.space.run(solve_turns, self._sides, here, lanes, total + 1, True)
        return self._sides, rows + 1 if saturates(board, here.stage) else rows

    def _room(self) -> Sides:
        """Return what turns are solved with, and room for the take-overs that they lead to."""
        board, p, own, other = self._known
        offers, width = self.takes.offers, 2 if board.pairs else 1
        slot, place = full(offers.slot.shape, -1, "int64"), zeros(offers.place.shape, "int64")
        sides = Sides(
            board,
            p,
            Solved(own, other, zeros((1, width)), slot, place, offers.length),
            work(p, self._rows + 2, board.pairs),
            self._least,
        )
        if board.price:
            modes = 1 + (p.farkles if p.leaves else 0)
            take = zeros((modes * most_cut(sides, offers.length.max()), width))
            sides = sides._replace(solved=sides.solved._replace(take=take))
        return self.space.place(sides)

    def _cut(self, sides: Sides, at: Position, lanes: Numbers) -> None:
        """Cut the values of take-overs that turns lead to out of the stored ones."""
        board, p, slot = sides.board, sides.program, sides.solved.slot
        then, hands = board.next_stage[at.stage], board.farkle_hand[: p.farkles if p.leaves else 0]
        modes = {board.after_bank[at.mode], *(board.after_farkle[at.mode, hand] for hand in hands)}
        each = most_cut(sides, self.takes.offers.length.max())
        slot[...] = -1
        for number, after in enumerate(sorted(modes - {-1})):
            slot[then, at.against, after] = number * each
            self.space.run(cut_offers, sides, at, lanes, after, self.takes.of(then, at.against, after))

    @property
    def _loses_more(self) -> bool:
        """Whether a farkle of the first roll of a take-over costs more than that of another roll."""
        return self.compiled.board.stake > 0 or bool(self.compiled.program.arrays.leaves)


def _eight(p: TurnArrays, rows: int, first: bool) -> EightTurns:
    """Return room for turns. first: the first roll of a take-over may differ."""
    return EightTurns(
        fresh=zeros(LANES),
        rolling=zeros((LANES, rows, p.rollings)),
        bank=zeros((LANES, rows + p.most + 1, p.offers)),
        first=zeros((LANES if first else 0, rows, p.rollings)),
        turn=zeros((rows, p.rollings, 2)),
    )


def _lanes(scores: Sequence[int], others: int) -> Numbers:
    """Return [lane, (score, other's score)]."""
    return shaped([one for score in scores for one in (score, others)], (LANES, 2), "int64")


class Known(NamedTuple):
    """A solved game, as kernels read it."""

    board: Board
    program: TurnArrays
    own: Values
    other: Values


@compiled
def note_turn(sides: Sides, at: Position, lane: int, first: bool, found: Values) -> None:
    """Call `write_turn`."""
    write_turn(sides, at, lane, first, found)


@making
def write_turn(sides: Sides, at: Position, lane: int, first: bool, found: Values) -> None:
    """Write [turn total, rolling, (own, other's)] of a lane; ``first``: of the first roll of a take-over."""
    board, p, work = sides.board, sides.program, sides.work
    for row in range(found.shape[0]):
        for rolling in range(p.rollings):
            own = work.rolling[row * p.rollings + rolling, lane]
            found[row, rolling, 0] = own
            found[row, rolling, 1] = work.rolling_u[row * p.rollings + rolling, lane] if board.pairs else 1.0 - own
    if first:
        worse = first_roll_losses(sides, at, 1, lane)
        for row in range(1, found.shape[0]):
            if p.leaves and row > 1:  # if a farkle leaves nothing its price is the same at every total
                worse = first_roll_losses(sides, at, row, lane)
            for rolling in range(p.rollings):
                found[row, rolling, 0] += worse[rolling, 0]
                found[row, rolling, 1] += worse[rolling, 1] if board.pairs else -worse[rolling, 0]


@compiled
def note_turns(sides: Sides, at: Position, scores: Numbers, rows: int, banks: int, turns: EightTurns) -> None:
    """Write eight turns that are solved, and so many turn totals of them. scores: as `solve_turns`."""
    board, solved, work, pairs = sides.board, sides.solved, sides.work, sides.board.pairs
    for lane in range(LANES):
        score, others = scores[lane, 0], scores[lane, 1]
        mine, its = (0, board.scores - 1 - score) if board.relative else (score, others)
        place = at.stage, at.mode, at.against, mine, its
        turns.fresh[lane] = joined(solved.own[place], solved.other[place]) if pairs else solved.own[place]
    write_lanes(work.rolling, work.rolling_u, pairs, rows, turns.rolling)
    write_lanes(work.bank, work.bank_u, pairs, banks, turns.bank)
    turn = turns.turn[:rows]
    for lane in range(turns.first.shape[0]):
        write_turn(sides, Position(at.stage, at.mode, at.against, scores[lane, 0], scores[lane, 1]), lane, True, turn)
        for row in range(rows):
            for rolling in range(turn.shape[1]):
                own = turn[row, rolling, 0]
                turns.first[lane, row, rolling] = joined(own, turn[row, rolling, 1]) if pairs else own


# Without fast-math: to the last bit as Python does it.
@parts(_nrt=False, forceinline=True)
def joined(own: float, other: float) -> float:
    """Return the chance of the seat to move, where other's are taken off it a little: see `TIE`."""
    return own + TIE * other


@inlined
def write_lanes(own: Values, other: Values, pairs: bool, rows: int, found: Values) -> None:
    """Write so many rows of [lane, row, column] that lie as in `Work`."""
    for row in range(rows):
        for column in range(found.shape[2]):
            at = row * found.shape[2] + column
            for lane in range(LANES):
                found[lane, row, column] = joined(own[at, lane], other[at, lane]) if pairs else own[at, lane]


@compiled
def note_alone(seat: Alone, rows: int, turns: EightTurns) -> None:
    """Write eight turns of the last one standing that are solved."""
    work = seat.work
    for lane in range(LANES):
        turns.fresh[lane] = work.rolling[0, lane]
    write_lanes(work.rolling, work.rolling, False, rows, turns.rolling)
    write_lanes(work.bank, work.bank, False, rows, turns.bank)


def duel(
    rules: AnyRules, progress: Progress = silent, *, fresh: bool = False, people: int = 1, patience: float = inf
) -> Duel:
    """Return the game of two seats with this many people each, solved, or read from the disk if it was solved before.

    If another process is solving it, wait for that; after ``patience`` seconds solve it here as well. If the solution
    cannot be kept on the disk, it is in memory alone, and a warning is logged once. ``fresh``: solve in any case, from
    the beginning. Raises `SolveError`: ``no_memory`` or ``no_disk`` before any work, and if the rules cannot be solved;
    and what ``progress`` raises to stop the work.
    """
    rules = as_rules(rules)
    path = stored(rules, people)
    check_memory(rules, 8 * positions(rules, people, _free_memory()))
    compiled = complete(compile_board(rules, people))
    found = None if fresh else _found(path, compiled)
    if found is not None:
        return found
    needed = cost(compiled)
    with claim(path) as held:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            wait(held, rules, progress, patience)
        except OSError as error:
            warn(f"{path.parent} cannot be written: {error.strerror or error}")
        if held.held:
            found = None if fresh else _found(path, compiled)
            if found is not None:
                return found
            if _has_room(rules, needed, path):
                return _solved(compiled, path, progress, fresh)
        check_memory(rules, needed.memory + needed.disk)
        return _solved(compiled, None, progress, fresh)


def under_way(rules: AnyRules, people: int = 1) -> bool:
    """Return whether another process is solving these rules."""
    rules = as_rules(rules)
    found = claim(stored(rules, people))
    with found, suppress(OSError):
        return found.path.exists() and not found.take()
    return False


def sweep(most: int | None = None, keep: Path | None = None) -> None:
    """Remove the solutions that were not used for longest, until all take ``most`` bytes at most.

    Without ``most`` that is `farkel.solve.files.most_bytes`. Leftovers of abandoned work
    goes as well; the solution ``keep`` stays. This is done after each solution that is stored.
    """
    remove(folder(), most_bytes() if most is None else most, keep)


def _found(path: Path, compiled: Compiled) -> Duel | None:
    """Return the stored solution, if it is there and neither damaged nor foreign."""
    try:
        return _opened(Stored(path, _digest(compiled.rules, compiled.people)), compiled)
    except SolveError:
        return None


def wait(held: Claim, rules: Rules, progress: Progress, patience: float) -> None:
    """Take the claim to a solution. Raises `OSError` if there can be no lock file, and what ``progress`` raises."""
    if held.take():
        return
    log.info("Another program is solving %s: waiting until it is done ...", rules.name)
    until = time.monotonic() + patience
    while not held.take() and time.monotonic() < until:
        progress(0, 1)
        time.sleep(LOOKS)


def warn(why: str) -> None:
    """Warn once that solutions are not kept."""
    if why not in _warned:
        _warned.add(why)
        log.warning("Solutions cannot be kept, and are calculated again each time: %s", why)


def _solved(compiled: Compiled, path: Path | None, progress: Progress, fresh: bool) -> Duel:
    """Solve a game, for who holds the claim to its path; without a path in memory."""
    began, solver = clock(), Solver(compiled)
    if path is not None and fresh:
        discard(path)
    with ExitStack() as stack:
        pause = _Pause(path, solver, began)
        described = pause.resume()
        # What taking over for lives is worth is more than fits into memory: it is written when it is known.
        lives = compiled.board.price == Price.LIVES
        shelf: Memory | SolutionWriter = Memory(lives)
        if path is not None and lives:
            shelf = pause.writer = stack.enter_context(SolutionWriter(path, _arrays(solver), described))

        def keep(stage: int, mode: int, against: int) -> None:
            _add_takes(shelf, solver, stage, mode, against)

        def told(done: float, of: float) -> None:
            pause.perhaps()
            progress(done, of)

        try:
            solver.run(told, keep if lives else None, pause.begin)
        except KeyboardInterrupt:
            pause.now()
            raise
        for place in () if lives else solver.offers.kept():
            keep(*place)
        shelf.add("own", solver.values.own)
        if compiled.board.pairs:
            shelf.add("other", solver.values.other)
        header: dict[str, Any] = {
            "rules": str(compiled.rules),
            "digest": _digest(compiled.rules, compiled.people),
            "people": compiled.people,
            "states": solver.states,
            "residual": solver.residual,
            "seconds": round(pause.before + clock() - began, 3),
            "first_player_wins": solver.first_player_wins,
        }
        shelf.finish(header)
    if isinstance(shelf, Memory) and (path is None or not write(shelf, path, _arrays(solver))):
        return _opened(shelf, compiled)
    assert path is not None  # noqa: S101  without one it is in memory
    discard(path)
    sweep(keep=path)
    return _opened(Stored(path, header["digest"]), compiled)


def _arrays(solver: Solver) -> int:
    """Return the most arrays that a solution has."""
    return 4 + 3 * solver.offers.slot.size


def write(shelf: Memory, path: Path, arrays: int) -> bool:
    """Write the solution in memory to the disk; return False, with a warning, if that fails."""
    try:
        with SolutionWriter(path, arrays) as writer:
            for name in shelf.names:
                writer.add(name, shelf.array(name))
            writer.finish(shelf.header)
    except SolveError as error:
        warn(error.message)
        return False
    return True


class _Pause:
    """Long work that may be interrupted: now and then everything is written down, and the next call continues there.

    Only games of several groups are so long, and only between these can they be resumed. Without a path nothing is
    written.
    """

    def __init__(self, path: Path | None, solver: Solver, began: float) -> None:
        self.writer: SolutionWriter | None = None
        """The part of the solution already written, if it begins before its end."""
        self.begin = 0
        """The group to continue with."""
        self.before = 0.0
        """Seconds that the work took before."""
        self._path = path
        self._solver, self._began = solver, began
        self._saved = time.monotonic()
        self._group = 0
        self._possible = path is not None and len(solver.groups) > 1 and solver.compiled.board.price > 0

    def resume(self) -> dict[str, Any] | None:
        """Continue from where an earlier call stopped, if one did; return the part of the solution written by then."""
        if self._path is None or not (self._possible and paused(self._path).is_file()):
            return None
        try:
            file = Stored(paused(self._path), self._path.stem)
            arrays = {name: file.array(name) for name in file.names}
            described: dict[str, Any] | None = file.header["paused"]
        except (SolveError, KeyError):
            return None
        if described is not None and not continues(self._path, described):
            return None
        self._solver.values.own[...] = arrays["own"]
        self._solver.values.other[...] = arrays["other"]
        self._solver.values.take[...] = arrays["take"]
        self._solver.residual = file.header["residual"]
        self.begin = self._group = file.header["group"]
        self.before = file.header["seconds"]
        return described

    def perhaps(self) -> None:
        """Write everything down when a group has begun and it has not been done for long."""
        if self._possible and self._solver.number != self._group:
            self._group = self._solver.number
            if time.monotonic() - self._saved > PAUSES:
                self.now()

    def now(self) -> None:
        """Write everything down, if that can be. The group that is being solved is going to be solved again."""
        if self._path is None or not self._possible or not self._solver.number:
            return
        try:
            with SolutionWriter(paused(self._path), 3) as file:
                file.add("own", self._solver.values.own)
                file.add("other", self._solver.values.other)
                file.add("take", self._solver.values.take)
                header = {
                    "digest": self._path.stem,
                    "group": self._solver.number,
                    "residual": self._solver.residual,
                    "seconds": self.before + clock() - self._began,
                    "paused": None if self.writer is None else self.writer.pause(),
                }
                file.finish(header)
        except (SolveError, OSError) as error:
            log.warning("The work so far cannot be stored, and would be done again if it were stopped: %s", error)
        self._saved = time.monotonic()


def _add_takes(shelf: Memory | SolutionWriter, solver: Solver, stage: int, mode: int, against: int) -> None:
    """Keep what taking over is worth; if values are pairs only of those offers that are taken.

    If that is much, as numbers of four bytes: seven digits.
    """
    name, each = f"{stage} {mode} {against}", solver.offers.each
    first = solver.offers.slot[stage, mode, against]
    take = solver.values.take[first : first + each]
    if not solver.board.pairs:
        shelf.add(f"take {name}", take)
        return
    bits = zeros(-(-each // 8), "uint8")
    count = solver.space.run(mark_taken, solver.values, solver.offers.dice, stage, mode, against, bits)
    kind = "float32" if each * solver.offers.slot.size > MUCH else "float64"
    before, kept = zeros(-(-bits.size // 32), "int64"), zeros((count + 1, 2), kind)
    solver.space.run(keep_taken, solver.values, first, bits, before, kept)
    shelf.add(f"taken {name}", bits)
    shelf.add(f"before {name}", before)
    shelf.add(f"take {name}", kept)


def duel_cost(rules: AnyRules, people: int = 1) -> Cost:
    """Return what solving these rules takes, without solving them."""
    rules = as_rules(rules)
    return cost(sized(compile_board(rules, people)))


def check_memory(rules: Rules, needed: int) -> None:
    """Say before work starts that there is not enough memory. Raises `SolveError` ``no_memory``."""
    free = _free_memory()
    if free is not None and needed > free:
        raise SolveError(
            "no_memory",
            f"solving {rules.name} needs {needed / GIB:.1f} GiB of memory; {free / GIB:.1f} GiB are free",
        )


def _has_room(rules: Rules, needed: Cost, path: Path) -> bool:
    """Return whether the disk has room for the solution; if not, there may be memory for all of it.

    Raises `SolveError` before work starts: ``no_memory``, and ``no_disk`` if there is room nowhere.
    """
    check_memory(rules, needed.memory)
    disk, memory = shutil.disk_usage(path.parent).free, _free_memory()
    if needed.disk <= disk:
        return True
    why = (
        f"the solution of {rules.name} needs {needed.disk / GIB:.1f} GiB in {path.parent}; "
        f"{disk / GIB:.1f} GiB are free"
    )
    if memory is None or needed.memory + needed.disk > memory:
        raise SolveError("no_disk", why)
    warn(why)
    return False


def _free_memory() -> int | None:
    """Return bytes that may be used, if the system tells."""
    try:
        with Path("/proc/meminfo").open() as file:
            found = next(line for line in file if line.startswith("MemAvailable:"))
        return int(found.split()[1]) * 1024
    except (OSError, StopIteration, ValueError):
        return None


def folder() -> Path:
    """Return where solutions are kept."""
    from platformdirs import user_cache_path

    return user_cache_path("farkel", appauthor=False) / "solutions"


def stored(rules: AnyRules, people: int = 1) -> Path:
    """Return where the solution of these rules is kept."""
    rules = as_rules(rules)
    return folder() / f"{_digest(rules, people)}.solution"


def _digest(rules: Rules, people: int) -> str:
    """Return what names the solution."""
    return f"{rules.digest}-{people}" if people > 1 and deciding(rules, people) > 1 else rules.digest


def _opened(file: Shelf, compiled: Compiled) -> Duel:
    """Return the solution that is kept there. Raises `SolveError` ``damaged``."""
    own = file.array("own").copy()
    other = file.array("other").copy() if compiled.board.pairs else full((1, 1, 1, 1, 1), 0.5)

    def read(stage: int, mode: int, against: int) -> tuple[Values, Array[int], Array[int]] | None:
        name = f"{stage} {mode} {against}"
        if f"take {name}" not in file:
            return None
        values = file.array(f"take {name}")
        if not compiled.board.pairs:
            return values, zeros(0, "uint8"), zeros(0, "int64")
        return values, file.array(f"taken {name}"), file.array(f"before {name}")

    if not compiled.board.pairs:
        for name in file.names:
            file.array(name)  # checked at once
    return Duel(compiled, own, other, read, file)
