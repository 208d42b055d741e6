"""A slow and plain solver, the yardstick for the fast one: games of two seats, and of one seat alone.

It knows only the engine: what may fall (`chance_outcomes`), what may be done (`legal_actions`), what follows (`apply`).

*What is solved.* A finished game is worth 1 to its only winner, 1/2 to each of two, and nothing to others; a game that
never ends is worth nothing to anybody. The seat to decide takes the action that gives itself the most, and among those
that come within 1e-12 of that the one that gives the other seat the least.

*How.* A position is a state at the start of a turn or with an offer, as the seat to move sees it: that seat is turned
to be seat 0. From a position every throw and every action is followed to the end of the turn, and so to the next
positions, until nothing new comes up. Then all positions are valued again and again, each turn backwards from its ends,
until nothing changes. They are valued in groups, those nearer to the end of the game first; the order matters only to
the speed.

*What is shared.* What can happen inside a turn does not depend on most of the table. So a state is split into an inside
(turn total, dice, whether the entry score is made) and an outside (the other seat, lives, who began, ...). The inside
is explored once with the outside hidden (`Turn`), and only the ends of turns are played with every outside (`Column`).
Likewise only one is tried of all throws that do the same (`Solver.kinds`). The tests compare all this with a solver
that shares nothing.

*Where it is cut.* Turn totals have no bound, so a keep that brings the total to ``most`` or more ends the turn if it
may be banked; if it may not (forced hot dice), the seat rolls on with ``most``. That is exact where the target ends the
game at once, as more than the target is no better than the target. In a last turn the cut is put where every bank
wins, and is exact as well. Elsewhere it is exact once ``most`` is above all totals with which anybody would want to
roll on, and `cut_error` of two solutions tells. Scores stop at ``floor``: they are raised to it after every event.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

import numpy as np
import numpy.typing as npt

from farkel.game import Event, Keep, Phase, Seat, State, Throw, apply, chance_outcomes, legal_actions, new_game
from farkel.rules import Rules

Values = npt.NDArray[np.float64]
"""Always four rows: the chance of the seat to move, of the other one, of a shared win, of no winner."""
Indices = npt.NDArray[np.intp]
Options = frozenset[int]
"""What one may choose from after a throw: numbers of rows of a `Turn` and, inverted, of its ends."""
Followed = dict[tuple[tuple[Seat, ...], tuple[int, ...], str], State]
"""What follows from a keep, after a throw that left the seats so."""

TIE = 1e-12
HIDDEN = -(10**9)
"""A score that stands for any: no bank brings it to a target, so that each shows what it adds."""
PLENTY = 10**6
"""Lives that stand for any number, so that each farkle shows what it costs."""
WON, LOST, SHARED, NOBODY = 0, 1, 2, 4
"""References to the ends of the game. A reference is twice a position's number, or 1 more to see it from the other
seat."""
MOST_SWEEPS = 10_000
WIDTH = 64
"""Columns that are valued at a time, for speed."""
SIZES = (1, 4, 12, 36, 10**6)
"""Sets of options are padded to the longest of their class, for speed."""


class Choices:
    """Sets of options as tables of sets of like size; a shorter set repeats its first option."""

    def __init__(self, sets: list[list[int]]) -> None:
        sizes: dict[int, list[int]] = {}
        for place, options in enumerate(sets):
            sizes.setdefault(min(size for size in SIZES if size >= len(options)), []).append(place)
        self.places = [place for some in sizes.values() for place in some]
        self.tables: list[tuple[slice, Indices]] = []
        end = 0
        for some in sizes.values():
            longest = max(len(sets[place]) for place in some)
            filled = [sets[place] + sets[place][:1] * (longest - len(sets[place])) for place in some]
            self.tables.append((slice(end, end := end + len(some)), np.array(filled, dtype=np.intp).T))

    def made(self, values: Values, rest: bool) -> Values:
        """What each set is worth in each column, the sets in the order of ``places``: the highest own chance, then the
        lowest of the other seat, and the rest, if asked for, as the first such option has it."""
        found = np.zeros((4, len(self.places), values.shape[2]))
        for some, table in self.tables:
            own, other = values[0].take(table, axis=0), values[1].take(table, axis=0)
            best = own.max(axis=0, out=found[0, some])
            other = np.where(own >= best - TIE, other, np.inf)
            least = other.min(axis=0, out=found[1, some])
            if rest:
                picks = np.take_along_axis(table[:, :, None], (other == least).argmax(axis=0)[None], axis=0)[0]
                found[2:, some] = values[2:, picks, np.arange(values.shape[2])]
        return found


class Column:
    """One outside of a turn: where each end of the turn leads, and which of its rows are positions."""

    def __init__(self) -> None:
        self.ends: dict[int, int] = {}
        self.positions: dict[int, int] = {}
        self.values: Values = np.zeros((4, 0))


class Turn:
    """All that can happen inside the turns of one kind of seat. A row is the inside of a state about to roll."""

    def __init__(self, solver: Solver, limit: int) -> None:
        self.solver = solver
        self.limit = limit
        self.rows: dict[State, int] = {}
        self.throws: list[Counter[Options]] = []
        """For each row: in how many ways the throws fall after which one may choose from these."""
        self.ends: dict[Hashable, int] = {}
        self.last_events: list[tuple[State, Event]] = []
        """For each end: the last state of a turn that ends so, and the event that ends it."""
        self.columns: dict[State, Column] = {}
        self._waiting: list[State] = []
        self._reach: dict[int, frozenset[int]] = {}

    def row(self, inside: State) -> int:
        """The number of the row; a new one waits to be explored."""
        if inside not in self.rows:
            self.rows[inside] = len(self.rows)
            self.throws.append(Counter())
            self._waiting.append(inside)
        return self.rows[inside]

    def explore(self) -> None:
        """Follow all rows to the ends of the turn."""
        while self._waiting:
            state = self._waiting.pop()
            followed: Followed = {}
            for throw, ways in self.solver.kinds(state.dice):
                self.throws[self.rows[state]][self._options(state, throw, followed)] += ways

    def _options(self, state: State, throw: Throw, followed: Followed) -> Options:
        after = apply(state, throw)
        if after.phase is not Phase.KEEP:
            # What a farkle costs may not show where the score is hidden, so that the dice tell farkles apart.
            return frozenset((~self._end((after, state.dice), state, throw),))
        after = self.solver.floored(after)
        return frozenset(
            ~self._end(successor, after, action) if action.then == "bank" else self.row(successor)
            for action, successor in self.solver.follow(after, self.limit, followed)
        )

    def _end(self, key: Hashable, state: State, event: Event) -> int:
        if key not in self.ends:
            self.ends[key] = len(self.ends)
            self.last_events.append((state, event))
        return self.ends[key]

    def reach(self, row: int) -> frozenset[int]:
        """The ends that can be reached from a row."""
        if row not in self._reach:
            seen, waiting = {row}, [row]
            while waiting:
                options = {option for options in self.throws[waiting.pop()] for option in options}
                waiting += [option for option in options - seen if option >= 0]
                seen |= options
            self._reach[row] = frozenset(~option for option in seen if option < 0)
        return self._reach[row]

    def arrange(self) -> None:
        """The rows as arrays, those of the largest turn totals first: a roll leads to larger ones only."""
        by_points: dict[int, list[int]] = {}
        for state, row in self.rows.items():
            by_points.setdefault(state.points, []).append(row)
        self.levels: list[tuple[list[int], Choices, Values]] = []
        for points in sorted(by_points, reverse=True):
            rows = by_points[points]
            throws = [(place, *throw) for place, row in enumerate(rows) for throw in self.throws[row].items()]
            choices = Choices([[o if o >= 0 else len(self.rows) + ~o for o in options] for _, options, _ in throws])
            chances = np.zeros((len(rows), len(throws)))
            for column, (place, _, ways) in enumerate(throws[throw] for throw in choices.places):
                chances[place, column] = ways / self.throws[rows[place]].total()
            self.levels.append((rows, choices, chances))
        # At the limit, and only there, a roll can lead to the same turn total again.
        self.loops = [row for row in by_points.get(self.limit, ()) if any(max(one) >= 0 for one in self.throws[row])]


class Block:
    """Columns of one turn that are valued together: the values of all its rows, then of its ends."""

    def __init__(self, turn: Turn, columns: list[Column]) -> None:
        self.turn = turn
        self.rows, width = len(turn.rows), len(columns)
        self.refs: Indices = np.full((len(turn.ends), width), NOBODY, dtype=np.intp)
        self.values: Values = np.zeros((4, self.rows + len(turn.ends), width))
        positions: list[tuple[int, int, int]] = []
        for place, column in enumerate(columns):
            column.values = self.values[:, :, place]
            self.refs[list(column.ends), place] = list(column.ends.values())
            positions += [(row, place, number) for row, number in column.positions.items()]
        self.positions: Indices = np.array(positions, dtype=np.intp).T

    def sweep(self, known: Values, price: float, rest: bool) -> tuple[Indices, Values, float]:
        """Value the turns once, their ends as known: the positions, their values, and how much the loops changed."""
        values, loops = self.values, self.turn.loops
        before = values[:, loops]
        values[:, self.rows :] = known[:, self.refs]
        values[0, self.rows :] -= price
        for rows, choices, chances in self.turn.levels:
            values[:, rows] = chances @ choices.made(values, rest)
        rows, places, numbers = self.positions
        return numbers, values[:, rows, places], float(np.abs(values[:, loops] - before).max(initial=0))


class Solver:
    """What `Duel` and `Alone` share: all positions of a game that seat 0 begins, and their values."""

    people: tuple[int, ...] = (1, 1)
    price = 0.0
    """What each turn costs the seat that ends it."""
    final: Values = np.array([[1, 0.5, 0], [0, 0.5, 0], [0, 1, 0], [0, 0, 1]])
    """Values of the ends of the game: won, shared, without a winner."""

    def __init__(self, rules: Rules, *, most: int, floor: int | None = None, tolerance: float = 1e-13) -> None:
        self.rules, self.most, self.floor, self.tolerance = rules, most, floor, tolerance
        self.lowest = floor or 0
        needed = max(rules.target, rules.entry, rules.minimum) - self.lowest
        if most < needed:
            raise ValueError(f"most = {most} is too small: these rules need {needed}")
        # Inside a turn a score matters only to fines and stakes, and to a target that must be hit exactly.
        self.scores_matter = (
            bool(rules.rolled.fines or rules.zones)
            or rules.finish in ("exact", "welfare")
            or rules.take_over.price == "stake"
        )
        # Who began matters only where rounds are played to their end.
        self.first_matters = rules.rounds > 0 or rules.finish in ("equal_turns", "fewest_rounds")
        game = new_game(rules, self.people)
        self.start = game._replace(phase=Phase.ROLL, seat=0, first=0, dice=rules.dice)
        self.numbers: dict[State, int] = {}
        self.turns: dict[tuple[Seat, bool], Turn] = {}
        self._kinds: dict[int, list[tuple[Throw, int]]] = {}
        self._build()
        self._solve()

    # The engine, and what is cut off ---------------------------------------------------------------------------------

    def step(self, state: State, event: Event) -> State:
        """What follows from the event."""
        return self.floored(apply(state, event))

    def floored(self, state: State) -> State:
        """The state with no score below the floor; hidden scores stay."""
        for place, seat in enumerate(state.seats):
            if HIDDEN / 2 < seat.score < self.lowest:
                if self.floor is None:
                    raise ValueError("scores fall below zero: give a floor")
                seats = (*state.seats[:place], seat._replace(score=self.floor), *state.seats[place + 1 :])
                return self.floored(state._replace(seats=seats))
        return state

    def follow(self, state: State, limit: int, followed: Followed) -> list[tuple[Keep, State]]:
        """The actions after a throw and what follows from them, with turn totals cut at the limit.

        What follows depends on the dice that are kept, not on the others: ``followed`` spares doing it again.
        """
        actions = [action for action in legal_actions(state) if isinstance(action, Keep)]
        found = []
        for action in actions:
            key = (state.seats, action.dice, action.then)
            after = followed[key] = followed.get(key) or self.step(state, action)
            if action.then == "roll" and after.points >= limit:
                if Keep(action.dice, "bank") in actions:
                    continue
                after = after._replace(points=limit)
            found.append((action, after))
        return found

    def kinds(self, dice: int) -> list[tuple[Throw, int]]:
        """One throw of every kind, and in how many ways that kind falls.

        Two throws are of one kind if they lead to the same states from two extremes: where nothing may be banked, so
        that every keep shows by its roll, and where everything may, so that every keep shows by its bank.
        """
        if dice not in self._kinds:
            found: dict[Hashable, tuple[Throw, int]] = {}
            for throw, ways in chance_outcomes(self.start._replace(dice=dice)):
                seen: list[Hashable] = []
                for points, score in ((-(10**9), 3 * 10**9), (10**9, -(10**12))):
                    seats = (self.start.seats[0]._replace(score=score, lives=PLENTY), *self.start.seats[1:])
                    after = apply(self.start._replace(dice=dice, points=points, seats=seats), throw)
                    seen.append(frozenset(apply(after, action) for action in legal_actions(after)) or after)
                first, before = found.get(tuple(seen), (throw, 0))
                found[tuple(seen)] = (first, before + ways)
            self._kinds[dice] = list(found.values())
        return self._kinds[dice]

    # Inside and outside ----------------------------------------------------------------------------------------------

    def canonical(self, state: State) -> State:
        """The state as the seat to move sees it."""
        seat, seats = state.seat, len(state.seats)
        return state._replace(
            seats=state.seats[seat:] + state.seats[:seat],
            seat=0,
            first=(state.first - seat) % seats if self.first_matters else 0,
            closer=(state.closer - seat) % seats if state.closer >= 0 else -1,
        )

    def inside(self, state: State) -> State:
        """The state with all hidden that does not matter inside a turn."""
        mine = state.seats[0]._replace(lives=PLENTY, farkles=0)
        mine = mine if self.scores_matter else mine._replace(score=HIDDEN)
        others = tuple(Seat(score=HIDDEN, lives=PLENTY) for _ in state.seats[1:])
        return state._replace(seats=(mine, *others), first=0, closer=-1, rounds_left=0, standing=0)

    def outside(self, state: State) -> State:
        """The state with the turn hidden, and the score where it is inside."""
        mine = state.seats[0]._replace(score=HIDDEN) if self.scores_matter else state.seats[0]
        seats = (mine, *state.seats[1:])
        return state._replace(seats=seats, phase=Phase.ROLL, points=0, dice=0, idle=0, taking=False, hot=0)

    def join(self, inside: State, outside: State) -> State:
        """An inside and an outside as one state."""
        mine, *others = outside.seats
        if self.scores_matter:
            mine = mine._replace(score=inside.seats[0].score)
        where = {field: getattr(outside, field) for field in ("first", "closer", "rounds_left", "standing")}
        return inside._replace(seats=(mine, *others), **where)

    # All positions ---------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self._rest = False  # whether a game can be shared or end without a winner
        self._open: list[State] = []
        self._closed: list[State] = []
        self._offers: dict[int, list[int]] = {}
        self.last_limit = self.most
        self.ref(self.start)
        while self._open:
            self._expand(self._open.pop())
        # In a last turn more than the highest score that is to be beaten wins for certain.
        highest = max((state.seats[state.closer].score for state in self._closed), default=0)
        self.last_limit = highest - self.lowest + 1
        while self._closed:
            self._expand(self._closed.pop())

    def ref(self, state: State) -> int:
        """The reference of a position or of an end of the game."""
        if state.result is not None:
            end = {(): NOBODY, (0,): WON, (1,): LOST}.get(state.result.winners, SHARED)
            self._rest |= end in (NOBODY, SHARED)
            return end
        position = self.canonical(state)
        if position not in self.numbers:
            self.numbers[position] = len(self.numbers) + 3
            (self._open if position.closer < 0 else self._closed).append(position)
        return 2 * self.numbers[position] + state.seat

    def _expand(self, position: State) -> None:
        number, closed = self.numbers[position], position.closer >= 0
        if position.phase is Phase.OFFER:
            self._offers[number] = [self.ref(self.step(position, action)) for action in legal_actions(position)]
            return
        inside, outside = self.inside(position), self.outside(position)
        limit = self.last_limit if closed else self.most
        turn = self.turns.setdefault((inside.seats[0], closed), Turn(self, limit))
        row = turn.row(inside)
        turn.explore()
        column = turn.columns.setdefault(outside, Column())
        column.positions[row] = number
        for end in turn.reach(row) - column.ends.keys():
            before, event = turn.last_events[end]
            column.ends[end] = self.ref(self.step(self.join(before, outside), event))

    # Their values ----------------------------------------------------------------------------------------------------

    def _solve(self) -> None:
        self.values: Values = np.zeros((4, 2 * len(self.numbers) + 6))
        self._store(np.arange(3), self.final)
        self._arrange()
        due = set(range(len(self._blocks)))
        while due:
            for group in sorted(due):
                due.remove(group)
                change = self._sweep(group)
                if change > self.tolerance:
                    due |= self._followers[group] - {group}
                if group in self._followers[group]:
                    self._settle(group, change)

    def _settle(self, group: int, change: float) -> None:
        """Value a group that depends on itself until the changes still to come add up to less than the tolerance."""
        ratio = 0.0
        for _ in range(MOST_SWEEPS):
            if change <= self.tolerance * max(1 - ratio, 0.01):
                return
            before, change = change, self._sweep(group)
            ratio = change / before
        raise ValueError("the values do not settle")

    def _arrange(self) -> None:
        """The positions in groups, and for each group those that depend on it."""
        orders = {number: self._order(state) for state, number in self.numbers.items()}
        places = {order: place for place, order in enumerate(sorted(set(orders.values())))}
        groups = [-1] * 3 + [places[orders[number]] for number in range(3, len(orders) + 3)]
        columns: list[dict[Turn, list[Column]]] = [{} for _ in places]
        offers: list[dict[int, list[int]]] = [{} for _ in places]
        self._followers: list[set[int]] = [set() for _ in range(len(places) + 1)]  # the last: of the ends of the game
        for turn in self.turns.values():
            turn.arrange()
            for column in turn.columns.values():
                group = groups[next(iter(column.positions.values()))]
                columns[group].setdefault(turn, []).append(column)
                for needed in {groups[ref // 2] for ref in column.ends.values()} | ({group} if turn.loops else set()):
                    self._followers[needed].add(group)
        for number, refs in self._offers.items():
            group = groups[number]
            offers[group][number] = refs
            for needed in {groups[ref // 2] for ref in refs} | {group}:
                self._followers[needed].add(group)
        self._blocks = [
            [Block(turn, some[at : at + WIDTH]) for turn, some in one.items() for at in range(0, len(some), WIDTH)]
            for one in columns
        ]
        self._choices = [(np.array(list(one), dtype=np.intp), Choices(list(one.values()))) for one in offers]

    def _order(self, state: State) -> tuple[int, ...]:
        """A number that is low for states near the end of the game in most rules."""
        if state.closer >= 0:
            return (0,)
        alive = [seat for seat in state.seats if seat.status == "in"]
        scores, lives = sum(seat.score for seat in state.seats), sum(seat.lives for seat in alive)
        return (len(alive), state.rounds_left, state.standing, -scores, lives)

    def _sweep(self, group: int) -> float:
        """Value a group of positions once; the largest change."""
        change = 0.0
        for block in self._blocks[group]:
            numbers, values, inner = block.sweep(self.values, self.price, self._rest)
            change = max(change, inner, self._store(numbers, values))
        numbers, choices = self._choices[group]
        if len(numbers):
            values = choices.made(self.values[:, :, None], self._rest)[:, :, 0]
            change = max(change, self._store(numbers[choices.places], values))
        return change

    def _store(self, numbers: Indices, values: Values) -> float:
        change = float((np.abs(self.values[:, 2 * numbers] - values) / np.maximum(1, np.abs(values))).max())
        self.values[:, 2 * numbers] = values
        self.values[:, 2 * numbers + 1] = values[[1, 0, 2, 3]]
        return change


class Duel(Solver):
    """A game of two seats with one person each, begun by seat 0."""

    @property
    def first_player_wins(self) -> float:
        """The chance of seat 0 as the game begins; a shared win counts one half."""
        return float(self._see(self.start)[0])

    @property
    def shared_wins(self) -> float:
        """The chance that both win."""
        return float(self._see(self.start)[2])

    @property
    def nobody_wins(self) -> float:
        """The chance that the game ends without a winner."""
        return float(self._see(self.start)[3])

    def chances(self, state: State) -> tuple[float, float]:
        """The chances of seat 0 and of seat 1 in any state that play up to the cut can lead to."""
        own, other, _, _ = self._see(self.floored(state))
        return float(own), float(other)

    def _see(self, state: State) -> Values:
        """The values of a state as seat 0 sees them."""
        if state.result is not None:
            return self.values[:, self.ref(state)]
        values = self._see_own(self.canonical(state))
        return values if state.seat == 0 else values[[1, 0, 2, 3]]

    def _see_own(self, state: State) -> Values:
        """The same, where seat 0 is to move."""
        if state in self.numbers:
            return self.values[:, 2 * self.numbers[state]]
        closed = state.closer >= 0
        limit = self.last_limit if closed else self.most
        state = state._replace(points=min(state.points, limit))
        if state.phase is Phase.KEEP:
            options = np.stack([self._see(after) for _, after in self.follow(state, limit, {})], axis=1)
            return Choices([list(range(options.shape[1]))]).made(options[:, :, None], rest=True)[:, 0, 0]
        inside, outside = self.inside(state), self.outside(state)
        for key, turn in self.turns.items():
            row, column = turn.rows.get(inside), turn.columns.get(outside)
            if key[1] == closed and row is not None and column and turn.reach(row) <= column.ends.keys():
                return column.values[:, row]
        if state.phase is Phase.ROLL and state.points == limit:
            throws = chance_outcomes(state)
            seen = np.array([self._see(self.step(state, throw)) for throw, _ in throws])
            return np.average(seen, axis=0, weights=[ways for _, ways in throws])
        raise ValueError(f"beyond the cut, or no state of this game: {state}")


class Alone(Solver):
    """A seat alone that needs as few turns as it can. The rules must not end its game before the target."""

    people = (1,)
    price = 1.0
    final = np.zeros((4, 3))

    @property
    def expected_turns(self) -> float:
        """The expected number of turns to the target, the last one included."""
        if self.rules.lives.each or self.rules.rounds or not self.rules.target:
            raise ValueError("lives and rounds may end the game of a seat alone before the target")
        return -float(self.values[0, self.ref(self.start)])


def cut_error(one: Solver, two: Solver) -> float:
    """The largest difference between two solutions of one game that are cut differently, over all turns from the start
    that both know."""
    shared = [state for state in one.numbers if state in two.numbers and not (state.points or state.offer)]
    numbers = np.array([[2 * solver.numbers[state] for state in shared] for solver in (one, two)])
    return float(np.abs(one.values[:, numbers[0]] - two.values[:, numbers[1]]).max())
