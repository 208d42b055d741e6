"""Kernels as WebAssembly and as machine code of this computer give the same games, and the same values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from test_solve import solvable

from farkel.kernels import shipped
from farkel.kernels.registry import GAMES, SOLVE, STEPS, Group
from farkel.kernels.spaces import SETTING
from farkel.kernels.texts import is_stale, read_text
from farkel.players import knowledge
from farkel.rules import Rules, names
from farkel.simulation import simulate
from farkel.solve import best_race, best_turn
from farkel.solve.compiled_game import Compiled, compile_board
from farkel.solve.last_turns import complete
from farkel.solve.solver import Solver
from named_rules import NEAR, rules_of
from random_rules import examples, rule_sets

SETS = "minimal(target=1000)", "build-on(target=1000)", "original(target=600)"
"""Simple rules; offers; lives, and games that nobody wins."""
SWEPT = 1e-8
"""Where scores may fall all values are swept again and again, until a sweep moves them by less than the tolerance."""
BOTS = ("random", "cautious"), ("bold", "threshold:300", "turn"), ("exact", "cautious"), ("race", "turn")
FORGETS = "_turns", "_duels", "_rounded", "_fields", "_trios"


@pytest.fixture(autouse=True)
def _no_answers_of_another_form(monkeypatch: pytest.MonkeyPatch) -> None:
    _forget(monkeypatch)
    monkeypatch.setattr(shipped, "miss", missed)


def missed(name: str) -> None:
    """A kernel that has no door for its arguments would be run as it is in Python."""
    raise AssertionError(f"{name} is not shipped for such rules: add some to building/samples.py")


def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FORGETS:
        monkeypatch.setattr(knowledge, name, {})


def use(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let calculations use a form from here on."""
    monkeypatch.setenv(SETTING, form)
    _forget(monkeypatch)


def each_form(monkeypatch: pytest.MonkeyPatch, forms: Sequence[str] = ("shipped", "native")) -> Iterator[str]:
    for form in forms:
        use(form, monkeypatch)
        yield form


@pytest.mark.parametrize("group", [SOLVE, GAMES, STEPS], ids=lambda group: group.name)
def test_modules_belong_to_the_sources_that_are_here(group: Group) -> None:
    assert not is_stale(group, read_text(group.name)), "type: make kernels"


def compiled(rules: Rules) -> Compiled:
    return complete(compile_board(rules))


def solved(rules: Rules) -> Solver:
    found = Solver(compiled(rules), threads=1)
    found.run()
    return found


def far(one: Any, other: Any) -> float:
    """Return by how much the values of two arrays differ, at most."""
    return float(np.max(np.abs(np.asarray(one) - np.asarray(other)), initial=0.0))


def check_solutions(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = (solved(rules) for _ in each_form(monkeypatch))
    near = SWEPT if ours.lowers else NEAR
    assert far(ours.values.own, theirs.values.own) < near
    assert far(ours.values.other, theirs.values.other) < near
    assert far(ours.values.take, theirs.values.take) < near


@pytest.mark.parametrize("name", SETS)
def test_both_forms_solve_alike(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_solutions(rules_of(name), monkeypatch)


@pytest.mark.parametrize("name", SETS)
def test_both_forms_have_the_same_best_turn_and_race(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_of(name)
    turns = [best_turn(rules) for _ in each_form(monkeypatch)]
    assert far(turns[0].values[True], turns[1].values[True]) < NEAR
    assert turns[0].bank_at == turns[1].bank_at
    if rules.take_over.price == "none":
        races = [best_race(rules) for _ in each_form(monkeypatch)]
        assert races[0].expected_turns == pytest.approx(races[1].expected_turns, abs=NEAR)


def test_python_itself_comes_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels run as the Python that they are where nothing else loads."""
    rules, forms = rules_of("minimal(target=200)"), ("plain", "native")
    ours, theirs = (solved(rules).values for _ in each_form(monkeypatch, forms))
    assert far(ours.own, theirs.own) < NEAR
    played = [[games(rules, bots, 5) for bots in (BOTS[0], ("exact", "race"))] for _ in each_form(monkeypatch, forms)]
    assert played[0] == played[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_both_forms_solve_the_catalogue_alike_at_small_targets(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = solvable(rules_of(name))
    if rules is not None:
        check_solutions(rules, monkeypatch)


@pytest.mark.full
@pytest.mark.parametrize("name", ["minimal", "standard", "cardgames(finish=at_once, entry=0)", "build-on(target=5000)"])
def test_both_forms_solve_games_of_full_size_alike(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_solutions(rules_of(name), monkeypatch)


@pytest.mark.full
@pytest.mark.parametrize("bots", [("cautious", "bold"), ("turn", "cautious"), ("random", "threshold:300", "turn")])
@pytest.mark.parametrize("name", ["minimal", "extended", "build-on"])
def test_both_forms_play_the_same_hundred_thousand_games(
    name: str, bots: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = (games(rules_of(name), bots, 100_000) for _ in each_form(monkeypatch))
    assert ours == theirs


@pytest.mark.slow
@settings(max_examples=examples(4), deadline=None)
@given(rule_sets().map(solvable).filter(bool))
def test_both_forms_solve_any_rules_alike(rules: Rules) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        check_solutions(rules, monkeypatch)


def games(rules: Rules, bots: tuple[str, ...], number: int) -> tuple[Any, list[Any]]:
    raw: list[Any] = []
    found = simulate(rules, bots, number, seed=0, threads=1, raw=lambda rows: raw.extend(rows.tolist()))
    return found.tally, raw


@pytest.mark.parametrize("bots", BOTS, ids="-".join)
@pytest.mark.parametrize("name", SETS)
def test_both_forms_play_the_same_games_from_the_same_seeds(
    name: str, bots: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = rules_of(name)
    ours, theirs = (games(rules, bots, 60) for _ in each_form(monkeypatch))
    assert ours == theirs


def test_both_forms_step_environments_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    from farkel.training import VectorFarkel

    for opponent in (None, "cautious", "turn"):
        seen = []
        for _ in each_form(monkeypatch):
            games = VectorFarkel("build-on(target=1000)", 16, 2, opponent=opponent)
            games.reset(seed=3)
            chosen = np.random.default_rng(1)
            seen.append([games.step(chosen.integers(0, games.numbers.size, 16))[:4] for _ in range(40)])
        for ours, theirs in zip(*seen, strict=True):
            for one, other in zip(ours, theirs, strict=True):
                np.testing.assert_array_equal(one, other)
