"""Three seats solved: against the engine's own states, and against a slow solver that knows only the engine."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, assume, given, settings

from farkel.coach import advise
from farkel.errors import RulesError, SolveError
from farkel.game import Keep, Note, Phase, Seat, State, apply, chance_outcomes, legal_actions, new_game
from farkel.play.hints import consult, hint
from farkel.players import Exact, knowledge
from farkel.rules import Rules, changed
from farkel.rules.settings import declared
from farkel.solve import Trio, best_turn, duel, evaluator, stored_trio, trio
from farkel.solve.fields import ENDS, VALUES
from farkel.solve.files import paused
from farkel.solve.three.solver import TrioRules, TrioSolver
from farkel.terminal.cli import main
from named_rules import known_to, rules_of
from random_play import random_states
from random_rules import examples, rule_sets

PEOPLE = (1, 1, 1)


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solutions are kept apart from the user's own; compiled code is not."""
    monkeypatch.setattr("farkel.solve.solution.folder", lambda: tmp_path / "solutions")
    monkeypatch.setattr("farkel.solve.three.seats.folder", lambda: tmp_path / "solutions")


# The slow solver ------------------------------------------------------------------------------------------------------

Option = tuple[str, int, int]
"""Bank, farkle or roll; the turn total and the dice."""


