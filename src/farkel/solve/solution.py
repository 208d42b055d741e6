"""Two sides: the probability of winning under best play of both, over the whole game."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from farkel.errors import SolveError
from farkel.game import Offer, Phase, State, apply, legal_actions, new_game
from farkel.game.law.terms import Price
from farkel.game.starting import starting
from farkel.rules import Rules
from farkel.solve.compiled_game import Compiled, compile_board, deciding, positions
from farkel.solve.compiled_turn import Values
from farkel.solve.files import Memory, Shelf, SolutionWriter, Stored, claim, continues, discard, most_bytes, paused
from farkel.solve.files import sweep as remove
from farkel.solve.last_turns import complete, sized
from farkel.solve.race import TurnsWorth, lowered, space, turns
from farkel.solve.solver import Cost, Offers, Solver, cost
from farkel.solve.turn_ends import (
    Position,
    Sides,
    Solved,
    enters,
    losses,
    saturates,
    solve_turns,
    surpasses,
    taken,
    work,
)
from farkel.solve.turn_sweep import LANES, NEVER, TIE, Work
from farkel.support.clock import clock
from farkel.support.frames import Tabular
from farkel.support.locks import Claim
from farkel.support.progress import Progress, silent

log = logging.getLogger(__name__)

GIB = 2**30
Read = Callable[[NDArray[np.int64]], NDArray[np.float64]]
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


class Takes:
    """What taking over is worth, from the solver's memory or from the disk."""

    def __init__(self, offers: Offers, read: Callable[[int, int, int], Read | None]) -> None:
        self.offers = offers
        self._read = cache(read)

    def values(
        self, stage: int, mode: int, against: int, score: int, others: Any, points: Any, dice: Any
    ) -> NDArray[np.float64]:
        """Return [..., (own, other's)] of a seat to move that takes over such an offer, `NEVER` if it
        rather does not.
        """
        points = np.minimum(points, self.offers.length[score])
        read = self._read(stage, mode, against)
        if read is None:
            return np.tile([NEVER, 0.0], (points.size, 1))
        at = self.offers.place[score + others, points] + score * self.offers.dice + dice - 1
        found = read(np.where(points > 0, at, 0))
        found[points == 0] = NEVER, 0.0
        return found


def _dense(take: NDArray[np.float64]) -> Read:
    """Return all values, [at, own and other's]; other's are missing if they are the rest to 1."""

    def read(at: NDArray[np.int64]) -> NDArray[np.float64]:
        own = take[at, 0]
        return np.stack([own, take[at, 1] if take.shape[1] > 1 else 1.0 - own], axis=1)

    return read


def _sparse(mask: NDArray[np.uint8], before: NDArray[np.int64], values: NDArray[Any]) -> Read:
    """Return the values of those offers that are taken over: a bit each, how many there are before each
    byte, and the values.
    """

    def read(at: NDArray[np.int64]) -> NDArray[np.float64]:
        byte, bit = at >> 3, (at & 7).astype(np.uint8)
        bits = mask[byte]
        within = np.bitwise_count(bits & ((np.uint8(1) << bit) - np.uint8(1)))
        taken = (bits >> bit & 1).astype(bool)
        place = np.where(taken, before[byte >> 5] + _counted(mask, byte) + within, 0)
        return np.where(taken[:, None], values[place].astype(float), np.array([NEVER, 0.0]))

    return read


