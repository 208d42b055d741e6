"""OpenSpiel plays the game: its own conformance test for every set, and the same games as the engine."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from farkel.rules import names

pytest.importorskip("gymnasium", reason="needs farkel[train]")
pytest.importorskip("pyspiel", reason="needs open_spiel")

import pyspiel

from farkel.game import chance_outcomes
from farkel.training import EnvError, rewards
from farkel.training.spiel import FarkelGame

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", names())
def test_every_set_passes_the_conformance_test(name: str) -> None:
    game = pyspiel.load_game("farkel", {"rules": name, "players": 3, "most_moves": 120})
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def test_games_agree_with_the_engine() -> None:
    game = FarkelGame({"rules": "kcd", "players": 2})
    state = game.new_initial_state()
    while not state.is_terminal():
        now = state.now.state
        assert state.is_chance_node() == bool(now.dice_due)
        if now.dice_due:
            assert sum(chance for _, chance in state.chance_outcomes()) == pytest.approx(1)
            outcomes = chance_outcomes(now)
            ways = sum(way for _, way in outcomes)
            assert [chance * ways for _, chance in state.chance_outcomes()] == pytest.approx(
                [way for _, way in outcomes]
            )
            state.apply_action(state.now.moves * 7 % len(outcomes))
        else:
            legal = state.legal_actions()
            assert [game.numbers.action(now, number) for number in legal]
            state.apply_action(legal[-1])
    assert state.returns() == list(rewards(state.now.state))
    assert sorted(state.returns()) == [-1.0, 1.0]
    assert copy.deepcopy(state.now) is state.now


def test_a_game_cut_off_has_no_winner() -> None:
    state = FarkelGame({"rules": "extended", "most_moves": 3}).new_initial_state()
    for _ in range(3):
        state.apply_action(state.legal_actions()[0])
    assert state.is_terminal()
    assert state.returns() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"rules": "kcd(target=500)"}, "a set of the catalogue"),
        ({"most_moves": 0}, "at least 1"),
        ({"players": 99}, "seats"),
    ],
)
def test_options_that_do_not_fit_are_refused(given: dict[str, Any], why: str) -> None:
    from farkel.errors import FarkelError

    with pytest.raises(FarkelError, match=why) as found:
        FarkelGame(given)
    assert isinstance(found.value, EnvError) or "players" in given