class Slow:
    """Every position of a game that ends at once, valued again and again until nothing moves."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.begun = new_game(rules, PEOPLE)._replace(phase=Phase.ROLL, seat=0, first=0, dice=rules.dice)
        scores = range(0, rules.target, rules.unit)
        self.values = {places: np.full(3, 1 / 3) for places in product(scores, repeat=3)}
        self.turns: dict[int, list[tuple[tuple[int, int], list[tuple[float, list[Option]]]]]] = {}
        moved = 1.0
        while moved > 1e-15:
            moved = 0.0
            for places in sorted(self.values, key=sum, reverse=True):
                found = self.turn(places)
                moved = max(moved, float(np.abs(found - self.values[places]).max()))
                self.values[places] = found

    def state(self, places: tuple[int, ...]) -> State:
        """A position, the seat to move being the first."""
        entered = [0 if self.rules.entry and not score else -1 for score in places]
        seats = [Seat(score=score, entered=on) for score, on in zip(places, entered, strict=True)]
        return self.begun._replace(seats=tuple(seats))

    def turn(self, places: tuple[int, ...]) -> np.ndarray:
        """The chances of the three, played through to the end of the turn."""
        position, ends, found = self.state(places), dict[Option, np.ndarray](), dict[tuple[int, int], np.ndarray]()
        for node, throws in self.tree(places):
            value = np.zeros(3)
            for chance, options in throws:
                reached = []
                for then, total, dice in options:
                    if then == "roll":
                        reached.append(found[total, dice])
                        continue
                    if (then, total, 0) not in ends:
                        note = Note(total, dice or 1, farkle=then == "farkle")
                        ends[then, total, 0] = self.after(apply(position, note))
                    reached.append(ends[then, total, 0])
                value = value + chance * max(reached, key=lambda each: float(each[0]))
            found[node] = value
        return found[0, self.rules.dice]

    def after(self, state: State) -> np.ndarray:
        """The chances once a turn has ended."""
        if state.result is not None:
            return np.array([float(seat in state.result.winners) for seat in range(3)])
        order = [(state.seat + step) % 3 for step in range(3)]
        return np.roll(self.values[tuple(state.seats[seat].score for seat in order)], state.seat)

    def tree(self, places: tuple[int, ...]) -> list[tuple[tuple[int, int], list[tuple[float, list[Option]]]]]:
        """What can happen in a turn, the highest totals first: what may be done after each throw."""
        if places[0] not in self.turns:
            begun, found, waiting = self.state(places), {}, [(0, self.rules.dice)]
            for node in waiting:
                total, dice = node
                rolling = begun._replace(points=total, dice=dice)
                throws = chance_outcomes(rolling)
                each, ways = list[tuple[float, list[Option]]](), sum(ways for _, ways in throws)
                for throw, number in throws:
                    options = self.options(apply(rolling, throw), total, dice)
                    each.append((number / ways, options))
                    waiting += {(o[1], o[2]) for o in options if o[0] == "roll"} - set(waiting)
                found[node] = each
            self.turns[places[0]] = sorted(found.items(), reverse=True)
        return self.turns[places[0]]

    def options(self, state: State, total: int, dice: int) -> list[Option]:
        """The legal actions; players who can win do not roll on."""
        if state.phase is not Phase.KEEP:
            return [("farkle", total, dice)]
        found = set[Option]()
        for action in legal_actions(state):
            assert isinstance(action, Keep)
            after = apply(state, action)
            if action.then == "bank":
                banked = after.seats[0].score - state.seats[0].score
                if after.result is not None:
                    return [("bank", self.rules.target - state.seats[0].score, 1)]
                found.add(("bank", banked, 1) if banked else ("farkle", 0, 1))
            elif state.seats[0].score + after.points <= self.rules.target:
                found.add(("roll", after.points, after.dice))
        return sorted(found)


SMALL = [
    "minimal(target=150)",
    "minimal(target=150, dice=5)",
    "kcd(target=200, entry=100)",
    "minimal(target=200, minimum=100)",
    "minimal(target=150, finish=exact)",
]


@pytest.mark.slow
@pytest.mark.parametrize("spec", SMALL)
def test_small_games_are_solved_as_by_the_slow_solver(spec: str) -> None:
    slow, found = Slow(rules_of(spec)), trio(rules_of(spec))
    assert found.mixed == 0
    for places, values in slow.values.items():
        assert found.chances(slow.state(places)) == pytest.approx(values, abs=1e-9), places


# The engine's states --------------------------------------------------------------------------------------------------


def successors(solved: Trio, state: State) -> np.ndarray:
    """The chances in a state, as those of the states that follow from it by the engine say."""
    throws = chance_outcomes(state)
    if throws:
        found = np.array([solved.chances(apply(state, throw)) for throw, _ in throws])
        ways = np.array([ways for _, ways in throws])
        return np.asarray(ways @ found / ways.sum())
    after = [solved.chances(apply(state, action)) for action in legal_actions(state)]
    return np.array(max(after, key=lambda chances: chances[state.seat]))


def assert_agrees(rules: Rules, number: int = 60) -> None:
    """The values are their own successors': where two policies are mixed, only the mover's must be."""
    solved = trio(rules)
    assert solved.open == 0
    assert solved.residual < 1e-9
    for state in random_states(rules, 1, number, PEOPLE):
        if not state.over:
            chances, after = np.array(solved.chances(state)), successors(solved, state)
            alike = [state.seat] if solved.mixed and state.phase is Phase.ROLL and not state.points else [0, 1, 2]
            assert chances[alike] == pytest.approx(after[alike], abs=2e-9), state
            assert chances.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    "spec",
    [
        "minimal(target=1000)",
        "kcd(target=600)",
        pytest.param("standard(target=400)", marks=pytest.mark.slow),
        "minimal(target=500, finish=exact)",
        pytest.param("extended(target=1000)", marks=pytest.mark.slow),
        pytest.param("standard(target=600, hot_dice=forced, minimum=300)", marks=pytest.mark.slow),
        pytest.param("minimal(target=500, entry=300, rolled.aaa=bank)", marks=pytest.mark.slow),
        pytest.param("standard(target=500, entry=300, rolled.aaa=bank)", marks=pytest.mark.slow),
        pytest.param("kcd(target=600, hot_dice_multiplier=true)", marks=pytest.mark.slow),
    ],
)
def test_values_are_those_of_the_engines_states(spec: str) -> None:
    assert_agrees(rules_of(spec))


SOLVED_FOR_THREE = declared(
    {
        "": "dice target finish start minimum hot_dice hot_dice_multiplier hot_dice_bonus keep fallen teams",
        "scoring.": "first_roll roll confirm bank",
        "rolled.": "first_roll",
    }
)


def few(rules: Rules) -> Rules | None:
    """The drawn rules, but small, and without fields that are not solved for three."""
    finish = rules.finish if rules.finish in ("at_once", "last_turns", "exact") else "at_once"
    changes = f"finish={finish}", "target=200", f"minimum={min(rules.minimum, 150)}", "most_seats=3"
    try:
        found = changed(known_to(SOLVED_FOR_THREE, rules, VALUES | ENDS), *changes)
    except RulesError:
        return None
    table = 0 if found.unit < 25 else len(range(0, found.target, found.unit))
    return found if table and not (found.rolled.fines or found.rolled.bonuses) else None


@pytest.mark.slow
@settings(max_examples=examples(4), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rule_sets().map(few).filter(bool))
def test_values_are_those_of_the_engines_states_for_any_rules(rules: Rules) -> None:
    try:
        assert_agrees(rules, number=25)
    except SolveError as error:
        assume(error.code in ("no_lead", "too_large"))
        raise


# Results --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["minimal(target=1000)", "standard(target=300)"])
def test_other_guesses_lead_to_the_same_values(spec: str) -> None:
    table, found = TrioRules(rules_of(spec)), []
    for guess in (None, 0.0, 0.5, 1.0):
        solver = TrioSolver(table, threads=1, guess=guess)
        solver.run()
        found.append(solver)
        assert solver.residual < 1e-12
    for solver in found[1:]:
        assert solver.own == pytest.approx(found[0].own, abs=1e-12)
        assert solver.next == pytest.approx(found[0].next, abs=1e-12)


def test_a_circle_without_an_equilibrium_in_pure_policies_is_mixed() -> None:
    solver = TrioSolver(TrioRules(rules_of("kcd(target=2000)")), threads=2)
    solver.run()
    assert solver.mixed > 0
    assert solver.open == 0
    assert solver.residual < 1e-12


def test_symmetric_facts() -> None:
    solver = TrioSolver(TrioRules(rules_of("minimal(target=1000)")), threads=1)
    solver.run()
    third = 1.0 - solver.own - solver.next
    for chances in (solver.own, solver.next, third):
        assert chances.min() > 0.0
        assert chances.max() < 1.0
    n = len(third)
    equal = np.arange(n)
    assert np.all(solver.own[equal, equal, equal] > solver.next[equal, equal, equal])
    assert np.all(solver.next[equal, equal, equal] > third[equal, equal, equal])
    assert np.all(np.diff(solver.own, axis=0) > 0.0)  # more points are better


def test_a_game_of_which_one_has_left_is_that_of_two() -> None:
    rules = rules_of("minimal(target=500)")
    solved, two = trio(rules), duel(rules)
    state = new_game(rules, PEOPLE)
    left = state._replace(seats=(state.seats[0], state.seats[1]._replace(gone=2), state.seats[2]))
    first = two.first_player_wins
    assert solved.chances(left) == pytest.approx((first, 0.0, 1.0 - first))


def test_last_turns_whose_first_seat_has_left_are_played_out() -> None:
    rules = rules_of("standard(target=500)")
    solved, state = trio(rules), new_game(rules, PEOPLE)
    seats = [state.seats[seat]._replace(score=points) for seat, points in enumerate((600, 700, 400))]
    seats[0] = seats[0]._replace(gone=2)
    left = state._replace(seats=tuple(seats), phase=Phase.ROLL, seat=2, closer=0, dice=6)
    assert solved.chances(left) == pytest.approx(successors(solved, left), abs=1e-9)


# Players and the coach ------------------------------------------------------------------------------------------------


@pytest.fixture
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    for kept in ("_turns", "_duels", "_rounded", "_fields", "_trios"):
        monkeypatch.setattr(knowledge, kept, {})


@pytest.mark.usefixtures("nothing_known")
def test_exact_takes_the_likeliest_win_and_the_coach_agrees() -> None:
    rules = rules_of("minimal(target=500)")
    player = Exact()
    player.check(rules, PEOPLE)
    player.prepare(rules, PEOPLE, lambda done, of: None)
    assert player.ready(rules, PEOPLE)
    solved = trio(rules)
    for state in random_states(rules, 3, 20, PEOPLE):
        if state.phase is Phase.KEEP and all(seat.status == "in" for seat in state.seats):
            advice = advise(evaluator(rules, PEOPLE), best_turn(rules), state)
            assert advice.exact
            chosen = apply(state, player.decide(state, random.Random(1)))
            assert solved.chances(chosen)[state.seat] == pytest.approx(advice.chance(advice.best), abs=1e-9)
            assert hint(consult(rules, PEOPLE), state).action == advice.best.action


@pytest.mark.usefixtures("nothing_known")
def test_chances_of_three_are_those_of_the_solution_once_it_is_stored() -> None:
    rules = rules_of("minimal(target=1000)")
    assert knowledge.at_hand(rules, PEOPLE) is None
    assert knowledge.trio_ready(rules, PEOPLE)
    assert isinstance(knowledge.chances(rules, PEOPLE), Trio)
    assert isinstance(knowledge.at_hand(rules, PEOPLE), Trio)
    assert isinstance(evaluator(rules, PEOPLE), Trio)
    assert not knowledge.trio_ready(rules_of("minimal"), PEOPLE)


# Refusals -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ("build-on(target=1000)", "take_over.price"),
        ("original(target=5000)", "lives.each"),
        ("zilch(target=1000)", "penalties.farkles_in_row"),
        ("standard(target=1000, finish=equal_turns)", "finish"),
        ("minimal(target=1000, finish=welfare)", "finish"),
        ("minimal(target=0, rounds=5)", "rounds"),
        ("minimal(target=1000, rounds=5)", "rounds"),
        ("minimal(target=1000, zones='200-300 leave')", "zones"),
    ],
)
def test_hidden_state_beyond_three_scores_is_refused_by_name(spec: str, field: str) -> None:
    with pytest.raises(SolveError) as error:
        trio(rules_of(spec))
    assert error.value.code in (field, "rules", "take_over.price")
    assert field in error.value.message or error.value.code == "rules"


# Keeping it -----------------------------------------------------------------------------------------------------------


def test_an_interrupted_solve_is_resumed() -> None:
    rules = rules_of("minimal(target=1000)")

    def interrupt(done: float, of: float) -> None:
        if done / of > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trio(rules, interrupt)
    assert paused(stored_trio(rules)).exists()
    seen: list[float] = []
    found = trio(rules, lambda done, of: seen.append(done / of))
    assert seen[0] > 0.5
    assert not paused(stored_trio(rules)).exists()
    assert found.wins == trio(rules, fresh=True).wins


def test_a_solve_that_was_killed_is_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed process leaves its work stored."""
    rules = rules_of("minimal(target=1000)")
    monkeypatch.setattr("farkel.solve.three.solution.PAUSES", 0)

    def kill(done: float, of: float) -> None:
        if done / of > 0.5:
            raise SystemExit

    with pytest.raises(SystemExit):
        trio(rules, kill)
    seen: list[float] = []
    found = trio(rules, lambda done, of: seen.append(done / of))
    assert seen[0] > 0.4
    assert found.wins == trio(rules, fresh=True).wins


def test_a_stored_solution_is_read_back() -> None:
    rules = rules_of("minimal(target=500)")
    solved = trio(rules)
    assert solved.path is not None
    assert solved.path.exists()

    def no(done: float, of: float) -> None:
        raise AssertionError("solved again")

    assert trio(rules, no).wins == solved.wins


def test_the_command_prints_three_chances() -> None:
    found = CliRunner().invoke(main, ["solve", "--rules", "minimal(target=500)", "--seats", "3", "--json"])
    assert found.exit_code == 0, found.output
    content = json.loads(found.stdout)
    assert content["wins"] == pytest.approx([0.5845778246, 0.2806678049, 0.1347543704])
    assert content["states"] == 1000
    assert content["residual"] < 1e-9
    assert content["mixed"] == 0
    assert content["seconds"] > 0
    text = CliRunner().invoke(main, ["solve", "--rules", "minimal(target=500)", "--seats", "3"])
    assert "An equilibrium of three players" in text.output