def _counted(mask: NDArray[np.uint8], byte: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return bits in the bytes before each byte, from the last multiple of 32 on."""
    nearby = (byte >> 5 << 5)[:, None] + np.arange(32)
    counts = np.bitwise_count(mask[np.minimum(nearby, mask.size - 1)]).astype(np.int64)
    within: NDArray[np.int64] = np.where(nearby < byte[:, None], counts, 0).sum(axis=1)
    return within


class Begun(NamedTuple):
    """Turns of one seat to move, a lane each, with its winning chances.

    Turn totals beyond the last one are as that one if they are all the ``same``; if not, banking is best there.
    """

    fresh: Values
    """[lane]: before the first roll of a turn that begins afresh."""
    rolling: Values
    """[lane, turn total, rolling]"""
    bank: Values
    """[lane, turn total, dice left on offer]: of a bank; a large negative number if it is not allowed. If totals
    beyond are not all the same, there are as many more as a keep can lead to."""
    first: Values | None
    """As ``rolling``, for the first roll of a take-over, if that differs."""
    same: bool


class Duel(Tabular):
    """A solved game of two seats. Make one with `duel`.

    Each seat plays for its own winning chance, and among equal ones for the one that leaves the other seat the least. A
    win that is shared counts half for both; if no seat wins, neither has won.

    ``own`` and ``other`` hold the values as `farkel.solve.turn_ends.Solved` does, ``takes`` those of take-overs.
    """

    exact = True

    def __init__(self, compiled: Compiled, own: Values, other: Values, takes: Takes, file: Shelf) -> None:
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
        self.own, self.other, self.takes = own, other, takes
        board, p = compiled.board, compiled.program.arrays
        self._least = min(compiled.program.chances)
        self._rows = 3 * board.scores + board.chase.shape[3] + int(board.need.max()) + board.longest
        self._at_work = threading.Lock()
        """Held while turns are calculated in the space below: bots of several games may ask at once."""
        self._work: Work | None = None
        self._alone: Work | None = None
        self._turns: OrderedDict[tuple[int, ...], NDArray[np.float64]] = OrderedDict()
        self._dice = p.offers - 1
        own_, other_ = self._fresh(*compiled.first)
        self.first_player_wins = own_
        """The chance of the seat that has the first turn."""
        self.nobody_wins = max(0.0, 1.0 - own_ - other_) if board.pairs else None
        """The chance that the game ends without a winner; None if it cannot."""

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
        own, other = float(table[row, rolling, 0]), float(table[row, rolling, 1])
        return own + TIE * other if compiled.board.pairs else own, other

    def _offered(self, state: State) -> Pair:
        seat, offer = state.mine, state.offer or Offer(0, 0)
        place = self._place(state, seat.score)
        own, other = self._fresh(*place)
        points = np.array([offer.points // self.rules.unit])
        stage, mode, against, *scores = place
        taken = self.takes.values(stage, mode, against, *self.compiled.kept(*scores), points, np.array([offer.dice]))[0]
        if taken[0] > own - TIE * other:
            own, other = float(taken[0]), float(taken[1])
            own += TIE * other if self.compiled.board.pairs else 0.0
        return own, other

    def _last_turn(self, state: State, score: int, total: int, rolling: int) -> Pair:
        """Return the chances that the seat to move surpasses the one that closed the game, or has lost."""
        board = self.compiled.board
        need = int(board.need[enters(board, self._mode(state, state.seat), score)])
        if board.capped:
            reached = surpasses(board.chase, 0, score - board.zero, need - total, board.scores - score - total, rolling)
            return 0.5 * float(reached), 1.0 - 0.5 * float(reached)
        short = self.compiled.score(state.seats[1 - state.seat].score) - score
        tie = 1 if board.shares and (short >= need or board.chase.shape[2] > 1) else 0
        chance = float(surpasses(board.chase, tie, score - board.zero, need - total, short + 1 - total, rolling))
        return chance, 1.0 - chance

    def _standing(self, state: State, total: int, rolling: int) -> Pair:
        mode, score = self._mode(state, state.seat), self.compiled.score(state.mine.score)
        w, rows = self._solve_alone(state.rounds_left, state.standing, mode, [score])
        return float(w.rolling[min(total, rows) * self.compiled.program.arrays.rollings + rolling, 0]), 0.0

    def _solve_alone(self, left: int, standing: int, mode: int, scores: Sequence[int]) -> tuple[Work, int]:
        """Return the turns of the last one standing with up to eight scores, and the highest total that is
        distinguished.
        """
        compiled = self.compiled
        if self._alone is None:
            self._alone = space(compiled, False)
        alone = compiled.board.alone
        then = alone[max(0, left - 1), standing - 1] if standing > 1 else np.zeros_like(alone[0, 0])
        worth = TurnsWorth(then, then, (1.0, 0.0), (0.0, 0.0))
        return self._alone, turns(compiled, self._alone, False, np.array([mode]), np.array(scores), worth)

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

    def _turn(
        self, stage: int, mode: int, against: int, score: int, others: int, total: int, taking: bool
    ) -> NDArray[np.float64]:
        """Return [turn total, rolling, (own, other's)] of a turn, for totals up to ``total`` and those that matter.

        ``taking``: of rollings that are the first of a take-over from that total.
        """
        key = (stage, mode, against, score, others, taking)
        found = self._turns.get(key)
        total = min(total, self._rows)
        if found is None or not (found.shape[0] > total or saturates(self.compiled.board, stage)):
            sides, rows = self._solve(stage, mode, against, [score] * LANES, others, total)
            w = sides.work
            own = _lanes(w.rolling, rows, self.compiled.program.arrays.rollings)[0]
            other = _lanes(w.rolling_u, rows, own.shape[1])[0] if self.compiled.board.pairs else 1.0 - own
            found = np.stack([own, other], axis=2)
            if taking and self._loses_more:
                found += self._losses(sides, [Position(stage, mode, against, score, others)], rows)[0]
            self._turns[key] = found
            if len(self._turns) > TURNS_KEPT:
                self._turns.popitem(last=False)
        return found

    def begun(self, stage: int, mode: int, against: int, scores: Sequence[int], others: int, total: int) -> Begun:
        """Return eight turns with other scores and all else alike, for totals up to ``total`` and those that matter.

        Not for two threads at a time, and valid until the next call. The result for a score does not depend on the
        other scores, but for rounding.
        """
        p = self.compiled.program.arrays
        sides, rows = self._solve(stage, mode, against, scores, others, min(total, self._rows))
        w, settles = sides.work, bool(saturates(self.compiled.board, stage))
        rolling, first = self._chances(w.rolling, w.rolling_u, rows, p.rollings), None
        if self._loses_more:
            lost = self._losses(sides, [Position(stage, mode, against, score, others) for score in scores], rows)
            first = rolling + lost[..., 0] + (TIE * lost[..., 1] if self.compiled.board.pairs else 0.0)
        return Begun(
            fresh=np.array([self._fresh(stage, mode, against, score, others)[0] for score in scores]),
            rolling=rolling,
            bank=self._chances(w.bank, w.bank_u, rows if settles else rows + p.most + 1, p.offers),
            first=first,
            same=settles or total >= self._rows,
        )

    def alone(self, left: int, standing: int, mode: int, scores: Sequence[int]) -> Begun:
        """Return turns of the last one standing with up to eight scores and all else alike, for all totals that matter.

        left, standing: how many rounds are left, of the game and to the last one standing. Valid until the next call.
        """
        p = self.compiled.program.arrays
        w, rows = self._solve_alone(left, standing, mode, scores)
        rolling = _lanes(w.rolling, rows + 1, p.rollings)
        return Begun(rolling[:, 0, 0], rolling, _lanes(w.bank, rows + 1, p.offers), None, True)

    def _chances(self, own: Values, other: Values, rows: int, width: int) -> Values:
        """Return [lane, turn total, column]: the chances of the seat to move in such parts of `Work`."""
        found = _lanes(own, rows, width)
        return found + TIE * _lanes(other, rows, width) if self.compiled.board.pairs else found

    def _solve(
        self, stage: int, mode: int, against: int, scores: Sequence[int], others: int, total: int
    ) -> tuple[Sides, int]:
        """Return the turns of eight positions: their boundaries, their values, and how many turn totals
        are distinguished.

        ``total`` is among them.
        """
        board, p = self.compiled.board, self.compiled.program.arrays
        if self._work is None:
            self._work = work(p, self._rows + 2, board.pairs)
        here = Position(stage, mode, against, scores[0], others)
        lanes = np.array([[score, others] for score in scores], np.int64)
        solved = self._solved(stage, mode, against, scores, others)
        sides = Sides(board, p, solved, self._work, self._least)
        rows = int(solve_turns(sides, here, lanes, total + 1, True))
        return sides, rows + 1 if saturates(board, stage) else rows

    @property
    def _loses_more(self) -> bool:
        """Whether a farkle of the first roll of a take-over costs more than that of another roll."""
        return self.compiled.board.stake > 0 or bool(self.compiled.program.arrays.leaves)

    def _losses(self, sides: Sides, lanes: Sequence[Position], rows: int) -> Values:
        """Return [lane, turn total, rolling, (own, other's)]: how much less the first roll of a take-over is worth."""
        board, p = sides.board, sides.program
        found = np.zeros((len(lanes), rows, p.rollings, 2))
        for lane, at in enumerate(lanes):
            for row in range(1, rows if p.leaves else 2):
                worse = losses(sides, at, row, lane)
                # If a farkle leaves nothing its price is the same at every total.
                rest = slice(row, row + 1 if p.leaves else rows)
                found[lane, rest] = worse if board.pairs else worse[:, :1] * np.array([1.0, -1.0])
        return found

    def _solved(self, stage: int, mode: int, against: int, scores: Sequence[int], others: int) -> Solved:
        """Return the values that turns lead to, those of take-overs cut out of the stored ones."""
        board, p, offers = self.compiled.board, self.compiled.program.arrays, self.takes.offers
        if board.price == 0:
            empty = np.full((1, 2 if board.pairs else 1), NEVER)
            return Solved(self.own, self.other, empty, np.full(offers.slot.shape, -1), offers.place, offers.length)
        n, then = board.scores, int(board.next_stage[stage])
        # Scores that a turn may end with, and the turn totals that it leaves to the other seat then, as one number.
        fined = {int(lowered(board, score, paid)) for score in scores for paid in p.fines.tolist()}
        totals, left = np.arange(n), np.arange(offers.length[others] + 1)
        ends = [np.minimum(one + totals, n - 1) * MUCH + totals for one in fined]
        if not board.relative:
            ends = [each[: n - one] for one, each in zip(fined, ends, strict=True)]
        modes = {int(board.after_bank[mode])}
        for kind in range(p.farkles if p.leaves else 0):
            hand = board.farkle_hand[kind]
            points = int(board.farkle_fine[kind] + board.penalty[mode, hand])
            lost = {int(lowered(board, one, points)) for one in fined}
            ends += [one * MUCH + left for one in lost]
            modes.add(int(board.after_farkle[mode, hand]))
        mine, points_left = np.divmod(np.unique(np.concatenate(ends)), MUCH)
        told, dice = np.minimum(points_left, offers.length[others]), np.arange(1, self._dice + 1)
        each = np.repeat(mine, dice.size), np.repeat(told, dice.size), np.tile(dice, mine.size)
        slot, place = np.full(offers.slot.shape, -1, np.int64), np.zeros(offers.place.shape, np.int64)
        place[others + mine, told] = (np.arange(mine.size) - others) * dice.size
        takes: list[NDArray[np.float64]] = []
        for after in sorted(modes - {-1}):
            slot[then, against, after] = len(takes) * mine.size * dice.size
            takes.append(self.takes.values(then, against, after, others, *each))
        take = np.concatenate(takes)[:, : 2 if board.pairs else 1]
        return Solved(self.own, self.other, np.ascontiguousarray(take), slot, place, offers.length)


def _lanes(part: Values, rows: int, width: int) -> Values:
    """Return [lane, turn total, column]: a view of that part of `Work`."""
    return np.moveaxis(part[: rows * width].reshape(rows, width, LANES), 2, 0)


def duel(
    rules: Rules, progress: Progress = silent, *, fresh: bool = False, people: int = 1, patience: float = inf
) -> Duel:
    """Return the game of two seats with this many people each, solved, or read from the disk if it was solved before.

    If another process is solving it, wait for that; after ``patience`` seconds solve it here as well. If the solution
    cannot be kept on the disk, it is in memory alone, and a warning is logged once. ``fresh``: solve in any case, from
    the beginning. Raises `SolveError`: ``no_memory`` or ``no_disk`` before any work, and if the rules cannot be solved;
    and what ``progress`` raises to stop the work.
    """
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


def under_way(rules: Rules, people: int = 1) -> bool:
    """Return whether another process is solving these rules."""
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
        for stage, mode, against in () if lives else np.argwhere(solver.offers.slot >= 0).tolist():
            keep(stage, mode, against)
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
        self._solver.values.own[:] = arrays["own"]
        self._solver.values.other[:] = arrays["other"]
        self._solver.values.take[:] = arrays["take"]
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
    first = int(solver.offers.slot[stage, mode, against])
    take = solver.values.take[first : first + each]
    if not solver.board.pairs:
        shelf.add(f"take {name}", take)
        return
    mask = taken(solver.values, solver.offers.dice, stage, mode, against, each)
    bits = np.packbits(mask, bitorder="little")
    counts = np.add.reduceat(np.bitwise_count(bits).astype(np.int64), np.arange(0, bits.size, 32))
    shelf.add(f"taken {name}", bits)
    shelf.add(f"before {name}", np.cumsum(counts) - counts)
    kind = np.float32 if each * solver.offers.slot.size > MUCH else np.float64
    shelf.add(f"take {name}", np.concatenate([take[mask], np.zeros((1, 2))]).astype(kind))


def duel_cost(rules: Rules, people: int = 1) -> Cost:
    """Return what solving these rules takes, without solving them."""
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


def stored(rules: Rules, people: int = 1) -> Path:
    """Return where the solution of these rules is kept."""
    return folder() / f"{_digest(rules, people)}.solution"


def _digest(rules: Rules, people: int) -> str:
    """Return what names the solution."""
    return f"{rules.digest}-{people}" if people > 1 and deciding(rules, people) > 1 else rules.digest


def _opened(file: Shelf, compiled: Compiled) -> Duel:
    """Return the solution that is kept there. Raises `SolveError` ``damaged``."""
    own = np.array(file.array("own"))
    other = np.full((1, 1, 1, 1, 1), 0.5)
    if compiled.board.pairs:
        other = np.array(file.array("other"))
    offers = Offers(compiled)

    def read(stage: int, mode: int, against: int) -> Read | None:
        name = f"{stage} {mode} {against}"
        if f"take {name}" not in file:
            return None
        values = file.array(f"take {name}")
        if not compiled.board.pairs:
            return _dense(values)
        return _sparse(file.array(f"taken {name}"), file.array(f"before {name}"), values)

    if not compiled.board.pairs:
        for name in file.names:
            file.array(name)  # checked at once
    return Duel(compiled, own, other, Takes(offers, read), file)
